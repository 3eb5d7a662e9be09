//! The types of matrices and vectors.

/// log 2π.
pub const LOG_2PI: f64 = 1.837_877_066_409_345_5;

/// A dense matrix of 64-bit floats in column-major order.
pub type Matrix = nalgebra::DMatrix<f64>;
/// A column vector of 64-bit floats.
pub type Vector = nalgebra::DVector<f64>;
