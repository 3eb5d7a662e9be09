use faer::dyn_stack::MemStack;
use faer::linalg::cholesky::llt;
use faer::linalg::triangular_solve::solve_lower_triangular_in_place;
use faer::{Conj, MatMut, Par};

use super::blocked::{self, Failure};
use super::cholesky::{FactorError, factor_unless};
use super::nearly_toeplitz::NearlyToeplitz;
use super::views::{view, view_mut};
use super::{Matrix, NotPositiveDefinite};
use crate::progress::{Progress, Silent};

/// Memory for factoring matrices of one size repeatedly, as in a fit.
///
/// At n = 1000, allocating memory for every evaluation costs about a quarter of a factorisation.
pub struct Workspace<'p> {
    /// The matrix, in its lower triangle; after [`factor`](Self::factor) its Cholesky factor.
    pub matrix: Matrix,
    inverse: Matrix,
    /// What makes the inverse cheap.
    structure: Option<NearlyToeplitz>,
    tolerance: f64,
    /// Room for the inverse of the factor.
    half: Matrix,
    progress: &'p dyn Progress,
}

impl<'p> Workspace<'p> {
    /// For matrices with `n` rows.
    pub fn new(n: usize) -> Self {
        let (matrix, inverse, half) = (Matrix::zeros(n, n), Matrix::zeros(0, 0), Matrix::zeros(0, 0));
        Self { matrix, inverse, half, structure: None, tolerance: 0.0, progress: &Silent }
    }

    /// The same; a log determinant may have an error of about this, if that takes less time. None by default.
    pub fn to_within(self, tolerance: f64) -> Self {
        Self { tolerance, ..self }
    }

    /// The same; work on large matrices ends with an error when the user stops it.
    pub fn stopped_by(self, progress: &'p dyn Progress) -> Self {
        Self { progress, ..self }
    }

    /// Factors the matrix in place, without jitter. With a tolerance, one that is nearly the same along its diagonals takes
    /// less time.
    ///
    /// # Errors
    /// [`NotPositiveDefinite`] with a jitter of 0, or [`FactorError::Stopped`]; the matrix is then undefined.
    pub fn factor(&mut self) -> Result<(), FactorError> {
        self.structure = match self.tolerance > 0.0 {
            true => NearlyToeplitz::factor(&self.matrix, &mut self.inverse, self.tolerance),
            false => None,
        };
        if self.structure.is_some() {
            std::mem::swap(&mut self.matrix, &mut self.inverse);
            return Ok(());
        }
        let rows = self.matrix.nrows();
        factor_unless(&mut self.matrix, &|| self.progress.stop()).map_err(|failure| match failure {
            Failure::Pivot(pivot) => NotPositiveDefinite { rows, pivot, jitter: 0.0 }.into(),
            Failure::Stopped => FactorError::Stopped,
        })
    }

    /// log det K = 2 Σ log Lᵢᵢ, after factoring.
    pub fn log_det(&self) -> f64 {
        self.log_det_in(1.0)
    }

    /// log det (K/unit²), after factoring.
    pub fn log_det_in(&self, unit: f64) -> f64 {
        (0..self.matrix.nrows()).map(|i| (self.matrix[(i, i)] / unit).ln()).sum::<f64>() * 2.0
    }

    /// b ← K⁻¹b of some columns b, one after the other, after factoring.
    pub fn solve(&mut self, b: &mut [f64]) {
        if let Some(structure) = &mut self.structure {
            structure.solve(&self.matrix, b);
            return;
        }
        let n = self.matrix.nrows();
        let columns = b.len() / n.max(1);
        llt::solve::solve_in_place_with_conj(
            view(&self.matrix),
            Conj::No,
            MatMut::from_column_major_slice_mut(b, n, columns),
            Par::Seq,
            MemStack::new(&mut []),
        );
    }

    /// B ← L⁻¹B with K = LLᵀ, after factoring.
    pub fn half_solve(&self, b: &mut Matrix) {
        solve_lower_triangular_in_place(view(&self.matrix), view_mut(b), Par::Seq);
    }

    /// Computes K⁻¹ after factoring, in the lower triangle.
    ///
    /// # Errors
    /// [`FactorError::Stopped`].
    pub fn invert(&mut self) -> Result<&Matrix, FactorError> {
        let n = self.matrix.nrows();
        if self.inverse.nrows() != n {
            self.inverse = Matrix::zeros(n, n);
        }
        if self.structure.as_mut().is_some_and(|structure| structure.invert(&self.matrix, &mut self.inverse)) {
            return Ok(&self.inverse);
        }
        if blocked::is_large(n) {
            let done = blocked::invert(&self.matrix, &mut self.inverse, &|| self.progress.stop());
            return if done { Ok(&self.inverse) } else { Err(FactorError::Stopped) };
        }
        if self.half.nrows() != n {
            self.half = Matrix::zeros(n, n);
        }
        blocked::invert_with(&mut self.half, &self.matrix, &mut self.inverse);
        Ok(&self.inverse)
    }

    /// The last result of [`invert`](Self::invert).
    pub fn inverse(&self) -> &Matrix {
        &self.inverse
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::{Cholesky, Vector};

    /// A smooth covariance with noise.
    fn smooth(n: usize) -> Matrix {
        Matrix::from_fn(n, n, |i, j| (-0.1 * (i as f64 - j as f64).powi(2)).exp() + f64::from(u8::from(i == j)))
    }

    #[test]
    fn agrees_with_the_plain_factorization() {
        let n = 40;
        let k = smooth(n);
        let plain = Cholesky::new(k.clone()).unwrap();
        let mut work = Workspace::new(n);
        for _ in 0..2 {
            work.matrix.copy_from(&k);
            work.factor().unwrap();
            assert_eq!(work.log_det(), plain.log_det());
            assert_eq!(work.invert().unwrap().lower_triangle(), plain.inverse_lower().lower_triangle());
            let mut same = Matrix::identity(n, n);
            work.half_solve(&mut same);
            let inverse = plain.solve_matrix(&Matrix::identity(n, n));
            assert!((same.tr_mul(&same) - inverse).amax() < 1e-12);
        }
        work.matrix[(3, 3)] = -1.0;
        assert!(work.factor().is_err());
    }

    #[test]
    fn with_a_tolerance_it_nearly_agrees() {
        let n = 200;
        let k = smooth(n);
        let plain = Cholesky::new(k.clone()).unwrap();
        let mut work = Workspace::new(n).to_within(1e-3);
        for matrix in [&k, &k.map(|v| v.powi(2)), &k] {
            work.matrix.copy_from(matrix);
            work.factor().unwrap();
            assert!(work.structure.is_some());
        }
        assert!((work.log_det() - plain.log_det()).abs() < 1e-9);
        let inverse = work.invert().unwrap().lower_triangle();
        assert!((inverse - plain.inverse_lower().lower_triangle()).amax() < 1e-10);
        let mut b = vec![1.0; n];
        work.solve(&mut b);
        assert!((plain.solve(&Vector::from_element(n, 1.0)) - Vector::from_vec(b)).amax() < 1e-10);
    }
}
