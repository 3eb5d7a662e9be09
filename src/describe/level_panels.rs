//! Panels of parts with a categorical input.

use super::figure_labels::{BAND, axis_label, band, label_of, level_names};
use super::numbers::percent;
use crate::data::Dataset;
use crate::figure::{Across, Axis, Mark, Panel, Role};
use crate::results::{Component, Decomposition, LevelEffects};

/// The largest number of categories with a band; more bands would hide each other.
const BANDS: usize = 2;

/// A part at each category with an error bar, or along its numeric input with a curve for each category. `partial` has
/// the partial residuals at the rows of the data, or is empty.
pub(super) fn levels(
    parts: &Decomposition,
    part: &Component,
    effects: &LevelEffects,
    partial: &[f64],
    y_name: &str,
) -> Panel {
    let data = parts.fit.problem().data();
    let panel = match &effects.along {
        None => error_bars(data, effects, partial, y_name),
        Some((input, grid)) => curves(data, effects, input, grid, y_name),
    };
    panel.titled(format!("{}: {}", part.label, percent(part.share)))
}

fn zero() -> Mark {
    Mark::Rule { at: 0.0, across: Across::Horizontal, label: String::new(), role: Role::Reference }
}

fn error_bars(data: &Dataset, effects: &LevelEffects, partial: &[f64], y_name: &str) -> Panel {
    let column = data.column(&effects.input);
    let mean: Vec<f64> = effects.mean.iter().map(|values| values[0]).collect();
    let sd: Vec<f64> = effects.var.iter().map(|values| values[0].sqrt()).collect();
    let places: Vec<f64> = (0..mean.len()).map(|i| i as f64).collect();
    let (mut x, mut y) = (Vec::new(), Vec::new());
    // a vertical line with a short cap at each end
    const CAP: f64 = 0.08;
    for ((at, mean), sd) in places.iter().zip(&mean).zip(&sd) {
        let (lo, hi) = (mean - 2.0 * sd, mean + 2.0 * sd);
        for (from, to) in [((at - CAP, lo), (at + CAP, lo)), ((*at, lo), (*at, hi)), ((at - CAP, hi), (at + CAP, hi))] {
            x.extend([from.0, to.0, f64::NAN]);
            y.extend([from.1, to.1, f64::NAN]);
        }
    }
    let mut marks = vec![zero()];
    if let Some(column) = column.filter(|column| column.len() == partial.len()) {
        // next to the bar, so that neither hides the other
        let x = column.values().iter().map(|code| code - 0.2).collect();
        let label = "partial residuals".to_string();
        marks.push(Mark::Points { x, y: partial.to_vec(), label, role: Role::Reference });
    }
    marks.push(Mark::Line { x, y, label: format!("error bar: {BAND}"), role: Role::Mean, dashed: false });
    marks.push(Mark::Points { x: places.clone(), y: mean, label: "posterior mean".into(), role: Role::Mean });
    let mut panel = Panel::new(label_of(data, &effects.input), y_name, marks);
    let names = column.map_or_else(Vec::new, level_names);
    panel.x = Axis { names, range: Some((-0.5, places.len() as f64 - 0.5)), ..panel.x };
    panel
}

fn curves(data: &Dataset, effects: &LevelEffects, input: &str, grid: &[f64], y_name: &str) -> Panel {
    let mut marks = vec![zero()];
    for (k, level) in effects.levels.iter().enumerate() {
        let (mean, var, role) = (&effects.mean[k], &effects.var[k], Role::Component(k));
        if effects.levels.len() <= BANDS {
            let (lo, hi) = (band(mean, var, -1.0), band(mean, var, 1.0));
            marks.push(Mark::Band { x: grid.to_vec(), lo, hi, label: String::new(), role });
        }
        let label = level.clone();
        marks.push(Mark::Line { x: grid.to_vec(), y: mean.clone(), label, role, dashed: false });
    }
    let x_name = data.column(input).map_or_else(|| input.to_string(), axis_label);
    Panel::new(x_name, y_name, marks)
}
