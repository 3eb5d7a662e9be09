//! The builtins, by theme. Each file ends with its own list; this file joins the lists.

mod algebra;
mod baselines;
mod classes;
mod crossval;
mod data;
mod decomposition;
mod deep;
mod deep_help;
mod deep_priors;
mod deep_results;
mod densities;
mod evidence;
mod explain;
mod features;
mod files;
mod fit_warnings;
mod fitting;
mod inducing;
mod kernel_figures;
mod kernel_lattice;
mod kernel_spaces;
mod kernels;
mod lists;
mod loading;
mod loading_advice;
mod means;
mod models;
mod moves;
mod numbers;
mod parameters;
mod pictures;
mod plot_axes;
mod plot_options;
mod plotting;
mod prediction_rows;
mod quadrature;
mod random_numbers;
mod records;
mod reports;
mod reshaping;
mod results;
mod rows;
mod saved_texts;
mod saving;
mod saving_integrals;
mod searches;
mod sensitivity;
mod sequences;
mod steps;
mod structures;
mod surfaces;
mod symmetries;
mod target_scale;
mod text;
mod time;
mod time_steps;
mod user_edits;

use super::eval::evaluator::Builtin;

pub static ALL: &[&[Builtin]] = &[
    kernels::KERNELS,
    explain::EXPLAIN,
    surfaces::DRAWING,
    algebra::ALGEBRA,
    loading::LOADING,
    data::DATA_VERBS,
    steps::STEPS,
    reshaping::RESHAPING,
    rows::ROWS,
    files::FILES,
    plotting::PLOTTING,
    saving::SAVING,
    fitting::FITTING,
    models::MODELS,
    deep::DEEP,
    deep_priors::DEEP_PRIORS,
    evidence::EVIDENCE,
    quadrature::QUADRATURE,
    densities::DENSITIES,
    structures::STRUCTURES,
    sensitivity::SENSITIVITY,
    baselines::BASELINES,
    moves::MOVES,
    searches::SEARCHES,
    features::FEATURES,
    results::RESULTS,
    symmetries::SYMMETRIES,
    decomposition::DECOMPOSITION,
    crossval::CROSSVAL,
    classes::CLASSES,
    reports::REPORTS,
    lists::LISTS,
    sequences::SEQUENCES,
    numbers::NUMBERS,
    parameters::PARAMETERS,
    text::TEXT,
    time::TIME,
    records::KEPT,
];
