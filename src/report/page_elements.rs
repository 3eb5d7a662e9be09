//! Figures, tables and text as parts of a page.

use maud::{Markup, PreEscaped, html};

use crate::describe::Grid;
use crate::figure::{Figure, Size, to_svg};

/// Numbers figures as they come.
#[derive(Debug, Default)]
pub struct FigureNumbering {
    figures: usize,
}

impl FigureNumbering {
    /// A figure with its number and what it shows. One that cannot be drawn is left out.
    pub fn figure(&mut self, figure: &Figure, size: Size, caption: &str) -> Markup {
        let Ok(svg) = to_svg(figure, size) else { return html! {} };
        self.figures += 1;
        // Names of clips are those of their places, which figures of one page share.
        let own = |before: &str| format!("{before}figure{}-", self.figures);
        let svg = svg.replace("id=\"axes-", &own("id=\"")).replace("\"url(#axes-", &own("\"url(#"));
        html! {
            figure {
                // drawn by our own figures, their text escaped there
                div.wide tabindex="0" { (PreEscaped(svg)) }
                figcaption { b { "Figure " (self.figures) "." } " " (caption) }
            }
        }
    }
}

/// A table, numbers to the right.
pub fn table(grid: &Grid) -> Markup {
    let class = |column: usize| if grid.is_numeric(column) { "number" } else { "text" };
    html! {
        div.wide tabindex="0" {
            table {
                thead { tr {
                    @for (i, heading) in grid.headings().iter().enumerate() { th class=(class(i)) scope="col" { (heading) } }
                } }
                tbody {
                    @for row in grid.rows() {
                        tr { @for (i, cell) in row.iter().enumerate() { td class=(class(i)) { (cell) } } }
                    }
                }
            }
        }
    }
}

/// Text to be copied.
pub fn code(text: &str) -> Markup {
    html! { pre tabindex="0" { code { (text) } } }
}

/// Small print.
pub fn small(text: &str) -> Markup {
    html! { p.small { (sentence(text)) } }
}

/// Why something is not there.
pub fn missing(what: &str, why: &dyn std::fmt::Display) -> Markup {
    html! { p.missing { (what) ": " (why.to_string()) "." } }
}

/// Points that are not told as one text.
pub fn points(all: &[String]) -> Markup {
    html! { @if !all.is_empty() { ul { @for text in all { li { (text) } } } } }
}

/// With numbers that stay on the line of their percent sign.
pub fn unbroken(text: &str) -> String {
    text.replace(" %", "\u{a0}%")
}

/// As a sentence, with a capital letter at its beginning and a full stop at its end. A name that is quoted stays as it is.
pub fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    let first: String = letters.next().map_or_else(String::new, |c| c.to_uppercase().collect());
    let stop = if text.ends_with(['.', '!', '?', ':']) { "" } else { "." };
    unbroken(&format!("{first}{}{stop}", letters.as_str()))
}
