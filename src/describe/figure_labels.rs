//! The common parts of figures of data: titles, labels of axes, names of categories, marks of the ends of the data.

use crate::data::{Column, Dataset};
use crate::figure::{Across, Figure, Mark, Panel, Role};
use crate::fit::Fit;
use crate::results::Beyond;

/// The range of a figure of a fit beyond the data, if requested.
pub const BEYOND: Beyond = Beyond { before: 0.1, after: 0.25 };

/// A column's name and unit, or one if they are the same word; times are shown as dates.
pub fn axis_label(column: &Column) -> String {
    match column.unit() {
        // the name may already contain it in brackets
        Some(unit)
            if unit != column.name()
                && column.time().is_none()
                && crate::data::unit_in_name(column.name()) != Some(unit) =>
        {
            format!("{} ({unit})", column.name())
        }
        _ => column.name().to_string(),
    }
}

/// The names of categories with their codes; none for a numeric column.
pub(super) fn level_names(column: &Column) -> Vec<(f64, String)> {
    let levels = column.levels().unwrap_or_default();
    levels.iter().enumerate().map(|(i, level)| (i as f64, level.to_string())).collect()
}

/// The same figure with dates along the axes of columns of times.
pub(super) fn dated(mut figure: Figure, data: &Dataset) -> Figure {
    figure.panels = dated_panels(figure.panels, data);
    figure
}

pub(super) fn dated_panels(mut panels: Vec<Panel>, data: &Dataset) -> Vec<Panel> {
    for column in data.columns() {
        let Some(scale) = column.time() else { continue };
        let label = axis_label(column);
        for axis in panels.iter_mut().flat_map(|panel| [&mut panel.x, &mut panel.y]) {
            if axis.label == label && axis.names.is_empty() {
                axis.time = Some(scale.unit);
            }
        }
    }
    panels
}

pub(super) fn title(data: &Dataset) -> String {
    data.about().title.clone().or_else(|| data.about().name.clone()).unwrap_or_default()
}

pub(super) fn label_of(data: &Dataset, name: &str) -> String {
    data.column(name).map_or_else(|| name.to_string(), axis_label)
}

/// Marks the ends of the data, if the figure extends beyond them.
pub(super) fn mark_ends(panel: &mut Panel, x: &[f64], beyond: Beyond) {
    let (lo, hi) = x.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(lo, hi), v| (lo.min(*v), hi.max(*v)));
    let (first, last) = beyond.ends(lo, hi);
    for (at, beyond) in [(lo, first), (hi, last)] {
        if at.is_finite() && at != beyond {
            let label = "end of the data".to_string();
            panel.marks.push(Mark::Rule { at, across: Across::Vertical, label, role: Role::Reference });
        }
    }
}

pub(super) fn single_input(fit: &Fit) -> Option<String> {
    let [name] = fit.problem().names() else { return None };
    fit.problem().data().column(name).filter(|c| !c.is_categories()).map(|c| c.name().to_string())
}

/// Whether a column has dates.
pub(super) fn is_date(column: &Column) -> bool {
    column.time().is_some()
}

pub(super) fn sorted(values: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
    order
}

/// The meaning of bands and error bars around a posterior mean.
pub(super) const BAND: &str = "±2 sd";

/// One end of the band of two standard deviations around a mean: the lower one for a `sign` of −1, the upper one for 1.
pub(super) fn band(mean: &[f64], var: &[f64], sign: f64) -> Vec<f64> {
    mean.iter().zip(var).map(|(m, v)| m + sign * 2.0 * v.sqrt()).collect()
}

/// Whether a band is that of a new observation, with noise, or of the function.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum BandOf {
    #[default]
    Y,
    F,
}

impl BandOf {
    /// What a band of it means.
    pub fn text(self) -> &'static str {
        match self {
            BandOf::Y => "±2 sd of y, noise included",
            BandOf::F => "±2 sd of f, without noise",
        }
    }
}
