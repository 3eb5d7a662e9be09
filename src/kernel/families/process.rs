//! The common part of the processes that start at a place: k = v·κ(s, t) with s = x − c and t = x′ − c.

use std::fmt::Debug;

use crate::kernel::family::{Family, Pairs, Role, Rows, Scratch, Spec, Theta};
use crate::linalg::vector;

/// The kernel κ of a process with variance 1 that is 0 at its start. Its parameters are a length-scale, if it has one,
/// then the variance, then the start.
pub trait Increments: Debug + Send + Sync {
    fn spec(&self) -> &'static Spec;

    /// κ at these distances from the start. Symmetric in the two.
    fn value(&self, l: f64, s: f64, t: f64) -> f64;

    /// ∂κ/∂s. Where κ has a kink at s = t, half of the sum of both sides.
    fn slope(&self, l: f64, s: f64, t: f64) -> f64;

    /// ∂κ/∂l; 0 without a length-scale.
    fn slope_in_length(&self, _l: f64, _s: f64, _t: f64) -> f64 {
        0.0
    }
}

/// The family of such a process.
#[derive(Debug)]
pub struct Process<K>(pub K);

impl<K: Increments> Process<K> {
    /// The length-scale, if there is one, and the indices of the variance and the start.
    fn places(theta: Theta<'_>) -> (Option<usize>, usize, usize) {
        let at = |i: usize| theta.range(i).start;
        match theta.ranges.len() {
            3 => (Some(at(0)), at(1), at(2)),
            _ => (None, at(0), at(1)),
        }
    }

    fn length(theta: Theta<'_>) -> f64 {
        Self::places(theta).0.map_or(1.0, |l| theta.all[l])
    }
}

impl<K: Increments> Family for Process<K> {
    fn spec(&self) -> &'static Spec {
        self.0.spec()
    }

    fn prepare(&self, theta: Theta<'_>, x: &[&[f64]], _learnt: &[f64]) -> Result<Rows, String> {
        let (_, _, start) = Self::places(theta);
        debug_assert_eq!(self.spec().params.last().map(|p| p.role), Some(Role::Start));
        Ok(vec![x[0].iter().map(|x| x - theta.all[start]).collect()])
    }

    fn column(&self, theta: Theta<'_>, pairs: Pairs<'_>, out: &mut [f64]) {
        let (l, (_, v, _), t) = (Self::length(theta), Self::places(theta), pairs.right(0));
        let (v, left) = (theta.all[v], pairs.left(0, out.len()));
        for (out, s) in out.iter_mut().zip(left) {
            *out = v * self.0.value(l, *s, t);
        }
    }

    fn diagonal(&self, theta: Theta<'_>, rows: &Rows, out: &mut [f64]) {
        let (l, (_, v, _)) = (Self::length(theta), Self::places(theta));
        let v = theta.all[v];
        for (out, s) in out.iter_mut().zip(&rows[0]) {
            *out = v * self.0.value(l, *s, *s);
        }
    }

    fn pull(
        &self,
        theta: Theta<'_>,
        pairs: Pairs<'_>,
        k: &[f64],
        w: &mut [f64],
        _scratch: &mut Scratch,
        gradient: &mut [f64],
    ) {
        let (length, variance, start) = Self::places(theta);
        let (l, v, t) = (Self::length(theta), theta.all[variance], pairs.right(0));
        gradient[variance] += vector::dot(w, k) / v;
        let left = || pairs.left(0, k.len()).iter().zip(w.iter());
        if let Some(length) = length {
            gradient[length] += v * left().map(|(s, w)| w * self.0.slope_in_length(l, *s, t)).sum::<f64>();
        }
        // both distances become shorter as the start moves on
        let slope = |s: f64| self.0.slope(l, s, t) + self.0.slope(l, t, s);
        gradient[start] -= v * left().map(|(s, w)| w * slope(*s)).sum::<f64>();
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
        let (l, (_, v, _), t) = (Self::length(theta), Self::places(theta), pairs.right(0));
        let (v, rows) = (theta.all[v], pairs.left(0, k.len()));
        if let Some(left) = left.first_mut() {
            for ((left, s), w) in left.iter_mut().zip(rows).zip(w) {
                *left += v * w * self.0.slope(l, *s, t);
            }
        }
        if let Some(right) = right.first_mut() {
            *right += v * rows.iter().zip(w).map(|(s, w)| w * self.0.slope(l, t, *s)).sum::<f64>();
        }
    }
}
