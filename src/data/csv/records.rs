//! Records of a table: their separator, and how they are read in turn.

use std::cell::Cell;
use std::io::Read;
use std::rc::Rc;

use ::csv::{ByteRecord, Reader, ReaderBuilder};

use super::lines::{BLANKS_BECOME, Lines};
use super::text::{END, Text, error};
use crate::data::error::DataError;

/// The longest cell, in bytes.
const LONGEST_CELL: usize = 1 << 20;

/// The separator of fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Separator {
    Byte(u8),
    /// One or more blanks.
    Blanks,
}

impl Separator {
    /// The separators to try, the most specific first: commas also occur in numbers and prose, tabs hardly ever.
    pub(super) const CANDIDATES: [Self; 4] = [Self::Byte(b'\t'), Self::Byte(b';'), Self::Byte(b','), Self::Byte(b'|')];

    pub const COMMA: Self = Self::Byte(b',');

    /// The byte that the reader of records uses.
    pub(super) fn byte(self) -> u8 {
        match self {
            Self::Byte(byte) => byte,
            Self::Blanks => BLANKS_BECOME,
        }
    }
}

/// How the lines of a file form records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Layout {
    pub separator: Separator,
    /// The number of lines above the table.
    pub skip: usize,
    /// Lines that start with this byte are comments.
    pub comment: u8,
}

/// A reader of clean text.
pub(super) fn reader<R: Read>(text: R, delimiter: u8, comment: u8) -> Reader<R> {
    ReaderBuilder::new().delimiter(delimiter).has_headers(false).flexible(true).comment(Some(comment)).from_reader(text)
}

/// The fields of a record; its text was checked to be UTF-8 before.
pub(super) fn strings(record: &ByteRecord) -> impl Iterator<Item = &str> {
    record.iter().map(|field| std::str::from_utf8(field).unwrap_or_default())
}

/// Records of one width, each with the line at which it starts.
pub(super) struct Records<'f, R> {
    file: &'f str,
    reader: Reader<Lines<Text<R>>>,
    pending: Rc<Cell<usize>>,
    end: [u8; 3],
    record: ByteRecord,
    /// Width and line of the first record.
    first: Option<(usize, usize)>,
    /// The number of rows without values, which are skipped.
    pub empty: usize,
}

impl<'f, R: Read> Records<'f, R> {
    pub fn new(file: &'f str, source: R, layout: Layout) -> Self {
        let Layout { separator, skip, comment } = layout;
        let text = Text::new(source, comment);
        let pending = text.pending();
        let lines = Lines::new(text, skip, separator == Separator::Blanks);
        let [one, two] = *END;
        let reader = reader(lines, separator.byte(), comment);
        Self { file, reader, pending, end: [comment, one, two], record: ByteRecord::new(), first: None, empty: 0 }
    }

    pub fn next(&mut self) -> Result<Option<(usize, &ByteRecord)>, DataError> {
        loop {
            let more = self.reader.read_byte_record(&mut self.record).map_err(|e| match e.kind() {
                ::csv::ErrorKind::Io(e) => error(self.file, e),
                _ => DataError::Io { file: self.file.into(), reason: e.to_string() },
            })?;
            if !more {
                return Ok(None);
            }
            self.pending.set(0);
            let after = self.reader.position().line() as usize;
            // The reader's own position is before blank lines and comments. Every record ends in one line feed.
            let inner = self.record.as_slice().iter().filter(|&&b| b == b'\n').count();
            if self.record.as_slice().ends_with(&self.end) {
                return Err(DataError::Unclosed { file: self.file.into(), line: after.saturating_sub(inner).max(1) });
            }
            let line = after.saturating_sub(inner + 1).max(1);
            let found = self.record.len();
            let (expected, expected_line) = *self.first.get_or_insert((found, line));
            let blank =
                found == 1 && !self.record.as_slice().is_empty() && self.record.as_slice().trim_ascii().is_empty();
            if blank {
                if expected_line == line {
                    self.first = None;
                }
                continue;
            }
            if found != expected {
                let (file, runs_on) = (self.file.into(), inner > 0);
                return Err(DataError::Ragged { file, line, found, expected, expected_line, runs_on });
            }
            if let Some(column) = self.record.iter().position(|cell| cell.len() > LONGEST_CELL) {
                let (file, bytes) = (self.file.into(), self.record[column].len());
                return Err(DataError::LongCell { file, line, column: column + 1, bytes });
            }
            if expected > 1 && self.record.as_slice().iter().all(|&b| matches!(b, b' ' | b'\t')) {
                self.empty += 1;
                continue;
            }
            break Ok(Some((line, &self.record)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::LONGEST_CELL;
    use crate::data::{DataError, Options, parse};

    #[test]
    fn a_cell_without_end_is_refused() {
        let cell = "a".repeat(LONGEST_CELL + 1);
        match parse("f.csv", &format!("k,y\n{cell},1\nb,2\n"), &Options::default()) {
            Err(DataError::LongCell { line: 2, column: 1, bytes, .. }) => assert_eq!(bytes, LONGEST_CELL + 1),
            other => panic!("{:?}", other.map(|data| data.n())),
        }
    }
}
