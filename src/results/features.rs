//! A kernel as an inner product of features, by Mercer's theorem.

use crate::kernel::Kernel;
use crate::linalg::Matrix;

/// The leading features of a kernel at some rows: k(x, x′) = Σᵢ λᵢ φᵢ(x) φᵢ(x′). The φᵢ are orthogonal, and each has
/// mean square 1 over the rows.
#[derive(Debug, Clone, PartialEq)]
pub struct Features {
    pub kernel: Kernel,
    /// The rows, by columns.
    pub at: Vec<Vec<f64>>,
    /// The names of the columns.
    pub inputs: Vec<String>,
    /// All eigenvalues λ of the Gram matrix divided by the number of rows, descending; their sum is the mean variance.
    pub spectrum: Vec<f64>,
    /// The values of the leading functions φ at the rows; the sign makes the largest value positive.
    pub functions: Vec<Vec<f64>>,
}

impl Features {
    /// The features of a Gram matrix (both halves) at the rows `at`. At most `m` functions are computed, and none with
    /// an eigenvalue at the level of rounding.
    pub fn new(kernel: Kernel, at: Vec<Vec<f64>>, inputs: Vec<String>, gram: Matrix, m: usize) -> Self {
        let n = gram.nrows();
        if n == 0 {
            return Self { kernel, at, inputs, spectrum: Vec::new(), functions: Vec::new() };
        }
        let eigen = gram.symmetric_eigen();
        let mut order: Vec<usize> = (0..n).collect();
        order.sort_by(|&a, &b| eigen.eigenvalues[b].total_cmp(&eigen.eigenvalues[a]));
        let spectrum = order.iter().map(|&i| eigen.eigenvalues[i] / n as f64).collect();
        let function = |i: usize| {
            let column = eigen.eigenvectors.column(i);
            let largest = column.iter().copied().fold(0.0, |a: f64, b| if b.abs() > a.abs() + 1e-9 { b } else { a });
            let scale = (n as f64).sqrt() * if largest < 0.0 { -1.0 } else { 1.0 };
            column.iter().map(|v| v * scale).collect()
        };
        // an eigenvalue at the level of rounding is no feature of the kernel
        let rounding = n as f64 * f64::EPSILON * eigen.eigenvalues[order[0]].abs();
        let kept = order.iter().take_while(|&&i| eigen.eigenvalues[i] > rounding).take(m);
        let functions = kept.map(|&i| function(i)).collect();
        Self { kernel, at, inputs, spectrum, functions }
    }

    /// Each eigenvalue as a share of their sum.
    pub fn shares(&self) -> Vec<f64> {
        let sum: f64 = self.spectrum.iter().sum();
        self.spectrum.iter().map(|v| v / sum).collect()
    }

    /// The eigenvalues of the computed functions.
    pub fn values(&self) -> &[f64] {
        &self.spectrum[..self.functions.len()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_give_the_kernel_back() {
        let x: Vec<f64> = (0..12).map(|i| f64::from(i) / 4.0).collect();
        let gram = Matrix::from_fn(12, 12, |i, j| (-0.5 * (x[i] - x[j]).powi(2)).exp());
        let kernel = Kernel::number(1.0);
        let made = Features::new(kernel.clone(), vec![x], vec!["x".into()], gram.clone(), 12);
        for i in 0..12 {
            for j in 0..12 {
                let terms = made.values().iter().zip(&made.functions).map(|(v, f)| v * f[i] * f[j]);
                assert!((terms.sum::<f64>() - gram[(i, j)]).abs() < 1e-12);
            }
        }
        assert!(made.functions.len() > 5);
        for function in &made.functions {
            let norm = function.iter().map(|v| v * v).sum::<f64>() / 12.0;
            assert!((norm - 1.0).abs() < 1e-12);
        }
        let flat = Features::new(kernel.clone(), Vec::new(), Vec::new(), Matrix::from_element(5, 5, 2.0), 5);
        assert_eq!((flat.functions.len(), flat.spectrum.len()), (1, 5));
        assert!((made.shares().iter().sum::<f64>() - 1.0).abs() < 1e-12 && made.spectrum.is_sorted_by(|a, b| a >= b));
        assert!(Features::new(kernel, Vec::new(), Vec::new(), Matrix::zeros(0, 0), 3).functions.is_empty());
    }
}
