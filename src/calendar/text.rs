//! Texts of durations and dates: `"7.0002 days"`, `"2020-03-15"`.

use super::moment::Moment;
use super::read::read_all;
use super::unit::TimeUnit;

/// An amount of a unit of time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Length {
    pub amount: f64,
    pub unit: TimeUnit,
}

/// Parses a duration such as `1 week`, `7.0002 days`, `3months`.
pub fn length(text: &str) -> Option<Length> {
    let text = text.trim();
    let word = text.rfind(|c: char| !c.is_ascii_alphabetic()).map_or(0, |at| at + 1);
    let unit = TimeUnit::parse(&text.get(word..)?.to_ascii_lowercase())?;
    let amount: f64 = match text.get(..word)?.trim() {
        "" => 1.0,
        number => number.parse().ok()?,
    };
    amount.is_finite().then_some(Length { amount, unit })
}

/// Parses a date, a month, a quarter, a week or a date with a time, in an unambiguous format.
pub fn date(text: &str) -> Option<Moment> {
    let found = read_all(text.trim(), None);
    let (first, _) = found.first()?;
    found.iter().all(|(other, _)| other == first).then_some(*first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_have_a_number_and_a_unit() {
        let read = |text| length(text).map(|l| (l.amount, l.unit));
        assert_eq!(read("1 week"), Some((1.0, TimeUnit::Week)));
        assert_eq!(read("7.0002 days"), Some((7.0002, TimeUnit::Day)));
        assert_eq!(read("3months"), Some((3.0, TimeUnit::Month)));
        assert_eq!(read("1e-3 s"), Some((1e-3, TimeUnit::Second)));
        assert_eq!(read("week"), Some((1.0, TimeUnit::Week)));
        for text in ["", "7", "seven days", "2020-03-15", "3 parsecs", "inf days", "nan s"] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn a_date_with_two_readings_is_none() {
        assert!(date("2020-03-15").is_some() && date("2020-Q1").is_some() && date("15 Mar 2020").is_some());
        assert_eq!(date("01/02/2020"), None);
        assert!(date("13/02/2020").is_some());
    }
}
