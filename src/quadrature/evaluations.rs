//! Points at which an integrand was evaluated.

use super::error::QuadratureError;

/// Evaluations of an integrand: the names of the inputs, the points by columns, and the values.
#[derive(Debug, Clone, PartialEq)]
pub struct Evaluations {
    names: Vec<String>,
    x: Vec<Vec<f64>>,
    y: Vec<f64>,
}

impl Evaluations {
    /// No evaluations, for inputs with these names.
    pub fn none(names: Vec<String>) -> Self {
        Self { x: vec![Vec::new(); names.len()], names, y: Vec::new() }
    }

    /// Points by columns, with their values.
    ///
    /// # Errors
    /// [`QuadratureError::NotFinite`] names the first point with a value that is not finite.
    pub fn new(names: Vec<String>, x: Vec<Vec<f64>>, y: Vec<f64>) -> Result<Self, QuadratureError> {
        let mut all = Self::none(names);
        for (i, value) in y.into_iter().enumerate() {
            let row: Vec<f64> = x.iter().map(|column| column[i]).collect();
            all.push(&row, value)?;
        }
        Ok(all)
    }

    /// Adds an evaluation.
    ///
    /// # Errors
    /// [`QuadratureError::NotFinite`].
    pub fn push(&mut self, row: &[f64], value: f64) -> Result<(), QuadratureError> {
        if !value.is_finite() || row.iter().any(|x| !x.is_finite()) {
            return Err(QuadratureError::NotFinite { value, at: self.place(row) });
        }
        for (column, x) in self.x.iter_mut().zip(row) {
            column.push(*x);
        }
        self.y.push(value);
        Ok(())
    }

    /// A point in words: `x = 1.5, y = 2`.
    pub fn place(&self, row: &[f64]) -> String {
        let one = |(name, x): (&String, &f64)| format!("{name} = {x}");
        self.names.iter().zip(row).map(one).collect::<Vec<_>>().join(", ")
    }

    /// The names of the inputs.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The points, by columns.
    pub fn x(&self) -> &[Vec<f64>] {
        &self.x
    }

    /// The values of the integrand.
    pub fn y(&self) -> &[f64] {
        &self.y
    }

    /// Whether all values are the same; also without any.
    pub fn are_constant(&self) -> bool {
        all_equal(&self.y)
    }

    pub fn n(&self) -> usize {
        self.y.len()
    }

    /// The point with index `i`.
    pub fn row(&self, i: usize) -> Vec<f64> {
        self.x.iter().map(|column| column[i]).collect()
    }

    /// The same points with other values.
    pub fn with_values(&self, y: Vec<f64>) -> Self {
        Self { y, ..self.clone() }
    }
}

/// Whether all values are the same; also without any.
pub(super) fn all_equal(values: &[f64]) -> bool {
    values.windows(2).all(|pair| pair[0] == pair[1])
}
