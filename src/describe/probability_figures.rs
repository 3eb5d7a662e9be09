//! Figures of class probabilities: over one input, over two, and compared with the observed classes.

use std::sync::Arc;

use super::curve_resolution::curve_points;
use super::figure_labels::{dated, label_of, single_input, sorted, title};
use super::numbers::percent;
use super::posterior_maps::{SIDE, crossed, side, two_inputs};
use crate::data::Dataset;
use crate::figure::{Axis, Figure, Mark, Panel, Role, contour};
use crate::fit::Fit;
use crate::model::ModelError;
use crate::results::{
    At, Beyond, Calibration, ClassPrediction, Confusion, Fitted, OneVsRest, Prediction, calibration as calibrated,
    predict,
};

/// The number of bins of a calibration.
pub const BINS: usize = 10;

const MANY_INPUTS: &str = "probabilities are drawn over one or two numeric inputs: `select` them before the fit, or plot \
                           `calibration(fit, data)`";

/// The probabilities of a fit of classes over its single input, as a map over its two inputs, or otherwise their
/// calibration by leave-one-out predictions.
///
/// # Errors
/// As [`predict`].
pub fn fit(fitted: &Fitted, beyond: Beyond) -> Result<Figure, ModelError> {
    let data = first(fitted).problem().data();
    fit_figure(fitted, beyond).map(|figure| dated(figure, data))
}

fn fit_figure(fitted: &Fitted, beyond: Beyond) -> Result<Figure, ModelError> {
    let first = first(fitted);
    if let Some(input) = single_input(first) {
        let fits = match fitted {
            Fitted::One(fit) => std::slice::from_ref(fit),
            Fitted::Rest(rest) => &rest.fits,
        };
        let points = fits.iter().map(|fit| curve_points(fit, &fit.model.kernel, &input, beyond)).max().unwrap_or(2);
        let at = At::Rows(first.grid_beyond(points, beyond)?);
        return match fitted {
            Fitted::One(fit) => over_one(&predict(fit, at)?),
            Fitted::Rest(rest) => classes_over_one(&rest.predict(&at)?),
        };
    }
    match two_inputs(first) {
        Some(inputs) => map(fitted, &inputs, None),
        None => reliability(fitted, None),
    }
}

fn first(fitted: &Fitted) -> &Arc<Fit> {
    match fitted {
        Fitted::One(fit) => fit,
        Fitted::Rest(rest) => &rest.fits[0],
    }
}

/// The calibration at rows with known classes; without rows that of leave-one-out predictions.
fn reliability(fitted: &Fitted, rows: Option<&Dataset>) -> Result<Figure, ModelError> {
    let found = calibrated(&fitted.outcomes_at(rows)?, BINS).ok_or(ModelError::NotOfClasses(MANY_INPUTS))?;
    let how = if rows.is_some() { "rows held out" } else { "leave-one-out" };
    Ok(calibration(&found, &of_what(fitted), how))
}

/// The class or classes of the probabilities in a calibration.
pub fn of_what(fitted: &Fitted) -> String {
    match fitted {
        Fitted::One(fit) => fit.problem().classes().map_or_else(String::new, |c| c.positive().to_string()),
        Fitted::Rest(_) => "any class".into(),
    }
}

/// The probabilities over the rows with one input, as a map with two, or otherwise their calibration if the classes of
/// the rows are known.
///
/// # Errors
/// As [`predict`]; [`ModelError::NotOfClasses`] if there is no figure.
pub fn prediction(prediction: &Prediction) -> Result<Figure, ModelError> {
    let figure = match single_input(&prediction.fit) {
        Some(_) => over_one(prediction),
        None => elsewhere(&Fitted::One(prediction.fit.clone()), &prediction.at),
    };
    figure.map(|figure| dated(figure, prediction.fit.problem().data()))
}

/// The same for several classes.
///
/// # Errors
/// As [`prediction`].
pub fn class_prediction(prediction: &ClassPrediction) -> Result<Figure, ModelError> {
    let figure = match single_input(&prediction.fit.fits[0]) {
        Some(_) => classes_over_one(prediction),
        None => elsewhere(&Fitted::Rest(prediction.fit.clone()), &prediction.at),
    };
    figure.map(|figure| dated(figure, prediction.fit.fits[0].problem().data()))
}

fn elsewhere(fitted: &Fitted, at: &Dataset) -> Result<Figure, ModelError> {
    let first = first(fitted);
    if let Some(inputs) = two_inputs(first) {
        return map(fitted, &inputs, Some(at));
    }
    let data = first.problem().data();
    if at == data {
        return reliability(fitted, None);
    }
    if data.target().is_none_or(|target| at.column(target.name()).is_none()) {
        return Err(ModelError::NotOfClasses(MANY_INPUTS));
    }
    reliability(fitted, Some(at))
}

/// A range slightly larger than 0 to 1, so that points at the ends are drawn in full.
const ALL: (f64, f64) = (-0.04, 1.04);

fn over_one(prediction: &Prediction) -> Result<Figure, ModelError> {
    let problem = prediction.fit.problem();
    let (Some(input), Some(classes), Some(how), Some(probability)) =
        (single_input(&prediction.fit), problem.classes(), problem.model().bernoulli(), &prediction.probability)
    else {
        return Err(ModelError::NotOfClasses(MANY_INPUTS));
    };
    let along = prediction.at.find(&input)?.values();
    let order = sorted(along);
    let pick = |values: &[f64]| -> Vec<f64> { order.iter().map(|&i| values[i]).collect() };
    let end = |sign: f64| -> Vec<f64> {
        let latent = |&i: &usize| prediction.mean[i] + sign * 2.0 * prediction.var_f[i].sqrt();
        order.iter().map(latent).map(|f| how.link().probability_at(f)).collect()
    };
    let (data, x) = (problem.data(), pick(along));
    let at = |y: &[f64]| -> Vec<f64> { y.iter().map(|y| f64::from(u8::from(*y > 0.0))).collect() };
    let (seen, y) = (data.find(&input)?.values().to_vec(), at(problem.y()));
    let mut marks = vec![Mark::Points { x: seen, y, label: "data".into(), role: Role::Data }];
    if prediction.at.column(classes.column()).is_some() && prediction.at != *data {
        let (x, y) = (along.to_vec(), at(&classes.labels(&prediction.at)?));
        marks.push(Mark::Points { x, y, label: "held out".into(), role: Role::Test });
    }
    let band = "band: ±2 sd of the latent function".to_string();
    marks.push(Mark::Band { x: x.clone(), lo: end(-1.0), hi: end(1.0), label: band, role: Role::Band });
    let (label, y) = ("probability".to_string(), pick(probability));
    marks.push(Mark::Line { x, y, label, role: Role::Mean, dashed: false });
    let what = format!("probability of {} ({})", classes.positive(), classes.column());
    let mut panel = Panel::new(label_of(data, &input), what, marks);
    panel.y.range = Some(ALL);
    Ok(Figure::single(title(data), panel))
}

fn classes_over_one(prediction: &ClassPrediction) -> Result<Figure, ModelError> {
    let (rest, data) = (&prediction.fit, prediction.fit.data());
    let Some(input) = single_input(&rest.fits[0]) else { return Err(ModelError::NotOfClasses(MANY_INPUTS)) };
    let along = prediction.at.find(&input)?.values();
    let order = sorted(along);
    let pick = |values: &[f64]| -> Vec<f64> { order.iter().map(|&i| values[i]).collect() };
    let seen = data.find(&input)?.values();
    let mut marks = Vec::new();
    // the rows of each class are in their own strip below the curves
    let strip = |k: usize| -0.04 * (k as f64 + 1.0);
    let labels = rest.labels(data)?;
    for (k, class) in rest.classes.iter().enumerate() {
        let (x, role) = (pick(along), Role::Component(k));
        let y = pick(&prediction.probability[k]);
        marks.push(Mark::Line { x, y, label: class.to_string(), role, dashed: false });
        let x: Vec<f64> = labels.iter().zip(seen).filter(|(label, _)| **label == k).map(|(_, x)| *x).collect();
        let y = vec![strip(k); x.len()];
        marks.push(Mark::Points { x, y, label: String::new(), role });
    }
    let what = format!("probability of each class ({})", data.target().map_or("y", |t| t.name()));
    let mut panel = Panel::new(label_of(data, &input), what, marks);
    panel.y.range = Some((strip(rest.classes.len()), ALL.1));
    Ok(Figure::single(title(data), panel).with_note("Strips below: the rows of each class."))
}

/// Maps over two inputs, one per class, or for two classes only the positive one: the rows, the probability, and the
/// contour at ½.
fn map(fitted: &Fitted, inputs: &[String; 2], at: Option<&Dataset>) -> Result<Figure, ModelError> {
    let data = first(fitted).problem().data();
    let grid = |name: &String| -> Result<Vec<f64>, ModelError> {
        let asked = at.and_then(|at| at.column(name)).map_or(&[][..], |c| c.values());
        let all = data.find(name)?.values().iter().chain(asked).filter(|v| v.is_finite());
        Ok(side(all, SIDE, 0.0))
    };
    let (x, y) = (grid(&inputs[0])?, grid(&inputs[1])?);
    let rows = At::Rows(first(fitted).rows(crossed(&x, &y), &[&inputs[0], &inputs[1]])?);
    let maps: Vec<Map> = match fitted {
        Fitted::One(fit) => {
            let probability = predict(fit, rows)?.probability.ok_or(ModelError::NotOfClasses(MANY_INPUTS))?;
            vec![(of_what(fitted), probability, fit.problem().y().iter().map(|y| *y > 0.0).collect())]
        }
        Fitted::Rest(rest) => of_classes(rest, rows)?,
    };
    let (seen_x, seen_y) = (data.find(&inputs[0])?.values(), data.find(&inputs[1])?.values());
    let several = maps.len() > 1;
    let panels = maps.into_iter().map(|(class, z, own)| {
        let points = |whether: bool, label: String, role: Role| {
            let rows = || (0..own.len()).filter(|&i| own[i] == whether);
            Mark::Points { x: rows().map(|i| seen_x[i]).collect(), y: rows().map(|i| seen_y[i]).collect(), label, role }
        };
        let (line_x, line_y) = contour(&x, &y, &z, 0.5, 0.0);
        let other = match fitted {
            Fitted::One(fit) => fit.problem().classes().map_or_else(String::new, |c| c.negative().to_string()),
            Fitted::Rest(_) => "any other class".into(),
        };
        let (label, range) = ("probability".to_string(), Some((0.0, 1.0)));
        let marks = vec![
            Mark::Heat { x: x.clone(), y: y.clone(), z, label, range, split: true, texts: Vec::new() },
            Mark::Line { x: line_x, y: line_y, label: "probability ½".into(), role: Role::Reference, dashed: false },
            points(false, other, Role::Data),
            points(true, if several { "this class".into() } else { class.clone() }, Role::Test),
        ];
        let panel = Panel::new(label_of(data, &inputs[0]), label_of(data, &inputs[1]), marks);
        Panel { square: true, ..panel.titled(format!("Probability of {class}")) }
    });
    let panels: Vec<Panel> = panels.collect();
    let columns = if several { panels.len().min(3) } else { 1 };
    Ok(Figure::grid(title(data), columns, panels))
}

/// A class, its probability at every point, and whether each row belongs to it.
type Map = (String, Vec<f64>, Vec<bool>);

fn of_classes(rest: &Arc<OneVsRest>, rows: At) -> Result<Vec<Map>, ModelError> {
    let (labels, found) = (rest.labels(rest.data())?, rest.predict(&rows)?);
    let maps = rest.classes.iter().zip(found.probability).enumerate();
    Ok(maps.map(|(k, (class, p))| (class.to_string(), p, labels.iter().map(|l| *l == k).collect())).collect())
}

/// A reliability diagram, and a histogram of the probabilities.
pub fn calibration(found: &Calibration, of: &str, rows: &str) -> Figure {
    let bins = || found.bins.iter();
    let (mut x, mut y) = (Vec::new(), Vec::new());
    for bin in bins() {
        x.extend([bin.predicted, bin.predicted, f64::NAN]);
        y.extend([bin.lower, bin.upper, f64::NAN]);
    }
    let perfect = "perfect calibration".to_string();
    let marks = vec![
        Mark::Line { x: vec![0.0, 1.0], y: vec![0.0, 1.0], label: perfect, role: Role::Reference, dashed: true },
        Mark::Line { x, y, label: "95 % interval".into(), role: Role::Mean, dashed: false },
        Mark::Points {
            x: bins().map(|b| b.predicted).collect(),
            y: bins().map(|b| b.observed).collect(),
            label: "observed share".into(),
            role: Role::Mean,
        },
    ];
    let probability = format!("predicted probability of {of}");
    let mut reliability = Panel::new(probability.clone(), "observed share", marks).titled("Reliability");
    reliability.x.range = Some(ALL);
    reliability.y.range = Some(ALL);
    reliability.square = true;
    let width = found.bins.first().map_or(0.1, |b| b.to - b.from);
    let bars = Mark::Bars {
        x: bins().map(|b| 0.5 * (b.from + b.to)).collect(),
        height: bins().map(|b| b.n as f64).collect(),
        width: 0.92 * width,
        label: String::new(),
        role: Role::Mean,
    };
    let mut counts = Panel::new(probability, "predictions", vec![bars]).titled("Number of predictions");
    counts.x.range = Some(ALL);
    Figure::grid(format!("Calibration, {rows}"), 2, vec![reliability, counts])
}

/// The number of rows of each true class with each predicted class, and their share of the true class.
pub fn confusion(found: &Confusion, rows: &str) -> Figure {
    let places: Vec<f64> = (0..found.classes.len()).map(|k| k as f64).collect();
    let named = |reversed: bool, label: &str| Axis {
        label: label.into(),
        names: places.iter().copied().zip(found.classes.iter().cloned()).collect(),
        reversed,
        ..Axis::default()
    };
    let (mut z, mut texts) = (Vec::new(), Vec::new());
    for row in &found.counts {
        let total = row.iter().sum::<usize>() as f64;
        for count in row {
            let share = *count as f64 / total;
            z.push(share);
            texts.push(if share.is_finite() { format!("{count}\n{}", percent(share)) } else { count.to_string() });
        }
    }
    let (x, y, label, range) = (places.clone(), places.clone(), "share of the true class".into(), Some((0.0, 1.0)));
    let heat = Mark::Heat { x, y, z, label, range, split: false, texts };
    let mut panel = Panel::new("", "", vec![heat]);
    (panel.x, panel.y) = (named(false, "predicted class"), named(true, "true class"));
    panel.square = true;
    Figure::single(format!("Confusion, {rows}"), panel)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::{Size, to_svg};

    #[test]
    fn cells_of_a_confusion_say_how_many() {
        let classes = ["no", "yes", "never"].map(String::from).to_vec();
        let found = Confusion { classes, counts: vec![vec![7, 1, 0], vec![2, 3, 0], vec![0, 0, 0]] };
        let figure = confusion(&found, "rows held out");
        let svg = to_svg(&figure, Size::of(&figure)).unwrap();
        for text in ["87.5 %", "40.0 %", "true class", "predicted class"] {
            assert!(svg.contains(text), "{text} is not in the figure");
        }
        // a class without rows has no shares
        assert!(!svg.contains("NaN"));
    }
}
