//! The rows at which a kernel is evaluated, and errors of evaluation.

use super::bind::Bound;
use super::bind_error::{Origin, Place};
use super::row_function::{FunctionError, RowFailure};

/// Rows may miss their places at whole steps by as many roundings of the largest number.
pub(super) const ROUNDINGS: f64 = 4.0;

/// The rows at which a kernel is evaluated, in the columns of all its views.
#[derive(Debug, Clone)]
pub struct Points {
    pub(super) n: usize,
    /// Empty for views that depend on parameters.
    pub(super) views: Vec<Vec<Vec<f64>>>,
}

impl Points {
    /// No rows.
    pub const NONE: &'static Points = &Points { n: 0, views: Vec::new() };

    /// The number of rows.
    pub fn n(&self) -> usize {
        self.n
    }

    /// Whether the inputs that are used go up or down by equal steps from row to row, to rounding.
    pub fn are_even(&self, used: &[bool]) -> bool {
        let even = |column: &Vec<f64>| {
            let (Some(first), Some(last)) = (column.first(), column.last()) else { return true };
            let step = (last - first) / column.len().saturating_sub(1).max(1) as f64;
            let near = ROUNDINGS * f64::EPSILON * first.abs().max(last.abs());
            column.iter().enumerate().all(|(i, x)| (first + i as f64 * step - x).abs() <= near)
        };
        let read = |inputs: &Vec<Vec<f64>>| inputs.iter().zip(used).all(|(column, used)| !used || even(column));
        self.views.first().is_none_or(read)
    }

    /// A range of the rows.
    pub fn rows(&self, range: std::ops::Range<usize>) -> Self {
        let some = |column: &Vec<f64>| column[range.clone()].to_vec();
        let views = self.views.iter().map(|view| view.iter().map(some).collect()).collect();
        Self { n: range.len(), views }
    }
}

/// Why a kernel cannot be evaluated at rows.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum EvalError {
    #[error("the kernel is bound to {expected} input columns, and these rows have {found}")]
    Columns { expected: usize, found: usize },
    #[error("{message} (row {row})")]
    Function { row: usize, message: String },
    #[error("the rows hold {message}")]
    Rows { origin: Option<Origin>, place: Place, message: String },
    #[error("stopped")]
    Stopped,
}

impl From<RowFailure> for EvalError {
    fn from(failure: RowFailure) -> Self {
        match failure.error {
            FunctionError::Stopped => Self::Stopped,
            FunctionError::Failed(message) => Self::Function { row: failure.row, message },
        }
    }
}

impl Bound {
    /// Rows for this kernel. `x` holds one slice per input column of the data.
    ///
    /// # Errors
    /// [`EvalError`]: the number of columns differs, or a user's function fails at a row.
    pub fn points(&self, x: &[&[f64]]) -> Result<Points, EvalError> {
        if x.len() != self.program.columns {
            return Err(EvalError::Columns { expected: self.program.columns, found: x.len() });
        }
        let mut views: Vec<Vec<Vec<f64>>> = Vec::with_capacity(self.program.views.len());
        for view in &self.program.views {
            let shown = match views.get(view.parent) {
                None => x.iter().map(|c| c.to_vec()).collect(),
                Some(_) if view.moving => Vec::new(),
                Some(parent) => view.map.apply(parent, &[]).map_err(EvalError::from)?,
            };
            views.push(shown);
        }
        Ok(Points { n: x.first().map_or(0, |c| c.len()), views })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_steps_are_told_from_others() {
        let points = |columns: &[&dyn Fn(f64) -> f64]| {
            let column = |of: &&dyn Fn(f64) -> f64| (0..300).map(|i| of(f64::from(i))).collect();
            Points { n: 300, views: vec![columns.iter().map(column).collect()] }
        };
        let are_even = |columns: &[&dyn Fn(f64) -> f64]| points(columns).are_even(&[true; 2]);
        let (months, back, gap) =
            (|i: f64| 1949.0 + i / 12.0, |i: f64| 7.0 - 0.1 * i, |i: f64| i + (i / 200.0).floor());
        assert!(are_even(&[&months]) && are_even(&[&back]) && are_even(&[&months, &back]) && are_even(&[&|_| 3.0]));
        assert!(!are_even(&[&gap]) && !are_even(&[&months, &gap]) && !are_even(&[&|i: f64| i + 1e-9 * i * i]));
        // what is not read does not count
        assert!(
            points(&[&months, &gap]).are_even(&[true, false]) && !points(&[&months, &gap]).are_even(&[false, true])
        );
        assert!(Points::NONE.are_even(&[]));
    }
}
