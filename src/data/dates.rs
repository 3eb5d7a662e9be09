//! Dates as decimal years.
//!
//! - A full date is `year + (d − 1 + f) / D`, where d is the day of the year from 1, f the fraction of the day that has
//!   passed and D the 365 or 366 days of that year.
//! - A month is `year + (month − 1) / 12`, a quarter `year + (quarter − 1) / 4`: their starts, evenly spaced.
//! - A time with an offset or zone is taken to UTC; one without is taken as it is written.

use jiff::Timestamp;
use jiff::civil::{Date, DateTime, Time};
use jiff::tz::TimeZone;

use super::column::Resolution;

/// One way of writing dates. A column is read in one form throughout.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// `2020-01-31`, `2020/01/31`, with or without a time and a zone.
    YearFirst,
    /// `2020-01`, `01/2020`, `2020M01`, `Jan 2020`, `2020 January`.
    Month,
    /// `2020-Q1`, `2020Q1`, `Q1 2020`.
    Quarter,
    /// `31 Jan 2020`, `Jan 31, 2020`, `31-Jan-2020`.
    Named,
    /// `31/01/2020`, `31.1.2020`, with or without a time.
    DayFirst,
    /// `01/31/2020`, with or without a time.
    MonthFirst,
}

impl Form {
    pub(super) const ALL: [Self; 6] =
        [Self::YearFirst, Self::Month, Self::Quarter, Self::Named, Self::DayFirst, Self::MonthFirst];

    /// The decimal year that `text` says in this form, and how fine it is.
    pub(super) fn read(self, text: &str) -> Option<(f64, Resolution)> {
        match self {
            Self::YearFirst => year_first(text),
            Self::Month => month(text).map(|(year, month)| (year + (month - 1.0) / 12.0, Resolution::Month)),
            Self::Quarter => quarter(text).map(|(year, quarter)| (year + (quarter - 1.0) / 4.0, Resolution::Quarter)),
            Self::Named => named(text).map(|date| (decimal(date.into()), Resolution::Day)),
            Self::DayFirst => year_last(text, |day, month, year| Date::new(year, month, day).ok()),
            Self::MonthFirst if text.contains('.') => None,
            Self::MonthFirst => year_last(text, |month, day, year| Date::new(year, month, day).ok()),
        }
    }
}

/// Whether `text` could be a date at all; cheap.
pub(super) fn plausible(text: &str) -> bool {
    (6..=64).contains(&text.len()) && text.bytes().any(|b| b.is_ascii_digit())
}

/// The decimal year of a point in civil time.
pub fn decimal(at: DateTime) -> f64 {
    let date = at.date();
    let midnight = date.to_datetime(Time::midnight());
    let seconds = at.duration_since(midnight).as_secs_f64();
    let days = f64::from(date.day_of_year()) - 1.0 + seconds / 86_400.0;
    f64::from(date.year()) + days / f64::from(date.days_in_year())
}

fn year_first(text: &str) -> Option<(f64, Resolution)> {
    let bytes = text.as_bytes();
    let separator = *bytes.get(4)?;
    if !matches!(separator, b'-' | b'/') || !bytes[..4].iter().all(u8::is_ascii_digit) {
        return None;
    }
    let plain;
    let text = if separator == b'/' {
        plain = text.replacen('/', "-", 2);
        &plain
    } else {
        text
    };
    match text.split_once(['T', 't', ' ']) {
        None => text.parse::<Date>().ok().map(|date| (decimal(date.into()), Resolution::Day)),
        Some((_, time)) if time.contains(['Z', 'z', '+', '-']) => {
            let at: Timestamp = text.parse().ok()?;
            Some((decimal(TimeZone::UTC.to_datetime(at)), Resolution::Time))
        }
        Some(_) => text.parse::<DateTime>().ok().map(|at| (decimal(at), Resolution::Time)),
    }
}

fn year_last(text: &str, date: impl Fn(i8, i8, i16) -> Option<Date>) -> Option<(f64, Resolution)> {
    let (day, time) = text.split_once([' ', 'T']).map_or((text, None), |(day, time)| (day, Some(time)));
    let separator = day.chars().find(|c| !c.is_ascii_digit()).filter(|c| matches!(c, '/' | '-' | '.'))?;
    let mut parts = day.split(separator);
    let (first, second, last) = (parts.next()?, parts.next()?, parts.next()?);
    if parts.next().is_some() || first.len() > 2 || second.len() > 2 {
        return None;
    }
    let date = date(digits(first)?.try_into().ok()?, digits(second)?.try_into().ok()?, year(last)?)?;
    match time {
        None => Some((decimal(date.into()), Resolution::Day)),
        Some(time) => Some((decimal(date.to_datetime(time.trim().parse().ok()?)), Resolution::Time)),
    }
}

fn month(text: &str) -> Option<(f64, f64)> {
    let (a, b) = halves(text, &['M', 'm'])?;
    let number = |t: &str| digits(t).filter(|m| t.len() <= 2 && (1..=12).contains(m));
    let named = |t: &str| month_name(t).map(i16::from);
    let (year, month) = match (year(a), year(b)) {
        (Some(y), _) => (y, number(b).or_else(|| named(b))?),
        (_, Some(y)) => (y, number(a).or_else(|| named(a))?),
        _ => return None,
    };
    Some((f64::from(year), f64::from(month)))
}

fn quarter(text: &str) -> Option<(f64, f64)> {
    let number = |t: &str| digits(t.strip_prefix(['Q', 'q']).unwrap_or(t)).filter(|q| (1..=4).contains(q));
    if !text.contains(['Q', 'q']) {
        return None;
    }
    let (a, b) = halves(text, &['Q', 'q'])?;
    let (year, quarter) = match (year(a), year(b)) {
        (Some(y), _) => (y, number(b)?),
        (_, Some(y)) => (y, number(a)?),
        _ => return None,
    };
    Some((f64::from(year), f64::from(quarter)))
}

/// The two parts of a text joined by one separator, or by a letter after a year: `2020-01`, `2020M01`, `Q1 2020`.
fn halves<'t>(text: &'t str, letters: &[char]) -> Option<(&'t str, &'t str)> {
    if let Some((a, b)) = text.split_once([' ', '-', '/']) {
        let b = b.trim_start();
        return (!b.contains([' ', '-', '/'])).then_some((a.trim_end_matches([',', '.']), b));
    }
    let (a, b) = text.split_at_checked(4)?;
    b.strip_prefix(letters).map(|b| (a, b))
}

fn named(text: &str) -> Option<Date> {
    let mut words = text.split([' ', '-', '/', ',']).filter(|w| !w.is_empty());
    let (a, b, c) = (words.next()?, words.next()?, words.next()?);
    if words.next().is_some() {
        return None;
    }
    let day = |t: &str| digits(t).filter(|_| t.len() <= 2);
    let (y, m, d) = if let Some(m) = month_name(b) {
        match year(c) {
            Some(y) => (y, m, day(a)?),
            None => (year(a)?, m, day(c)?),
        }
    } else {
        (year(c)?, month_name(a)?, day(b)?)
    };
    Date::new(y, m, d.try_into().ok()?).ok()
}

fn month_name(text: &str) -> Option<i8> {
    const NAMES: [&str; 12] = [
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
    let text = text.trim_end_matches('.').to_ascii_lowercase();
    let i =
        NAMES.iter().position(|name| *name == text || name[..3] == text || (text == "sept" && *name == "september"))?;
    i8::try_from(i + 1).ok()
}

/// Four digits.
fn year(text: &str) -> Option<i16> {
    digits(text).filter(|_| text.len() == 4)
}

fn digits(text: &str) -> Option<i16> {
    (!text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())).then(|| text.parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<(Form, f64)> {
        Form::ALL.into_iter().filter_map(|form| form.read(text).map(|(year, _)| (form, year))).collect()
    }

    #[test]
    fn each_way_of_writing_is_one_form() {
        for (text, form, year) in [
            ("2020-01-01", Form::YearFirst, 2020.0),
            ("1958-03-29", Form::YearFirst, 1_958.238_356_164_383_5),
            ("2020/07/02", Form::YearFirst, 2020.5),
            ("2021-07-02T12:00", Form::YearFirst, 2021.5),
            ("2021-07-02 12:00:00", Form::YearFirst, 2021.5),
            ("2021-07-02T14:00:00+02:00", Form::YearFirst, 2021.5),
            ("2021-07-02T12:00:00Z", Form::YearFirst, 2021.5),
            ("2021-07-02T14:00:00+02:00[Europe/Paris]", Form::YearFirst, 2021.5),
            ("2020-07", Form::Month, 2020.5),
            ("1949M07", Form::Month, 1949.5),
            ("Jul 1949", Form::Month, 1949.5),
            ("1949 July", Form::Month, 1949.5),
            ("Jul-1949", Form::Month, 1949.5),
            ("7/1949", Form::Month, 1949.5),
            ("2020-Q3", Form::Quarter, 2020.5),
            ("2020Q3", Form::Quarter, 2020.5),
            ("Q3 2020", Form::Quarter, 2020.5),
            ("2 Jul 2020", Form::Named, 2020.5),
            ("July 2, 2020", Form::Named, 2020.5),
            ("02-Jul-2020", Form::Named, 2020.5),
            ("31/12/2020", Form::DayFirst, 2020.0 + 365.0 / 366.0),
            ("2.7.2020", Form::DayFirst, 2020.5),
            ("12/31/2020 12:00", Form::MonthFirst, 2020.0 + 365.5 / 366.0),
        ] {
            assert_eq!(read(text), [(form, year)], "{text}");
        }
    }

    #[test]
    fn a_slashed_date_may_have_two_readings() {
        assert_eq!(read("01/02/2020").len(), 2);
    }

    #[test]
    fn what_is_no_date_is_none() {
        for text in [
            "2020-02-30",
            "2020-13",
            "2020-Q5",
            "31/31/2020",
            "Foo 2020",
            "1-2-3",
            "σσσσ-1",
            "2020-",
            "M01",
            "12:30:00",
        ] {
            assert_eq!(read(text), [], "{text}");
        }
    }
}
