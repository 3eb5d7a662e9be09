//! Draws of functions from a posterior.

use super::Posterior;
use crate::linalg::{Matrix, Vector, pivoted_cholesky, pivoted_columns};
use crate::model::{ModelError, refuse_if_rough, refuse_if_wide};

/// The posterior covariance of more rows than this is not stored for draws: a factor of it is computed column by column.
const DENSE_ROWS: usize = 2000;
/// The share of the largest variance at which a factor of a covariance ends.
const RANK_TOLERANCE: f64 = 1e-12;

impl Posterior {
    /// The posterior covariance of f at new rows.
    ///
    /// # Errors
    /// Rows at which the kernel cannot be evaluated.
    pub fn covariance(&self, x: &[&[f64]]) -> Result<Matrix, ModelError> {
        let (cross, _, _) = self.against(x)?;
        let half = self.halves(&cross);
        let m = cross.ncols();
        let bound = self.problem.bound();
        let points = bound.points(x)?;
        let mut prior = Matrix::zeros(m, m);
        crate::kernel::Gram::new(bound, &points).evaluate(self.problem.kernel_values(&self.values), &mut prior)?;
        prior.fill_upper_triangle_with_lower_triangle();
        Ok(prior - half.product(&half))
    }

    /// A factor of the posterior covariance of many rows, which is not stored, for a kernel without noise of its own.
    fn covariance_factor(&self, x: &[&[f64]]) -> Result<Matrix, ModelError> {
        let (cross, diagonal, _) = self.against(x)?;
        let half = self.halves(&cross);
        let left = diagonal.iter().zip(half.squares()).map(|(prior, known)| prior - known).collect();
        let (bound, values) = (self.problem.bound(), self.problem.kernel_values(&self.values));
        let points = bound.points(x)?;
        pivoted_columns(left, cross.ncols(), RANK_TOLERANCE, |pivot, rank| {
            refuse_if_rough(rank, cross.ncols())?;
            let row: Vec<&[f64]> = x.iter().map(|column| &column[pivot..=pivot]).collect();
            let prior = bound.cross(values, &points, &bound.points(&row)?)?;
            Ok((prior - half.product(&half.at(pivot))).as_slice().to_vec())
        })
    }

    /// Draws of f at new rows, one column per draw. `normals` returns standard normal numbers.
    ///
    /// # Errors
    /// Rows at which the kernel cannot be evaluated; [`ModelError::TooLarge`] where they do not fit into memory.
    pub fn draws(&self, x: &[&[f64]], count: usize, normals: &mut dyn FnMut() -> f64) -> Result<Matrix, ModelError> {
        let rows = x.first().map_or(0, |column| column.len());
        refuse_if_wide(self.alpha.len(), rows)?;
        let mean = Vector::from_vec(self.predict_mean(x)?);
        let factor = match rows > DENSE_ROWS && !self.problem.bound().tells_rows_apart() {
            true => self.covariance_factor(x)?,
            false => {
                refuse_if_wide(rows, rows)?;
                pivoted_cholesky(&self.covariance(x)?, RANK_TOLERANCE)
            }
        };
        let z = Matrix::from_fn(factor.ncols(), count, |_, _| normals());
        let mut draws = factor * z;
        for mut column in draws.column_iter_mut() {
            column += &mean;
        }
        Ok(draws)
    }
}

#[cfg(test)]
mod tests {
    use crate::data::{self, Options};
    use crate::fit::condition;
    use crate::kernel::{Kernel, families::family};
    use crate::model::{Inducing, Model, Sparse, SparseMethod};

    #[test]
    fn the_factor_of_a_covariance_that_is_not_stored_has_its_products() {
        let data = data::load("motorcycle", &[], &Options::default()).unwrap();
        let model = Model::new(Kernel::family(family("Matern52").unwrap()));
        let sparse = Sparse { method: SparseMethod::Vfe, inducing: Inducing::Count(8) };
        let at: Vec<f64> = (0..60).map(|i| f64::from(i) - 2.0).collect();
        for model in [model.clone(), Model { sparse: Some(sparse), ..model }] {
            let fit = condition(&model, &data).unwrap();
            let whole = fit.posterior.covariance(&[&at]).unwrap();
            let factor = fit.posterior.covariance_factor(&[&at]).unwrap();
            let difference = (&factor * factor.transpose() - &whole).amax();
            assert!(difference < 1e-9 * whole.amax(), "{difference}");
        }
    }
}
