//! Nodes and weights of quadrature rules for integrals against a density.

use std::num::NonZeroUsize;
use std::sync::LazyLock;

use gauss_quad::{GaussHermite, GaussLegendre};

use super::density::Marginal;

/// The number of nodes per panel of a composite rule.
pub const PER_PANEL: usize = 16;

static LEGENDRE: LazyLock<Vec<(f64, f64)>> = LazyLock::new(|| legendre(PER_PANEL));

/// Nodes and their weights.
#[derive(Debug, Clone, Default)]
pub struct Rule {
    pub at: Vec<f64>,
    pub weights: Vec<f64>,
}

/// A Gauss–Legendre rule on [−1, 1].
fn legendre(n: usize) -> Vec<(f64, f64)> {
    GaussLegendre::new(NonZeroUsize::new(n).unwrap_or(NonZeroUsize::MIN)).into_node_weight_pairs().into_vec()
}

impl Rule {
    /// Composite Gauss–Legendre rule between ascending `ends`, with `panels` panels per interval, for density 1.
    pub fn composite(ends: &[f64], panels: usize) -> Self {
        let mut rule = Self::default();
        for stretch in ends.windows(2) {
            let width = (stretch[1] - stretch[0]) / panels as f64;
            if width <= 0.0 {
                continue;
            }
            for panel in 0..panels {
                let middle = stretch[0] + (panel as f64 + 0.5) * width;
                for (node, weight) in LEGENDRE.iter() {
                    rule.at.push(middle + 0.5 * width * node);
                    rule.weights.push(0.5 * width * weight);
                }
            }
        }
        rule
    }

    /// The same over the range of a density, weighted by it, with additional ends at those of `breaks` that are inside.
    pub fn under(marginal: &Marginal, breaks: &[f64], panels: usize) -> Self {
        let (lo, hi) = marginal.range();
        let mut ends = vec![lo];
        ends.extend(breaks.iter().copied().filter(|x| lo < *x && *x < hi));
        ends.push(hi);
        ends.sort_by(f64::total_cmp);
        let mut rule = Self::composite(&ends, panels);
        for (x, weight) in rule.at.iter().zip(&mut rule.weights) {
            *weight *= marginal.at(*x);
        }
        rule
    }

    /// The Gauss rule of a density with `n` nodes, exact for polynomials of degree up to 2n − 1.
    pub fn gauss(marginal: &Marginal, n: usize) -> Self {
        match *marginal {
            Marginal::Normal { mean, sd } => {
                let rule = GaussHermite::new(NonZeroUsize::new(n).unwrap_or(NonZeroUsize::MIN));
                let root = std::f64::consts::PI.sqrt();
                let pairs = rule.into_node_weight_pairs();
                Self {
                    at: pairs.iter().map(|(x, _)| mean + sd * std::f64::consts::SQRT_2 * x).collect(),
                    weights: pairs.iter().map(|(_, w)| w / root).collect(),
                }
            }
            Marginal::Uniform { lo, hi } => {
                let pairs = legendre(n);
                Self {
                    at: pairs.iter().map(|(x, _)| 0.5 * (lo + hi) + 0.5 * (hi - lo) * x).collect(),
                    weights: pairs.iter().map(|(_, w)| 0.5 * w).collect(),
                }
            }
        }
    }

    /// Σ w f(x).
    pub fn sum(&self, mut f: impl FnMut(f64) -> f64) -> f64 {
        self.at.iter().zip(&self.weights).map(|(x, w)| w * f(*x)).sum()
    }
}

/// The tensor product of rules: nodes by columns, with the first input changing fastest, and weights that are `unit`
/// times the product of those of the rules.
pub fn tensor(rules: &[Rule], unit: f64) -> (Vec<Vec<f64>>, Vec<f64>) {
    let mut x = vec![Vec::new(); rules.len()];
    let mut weights = Vec::new();
    for i in 0..rules.iter().map(|rule| rule.at.len()).product() {
        let (mut left, mut weight) = (i, unit);
        for (column, rule) in x.iter_mut().zip(rules) {
            let at = left % rule.at.len();
            left /= rule.at.len();
            column.push(rule.at[at]);
            weight *= rule.weights[at];
        }
        weights.push(weight);
    }
    (x, weights)
}

/// The i-th point of a scrambled Sobol sequence in the unit cube, for i below 65,536 and up to 256 dimensions. Source:
/// Burley (2020), hash-based Owen scrambling.
pub fn sobol(i: usize, dimensions: usize, seed: u32) -> Vec<f64> {
    // the crate has single precision: half a step keeps the points away from 0
    let half_step = 2f64.powi(-25);
    (0..dimensions).map(|d| f64::from(sobol_burley::sample(i as u32, d as u32, seed)) + half_step).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gauss_rules_integrate_polynomials_exactly() {
        let normal = Marginal::Normal { mean: 0.5, sd: 2.0 };
        // E x⁴ = μ⁴ + 6μ²σ² + 3σ⁴
        let right = 0.0625 + 6.0 * 0.25 * 4.0 + 3.0 * 16.0;
        assert!((Rule::gauss(&normal, 3).sum(|x| x.powi(4)) - right).abs() < 1e-12 * right);
        let uniform = Marginal::Uniform { lo: 1.0, hi: 3.0 };
        assert!((Rule::gauss(&uniform, 2).sum(|x| x.powi(3)) - 10.0).abs() < 1e-13);
        for marginal in [normal, uniform] {
            assert!((Rule::under(&marginal, &[1.2], 4).sum(|_| 1.0) - 1.0).abs() < 1e-13);
        }
    }
}
