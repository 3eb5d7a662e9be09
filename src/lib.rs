//! Mercer: a small language for Gaussian-process kernel models.

pub mod data;
pub mod describe;
pub mod figure;
pub mod fit;
pub mod kernel;
pub mod lang;
pub mod linalg;
pub mod model;
pub mod param;
pub mod progress;
pub mod render;
pub mod results;
pub mod session;
