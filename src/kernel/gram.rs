//! Matrices of a bound kernel, and the gradient of anything that depends on one.

use super::bind::Bound;
use super::family::{Pairs, Rows, Scratch, Theta};
use super::plan::Seen;
use super::program::{LeafOp, Op};
use super::view::RowFailure;
use super::{Origin, Place};
use crate::linalg::{Matrix, vector};

/// Rows at which a kernel is evaluated, as every view of it shows them.
#[derive(Debug, Clone)]
pub struct Sites {
    n: usize,
    /// Empty for views that depend on parameters.
    views: Vec<Vec<Vec<f64>>>,
}

impl Sites {
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
    #[error("the rows hold {message}")]
    Rows { origin: Option<Origin>, place: Place, message: String },
}

/// Numbers of every instruction for every row, at one setting of the parameters.
struct Prepared {
    /// Of the first argument.
    left: Vec<Rows>,
    /// Of the second, where it is seen otherwise.
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
    sites: &'k Sites,
    /// Parameters of every instruction, gathered.
    theta: Vec<Vec<f64>>,
    prepared: Option<Prepared>,
    /// Values of each leaf, column after column of the lower triangle.
    stored: Vec<Vec<f64>>,
    registers: Vec<Vec<f64>>,
    adjoints: Vec<Vec<f64>>,
    /// Derivatives in the values around pairs, row by row, for the instructions that are looked at so.
    around: Vec<Vec<f64>>,
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
    pub fn sites(&self, x: &[&[f64]]) -> Result<Sites, EvalError> {
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
        Ok(Sites { n: x.first().map_or(0, |c| c.len()), views })
    }

    fn gather(&self, values: &[f64]) -> Vec<Vec<f64>> {
        let gather = |slots: &[usize]| slots.iter().map(|&s| values[s]).collect();
        let instructions = self.program.instructions.iter();
        instructions
            .map(|i| match &i.op {
                Op::Leaf(leaf) => gather(&leaf.slots),
                Op::Combine { slots, .. } => gather(slots),
                Op::Sum | Op::Product => Vec::new(),
            })
            .collect()
    }

    /// The columns of views that depend on parameters, at these values.
    fn moving(&self, values: &[f64], sites: &Sites) -> Result<Vec<Vec<Vec<f64>>>, EvalError> {
        let mut moving: Vec<Vec<Vec<f64>>> = Vec::with_capacity(self.program.views.len());
        for view in &self.program.views {
            let parent = moving.get(view.parent).filter(|m| !m.is_empty()).unwrap_or(&sites.views[view.parent]);
            moving.push(match view.moving {
                true => view.map.apply(parent, values).map_err(function_failed)?,
                false => Vec::new(),
            });
        }
        Ok(moving)
    }

    fn prepare(&self, values: &[f64], theta: &[Vec<f64>], sites: &Sites) -> Result<Prepared, EvalError> {
        let count = self.program.instructions.len();
        let moving = self.moving(values, sites)?;
        let shown = |view: usize| if self.program.views[view].moving { &moving[view] } else { &sites.views[view] };
        let mut prepared =
            Prepared { left: Vec::with_capacity(count), right: Vec::with_capacity(count), moving: Vec::new() };
        let mut diagonals: Vec<Vec<f64>> = Vec::new();
        for (i, (instruction, theta)) in self.program.instructions.iter().zip(theta).enumerate() {
            let (mut one, mut other) = match &instruction.op {
                Op::Leaf(leaf) => {
                    let seen = |view: usize| {
                        let x: Vec<&[f64]> = leaf.columns.iter().map(|&c| &shown(view)[c][..]).collect();
                        let theta = Theta { all: theta, ranges: &leaf.ranges };
                        leaf.family.prepare(theta, &x, &leaf.learnt).map_err(|message| EvalError::Rows {
                            origin: leaf.origin,
                            place: Place::Input(0),
                            message,
                        })
                    };
                    let Seen { left, right } = leaf.seen;
                    (seen(left)?, if right == left { None } else { Some(seen(right)?) })
                }
                Op::Combine { combine, seen: Seen { left, right }, columns, ranges, .. } => {
                    let seen = |view: usize| {
                        let x: Vec<&[f64]> = columns.iter().map(|&c| &shown(view)[c][..]).collect();
                        combine.prepare(Theta { all: theta, ranges }, &x)
                    };
                    (seen(*left), if right == left { None } else { Some(seen(*right)) })
                }
                Op::Sum | Op::Product => (Rows::new(), None),
            };
            if let Some([left, right]) = instruction.around {
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
            if self.program.around {
                diagonals.push(self.diagonal_of(i, theta, &prepared, &diagonals, sites.n));
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
            Op::Leaf(leaf) if leaf.seen.left == leaf.seen.right => {
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
            Op::Combine { combine, ranges, .. } if prepared.right[i].is_none() => {
                combine.diagonal(Theta { all: theta, ranges }, &prepared.left[i], &args, &mut out);
            }
            Op::Combine { combine, ranges, .. } => {
                let theta = Theta { all: theta, ranges };
                for (j, out) in out.iter_mut().enumerate() {
                    let pairs = Pairs { a: &prepared.left[i], b: prepared.right(i), from: j, j, same: true };
                    let args: Vec<&[f64]> = args.iter().map(|arg| &arg[j..=j]).collect();
                    combine.column(theta, pairs, &args, std::slice::from_mut(out));
                }
            }
        }
        out
    }

    /// k(a, b) for all rows of `a` (down) and `b` (across). No row of the one is an observation of the other.
    ///
    /// # Errors
    /// [`EvalError::Rows`]: rows that a family cannot look at.
    pub fn cross(&self, values: &[f64], a: &Sites, b: &Sites) -> Result<Matrix, EvalError> {
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
    pub fn diagonal(&self, values: &[f64], sites: &Sites) -> Result<Vec<f64>, EvalError> {
        let theta = self.gather(values);
        let prepared = self.prepare(values, &theta, sites)?;
        let mut registers: Vec<Vec<f64>> = Vec::new();
        for (i, theta) in theta.iter().enumerate() {
            registers.push(self.diagonal_of(i, theta, &prepared, &registers, sites.n));
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
                Op::Combine { combine, ranges, .. } => {
                    let args: Vec<&[f64]> = instruction.args.iter().map(|&a| &earlier[a][..at.len]).collect();
                    combine.column(Theta { all: theta, ranges }, at.pairs(one, two, i), &args, out);
                }
            }
        }
    }
}

fn function_failed(failure: RowFailure) -> EvalError {
    EvalError::Function { row: failure.row, message: failure.message }
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
    pub fn new(bound: &'k Bound, sites: &'k Sites) -> Self {
        let count = bound.program.instructions.len();
        let half = sites.n * (sites.n + 1) / 2;
        let stored = bound
            .program
            .instructions
            .iter()
            .map(|i| if matches!(&i.op, Op::Leaf(leaf) if leaf.keep) { vec![0.0; half] } else { Vec::new() })
            .collect();
        Self {
            bound,
            sites,
            theta: Vec::new(),
            prepared: None,
            stored,
            registers: vec![vec![0.0; sites.n]; count],
            adjoints: vec![vec![0.0; sites.n]; count],
            around: vec![Vec::new(); count],
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
        let prepared = self.bound.prepare(values, &self.theta, self.sites)?;
        let n = self.sites.n;
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
        let (n, last) = (self.sites.n, instructions.len() - 1);
        for a in instructions.iter().filter_map(|i| i.around).flatten() {
            self.around[a] = vec![0.0; n];
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
        if self.bound.program.around {
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
                Op::Combine { slots, .. } => slots,
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
                false => &self.sites.views[view.parent],
            };
            let mut unused = vec![vec![0.0; self.sites.n]; parent.len()];
            let to_parent = if views[view.parent].moving { &mut earlier[view.parent] } else { &mut unused };
            view.map.pull(parent, &self.values, &later[0], to_parent, gradient);
        }
    }

    /// Adds derivatives in the columns that an instruction looks at, where they depend on parameters.
    fn pull_shown(
        shown: &mut [Vec<Vec<f64>>],
        seen: Seen,
        columns: &[usize],
        at: At,
        pull: impl FnOnce(&mut [Vec<f64>], &mut [f64]),
    ) {
        if shown[seen.left].is_empty() && shown[seen.right].is_empty() {
            return;
        }
        let (mut left, mut right) = (vec![vec![0.0; at.len]; columns.len()], vec![0.0; columns.len()]);
        pull(&mut left, &mut right);
        for ((left, right), &column) in left.iter().zip(right).zip(columns) {
            if let Some(to) = shown[seen.left].get_mut(column) {
                vector::add(&mut to[at.from..at.from + at.len], left);
            }
            if let Some(to) = shown[seen.right].get_mut(column) {
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
            if len == 1 && !self.around[i].is_empty() && at.from == at.j {
                w[0] += std::mem::take(&mut self.around[i][at.j]);
            }
            match &instruction.op {
                Op::Leaf(leaf) => {
                    let (theta, k) = (Theta { all: &self.theta[i], ranges: &leaf.ranges }, &self.registers[i][..len]);
                    let pairs = at.pairs(prepared, prepared, i);
                    Self::pull_shown(&mut self.shown, leaf.seen, &leaf.columns, at, |left, right| {
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
                Op::Combine { combine, ranges, seen, columns, .. } => {
                    let values: Vec<&[f64]> = args.iter().map(|&a| &self.registers[a][..len]).collect();
                    let mut handed = vec![vec![0.0; len]; args.len()];
                    let theta = Theta { all: &self.theta[i], ranges };
                    let pairs = at.pairs(prepared, prepared, i);
                    if let Some([a, b]) = instruction.around {
                        let (mut left, mut right) = (vec![0.0; len], 0.0);
                        combine.pull_around(theta, pairs, &values, w, &mut left, &mut right);
                        vector::add(&mut self.around[a][at.from..at.from + len], &left);
                        self.around[b][at.j] += right;
                    }
                    Self::pull_shown(&mut self.shown, *seen, columns, at, |left, right| {
                        combine.pull_inputs(theta, pairs, &values, w, left, right);
                    });
                    combine.pull(theta, pairs, &values, w, &mut handed, &mut gradients[i]);
                    for (&a, handed) in args.iter().zip(&handed) {
                        vector::add(&mut earlier[a][..len], handed);
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::families::{FAMILIES, family};
    use crate::kernel::{InputRef, Inputs, Kernel, Leaf, Move, MoveKind, Node, Schema, Values, wraps};
    use crate::param::Param;

    fn on(name: &str, inputs: &[usize]) -> Kernel {
        let inputs = Inputs::These(inputs.iter().map(|&i| InputRef::Index(i)).collect());
        Kernel::leaf(family(name).unwrap(), inputs)
    }

    fn data() -> (Vec<String>, Vec<Vec<f64>>) {
        let x0: Vec<f64> = (0..14).map(|i| (i as f64 * 0.37).sin() * 2.0 + 0.1 * i as f64).collect();
        let x1: Vec<f64> = (0..14).map(|i| (i as f64 * 0.91).cos() * 1.5).collect();
        let x2: Vec<f64> = (0..14).map(|i| f64::from(i % 3)).collect();
        (vec!["a".into(), "b".into(), "c".into()], vec![x0, x1, x2])
    }

    /// Positive values that are not special, slot by slot.
    fn somewhere(bound: &Bound) -> Vec<f64> {
        let value = |(i, slot): (usize, &crate::kernel::Slot)| match slot.state {
            crate::kernel::SlotState::Fixed => slot.value,
            _ => 0.6 + 0.37 * ((i * 7 + 3) % 5) as f64,
        };
        bound.slots().iter().enumerate().map(value).collect()
    }

    fn check(kernel: &Kernel) {
        let (names, columns) = data();
        let x: Vec<&[f64]> = columns.iter().map(|c| &c[..]).collect();
        let bound = kernel.bind(&Schema::unnamed(&names, &x)).unwrap();
        let sites = bound.sites(&x).unwrap();
        let theta = somewhere(&bound);
        let n = sites.n();
        let gram = |theta: &[f64]| {
            let mut k = Matrix::zeros(n, n);
            Gram::new(&bound, &sites).evaluate(theta, &mut k).unwrap();
            k
        };
        let k = gram(&theta);
        let diagonal = bound.diagonal(&theta, &sites).unwrap();
        for i in 0..n {
            assert!((k[(i, i)] - diagonal[i]).abs() < 1e-13 * diagonal[i].abs().max(1.0), "diagonal {kernel:?}");
        }
        let cross = bound.cross(&theta, &sites, &sites).unwrap();
        for j in 0..n {
            for i in j + 1..n {
                assert!((k[(i, j)] - cross[(i, j)]).abs() < 1e-12, "cross {kernel:?}");
                assert!((k[(i, j)] - cross[(j, i)]).abs() < 1e-12, "symmetry {kernel:?}");
            }
        }
        let w = Matrix::from_fn(n, n, |i, j| ((i * 5 + j * 3) as f64).sin() + ((j * 5 + i * 3) as f64).sin());
        let total = |k: &Matrix| -> f64 {
            (0..n).map(|j| (j..n).map(|i| k[(i, j)] * w[(i, j)] * if i == j { 1.0 } else { 2.0 }).sum::<f64>()).sum()
        };
        let mut gradient = vec![0.0; theta.len()];
        let mut engine = Gram::new(&bound, &sites);
        let mut into = Matrix::zeros(n, n);
        engine.evaluate(&theta, &mut into).unwrap();
        engine.pull(
            |j, out| out.iter_mut().enumerate().for_each(|(i, o)| *o = w[(i + j, j)] * if i == 0 { 1.0 } else { 2.0 }),
            &mut gradient,
        );
        for (s, slot) in bound.slots().iter().enumerate() {
            if slot.spec.domain == crate::kernel::Domains::Count {
                continue;
            }
            let h = 1e-5 * theta[s];
            let moved = |by: f64| {
                let mut theta = theta.clone();
                theta[s] += by;
                total(&gram(&theta))
            };
            let difference = (8.0 * (moved(h) - moved(-h)) - (moved(2.0 * h) - moved(-2.0 * h))) / (12.0 * h);
            assert!(
                (difference - gradient[s]).abs() < 1e-6 * gradient[s].abs().max(1.0),
                "{} of {kernel:?}: {} and by differences {difference}",
                slot.spec.name,
                gradient[s]
            );
        }
    }

    fn ard(name: &str) -> Kernel {
        let family = family(name).unwrap();
        let params = family.spec().params.iter().map(|p| p.unset(true)).collect();
        Node::Leaf(Leaf { family, inputs: Inputs::All, ard: true, params }).into()
    }

    #[test]
    fn families_agree_with_their_points() {
        for family in FAMILIES {
            for variant in [Some(*family), family.spec().flag.map(|f| (f.other)())].into_iter().flatten() {
                for (params, x, y, expected) in variant.spec().points {
                    let values = params.iter().map(|&p| Values::One(Param::free(p))).collect();
                    let leaf = Leaf { family: variant, inputs: Inputs::All, ard: false, params: values };
                    let names = vec!["x".to_string()];
                    let rows = [*x, *y];
                    let bound = Kernel::from(Node::Leaf(leaf)).bind(&Schema::unnamed(&names, &[&rows])).unwrap();
                    let (a, b) = (bound.sites(&[&[*x]]).unwrap(), bound.sites(&[&[*y]]).unwrap());
                    let k = bound.cross(params, &a, &b).unwrap()[(0, 0)];
                    assert!((k - expected).abs() < 1e-13 * expected.abs().max(1.0), "{variant:?} {k} {expected}");
                }
            }
        }
    }

    #[test]
    fn every_family_has_its_gradient() {
        for family in FAMILIES {
            let name = family.spec().name;
            check(&on(name, &[if family.takes_categories() { 2 } else { 0 }]));
            if family.spec().several_inputs && family.spec().reads_inputs {
                check(&on(name, &[0, 1]));
                check(&ard(name));
            }
            if let Some(flag) = family.spec().flag {
                check(&Kernel::leaf((flag.other)(), Inputs::These(vec![InputRef::Index(1)])));
            }
        }
    }

    #[test]
    fn sums_products_and_wraps_have_theirs() {
        let (se, per, lin) = (on("SE", &[0]), on("Per", &[1]), on("Lin", &[0]));
        let product = Kernel::product([se.clone(), per.clone(), lin.clone()]).unwrap();
        let sum = Kernel::sum([product.clone(), on("RQ", &[1]), on("WN", &[])]).unwrap();
        check(&product);
        check(&sum);
        check(&Kernel::product([sum.clone(), lin.clone()]).unwrap());
        check(&wraps::power(sum.clone(), 3));
        let unset = || vec![Values::One(Param::default()), Values::One(Param::default())];
        check(&wraps::changepoint(sum, per, Inputs::These(vec![InputRef::Index(0)]), unset()));
    }

    fn index(i: usize) -> InputRef {
        InputRef::Index(i)
    }

    fn these(inputs: &[usize]) -> Inputs {
        Inputs::These(inputs.iter().map(|&i| index(i)).collect())
    }

    #[test]
    fn symmetries_have_theirs() {
        let mv = |kind, inputs: &[usize]| Move::new(kind, inputs.iter().map(|&i| index(i)).collect(), vec![]).unwrap();
        let (swap, flip) = (mv(MoveKind::Swap, &[0, 1]), mv(MoveKind::Flip, &[0]));
        let about = Move::new(MoveKind::Flip, vec![index(1)], vec![0.3]).unwrap();
        let turn = mv(MoveKind::Rotate, &[0, 1]);
        let product = Kernel::product([on("SE", &[0]), on("Per", &[1])]).unwrap();
        let sum = Kernel::sum([product.clone(), on("Lin", &[1]), on("WN", &[])]).unwrap();
        for moves in [vec![swap.clone()], vec![flip.clone()], vec![about, flip], vec![turn]] {
            for k in [on("SE", &[0, 1]), product.clone(), sum.clone(), on("Poly", &[1])] {
                check(&wraps::invariant(k.clone(), moves.clone(), wraps::Method::Sum, true).unwrap());
                check(&wraps::invariant(k, moves.clone(), wraps::Method::Fold, false).unwrap());
            }
            for k in [on("RQ", &[0, 1]), product.clone()] {
                check(&wraps::invariant(k, moves.clone(), wraps::Method::Product, false).unwrap());
            }
        }
        check(&wraps::translate(product.clone(), false));
        check(&wraps::translate(sum, true));
        let shifts = wraps::Shifts { rows: 1, cols: 2, radius: Some(1), edges: wraps::Edges::Zero };
        check(&wraps::conv(product, shifts, true));
        let inner = wraps::invariant(on("SE", &[0]), vec![swap.clone()], wraps::Method::Sum, false).unwrap();
        check(&wraps::invariant(inner, vec![swap], wraps::Method::Sum, false).unwrap());
    }

    #[test]
    fn wound_inputs_have_theirs() {
        let period = || vec![Values::Each(Vec::new())];
        let turn = || vec![Values::One(Param::default())];
        let wind = |w, k, i: &[usize], p| wraps::wound(w, k, these(i), p);
        let product = Kernel::product([on("SE", &[0]), on("RQ", &[1]), on("Per", &[2])]).unwrap();
        for k in [on("SE", &[0, 1]), on("Lin", &[0, 1]), on("Poly", &[0]), ard("Matern52"), product] {
            check(&wind(wraps::Winding::Periodic, k.clone(), &[0], period()));
            check(&wind(wraps::Winding::Torus, k.clone(), &[0, 1], period()));
            check(&wind(wraps::Winding::Cylinder, k.clone(), &[1, 0], turn()));
            check(&wind(wraps::Winding::Mobius, k.clone(), &[0, 1], turn()));
            check(&wind(wraps::Winding::Sphere, k.clone(), &[0, 1], vec![]));
            check(&wind(wraps::Winding::Periodic, wind(wraps::Winding::Periodic, k, &[1], period()), &[0], period()));
        }
    }

    #[test]
    fn deep_and_additive_kernels_have_theirs() {
        let unset = |n: usize| vec![Values::One(Param::default()); n];
        let product = Kernel::product([on("SE", &[0]), on("Per", &[1])]).unwrap();
        let sum = Kernel::sum([on("SE", &[0]), on("Lin", &[1])]).unwrap();
        let deep = |n, k: &Kernel, connected: bool| {
            wraps::deep(wraps::Depth::Layers(n), k.clone(), connected, unset(1 + usize::from(connected))).unwrap()
        };
        for k in [&product, &sum, &on("SE", &[0, 1])] {
            for n in 2..5 {
                check(&deep(n, k, false));
                check(&deep(n, k, true));
            }
            check(&wraps::deep(wraps::Depth::Infinite, k.clone(), true, unset(2)).unwrap());
            check(&wraps::wound(wraps::Winding::Periodic, deep(3, k, true), these(&[0]), vec![Values::Each(vec![])]));
        }
        check(&deep(2, &deep(3, &sum, true), false));
        let mirror = Move::new(MoveKind::Flip, vec![index(0)], vec![]).unwrap();
        check(&wraps::invariant(deep(3, &sum, true), vec![mirror], wraps::Method::Sum, false).unwrap());
        let each = || wraps::Bases::Each(vec![on("SE", &[0]), on("Per", &[1]), on("Lin", &[0]), on("RQ", &[1])]);
        for order in [1, 2, 4] {
            let mixture = wraps::Mixture::Additive(Some(order));
            check(&wraps::additive(mixture, each(), Inputs::All, vec![Values::Each(vec![])]).unwrap());
        }
        let like = wraps::Bases::Like(wraps::usual_base());
        let all = wraps::Mixture::Additive(None);
        check(&wraps::additive(all, like, these(&[0, 1]), vec![Values::Each(vec![])]).unwrap());
        check(&wraps::additive(wraps::Mixture::Anova, each(), Inputs::All, unset(2)).unwrap());
        check(&wraps::additive(wraps::Mixture::Dropout(0.8), each(), Inputs::All, unset(1)).unwrap());
    }

    #[test]
    fn centred_periodic_keeps_its_digits_for_long_length_scales() {
        let leaf = Kernel::leaf((family("Per").unwrap().spec().flag.unwrap().other)(), Inputs::All);
        let (names, x) = (vec!["x".to_string()], [0.0, 0.3]);
        let bound = leaf.bind(&Schema::unnamed(&names, &[&x])).unwrap();
        let sites = bound.sites(&[&x]).unwrap();
        let at = |l: f64| bound.cross(&[1.0, l, 1.0], &sites, &sites).unwrap()[(1, 0)];
        let cosine = (std::f64::consts::TAU * 0.3).cos();
        assert!((at(1e5) - cosine).abs() < 1e-9 && (at(1e3) - cosine).abs() < 1e-5);
        let z: f64 = 0.34;
        let l = 1.0 / z.sqrt();
        assert!((at(l * 1.000_000_1) - at(l * 0.999_999_9)).abs() < 1e-6);
    }
}
