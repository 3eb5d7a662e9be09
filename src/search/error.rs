use crate::model::ModelError;

/// Why a search is not possible, or found no model.
#[derive(Debug, Clone, thiserror::Error)]
pub enum SearchError {
    #[error("a search needs at least one base kernel")]
    EmptyBase,
    #[error("the depth of a search must be at least 1, found {0}")]
    Depth(usize),
    #[error("the beam of a search must hold at least one expression")]
    Beam,
    #[error("a search needs at least one edit in `moves`")]
    NoMoves,
    #[error("a search needs at least {needed} rows, and the data have {rows}")]
    TooFewRows { rows: usize, needed: usize },
    #[error("there is no input `{name}`: the data have {}", known.join(", "))]
    UnknownInput { name: String, known: Vec<String> },
    #[error("the data have no input for a kernel")]
    NoInputs,
    /// One line per kernel, with the reason.
    #[error("none of the {} base kernels could be fitted", failures.len())]
    AllFailed { failures: Vec<(String, String)> },
    #[error("the search ended before any model was fitted")]
    NothingFitted,
    #[error("the data have {rows} rows, too few for a held-out set")]
    HeldOut { rows: usize },
    #[error(transparent)]
    Model(#[from] ModelError),
}
