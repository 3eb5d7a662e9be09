//! The section of the parts of a fit: their table, sentences and figures.

use maud::{Markup, html};

use super::document::Section;
use super::fit_results::FitResults;
use super::page_elements::{FigureNumbering, WIDTH, missing, points, sentence, small, table, unbroken, with_code};
use crate::describe::english::PartDescription;
use crate::describe::figure_labels::BEYOND;
use crate::describe::part_figures::{self, Scales};
use crate::describe::{self, Grid, percent, rounded};
use crate::figure::{Figure, Panel, Size};
use crate::fit::Fit;
use crate::results::{self, At, By, Decomposition};

/// The largest number of parts with their own figure.
const MOST_FIGURES: usize = 24;

pub(super) fn components(outcome: &FitResults<'_>, numbering: &mut FigureNumbering) -> Section {
    let body = match &outcome.decomposition {
        Ok(decomposition) => match part_figures::panels(decomposition, BEYOND, Some(Scales::Free)) {
            Ok(panels) => each(outcome, decomposition, panels, numbering),
            Err(error) => missing("The parts could not be drawn", &error),
        },
        Err(error) => html! {
            (missing("The fit could not be decomposed", error))
            @for part in &outcome.description.parts { h3 { (part.name) } (meaning(part)) }
        },
    };
    Section { id: "parts", title: if outcome.description.parts.len() == 1 { "The one part" } else { "Parts" }, body }
}

fn each(outcome: &FitResults<'_>, all: &Decomposition, panels: Vec<Panel>, numbering: &mut FigureNumbering) -> Markup {
    let mut panels: Vec<Option<Panel>> = panels.into_iter().map(Some).collect();
    // A part with more than two inputs has no figure.
    let place = |part: &PartDescription| {
        let at = all.components.iter().position(|c| c.kernel == part.kernel)?;
        has_figure(all, at).then_some(at)
    };
    html! {
        @match gains(outcome) {
            Some(grid) => {
                (table(&grid))
                (small(&gain_notes(outcome.fit)))
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

/// Whether a part has a figure: if it has one or two inputs, at most one of which is categorical.
fn has_figure(parts: &Decomposition, at: usize) -> bool {
    (1..=2).contains(&parts.inputs_of(at).len()) || parts.categorical_input_of(at).is_some()
}

/// The decomposition by inputs, if some part of the sum has no figure.
fn by_input(outcome: &FitResults<'_>, all: &Decomposition, numbering: &mut FigureNumbering) -> Markup {
    let whole = |parts: &Decomposition| (0..parts.components.len()).all(|at| has_figure(parts, at));
    if outcome.fit.problem().names().len() < 2 || whole(all) {
        return html! {};
    }
    let Ok(parts) = results::decompose(outcome.fit, At::Training, By::Input) else { return html! {} };
    let shown: Vec<usize> =
        (0..parts.components.len()).filter(|at| has_figure(&parts, *at)).take(MOST_FIGURES).collect();
    let Ok(panels) = part_figures::panels(&parts, BEYOND, Some(Scales::Shared)) else { return html! {} };
    let panels: Vec<Panel> =
        panels.into_iter().enumerate().filter(|(at, _)| shown.contains(at)).map(|(_, panel)| panel).collect();
    if panels.len() < 2 {
        return html! {};
    }
    let rows = u32::try_from(panels.len().div_ceil(2)).unwrap_or(u32::MAX).min(20);
    let figure = Figure::grid("", 2, panels);
    html! {
        article {
            h3 { "Parts by input" }
            (table(&describe::decomposition_grid(&parts)))
            (numbering.figure(&figure, Size { width: WIDTH, height: rows * 230 + 40 },
                "The effect of each input: posterior mean, ±2 posterior standard deviations, and partial residuals."))
        }
    }
}

fn meaning(part: &PartDescription) -> Markup {
    html! { p { (with_code(&sentence(&part.meaning))) @for text in &part.sentences { " " (with_code(&unbroken(text))) } } }
}

/// The contribution of each part in addition to the parts before it.
fn gains(outcome: &FitResults<'_>) -> Option<Grid> {
    let headings = ["part", "share", "share of the remainder", "explained so far", "error on left-out rows"];
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
    let beyond = if outcome.fit.problem().names().len() == 1 { " over the range of the data and beyond" } else { "" };
    format!("The posterior mean of {}{beyond}, with ±2 posterior standard deviations.", part.name)
}

/// The note below the table of parts.
fn gain_notes(fit: &Fit) -> String {
    let (of, error) = match fit.problem().classes() {
        Some(_) => ("the latent function's mean", "the mean negative log probability of the observed class"),
        None => ("the target", "the mean absolute error"),
    };
    format!(
        "The parts are ordered by how much they reduce the error on left-out rows. Share: variance of a part's posterior mean \
         over that of {of}; shares need not add to 100 %. Error: {error} of the sum of this part and those before it"
    )
}
