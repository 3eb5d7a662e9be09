//! Sparse regression: the objective of a model with inducing inputs, and its gradient, computed in blocks of rows.
//!
//! With u = f(Z) at the inducing inputs, Q = K_fu K_uu⁻¹ K_uf and s the noise of each row, FITC is the log density of y
//! under N(m, Q + Λ), Λ = s + diag(K − Q) (Snelson & Ghahramani 2006; Vafa, 4.3–4.6). VFE has Λ = s and subtracts ½ Σ
//! (K − Q)ᵢᵢ/sᵢ, which makes it a lower bound of the log marginal likelihood (Titsias 2009, 9). White noise in the
//! kernel is independent for each row: it is part of s here, and not of K_uu or K_uf.
//!
//! With K_uu = LLᵀ, V = L⁻¹K_uf and B = I + VΛ⁻¹Vᵀ, only sums over the rows are needed: O(n m²) time, and memory for m²
//! numbers and one block of rows. A gradient needs a second pass over the rows. The rows are split into the same groups
//! for any number of threads, and the sums of the groups are added in order, so results do not depend on that number.

mod gradient;

use std::ops::Range;

use rayon::prelude::*;

use super::evaluation::{Evidence, is_profiled};
use super::inducing::{InducingInputs, SparseMethod};
use super::{ModelError, Problem};
use crate::kernel::{Cross, Points};
use crate::linalg::{
    Cholesky, LOG_2PI, Matrix, NotPositiveDefinite, Vector, add_symmetric_product, add_transposed_product,
    least_squares, vector,
};
use crate::progress::Progress;

/// The number of rows in a block.
const BLOCK: usize = 256;
/// The number of groups of rows; fewer if there are few rows.
const GROUPS: usize = 16;
/// The least number of rows in a group.
const LEAST_GROUP: usize = 1024;
/// The first jitter of K_uu as a share of its mean diagonal; it grows by factors of 10.
const JITTER: f64 = 1e-12;
const JITTERS: i32 = 9;

/// The sums over the rows of a sparse model at given parameter values.
#[derive(Debug, Clone)]
pub(super) struct Sums {
    /// The inducing inputs.
    pub z: Vec<Vec<f64>>,
    /// L of K_uu.
    pub prior: Cholesky,
    /// L_B of B = I + VΛ⁻¹Vᵀ.
    pub data: Cholesky,
    b: Matrix,
    /// L_B⁻¹VΛ⁻¹T with T = [y, columns of the mean].
    projected: Matrix,
    /// TᵀΛ⁻¹T.
    inner: Matrix,
    /// λ of each row.
    pub lambda: Vec<f64>,
    log_lambda: f64,
    /// Σ kᵢᵢ/sᵢ, for the trace of VFE.
    trace: f64,
}

/// The sums over one group of rows.
struct Group {
    b: Matrix,
    projected: Matrix,
    inner: Matrix,
    lambda: Vec<f64>,
    trace: f64,
}

pub(super) struct SparseProblem<'p> {
    pub problem: &'p Problem,
    pub inducing: &'p InducingInputs,
    pub progress: &'p dyn Progress,
}

impl SparseProblem<'_> {
    fn m(&self) -> usize {
        self.inducing.count()
    }

    fn groups(&self) -> Vec<Range<usize>> {
        let n = self.problem.n();
        let size = n.div_ceil(GROUPS).max(LEAST_GROUP).next_multiple_of(BLOCK);
        (0..n).step_by(size).map(|start| start..(start + size).min(n)).collect()
    }

    fn blocks(group: &Range<usize>) -> impl Iterator<Item = Range<usize>> + use<> {
        let end = group.end;
        group.clone().step_by(BLOCK).map(move |start| start..(start + BLOCK).min(end))
    }

    fn points_of(&self, z: &[Vec<f64>]) -> Result<Points, ModelError> {
        Ok(self.problem.bound().points(&z.iter().map(|c| &c[..]).collect::<Vec<_>>())?)
    }

    /// T = [y, columns of the mean] for some rows, so that the residual is T·(1, −weights). For a function that is the
    /// mean: T = [y − m, ∂m/∂θ], with weights of 0.
    fn targets(&self, rows: &Range<usize>, values: &[f64]) -> Result<Matrix, ModelError> {
        let x: Vec<&[f64]> = self.problem.x().iter().map(|column| &column[rows.clone()]).collect();
        let basis = self.problem.mean_slopes(&x, rows.len(), values)?;
        let mut y = self.problem.y()[rows.clone()].to_vec();
        if !self.problem.has_linear_mean() {
            vector::axpy(&mut y, -1.0, &self.problem.mean_at(&x, rows.len(), values)?);
        }
        Ok(Matrix::from_fn(rows.len(), 1 + basis.len(), |i, j| if j == 0 { y[i] } else { basis[j - 1][i] }))
    }

    /// The noise of each of some rows, with that of the kernel, and kᵢᵢ without it.
    fn own(
        &self,
        cross: &mut Cross<'_>,
        values: &[f64],
        rows: &Range<usize>,
        points: &Points,
    ) -> Result<(Vec<f64>, Vec<f64>), ModelError> {
        let problem = self.problem;
        let slots = problem.kernel_values(values);
        let mut noise = match problem.known_noise() {
            Some(known) => known[rows.clone()].to_vec(),
            None => vec![problem.noise_variance(values).unwrap_or(0.0); rows.len()],
        };
        let shared = cross.diagonal(slots, points, true)?;
        if problem.bound().tells_rows_apart() {
            let whole = cross.diagonal(slots, points, false)?;
            for ((noise, whole), shared) in noise.iter_mut().zip(whole).zip(&shared) {
                *noise += whole - shared;
            }
        }
        Ok((noise, shared))
    }

    /// Computes the sums in one pass over the rows.
    pub fn sums(&self, values: &[f64], moved: &[f64]) -> Result<Sums, ModelError> {
        let z = self.inducing.at(moved);
        let z_points = self.points_of(&z)?;
        let slots = self.problem.kernel_values(values);
        let m = self.m();
        let mut k = Matrix::zeros(m, m);
        Cross::new(self.problem.bound()).evaluate(slots, &z_points, &z_points, &mut k)?;
        // for a function that is 0 everywhere, as in a product with white noise, any unit will do
        let mean = Some(k.diagonal().mean()).filter(|mean| *mean != 0.0).unwrap_or(1.0);
        let jitters = (0..JITTERS).map(|step| JITTER * mean * 10f64.powi(step));
        let prior = Cholesky::with_jitters(k, std::iter::once(0.0).chain(jitters.filter(|j| j.is_normal())))?;
        let groups = self.groups();
        let parts: Vec<Result<Group, ModelError>> =
            groups.par_iter().map(|group| self.first(group, values, &z_points, &prior)).collect();
        let columns = 1 + self.problem.mean_values(values).len();
        let mut b = Matrix::identity(m, m);
        let (mut projected, mut inner) = (Matrix::zeros(m, columns), Matrix::zeros(columns, columns));
        let (mut lambda, mut trace) = (Vec::with_capacity(self.problem.n()), 0.0);
        for part in parts {
            let part = part?;
            b += part.b;
            projected += part.projected;
            inner += part.inner;
            lambda.extend(part.lambda);
            trace += part.trace;
        }
        b.fill_upper_triangle_with_lower_triangle();
        let data = Cholesky::with_jitters(b.clone(), [0.0])?;
        let projected = data.half_solve(&projected);
        let log_lambda = lambda.iter().map(|l| l.ln()).sum();
        Ok(Sums { z, prior, data, b, projected, inner, lambda, log_lambda, trace })
    }

    fn first(&self, group: &Range<usize>, values: &[f64], z: &Points, prior: &Cholesky) -> Result<Group, ModelError> {
        let m = self.m();
        let columns = 1 + self.problem.mean_values(values).len();
        let slots = self.problem.kernel_values(values);
        let mut cross = Cross::new(self.problem.bound());
        let mut v = Matrix::zeros(0, 0);
        let mut sum = Group {
            b: Matrix::zeros(m, m),
            projected: Matrix::zeros(m, columns),
            inner: Matrix::zeros(columns, columns),
            lambda: Vec::with_capacity(group.len()),
            trace: 0.0,
        };
        for rows in Self::blocks(group) {
            if self.progress.stop() {
                return Err(ModelError::Stopped);
            }
            let points = self.problem.points().rows(rows.clone());
            cross.evaluate(slots, &points, z, &mut v)?;
            prior.half_solve_rows(&mut v);
            let (mut lambda, shared) = self.own(&mut cross, values, &rows, &points)?;
            match self.inducing.method {
                SparseMethod::Vfe => sum.trace += shared.iter().zip(&lambda).map(|(k, s)| k / s).sum::<f64>(),
                SparseMethod::Fitc => {
                    let mut short = shared;
                    for column in v.column_iter() {
                        short.iter_mut().zip(column.iter()).for_each(|(d, v)| *d -= v * v);
                    }
                    lambda.iter_mut().zip(short).for_each(|(l, d)| *l += d.max(0.0));
                }
            }
            let root: Vec<f64> = lambda.iter().map(|l| 1.0 / l.sqrt()).collect();
            let mut targets = self.targets(&rows, values)?;
            for mut column in v.column_iter_mut().chain(targets.column_iter_mut()) {
                vector::multiply(column.as_mut_slice(), &root);
            }
            add_symmetric_product(&v, &v, &mut sum.b);
            add_transposed_product(&v, &targets, &mut sum.projected);
            add_transposed_product(&targets, &targets, &mut sum.inner);
            sum.lambda.extend(lambda);
        }
        Ok(sum)
    }

    /// The objective and its gradient with respect to the parameters, then the values of the inducing inputs. With
    /// `profile` the free parameters of the mean are optimal.
    pub fn evidence(&self, values: &[f64], gradient: bool, profile: bool) -> Result<Evidence, ModelError> {
        let problem = self.problem;
        let count = problem.parameters().len();
        let (parameters, moved) = values.split_at(count.min(values.len()));
        let own;
        let moved = if moved.is_empty() {
            own = self.inducing.moved();
            &own[..]
        } else {
            moved
        };
        let sums = match self.sums(parameters, moved) {
            // without noise, the sums are infinite or undefined
            Err(ModelError::NotPositiveDefinite(NotPositiveDefinite { .. })) if profile => {
                return Ok(Evidence::none(values.to_vec(), true));
            }
            other => other?,
        };
        let mut parameters = parameters.to_vec();
        if profile {
            self.profile_mean(&sums, &mut parameters);
        }
        let raw = sums.value(self.inducing.method, &problem.mean_weights(&parameters));
        let unit = problem.target_unit();
        if !raw.is_finite() {
            return Ok(Evidence::none(values.to_vec(), true));
        }
        let gradient = if gradient { self.gradient(&sums, &parameters)? } else { Vec::new() };
        parameters.extend_from_slice(&values[count.min(values.len())..]);
        Ok(Evidence {
            lml: raw + problem.log_jacobian(),
            scaled_lml: raw + problem.n() as f64 * unit.ln(),
            gradient,
            values: parameters,
            converged: true,
        })
    }

    /// Generalised least squares of the free parameters of the mean.
    fn profile_mean(&self, sums: &Sums, values: &mut [f64]) {
        let count = sums.inner.ncols() - 1;
        let first = values.len() - count;
        let profiled: Vec<usize> = (0..count).filter(|&i| is_profiled(self.problem, first + i)).collect();
        if profiled.is_empty() {
            return;
        }
        let whole = &sums.inner - sums.projected.tr_mul(&sums.projected);
        let normal = Matrix::from_fn(profiled.len(), profiled.len(), |i, j| whole[(1 + profiled[i], 1 + profiled[j])]);
        let right = Vector::from_fn(profiled.len(), |i, _| {
            let others = (0..count).filter(|j| !profiled.contains(j));
            whole[(1 + profiled[i], 0)]
                - others.map(|j| whole[(1 + profiled[i], 1 + j)] * values[first + j]).sum::<f64>()
        });
        if let Some(best) = least_squares(normal, &right).filter(|best| best.iter().all(|b| b.is_finite())) {
            profiled.iter().zip(best.iter()).for_each(|(&i, &value)| values[first + i] = value);
        }
    }
}

impl Sums {
    /// [1, −w]: T times this is y less the mean.
    fn residual(mean: &[f64]) -> Vector {
        Vector::from_iterator(1 + mean.len(), std::iter::once(1.0).chain(mean.iter().map(|w| -w)))
    }

    /// The log density, or its lower bound, on the scale of the model.
    pub fn value(&self, method: SparseMethod, mean: &[f64]) -> f64 {
        let of = Self::residual(mean);
        let square = (of.tr_mul(&self.inner) * &of)[0] - (&self.projected * &of).norm_squared();
        let n = self.lambda.len() as f64;
        let lost = match method {
            SparseMethod::Vfe => self.left_out(),
            SparseMethod::Fitc => 0.0,
        };
        -0.5 * (n * LOG_2PI + self.log_lambda + self.data.log_det() + square + lost)
    }

    /// Σ (kᵢᵢ − qᵢᵢ)/sᵢ of VFE: the variance of the function at the rows given the inducing inputs, divided by the
    /// noise.
    pub fn left_out(&self) -> f64 {
        (self.trace - (self.b.trace() - self.b.nrows() as f64)).max(0.0)
    }

    /// β, where m + k(x, Z)β is the posterior mean of f at x.
    pub fn weights(&self, mean: &[f64]) -> Vector {
        let c = &self.projected * Self::residual(mean);
        let c = Matrix::from_column_slice(c.len(), 1, c.as_slice());
        let beta = self.prior.transposed_half_solve(&self.data.transposed_half_solve(&c));
        beta.column(0).into_owned()
    }
}

#[cfg(test)]
mod tests;
