//! Matrices of a bound kernel, and the gradient of anything that depends on one.

use super::bind::Bound;
use super::bind_error::{Origin, Place};
use super::family::{Pairs, Rows, Scratch, Theta};
use super::input_view::ViewPair;
use super::input_view::{FunctionError, RowFailure};
use super::program::{LeafOp, Op};
use crate::linalg::{Matrix, vector};

/// Rows at which a kernel is evaluated, as every view of it shows them.
#[derive(Debug, Clone)]
pub struct Points {
    n: usize,
    /// Empty for views that depend on parameters.
    views: Vec<Vec<Vec<f64>>>,
}

impl Points {
    /// How many rows.
    pub fn n(&self) -> usize {
        self.n
    }
}

/// Why a kernel cannot be evaluated at some rows.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum EvalError {
    #[error("the kernel was set beside {expected} input columns, and these rows have {found}")]
    Columns { expected: usize, found: usize },
    #[error("{message} (row {row})")]
    Function { row: usize, message: String },
    #[error("stopped")]
    Stopped,
    #[error("the rows hold {message}")]
    Rows { origin: Option<Origin>, place: Place, message: String },
}

/// Numbers of every instruction for every row, at one setting of the parameters.
struct Prepared {
    /// Of the first argument.
    left: Vec<Rows>,
    /// Of the second, where it is views otherwise.
    right: Vec<Option<Rows>>,
    /// The columns of views that depend on parameters; empty for the others.
    moving: Vec<Vec<Vec<f64>>>,
}

impl Prepared {
    fn right(&self, i: usize) -> &Rows {
        self.right[i].as_ref().unwrap_or(&self.left[i])
    }
}

/// A Gram matrix under evaluation: keeps the values of the leaves, and its memory between calls.
///
/// It holds one half-matrix for each leaf of the kernel, n(n + 1)/2 numbers; copies of a leaf, of which a symmetry can
/// make many, are evaluated again for the gradient.
pub struct Gram<'k> {
    bound: &'k Bound,
    points: &'k Points,
    /// Parameters of every instruction, with_multiplicity.
    theta: Vec<Vec<f64>>,
    prepared: Option<Prepared>,
    /// Values of each leaf, column after column of the lower triangle.
    stored: Vec<Vec<f64>>,
    registers: Vec<Vec<f64>>,
    adjoints: Vec<Vec<f64>>,
    /// Derivatives in the values around pairs, row by row, for the instructions that are looked at so.
    diagonal_adjoints: Vec<Vec<f64>>,
    /// Derivatives in the columns of views that depend on parameters.
    shown: Vec<Vec<Vec<f64>>>,
    values: Vec<f64>,
    scratch: Scratch,
}

impl Bound {
    /// Rows of this kernel's inputs, one slice for each input column of the data.
    ///
    /// # Errors
    /// [`EvalError`]: another number of columns, or a function of the user that fails at a row.
    pub fn points(&self, x: &[&[f64]]) -> Result<Points, EvalError> {
        if x.len() != self.program.columns {
            return Err(EvalError::Columns { expected: self.program.columns, found: x.len() });
        }
        let mut views: Vec<Vec<Vec<f64>>> = Vec::with_capacity(self.program.views.len());
        for view in &self.program.views {
            let shown = match views.get(view.parent) {
                None => x.iter().map(|c| c.to_vec()).collect(),
                Some(_) if view.moving => Vec::new(),
                Some(parent) => view.map.apply(parent, &[]).map_err(function_failed)?,
            };
            views.push(shown);
        }
        Ok(Points { n: x.first().map_or(0, |c| c.len()), views })
    }

    fn gather(&self, values: &[f64]) -> Vec<Vec<f64>> {
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
    fn moving(&self, values: &[f64], points: &Points) -> Result<Vec<Vec<Vec<f64>>>, EvalError> {
        let mut moving: Vec<Vec<Vec<f64>>> = Vec::with_capacity(self.program.views.len());
        for view in &self.program.views {
            let parent = moving.get(view.parent).filter(|m| !m.is_empty()).unwrap_or(&points.views[view.parent]);
            moving.push(match view.moving {
                true => view.map.apply(parent, values).map_err(function_failed)?,
                false => Vec::new(),
            });
        }
        Ok(moving)
    }

    fn prepare(&self, values: &[f64], theta: &[Vec<f64>], points: &Points) -> Result<Prepared, EvalError> {
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
                        leaf.family.prepare(theta, &x, &leaf.learnt).map_err(|message| EvalError::Rows {
                            origin: leaf.origin,
                            place: Place::Input(0),
                            message,
                        })
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
    fn diagonal_of(&self, i: usize, theta: &[f64], prepared: &Prepared, earlier: &[Vec<f64>], n: usize) -> Vec<f64> {
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

    /// k(a, b) for all rows of `a` (down) and `b` (across). No row of the one is an observation of the other.
    ///
    /// # Errors
    /// [`EvalError::Rows`]: rows that a family cannot look at.
    pub fn cross(&self, values: &[f64], a: &Points, b: &Points) -> Result<Matrix, EvalError> {
        let theta = self.gather(values);
        let (one, two) = (self.prepare(values, &theta, a)?, self.prepare(values, &theta, b)?);
        let mut out = Matrix::zeros(a.n, b.n);
        let mut registers = vec![vec![0.0; a.n]; self.program.instructions.len()];
        for j in 0..b.n {
            let at = At { from: 0, j, same: false, len: a.n };
            self.column(&theta, &one, &two, at, &mut registers, None);
            out.column_mut(j).copy_from_slice(&registers[registers.len() - 1][..a.n]);
        }
        Ok(out)
    }

    /// k(x, x) of every row with itself.
    ///
    /// # Errors
    /// [`EvalError::Rows`]: rows that a family cannot look at.
    pub fn diagonal(&self, values: &[f64], points: &Points) -> Result<Vec<f64>, EvalError> {
        let theta = self.gather(values);
        let prepared = self.prepare(values, &theta, points)?;
        let mut registers: Vec<Vec<f64>> = Vec::new();
        for (i, theta) in theta.iter().enumerate() {
            registers.push(self.diagonal_of(i, theta, &prepared, &registers, points.n));
        }
        Ok(registers.pop().unwrap_or_default())
    }

    /// Fills the registers with one column. Leaves are read from `stored` if there is such.
    fn column(
        &self,
        theta: &[Vec<f64>],
        one: &Prepared,
        two: &Prepared,
        at: At,
        registers: &mut [Vec<f64>],
        mut stored: Option<(&mut [Vec<f64>], Range, Stored)>,
    ) {
        for (i, (instruction, theta)) in self.program.instructions.iter().zip(theta).enumerate() {
            let (earlier, later) = registers.split_at_mut(i);
            let out = &mut later[0][..at.len];
            match &instruction.op {
                Op::Leaf(leaf) => match &mut stored {
                    Some(_) if !leaf.keep => leaf_column(leaf, theta, one, two, i, at, out),
                    Some((stored, range, Stored::Read)) => out.copy_from_slice(&stored[i][range.clone()]),
                    Some((stored, range, Stored::Write)) => {
                        leaf_column(leaf, theta, one, two, i, at, out);
                        stored[i][range.clone()].copy_from_slice(out);
                    }
                    None => leaf_column(leaf, theta, one, two, i, at, out),
                },
                Op::Sum => {
                    out.copy_from_slice(&earlier[instruction.args[0]][..at.len]);
                    for &a in &instruction.args[1..] {
                        vector::add(out, &earlier[a][..at.len]);
                    }
                }
                Op::Product => {
                    out.copy_from_slice(&earlier[instruction.args[0]][..at.len]);
                    for &a in &instruction.args[1..] {
                        vector::multiply(out, &earlier[a][..at.len]);
                    }
                }
                Op::Elementwise { function, ranges, .. } => {
                    let args: Vec<&[f64]> = instruction.args.iter().map(|&a| &earlier[a][..at.len]).collect();
                    function.column(Theta { all: theta, ranges }, at.pairs(one, two, i), &args, out);
                }
            }
        }
    }
}

fn function_failed(failure: RowFailure) -> EvalError {
    match failure.error {
        FunctionError::Stopped => EvalError::Stopped,
        FunctionError::Failed(message) => EvalError::Function { row: failure.row, message },
    }
}

type Range = std::ops::Range<usize>;

#[derive(Clone, Copy, PartialEq)]
enum Stored {
    Read,
    Write,
}

/// Which part of which column.
#[derive(Clone, Copy)]
struct At {
    from: usize,
    j: usize,
    same: bool,
    len: usize,
}

impl At {
    fn pairs<'a>(&self, one: &'a Prepared, two: &'a Prepared, i: usize) -> Pairs<'a> {
        Pairs { a: &one.left[i], b: two.right(i), from: self.from, j: self.j, same: self.same }
    }
}

fn leaf_column(leaf: &LeafOp, theta: &[f64], one: &Prepared, two: &Prepared, i: usize, at: At, out: &mut [f64]) {
    leaf.family.column(Theta { all: theta, ranges: &leaf.ranges }, at.pairs(one, two, i), out);
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

impl<'k> Gram<'k> {
    pub fn new(bound: &'k Bound, points: &'k Points) -> Self {
        let count = bound.program.instructions.len();
        let half = points.n * (points.n + 1) / 2;
        let stored = bound
            .program
            .instructions
            .iter()
            .map(|i| if matches!(&i.op, Op::Leaf(leaf) if leaf.keep) { vec![0.0; half] } else { Vec::new() })
            .collect();
        Self {
            bound,
            points,
            theta: Vec::new(),
            prepared: None,
            stored,
            registers: vec![vec![0.0; points.n]; count],
            adjoints: vec![vec![0.0; points.n]; count],
            diagonal_adjoints: vec![Vec::new(); count],
            shown: Vec::new(),
            values: Vec::new(),
            scratch: Scratch::default(),
        }
    }

    /// Writes the lower triangle of the Gram matrix at these parameters into `out` (n × n).
    ///
    /// # Errors
    /// [`EvalError::Rows`]: rows that a family cannot look at.
    pub fn evaluate(&mut self, values: &[f64], out: &mut Matrix) -> Result<(), EvalError> {
        self.theta = self.bound.gather(values);
        self.values = values.to_vec();
        let prepared = self.bound.prepare(values, &self.theta, self.points)?;
        let n = self.points.n;
        let mut start = 0;
        for j in 0..n {
            let at = At { from: j, j, same: true, len: n - j };
            let stored = Some((&mut self.stored[..], start..start + at.len, Stored::Write));
            self.bound.column(&self.theta, &prepared, &prepared, at, &mut self.registers, stored);
            start += at.len;
            out.column_mut(j).rows_range_mut(j..).copy_from_slice(&self.registers[self.registers.len() - 1][..at.len]);
        }
        self.prepared = Some(prepared);
        Ok(())
    }

    /// Adds Σᵢⱼ W(i, j) ∂K(i, j)/∂θ to `gradient` (natural units, slot by slot) for the last evaluation, in one walk
    /// back over the kernel.
    ///
    /// `weights(j, w)` fills `w` with the entries of W from (j, j) down to (n, j), those below the diagonal twice, as
    /// they stand for both halves.
    pub fn pull(&mut self, mut weights: impl FnMut(usize, &mut [f64]), gradient: &mut [f64]) {
        let Some(prepared) = self.prepared.take() else { return };
        let instructions = &self.bound.program.instructions;
        let mut gradients: Vec<Vec<f64>> = self.theta.iter().map(|t| vec![0.0; t.len()]).collect();
        let (n, last) = (self.points.n, instructions.len() - 1);
        for a in instructions.iter().filter_map(|i| i.diagonals).flatten() {
            self.diagonal_adjoints[a] = vec![0.0; n];
        }
        self.shown = prepared.moving.iter().map(|view| vec![vec![0.0; n]; view.len()]).collect();
        let mut start = 0;
        for j in 0..n {
            let at = At { from: j, j, same: true, len: n - j };
            let range = start..start + at.len;
            start += at.len;
            self.fill(&prepared, at, range);
            weights(j, &mut self.adjoints[last][..at.len]);
            self.pull_column(&prepared, at, &mut gradients);
        }
        if self.bound.program.needs_diagonals {
            // pairs of a row with itself, for what was read around other pairs
            let mut start = 0;
            for j in 0..n {
                let at = At { from: j, j, same: true, len: 1 };
                self.fill(&prepared, at, start..start + 1);
                start += n - j;
                self.pull_column(&prepared, at, &mut gradients);
            }
        }
        self.pull_views(&prepared, gradient);
        self.prepared = Some(prepared);
        for (instruction, part) in instructions.iter().zip(&gradients) {
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

    /// The values of one column again, and no derivatives yet.
    fn fill(&mut self, prepared: &Prepared, at: At, range: Range) {
        let stored = Some((&mut self.stored[..], range, Stored::Read));
        self.bound.column(&self.theta, prepared, prepared, at, &mut self.registers, stored);
        for adjoint in &mut self.adjoints {
            adjoint[..at.len].fill(0.0);
        }
    }

    /// Hands derivatives in columns that depend on parameters on to these.
    fn pull_views(&mut self, prepared: &Prepared, gradient: &mut [f64]) {
        let views = &self.bound.program.views;
        for (i, view) in views.iter().enumerate().rev().filter(|(_, view)| view.moving) {
            let (earlier, later) = self.shown.split_at_mut(i);
            let parent = match views[view.parent].moving {
                true => &prepared.moving[view.parent],
                false => &self.points.views[view.parent],
            };
            let mut unused = vec![vec![0.0; self.points.n]; parent.len()];
            let to_parent = if views[view.parent].moving { &mut earlier[view.parent] } else { &mut unused };
            view.map.pull(parent, &self.values, &later[0], to_parent, gradient);
        }
    }

    /// Adds derivatives in the columns that an instruction looks at, where they depend on parameters.
    fn pull_shown(
        shown: &mut [Vec<Vec<f64>>],
        views: ViewPair,
        columns: &[usize],
        at: At,
        pull: impl FnOnce(&mut [Vec<f64>], &mut [f64]),
    ) {
        if shown[views.left].is_empty() && shown[views.right].is_empty() {
            return;
        }
        let (mut left, mut right) = (vec![vec![0.0; at.len]; columns.len()], vec![0.0; columns.len()]);
        pull(&mut left, &mut right);
        for ((left, right), &column) in left.iter().zip(right).zip(columns) {
            if let Some(to) = shown[views.left].get_mut(column) {
                vector::add(&mut to[at.from..at.from + at.len], left);
            }
            if let Some(to) = shown[views.right].get_mut(column) {
                to[at.j] += right;
            }
        }
    }

    fn pull_column(&mut self, prepared: &Prepared, at: At, gradients: &mut [Vec<f64>]) {
        let len = at.len;
        for (i, instruction) in self.bound.program.instructions.iter().enumerate().rev() {
            let (earlier, later) = self.adjoints.split_at_mut(i);
            let w = &mut later[0][..len];
            let args = &instruction.args;
            if len == 1 && !self.diagonal_adjoints[i].is_empty() && at.from == at.j {
                w[0] += std::mem::take(&mut self.diagonal_adjoints[i][at.j]);
            }
            match &instruction.op {
                Op::Leaf(leaf) => {
                    let (theta, k) = (Theta { all: &self.theta[i], ranges: &leaf.ranges }, &self.registers[i][..len]);
                    let pairs = at.pairs(prepared, prepared, i);
                    Self::pull_shown(&mut self.shown, leaf.views, &leaf.columns, at, |left, right| {
                        leaf.family.pull_inputs(theta, pairs, k, w, left, right);
                    });
                    leaf.family.pull(theta, pairs, k, w, &mut self.scratch, &mut gradients[i]);
                }
                Op::Sum => {
                    for &a in args {
                        vector::add(&mut earlier[a][..len], w);
                    }
                }
                Op::Product => {
                    // each factor gets w times the product of the others: no division, as a factor may be 0
                    for (position, &a) in args.iter().enumerate() {
                        let (rest, _) = self.scratch.two(len);
                        rest.copy_from_slice(w);
                        for (other, &b) in args.iter().enumerate() {
                            if other != position {
                                vector::multiply(rest, &self.registers[b][..len]);
                            }
                        }
                        vector::add(&mut earlier[a][..len], rest);
                    }
                }
                Op::Elementwise { function, ranges, views, columns, .. } => {
                    let values: Vec<&[f64]> = args.iter().map(|&a| &self.registers[a][..len]).collect();
                    let mut handed = vec![vec![0.0; len]; args.len()];
                    let theta = Theta { all: &self.theta[i], ranges };
                    let pairs = at.pairs(prepared, prepared, i);
                    if let Some([a, b]) = instruction.diagonals {
                        let (mut left, mut right) = (vec![0.0; len], 0.0);
                        function.pull_diagonals(theta, pairs, &values, w, &mut left, &mut right);
                        vector::add(&mut self.diagonal_adjoints[a][at.from..at.from + len], &left);
                        self.diagonal_adjoints[b][at.j] += right;
                    }
                    Self::pull_shown(&mut self.shown, *views, columns, at, |left, right| {
                        function.pull_inputs(theta, pairs, &values, w, left, right);
                    });
                    function.pull(theta, pairs, &values, w, &mut handed, &mut gradients[i]);
                    for (&a, handed) in args.iter().zip(&handed) {
                        vector::add(&mut earlier[a][..len], handed);
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;
