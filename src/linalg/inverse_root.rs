//! The inverse square root of a symmetric matrix.

use super::Matrix;

/// VΛ^{−½} for a symmetric matrix VΛVᵀ, with eigenvalues of at least `least`, and the log of the absolute value of its
/// determinant.
pub fn inverse_root(matrix: Matrix, least: f64) -> (Matrix, f64) {
    let eigen = matrix.symmetric_eigen();
    let widths = eigen.eigenvalues.map(|value| 1.0 / value.max(least).sqrt());
    (eigen.eigenvectors * Matrix::from_diagonal(&widths), widths.iter().map(|w| w.ln()).sum())
}
