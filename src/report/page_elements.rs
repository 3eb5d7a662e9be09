//! Elements of a page: figures, tables, code, notes and lists.

use maud::{Markup, PreEscaped, html};

use crate::describe::Grid;
use crate::figure::{Figure, Size, to_svg};

/// The width of the figures of a report, in pixels.
pub(super) const WIDTH: u32 = 860;

/// The width of figures for narrow screens, in CSS pixels.
const NARROW: u32 = 380;

/// The number of figures on a page.
#[derive(Debug, Default)]
pub struct FigureNumbering {
    figures: usize,
}

impl FigureNumbering {
    /// A figure with its number and caption, drawn twice: for wide screens and print, and for narrow screens with its
    /// panels in one column. The style sheet shows one of the two. A figure that cannot be drawn is left out.
    pub fn figure(&mut self, figure: &Figure, size: Size, caption: &str) -> Markup {
        let stacked = Figure { columns: 1, ..figure.clone() };
        let (Ok(wide), Ok(narrow)) = (to_svg(figure, size), to_svg(&stacked, narrow_size(&stacked))) else {
            return html! {};
        };
        self.figures += 1;
        // The names of clip paths are made from positions. Figures of one page must not share them.
        let own = |svg: &str, kind: &str| {
            let name = |before: &str| format!("{before}{kind}{}-", self.figures);
            svg.replace("id=\"axes-", &name("id=\"")).replace("\"url(#axes-", &name("\"url(#"))
        };
        html! {
            figure {
                // the figure room escapes the text of its figures
                div class="wide at-wide" tabindex="0" { (PreEscaped(own(&wide, "figure"))) }
                div class="at-narrow" { (PreEscaped(own(&narrow, "narrow"))) }
                figcaption { b { "Figure " (self.figures) "." } " " (with_code(caption)) }
            }
        }
    }
}

/// The size of a figure with its panels in one column.
fn narrow_size(figure: &Figure) -> Size {
    const PANEL: u32 = 250;
    const SQUARE: u32 = 400;
    const AROUND: u32 = 70;
    const TALLEST: u32 = 8000;
    let height = figure.panels.iter().map(|panel| if panel.square { SQUARE } else { PANEL }).sum::<u32>();
    Size { width: NARROW, height: height.saturating_add(AROUND).min(TALLEST) }
}

/// A table with numbers aligned to the right. On a narrow screen each row of a table with many columns becomes a list
/// of its cells with their headings.
pub fn table(grid: &Grid) -> Markup {
    let class = |column: usize| if grid.is_numeric(column) { "number" } else { "text" };
    let many = grid.headings().len() > 3;
    html! {
        div.wide tabindex="0" {
            table class=[many.then_some("many")] {
                thead { tr {
                    @for (i, heading) in grid.headings().iter().enumerate() { th class=(class(i)) scope="col" { (heading) } }
                } }
                tbody {
                    @for row in grid.rows() {
                        tr {
                            @for (i, cell) in row.iter().enumerate() {
                                td class=(class(i)) data-label=[grid.headings().get(i).filter(|_| many)] { (with_code(cell)) }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// The text, with text between backticks as code.
pub fn with_code(text: &str) -> Markup {
    let pieces: Vec<&str> = text.split('`').collect();
    // a single backtick is an ordinary character
    if pieces.len().is_multiple_of(2) {
        return html! { (text) };
    }
    html! {
        @for (i, piece) in pieces.iter().enumerate() {
            @if i % 2 == 1 { code { (piece) } } @else { (piece) }
        }
    }
}

/// A block of code.
pub fn code(text: &str) -> Markup {
    html! { pre tabindex="0" { code { (text) } } }
}

/// Small print.
pub fn small(text: &str) -> Markup {
    html! { p.small { (with_code(&sentence(text))) } }
}

/// A note that something is missing, with the reason.
pub fn missing(what: &str, why: &dyn std::fmt::Display) -> Markup {
    html! { p.missing { (what) ": " (with_code(&why.to_string())) "." } }
}

/// A list of sentences; empty if there are none.
pub fn points(all: &[String]) -> Markup {
    html! { @if !all.is_empty() { ul { @for text in all { li { (with_code(&sentence(text))) } } } } }
}

/// The text with a non-breaking space before each percent sign.
pub fn unbroken(text: &str) -> String {
    text.replace(" %", "\u{a0}%")
}

/// The text as a sentence: with an initial capital letter and a final full stop.
pub fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    let first: String = letters.next().map_or_else(String::new, |c| c.to_uppercase().collect());
    let stop = if text.ends_with(['.', '!', '?', ':']) { "" } else { "." };
    unbroken(&format!("{first}{}{stop}", letters.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::Panel;

    #[test]
    fn backticks_become_code() {
        assert_eq!(with_code("write `noise=0` <here>").into_string(), "write <code>noise=0</code> &lt;here&gt;");
        assert_eq!(with_code("a ` alone").into_string(), "a ` alone");
        let list = points(&["`mean` is not determined".into()]).into_string();
        assert_eq!(list, "<ul><li><code>mean</code> is not determined.</li></ul>");
    }

    #[test]
    fn narrow_figures_stand_one_below_another() {
        let figure = Figure::grid("", 2, vec![Panel::new("a", "b", Vec::new()), Panel::new("c", "d", Vec::new())]);
        let page = FigureNumbering::default().figure(&figure, Size { width: 860, height: 300 }, "Two").into_string();
        assert_eq!(page.matches("<svg").count(), 2);
        assert!(page.contains("viewBox=\"0 0 860 300\"") && page.contains("viewBox=\"0 0 380 570\""), "{page}");
    }
}
