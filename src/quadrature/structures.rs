//! The evidence of a model with a discrete structure: its likelihood averaged over the prior of structures, by Bayesian
//! quadrature over samples.
//!
//! The likelihood as a function of the structure is a Gaussian process with a kernel between structures, plus a part
//! that is independent between structures and averages to 0 over infinitely many of them.

use super::error::QuadratureError;
use crate::linalg::{Cholesky, Matrix, Vector};

/// The log evidence and its uncertainty.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StructureEvidence {
    /// The log of the mean of the evidence; not a number if the mean is not positive, as an evidence is not.
    pub log: f64,
    /// The standard deviation of the evidence divided by its mean; not a number if the mean is not positive.
    pub relative_sd: f64,
    /// The variance of the independent part, divided by the mean variance of the kernel.
    pub unexplained: f64,
    /// The degrees of freedom of the Student-t distribution of the evidence.
    pub degrees: f64,
}

/// The shares of the independent part that are tried.
const SHARES: [f64; 13] = [1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0];

/// Computes the evidence from the covariance between sampled structures, the integrals z and V₀ of the kernel under the
/// prior, and the log likelihood of each sample. The scale of the kernel is integrated out (a Student-t, Duvenaud 2014,
/// A.8). The share of the independent part is the one of several with the highest likelihood.
///
/// # Errors
/// [`QuadratureError::NoPoints`] without samples with a likelihood; [`QuadratureError::NotPositiveDefinite`].
pub fn structure_evidence(
    covariance: &Matrix,
    z: &Vector,
    prior_variance: f64,
    log_likelihoods: &[f64],
) -> Result<StructureEvidence, QuadratureError> {
    let n = log_likelihoods.len();
    let top = log_likelihoods.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if n == 0 || !top.is_finite() {
        return Err(QuadratureError::NoPoints);
    }
    let y = Vector::from_iterator(n, log_likelihoods.iter().map(|log| (log - top).exp()));
    let mean_variance = covariance.diagonal().mean();
    let mut best: Option<(f64, StructureEvidence)> = None;
    for share in SHARES {
        let mut k = covariance.clone();
        for i in 0..n {
            k[(i, i)] += share * mean_variance;
        }
        let Ok(factor) = Cholesky::with_jitters(k, [0.0]) else { continue };
        let alpha = factor.solve(&y);
        let quadratic = y.dot(&alpha);
        let likelihood = -0.5 * factor.log_det() - 0.5 * n as f64 * quadratic.ln();
        if best.as_ref().is_some_and(|(greatest, _)| likelihood <= *greatest) {
            continue;
        }
        let mean = z.dot(&alpha);
        let left = (prior_variance - z.dot(&factor.solve(z))).max(f64::EPSILON * prior_variance);
        let sd = (quadratic / n as f64 * left).sqrt();
        let found = StructureEvidence {
            log: if mean > 0.0 { top + mean.ln() } else { f64::NAN },
            relative_sd: if mean > 0.0 { sd / mean } else { f64::NAN },
            unexplained: share,
            degrees: n as f64,
        };
        best = Some((likelihood, found));
    }
    best.map(|(_, found)| found).ok_or(QuadratureError::NotPositiveDefinite { n })
}
