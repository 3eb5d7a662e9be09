//! The posterior of a sparse model: covariances with the inducing inputs replace those with all training rows.

use super::{Moments, Posterior, Replicates, mean_at};
use crate::kernel::{Cross, Kernel};
use crate::linalg::{Cholesky, Matrix, Vector, least_squares, transposed_product};
use crate::model::half_covariances::{Halves, Induced, OwnRows, Term, own_noise};
use crate::model::inducing::SparseMethod;
use crate::model::sparse::SparseProblem;
use crate::model::{ModelError, Problem};
use crate::progress::Progress;

impl Posterior {
    pub(super) fn through_inducing(
        problem: Problem,
        values: Vec<f64>,
        progress: &dyn Progress,
    ) -> Result<Self, ModelError> {
        let count = problem.parameters().len();
        let (values, moved) = values.split_at(count.min(values.len()));
        let problem = if moved.is_empty() { problem } else { problem.induced_at(moved) };
        let Some(inducing) = problem.inducing() else { return Err(ModelError::NoRows) };
        let moved = inducing.moved();
        let sparse = SparseProblem { problem: &problem, inducing, progress };
        let sums = sparse.sums(values, &moved)?;
        let mean = problem.mean_weights(values);
        let (alpha, lml) = (sums.weights(&mean), sums.value(inducing.method, &mean) + problem.log_jacobian());
        let induced = Induced { method: inducing.method, data: sums.data, lambda: sums.lambda };
        let (factor, values) = (sums.prior, values.to_vec());
        Ok(Self { problem, values, factor, alpha, lml, pseudo: None, induced: Some(induced) })
    }

    /// The inputs of the base rows: the training rows, or the inducing inputs of a sparse model.
    pub(super) fn base(&self) -> Vec<&[f64]> {
        match self.problem.inducing() {
            Some(inducing) => inducing.x.iter().map(|c| &c[..]).collect(),
            None => self.problem.x(),
        }
    }

    pub(super) fn halves(&self, cross: &Matrix) -> Halves {
        let plus = self.factor.half_solve(cross);
        let minus = self.induced.as_ref().map(|induced| induced.data.half_solve(&plus));
        Halves::new(plus, minus)
    }

    /// Covariances of the inducing inputs (rows) with the training rows (columns).
    fn crossed(&self) -> Result<Matrix, ModelError> {
        let bound = self.problem.bound();
        let values = self.problem.kernel_values(&self.values);
        Ok(bound.cross(values, &bound.points(&self.base())?, self.problem.points())?)
    }

    pub(super) fn own_rows(&self, training: bool) -> Result<Option<OwnRows>, ModelError> {
        let Some(induced) = self.induced.as_ref().filter(|_| training && self.problem.bound().tells_rows_apart())
        else {
            return Ok(None);
        };
        let cross = self.crossed()?;
        let residual = self.residual_of(&cross)?;
        let inverse: Vec<f64> = induced.lambda.iter().map(|l| 1.0 / l).collect();
        let weights = residual.iter().zip(&inverse).map(|(r, i)| r * i).collect();
        let minus = induced.data.half_solve(&self.factor.half_solve(&cross));
        Ok(Some(OwnRows { weights, inverse, minus }))
    }

    /// y − m − k(x, Z)β at the training rows.
    fn residual_of(&self, cross: &Matrix) -> Result<Vector, ModelError> {
        let n = self.problem.n();
        let y = Vector::from_column_slice(self.problem.y());
        Ok(y - mean_at(&self.problem, &self.values, &self.problem.x(), n)? - cross.tr_mul(&self.alpha))
    }

    pub(super) fn mean_of(&self, term: &Term, rows: Option<&OwnRows>) -> Vec<f64> {
        let mut mean = term.cross.tr_mul(&self.alpha).as_slice().to_vec();
        if let (Some(noise), Some(rows)) = (&term.own, rows) {
            mean.iter_mut().zip(noise).zip(&rows.weights).for_each(|((mean, noise), weight)| *mean += noise * weight);
        }
        mean
    }

    /// The mean of a summand at the training rows, computed in blocks of rows.
    pub(super) fn induced_summand(&self, term: &Kernel) -> Result<Vec<f64>, ModelError> {
        let bound = term.bind(&self.problem.schema())?.started();
        let (values, base, x) = (bound.values(), bound.points(&self.base())?, self.problem.x());
        let mut mean = Vec::with_capacity(self.problem.n());
        for first in (0..self.problem.n()).step_by(ROWS) {
            let last = (first + ROWS).min(self.problem.n());
            let some: Vec<&[f64]> = x.iter().map(|column| &column[first..last]).collect();
            let cross = bound.cross(&values, &base, &bound.points(&some)?)?;
            mean.extend_from_slice(cross.tr_mul(&self.alpha).as_slice());
        }
        Ok(mean)
    }

    /// The moments of f at the training rows: as at new rows with these inputs, but with the white noise of each row.
    pub(super) fn induced_at_training(&self) -> Result<Moments, ModelError> {
        let bound = self.problem.bound();
        let values = self.problem.kernel_values(&self.values);
        let points = self.problem.points();
        let x = self.problem.x();
        let mut here = self.predict(&x)?;
        let Some(own) = own_noise(bound, values, points)? else { return Ok(here) };
        let term = Term { cross: self.crossed()?, diagonal: bound.diagonal(values, points)?, own: Some(own) };
        let rows = self.own_rows(true)?;
        let known = self.halves(&term.cross).of_term(&term, rows.as_ref()).squares();
        here.var_f = term.diagonal.iter().zip(known).map(|(d, known)| (d - known).max(0.0)).collect();
        here.mean = self.mean_of(&term, rows.as_ref());
        crate::linalg::vector::add(&mut here.mean, &self.problem.mean_at(&x, points.n(), &self.values)?);
        Ok(here)
    }

    /// Leave-one-out predictions with the inducing inputs and all parameters unchanged, from 1/λ − kᵀA⁻¹k/λ².
    pub(super) fn left_out_of_induced(&self, induced: &Induced) -> Result<Vec<(f64, f64)>, ModelError> {
        let problem = &self.problem;
        let bound = problem.bound();
        let values = problem.kernel_values(&self.values);
        let base = bound.points(&self.base())?;
        let n = problem.n();
        let x = problem.x();
        let mut out = Vec::with_capacity(n);
        let mut evaluator = Cross::new(bound);
        for first in (0..n).step_by(ROWS) {
            let rows = first..(first + ROWS).min(n);
            let points = problem.points().rows(rows.clone());
            let cross = bound.cross(values, &base, &points)?;
            let half = self.halves(&cross);
            let shared = evaluator.diagonal(values, &points, true)?;
            let some: Vec<&[f64]> = x.iter().map(|column| &column[rows.clone()]).collect();
            let mean = mean_at(problem, &self.values, &some, rows.len())? + cross.tr_mul(&self.alpha);
            let minus = half.minus().cloned().unwrap_or_else(|| Matrix::zeros(0, rows.len()));
            for (i, row) in rows.enumerate() {
                let inverse = 1.0 / induced.lambda[row];
                let own = inverse - minus.column(i).norm_squared() * inverse * inverse;
                let y = problem.y()[row];
                let lost = match induced.method {
                    SparseMethod::Fitc => 0.0,
                    SparseMethod::Vfe => (shared[i] - half.plus().column(i).norm_squared()).max(0.0),
                };
                out.push((y - (y - mean[i]) * inverse / own, 1.0 / own + lost));
            }
        }
        Ok(out)
    }

    /// The weights of the inducing inputs without some training rows.
    pub(super) fn induced_without(&self, induced: &Induced, rows: &[usize]) -> Result<Vector, ModelError> {
        let problem = &self.problem;
        let bound = problem.bound();
        let values = problem.kernel_values(&self.values);
        let take = |column: &[f64]| rows.iter().map(|&i| column[i]).collect::<Vec<f64>>();
        let x: Vec<Vec<f64>> = problem.x().iter().map(|column| take(column)).collect();
        let some: Vec<&[f64]> = x.iter().map(|c| &c[..]).collect();
        let mut v =
            self.factor.half_solve(&bound.cross(values, &bound.points(&self.base())?, &bound.points(&some)?)?);
        for (mut column, &row) in v.column_iter_mut().zip(rows) {
            column /= induced.lambda[row].sqrt();
        }
        let y = Vector::from_vec(take(problem.y())) - mean_at(problem, &self.values, &some, rows.len())?;
        let scaled = Vector::from_fn(rows.len(), |i, _| y[i] / induced.lambda[rows[i]].sqrt());
        // B = L_B L_Bᵀ and Lᵀβ = B⁻¹VΛ⁻¹r, both without the contributions of these rows
        let lower = induced.data.lower();
        let whole = &lower * lower.transpose();
        let right = &whole * (self.factor.lower().transpose() * &self.alpha) - &v * scaled;
        let solved = Cholesky::new(whole - &v * v.transpose())?.solve(&right);
        let solved = Matrix::from_column_slice(solved.len(), 1, solved.as_slice());
        Ok(self.factor.transposed_half_solve(&solved).column(0).into_owned())
    }

    /// As [`Posterior::replicates`], for the approximation: y = m + Λ^½(I + UUᵀ)^½z with U = Λ^−½K_fuL⁻ᵀ.
    pub(super) fn induced_replicates(
        &self,
        induced: &Induced,
        normals: &Matrix,
        refit: &[usize],
    ) -> Result<Replicates, ModelError> {
        let problem = &self.problem;
        let (n, x) = (problem.n(), problem.x());
        let mut u = self.factor.half_solve(&self.crossed()?);
        let root = Vector::from_iterator(n, induced.lambda.iter().map(|l| l.sqrt()));
        u.column_iter_mut().zip(root.iter()).for_each(|(mut column, root)| column /= *root);
        let eigen = nalgebra::SymmetricEigen::new(&u * u.transpose());
        // (√(1 + d) − 1)/d, which is ½ at 0
        let stretch = eigen.eigenvalues.map(|d| 1.0 / ((1.0 + d.max(0.0)).sqrt() + 1.0));
        let along = transposed_product(&eigen.eigenvectors, &(&u * normals));
        let along = Matrix::from_fn(along.nrows(), along.ncols(), |i, j| along[(i, j)] * stretch[i]);
        // (I + UUᵀ)^½z, in units of the noise
        let mut y = normals + transposed_product(&u, &(&eigen.eigenvectors * along));
        // (I + UUᵀ)⁻¹
        let solve = |y: &Matrix| y - transposed_product(&u, &induced.data.solve_matrix(&(&u * y)));
        let basis = problem.mean_slopes(&x, n, &self.values)?;
        let columns: Vec<&Vec<f64>> = refit.iter().filter_map(|&i| basis.get(i)).collect();
        let mut shift = Matrix::zeros(n, normals.ncols());
        if !columns.is_empty() {
            let h = Matrix::from_fn(n, columns.len(), |i, j| columns[j][i] / root[i]);
            let solved = solve(&h);
            let (normal, right) = (transposed_product(&h, &solved), transposed_product(&solved, &y));
            for (j, right) in right.column_iter().enumerate() {
                if let Some(weights) = least_squares(normal.clone(), &right.into_owned()) {
                    shift.column_mut(j).copy_from(&(&h * weights));
                }
            }
            y -= &shift;
        }
        let mut standardized = solve(&y);
        let mean = mean_at(problem, &self.values, &x, n)?;
        // the part explained by the inducing inputs: UUᵀ(I + UUᵀ)⁻¹y
        let mut fitted = transposed_product(&u, &(&u * &standardized)) + shift;
        let half = induced.data.half_solve(&u);
        for i in 0..n {
            let own = (1.0 - half.column(i).norm_squared()).max(f64::MIN_POSITIVE).sqrt();
            standardized.row_mut(i).iter_mut().for_each(|s| *s /= own);
            fitted.row_mut(i).iter_mut().for_each(|f| *f = *f * root[i] + mean[i]);
        }
        Ok(Replicates { fitted, standardized })
    }
}

/// The number of rows in a block.
const ROWS: usize = 2048;
