//! The constructions around kernels, one a file, and the list of their declarations.

mod basis;
mod changepoint;
mod power;
mod scale;
mod warp;

use super::family::Spec;

pub use basis::basis;
pub use changepoint::changepoint;
pub use power::power;
pub use scale::scale;
pub use warp::warp;

/// The declarations of all wraps.
pub const WRAPS: &[&Spec] = &[&power::SPEC, &changepoint::SPEC, &warp::SPEC, &scale::SPEC, &basis::SPEC];
