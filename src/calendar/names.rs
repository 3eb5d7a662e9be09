//! The English names of weekdays and months, in full or abbreviated to three letters.

pub const DAYS: [&str; 7] = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];

pub const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

/// The index of a name in [`DAYS`] or [`MONTHS`]; case and a final full stop are ignored.
pub fn position(names: &[&str], text: &str) -> Option<usize> {
    let text = text.trim_end_matches('.').to_lowercase();
    names.iter().position(|name| *name == text || name[..3] == text || (text == "sept" && *name == "september"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_whole_and_cut() {
        for (text, month) in [("January", 0), ("Sept.", 8), ("sep", 8), ("MAY", 4), ("Dec.", 11)] {
            assert_eq!(position(&MONTHS, text), Some(month), "{text}");
        }
        assert_eq!(position(&DAYS, "Sun"), Some(6));
        assert_eq!(position(&MONTHS, "Ja"), None);
        assert_eq!(position(&DAYS, "sept"), None);
    }
}
