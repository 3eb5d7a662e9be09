//! The given format of a file, and the detected one.

use encoding_rs::Encoding;

use super::notation::{Notation, Notations};
use super::records::{Layout, Separator};

/// The lines with the names of the columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Header {
    /// The first line, if it has no number and some later line has; a line of units may follow.
    #[default]
    Detect,
    Yes,
    No,
    /// This number of lines, whose texts are joined.
    Lines(usize),
}

/// The format of a file as given by the user. What is `None` is detected.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Format {
    pub separator: Option<Separator>,
    /// The decimal sign.
    pub decimal: Option<char>,
    /// The thousands separator; `Some(None)` for none.
    pub thousands: Option<Option<char>>,
    /// The number of lines above the table.
    pub skip: Option<usize>,
    /// The character that starts comments, `#` by default; `Some(None)` if there are none.
    pub comment: Option<Option<u8>>,
    pub encoding: Option<&'static Encoding>,
}

/// A byte with which no line starts.
const NO_COMMENT: u8 = 0x1e;

impl Format {
    pub(super) fn comment_byte(&self) -> u8 {
        self.comment.unwrap_or(Some(b'#')).unwrap_or(NO_COMMENT)
    }

    pub(super) fn notations(&self) -> Notations {
        Notation::allowed(self.decimal, self.thousands)
    }

    /// The arguments that specify the detected format, in the notation of the language.
    pub(super) fn found(&self, layout: Layout, notation: Notation, header: Option<usize>) -> Vec<String> {
        let mut found = Vec::new();
        // a comma and a tab are the default
        match layout.separator {
            _ if self.separator.is_some() => {}
            Separator::Byte(b',' | b'\t') => {}
            Separator::Byte(byte) => found.push(format!("sep=\"{}\"", char::from(byte))),
            Separator::Blanks => found.push("sep=\" \"".to_string()),
        }
        if self.decimal.is_none() && notation.decimal != '.' {
            found.push(format!("decimal=\"{}\"", notation.decimal));
        }
        if let (None, Some(sign)) = (self.thousands, notation.thousands) {
            found.push(format!("thousands=\"{sign}\""));
        }
        if self.skip.is_none() && layout.skip > 0 {
            found.push(format!("skip={}", layout.skip));
        }
        found.extend(header.map(|lines| format!("header={lines}")));
        found
    }
}
