//! The given format of a file, and what is detected.

use encoding_rs::Encoding;

use super::notation::{Notation, Notations};
use super::records::{Layout, Separator};

/// Which lines name the columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Header {
    /// The first does if it holds no number while some later line does; a line of units may follow.
    #[default]
    Detect,
    Yes,
    No,
    /// So many lines, whose texts are joined.
    Lines(usize),
}

/// How a file is written, as far as it was said. What is `None` is found.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Format {
    pub separator: Option<Separator>,
    /// The decimal sign.
    pub decimal: Option<char>,
    /// What separates the thousands; `Some(None)` for nothing.
    pub thousands: Option<Option<char>>,
    /// How many lines stand above the table.
    pub skip: Option<usize>,
    /// The character that begins comments, `#` by default; `Some(None)` where there are none.
    pub comment: Option<Option<u8>>,
    pub encoding: Option<&'static Encoding>,
}

/// A byte that no line begins with.
const NO_COMMENT: u8 = 0x1e;

impl Format {
    pub(super) fn comment_byte(&self) -> u8 {
        self.comment.unwrap_or(Some(b'#')).unwrap_or(NO_COMMENT)
    }

    pub(super) fn notations(&self) -> Notations {
        Notation::allowed(self.decimal, self.thousands)
    }

    /// The arguments that would have said what was found, in the notation of the language.
    pub(super) fn found(&self, layout: Layout, notation: Notation, header: Option<usize>) -> Vec<String> {
        let mut found = Vec::new();
        // a comma and a tab are what such files have
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
