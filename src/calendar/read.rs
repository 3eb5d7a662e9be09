//! The formats of dates.
//!
//! - A month, a quarter and a week are read as their first day, a day as its midnight.
//! - A time with an offset or zone is converted to UTC; one without is read unchanged.
//! - A two-digit year is between 1969 and 2068.

use jiff::civil::{Date, ISOWeekDate, Time, Weekday};

use super::moment::{Moment, Resolution};
use super::names::{self, MONTHS};

/// A date format. All values of a column have one format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// `2020-01-31`, `2020/1/31`, with or without a time and a zone.
    YearFirst,
    /// `2020-01`, `01/2020`, `2020M01`, `Jan 2020`, `2020 January`.
    Month,
    /// `2020-Q1`, `2020Q1`, `Q1 2020`.
    Quarter,
    /// `2020-W05-1`, `2020W051`, `2020-W05`.
    Week,
    /// `31 Jan 2020`, `Jan 31, 2020`, `31-Jan-2020`, with or without a time.
    Named,
    /// `31/01/2020`, `31.1.2020`, `31/1/20`, with or without a time.
    DayFirst,
    /// `01/31/2020`, with or without a time.
    MonthFirst,
}

/// The order of the parts of a date, as given by the user.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    DayMonthYear,
    MonthDayYear,
    YearMonthDay,
}

impl Order {
    pub const WORDS: [(&'static str, Self); 3] =
        [("dmy", Self::DayMonthYear), ("mdy", Self::MonthDayYear), ("ymd", Self::YearMonthDay)];
}

/// The reading of columns of whole numbers with six or eight digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Digits {
    /// Dates, if all of them can be.
    #[default]
    AsFound,
    /// Months, `202001`, and days, `20200131`, as requested by the user.
    Dates,
    /// Numbers, as requested by the user.
    Numbers,
}

impl Form {
    pub const ALL: [Self; 7] =
        [Self::YearFirst, Self::Month, Self::Quarter, Self::Week, Self::Named, Self::DayFirst, Self::MonthFirst];

    /// The moment of `text` in this format, and its resolution.
    pub fn read(self, text: &str, order: Option<Order>) -> Option<(Moment, Resolution)> {
        match self {
            Self::YearFirst => year_first(text, order),
            Self::Month => whole(month(text)?, Resolution::Month),
            Self::Quarter => whole(quarter(text)?, Resolution::Quarter),
            Self::Week => whole(week(text)?, Resolution::Day),
            Self::Named => with_time(text, named),
            Self::DayFirst if order.is_some_and(|o| o != Order::DayMonthYear) => None,
            Self::DayFirst => with_time(text, |date| year_last(date, |[day, month]| [day, month])),
            Self::MonthFirst if order.is_some_and(|o| o != Order::MonthDayYear) => None,
            Self::MonthFirst if order.is_none() && date_of(text).contains('.') => None,
            Self::MonthFirst => with_time(text, |date| year_last(date, |[month, day]| [day, month])),
        }
    }
}

/// All readings of a text.
pub fn read_all(text: &str, order: Option<Order>) -> Vec<(Moment, Resolution)> {
    if !plausible(text) {
        return Vec::new();
    }
    Form::ALL.iter().filter_map(|form| form.read(text, order)).collect()
}

/// Whether `text` could be a date; a quick test.
pub fn plausible(text: &str) -> bool {
    (6..=64).contains(&text.len()) && text.bytes().any(|b| b.is_ascii_digit())
}

/// Whether `text` looks like a date: groups of digits between separators of dates and times.
pub fn date_like(text: &str) -> bool {
    let groups = text.split(|c: char| !c.is_ascii_digit()).filter(|g| !g.is_empty());
    let lengths: Vec<usize> = groups.map(str::len).collect();
    let separators = |c: char| c.is_ascii_digit() || matches!(c, '-' | '/' | '.' | ':' | ' ' | '+' | ',');
    let letters = text.chars().filter(|c| c.is_alphabetic()).count();
    (6..=40).contains(&text.len())
        && text.contains(['-', '/', '.', ' '])
        && (2..=8).contains(&lengths.len())
        && lengths.iter().all(|n| matches!(n, 1 | 2 | 4) || lengths.len() > 5)
        && lengths.iter().filter(|n| **n == 4).count() <= 1
        && (lengths.contains(&4) || lengths.len() >= 3)
        && letters <= 9
        && text.chars().all(|c| c.is_alphabetic() || separators(c))
}

/// A date written as a number, `20200131`, in the years 1800 to 2199.
pub fn compact(value: f64) -> Option<Moment> {
    if value.fract() != 0.0 || !(18_000_101.0..=21_991_231.0).contains(&value) {
        return None;
    }
    let number = value as i32;
    let (year, month, day) = (number / 10_000, number / 100 % 100, number % 100);
    let date = Date::new(year.try_into().ok()?, month.try_into().ok()?, day.try_into().ok()?).ok()?;
    Some(Moment::of(date.into()))
}

/// A month written as a number, `202001`, in the years 1800 to 2199.
pub fn compact_month(value: f64) -> Option<Moment> {
    if value.fract() != 0.0 || !(180_001.0..=219_912.0).contains(&value) {
        return None;
    }
    compact(100.0 * value + 1.0)
}

/// A time of day in nanoseconds: `18:30`, `6:30:15.5 PM`, `18.30.00`; with an offset or zone, converted to UTC.
pub fn clock(text: &str) -> Option<i128> {
    const SECOND: f64 = 1e9;
    let text = text.trim().to_ascii_lowercase();
    let text = text.split_once('[').map_or(&*text, |(text, _)| text.trim_end());
    let (text, offset) = zone(text)?;
    let (text, noon) = half_of_day(text);
    let separator = if text.contains(':') { ':' } else { '.' };
    let parts: Vec<&str> = text.splitn(3, separator).collect();
    let (hours, minutes, seconds) = match parts[..] {
        [h] if noon.is_some() => (h, "0", "0"),
        [h, m] => (h, m, "0"),
        [h, m, s] => (h, m, s),
        _ => return None,
    };
    let (hours, minutes) =
        (digits(hours).filter(|_| hours.len() <= 2)?, digits(minutes).filter(|_| minutes.len() <= 2)?);
    let plain = seconds.bytes().all(|b| b.is_ascii_digit() || b == b'.') && seconds.split('.').next()?.len() <= 2;
    let seconds: f64 = seconds.parse().ok().filter(|_| plain)?;
    let hours = match noon {
        Some(_) if !(1..=12).contains(&hours) => return None,
        Some(after) => hours % 12 + 12 * i16::from(after),
        None => hours,
    };
    let whole = i128::from(hours) * 3600 + i128::from(minutes) * 60;
    let fits = (hours < 24 && minutes < 60 && seconds < 61.0) || (hours == 24 && minutes == 0 && seconds == 0.0);
    fits.then(|| whole * 1_000_000_000 + (seconds * SECOND).round() as i128 - offset)
}

/// The hours since midnight of a time of day, `18:30`, `6:30 PM` or `18:30:15`; `None` for all other text.
pub fn time_of_day(text: &str) -> Option<f64> {
    const HOUR: f64 = 3.6e12;
    let text = text.trim();
    let plain = |c: char| c.is_ascii_digit() || matches!(c, ':' | '.' | ' ' | 'a' | 'A' | 'p' | 'P' | 'm' | 'M');
    let minutes = text.split(':').nth(1)?;
    if text.len() > 24 || !text.chars().all(plain) || !minutes.as_bytes().get(1)?.is_ascii_digit() {
        return None;
    }
    clock(text).map(|nanoseconds| nanoseconds as f64 / HOUR)
}

/// A time without its zone, and the offset of the zone from UTC in nanoseconds.
fn zone(text: &str) -> Option<(&str, i128)> {
    for name in ["utc", "gmt", "z"] {
        if let Some(text) = text.strip_suffix(name) {
            return Some((text.trim_end(), 0));
        }
    }
    let Some(at) = text.rfind(['+', '-']) else { return Some((text, 0)) };
    let (time, offset) = text.split_at(at);
    let plain: String = offset[1..].chars().filter(|c| *c != ':').collect();
    let minutes = match (plain.len(), digits(&plain)?) {
        (1 | 2, hours) => hours * 60,
        (4, both) => both / 100 * 60 + both % 100,
        _ => return None,
    };
    let sign = if offset.starts_with('-') { -1 } else { 1 };
    (minutes <= 18 * 60).then_some((time.trim_end(), sign * i128::from(minutes) * 60_000_000_000))
}

/// A time without AM or PM, and whether it is PM.
fn half_of_day(text: &str) -> (&str, Option<bool>) {
    for (ending, after) in [("am", false), ("a.m.", false), ("pm", true), ("p.m.", true)] {
        if let Some(text) = text.strip_suffix(ending) {
            return (text.trim_end(), Some(after));
        }
    }
    (text, None)
}

fn whole(date: Date, resolution: Resolution) -> Option<(Moment, Resolution)> {
    Some((Moment::of(date.to_datetime(Time::midnight())), resolution))
}

/// A date, or a date and a time separated by a blank or a `T`.
fn with_time(text: &str, date: impl Fn(&str) -> Option<Date>) -> Option<(Moment, Resolution)> {
    if let Some(date) = date(text) {
        return whole(date, Resolution::Day);
    }
    // the time starts at the first group with a colon, or at the hour before AM or PM
    let colon = text.find(':')?;
    let at = text[..colon].rfind([' ', 'T', 't'])?;
    at_time(date(text[..at].trim_end_matches([' ', ',']))?, &text[at + 1..])
}

fn at_time(date: Date, time: &str) -> Option<(Moment, Resolution)> {
    let nanoseconds = clock(time)?;
    let at = Moment::of(date.to_datetime(Time::midnight())).plus(nanoseconds)?;
    let resolution = match nanoseconds {
        n if n % 1_000_000_000 == 0 => Resolution::Second,
        n if n % 1_000_000 == 0 => Resolution::Millisecond,
        _ => Resolution::Microsecond,
    };
    Some((at, resolution))
}

/// The text before a time.
fn date_of(text: &str) -> &str {
    text.split_once([' ', 'T', 't']).map_or(text, |(date, _)| date)
}

fn year_first(text: &str, order: Option<Order>) -> Option<(Moment, Resolution)> {
    if order.is_some_and(|o| o != Order::YearMonthDay) && text.contains(['/', '.']) {
        return None;
    }
    let short = order == Some(Order::YearMonthDay);
    let date = |text: &str| {
        let [y, m, d] = parts(text)?;
        let year = year(y).or_else(|| if short { short_year(y) } else { None })?;
        Date::new(year, small(m)?, small(d)?).ok()
    };
    let day = date_of(text);
    if day.len() == text.len() {
        return whole(date(text)?, Resolution::Day);
    }
    // 20200131T0500
    if day.len() == 8 && day.bytes().all(|b| b.is_ascii_digit()) {
        let at: jiff::civil::DateTime = text.parse().ok()?;
        return Some((Moment::of(at), Resolution::Second));
    }
    at_time(date(day)?, &text[day.len() + 1..])
}

fn year_last(text: &str, order: impl Fn([i8; 2]) -> [i8; 2]) -> Option<Date> {
    let [first, second, last] = parts(text)?;
    let [day, month] = order([small(first)?, small(second)?]);
    Date::new(year(last).or_else(|| short_year(last))?, month, day).ok()
}

/// The three parts of a date between two equal separators.
fn parts(text: &str) -> Option<[&str; 3]> {
    let separator = text.chars().find(|c| !c.is_ascii_digit()).filter(|c| matches!(c, '/' | '-' | '.'))?;
    let mut parts = text.split(separator);
    let found = [parts.next()?, parts.next()?, parts.next()?];
    parts.next().is_none().then_some(found)
}

fn small(text: &str) -> Option<i8> {
    digits(text).filter(|_| text.len() <= 2)?.try_into().ok()
}

fn month(text: &str) -> Option<Date> {
    let (a, b) = halves(text, &['M', 'm'])?;
    let number = |t: &str| small(t).filter(|m| (1..=12).contains(m));
    let (year, month) = match (year(a), year(b)) {
        (Some(y), _) => (y, number(b).or_else(|| month_name(b))?),
        (_, Some(y)) => (y, number(a).or_else(|| month_name(a))?),
        _ => return None,
    };
    Date::new(year, month, 1).ok()
}

fn quarter(text: &str) -> Option<Date> {
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
    Date::new(year, i8::try_from(3 * quarter - 2).ok()?, 1).ok()
}

fn week(text: &str) -> Option<Date> {
    let (y, rest) = text.split_at_checked(4)?;
    let rest = rest.strip_prefix('-').unwrap_or(rest).strip_prefix(['W', 'w'])?;
    let (week, day) = rest.split_at_checked(2)?;
    let day = match day.strip_prefix('-').unwrap_or(day) {
        "" => 1,
        day => small(day)?,
    };
    let weekday = Weekday::from_monday_one_offset(day).ok()?;
    ISOWeekDate::new(year(y)?, small(week)?, weekday).ok().map(ISOWeekDate::date)
}

/// The two parts of a text with one separator, or with a letter after a year: `2020-01`, `2020M01`, `Q1 2020`.
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
    let (y, m, d) = if let Some(m) = month_name(b) {
        match year(c).or_else(|| short_year(c).filter(|_| year(a).is_none())) {
            Some(y) => (y, m, small(a)?),
            None => (year(a)?, m, small(c)?),
        }
    } else {
        (year(c)?, month_name(a)?, small(b)?)
    };
    Date::new(y, m, d).ok()
}

fn month_name(text: &str) -> Option<i8> {
    i8::try_from(names::position(&MONTHS, text)? + 1).ok()
}

/// Four digits.
fn year(text: &str) -> Option<i16> {
    digits(text).filter(|_| text.len() == 4)
}

/// Two digits, between 1969 and 2068.
fn short_year(text: &str) -> Option<i16> {
    let year = digits(text).filter(|_| text.len() == 2)?;
    Some(if year < 69 { 2000 + year } else { 1900 + year })
}

fn digits(text: &str) -> Option<i16> {
    if text.is_empty() || !text.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    text.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<(Form, String)> {
        let all = Form::ALL.iter().filter_map(|form| {
            let (at, _) = form.read(text, None).filter(|_| plausible(text))?;
            Some((*form, at.exact_text()))
        });
        all.collect()
    }

    #[test]
    fn each_form_is_read() {
        for (text, form, expected) in [
            ("2020-01-01", Form::YearFirst, "2020-01-01"),
            ("2020-1-5", Form::YearFirst, "2020-01-05"),
            ("2020/07/02", Form::YearFirst, "2020-07-02"),
            ("2020-07-02 12:00", Form::YearFirst, "2020-07-02T12:00:00"),
            ("2020-07-02T12:00:00.5", Form::YearFirst, "2020-07-02T12:00:00.5"),
            ("2020-07-02T02:00:00+02:00", Form::YearFirst, "2020-07-02"),
            ("2020-07-01T23:00:00 -0100", Form::YearFirst, "2020-07-02"),
            ("2020-03-05 00:00:00 UTC", Form::YearFirst, "2020-03-05"),
            ("2020-03-05T06:00:00Z", Form::YearFirst, "2020-03-05T06:00:00"),
            ("2020-03-05T06:00:00+01:00[Europe/Berlin]", Form::YearFirst, "2020-03-05T05:00:00"),
            ("2020-01-31 05:00 PM", Form::YearFirst, "2020-01-31T17:00:00"),
            ("2020-01-31 12:05 am", Form::YearFirst, "2020-01-31T00:05:00"),
            ("2020-01-31 24:00", Form::YearFirst, "2020-02-01"),
            ("20200131T0500", Form::YearFirst, "2020-01-31T05:00:00"),
            ("2020-07", Form::Month, "2020-07-01"),
            ("1949M07", Form::Month, "1949-07-01"),
            ("Jul 1949", Form::Month, "1949-07-01"),
            ("1949 July", Form::Month, "1949-07-01"),
            ("Jul-1949", Form::Month, "1949-07-01"),
            ("7/1949", Form::Month, "1949-07-01"),
            ("2020-Q3", Form::Quarter, "2020-07-01"),
            ("2020Q3", Form::Quarter, "2020-07-01"),
            ("Q3 2020", Form::Quarter, "2020-07-01"),
            ("2020-W05-1", Form::Week, "2020-01-27"),
            ("2020W05", Form::Week, "2020-01-27"),
            ("2020-W01-3", Form::Week, "2020-01-01"),
            ("2 Jul 2020", Form::Named, "2020-07-02"),
            ("July 2, 2020", Form::Named, "2020-07-02"),
            ("02-Jul-2020", Form::Named, "2020-07-02"),
            ("02-Jul-98", Form::Named, "1998-07-02"),
            ("2 Jul 2020 18:30", Form::Named, "2020-07-02T18:30:00"),
            ("31/12/2020", Form::DayFirst, "2020-12-31"),
            ("31/12/98", Form::DayFirst, "1998-12-31"),
            ("31.12.20 18:30", Form::DayFirst, "2020-12-31T18:30:00"),
            ("2.7.2020", Form::DayFirst, "2020-07-02"),
            ("12/31/2020 12:00", Form::MonthFirst, "2020-12-31T12:00:00"),
        ] {
            assert_eq!(read(text), [(form, expected.to_string())], "{text}");
        }
    }

    #[test]
    fn the_order_can_be_said() {
        let all = |text: &str, order| -> Vec<String> {
            read_all(text, Some(order)).iter().map(|(at, _)| at.exact_text()).collect()
        };
        assert_eq!(read("01/02/2020").len(), 2);
        assert_eq!(all("01/02/2020", Order::DayMonthYear), ["2020-02-01"]);
        assert_eq!(all("01/02/2020", Order::MonthDayYear), ["2020-01-02"]);
        assert_eq!(all("98/12/31", Order::YearMonthDay), ["1998-12-31"]);
        assert_eq!(all("01.02.20", Order::MonthDayYear), ["2020-01-02"]);
    }

    #[test]
    fn what_is_no_date_is_none() {
        for text in [
            "2020-02-30",
            "2020-13",
            "2020-Q5",
            "2020-W60-1",
            "2020-01-31 13:00 PM",
            "2020-01-31 25:00",
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

    #[test]
    fn clocks_and_compact_dates() {
        let minutes = |text| clock(text).map(|n| n / 60_000_000_000);
        assert_eq!(minutes("18:30"), Some(18 * 60 + 30));
        assert_eq!(minutes("18.30.00"), Some(18 * 60 + 30));
        assert_eq!(minutes("6:30 PM"), Some(18 * 60 + 30));
        assert_eq!(minutes("5 p.m."), Some(17 * 60));
        assert_eq!(minutes("18:30+02:00"), Some(16 * 60 + 30));
        assert_eq!((minutes("18"), minutes("18:61"), minutes("ab:cd")), (None, None, None));
        assert_eq!(compact(20_200_131.0).map(Moment::exact_text).as_deref(), Some("2020-01-31"));
        assert_eq!((compact(20_201_331.0), compact(20_200_131.5)), (None, None));
    }

    #[test]
    fn times_of_day_are_hours() {
        for (text, hours) in
            [("13:45", Some(13.75)), ("6:30 PM", Some(18.5)), ("0:00:36", Some(0.01)), ("24:00", Some(24.0))]
        {
            assert_eq!(time_of_day(text), hours, "{text}");
        }
        for text in ["16:9", "10:00-12:00", "18.30", "18:30Z", "25:00", "ab:cd", "3:75", ""] {
            assert_eq!(time_of_day(text), None, "{text}");
        }
    }

    #[test]
    fn texts_that_look_like_dates_are_known() {
        for text in ["2020-02-30", "31/31/2020", "2020-01-31 25:00", "Montag, 3. 2. 2020"] {
            assert!(date_like(text), "{text}");
        }
        for text in ["red", "A-12", "room 12", "12345", "192.168.1.1000", "x1y2z3"] {
            assert!(!date_like(text), "{text}");
        }
    }
}
