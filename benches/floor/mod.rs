//! The lower bound of every exact method, with which a log marginal likelihood is compared.

use divan::Bencher;
use mercer::linalg::{Matrix, Workspace};

/// One Cholesky factorisation with inverse.
pub fn cholesky_with_inverse(bencher: Bencher<'_, '_>, n: usize) {
    let matrix = Matrix::from_fn(n, n, |i, j| {
        let r = (i as f64 - j as f64) / 30.0;
        (-0.5 * r * r).exp() + f64::from(u8::from(i == j))
    });
    let mut work = Workspace::new(n);
    bencher.bench_local(|| {
        work.matrix.copy_from(&matrix);
        work.factor().expect("positive definite");
        work.invert().expect("never stopped")[(n - 1, 0)]
    });
}
