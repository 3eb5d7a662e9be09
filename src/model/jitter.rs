//! Jitter: what is added to the diagonal of a covariance matrix that is singular to rounding.
//!
//! Jitter is noise: the evidence is that of the model with it, new observations are predicted with it, and a fit reports
//! it. In a fit it is no more than a hundred-millionth of the target's variance, whatever the variance of the kernel, so
//! that a fit cannot make noise of it by raising that; values that need more are rejected. Where values are taken as
//! given it is what the matrix needs.

use super::Problem;

/// Jitter starts at this share of the target's variance and grows tenfold.
const LEAST: f64 = 1e-10;
/// Of the target's variance, in a fit.
const MOST: f64 = 1.01e-8;
/// Of the mean diagonal of the matrix.
const MOST_OF_DIAGONAL: f64 = 1.01e-4;
/// The first jitter where the target has no variance, as a share of the mean diagonal.
const LEAST_OF_DIAGONAL: f64 = 1e-10;

/// What to add to the diagonal of a matrix with this mean diagonal, one after the other: first nothing.
pub(super) fn jitters(problem: &Problem, mean_diagonal: f64) -> impl Iterator<Item = f64> + use<> {
    let target = problem.target_variance();
    let (least, most) = match (target > 0.0, problem.conditions()) {
        (true, true) => (LEAST * target, MOST_OF_DIAGONAL * mean_diagonal),
        (true, false) => (LEAST * target, (MOST * target).min(MOST_OF_DIAGONAL * mean_diagonal)),
        (false, _) => (LEAST_OF_DIAGONAL * mean_diagonal, MOST_OF_DIAGONAL * mean_diagonal),
    };
    let usable = least.is_normal() && most.is_finite();
    // what rounding swallows does not help
    let felt = f64::EPSILON * mean_diagonal;
    let steps = (0..).map(move |step| least * 10f64.powi(step));
    let steps = steps.take_while(move |jitter| usable && *jitter <= most).filter(move |jitter| *jitter > felt);
    std::iter::once(0.0).chain(steps)
}
