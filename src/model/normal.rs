//! Constants of the normal distribution.

/// log 2π.
pub(super) const LOG_2PI: f64 = 1.837_877_066_409_345_5;
