//! Layer by layer: a trained deep GP with one layer fewer is where the training of the next begins.
//!
//! The last layer of the smaller model, which carries the targets, becomes the last hidden layer, and a layer near the
//! identity is put on top.

use super::definition::{DeepModel, Units};
use super::problem::{DeepProblem, JITTER, LayerValues, Values};
use super::starts::{farthest_first, start_of_kernel, whiten};
use super::tape::TapeError;
use crate::kernel::{Role, SlotState};
use crate::linalg::Matrix;

/// The length-scale of the new layer, in standard deviations of its input: nearly linear there.
const LENGTH: f64 = 3.0;

/// The model without its last layer but one output; `None` where there is one layer.
pub(super) fn shallower(model: &DeepModel) -> Option<DeepModel> {
    let layers = model.layers.checked_sub(1).filter(|layers| *layers > 0)?;
    let mut hidden = model.hidden_units();
    hidden.truncate(layers - 1);
    let units = if hidden.is_empty() { Units::Same(1) } else { Units::Each(hidden) };
    let kernels = model.kernels.iter().take(layers).cloned().collect();
    Some(DeepModel { layers, units, kernels, ..model.clone() })
}

/// Values of a problem at which it predicts nearly as a problem of one layer fewer does at its values.
///
/// # Errors
/// A covariance that is not positive definite.
pub(super) fn grown(problem: &DeepProblem, smaller: &DeepProblem, at: &Values) -> Result<Values, TapeError> {
    let top = problem.layers.len() - 1;
    let scale = problem.variance.sqrt().max(f64::MIN_POSITIVE);
    let outputs = smaller.pseudo_outputs(at, top - 1)?;
    let mut values = at.clone();
    let (carrier, of) = (&problem.layers[top - 1], &mut values.layers[top - 1]);
    for (slot, value) in carrier.bound.slots().iter().zip(&mut of.theta) {
        let in_target = matches!(slot.spec.role, Role::Variance | Role::SlopeVariance | Role::OrderVariance);
        if slot.state == SlotState::Free && in_target {
            *value /= scale * scale;
        }
    }
    let inducing = of.inducing.clone();
    let along = |row: usize, unit: usize| match unit {
        0 => outputs[(row, 0)] / scale,
        _ => {
            let column = inducing.column(unit % inducing.ncols());
            (column[row] - column.mean()) / column.variance().sqrt().max(f64::MIN_POSITIVE)
        }
    };
    let wanted = Matrix::from_fn(inducing.nrows(), carrier.units, along);
    of.whitened = whiten(carrier, &of.theta, &inducing, &wanted, JITTER)?;
    let m = inducing.nrows();
    let reach = problem.y.iter().fold(0.0f64, |most, y| most.max(y.abs())) / scale;
    let data = &values.layers[0].inducing;
    let width = carrier.units + if problem.model.connected { problem.x.ncols() } else { 0 };
    let places: Vec<f64> = (0..m).map(|row| reach * (2.0 * row as f64 / (m - 1).max(1) as f64 - 1.0)).collect();
    let order = farthest_first(std::slice::from_ref(&places));
    let even = |row: usize| places[order[row]];
    let inducing = Matrix::from_fn(m, width, |row, column| match column {
        0 => even(row),
        _ if column < carrier.units => wanted[(row, column)],
        _ => data[(row, column - carrier.units)],
    });
    let layer = &problem.layers[top];
    let theta = start_of_kernel(layer, LENGTH, 4.0 * problem.variance, false, problem);
    let outputs = Matrix::from_fn(m, 1, |row, _| even(row) * scale);
    let whitened = whiten(layer, &theta, &inducing, &outputs, JITTER)?;
    values.layers.push(LayerValues { theta, inducing, whitened });
    Ok(values)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data;
    use crate::kernel::{Kernel, families::family};

    /// The density of the pseudo outputs apart, the likelihood is the same up to what the new layer smooths.
    #[test]
    fn a_grown_model_predicts_as_the_smaller_one() {
        let all = data::load("step", &[], &data::Options::default()).unwrap();
        let rows = all.take(&(0..30).map(|i| 6 * i).collect::<Vec<_>>());
        for layers in [2, 3] {
            let se = Kernel::family(family("SE").unwrap());
            let model = DeepModel { inducing: 8, samples: 20, ..DeepModel::new(layers, se) };
            let smaller = shallower(&model).unwrap();
            assert_eq!(smaller.layers, layers - 1);
            let (deep, small) =
                (DeepProblem::new(&model, &rows, 0).unwrap(), DeepProblem::new(&smaller, &rows, 0).unwrap());
            let at = small.start(0, 0).unwrap();
            let (before, _) = small.objective(&at).unwrap();
            let (after, _) = deep.objective(&grown(&deep, &small, &at).unwrap()).unwrap();
            assert!((before - after).abs() < 0.1 * before.abs() + 3.0, "{layers}: {before} {after}");
        }
        assert_eq!(shallower(&DeepModel::new(1, Kernel::family(family("SE").unwrap()))), None);
    }

    #[test]
    fn widths_and_kernels_of_the_lower_layers_stay() {
        let kernel = |name: &str| Kernel::family(family(name).unwrap());
        let kernels = vec![kernel("Matern32"), kernel("SE"), kernel("RQ")];
        let model = DeepModel { kernels, units: Units::Each(vec![2, 3]), ..DeepModel::new(3, kernel("SE")) };
        let smaller = shallower(&model).unwrap();
        assert_eq!(smaller.kernels, [kernel("Matern32"), kernel("SE")]);
        assert_eq!((smaller.hidden_units(), smaller.layers), (vec![2], 2));
    }
}
