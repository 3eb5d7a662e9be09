//! The source of data, and notes on decisions made while reading them.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::error::list;
use crate::calendar::{Resolution, TimeUnit};

/// The source of data, and notes from reading them.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct About {
    /// The short name: that of a shipped set, or the file as it was given.
    pub name: Option<String>,
    /// A title of one line.
    pub title: Option<String>,
    /// Origin and licence, for shipped sets.
    pub source: Option<String>,
    /// Decisions of the reader that a user should know, for all rows that it read;
    /// [`Dataset::notes`](super::Dataset::notes) returns those that apply to the present rows.
    pub notes: Vec<Note>,
}

/// A decision of the reader.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Note {
    /// The detected format, as arguments of a call that specify it.
    Format { arguments: Vec<String> },
    /// A line below the names has units.
    Units { line: usize },
    /// Rows without any value were left out.
    EmptyRows { count: usize },
    /// Columns at the end without a name and without a value were left out.
    EmptyColumns { count: usize },
    /// There was no header; the columns got these names.
    NoHeader { names: Vec<String> },
    /// A cell of the header was empty; the column got this name.
    Unnamed { name: String },
    /// There is no other input, so the number of the row (from 0) is the input.
    RowInput { name: String },
    /// Dates were read as times in a unit.
    Dates { column: String, resolution: Resolution, unit: TimeUnit },
    /// Whole numbers were read as dates in a format such as `YYYYMM`.
    DatesInDigits { column: String, form: String },
    /// Times of day were read as hours since midnight.
    TimesOfDay { column: String },
    /// Text that looks like dates but has no known format.
    UnreadDates { column: String, example: String },
    /// A few dates are far from all others.
    FarDates { column: String, example: String, count: usize },
    /// Text was read as categories.
    Categories { column: String, levels: usize },
    /// Values are missing.
    Missing { column: String, count: usize },
    /// The column is not an input.
    Ignored { column: String, why: Ignored },
    /// Rows with missing values were left out.
    Dropped { count: usize },
}

/// Why a column is not an input unless it is named.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ignored {
    /// Text that differs in every row, such as names and identifiers.
    Identifier,
    /// A first column without a name that numbers the rows.
    RowNumber,
    /// All values are missing.
    NoValues,
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Format { arguments } => write!(f, "read with {}", arguments.join(", ")),
            Self::Units { line } => write!(f, "line {line} holds units"),
            Self::EmptyRows { count: 1 } => f.write_str("1 row without any value was left out"),
            Self::EmptyRows { count } => write!(f, "{count} rows without any value were left out"),
            Self::EmptyColumns { count: 1 } => f.write_str("1 column without a name and without a value was left out"),
            Self::EmptyColumns { count } => {
                write!(f, "{count} columns without a name and without a value were left out")
            }
            Self::NoHeader { names } => write!(f, "no header, the columns are called {}", list(names)),
            Self::Unnamed { name } => write!(f, "a column without a name is called `{name}`"),
            Self::RowInput { name } => write!(f, "no other input, so `{name}` is the index of the row, from 0"),
            Self::Dates { column, resolution, unit } => {
                write!(f, "`{column}` holds {}, as linear time in {unit}s", resolution.plural())
            }
            Self::DatesInDigits { column, form } => {
                write!(
                    f,
                    "`{column}` holds numbers of the form {form}, read as dates: `dates=\"number\"` keeps the numbers"
                )
            }
            Self::TimesOfDay { column } => write!(
                f,
                "`{column}` holds times of day, read as hours since midnight: `join_time(date, {column})` joins them to dates"
            ),
            Self::UnreadDates { column, example } => {
                write!(
                    f,
                    "`{column}` looks like dates but was not read as such (`{example}`): write them as 2020-01-31 "
                )?;
                f.write_str("or 2020-01-31 17:00, or give their order with `dates=\"dmy\"`")
            }
            Self::FarDates { column, example, count: 1 } => {
                write!(f, "`{column}` holds {example}, far from all other dates: an error?")
            }
            Self::FarDates { column, example, count } => {
                write!(f, "`{column}` holds {count} dates far from all others, such as {example}: an error?")
            }
            Self::Categories { column, levels: 1 } => write!(f, "`{column}` is a category with 1 level"),
            Self::Categories { column, levels } => write!(f, "`{column}` is a category with {levels} levels"),
            Self::Missing { column, count: 1 } => write!(f, "`{column}` has 1 missing value"),
            Self::Missing { column, count } => write!(f, "`{column}` has {count} missing values"),
            Self::Ignored { column, why } => {
                let why = match why {
                    Ignored::Identifier => "its text differs in every row",
                    Ignored::RowNumber => "it is the index of the row",
                    Ignored::NoValues => "it has no values",
                };
                write!(f, "`{column}` is not an input: {why}")
            }
            Self::Dropped { count: 1 } => f.write_str("1 row with missing values was left out"),
            Self::Dropped { count } => write!(f, "{count} rows with missing values were left out"),
        }
    }
}
