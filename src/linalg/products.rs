//! Products over blocks of rows, for sums over many rows of which only some are in memory at a time.

use faer::linalg::matmul::matmul;
use faer::linalg::matmul::triangular::{BlockStructure, matmul as triangular};
use faer::{Accum, Par};

use super::views::{view, view_mut};
use super::{Cholesky, Matrix};

/// out ← AB.
pub fn product(a: &Matrix, b: &Matrix, out: &mut Matrix) {
    if out.shape() != (a.nrows(), b.ncols()) {
        *out = Matrix::zeros(a.nrows(), b.ncols());
    }
    matmul(view_mut(out), Accum::Replace, view(a), view(b), 1.0, Par::Seq);
}

/// The lower triangle of `out` ← `out` + AᵀB, where AᵀB is symmetric.
pub fn add_symmetric_product(a: &Matrix, b: &Matrix, out: &mut Matrix) {
    let (whole, lower) = (BlockStructure::Rectangular, BlockStructure::TriangularLower);
    triangular(view_mut(out), lower, Accum::Add, view(a).transpose(), whole, view(b), whole, 1.0, Par::Seq);
}

/// out ← out + AᵀB.
pub fn add_transposed_product(a: &Matrix, b: &Matrix, out: &mut Matrix) {
    matmul(view_mut(out), Accum::Add, view(a).transpose(), view(b), 1.0, Par::Seq);
}

impl Cholesky {
    /// B ← BL⁻ᵀ: [`half_solve`](Self::half_solve) for the transpose.
    pub fn half_solve_rows(&self, rows: &mut Matrix) {
        let lower = view(self.factor());
        faer::linalg::triangular_solve::solve_lower_triangular_in_place(
            lower,
            view_mut(rows).transpose_mut(),
            Par::Seq,
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_over_rows() {
        let a = Matrix::from_fn(7, 3, |i, j| ((i * 3 + j * 5) as f64).sin());
        let b = Matrix::from_fn(3, 4, |i, j| (i as f64 - j as f64).cos());
        let mut out = Matrix::zeros(0, 0);
        product(&a, &b, &mut out);
        assert!((&out - &a * &b).amax() < 1e-14);
        let mut gram = Matrix::identity(3, 3);
        add_symmetric_product(&a, &a, &mut gram);
        let whole = a.tr_mul(&a) + Matrix::identity(3, 3);
        assert!((gram.lower_triangle() - whole.lower_triangle()).amax() < 1e-14);
        let mut sum = Matrix::identity(3, 3);
        add_transposed_product(&a, &a, &mut sum);
        assert!((sum - &whole).amax() < 1e-14);
        let factor = Cholesky::new(whole).unwrap();
        let mut rows = a.clone();
        factor.half_solve_rows(&mut rows);
        assert!((rows.transpose() - factor.half_solve(&a.transpose())).amax() < 1e-14);
    }
}
