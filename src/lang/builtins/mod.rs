//! The builtins, by theme. Each file ends in its own list; here they are joined.

mod algebra;
mod baselines;
mod classes;
mod crossval;
mod data;
mod drawing;
mod explain;
mod files;
mod kept;
mod kernels;
mod lists;
mod models;
mod moves;
mod numbers;
mod own_moves;
mod parameters;
mod remarks;
mod reports;
mod results;
mod rows;
mod saving;
mod searches;
mod steps;
mod text;

use super::builtin::Builtin;

pub static ALL: &[&[Builtin]] = &[
    kernels::KERNELS,
    explain::EXPLAIN,
    drawing::DRAWING,
    algebra::ALGEBRA,
    data::DATA_VERBS,
    steps::STEPS,
    rows::ROWS,
    files::FILES,
    saving::SAVING,
    models::MODELS,
    baselines::BASELINES,
    moves::MOVES,
    searches::SEARCHES,
    results::RESULTS,
    crossval::CROSSVAL,
    classes::CLASSES,
    reports::REPORTS,
    lists::LISTS,
    numbers::NUMBERS,
    parameters::PARAMETERS,
    text::TEXT,
    kept::KEPT,
];
