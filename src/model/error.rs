use super::inducing_error::InducingError;
use crate::data::{DataError, RowRef};
use crate::kernel::{BindError, EvalError, ExpandError};
use crate::linalg::{FactorError, NotPositiveDefinite};
use crate::param::number;

/// Why a model and data are not compatible, or why a computation fails.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ModelError {
    #[error(transparent)]
    Bind(#[from] BindError),
    #[error(transparent)]
    Eval(EvalError),
    #[error(transparent)]
    Data(#[from] DataError),
    #[error(transparent)]
    Expand(#[from] ExpandError),
    #[error(transparent)]
    NotPositiveDefinite(#[from] NotPositiveDefinite),
    #[error("the data have no target: name one with `target=`")]
    NoTarget,
    #[error(
        "the target `{column}` holds categories, and this model predicts numbers: for two classes write `likelihood=\"bernoulli\"`"
    )]
    CategoryTarget { column: String },
    #[error("every row of the target `{column}` is of the class {class}: two classes are needed")]
    OneClass { column: String, class: String },
    #[error("the target `{column}` has {} classes ({}), and two are needed", classes.len(), some(classes))]
    TooManyClasses { column: String, classes: Vec<String> },
    #[error("the target `{column}` has no class `{class}`: its classes are {}", some(known))]
    NoSuchClass { column: String, class: String, known: Vec<String> },
    #[error(
        "the target `{column}` has {distinct} different numbers, and two classes are needed: leave out `likelihood=` to predict the numbers"
    )]
    NotClasses { column: String, distinct: usize },
    #[error("`{class}` in column `{column}`, {row}, is {}", neither(known))]
    UnknownClass { column: String, class: String, row: RowRef, known: Vec<String> },
    #[error("the target `{column}` holds classes, which cannot be transformed: in a classifier only the inputs can be")]
    ClassTransform { column: String },
    #[error("{0}")]
    NotOfClasses(&'static str),
    #[error("a fit needs at least {needed} rows, and the data have {rows}")]
    TooFewRows { rows: usize, needed: usize },
    #[error("all {rows} values of the target `{column}` are {}: a fit needs a target that varies", number(*.value))]
    ConstantTarget { column: String, rows: usize, value: f64 },
    #[error(
        "the values of `{column}` span {range:.1e}, whose square is beyond the range of numbers: a fit needs a span from 1e-150 to 1e150"
    )]
    NoSquares { column: String, range: f64 },
    #[error("the noise `{column}` is {} at {row}, expected a finite number that is not negative", number(*.value))]
    NegativeNoise { column: String, value: f64, row: RowRef },
    #[error("a model of {rows} rows needs about {} of memory, and {} are free", bytes(*needed), bytes(*available))]
    TooLarge {
        rows: usize,
        needed: u64,
        available: u64,
        /// The source form of a model that needs less memory.
        sparse: Option<String>,
    },
    #[error(
        "draws at {rows} rows need more than {rank} independent numbers each: the rows are too many for so rough a function"
    )]
    Rough { rows: usize, rank: usize },
    #[error("`{column}` is not a column of noise variances: give a column with the known variance of each row")]
    NotANoise { column: String },
    #[error("the noise `{source_text}` failed at {row}: {message}")]
    NoiseFunction { source_text: String, row: RowRef, message: String },
    #[error("the mean `{source_text}` failed at {place}: {message}")]
    MeanFunction { source_text: String, place: String, message: String },
    #[error(
        "the slopes share one prior variance, which is for numeric inputs, and `{column}` holds categories: leave it out with `select`, or use `linear()`, which codes them"
    )]
    CategoryMean { column: String },
    #[error("the {what} must be {expected}, found {}", number(*.value))]
    OutOfDomain { what: &'static str, expected: &'static str, value: f64 },
    #[error("the mean has {found} values, expected {}: an offset, then {}", coefficients.len() + 1, coefficients.join(", "))]
    MeanLength { found: usize, coefficients: Vec<String> },
    #[error("at least one row is needed, and there are none")]
    NoRows,
    #[error("rows can be given as numbers only for a model with one input, and this one has {}: give data with new rows", inputs.join(", "))]
    OneInput { inputs: Vec<String> },
    #[error(
        "a prediction of several inputs is drawn along a time, the only input that ascends from row to row (in the data too), or the only one that varies; among {} there is no such input: give rows that vary in one of them, or a whole grid over two", inputs.join(", ")
    )]
    NoAxis { inputs: Vec<String> },
    #[error("draws and deciles are drawn along one input, and this prediction of {} has none: give rows that vary in one of them", inputs.join(", "))]
    NoCurve { inputs: Vec<String> },
    #[error("there is no component {index}: the fit has {count}, from 0")]
    NoComponent { index: usize, count: usize },
    #[error("the predictive variance of a row is zero, so its target has no density: give the model noise")]
    NoNoise,
    #[error("the noise is given by a column that these rows lack")]
    NoNoiseColumn,
    #[error("a target of {} is outside the domain of the transform of the target", number(*.value))]
    OutsideTransform { value: f64 },
    #[error("one of these fits predicts numbers and another classes: a density and a probability cannot be compared")]
    OtherLikelihood,
    #[error("these fits use different rows{}, so their log marginal likelihoods cannot be compared", counted(*one, *other))]
    OtherRows { one: usize, other: usize },
    #[error("these fits have different targets, so their log marginal likelihoods cannot be compared")]
    OtherData,
    #[error("`{model}` has only a mean function and noise, and no kernel to decompose")]
    NoKernel { model: String },
    #[error(
        "the log marginal likelihood is not finite at these values, so it has no gradient: check the scale of the target, of the inputs and of the parameters"
    )]
    NoEvidence,
    #[error(transparent)]
    Inducing(#[from] InducingError),
    #[error("a fit by VFE has no `{what}`: `bound`, here {bound:.2}, is a lower bound of its log marginal likelihood")]
    OnlyBound { what: &'static str, bound: f64 },
    #[error("{0}")]
    NotOfSparse(&'static str),
    #[error("stopped by the user before the first result")]
    Stopped,
    #[error(
        "stopped by the user before the posterior was computed: the values that were reached are those of `{model}`, \
         which `condition` takes as given"
    )]
    StoppedAt { model: String },
}

impl From<EvalError> for ModelError {
    fn from(error: EvalError) -> Self {
        match error {
            EvalError::Stopped => Self::Stopped,
            error => Self::Eval(error),
        }
    }
}

impl From<FactorError> for ModelError {
    fn from(error: FactorError) -> Self {
        match error {
            FactorError::NotPositiveDefinite(error) => Self::NotPositiveDefinite(error),
            FactorError::Stopped => Self::Stopped,
        }
    }
}

fn counted(one: usize, other: usize) -> String {
    if one == other { String::new() } else { format!(" ({one} and {other})") }
}

fn neither(known: &[String]) -> String {
    match known {
        [one, other] => format!("neither of the two classes {one} and {other}"),
        all => format!("none of the classes {}", some(all)),
    }
}

fn some(names: &[String]) -> String {
    const SHOWN: usize = 8;
    let mut text = names.iter().take(SHOWN).cloned().collect::<Vec<_>>().join(", ");
    if names.len() > SHOWN {
        text += ", …";
    }
    text
}

fn bytes(n: u64) -> String {
    let gib = n as f64 / f64::from(1 << 30);
    match gib {
        _ if gib >= 1024.0 => format!("{:.1} TB", gib / 1024.0),
        _ if gib >= 1.0 => format!("{gib:.1} GB"),
        _ => format!("{:.0} MB", gib * 1024.0),
    }
}
