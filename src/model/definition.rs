//! Models: a kernel with a likelihood and a mean, and steps on the data before them.

use std::sync::Arc;

use super::classes::Bernoulli;
use super::inducing::{DEFAULT_INDUCING, Inducing, Sparse, SparseMethod};
use super::known_noise::KnownNoise;
use super::mean_function::MeanFunction;
use crate::data::Step;
use crate::kernel::{Kernel, Node};
use crate::param::Param;

/// A model as written: steps on the data, then a Gaussian process.
#[derive(Debug, Clone, PartialEq)]
pub struct Model {
    /// Applied to the data in order; learnt on training rows only.
    pub steps: Vec<Step>,
    pub kernel: Kernel,
    pub likelihood: Likelihood,
    pub mean: Mean,
    /// Inducing inputs; without them inference uses all rows.
    pub sparse: Option<Sparse>,
}

/// The distribution of an observation given the function.
#[derive(Debug, Clone, PartialEq)]
pub enum Likelihood {
    /// A number: the function with Gaussian noise.
    Gaussian(Noise),
    /// One of two classes; `positive` is the name of the positive one, and all others are the negative one.
    Bernoulli { how: Bernoulli, positive: Option<Arc<str>> },
}

/// The variance of the observation noise.
#[derive(Debug, Clone, PartialEq)]
pub enum Noise {
    /// One variance for all rows. A fixed one may be 0.
    Variance(Param),
    /// A known variance for each row.
    Known(KnownNoise),
}

/// The mean function of the process.
#[derive(Debug, Clone, PartialEq)]
pub enum Mean {
    Zero,
    Constant(Param),
    /// An offset, then a slope for each input. Empty if none was written.
    Linear(Vec<Param>),
    /// A user's function of the inputs.
    Function(MeanFunction),
}

impl Model {
    /// The model of a kernel with defaults: free noise, a free constant mean, no steps.
    pub fn new(kernel: Kernel) -> Self {
        Self {
            steps: Vec::new(),
            kernel,
            likelihood: Likelihood::Gaussian(Noise::Variance(Param::default())),
            mean: Mean::Constant(Param::default()),
            sparse: None,
        }
    }

    /// The same model for many rows, with the default number of inducing inputs, by VFE. `None` if there is no such
    /// model: for classes, without noise, and without a kernel.
    pub fn through_inducing(&self) -> Option<Self> {
        if self.sparse.is_some() || self.predicts_classes() || self.is_noiseless() || self.baseline().is_some() {
            return None;
        }
        let sparse = Sparse { method: SparseMethod::Vfe, inducing: Inducing::Count(DEFAULT_INDUCING) };
        Some(Self { sparse: Some(sparse), ..self.clone() })
    }

    /// Whether the target is a class rather than a number.
    pub fn predicts_classes(&self) -> bool {
        self.bernoulli().is_some()
    }

    /// Whether numbers are observed without noise, so that an observation has no density where the function is known.
    pub fn is_noiseless(&self) -> bool {
        matches!(self.noise(), Some(Noise::Variance(param)) if param.value() == Some(0.0))
            && !has_white_noise(&self.kernel)
    }

    /// The same model of numbers with this noise.
    pub fn with_noise(self, noise: Noise) -> Self {
        Self { likelihood: Likelihood::Gaussian(noise), ..self }
    }

    /// The noise of the observations, if they are numbers.
    pub fn noise(&self) -> Option<&Noise> {
        match &self.likelihood {
            Likelihood::Gaussian(noise) => Some(noise),
            Likelihood::Bernoulli { .. } => None,
        }
    }

    /// The known noise of each row, if there is one.
    pub fn known_noise(&self) -> Option<&KnownNoise> {
        match self.noise() {
            Some(Noise::Known(known)) => Some(known),
            _ => None,
        }
    }

    /// The approximation and link function, if observations are classes.
    pub fn bernoulli(&self) -> Option<Bernoulli> {
        match self.likelihood {
            Likelihood::Gaussian(_) => None,
            Likelihood::Bernoulli { how, .. } => Some(how),
        }
    }

    /// The class that was named as positive.
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

/// Whether white noise is a term of the kernel.
pub(crate) fn has_white_noise(kernel: &Kernel) -> bool {
    let white = |k: &Kernel| matches!(k.node(), Node::Leaf(l) if l.family.spec().name == "WN");
    match kernel.node() {
        Node::Sum(terms) => terms.iter().any(has_white_noise),
        _ => white(kernel),
    }
}
