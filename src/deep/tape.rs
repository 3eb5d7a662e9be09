//! Reverse-mode differentiation over matrices: a record of operations, and one backward pass.
//!
//! The code is small on purpose. Published crates record scalars (echidna), or arrays without efficient Cholesky
//! factors (autograd and its successors), and none has kernels; a tape of scalars would have a node for each of the
//! N·M·K kernel values. Here an operation is on matrices, and a kernel matrix is one operation.

use std::f64::consts::PI;

use crate::kernel::{Bound, Cross, CrossGradient, EvalError, Points};
use crate::linalg::Matrix;

/// A matrix on the tape.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Var(usize);

/// Why a value cannot be computed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum TapeError {
    #[error(transparent)]
    Kernel(#[from] EvalError),
    #[error("the covariance of the pseudo outputs is not positive definite")]
    NotPositiveDefinite,
}

enum Op<'k> {
    Leaf,
    Kernel { cross: Box<Cross<'k>>, theta: Var, a: Var, b: Var, points: Box<[Points; 2]> },
    KernelDiagonal { cross: Box<Cross<'k>>, theta: Var, a: Var, points: Box<Points> },
    Inflate { a: Var, share: f64 },
    Cholesky(Var),
    SolveLower { l: Var, b: Var },
    Transpose(Var),
    TransposedProduct { a: Var, b: Var },
    ColumnSquares(Var),
    Subtract { a: Var, b: Var },
    Add { a: Var, b: Var },
    AddIdentity(Var),
    Scale { a: Var, by: Var },
    Reciprocal(Var),
    Log(Var),
    Sum(Var),
    AddScalar { a: Var, scalar: Var },
    Root(Var),
    Perturb { mean: Var, sd: Var, noise: Matrix },
    Repeat(Var),
    Beside(Vec<Var>),
    NormalDensities { mean: Var, variance: Var, y: Vec<f64> },
    LogMeanExp(Var),
    SumSquares(Var),
    LogDiagonal(Var),
    Combine(Vec<(Var, f64)>),
}

/// Operations in order of execution, each with its value.
#[derive(Default)]
pub struct Tape<'k> {
    values: Vec<Matrix>,
    ops: Vec<Op<'k>>,
}

/// The least variance; smaller ones are replaced by it.
const LEAST: f64 = 1e-12;

impl<'k> Tape<'k> {
    /// An empty tape.
    pub fn new() -> Self {
        Self { values: Vec::new(), ops: Vec::new() }
    }

    fn push(&mut self, value: Matrix, op: Op<'k>) -> Var {
        self.values.push(value);
        self.ops.push(op);
        Var(self.values.len() - 1)
    }

    /// The value of a matrix on the tape.
    pub fn value(&self, var: Var) -> &Matrix {
        &self.values[var.0]
    }

    /// A matrix without dependencies: a parameter, or data.
    pub fn leaf(&mut self, value: Matrix) -> Var {
        self.push(value, Op::Leaf)
    }

    fn points(&self, bound: &Bound, rows: Var) -> Result<Points, EvalError> {
        let rows = self.value(rows);
        let columns: Vec<&[f64]> = rows.as_slice().chunks_exact(rows.nrows().max(1)).collect();
        bound.points(&columns)
    }

    /// k(A, B); `theta` has one row per slot of the kernel.
    pub fn kernel(&mut self, bound: &'k Bound, theta: Var, a: Var, b: Var) -> Result<Var, TapeError> {
        let points = Box::new([self.points(bound, a)?, self.points(bound, b)?]);
        let mut cross = Box::new(Cross::new(bound));
        let mut out = Matrix::zeros(points[0].n(), points[1].n());
        cross.evaluate(self.value(theta).as_slice(), &points[0], &points[1], &mut out)?;
        Ok(self.push(out, Op::Kernel { cross, theta, a, b, points }))
    }

    /// k(a, a) of every row, as a column.
    pub fn kernel_diagonal(&mut self, bound: &'k Bound, theta: Var, a: Var) -> Result<Var, TapeError> {
        let points = Box::new(self.points(bound, a)?);
        let mut cross = Box::new(Cross::new(bound));
        let diagonal = cross.diagonal(self.value(theta).as_slice(), &points, true)?;
        let out = Matrix::from_vec(diagonal.len(), 1, diagonal);
        Ok(self.push(out, Op::KernelDiagonal { cross, theta, a, points }))
    }

    /// The matrix with its diagonal increased by a share of it.
    pub fn inflate(&mut self, a: Var, share: f64) -> Var {
        let mut out = self.value(a).clone();
        (0..out.nrows()).for_each(|i| out[(i, i)] *= 1.0 + share);
        self.push(out, Op::Inflate { a, share })
    }

    /// The lower Cholesky factor of a symmetric matrix.
    pub fn cholesky(&mut self, a: Var) -> Result<Var, TapeError> {
        let factor = nalgebra::Cholesky::new(self.value(a).clone()).ok_or(TapeError::NotPositiveDefinite)?;
        Ok(self.push(factor.l(), Op::Cholesky(a)))
    }

    /// L⁻¹B.
    pub fn solve_lower(&mut self, l: Var, b: Var) -> Var {
        let mut out = self.value(b).clone();
        self.value(l).solve_lower_triangular_unchecked_mut(&mut out);
        self.push(out, Op::SolveLower { l, b })
    }

    /// Aᵀ.
    pub fn transpose(&mut self, a: Var) -> Var {
        let out = self.value(a).transpose();
        self.push(out, Op::Transpose(a))
    }

    /// AᵀB.
    pub fn transposed_product(&mut self, a: Var, b: Var) -> Var {
        let out = self.value(a).tr_mul(self.value(b));
        self.push(out, Op::TransposedProduct { a, b })
    }

    /// The sum of squares of each column, as a column.
    pub fn column_squares(&mut self, a: Var) -> Var {
        let sums = self.value(a).column_iter().map(|c| c.norm_squared()).collect::<Vec<_>>();
        self.push(Matrix::from_vec(sums.len(), 1, sums), Op::ColumnSquares(a))
    }

    /// A − B.
    pub fn subtract(&mut self, a: Var, b: Var) -> Var {
        let out = self.value(a) - self.value(b);
        self.push(out, Op::Subtract { a, b })
    }

    pub fn add(&mut self, a: Var, b: Var) -> Var {
        let out = self.value(a) + self.value(b);
        self.push(out, Op::Add { a, b })
    }

    /// Adds the identity.
    pub fn add_identity(&mut self, a: Var) -> Var {
        let mut out = self.value(a).clone();
        (0..out.nrows()).for_each(|i| out[(i, i)] += 1.0);
        self.push(out, Op::AddIdentity(a))
    }

    /// Multiplies by a number.
    pub fn scale(&mut self, a: Var, by: Var) -> Var {
        let out = self.value(a) * self.value(by)[(0, 0)];
        self.push(out, Op::Scale { a, by })
    }

    /// The reciprocals of the entries.
    pub fn reciprocal(&mut self, a: Var) -> Var {
        let out = self.value(a).map(f64::recip);
        self.push(out, Op::Reciprocal(a))
    }

    /// The logarithms of the entries.
    pub fn log(&mut self, a: Var) -> Var {
        let out = self.value(a).map(f64::ln);
        self.push(out, Op::Log(a))
    }

    /// The sum of the entries.
    pub fn sum(&mut self, a: Var) -> Var {
        let out = self.value(a).sum();
        self.push(Matrix::from_element(1, 1, out), Op::Sum(a))
    }

    /// Adds one number to every entry.
    pub fn add_scalar(&mut self, a: Var, scalar: Var) -> Var {
        let out = self.value(a).add_scalar(self.value(scalar)[(0, 0)]);
        self.push(out, Op::AddScalar { a, scalar })
    }

    /// Square roots of the entries.
    pub fn root(&mut self, a: Var) -> Var {
        let out = self.value(a).map(|x| x.max(LEAST).sqrt());
        self.push(out, Op::Root(a))
    }

    /// mean + sd·noise, with one standard deviation per row for all units (4.12).
    pub fn perturb(&mut self, mean: Var, sd: Var, noise: Matrix) -> Var {
        let (m, s) = (self.value(mean), self.value(sd));
        let out = Matrix::from_fn(m.nrows(), m.ncols(), |i, j| m[(i, j)] + s[(i, 0)] * noise[(i, j)]);
        self.push(out, Op::Perturb { mean, sd, noise })
    }

    /// The rows repeated `times` times.
    pub fn repeat(&mut self, a: Var, times: usize) -> Var {
        let one = self.value(a);
        let n = one.nrows();
        let out = Matrix::from_fn(n * times, one.ncols(), |i, j| one[(i % n, j)]);
        self.push(out, Op::Repeat(a))
    }

    /// The columns of several matrices in one matrix.
    pub fn beside(&mut self, all: &[Var]) -> Var {
        let columns: Vec<_> = all.iter().flat_map(|v| self.value(*v).column_iter()).collect();
        let out = Matrix::from_columns(&columns);
        self.push(out, Op::Beside(all.to_vec()))
    }

    /// log N(y; mean, diag(variance)) for every block of rows of the length of `y`.
    pub fn normal_densities(&mut self, mean: Var, variance: Var, y: &[f64]) -> Var {
        let (m, v) = (self.value(mean).as_slice(), self.value(variance).as_slice());
        let blocks = m.chunks_exact(y.len()).zip(v.chunks_exact(y.len()));
        let sums: Vec<f64> = blocks
            .map(|(m, v)| {
                let row = |((m, v), y): ((&f64, &f64), &f64)| {
                    let v = v.max(LEAST);
                    (2.0 * PI * v).ln() + (y - m).powi(2) / v
                };
                -0.5 * m.iter().zip(v).zip(y).map(row).sum::<f64>()
            })
            .collect();
        self.push(Matrix::from_vec(sums.len(), 1, sums), Op::NormalDensities { mean, variance, y: y.to_vec() })
    }

    /// The log of the mean of exponentials: the divisor is the number of samples K. Vafa's (4.24) has N, an erratum.
    pub fn log_mean_exp(&mut self, a: Var) -> Var {
        let out = log_mean_exp(self.value(a).as_slice());
        self.push(Matrix::from_element(1, 1, out), Op::LogMeanExp(a))
    }

    /// The sum of squares of all entries, as a scalar.
    pub fn sum_squares(&mut self, a: Var) -> Var {
        let out = self.value(a).norm_squared();
        self.push(Matrix::from_element(1, 1, out), Op::SumSquares(a))
    }

    /// Σ log Lᵢᵢ.
    pub fn log_diagonal(&mut self, l: Var) -> Var {
        let out = self.value(l).diagonal().iter().map(|x| x.ln()).sum();
        self.push(Matrix::from_element(1, 1, out), Op::LogDiagonal(l))
    }

    /// A weighted sum of scalars.
    pub fn combine(&mut self, terms: Vec<(Var, f64)>) -> Var {
        let out = terms.iter().map(|(var, weight)| weight * self.value(*var)[(0, 0)]).sum();
        self.push(Matrix::from_element(1, 1, out), Op::Combine(terms))
    }

    /// The derivatives of a scalar with respect to every matrix on the tape.
    ///
    /// # Errors
    /// Rows at which a kernel cannot be evaluated.
    pub fn gradients(&mut self, of: Var) -> Result<Gradients, TapeError> {
        let mut adjoints: Vec<Option<Matrix>> = vec![None; self.values.len()];
        adjoints[of.0] = Some(Matrix::from_element(1, 1, 1.0));
        for i in (0..=of.0).rev() {
            let Some(w) = adjoints[i].take() else { continue };
            let (values, mut add) = (&self.values, |to: Var, part: Matrix| match &mut adjoints[to.0] {
                Some(sum) => *sum += part,
                none => *none = Some(part),
            });
            match &mut self.ops[i] {
                Op::Leaf => {
                    adjoints[i] = Some(w);
                    continue;
                }
                Op::Kernel { cross, theta, a, b, points } => {
                    let mut parameters = vec![0.0; values[theta.0].nrows()];
                    let (mut left, mut right) = (zeros(&values[a.0]), zeros(&values[b.0]));
                    let column = |j: usize, out: &mut [f64]| out.copy_from_slice(w.column(j).as_slice());
                    let mut to = CrossGradient { parameters: &mut parameters, a: Some(&mut left), b: Some(&mut right) };
                    cross.pull(&points[0], &points[1], column, &mut to);
                    add(*theta, Matrix::from_vec(parameters.len(), 1, parameters));
                    add(*a, joined(&left));
                    add(*b, joined(&right));
                }
                Op::KernelDiagonal { cross, theta, a, points } => {
                    let mut parameters = vec![0.0; values[theta.0].nrows()];
                    let mut left = zeros(&values[a.0]);
                    let mut to = CrossGradient { parameters: &mut parameters, a: Some(&mut left), b: None };
                    cross.pull_diagonal(values[theta.0].as_slice(), points, true, w.as_slice(), &mut to)?;
                    add(*theta, Matrix::from_vec(parameters.len(), 1, parameters));
                    add(*a, joined(&left));
                }
                Op::Inflate { a, share } => {
                    let mut w = w;
                    (0..w.nrows()).for_each(|i| w[(i, i)] *= 1.0 + *share);
                    add(*a, w);
                }
                Op::Cholesky(a) => add(*a, cholesky_back(&values[i], &w)),
                Op::SolveLower { l, b } => {
                    let mut to_b = w;
                    values[l.0].tr_solve_lower_triangular_unchecked_mut(&mut to_b);
                    let to_l = -(&to_b * values[i].transpose());
                    add(*l, to_l.lower_triangle());
                    add(*b, to_b);
                }
                Op::Transpose(a) => add(*a, w.transpose()),
                Op::TransposedProduct { a, b } => {
                    let to_a = &values[b.0] * w.transpose();
                    let to_b = &values[a.0] * &w;
                    add(*a, to_a);
                    add(*b, to_b);
                }
                Op::ColumnSquares(a) => {
                    let mut out = values[a.0].clone();
                    out.column_iter_mut().zip(w.iter()).for_each(|(mut column, w)| column *= 2.0 * w);
                    add(*a, out);
                }
                Op::Subtract { a, b } => {
                    add(*b, -&w);
                    add(*a, w);
                }
                Op::Add { a, b } => {
                    add(*b, w.clone());
                    add(*a, w);
                }
                Op::AddIdentity(a) => add(*a, w),
                Op::Scale { a, by } => {
                    add(*by, Matrix::from_element(1, 1, w.dot(&values[a.0])));
                    add(*a, w * values[by.0][(0, 0)]);
                }
                Op::Reciprocal(a) => add(*a, w.zip_map(&values[i], |w, inverse| -w * inverse * inverse)),
                Op::Log(a) => add(*a, w.component_div(&values[a.0])),
                Op::Sum(a) => add(*a, values[a.0].map(|_| w[0])),
                Op::AddScalar { a, scalar } => {
                    add(*scalar, Matrix::from_element(1, 1, w.sum()));
                    add(*a, w);
                }
                Op::Root(a) => {
                    let slope = |x: f64, w: f64, root: f64| if x > LEAST { 0.5 * w / root } else { 0.0 };
                    add(*a, values[a.0].zip_zip_map(&w, &values[i], slope));
                }
                Op::Perturb { mean, sd, noise } => {
                    let sums = w.component_mul(noise);
                    let sums: Vec<f64> = sums.row_iter().map(|row| row.sum()).collect();
                    add(*sd, Matrix::from_vec(sums.len(), 1, sums));
                    add(*mean, w);
                }
                Op::Repeat(a) => {
                    let (n, mut out) = (values[a.0].nrows(), values[a.0].map(|_| 0.0));
                    for j in 0..w.ncols() {
                        for (i, w) in w.column(j).iter().enumerate() {
                            out[(i % n, j)] += w;
                        }
                    }
                    add(*a, out);
                }
                Op::Beside(all) => {
                    let mut from = 0;
                    for var in all.iter() {
                        let width = values[var.0].ncols();
                        add(*var, w.columns(from, width).into_owned());
                        from += width;
                    }
                }
                Op::NormalDensities { mean, variance, y } => {
                    let (m, v) = (&values[mean.0], &values[variance.0]);
                    let (mut to_mean, mut to_variance) = (m.map(|_| 0.0), v.map(|_| 0.0));
                    for i in 0..m.nrows() {
                        let (weight, error, s) = (w[i / y.len()], y[i % y.len()] - m[i], v[i].max(LEAST));
                        to_mean[i] = weight * error / s;
                        if v[i] > LEAST {
                            to_variance[i] = 0.5 * weight * (error * error / s - 1.0) / s;
                        }
                    }
                    add(*mean, to_mean);
                    add(*variance, to_variance);
                }
                Op::LogMeanExp(a) => {
                    let most = values[a.0].max();
                    let shares = values[a.0].map(|x| (x - most).exp());
                    let whole = shares.sum();
                    add(*a, shares * (w[0] / whole));
                }
                Op::SumSquares(a) => add(*a, &values[a.0] * (2.0 * w[0])),
                Op::LogDiagonal(l) => {
                    let diagonal = values[l.0].diagonal().map(|x| w[0] / x);
                    add(*l, Matrix::from_diagonal(&diagonal));
                }
                Op::Combine(terms) => terms.iter().for_each(|(var, weight)| add(*var, &w * *weight)),
            }
        }
        Ok(Gradients(adjoints))
    }
}

/// The derivatives of a scalar with respect to the leaves of a tape.
pub struct Gradients(Vec<Option<Matrix>>);

impl Gradients {
    /// Column by column; `None` if the scalar does not depend on the leaf.
    pub fn of(&self, leaf: Var) -> Option<&[f64]> {
        self.0.get(leaf.0)?.as_ref().map(|matrix| matrix.as_slice())
    }
}

/// The log of the mean of exponentials, without overflow.
pub fn log_mean_exp(x: &[f64]) -> f64 {
    let most = x.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if !most.is_finite() {
        return most;
    }
    most + (x.iter().map(|x| (x - most).exp()).sum::<f64>() / x.len() as f64).ln()
}

fn zeros(rows: &Matrix) -> Vec<Vec<f64>> {
    vec![vec![0.0; rows.nrows()]; rows.ncols()]
}

fn joined(columns: &[Vec<f64>]) -> Matrix {
    Matrix::from_vec(columns.first().map_or(0, Vec::len), columns.len(), columns.concat())
}

/// ½L⁻ᵀ(P + Pᵀ)L⁻¹, where P is the lower half of LᵀL̄ with its diagonal halved (Murray, 2016).
fn cholesky_back(l: &Matrix, w: &Matrix) -> Matrix {
    let mut p = l.tr_mul(&w.lower_triangle()).lower_triangle();
    (0..p.nrows()).for_each(|i| p[(i, i)] *= 0.5);
    let mut out = &p + p.transpose();
    l.tr_solve_lower_triangular_unchecked_mut(&mut out);
    let mut out = out.transpose();
    l.tr_solve_lower_triangular_unchecked_mut(&mut out);
    out * 0.5
}

#[cfg(test)]
mod tests;
