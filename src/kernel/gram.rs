//! The Gram matrix of a bound kernel, and the gradient of any function of it.

use super::bind::Bound;
use super::columns::Known;
use super::evaluate::{At, Prepared};
use super::lags::{Lags, Role};
use super::points::{EvalError, Points};
use super::program::Op;
use super::reverse_mode::{Back, Place, Sides, Sink};
use crate::linalg::Matrix;
use crate::progress::{Progress, Silent};

/// Evaluates a Gram matrix; stores the values of the leaves and reuses its memory between calls.
///
/// It stores half a matrix, n(n + 1)/2 numbers, for each leaf of the kernel. Copies of a leaf, of which a symmetry can
/// make many, are evaluated again for the gradient. Of evenly spaced rows it stores a number for each lag, where a part of
/// the kernel depends on nothing else.
pub struct Gram<'k> {
    bound: &'k Bound,
    points: &'k Points,
    /// Parameters of every instruction, with_multiplicity.
    theta: Vec<Vec<f64>>,
    prepared: Option<Prepared>,
    lags: Option<Lags>,
    /// Values of each leaf, stored by columns of the lower triangle.
    stored: Vec<Vec<f64>>,
    /// The instructions whose values the backward pass reads.
    read: Vec<bool>,
    registers: Vec<Vec<f64>>,
    back: Back,
    values: Vec<f64>,
    progress: &'k dyn Progress,
}

/// The user's request to stop is looked for at one of so many columns.
const ASKED: usize = 16;
/// Both arguments are the same rows.
const SAME: Sides = Sides { left: 0, right: 0 };

impl<'k> Gram<'k> {
    /// An evaluator for these rows.
    pub fn new(bound: &'k Bound, points: &'k Points) -> Self {
        let count = bound.program.instructions.len();
        let half = points.n * (points.n + 1) / 2;
        let lags = Lags::new(bound, points);
        let of_pairs = |i: usize| lags.as_ref().is_none_or(|lags| lags.role(i) == Role::OfPairs);
        let kept = |i: usize, op: &Op| matches!(op, Op::Leaf(leaf) if leaf.keep && of_pairs(i));
        let instructions = bound.program.instructions.iter().enumerate();
        let stored = instructions.map(|(i, one)| if kept(i, &one.op) { vec![0.0; half] } else { Vec::new() }).collect();
        let read = bound.program.read_backwards(of_pairs);
        Self {
            bound,
            points,
            theta: Vec::new(),
            prepared: None,
            lags,
            stored,
            read,
            registers: vec![vec![0.0; points.n]; count],
            back: Back::default(),
            values: Vec::new(),
            progress: &Silent,
        }
    }

    /// The same; evaluation ends with [`EvalError::Stopped`] when the user stops the work.
    pub fn stopped_by(self, progress: &'k dyn Progress) -> Self {
        Self { progress, ..self }
    }

    /// The same without values by lag.
    #[cfg(test)]
    pub(super) fn of_pairs(mut self) -> Self {
        let half = self.points.n * (self.points.n + 1) / 2;
        for (instruction, stored) in self.bound.program.instructions.iter().zip(&mut self.stored) {
            if matches!(&instruction.op, Op::Leaf(leaf) if leaf.keep) {
                stored.resize(half, 0.0);
            }
        }
        self.lags = None;
        self.read = self.bound.program.read_backwards(|_| true);
        self
    }

    /// Writes the lower triangle of the Gram matrix at these parameters to `out` (n × n).
    ///
    /// # Errors
    /// [`EvalError::Rows`]: rows at which a family cannot be evaluated; [`EvalError::Stopped`].
    pub fn evaluate(&mut self, values: &[f64], out: &mut Matrix) -> Result<(), EvalError> {
        self.theta = self.bound.gather(values);
        self.values = values.to_vec();
        let prepared = self.bound.prepare(values, &self.theta, self.points)?;
        if let Some(lags) = &mut self.lags {
            lags.evaluate(self.bound, &self.theta)?;
        }
        let n = self.points.n;
        let mut start = 0;
        for j in 0..n {
            if j % ASKED == 0 && self.progress.stop() {
                return Err(EvalError::Stopped);
            }
            let at = At { from: j, j, same: true, len: n - j };
            let out = Some(&mut out.as_mut_slice()[j * n + j..(j + 1) * n]);
            let known = Known { stored: &mut self.stored, start, read: None, lags: self.lags.as_ref(), out };
            self.bound.column(&self.theta, (&prepared, &prepared), at, &mut self.registers, known);
            start += at.len;
        }
        self.prepared = Some(prepared);
        Ok(())
    }

    /// Adds Σᵢⱼ W(i, j) ∂K(i, j)/∂θ to `gradient` (natural units, one number per slot) for the last evaluation, in one
    /// backward pass over the kernel.
    ///
    /// `weights(j, w)` fills `w` with the entries of W from (j, j) down to (n, j). Those below the diagonal are
    /// doubled, as each counts for both halves.
    ///
    /// # Errors
    /// [`EvalError::Stopped`].
    pub fn pull(&mut self, mut weights: impl FnMut(usize, &mut [f64]), gradient: &mut [f64]) -> Result<(), EvalError> {
        let Some(prepared) = self.prepared.take() else { return Ok(()) };
        let n = self.points.n;
        let longest = self.lags.as_ref().map_or(n, |lags| lags.count().max(n));
        self.back.start(&self.theta, longest, vec![Sink::of(self.bound, self.points, &prepared, false)]);
        let mut start = 0;
        for j in 0..n {
            let at = At { from: j, j, same: true, len: n - j };
            if j % ASKED == 0 && self.progress.stop() {
                return Err(EvalError::Stopped);
            }
            self.back.weigh(at.len, |w| weights(j, w));
            self.pull_column(&prepared, at, start);
            start += at.len;
        }
        if self.bound.program.needs_diagonals {
            // pairs of a row with itself, which some wraps need for the value of another pair
            let mut start = 0;
            for j in 0..n {
                let at = At { from: j, j, same: true, len: 1 };
                self.back.clear();
                self.pull_column(&prepared, at, start);
                start += n - j;
            }
        }
        if let Some(lags) = &self.lags {
            self.back.lags(self.bound, &self.theta, lags);
        }
        self.back.views(self.bound, &self.values, 0, (self.points, &prepared), gradient);
        self.back.finish(self.bound, gradient);
        self.prepared = Some(prepared);
        Ok(())
    }

    /// Propagates the derivatives of one column, whose stored values begin at `start`.
    fn pull_column(&mut self, prepared: &Prepared, at: At, start: usize) {
        let (lags, read) = (self.lags.as_ref(), Some(&self.read[..]));
        let known = Known { stored: &mut self.stored, start, read, lags, out: None };
        let values = self.bound.column(&self.theta, (prepared, prepared), at, &mut self.registers, known);
        let place = Place { at, one: prepared, two: prepared, sides: SAME };
        self.back.column(self.bound, &self.theta, values, place, self.lags.as_mut());
    }
}

#[cfg(test)]
mod tests;
