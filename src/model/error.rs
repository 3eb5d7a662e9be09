use crate::data::{DataError, RowRef};
use crate::kernel::{BindError, EvalError};
use crate::linalg::NotPositiveDefinite;

/// Why a model and data do not go together, or why the numbers fail.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ModelError {
    #[error(transparent)]
    Bind(#[from] BindError),
    #[error(transparent)]
    Eval(#[from] EvalError),
    #[error(transparent)]
    Data(#[from] DataError),
    #[error(transparent)]
    NotPositiveDefinite(#[from] NotPositiveDefinite),
    #[error("the data have no target: name one with `target=`")]
    NoTarget,
    #[error("the target `{column}` holds categories, and this model predicts numbers")]
    CategoryTarget { column: String },
    #[error("a fit needs at least {needed} rows, and the data have {rows}")]
    TooFewRows { rows: usize, needed: usize },
    #[error("all {rows} values of the target `{column}` are {value}: there is nothing to explain")]
    ConstantTarget { column: String, rows: usize, value: f64 },
    #[error("the noise column `{column}` holds {value} at {row}, and a variance cannot be negative")]
    NegativeNoise { column: String, value: f64, row: RowRef },
    #[error("a model of {rows} rows needs about {} of memory, and {} are free", bytes(*needed), bytes(*available))]
    TooLarge { rows: usize, needed: u64, available: u64 },
    #[error("the {what} must be {expected}, found {value}")]
    OutOfDomain { what: &'static str, expected: &'static str, value: f64 },
    #[error("the mean has {found} values for {inputs} inputs: an offset, then a slope for each")]
    MeanLength { found: usize, inputs: usize },
    #[error("the data lack the input `{name}`: they have {}", known.join(", "))]
    MissingInput { name: String, known: Vec<String> },
    #[error("`{value}` of column `{column}` was not among the categories of the training rows")]
    UnseenCategory { column: String, value: String },
    #[error("rows are needed, and there are none")]
    NoRows,
}

fn bytes(n: u64) -> String {
    let gib = n as f64 / f64::from(1 << 30);
    if gib >= 1.0 { format!("{gib:.1} GB") } else { format!("{:.0} MB", gib * 1024.0) }
}
