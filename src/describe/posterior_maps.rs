//! Maps of a posterior over two inputs: its mean and its standard deviation side by side, with the rows on top.

use std::sync::Arc;

use super::figure_labels::{BandOf, axis_label, label_of, title};
use crate::figure::standard_figures::{Names, map_panel};
use crate::figure::{Figure, Mark, Panel, Role};
use crate::fit::Fit;
use crate::model::ModelError;
use crate::results::{At, Prediction, predict};

/// The number of points of maps along each side.
pub(super) const SIDE: usize = 60;

/// The two inputs of a fit, if it has two and they are numeric.
pub fn two_inputs(fit: &Fit) -> Option<[String; 2]> {
    let [one, other] = fit.problem().names() else { return None };
    let number = |name: &str| fit.problem().data().column(name).is_some_and(|c| !c.is_categories());
    (number(one) && number(other)).then(|| [one.clone(), other.clone()])
}

/// `points` values along a side of a map, evenly from a little below the least of these values to a little above the
/// greatest; values that are all the same are exceeded by `if_constant`.
pub(super) fn side<'v>(values: impl Iterator<Item = &'v f64>, points: usize, if_constant: f64) -> Vec<f64> {
    let (lo, hi) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(lo, hi), v| (lo.min(*v), hi.max(*v)));
    let beyond = if hi > lo { 0.04 * (hi - lo) } else { if_constant };
    let step = (hi - lo + 2.0 * beyond) / (points - 1) as f64;
    (0..points).map(|i| lo - beyond + step * i as f64).collect()
}

/// The columns of the rows at all pairs of these values, x within y.
pub(super) fn crossed(x: &[f64], y: &[f64]) -> Vec<Vec<f64>> {
    vec![y.iter().flat_map(|_| x.iter().copied()).collect(), y.iter().flat_map(|y| x.iter().map(move |_| *y)).collect()]
}

/// The posterior of a fit over the range of its two inputs, at `points` values of each.
///
/// # Errors
/// As [`predict`].
pub(super) fn fit(
    fit: &Arc<Fit>,
    inputs: &[String; 2],
    band: BandOf,
    points: Option<usize>,
) -> Result<Figure, ModelError> {
    let data = fit.problem().data();
    let points = points.unwrap_or(SIDE).max(2);
    let grid = |name: &String| -> Result<Vec<f64>, ModelError> {
        let values = data.find(name)?.values().iter().filter(|v| v.is_finite());
        Ok(side(values, points, 1.0))
    };
    let (x, y) = (grid(&inputs[0])?, grid(&inputs[1])?);
    let rows = fit.rows(crossed(&x, &y), &[&inputs[0], &inputs[1]])?;
    maps(&predict(fit, At::Rows(rows))?, inputs, &x, &y, band)
}

/// The maps of a prediction, if its rows are a whole grid over two numeric inputs, in any order.
///
/// # Errors
/// As [`predict`].
pub(super) fn prediction(prediction: &Prediction, band: BandOf) -> Result<Option<Figure>, ModelError> {
    let Some(inputs) = two_inputs(&prediction.fit) else { return Ok(None) };
    let (across, up) = (prediction.at.find(&inputs[0])?.values(), prediction.at.find(&inputs[1])?.values());
    let (x, y) = (distinct(across), distinct(up));
    if x.len() < 3 || y.len() < 3 || x.len() * y.len() != across.len() {
        return Ok(None);
    }
    let place = |row: usize| {
        let find = |all: &[f64], v: f64| all.binary_search_by(|probe| probe.total_cmp(&v)).ok();
        Some(find(&y, up[row])? * x.len() + find(&x, across[row])?)
    };
    let mut rows = vec![usize::MAX; across.len()];
    for row in 0..across.len() {
        if let Some(at) = place(row) {
            rows[at] = row;
        }
    }
    if rows.contains(&usize::MAX) {
        return Ok(None);
    }
    let pick = |values: &[f64]| -> Vec<f64> { rows.iter().map(|&row| values[row]).collect() };
    let ordered = Prediction {
        mean: pick(&prediction.mean),
        sd: pick(&prediction.sd),
        var_f: pick(&prediction.var_f),
        var_y: pick(&prediction.var_y),
        quantiles: None,
        ..prediction.clone()
    };
    maps(&ordered, &inputs, &x, &y, band).map(Some)
}

/// The map of the mean or of the standard deviation alone, out of both; `None` for a figure without maps.
pub fn one_map(mut figure: Figure, mean: bool) -> Option<Figure> {
    let maps = figure.panels.iter().all(|panel| panel.marks.iter().any(|mark| matches!(mark, Mark::Heat { .. })));
    if figure.panels.len() != 2 || !maps {
        return None;
    }
    figure.panels.remove(usize::from(mean));
    figure.columns = 1;
    Some(figure)
}

fn distinct(values: &[f64]) -> Vec<f64> {
    let mut all: Vec<f64> = values.iter().copied().filter(|v| v.is_finite()).collect();
    all.sort_by(f64::total_cmp);
    all.dedup();
    all
}

/// Maps of a prediction at the points of a grid, row by row.
fn maps(
    prediction: &Prediction,
    inputs: &[String; 2],
    x: &[f64],
    y: &[f64],
    band: BandOf,
) -> Result<Figure, ModelError> {
    let data = prediction.fit.problem().data();
    let target = data.target().ok_or(ModelError::NoTarget)?;
    let (x_name, y_name) = (label_of(data, &inputs[0]), label_of(data, &inputs[1]));
    let unit = target.unit().map_or(String::new(), |unit| format!(" ({unit})"));
    let of_y = band == BandOf::Y && prediction.includes_noise();
    let var = if of_y { &prediction.var_y } else { &prediction.var_f };
    let sd: Vec<f64> = var.iter().map(|v| v.sqrt()).collect();
    let (rows_x, rows_y) = (data.find(&inputs[0])?.values(), data.find(&inputs[1])?.values());
    let (across, up) = (x, y);
    let panel = |title: &str, z: &[f64], colours: &str| -> Panel {
        let mut panel = map_panel(Names { title, x: &x_name, y: &y_name }, across, up, z, colours, None);
        let (x, y, label) = (rows_x.to_vec(), rows_y.to_vec(), "rows of the data".to_string());
        panel.marks.push(Mark::Points { x, y, label, role: Role::Data });
        (panel.x.range, panel.y.range) = (Some(ends(across)), Some(ends(up)));
        panel
    };
    let sd_title = if of_y { "Standard deviation of y" } else { "Standard deviation of f" };
    let panels = vec![
        panel("Posterior mean", &prediction.mean, &axis_label(target)),
        panel(sd_title, &sd, &format!("standard deviation{unit}")),
    ];
    Ok(Figure::grid(title(data), 2, panels))
}

/// The outer ends of cells with these ascending centres, so that rows outside of a map do not widen its axes.
fn ends(centres: &[f64]) -> (f64, f64) {
    match centres {
        [first, second, ..] => {
            let last = centres.len() - 1;
            (first - (second - first) / 2.0, centres[last] + (centres[last] - centres[last - 1]) / 2.0)
        }
        _ => (0.0, 1.0),
    }
}
