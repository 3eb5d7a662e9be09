//! Results for people: sentences, tables and figures, rounded. Nothing here is ever parsed.

pub mod checks;
pub mod classes;
mod comparison;
pub mod cross_validation;
mod data;
pub mod depths;
pub mod english;
pub mod figures;
mod fit;
mod grid;
mod numbers;
pub mod parts;
mod prediction;
pub mod probability;
mod sampled_surface;
pub mod search;
pub mod tables;

pub use comparison::{compared, measured, orders, score, symmetries};
pub use data::{columns_grid, dataset, remarks, summary};
pub use fit::{fit, fit_line, parameters, parameters_grid, powers};
pub use grid::{Grid, show_table};
pub use numbers::{bytes, percent, rounded, significant};
pub use prediction::{decomposition, decomposition_grid, entangled, prediction, residuals, share_means};
pub use sampled_surface::{features, features_figure, features_table, surface, surface_figure};
