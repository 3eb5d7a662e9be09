//! Figures of results.

use std::sync::Arc;

use super::curve_resolution::curve_points;
use super::english;
pub use super::figure_labels::BandOf;
use super::figure_labels::{axis_label, dated, is_date, label_of, level_names, mark_ends, single_input, sorted, title};
use super::inducing_marks::mark_inducing;
use super::{posterior_maps, probability_figures};
use crate::data::{Column, Dataset};
use crate::figure::standard_figures::{Curve, Names, Pairs, draws_figure, fit_figure, parity_figure, residuals_figure};
use crate::figure::{Figure, Mark, Panel, Role};
use crate::fit::Fit;
use crate::linalg::Matrix;
use crate::model::ModelError;
use crate::results::{At, Beyond, Fitted, OneVsRest, Prediction, Residuals, predict};

/// The data: the target against each input.
pub fn dataset(data: &Dataset) -> Figure {
    let y = data.target();
    let panels: Vec<Panel> = data
        .inputs()
        .map(|x| {
            let (values, label) = match y {
                Some(y) => (y.values().to_vec(), axis_label(y)),
                None => ((0..x.len()).map(|i| i as f64).collect(), "row".to_string()),
            };
            let points = Mark::Points { x: x.values().to_vec(), y: values, label: "data".into(), role: Role::Data };
            let mut panel = Panel::new(axis_label(x), label, vec![points]);
            panel.x.names = level_names(x);
            panel.x.whole = x.values().iter().all(|value| value.is_nan() || value.fract() == 0.0);
            panel.y.names = y.map_or_else(Vec::new, level_names);
            panel
        })
        .collect();
    let columns = if panels.len() == 1 { 1 } else { 2 };
    dated(Figure::grid(title(data), columns, panels), data)
}

/// The data with the posterior and its band over one input, or maps of the posterior over two; predicted against
/// observed values for several, and if `observed` is true. Maps have `points` points along each side, if given.
///
/// # Errors
/// As [`predict`].
pub fn fit(fit: &Arc<Fit>, band: BandOf, observed: bool, points: Option<usize>) -> Result<Figure, ModelError> {
    if observed && fit.problem().classes().is_none() {
        return parity(fit).map(|figure| dated(figure, fit.problem().data()));
    }
    posterior_figure(fit, band, Beyond::default(), points).map(|figure| dated(figure, fit.problem().data()))
}

/// The same, extended beyond the data along the single input; the ends of the data are marked.
///
/// # Errors
/// As [`predict`].
pub fn fit_beyond(fit: &Arc<Fit>, band: BandOf, beyond: Beyond) -> Result<Figure, ModelError> {
    posterior_figure(fit, band, beyond, None).map(|figure| dated(figure, fit.problem().data()))
}

fn posterior_figure(fit: &Arc<Fit>, band: BandOf, beyond: Beyond, points: Option<usize>) -> Result<Figure, ModelError> {
    let input = match single_input(fit) {
        Some(input) => input,
        None if fit.problem().classes().is_some() => {
            return probability_figures::fit(&Fitted::One(fit.clone()), beyond);
        }
        None => match posterior_maps::two_inputs(fit) {
            Some(inputs) => return posterior_maps::fit(fit, &inputs, band, points),
            None => return parity(fit),
        },
    };
    let points = curve_points(fit, &fit.model.kernel, &input, beyond);
    let mut figure = prediction(&predict(fit, At::Rows(fit.grid_beyond(points, beyond)?))?, band)?;
    if beyond != Beyond::default() {
        let x = fit.problem().data().find(&input)?.values();
        figure.panels.iter_mut().for_each(|panel| mark_ends(panel, x, beyond));
    }
    Ok(figure)
}

/// For several classes, the probabilities over the inputs, as in [`probability_figures::fit`].
///
/// # Errors
/// As [`predict`].
pub fn classes(rest: &Arc<OneVsRest>) -> Result<Figure, ModelError> {
    probability_figures::fit(&Fitted::Rest(rest.clone()), Beyond::default())
}

fn parity(fit: &Arc<Fit>) -> Result<Figure, ModelError> {
    let data = fit.problem().data();
    let observed = data.y().ok_or(ModelError::NoTarget)?;
    let fitted = predict(fit, At::Training)?;
    let target = data.target().map_or_else(String::new, axis_label);
    Ok(parity_figure(&title(data), &target, observed, &fitted.mean, false))
}

/// Predictions with the training data over the single input; for several inputs, over the one that is a time, or the
/// only one that varies among the rows. Without one and with a known target, predicted against observed values.
///
/// # Errors
/// [`ModelError::NoAxis`] for several inputs, none of which is suitable for an axis, and no known target.
pub fn prediction(prediction: &Prediction, band: BandOf) -> Result<Figure, ModelError> {
    prediction_figure(prediction, band).map(|figure| dated(figure, prediction.fit.problem().data()))
}

fn prediction_figure(prediction: &Prediction, band: BandOf) -> Result<Figure, ModelError> {
    if prediction.probability.is_some() {
        return probability_figures::prediction(prediction);
    }
    if let Some(maps) = posterior_maps::prediction(prediction, band)? {
        return Ok(maps);
    }
    let data = prediction.fit.problem().data();
    let target = data.target().ok_or(ModelError::NoTarget)?;
    let observed = observed(prediction);
    let input = match along_input(prediction) {
        Some(input) => input,
        None => {
            let Some(observed) = observed else {
                return Err(ModelError::NoAxis { inputs: prediction.fit.problem().names().to_vec() });
            };
            let (title, target) = (title(data), axis_label(target));
            return Ok(parity_figure(&title, &target, observed.values(), &prediction.mean, true));
        }
    };
    let along = prediction.at.find(&input)?.values();
    let order = sorted(along);
    let pick = |values: &[f64]| -> Vec<f64> { order.iter().map(|&i| values[i]).collect() };
    let (lo, hi) = match (&prediction.quantiles, band) {
        (Some(q), BandOf::Y) => (pick(&q.lower), pick(&q.upper)),
        _ => {
            let var = if band == BandOf::Y { &prediction.var_y } else { &prediction.var_f };
            let end = |sign: f64| -> Vec<f64> {
                order.iter().map(|&i| prediction.mean[i] + sign * 2.0 * var[i].sqrt()).collect()
            };
            (end(-1.0), end(1.0))
        }
    };
    let mean = match &prediction.quantiles {
        Some(q) => pick(&q.median),
        None => pick(&prediction.mean),
    };
    let (x, along) = (pick(along), along.to_vec());
    let title = title(data);
    let (x_name, y_name) = (label_of(data, &input), axis_label(target));
    let held_out = observed.filter(|_| !std::ptr::eq(prediction.at.columns(), data.columns())).map(|c| c.values());
    let held_out = held_out.filter(|_| prediction.at != *data);
    let mut figure = fit_figure(
        Names { title: &title, x: &x_name, y: &y_name },
        Pairs { x: data.find(&input)?.values(), y: target.values() },
        Curve { x: &x, mean: &mean, lo: &lo, hi: &hi },
        if prediction.includes_noise() { band } else { BandOf::F }.text(),
        held_out.map(|y| Pairs { x: &along, y }),
    );
    for panel in &mut figure.panels {
        if prediction.fit.problem().n() == 0 {
            call_prior(panel);
        }
        mark_inducing(panel, &prediction.fit, &input);
    }
    Ok(figure)
}

/// The known targets at the rows of a prediction.
fn observed(prediction: &Prediction) -> Option<&Column> {
    let target = prediction.fit.problem().data().target()?;
    prediction.at.column(target.name()).filter(|c| c.values().iter().any(|v| v.is_finite()))
}

/// The input along which a prediction of numbers is drawn, if there is one.
pub(super) fn along_input(prediction: &Prediction) -> Option<String> {
    match (single_input(&prediction.fit), axis_input(prediction)) {
        (Some(input), _) | (None, Some(Axis::Time(input))) => Some(input),
        (None, Some(Axis::Varies(input))) if observed(prediction).is_none() => Some(input),
        _ => None,
    }
}

/// Names the mean of a model without rows: its posterior is the prior.
fn call_prior(panel: &mut Panel) {
    for mark in &mut panel.marks {
        if let Mark::Line { label, role: Role::Mean, .. } = mark {
            *label = "prior mean".into();
        }
    }
}

/// The input for the horizontal axis, out of several.
#[derive(Debug, PartialEq)]
enum Axis {
    /// The only input that is a time with a different value in every row, or that increases from row to row.
    Time(String),
    /// The only input that varies.
    Varies(String),
}

fn axis_input(prediction: &Prediction) -> Option<Axis> {
    let (data, at) = (prediction.fit.problem().data(), &prediction.at);
    let inputs = || prediction.fit.problem().names().iter().filter_map(|name| at.column(name));
    let distinct = |column: &&Column| !column.is_categories() && column.distinct() == column.len() && column.len() > 1;
    let is_time = |column: &&Column| {
        let own = data.column(column.name()).unwrap_or(column);
        is_date(own) || own.unit().is_some_and(english::is_time)
    };
    let only = |all: Vec<&Column>| match &all[..] {
        [one] if !one.is_categories() => Some(one.name().to_string()),
        _ => None,
    };
    let times = inputs().filter(distinct).filter(is_time);
    // a date takes precedence over other times, such as an age
    let dates: Vec<&Column> =
        times.clone().filter(|column| is_date(data.column(column.name()).unwrap_or(column))).collect();
    let ascends = |column: &&Column| {
        let up = |values: &[f64]| values.windows(2).all(|pair| pair[0] < pair[1]);
        up(column.values()) && data.column(column.name()).is_some_and(|own| up(own.values()))
    };
    let ascending = inputs().filter(distinct).filter(ascends).collect();
    let times = only(dates).or_else(|| only(times.collect())).or_else(|| only(ascending));
    times.map(Axis::Time).or_else(|| only(inputs().filter(|column| column.distinct() > 1).collect()).map(Axis::Varies))
}

/// Residuals against the first input.
pub fn residuals(residuals: &Residuals) -> Figure {
    let data = residuals.fit.problem().data();
    let unit = data.target().and_then(|t| t.unit()).map_or(String::new(), |u| format!(" ({u})"));
    let input = data.inputs().next();
    let x = input.map_or_else(Vec::new, |c| c.values().to_vec());
    let x_name = input.map_or_else(String::new, axis_label);
    let names = Names { title: &title(data), x: &x_name, y: &format!("residual{unit}") };
    // residuals of classes are not normal
    let sd = residuals.fit.problem().classes().is_none().then_some(residuals.sd);
    let mut figure = residuals_figure(names, &x, &residuals.residual, sd);
    if let Some((panel, input)) = figure.panels.first_mut().zip(input) {
        panel.x.names = level_names(input);
    }
    dated(figure, data)
}

/// Draws along one input (rows × draws), with the data behind them.
pub fn draws(names: Names<'_>, x: &[f64], draws: &Matrix, data: Option<Pairs<'_>>) -> Figure {
    let order = sorted(x);
    let grid: Vec<f64> = order.iter().map(|&i| x[i]).collect();
    let lines: Vec<Vec<f64>> = draws.column_iter().map(|column| order.iter().map(|&i| column[i]).collect()).collect();
    draws_figure(names, &grid, &lines, data)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fit::condition;
    use crate::kernel::{Kernel, families};
    use crate::model::{Bernoulli, Likelihood, Model};

    /// Twelve rows of two classes.
    fn classes() -> Dataset {
        let texts = (0..12).map(|i| Some(if (i * 5) % 12 > 4 { "yes" } else { "no" }));
        let x = Column::numeric("x", (0..12).map(f64::from).collect());
        Dataset::new(vec![x, Column::categories("rain", texts)], Some("rain"), None).unwrap()
    }

    #[test]
    fn classes_stand_on_axes_by_name() {
        let figure = dataset(&classes());
        assert_eq!(figure.panels[0].y.names, [(0.0, "no".to_string()), (1.0, "yes".to_string())]);
        assert!(figure.panels[0].x.names.is_empty());
    }

    #[test]
    fn without_rows_the_mean_is_that_of_the_prior() {
        let column = |name: &str| Column::numeric(name, Vec::new());
        let none = Dataset::new(vec![column("x"), column("y")], Some("y"), None).unwrap();
        let noise = crate::model::Noise::Variance(crate::param::Param::free(0.1));
        let mean = crate::model::Mean::Zero;
        let model = Model { mean, ..Model::new(Kernel::family(families::family("SE").unwrap())) }.with_noise(noise);
        let fit = Arc::new(condition(&model, &none).unwrap());
        let rows = fit.rows_along(vec![0.0, 1.0]).unwrap();
        let figure = prediction(&predict(&fit, At::Rows(rows)).unwrap(), BandOf::Y).unwrap();
        let labels = figure.panels[0].marks.iter().filter_map(|mark| match mark {
            Mark::Line { label, .. } => Some(label.as_str()),
            _ => None,
        });
        assert_eq!(labels.collect::<Vec<_>>(), ["prior mean"]);
    }

    #[test]
    fn residuals_of_classes_have_no_band() {
        let likelihood = Likelihood::Bernoulli { how: Bernoulli::Ep, positive: None };
        let model = Model { likelihood, ..Model::new(Kernel::family(families::family("SE").unwrap())) };
        let left = crate::results::residuals(&Arc::new(condition(&model, &classes()).unwrap())).unwrap();
        let figure = residuals(&left);
        let rules = figure.panels[0].marks.iter().filter(|mark| matches!(mark, Mark::Rule { .. }));
        // only the one at 0
        assert_eq!(rules.count(), 1);
    }
}
