//! Which two classes a target holds, and which of them is the positive one.

use std::sync::Arc;

use crate::data::{Column, DataError, Dataset};
use crate::model::ModelError;

/// The two classes of a target.
///
/// The positive one is the larger of two numbers, and of two texts the second in alphabetical order: 1 of 0 and 1, `true`
/// of `false` and `true`.
#[derive(Debug, Clone, PartialEq)]
pub struct Classes {
    column: Arc<str>,
    /// Negative, positive.
    names: [Arc<str>; 2],
    /// Of a numeric target: the numbers that stand for them.
    numbers: Option<[f64; 2]>,
}

/// Numbers of more different values than this are no classes but a quantity.
const MOST: usize = 20;

impl Classes {
    /// The classes of a target.
    ///
    /// # Errors
    /// [`ModelError::OneClass`], [`ModelError::TooManyClasses`], or [`ModelError::NotClasses`] of numbers with many values;
    /// a missing label, with its row.
    pub fn of(target: &Column, data: &Dataset) -> Result<Self, ModelError> {
        let column: Arc<str> = target.name().into();
        let missing = |v: f64| v.is_nan();
        if let Some(i) = target.values().iter().position(|v| missing(*v)) {
            return Err(DataError::Missing { column: target.name().to_string(), row: data.row(i) }.into());
        }
        if target.is_categories() {
            let mut present: Vec<&str> = (0..target.len()).filter_map(|i| target.level(i)).collect();
            present.sort_unstable();
            present.dedup();
            let names: Vec<Arc<str>> = present.into_iter().map(Into::into).collect();
            let names = two(&column, names)?;
            return Ok(Self { column, names, numbers: None });
        }
        let mut values = target.values().to_vec();
        values.sort_unstable_by(f64::total_cmp);
        values.dedup();
        if values.len() > MOST || values.iter().any(|v| !v.is_finite()) {
            return Err(ModelError::NotClasses { column: column.to_string(), distinct: values.len() });
        }
        let names = two(&column, values.iter().map(|v| v.to_string().into()).collect())?;
        Ok(Self { column, names, numbers: Some([values[0], values[1]]) })
    }

    /// Of the column of the target.
    pub fn column(&self) -> &str {
        &self.column
    }

    pub fn negative(&self) -> &str {
        &self.names[0]
    }

    pub fn positive(&self) -> &str {
        &self.names[1]
    }

    /// What a label is called.
    pub fn name(&self, label: f64) -> &str {
        &self.names[usize::from(label > 0.0)]
    }

    /// The number that stands for a label, where the target holds numbers.
    pub fn number(&self, label: f64) -> Option<f64> {
        Some(self.numbers?[usize::from(label > 0.0)])
    }

    /// The labels of other rows: 1 for the positive class, −1 for the other.
    ///
    /// # Errors
    /// Rows without the column or without a label, and labels that are neither class.
    pub fn labels(&self, data: &Dataset) -> Result<Vec<f64>, ModelError> {
        let column = data.find(&self.column)?;
        let label = |i: usize| -> Result<f64, ModelError> {
            let value = column.values()[i];
            if value.is_nan() {
                return Err(DataError::Missing { column: self.column.to_string(), row: data.row(i) }.into());
            }
            let (found, at) = match (self.numbers, column.level(i)) {
                (None, Some(level)) => (level.to_string(), self.names.iter().position(|n| **n == *level)),
                (Some(_), Some(level)) => (level.to_string(), None),
                (numbers, None) => (value.to_string(), numbers.and_then(|n| n.iter().position(|n| *n == value))),
            };
            let known = || self.names.iter().map(|n| n.to_string()).collect();
            match at {
                Some(at) => Ok(if at == 1 { 1.0 } else { -1.0 }),
                None => Err(ModelError::UnknownClass {
                    column: self.column.to_string(),
                    class: found,
                    row: data.row(i),
                    known: known(),
                }),
            }
        };
        (0..column.len()).map(label).collect()
    }
}

fn two(column: &Arc<str>, mut names: Vec<Arc<str>>) -> Result<[Arc<str>; 2], ModelError> {
    let column = || column.to_string();
    let texts = |names: &[Arc<str>]| names.iter().map(|n| n.to_string()).collect();
    match (names.len(), names.pop(), names.pop()) {
        (2, Some(positive), Some(negative)) => Ok([negative, positive]),
        (1, Some(class), None) => Err(ModelError::OneClass { column: column(), class: class.to_string() }),
        (0, ..) => Err(ModelError::NoRows),
        (_, last, before) => {
            names.extend(before.into_iter().chain(last));
            Err(ModelError::TooManyClasses { column: column(), classes: texts(&names) })
        }
    }
}
