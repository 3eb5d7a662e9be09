//! Gaussian-process models: a kernel with noise and mean, what the data say of it, and what it says of new rows.
//!
//! [`Model`] is what a user writes. [`Problem`] is a model beside its training rows: the evidence and its gradient.
//! [`Posterior`] is what comes after: predictions, parts, draws, residuals. No fitting here, and no display.

mod baseline;
mod classes;
mod error;
mod evidence;
mod jitter;
mod known_noise;
mod memory;
mod parameters;
mod posterior;
mod print;
mod problem;

use std::sync::Arc;

pub use baseline::{Baseline, is_nothing, nothing};
pub(crate) use classes::cavity;
pub use classes::{Bernoulli, Classes, Link, Pseudo, Warm};
pub use error::ModelError;
pub(crate) use evidence::is_profiled;
pub use evidence::{Evidence, Evidencer};
pub use known_noise::KnownNoise;
pub use memory::{at_once, available_memory, needed_memory, refuse_if_too_large, refuse_if_wide};
pub use parameters::{MEAN, NOISE, Parameter, ParameterKind};
pub use posterior::{Moments, Part, Posterior, Replicates};
pub use print::step_text;
pub(crate) use problem::has_white_noise;
pub use problem::{Fence, Problem, is_noise};

use crate::data::Step;
use crate::kernel::Kernel;
use crate::param::Param;

/// A model as it is written: steps on the data, then a Gaussian process.
#[derive(Debug, Clone, PartialEq)]
pub struct Model {
    /// Applied to the data in order; learnt on training rows only.
    pub steps: Vec<Step>,
    pub kernel: Kernel,
    pub likelihood: Likelihood,
    pub mean: Mean,
}

/// What an observation is, given the function.
#[derive(Debug, Clone, PartialEq)]
pub enum Likelihood {
    /// A number: the function with normal noise.
    Gaussian(Noise),
    /// One of two classes; `positive` names the positive one, and all others are the negative one.
    Bernoulli { how: Bernoulli, positive: Option<Arc<str>> },
}

/// The noise of observations: a variance.
#[derive(Debug, Clone, PartialEq)]
pub enum Noise {
    /// One for all rows. A fixed one may be 0.
    Variance(Param),
    /// That of each row is known.
    Known(KnownNoise),
}

/// The mean function of the process.
#[derive(Debug, Clone, PartialEq)]
pub enum Mean {
    Zero,
    Constant(Param),
    /// An offset, then a slope for each input. Empty: nothing was written.
    Linear(Vec<Param>),
}

impl Model {
    /// The model of a bare kernel: free noise, a free constant mean, no steps.
    pub fn new(kernel: Kernel) -> Self {
        Self {
            steps: Vec::new(),
            kernel,
            likelihood: Likelihood::Gaussian(Noise::Variance(Param::default())),
            mean: Mean::Constant(Param::default()),
        }
    }

    /// Whether the target is one of two classes, and not a number.
    pub fn predicts_classes(&self) -> bool {
        self.bernoulli().is_some()
    }

    /// Whether numbers are observed without noise, so that where the function is known they have no density.
    pub fn is_noiseless(&self) -> bool {
        matches!(self.noise(), Some(Noise::Variance(param)) if param.value() == Some(0.0))
            && !has_white_noise(&self.kernel)
    }

    /// The same with this noise of observations, which are numbers.
    pub fn with_noise(self, noise: Noise) -> Self {
        Self { likelihood: Likelihood::Gaussian(noise), ..self }
    }

    /// The noise of an observation, where observations are numbers.
    pub fn noise(&self) -> Option<&Noise> {
        match &self.likelihood {
            Likelihood::Gaussian(noise) => Some(noise),
            Likelihood::Bernoulli { .. } => None,
        }
    }

    /// The noise that is known for each row, where it is.
    pub fn known_noise(&self) -> Option<&KnownNoise> {
        match self.noise() {
            Some(Noise::Known(known)) => Some(known),
            _ => None,
        }
    }

    /// How classes come of the function, where observations are classes.
    pub fn bernoulli(&self) -> Option<Bernoulli> {
        match self.likelihood {
            Likelihood::Gaussian(_) => None,
            Likelihood::Bernoulli { how, .. } => Some(how),
        }
    }

    /// The class that was named as the positive one.
    pub fn positive(&self) -> Option<&str> {
        match &self.likelihood {
            Likelihood::Bernoulli { positive, .. } => positive.as_deref(),
            Likelihood::Gaussian(_) => None,
        }
    }
}
