//! Colours, the size of a terminal, and truncated texts.

use console::Term;

/// The assumed size of a terminal that does not report it.
const COLUMNS: usize = 80;
const ROWS: usize = 24;

/// Whether to write in colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Colour {
    /// On a terminal, unless `NO_COLOR` is set or the terminal has no colours.
    #[default]
    Auto,
    On,
    Off,
}

impl Colour {
    pub fn on(self, term: &Term) -> bool {
        match self {
            Colour::On => true,
            Colour::Off => false,
            Colour::Auto => term.is_term() && !is_unwanted("NO_COLOR") && !console::is_dumb(),
        }
    }
}

/// Whether a variable that disables a feature is set and not empty.
fn is_unwanted(variable: &str) -> bool {
    std::env::var_os(variable).is_some_and(|value| !value.is_empty())
}

/// Columns and rows of a terminal.
pub fn size(term: &Term) -> (usize, usize) {
    match term.size_checked() {
        Some((rows, columns)) if rows > 0 && columns > 0 => (columns.into(), rows.into()),
        _ => (COLUMNS, ROWS),
    }
}

/// A text in an ANSI style such as `1;36`, or unchanged.
pub fn paint(text: &str, style: &str, colour: bool) -> String {
    if colour && !text.is_empty() { format!("\u{1B}[{style}m{text}\u{1B}[0m") } else { text.to_owned() }
}

/// A text truncated to a number of columns, with `…` at its end.
pub fn fit(text: &str, columns: usize) -> String {
    use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};
    if text.width() <= columns {
        return text.to_owned();
    }
    let mut out = String::new();
    let mut used = 1;
    for c in text.chars() {
        used += c.width().unwrap_or(0);
        if used > columns {
            break;
        }
        out.push(c);
    }
    if columns > 0 {
        out.push('…');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_cut_by_columns() {
        assert_eq!(fit("abc", 3), "abc");
        assert_eq!(fit("abcd", 3), "ab…");
        assert_eq!(fit("中文x", 4), "中…");
        assert_eq!(fit("abc", 0), "");
    }

    #[test]
    fn paint_leaves_plain_text_alone() {
        assert_eq!(paint("a", "1", false), "a");
        assert_eq!(paint("a", "1;36", true), "\u{1B}[1;36ma\u{1B}[0m");
        assert_eq!(paint("", "1", true), "");
    }
}
