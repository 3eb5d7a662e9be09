//! Probability densities for integrals: mixtures of products of normal and uniform densities.

use std::fmt;

use statrs::distribution::{ContinuousCDF, Normal};

use crate::kernel::number;

/// The density of one input.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Marginal {
    Normal {
        mean: f64,
        sd: f64,
    },
    /// On the interval from `lo` to `hi`.
    Uniform {
        lo: f64,
        hi: f64,
    },
}

/// Why a density is not valid.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum DensityError {
    #[error("a normal density has a finite mean and a positive standard deviation, found {} and {}", number(*.mean), number(*.sd))]
    Normal { mean: f64, sd: f64 },
    #[error("a uniform density has two finite bounds, the lower one first, found {} and {}", number(*.lo), number(*.hi))]
    Uniform { lo: f64, hi: f64 },
    #[error("a density has at least one input")]
    NoInputs,
    #[error("a mixture has at least one component")]
    NoComponents,
    #[error("the weights of a mixture sum to 1; these sum to {}", number(*.0))]
    Weights(f64),
    #[error("the weights of a mixture are positive, and weight {place} is {}", number(*.weight))]
    Weight { place: usize, weight: f64 },
    #[error("{weights} weights for {components} components")]
    WeightCount { weights: usize, components: usize },
    #[error("component {component} has {found} inputs, and the first has {expected}")]
    Inputs { component: usize, expected: usize, found: usize },
}

impl Marginal {
    /// A normal density with this mean and standard deviation.
    ///
    /// # Errors
    /// [`DensityError::Normal`]: a number that is not finite, or a standard deviation that is not positive.
    pub fn normal(mean: f64, sd: f64) -> Result<Self, DensityError> {
        let good = mean.is_finite() && sd.is_finite() && sd > 0.0;
        good.then_some(Self::Normal { mean, sd }).ok_or(DensityError::Normal { mean, sd })
    }

    /// A uniform density from `lo` to `hi`.
    ///
    /// # Errors
    /// [`DensityError::Uniform`]: a bound that is not finite, or an empty interval.
    pub fn uniform(lo: f64, hi: f64) -> Result<Self, DensityError> {
        let good = (hi - lo).is_finite() && lo < hi;
        good.then_some(Self::Uniform { lo, hi }).ok_or(DensityError::Uniform { lo, hi })
    }

    /// The density at a point.
    pub fn at(&self, x: f64) -> f64 {
        match *self {
            Self::Normal { mean, sd } => {
                let z = (x - mean) / sd;
                (-0.5 * z * z).exp() / (sd * (2.0 * std::f64::consts::PI).sqrt())
            }
            Self::Uniform { lo, hi } => {
                if (lo..=hi).contains(&x) {
                    1.0 / (hi - lo)
                } else {
                    0.0
                }
            }
        }
    }

    /// The mean.
    pub fn mean(&self) -> f64 {
        match *self {
            Self::Normal { mean, .. } => mean,
            Self::Uniform { lo, hi } => 0.5 * (lo + hi),
        }
    }

    /// The standard deviation.
    pub fn sd(&self) -> f64 {
        match *self {
            Self::Normal { sd, .. } => sd,
            Self::Uniform { lo, hi } => (hi - lo) / 12f64.sqrt(),
        }
    }

    /// The density of sign · x + add, for a sign of 1 or −1.
    pub fn moved(&self, sign: f64, add: f64) -> Self {
        match *self {
            Self::Normal { mean, sd } => Self::Normal { mean: sign * mean + add, sd },
            Self::Uniform { lo, hi } if sign < 0.0 => Self::Uniform { lo: add - hi, hi: add - lo },
            Self::Uniform { lo, hi } => Self::Uniform { lo: lo + add, hi: hi + add },
        }
    }

    /// The quantile at `u`, between 0 and 1.
    pub fn quantile(&self, u: f64) -> f64 {
        match *self {
            Self::Normal { mean, sd } => {
                let u = u.clamp(1e-300, 1.0 - f64::EPSILON / 2.0);
                mean + sd * Normal::standard().inverse_cdf(u)
            }
            Self::Uniform { lo, hi } => lo + u * (hi - lo),
        }
    }

    /// An interval outside of which the mass is below double precision.
    pub fn range(&self) -> (f64, f64) {
        match *self {
            Self::Normal { mean, sd } => (mean - 9.0 * sd, mean + 9.0 * sd),
            Self::Uniform { lo, hi } => (lo, hi),
        }
    }
}

/// One component of a mixture: a weight, and independent densities of the inputs.
#[derive(Debug, Clone, PartialEq)]
pub struct Component {
    pub weight: f64,
    pub marginals: Vec<Marginal>,
}

/// A mixture of products of densities. The weights are positive and sum to 1, and all components have the same number
/// of inputs.
#[derive(Debug, Clone, PartialEq)]
pub struct Density {
    components: Vec<Component>,
}

impl Density {
    /// A single product of densities, one per input.
    ///
    /// # Errors
    /// [`DensityError::NoInputs`].
    pub fn product(marginals: Vec<Marginal>) -> Result<Self, DensityError> {
        Self::mixture(vec![Component { weight: 1.0, marginals }])
    }

    /// A mixture of components.
    ///
    /// # Errors
    /// [`DensityError`]: no components, weights that do not sum to 1 (to 1e-9), or components with different numbers of
    /// inputs.
    pub fn mixture(mut components: Vec<Component>) -> Result<Self, DensityError> {
        let expected = components.first().ok_or(DensityError::NoComponents)?.marginals.len();
        if expected == 0 {
            return Err(DensityError::NoInputs);
        }
        for (component, part) in components.iter().enumerate() {
            let found = part.marginals.len();
            if found != expected {
                return Err(DensityError::Inputs { component, expected, found });
            }
        }
        let total: f64 = components.iter().map(|c| c.weight).sum();
        if let Some(place) = components.iter().position(|c| c.weight.is_nan() || c.weight <= 0.0) {
            return Err(DensityError::Weight { place, weight: components[place].weight });
        }
        if total.is_nan() || (total - 1.0).abs() > 1e-9 {
            return Err(DensityError::Weights(total));
        }
        // weights that sum to 1 up to rounding do not change, so that a printed density parses back to the same one
        if (total - 1.0).abs() > 1e-12 {
            components.iter_mut().for_each(|c| c.weight /= total);
        }
        Ok(Self { components })
    }

    /// The components, with weights that sum to 1.
    pub fn components(&self) -> &[Component] {
        &self.components
    }

    /// The number of inputs.
    pub fn inputs(&self) -> usize {
        self.components[0].marginals.len()
    }

    /// The density at a point, with one number per input.
    pub fn at(&self, x: &[f64]) -> f64 {
        let one = |c: &Component| c.weight * c.marginals.iter().zip(x).map(|(m, x)| m.at(*x)).product::<f64>();
        self.components.iter().map(one).sum()
    }

    /// Mean and standard deviation of one input.
    pub fn moments(&self, input: usize) -> (f64, f64) {
        let mean: f64 = self.components.iter().map(|c| c.weight * c.marginals[input].mean()).sum();
        let second = |c: &Component| {
            let m = c.marginals[input];
            c.weight * (m.sd().powi(2) + (m.mean() - mean).powi(2))
        };
        (mean, self.components.iter().map(second).sum::<f64>().sqrt())
    }

    /// Maps a point of the unit cube to the inputs: the first coordinate selects the component, the others are
    /// quantiles of its inputs. A point set that fills the cube evenly fills the density evenly.
    pub fn place(&self, cube: &[f64]) -> Vec<f64> {
        let mut left = cube[0];
        let mut chosen = &self.components[0];
        for component in &self.components {
            chosen = component;
            if left < component.weight {
                break;
            }
            left -= component.weight;
        }
        chosen.marginals.iter().zip(&cube[1..]).map(|(m, u)| m.quantile(*u)).collect()
    }

    /// The range in which it is not negligible in one input.
    pub fn range(&self, input: usize) -> (f64, f64) {
        self.components
            .iter()
            .map(|c| c.marginals[input].range())
            .fold((f64::INFINITY, f64::NEG_INFINITY), |all, one| (all.0.min(one.0), all.1.max(one.1)))
    }
}

impl fmt::Display for Marginal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Normal { mean, sd } => write!(f, "normal({}, {})", number(mean), number(sd)),
            Self::Uniform { lo, hi } => write!(f, "uniform({}, {})", number(lo), number(hi)),
        }
    }
}

impl fmt::Display for Component {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let each: Vec<String> = self.marginals.iter().map(Marginal::to_string).collect();
        match &each[..] {
            [one] => f.write_str(one),
            _ => write!(f, "[{}]", each.join(", ")),
        }
    }
}

/// In the form of the language.
impl fmt::Display for Density {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let [one] = &self.components[..] {
            return one.fmt(f);
        }
        let each: Vec<String> = self.components.iter().map(Component::to_string).collect();
        let weights: Vec<String> = self.components.iter().map(|c| c.weight.to_string()).collect();
        write!(f, "mixture([{}], weights=[{}])", each.join(", "), weights.join(", "))
    }
}
