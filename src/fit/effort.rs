//! The expected time of a fit.

use super::result::Options;

/// Seconds of one log marginal likelihood with gradient on one core, divided by n³, as measured (docs/benchmarks.md).
const EVALUATION: f64 = 1.6e-11;
/// The number of evaluations of a start that is optimised to convergence, as measured on kernels of one and two parts.
const EVALUATIONS: f64 = 260.0;
/// The fraction of these that a start takes if it is dropped.
const LEFT_BEHIND: f64 = 1.0 / 3.0;

/// The approximate number of seconds of an exact fit of this number of rows on this number of threads. It is correct
/// within a factor of two or three.
pub fn expected_seconds(rows: usize, options: Options, threads: usize) -> f64 {
    let whole = EVALUATIONS.min(1.5 * options.max_iter as f64);
    let others = LEFT_BEHIND * options.restarts.saturating_sub(1) as f64;
    let parallel = ((1.0 + others) / threads.max(1) as f64).max(1.0);
    EVALUATION * (rows as f64).powi(3) * whole * parallel
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compared with measured seconds of fits of `SE(x) + Lin(x)` on one core.
    #[test]
    fn it_is_as_measured() {
        let of = |rows, restarts, threads| expected_seconds(rows, Options { restarts, ..Options::default() }, threads);
        for (rows, restarts, measured) in
            [(500, 1, 0.66), (500, 10, 2.7), (1000, 1, 4.3), (1000, 10, 18.1), (2000, 1, 33.6), (2000, 10, 130.6)]
        {
            let ratio = of(rows, restarts, 1) / measured;
            assert!((0.5..2.0).contains(&ratio), "{rows} rows, {restarts} starts: {ratio}");
        }
        // a single start runs on one core
        assert_eq!(of(3000, 1, 8), of(3000, 1, 1));
        assert!(expected_seconds(5000, Options { max_iter: 5, restarts: 1, ..Options::default() }, 2) < 20.0);
    }
}
