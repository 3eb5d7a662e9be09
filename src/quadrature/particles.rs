//! Log weights of draws: choices and resampling.

use rand::RngExt;
use rand_pcg::Pcg64;

use crate::linalg::vector::{exp_scaled, log_sum_exp};

/// An index, with probability proportional to the exponential of its entry.
pub fn picked(log: &[f64], random: &mut impl RngExt) -> usize {
    // together they have less weight than rounding
    const NEGLIGIBLE: f64 = -60.0;
    let total = log_total(log);
    let mut left: f64 = random.random_range(0.0..1.0);
    let mut last = log.len() - 1;
    for (i, log) in log.iter().enumerate() {
        if log - total > NEGLIGIBLE {
            left -= (log - total).exp();
            last = i;
            if left < 0.0 {
                break;
            }
        }
    }
    last
}

/// log Σ exp of many finite entries, by vectors.
pub fn log_total(log: &[f64]) -> f64 {
    // below it a term adds nothing
    const FAR: f64 = -700.0;
    let top = log.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let mut terms: Vec<f64> = log.iter().map(|log| (log - top).max(FAR)).collect();
    exp_scaled(&mut terms, 1.0, 1.0);
    top + terms.iter().sum::<f64>().ln()
}

/// As many indices as there are entries, in proportion to their exponentials: systematic resampling. If no entry has any
/// weight, each index once.
pub fn resampled(log: &[f64], random: &mut Pcg64) -> Vec<usize> {
    let n = log.len();
    let total = log_sum_exp(log);
    if !total.is_finite() {
        return (0..n).collect();
    }
    let offset = random.random_range(0.0..1.0);
    let mut out = Vec::with_capacity(n);
    let mut sum = 0.0;
    for (i, log) in log.iter().enumerate() {
        sum += (log - total).exp() * n as f64;
        while out.len() < n && (out.len() as f64 + offset) < sum {
            out.push(i);
        }
    }
    // rounding may leave the last one out
    let last = out.last().copied().unwrap_or(0);
    out.resize(n, last);
    out
}
