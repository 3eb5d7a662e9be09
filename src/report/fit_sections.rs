//! The sections of the report of a fit.

use std::sync::Arc;

use maud::{Markup, html};

use super::document::{Number, Report, Section, Source};
use super::fit_results::FitResults;
use super::page_elements::{FigureNumbering, WIDTH, code, missing, points, small, table, unbroken, with_code};
use super::part_section::components;
use super::{mathml, script};
use crate::describe::checks::{Against, P_MEANS, checks_grid, residuals_figure};
use crate::describe::figure_labels::{BEYOND, axis_label};
use crate::describe::result_figures::{self, BandOf};
use crate::describe::{self, percent, rounded};
use crate::figure::{Figure, Size};
use crate::fit::Fit;
use crate::model::{Bernoulli, Link, Mean, Noise, is_zero_kernel, step_text};
use crate::results::{self, Checks};

/// The report of a fit.
pub fn of_fit(fit: &Arc<Fit>, source: &Source) -> Report {
    let made = match fit.ended {
        Some(_) => html! {
            p { "This script repeats the fit from the same seed:" }
            (code(&script::fitting(fit, source)))
        },
        None => html! {},
    };
    with_sections(fit, source, |_| Vec::new(), &made)
}

/// The report of a fit with additional sections after that of the data. `made` explains how to repeat the fit.
pub(super) fn with_sections(
    fit: &Arc<Fit>,
    source: &Source,
    more: impl FnOnce(&mut FigureNumbering) -> Vec<Section>,
    made: &Markup,
) -> Report {
    let outcome = FitResults::new(fit, source.seed);
    let mut numbering = FigureNumbering::default();
    let mut sections =
        vec![Section { id: "brief", title: "Summary", body: brief(&outcome) }, data(&outcome, &mut numbering)];
    sections.extend(more(&mut numbering));
    sections.extend([
        model(&outcome),
        components(&outcome, &mut numbering),
        whole(&outcome, &mut numbering),
        residuals(&outcome, &mut numbering),
        parameters(&outcome),
    ]);
    if !fit.hints.is_empty() {
        sections.push(Section { id: "notes", title: "Notes", body: points(&fit.hints) });
    }
    sections.push(again(&outcome, source, made));
    Report { title: title(fit), subtitle: subtitle(fit), numbers: numbers(&outcome), sections }
}

fn target(fit: &Fit) -> &str {
    fit.problem().data().target().map_or("y", |t| t.name())
}

fn title(fit: &Fit) -> String {
    let about = fit.problem().data().about();
    let named = about.title.clone().or_else(|| about.name.clone());
    named.unwrap_or_else(|| format!("{} from {}", target(fit), inputs(fit)))
}

fn inputs(fit: &Fit) -> String {
    let names = fit.problem().names();
    match names.len() {
        0..=4 => names.join(", "),
        n => format!("{n} inputs"),
    }
}

fn subtitle(fit: &Fit) -> String {
    let data = fit.problem().data();
    let target = data.target().map_or("y".into(), axis_label);
    format!("A Gaussian-process model of {target} by {}, from {} rows", inputs(fit), data.n())
}

/// The key numbers below the title.
fn numbers(outcome: &FitResults<'_>) -> Vec<Number> {
    let fit = outcome.fit;
    let number = |name, value: String| Number { name, value, unit: None };
    let mut all = vec![number("rows", fit.problem().n().to_string())];
    let explained = outcome.score.as_ref().and_then(|score| score.get("r2"));
    if let Some(r2) = explained.filter(|r2| r2.is_finite()) {
        all.push(number("leave-one-out R²", percent(r2)));
    }
    if let Some(error) = outcome.score.as_ref().and_then(|score| score.get("error")) {
        all.push(number("leave-one-out error rate", percent(error)));
    }
    if let Some(noise) = fit.noise().filter(|noise| *noise > 0.0) {
        let target = fit.problem().pipeline().target();
        let unit = target.unit(fit.problem().data().target().and_then(|t| t.unit()));
        all.push(Number { unit, ..number("noise standard deviation", rounded(noise.sqrt())) });
    }
    all.push(number(describe::maximized(fit), format!("{:.2}", fit.lml())));
    if let Ok(bic) = fit.information() {
        all.push(number("BIC", format!("{bic:.2}")));
    }
    let counted = if fit.counted() < fit.estimated() { format!(" ({} counted)", fit.counted()) } else { String::new() };
    all.push(number("free parameters", format!("{}{counted}", fit.estimated())));
    all
}

/// The summary paragraph.
fn brief(outcome: &FitResults<'_>) -> Markup {
    let mut text = vec![outcome.description.summary()];
    if let Some(part) = outcome.description.parts.first() {
        let share = part.share.map_or(String::new(), |share| format!(", {} of the variance", percent(share)));
        text.push(match outcome.description.parts.len() {
            1 => format!("It is {}{share}.", part.meaning),
            _ => format!("The most important part is {}{share}: {}.", part.name, part.meaning),
        });
    }
    let score = |name| outcome.score.as_ref().and_then(|score| score.get(name));
    if let (Some(rmse), Some(r2), Some(coverage)) = (score("rmse"), score("r2"), score("coverage")) {
        let expected = match outcome.fit.is_noise_free() {
            true => "the model has no noise, and 95.4 % are expected only of observations without noise",
            false => "95.4 % are expected",
        };
        text.push(format!(
            "In leave-one-out prediction the root mean square error is {} and {} of the variance is explained. {} of the \
             rows lie within two predictive standard deviations; {expected}.",
            outcome.in_units(rmse),
            percent(r2),
            percent(coverage),
        ));
    }
    if let (Some(error), Some(nll), Some(auc)) = (score("error"), score("nll"), score("auc")) {
        text.push(format!(
            "In leave-one-out prediction {} of the rows are misclassified. The observed class has a predicted probability of \
             {} (geometric mean). The area under the ROC curve is {}.",
            percent(error),
            percent((-nll).exp()),
            rounded(auc),
        ));
    }
    text.extend(outcome.checks.as_ref().ok().map(verdict));
    html! { p.lead { (with_code(&unbroken(&text.join(" ")))) } }
}

/// The result of the checks as a sentence.
fn verdict(checks: &Checks) -> String {
    let found: Vec<(&str, f64)> =
        checks.checks.iter().filter_map(|c| Some((c.topic.name(), c.found.as_ref().ok()?.p))).collect();
    let against: Vec<String> = found
        .iter()
        .filter(|(_, p)| Against::of(*p) != Against::Nothing)
        .map(|(name, p)| format!("{name} (p = {})", describe::checks::probability(*p)))
        .collect();
    let hints = found.iter().all(|(_, p)| Against::of(*p) != Against::Clear);
    match (found.len(), against.len()) {
        (0, _) => "The residuals could not be checked.".into(),
        (n, 0) => format!("None of {n} checks of the residuals gives evidence against the model."),
        (n, k) => format!(
            "Of {n} checks of the residuals {k} {} {}evidence against the model: {}.",
            if k == 1 { "gives" } else { "give" },
            if hints { "weak " } else { "" },
            against.join(", ")
        ),
    }
}

fn data(outcome: &FitResults<'_>, numbering: &mut FigureNumbering) -> Section {
    let data = outcome.fit.problem().data();
    let summary = data.summary();
    let figure = Figure { title: String::new(), ..result_figures::dataset(data) };
    let size = match figure.panels.len() {
        1 => Size { width: WIDTH, height: 380 },
        _ => Size { width: WIDTH, ..Size::of(&figure) },
    };
    let body = html! {
        (table(&describe::columns_grid(&summary)))
        (points(&describe::remarks(&summary)))
        @if let Some(source) = &summary.source { (small(&format!("Source: {source}"))) }
        (numbering.figure(&figure, size, &format!("The data: {} against {}.", target(outcome.fit), inputs(outcome.fit))))
    };
    Section { id: "data", title: "Data", body }
}

fn model(outcome: &FitResults<'_>) -> Section {
    let fit = outcome.fit;
    let kernel = Some(&fit.asked.kernel).filter(|kernel| !is_zero_kernel(kernel));
    let mean = match &fit.asked.mean {
        Mean::Zero => None,
        Mean::Constant(_) => Some("μ".to_string()),
        Mean::Linear(_) => Some("a + bx".to_string()),
        Mean::Function(mean) => Some(format!("({})(x)", mean.function.source())),
    };
    let steps: Vec<String> = fit.asked.steps.iter().map(step_text).collect();
    let found: Vec<String> =
        describe::powers(fit).into_iter().map(|(name, x)| format!("λ of {name} = {}", rounded(x))).collect();
    let noise = match fit.asked.noise() {
        Some(Noise::Known(known)) => {
            format!("ε is noise of {}.", known.described().replace('`', ""))
        }
        Some(Noise::Variance(_)) if fit.noise() == Some(0.0) => {
            "There is no noise ε besides that of the kernel.".into()
        }
        Some(Noise::Variance(_)) => "ε is Gaussian noise with one variance for all rows.".into(),
        None => classes_sentence(fit),
    };
    let body = html! {
        (mathml::model(target(fit), fit.problem().classes().zip(fit.model.bernoulli()).map(|(c, how)| (c.positive(), how.link())), mean.as_deref(), kernel))
        p {
            @if kernel.is_some() {
                i { "f" } " is a Gaussian process with the covariance function " i { "k" } ". A sum of kernels is the kernel \
                 of a sum of independent functions. A product of kernels correlates two rows only if every factor does. "
            } @else {
                i { "f" } " is a parametric function. Its parameters are estimated by maximum likelihood. "
            }
            (noise)
            @if !steps.is_empty() { " The data are first transformed by " code { (steps.join(" >> ")) } "." }
            @if !found.is_empty() { " The likelihood gives these powers: " (found.join(", ")) "." }
        }
        h3 { "Expression" }
        (code(&kernel.map_or_else(|| fit.asked.process().to_string(), |kernel| kernel.heading())))
        h3 { "Expression with fitted values" }
        (code(&fit.model.to_string()))
        @if let Some(kernel) = kernel {
            h3 { "LaTeX" }
            (code(&kernel.latex()))
            h3 { "LaTeX with the formula of each kernel" }
            (code(&kernel.latex_formula()))
        }
    };
    Section { id: "model", title: "Model", body }
}

/// The link function and the inference method of a classifier, as a sentence.
fn classes_sentence(fit: &Fit) -> String {
    let link = match fit.model.bernoulli().map(Bernoulli::link) {
        Some(Link::Logistic) => "σ is the logistic function",
        _ => "Φ is the standard normal distribution function",
    };
    let how = match fit.model.bernoulli() {
        Some(Bernoulli::Laplace(_)) => "Laplace's method",
        _ => "expectation propagation",
    };
    format!("{link}. The posterior of f given the classes is approximated by {how}.")
}

/// The caption of the figure of the fit.
fn fit_caption(fit: &Fit) -> &'static str {
    let problem = fit.problem();
    let numeric = |name: &String| problem.data().column(name).is_some_and(|column| !column.is_categories());
    match (problem.classes().is_some(), problem.names()) {
        (true, [one]) if numeric(one) => {
            "The predicted probability of the positive class. The band shows ±2 posterior standard deviations of the latent \
             function, passed through the link function. Points are the observed classes."
        }
        (true, [one, other]) if numeric(one) && numeric(other) => {
            "The predicted probability of the positive class over the two inputs. The line is the decision boundary, where it is \
             one half. Points are the rows of the two classes."
        }
        (true, _) => {
            "Calibration of the leave-one-out probabilities: the share of positive rows against the predicted probability in \
             bins, with 95 % intervals. The points of a calibrated model lie near the diagonal. Right: the number of rows in \
             each bin."
        }
        (false, [one]) if numeric(one) => {
            "The data, the posterior mean, and the interval that holds 95 % of new observations, noise included. It extends \
             beyond the range of the data."
        }
        _ => "Posterior mean against observed value for each row. Rows on the diagonal are fitted exactly.",
    }
}

fn whole(outcome: &FitResults<'_>, numbering: &mut FigureNumbering) -> Section {
    let fit = outcome.fit;
    let body = match result_figures::fit_beyond(fit, BandOf::Y, BEYOND) {
        Ok(figure) => {
            let figure = Figure { title: String::new(), ..figure };
            let square = figure.panels.iter().any(|panel| panel.square);
            let size = match (square, figure.panels.len()) {
                (true, 1) => Size { width: 600, height: 560 },
                (true, _) => Size { width: WIDTH, height: 450 },
                _ => Size { width: WIDTH, height: 440 },
            };
            numbering.figure(&figure, size, fit_caption(fit))
        }
        Err(error) => missing("The fit could not be drawn", &error),
    };
    let title = if fit.problem().names().len() == 1 { "Fit and extrapolation" } else { "Fit" };
    Section { id: "whole", title, body }
}

fn residuals(outcome: &FitResults<'_>, numbering: &mut FigureNumbering) -> Section {
    let body = match (&outcome.checks, results::residuals(outcome.fit)) {
        (Ok(checks), Ok(left)) => html! {
            p { (verdict(checks)) }
            (numbering.figure(&residuals_figure(&left, checks), Size { width: WIDTH, height: 340 },
                "The residuals, and the ordered leave-one-out residuals against normal quantiles. If the model is right, 95 % of \
                 them lie inside the band."))
            (table(&checks_grid(checks)))
            (small(&format!(
                "The statistics of the residuals are compared with those of {} data sets drawn from the model (seed {}). p: {P_MEANS}",
                checks.draws, checks.seed
            )))
        },
        (Err(error), _) => missing("The residuals were not checked", error),
        (_, Err(error)) => missing("There are no residuals", &error),
    };
    Section { id: "residuals", title: "Residuals", body }
}

fn parameters(outcome: &FitResults<'_>) -> Section {
    let fit = outcome.fit;
    let ended = match fit.ended {
        Some(ended) => format!(
            "The values maximise the {}. The optimiser has {ended}; the largest component of the gradient is {:.1e}. \
             Standard errors come from the curvature at this point.",
            describe::maximized(fit),
            fit.gradient_size
        ),
        None => "The values are those that were given; nothing was fitted.".into(),
    };
    let body = html! {
        (table(&describe::parameters_grid(fit)))
        (small(&ended))
    };
    Section { id: "parameters", title: "Parameters", body }
}

fn again(outcome: &FitResults<'_>, source: &Source, made: &Markup) -> Section {
    let fit = outcome.fit;
    let body = html! {
        (made)
        @if fit.ended.is_some() {
            p { "This script uses the fitted values and does not optimise again:" }
        } @else {
            p { "This script makes the same model:" }
        }
        (code(&script::conditioning(fit, source)))
        @if source.expression.is_none() {
            (small("the data are not those of a file or of a data set of the program as they were loaded"))
        }
        p { "Written with mercer " (env!("CARGO_PKG_VERSION")) ", seed " (fit.options.seed) "." }
    };
    Section { id: "again", title: "Reproduction", body }
}
