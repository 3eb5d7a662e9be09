//! The sections that tell of a fit.

use std::sync::Arc;

use maud::{Markup, html};

use super::document::{Number, Report, Section, Source};
use super::page_elements::{FigureNumbering, code, missing, points, sentence, small, table, unbroken};
use super::{mathml, script};
use crate::describe::checks::{Against, P_MEANS, checks_grid, residuals_figure};
use crate::describe::english::{FitDescription, PartDescription, fit_description};
use crate::describe::figure_labels::{BEYOND, axis_label};
use crate::describe::result_figures::{self, BandOf};
use crate::describe::{self, Grid, part_figures, percent, rounded};
use crate::figure::{Figure, Panel, Size};
use crate::fit::Fit;
use crate::model::{Bernoulli, Link, Mean, Noise, is_nothing, step_text};
use crate::results::{self, At, By, Checks, DRAWS, Decomposition, Score};

pub(super) const WIDTH: u32 = 860;
/// Parts that have a figure of their own.
const MOST_FIGURES: usize = 24;

/// The report of a fit.
pub fn of_fit(fit: &Arc<Fit>, source: &Source) -> Report {
    let made = match fit.ended {
        Some(_) => html! {
            p { "The same fit, from the same seed:" }
            (code(&script::fitting(fit, source)))
        },
        None => html! {},
    };
    with_sections(fit, source, |_| Vec::new(), &made)
}

/// The report of a fit with more sections after that of the data, and with how it was made.
pub(super) fn with_sections(
    fit: &Arc<Fit>,
    source: &Source,
    more: impl FnOnce(&mut FigureNumbering) -> Vec<Section>,
    made: &Markup,
) -> Report {
    let outcome = FitResults::new(fit, source.seed);
    let mut numbering = FigureNumbering::default();
    let mut sections =
        vec![Section { id: "brief", title: "In brief", body: brief(&outcome) }, data(&outcome, &mut numbering)];
    sections.extend(more(&mut numbering));
    sections.extend([
        model(&outcome),
        components(&outcome, &mut numbering),
        whole(&outcome, &mut numbering),
        residuals(&outcome, &mut numbering),
        parameters(&outcome),
    ]);
    if !fit.hints.is_empty() {
        sections.push(Section { id: "notes", title: "To be looked at", body: points(&fit.hints) });
    }
    sections.push(again(&outcome, source, made));
    Report { title: title(fit), subtitle: subtitle(fit), numbers: numbers(&outcome), sections }
}

/// What several sections speak of.
pub(super) struct FitResults<'a> {
    pub fit: &'a Arc<Fit>,
    description: FitDescription,
    decomposition: Result<Decomposition, String>,
    checks: Result<Checks, String>,
    score: Option<Score>,
}

impl<'a> FitResults<'a> {
    fn new(fit: &'a Arc<Fit>, seed: u64) -> Self {
        Self {
            fit,
            description: fit_description(fit),
            decomposition: results::decompose(fit, At::Training, By::Term).map_err(|e| e.to_string()),
            checks: results::checks(fit, DRAWS, seed).map_err(|e| e.to_string()),
            score: results::score_leave_one_out(fit).ok(),
        }
    }

    /// A value with the unit of the target as it is given.
    fn in_units(&self, value: f64) -> String {
        let unit = self.fit.problem().data().target().and_then(|t| t.unit());
        with_unit(value, unit)
    }
}

fn with_unit(value: f64, unit: Option<&str>) -> String {
    format!("{}{}", rounded(value), unit.map_or(String::new(), |unit| format!(" {unit}")))
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

/// What stands below the title.
fn numbers(outcome: &FitResults<'_>) -> Vec<Number> {
    let fit = outcome.fit;
    let number = |name, value: String| Number { name, value, unit: None };
    let mut all = vec![number("rows", fit.problem().n().to_string())];
    let explained = outcome.score.as_ref().and_then(|score| score.get("r2"));
    if let Some(r2) = explained.filter(|r2| r2.is_finite()) {
        all.push(number("explained, each row left out", percent(r2)));
    }
    if let Some(error) = outcome.score.as_ref().and_then(|score| score.get("error")) {
        all.push(number("in the wrong class, each row left out", percent(error)));
    }
    if let Some(noise) = fit.noise().filter(|noise| *noise > 0.0) {
        let target = fit.problem().pipeline().target();
        let unit = target.unit(fit.problem().data().target().and_then(|t| t.unit()));
        all.push(Number { unit, ..number("standard deviation of the noise", rounded(noise.sqrt())) });
    }
    all.push(number("log marginal likelihood", format!("{:.2}", fit.lml())));
    all.push(number("BIC", format!("{:.2}", fit.bic)));
    all.push(number("free parameters", fit.free.to_string()));
    all
}

/// The model in a paragraph.
fn brief(outcome: &FitResults<'_>) -> Markup {
    let mut text = vec![format!("{}.", outcome.description.heading.trim_end_matches(['.', ':']))];
    if let Some(part) = outcome.description.parts.first() {
        let share = part.share.map_or(String::new(), |share| format!(", {} of the variance", percent(share)));
        text.push(match outcome.description.parts.len() {
            1 => format!("It is {}{share}.", part.meaning),
            _ => format!("The part that matters most is {}{share}: {}.", part.name, part.meaning),
        });
    }
    let score = |name| outcome.score.as_ref().and_then(|score| score.get(name));
    if let (Some(rmse), Some(r2), Some(coverage)) = (score("rmse"), score("r2"), score("coverage")) {
        text.push(format!(
            "Each row left out in turn is predicted with an error of {} (root mean square), {} of the variance explained; \
             {} of the rows lie within two standard deviations, where 95.4 % are expected.",
            outcome.in_units(rmse),
            percent(r2),
            percent(coverage),
        ));
    }
    if let (Some(error), Some(nll), Some(auc)) = (score("error"), score("nll"), score("auc")) {
        text.push(format!(
            "Each row left out in turn, {} are put into the wrong class; the class that came had a probability of {} \
             (geometric mean), and of two rows of different classes the right one is the more probable in {}.",
            percent(error),
            percent((-nll).exp()),
            percent(auc),
        ));
    }
    text.extend(outcome.checks.as_ref().ok().map(verdict));
    html! { p.lead { (unbroken(&text.join(" "))) } }
}

/// What the checks come to, in a sentence.
fn verdict(checks: &Checks) -> String {
    let found: Vec<(&str, f64)> =
        checks.checks.iter().filter_map(|c| Some((c.topic.name(), c.found.as_ref().ok()?.p))).collect();
    let against: Vec<String> = found
        .iter()
        .filter(|(_, p)| Against::of(*p) != Against::Nothing)
        .map(|(name, p)| format!("{name} (p = {})", describe::checks::probability(*p)))
        .collect();
    match (found.len(), against.len()) {
        (0, _) => "The residuals could not be checked.".into(),
        (n, 0) => format!("None of {n} checks of the residuals speaks against the model."),
        (n, k) => format!(
            "Of {n} checks of the residuals {k} {} against the model: {}.",
            if k == 1 { "speaks" } else { "speak" },
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
    Section { id: "data", title: "The data", body }
}

fn model(outcome: &FitResults<'_>) -> Section {
    let fit = outcome.fit;
    let kernel = Some(&fit.asked.kernel).filter(|kernel| !is_nothing(kernel));
    let mean = match fit.asked.mean {
        Mean::Zero => None,
        Mean::Constant(_) => Some("μ"),
        Mean::Linear(_) => Some("a + bx"),
    };
    let steps: Vec<String> = fit.asked.steps.iter().map(step_text).collect();
    let found: Vec<String> =
        describe::powers(fit).into_iter().map(|(name, x)| format!("λ of {name} is {}", rounded(x))).collect();
    let noise = match fit.asked.noise() {
        Some(Noise::Known(known)) => {
            format!("ε is noise of {}.", known.described().replace('`', ""))
        }
        Some(Noise::Variance(_)) if fit.noise() == Some(0.0) => {
            "There is no noise ε besides what is in the kernel.".into()
        }
        Some(Noise::Variance(_)) => "ε is Gaussian noise of one variance.".into(),
        None => classes_sentence(fit),
    };
    let body = html! {
        (mathml::model(target(fit), fit.problem().classes().zip(fit.model.bernoulli()).map(|(c, how)| (c.positive(), how.link())), mean, kernel))
        p {
            @if kernel.is_some() {
                i { "f" } " is a Gaussian process. Its kernel " i { "k" } " says which functions are likely: in a sum functions \
                 are added, in a product one shapes another. "
            } @else {
                i { "f" } " is a function of parameters alone, which are those of the greatest likelihood. "
            }
            (noise)
            @if !steps.is_empty() { " Before that the data are changed by " code { (steps.join(" >> ")) } "." }
            @if !found.is_empty() { " There " (found.join(", ")) ", by the likelihood." }
        }
        h3 { "As an expression" }
        (code(&kernel.map_or_else(|| fit.asked.process().to_string(), |kernel| kernel.heading())))
        h3 { "With its fitted values" }
        (code(&fit.model.to_string()))
        @if let Some(kernel) = kernel {
            h3 { "In LaTeX" }
            (code(&kernel.latex()))
            h3 { "In LaTeX, with the formula of each kernel" }
            (code(&kernel.latex_formula()))
        }
    };
    Section { id: "model", title: "The model", body }
}

/// How classes come of the function, in words.
fn classes_sentence(fit: &Fit) -> String {
    let link = match fit.model.bernoulli().map(Bernoulli::link) {
        Some(Link::Logistic) => "σ is the logistic function",
        _ => "Φ is the distribution function of the standard normal",
    };
    let how = match fit.model.bernoulli() {
        Some(Bernoulli::Laplace(_)) => "Laplace's method",
        _ => "expectation propagation",
    };
    format!("{link}; what the classes say of f is found by {how}.")
}

fn components(outcome: &FitResults<'_>, numbering: &mut FigureNumbering) -> Section {
    let body = match &outcome.decomposition {
        Ok(decomposition) => match part_figures::panels(decomposition, BEYOND) {
            Ok(panels) => each(outcome, decomposition, panels, numbering),
            Err(error) => missing("The parts cannot be shown", &error),
        },
        Err(error) => html! {
            (missing("The parts cannot be taken apart", error))
            @for part in &outcome.description.parts { h3 { (part.name) } (meaning(part)) }
        },
    };
    Section {
        id: "parts",
        title: if outcome.description.parts.len() == 1 { "Its one part" } else { "Its parts" },
        body,
    }
}

fn each(outcome: &FitResults<'_>, all: &Decomposition, panels: Vec<Panel>, numbering: &mut FigureNumbering) -> Markup {
    let mut panels: Vec<Option<Panel>> = panels.into_iter().map(Some).collect();
    // What looks at many inputs at once has no picture of its own.
    let place = |part: &PartDescription| {
        let at = all.components.iter().position(|c| c.kernel == part.kernel)?;
        (1..=2).contains(&all.inputs_of(at).len()).then_some(at)
    };
    html! {
        @match gains(outcome) {
            Some(grid) => {
                (table(&grid))
                (small("in the order in which they lower the error on rows left out most; share: variance of a part's mean over \
                        that of the target, and shares need not add to 100 %; error: the mean absolute one of this part and \
                        those before it"))
            }
            None => {
                (table(&describe::decomposition_grid(all)))
                (small(describe::share_means(all)))
            }
        }
        (points(&describe::entangled(all)))
        @for (i, part) in outcome.description.parts.iter().enumerate() {
            article {
                h3 {
                    (part.name)
                    @if let Some(share) = part.share { " " span.share { (percent(share)) } }
                }
                (meaning(part))
                @if let Some(mut panel) = place(part).and_then(|at| panels.get_mut(at)?.take()).filter(|_| i < MOST_FIGURES) {
                    ({
                        panel.title.clear();
                        let height = if panel.square { 480 } else { 290 };
                        let figure = Figure::single("", panel);
                        numbering.figure(&figure, Size { width: WIDTH, height }, &caption(outcome, part))
                    })
                }
            }
        }
        @if outcome.description.parts.len() > MOST_FIGURES {
            (small(&format!("the figures of the first {MOST_FIGURES} parts are shown")))
        }
        (by_input(outcome, all, numbering))
    }
}

/// The same fit taken apart by what its parts look at, where that tells more.
fn by_input(outcome: &FitResults<'_>, all: &Decomposition, numbering: &mut FigureNumbering) -> Markup {
    let whole =
        |parts: &Decomposition| (0..parts.components.len()).all(|at| (1..=2).contains(&parts.inputs_of(at).len()));
    if outcome.fit.problem().names().len() < 2 || whole(all) {
        return html! {};
    }
    let Ok(parts) = results::decompose(outcome.fit, At::Training, By::Input) else { return html! {} };
    let shown: Vec<usize> = (0..parts.components.len())
        .filter(|at| (1..=2).contains(&parts.inputs_of(*at).len()))
        .take(MOST_FIGURES)
        .collect();
    let Ok(panels) = part_figures::panels(&parts, BEYOND) else { return html! {} };
    let panels: Vec<Panel> =
        panels.into_iter().enumerate().filter(|(at, _)| shown.contains(at)).map(|(_, panel)| panel).collect();
    if panels.len() < 2 {
        return html! {};
    }
    let rows = u32::try_from(panels.len().div_ceil(2)).unwrap_or(u32::MAX).min(20);
    let figure = Figure::grid("", 2, panels);
    html! {
        article {
            h3 { "By what they look at" }
            (table(&describe::decomposition_grid(&parts)))
            (numbering.figure(&figure, Size { width: WIDTH, height: rows * 230 + 40 },
                "What each input does by itself, with its band of two standard deviations and the data less all else."))
        }
    }
}

fn meaning(part: &PartDescription) -> Markup {
    html! { p { (sentence(&part.meaning)) @for text in &part.sentences { " " (unbroken(text)) } } }
}

/// What each part adds to those before it.
fn gains(outcome: &FitResults<'_>) -> Option<Grid> {
    let headings = ["part", "share", "takes of what remains", "explained so far", "error on rows left out"];
    let mut grid = Grid::new(headings);
    for part in &outcome.description.parts {
        let gain = part.gain.as_ref()?;
        let error = if gain.error.is_finite() { rounded(gain.error) } else { "–".into() };
        let shares = [gain.share, gain.of_rest, gain.explained].map(percent);
        grid.row([part.name.clone()].into_iter().chain(shares).chain([error]));
    }
    (outcome.description.parts.len() > 1).then_some(grid)
}

fn caption(outcome: &FitResults<'_>, part: &PartDescription) -> String {
    let beyond = if outcome.fit.problem().names().len() == 1 { ", and beyond them" } else { "" };
    format!("{} over the data{beyond}. The band is two standard deviations on either side.", part.name)
}

fn whole(outcome: &FitResults<'_>, numbering: &mut FigureNumbering) -> Section {
    let fit = outcome.fit;
    let body = match result_figures::fit_beyond(fit, BandOf::Y, BEYOND) {
        Ok(figure) => {
            let figure = Figure { title: String::new(), ..figure };
            let square = figure.panels.iter().any(|panel| panel.square);
            let (size, caption) = if square {
                let text = "Each row as it was observed and as the model has it; on the diagonal they are the same.";
                (Size { width: 600, height: 560 }, text)
            } else {
                let text = "The data, the posterior mean, and the band in which 95 % of new observations are expected, noise \
                            included; it goes on beyond the data.";
                (Size { width: WIDTH, height: 440 }, text)
            };
            numbering.figure(&figure, size, caption)
        }
        Err(error) => missing("The whole cannot be shown", &error),
    };
    let title = if fit.problem().names().len() == 1 { "The whole, and beyond the data" } else { "The whole" };
    Section { id: "whole", title, body }
}

fn residuals(outcome: &FitResults<'_>, numbering: &mut FigureNumbering) -> Section {
    let body = match (&outcome.checks, results::residuals(outcome.fit)) {
        (Ok(checks), Ok(left)) => html! {
            p { (verdict(checks)) }
            (numbering.figure(&residuals_figure(&left, checks), Size { width: WIDTH, height: 340 },
                "What the model leaves of the data, and its leave-one-out residuals in order against those of a normal \
                 distribution: inside the band if the model is right."))
            (table(&checks_grid(checks)))
            (small(&format!(
                "The statistics of the residuals beside those of {} sets of data that the model draws (seed {}). p: {P_MEANS}",
                checks.draws, checks.seed
            )))
        },
        (Err(error), _) => missing("The residuals cannot be checked", error),
        (_, Err(error)) => missing("There are no residuals", &error),
    };
    Section { id: "residuals", title: "What is left", body }
}

fn parameters(outcome: &FitResults<'_>) -> Section {
    let fit = outcome.fit;
    let ended = match fit.ended {
        Some(ended) => format!(
            "The values are those of greatest evidence. The fit has {ended}, with a largest gradient of {:.1e}; standard \
             errors come from the curvature there.",
            fit.gradient_size
        ),
        None => "The values were taken as they are given, without a fit.".into(),
    };
    let body = html! {
        (table(&describe::parameters_grid(fit)))
        (small(&ended))
    };
    Section { id: "parameters", title: "Its parameters", body }
}

fn again(outcome: &FitResults<'_>, source: &Source, made: &Markup) -> Section {
    let fit = outcome.fit;
    let body = html! {
        (made)
        @if fit.ended.is_some() {
            p { "The fitted model as it is, without searching for its values again:" }
        } @else {
            p { "The model with its values:" }
        }
        (code(&script::conditioning(fit, source)))
        @if source.expression.is_none() {
            (small("the data did not come as they are from a file or a set that ships with the program"))
        }
        p { "Written with mercer " (env!("CARGO_PKG_VERSION")) ", seed " (fit.options.seed) "." }
    };
    Section { id: "again", title: "How to get it again", body }
}
