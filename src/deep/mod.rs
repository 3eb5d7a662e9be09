//! Deep Gaussian processes: layers of Gaussian processes, each a function of the values of the one before.
//!
//! A [`DeepModel`] says the layers and no more. Deliberately absent: the language, tables and figures.

mod definition;

pub use definition::{DEFAULT_INDUCING, DEFAULT_SAMPLES, DeepModel, DefinitionError, Optimizer, PseudoPrior, Units};
