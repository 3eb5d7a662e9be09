//! Errors of binding a kernel to a data set, with the part of the kernel that causes them.

use super::group::MoveError;
use super::parameter_checks::ParamError;

/// An identifier that the builder of a node attaches to it, to find the node again in an error. This room never reads
/// it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Origin(pub u32);

/// Why a kernel cannot be used on a data set, and at which node and place.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{cause}")]
pub struct BindError {
    pub origin: Option<Origin>,
    pub place: Place,
    pub cause: Cause,
}

/// The part of a node that an error concerns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    Node,
    /// The i-th of its inputs.
    Input(usize),
    /// The i-th of its parameters.
    Param(usize),
    /// Its function.
    Function,
}

/// The error itself; its message is a sentence.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Cause {
    #[error("there is no input {input}: the data have {}", list(known))]
    UnknownInput { input: String, known: Vec<String> },
    #[error("`{family}` takes one input, and here it would get {}", list(inputs))]
    SeveralInputs { family: &'static str, inputs: Vec<String> },
    #[error("the data have no input column for `{family}`")]
    NoInputs { family: &'static str },
    #[error("`{column}` holds categories, for which `{family}` is not defined: {}", instead(family, column, *ard))]
    Categories {
        family: &'static str,
        column: String,
        /// `ARD` of the family is.
        ard: bool,
    },
    #[error("`{column}` holds categories, which {as_they}")]
    NotNumbers { column: String, as_they: &'static str },
    #[error("`{param}` has {} for {expected} {of}", values(*found))]
    Length { param: &'static str, expected: usize, found: usize, of: &'static str },
    #[error("{}", no_time(family, param, inputs, *warped))]
    NoTime { family: &'static str, param: &'static str, inputs: Vec<String>, warped: bool },
    #[error("{0}")]
    Param(#[from] ParamError),
    #[error("parameters tied as `{tie}` disagree: one is {one}, another {other}")]
    Tie { tie: String, one: String, other: String },
    #[error("{message} (row {row})")]
    Function { row: usize, message: String },
    #[error("the kernel needs too many evaluations: nested symmetries multiply the number of its terms")]
    TooLarge,
    #[error("stopped")]
    Stopped,
    #[error("{0}")]
    Rows(String),
    #[error(
        "{family} cannot depend on `{input}` here, because `{input}` is replaced by several coordinates, those of a circle, of a sphere or of a function"
    )]
    Embedded { family: String, input: String },
    #[error(
        "a function without a derivative cannot depend on what is fitted around it: write `fixed(…)` for the periods and the parameters of functions outside it"
    )]
    MovingFunction,
    #[error("`{family}` takes {wanted} inputs, found {found}")]
    Inputs { family: &'static str, wanted: usize, found: usize },
    #[error("{0}")]
    Move(#[from] MoveError),
    #[error("`{base}` names its inputs, and here the base kernel is applied to each input in turn")]
    NamesInputs { base: String },
    #[error("order {order} needs at least as many inputs, and there {}", are(*inputs))]
    Order { order: usize, inputs: usize },
    #[error("an image of {rows} by {cols} pixels needs {} inputs, and here there {}", rows * cols, are(*inputs))]
    Image { rows: usize, cols: usize, inputs: usize },
}

fn values(n: usize) -> String {
    if n == 1 { "1 value".into() } else { format!("{n} values") }
}

fn are(inputs: usize) -> String {
    match inputs {
        1 => "is 1".into(),
        n => format!("are {n}"),
    }
}

fn list(names: &[String]) -> String {
    match names {
        [] => "no input".to_string(),
        [one] => format!("`{one}` (0)"),
        many => {
            let named: Vec<String> = many.iter().enumerate().map(|(i, n)| format!("`{n}` ({i})")).collect();
            named.join(", ")
        }
    }
}

fn instead(family: &str, column: &str, ard: bool) -> String {
    match ard {
        false => format!("use `onehot({column})`"),
        true => format!("use `onehot({column})`, or `ARD({family}(…))`, which has a length-scale for each category"),
    }
}

fn no_time(family: &str, param: &str, inputs: &[String], warped: bool) -> String {
    let what = format!("the {param} of `{family}` is written as a time");
    match inputs {
        _ if warped => format!("{what}, and a function changes the unit of its input"),
        [] => format!("{what}, and it looks at no input"),
        inputs => format!("{what}, and {} no column of times: give a number", is_or_are(inputs)),
    }
}

fn is_or_are(inputs: &[String]) -> String {
    match inputs {
        [one] => format!("`{one}` is"),
        many => format!("{} are", list(many)),
    }
}
