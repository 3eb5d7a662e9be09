//! The posterior of a fit of several inputs along each of them, with the others at one point.

use std::sync::Arc;

use super::figure_labels::{BandOf, axis_label, band, dated, title};
use super::numbers::rounded;
use crate::data::{Column, Dataset};
use crate::figure::standard_figures::{Curve, Names, Pairs, fit_figure};
use crate::figure::{Across, Figure, Mark, Panel, Role};
use crate::fit::Fit;
use crate::model::ModelError;
use crate::results::{At, predict};

/// The number of points along an input.
const POINTS: usize = 201;
/// The largest number of other inputs whose values are in the titles; those of more are in the note.
const TITLED: usize = 2;

/// The inputs of a fit that a slice may follow.
pub fn numeric_inputs(fit: &Fit) -> Vec<String> {
    let number = |name: &&String| fit.problem().data().column(name).is_some_and(|c| !c.is_categories());
    fit.problem().names().iter().filter(number).cloned().collect()
}

/// The posterior along each numeric input through the point `at`, with a value for each of these inputs; without it
/// through the medians. Categories are the most frequent ones.
///
/// # Errors
/// As [`predict`].
pub fn slices(fit: &Arc<Fit>, at: Option<&[f64]>, of: BandOf) -> Result<Figure, ModelError> {
    let data = fit.problem().data();
    let inputs = numeric_inputs(fit);
    let middle = |name: &String| -> Result<f64, ModelError> { Ok(median(data.find(name)?.values())) };
    let point: Vec<f64> = match at {
        Some(at) => at.to_vec(),
        None => inputs.iter().map(middle).collect::<Result<_, _>>()?,
    };
    let mut rows = data.take(&vec![0; POINTS]).without_target();
    let mut places: Vec<String> = Vec::new();
    for (name, value) in inputs.iter().zip(&point) {
        rows = rows.with_column(like(data.find(name)?, vec![*value; POINTS]))?;
        places.push(place(data.find(name)?, *value));
    }
    for column in data.inputs().filter(|c| c.is_categories() && fit.problem().names().iter().any(|n| n == c.name())) {
        if let Some(level) = most_frequent(column) {
            let texts = (0..POINTS).map(|_| Some(level.as_str()));
            rows = rows.with_column(Column::categories(column.name(), texts))?;
            places.push(format!("{} = {level}", column.name()));
        }
    }
    let panels = inputs.iter().enumerate().map(|(i, name)| -> Result<Panel, ModelError> {
        let others: Vec<&str> = (0..places.len()).filter(|j| *j != i).map(|j| places[j].as_str()).collect();
        let mut panel = along(fit, &rows, name, point[i], of)?;
        if others.len() <= TITLED {
            panel.title = format!("At {}", others.join(", "));
        }
        Ok(panel)
    });
    let panels = panels.collect::<Result<Vec<_>, _>>()?;
    let columns = if panels.len() > 4 { 3 } else { panels.len().min(2) };
    let figure = Figure::grid(title(data), columns, panels);
    let figure = match places.len() > TITLED + 1 {
        true => figure.with_note(format!("Along each input, with the others at {}.", places.join(", "))),
        false => figure,
    };
    Ok(dated(figure, data))
}

/// The posterior along one input of rows that are the same in the others.
fn along(fit: &Arc<Fit>, rows: &Dataset, name: &str, at: f64, of: BandOf) -> Result<Panel, ModelError> {
    let data = fit.problem().data();
    let column = data.find(name)?;
    let values = column.values().iter().filter(|v| v.is_finite());
    let (lo, hi) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(lo, hi), v| (lo.min(*v), hi.max(*v)));
    let (lo, hi) = (lo.min(at), hi.max(at));
    let x: Vec<f64> = (0..POINTS).map(|i| lo + (hi - lo) * i as f64 / (POINTS - 1) as f64).collect();
    let made = predict(fit, At::Rows(rows.clone().with_column(like(column, x.clone()))?))?;
    let of_y = of == BandOf::Y && made.includes_noise();
    let (lower, upper, mean) = match &made.quantiles {
        Some(q) if of_y => (q.lower.clone(), q.upper.clone(), q.median.clone()),
        _ => {
            let var = if of_y { &made.var_y } else { &made.var_f };
            (band(&made.mean, var, -1.0), band(&made.mean, var, 1.0), made.mean.clone())
        }
    };
    let target = data.target().ok_or(ModelError::NoTarget)?;
    let figure = fit_figure(
        Names { title: "", x: &axis_label(column), y: &axis_label(target) },
        Pairs::default(),
        Curve { x: &x, mean: &mean, lo: &lower, hi: &upper },
        if of_y { of } else { BandOf::F }.text(),
        None,
    );
    let mut panel = figure.panels.into_iter().next().unwrap_or_default();
    let label = "its value in the other panels".to_string();
    panel.marks.push(Mark::Rule { at, across: Across::Vertical, label, role: Role::Reference });
    Ok(panel)
}

/// Values as those of a column, with its unit.
fn like(column: &Column, values: Vec<f64>) -> Column {
    match column.time() {
        Some(scale) => Column::times(column.name(), scale, values),
        None => Column::numeric(column.name(), values),
    }
}

/// `age = 28 day`
fn place(column: &Column, value: f64) -> String {
    match column.time() {
        Some(scale) => format!("{} = {}", column.name(), scale.text(value)),
        None => {
            // a median that is rounding is 0
            let largest = column.values().iter().filter(|v| v.is_finite()).fold(0.0, |most: f64, v| most.max(v.abs()));
            let value = if value.abs() < 1e-12 * largest { 0.0 } else { value };
            let unit = column.unit().map_or(String::new(), |unit| format!(" {unit}"));
            let (exact, short) = (value.to_string(), rounded(value));
            format!("{} = {}{unit}", column.name(), if exact.len() <= short.len() { exact } else { short })
        }
    }
}

/// The median of the values that are not missing.
fn median(values: &[f64]) -> f64 {
    let mut known: Vec<f64> = values.iter().copied().filter(|v| v.is_finite()).collect();
    known.sort_by(f64::total_cmp);
    match known.len() {
        0 => 0.0,
        n => f64::midpoint(known[(n - 1) / 2], known[n / 2]),
    }
}

fn most_frequent(column: &Column) -> Option<String> {
    let count = |code: usize| column.values().iter().filter(|v| **v == code as f64).count();
    let levels = column.levels()?;
    let most = (0..levels.len()).max_by_key(|code| (count(*code), usize::MAX - code))?;
    levels.get(most).map(ToString::to_string)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fit::condition;
    use crate::kernel::{Kernel, families};
    use crate::model::Model;

    /// A slice is the prediction at its rows, which are at the point in the other inputs.
    #[test]
    fn slices_are_predictions_at_the_point() {
        let a = Column::numeric("a", vec![0.0, 1.0, 2.0, 4.0]);
        let b = Column::numeric("b", vec![1.0, 0.0, 3.0, 2.0]);
        let y = Column::numeric("y", vec![0.0, 1.0, 0.5, 2.0]);
        let data = Dataset::new(vec![a, b, y], Some("y"), None).unwrap();
        let model = Model::new(Kernel::family(families::family("SE").unwrap()));
        let fit = Arc::new(condition(&model, &data).unwrap());
        let figure = slices(&fit, Some(&[1.0, 2.5]), BandOf::F).unwrap();
        assert_eq!(figure.panels.len(), 2);
        assert_eq!(figure.panels[0].title, "At b = 2.5");
        for (i, panel) in figure.panels.iter().enumerate() {
            let lines = panel.marks.iter().find_map(|mark| match mark {
                Mark::Line { x, y, .. } => Some((x.clone(), y.clone())),
                _ => None,
            });
            let (x, mean) = lines.unwrap();
            for at in [0, 77, POINTS - 1] {
                let row = if i == 0 { [x[at], 2.5] } else { [1.0, x[at]] };
                let rows = fit.rows(row.map(|v| vec![v]).to_vec(), &["a", "b"]).unwrap();
                let made = predict(&fit, At::Rows(rows)).unwrap();
                assert!((made.mean[0] - mean[at]).abs() < 1e-12, "{i} {at}");
            }
        }
        // without a point through the medians
        assert_eq!(slices(&fit, None, BandOf::F).unwrap().panels[1].title, "At a = 1.5");
        assert_eq!(median(&[3.0, f64::NAN, 1.0]), 2.0);
    }
}
