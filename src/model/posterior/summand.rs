//! Single summands: predictions without some rows, and draws.

use super::Posterior;
use crate::kernel::{Gram, Kernel};
use crate::linalg::{Cholesky, Matrix, Vector, pivoted_cholesky, transposed_product};
use crate::model::ModelError;

impl Posterior {
    /// K⁻¹(y − m) without some rows, whose entries are 0. Parameters are unchanged.
    ///
    /// With E the columns of the identity matrix for these rows, it is α − K⁻¹E (EᵀK⁻¹E)⁻¹ Eᵀα: the formula for a
    /// single row (Rasmussen & Williams, 5.12) extended to several, from the same factorisation. For a sparse model
    /// these are the weights of its inducing inputs.
    ///
    /// # Errors
    /// [`ModelError::NotPositiveDefinite`] if EᵀK⁻¹E is singular to rounding.
    pub fn weights_without(&self, rows: &[usize]) -> Result<Vector, ModelError> {
        if let Some(induced) = &self.induced {
            return self.induced_without(induced, rows);
        }
        let mut units = Matrix::zeros(self.alpha.len(), rows.len());
        for (j, &row) in rows.iter().enumerate() {
            units[(row, j)] = 1.0;
        }
        let columns = self.factor.solve_matrix(&units);
        let own = Matrix::from_fn(rows.len(), rows.len(), |i, j| columns[(rows[i], j)]);
        let theirs = Vector::from_fn(rows.len(), |i, _| self.alpha[rows[i]]);
        let mut weights = &self.alpha - columns * Cholesky::new(own)?.solve(&theirs);
        for &row in rows {
            weights[row] = 0.0;
        }
        Ok(weights)
    }

    /// The covariance matrix of a summand at the training rows times columns of weights; for K⁻¹(y − m) it is the
    /// posterior mean there. White noise is that of each row.
    ///
    /// # Errors
    /// Rows at which the summand cannot be evaluated.
    pub fn summand_times(&self, term: &Kernel, weights: &Matrix) -> Result<Matrix, ModelError> {
        let bound = term.bind(&self.problem.schema())?.started();
        let points = bound.points(&self.problem.x())?;
        if self.induced.is_some() {
            let cross = bound.cross(&bound.values(), &points, &bound.points(&self.base())?)?;
            return Ok(cross * weights);
        }
        let mut k = Matrix::zeros(points.n(), points.n());
        Gram::new(&bound, &points).evaluate(&bound.values(), &mut k)?;
        k.fill_upper_triangle_with_lower_triangle();
        Ok(transposed_product(&k, weights))
    }

    /// The posterior mean of a summand at new rows, in O(n) per row.
    ///
    /// # Errors
    /// Rows at which the summand cannot be evaluated.
    pub fn summand_mean(&self, term: &Kernel, x: &[&[f64]]) -> Result<Vec<f64>, ModelError> {
        let bound = term.bind(&self.problem.schema())?.started();
        let cross = bound.cross(&bound.values(), &bound.points(&self.base())?, &bound.points(x)?)?;
        Ok(cross.tr_mul(&self.alpha).as_slice().to_vec())
    }

    /// The posterior mean of a summand at new rows, and draws of it, one column per draw. `normals` returns standard
    /// normal numbers.
    ///
    /// # Errors
    /// Rows at which the summand cannot be evaluated.
    pub fn summand_draws(
        &self,
        term: &Kernel,
        x: &[&[f64]],
        count: usize,
        normals: &mut dyn FnMut() -> f64,
    ) -> Result<(Vec<f64>, Matrix), ModelError> {
        let bound = term.bind(&self.problem.schema())?.started();
        let values = bound.values();
        let points = bound.points(x)?;
        let cross = bound.cross(&values, &bound.points(&self.base())?, &points)?;
        let mean = cross.tr_mul(&self.alpha);
        let mut covariance = Matrix::zeros(points.n(), points.n());
        Gram::new(&bound, &points).evaluate(&values, &mut covariance)?;
        covariance.fill_upper_triangle_with_lower_triangle();
        let half = self.halves(&cross);
        covariance -= half.product(&half);
        let factor = pivoted_cholesky(&covariance, 1e-12);
        let mut draws = &factor * Matrix::from_fn(factor.ncols(), count, |_, _| normals());
        for mut column in draws.column_iter_mut() {
            column += &mean;
        }
        Ok((mean.as_slice().to_vec(), draws))
    }
}
