//! Deep GPs as tables and text.

use super::comparison::measured;
use super::english::words::listed;
use super::markup::Markup;
use super::numbers::{rounded, significant};
use super::text_table::Grid;
use crate::data::write::Table;
use crate::deep::DeepFit;
use crate::kernel::SlotState;
use crate::model::step_text;
use crate::results::Score;

/// The kernel of a layer with its fitted values.
fn kernel(fit: &DeepFit, layer: usize) -> String {
    let bound = &fit.problem.layers[layer].bound;
    let values: Vec<f64> = fit.values.layers[layer].theta.clone();
    let rounded: Vec<f64> = values.iter().map(|x| significant(*x, 4).parse().unwrap_or(*x)).collect();
    bound.with_values(&rounded).to_string()
}

/// A fit of a deep GP: its layers, and how the training ended.
pub fn deep_fit(fit: &DeepFit) -> Markup {
    let problem = &fit.problem;
    let data = problem.base.data();
    let target = data.target().map_or("the target", |column| column.name());
    let inputs = listed(problem.base.names());
    let layers = problem.layers.len();
    let word = if layers == 1 { "layer" } else { "layers" };
    let mut lines = Markup::from(format!("deep GP of {target} on {inputs} ({} rows), {layers} {word}", data.n()));
    let mut table = Grid::new(["layer", "units", "inducing", "kernel"]);
    for (at, layer) in problem.layers.iter().enumerate() {
        let inducing = problem.model.inducing.to_string();
        table.row([(at + 1).to_string(), layer.units.to_string(), inducing, kernel(fit, at)]);
    }
    lines.push(table);
    lines.push(format!(
        "objective {:.2}, log likelihood {:.2} from {} samples",
        fit.objective, fit.log_likelihood, problem.model.samples
    ));
    let steps: Vec<String> = problem.model.steps.iter().map(step_text).collect();
    let scale = if steps.is_empty() { String::new() } else { format!(" after {}", steps.join(" >> ")) };
    lines.push(format!("noise standard deviation {}{scale}", significant(fit.values.noise.sqrt(), 4)));
    let reached = fit.starts.iter().flatten().filter(|value| **value > fit.objective - 0.1).count();
    lines.push(format!(
        "{}; {} {}, {reached} within 0.1 of the best, seed {}",
        fit.ended,
        fit.starts.len(),
        if fit.starts.len() == 1 { "start" } else { "starts" },
        fit.training.seed
    ));
    lines
}

/// Scores of a deep GP on held-out rows, or on its training rows.
pub fn deep_score(score: &Score, per_row: f64, joint: f64, training: bool, samples: usize) -> Markup {
    let which = if training { "training rows" } else { "rows held out" };
    let mut grid = Grid::new(["score", "value", ""]);
    let log = [
        ("log likelihood per row", per_row, "mean over the rows of the log density of each row, averaged over samples"),
        ("joint log likelihood", joint, "log density of all rows together, averaged over samples"),
    ];
    for (name, value, help) in log {
        grid.row([name.to_string(), rounded(value), help.to_string()]);
    }
    for (metric, value) in score.values.iter().filter(|(metric, _)| metric.name != "nll") {
        grid.row([metric.name.to_string(), measured(metric, *value), metric.help.to_string()]);
    }
    Markup::from(format!("{} {which}, {samples} samples of the hidden layers", score.n)).and(grid)
}

/// The free parameters of the kernel of every layer, and the noise.
pub fn deep_parameters(fit: &DeepFit) -> Table {
    let (mut layers, mut names, mut values) = (Vec::new(), Vec::new(), Vec::new());
    for (at, (layer, of)) in fit.problem.layers.iter().zip(&fit.values.layers).enumerate() {
        for (slot, value) in layer.bound.slots().iter().zip(&of.theta) {
            if slot.state == SlotState::Free {
                let element = slot.element.map_or_else(String::new, |i| format!("[{i}]"));
                layers.push((at + 1) as f64);
                names.push(Some(format!("{}.{}{element}", slot.family, slot.spec.short)));
                values.push(*value);
            }
        }
    }
    layers.push(fit.problem.layers.len() as f64);
    names.push(Some("noise".to_string()));
    values.push(fit.values.noise);
    Table::new().numbers("layer", &layers).texts("parameter", names).numbers("value", &values)
}
