//! A cell of a table: missing, a number, or text, and the kind of text.

use std::collections::HashSet;

use crate::calendar::{Digits, Order};

use super::notation::{Notation, Notations};

/// Words for missing values, in addition to blanks and NaN.
pub const MISSING_WORDS: [&str; 12] = ["NA", "N/A", "n/a", "na", "#N/A", "NULL", "null", "?", "-", "--", ".", "<NA>"];

/// The missing values of a file, and how its dates are read.
#[derive(Debug, Clone, Default)]
pub(super) struct Missing {
    words: HashSet<String>,
    numbers: Vec<f64>,
    /// The order of day, month and year in dates, if the user gave it.
    pub dates: Option<Order>,
    /// How numbers of six and eight digits are read.
    pub digits: Digits,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Cell<'t> {
    Missing,
    /// Finite or infinite, never NaN.
    Number(f64),
    Text(&'t str),
}

impl Missing {
    /// Words in addition to the default ones. A word that is a number matches all ways of writing it.
    pub(super) fn new(words: &[String]) -> Self {
        let numbers = words.iter().filter_map(|w| w.trim().parse().ok()).collect();
        Self {
            words: words.iter().map(|w| w.trim().to_string()).collect(),
            numbers,
            dates: None,
            digits: Digits::AsFound,
        }
    }

    /// The same with an order of day, month and year, and the reading of numbers with six or eight digits.
    pub(super) fn with_dates(self, dates: Option<Order>, digits: Digits) -> Self {
        Self { dates, digits, ..self }
    }

    /// Reads a cell whose numbers are in one notation.
    pub(super) fn read<'t>(&self, text: &'t str, notation: Notation) -> Cell<'t> {
        let text = text.trim();
        if self.is_word(text) {
            return Cell::Missing;
        }
        match notation.read(text) {
            Some(v) if v.is_nan() || self.numbers.contains(&v) => Cell::Missing,
            Some(v) => Cell::Number(v),
            None => Cell::Text(text),
        }
    }

    fn is_word(&self, text: &str) -> bool {
        text.is_empty() || (text.len() <= 4 && MISSING_WORDS.contains(&text)) || self.words.contains(text)
    }

    /// The notations in which a trimmed text is a number; `None` if it is a missing value.
    pub(super) fn notations(&self, text: &str) -> Option<Notations> {
        if self.is_word(text) {
            return None;
        }
        let found = Notation::of(text);
        if found == 0 {
            return Some(0);
        }
        // plain numbers are recognised quickly; others are rare
        let numbers = Notation::ALL.iter().enumerate().filter(|(bit, _)| found >> bit & 1 == 1);
        let first = numbers.clone().find_map(|(_, notation)| notation.read(text))?;
        if first.is_nan() {
            return None;
        }
        let missing = |v: f64| self.numbers.contains(&v);
        let named = !self.numbers.is_empty() && numbers.filter_map(|(_, n)| n.read(text)).any(missing);
        (!named).then_some(found)
    }
}

/// The number in a text with a sign before or after it: `12 %`, `$3.50`. `None` for other text.
pub(super) fn decorated(text: &str) -> Option<String> {
    let bare = text.trim_matches(['%', '$', '€', '£', ' ', '\u{a0}']);
    (bare.len() < text.len() && Notation::of(bare) != 0).then(|| bare.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_values_are_known_in_all_their_ways() {
        let usual = Missing::default();
        let plain = |missing: &Missing, text: &'static str| missing.read(text, Notation::PLAIN);
        for text in ["", "  ", "NA", "N/A", "NaN", "nan", "?", "null", "-", " NA ", "\u{a0}"] {
            assert_eq!(plain(&usual, text), Cell::Missing, "{text:?}");
            assert_eq!(usual.notations(text.trim()), None, "{text:?}");
        }
        assert_eq!(plain(&usual, " -1.5e3 "), Cell::Number(-1500.0));
        assert_eq!(plain(&usual, "-inf"), Cell::Number(f64::NEG_INFINITY));
        assert_eq!(plain(&usual, "none"), Cell::Text("none"));
        let more = Missing::new(&["-999".into(), "low".into()]);
        for text in ["-999.0", "low", "NA"] {
            assert_eq!(plain(&more, text), Cell::Missing);
        }
        assert_eq!((more.notations("-999,0"), usual.notations("none")), (None, Some(0)));
    }

    #[test]
    fn signs_beside_numbers_are_seen() {
        for (text, plain) in
            [("12 %", Some("12")), ("$3.50", Some("3.50")), ("1,5 €", Some("1,5")), ("red", None), ("1,5", None)]
        {
            assert_eq!(decorated(text).as_deref(), plain, "{text}");
        }
    }
}
