//! An integral with its integrand, so that it can be continued.

use super::function::Function;
use crate::quadrature::Integral;

/// The result of `integrate`.
#[derive(Clone)]
pub struct Integrated<V> {
    pub integral: Integral,
    /// `None` if the integrand is known only by its evaluations.
    pub function: Option<Function<V>>,
    /// The factor of the density, for an expectation whose function is known.
    pub under: Option<Function<V>>,
}
