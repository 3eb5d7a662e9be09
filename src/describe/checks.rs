//! Checks of residuals as text and figures.

use super::english::with_unit;
use super::figure_labels::{axis_label, dated, single_input};
use super::markup::Markup;
use super::numbers::rounded;
use super::text_table::Grid;
use crate::data::write::Table;
use crate::figure::standard_figures::{Names, residuals_panel};
use crate::figure::{Figure, Mark, Panel, Role};
use crate::results::{About, Check, Checks, Finding, Residuals, Topic, normal_scores};

/// The strength of the evidence of a check against the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Against {
    Nothing,
    /// p below 0.05.
    Hint,
    /// p below 0.01.
    Clear,
}

impl Against {
    pub fn of(p: f64) -> Self {
        match p {
            p if p < 0.01 => Against::Clear,
            p if p < 0.05 => Against::Hint,
            _ => Against::Nothing,
        }
    }
}

/// Statistics, p-values and conclusions, one line per check.
pub fn checks(checks: &Checks) -> Markup {
    let what = format!(
        "checks of the residuals of {} rows, against {} replicates drawn from the model",
        checks.sorted.len(),
        checks.draws
    );
    Markup::from(what).and(checks_grid(checks)).and(format!("p: {P_MEANS}"))
}

/// The same as a grid.
pub fn checks_grid(checks: &Checks) -> Grid {
    let mut grid = Grid::new(["check", "statistic", "expected", "p", ""]);
    for check in &checks.checks {
        let (statistic, expected, p) = match &check.found {
            Ok(found) => (rounded(found.statistic), rounded(found.expected), probability(found.p)),
            Err(_) => ("–".into(), "–".into(), "–".into()),
        };
        grid.row([check.topic.name().to_string(), statistic, expected, p, sentence(checks, check)]);
    }
    grid
}

/// The explanation of a p-value.
pub const P_MEANS: &str = "share of the replicates that are at least as extreme as the data; for a correct model \
                           one p in twenty lies below 0.05";

/// A p-value as text.
pub fn probability(p: f64) -> String {
    format!("{p:.3}")
}

/// The conclusion from a check.
pub fn sentence(checks: &Checks, check: &Check) -> String {
    let found = match &check.found {
        Ok(found) => found,
        Err(why) => return format!("not applicable: {why}"),
    };
    let against = Against::of(found.p);
    let says = match (against == Against::Nothing, check.topic) {
        (true, topic) => return quiet(topic).into(),
        (false, Topic::Normality) => "the residuals are not normal".to_string(),
        (false, Topic::Tails) => "there are outliers or heavy tails".into(),
        (false, Topic::Autocorrelation) if found.statistic > found.expected => {
            "positive autocorrelation: the model misses a smooth component".into()
        }
        (false, Topic::Autocorrelation) => "negative autocorrelation".into(),
        (false, Topic::Periodicity) => {
            format!("a periodic component is left, with a period of {}", period(checks, found))
        }
        (false, Topic::Heteroscedasticity) => match &found.about {
            About::Input(name) => format!("the variance changes with {name}"),
            _ => "the variance changes with the fitted value".into(),
        },
    };
    if against == Against::Hint { format!("weak evidence: {says}") } else { says }
}

fn quiet(topic: Topic) -> &'static str {
    match topic {
        Topic::Normality => "no evidence against normality",
        Topic::Tails => "no evidence of outliers",
        Topic::Autocorrelation => "no evidence of autocorrelation",
        Topic::Periodicity => "no evidence of periodicity",
        Topic::Heteroscedasticity => "no evidence of unequal variances",
    }
}

fn period(checks: &Checks, found: &Finding) -> String {
    let About::Period(period) = found.about else { return "unknown length".into() };
    let problem = checks.fit.problem();
    let unit = problem.names().first().and_then(|name| {
        let unit = problem.data().column(name).and_then(|column| column.unit()).map(str::to_string);
        problem.pipeline().of(name).into_iter().fold(unit, |unit, step| step.unit(unit.as_deref()))
    });
    with_unit(period, unit.as_deref())
}

/// Name, statistic, its expected value, p, and the conclusion.
pub fn checks_table(checks: &Checks) -> Table {
    let number = |of: fn(&Finding) -> f64| -> Vec<f64> {
        checks.checks.iter().map(|c| c.found.as_ref().map_or(f64::NAN, of)).collect()
    };
    Table::new()
        .texts("check", checks.checks.iter().map(|c| Some(c.topic.name().to_string())).collect())
        .numbers("statistic", &number(|f| f.statistic))
        .numbers("expected", &number(|f| f.expected))
        .numbers("p", &number(|f| f.p))
        .texts("says", checks.checks.iter().map(|c| Some(sentence(checks, c))).collect())
}

/// The ordered residuals against normal quantiles, with the band that contains 95 % of the replicates.
pub fn quantile_panel(checks: &Checks) -> Panel {
    let scores = normal_scores(checks.sorted.len());
    let ends: Vec<f64> = scores.first().into_iter().chain(scores.last()).copied().collect();
    let marks = vec![
        Mark::Band {
            x: scores.clone(),
            lo: checks.lower.clone(),
            hi: checks.upper.clone(),
            label: "95 % of the replicates".into(),
            role: Role::Band,
        },
        Mark::Line { x: ends.clone(), y: ends, label: String::new(), role: Role::Reference, dashed: true },
        Mark::Points { x: scores, y: checks.sorted.clone(), label: "residual".into(), role: Role::Data },
    ];
    Panel::new("quantile of the standard normal", "leave-one-out residual (sd)", marks).titled("Normal quantiles")
}

/// Residuals against the single input, or against the fitted values if there are several inputs, next to their
/// quantiles.
pub fn residuals_figure(left: &Residuals, checks: &Checks) -> Figure {
    let problem = left.fit.problem();
    let data = problem.data();
    let unit = problem.pipeline().target().unit(data.target().and_then(|t| t.unit()));
    let unit = unit.map_or(String::new(), |u| format!(" ({u})"));
    let input = single_input(&left.fit);
    let (x, x_name, title) = match input.as_deref().and_then(|name| data.column(name)) {
        Some(column) => (column.values(), axis_label(column), "Against the input"),
        None => (&left.fitted[..], format!("fitted value{unit}"), "Against the fitted values"),
    };
    let names = Names { title, x: &x_name, y: &format!("residual{unit}") };
    let panels = vec![residuals_panel(names, x, &left.residual, Some(left.sd)), quantile_panel(checks)];
    dated(Figure::grid("", 2, panels), data)
}
