//! The page around the sections: header, key numbers, table of contents.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::document::Report;

/// Allows only the page's own style: browsers would not run any script.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'";
const STYLE: &str = include_str!("style.css");
/// The colours of figures, which depend on whether the page is light or dark; `--paper` is that of the page.
pub const FIGURE_STYLE: &str = include_str!("figures.css");

impl Report {
    /// The page. Equal reports give equal bytes.
    pub fn html(&self) -> String {
        html(self)
    }
}

fn html(report: &Report) -> String {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta name="generator" content=(concat!("mercer ", env!("CARGO_PKG_VERSION")));
                title { (report.title) }
                // a constant of the program
                style { (PreEscaped(STYLE)) (PreEscaped(FIGURE_STYLE)) }
            }
            body {
                (heading(report))
                (contents(report))
                main {
                    @for section in &report.sections {
                        section id=(section.id) {
                            h2 { (section.title) }
                            (section.body)
                        }
                    }
                }
            }
        }
    };
    printable(&page.into_string())
}

fn heading(report: &Report) -> Markup {
    html! {
        header {
            h1 { (report.title) }
            p.subtitle { (report.subtitle) }
            dl.numbers {
                @for number in &report.numbers {
                    div {
                        dt { (number.name) }
                        dd { (number.value) @if let Some(unit) = &number.unit { " " small { (unit) } } }
                    }
                }
            }
        }
    }
}

fn contents(report: &Report) -> Markup {
    html! {
        nav aria-label="Contents" {
            ol {
                @for section in &report.sections {
                    li { a href={ "#" (section.id) } { (section.title) } }
                }
            }
        }
    }
}

/// Removes characters that are not allowed in a document. Names of columns can contain any characters.
fn printable(text: &str) -> String {
    let forbidden = |c: char| (c.is_control() && c != '\n' && c != '\t') || matches!(c, '\u{fffe}' | '\u{ffff}');
    text.replace(forbidden, "\u{fffd}")
}
