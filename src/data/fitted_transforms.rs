//! Transforms fitted to the training rows: the Box–Cox transform, and normal scores of ranks.

use serde::{Deserialize, Serialize};
use statrs::distribution::{Continuous, ContinuousCDF, Normal};

/// The largest power of a Box–Cox transform.
///
/// The least is 0: for a negative power, a Gaussian on the scale of the model has no finite mean on that of the data.
pub const LARGEST_POWER: f64 = 5.0;

/// (v^λ − 1) / λ, and log v for λ = 0 (Box & Cox, 1964), for positive v.
pub fn box_cox(v: f64, lambda: f64) -> f64 {
    if lambda == 0.0 { v.ln() } else { (lambda * v.ln()).exp_m1() / lambda }
}

/// The inverse of [`box_cox`]; 0 for z below the range of the function.
pub fn inverse_box_cox(z: f64, lambda: f64) -> f64 {
    if lambda == 0.0 {
        return z.exp();
    }
    if lambda * z <= -1.0 { 0.0 } else { ((lambda * z).ln_1p() / lambda).exp() }
}

/// The power of maximum likelihood for positive numbers whose transform is normal, with mean and variance profiled out:
/// −(n/2) log var(g(v)) + (λ − 1) Σ log v (Box & Cox, 1964). Missing values are ignored.
pub fn best_power(values: &[f64]) -> f64 {
    let logs: Vec<f64> = values.iter().filter(|v| v.is_finite()).map(|v| v.ln()).collect();
    let n = logs.len() as f64;
    // in units of the geometric mean, so that powers are near 1; the optimal λ does not depend on the unit
    let middle = logs.iter().sum::<f64>() / n;
    let logs: Vec<f64> = logs.iter().map(|l| l - middle).collect();
    let likelihood = |lambda: f64| {
        let made: Vec<f64> =
            logs.iter().map(|l| if lambda == 0.0 { *l } else { (lambda * l).exp_m1() / lambda }).collect();
        let mean = made.iter().sum::<f64>() / n;
        let variance = made.iter().map(|g| (g - mean) * (g - mean)).sum::<f64>() / n;
        let value = -0.5 * n * variance.ln();
        if value.is_finite() { value } else { f64::NEG_INFINITY }
    };
    const STEPS: usize = 50;
    let step = LARGEST_POWER / STEPS as f64;
    let best = (0..=STEPS).map(|i| i as f64 * step).fold((0.0, f64::NEG_INFINITY), |best, lambda| {
        let value = likelihood(lambda);
        if value > best.1 { (lambda, value) } else { best }
    });
    // between the neighbours of the best grid point
    let found = least_between((best.0 - step).max(0.0), (best.0 + step).min(LARGEST_POWER), 60, |l| -likelihood(l));
    if likelihood(found) > best.1 { found } else { best.0 }
}

/// The minimum of a unimodal function by golden-section search; each round reduces the range to 0.618 of it.
pub(crate) fn least_between(mut lo: f64, mut hi: f64, rounds: usize, f: impl Fn(f64) -> f64) -> f64 {
    let golden = 0.5 * (5f64.sqrt() - 1.0);
    for _ in 0..rounds {
        let (a, b) = (hi - golden * (hi - lo), lo + golden * (hi - lo));
        if f(a) <= f(b) { hi = b } else { lo = a }
    }
    0.5 * (lo + hi)
}

/// An increasing piecewise linear function, extrapolated at its ends, from numbers to their normal scores.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Warp {
    /// Arguments and values, both increasing; at least two.
    knots: Vec<[f64; 2]>,
}

/// The largest number of knots.
const MOST_KNOTS: usize = 32;

impl Warp {
    /// The function that makes these numbers approximately normal: Φ⁻¹ of their smoothed distribution. Rank r (the mean
    /// rank for ties) has the score Φ⁻¹((r − ½)/n) (Blom, 1958, in its simplest form). About √n groups of neighbours
    /// each give a knot at their mean number and mean score, so that the slope follows the density rather than single
    /// gaps. `None` for fewer than two distinct numbers.
    pub fn learn(values: &[f64]) -> Option<Self> {
        let mut sorted: Vec<f64> = values.iter().copied().filter(|v| v.is_finite()).collect();
        sorted.sort_by(f64::total_cmp);
        let scores = normal_scores(&sorted);
        let groups = ((sorted.len() as f64).sqrt().round() as usize).clamp(2, MOST_KNOTS);
        let mut knots: Vec<[f64; 2]> = Vec::with_capacity(groups);
        let mut from = 0;
        for group in 1..=groups {
            let mut to = group * sorted.len() / groups;
            // ties stay together
            while to > from && to < sorted.len() && sorted[to] == sorted[to - 1] {
                to += 1;
            }
            if to <= from {
                continue;
            }
            let mean = |all: &[f64]| all.iter().sum::<f64>() / all.len() as f64;
            knots.push([mean(&sorted[from..to]), mean(&scores[from..to])]);
            from = to;
        }
        knots.dedup_by(|next, last| next[0] <= last[0] || next[1] <= last[1]);
        (knots.len() >= 2).then_some(Self { knots })
    }

    /// The piece that contains `at`, by arguments (0) or values (1): the index of its left knot, and its slope.
    fn piece(&self, at: f64, by: usize) -> (usize, f64) {
        let next = self.knots.partition_point(|knot| knot[by] <= at);
        let i = next.clamp(1, self.knots.len() - 1) - 1;
        let ([x, z], [x2, z2]) = (self.knots[i], self.knots[i + 1]);
        (i, (z2 - z) / (x2 - x))
    }

    /// The value of the function.
    pub fn forward(&self, v: f64) -> f64 {
        let (i, slope) = self.piece(v, 0);
        self.knots[i][1] + slope * (v - self.knots[i][0])
    }

    /// The inverse at `z`.
    pub fn inverse(&self, z: f64) -> f64 {
        let (i, slope) = self.piece(z, 1);
        self.knots[i][0] + (z - self.knots[i][1]) / slope
    }

    /// log |g′(v)|, where the function is g.
    pub fn log_slope(&self, v: f64) -> f64 {
        self.piece(v, 0).1.ln()
    }

    /// Mean and standard deviation of the inverse of a Gaussian: exact for each piece, from the moments of a truncated
    /// Gaussian.
    pub fn moments(&self, mean: f64, sd: f64) -> (f64, f64) {
        let centre = self.inverse(mean);
        if !(sd > 0.0 && sd.is_finite()) {
            return (centre, if sd == 0.0 { 0.0 } else { f64::NAN });
        }
        let normal = Normal::standard();
        let last = self.knots.len() - 2;
        let (mut first, mut second) = (0.0, 0.0);
        for (i, pair) in self.knots.windows(2).enumerate() {
            let lo = if i == 0 { f64::NEG_INFINITY } else { (pair[0][1] - mean) / sd };
            let hi = if i == last { f64::INFINITY } else { (pair[1][1] - mean) / sd };
            let density = |u: f64| if u.is_finite() { normal.pdf(u) } else { 0.0 };
            let tail = |u: f64| if u.is_finite() { u * normal.pdf(u) } else { 0.0 };
            // avoids cancellation in the upper tail
            let p = if lo > 0.0 { normal.sf(lo) - normal.sf(hi) } else { normal.cdf(hi) - normal.cdf(lo) };
            let (one, two) = (density(lo) - density(hi), p + tail(lo) - tail(hi));
            let per_score = (pair[1][0] - pair[0][0]) / (pair[1][1] - pair[0][1]);
            // the inverse on this piece is a + b u for a standard normal u
            let (a, b) = (pair[0][0] + (mean - pair[0][1]) * per_score - centre, per_score * sd);
            first += a * p + b * one;
            second += a * a * p + 2.0 * a * b * one + b * b * two;
        }
        (centre + first, (second - first * first).max(0.0).sqrt())
    }
}

/// Φ⁻¹((r − ½)/n) of each of n sorted numbers, where r is its rank, the mean rank for ties.
fn normal_scores(sorted: &[f64]) -> Vec<f64> {
    let normal = Normal::standard();
    let mut scores = Vec::with_capacity(sorted.len());
    for equals in sorted.chunk_by(|a, b| a == b) {
        let middle = scores.len() as f64 + 0.5 * equals.len() as f64;
        let score = normal.inverse_cdf(middle / sorted.len() as f64);
        scores.extend(std::iter::repeat_n(score, equals.len()));
    }
    scores
}

/// The normal scores of numbers in their given order: the `warped` transform of training rows before smoothing.
pub fn normal_scores_of(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
    let sorted: Vec<f64> = order.iter().map(|&i| values[i]).collect();
    let mut out = vec![0.0; values.len()];
    order.iter().zip(normal_scores(&sorted)).for_each(|(&i, score)| out[i] = score);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Skewed numbers: evenly spaced quantiles of a Gaussian, transformed by a function.
    fn quantiles(n: usize, f: impl Fn(f64) -> f64) -> Vec<f64> {
        let normal = Normal::standard();
        (0..n).map(|i| f(normal.inverse_cdf((i as f64 + 0.5) / n as f64))).collect()
    }

    #[test]
    fn the_power_that_made_numbers_is_found() {
        assert!(best_power(&quantiles(400, |z| (2.0 + 0.4 * z).exp())).abs() < 0.02);
        assert!((best_power(&quantiles(400, |z| (5.0 + 0.4 * z).powi(2))) - 0.5).abs() < 0.05);
        assert!((best_power(&quantiles(400, |z| 20.0 + z)) - 1.0).abs() < 0.1);
        // the unit does not matter
        let (one, other) = (quantiles(60, |z| (5.0 + z).powi(2)), quantiles(60, |z| 1e9 * (5.0 + z).powi(2)));
        assert!((best_power(&one) - best_power(&other)).abs() < 1e-6);
        // 1 / v would be normal; the least power is 0
        assert_eq!(best_power(&quantiles(50, |z| 1.0 / (5.0 + z))), 0.0);
    }

    #[test]
    fn powers_invert() {
        for lambda in [0.0, 0.3, 1.0, 2.5] {
            for v in [0.01, 0.7, 3.0] {
                assert!((inverse_box_cox(box_cox(v, lambda), lambda) - v).abs() < 1e-12);
            }
        }
        assert_eq!(inverse_box_cox(-3.0, 0.5), 0.0);
    }

    #[test]
    fn a_warp_makes_numbers_nearly_normal_and_inverts() {
        let values = quantiles(200, |z| (0.8 * z).exp() + 0.2 * z);
        let warp = Warp::learn(&values).unwrap();
        assert_eq!(warp.knots.len(), 14);
        let normal = Normal::standard();
        for (i, v) in values.iter().enumerate().skip(5).take(190) {
            let z = normal.inverse_cdf((i as f64 + 0.5) / 200.0);
            assert!((warp.forward(*v) - z).abs() < 0.1, "{i}");
        }
        for v in [-30.0, 0.1, 0.9, 2.0, 80.0] {
            let h = 1e-6;
            assert!((warp.inverse(warp.forward(v)) - v).abs() < 1e-12 * v.abs().max(1.0));
            let slope = (warp.forward(v + h) - warp.forward(v - h)) / (2.0 * h);
            assert!((warp.log_slope(v) - slope.ln()).abs() < 1e-5);
        }
    }

    #[test]
    fn moments_of_pieces_are_exact() {
        let warp = Warp::learn(&quantiles(80, |z| (0.8 * z).exp())).unwrap();
        for (mean, sd) in [(0.0, 1.0), (1.5, 0.1), (-2.5, 0.6), (4.0, 2.0)] {
            let (m, s) = warp.moments(mean, sd);
            let nodes = || (-40_000..=40_000).map(|i| f64::from(i) * 2.5e-4);
            let weight: f64 = nodes().map(|u| (-0.5 * u * u).exp()).sum();
            let average = |f: &dyn Fn(f64) -> f64| {
                nodes().map(|u| (-0.5 * u * u).exp() * f(warp.inverse(mean + sd * u))).sum::<f64>() / weight
            };
            let by_sum = average(&|y| y);
            assert!((m - by_sum).abs() < 1e-6 * by_sum.abs().max(1.0), "{m} is not {by_sum}");
            let spread = average(&|y| (y - by_sum) * (y - by_sum)).sqrt();
            assert!((s - spread).abs() < 1e-5 * spread, "{s} is not {spread}");
        }
        assert_eq!(warp.moments(0.3, 0.0), (warp.inverse(0.3), 0.0));
    }

    #[test]
    fn equals_share_a_score_and_one_number_is_no_distribution() {
        assert_eq!(Warp::learn(&[2.0, 2.0, 2.0]), None);
        assert_eq!(Warp::learn(&[1.0]), None);
        let warp = Warp::learn(&[1.0, 1.0, 1.0, 1.0, 2.0, 2.0, 3.0]).unwrap();
        assert!(warp.forward(1.0) < warp.forward(2.0) && warp.forward(2.0) < warp.forward(3.0));
        let scores = normal_scores_of(&[3.0, 1.0, 1.0]);
        assert_eq!(scores[1], scores[2]);
        assert!(scores[0] > 0.0 && scores[1] < 0.0);
    }
}
