//! A user's function as the mean of a model.

use std::fmt;
use std::sync::Arc;

use super::ModelError;
use crate::data::RowRef;
use crate::kernel::wraps::parameter_specs;
use crate::kernel::{Cell, FunctionError, RowFunction, Values, print};
use crate::param::Param;

/// A function of the inputs, with its parameters.
#[derive(Debug, Clone)]
pub struct MeanFunction {
    pub function: Arc<dyn RowFunction>,
    /// The names of its arguments, which may be those of inputs.
    pub arguments: Vec<Arc<str>>,
    /// The values of the function's parameters, in its order.
    pub params: Vec<Values>,
}

impl PartialEq for MeanFunction {
    fn eq(&self, other: &Self) -> bool {
        self.params == other.params && self.function.source() == other.function.source()
    }
}

/// The arguments in the language.
impl fmt::Display for MeanFunction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "mean={}", self.function.source())?;
        for argument in print::arguments(parameter_specs(&*self.function), &self.params) {
            write!(f, ", {argument}")?;
        }
        Ok(())
    }
}

/// The inputs of a mean function at some rows, as columns of numbers or of codes with their texts.
pub(super) struct MeanRows<'r> {
    pub columns: Vec<&'r [f64]>,
    pub levels: Vec<Option<&'r [Arc<str>]>>,
}

impl MeanFunction {
    /// The same function with these values of its parameters, in order.
    pub fn with_values(&self, theta: &[f64]) -> Self {
        let mut theta = theta.iter();
        let mut with = |param: &Param| theta.next().map_or_else(|| param.clone(), |&value| param.with_value(value));
        Self { params: self.params.iter().map(|values| values.map(&mut with)).collect(), ..self.clone() }
    }

    /// The places of the inputs that it receives among all: those that its arguments name, if each names one; otherwise
    /// all.
    pub(super) fn places(&self, names: &[impl AsRef<str>]) -> Vec<usize> {
        let place = |argument: &Arc<str>| names.iter().position(|name| name.as_ref() == &**argument);
        let named: Option<Vec<usize>> = self.arguments.iter().map(place).collect();
        named.filter(|places| !places.is_empty()).unwrap_or_else(|| (0..names.len()).collect())
    }

    /// Its values at some rows. `row` names a row in messages.
    ///
    /// # Errors
    /// [`ModelError::MeanFunction`]: it fails at a row; [`ModelError::Stopped`].
    pub(super) fn at(
        &self,
        rows: &MeanRows<'_>,
        n: usize,
        theta: &[f64],
        row: impl Fn(usize) -> Option<RowRef>,
    ) -> Result<Vec<f64>, ModelError> {
        let mut values = Vec::with_capacity(n);
        for i in 0..n {
            let cells = rows.cells(i).map_err(|error| self.failure(error, row(i)))?;
            let found = self.function.apply(&cells, theta).map_err(|error| self.failure(error, row(i)))?;
            match found[..] {
                [value] if value.is_finite() => values.push(value),
                [value] => return Err(self.failed(format!("it gives {value}"), row(i))),
                _ => {
                    let text = format!("it gives a list of {}, expected a number", found.len());
                    return Err(self.failed(text, row(i)));
                }
            }
        }
        Ok(values)
    }

    /// Its derivatives in its parameters at some rows: one column per parameter.
    ///
    /// # Errors
    /// As [`at`](Self::at); a part of it has no derivative.
    pub(super) fn slopes(
        &self,
        rows: &MeanRows<'_>,
        n: usize,
        theta: &[f64],
        row: impl Fn(usize) -> Option<RowRef>,
    ) -> Result<Vec<Vec<f64>>, ModelError> {
        let mut slopes = vec![vec![0.0; n]; theta.len()];
        if theta.is_empty() {
            return Ok(slopes);
        }
        for i in 0..n {
            let cells = rows.cells(i).map_err(|error| self.failure(error, row(i)))?;
            let found = self.function.slopes(&cells, theta).map_err(|error| self.failure(error, row(i)))?;
            let [slope] = &found[..] else {
                return Err(self.failed(format!("it gives a list of {}, expected a number", found.len()), row(i)));
            };
            // no derivatives at all: a number that does not depend on them
            for (column, by) in slopes.iter_mut().zip(&slope.by) {
                column[i] = *by;
            }
        }
        Ok(slopes)
    }

    fn failure(&self, error: FunctionError, row: Option<RowRef>) -> ModelError {
        match error {
            FunctionError::Stopped => ModelError::Stopped,
            FunctionError::Failed(message) => self.failed(message, row),
        }
    }

    fn failed(&self, message: String, row: Option<RowRef>) -> ModelError {
        let place = row.map_or_else(|| "a new row".to_string(), |row| row.to_string());
        ModelError::MeanFunction { source_text: self.function.source(), place, message }
    }
}

impl<'r> MeanRows<'r> {
    fn cells(&self, i: usize) -> Result<Vec<Cell<'r>>, FunctionError> {
        let unknown = "a function cannot be given a category that was not among the training rows";
        let mut cells = Vec::with_capacity(self.columns.len());
        for (column, levels) in self.columns.iter().zip(&self.levels) {
            cells.push(match levels {
                None => Cell::Number(column[i]),
                Some(levels) => match levels.get(column[i] as usize) {
                    Some(text) => Cell::Category(text),
                    None => return Err(FunctionError::Failed(unknown.into())),
                },
            });
        }
        Ok(cells)
    }
}
