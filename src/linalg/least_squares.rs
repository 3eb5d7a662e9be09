//! Least squares with linearly dependent columns.

use nalgebra::{DVectorViewMut, Dyn, SVD};

use super::{Matrix, Vector};

/// Singular values below this share of the largest, for columns scaled to length 1, are rounding.
const RANK: f64 = 1e-13;
/// The maximum number of sweeps of the singular value decomposition, which needs a few per column.
const SWEEPS: usize = 10_000;

/// The minimum-norm x with the least ‖Ax − b‖, where the norm is that for columns of A scaled to length 1; a column of
/// zeros gets 0. `None` if A or b is not finite.
pub fn least_squares(a: Matrix, b: &Vector) -> Option<Vector> {
    if b.iter().any(|v| !v.is_finite()) {
        return None;
    }
    let (svd, sizes) = decomposed(a, true)?;
    let mut x = svd.solve(b, RANK * svd.singular_values.max()).ok()?;
    x.iter_mut().zip(&sizes).for_each(|(x, size)| *x = if *size > 0.0 { *x / size } else { 0.0 });
    Some(x)
}

/// Orthonormal columns that span those of A; their number is the rank of A. `None` if A is not finite.
pub fn orthonormal(a: Matrix) -> Option<Matrix> {
    let (svd, _) = decomposed(a, false)?;
    let floor = RANK * svd.singular_values.max();
    let kept: Vec<usize> = (0..svd.singular_values.len()).filter(|&i| svd.singular_values[i] > floor).collect();
    Some(svd.u?.select_columns(&kept))
}

/// The singular value decomposition of A with its non-zero columns scaled to length 1, with the right vectors if
/// requested, and the lengths of the columns. `None` if these or A are not finite.
fn decomposed(mut a: Matrix, right: bool) -> Option<(SVD<f64, Dyn, Dyn>, Vec<f64>)> {
    let size = |mut column: DVectorViewMut<'_, f64>| {
        let size = column.norm();
        if size > 0.0 {
            column /= size;
        }
        size
    };
    let sizes: Vec<f64> = a.column_iter_mut().map(size).collect();
    if a.iter().chain(&sizes).any(|v| !v.is_finite()) {
        return None;
    }
    Some((a.try_svd(true, right, 5.0 * f64::EPSILON, SWEEPS)?, sizes))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn columns(of: &[&[f64]]) -> Matrix {
        Matrix::from_fn(of[0].len(), of.len(), |i, j| of[j][i])
    }

    #[test]
    fn columns_that_depend_on_each_other_share() {
        let (x, b) = ([1.0, 2.0, 3.0, 4.0, 5.0], Vector::from_vec(vec![0.0, 1.0, 0.0, 2.0, 3.5]));
        let one = least_squares(columns(&[&[1.0; 5], &x]), &b).unwrap();
        let twice = least_squares(columns(&[&[1.0; 5], &x, &x, &[0.0; 5]]), &b).unwrap();
        assert!((one[1] - 0.8).abs() < 1e-12 && (one[0] + 1.1).abs() < 1e-12, "{one}");
        let (half, other, nothing) = (twice[1], twice[2], twice[3]);
        assert!((half - 0.4).abs() < 1e-12 && (other - 0.4).abs() < 1e-12 && nothing == 0.0, "{twice}");
        // units do not change which columns are dependent
        let large: Vec<f64> = x.iter().map(|x| 1e12 * x).collect();
        let large = least_squares(columns(&[&[1.0; 5], &large]), &b).unwrap();
        assert!((large[1] * 1e12 - 0.8).abs() < 1e-12);
        assert_eq!(least_squares(columns(&[&[f64::NAN; 5]]), &b), None);
        assert_eq!(least_squares(columns(&[&[1e200; 5]]), &b), None);
        // a clock in milliseconds, together with the offset
        let clock: Vec<f64> = x.iter().map(|x| 1.7e12 + x).collect();
        let clock = least_squares(columns(&[&[1.0; 5], &clock]), &b).unwrap();
        assert!((clock[1] - 0.8).abs() < 0.01, "{clock}");
    }

    #[test]
    fn a_basis_has_as_many_columns_as_there_are_directions() {
        let x = [1.0, 2.0, 3.0, 4.0];
        let q = orthonormal(columns(&[&[1.0; 4], &x, &[3.0, 5.0, 7.0, 9.0], &[0.0; 4]])).unwrap();
        assert_eq!(q.ncols(), 2);
        assert!((q.tr_mul(&q) - Matrix::identity(2, 2)).amax() < 1e-12);
        let of = Vector::from_column_slice(&x);
        assert!((&q * q.tr_mul(&of) - of).amax() < 1e-12);
    }
}
