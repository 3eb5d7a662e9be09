//! Deep Gaussian processes: layers of Gaussian processes, each a function of the values of the one before.
//!
//! A [`DeepModel`] defines the layers. Its prior is sampled layer by layer; a [`Jacobian`] describes how derivatives
//! depend on depth, and a [`PlaneMap`] how points of the plane are mapped. [`train`] fits it by the sampling algorithm
//! of Vafa (2016), and a [`DeepFit`] predicts. Nothing here depends on the language, tables or figures.

mod adam;
mod collapsed;
mod definition;
mod error;
mod inserted_layer;
mod jacobian;
mod layer;
mod map;
mod minimised;
mod predict;
mod prior;
mod problem;
mod spectrum;
mod starts;
mod tape;
mod train;

pub use definition::{
    DEFAULT_INDUCING, DEFAULT_SAMPLES, DeepModel, DefinitionError, Inference, Optimizer, PseudoPrior, StartsFrom, Units,
};
pub use error::DeepError;
pub use jacobian::{Jacobian, JacobianError, Spectrum};
pub use layer::LayerValues;
pub use map::{Image, MapError, PlaneMap, Preimage, shown_layers, side_places};
pub use predict::Mixture;
pub use prior::{Columns, EXACT, PICTURE, PriorError};
pub use problem::{DeepProblem, Layer, Values};
pub use tape::TapeError;
pub use train::{DeepFit, Training, train};
