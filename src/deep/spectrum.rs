//! The singular values of a product of matrices to which factors are added one at a time.
//!
//! The product is stored as Q·diag(d)·T with scales d separate from well-conditioned Q and T. So singular values 30
//! decades below the largest have most of their digits; computed from the product itself they would be lost in
//! rounding.

use crate::linalg::Matrix;

/// A product of matrices, with its scales stored separately.
#[derive(Debug, Clone)]
pub struct GradedProduct {
    left: Matrix,
    scales: Vec<f64>,
    right: Matrix,
    /// The logarithm of a factor common to all scales, to avoid overflow.
    log_scale: f64,
}

impl GradedProduct {
    /// The empty product, for `inputs` inputs.
    pub fn identity(inputs: usize) -> Self {
        let one = Matrix::identity(inputs, inputs);
        Self { left: one.clone(), scales: vec![1.0; inputs], right: one, log_scale: 0.0 }
    }

    /// Multiplies by another factor from the left.
    pub fn multiply(&mut self, factor: &Matrix) {
        let mut graded = factor * &self.left;
        for (mut column, scale) in graded.column_iter_mut().zip(&self.scales) {
            column *= *scale;
        }
        let qr = graded.col_piv_qr();
        let mut r = qr.r();
        let largest = if r.is_empty() { 0.0 } else { r[(0, 0)].abs() };
        let unit = if largest > 0.0 { largest } else { 1.0 };
        self.scales = (0..r.nrows()).map(|i| r[(i, i)].abs() / unit).collect();
        for (i, scale) in self.scales.iter().enumerate() {
            if *scale > 0.0 {
                r.row_mut(i).unscale_mut(scale * unit);
            }
        }
        qr.p().inv_permute_columns(&mut r);
        self.right = r * &self.right;
        self.left = qr.q();
        self.log_scale += unit.ln();
    }

    /// The logarithms of the singular values, the largest first.
    pub fn log_singular_values(&self) -> Vec<f64> {
        let mut columns: Vec<Vec<f64>> = self
            .right
            .row_iter()
            .zip(&self.scales)
            .map(|(row, scale)| row.iter().map(|x| x * scale).collect())
            .collect();
        let mut logs: Vec<f64> = singular_values(&mut columns).into_iter().map(|s| s.ln() + self.log_scale).collect();
        logs.sort_by(|a, b| b.total_cmp(a));
        logs
    }
}

/// The logarithms of the singular values of a matrix, the largest first.
pub fn log_singular_values(matrix: &Matrix) -> Vec<f64> {
    let tall = if matrix.nrows() < matrix.ncols() { matrix.transpose() } else { matrix.clone() };
    let mut columns: Vec<Vec<f64>> = tall.column_iter().map(|column| column.iter().copied().collect()).collect();
    let mut logs: Vec<f64> = singular_values(&mut columns).into_iter().map(f64::ln).collect();
    logs.sort_by(|a, b| b.total_cmp(a));
    logs
}

/// One-sided Jacobi method (Hestenes): pairs of columns are rotated until all are orthogonal; their lengths are the
/// singular values. Columns of different scales keep their relative accuracy, unlike in a bidiagonalization.
fn singular_values(columns: &mut [Vec<f64>]) -> Vec<f64> {
    const SWEEPS: usize = 40;
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let length = |column: &[f64]| {
        let largest = column.iter().fold(0.0f64, |largest, x| largest.max(x.abs()));
        if largest > 0.0 { largest * column.iter().map(|x| (x / largest).powi(2)).sum::<f64>().sqrt() } else { 0.0 }
    };
    for _ in 0..SWEEPS {
        let mut turned = false;
        for i in 0..columns.len() {
            for j in i + 1..columns.len() {
                let (head, tail) = columns.split_at_mut(j);
                let (a, b) = (&mut head[i], &mut tail[0]);
                let (la, lb) = (length(a), length(b));
                if la == 0.0 || lb == 0.0 {
                    continue;
                }
                // For unit vectors, so that squares of small scales do not underflow.
                let ua: Vec<f64> = a.iter().map(|x| x / la).collect();
                let ub: Vec<f64> = b.iter().map(|x| x / lb).collect();
                let cosine = dot(&ua, &ub);
                if cosine.abs() <= 1e-15 {
                    continue;
                }
                turned = true;
                let ratio = lb / la;
                let zeta = (ratio - 1.0 / ratio) / (2.0 * cosine);
                let t = if zeta.is_finite() { zeta.signum() / (zeta.abs() + zeta.hypot(1.0)) } else { 0.0 };
                let c = 1.0 / t.hypot(1.0);
                if t == 0.0 {
                    // The scales differ so much that the rotation is a projection of the shorter vector.
                    let (short, long, l) = if la < lb { (a, &ub, la) } else { (b, &ua, lb) };
                    for (x, u) in short.iter_mut().zip(long) {
                        *x -= l * cosine * u;
                    }
                    continue;
                }
                for (x, y) in a.iter_mut().zip(b.iter_mut()) {
                    (*x, *y) = (c * (*x - t * *y), c * (t * *x + *y));
                }
            }
        }
        if !turned {
            break;
        }
    }
    columns.iter().map(|column| length(column)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Irregular entries in [−1, 1].
    fn scattered(rows: usize, columns: usize, from: usize) -> Matrix {
        Matrix::from_fn(rows, columns, |i, j| {
            let x = ((from + i * columns + j) as f64 * 12.9898).sin() * 43_758.545_3;
            2.0 * (x - x.floor()) - 1.0
        })
    }

    #[test]
    fn values_of_a_product_far_apart() {
        // A product with known singular values: diag(1, 1e-40, 1e-80) between rotations.
        let turn = |angle: f64, i: usize, j: usize| {
            let mut m = Matrix::identity(3, 3);
            (m[(i, i)], m[(i, j)], m[(j, i)], m[(j, j)]) = (angle.cos(), -angle.sin(), angle.sin(), angle.cos());
            m
        };
        let mut product = GradedProduct::identity(3);
        product.multiply(&turn(0.4, 0, 1));
        product.multiply(&turn(1.1, 1, 2));
        for _ in 0..20 {
            product.multiply(&Matrix::from_diagonal(&nalgebra::DVector::from_column_slice(&[3.0, 3e-2, 3e-4])));
        }
        product.multiply(&turn(0.7, 0, 2));
        let logs = product.log_singular_values();
        for (i, log) in logs.iter().enumerate() {
            let expected = 20.0 * (3.0f64.ln() - 2.0 * i as f64 * 10.0f64.ln());
            assert!((log - expected).abs() < 1e-10, "{log} {expected}");
        }
    }

    #[test]
    fn agrees_with_the_decomposition_of_the_whole() {
        let (a, b) = (scattered(4, 3, 0), scattered(2, 4, 50));
        let mut product = GradedProduct::identity(3);
        product.multiply(&a);
        let exact: Vec<f64> = a.singular_values().iter().map(|s| s.ln()).collect();
        assert!(product.log_singular_values().iter().zip(&exact).all(|(x, y)| (x - y).abs() < 1e-12));
        product.multiply(&b);
        let whole = &b * &a;
        let exact: Vec<f64> = whole.singular_values().iter().map(|s| s.ln()).collect();
        let found = product.log_singular_values();
        assert_eq!(found.len(), 2);
        assert!(found.iter().zip(&exact).all(|(x, y)| (x - y).abs() < 1e-12), "{found:?} {exact:?}");
        assert!(log_singular_values(&whole).iter().zip(&exact).all(|(x, y)| (x - y).abs() < 1e-12));
    }

    #[test]
    fn the_determinant_is_the_product() {
        let mut product = GradedProduct::identity(4);
        let mut log_determinant = 0.0;
        for k in 0..60 {
            let factor = scattered(4, 4, 100 * k);
            log_determinant += factor.determinant().abs().ln();
            product.multiply(&factor);
        }
        let sum: f64 = product.log_singular_values().iter().sum();
        assert!((sum - log_determinant).abs() < 1e-8, "{sum} {log_determinant}");
    }
}
