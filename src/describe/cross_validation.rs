//! Cross-validations as text, tables and a figure.

use super::comparison::measured;
use super::markup::Markup;
use super::numbers::{percent, significant};
use super::text_table::Grid;
use crate::data::write::Table;
use crate::figure::{Axis, Figure, Mark, Panel, Role};
use crate::results::metric::{METRICS, Metric, Scale};
use crate::results::{CrossValidation, FoldScore, Standing};

/// The folds of one model, or the means of several.
pub fn cross_validation(cv: &CrossValidation) -> Markup {
    let folds = cv.models.first().map_or(0, |model| model.folds.len());
    match &cv.models[..] {
        [_] => Markup::from(format!("{folds} folds of {}, seed {}", cv.target, cv.seed)).then(fold_by_fold(cv)),
        models => {
            let count = models.len();
            Markup::from(format!("{count} models on {folds} folds of {}, seed {}", cv.target, cv.seed))
                .then(side_by_side(cv))
        }
    }
}

fn fold_by_fold(cv: &CrossValidation) -> Markup {
    let named = cv.metrics.iter().map(|metric| metric.name);
    let mut grid = Grid::new(["fold", "trained on", "tested on", "lml"].into_iter().chain(named));
    for (i, fold) in cv.models.iter().flat_map(|model| &model.folds).enumerate() {
        let plain = [(i + 1).to_string(), fold.trained.to_string(), fold.score.n.to_string(), lml(fold.lml)];
        let scores = cv.metrics.iter().map(|metric| measured(metric, fold.score.get(metric.name).unwrap_or(f64::NAN)));
        grid.row(plain.into_iter().chain(scores));
    }
    let mean = |metric: &&Metric| format!("{} {}", metric.name, with_error(metric, cv.standings(metric)[0]));
    Markup::from(grid).and(format!("mean: {}", cv.metrics.iter().map(mean).collect::<Vec<_>>().join(", ")))
}

/// The log marginal likelihood, if there is one.
fn lml(value: f64) -> String {
    if value.is_nan() { "–".to_string() } else { significant(value, 6) }
}

fn side_by_side(cv: &CrossValidation) -> Markup {
    let mut grid = Grid::new(std::iter::once("model").chain(cv.metrics.iter().map(|metric| metric.name)));
    let standings: Vec<Vec<Standing>> = cv.metrics.iter().map(|metric| cv.standings(metric)).collect();
    for (i, model) in cv.models.iter().enumerate() {
        let cell = |(metric, standings): (&&Metric, &Vec<Standing>)| {
            let mark = if standings[i].is_among_best() { " *" } else { "" };
            format!("{}{mark}", with_error(metric, standings[i]))
        };
        let scores = cv.metrics.iter().zip(&standings).map(cell);
        grid.row(std::iter::once(model.name.clone()).chain(scores));
    }
    Markup::from(grid).and(
        "mean ± standard error over the folds; *: the best, and those that a paired t-test at 5 % does not distinguish from it",
    )
}

fn with_error(metric: &Metric, standing: Standing) -> String {
    let error = match metric.scale {
        _ if !standing.error.is_finite() => return measured(metric, standing.mean),
        Scale::Share => percent(standing.error),
        _ => significant(standing.error, 2),
    };
    match (metric.scale, error.strip_suffix(" %")) {
        (Scale::Share, Some(error)) => {
            format!("{} ± {error} %", measured(metric, standing.mean).trim_end_matches(" %"))
        }
        _ => format!("{} ± {error}", measured(metric, standing.mean)),
    }
}

/// One row per model: for each requested metric the mean, its standard error, and the p-value of the t-test against the
/// best.
pub fn scores_table(cv: &CrossValidation) -> Table {
    let names = cv.models.iter().map(|model| Some(model.name.clone())).collect();
    cv.metrics.iter().fold(Table::new().texts("model", names), |table, metric| {
        let standings = cv.standings(metric);
        let of = |f: fn(&Standing) -> f64| standings.iter().map(f).collect::<Vec<f64>>();
        table
            .numbers(metric.name, &of(|s| s.mean))
            .numbers(format!("{}_error", metric.name), &of(|s| s.error))
            .numbers(format!("{}_p", metric.name), &of(|s| s.p))
    })
}

/// One row per model and fold, with every metric that applies.
pub fn folds_table(cv: &CrossValidation) -> Table {
    let rows = || cv.models.iter().flat_map(|m| m.folds.iter().enumerate().map(move |(i, fold)| (m, i, fold)));
    let of = |f: &dyn Fn(&FoldScore) -> f64| rows().map(|(_, _, fold)| f(fold)).collect::<Vec<f64>>();
    let table = Table::new()
        .texts("model", rows().map(|(model, _, _)| Some(model.name.clone())).collect())
        .numbers("fold", &rows().map(|(_, i, _)| i as f64 + 1.0).collect::<Vec<_>>())
        .numbers("trained", &of(&|fold| fold.trained as f64))
        .numbers("tested", &of(&|fold| fold.score.n as f64))
        .numbers("lml", &of(&|fold| fold.lml));
    let fits = |metric: &&Metric| rows().all(|(_, _, fold)| fold.score.get(metric.name).is_some());
    METRICS.iter().filter(fits).fold(table, |table, metric| {
        table.numbers(metric.name, &of(&|fold| fold.score.get(metric.name).unwrap_or(f64::NAN)))
    })
}

/// One panel per metric: for each model its folds as points, and below them the mean with its standard error.
pub fn figure(cv: &CrossValidation) -> Figure {
    let names = shortened(&cv.models.iter().map(|m| m.name.as_str()).collect::<Vec<_>>());
    let names: Vec<(f64, String)> = names.into_iter().enumerate().map(|(i, name)| (i as f64, name)).collect();
    let panels: Vec<Panel> = cv
        .metrics
        .iter()
        .map(|metric| {
            let mut marks = Vec::new();
            for (i, standing) in cv.standings(metric).into_iter().enumerate() {
                let place = i as f64;
                let label = |text: &str| if i == 0 { text.to_string() } else { String::new() };
                let x = cv.values(i, metric);
                // folds at different heights, so that none hides another
                let step = 0.3 / x.len().max(1) as f64;
                let y = (0..x.len()).map(|fold| place - 0.05 - step * fold as f64).collect();
                marks.push(Mark::Points { x, y, label: label("a fold"), role: Role::Data });
                let ends = vec![standing.mean - standing.error, standing.mean + standing.error];
                let label = label("mean ± standard error");
                marks.push(Mark::Line { x: ends, y: vec![place + 0.2; 2], label, role: Role::Mean, dashed: false });
                let (x, y) = (vec![standing.mean], vec![place + 0.2]);
                marks.push(Mark::Points { x, y, label: String::new(), role: Role::Mean });
            }
            let mut panel = Panel::new(metric.name, "", marks).titled(metric.help);
            let range = Some((-0.5, cv.models.len() as f64 - 0.5));
            panel.y = Axis { names: names.clone(), range, reversed: true, ..Axis::default() };
            panel
        })
        .collect();
    let columns = panels.len().min(2);
    let folds = cv.models.first().map_or(0, |model| model.folds.len());
    Figure::grid(format!("{} on {folds} folds", cv.target), columns, panels)
}

/// Names that leave room for the axes. Long names with a common beginning are shortened to it and the part from the
/// first difference.
fn shortened(names: &[&str]) -> Vec<String> {
    const WIDE: usize = 24;
    const HEAD: usize = 7;
    let all: Vec<Vec<char>> = names.iter().map(|name| name.chars().collect()).collect();
    let short = |own: &[char]| -> String {
        let parts =
            |other: &&Vec<char>| other[..] != *own && other.len() > WIDE && other[..WIDE - 1] == own[..WIDE - 1];
        let alike = all.iter().filter(parts).map(|other| other.iter().zip(own).take_while(|(a, b)| a == b).count());
        let piece = |from: usize, count: usize| own.iter().skip(from).take(count).collect::<String>();
        match alike.min() {
            None => piece(0, WIDE - 1) + "…",
            Some(parted) => {
                let room = WIDE - HEAD - 2;
                // a few characters before the difference, and as many as fit
                let from = parted.saturating_sub(3).min(own.len() - room.min(own.len()));
                let end = if from + room < own.len() { "…" } else { "" };
                format!("{}…{}{end}", piece(0, HEAD), piece(from, room))
            }
        }
    };
    all.iter().map(|own| if own.len() <= WIDE { own.iter().collect() } else { short(own) }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_names_tell_models_apart() {
        let long = ["gp(SE, likelihood=\"bernoulli\")", "gp(SE, likelihood=\"bernoulli\", inference=\"laplace\")"];
        let names = shortened(&["SE", "standardize >> transform(y=log) >> gp(SE)", long[0], long[1]]);
        assert_eq!(names[..2], ["SE", "standardize >> transfor…"]);
        assert!(names[2] != names[3] && names.iter().all(|name| name.chars().count() <= 24), "{names:?}");
        assert_eq!(names[3], "gp(SE, …li\", inference=…");
    }
}
