//! The two classes of a target, and which of them is positive.

use std::sync::Arc;

use crate::data::{Column, DataError, Dataset};
use crate::model::ModelError;

/// The two classes of a target.
///
/// The positive class is the larger of two numbers, or the second of two texts in alphabetical order: 1 of 0 and 1,
/// `true` of `false` and `true`. A model may name another one. With more than two classes, all others together are the
/// negative class.
#[derive(Debug, Clone, PartialEq)]
pub struct Classes {
    column: Arc<str>,
    /// Negative, positive.
    names: [Arc<str>; 2],
    /// The two numbers of a numeric target.
    numbers: Option<[f64; 2]>,
    /// The classes that form the negative one, if they are several.
    rest: Vec<Arc<str>>,
}

/// Numbers with more distinct values than this are not classes.
const MOST: usize = 20;

impl Classes {
    /// The classes of a target. `positive` is the name of the positive one.
    ///
    /// # Errors
    /// [`ModelError::OneClass`]; [`ModelError::TooManyClasses`] if none of several is named;
    /// [`ModelError::NoSuchClass`]; [`ModelError::NotClasses`] for numbers with many values; a missing label, with its
    /// row.
    pub fn of(target: &Column, data: &Dataset, positive: Option<&str>) -> Result<Self, ModelError> {
        let column: Arc<str> = target.name().into();
        let present = present(target, data)?;
        let one: Vec<Arc<str>>;
        let (names, rest): ([Arc<str>; 2], Vec<Arc<str>>) = match (&present[..], positive) {
            ([], _) => return Err(ModelError::NoRows),
            ([class], _) => {
                return Err(ModelError::OneClass { column: column.to_string(), class: class.to_string() });
            }
            (all, Some(name)) => {
                let Some(at) = all.iter().position(|n| **n == *name) else {
                    let known = all.iter().map(|n| n.to_string()).collect();
                    return Err(ModelError::NoSuchClass { column: column.to_string(), class: name.to_string(), known });
                };
                one = all.iter().enumerate().filter(|(i, _)| *i != at).map(|(_, n)| n.clone()).collect();
                match &one[..] {
                    [other] => ([other.clone(), all[at].clone()], Vec::new()),
                    _ => ([format!("not {name}").into(), all[at].clone()], one),
                }
            }
            ([negative, positive], None) => ([negative.clone(), positive.clone()], Vec::new()),
            (all, None) => {
                let classes = all.iter().map(|n| n.to_string()).collect();
                return Err(ModelError::TooManyClasses { column: column.to_string(), classes });
            }
        };
        // several classes together have no number
        let numbers = (!target.is_categories()).then(|| [0, 1].map(|i| names[i].parse().unwrap_or(f64::NAN)));
        Ok(Self { column, names, numbers, rest })
    }

    /// The classes of a categorical target with more than two, in alphabetical order; `None` for other targets.
    ///
    /// # Errors
    /// A missing label, with its row.
    pub fn several(target: &Column, data: &Dataset) -> Result<Option<Vec<Arc<str>>>, ModelError> {
        if !target.is_categories() {
            return Ok(None);
        }
        Ok(Some(present(target, data)?).filter(|names| names.len() > 2))
    }

    /// The name of the target column.
    pub fn column(&self) -> &str {
        &self.column
    }

    /// The name of the negative class.
    pub fn negative(&self) -> &str {
        &self.names[0]
    }

    /// The name of the positive class.
    pub fn positive(&self) -> &str {
        &self.names[1]
    }

    /// The name of the class of a label.
    pub fn name(&self, label: f64) -> &str {
        &self.names[usize::from(label > 0.0)]
    }

    /// The number of the class of a label, if the target is numeric.
    pub fn number(&self, label: f64) -> Option<f64> {
        Some(self.numbers?[usize::from(label > 0.0)]).filter(|x| !x.is_nan())
    }

    /// The labels of other rows: 1 for the positive class, −1 for the other.
    ///
    /// # Errors
    /// The column is missing, a label is missing, or a label is neither class.
    pub fn labels(&self, data: &Dataset) -> Result<Vec<f64>, ModelError> {
        let column = data.find(&self.column)?;
        let known = || -> Vec<String> {
            let all = if self.rest.is_empty() { &self.names[..1] } else { &self.rest[..] };
            all.iter().chain(&self.names[1..]).map(|n| n.to_string()).collect()
        };
        let label = |i: usize| -> Result<f64, ModelError> {
            let value = column.values()[i];
            if value.is_nan() {
                return Err(DataError::Missing { column: self.column.to_string(), row: data.row(i) }.into());
            }
            let (found, text) = match column.level(i) {
                Some(level) => (level.to_string(), true),
                None => ((value + 0.0).to_string(), false),
            };
            let of_a_kind = text == self.numbers.is_none();
            let at = self.names.iter().position(|n| **n == *found);
            let at = at.or_else(|| self.rest.iter().any(|n| **n == *found).then_some(0)).filter(|_| of_a_kind);
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

/// The classes of a target: texts in alphabetical order, numbers ascending.
fn present(target: &Column, data: &Dataset) -> Result<Vec<Arc<str>>, ModelError> {
    if let Some(i) = target.values().iter().position(|v| v.is_nan()) {
        return Err(DataError::Missing { column: target.name().to_string(), row: data.row(i) }.into());
    }
    if target.is_categories() {
        let mut present: Vec<&str> = (0..target.len()).filter_map(|i| target.level(i)).collect();
        present.sort_unstable();
        present.dedup();
        return Ok(present.into_iter().map(Into::into).collect());
    }
    let mut values = target.values().to_vec();
    values.sort_unstable_by(f64::total_cmp);
    values.dedup();
    if values.len() > MOST || values.iter().any(|v| !v.is_finite()) {
        return Err(ModelError::NotClasses { column: target.name().to_string(), distinct: values.len() });
    }
    // maps -0 to 0
    Ok(values.iter().map(|v| (v + 0.0).to_string().into()).collect())
}
