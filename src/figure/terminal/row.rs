//! A line of text cells with a fixed width.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::super::palette::{self, Rgb};
use super::super::spec::Role;
use super::super::text::clean;

/// The colour of a cell.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Ink {
    /// The default colour of the terminal.
    Plain,
    /// The colour of a role.
    Role(Role),
    /// The colour of a surface.
    Shade(Rgb),
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct Cell {
    /// The character; `None` in the second column of a wide one.
    glyph: Option<char>,
    /// The character without colour, if it differs.
    shade: Option<char>,
    ink: Ink,
}

const BLANK: Cell = Cell { glyph: Some(' '), shade: None, ink: Ink::Plain };

/// One line.
#[derive(Debug, Clone)]
pub(super) struct Row {
    cells: Vec<Cell>,
}

impl Row {
    pub fn new(width: usize) -> Self {
        Self { cells: vec![BLANK; width] }
    }

    /// A line that starts with `text`.
    pub fn of(text: &str, width: usize) -> Self {
        let mut row = Self::new(width);
        row.put(0, text, Ink::Plain);
        row
    }

    /// Writes from a column on; the part that does not fit is left out.
    pub fn put(&mut self, column: usize, text: &str, ink: Ink) {
        let mut at = column;
        for glyph in text.chars() {
            let wide = glyph.width().unwrap_or(0);
            if wide == 0 {
                continue;
            }
            if at + wide > self.cells.len() {
                return;
            }
            self.cells[at] = Cell { glyph: Some(glyph), shade: None, ink };
            for cell in &mut self.cells[at + 1..at + wide] {
                *cell = Cell { glyph: None, shade: None, ink };
            }
            at += wide;
        }
    }

    /// Writes so that the text ends before a column.
    pub fn put_end(&mut self, end: usize, text: &str, ink: Ink) {
        let text = fold(text, end.max(1), 1).pop().unwrap_or_default();
        self.put(end.saturating_sub(columns(&text)), &text, ink);
    }

    /// A cell of a surface: `share` from 0 to 1 as a shade, or its colour.
    pub fn put_shade(&mut self, column: usize, share: f64, colour: Rgb) {
        if let Some(cell) = self.cells.get_mut(column) {
            *cell = Cell { glyph: Some('█'), shade: Some(shade(share)), ink: Ink::Shade(colour) };
        }
    }

    /// Appends the line without trailing blanks.
    pub fn write(&self, out: &mut String, colour: bool) {
        let last = self.cells.iter().rposition(|c| c.glyph != Some(' ')).map_or(0, |i| i + 1);
        let mut current = None;
        for cell in &self.cells[..last] {
            let wanted = if colour { number(cell.ink) } else { None };
            if wanted != current {
                match wanted {
                    Some(n) => out.push_str(&format!("\u{1b}[38;5;{n}m")),
                    None => out.push_str("\u{1b}[0m"),
                }
                current = wanted;
            }
            let glyph = if colour { cell.glyph } else { cell.shade.or(cell.glyph) };
            out.extend(glyph);
        }
        if current.is_some() {
            out.push_str("\u{1b}[0m");
        }
    }
}

/// A shade of grey as a character.
pub(super) fn shade(share: f64) -> char {
    const SHADES: [char; 5] = ['·', '░', '▒', '▓', '█'];
    SHADES[((share.clamp(0.0, 1.0) * 5.0) as usize).min(4)]
}

/// The number of columns of a text.
pub(super) fn columns(text: &str) -> usize {
    text.width()
}

/// A text in at most `most` lines of `width` columns, broken at spaces; truncated with `…`.
pub(super) fn fold(text: &str, width: usize, most: usize) -> Vec<String> {
    let text = clean(text);
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        let full = lines.len() >= most;
        match lines.last_mut() {
            Some(line) if full || columns(line) + 1 + columns(word) <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ if full => break,
            _ => lines.push(word.to_string()),
        }
    }
    for line in &mut lines {
        if columns(line) > width {
            let mut kept = String::new();
            for c in line.chars() {
                if columns(&kept) + c.width().unwrap_or(0) + 1 > width {
                    break;
                }
                kept.push(c);
            }
            *line = kept.trim_end().to_string() + "…";
        }
    }
    lines
}

/// The colour number of an ink; `None` for the default colour of the terminal.
fn number(ink: Ink) -> Option<u8> {
    match ink {
        // Black would be invisible on a dark terminal.
        Ink::Plain | Ink::Role(Role::Data) => None,
        Ink::Role(role) => Some(palette::ansi(palette::colour(role))),
        Ink::Shade(rgb) => Some(palette::ansi(rgb)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_fold_by_columns() {
        assert_eq!(fold("one two three", 7, 2), ["one two", "three"]);
        assert_eq!(fold("one two three four", 7, 1), ["one tw…"]);
        assert_eq!(fold("中文中文", 5, 1), ["中文…"]);
    }

    #[test]
    fn a_row_keeps_its_width() {
        let mut row = Row::new(4);
        row.put(2, "中x", Ink::Plain);
        let mut out = String::new();
        row.write(&mut out, false);
        assert_eq!(out, "  中");
    }
}
