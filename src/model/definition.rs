//! Models: a kernel with its likelihood and its mean, and steps on the data before them.

use std::sync::Arc;

use super::classes::Bernoulli;
use super::inducing::{Inducing, Sparse, SparseMethod, USUAL_INDUCING};
use super::known_noise::KnownNoise;
use crate::data::Step;
use crate::kernel::{Kernel, Node};
use crate::param::Param;

/// A model as it is written: steps on the data, then a Gaussian process.
#[derive(Debug, Clone, PartialEq)]
pub struct Model {
    /// Applied to the data in order; learnt on training rows only.
    pub steps: Vec<Step>,
    pub kernel: Kernel,
    pub likelihood: Likelihood,
    pub mean: Mean,
    /// Inducing inputs that stand for the rows; without them inference is as the likelihood has it.
    pub sparse: Option<Sparse>,
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
            sparse: None,
        }
    }

    /// The same of many rows: seen through the usual number of inducing inputs, by VFE. `None` where there is no such model,
    /// as of classes, of numbers without noise and without a kernel.
    pub fn through_inducing(&self) -> Option<Self> {
        if self.sparse.is_some() || self.predicts_classes() || self.is_noiseless() || self.baseline().is_some() {
            return None;
        }
        let sparse = Sparse { method: SparseMethod::Vfe, inducing: Inducing::Count(USUAL_INDUCING) };
        Some(Self { sparse: Some(sparse), ..self.clone() })
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

/// Whether a term has no covariance between different rows: white noise, or a product with it.
pub fn is_noise(term: &Kernel) -> bool {
    let white = |k: &&Kernel| matches!(k.node(), Node::Leaf(l) if l.family.spec().name == "WN");
    term.factors().iter().any(white)
}

/// Whether white noise is a summand at the top.
pub(crate) fn has_white_noise(kernel: &Kernel) -> bool {
    let white = |k: &Kernel| matches!(k.node(), Node::Leaf(l) if l.family.spec().name == "WN");
    match kernel.node() {
        Node::Sum(terms) => terms.iter().any(has_white_noise),
        _ => white(kernel),
    }
}
