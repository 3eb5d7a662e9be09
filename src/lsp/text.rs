//! An open document: its text, and the conversion between its bytes and the positions of the protocol.

use lsp_types::{Position, PositionEncodingKind, Range, TextDocumentContentChangeEvent};

/// The unit in which the client counts the characters of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Encoding {
    /// Units of UTF-16, the default of the protocol.
    #[default]
    Utf16,
    /// Bytes of UTF-8.
    Utf8,
}

impl Encoding {
    /// The best of those that the client offers.
    pub fn negotiate(offered: &[PositionEncodingKind]) -> Self {
        if offered.contains(&PositionEncodingKind::UTF8) { Encoding::Utf8 } else { Encoding::Utf16 }
    }

    pub fn kind(self) -> PositionEncodingKind {
        match self {
            Encoding::Utf16 => PositionEncodingKind::UTF16,
            Encoding::Utf8 => PositionEncodingKind::UTF8,
        }
    }

    fn length(self, c: char) -> usize {
        match self {
            Encoding::Utf16 => c.len_utf16(),
            Encoding::Utf8 => c.len_utf8(),
        }
    }
}

/// A text with the starts of its lines.
#[derive(Debug, Clone)]
pub struct Text {
    text: String,
    lines: Vec<usize>,
    encoding: Encoding,
}

impl Text {
    pub fn new(text: String, encoding: Encoding) -> Self {
        let lines = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
        Self { text, lines, encoding }
    }

    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The text after a change.
    pub fn changed(self, change: TextDocumentContentChangeEvent) -> Self {
        let Some(range) = change.range else { return Self::new(change.text, self.encoding) };
        let start = self.byte(range.start);
        let end = self.byte(range.end).max(start);
        let mut text = self.text;
        text.replace_range(start..end, &change.text);
        Self::new(text, self.encoding)
    }

    /// The byte of a position. A column past the end of its line is the end of the line.
    pub fn byte(&self, position: Position) -> usize {
        let Some(&start) = self.lines.get(position.line as usize) else { return self.text.len() };
        let line = self.text[start..].split('\n').next().unwrap_or("");
        let mut count = 0;
        for (at, c) in line.char_indices() {
            if count >= position.character as usize {
                return start + at;
            }
            count += self.encoding.length(c);
        }
        start + line.len()
    }

    pub fn position(&self, byte: usize) -> Position {
        let byte = (0..=byte.min(self.text.len())).rev().find(|at| self.text.is_char_boundary(*at)).unwrap_or(0);
        let line = self.lines.partition_point(|start| *start <= byte) - 1;
        let column: usize = self.text[self.lines[line]..byte].chars().map(|c| self.encoding.length(c)).sum();
        Position::new(whole(line), whole(column))
    }

    pub fn range(&self, start: usize, end: usize) -> Range {
        Range::new(self.position(start), self.position(end.max(start)))
    }

    pub fn whole_range(&self) -> Range {
        self.range(0, self.text.len())
    }
}

fn whole(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(line: u32, character: u32) -> Position {
        Position::new(line, character)
    }

    #[test]
    fn positions_count_units_of_the_encoding() {
        let text = "σ🙂x\nb";
        for (encoding, column) in [(Encoding::Utf16, 3), (Encoding::Utf8, 6)] {
            let text = Text::new(text.into(), encoding);
            let byte = text.as_str().find('x').unwrap();
            assert_eq!((text.position(byte), text.byte(at(0, column))), (at(0, column), byte));
            assert_eq!((text.byte(at(0, 99)), text.byte(at(9, 0))), (7, 9));
            assert_eq!(text.position(9), at(1, 1));
        }
    }

    #[test]
    fn changes_replace_their_range() {
        let change =
            |text: &str, range| TextDocumentContentChangeEvent { range, range_length: None, text: text.into() };
        let text = Text::new("let x = 1\nx".into(), Encoding::Utf16);
        let text = text.changed(change("y + 1", Some(Range::new(at(1, 0), at(1, 1)))));
        assert_eq!(text.as_str(), "let x = 1\ny + 1");
        assert_eq!(text.changed(change("a", None)).as_str(), "a");
    }
}
