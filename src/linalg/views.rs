//! Views of nalgebra's matrices for faer, and the factorisation of a whole matrix.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor::{LltError, LltParams, cholesky_in_place, cholesky_in_place_scratch};
use faer::{Auto, MatMut, MatRef, Par, Spec};

use super::Matrix;

pub(super) fn view(matrix: &Matrix) -> MatRef<'_, f64> {
    MatRef::from_column_major_slice(matrix.as_slice(), matrix.nrows(), matrix.ncols())
}

pub(super) fn view_mut(matrix: &mut Matrix) -> MatMut<'_, f64> {
    let (rows, columns) = matrix.shape();
    MatMut::from_column_major_slice_mut(matrix.as_mut_slice(), rows, columns)
}

/// Up to so many rows the factorisation works column by column; with faer's 64, one of 180 rows takes a sixth longer.
const SMALL: usize = 32;

/// Computes the Cholesky factor in the lower triangle. The error is the first row with a pivot that is not positive.
pub(super) fn factor_whole(matrix: MatMut<'_, f64>) -> Result<(), usize> {
    let n = matrix.nrows();
    let usual = <LltParams as Auto<f64>>::auto();
    let params: Spec<LltParams, f64> = LltParams { recursion_threshold: SMALL, ..usual }.into();
    let mut buffer = MemBuffer::new(cholesky_in_place_scratch::<f64>(n, Par::Seq, params));
    cholesky_in_place(matrix, Default::default(), Par::Seq, MemStack::new(&mut buffer), params)
        .map(|_| ())
        .map_err(|LltError::NonPositivePivot { index }| index)
}
