//! Several classes as text and tables, calibration and confusion matrices.

use super::english::words::listed;
use super::markup::Markup;
use super::numbers::{percent, rounded, significant};
use super::short_table::show_table;
use super::tables;
use super::text_table::Grid;
use crate::data::write::Table;
use crate::fit::Fit;
use crate::results::{Calibration, ClassPrediction, Confusion, OneVsRest};

fn target(rest: &OneVsRest) -> &str {
    rest.data().target().map_or("y", |t| t.name())
}

/// A one-vs-rest fit in one line.
pub fn rest_line(rest: &OneVsRest) -> String {
    format!("fit of {}: {} classes, each against the rest", super::fit::process(&rest.asked), rest.classes.len())
}

/// A one-vs-rest fit: model, evidence, and a line for each class.
pub fn rest(rest: &OneVsRest) -> Markup {
    let first = &rest.fits[0];
    let (names, n) = (listed(first.problem().names()), first.problem().n());
    let count = rest.classes.len();
    let title = format!("fit of {} on {names} ({n} rows): {count} classes, each against the rest", target(rest));
    let mut lines = Markup::from(title);
    let mut say = |name: &str, text: String| lines.push(format!("  {name:<10}{text}"));
    let (what, text) = super::fit::named_process(&rest.asked);
    say(what, text);
    if let Some(steps) = super::fit::steps(first) {
        say("steps", steps);
    }
    say("link", super::fit::likelihood(first));
    let free: usize = rest.fits.iter().map(|fit| fit.free).sum();
    say("evidence", format!("log marginal likelihoods that add to {:.2} ({free} free parameters)", rest.lml()));
    let t = rounded(rest.temperature);
    say("joined", format!("p ∝ odds^(1/T), T = {t} by the likelihood of each row predicted from the others"));
    lines.push(fits(rest));
    let hints =
        rest.classes.iter().zip(&rest.fits).flat_map(|(class, fit)| {
            fit.hints.iter().map(move |hint| format!("note: {class} against the rest: {hint}"))
        });
    lines.extend(hints);
    lines
}

/// A line for each class.
fn fits(rest: &OneVsRest) -> Grid {
    let mut grid = Grid::new(["class", "share", "lml", "ended", "parameters"]);
    let n = rest.data().n() as f64;
    for ((class, fit), count) in rest.classes.iter().zip(&rest.fits).zip(rest.counts()) {
        let ended = fit.ended.map_or_else(|| "as given".to_string(), |ended| ended.to_string());
        grid.row([class.to_string(), percent(count as f64 / n), significant(fit.lml(), 6), ended, values(fit)]);
    }
    grid
}

/// The number of values of a fit in its line.
const SHOWN: usize = 5;

/// The first fitted values.
fn values(fit: &Fit) -> String {
    let free = fit.parameters().iter().zip(fit.values()).filter(|(p, _)| p.is_free());
    let mut shown: Vec<String> = free.map(|(p, value)| format!("{} {}", p.name, rounded(*value))).collect();
    if shown.len() > SHOWN {
        shown.truncate(SHOWN);
        shown.push("…".into());
    }
    shown.join(", ")
}

/// Every parameter of every fit, with the class in the first column.
pub fn parameters(rest: &OneVsRest) -> Table {
    let all = || {
        rest.classes
            .iter()
            .zip(&rest.fits)
            .flat_map(|(class, fit)| tables::own_parameters(fit).into_iter().map(move |i| (class, fit, i)))
    };
    let numbers = |of: &dyn Fn(&Fit, usize) -> f64| all().map(|(_, fit, i)| of(fit, i)).collect::<Vec<f64>>();
    let errors = numbers(&|fit, i| fit.standard_errors[i].unwrap_or(f64::NAN));
    Table::new()
        .texts("class", all().map(|(class, ..)| Some(class.to_string())).collect())
        .texts("parameter", all().map(|(_, fit, i)| Some(fit.parameters()[i].name.clone())).collect())
        .numbers_with_errors("value", &numbers(&|fit, i| fit.values()[i]), &errors)
        .numbers("std_error", &errors)
}

/// Inputs, the target if known, the probability of each class and the most probable class, one row per predicted row.
pub fn prediction_table(prediction: &ClassPrediction) -> Table {
    let classes = prediction.fit.classes.iter().zip(&prediction.probability);
    let table = classes.fold(tables::rows(&prediction.at), |table, (class, p)| table.numbers(format!("p_{class}"), p));
    table.texts("class", prediction.class().into_iter().map(|name| Some(name.to_string())).collect())
}

/// The predicted rows; a long table is shortened.
pub fn prediction(prediction: &ClassPrediction) -> Markup {
    let what =
        format!("prediction of {}: the probability of each class and the most probable class", target(&prediction.fit));
    Markup::from(what).then(show_table(&prediction_table(prediction)))
}

/// The data of a calibration or a confusion matrix.
fn of(target: &str, rows: usize, left_out: bool) -> String {
    let how = if left_out { ", leave-one-out" } else { " held out" };
    format!("{target}, {rows} rows{how}")
}

/// Predicted probabilities and observed frequencies.
pub fn calibration(found: &Calibration, target: &str, left_out: bool) -> Markup {
    let mut grid = Grid::new(["predicted", "n", "mean", "observed", "95 % interval"]);
    for bin in &found.bins {
        grid.row([
            format!("{} – {}", percent(bin.from), percent(bin.to)),
            bin.n.to_string(),
            percent(bin.predicted),
            percent(bin.observed),
            format!("{} – {}", percent(bin.lower), percent(bin.upper)),
        ]);
    }
    let error = percent(found.error);
    Markup::from(format!("calibration of {}", of(target, found.rows, left_out)))
        .and(grid)
        .and(format!("expected calibration error: {error}"))
}

/// One row per bin.
pub fn calibration_table(found: &Calibration) -> Table {
    let of = |f: fn(&crate::results::Bin) -> f64| found.bins.iter().map(f).collect::<Vec<f64>>();
    Table::new()
        .numbers("from", &of(|b| b.from))
        .numbers("to", &of(|b| b.to))
        .numbers("n", &of(|b| b.n as f64))
        .numbers("predicted", &of(|b| b.predicted))
        .numbers("observed", &of(|b| b.observed))
        .numbers("lower", &of(|b| b.lower))
        .numbers("upper", &of(|b| b.upper))
}

/// Rows are true classes, columns predicted ones.
pub fn confusion(found: &Confusion, target: &str, left_out: bool) -> Markup {
    let names = found.classes.iter().cloned();
    let mut grid = Grid::new(std::iter::once("true class".to_string()).chain(names).chain(["wrong".to_string()]));
    for (k, row) in found.counts.iter().enumerate() {
        let total: usize = row.iter().sum();
        let wrong = if total == 0 { "–".into() } else { percent((total - row[k]) as f64 / total as f64) };
        let counts = row.iter().map(ToString::to_string);
        grid.row(std::iter::once(found.classes[k].clone()).chain(counts).chain([wrong]));
    }
    let rows = found.counts.iter().flatten().sum();
    let of = of(target, rows, left_out);
    Markup::from(format!("confusion of {of}: true classes in rows, predicted classes in columns")).and(grid)
}

/// One row per true class, one column per predicted class.
pub fn confusion_table(found: &Confusion) -> Table {
    let names = found.classes.iter().map(|name| Some(name.clone())).collect();
    found.classes.iter().enumerate().fold(Table::new().texts("came", names), |table, (k, name)| {
        table.numbers(name.clone(), &found.counts.iter().map(|row| row[k] as f64).collect::<Vec<_>>())
    })
}
