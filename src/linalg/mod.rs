//! Dense linear algebra: the one place that imports faer.
//!
//! Matrices are nalgebra's, column by column; a column-major slice crosses over to faer without a copy. Everything is
//! sequential: fits run side by side, and a thread for each is faster than several threads inside one factorization.

mod blocked;
mod cholesky;
mod gmres;
mod inverse_root;
mod least_squares;
mod matrix;
mod pivoted;
mod products;
pub mod vector;
mod views;
mod workspace;

pub use cholesky::{Cholesky, FactorError, NotPositiveDefinite, transposed_product};
pub use gmres::gmres;
pub use inverse_root::inverse_root;
pub use least_squares::{least_squares, orthonormal};
pub use matrix::{LOG_2PI, Matrix, Vector};
pub use pivoted::{pivoted_cholesky, pivoted_columns};
pub use products::{add_symmetric_product, add_transposed_product, product};
pub use workspace::Workspace;
