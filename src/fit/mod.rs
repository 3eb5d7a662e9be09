//! Fitting: the optimiser, its starting values, and standard errors.
//!
//! The optimiser and the functions for starts depend only on functions of real numbers and columns of data. Nothing
//! here depends on the language or on the names of kernels.

pub mod optimize;
pub mod periodogram;
pub mod spacing;

mod column;
mod curvature;
mod effort;
mod few_steps;
mod first_result;
mod fitting;
mod hints;
mod lbfgs;
mod likelihood;
mod linesearch;
mod parameter_posterior;
pub(crate) mod prior_variance;
mod result;
mod run_options;
mod short_scales;
mod starts;
mod target_scale;
mod trace;

pub use column::{Column, calendar};
pub use effort::expected_seconds;
pub use few_steps::best_after;
pub use fitting::{Beyond, Stretch, condition, condition_unless, fit_beyond, judged};
pub(crate) use hints::{NOT_CONVERGED, hints, jittered};
pub use likelihood::Likelihood;
pub use parameter_posterior::{ParameterPosterior, WEAK_PRIOR_SD};
pub use result::{Fit, Options, Start};
pub use short_scales::{gap_of_jump, jump};
pub use starts::{Starts, given, rounding_variance};
pub(crate) use starts::{latent_bounds, spread};
pub use target_scale::{fit, on_scale, scale_name, scales};
pub use trace::{Point, Trace};
