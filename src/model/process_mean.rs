//! The mean function of a problem at rows: its values, and its derivatives in its parameters.

use super::mean_function::MeanRows;
use super::mean_terms::mean_terms;
use super::{Mean, MeanFunction, MeanTerm, ModelError, Problem};
use crate::data::RowRef;
use crate::linalg::vector;

impl Problem {
    /// The terms of a linear mean function without its offset; none for other means.
    pub fn mean_terms(&self) -> Vec<MeanTerm> {
        match &self.model().mean {
            Mean::Linear(_) => mean_terms(self.schema().columns.iter().map(|column| column.levels)),
            Mean::Zero | Mean::Constant(_) | Mean::Function(_) => Vec::new(),
        }
    }

    /// The basis functions of a linear mean at these rows: one column per parameter of the mean. None for a function.
    pub fn mean_basis(&self, x: &[&[f64]], n: usize) -> Vec<Vec<f64>> {
        match &self.model().mean {
            Mean::Zero | Mean::Function(_) => Vec::new(),
            Mean::Constant(_) => vec![vec![1.0; n]],
            Mean::Linear(_) => {
                std::iter::once(vec![1.0; n]).chain(self.mean_terms().iter().map(|term| term.column(x))).collect()
            }
        }
    }

    /// The mean function at these rows.
    ///
    /// # Errors
    /// A function fails at a row.
    pub fn mean_at(&self, x: &[&[f64]], n: usize, values: &[f64]) -> Result<Vec<f64>, ModelError> {
        let theta = self.mean_values(values);
        if let Mean::Function(mean) = &self.model().mean {
            return mean.at(&self.mean_rows(mean, x), n, theta, |i| self.row_of(x, i));
        }
        let mut mean = vec![0.0; n];
        for (basis, &weight) in self.mean_basis(x, n).iter().zip(theta) {
            vector::axpy(&mut mean, weight, basis);
        }
        Ok(mean)
    }

    /// The derivatives of the mean function in its parameters at these rows: one column per parameter.
    ///
    /// # Errors
    /// A function fails at a row, or has no derivative.
    pub fn mean_slopes(&self, x: &[&[f64]], n: usize, values: &[f64]) -> Result<Vec<Vec<f64>>, ModelError> {
        match &self.model().mean {
            Mean::Function(mean) => {
                mean.slopes(&self.mean_rows(mean, x), n, self.mean_values(values), |i| self.row_of(x, i))
            }
            _ => Ok(self.mean_basis(x, n)),
        }
    }

    /// The inputs that a mean function receives.
    fn mean_rows<'r>(&'r self, mean: &MeanFunction, x: &[&'r [f64]]) -> MeanRows<'r> {
        let places = mean.places(self.names());
        let schema = self.schema();
        MeanRows {
            columns: places.iter().map(|&d| x[d]).collect(),
            levels: places.iter().map(|&d| schema.columns[d].levels).collect(),
        }
    }

    /// The place of a row in the data, if these are the training rows.
    fn row_of(&self, x: &[&[f64]], i: usize) -> Option<RowRef> {
        let training = self.x();
        let own = x.len() == training.len() && x.iter().zip(&training).all(|(a, b)| std::ptr::eq(*a, *b));
        own.then(|| self.data().row(i))
    }

    /// The values of the mean's parameters among all values.
    pub fn mean_values<'v>(&self, values: &'v [f64]) -> &'v [f64] {
        let count = self.parameters().iter().filter(|p| p.kind.is_mean()).count();
        let end = self.parameters().len().min(values.len());
        &values[end - count..end]
    }

    /// Whether the mean is linear in its parameters.
    pub fn has_linear_mean(&self) -> bool {
        !matches!(self.model().mean, Mean::Function(_))
    }

    /// The weights of the columns of [`mean_slopes`](Self::mean_slopes) in the mean: its parameters if it is linear in
    /// them, and otherwise 0.
    pub fn mean_weights(&self, values: &[f64]) -> Vec<f64> {
        let theta = self.mean_values(values);
        if self.has_linear_mean() { theta.to_vec() } else { vec![0.0; theta.len()] }
    }
}
