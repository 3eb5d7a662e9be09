//! The sections of the report of a search.

use maud::{Markup, html};

use super::document::{Report, Section, Source};
use super::page_elements::{FigureNumbering, WIDTH, code, missing, small, table};
use super::script;
use crate::describe::figure_labels::BEYOND;
use crate::describe::result_figures::BandOf;
use crate::describe::search::{models_grid, trace_grid};
use crate::describe::search_figures::{depths, scores, turning_points};
use crate::describe::{Grid, rounded};
use crate::figure::{Figure, Size};
use crate::search::{Candidate, Level, Reached, Search};

/// The number of displayed candidates per depth.
const MOST_CANDIDATES: usize = 6;
/// The number of models listed after the best.
const MOST_MODELS: usize = 20;

/// The report of a search: that of its best fit, with the trace of the search.
pub fn of_search(search: &Search, source: &Source) -> Report {
    let found = |numbering: &mut FigureNumbering| {
        vec![trace(search, numbering), by_depth(search, numbering), candidates(search), alternatives(search)]
    };
    let again = html! {
        p { "This script repeats the search from the same seed" (timed(search)) ":" }
        (code(&script::searching(search, source)))
    };
    super::fit_sections::with_sections(&search.best, source, found, &again)
}

/// A note that a search with a time budget depends on the speed of the machine.
fn timed(search: &Search) -> &'static str {
    if search.settings.budget.seconds.is_some() { " (with a time budget it may end at another model)" } else { "" }
}

fn tried(levels: &[Level]) -> usize {
    levels.iter().map(|level| level.candidates.len()).sum()
}

fn trace(search: &Search, numbering: &mut FigureNumbering) -> Section {
    let title = search.settings.criterion.title();
    let bases: Vec<String> = search.settings.base.iter().map(|kernel| kernel.heading()).collect();
    let moves: Vec<&str> = search.settings.moves.iter().map(|edit| edit.name()).collect();
    let text = format!(
        "The kernel was found by a greedy search over sums and products of {}. At each depth every subexpression of the \
         best expression is edited ({}), the candidates are fitted, and the best by {title} is kept. The search tried {} \
         candidates at {} depths with {} evaluations of the likelihood in {} s. End of the search: {}.",
        bases.join(", "),
        moves.join(", "),
        tried(&search.levels),
        search.levels.len(),
        search.evaluations,
        rounded(search.seconds),
        search.ended,
    );
    let begun = search.settings.begun_with().map(|model| {
        format!("The search began with {model}, beside these; every model has the steps, the noise and the mean of this one.")
    });
    let figure = Figure { title: String::new(), ..scores(search) };
    let body = html! {
        p { (text) }
        @if let Some(begun) = begun { p { (begun) } }
        (table(&trace_grid(search)))
        @if search.levels.len() > 1 {
            (numbering.figure(&figure, Size { width: WIDTH, height: 260 }, "The best score so far. Lower is better."))
        }
    };
    Section { id: "search", title: "Search", body }
}

fn by_depth(search: &Search, numbering: &mut FigureNumbering) -> Section {
    let body = match depths(search, BandOf::Y, BEYOND) {
        Ok(figure) => {
            let figure = Figure { title: String::new(), ..figure };
            let rows = figure.panels.len().div_ceil(figure.columns.max(1)) as u32;
            let row = if figure.panels.iter().any(|panel| panel.square) { 440 } else { 270 };
            let size = Size { width: WIDTH, height: rows * row + 40 };
            let caption = "The fit of the best model of each depth. Depths without an improvement are left out.";
            numbering.figure(&figure, size, caption)
        }
        Err(error) => missing("The fits could not be drawn", &error),
    };
    Section { id: "depths", title: "Fit at each depth", body }
}

fn candidates(search: &Search) -> Section {
    let changed: Vec<usize> = turning_points(search).iter().map(|level| level.depth).collect();
    let body = html! {
        p { "Candidates are screened by their likelihood at the starting values. The best are optimised for a few steps, \
             and the best of these until convergence. Only the last have a score." }
        @for level in &search.levels {
            article {
                h3 { "Depth " (level.depth) @if !changed.contains(&level.depth) { " " span.share { "no improvement" } } }
                (of_level(search, level))
            }
        }
    };
    Section { id: "candidates", title: "Candidates", body }
}

fn of_level(search: &Search, level: &Level) -> Markup {
    let mut grid = Grid::new(["expression", "edit", search.settings.criterion.title(), "log likelihood", "reached"]);
    for candidate in level.candidates.iter().take(MOST_CANDIDATES) {
        grid.row(cells(candidate));
    }
    let count = |of: fn(&Reached) -> bool| level.candidates.iter().filter(|c| of(&c.reached)).count();
    let counts = [
        ("fitted until convergence", count(|r| *r == Reached::Fitted)),
        ("optimised for a few steps", count(|r| *r == Reached::Raced)),
        ("screened", count(|r| *r == Reached::Screened)),
        ("failed", count(|r| matches!(r, Reached::Failed(_)))),
    ];
    let counts: Vec<String> = counts.iter().filter(|(_, n)| *n > 0).map(|(what, n)| format!("{n} {what}")).collect();
    html! {
        (table(&grid))
        (small(&counts.join(", ")))
    }
}

fn cells(candidate: &Candidate) -> [String; 5] {
    let number = |value: Option<f64>| value.map_or("–".to_string(), |value| format!("{value:.2}"));
    let reached = match &candidate.reached {
        Reached::Failed(why) => format!("failed: {why}"),
        reached => reached.name().to_string(),
    };
    // an operator is not separated from its operand
    let edit = if candidate.edit.len() < 24 { candidate.edit.replace(' ', "\u{a0}") } else { candidate.edit.clone() };
    [candidate.kernel.heading(), edit, number(candidate.score), number(candidate.lml), reached]
}

fn alternatives(search: &Search) -> Section {
    let body = html! {
        (table(&models_grid(search, MOST_MODELS)))
        (small("weight: exp(−score / 2), divided by its sum over all models"))
    };
    Section { id: "alternatives", title: "Other models", body }
}
