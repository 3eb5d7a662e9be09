//! The backward pass over the plan of a kernel: derivatives of any function of its values, one column at a time.

use super::bind::Bound;
use super::column_values::ColumnValues;
use super::evaluate::{At, Prepared};
use super::family::{Scratch, Theta};
use super::input_view::ViewPair;
use super::lags::{Lags, Role};
use super::points::Points;
use super::program::Op;
use crate::linalg::vector;

/// Derivatives with respect to quantities of the rows of one argument.
#[derive(Default)]
pub(super) struct Sink {
    /// With respect to the values k(x, x) of each row, for the instructions that need them; empty for the others.
    around: Vec<Vec<f64>>,
    /// With respect to the columns of each view; empty if not requested.
    pub shown: Vec<Vec<Vec<f64>>>,
}

impl Sink {
    /// A sink for `n` rows. `wanted` returns the number of columns of each view whose derivatives are requested.
    fn new(bound: &Bound, n: usize, wanted: impl Fn(usize) -> Option<usize>) -> Self {
        let instructions = &bound.program.instructions;
        let mut around = vec![Vec::new(); instructions.len()];
        for a in instructions.iter().filter_map(|i| i.diagonals).flatten() {
            around[a] = vec![0.0; n];
        }
        let shown = (0..bound.program.views.len()).map(|view| vec![vec![0.0; n]; wanted(view).unwrap_or(0)]).collect();
        Self { around, shown }
    }

    /// A sink for the columns that depend on parameters or, with `inputs`, for all columns.
    pub fn of(bound: &Bound, points: &Points, prepared: &Prepared, inputs: bool) -> Self {
        Self::new(bound, points.n, |view| match bound.program.views[view].moving {
            true => Some(prepared.moving[view].len()),
            false => inputs.then(|| points.views[view].len()),
        })
    }
}

/// The sinks of the first and of the second argument.
#[derive(Clone, Copy)]
pub(super) struct Sides {
    pub left: usize,
    pub right: usize,
}

/// A column, and the prepared numbers of the rows of both arguments.
#[derive(Clone, Copy)]
pub(super) struct Place<'a> {
    pub at: At,
    pub one: &'a Prepared,
    pub two: &'a Prepared,
    pub sides: Sides,
}

/// The results of the backward pass, and its memory between columns.
#[derive(Default)]
pub(super) struct Back {
    /// Derivatives with respect to the values of each instruction in the current column,
    adjoints: Vec<Vec<f64>>,
    /// and whether they are not all 0.
    given: Vec<bool>,
    /// With respect to the parameters of each instruction.
    gradients: Vec<Vec<f64>>,
    pub sinks: Vec<Sink>,
    scratch: Scratch,
}

impl Back {
    /// Starts a pass over columns of up to `len` rows.
    pub fn start(&mut self, theta: &[Vec<f64>], len: usize, sinks: Vec<Sink>) {
        self.adjoints.resize(theta.len(), Vec::new());
        self.given.resize(theta.len(), false);
        for adjoint in &mut self.adjoints {
            adjoint.resize(len.max(adjoint.len()), 0.0);
        }
        self.gradients = theta.iter().map(|t| vec![0.0; t.len()]).collect();
        self.sinks = sinks;
    }

    /// Begins a column with the derivatives with respect to the values of the kernel.
    pub fn weigh(&mut self, len: usize, weights: impl FnOnce(&mut [f64])) {
        self.given.fill(false);
        if let (Some(last), Some(given)) = (self.adjoints.last_mut(), self.given.last_mut()) {
            weights(&mut last[..len]);
            *given = true;
        }
    }

    /// Begins a column on whose values nothing depends, other than those of pairs in which they are diagonals.
    pub fn clear(&mut self) {
        self.given.fill(false);
    }

    /// Propagates the adjoint of the last instruction back to all others, and to the parameters. What depends on the lag only
    /// is added to `lags`, and goes on from there at the end: see [`Back::lags`].
    pub fn column(
        &mut self,
        bound: &Bound,
        theta: &[Vec<f64>],
        values: ColumnValues<'_>,
        place: Place<'_>,
        mut lags: Option<&mut Lags>,
    ) {
        for i in (0..bound.program.instructions.len()).rev() {
            match lags.as_deref_mut() {
                Some(lags) if lags.role(i) == Role::Outer && self.given[i] => {
                    lags.add(i, place.at, &self.adjoints[i][..place.at.len]);
                }
                Some(lags) if lags.role(i) != Role::OfPairs => {}
                lags => self.instruction(i, bound, &theta[i], values, place, lags),
            }
        }
    }

    /// Propagates the derivatives of all pairs with one lag, after the last column.
    pub fn lags(&mut self, bound: &Bound, theta: &[Vec<f64>], lags: &Lags) {
        let at = lags.at();
        self.clear();
        let place = Place { at, one: lags.prepared(), two: lags.prepared(), sides: Sides { left: 0, right: 0 } };
        let values = ColumnValues::of_registers(&lags.values, at.len);
        for i in (0..bound.program.instructions.len()).rev() {
            if lags.role(i) == Role::Outer {
                give(&mut self.adjoints[i][..at.len], &mut self.given[i], &lags.adjoints[i]);
            }
            if lags.role(i) != Role::OfPairs {
                self.instruction(i, bound, &theta[i], values, place, None);
            }
        }
    }

    /// Propagates the adjoint of one instruction to those whose values it needs, and to its parameters.
    fn instruction(
        &mut self,
        i: usize,
        bound: &Bound,
        theta: &[f64],
        values: ColumnValues<'_>,
        place: Place<'_>,
        mut lags: Option<&mut Lags>,
    ) {
        let Place { at, one, two, sides } = place;
        let len = at.len;
        let instruction = &bound.program.instructions[i];
        let (earlier, later) = self.adjoints.split_at_mut(i);
        let (earlier_given, given) = self.given.split_at_mut(i);
        let w = &mut later[0][..len];
        let args = &instruction.args;
        if at.own_alone() && !self.sinks[sides.left].around[i].is_empty() {
            let around = std::mem::take(&mut self.sinks[sides.left].around[i][at.j]);
            give(w, &mut given[0], &[around]);
        }
        if !given[0] {
            return;
        }
        let mut to = |a: usize, w: &[f64]| match lags.as_deref_mut() {
            Some(lags) if lags.role(a) == Role::Outer => lags.add(a, at, w),
            _ => give(&mut earlier[a][..len], &mut earlier_given[a], w),
        };
        match &instruction.op {
            Op::Leaf(leaf) => {
                let (theta, k) = (Theta { all: theta, ranges: &leaf.ranges }, values.of(i));
                let pairs = at.pairs(one, two, i);
                pull_shown(&mut self.sinks, sides, leaf.views, &leaf.columns, at, |left, right| {
                    leaf.family.pull_inputs(theta, pairs, k, w, left, right);
                });
                leaf.family.pull(theta, pairs, k, w, &mut self.scratch, &mut self.gradients[i]);
            }
            Op::Sum => args.iter().for_each(|&a| to(a, w)),
            Op::Product => {
                // each factor receives w times the product of the others; no division, as a factor may be 0
                for (position, &a) in args.iter().enumerate() {
                    let (rest, _) = self.scratch.two(len);
                    rest.copy_from_slice(w);
                    for (other, &b) in args.iter().enumerate() {
                        if other != position {
                            vector::multiply(rest, values.of(b));
                        }
                    }
                    to(a, rest);
                }
            }
            Op::Elementwise { function, ranges, views, columns, .. } => {
                let values: Vec<&[f64]> = args.iter().map(|&a| values.of(a)).collect();
                let mut handed = vec![vec![0.0; len]; args.len()];
                let theta = Theta { all: theta, ranges };
                let pairs = at.pairs(one, two, i);
                if let Some([a, b]) = instruction.diagonals {
                    let (mut left, mut right) = (vec![0.0; len], 0.0);
                    function.pull_diagonals(theta, pairs, &values, w, &mut left, &mut right);
                    vector::add(&mut self.sinks[sides.left].around[a][at.from..at.from + len], &left);
                    self.sinks[sides.right].around[b][at.j] += right;
                }
                pull_shown(&mut self.sinks, sides, *views, columns, at, |left, right| {
                    function.pull_inputs(theta, pairs, &values, w, left, right);
                });
                function.pull(theta, pairs, &values, w, &mut handed, &mut self.gradients[i]);
                for (&a, handed) in args.iter().zip(&handed) {
                    to(a, handed);
                }
            }
        }
    }

    /// Propagates the derivatives in the columns of the views to their parents, and to the parameters on which they
    /// depend.
    pub fn views(&mut self, bound: &Bound, values: &[f64], sink: usize, rows: (&Points, &Prepared), to: &mut [f64]) {
        let (points, prepared) = rows;
        let views = &bound.program.views;
        let shown = &mut self.sinks[sink].shown;
        for (i, view) in views.iter().enumerate().skip(1).rev() {
            if shown[i].is_empty() {
                continue;
            }
            let (earlier, later) = shown.split_at_mut(i);
            let parent = match views[view.parent].moving {
                true => &prepared.moving[view.parent],
                false => &points.views[view.parent],
            };
            if earlier[view.parent].is_empty() {
                let mut unused = vec![vec![0.0; points.n]; parent.len()];
                view.map.pull(parent, values, &later[0], &mut unused, to);
            } else {
                view.map.pull(parent, values, &later[0], &mut earlier[view.parent], to);
            }
        }
    }

    /// Adds the derivatives to the gradient, one number per slot.
    pub fn finish(&self, bound: &Bound, gradient: &mut [f64]) {
        for (instruction, part) in bound.program.instructions.iter().zip(&self.gradients) {
            let slots: &[usize] = match &instruction.op {
                Op::Leaf(leaf) => &leaf.slots,
                Op::Elementwise { slots, .. } => slots,
                Op::Sum | Op::Product => &[],
            };
            for (&slot, g) in slots.iter().zip(part) {
                gradient[slot] += g;
            }
        }
    }
}

/// Adds derivatives to those that an instruction was given before.
fn give(to: &mut [f64], given: &mut bool, w: &[f64]) {
    match std::mem::replace(given, true) {
        true => vector::add(to, w),
        false => to.copy_from_slice(w),
    }
}

/// Adds derivatives in the columns on which an instruction depends, on the sides where they are requested.
fn pull_shown(
    sinks: &mut [Sink],
    sides: Sides,
    views: ViewPair,
    columns: &[usize],
    at: At,
    pull: impl FnOnce(&mut [Vec<f64>], &mut [f64]),
) {
    let to_left = !sinks[sides.left].shown[views.left].is_empty();
    let to_right = !sinks[sides.right].shown[views.right].is_empty();
    if !to_left && !to_right {
        return;
    }
    let mut left = if to_left { vec![vec![0.0; at.len]; columns.len()] } else { Vec::new() };
    let mut right = if to_right { vec![0.0; columns.len()] } else { Vec::new() };
    pull(&mut left, &mut right);
    for (left, &column) in left.iter().zip(columns) {
        vector::add(&mut sinks[sides.left].shown[views.left][column][at.from..at.from + at.len], left);
    }
    for (right, &column) in right.iter().zip(columns) {
        sinks[sides.right].shown[views.right][column][at.j] += right;
    }
}
