//! The common part of the families of the scaled distance: k = v·κ(s) with s = Σ ((x − x′)/l)².

use std::fmt::Debug;

use crate::kernel::family::{Argument, Family, Form, Pairs, Rows, Scratch, Spec, Theta};
use crate::linalg::vector;

/// The profile κ of a distance family. Its parameters are the length-scale, then at most one shape, then the variance.
pub trait Profile: Debug + Send + Sync {
    fn spec(&self) -> &'static Spec;

    /// s ← v·κ(s).
    fn value(&self, shape: f64, v: f64, s: &mut [f64]);

    /// s ← dk/ds, given s and k = v·κ(s). 0 where the limit for s → 0 is infinite: the slope is always multiplied by s.
    fn slope(&self, shape: f64, s: &mut [f64], k: &[f64]);

    /// Whether [`slope`](Self::slope) reads the contents of `s`.
    fn slope_reads_distance(&self) -> bool {
        true
    }

    /// Its form on one or more inputs with these length-scales, for integrals over it.
    fn form(&self, _v: f64, _l: Vec<f64>) -> Form {
        Form::General
    }

    /// Σ wᵢ ∂kᵢ/∂shape; `s` may be overwritten.
    fn pull_shape(&self, _shape: f64, _s: &mut [f64], _k: &[f64], _w: &[f64], _scratch: &mut [f64]) -> f64 {
        0.0
    }
}

/// The family with a given profile.
#[derive(Debug)]
pub struct Distance<P>(pub P);

impl<P: Profile> Distance<P> {
    fn shape(&self, theta: Theta<'_>) -> Option<f64> {
        (theta.ranges.len() == 3).then(|| theta.one(1))
    }

    fn distances(pairs: Pairs<'_>, out: &mut [f64]) {
        let len = out.len();
        for d in 0..pairs.a.len() {
            let (x, at) = (pairs.left(d, len), pairs.right(d));
            if d == 0 { vector::distance(x, at, out) } else { vector::add_distance(x, at, out) }
        }
    }
}

impl<P: Profile> Family for Distance<P> {
    fn spec(&self) -> &'static Spec {
        self.0.spec()
    }

    fn takes_indicators(&self) -> bool {
        true
    }

    fn prepare(&self, theta: Theta<'_>, x: &[&[f64]], learnt: &[f64]) -> Result<Rows, String> {
        let l = theta.each(0);
        let rows = x.iter().enumerate().map(|(d, column)| {
            let (l, centre) = (l[if l.len() == 1 { 0 } else { d }], learnt[d]);
            column.iter().map(|x| (x - centre) / l).collect()
        });
        Ok(rows.collect())
    }

    fn column(&self, theta: Theta<'_>, pairs: Pairs<'_>, out: &mut [f64]) {
        Self::distances(pairs, out);
        let v = theta.one(theta.ranges.len() - 1);
        self.0.value(self.shape(theta).unwrap_or(0.0), v, out);
    }

    fn diagonal(&self, theta: Theta<'_>, _rows: &Rows, out: &mut [f64]) {
        out.fill(theta.one(theta.ranges.len() - 1));
    }

    fn pull(
        &self,
        theta: Theta<'_>,
        pairs: Pairs<'_>,
        k: &[f64],
        w: &mut [f64],
        scratch: &mut Scratch,
        gradient: &mut [f64],
    ) {
        let len = k.len();
        let last = theta.range(theta.ranges.len() - 1).start;
        gradient[last] += vector::dot(w, k) / theta.all[last];
        let (s, spare) = scratch.two(len);
        let shape = self.shape(theta);
        if let Some(shape) = shape {
            Self::distances(pairs, s);
            gradient[theta.range(1).start] += self.0.pull_shape(shape, s, k, w, spare);
        }
        if self.0.slope_reads_distance() {
            Self::distances(pairs, s);
        }
        self.0.slope(shape.unwrap_or(0.0), s, k);
        vector::multiply(w, s);
        let l = theta.range(0);
        for d in 0..pairs.a.len() {
            let at = if l.len() == 1 { l.start } else { l.start + d };
            gradient[at] -= 2.0 / theta.all[at] * vector::weighted_distance(pairs.left(d, len), pairs.right(d), w);
        }
    }

    fn pull_inputs(
        &self,
        theta: Theta<'_>,
        pairs: Pairs<'_>,
        k: &[f64],
        w: &[f64],
        left: &mut [Vec<f64>],
        right: &mut [f64],
    ) {
        let mut slope = vec![0.0; k.len()];
        if self.0.slope_reads_distance() {
            Self::distances(pairs, &mut slope);
        }
        self.0.slope(self.shape(theta).unwrap_or(0.0), &mut slope, k);
        vector::multiply(&mut slope, w);
        let l = theta.each(0);
        for d in 0..pairs.a.len() {
            let (x, at) = (pairs.left(d, k.len()), pairs.right(d));
            let scale = 2.0 / l[if l.len() == 1 { 0 } else { d }];
            if let Some(right) = right.get_mut(d) {
                *right -= scale * vector::weighted_difference(x, at, &slope);
            }
            if let Some(left) = left.get_mut(d) {
                for ((left, slope), x) in left.iter_mut().zip(&slope).zip(x) {
                    *left += scale * slope * (x - at);
                }
            }
        }
    }

    fn argument(&self) -> Option<Argument> {
        Some(Argument::Square)
    }

    fn slope_in_square(&self, theta: Theta<'_>, squares: &mut [f64], k: &[f64]) {
        let scale = theta.one(0).powi(-2);
        squares.iter_mut().for_each(|s| *s *= scale);
        self.0.slope(self.shape(theta).unwrap_or(0.0), squares, k);
        squares.iter_mut().for_each(|s| *s *= scale);
    }

    fn form(&self, theta: Theta<'_>, inputs: usize) -> Form {
        let l = theta.each(0);
        let each = (0..inputs).map(|d| l[if l.len() == 1 { 0 } else { d }]).collect();
        self.0.form(theta.one(theta.ranges.len() - 1), each)
    }

    /// −2 dk/ds/l² at s = 0.
    fn slope_variances(&self, theta: Theta<'_>, inputs: usize) -> Option<(f64, Vec<f64>)> {
        let v = theta.one(theta.ranges.len() - 1);
        let mut slope = [0.0];
        self.0.slope(self.shape(theta).unwrap_or(0.0), &mut slope, &[v]);
        let l = theta.each(0);
        let along = |d: usize| {
            let l = l[if l.len() == 1 { 0 } else { d }];
            -2.0 * slope[0] / (l * l)
        };
        Some((v, (0..inputs).map(along).collect()))
    }
}
