//! Scores and comparisons as tables.

use super::markup::Markup;
use super::numbers::{percent, rounded, significant};
use super::text_table::Grid;
use crate::fit::{Fit, WEAK_PRIOR_SD};
use crate::model::{Bernoulli, Model, Parameter, ParameterKind, is_zero_kernel};
use crate::results::metric::{Metric, Scale};
use crate::results::{Compared, OrderVariance, Score, Symmetries};

/// The value of a metric; shares in percent.
pub fn measured(metric: &Metric, value: f64) -> String {
    match metric.scale {
        Scale::Share => percent(value),
        _ if value.is_nan() => "–".into(),
        _ => rounded(value),
    }
}

/// Scores on held-out rows, or leave-one-out scores.
pub fn score(score: &Score, left_out: bool, noise_free: bool) -> Markup {
    let how = if left_out { "rows, leave-one-out" } else { "rows held out" };
    let mut grid = Grid::new(["score", "value", ""]);
    for (metric, value) in &score.values {
        let help = match metric.name {
            "coverage" if noise_free => "within 2 sd of the function; the model has no noise",
            _ => metric.help,
        };
        grid.row([metric.name.to_string(), measured(metric, *value), help.to_string()]);
    }
    let mut text = Markup::from(format!("{} {how}", score.n)).and(grid);
    if let Some(coverage) = score.get("coverage").filter(|_| noise_free) {
        text.push(format!(
            "note: the model has no noise: its \
             bands are those of a function observed without error. They contain {} of these rows, and 95.4 % can be \
             expected only for observations without noise. Without `noise=0` a noise variance is estimated",
            percent(coverage)
        ));
    }
    text
}

/// Fits side by side, the best first: under these names, in the order in which the fits were given, or by their kernels as
/// long as these distinguish them, else by their models.
pub fn compared(compared: &[Compared], names: Option<&[String]>) -> Markup {
    let kernels: Vec<String> = compared.iter().map(|one| kernel_text(&one.fit.asked)).collect();
    let alike = (1..kernels.len()).any(|i| kernels[..i].contains(&kernels[i]));
    let labels: Vec<String> = match names {
        Some(names) => compared.iter().map(|one| names.get(one.place).cloned().unwrap_or_default()).collect(),
        None if alike => Model::names(&compared.iter().map(|one| &one.fit.asked).collect::<Vec<_>>()),
        None => kernels,
    };
    let what = if alike || names.is_some() { "model" } else { "kernel" };
    let classes = compared.iter().any(|one| one.fit.problem().classes().is_some());
    let wrong = if classes { "loo error" } else { "loo rmse" };
    let sparse = compared.iter().any(|one| one.fit.sparse().is_some());
    let by_evidence = compared.iter().any(|one| one.evidence.is_some());
    let mut titles = vec![what, "BIC", "ΔBIC", "lml", "Δlml", "parameters", "loo nll", wrong];
    if by_evidence {
        titles.insert(1, "log evidence");
    }
    let mut grid = Grid::new(titles);
    for (one, label) in compared.iter().zip(&labels) {
        let maybe = |value: Option<f64>, text: fn(f64) -> String| value.map_or("–".to_string(), text);
        let mut row = vec![
            label.clone(),
            maybe(one.fit.information().ok(), |bic| significant(bic, 6)),
            maybe(Some(one.delta_bic).filter(|_| !sparse), |delta| format!("{delta:.1}")),
            maybe(one.fit.evidence().ok(), |lml| significant(lml, 6)),
            maybe(Some(one.delta_lml).filter(|_| !sparse), |delta| format!("{delta:.1}")),
            one.fit.counted().to_string(),
            maybe(one.loo_nll, rounded),
            if classes { maybe(one.loo_error, percent) } else { maybe(one.loo_rmse, rounded) },
        ];
        if let Some(evidence) = &one.evidence {
            let sd = evidence.sd.map_or(String::new(), |sd| format!(" ± {}", significant(sd, 1)));
            row.insert(1, format!("{:.2}{sd}", evidence.log));
        }
        grid.row(row);
    }
    let mut notes = notes(compared, &labels);
    if by_evidence {
        notes.insert(
            0,
            format!(
                "ranked by log evidence, the likelihood integrated over the parameters: those without a prior are normal \
                 around their start, with standard deviation {WEAK_PRIOR_SD} in the optimiser's coordinates"
            ),
        );
    }
    let mut text = Markup::from(grid);
    text.extend(notes.into_iter().map(|note| format!("note: {note}")));
    text
}

/// Notes on differences between the models that limit their comparison.
fn notes(compared: &[Compared], labels: &[String]) -> Vec<String> {
    let named = |which: &dyn Fn(&Fit) -> bool| -> Vec<String> {
        let those = compared.iter().zip(labels).filter(|(one, _)| which(&one.fit));
        those.map(|(_, label)| format!("`{label}`")).collect()
    };
    let mut notes = Vec::new();
    let approximate = named(&|fit| fit.sparse().is_some());
    if !approximate.is_empty() {
        notes.push(format!(
            "{} use inducing inputs: ranked by loo nll, as bounds and approximate log marginal likelihoods do not \
             compare",
            approximate.join(", ")
        ));
    }
    // coefficients of the mean function are maximised, and those of a kernel are integrated out
    let maximized = |fit: &Fit| {
        let slope = |p: &Parameter| matches!(p.kind, ParameterKind::Mean(i) if i > 0) && p.is_free();
        fit.ended.is_some() && fit.parameters().iter().any(slope)
    };
    let most = named(&maximized);
    if !most.is_empty() && most.len() < compared.len() {
        let rows = compared.first().map_or(1, |one| one.fit.problem().n().max(1));
        notes.push(format!(
            "BIC \
             values of {} and of the others are not directly comparable: a linear mean function is maximised over its \
             coefficients, which BIC counts; a kernel is averaged over functions, which lowers the lml, and BIC also \
             counts its parameters. The difference is about log n = {:.1} for each parameter; loo nll is comparable",
            most.join(", "),
            (rows as f64).ln()
        ));
    }
    let by_ep = named(&|fit| fit.model.bernoulli() == Some(Bernoulli::Ep));
    let by_laplace = named(&|fit| {
        matches!(fit.model.bernoulli(), Some(Bernoulli::Laplace(_))) && !is_zero_kernel(&fit.model.kernel)
    });
    if !by_ep.is_empty() && !by_laplace.is_empty() {
        notes.push(format!(
            "the lml of {} is approximated by expectation propagation, that of {} by Laplace's method: their difference is \
             partly that of the approximations",
            by_ep.join(", "),
            by_laplace.join(", ")
        ));
    }
    for (one, label) in compared.iter().zip(labels) {
        let (counted, free) = (one.fit.counted(), one.fit.estimated());
        if counted < free && one.fit.evidence().is_ok() {
            notes.push(format!(
                "BIC counts {counted} of the {free} free parameters of `{label}`: the data do not determine the others"
            ));
        }
    }
    notes
}

/// The share of each order of interaction.
pub fn orders(fit: &Fit, found: &[(String, Vec<OrderVariance>)]) -> Markup {
    let unit = fit
        .problem()
        .data()
        .target()
        .and_then(|t| t.unit())
        .map_or(String::new(), |u| if u.contains([' ', '/']) { format!(", ({u})^2") } else { format!(", {u}^2") });
    let mut text = Markup::default();
    for (i, (name, rows)) in found.iter().enumerate() {
        let mut grid = Grid::new(["order", "share", "terms", &format!("variance of each{unit}")]);
        for row in rows {
            grid.row([row.order.to_string(), percent(row.share), rounded(row.terms), rounded(row.variance)]);
        }
        let most = rows.iter().max_by(|a, b| a.share.total_cmp(&b.share));
        let said = most.map(|most| {
            let kind = match most.order {
                0 => "the constant part".to_string(),
                1 => "main effects".to_string(),
                n => format!("{n}-way interactions"),
            };
            format!("{} of the variance: {kind}", percent(most.share))
        });
        if i > 0 {
            text.push("");
        }
        text = text.and(format!("orders of {name}")).and(grid);
        text.extend(said);
    }
    text
}

/// A table of symmetries, the best first.
pub fn symmetries(symmetries: &Symmetries) -> Markup {
    let found = &symmetries.compared;
    let mut grid = Grid::new(["symmetry", "Δlml", "lml", "BIC"]);
    for one in found {
        grid.row([
            super::tables::symmetry(one).to_string(),
            if one.name.is_empty() { "0".into() } else { format!("{:+.2}", one.delta_lml) },
            format!("{:.2}", one.fit.lml()),
            format!("{:.2}", one.fit.bic()),
        ]);
    }
    let mut text = Markup::from("symmetries by log marginal likelihood, against the model without").and(grid);
    text.extend(found.first().map(|best| match best.delta_lml {
        more if more > 3.0 => format!("favoured: {}\n  {}", best.name, best.fit.model.kernel.heading()),
        more if more > 0.0 => format!("slightly favoured: {}", best.name),
        _ => "no symmetry is favoured".to_string(),
    }));
    text.extend(symmetries.failed.iter().map(|(name, why)| format!("could not be fitted: {name}: {why}")));
    text
}

/// A kernel as requested, or the baseline model; without values if all were written, as for the best models of a
/// search.
fn kernel_text(model: &Model) -> String {
    if model.baseline().is_some() {
        return model.short();
    }
    let text = model.kernel.to_string();
    if text.chars().count() <= WIDE { text } else { model.kernel.heading() }
}

/// A longer kernel would make a table too wide.
const WIDE: usize = 80;
