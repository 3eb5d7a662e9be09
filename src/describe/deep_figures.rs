//! Deep GPs as figures.

use super::figure_labels::axis_label;
use super::posterior_draws::draw_lines;
use crate::deep::{DeepError, DeepFit, Mixture};
use crate::figure::standard_figures::parity_figure;
use crate::figure::{Figure, Mark, Panel, Role};
use crate::linalg::Matrix;

/// The number of samples of the hidden layers for a band.
const SAMPLES: usize = 50;
/// The number of points of a curve, and with many draws, whose covariances after the first layer differ.
const POINTS: usize = 400;
const POINTS_OF_MANY: usize = 160;
/// The number of draws that counts as many.
const MANY: usize = 20;

/// For one input: draws, mean and band, extended beyond the data, and below it one panel per layer with its
/// pseudo data. For several inputs: predicted against observed values.
///
/// # Errors
/// Rows at which a kernel cannot be evaluated.
pub fn deep_fit_figure(fit: &DeepFit, draws: usize) -> Result<Figure, DeepError> {
    let data = fit.problem.base.data();
    let target = data.target().map_or_else(String::new, axis_label);
    let observed = data.y().unwrap_or_default();
    if fit.problem.x.ncols() != 1 {
        let mean = fit.mixture(&fit.problem.x, SAMPLES, fit.training.seed)?.mean();
        return Ok(parity_figure("deep GP", &target, observed, &mean, false));
    }
    let x = fit.problem.x.column(0);
    let points = if draws < MANY { POINTS } else { POINTS_OF_MANY };
    let grid = spaced(x.as_slice(), 0.25, points);
    let rows = Matrix::from_column_slice(grid.len(), 1, &grid);
    let drawn = fit.draws(&rows, draws, fit.training.seed)?;
    let mut marks = draw_lines(&grid, &drawn);
    marks.extend(band(&grid, &fit.mixture(&rows, SAMPLES, fit.training.seed)?));
    marks.push(Mark::Points { x: x.as_slice().to_vec(), y: observed.to_vec(), label: "data".into(), role: Role::Data });
    let scaled = |label: String| match fit.problem.model.steps.is_empty() {
        true => label,
        false => format!("{label}, after the steps"),
    };
    let input = scaled(data.inputs().next().map_or_else(String::new, axis_label));
    let mut panels = vec![Panel::new(input.clone(), target.clone(), marks).titled("All layers")];
    let last = fit.problem.layers.len() - 1;
    for layer in (0..=last).filter(|_| last > 0) {
        let pseudo = fit.pseudo_data(layer)?;
        let (px, py): (Vec<f64>, Vec<f64>) = pseudo.into_iter().unzip();
        let grid = spaced(&px, 0.15, points);
        let mut marks = draw_lines(&grid, &fit.layer_draws(layer, &grid, draws, fit.training.seed)?);
        marks.push(Mark::Points { x: px, y: py, label: "pseudo data".into(), role: Role::Test });
        let from = if layer == 0 { input.clone() } else { format!("hidden layer {layer}") };
        let to =
            if layer == last { scaled(format!("{target} − mean")) } else { format!("hidden layer {}", layer + 1) };
        panels.push(Panel::new(from, to, marks).titled(layer_title(fit, layer)));
    }
    Ok(Figure::grid("", if last == 0 { 1 } else { 2 }, panels))
}

/// The title of a layer's panel, which shows its first unit along its first input.
fn layer_title(fit: &DeepFit, layer: usize) -> String {
    let (units, inputs) = (fit.problem.layers[layer].units, fit.values.layers[layer].inducing.ncols());
    let unit = if units > 1 { format!(", unit 1 of {units}") } else { String::new() };
    let input =
        if inputs > 1 { format!(", along input 1 of {inputs}, the others at their mean") } else { String::new() };
    format!("Layer {}{unit}{input}", layer + 1)
}

/// A prediction over its one input.
pub fn deep_prediction_figure(fit: &DeepFit, at: &[f64], mixture: &Mixture) -> Figure {
    let data = fit.problem.base.data();
    let mut order: Vec<usize> = (0..at.len()).collect();
    order.sort_by(|&i, &j| at[i].total_cmp(&at[j]));
    let pick = |all: &Vec<f64>| order.iter().map(|&i| all[i]).collect::<Vec<f64>>();
    let sorted = Mixture {
        means: mixture.means.iter().map(pick).collect(),
        variances: mixture.variances.iter().map(pick).collect(),
        noise: mixture.noise,
    };
    let x: Vec<f64> = order.iter().map(|&i| at[i]).collect();
    let mut marks = band(&x, &sorted);
    marks.push(Mark::Points {
        x: fit.shown_inputs(data).map_or_else(|_| Vec::new(), |x| x.column(0).as_slice().to_vec()),
        y: data.y().unwrap_or_default().to_vec(),
        label: "data".into(),
        role: Role::Data,
    });
    let input = data.inputs().next().map_or_else(String::new, axis_label);
    Figure::single("", Panel::new(input, data.target().map_or_else(String::new, axis_label), marks))
}

fn band(x: &[f64], mixture: &Mixture) -> Vec<Mark> {
    vec![
        Mark::Band {
            x: x.to_vec(),
            lo: mixture.quantile(0.025),
            hi: mixture.quantile(0.975),
            label: "95 % of new observations".into(),
            role: Role::Band,
        },
        Mark::Line { x: x.to_vec(), y: mixture.mean(), label: "mean".into(), role: Role::Mean, dashed: true },
    ]
}

/// An even grid over the range of some values, extended on both sides by a share of it.
fn spaced(values: &[f64], beyond: f64, points: usize) -> Vec<f64> {
    let (lo, hi) = values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(lo, hi), &x| (lo.min(x), hi.max(x)));
    let width = (hi - lo).max(1e-9);
    let (lo, width) = (lo - beyond * width, width * (1.0 + 2.0 * beyond));
    (0..points).map(|i| lo + width * i as f64 / (points - 1) as f64).collect()
}
