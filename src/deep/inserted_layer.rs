//! A start from a trained model with one layer fewer.
//!
//! A layer that is close to the identity, inserted below the last one, leaves the function and its bound nearly as they
//! were: from such a start a deeper model does not fall behind the shallower one in training.

use super::definition::{DeepModel, Units};
use super::layer::LayerValues;
use super::problem::{DeepProblem, Values};
use super::starts::{start_of_kernel, whiten};
use crate::linalg::Matrix;
use crate::model::spread;

/// The least number of layers of a model with this start.
const LEAST_LAYERS: usize = 3;
/// The largest number: each trains the model with one layer fewer first, and so on.
const MOST_LAYERS: usize = 8;
/// The length-scale of the inserted layer in standard deviations of its input: nearly a line over the rows.
const LENGTH: f64 = 3.0;
/// The standard deviation of its pseudo outputs, as a share of that of its input.
const SPREAD: f64 = 0.05;

/// The start with a layer inserted into the model with one layer fewer, whose values `trained` gives; `None` for few
/// or many layers, for layers of different kernels or widths, without variational inference, or without these values.
pub(super) fn with_inserted_layer(
    problem: &DeepProblem,
    trained: impl FnOnce(&DeepModel) -> Option<Values>,
) -> Option<Values> {
    let (model, last) = (&problem.model, problem.layers.len() - 1);
    let alike = model.kernels.len() == 1 && matches!(model.units, Units::Same(_));
    if !(LEAST_LAYERS..=MOST_LAYERS).contains(&problem.layers.len()) || !alike || !problem.is_variational() {
        return None;
    }
    let mut smaller = model.clone();
    smaller.layers -= 1;
    let mut values = trained(&smaller)?;
    let mut top = values.layers.pop()?;
    // the posterior of the last pseudo outputs follows from the other values
    top.root = None;
    let layer = &problem.layers[last - 1];
    let inducing = top.inducing.clone();
    let outputs = Matrix::from_fn(inducing.nrows(), layer.units, |row, unit| inducing[(row, unit)]);
    let width = spread(outputs.as_slice());
    let size = outputs.as_slice().iter().map(|v| v * v).sum::<f64>() / outputs.len().max(1) as f64;
    let theta = start_of_kernel(layer, LENGTH * width, LENGTH * size, false, problem);
    let (whitened, factor) = whiten(layer, &theta, &inducing, &outputs).ok()?;
    // a whitened output moves its output by the diagonal of the factor: where that is little, the prior is as good
    let root = factor.diagonal().map(|moves| (SPREAD * width / moves).min(1.0));
    let root = Some(Matrix::from_diagonal(&root));
    values.layers.push(LayerValues { theta, inducing, whitened, root });
    values.layers.push(top);
    Some(values)
}
