//! The input columns of a data set, and the indices of a kernel's inputs among them.

use std::sync::Arc;

use super::bind_error::{BindError, Cause, Origin, Place};
use super::inputs::{InputRef, Inputs};
use crate::calendar::TimeUnit;

/// The inputs of a data set, as a kernel needs them.
#[derive(Debug, Clone)]
pub struct Schema<'a> {
    pub columns: Vec<Column<'a>>,
}

/// One input column.
#[derive(Debug, Clone, Copy)]
pub struct Column<'a> {
    pub name: &'a str,
    pub values: &'a [f64],
    /// The texts of its categories, if its values are codes of categories; `None` for numbers.
    pub levels: Option<&'a [Arc<str>]>,
    /// The unit, if its values are times.
    pub time: Option<TimeUnit>,
}

impl Column<'_> {
    /// Whether its values are codes of categories, which have no distances.
    pub fn is_categories(&self) -> bool {
        self.levels.is_some()
    }
}

impl<'a> Schema<'a> {
    /// Columns of plain numbers under names `x0`, `x1`, ….
    pub fn unnamed(names: &'a [String], columns: &[&'a [f64]]) -> Self {
        let column = |(name, values): (&'a String, &&'a [f64])| Column { name, values, levels: None, time: None };
        let columns = names.iter().zip(columns).map(column).collect();
        Self { columns }
    }

    /// The names of the columns.
    pub(super) fn names(&self) -> Vec<&'a str> {
        self.columns.iter().map(|c| c.name).collect()
    }
}

impl Inputs {
    /// The indices of these inputs among the columns of the data.
    ///
    /// # Errors
    /// [`Cause::UnknownInput`].
    pub(super) fn places(&self, names: &[&str], origin: Option<Origin>) -> Result<Vec<usize>, BindError> {
        let Inputs::These(these) = self else { return Ok((0..names.len()).collect()) };
        let place = |(i, input): (usize, &InputRef)| {
            let found = match input {
                InputRef::Index(at) => (*at < names.len()).then_some(*at),
                InputRef::Name(name) => names.iter().position(|known| *known == &**name),
            };
            found.ok_or_else(|| {
                let known = names.iter().map(|name| name.to_string()).collect();
                let cause = Cause::UnknownInput { input: input.to_string(), known };
                BindError { origin, place: Place::Input(i), cause }
            })
        };
        these.iter().enumerate().map(place).collect()
    }
}
