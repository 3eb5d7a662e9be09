//! Results for people: sentences, tables and figures with rounded numbers. Nothing written here is ever parsed.

pub mod checks;
pub mod classes;
mod comparison;
pub mod cross_validation;
mod curve_resolution;
mod data;
mod deep;
mod deep_figures;
pub mod deep_prior;
pub mod english;
pub mod figure_labels;
mod fit;
mod inducing_marks;
mod level_panels;
mod numbers;
pub mod part_figures;
mod posterior_draws;
mod prediction;
pub mod probability_figures;
pub mod result_figures;
mod sampled_surface;
pub mod search;
pub mod search_figures;
pub mod tables;
mod text_table;

pub use comparison::{compared, measured, orders, score, symmetries};
pub use curve_resolution::kernel_points;
pub use data::{columns_grid, dataset, dataset_rows, remarks, summary};
pub use deep::{deep_fit, deep_parameters, deep_trace};
pub use deep_figures::{deep_fit_figure, deep_prediction_figure};
pub use fit::{fit, fit_line, maximized, parameters, parameters_grid, powers};
pub use numbers::{bytes, grouped, percent, rounded, significant};
pub use posterior_draws::add_draws;
pub use prediction::{decomposition, decomposition_grid, entangled, prediction, residuals, share_means};
pub use sampled_surface::{features, features_figure, features_table, surface, surface_figure};
pub use text_table::{Grid, show_table};
