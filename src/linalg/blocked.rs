//! Factorisation and inversion by blocks: of large matrices, so that they can be stopped between two blocks, and inversion of
//! smaller ones by panels, which is faster than by recursion.

use faer::linalg::matmul::matmul;
use faer::linalg::triangular_inverse::invert_lower_triangular;
use faer::linalg::triangular_solve::{solve_lower_triangular_in_place, solve_upper_triangular_in_place};
use faer::{Accum, MatMut, MatRef, Par};

use super::Matrix;
use super::views::{factor_whole, view, view_mut};

/// Smaller matrices are factored in one step: a fraction of a second.
const LARGE: usize = 1024;
/// The number of columns of a block.
const BLOCK: usize = 128;
/// The number of rows of a panel of an inverse that is computed with the inverse of its factor.
const PANEL: usize = 24;
/// The number of rows of a block per task. It does not depend on the number of threads, nor does the result.
const ROWS: usize = 512;

/// Why the factorisation failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Failure {
    /// The pivot of this row is not positive.
    Pivot(usize),
    Stopped,
}

/// Whether a matrix with this number of rows is processed in blocks.
pub(super) fn is_large(n: usize) -> bool {
    n > LARGE
}

/// Computes the Cholesky factor in the lower triangle. `stop` is called before each block of columns.
pub(super) fn factor(matrix: &mut Matrix, stop: &dyn Fn() -> bool) -> Result<(), Failure> {
    let n = matrix.nrows();
    if !is_large(n) {
        return factor_whole(view_mut(matrix)).map_err(Failure::Pivot);
    }
    for first in (0..n).step_by(BLOCK) {
        if stop() {
            return Err(Failure::Stopped);
        }
        let width = BLOCK.min(n - first);
        let (done, rest) = view_mut(matrix).split_at_col_mut(first);
        let done = done.as_ref().subrows(first, n - first);
        let mut block = rest.submatrix_mut(first, 0, n - first, width);
        // the update from the columns before, then the factor of the block itself and the part below it
        take_off(block.as_mut(), done, done.subrows(0, width));
        let (mut own, below) = block.split_at_row_mut(width);
        factor_whole(own.as_mut()).map_err(|pivot| Failure::Pivot(first + pivot))?;
        solve_rows(own.as_ref(), below);
    }
    Ok(())
}

/// B ← B − A Cᵀ, with blocks of rows in parallel.
fn take_off(b: MatMut<'_, f64>, a: MatRef<'_, f64>, c: MatRef<'_, f64>) {
    let Some(half) = half_of_rows(b.nrows()) else {
        matmul(b, Accum::Add, a, c.transpose(), -1.0, Par::Seq);
        return;
    };
    let (above, below) = b.split_at_row_mut(half);
    let (first, second) = a.split_at_row(half);
    rayon::join(|| take_off(above, first, c), || take_off(below, second, c));
}

/// B ← B L⁻ᵀ, with blocks of rows in parallel.
fn solve_rows(lower: MatRef<'_, f64>, b: MatMut<'_, f64>) {
    let Some(half) = half_of_rows(b.nrows()) else {
        solve_lower_triangular_in_place(lower, b.transpose_mut(), Par::Seq);
        return;
    };
    let (above, below) = b.split_at_row_mut(half);
    rayon::join(|| solve_rows(lower, above), || solve_rows(lower, below));
}

/// The row at which rows are divided in two; `None` if they are few.
fn half_of_rows(rows: usize) -> Option<usize> {
    (rows > ROWS).then(|| rows.div_ceil(ROWS).div_ceil(2) * ROWS)
}

/// Computes the lower triangle of the inverse, L⁻ᵀL⁻¹, from the factor L; the part above the diagonal is undefined. `half` is
/// room for L⁻¹. Both are products of panels: of some hundred rows they take two thirds of the time of recursions down to
/// small blocks.
pub(super) fn invert_with(half: &mut Matrix, factor: &Matrix, out: &mut Matrix) {
    let n = factor.nrows();
    invert_factor(view(factor), view_mut(half));
    let (half, mut out) = (view(half), view_mut(out));
    for first in (0..n).step_by(PANEL) {
        let width = PANEL.min(n - first);
        let columns = first + width;
        let panel = half.submatrix(first, first, n - first, width);
        let others = half.submatrix(first, 0, n - first, columns);
        let rows = out.as_mut().submatrix_mut(first, 0, width, columns);
        matmul(rows, Accum::Replace, panel.transpose(), others, 1.0, Par::Seq);
    }
}

/// L⁻¹ with zeros beside the diagonal, in the panels that [`invert_with`] reads: rows of a panel are −D⁻¹(C B), where D is the
/// panel's block of the diagonal, C what is left of it, and B the rows above, inverted.
fn invert_factor(factor: MatRef<'_, f64>, mut out: MatMut<'_, f64>) {
    let n = factor.nrows();
    let mut room = Matrix::zeros(PANEL, n);
    for first in (0..n).step_by(PANEL) {
        let width = PANEL.min(n - first);
        let (above, rows) = out.as_mut().split_at_row_mut(first);
        let (left, right) = rows.split_at_col_mut(first);
        let mut own = right.submatrix_mut(0, 0, width, width);
        own.fill(0.0);
        invert_lower_triangular(own.as_mut(), factor.submatrix(first, first, width, width), Par::Seq);
        let mut product = view_mut(&mut room).submatrix_mut(0, 0, width, first);
        for begin in (0..first).step_by(PANEL) {
            let columns = PANEL.min(first - begin);
            let part = product.as_mut().submatrix_mut(0, begin, width, columns);
            let left = factor.submatrix(first, begin, width, first - begin);
            let above = above.as_ref().submatrix(begin, begin, first - begin, columns);
            matmul(part, Accum::Replace, left, above, -1.0, Par::Seq);
        }
        matmul(left.submatrix_mut(0, 0, width, first), Accum::Replace, own.as_ref(), product.as_ref(), 1.0, Par::Seq);
    }
}

/// The same without room for L⁻¹, by solving for blocks of columns of the identity. `stop` is called before each block. Returns
/// `false` if it was stopped.
pub(super) fn invert(factor: &Matrix, out: &mut Matrix, stop: &dyn Fn() -> bool) -> bool {
    let n = factor.nrows();
    for first in (0..n).step_by(BLOCK) {
        if stop() {
            return false;
        }
        let width = BLOCK.min(n - first);
        let lower = view(factor).submatrix(first, first, n - first, n - first);
        let mut block = view_mut(out).submatrix_mut(first, first, n - first, width);
        block.fill(0.0);
        (0..width).for_each(|j| block[(j, j)] = 1.0);
        // L⁻¹ is lower triangular, so rows above the block's first column are not needed
        solve_lower_triangular_in_place(lower, block.as_mut(), Par::Seq);
        solve_upper_triangular_in_place(lower.transpose(), block.as_mut(), Par::Seq);
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_matrices_are_factored_and_inverted_in_blocks() {
        let n = LARGE + 2 * BLOCK + 7;
        let entry = |i: usize, j: usize| (-0.1 * (i as f64 - j as f64).powi(2)).exp() + if i == j { 0.5 } else { 0.0 };
        let whole = Matrix::from_fn(n, n, entry);
        let mut lower = whole.clone();
        factor(&mut lower, &|| false).unwrap();
        let clean = lower.lower_triangle();
        let places = [(0, 0), (n - 1, n - 1), (BLOCK, BLOCK - 1), (n - 3, 2 * BLOCK + 1), (LARGE, 5)];
        for (i, j) in places {
            let found = clean.row(i).dot(&clean.row(j));
            assert!((found - whole[(i, j)]).abs() < 1e-12, "{i}, {j}: {found}");
        }
        let mut inverse = Matrix::zeros(n, n);
        assert!(invert(&lower, &mut inverse, &|| false));
        inverse.fill_upper_triangle_with_lower_triangle();
        for (i, j) in places {
            let found = whole.row(i).transpose().dot(&inverse.column(j));
            assert!((found - if i == j { 1.0 } else { 0.0 }).abs() < 1e-10, "{i}, {j}: {found}");
        }
    }

    #[test]
    fn work_is_given_up_between_blocks() {
        let mut matrix = Matrix::identity(LARGE + 1, LARGE + 1);
        assert_eq!(factor(&mut matrix.clone(), &|| true), Err(Failure::Stopped));
        matrix[(700, 700)] = -1.0;
        assert_eq!(factor(&mut matrix, &|| false), Err(Failure::Pivot(700)));
    }
}
