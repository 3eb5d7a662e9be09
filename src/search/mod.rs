//! Search over kernels: the sum of products of simple kernels that describes the data best.
//!
//! Greedy search over an open-ended space of expressions (Duvenaud, Lloyd et al., structure-search chapter): from base
//! kernels on every input, each depth edits the best expressions so far, fits the results, and scores them. `edits` has
//! the edits of an expression, `child_starts` the starting values of new parts, `race` the selection among many
//! candidates, `score` the criteria. Nothing here depends on the language or on display.
//!
//! The result depends only on data, settings and seed, for any number of threads, unless it was ended by a time budget
//! or by the user.

mod average;
mod beam;
mod child_starts;
mod early_rows;
mod edits;
mod error;
mod finish;
mod forecasts;
mod learnt_steps;
mod other_periods;
mod outcome;
mod product_variance;
mod race;
mod ranking;
mod saved;
mod score;
mod settings;
mod setup;
mod state;
mod support;
mod target_scale;
mod user_edits;

pub use average::{average, plausible};
pub use edits::{EDIT_NAMES, EDITS, Edit};
pub use error::SearchError;
pub use learnt_steps::{resume, search, search_scales};
pub use outcome::{Candidate, ComparedScale, Ended, Found, Level, Reached, Search};
pub use saved::{Reader, SavedSearch, SavedSearchError};
pub use score::{Criterion, parameters, recorded_parameters};
pub use settings::{Budget, BudgetError, Settings};
pub use setup::is_for_categories;
pub use target_scale::scales;
pub use user_edits::{EditFn, Refusals, UserEdit};
