//! The link functions, in forms that are accurate in the tails.

use spec_math::cephes64::erfc;

use crate::data::gaussian_average;
use crate::linalg::LOG_2PI;

/// The map from the latent function to a probability.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Link {
    /// Φ, the distribution function of the standard normal.
    Probit,
    /// 1/(1 + e^−f).
    Logistic,
}

/// log p of a label as a function of z = yf, with its derivatives.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LogLikelihood {
    pub value: f64,
    pub first: f64,
    /// Minus the second derivative; non-negative.
    pub curvature: f64,
    pub third: f64,
}

impl Link {
    /// The name in the language.
    pub fn name(self) -> &'static str {
        match self {
            Self::Probit => "probit",
            Self::Logistic => "logistic",
        }
    }

    /// The probability of the positive class where the latent function is f.
    pub fn probability_at(self, f: f64) -> f64 {
        match self {
            Self::Probit => normal_cdf(f),
            Self::Logistic => 1.0 / (1.0 + (-f).exp()),
        }
    }

    /// log p at z = yf.
    pub fn log_likelihood(self, z: f64) -> LogLikelihood {
        match self {
            Self::Probit => {
                let Tail { log_cdf, hazard, excess, rest } = tail(z);
                let third = hazard * (excess * excess - rest);
                LogLikelihood { value: log_cdf, first: hazard, curvature: hazard * excess, third }
            }
            Self::Logistic => {
                let small = (-z.abs()).exp();
                let (p, q) = if z >= 0.0 {
                    (1.0 / (1.0 + small), small / (1.0 + small))
                } else {
                    (small / (1.0 + small), 1.0 / (1.0 + small))
                };
                let value = z.min(0.0) - small.ln_1p();
                LogLikelihood { value, first: q, curvature: p * q, third: p * q * (p - q) }
            }
        }
    }

    /// The probability of the positive class if the latent function is normal with this mean and variance: for Φ in
    /// closed form (Rasmussen & Williams, 3.82), for the logistic function by quadrature to 1e-9.
    pub fn probability(self, mean: f64, variance: f64) -> f64 {
        match self {
            Self::Probit => normal_cdf(mean / (1.0 + variance).sqrt()),
            Self::Logistic => {
                let sd = variance.sqrt();
                if sd <= WIDE {
                    return gaussian_average(mean, sd, |f| self.probability_at(f)).0.clamp(0.0, 1.0);
                }
                // σ is almost a step here. The error of the step, ∫ σ(−t)(N(−t) − N(t)) dt, is concentrated near 0:
                // Simpson's rule.
                let density = |f: f64| (-0.5 * ((f - mean) / sd).powi(2)).exp() / (sd * std::f64::consts::TAU.sqrt());
                let off = |t: f64| self.probability_at(-t) * (density(-t) - density(t));
                let (cells, step) = (400, 0.1);
                let weight = |i: i32| if i == 0 || i == cells { 1.0 } else { f64::from(2 + 2 * (i % 2)) };
                let sum: f64 = (0..=cells).map(|i| weight(i) * off(f64::from(i) * step)).sum();
                (normal_cdf(mean / sd) + sum * step / 3.0).clamp(0.0, 1.0)
            }
        }
    }

    /// The logarithm of that probability for a label, accurate in the tails.
    pub fn log_probability(self, label: f64, mean: f64, variance: f64) -> f64 {
        match self {
            Self::Probit => tail(label * mean / (1.0 + variance).sqrt()).log_cdf,
            Self::Logistic => self.probability(label * mean, variance).max(f64::MIN_POSITIVE).ln(),
        }
    }
}

/// Beyond this standard deviation the logistic function is averaged as a step with a correction.
const WIDE: f64 = 20.0;

/// Φ(z).
pub fn normal_cdf(z: f64) -> f64 {
    0.5 * erfc(-z / std::f64::consts::SQRT_2)
}

/// The functions of z that updates with the probit need, each to full precision.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tail {
    /// log Φ(z).
    pub log_cdf: f64,
    /// h = N(z)/Φ(z).
    pub hazard: f64,
    /// z + h, positive.
    pub excess: f64,
    /// 1 − h(z + h), positive.
    pub rest: f64,
}

/// Below this z the continued fraction of Mills' ratio is used.
const FAR: f64 = -1.0;

/// The functions at z, without cancellation in the tails.
pub fn tail(z: f64) -> Tail {
    if z >= FAR {
        let cdf = normal_cdf(z);
        let hazard = (-0.5 * z * z - 0.5 * LOG_2PI).exp() / cdf;
        let log_cdf = if z > 0.0 { (-normal_cdf(-z)).ln_1p() } else { cdf.ln() };
        return Tail { log_cdf, hazard, excess: z + hazard, rest: 1.0 - hazard * (z + hazard) };
    }
    // h = x + 1/(x + 2/(x + 3/(x + …))) at x = −z (Laplace): z + h and 1 − h(z + h) follow without a difference of
    // large numbers
    let x = -z;
    let terms = 20 + (300.0 / (x * x)) as u32;
    let inner = (2..terms).rev().fold(0.0, |inner, k| f64::from(k) / (x + inner));
    let excess = 1.0 / (x + inner);
    let hazard = x + excess;
    let log_cdf = -0.5 * x * x - 0.5 * LOG_2PI - hazard.ln();
    Tail { log_cdf, hazard, excess, rest: (inner - excess) / (x + inner) }
}
