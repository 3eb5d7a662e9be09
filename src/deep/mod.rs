//! Deep Gaussian processes: layers of Gaussian processes, each a function of the values of the one before.
//!
//! A [`DeepModel`] says the layers. Its prior is drawn from layer by layer; a [`Jacobian`] says how derivatives spread with
//! depth, and a [`PlaneMap`] where points of the plane go. Deliberately absent: the language, tables and figures.

mod definition;
mod jacobian;
mod map;
mod prior;
mod spectrum;

pub use definition::{DEFAULT_INDUCING, DEFAULT_SAMPLES, DeepModel, DefinitionError, Optimizer, PseudoPrior, Units};
pub use jacobian::{Jacobian, JacobianError, Spectrum};
pub use map::{Image, MapError, PlaneMap, Sent, shown_layers, side_places};
pub use prior::{Columns, EXACT, PICTURE, PriorError};
