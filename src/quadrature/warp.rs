//! Warped scales for positive integrands, on which the model of the integrand is positive too.
//!
//! Square root: f = α + g²/2 with α slightly below the least evaluation (Gunter, Osborne, Garnett, Hennig and Roberts
//! 2014). Log: f = exp(g) − φ with φ far below the largest evaluation (Osborne et al. 2012 have φ = 0). g has a
//! Gaussian-process prior. The moments of g²/2 follow exactly from those of g, and are integrated over nodes of the density;
//! those of exp(g) may not be numbers, and draws of g are integrated instead. The integral is positive, and its posterior
//! log-normal.

use rand::SeedableRng;
use rand_distr::{Distribution, StandardNormal};
use rand_pcg::Pcg64;

use super::density::Density;
use super::error::QuadratureError;
use super::evaluations::Evaluations;
use super::process::{Moments, Process};
use super::rules::{Rule, sobol, tensor};
use crate::linalg::{Cholesky, Matrix, Vector};

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
/// φ of the log scale divided by the largest evaluation. What is much smaller adds nothing to the integral, and its
/// logarithm falls without end, which would make the process as uncertain as it is there everywhere.
const SHARE_OF_LARGEST: f64 = 1e-6;
/// The logarithm of the integrand over its largest evaluation is not taken to be larger than this anywhere.
const HIGHEST: f64 = 14.0;
/// The variance of a logarithm above which an integrand is not taken to be more uncertain, for the choice of evaluations.
const UNCERTAIN: f64 = 4.0;
/// The number of pairs of draws of the process on the log scale.
const PAIRS: usize = 200;
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

    fn largest(evaluations: &Evaluations) -> f64 {
        evaluations.y().iter().copied().fold(0.0, f64::max)
    }

    /// The evaluations on the scale of the process.
    ///
    /// # Errors
    /// [`QuadratureError::NotPositive`] names the first point with a negative value; on a log scale the first if all are 0.
    pub fn apply(self, evaluations: &Evaluations) -> Result<Evaluations, QuadratureError> {
        let largest = Self::largest(evaluations);
        let bad = |value: f64| self != Self::None && (value < 0.0 || self == Self::Log && largest <= 0.0);
        if let Some(i) = evaluations.y().iter().position(|y| bad(*y)) {
            let at = evaluations.place(&evaluations.row(i));
            return Err(QuadratureError::NotPositive { value: evaluations.y()[i], at, scale: self.name() });
        }
        let floor = Self::floor(evaluations);
        let one = |y: &f64| match self {
            Self::None => *y,
            Self::SquareRoot => (2.0 * (y - floor)).sqrt(),
            Self::Log => (y + SHARE_OF_LARGEST * largest).ln(),
        };
        Ok(evaluations.with_values(evaluations.y().iter().map(one).collect()))
    }

    /// The integrand where the process has this value, and at least 0.
    fn back(self, g: f64, evaluations: &Evaluations) -> f64 {
        match self {
            Self::None => g,
            Self::SquareRoot => (Self::floor(evaluations) + 0.5 * g * g).max(0.0),
            Self::Log => {
                let largest = Self::largest(evaluations);
                (g.min(largest.ln() + HIGHEST).exp() - SHARE_OF_LARGEST * largest).max(0.0)
            }
        }
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
                let v = v.min(UNCERTAIN);
                let mean = (m + 0.5 * v).exp();
                let floor = SHARE_OF_LARGEST * Self::largest(evaluations);
                Moments { mean: (mean - floor).max(0.0), variance: mean * mean * v.exp_m1() }
            }
        }
    }

    /// The integrand where the process is its mean, between its values so many standard deviations below and above.
    pub fn band(self, g: Moments, deviations: f64, evaluations: &Evaluations) -> [f64; 3] {
        let (m, reach) = (g.mean, deviations * g.variance.sqrt());
        let ends = match self {
            // the square has its least value at 0
            Self::SquareRoot => [(m.abs() - reach).max(0.0), m.abs(), m.abs() + reach],
            Self::None | Self::Log => [m - reach, m, m + reach],
        };
        ends.map(|g| self.back(g, evaluations))
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
    /// between two sets of nodes. Its covariance is multiplied by N/(N − 2), as a scale that is fitted to N evaluations has
    /// the uncertainty of a Student-t.
    ///
    /// # Errors
    /// [`QuadratureError::Evaluation`].
    pub fn integral(
        self,
        process: &Process,
        evaluations: &Evaluations,
        density: &Density,
    ) -> Result<(Moments, (f64, f64)), QuadratureError> {
        let n = process.n() as f64;
        let inflated = n / (n - 2.0).max(1.0);
        let sums = |level: usize| -> Result<Moments, QuadratureError> {
            let (x, weights) = nodes(density, level);
            let (mean, covariance) = process.joint(&x)?;
            match self {
                Self::Log => Ok(self.drawn((mean, covariance * inflated), evaluations, &weights)),
                Self::SquareRoot | Self::None => Ok(self.summed((mean, covariance * inflated), evaluations, &weights)),
            }
        };
        let (coarse, fine) = (sums(0)?, sums(1)?);
        let error = match self {
            // the draws differ: only the process at its mean is compared
            Self::Log => (self.between(process, evaluations, density)?, 0.0),
            _ => ((fine.mean - coarse.mean).abs(), (fine.variance - coarse.variance).abs()),
        };
        Ok((fine, error))
    }

    /// The difference between the integrals of the warped mean over two sets of nodes.
    fn between(self, process: &Process, evaluations: &Evaluations, density: &Density) -> Result<f64, QuadratureError> {
        let at = |level: usize| -> Result<f64, QuadratureError> {
            let (x, weights) = nodes(density, level);
            let means = process.predict(&x)?;
            Ok(means.iter().zip(&weights).map(|(g, w)| w * self.back(g.mean, evaluations)).sum())
        };
        Ok((at(1)? - at(0)?).abs())
    }

    /// From the exact moments of f = α + g²/2. What the variance of g adds to the mean is that of the prior where nothing is
    /// known, and counts as uncertain.
    fn summed(self, (mean, covariance): (Vec<f64>, Matrix), evaluations: &Evaluations, weights: &[f64]) -> Moments {
        let own = |i: usize| covariance[(i, i)].max(0.0);
        let one = |i: usize| self.moments(Moments { mean: mean[i], variance: own(i) }, evaluations).mean;
        let total: f64 = (0..mean.len()).map(|i| weights[i] * one(i)).sum();
        let mut variance = 0.0;
        for j in 0..weights.len() {
            let shared = |i: usize| {
                let c = covariance[(i, j)];
                if self == Self::None { c } else { 0.5 * c * c + mean[i] * mean[j] * c }
            };
            variance += (0..weights.len()).map(|i| weights[i] * weights[j] * shared(i)).sum::<f64>();
        }
        if self == Self::SquareRoot {
            variance += (0..weights.len()).map(|i| 0.5 * weights[i] * own(i)).sum::<f64>().powi(2);
        }
        Moments { mean: total, variance: variance.max(f64::EPSILON * total * total) }
    }

    /// From draws of g at the nodes: the mean and variance of the log-normal distribution whose logarithm has the moments
    /// that the logarithm of the integral has among the draws. The moments of exp(g) themselves are those of the largest
    /// draws, and may be larger than any number.
    fn drawn(self, (mean, covariance): (Vec<f64>, Matrix), evaluations: &Evaluations, weights: &[f64]) -> Moments {
        let sds: Vec<f64> = (0..mean.len()).map(|i| covariance[(i, i)].max(0.0).sqrt()).collect();
        let lower = Cholesky::new(covariance).map(|factor| factor.lower()).ok();
        let mut random = Pcg64::seed_from_u64(0);
        let integral = |away: &dyn Fn(usize) -> f64| {
            let one = |i: usize| weights[i] * self.back(mean[i] + away(i), evaluations);
            (0..weights.len()).map(one).sum::<f64>().max(f64::MIN_POSITIVE).ln()
        };
        let mut logs = Vec::with_capacity(2 * PAIRS);
        for _ in 0..PAIRS {
            let z = Vector::from_iterator(mean.len(), (0..mean.len()).map(|_| StandardNormal.sample(&mut random)));
            let away: Vec<f64> = match &lower {
                Some(lower) => (lower * z).iter().copied().collect(),
                // of one normal variable: no covariance is larger
                None => sds.iter().map(|sd| sd * z[0]).collect(),
            };
            logs.push(integral(&|i| away[i]));
            logs.push(integral(&|i| -away[i]));
        }
        let centre = logs.iter().sum::<f64>() / logs.len() as f64;
        let spread = logs.iter().map(|log| (log - centre).powi(2)).sum::<f64>() / logs.len() as f64;
        let total = (centre + 0.5 * spread).exp();
        Moments { mean: total, variance: total * total * spread.exp_m1().max(f64::EPSILON) }
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
