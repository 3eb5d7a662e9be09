//! Search over kernels: which sum of products of simple kernels describes the data best.
//!
//! Greedy search over an open-ended space of expressions (Duvenaud, Lloyd and others, structure-search chapter): from base
//! kernels on every input, each depth edits the best expression so far in every place, fits the results, and scores them.
//! `edits` has the edits of an expression, `child_starts` the starting values of a new part, `race` how many
//! candidates become few, `score` what they are judged by. Deliberately absent: the language and display.
//!
//! The numbers of a search depend on its data, settings and seed alone, at any number of threads, unless a budget of time
//! ended it or the user did.

mod average;
mod beam;
mod child_starts;
mod edits;
mod error;
mod outcome;
mod product_variance;
mod race;
mod saved;
mod score;
mod settings;
mod setup;
mod user_edits;

pub use average::average;
pub use beam::{resume, search};
pub use edits::{EDIT_NAMES, EDITS, Edit};
pub use error::SearchError;
pub use outcome::{Candidate, Ended, Found, Level, Reached, Search};
pub use saved::{Reader, SavedSearch, SavedSearchError};
pub use score::{Criterion, parameters, recorded_parameters};
pub use settings::{Budget, BudgetError, Settings};
pub use setup::is_for_categories;
pub use user_edits::{EditFn, Refusals, UserEdit};
