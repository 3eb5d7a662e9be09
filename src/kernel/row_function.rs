//! Users' functions of the rows, with parameters and derivatives.

use std::fmt::Debug;
use std::sync::Arc;

/// A user's function of one row of the inputs, supplied by the language.
///
/// It may have parameters: names in its text whose values are given to each evaluation, in `theta`, one number after the
/// other in the order of [`parameters`](Self::parameters).
pub trait RowFunction: Debug + Send + Sync {
    /// Its source text with captured values filled in; it parses back to the same function.
    fn source(&self) -> String;

    /// Its parameters.
    fn parameters(&self) -> &[FunctionParameter] {
        &[]
    }

    /// Its value at one row.
    ///
    /// # Errors
    /// The function failed, or the user stopped the work.
    fn apply(&self, row: &[Cell<'_>], theta: &[f64]) -> Result<Vec<f64>, FunctionError>;

    /// Its value at one row with the derivatives of each number: in the parameters, then in the entries of the row (0
    /// for a category).
    ///
    /// # Errors
    /// The function failed, or a part of it has no derivative.
    fn slopes(&self, _row: &[Cell<'_>], _theta: &[f64]) -> Result<Vec<Slope>, FunctionError> {
        Err(FunctionError::Failed("the function has no derivative".into()))
    }
}

/// A parameter of a user's function.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct FunctionParameter {
    pub name: Arc<str>,
    /// The length of a list; `None` for one number.
    pub length: Option<usize>,
}

impl FunctionParameter {
    /// The number of values.
    pub fn count(&self) -> usize {
        self.length.unwrap_or(1)
    }
}

/// A number with its derivatives.
#[derive(Debug, Clone, PartialEq)]
pub struct Slope {
    pub value: f64,
    /// Empty if all are 0.
    pub by: Vec<f64>,
}

/// One entry of a row as a user's function receives it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Cell<'a> {
    Number(f64),
    Category(&'a str),
}

impl std::fmt::Display for Cell<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Cell::Number(x) => write!(f, "{x}"),
            Cell::Category(text) => write!(f, "`{text}`"),
        }
    }
}

/// Why a user's function has no value at a row.
#[derive(Debug, Clone, PartialEq)]
pub enum FunctionError {
    /// The user stopped the work.
    Stopped,
    /// A sentence with the reason.
    Failed(String),
}

/// The failure of a user's function at a row.
#[derive(Debug)]
pub(super) struct RowFailure {
    /// The index of the row, from 0.
    pub row: usize,
    /// The error with the values of the row, or a stop by the user.
    pub error: FunctionError,
}

/// The texts of the categories of a column, by their codes.
pub(super) type Levels = Arc<[Arc<str>]>;

/// Where the results of a function stand among the columns of a view.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Results {
    /// The view consists of them.
    Alone,
    /// They replace the arguments, one by one.
    InPlace,
    /// They stand after the columns of the parent.
    Behind,
}

/// A user's function of columns of a view.
#[derive(Debug, Clone)]
pub(super) struct FunctionMap {
    pub function: Arc<dyn RowFunction>,
    /// Its arguments.
    pub columns: Vec<usize>,
    /// The texts of the categories of each argument; `None` for numbers.
    pub levels: Vec<Option<Levels>>,
    pub results: Results,
    /// The number of results.
    pub width: usize,
    /// The slots of its parameters.
    pub slots: Vec<usize>,
    /// Whether its derivatives are known.
    pub differentiable: bool,
}

impl FunctionMap {
    fn theta(&self, values: &[f64]) -> Vec<f64> {
        self.slots.iter().map(|&slot| values.get(slot).copied().unwrap_or(f64::NAN)).collect()
    }

    fn row<'l>(&'l self, parent: &[Vec<f64>], i: usize) -> Result<Vec<Cell<'l>>, RowFailure> {
        let cells = self.columns.iter().zip(&self.levels).map(|(&c, levels)| cell(parent[c][i], levels.as_ref()));
        cells.collect::<Result<_, _>>().map_err(|m| RowFailure { row: i, error: FunctionError::Failed(m) })
    }

    /// Whether it has derivatives at these rows.
    pub fn has_slopes(&self, parent: &[Vec<f64>], values: &[f64], rows: usize) -> Result<(), RowFailure> {
        let theta = self.theta(values);
        for i in 0..rows {
            let row = self.row(parent, i)?;
            self.function.slopes(&row, &theta).map_err(|error| RowFailure { row: i, error: at_row(error, &row) })?;
        }
        Ok(())
    }

    /// The number of results in the first row; without rows, at 0.
    pub fn count(&self, parent: &[Vec<f64>], values: &[f64]) -> Result<usize, RowFailure> {
        let theta = self.theta(values);
        if parent.first().is_some_and(|column| !column.is_empty()) {
            let row = self.row(parent, 0)?;
            let found = self.function.apply(&row, &theta);
            return found.map(|v| v.len()).map_err(|error| RowFailure { row: 0, error: at_row(error, &row) });
        }
        let mut row = Vec::with_capacity(self.levels.len());
        for levels in &self.levels {
            row.push(match levels {
                None => Cell::Number(0.0),
                Some(levels) => Cell::Category(levels.first().map_or("", |level| level)),
            });
        }
        Ok(self.function.apply(&row, &theta).map_or(self.columns.len(), |values| values.len()))
    }

    /// The columns of the view.
    pub fn apply(&self, parent: &[Vec<f64>], values: &[f64]) -> Result<Vec<Vec<f64>>, RowFailure> {
        let n = parent.first().map_or(0, Vec::len);
        let theta = self.theta(values);
        let mut results = vec![Vec::with_capacity(n); self.width];
        for i in 0..n {
            let row = self.row(parent, i)?;
            let fail = |error| RowFailure { row: i, error: at_row(error, &row) };
            let found = self.function.apply(&row, &theta).map_err(fail)?;
            if let Some(bad) = found.iter().find(|v| !v.is_finite()) {
                return Err(fail(FunctionError::Failed(format!("the function gives {bad}"))));
            }
            if found.len() != self.width || found.is_empty() {
                let text = match self.width {
                    0 => format!("the function gives {}, expected at least one", numbers(found.len())),
                    before => {
                        let (found, before) = (numbers(found.len()), numbers(before));
                        format!("the function gives {found}, expected {before} as for the first row")
                    }
                };
                return Err(fail(FunctionError::Failed(text)));
            }
            for (result, value) in results.iter_mut().zip(found) {
                result.push(value);
            }
        }
        match self.results {
            Results::Alone => Ok(results),
            Results::Behind => Ok(parent.iter().cloned().chain(results).collect()),
            Results::InPlace => {
                let mut shown = parent.to_vec();
                for (result, &c) in results.into_iter().zip(&self.columns) {
                    shown[c] = result;
                }
                Ok(shown)
            }
        }
    }

    /// Passes derivatives in the columns of the view to those of its parent and to the parameters.
    pub fn pull(
        &self,
        parent: &[Vec<f64>],
        values: &[f64],
        adjoint: &[Vec<f64>],
        to_parent: &mut [Vec<f64>],
        gradient: &mut [f64],
    ) {
        if self.results != Results::Alone {
            for (c, (to, from)) in to_parent.iter_mut().zip(adjoint).enumerate() {
                if self.results == Results::Behind || !self.columns.contains(&c) {
                    crate::linalg::vector::add(to, from);
                }
            }
        }
        if !self.differentiable {
            return;
        }
        let result = |k: usize| match self.results {
            Results::Alone => &adjoint[k],
            Results::InPlace => &adjoint[self.columns[k]],
            Results::Behind => &adjoint[parent.len() + k],
        };
        let theta = self.theta(values);
        // several of the columns are read and written in each row
        #[allow(clippy::needless_range_loop)]
        for i in 0..parent.first().map_or(0, Vec::len) {
            if (0..self.width).all(|k| result(k)[i] == 0.0) {
                continue;
            }
            // it has derivatives at the training rows; elsewhere a failure must not pass as 0
            let slopes = self.row(parent, i).ok().and_then(|row| self.function.slopes(&row, &theta).ok());
            let missing = || Slope { value: f64::NAN, by: vec![f64::NAN; theta.len() + self.columns.len()] };
            let slopes = slopes.unwrap_or_else(|| vec![missing(); self.width]);
            for (k, slope) in slopes.iter().enumerate().take(self.width) {
                let weight = result(k)[i];
                for (&slot, by) in self.slots.iter().zip(&slope.by) {
                    gradient[slot] += weight * by;
                }
                for (&c, by) in self.columns.iter().zip(slope.by.iter().skip(self.slots.len())) {
                    to_parent[c][i] += weight * by;
                }
            }
        }
    }
}

/// The error with the values of the row.
fn at_row(error: FunctionError, row: &[Cell<'_>]) -> FunctionError {
    match error {
        FunctionError::Stopped => error,
        FunctionError::Failed(message) => FunctionError::Failed(format!("{message}, at {}", show_row(row))),
    }
}

fn numbers(n: usize) -> String {
    match n {
        0 => "no number".into(),
        1 => "1 number".into(),
        n => format!("{n} numbers"),
    }
}

/// A number, or the text of a category by its code.
fn cell(value: f64, levels: Option<&Levels>) -> Result<Cell<'_>, String> {
    match levels {
        None => Ok(Cell::Number(value)),
        Some(levels) => match levels.get(value as usize) {
            Some(text) => Ok(Cell::Category(text)),
            None => Err("a function cannot be given a category that was not among the training rows".into()),
        },
    }
}

fn show_row(row: &[Cell<'_>]) -> String {
    match row {
        [x] => x.to_string(),
        row => format!("[{}]", row.iter().map(Cell::to_string).collect::<Vec<_>>().join(", ")),
    }
}

/// The text of a category by its code.
pub(super) fn level_text(levels: &[Arc<str>], code: f64) -> Arc<str> {
    levels.get(code as usize).cloned().unwrap_or_else(|| code.to_string().into())
}
