//! The last layer with its pseudo outputs integrated out.
//!
//! Given samples of the layer before, the optimal normal distribution of the whitened pseudo outputs v has a closed form
//! (Titsias, 2009), with averages over the samples: with a = L⁻¹ k(Z, h) for every row and sample, σ² the noise variance
//! and B = I + mean(Σ a aᵀ)/σ², it is N(B⁻¹ mean(Σ a y)/σ², B⁻¹). A model of one layer is sparse variational regression.

use super::tape::{Tape, TapeError, Var};
use crate::linalg::{LOG_2PI, Matrix};

/// The inputs of the bound of the last layer.
pub(super) struct LastLayer<'y> {
    /// L⁻¹ times the covariance of the pseudo outputs with the rows of all samples.
    pub half: Var,
    /// The variance of each row given the pseudo outputs.
    pub variance: Var,
    pub y: &'y [f64],
    pub samples: usize,
    /// The variance of observations.
    pub noise: Var,
}

impl LastLayer<'_> {
    fn targets(&self) -> Matrix {
        Matrix::from_column_slice(self.y.len() * self.samples, 1, &self.y.repeat(self.samples))
    }

    /// The bound on the log likelihood of the targets, averaged over the samples.
    ///
    /// # Errors
    /// A precision that is not positive definite.
    pub fn bound(&self, tape: &mut Tape<'_>) -> Result<Var, TapeError> {
        let n = self.y.len() as f64;
        let precision = tape.reciprocal(self.noise);
        let per_sample = tape.combine(vec![(precision, 1.0 / self.samples as f64)]);
        let rows = tape.transpose(self.half);
        let squares = tape.transposed_product(rows, rows);
        let squares = tape.scale(squares, per_sample);
        let posterior_precision = tape.add_identity(squares);
        let factor = tape.cholesky(posterior_precision)?;
        let targets = tape.leaf(self.targets());
        let products = tape.transposed_product(rows, targets);
        let products = tape.scale(products, per_sample);
        let solved = tape.solve_lower(factor, products);
        let explained = tape.sum_squares(solved);
        let squared = tape.leaf(Matrix::from_element(1, 1, self.y.iter().map(|y| y * y).sum()));
        let squared = tape.scale(squared, precision);
        let variances = tape.sum(self.variance);
        let variances = tape.scale(variances, per_sample);
        let log_determinant = tape.log_diagonal(factor);
        let log_noise = tape.log(self.noise);
        let constant = tape.leaf(Matrix::from_element(1, 1, -0.5 * n * LOG_2PI));
        Ok(tape.combine(vec![
            (explained, 0.5),
            (squared, -0.5),
            (variances, -0.5),
            (log_determinant, -1.0),
            (log_noise, -0.5 * n),
            (constant, 1.0),
        ]))
    }

    /// The mean of the whitened pseudo outputs and a root of their covariance.
    ///
    /// # Errors
    /// A precision that is not positive definite.
    pub fn posterior(&self, tape: &Tape<'_>) -> Result<(Matrix, Matrix), TapeError> {
        let half = tape.value(self.half);
        let scale = 1.0 / (self.samples as f64 * tape.value(self.noise)[(0, 0)]);
        let m = half.nrows();
        let precision = Matrix::identity(m, m) + half * half.transpose() * scale;
        let factor = nalgebra::Cholesky::new(precision).ok_or(TapeError::NotPositiveDefinite)?;
        let mean = factor.solve(&(half * self.targets() * scale));
        let mut inverse = Matrix::identity(m, m);
        factor.l().solve_lower_triangular_unchecked_mut(&mut inverse);
        Ok((mean, inverse.transpose()))
    }
}
