//! Notations of numbers: the decimal sign and the thousands separator.

use serde::{Deserialize, Serialize};

/// A notation of numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Notation {
    /// `.` or `,`.
    pub decimal: char,
    /// `,`, `.`, a space or an apostrophe.
    pub thousands: Option<char>,
}

/// A set of notations, one bit for each of [`Notation::ALL`].
pub(super) type Notations = u8;

impl Notation {
    /// In order of preference if several read a file equally well. Plain numbers come first.
    pub(super) const ALL: [Self; 8] = [
        Self { decimal: '.', thousands: None },
        Self { decimal: '.', thousands: Some(',') },
        Self { decimal: ',', thousands: None },
        Self { decimal: ',', thousands: Some('.') },
        Self { decimal: '.', thousands: Some(' ') },
        Self { decimal: ',', thousands: Some(' ') },
        Self { decimal: '.', thousands: Some('\'') },
        Self { decimal: ',', thousands: Some('\'') },
    ];

    pub(super) const PLAIN: Self = Self::ALL[0];

    /// The possible thousands separators.
    pub const SEPARATORS: [char; 4] = [',', '.', ' ', '\''];

    /// The value of a trimmed text as a number.
    pub(super) fn read(self, text: &str) -> Option<f64> {
        if self.decimal == '.'
            && let Ok(value) = text.parse()
        {
            return Some(value);
        }
        let (negative, rest) = match text.strip_prefix(MINUS) {
            Some(rest) => (true, rest),
            None => (false, text.strip_prefix('+').unwrap_or(text)),
        };
        if !rest.starts_with(|c: char| c.is_ascii_digit() || c == self.decimal) {
            // the words for infinity and NaN
            return rest.bytes().all(|b| b.is_ascii_alphabetic()).then(|| rest.parse::<f64>().ok()).flatten().map(
                |v| {
                    if negative { -v } else { v }
                },
            );
        }
        let (mantissa, exponent) = match rest.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, Some(exponent)),
            None => (rest, None),
        };
        let (whole, fraction) = match mantissa.split_once(self.decimal) {
            Some((whole, fraction)) => (whole, fraction),
            None => (mantissa, ""),
        };
        if !fraction.bytes().all(|b| b.is_ascii_digit()) {
            return None;
        }
        let mut plain = String::with_capacity(text.len() + 2);
        plain.push_str(if negative { "-" } else { "" });
        plain.push_str(&self.ungrouped(whole)?);
        plain.push('.');
        plain.push_str(fraction);
        if let Some(exponent) = exponent {
            plain.push('e');
            plain.push_str(&exponent.replace(MINUS, "-"));
        }
        if whole.is_empty() && fraction.is_empty() { None } else { plain.parse().ok() }
    }

    /// The digits of a whole number without its thousands separators.
    fn ungrouped(self, whole: &str) -> Option<String> {
        let digits = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
        if digits(whole) {
            return Some(whole.to_string());
        }
        let separator = self.thousands?;
        let mut groups = whole.split(|c| is_separator(c, separator));
        let first = groups.next().filter(|g| (1..=3).contains(&g.len()) && !g.starts_with('0') && digits(g))?;
        let mut plain = first.to_string();
        for group in groups {
            if group.len() != 3 || !digits(group) {
                return None;
            }
            plain.push_str(group);
        }
        Some(plain)
    }

    /// The notations in which a trimmed text is a number.
    pub(super) fn of(text: &str) -> Notations {
        const ALL: Notations = Notations::MAX;
        let marks = |wanted: &[u8]| text.bytes().any(|b| wanted.contains(&b));
        if text.is_ascii() && !marks(b".,' ") {
            return if text.parse::<f64>().is_ok() { ALL } else { 0 };
        }
        if !text.bytes().any(|b| b.is_ascii_digit()) {
            return 0;
        }
        let mut found = 0;
        for (bit, notation) in Self::ALL.iter().enumerate() {
            if notation.read(text).is_some() {
                found |= 1 << bit;
            }
        }
        found
    }

    /// The notations consistent with what the user gave. `Some(None)` means no thousands separator.
    pub(super) fn allowed(decimal: Option<char>, thousands: Option<Option<char>>) -> Notations {
        let mut allowed = 0;
        for (bit, notation) in Self::ALL.iter().enumerate() {
            let fits =
                decimal.is_none_or(|d| d == notation.decimal) && thousands.is_none_or(|t| t == notation.thousands);
            allowed |= Notations::from(fits) << bit;
        }
        allowed
    }

    /// Whether one of two notations reads a comma as decimal sign and the other as thousands separator.
    pub(super) fn contradicts(self, other: Self) -> bool {
        let splits = |a: Self, b: Self| a.thousands == Some(b.decimal);
        splits(self, other) || splits(other, self)
    }
}

/// The hyphen, the minus sign, and the en dash.
const MINUS: [char; 3] = ['-', '\u{2212}', '\u{2013}'];

fn is_separator(c: char, separator: char) -> bool {
    match separator {
        ' ' => matches!(c, ' ' | '\u{a0}' | '\u{202f}' | '\u{2009}'),
        '\'' => matches!(c, '\'' | '\u{2019}'),
        other => c == other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_each_notation() {
        let n = |decimal, thousands| Notation { decimal, thousands };
        for (notation, text, value) in [
            (n('.', None), "-1.5e3", Some(-1500.0)),
            (n('.', None), "\u{2212}3", Some(-3.0)),
            (n('.', None), "1,5", None),
            (n('.', Some(',')), "1,234,567.8", Some(1_234_567.8)),
            (n('.', Some(',')), "0,123", None),
            (n('.', Some(',')), "12,34", None),
            (n(',', None), "1,5", Some(1.5)),
            (n(',', None), "-0,5E-3", Some(-0.0005)),
            (n(',', None), "1.5", None),
            (n(',', None), ",5", Some(0.5)),
            (n(',', None), ",", None),
            (n(',', Some('.')), "1.234,5", Some(1234.5)),
            (n(',', Some('.')), "1.234.567", Some(1_234_567.0)),
            (n(',', Some('.')), "01.02.2020", None),
            (n('.', Some(' ')), "12\u{202f}345.6", Some(12_345.6)),
            (n(',', Some(' ')), "\u{2212}1 234,5", Some(-1234.5)),
            (n('.', Some('\'')), "1\u{2019}234.5", Some(1234.5)),
            (n(',', None), "inf", Some(f64::INFINITY)),
            (n(',', None), "1,2,3", None),
            (n('.', None), "e5", None),
        ] {
            assert_eq!(notation.read(text), value, "{text} in {notation:?}");
        }
    }

    #[test]
    fn a_text_is_a_number_in_some_notations() {
        assert_eq!(Notation::of("12"), Notations::MAX);
        assert_eq!(Notation::of("red"), 0);
        assert_eq!(Notation::of("1 234"), Notation::allowed(None, Some(Some(' '))));
        assert_eq!(Notation::of("1,5"), Notation::allowed(Some(','), None));
        let both = Notation::of("1,234");
        assert_ne!(both & Notation::allowed(Some('.'), None), 0);
        assert_ne!(both & Notation::allowed(Some(','), None), 0);
        assert_eq!(both & 1, 0);
    }
}
