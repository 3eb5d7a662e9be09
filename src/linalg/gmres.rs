//! Solution of linear systems given by matrix-vector products.

use super::{Matrix, Vector, vector};

/// An approximate solution of Ax = b, from x = 0, by the generalised minimal residual method (Saad & Schultz 1986): the
/// linear combination of b, Ab, A²b, … with the least residual. Ends at a residual of `tolerance` times ‖b‖, or after
/// `most` products.
///
/// The residual never increases, so the last iterate is always useful for a step of Newton's method.
pub fn gmres(b: &[f64], tolerance: f64, most: usize, mut times: impl FnMut(&[f64]) -> Vec<f64>) -> Vec<f64> {
    let n = b.len();
    let size = norm(b);
    if size == 0.0 || !size.is_finite() {
        return vec![0.0; n];
    }
    let mut basis = vec![scaled(b, 1.0 / size)];
    // the Hessenberg matrix is made upper triangular by rotations, column by column, and the right side is rotated with
    // it
    let mut columns: Vec<Vec<f64>> = Vec::new();
    let mut turns: Vec<(f64, f64)> = Vec::new();
    let mut right = vec![size];
    while columns.len() < most.min(n) && right[columns.len()].abs() > tolerance * size {
        let k = columns.len();
        let mut next = times(&basis[k]);
        let mut column = Vec::with_capacity(k + 2);
        for known in &basis {
            let along = vector::dot(known, &next);
            vector::axpy(&mut next, -along, known);
            column.push(along);
        }
        let rest = norm(&next);
        for (i, &(c, s)) in turns.iter().enumerate() {
            (column[i], column[i + 1]) = (c * column[i] + s * column[i + 1], c * column[i + 1] - s * column[i]);
        }
        let length = column[k].hypot(rest);
        if length == 0.0 || !length.is_finite() {
            break;
        }
        let (c, s) = (column[k] / length, rest / length);
        column[k] = length;
        let turned = right[k];
        right[k] = c * turned;
        right.push(-s * turned);
        columns.push(column);
        turns.push((c, s));
        if rest == 0.0 {
            break;
        }
        basis.push(scaled(&next, 1.0 / rest));
    }
    let k = columns.len();
    let triangle = Matrix::from_fn(k, k, |i, j| columns[j].get(i).copied().unwrap_or(0.0));
    let mut x = vec![0.0; n];
    if let Some(shares) = triangle.solve_upper_triangular(&Vector::from_column_slice(&right[..k])) {
        basis.iter().zip(shares.iter()).for_each(|(v, &share)| vector::axpy(&mut x, share, v));
    }
    x
}

fn norm(v: &[f64]) -> f64 {
    vector::dot(v, v).sqrt()
}

fn scaled(v: &[f64], by: f64) -> Vec<f64> {
    v.iter().map(|v| v * by).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn residual(a: &Matrix, b: &[f64], x: &[f64]) -> f64 {
        (a * Vector::from_column_slice(x) - Vector::from_column_slice(b)).norm()
    }

    #[test]
    fn solves_what_is_not_symmetric_and_never_gets_worse() {
        let n = 30;
        let a = Matrix::from_fn(n, n, |i, j| {
            f64::from(u8::from(i == j)) + 0.3 * ((3 * i + 7 * j) as f64).sin() / (1.0 + i.abs_diff(j) as f64)
        });
        let b: Vec<f64> = (0..n).map(|i| (i as f64).cos()).collect();
        let times = |v: &[f64]| (&a * Vector::from_column_slice(v)).as_slice().to_vec();
        let mut last = residual(&a, &b, &vec![0.0; n]);
        for most in 1..=n {
            let left = residual(&a, &b, &gmres(&b, 0.0, most, times));
            assert!(left <= last * (1.0 + 1e-12) + 1e-13, "{most}: {left} {last}");
            last = left;
        }
        assert!(last < 1e-12);
        let loose = residual(&a, &b, &gmres(&b, 1e-3, n, times));
        assert!(loose < 1e-3 * norm(&b) * 1.001 && loose > 1e-9);
    }

    #[test]
    fn meets_nothing_and_what_ends_at_once() {
        assert_eq!(gmres(&[0.0, 0.0], 1e-9, 5, |v| v.to_vec()), [0.0, 0.0]);
        let found = gmres(&[3.0, -4.0], 1e-9, 5, |v| scaled(v, 2.0));
        assert!((found[0] - 1.5).abs() < 1e-15 && (found[1] + 2.0).abs() < 1e-15);
        // no solution if Ab = 0
        assert_eq!(gmres(&[1.0, 0.0], 1e-9, 5, |_| vec![0.0, 0.0]), [0.0, 0.0]);
    }
}
