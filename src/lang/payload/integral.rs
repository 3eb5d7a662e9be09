//! An integral with the function that was integrated, so that it can go on.

use super::function::Function;
use crate::quadrature::Integral;

/// What `integrate` gives.
#[derive(Clone)]
pub struct Integrated<V> {
    pub integral: Integral,
    /// `None` where the integrand was known by its evaluations alone.
    pub function: Option<Function<V>>,
}
