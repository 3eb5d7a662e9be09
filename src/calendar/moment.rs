//! A moment on the calendar, its number in a unit of time, and its text.

use jiff::SignedDuration;
use jiff::civil::DateTime;
use serde::{Deserialize, Serialize};

use super::unit::TimeUnit;

const SECOND: i128 = 1_000_000_000;
const DAY: i128 = 86_400 * SECOND;

const ORIGIN: DateTime = DateTime::constant(1970, 1, 1, 0, 0, 0, 0);

/// Nanoseconds since 1970-01-01T00:00, between the years −9999 and 9999.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Moment(i128);

/// The precision of the times in a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Resolution {
    Quarter,
    Month,
    Day,
    Second,
    Millisecond,
    Microsecond,
}

impl Resolution {
    const ALL: [Self; 6] = [Self::Quarter, Self::Month, Self::Day, Self::Second, Self::Millisecond, Self::Microsecond];

    /// Its name in messages: `quarters`, `months`, `days` or `times`.
    pub fn plural(self) -> &'static str {
        match self {
            Self::Quarter => "quarters",
            Self::Month => "months",
            Self::Day => "days",
            Self::Second | Self::Millisecond | Self::Microsecond => "times",
        }
    }

    fn step(self) -> i128 {
        match self {
            Self::Quarter | Self::Month | Self::Day => DAY,
            Self::Second => SECOND,
            Self::Millisecond => SECOND / 1000,
            Self::Microsecond => SECOND / 1_000_000,
        }
    }
}

impl Moment {
    pub fn of(at: DateTime) -> Self {
        Self(at.duration_since(ORIGIN).as_nanos())
    }

    /// The date and time; `None` outside the calendar.
    pub fn civil(self) -> Option<DateTime> {
        let seconds = i64::try_from(self.0.div_euclid(SECOND)).ok()?;
        let nanoseconds = i32::try_from(self.0.rem_euclid(SECOND)).ok()?;
        ORIGIN.checked_add(SignedDuration::new(seconds, nanoseconds)).ok()
    }

    /// The moment this number of nanoseconds later; `None` outside the calendar.
    pub fn plus(self, nanoseconds: i128) -> Option<Self> {
        let later = Self(self.0.checked_add(nanoseconds)?);
        later.civil().map(|_| later)
    }

    /// The number of this unit since 1970, to the last bit of its fraction.
    pub fn to(self, unit: TimeUnit) -> f64 {
        let size = i128::from(unit.whole_seconds()) * SECOND;
        self.0.div_euclid(size) as f64 + self.0.rem_euclid(size) as f64 / size as f64
    }

    /// The moment at this number of a unit since 1970, to the nearest nanosecond.
    pub fn from(value: f64, unit: TimeUnit) -> Option<Self> {
        if !value.is_finite() || (value * unit.seconds()).abs() > 1e12 {
            return None;
        }
        let size = i128::from(unit.whole_seconds()) * SECOND;
        let whole = value.floor();
        let moment = Self(whole as i128 * size + ((value - whole) * size as f64).round() as i128);
        moment.civil().map(|_| moment)
    }

    fn rounded(self, step: i128) -> Self {
        Self((self.0 + step / 2).div_euclid(step) * step)
    }

    /// ISO 8601, rounded to the resolution: `2020-Q1`, `2020-01`, `2020-01-31`, `2020-01-31T05:00:00`.
    pub fn text(self, resolution: Resolution) -> String {
        // the last moments of the calendar are not rounded up beyond it
        let Some(at) = self.rounded(resolution.step()).civil().or_else(|| self.civil()) else { return String::new() };
        let date = at.date();
        match resolution {
            Resolution::Quarter => format!("{:04}-Q{}", date.year(), (date.month() + 2) / 3),
            Resolution::Month => format!("{:04}-{:02}", date.year(), date.month()),
            Resolution::Day => date.to_string(),
            _ => {
                let digits = match resolution {
                    Resolution::Second => 0,
                    Resolution::Millisecond => 3,
                    _ => 6,
                };
                let seconds = format!("{date}T{:02}:{:02}:{:02}", at.hour(), at.minute(), at.second());
                let fraction = format!("{:09}", at.subsec_nanosecond());
                if digits == 0 { seconds } else { format!("{seconds}.{}", &fraction[..digits]) }
            }
        }
    }

    /// With all necessary digits: `2020-01-31`, `2020-01-31T05:00:00`, `2020-01-31T05:00:00.123456789`.
    pub fn exact_text(self) -> String {
        match self.civil() {
            Some(at) if self.0.rem_euclid(DAY) == 0 => at.date().to_string(),
            Some(at) => at.to_string(),
            None => String::new(),
        }
    }

    /// Whether it is the first moment of a unit of this resolution, such as the first day of a month.
    pub fn begins(self, resolution: Resolution) -> bool {
        self.is_round(resolution, 0)
    }

    /// Whether it is a whole number of this resolution, up to `slack` nanoseconds.
    fn is_round(self, resolution: Resolution, slack: i128) -> bool {
        let rounded = self.rounded(resolution.step());
        let near = (rounded.0 - self.0).abs() <= slack.min(resolution.step() / 4);
        let first = |months: i8| {
            rounded.civil().is_some_and(|at| at.date().day() == 1 && (at.date().month() - 1) % months == 0)
        };
        near && match resolution {
            Resolution::Quarter => first(3),
            Resolution::Month => first(1),
            _ => true,
        }
    }
}

/// How the numbers of a column represent times: their unit, and the resolution of their text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct TimeScale {
    pub unit: TimeUnit,
    pub resolution: Resolution,
}

impl TimeScale {
    /// The text of a value: empty if it is missing, a length of time if it is outside the calendar.
    pub fn text(self, value: f64) -> String {
        match Moment::from(value, self.unit) {
            Some(at) => at.text(self.resolution),
            None if value.is_nan() => String::new(),
            None => format!("{value:e} {}s from 1970", self.unit),
        }
    }

    /// The scale at which all of these values can be written: as fine as necessary, and at least as fine as this one.
    pub fn covering(self, values: &[f64]) -> Self {
        let mut resolution = self.resolution;
        for &value in values {
            let Some(at) = Moment::from(value, self.unit) else { continue };
            let ulp = (value.abs() * f64::EPSILON).max(f64::MIN_POSITIVE);
            let slack = (2.0 * ulp * self.unit.seconds() * 1e9).ceil() as i128 + 1;
            while !at.is_round(resolution, slack) && resolution != Resolution::Microsecond {
                let next = Resolution::ALL.iter().position(|r| *r == resolution).map_or(0, |i| i + 1);
                resolution = Resolution::ALL[next.min(Resolution::ALL.len() - 1)];
            }
        }
        Self { resolution, ..self }
    }

    /// The texts of values, all at one exact resolution; `None` for missing values.
    pub fn texts(self, values: &[f64]) -> Vec<Option<String>> {
        let scale = self.covering(values);
        values.iter().map(|&v| Some(scale.text(v)).filter(|text| !text.is_empty())).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_survive_every_unit() {
        for text in ["1969-12-31T23:59:59", "2020-02-29T12:30:15", "1700-01-01T00:00:00", "2608-07-01T00:00:01"] {
            let at = Moment::of(text.parse().unwrap());
            for unit in TimeUnit::ALL {
                let scale = TimeScale { unit, resolution: Resolution::Day };
                let back = scale.covering(&[at.to(unit)]);
                assert_eq!(back.text(at.to(unit)), at.text(back.resolution), "{text} {unit}");
                assert!(back.resolution <= Resolution::Second, "{text} {unit}");
                assert_eq!(Moment::from(at.to(unit), unit).unwrap().to(unit).to_bits(), at.to(unit).to_bits());
            }
        }
    }

    #[test]
    fn the_calendar_ends_with_the_year_9999() {
        let scale = TimeScale { unit: TimeUnit::Day, resolution: Resolution::Day };
        for text in ["9999-12-31T00:00:00", "0001-01-01T00:00:00", "-009999-01-01T00:00:00"] {
            let at = Moment::of(text.parse().unwrap());
            assert_eq!(at.civil().unwrap().to_string(), text);
            assert_eq!(scale.text(at.to(TimeUnit::Day)), text[..text.len() - 9]);
        }
        let last = Moment::of("9999-12-31T23:59:59.9".parse().unwrap());
        assert_eq!((last.text(Resolution::Day), last.plus(DAY)), ("9999-12-31".to_string(), None));
        assert_eq!((scale.text(1e300), scale.text(f64::NAN)), ("1e300 days from 1970".into(), String::new()));
    }

    #[test]
    fn texts_are_as_fine_as_their_column_needs() {
        let day = |text: &str| Moment::of(text.parse().unwrap()).to(TimeUnit::Day);
        let scale = TimeScale { unit: TimeUnit::Day, resolution: Resolution::Quarter };
        let texts = |days: &[&str]| -> Vec<String> {
            let values: Vec<f64> = days.iter().map(|d| day(d)).collect();
            scale.texts(&values).into_iter().flatten().collect()
        };
        assert_eq!(texts(&["2020-01-01T00:00", "2020-04-01T00:00"]), ["2020-Q1", "2020-Q2"]);
        assert_eq!(texts(&["2020-01-01T00:00", "2020-02-01T00:00"]), ["2020-01", "2020-02"]);
        assert_eq!(texts(&["2020-01-01T00:00", "2020-02-03T00:00"]), ["2020-01-01", "2020-02-03"]);
        assert_eq!(texts(&["2020-01-01T00:00", "2020-02-03T00:15"]), ["2020-01-01T00:00:00", "2020-02-03T00:15:00"]);
        assert_eq!(texts(&["2020-01-01T00:00:00.25"]), ["2020-01-01T00:00:00.250"]);
    }
}
