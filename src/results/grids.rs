//! Rows for predictions: given values, and even grids over the range of an input.

use crate::data::{Column, DataError, Dataset};
use crate::fit::Fit;
use crate::model::ModelError;

/// The extent of a grid beyond the data on either side, as a share of their range.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Beyond {
    pub before: f64,
    pub after: f64,
}

impl Beyond {
    /// The ends of a grid over values from `lo` to `hi`. A grid over non-negative values does not extend below 0.
    pub fn ends(self, lo: f64, hi: f64) -> (f64, f64) {
        let first = lo - self.before * (hi - lo);
        (if lo >= 0.0 { first.max(0.0) } else { first }, hi + self.after * (hi - lo))
    }
}

/// An even grid over the range of a column and beyond.
pub(super) fn range(data: &Dataset, name: &str, points: usize, beyond: Beyond) -> Vec<f64> {
    let values = data.column(name).map_or(&[][..], Column::values).iter().copied().filter(|v| v.is_finite());
    let (lo, hi) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(lo, hi), v| (lo.min(v), hi.max(v)));
    let (lo, hi) = if lo <= hi { beyond.ends(lo, hi) } else { (0.0, 1.0) };
    let step = (hi - lo) / (points.max(2) - 1) as f64;
    (0..points).map(|i| if i + 1 == points { hi } else { lo + step * i as f64 }).collect()
}

impl Fit {
    /// Rows with these values of the single input of the data.
    ///
    /// # Errors
    /// [`ModelError::OneInput`]: the data have several inputs or none.
    pub fn rows_along(&self, values: Vec<f64>) -> Result<Dataset, ModelError> {
        self.rows(vec![values], &[self.one_input()?])
    }

    /// The single input on which the model depends, or the single input of the data without the column of a known
    /// noise.
    ///
    /// # Errors
    /// [`ModelError::OneInput`]: the model depends on several inputs or on none.
    pub fn one_input(&self) -> Result<&str, ModelError> {
        match (&self.problem().used_names()[..], self.problem().names()) {
            ([name], _) => Ok(*name),
            ([], [name]) => Ok(name),
            (_, names) => Err(ModelError::OneInput { inputs: names.to_vec() }),
        }
    }

    /// Rows with these columns for the named inputs.
    ///
    /// # Errors
    /// Columns of unequal length.
    pub fn rows(&self, columns: Vec<Vec<f64>>, names: &[&str]) -> Result<Dataset, ModelError> {
        let column = |(values, name): (Vec<f64>, &&str)| {
            let known = self.problem().data().column(name);
            if let Some(scale) = known.and_then(Column::time) {
                return Column::times(*name, scale, values);
            }
            let unit = known.and_then(Column::unit);
            let column = Column::numeric(*name, values);
            match unit {
                Some(unit) => column.with_unit(unit),
                None => column,
            }
        };
        let columns = columns.into_iter().zip(names).map(column).collect();
        Ok(Dataset::new(columns, None, None).map_err(|e: DataError| e)?)
    }

    /// A fine grid over the training range of the single input, for figures.
    ///
    /// # Errors
    /// As [`rows_along`](Self::rows_along).
    pub fn grid(&self, points: usize) -> Result<Dataset, ModelError> {
        self.grid_beyond(points, Beyond::default())
    }

    /// The same over a wider range.
    ///
    /// # Errors
    /// As [`rows_along`](Self::rows_along).
    pub fn grid_beyond(&self, points: usize, beyond: Beyond) -> Result<Dataset, ModelError> {
        let column = self.one_input().ok().and_then(|name| self.problem().data().column(name));
        let (lo, hi) = match column.map(Column::values) {
            Some(x) => x.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), &v| (a.min(v), b.max(v))),
            None => (0.0, 1.0),
        };
        let (lo, hi) = beyond.ends(lo, hi);
        let step = (hi - lo) / (points.max(2) - 1) as f64;
        self.rows_along((0..points.max(2)).map(|i| lo + step * i as f64).collect())
    }
}
