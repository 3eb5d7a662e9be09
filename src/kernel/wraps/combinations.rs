//! Combinations of values that several wraps use.

use crate::kernel::elementwise::Elementwise;
use crate::kernel::family::{Pairs, Rows, Theta};
use crate::linalg::vector;

/// Σ wᵢkᵢ with known weights.
#[derive(Debug)]
pub(super) struct Weighted(pub Vec<f64>);

impl Elementwise for Weighted {
    fn column(&self, _theta: Theta<'_>, _pairs: Pairs<'_>, args: &[&[f64]], out: &mut [f64]) {
        out.fill(0.0);
        for (arg, &weight) in args.iter().zip(&self.0) {
            vector::axpy(out, weight, arg);
        }
    }

    fn pull(
        &self,
        _theta: Theta<'_>,
        _pairs: Pairs<'_>,
        _args: &[&[f64]],
        w: &[f64],
        adjoints: &mut [Vec<f64>],
        _gradient: &mut [f64],
    ) {
        for (adjoint, &weight) in adjoints.iter_mut().zip(&self.0) {
            vector::axpy(adjoint, weight, w);
        }
    }
}

/// Π kᵢ^nᵢ of kernels without negative values.
#[derive(Debug)]
pub(super) struct Powers(pub Vec<i32>);

impl Elementwise for Powers {
    fn column(&self, _theta: Theta<'_>, _pairs: Pairs<'_>, args: &[&[f64]], out: &mut [f64]) {
        out.fill(1.0);
        for (arg, &n) in args.iter().zip(&self.0) {
            for (out, k) in out.iter_mut().zip(*arg) {
                *out *= k.powi(n);
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
        _gradient: &mut [f64],
    ) {
        let mut whole = vec![0.0; w.len()];
        self.column(theta, pairs, args, &mut whole);
        vector::multiply(&mut whole, w);
        for ((adjoint, arg), &n) in adjoints.iter_mut().zip(args).zip(&self.0) {
            for ((adjoint, k), whole) in adjoint.iter_mut().zip(*arg).zip(&whole) {
                // where a factor has vanished, so has the product
                if *k > 0.0 {
                    *adjoint += f64::from(n) * whole / k;
                }
            }
        }
    }
}

/// k(x, x′)/√(k(x, x)·k(x′, x′)), which has variance 1 everywhere.
#[derive(Debug)]
pub(super) struct Normalized {
    /// Whether both arguments have the same view.
    pub alike: bool,
}

/// The index in the slice of the pair of a row with itself.
pub(super) fn self_pair(pairs: Pairs<'_>, len: usize) -> Option<usize> {
    let inside = pairs.same && (pairs.from..pairs.from + len).contains(&pairs.j);
    inside.then(|| pairs.j - pairs.from)
}

impl Elementwise for Normalized {
    fn column(&self, _theta: Theta<'_>, pairs: Pairs<'_>, args: &[&[f64]], out: &mut [f64]) {
        let own = pairs.right(0);
        for ((out, k), diagonals) in out.iter_mut().zip(args[0]).zip(pairs.left(0, args[0].len())) {
            *out = k / (diagonals * own).sqrt();
        }
        if let Some(own) = self_pair(pairs, out.len()).filter(|_| self.alike) {
            out[own] = 1.0;
        }
    }

    fn diagonal(&self, _theta: Theta<'_>, _rows: &Rows, _args: &[&[f64]], out: &mut [f64]) {
        out.fill(1.0);
    }

    fn pull(
        &self,
        _theta: Theta<'_>,
        pairs: Pairs<'_>,
        _args: &[&[f64]],
        w: &[f64],
        adjoints: &mut [Vec<f64>],
        _gradient: &mut [f64],
    ) {
        let own = pairs.right(0);
        for ((adjoint, w), diagonals) in adjoints[0].iter_mut().zip(w).zip(pairs.left(0, w.len())) {
            *adjoint += w / (diagonals * own).sqrt();
        }
    }

    fn pull_diagonals(
        &self,
        _theta: Theta<'_>,
        pairs: Pairs<'_>,
        args: &[&[f64]],
        w: &[f64],
        left: &mut [f64],
        right: &mut f64,
    ) {
        let own = pairs.right(0);
        let diagonals = pairs.left(0, w.len());
        for (i, (w, k)) in w.iter().zip(args[0]).enumerate() {
            let by = -0.5 * w * k / (diagonals[i] * own).sqrt();
            left[i] += by / diagonals[i];
            *right += by / own;
        }
    }
}
