//! k(A, B) of a bound kernel for two different sets of rows, and the gradient of any function of it with respect to the
//! parameters and to the rows.
//!
//! No row of A is the same observation as a row of B, so white noise (`WN`) is 0 here. Derivatives with respect to the
//! rows are taken in the columns of the data, through all transformations of the kernel. The slope of a user's function
//! is unknown: columns that enter only through one get no derivative ([`Bound::input_slopes`]).

use super::bind::Bound;
use super::columns::Known;
use super::evaluate::{At, Prepared};
use super::points::{EvalError, Points};
use super::program::Op;
use super::reverse_mode::{Back, Place, Sides, Sink};
use crate::linalg::Matrix;

/// The gradients to which the backward pass adds.
#[derive(Debug)]
pub struct CrossGradient<'g> {
    /// With respect to the parameters in natural units, one per slot.
    pub parameters: &'g mut [f64],
    /// With respect to the rows of A, one column per input of the data; `None` if not requested.
    pub a: Option<&'g mut [Vec<f64>]>,
    /// With respect to the rows of B.
    pub b: Option<&'g mut [Vec<f64>]>,
}

/// Evaluates k(A, B) and k(x, x), and reuses its memory between calls.
pub struct Cross<'k> {
    bound: &'k Bound,
    theta: Vec<Vec<f64>>,
    values: Vec<f64>,
    /// Values of each leaf, stored by columns.
    stored: Vec<Vec<f64>>,
    /// The instructions whose values the backward pass reads.
    read: Vec<bool>,
    registers: Vec<Vec<f64>>,
    prepared: Option<[Prepared; 2]>,
    back: Back,
}

const APART: Sides = Sides { left: 0, right: 1 };

impl<'k> Cross<'k> {
    /// An evaluator without rows yet.
    pub fn new(bound: &'k Bound) -> Self {
        let count = bound.program.instructions.len();
        Self {
            bound,
            theta: Vec::new(),
            values: Vec::new(),
            stored: vec![Vec::new(); count],
            read: bound.program.read_backwards(|_| true),
            registers: vec![Vec::new(); count],
            prepared: None,
            back: Back::default(),
        }
    }

    fn set(&mut self, values: &[f64], rows: usize) {
        self.theta = self.bound.gather(values);
        self.values = values.to_vec();
        for register in &mut self.registers {
            if register.len() < rows {
                register.resize(rows, 0.0);
            }
        }
    }

    /// Writes k(A, B), rows of A down and of B across, into `out`.
    ///
    /// # Errors
    /// [`EvalError::Rows`]: rows at which a family cannot be evaluated.
    pub fn evaluate(&mut self, values: &[f64], a: &Points, b: &Points, out: &mut Matrix) -> Result<(), EvalError> {
        self.set(values, a.n);
        let one = self.bound.prepare(values, &self.theta, a)?;
        let two = self.bound.prepare(values, &self.theta, b)?;
        for (stored, instruction) in self.stored.iter_mut().zip(&self.bound.program.instructions) {
            let kept = matches!(&instruction.op, Op::Leaf(leaf) if leaf.keep);
            stored.resize(if kept { a.n * b.n } else { 0 }, 0.0);
        }
        if out.shape() != (a.n, b.n) {
            *out = Matrix::zeros(a.n, b.n);
        }
        for j in 0..b.n {
            let at = At { from: 0, j, same: false, len: a.n };
            let out = Some(&mut out.as_mut_slice()[j * a.n..(j + 1) * a.n]);
            let known = Known { stored: &mut self.stored, start: j * a.n, out, ..Known::default() };
            self.bound.column(&self.theta, (&one, &two), at, &mut self.registers, known);
        }
        self.prepared = Some([one, two]);
        Ok(())
    }

    /// Adds Σᵢⱼ W(i, j) ∂k(aᵢ, bⱼ) to the gradients, for the last [`evaluate`](Self::evaluate) at the same rows.
    /// `weights(j, w)` fills `w` with column j of W.
    pub fn pull(
        &mut self,
        a: &Points,
        b: &Points,
        mut weights: impl FnMut(usize, &mut [f64]),
        to: &mut CrossGradient<'_>,
    ) {
        let Some([one, two]) = self.prepared.take() else { return };
        let sinks = vec![Sink::of(self.bound, a, &one, to.a.is_some()), Sink::of(self.bound, b, &two, to.b.is_some())];
        self.back.start(&self.theta, a.n.max(1), sinks);
        for j in 0..b.n {
            let at = At { from: 0, j, same: false, len: a.n };
            let known = Known { stored: &mut self.stored, start: j * a.n, read: Some(&self.read), ..Known::default() };
            let values = self.bound.column(&self.theta, (&one, &two), at, &mut self.registers, known);
            self.back.weigh(at.len, |w| weights(j, w));
            let place = Place { at, one: &one, two: &two, sides: APART };
            self.back.column(self.bound, &self.theta, values, place, None);
        }
        if self.bound.program.needs_diagonals {
            self.around(a, &one, 0);
            self.around(b, &two, 1);
        }
        self.back.views(self.bound, &self.values, 0, (a, &one), to.parameters);
        self.back.views(self.bound, &self.values, 1, (b, &two), to.parameters);
        self.back.finish(self.bound, to.parameters);
        for (sink, rows) in self.back.sinks.iter().zip([&mut to.a, &mut to.b]) {
            hand_over(sink, rows);
        }
        self.prepared = Some([one, two]);
    }

    /// Evaluates the pairs of each row with itself, which some wraps need for the value of another pair.
    fn around(&mut self, points: &Points, prepared: &Prepared, side: usize) {
        let sides = Sides { left: side, right: side };
        for j in 0..points.n {
            let at = At { from: j, j, same: true, len: 1 };
            let values =
                self.bound.column(&self.theta, (prepared, prepared), at, &mut self.registers, Known::default());
            self.back.clear();
            let place = Place { at, one: prepared, two: prepared, sides };
            self.back.column(self.bound, &self.theta, values, place, None);
        }
    }

    /// k(x, x) of every row. With `shared`, the two arguments are different observations at equal inputs, which do not
    /// share observation noise; otherwise they are one observation.
    ///
    /// # Errors
    /// [`EvalError::Rows`]: rows at which a family cannot be evaluated.
    pub fn diagonal(&mut self, values: &[f64], points: &Points, shared: bool) -> Result<Vec<f64>, EvalError> {
        if !(shared && self.bound.tells_rows_apart()) {
            return self.bound.diagonal(values, points);
        }
        self.set(values, 1);
        let prepared = self.bound.prepare(values, &self.theta, points)?;
        let mut out = Vec::with_capacity(points.n);
        for j in 0..points.n {
            let at = At { from: j, j, same: false, len: 1 };
            let column =
                self.bound.column(&self.theta, (&prepared, &prepared), at, &mut self.registers, Known::default());
            out.extend_from_slice(column.last());
        }
        Ok(out)
    }

    /// Adds Σᵢ wᵢ ∂k(xᵢ, xᵢ) to the gradients. The derivatives with respect to the rows are added to `to.a`.
    ///
    /// # Errors
    /// [`EvalError::Rows`]: rows at which a family cannot be evaluated.
    pub fn pull_diagonal(
        &mut self,
        values: &[f64],
        points: &Points,
        shared: bool,
        weights: &[f64],
        to: &mut CrossGradient<'_>,
    ) -> Result<(), EvalError> {
        self.prepared = None;
        if self.bound.kernel.stationary() && points.n > 1 {
            // it is the same for all rows
            let whole = weights.iter().sum();
            return self.pull_diagonal(values, &points.rows(0..1), shared, &[whole], to);
        }
        self.set(values, 1);
        let one = self.bound.prepare(values, &self.theta, points)?;
        self.back.start(&self.theta, 1, vec![Sink::of(self.bound, points, &one, to.a.is_some())]);
        let sides = Sides { left: 0, right: 0 };
        for (j, &weight) in weights.iter().enumerate().take(points.n) {
            let at = At { from: j, j, same: !shared, len: 1 };
            let values = self.bound.column(&self.theta, (&one, &one), at, &mut self.registers, Known::default());
            self.back.weigh(1, |w| w[0] = weight);
            self.back.column(self.bound, &self.theta, values, Place { at, one: &one, two: &one, sides }, None);
        }
        if self.bound.program.needs_diagonals {
            self.around(points, &one, 0);
        }
        self.back.views(self.bound, &self.values, 0, (points, &one), to.parameters);
        self.back.finish(self.bound, to.parameters);
        hand_over(&self.back.sinks[0], &mut to.a);
        Ok(())
    }
}

fn hand_over(sink: &Sink, rows: &mut Option<&mut [Vec<f64>]>) {
    let (Some(rows), Some(own)) = (rows, sink.shown.first()) else { return };
    for (to, from) in rows.iter_mut().zip(own) {
        crate::linalg::vector::add(to, from);
    }
}

#[cfg(test)]
pub(super) mod tests;
