//! Dense linear algebra: the one place that imports faer.
//!
//! Matrices are nalgebra's, column by column; a column-major slice crosses over to faer without a copy. Everything is
//! sequential: fits run side by side, and a thread for each is faster than several threads inside one factorization.

mod blocked;
mod cholesky;
mod gmres;
mod least_squares;
mod pivoted;
mod products;
pub mod vector;
mod views;
mod workspace;

pub use cholesky::{Cholesky, NotPositiveDefinite, transposed_product};
pub use gmres::gmres;
pub use least_squares::{least_squares, orthonormal};
pub use pivoted::{pivoted_cholesky, pivoted_columns};
pub use products::{add_symmetric_product, add_transposed_product, product};
pub use workspace::{FactorError, Workspace};

/// log 2π.
pub const LOG_2PI: f64 = 1.837_877_066_409_345_5;

/// A dense matrix of 64-bit floats, column by column.
pub type Matrix = nalgebra::DMatrix<f64>;
/// A column of 64-bit floats.
pub type Vector = nalgebra::DVector<f64>;
