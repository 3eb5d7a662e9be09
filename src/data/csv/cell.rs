//! One cell: missing, a number, or text, and which kind of text.

use std::collections::HashSet;

/// Read as missing wherever they stand, beside blanks and NaN.
pub const MISSING_WORDS: [&str; 12] = ["NA", "N/A", "n/a", "na", "#N/A", "NULL", "null", "?", "-", "--", ".", "<NA>"];

/// What stands for a missing value in one file.
#[derive(Debug, Clone, Default)]
pub(super) struct Missing {
    words: HashSet<String>,
    numbers: Vec<f64>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Cell<'t> {
    Missing,
    /// Finite or infinite, never NaN.
    Number(f64),
    Text(&'t str),
}

impl Missing {
    /// Further words than the usual ones. A word that is a number stands for every way of writing it.
    pub(super) fn new(words: &[String]) -> Self {
        let numbers = words.iter().filter_map(|w| w.trim().parse().ok()).collect();
        Self { words: words.iter().map(|w| w.trim().to_string()).collect(), numbers }
    }

    pub(super) fn read<'t>(&self, text: &'t str) -> Cell<'t> {
        let text = text.trim_ascii();
        if text.is_empty() || (text.len() <= 4 && MISSING_WORDS.contains(&text)) || self.words.contains(text) {
            return Cell::Missing;
        }
        match text.parse::<f64>() {
            Ok(v) if v.is_nan() || self.numbers.contains(&v) => Cell::Missing,
            Ok(v) => Cell::Number(v),
            Err(_) => Cell::Text(text),
        }
    }
}

/// What a number is dressed in, and the plain number: `1,234`, `1,5`, `12 %`, `$3.50`. `None` for other text.
pub(super) fn decorated(text: &str, delimiter: u8) -> Option<(&'static str, String)> {
    let bare = text.trim_matches(['%', '$', '€', '£', ' ']);
    let separated = bare.contains(',');
    if bare.len() == text.len() && !separated {
        return None;
    }
    let point = delimiter == b';' && bare.matches(',').count() == 1 && !bare.contains('.');
    let grouped = || {
        let digits = bare.trim_start_matches(['-', '+']);
        let whole = digits.split('.').next().unwrap_or(digits);
        let mut groups = whole.split(',');
        let first = groups.next().is_some_and(|g| (1..=3).contains(&g.len()));
        first && groups.all(|g| g.len() == 3)
    };
    let (what, plain) = match separated {
        true if point => ("a decimal comma", bare.replace(',', ".")),
        true if grouped() => ("commas between the thousands", bare.replace(',', "")),
        true if bare.matches(',').count() == 1 => ("a decimal comma", bare.replace(',', ".")),
        true => return None,
        false => ("a sign beside the number", bare.to_string()),
    };
    plain.parse::<f64>().ok().map(|_| (what, plain))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_values_are_known_in_all_their_ways() {
        let usual = Missing::default();
        for text in ["", "  ", "NA", "N/A", "NaN", "nan", "?", "null", "-", " NA "] {
            assert_eq!(usual.read(text), Cell::Missing, "{text:?}");
        }
        assert_eq!(usual.read(" -1.5e3 "), Cell::Number(-1500.0));
        assert_eq!(usual.read("-inf"), Cell::Number(f64::NEG_INFINITY));
        assert_eq!(usual.read("none"), Cell::Text("none"));
        let more = Missing::new(&["-999".into(), "low".into()]);
        assert_eq!(
            (more.read("-999.0"), more.read("low"), more.read("NA")),
            (Cell::Missing, Cell::Missing, Cell::Missing)
        );
    }

    #[test]
    fn dressed_numbers_are_undressed() {
        for (text, delimiter, plain) in [
            ("1,234", b',', Some("1234")),
            ("-1,234,567.8", b',', Some("-1234567.8")),
            ("1,5", b',', Some("1.5")),
            ("1,234", b';', Some("1.234")),
            ("12 %", b',', Some("12")),
            ("$3.50", b',', Some("3.50")),
            ("red", b',', None),
            ("a,b", b',', None),
            ("1,2,3", b',', None),
        ] {
            assert_eq!(decorated(text, delimiter).map(|(_, plain)| plain).as_deref(), plain, "{text}");
        }
    }
}
