use faer::dyn_stack::MemStack;
use faer::linalg::cholesky::llt;
use faer::{Conj, MatMut, Par};

use super::blocked::{self, Failure};
use super::views::{view, view_mut};
use super::{Matrix, Vector, vector};

/// The lower Cholesky factor of a symmetric matrix, with the jitter that was added to its diagonal.
#[derive(Debug, Clone)]
pub struct Cholesky {
    /// The lower triangle is the factor; the part above the diagonal is undefined.
    factor: Matrix,
    jitter: f64,
}

/// The matrix is not positive definite, even with the largest jitter.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[error("the covariance matrix of {rows} rows is not positive definite (row {pivot}){}", with_jitter(*.jitter))]
pub struct NotPositiveDefinite {
    pub rows: usize,
    /// The first row with a pivot that is not positive, from 0.
    pub pivot: usize,
    /// The largest jitter that was tried.
    pub jitter: f64,
}

fn with_jitter(jitter: f64) -> String {
    if jitter > 0.0 { format!(", even with {jitter:e} added to its diagonal") } else { String::new() }
}

/// Why a matrix was not factored or inverted.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum FactorError {
    #[error(transparent)]
    NotPositiveDefinite(#[from] NotPositiveDefinite),
    #[error("stopped")]
    Stopped,
}

/// The first jitter as a share of the mean diagonal; it grows by factors of 10.
const JITTER_LEAST: f64 = 1e-10;
const JITTER_STEPS: i32 = 7;

impl Cholesky {
    /// Factors a symmetric matrix; only the lower triangle is read.
    ///
    /// If it is not positive definite in floating point, jitter is added to the diagonal, from 1e-10 to 1e-4 of its
    /// mean by factors of ten; [`jitter`](Self::jitter) is the amount.
    ///
    /// # Errors
    /// [`NotPositiveDefinite`] if the largest jitter does not help, or an entry is not finite.
    pub fn new(matrix: Matrix) -> Result<Self, NotPositiveDefinite> {
        let n = matrix.nrows();
        let diagonal: Vec<f64> = (0..n).map(|i| matrix[(i, i)]).collect();
        let mean = diagonal.iter().sum::<f64>() / n.max(1) as f64;
        let steps = if mean.is_finite() && mean > 0.0 { JITTER_STEPS } else { 0 };
        let jitters = (0..steps).map(|step| JITTER_LEAST * 10f64.powi(step) * mean);
        Self::with_jitters(matrix, std::iter::once(0.0).chain(jitters))
    }

    /// Factors with the first of these ascending jitters that makes the matrix positive definite.
    ///
    /// # Errors
    /// [`NotPositiveDefinite`] with the last jitter if none does.
    pub fn with_jitters(matrix: Matrix, jitters: impl IntoIterator<Item = f64>) -> Result<Self, NotPositiveDefinite> {
        let n = matrix.nrows();
        Self::with_jitters_unless(matrix, jitters, &|| false).map_err(|error| match error {
            FactorError::NotPositiveDefinite(error) => error,
            FactorError::Stopped => NotPositiveDefinite { rows: n, pivot: 0, jitter: 0.0 },
        })
    }

    /// The same; ends with an error when `stop` returns true.
    ///
    /// # Errors
    /// As [`with_jitters`](Self::with_jitters); [`FactorError::Stopped`].
    pub fn with_jitters_unless(
        matrix: Matrix,
        jitters: impl IntoIterator<Item = f64>,
        stop: &dyn Fn() -> bool,
    ) -> Result<Self, FactorError> {
        let n = matrix.nrows();
        let mut factor = matrix.clone();
        let mut error = NotPositiveDefinite { rows: n, pivot: 0, jitter: 0.0 };
        for (tried, jitter) in jitters.into_iter().enumerate() {
            if tried > 0 {
                factor.copy_from(&matrix);
            }
            (0..n).for_each(|i| factor[(i, i)] += jitter);
            match factor_unless(&mut factor, stop) {
                Ok(()) => return Ok(Self { factor, jitter }),
                Err(Failure::Pivot(pivot)) => error = NotPositiveDefinite { rows: n, pivot, jitter },
                Err(Failure::Stopped) => return Err(FactorError::Stopped),
            }
        }
        Err(error.into())
    }

    /// The factor of S^−½BS^−½, where B = LLᵀ with the factor L and S^½ is diagonal.
    pub fn scaled(factor: &Matrix, root: &[f64]) -> Self {
        let mut factor = factor.clone();
        for mut column in factor.column_iter_mut() {
            column.iter_mut().zip(root).for_each(|(v, root)| *v /= root);
        }
        Self { factor, jitter: 0.0 }
    }

    /// The jitter that was added to every diagonal entry; 0 for none.
    pub fn jitter(&self) -> f64 {
        self.jitter
    }

    /// The factor in the lower triangle of a matrix; the part above the diagonal is undefined.
    pub(super) fn factor(&self) -> &Matrix {
        &self.factor
    }

    /// The number of rows (and columns) of the matrix.
    pub fn n(&self) -> usize {
        self.factor.nrows()
    }

    /// The factor L, with zeros above its diagonal.
    pub fn lower(&self) -> Matrix {
        self.factor.lower_triangle()
    }

    /// log det K = 2 Σ log Lᵢᵢ.
    pub fn log_det(&self) -> f64 {
        (0..self.n()).map(|i| self.factor[(i, i)].ln()).sum::<f64>() * 2.0
    }

    /// K⁻¹b.
    pub fn solve(&self, b: &Vector) -> Vector {
        let mut x = b.clone();
        let n = self.n();
        llt::solve::solve_in_place_with_conj(
            view(&self.factor),
            Conj::No,
            MatMut::from_column_major_slice_mut(x.as_mut_slice(), n, 1),
            Par::Seq,
            MemStack::new(&mut []),
        );
        x
    }

    /// K⁻¹B.
    pub fn solve_matrix(&self, b: &Matrix) -> Matrix {
        let mut x = b.clone();
        llt::solve::solve_in_place_with_conj(
            view(&self.factor),
            Conj::No,
            view_mut(&mut x),
            Par::Seq,
            MemStack::new(&mut []),
        );
        x
    }

    /// L⁻¹B. The squared lengths of its columns are the reductions of prior variances by the data.
    pub fn half_solve(&self, b: &Matrix) -> Matrix {
        let mut x = b.clone();
        faer::linalg::triangular_solve::solve_lower_triangular_in_place(view(&self.factor), view_mut(&mut x), Par::Seq);
        x
    }

    /// L⁻ᵀB. For a standard normal vector it is K⁻¹y, where y is a draw from N(0, K).
    pub fn transposed_half_solve(&self, b: &Matrix) -> Matrix {
        let mut x = b.clone();
        let upper = view(&self.factor).transpose();
        faer::linalg::triangular_solve::solve_upper_triangular_in_place(upper, view_mut(&mut x), Par::Seq);
        x
    }

    /// The lower triangle of K⁻¹; the part above the diagonal is undefined.
    pub fn inverse_lower(&self) -> Matrix {
        let n = self.n();
        let (mut out, mut half) = (Matrix::zeros(n, n), Matrix::zeros(n, n));
        blocked::invert_with(&mut half, &self.factor, &mut out);
        out
    }

    /// The diagonal of K⁻¹.
    pub fn inverse_diagonal(&self) -> Vector {
        self.inverse_lower().diagonal()
    }
}

/// Entries below this share of the largest variance are taken for 0: products of two of them have no full precision, for which
/// processors take many times as long, and the sum of all does not show beside the rounding of one variance.
const TINY: f64 = 1e-150;

/// Fails at the first pivot that is not positive, or not larger than the rounding of a row that depends linearly on
/// those before it (a repeated row without noise): its logarithm and its inverse would be rounding.
pub(super) fn factor_unless(matrix: &mut Matrix, stop: &dyn Fn() -> bool) -> Result<(), Failure> {
    let n = matrix.nrows();
    let diagonal = matrix.diagonal();
    let least = TINY * diagonal.iter().fold(0.0, |most: f64, v| most.max(*v));
    let all = matrix.as_mut_slice();
    if let Some(bad) = (0..n).find(|&j| !vector::clear_tiny(&mut all[j * n + j..(j + 1) * n], least)) {
        return Err(Failure::Pivot(bad));
    }
    blocked::factor(matrix, stop)?;
    let rounding = n as f64 * f64::EPSILON;
    match (0..n).find(|&i| matrix[(i, i)] * matrix[(i, i)] <= rounding * diagonal[i]) {
        Some(pivot) => Err(Failure::Pivot(pivot)),
        None => Ok(()),
    }
}

/// AᵀB by faer's blocked product.
pub fn transposed_product(a: &Matrix, b: &Matrix) -> Matrix {
    let mut out = Matrix::zeros(a.ncols(), b.ncols());
    faer::linalg::matmul::matmul(view_mut(&mut out), faer::Accum::Replace, view(a).transpose(), view(b), 1.0, Par::Seq);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gram(n: usize) -> Matrix {
        Matrix::from_fn(n, n, |i, j| (-0.5 * (i as f64 - j as f64).powi(2) / 9.0).exp() + f64::from(u8::from(i == j)))
    }

    #[test]
    fn solves_and_inverts() {
        for n in [0, 1, 7, 150] {
            let k = gram(n);
            let chol = Cholesky::new(k.clone()).unwrap();
            assert_eq!(chol.jitter(), 0.0);
            let b = Vector::from_fn(n, |i, _| (i as f64).sin());
            assert!((&k * chol.solve(&b) - &b).amax() < 1e-12 || n == 0);
            let inverse = chol.inverse_lower();
            for j in 0..n {
                for i in j..n {
                    let expected = chol.solve(&Vector::from_fn(n, |r, _| f64::from(u8::from(r == j))))[i];
                    assert!((inverse[(i, j)] - expected).abs() < 1e-12);
                }
            }
            let lower = chol.lower();
            let sides = Matrix::from_fn(n, 3, |i, j| (i as f64 + 0.3).sin() + j as f64);
            assert!(n == 0 || (lower.transpose() * chol.transposed_half_solve(&sides) - &sides).amax() < 1e-12);
            assert!((&lower * lower.transpose() - &k).amax() < 1e-12 || n == 0);
        }
    }

    #[test]
    fn singular_matrices_take_jitter_and_say_so() {
        let chol = Cholesky::new(Matrix::from_element(5, 5, 2.0)).unwrap();
        assert!(chol.jitter() >= 2e-10 && chol.jitter() < 1e-4);
    }

    #[test]
    fn hopeless_matrices_are_refused() {
        let mut k = gram(4);
        k[(2, 2)] = -3.0;
        assert_eq!(Cholesky::new(k).unwrap_err().pivot, 2);
        let mut k = gram(4);
        k[(3, 1)] = f64::NAN;
        assert!(Cholesky::new(k).is_err());
    }

    #[test]
    fn products_of_transposes() {
        let (a, b) = (Matrix::from_fn(4, 3, |i, j| (i + 2 * j) as f64), Matrix::from_fn(4, 2, |i, j| (i * j) as f64));
        assert_eq!(transposed_product(&a, &b), a.transpose() * &b);
    }
}
