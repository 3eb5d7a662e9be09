//! The values of additive kernels: sums over orders, or a product with weights.

use super::additive::AdditiveForm;
use crate::kernel::elementwise::Elementwise;
use crate::kernel::family::{Pairs, Theta};
use crate::linalg::vector;

/// The number of pairs in one block, chosen so that all orders stay in cache.
const BLOCK: usize = 64;

impl AdditiveForm {
    /// The factor that contains the value z of one kernel: (a, b) of a + b·z.
    fn factor(self, theta: Theta<'_>) -> (f64, f64) {
        match self {
            AdditiveForm::Dropout(q) => (1.0 - q, q),
            _ => (1.0, theta.one(0)),
        }
    }

    fn variance(theta: Theta<'_>) -> f64 {
        theta.one(theta.ranges.len() - 1)
    }
}

impl Elementwise for AdditiveForm {
    fn column(&self, theta: Theta<'_>, _pairs: Pairs<'_>, args: &[&[f64]], out: &mut [f64]) {
        if !matches!(self, AdditiveForm::Additive(_)) {
            let (a, b) = self.factor(theta);
            out.fill(Self::variance(theta));
            for arg in args {
                for (out, z) in out.iter_mut().zip(*arg) {
                    *out *= a + b * z;
                }
            }
            return;
        }
        let weights = theta.each(0);
        let mut orders = vec![[0.0; BLOCK]; weights.len() + 1];
        for start in (0..out.len()).step_by(BLOCK) {
            let len = BLOCK.min(out.len() - start);
            orders.iter_mut().for_each(|e| *e = [0.0; BLOCK]);
            orders[0] = [1.0; BLOCK];
            for (i, arg) in args.iter().enumerate() {
                let z = block(&arg[start..start + len]);
                raise(&mut orders, &z, i);
            }
            let out = &mut out[start..start + len];
            out.fill(0.0);
            for (e, v) in orders[1..].iter().zip(weights) {
                for (out, e) in out.iter_mut().zip(e) {
                    *out += v * e;
                }
            }
        }
    }

    fn pull(
        &self,
        theta: Theta<'_>,
        pairs: Pairs<'_>,
        args: &[&[f64]],
        w: &[f64],
        adjoints: &mut [Vec<f64>],
        gradient: &mut [f64],
    ) {
        if !matches!(self, AdditiveForm::Additive(_)) {
            return self.pull_product(theta, pairs, args, w, adjoints, gradient);
        }
        let weights = theta.each(0);
        let orders = weights.len();
        // e_d of the first i kernels, for each i
        let mut all = vec![vec![[0.0; BLOCK]; orders + 1]; args.len() + 1];
        let mut by = vec![[0.0; BLOCK]; orders + 1];
        for start in (0..w.len()).step_by(BLOCK) {
            let len = BLOCK.min(w.len() - start);
            all[0].iter_mut().for_each(|e| *e = [0.0; BLOCK]);
            all[0][0] = [1.0; BLOCK];
            for (i, arg) in args.iter().enumerate() {
                let z = block(&arg[start..start + len]);
                let (before, after) = all.split_at_mut(i + 1);
                after[0].copy_from_slice(&before[i]);
                raise(&mut after[0], &z, i);
            }
            let w = block(&w[start..start + len]);
            by[0] = [0.0; BLOCK];
            for d in 1..=orders {
                let e = &all[args.len()][d];
                gradient[d - 1] += w.iter().zip(e).map(|(w, e)| w * e).sum::<f64>();
                for (by, w) in by[d].iter_mut().zip(&w) {
                    *by = weights[d - 1] * w;
                }
            }
            for i in (0..args.len()).rev() {
                let z = block(&args[i][start..start + len]);
                let mut adjoint = [0.0; BLOCK];
                for d in 1..=orders.min(i + 1) {
                    let before = &all[i][d - 1];
                    let (lower, higher) = by.split_at_mut(d);
                    for t in 0..BLOCK {
                        adjoint[t] += higher[0][t] * before[t];
                        lower[d - 1][t] += higher[0][t] * z[t];
                    }
                }
                for (to, from) in adjoints[i][start..start + len].iter_mut().zip(&adjoint) {
                    *to += from;
                }
            }
        }
    }
}

impl AdditiveForm {
    fn pull_product(
        &self,
        theta: Theta<'_>,
        _pairs: Pairs<'_>,
        args: &[&[f64]],
        w: &[f64],
        adjoints: &mut [Vec<f64>],
        gradient: &mut [f64],
    ) {
        let ((a, b), v) = (self.factor(theta), Self::variance(theta));
        let last = gradient.len() - 1;
        // the product of the factors before each, then that of those after it; no division, as a factor may be 0
        let mut before = vec![vec![1.0; w.len()]; args.len() + 1];
        for (i, arg) in args.iter().enumerate() {
            let (done, next) = before.split_at_mut(i + 1);
            for ((next, done), z) in next[0].iter_mut().zip(&done[i]).zip(*arg) {
                *next = done * (a + b * z);
            }
        }
        gradient[last] += vector::dot(w, &before[args.len()]);
        let mut behind: Vec<f64> = w.iter().map(|w| w * v).collect();
        for (i, arg) in args.iter().enumerate().rev() {
            let mut by_factor = 0.0;
            for (((behind, before), z), adjoint) in behind.iter_mut().zip(&before[i]).zip(*arg).zip(&mut adjoints[i]) {
                let slope = *behind * before;
                by_factor += slope * z;
                *adjoint += slope * b;
                *behind *= a + b * z;
            }
            if matches!(self, AdditiveForm::Anova) {
                gradient[0] += by_factor;
            }
        }
    }
}

fn block(values: &[f64]) -> [f64; BLOCK] {
    let mut out = [0.0; BLOCK];
    out[..values.len()].copy_from_slice(values);
    out
}

/// Adds the i-th kernel (from 0) to the elementary symmetric polynomials.
fn raise(orders: &mut [[f64; BLOCK]], z: &[f64; BLOCK], i: usize) {
    for d in (1..orders.len().min(i + 2)).rev() {
        let (lower, higher) = orders.split_at_mut(d);
        for t in 0..BLOCK {
            higher[0][t] += z[t] * lower[d - 1][t];
        }
    }
}
