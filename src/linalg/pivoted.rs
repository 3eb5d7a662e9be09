use std::convert::Infallible;

use super::Matrix;

/// A rank-revealing Cholesky factor F (n × rank) of a positive semi-definite matrix, K ≈ FFᵀ, without jitter.
///
/// Rows are selected in order of the remaining diagonal, until it is below `tolerance` times the largest diagonal
/// entry. Rows that are equal in K are equal in F to rounding, so draws F·z preserve the invariances of a kernel, which
/// jitter would break. Only the lower triangle is read.
pub fn pivoted_cholesky(matrix: &Matrix, tolerance: f64) -> Matrix {
    let n = matrix.nrows();
    let at = |i: usize, j: usize| if i >= j { matrix[(i, j)] } else { matrix[(j, i)] };
    let column = |pivot: usize, _| Ok((0..n).map(|i| at(i, pivot)).collect());
    let made: Result<Matrix, Infallible> = pivoted_columns((0..n).map(|i| at(i, i)).collect(), n, tolerance, column);
    made.unwrap_or_else(|never| match never {})
}

/// The same factor of a matrix that is never stored: it needs the diagonal, and a column for each pivot on request, with
/// which `column` also receives the rank so far, that column included. It stores n numbers per rank. The first `early` rows are selected before the others, so that these change little of the
/// factor of the first rows.
///
/// # Errors
/// An error of `column`, which can thus end the computation.
pub fn pivoted_columns<E>(
    diagonal: Vec<f64>,
    early: usize,
    tolerance: f64,
    mut column: impl FnMut(usize, usize) -> Result<Vec<f64>, E>,
) -> Result<Matrix, E> {
    let (n, mut left) = (diagonal.len(), diagonal);
    let stop = tolerance * left.iter().copied().fold(0.0, f64::max);
    let mut columns: Vec<Vec<f64>> = Vec::new();
    let largest = |left: &[f64]| left.iter().copied().enumerate().max_by(|a, b| a.1.total_cmp(&b.1));
    let mut candidates = early.min(n);
    while columns.len() < n {
        let found = largest(&left[..candidates]).filter(|(_, largest)| *largest > stop);
        let Some((pivot, largest)) = found else {
            if candidates == n {
                break;
            }
            candidates = n;
            continue;
        };
        let root = largest.sqrt();
        let mut column = column(pivot, columns.len() + 1)?;
        for done in &columns {
            super::vector::axpy(&mut column, -done[pivot], done);
        }
        for (value, left) in column.iter_mut().zip(&mut left) {
            *value /= root;
            *left -= *value * *value;
        }
        left[pivot] = f64::NEG_INFINITY;
        columns.push(column);
    }
    Ok(Matrix::from_fn(n, columns.len(), |i, j| columns[j][i]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factors_singular_matrices_without_jitter() {
        let k = Matrix::from_fn(30, 30, |i, j| {
            let r = (i / 2) as f64 - (j / 2) as f64;
            (-0.5 * r * r / 16.0).exp()
        });
        let f = pivoted_cholesky(&k, 1e-12);
        assert!(f.ncols() <= 15 && (&f * f.transpose() - &k).amax() < 1e-11);
        for i in 0..15 {
            assert!((f.row(2 * i) - f.row(2 * i + 1)).amax() < 1e-14);
        }
    }

    #[test]
    fn nothing_of_nothing() {
        assert_eq!(pivoted_cholesky(&Matrix::zeros(0, 0), 1e-12).ncols(), 0);
        assert_eq!(pivoted_cholesky(&Matrix::zeros(3, 3), 1e-12).ncols(), 0);
    }
}
