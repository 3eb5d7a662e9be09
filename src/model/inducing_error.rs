//! Errors of given inducing inputs.

/// An error in the inducing inputs. Indices count from 0.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum InducingError {
    #[error("a sparse model needs at least one inducing input")]
    None,
    #[error("there are more inducing inputs ({inducing}) than rows ({rows}): the exact model is smaller")]
    MoreThanRows { inducing: usize, rows: usize },
    #[error("the kernel depends on no input, so inducing inputs cannot be used")]
    NoInputs,
    #[error(
        "inducing input {place} has {found} {}, expected {}: one for each input ({})",
        if *found == 1 { "number" } else { "numbers" }, inputs.len(), inputs.join(", ")
    )]
    Width { place: usize, found: usize, inputs: Vec<String> },
    #[error("inducing input {place} has {value} for `{column}`, expected a finite number")]
    NotFinite { place: usize, column: String, value: f64 },
    #[error("inducing input {place} has the category `{level}` for `{column}`, which the data do not have")]
    NoLevel { place: usize, column: String, level: String },
    #[error("inducing input {place} has {found} (`{column}`)")]
    Kind { place: usize, column: String, found: String },
    #[error("the data of the inducing inputs do not match the training rows: {reason}")]
    Data { reason: String },
    #[error("inducing inputs {one} and {other} are equal: inducing inputs must differ")]
    Twice { one: usize, other: usize },
    #[error(
        "a sparse model needs noise: without it the approximation has no density (write `noise=fixed(1e-6)` for almost none)"
    )]
    Noiseless,
}
