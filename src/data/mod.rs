//! Data: named columns, their sources, and preprocessing.
//!
//! [`load`] reads a shipped set or a file into a [`Dataset`]; operations such as [`Dataset::select`] or
//! [`Dataset::split`] return new ones. Values are in the data's own units unless a [`Step`] changes them. This room
//! does not depend on the language or on kernels.

mod align;
mod column;
mod csv;
mod dataset;
mod error;
mod fitted_transforms;
mod join_time;
mod load;
mod note;
mod reshape;
mod rows;
pub mod sets;
mod split;
mod step;
mod summary;
mod transform;
mod units;
pub mod write;

pub use self::csv::{Format, Header, MISSING_WORDS, Notation, Separator};
pub(crate) use column::DECIMAL_YEARS;
pub use column::{Column, Kind};
pub use dataset::{BadCell, Dataset};
pub use error::{DataError, RowRef, TwoReadings};
pub(crate) use fitted_transforms::least_between;
pub use fitted_transforms::{LARGEST_POWER, box_cox, normal_scores_of};
pub use load::{Options, Target, WhenMissing, file_of, load, parse};
pub use note::{About, Ignored, Note};
pub use reshape::{SortKey, keys_of};
pub use split::{Fold, folds_of};
pub use step::{Function, Pipeline, Step, Which, after_steps};
pub use summary::{ColumnSummary, Numbers, Role, Sentinel, Summary, mean_sd};
pub use transform::{FUNCTIONS, TargetMap, Transform};
pub(crate) use transform::{gaussian_average, standard_quantile};
pub use units::{base as name_without_unit, in_name as unit_in_name};

#[cfg(test)]
mod tests;
