//! Functions drawn from a deep Gaussian process: each layer is a set of independent Gaussian processes of the outputs
//! of the layer below (Duvenaud, "Characterizing Deep Gaussian Process Models", B.1 and B.2).
//!
//! With `connected` every layer after the first also receives the input (B.16).

use super::definition::DeepModel;
use crate::kernel::{BindError, Bound, EvalError, Kernel, Schema, SlopeError};
use crate::linalg::{Matrix, pivoted_columns};
use crate::progress::Progress;

/// The tolerance of exact draws, as a share of the kernel's variance.
pub const EXACT: f64 = 1e-12;
/// The tolerance of draws for figures: their error is at most a thousandth of the standard deviation.
pub const PICTURE: f64 = 1e-6;
/// The largest number of multiplications for the factor of one layer: about ten seconds.
const WORK: usize = 10_000_000_000;
/// The largest number of entries of the factor of one layer: one gigabyte.
const MOST_NUMBERS: usize = 125_000_000;

/// Why the prior cannot be drawn. Layers are counted from 1.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum PriorError {
    #[error("the kernel of layer {layer} does not fit its {inputs} inputs: {error}")]
    Bind { layer: usize, inputs: usize, error: BindError },
    #[error("the kernel of layer {layer} cannot be evaluated: {error}")]
    Eval { layer: usize, error: EvalError },
    #[error("the derivatives of layer {layer} cannot be drawn: {error}")]
    Slope { layer: usize, error: SlopeError },
    #[error("the variance of the derivatives of layer {layer} is too large for a number")]
    Steep { layer: usize },
    #[error(
        "functions of layer {layer} are too rough to be drawn at {rows} rows: the low-rank factor of their covariance is too large"
    )]
    Rough { layer: usize, rows: usize },
    #[error("stopped")]
    Stopped,
}

/// Columns of equal length, one for each function (or input).
pub type Columns = Vec<Vec<f64>>;

impl DeepModel {
    /// One draw from the prior: the outputs of every layer at rows of the input, given as columns.
    ///
    /// # Errors
    /// [`PriorError`].
    pub fn draw(
        &self,
        xs: &[Vec<f64>],
        tolerance: f64,
        normal: &mut dyn FnMut() -> f64,
        progress: &dyn Progress,
    ) -> Result<Vec<Columns>, PriorError> {
        let mut outputs: Vec<Columns> = Vec::with_capacity(self.layers);
        for (i, units) in self.prior_units().into_iter().enumerate() {
            let seen: Vec<&[f64]> = match outputs.last() {
                None => xs.iter().map(Vec::as_slice).collect(),
                Some(below) if self.connected => below.iter().chain(xs).map(Vec::as_slice).collect(),
                Some(below) => below.iter().map(Vec::as_slice).collect(),
            };
            let layer = Layer { number: i + 1, kernel: self.kernel(i), units };
            outputs.push(layer.draw(&seen, tolerance, normal, progress)?);
        }
        Ok(outputs)
    }

    /// For every layer, the variance of the derivative with respect to each of its inputs: the outputs of the layer
    /// below, then with `connected` the input.
    ///
    /// # Errors
    /// [`PriorError::Slope`]: a kernel that is not stationary or not differentiable; [`PriorError::Bind`].
    pub fn slope_variances(&self, inputs: usize) -> Result<Vec<Vec<f64>>, PriorError> {
        let mut below = inputs;
        let mut all = Vec::with_capacity(self.layers);
        for (i, units) in self.prior_units().into_iter().enumerate() {
            let layer = Layer { number: i + 1, kernel: self.kernel(i), units };
            let width = if i > 0 && self.connected { below + inputs } else { below };
            let rows = [0.0, 1.0];
            let bound = layer.bind(&vec![&rows[..]; width])?;
            let slopes = bound.slope_variances(&bound.values());
            let slopes = slopes.map_err(|error| PriorError::Slope { layer: i + 1, error })?;
            if slopes.iter().any(|variance| !variance.is_finite()) {
                return Err(PriorError::Steep { layer: i + 1 });
            }
            all.push(slopes);
            below = units;
        }
        Ok(all)
    }
}

/// One layer of a model.
struct Layer<'k> {
    /// The layer, from 1.
    number: usize,
    kernel: &'k Kernel,
    units: usize,
}

impl Layer<'_> {
    fn bind(&self, seen: &[&[f64]]) -> Result<Bound, PriorError> {
        let names: Vec<String> = (0..seen.len()).map(|i| format!("x{i}")).collect();
        let bound = self.kernel.bind(&Schema::unnamed(&names, seen));
        bound.map_err(|error| PriorError::Bind { layer: self.number, inputs: seen.len(), error })
    }

    /// Its functions at the rows of its inputs, without jitter: rows that the kernel identifies have equal values.
    fn draw(
        &self,
        seen: &[&[f64]],
        tolerance: f64,
        normal: &mut dyn FnMut() -> f64,
        progress: &dyn Progress,
    ) -> Result<Columns, PriorError> {
        let (layer, bound) = (self.number, self.bind(seen)?);
        let values = bound.values();
        let failed = |error| match error {
            EvalError::Stopped => PriorError::Stopped,
            error => PriorError::Eval { layer, error },
        };
        let points = bound.points(seen).map_err(failed)?;
        let rows = points.n();
        let diagonal = bound.diagonal(&values, &points).map_err(failed)?;
        let factor: Matrix = pivoted_columns(diagonal.clone(), rows, tolerance, |pivot, rank| {
            if progress.stop() {
                return Err(PriorError::Stopped);
            }
            let numbers = rows.saturating_mul(rank);
            if numbers > MOST_NUMBERS || numbers.saturating_mul(rank) > WORK {
                return Err(PriorError::Rough { layer, rows });
            }
            let one: Vec<[f64; 1]> = seen.iter().map(|column| [column[pivot]]).collect();
            let one: Vec<&[f64]> = one.iter().map(|cell| &cell[..]).collect();
            let one = bound.points(&one).map_err(failed)?;
            let mut column = bound.cross(&values, &points, &one).map_err(failed)?.as_slice().to_vec();
            // White noise is on the diagonal only.
            column[pivot] = diagonal[pivot];
            Ok(column)
        })?;
        let mut functions = Vec::with_capacity(self.units);
        for _ in 0..self.units {
            if progress.stop() {
                return Err(PriorError::Stopped);
            }
            let mut function = vec![0.0; rows];
            for column in factor.column_iter() {
                crate::linalg::vector::axpy(&mut function, normal(), column.as_slice());
            }
            functions.push(function);
        }
        Ok(functions)
    }
}
