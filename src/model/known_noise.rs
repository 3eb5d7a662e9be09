//! Noise with a known variance for each row: from a column, or from a function of columns.

use std::fmt;
use std::sync::Arc;

use super::ModelError;
use crate::data::Dataset;
use crate::kernel::{Cell, FunctionError, RowFunction, word};

/// The known noise of each row.
#[derive(Debug, Clone)]
pub struct KnownNoise {
    /// The columns from which it is computed.
    pub columns: Vec<Arc<str>>,
    /// A function of the columns, in their order. Without it there is one column with the values.
    pub function: Option<Arc<dyn RowFunction>>,
    /// Whether the values are standard deviations rather than variances.
    pub is_sd: bool,
}

impl PartialEq for KnownNoise {
    fn eq(&self, other: &Self) -> bool {
        (&self.columns, self.is_sd, self.source()) == (&other.columns, other.is_sd, other.source())
    }
}

/// The argument in the language.
impl fmt::Display for KnownNoise {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}={}", if self.is_sd { "noise_sd" } else { "noise" }, self.source())
    }
}

impl KnownNoise {
    /// The noise in one column.
    pub fn column(name: impl Into<Arc<str>>, is_sd: bool) -> Self {
        Self { columns: vec![name.into()], function: None, is_sd }
    }

    /// The column, or the source text of the function.
    pub fn source(&self) -> String {
        match &self.function {
            Some(function) => function.source(),
            None => word(self.columns.first().map_or("", |name| name)),
        }
    }

    /// In words: the source, and whether it is a variance or a standard deviation.
    pub fn described(&self) -> String {
        let what = if self.is_sd { "standard deviations" } else { "variances" };
        match &self.function {
            Some(function) => format!("{what} known for each row, `{}`", function.source()),
            None => {
                format!("{what} known for each row, from column `{}`", self.columns.first().map_or("", |name| name))
            }
        }
    }

    /// Whether it is computed from this column.
    pub fn reads(&self, column: &str) -> bool {
        self.columns.iter().any(|name| **name == *column)
    }

    /// Whether these rows have its columns.
    pub fn is_known_of(&self, data: &Dataset) -> bool {
        self.columns.iter().all(|name| data.column(name).is_some())
    }

    /// The variance of each row.
    ///
    /// # Errors
    /// A column that does not exist or is categorical, a negative or missing value, or a function that fails.
    pub fn variances(&self, data: &Dataset) -> Result<Vec<f64>, ModelError> {
        let mut columns = Vec::with_capacity(self.columns.len());
        for name in &self.columns {
            let column = data.find(name)?;
            if column.is_categories() {
                return Err(ModelError::NotANoise { column: name.to_string() });
            }
            columns.push(column.values());
        }
        let mut variances = Vec::with_capacity(data.n());
        for i in 0..data.n() {
            let row: Vec<Cell<'_>> = columns.iter().map(|values| Cell::Number(values[i])).collect();
            let value = match &self.function {
                None => columns[0][i],
                Some(function) => match function.apply(&row, &[]) {
                    Ok(value) if value.len() == 1 => value[0],
                    Ok(_) => {
                        let message = "it gives a list, expected a number".to_string();
                        return Err(ModelError::NoiseFunction {
                            source_text: function.source(),
                            row: data.row(i),
                            message,
                        });
                    }
                    Err(FunctionError::Stopped) => return Err(ModelError::Stopped),
                    Err(FunctionError::Failed(message)) => {
                        return Err(ModelError::NoiseFunction {
                            source_text: function.source(),
                            row: data.row(i),
                            message,
                        });
                    }
                },
            };
            if !(value >= 0.0 && value.is_finite()) {
                return Err(ModelError::NegativeNoise { column: self.source(), value, row: data.row(i) });
            }
            variances.push(if self.is_sd { value * value } else { value });
        }
        Ok(variances)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Column;

    #[test]
    fn standard_deviations_are_squared() {
        let columns = vec![Column::numeric("x", vec![0.0, 1.0]), Column::numeric("e", vec![0.5, 2.0])];
        let data = Dataset::new(columns, None, None).unwrap();
        assert_eq!(KnownNoise::column("e", true).variances(&data).unwrap(), [0.25, 4.0]);
        assert_eq!(KnownNoise::column("e", false).variances(&data).unwrap(), [0.5, 2.0]);
        assert_eq!(KnownNoise::column("e", true).to_string(), "noise_sd=e");
        assert!(KnownNoise::column("f", true).variances(&data).is_err());
    }
}
