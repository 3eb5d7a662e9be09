//! Matrices of a bound kernel, and the gradient of anything that depends on one.

use super::bind::Bound;
use super::family::{Pairs, Rows, Scratch, Theta};
use super::program::{LeafOp, Op};
use super::{Origin, Place};
use crate::linalg::{Matrix, vector};

/// Rows at which a kernel is evaluated, as every view of it shows them.
#[derive(Debug, Clone)]
pub struct Sites {
    n: usize,
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
    /// Of the second, where it is seen through another view.
    right: Vec<Option<Rows>>,
}

impl Prepared {
    fn right(&self, i: usize) -> &Rows {
        self.right[i].as_ref().unwrap_or(&self.left[i])
    }
}

/// A Gram matrix under evaluation: keeps the values of the leaves, and its memory between calls.
///
/// It holds one half-matrix for each leaf of the kernel, n(n + 1)/2 numbers.
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
                Some(parent) => {
                    view.map.apply(parent).map_err(|e| EvalError::Function { row: e.row, message: e.message })?
                }
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

    fn prepare(&self, theta: &[Vec<f64>], sites: &Sites) -> Result<Prepared, EvalError> {
        let count = self.program.instructions.len();
        let (mut left, mut right) = (Vec::with_capacity(count), Vec::with_capacity(count));
        for (instruction, theta) in self.program.instructions.iter().zip(theta) {
            let (one, other) = match &instruction.op {
                Op::Leaf(leaf) => {
                    let seen = |view: usize| {
                        let x: Vec<&[f64]> = leaf.columns.iter().map(|&c| &sites.views[view][c][..]).collect();
                        let theta = Theta { all: theta, ranges: &leaf.ranges };
                        leaf.family.prepare(theta, &x, &leaf.learnt).map_err(|message| EvalError::Rows {
                            origin: leaf.origin,
                            place: Place::Input(0),
                            message,
                        })
                    };
                    (seen(leaf.left)?, if leaf.right == leaf.left { None } else { Some(seen(leaf.right)?) })
                }
                Op::Combine { combine, view, columns, ranges, .. } => {
                    let x: Vec<&[f64]> = columns.iter().map(|&c| &sites.views[*view][c][..]).collect();
                    (combine.prepare(Theta { all: theta, ranges }, &x), None)
                }
                Op::Sum | Op::Product => (Rows::new(), None),
            };
            left.push(one);
            right.push(other);
        }
        Ok(Prepared { left, right })
    }

    /// k(a, b) for all rows of `a` (down) and `b` (across). No row of the one is an observation of the other.
    ///
    /// # Errors
    /// [`EvalError::Rows`]: rows that a family cannot look at.
    pub fn cross(&self, values: &[f64], a: &Sites, b: &Sites) -> Result<Matrix, EvalError> {
        let theta = self.gather(values);
        let (one, two) = (self.prepare(&theta, a)?, self.prepare(&theta, b)?);
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
        let prepared = self.prepare(&theta, sites)?;
        let mut registers: Vec<Vec<f64>> = Vec::new();
        for (i, (instruction, theta)) in self.program.instructions.iter().zip(&theta).enumerate() {
            let mut out = vec![0.0; sites.n];
            let args: Vec<&[f64]> = instruction.args.iter().map(|&a| &registers[a][..]).collect();
            match &instruction.op {
                Op::Leaf(leaf) if leaf.left == leaf.right => {
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
                Op::Combine { combine, ranges, .. } => {
                    combine.diagonal(Theta { all: theta, ranges }, &prepared.left[i], &args, &mut out);
                }
            }
            registers.push(out);
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
            .map(|i| if matches!(i.op, Op::Leaf(_)) { vec![0.0; half] } else { Vec::new() })
            .collect();
        Self {
            bound,
            sites,
            theta: Vec::new(),
            prepared: None,
            stored,
            registers: vec![vec![0.0; sites.n]; count],
            adjoints: vec![vec![0.0; sites.n]; count],
            scratch: Scratch::default(),
        }
    }

    /// Writes the lower triangle of the Gram matrix at these parameters into `out` (n × n).
    ///
    /// # Errors
    /// [`EvalError::Rows`]: rows that a family cannot look at.
    pub fn evaluate(&mut self, values: &[f64], out: &mut Matrix) -> Result<(), EvalError> {
        self.theta = self.bound.gather(values);
        let prepared = self.bound.prepare(&self.theta, self.sites)?;
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
        let mut start = 0;
        for j in 0..n {
            let at = At { from: j, j, same: true, len: n - j };
            let range = start..start + at.len;
            start += at.len;
            let stored = Some((&mut self.stored[..], range, Stored::Read));
            self.bound.column(&self.theta, &prepared, &prepared, at, &mut self.registers, stored);
            for (adjoint, instruction) in self.adjoints.iter_mut().zip(instructions) {
                if matches!(instruction.op, Op::Leaf(_) | Op::Combine { .. } | Op::Sum | Op::Product) {
                    adjoint[..at.len].fill(0.0);
                }
            }
            weights(j, &mut self.adjoints[last][..at.len]);
            self.pull_column(&prepared, at, &mut gradients);
        }
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

    fn pull_column(&mut self, prepared: &Prepared, at: At, gradients: &mut [Vec<f64>]) {
        let len = at.len;
        for (i, instruction) in self.bound.program.instructions.iter().enumerate().rev() {
            let (earlier, later) = self.adjoints.split_at_mut(i);
            let w = &mut later[0][..len];
            let args = &instruction.args;
            match &instruction.op {
                Op::Leaf(leaf) => leaf.family.pull(
                    Theta { all: &self.theta[i], ranges: &leaf.ranges },
                    at.pairs(prepared, prepared, i),
                    &self.registers[i][..len],
                    w,
                    &mut self.scratch,
                    &mut gradients[i],
                ),
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
                Op::Combine { combine, ranges, .. } => {
                    let values: Vec<&[f64]> = args.iter().map(|&a| &self.registers[a][..len]).collect();
                    let mut handed = vec![vec![0.0; len]; args.len()];
                    let theta = Theta { all: &self.theta[i], ranges };
                    let pairs = at.pairs(prepared, prepared, i);
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
    use crate::kernel::{InputRef, Inputs, Kernel, Leaf, Node, Schema, Values, wraps};
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
            check(&on(name, &[if name == "onehot" { 2 } else { 0 }]));
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
