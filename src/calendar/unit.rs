//! Units of time, each with a fixed number of seconds.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A unit of time. A year has 365.25 days, a month one twelfth of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TimeUnit {
    Second,
    Minute,
    Hour,
    Day,
    Week,
    Month,
    Year,
}

impl TimeUnit {
    /// All units, the longest first.
    pub const ALL: [Self; 7] = [Self::Year, Self::Month, Self::Week, Self::Day, Self::Hour, Self::Minute, Self::Second];

    /// Its length in seconds, a whole number.
    pub const fn whole_seconds(self) -> u32 {
        match self {
            Self::Second => 1,
            Self::Minute => 60,
            Self::Hour => 3600,
            Self::Day => 86_400,
            Self::Week => 604_800,
            Self::Month => 2_629_800,
            Self::Year => 31_557_600,
        }
    }

    pub fn seconds(self) -> f64 {
        f64::from(self.whole_seconds())
    }

    /// The factor that converts an amount of this unit to another. Exactly 1 for the same unit.
    pub fn per(self, other: Self) -> f64 {
        self.seconds() / other.seconds()
    }

    /// Converts an amount of this unit to another; unchanged for the same unit.
    pub fn convert(self, amount: f64, to: Self) -> f64 {
        let (from, to) = (self.seconds(), to.seconds());
        // a single rounding if the ratio is a whole number
        if from >= to && from % to == 0.0 {
            amount * (from / to)
        } else if from < to && to % from == 0.0 {
            amount / (to / from)
        } else {
            amount * from / to
        }
    }

    /// The unit of a column with this span.
    pub fn of_span(seconds: f64) -> Self {
        match seconds {
            s if s > 10.0 * Self::Year.seconds() => Self::Year,
            s if s > 2.0 * Self::Week.seconds() => Self::Day,
            s if s > 2.0 * Self::Hour.seconds() => Self::Hour,
            _ => Self::Second,
        }
    }

    /// Its name in the singular.
    pub fn name(self) -> &'static str {
        match self {
            Self::Second => "second",
            Self::Minute => "minute",
            Self::Hour => "hour",
            Self::Day => "day",
            Self::Week => "week",
            Self::Month => "month",
            Self::Year => "year",
        }
    }

    /// The unit with this name, in full or short, in the singular or plural.
    pub fn parse(word: &str) -> Option<Self> {
        Some(match word {
            "s" | "sec" | "secs" | "second" | "seconds" => Self::Second,
            "min" | "mins" | "minute" | "minutes" => Self::Minute,
            "h" | "hr" | "hrs" | "hour" | "hours" => Self::Hour,
            "d" | "day" | "days" => Self::Day,
            "w" | "wk" | "wks" | "week" | "weeks" => Self::Week,
            "mo" | "month" | "months" => Self::Month,
            "y" | "yr" | "yrs" | "year" | "years" => Self::Year,
            _ => return None,
        })
    }
}

impl fmt::Display for TimeUnit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_unit_follows_from_the_span() {
        let day = 86_400.0;
        for (span, unit) in [
            (11.0 * 365.25 * day, TimeUnit::Year),
            (10.0 * 365.25 * day, TimeUnit::Day),
            (15.0 * day, TimeUnit::Day),
            (14.0 * day, TimeUnit::Hour),
            (7200.0, TimeUnit::Second),
            (0.0, TimeUnit::Second),
        ] {
            assert_eq!(TimeUnit::of_span(span), unit, "{span}");
        }
    }

    #[test]
    fn words_and_names_agree() {
        for unit in TimeUnit::ALL {
            assert_eq!(TimeUnit::parse(unit.name()), Some(unit));
            assert_eq!(TimeUnit::parse(&format!("{unit}s")), Some(unit));
            assert_eq!(unit.convert(0.1, unit).to_bits(), 0.1f64.to_bits());
        }
        assert_eq!(TimeUnit::Week.convert(1.0, TimeUnit::Day), 7.0);
        assert_eq!(TimeUnit::Month.convert(12.0, TimeUnit::Year), 1.0);
        assert_eq!(TimeUnit::Day.convert(7.0, TimeUnit::Week), 1.0);
    }
}
