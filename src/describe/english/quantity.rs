//! Numbers with units in English.

use crate::calendar::{Resolution, TimeScale, TimeUnit};
use crate::data::Function;
use crate::kernel::number;

/// A number with at most this number of significant digits, without trailing zeros.
pub fn short(value: f64, digits: usize) -> String {
    let rounded = format!("{value:.*e}", digits.saturating_sub(1)).parse().unwrap_or(value);
    number(rounded)
}

const HOUR: f64 = 3600.0;
const DAY: f64 = 24.0 * HOUR;
/// The mean year of the Gregorian calendar.
const YEAR: f64 = 365.2425 * DAY;

/// Units of time: their names, the first in full, and their seconds; the longest first.
const TIMES: &[(&[&str], f64)] = &[
    (&["year", "years", "yr", "yrs"], YEAR),
    (&["month", "months"], YEAR / 12.0),
    (&["week", "weeks"], 7.0 * DAY),
    (&["day", "days", "d"], DAY),
    (&["hour", "hours", "hr", "hrs", "h"], HOUR),
    (&["minute", "minutes", "min"], 60.0),
    (&["second", "seconds", "sec", "s"], 1.0),
];

/// Periods with a name, in seconds.
const CYCLES: &[(&str, f64)] = &[
    ("yearly", YEAR),
    ("quarterly", YEAR / 4.0),
    ("monthly", YEAR / 12.0),
    ("weekly", 7.0 * DAY),
    ("daily", DAY),
    ("hourly", HOUR),
];

/// The largest relative difference of a fitted period from a named one.
const NEAR: f64 = 0.02;

/// Units of columns that are not written after a number.
const UNSPOKEN: &[&str] = &["count", "class", "score", "share", "code"];

/// Whether a unit is one of time.
pub fn is_time(unit: &str) -> bool {
    time(unit).is_some()
}

fn time(unit: &str) -> Option<f64> {
    TIMES.iter().find(|(names, _)| names.contains(&unit)).map(|(_, seconds)| *seconds)
}

/// The name of a period, if its unit is one of time and it has a name.
pub fn cycle(period: f64, unit: Option<&str>) -> Option<&'static str> {
    let seconds = period * time(unit?)?;
    CYCLES.iter().find(|(_, cycle)| (seconds / cycle - 1.0).abs() < NEAR).map(|(name, _)| *name)
}

/// A value with its unit: `3 years`, `6.9 months`, `12 ppm`. Times below one of their unit are given in a shorter one.
pub fn amount(value: f64, unit: Option<&str>, digits: usize) -> String {
    let Some(unit) = spoken(unit) else { return short(value, digits) };
    let Some(seconds) = time(unit).filter(|_| unit.len() > 2) else {
        // a unit such as `1e8 m3` must not look like a second number
        let times = if unit.starts_with(|c: char| c.is_ascii_digit()) { "× " } else { "" };
        return format!("{} {times}{unit}", short(value, digits));
    };
    let singular = unit.strip_suffix('s').unwrap_or(unit);
    // a value below 1 is given in the longest unit in which it is large enough; months are not counted in weeks
    let shorter = TIMES.iter().filter(|(names, _)| names[0] != "week");
    let shorter = shorter.filter(|(_, s)| *s < seconds && value * seconds >= 1.5 * s).map(|(names, s)| (names[0], *s));
    let (name, count) = match shorter.into_iter().next() {
        Some((name, s)) if value < 0.95 => (name, value * seconds / s),
        _ => (singular, value),
    };
    let count = short(count, digits);
    if count == "1" { format!("1 {name}") } else { format!("{count} {name}s") }
}

/// The significant digits of fitted values in a text, which are those of the tables.
pub const DIGITS: usize = 4;

/// A number with its unit to the digits of the tables: `3 years`, `12.25 ppm`.
pub fn with_unit(value: f64, unit: Option<&str>) -> String {
    amount(value, unit, DIGITS)
}

/// Two values with a unit in one text: the first without the unit if it is the same.
pub fn two_amounts(values: [f64; 2], unit: Option<&str>, digits: usize) -> [String; 2] {
    let [first, second] = values.map(|value| amount(value, unit, digits));
    match (first.split_once(' '), second.split_once(' ')) {
        (Some((number, one)), Some((_, other))) if one == other => [number.to_string(), second],
        _ => [first, second],
    }
}

/// The unit, if it is one that is written after a number; the name of a transform alone is none.
pub fn spoken(unit: Option<&str>) -> Option<&str> {
    unit.filter(|unit| !UNSPOKEN.contains(unit) && Function::named(unit).is_none())
}

/// The unit in the singular, as after "per": `year`; `None` without a unit.
pub fn single(unit: Option<&str>) -> Option<String> {
    let unit = spoken(unit)?;
    let spelt = time(unit).is_some() && unit.len() > 3;
    Some(if spelt { unit.strip_suffix('s').unwrap_or(unit) } else { unit }.to_string())
}

/// A location on an input, with digits according to the range of the data.
pub fn place(value: f64, range: Option<(f64, f64)>) -> String {
    let step = match range {
        Some((lo, hi)) if hi > lo => (hi - lo) / 200.0,
        _ => return short(value, 4),
    };
    let power = step.log10().floor();
    let unit = 10f64.powf(power);
    // plus 0, so that no place is -0
    let rounded = (value / unit).round() * unit + 0.0;
    let text = format!("{rounded:.*}", (-power).clamp(0.0, 12.0) as usize);
    text.parse().map_or(text, number)
}

/// A location on an input of times: a date, with the time of day if the data cover at most two weeks.
pub fn date_place(value: f64, unit: TimeUnit, range: Option<(f64, f64)>) -> String {
    let short = |(lo, hi): (f64, f64)| (hi - lo) * unit.seconds() <= 2.0 * TimeUnit::Week.seconds();
    let resolution = if range.is_some_and(short) { Resolution::Second } else { Resolution::Day };
    TimeScale { unit, resolution }.text(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_told_in_units_that_fit() {
        let text = |value, unit| amount(value, Some(unit), 2);
        assert_eq!(text(3.04, "year"), "3 years");
        assert_eq!(text(1.002, "year"), "1 year");
        assert_eq!(text(0.572, "year"), "6.9 months");
        assert_eq!(text(0.0278, "year"), "10 days");
        assert_eq!(text(0.5, "days"), "12 hours");
        assert_eq!(text(1e-9, "year"), "1e-9 years");
        assert_eq!(text(0.25, "ms"), "0.25 ms");
        assert_eq!(text(1234.0, "ppm"), "1200 ppm");
        assert_eq!(text(3.0, "count"), "3");
        assert_eq!(amount(0.1 + 0.2, None, 3), "0.3");
        assert_eq!(two_amounts([1.0, 2.5], Some("ppm"), 2), ["1", "2.5 ppm"]);
        assert_eq!(two_amounts([0.25, 2.5], Some("year"), 2), ["3 months", "2.5 years"]);
    }

    #[test]
    fn periods_have_names() {
        let all = [(1.0018, "year"), (0.0833, "year"), (12.0, "month"), (7.0, "day"), (24.0, "h"), (11.0, "year")];
        let names: Vec<_> = all.iter().map(|(p, unit)| cycle(*p, Some(unit))).collect();
        assert_eq!(names, [Some("yearly"), Some("monthly"), Some("yearly"), Some("weekly"), Some("daily"), None]);
        assert_eq!(cycle(1.0, None), None);
        assert_eq!(cycle(1.0, Some("ppm")), None);
    }

    #[test]
    fn places_are_as_fine_as_their_range() {
        assert_eq!(place(1949.234, Some((1949.0, 1961.0))), "1949.23");
        assert_eq!(place(1949.234, Some((1700.0, 2000.0))), "1949");
        assert_eq!(place(0.5, None), "0.5");
        assert_eq!(place(-0.003, Some((-0.8, 2.0))), "0");
        assert_eq!(date_place(18402.9, TimeUnit::Day, Some((18262.0, 18659.0))), "2020-05-21");
        assert_eq!(date_place(0.25, TimeUnit::Day, Some((0.0, 2.0))), "1970-01-01T06:00:00");
        assert_eq!(place(12345.6, Some((0.0, 1e6))), "12000");
    }
}
