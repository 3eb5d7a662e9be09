//! Fitting: the optimiser, and what starting values are read from.
//!
//! The optimiser and the helpers for starts know functions of real numbers and columns of data, nothing else.
//! Deliberately absent: the language, and the names of kernels.

pub mod optimize;
pub mod periodogram;
pub mod spacing;

mod lbfgs;
mod linesearch;
