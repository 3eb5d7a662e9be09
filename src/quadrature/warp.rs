//! Warped scales for positive integrands, on which the model of the integrand is positive too.
//!
//! Square root: f = α + g²/2 with α slightly below the least evaluation (Gunter, Osborne, Garnett, Hennig and Roberts
//! 2014). Log: f = exp(g) (Osborne et al. 2012). g has a Gaussian-process prior. The moments of f follow exactly from
//! those of g, and are integrated over nodes of the density.

use super::density::Density;
use super::error::QuadratureError;
use super::evaluations::Evaluations;
use super::process::{Moments, Process};
use super::rules::{Rule, sobol, tensor};
use crate::linalg::Matrix;

/// The scale of the process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Warp {
    /// The scale of the integrand.
    #[default]
    None,
    SquareRoot,
    Log,
}

/// α divided by the least evaluation (Gunter et al. use 0.8).
const SHARE_OF_LEAST: f64 = 0.8;
/// The number of nodes for one input, per input for two, and in total for more.
const LINE: usize = 24;
const PLANE: usize = 26;
const POINTS: usize = 1024;

impl Warp {
    /// All scales.
    pub const ALL: [Warp; 3] = [Warp::None, Warp::SquareRoot, Warp::Log];

    /// The name in the language.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::SquareRoot => "sqrt",
            Self::Log => "log",
        }
    }

    /// The scale with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|warp| warp.name() == name)
    }

    /// α of the square-root scale.
    fn floor(evaluations: &Evaluations) -> f64 {
        SHARE_OF_LEAST * evaluations.y().iter().copied().fold(f64::INFINITY, f64::min)
    }

    /// The evaluations on the scale of the process.
    ///
    /// # Errors
    /// [`QuadratureError::NotPositive`] names the first point with a value that is not positive (for the square root,
    /// negative).
    pub fn apply(self, evaluations: &Evaluations) -> Result<Evaluations, QuadratureError> {
        let bad = |value: f64| match self {
            Self::None => false,
            Self::SquareRoot => value < 0.0,
            Self::Log => value <= 0.0,
        };
        if let Some(i) = evaluations.y().iter().position(|y| bad(*y)) {
            let at = evaluations.place(&evaluations.row(i));
            return Err(QuadratureError::NotPositive { value: evaluations.y()[i], at, scale: self.name() });
        }
        let floor = Self::floor(evaluations);
        let one = |y: &f64| match self {
            Self::None => *y,
            Self::SquareRoot => (2.0 * (y - floor)).sqrt(),
            Self::Log => y.ln(),
        };
        Ok(evaluations.with_values(evaluations.y().iter().map(one).collect()))
    }

    /// Mean and variance of the integrand, from those of the process.
    pub fn moments(self, g: Moments, evaluations: &Evaluations) -> Moments {
        let Moments { mean: m, variance: v } = g;
        match self {
            Self::None => g,
            Self::SquareRoot => {
                Moments { mean: Self::floor(evaluations) + 0.5 * (m * m + v), variance: 0.5 * v * v + m * m * v }
            }
            Self::Log => {
                let mean = (m + 0.5 * v).exp();
                Moments { mean, variance: mean * mean * v.exp_m1() }
            }
        }
    }

    /// About by how much an integrand of this size changes when the process changes by `by`.
    pub fn change(self, by: f64, size: f64) -> f64 {
        match self {
            Self::None => by,
            Self::SquareRoot => (2.0 * size.abs()).sqrt() * by + 0.5 * by * by,
            Self::Log => size.abs() * by.exp_m1(),
        }
    }

    /// Mean and variance of the integral of a warped process, and estimates of the errors of both from the difference
    /// between two sets of nodes.
    ///
    /// # Errors
    /// [`QuadratureError::Evaluation`].
    pub fn integral(
        self,
        process: &Process,
        evaluations: &Evaluations,
        density: &Density,
    ) -> Result<(Moments, (f64, f64)), QuadratureError> {
        let coarse = self.summed(process, evaluations, &nodes(density, 0))?;
        let fine = self.summed(process, evaluations, &nodes(density, 1))?;
        let error = ((fine.mean - coarse.mean).abs(), (fine.variance - coarse.variance).abs());
        Ok((fine, error))
    }

    fn summed(
        self,
        process: &Process,
        evaluations: &Evaluations,
        (x, weights): &(Vec<Vec<f64>>, Vec<f64>),
    ) -> Result<Moments, QuadratureError> {
        let (mean, covariance) = process.joint(x)?;
        let one = |i: usize| {
            let g = Moments { mean: mean[i], variance: covariance[(i, i)].max(0.0) };
            self.moments(g, evaluations).mean
        };
        let means: Vec<f64> = (0..mean.len()).map(one).collect();
        let total = means.iter().zip(weights).map(|(m, w)| m * w).sum();
        let shared = |i: usize, j: usize, covariance: &Matrix| {
            let c = covariance[(i, j)];
            match self {
                Self::None => c,
                Self::SquareRoot => 0.5 * c * c + mean[i] * mean[j] * c,
                Self::Log => means[i] * means[j] * c.exp_m1(),
            }
        };
        let mut variance = 0.0;
        for j in 0..weights.len() {
            variance += (0..weights.len()).map(|i| weights[i] * weights[j] * shared(i, j, &covariance)).sum::<f64>();
        }
        let rounding = f64::EPSILON * total * total;
        Ok(Moments { mean: total, variance: variance.max(rounding) })
    }
}

/// Nodes by columns, and weights that sum to 1.
fn nodes(density: &Density, level: usize) -> (Vec<Vec<f64>>, Vec<f64>) {
    let d = density.inputs();
    let mut x = vec![Vec::new(); d];
    let mut weights = Vec::new();
    if d > 2 {
        let n = POINTS >> (1 - level);
        for i in 0..n {
            let row = density.place(&sobol(i, d + 1, 4));
            x.iter_mut().zip(&row).for_each(|(column, x)| column.push(*x));
        }
        return (x, vec![1.0 / n as f64; n]);
    }
    for component in density.components() {
        let rule = |marginal| match d {
            1 => Rule::under(marginal, &[], (LINE << level) / 2),
            _ => Rule::gauss(marginal, if level == 0 { PLANE - 6 } else { PLANE }),
        };
        let rules: Vec<Rule> = component.marginals.iter().map(rule).collect();
        let (at, more) = tensor(&rules, component.weight);
        x.iter_mut().zip(at).for_each(|(column, at)| column.extend(at));
        weights.extend(more);
    }
    (x, weights)
}
