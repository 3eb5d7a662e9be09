//! Errors of data: in the file, in the choice of columns, in the values.

use std::fmt;

use thiserror::Error;

use crate::param::number;

/// The origin of a row, for messages: the line of a file (from 1) or the index in a list (from 0).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RowRef {
    Line(usize),
    Index(usize),
}

impl fmt::Display for RowRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line(line) => write!(f, "line {line}"),
            Self::Index(index) => write!(f, "row {index}"),
        }
    }
}

/// A number with two readings, in a file in which no other number decides between them.
#[derive(Debug, Clone, PartialEq, Error)]
#[error(
    "`{value}` in line {line} of `{file}`, column `{column}`, may be {thousands} or {decimal}, and no other number in the file shows which"
)]
/// A number with two readings in a file without a decisive one.
pub struct TwoReadings {
    pub file: String,
    pub line: usize,
    pub column: String,
    pub value: String,
    /// The character that is the thousands separator in one reading and the decimal sign in the other.
    pub sign: char,
    /// The number with it as decimal sign, and as thousands separator.
    pub decimal: String,
    pub thousands: String,
}

fn lines(count: usize) -> String {
    if count == 1 { "line".to_string() } else { format!("{count} lines") }
}

/// An error in data or in an operation on them. Lines, bytes and columns of a file count from 1.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum DataError {
    // the file
    #[error("no data set or file is called `{name}`{}", looked_for(.tried))]
    NotFound { name: String, tried: Vec<String> },
    #[error("`{file}` is a folder, expected a CSV or TSV file")]
    Folder { file: String },
    #[error("`{file}` could not be read: {reason}")]
    Io { file: String, reason: String },
    #[error("`{file}` is no regular file and has more than {most} MB: write it to a file first")]
    EndlessPipe { file: String, most: u64 },
    #[error("`{file}` is empty, expected a table of comma- or tab-separated values")]
    Empty { file: String },
    #[error("`{file}` has no table below its first {}", lines(*.skip))]
    AllSkipped { file: String, skip: usize },
    #[error("`{file}` holds names in line {line} but no rows below them")]
    HeaderOnly { file: String, line: usize },
    #[error("`{file}` is not text (a zero byte in line {line}, byte {byte}), expected a CSV or TSV file")]
    Binary { file: String, line: usize, byte: usize },
    #[error("`{file}` is not UTF-8 in line {line}, byte {byte}")]
    NotUtf8 { file: String, line: usize, byte: usize },
    #[error("line {line} of `{file}` has {}, expected {expected} as in line {expected_line}{}", fields(*.found), unclosed(*.runs_on))]
    Ragged { file: String, line: usize, found: usize, expected: usize, expected_line: usize, runs_on: bool },
    #[error("the quote that opens in line {line} of `{file}` is never closed")]
    Unclosed { file: String, line: usize },
    #[error("line {line} of `{file}` seems to be separated by spaces, but not every line has as many fields")]
    Spaces { file: String, line: usize },
    #[error("the spaces in line {line} of `{file}` may separate fields or thousands")]
    BlanksInDoubt { file: String, line: usize },
    #[error("the record in line {line} of `{file}` goes on for more than 256 MB: is a quote never closed?")]
    LongRecord { file: String, line: usize },
    #[error(
        "field {column} in line {line} of `{file}` has {bytes} bytes, and at most 1,048,576 are read: is a quote never closed?"
    )]
    LongCell { file: String, line: usize, column: usize, bytes: usize },
    #[error("columns {first} and {second} of `{file}` are both called `{name}`: give each its own name")]
    DuplicateName { file: String, name: String, first: usize, second: usize },

    // its cells
    #[error(
        "expected a number in line {line} of `{file}`, column `{column}`, found `{value}` ({strays} of {present} values there are not numbers): correct it, or name it with `missing=[\"{value}\"]`{}", header_hint(*.line, *.first_line)
    )]
    NotANumber {
        file: String,
        line: usize,
        column: String,
        value: String,
        strays: usize,
        present: usize,
        first_line: usize,
    },
    #[error(
        "`{value}` in line {line} of `{file}`, column `{column}`, has a symbol next to the number, expected `{plain}`: remove the symbol"
    )]
    Decorated { file: String, line: usize, column: String, value: String, plain: String },
    #[error(
        "`{value}` in line {line} of `{file}`, column `{column}`, is too large: numbers go up to 1.8e308; correct it, or name it with `missing=[\"{value}\"]`"
    )]
    TooLargeNumber { file: String, line: usize, column: String, value: String },
    #[error("{0}")]
    TwoReadings(Box<TwoReadings>),
    #[error("column `{column}` holds no dates")]
    NoDates { column: String },
    #[error("`{value}` in column `{column}`, {row}, is not a time of day such as `18:30`")]
    NotAClock { column: String, row: RowRef, value: String },
    #[error(
        "column `{column}` is in {found} here and in {wanted} in the training rows: take these rows through the same steps, \
         or drop the unit with `mutate({column} = {column})`"
    )]
    OtherUnit { column: String, wanted: String, found: String },
    #[error(
        "column `{column}` is on the scale {scale} in the training rows, and has no unit here: take these rows through the \
         same steps, or leave the column out"
    )]
    OtherScale { column: String, scale: String },
    #[error("column `{column}` holds times, expected numbers")]
    TimeForNumbers { column: String },
    #[error("expected a date such as `{like}` in line {line} of `{file}`, column `{column}`, found `{value}`")]
    NotADate { file: String, line: usize, column: String, value: String, like: String },
    #[error(
        "the dates in column `{column}` of `{file}` may be day first or month first (`{value}` in line {line}): say which with `dates=\"dmy\"` or `dates=\"mdy\"`"
    )]
    AmbiguousDate { file: String, line: usize, column: String, value: String },

    // the choice of columns
    #[error("no column is called `{name}`, the columns are {}", list(.known))]
    UnknownColumn { name: String, known: Vec<String> },
    #[error("no column of numbers can be the target, the columns are {}: name one with `target`", list(.known))]
    NoTarget { known: Vec<String> },
    #[error("`{name}` is the target and cannot be an input too")]
    TargetAsInput { name: String },
    #[error("column `{name}` is named twice")]
    Repeated { name: String },
    #[error("no inputs: name at least one column other than the target")]
    NoInputs,
    #[error("column `{name}` has {found} values, expected {expected} as in `{like}`")]
    Length { name: String, found: usize, expected: usize, like: String },
    #[error("data need at least one column")]
    NoColumns,
    #[error("the saved data are inconsistent: {why}")]
    Broken { why: &'static str },
    #[error("the mask has {found} values, expected one for each of the {expected} rows")]
    Mask { found: usize, expected: usize },

    // the values
    #[error("column `{column}` has no value in {row}")]
    Missing { column: String, row: RowRef },
    #[error("the value in column `{column}`, {row}, is {}, expected a finite number", number(*.value))]
    NotFinite { column: String, row: RowRef, value: f64 },
    #[error("{function} of {} in column `{column}`, {row}: expected {expected}", number(*.value))]
    OutOfDomain { function: &'static str, value: f64, column: String, row: RowRef, expected: &'static str },
    #[error("column `{column}` is {} in every row and cannot be standardized", number(*.value))]
    Constant { column: String, value: f64 },
    #[error("column `{column}` has no values and cannot be standardized")]
    NoValues { column: String },
    #[error("the sizes in column `{column}` are too far apart for a standard deviation: choose another unit")]
    Overflow { column: String },
    #[error("column `{column}` holds categories, expected numbers")]
    NotNumeric { column: String },
    #[error("`{value}` in column `{column}`, {row}, is not a category of that column: {}", list(.known))]
    UnknownLevel { column: String, row: RowRef, value: String, known: Vec<String> },
    #[error("the data have no target")]
    Untargeted,
    #[error(
        "`exp` cannot transform the target `{column}`: its inverse, the logarithm, is not defined for negative values, which a Gaussian can take"
    )]
    NotForTarget { column: String },
    #[error(
        "the target `{column}` is already transformed by `{first}`, and `{second}` cannot follow: only one transform of the target is supported"
    )]
    SecondTransform { column: String, first: &'static str, second: &'static str },

    // verbs
    #[error("`{value}` occurs in {first} and in {second} of the joined data: each key must be unique there")]
    JoinedTwice { value: String, first: RowRef, second: RowRef },
    #[error("the share of rows to train on must lie between 0 and 1, found {}", number(*.share))]
    Share { share: f64 },
    #[error("a split of {n} rows at {share} leaves one side empty")]
    EmptySide { n: usize, share: f64 },
    #[error("the number of folds for {n} rows must be from 2 to {n}, found {k}")]
    Folds { k: usize, n: usize },
}

/// Names in backticks, separated by commas; a long list is truncated.
pub(super) fn list<S: AsRef<str>>(names: &[S]) -> String {
    const SHOWN: usize = 12;
    let mut text = names.iter().take(SHOWN).map(|n| format!("`{}`", cut(n.as_ref()))).collect::<Vec<_>>().join(", ");
    if names.len() > SHOWN {
        text += &format!(" and {} more", names.len() - SHOWN);
    }
    text
}

/// A long name, truncated.
pub(super) fn cut(name: &str) -> std::borrow::Cow<'_, str> {
    const LONGEST: usize = 60;
    match name.char_indices().nth(LONGEST) {
        None => name.into(),
        Some((end, _)) => format!("{}…", &name[..end]).into(),
    }
}

fn looked_for(paths: &[String]) -> String {
    if paths.is_empty() { String::new() } else { format!(" (looked for {})", list(paths)) }
}

fn fields(n: usize) -> String {
    if n == 1 { "1 field".into() } else { format!("{n} fields") }
}

fn unclosed(runs_on: bool) -> &'static str {
    if runs_on {
        ": a quote that opens there runs over the end of the line, is it closed in the right place?"
    } else {
        ""
    }
}

fn header_hint(line: usize, first_line: usize) -> &'static str {
    if line == first_line { "; if that line holds the names of the columns, say `header=true`" } else { "" }
}
