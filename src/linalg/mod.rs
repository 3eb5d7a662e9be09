//! Dense linear algebra. Only this room imports faer.
//!
//! Matrices are nalgebra's, in column-major order, and are passed to faer without a copy. Most functions are
//! sequential: fits run in parallel, and one thread per fit is faster than several threads in one factorisation. Only
//! large matrices are factored in parallel.

mod blocked;
mod cholesky;
mod gmres;
mod inverse_root;
mod least_squares;
mod matrix;
mod nearly_toeplitz;
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
