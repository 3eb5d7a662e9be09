//! The kernel families, one in each file, and the list of them.

mod constant;
mod cosine;
mod damped_trend;
mod distance;
mod indicator;
mod integrated_wiener;
mod linear;
mod matern12;
mod matern32;
mod matern52;
mod onehot;
mod periodic;
mod polynomial;
mod process;
mod rational_quadratic;
mod squared_exponential;
mod white_noise;
mod wiener;

use super::family::Family;

/// The constant kernel, which represents the numbers of kernel algebra.
pub(super) const CONST: &dyn Family = &constant::Constant;

/// Every family of the language.
pub const FAMILIES: &[&dyn Family] = &[
    &squared_exponential::SQUARED_EXPONENTIAL,
    &rational_quadratic::RATIONAL_QUADRATIC,
    &periodic::Periodic { centred: false },
    &linear::Linear,
    CONST,
    &white_noise::WhiteNoise,
    &matern12::MATERN12,
    &matern32::MATERN32,
    &matern52::MATERN52,
    &cosine::Cosine,
    &polynomial::Polynomial,
    &wiener::WIENER,
    &integrated_wiener::INTEGRATED_WIENER,
    &damped_trend::DAMPED_TREND,
    &onehot::OneHot,
    &indicator::Indicator,
];

/// The family with this name or alias.
pub fn family(name: &str) -> Option<&'static dyn Family> {
    FAMILIES.iter().copied().find(|f| f.spec().name == name || f.spec().aliases.contains(&name))
}
