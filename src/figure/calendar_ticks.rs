//! Ticks of a time axis: at the starts of years, quarters, months, days and hours.

use jiff::civil::{Date, Time};

use crate::calendar::{Moment, TimeUnit};

/// The distance of ticks.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Step {
    Seconds(i64),
    Days(i64),
    Months(i64),
}

use Step::{Days, Months, Seconds};

const MINUTE: i64 = 60;
const HOUR: i64 = 3600;
const DAY: i64 = 86_400;

/// The finest first; above these, years by 1, 2 and 5 times a power of ten.
const STEPS: [Step; 27] = [
    Seconds(1),
    Seconds(2),
    Seconds(5),
    Seconds(10),
    Seconds(15),
    Seconds(30),
    Seconds(MINUTE),
    Seconds(2 * MINUTE),
    Seconds(5 * MINUTE),
    Seconds(10 * MINUTE),
    Seconds(15 * MINUTE),
    Seconds(30 * MINUTE),
    Seconds(HOUR),
    Seconds(2 * HOUR),
    Seconds(3 * HOUR),
    Seconds(6 * HOUR),
    Seconds(12 * HOUR),
    Days(1),
    Days(2),
    Days(7),
    Days(14),
    Months(1),
    Months(2),
    Months(3),
    Months(6),
    Months(12),
    Months(24),
];

impl Step {
    /// Its approximate length in seconds.
    fn seconds(self) -> f64 {
        match self {
            Seconds(n) => n as f64,
            Days(n) => (n * DAY) as f64,
            Months(n) => n as f64 * TimeUnit::Month.seconds(),
        }
    }

    /// The smallest step with at most `want` ticks in a span; `None` if no whole second is large enough.
    fn of(span: f64, want: usize) -> Option<Self> {
        let want = want.max(2) as f64;
        if span < 2.0 {
            return None;
        }
        let years = (0..4).flat_map(|power| [1, 2, 5].map(|digit| Months(12 * digit * 10i64.pow(power))));
        STEPS.into_iter().chain(years.skip(2)).find(|step| span / step.seconds() <= want)
    }

    /// Its times from `lo` to `hi`, in seconds since 1970.
    fn seconds_between(self, lo: f64, hi: f64) -> Vec<f64> {
        let multiples = |size: i64, origin: i64| {
            let (size, origin) = (size as f64, origin as f64);
            let (first, last) = (((lo - origin) / size).ceil() as i64, ((hi - origin) / size).floor() as i64);
            (first..=last).take(1000).map(|i| i as f64 * size + origin).collect()
        };
        match self {
            Seconds(n) => multiples(n, 0),
            // weeks start on Monday, as the fifth day of 1970 was one
            Days(n) if n % 7 == 0 => multiples(n * DAY, 4 * DAY),
            Days(n) => multiples(n * DAY, 0),
            Months(n) => {
                let month = |seconds: f64| {
                    let at = Moment::from(seconds, TimeUnit::Second).and_then(Moment::civil);
                    at.map(|at| i64::from(at.year()) * 12 + i64::from(at.month()) - 1)
                };
                let (Some(first), Some(last)) = (month(lo), month(hi)) else { return Vec::new() };
                let start = |month: i64| {
                    let year = i16::try_from(month.div_euclid(12)).ok()?;
                    let date = Date::new(year, (month.rem_euclid(12) + 1) as i8, 1).ok()?;
                    Some(Moment::of(date.to_datetime(Time::midnight())).to(TimeUnit::Second))
                };
                let months = (first.div_euclid(n)..=last.div_euclid(n)).take(1000).filter_map(|i| start(i * n));
                months.filter(|at| (lo..=hi).contains(at)).collect()
            }
        }
    }

    /// The label of a tick; a year is written in full where it changes.
    fn text(self, at: f64, before: Option<f64>) -> String {
        let civil = |at: f64| Moment::from(at, TimeUnit::Second).and_then(Moment::civil);
        let Some(now) = civil(at) else { return String::new() };
        let before = before.and_then(civil);
        let new_year = before.is_none_or(|before| before.year() != now.year());
        let new_day = before.is_none_or(|before| before.date() != now.date());
        let date = now.date();
        let day = if new_year { date.to_string() } else { format!("{:02}-{:02}", date.month(), date.day()) };
        match self {
            Months(n) if n % 12 == 0 => date.year().to_string(),
            Months(3 | 6) => format!("{}-Q{}", date.year(), (date.month() + 2) / 3),
            Months(_) => format!("{}-{:02}", date.year(), date.month()),
            Days(_) => day,
            Seconds(n) => {
                let time = match n % MINUTE {
                    0 => format!("{:02}:{:02}", now.hour(), now.minute()),
                    _ => format!("{:02}:{:02}:{:02}", now.hour(), now.minute(), now.second()),
                };
                if new_day { format!("{day} {time}") } else { time }
            }
        }
    }
}

/// About `want` ticks or fewer between two numbers of a unit since 1970, with their labels. Empty if the span is too
/// short or too long for calendar ticks.
pub(super) fn ticks(lo: f64, hi: f64, unit: TimeUnit, want: usize) -> Vec<(f64, String)> {
    let (from, to) = (lo * unit.seconds(), hi * unit.seconds());
    let Some(step) = Step::of(to - from, want) else { return Vec::new() };
    let mut before = None;
    let tick = |at: f64| {
        let text = step.text(at, before.replace(at));
        let value = Moment::from(at, TimeUnit::Second).map_or(f64::NAN, |at| at.to(unit));
        (value, text)
    };
    step.seconds_between(from, to).into_iter().map(tick).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(from: &str, to: &str, want: usize) -> Vec<String> {
        let number = |text: &str| Moment::of(text.parse().unwrap()).to(TimeUnit::Day);
        ticks(number(from), number(to), TimeUnit::Day, want).into_iter().map(|(_, text)| text).collect()
    }

    #[test]
    fn ticks_stand_at_starts_of_the_calendar() {
        assert_eq!(texts("2019-01-01T00:00", "2024-06-01T00:00", 7), ["2019", "2020", "2021", "2022", "2023", "2024"]);
        assert_eq!(
            texts("1700-01-01T00:00", "2020-01-01T00:00", 7),
            ["1700", "1750", "1800", "1850", "1900", "1950", "2000"]
        );
        assert_eq!(
            texts("2022-02-01T00:00", "2023-05-01T00:00", 6),
            ["2022-Q2", "2022-Q3", "2022-Q4", "2023-Q1", "2023-Q2"]
        );
        assert_eq!(texts("2022-11-15T00:00", "2023-03-20T00:00", 5), ["2022-12", "2023-01", "2023-02", "2023-03"]);
        assert_eq!(
            texts("2020-02-27T00:00", "2020-03-02T12:00", 6),
            ["2020-02-27", "02-28", "02-29", "03-01", "03-02"]
        );
        assert_eq!(texts("2020-12-24T12:00", "2021-01-20T00:00", 5), ["2020-12-28", "2021-01-04", "01-11", "01-18"]);
        assert_eq!(texts("2020-12-31T14:00", "2021-01-01T09:00", 4), ["2020-12-31 18:00", "2021-01-01 00:00", "06:00"]);
        assert_eq!(
            texts("2020-12-31T14:00:00", "2020-12-31T14:00:25", 3),
            ["2020-12-31 14:00:00", "14:00:10", "14:00:20"]
        );
    }

    #[test]
    fn ticks_are_few_at_any_span() {
        for want in 2..9 {
            for power in 0..48 {
                let hi = 18_000.0 + 2f64.powf(f64::from(power) / 2.0) * 1e-4;
                let found = ticks(18_000.0, hi, TimeUnit::Day, want);
                assert!(found.len() <= want + 2, "{found:?}");
                assert!(found.iter().all(|(at, _)| (18_000.0 - 1e-6..=hi + 1e-6).contains(at)));
            }
        }
    }
}
