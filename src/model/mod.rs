//! Gaussian-process models: a kernel with noise and mean, its log marginal likelihood, and its posterior.
//!
//! [`Model`] is a model as written. [`Problem`] is a model with its training rows: the log marginal likelihood and its
//! gradient. [`Posterior`] is the model given these rows: predictions, parts, draws, residuals. This room does not fit
//! parameters or format results.

mod baseline;
mod classes;
pub mod clusters;
mod definition;
mod denser;
mod error;
mod evaluation;
mod evidence;
mod half_covariances;
mod inducing;
mod inducing_error;
mod inputs;
mod jitter;
mod known_noise;
mod mean_function;
mod mean_terms;
mod memory;
mod parameters;
mod posterior;
mod print;
mod problem;
mod process_mean;
mod product_bounds;
mod sparse;
mod spread;

pub use baseline::{Baseline, is_zero_kernel, zero_kernel};
pub(crate) use classes::cavity;
pub use classes::{Bernoulli, Classes, Link, Pseudo, Warm, normal_cdf};
pub(crate) use definition::has_white_noise;
pub use definition::{Likelihood, Mean, Model, Noise, is_noise};
pub use denser::DenserNoise;
pub use error::ModelError;
pub use evaluation::Evidence;
pub(crate) use evaluation::is_profiled;
pub use evidence::Evidencer;
pub use inducing::{DEFAULT_INDUCING, Entry, Inducing, InducingInputs, Sparse, SparseMethod};
pub use inducing_error::InducingError;
pub use known_noise::KnownNoise;
pub use mean_function::MeanFunction;
pub use mean_terms::MeanTerm;
pub use memory::{at_once, available_memory, refuse_if_rough, refuse_if_too_large, refuse_if_wide};
pub use parameters::{MEAN, NOISE, Parameter, ParameterKind};
pub use posterior::{Moments, Part, Posterior, Replicates};
pub use print::{parameter_text, step_text};
pub use problem::{Problem, needed_memory};
pub use product_bounds::ProductBound;
pub(crate) use spread::spread;
