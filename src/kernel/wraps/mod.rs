//! The wraps of kernels, one in each file, and the list of their declarations.

mod additive;
mod additive_terms;
mod additive_values;
mod basis;
mod changepoint;
mod combinations;
mod compose;
mod deep;
mod function_spec;
mod image;
mod invariant;
mod periodic_embedding;
mod power;
mod scale;
mod warp;

use super::family::Spec;

pub use additive::{AdditiveError, AdditiveForm, Bases, Orders, additive, constant, default_base};
pub use basis::basis;
pub use changepoint::changepoint;
pub use compose::{ComposeError, compose};
pub use deep::{DeepError, Depth, deep, log_limit};
pub use function_spec::{parameter_specs, with_parameters};
pub use image::{Edges, Shifts, conv, translate};
pub use invariant::{InvariantError, Method, invariant};
pub use periodic_embedding::{PeriodicEmbedding, periodic_embedding};
pub use power::power;
pub use scale::scale;
pub use warp::warp;

/// The declarations of all wraps.
pub const WRAPS: &[&Spec] = &[
    &power::SPEC,
    &changepoint::SPEC,
    &warp::SPEC,
    &scale::SPEC,
    &basis::SPEC,
    &invariant::INVARIANT,
    &invariant::REFLECT,
    &periodic_embedding::PERIODIC,
    &periodic_embedding::TORUS,
    &periodic_embedding::CYLINDER,
    &periodic_embedding::MOBIUS,
    &periodic_embedding::SPHERE,
    &image::TRANSLATE,
    &image::CONV,
    &additive::ADDITIVE,
    &additive::ANOVA,
    &additive::DROPOUT,
    &deep::DEEP,
    &deep::CONNECTED,
    &compose::SPEC,
];
