//! Figures of the parts of a sum.

use super::curve_resolution::curve_points;
use super::figure_labels::{
    BAND, axis_label, band, dated, dated_panels, label_of, mark_ends, single_input, sorted, title,
};
use super::inducing_marks::{inducing_points, mark_inducing};
use super::level_panels::levels;
use super::numbers::{percent, rounded};
use super::result_figures::{BandOf, prediction};
use crate::figure::standard_figures::{Curve, Names, Pairs, Part, component_panel, components_figure, residuals_panel};
use crate::figure::{Across, Figure, Mark, Panel, Role};
use crate::model::{ModelError, has_white_noise};
use crate::results::{At, Beyond, By, Component, Decomposition, PartialEffect, predict, residuals};

/// The number of points along each side of a plane.
const SIDE: usize = 40;
/// The largest number of pairs of inputs in a figure of parts by pair.
const SHOWN_PAIRS: usize = 6;
/// The largest number of displayed categories of a part.
const LEVELS: usize = 60;

/// The vertical axes of the parts of a sum.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scales {
    /// Each panel has the range of its own values.
    Free,
    /// All panels have the same range, so that the sizes of parts can be compared.
    Shared,
}

impl Scales {
    /// Parts of several inputs share a scale by default.
    fn default_for(parts: &Decomposition) -> Self {
        if single_input(&parts.fit).is_some() { Scales::Free } else { Scales::Shared }
    }
}

/// The label of the vertical axis of a part.
fn part_label(parts: &Decomposition) -> String {
    let what = if parts.fit.problem().classes().is_some() { "latent function" } else { "part" };
    format!("{what}{}", parts.unit.as_deref().map_or(String::new(), |u| format!(" ({u})")))
}

/// The meaning of the percentages in the titles.
fn share_note(parts: &Decomposition) -> &'static str {
    match parts.fit.problem().classes() {
        Some(_) => {
            "Percentages: variance of the part's posterior mean over the rows, divided by that of the latent function's \
             posterior mean. They need not add to 100."
        }
        None => {
            "Percentages: variance of the part's posterior mean over the rows, divided by that of the target. They need \
             not add to 100."
        }
    }
}

/// One panel per part: over its single input with partial residuals, over the plane of its two inputs, at each of its
/// categories, or else row by row. With one input the last panel shows the residuals of the sum.
///
/// # Errors
/// As [`decompose`](crate::results::decompose).
pub fn decomposition(parts: &Decomposition, scales: Option<Scales>) -> Result<Figure, ModelError> {
    let data = parts.fit.problem().data();
    let shown = shown_parts(parts);
    let panels = match single_input(&parts.fit) {
        Some(input) if !parts.training => {
            let mut panels = at_rows(parts, &input, &part_label(parts))?;
            if scales == Some(Scales::Shared) {
                share_scale(&mut panels);
            }
            panels.extend(mean_panel(parts, &input));
            panels.extend(residual_panel(parts, panels.first().and_then(|panel| panel.x.range))?);
            panels
        }
        _ => {
            let mut panels = part_panels(parts, &shown, Beyond::default(), scales)?;
            panels.extend(single_input(&parts.fit).and_then(|input| mean_panel(parts, &input)));
            panels.extend(residual_panel(parts, None)?);
            panels
        }
    };
    let left_out = parts.components.len() - shown.len();
    let note = match left_out {
        0 => share_note(parts).to_string(),
        1 => format!("The part with the smallest share is left out. {}", share_note(parts)),
        _ => format!("The {left_out} parts with the smallest shares are left out. {}", share_note(parts)),
    };
    Ok(dated(components_figure(&title(data), panels, &note), data))
}

/// The parts in a figure: all, or of many pairs of inputs those with the largest shares, which come after the functions
/// of one input.
fn shown_parts(parts: &Decomposition) -> Vec<usize> {
    let all = 0..parts.components.len();
    if parts.by != By::Pair {
        return all.collect();
    }
    let (alone, mut pairs): (Vec<usize>, Vec<usize>) = all.partition(|&i| parts.inputs_of(i).len() < 2);
    pairs.sort_by(|&a, &b| parts.components[b].share.total_cmp(&parts.components[a].share));
    alone.into_iter().chain(pairs.into_iter().take(SHOWN_PAIRS)).collect()
}

/// One panel per part. Panels extend beyond the data if there is a single input.
///
/// # Errors
/// As [`decompose`](crate::results::decompose).
pub fn panels(parts: &Decomposition, beyond: Beyond, scales: Option<Scales>) -> Result<Vec<Panel>, ModelError> {
    let shown = shown_parts(parts);
    part_panels(parts, &shown, beyond, scales).map(|panels| dated_panels(panels, parts.fit.problem().data()))
}

fn part_panels(
    parts: &Decomposition,
    shown: &[usize],
    beyond: Beyond,
    scales: Option<Scales>,
) -> Result<Vec<Panel>, ModelError> {
    let y_name = part_label(parts);
    let single = single_input(&parts.fit).is_some();
    let beyond = if single { beyond } else { Beyond::default() };
    let partial = if parts.training { parts.partial_residuals()? } else { Vec::new() };
    let mut panels = Vec::new();
    for &i in shown {
        let part = &parts.components[i];
        let inputs = if parts.training { parts.inputs_of(i) } else { Vec::new() };
        let points = |input: &String| curve_points(&parts.fit, &part.kernel, input, beyond);
        let along = match &inputs[..] {
            [one] => parts.partial_effect_over(i, points(one), beyond)?,
            [_, _] => parts.partial_effect(i, SIDE)?,
            _ => None,
        };
        panels.push(match along {
            Some(along) if along.inputs.len() == 1 => {
                let mut panel = curve(parts, part, &along, &partial[i], &y_name);
                if parts.by == By::Pair {
                    panel.marks.insert(0, centred_data(parts, &along.inputs[0]));
                }
                if beyond != Beyond::default() {
                    let x = parts.fit.problem().data().column(&along.inputs[0]);
                    mark_ends(&mut panel, x.map_or(&[], |column| column.values()), beyond);
                }
                panel
            }
            Some(along) => plane(parts, part, &along, &y_name),
            None => {
                let points = match parts.categorical_input_of(i) {
                    Some((_, Some(along))) => points(&along),
                    _ => 1,
                };
                match parts.level_effects(i, points, LEVELS)? {
                    Some(effects) => {
                        levels(parts, part, &effects, partial.get(i).map_or(&[], |values| values), &y_name)
                    }
                    None => rows(parts, part, i, &y_name),
                }
            }
        });
    }
    if scales.unwrap_or_else(|| Scales::default_for(parts)) == Scales::Shared {
        share_scale(&mut panels);
    }
    Ok(panels)
}

/// The mean function along the single input, unless it is constant.
fn mean_panel(parts: &Decomposition, input: &str) -> Option<Panel> {
    let share = parts.mean_share?;
    let x = parts.at.column(input)?.values();
    let order = sorted(x);
    let of = |values: &[f64]| order.iter().map(|&i| values[i]).collect::<Vec<f64>>();
    let line = Mark::Line {
        x: of(x),
        y: of(&parts.mean_function),
        label: "mean function".into(),
        role: Role::Mean,
        dashed: false,
    };
    let label = label_of(parts.fit.problem().data(), input);
    let panel = Panel::new(label, part_label(parts), vec![line]);
    Some(panel.titled(format!("mean function: {}", percent(share))))
}

/// The residuals of the sum at the training rows, along the single input over a range.
fn residual_panel(parts: &Decomposition, range: Option<(f64, f64)>) -> Result<Option<Panel>, ModelError> {
    let Some(input) = single_input(&parts.fit) else { return Ok(None) };
    let left = residuals(&parts.fit)?;
    let data = parts.fit.problem().data();
    let unit = parts.unit.as_deref();
    let name = |what: &str| unit.map_or(what.to_string(), |u| format!("{what} ({u})"));
    let sd = format!("{}{}", rounded(left.sd), unit.map_or(String::new(), |u| format!(" {u}")));
    let mut panel = residuals_panel(
        Names { title: &format!("Residuals: sd {sd}"), x: &label_of(data, &input), y: &name("residual") },
        data.find(&input)?.values(),
        &left.residual,
        None,
    );
    panel.x.range = range;
    Ok(Some(panel))
}

/// Gives all curves one vertical axis and all planes one range of colours, so that the sizes of parts can be compared.
fn share_scale(panels: &mut [Panel]) {
    let spread = |panel: &Panel| {
        let of = |mark: &Mark| match mark {
            Mark::Points { y, .. } | Mark::Line { y, .. } => y.clone(),
            Mark::Band { lo, hi, .. } => [&lo[..], hi].concat(),
            _ => Vec::new(),
        };
        panel.marks.iter().flat_map(of).filter(|v| v.is_finite()).collect::<Vec<f64>>()
    };
    let flat = |panel: &Panel| !panel.marks.iter().any(|m| matches!(m, Mark::Heat { .. }));
    let all: Vec<f64> = panels.iter().filter(|p| flat(p)).flat_map(spread).collect();
    let (lo, hi) = all.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(lo, hi), &v| (lo.min(v), hi.max(v)));
    if lo < hi {
        let pad = (hi - lo) * 0.04;
        panels.iter_mut().filter(|p| flat(p)).for_each(|p| p.y.range = Some((lo - pad, hi + pad)));
    }
    let means = |mark: &Mark| match mark {
        Mark::Line { y, .. } => y.clone(),
        Mark::Heat { z, .. } => z.clone(),
        _ => Vec::new(),
    };
    let marks = panels.iter().flat_map(|p| &p.marks);
    let size = marks.flat_map(means).map(f64::abs).filter(|v| v.is_finite()).fold(0.0, f64::max);
    if size > 0.0 {
        for mark in panels.iter_mut().flat_map(|p| &mut p.marks) {
            if let Mark::Heat { range, .. } = mark {
                *range = Some((-size, size));
            }
        }
    }
}

fn curve(parts: &Decomposition, part: &Component, along: &PartialEffect, partial: &[f64], y_name: &str) -> Panel {
    let data = parts.fit.problem().data();
    let x = data.column(&along.inputs[0]).map_or_else(Vec::new, |c| c.values().to_vec());
    let (lo, hi) = (band(&along.mean, &along.var, -1.0), band(&along.mean, &along.var, 1.0));
    let part = Part {
        label: &part.label,
        share: Some(part.share),
        curve: Curve { x: &along.grid[0], mean: &along.mean, lo: &lo, hi: &hi },
        partial: Pairs { x: &x, y: partial },
    };
    let mut panel = component_panel(&label_of(data, &along.inputs[0]), y_name, part, BAND);
    mark_inducing(&mut panel, &parts.fit, &along.inputs[0]);
    panel
}

/// The data less the mean function, beside partial residuals: what the other parts explain is the difference.
fn centred_data(parts: &Decomposition, input: &str) -> Mark {
    let problem = parts.fit.problem();
    let x = problem.data().column(input).map_or_else(Vec::new, |c| c.values().to_vec());
    let y = problem.y().iter().zip(&parts.mean_function).map(|(y, mean)| y - mean).collect();
    Mark::Points { x, y, label: "data less the mean function".into(), role: Role::Faint }
}

fn plane(parts: &Decomposition, part: &Component, along: &PartialEffect, y_name: &str) -> Panel {
    let data = parts.fit.problem().data();
    let values = |i: usize| data.column(&along.inputs[i]).map_or_else(Vec::new, |c| c.values().to_vec());
    let heat = Mark::Heat {
        x: along.grid[0].clone(),
        y: along.grid[1].clone(),
        z: along.mean.clone(),
        label: y_name.into(),
        range: None,
        split: false,
        texts: Vec::new(),
    };
    let points = Mark::Points { x: values(0), y: values(1), label: "rows of the data".into(), role: Role::Data };
    let (x_name, second) = (label_of(data, &along.inputs[0]), label_of(data, &along.inputs[1]));
    let inducing = inducing_points(&parts.fit, [&along.inputs[0], &along.inputs[1]]);
    let marks = [heat, points].into_iter().chain(inducing).collect();
    Panel::new(x_name, second, marks).titled(format!("{}: {}", part.label, percent(part.share)))
}

/// A part row by row, against its input if it has one.
fn rows(parts: &Decomposition, part: &Component, i: usize, y_name: &str) -> Panel {
    let inputs = parts.inputs_of(i);
    let input = match &inputs[..] {
        [one] => parts.at.column(one),
        _ => None,
    };
    let (x, label) = match input.filter(|c| c.len() == part.mean.len()) {
        Some(column) => (column.values().to_vec(), axis_label(column)),
        None => ((0..part.mean.len()).map(|i| i as f64).collect(), "row".to_string()),
    };
    let points = Mark::Points { x, y: part.mean.clone(), label: "posterior mean".into(), role: Role::Mean };
    Panel::new(label, y_name, vec![points]).titled(format!("{}: {}", part.label, percent(part.share)))
}

/// The whole posterior and its parts along the single input, at the requested rows. Where they extend beyond the data,
/// the ends of the data are marked.
fn at_rows(parts: &Decomposition, input: &str, y_name: &str) -> Result<Vec<Panel>, ModelError> {
    let data = parts.fit.problem().data();
    let along = parts.at.find(input)?.values();
    let order = sorted(along);
    let pick = |values: &[f64]| -> Vec<f64> { order.iter().map(|&i| values[i]).collect() };
    let seen = data.find(input)?.values();
    let partial = parts.partial_residuals()?;
    let of_part = |(part, partial): (&Component, &Vec<f64>)| {
        let (mean, var) = (pick(&part.mean), pick(&part.var));
        let (x, lo, hi) = (pick(along), band(&mean, &var, -1.0), band(&mean, &var, 1.0));
        let curve = Curve { x: &x, mean: &mean, lo: &lo, hi: &hi };
        let partial = if has_white_noise(&part.kernel) { Pairs::default() } else { Pairs { x: seen, y: partial } };
        let part = Part { label: &part.label, share: Some(part.share), curve, partial };
        let mut panel = component_panel(&label_of(data, input), y_name, part, BAND);
        mark_inducing(&mut panel, &parts.fit, input);
        panel
    };
    let of_parts = parts.components.iter().zip(&partial).map(of_part);
    let whole = prediction(&predict(&parts.fit, At::Rows(parts.at.clone()))?, BandOf::Y)?.panels;
    let whole = whole.into_iter().take(1).map(|panel| panel.titled("Sum of the parts"));
    let mut panels: Vec<Panel> = whole.chain(of_parts).collect();
    let ends =
        |values: &[f64]| values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(lo, hi), v| (lo.min(*v), hi.max(*v)));
    let ((lo, hi), (first, last)) = (ends(seen), ends(along));
    for at in [(lo, first < lo), (hi, last > hi)].into_iter().filter_map(|(at, beyond)| beyond.then_some(at)) {
        let label = "end of the data".to_string();
        let rule = Mark::Rule { at, across: Across::Vertical, label, role: Role::Reference };
        panels.iter_mut().for_each(|panel| panel.marks.push(rule.clone()));
    }
    // one horizontal axis for all, so that they can be compared
    let range = (lo.min(first), hi.max(last));
    if range.0 < range.1 {
        panels.iter_mut().for_each(|panel| panel.x.range = Some(range));
    }
    Ok(panels)
}
