//! Bayesian quadrature: integrals of functions that are known at a few points, with their uncertainty.
//!
//! The integrand has a Gaussian-process prior, so its integral against a density is a random variable with a mean and a
//! variance (O'Hagan 1991; Duvenaud 2014, appendix A). Nothing here depends on the language.

mod active;
mod axis;
mod binary_matrices;
mod buffet_runs;
mod conditioned;
mod density;
mod distribution;
mod embedding;
mod error;
mod estimate;
mod evaluations;
mod evidence;
mod group;
mod integral;
mod mixture_models;
mod parameters;
mod particles;
mod partition_runs;
mod process;
mod proposal;
mod rules;
mod sampled;
mod structure_sum;
mod structures;
mod warp;

pub use active::{expectation, integrate};
pub use binary_matrices::{BinaryMatrix, BuffetMeans, FeatureNoise};
pub use buffet_runs::BuffetModel;
pub use density::{Component, Density, DensityError, Marginal};
pub use distribution::{IntegralPosterior, PosteriorComponent, Shape};
pub use error::QuadratureError;
pub use evaluations::Evaluations;
pub use evidence::{ModelEvidence, model_evidence};
pub use integral::{
    Course, Ended, FittedKernel, Integral, Integrand, MOST_EVALUATIONS, MOST_GIVEN, Settings, WeightedIntegrand,
    estimate,
};
pub use mixture_models::{AtomPrior, ComponentDensity, MixtureModel, posterior_mixtures};
pub use parameters::{default_kernels, product_kernel};
pub use partition_runs::PartitionModel;
pub use process::{Moments, PriorMean};
pub use rules::sobol;
pub use sampled::Ratio;
pub use structure_sum::{Structured, SummedEvidence, summed_evidence};
pub use structures::{StructureEvidence, structure_evidence};
pub use warp::Warp;
