//! Values of the instructions of a bound kernel for a part of a column: the common part of the evaluators of matrices.

use super::bind::Bound;
use super::bind_error::Place;
use super::column_values::ColumnValues;
use super::family::{Pairs, Rows, Theta};
use super::input_view::ViewPair;
use super::points::{EvalError, Points};
use super::program::{LeafOp, Op};
use crate::linalg::vector;

/// The numbers that every instruction prepares for every row, at one setting of the parameters.
pub(super) struct Prepared {
    /// Of the first argument.
    pub left: Vec<Rows>,
    /// Of the second argument, where its views differ from those of the first.
    pub right: Vec<Option<Rows>>,
    /// The columns of views that depend on parameters; empty for the others.
    pub moving: Vec<Vec<Vec<f64>>>,
}

impl Prepared {
    /// The numbers of the second argument for instruction `i`.
    pub fn right(&self, i: usize) -> &Rows {
        self.right[i].as_ref().unwrap_or(&self.left[i])
    }
}

impl Bound {
    pub(super) fn gather(&self, values: &[f64]) -> Vec<Vec<f64>> {
        let gather = |slots: &[usize]| slots.iter().map(|&s| values[s]).collect();
        let instructions = self.program.instructions.iter();
        instructions
            .map(|i| match &i.op {
                Op::Leaf(leaf) => gather(&leaf.slots),
                Op::Elementwise { slots, .. } => gather(slots),
                Op::Sum | Op::Product => Vec::new(),
            })
            .collect()
    }

    /// The columns of views that depend on parameters, at these values.
    pub(super) fn moving(&self, values: &[f64], points: &Points) -> Result<Vec<Vec<Vec<f64>>>, EvalError> {
        let mut moving: Vec<Vec<Vec<f64>>> = Vec::with_capacity(self.program.views.len());
        for view in &self.program.views {
            let parent = moving.get(view.parent).filter(|m| !m.is_empty()).unwrap_or(&points.views[view.parent]);
            moving.push(match view.moving {
                true => view.map.apply(parent, values).map_err(EvalError::from)?,
                false => Vec::new(),
            });
        }
        Ok(moving)
    }

    pub(super) fn prepare(&self, values: &[f64], theta: &[Vec<f64>], points: &Points) -> Result<Prepared, EvalError> {
        let count = self.program.instructions.len();
        let moving = self.moving(values, points)?;
        let shown = |view: usize| if self.program.views[view].moving { &moving[view] } else { &points.views[view] };
        let mut prepared =
            Prepared { left: Vec::with_capacity(count), right: Vec::with_capacity(count), moving: Vec::new() };
        let mut diagonals: Vec<Vec<f64>> = Vec::new();
        for (i, (instruction, theta)) in self.program.instructions.iter().zip(theta).enumerate() {
            let (mut one, mut other) = match &instruction.op {
                Op::Leaf(leaf) => {
                    let rows_of = |view: usize| {
                        let x: Vec<&[f64]> = leaf.columns.iter().map(|&c| &shown(view)[c][..]).collect();
                        let theta = Theta { all: theta, ranges: &leaf.ranges };
                        leaf.family.prepare(theta, &x, &leaf.learnt).map_err(|message| leaf.refused(message))
                    };
                    let ViewPair { left, right } = leaf.views;
                    (rows_of(left)?, if right == left { None } else { Some(rows_of(right)?) })
                }
                Op::Elementwise { function, views: ViewPair { left, right }, columns, ranges, .. } => {
                    let rows_of = |view: usize| {
                        let x: Vec<&[f64]> = columns.iter().map(|&c| &shown(view)[c][..]).collect();
                        function.prepare(Theta { all: theta, ranges }, &x)
                    };
                    (rows_of(*left), if right == left { None } else { Some(rows_of(*right)) })
                }
                Op::Sum | Op::Product => (Rows::new(), None),
            };
            if let Some([left, right]) = instruction.diagonals {
                if left != right && other.is_none() {
                    other = Some(one.clone());
                }
                one.push(diagonals[left].clone());
                if let Some(other) = &mut other {
                    other.push(diagonals[right].clone());
                }
            }
            prepared.left.push(one);
            prepared.right.push(other);
            if self.program.needs_diagonals {
                diagonals.push(self.diagonal_of(i, theta, &prepared, &diagonals, points.n));
            }
        }
        prepared.moving = moving;
        Ok(prepared)
    }

    /// The values of one instruction for each row with itself, given those of the instructions before it.
    pub(super) fn diagonal_of(
        &self,
        i: usize,
        theta: &[f64],
        prepared: &Prepared,
        earlier: &[Vec<f64>],
        n: usize,
    ) -> Vec<f64> {
        let instruction = &self.program.instructions[i];
        let mut out = vec![0.0; n];
        let args: Vec<&[f64]> = instruction.args.iter().map(|&a| &earlier[a][..]).collect();
        match &instruction.op {
            Op::Leaf(leaf) if leaf.views.left == leaf.views.right => {
                leaf.family.diagonal(Theta { all: theta, ranges: &leaf.ranges }, &prepared.left[i], &mut out);
            }
            Op::Leaf(leaf) => {
                let theta = Theta { all: theta, ranges: &leaf.ranges };
                for (j, out) in out.iter_mut().enumerate() {
                    let pairs = Pairs { a: &prepared.left[i], b: prepared.right(i), from: j, j, same: true };
                    leaf.family.column(theta, pairs, std::slice::from_mut(out));
                }
            }
            Op::Sum => add_all(&args, &mut out),
            Op::Product => multiply_all(&args, &mut out),
            Op::Elementwise { function, ranges, .. } if prepared.right[i].is_none() => {
                function.diagonal(Theta { all: theta, ranges }, &prepared.left[i], &args, &mut out);
            }
            Op::Elementwise { function, ranges, .. } => {
                let theta = Theta { all: theta, ranges };
                for (j, out) in out.iter_mut().enumerate() {
                    let pairs = Pairs { a: &prepared.left[i], b: prepared.right(i), from: j, j, same: true };
                    let args: Vec<&[f64]> = args.iter().map(|arg| &arg[j..=j]).collect();
                    function.column(theta, pairs, &args, std::slice::from_mut(out));
                }
            }
        }
        out
    }

    /// k(x, x) of every row with itself.
    ///
    /// # Errors
    /// [`EvalError::Rows`]: rows at which a family cannot be evaluated.
    pub fn diagonal(&self, values: &[f64], points: &Points) -> Result<Vec<f64>, EvalError> {
        let theta = self.gather(values);
        let prepared = self.prepare(values, &theta, points)?;
        let mut registers: Vec<Vec<f64>> = Vec::new();
        for (i, theta) in theta.iter().enumerate() {
            registers.push(self.diagonal_of(i, theta, &prepared, &registers, points.n));
        }
        Ok(registers.pop().unwrap_or_default())
    }

    /// The values of one instruction in a part of a column, given those of the instructions before it.
    pub(super) fn instruction(
        &self,
        i: usize,
        theta: &[f64],
        (one, two): (&Prepared, &Prepared),
        at: At,
        values: ColumnValues<'_>,
        out: &mut [f64],
    ) {
        let instruction = &self.program.instructions[i];
        let arg = |a: usize| values.of(a);
        match &instruction.op {
            Op::Leaf(leaf) => {
                leaf.family.column(Theta { all: theta, ranges: &leaf.ranges }, at.pairs(one, two, i), out);
            }
            Op::Sum => match instruction.args[..] {
                [a, b, ref others @ ..] => {
                    vector::sum_of(out, arg(a), arg(b));
                    others.iter().for_each(|&a| vector::add(out, arg(a)));
                }
                _ => instruction.args.iter().for_each(|&a| out.copy_from_slice(arg(a))),
            },
            Op::Product => match instruction.args[..] {
                [a, b, ref others @ ..] => {
                    vector::product_of(out, arg(a), arg(b));
                    others.iter().for_each(|&a| vector::multiply(out, arg(a)));
                }
                _ => instruction.args.iter().for_each(|&a| out.copy_from_slice(arg(a))),
            },
            Op::Elementwise { function, ranges, .. } => {
                let args: Vec<&[f64]> = instruction.args.iter().map(|&a| arg(a)).collect();
                function.column(Theta { all: theta, ranges }, at.pairs(one, two, i), &args, out);
            }
        }
    }
}

/// The part of a column to evaluate.
#[derive(Clone, Copy)]
pub(super) struct At {
    pub from: usize,
    pub j: usize,
    pub same: bool,
    pub len: usize,
}

impl At {
    /// Whether the column contains only pairs of an observation with itself.
    pub fn own_alone(&self) -> bool {
        self.same && self.len == 1 && self.from == self.j
    }

    /// The pairs of instruction `i` in this part of the column.
    pub fn pairs<'a>(&self, one: &'a Prepared, two: &'a Prepared, i: usize) -> Pairs<'a> {
        Pairs { a: &one.left[i], b: two.right(i), from: self.from, j: self.j, same: self.same }
    }
}

impl LeafOp {
    /// Rows at which the family cannot be evaluated.
    pub fn refused(&self, message: String) -> EvalError {
        EvalError::Rows { origin: self.origin, place: Place::Input(0), message }
    }
}

fn add_all(args: &[&[f64]], out: &mut [f64]) {
    for arg in args {
        vector::add(out, arg);
    }
}

fn multiply_all(args: &[&[f64]], out: &mut [f64]) {
    out.fill(1.0);
    for arg in args {
        vector::multiply(out, arg);
    }
}
