//! Jitter: a constant added to the diagonal of a covariance matrix that is singular to rounding.
//!
//! Jitter acts as noise: the log marginal likelihood and the predictions are those of the model with it, and a fit
//! reports it. In a fit it is at most 1e-8 of the target's variance, whatever the variance of the kernel, so that a fit
//! cannot increase it through that variance; parameter values that need more are rejected. Where values are taken as
//! given, as much is added as the matrix needs.

use super::Problem;

/// The first jitter as a share of the target's variance; it grows by factors of 10.
const LEAST: f64 = 1e-10;
/// The largest jitter in a fit, as a share of the target's variance.
const MOST: f64 = 1.01e-8;
/// The largest jitter otherwise, as a share of the mean diagonal of the matrix.
const MOST_OF_DIAGONAL: f64 = 1.01e-4;
/// The first jitter if the target has no variance, as a share of the mean diagonal.
const LEAST_OF_DIAGONAL: f64 = 1e-10;

/// The jitters to try in turn for a matrix with this mean diagonal; the first is 0.
pub(super) fn jitters(problem: &Problem, mean_diagonal: f64) -> impl Iterator<Item = f64> + use<> {
    let target = problem.target_variance();
    let (least, most) = match (target > 0.0, problem.conditions()) {
        (true, true) => (LEAST * target, MOST_OF_DIAGONAL * mean_diagonal),
        (true, false) => (LEAST * target, (MOST * target).min(MOST_OF_DIAGONAL * mean_diagonal)),
        (false, _) => (LEAST_OF_DIAGONAL * mean_diagonal, MOST_OF_DIAGONAL * mean_diagonal),
    };
    let usable = least.is_normal() && most.is_finite();
    // a jitter below rounding has no effect
    let felt = f64::EPSILON * mean_diagonal;
    let steps = (0..).map(move |step| least * 10f64.powi(step));
    let steps = steps.take_while(move |jitter| usable && *jitter <= most).filter(move |jitter| *jitter > felt);
    std::iter::once(0.0).chain(steps)
}
