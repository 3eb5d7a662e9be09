//! Parameters with values that are times.

use crate::calendar::{self, Moment, TimeUnit};

/// The meaning of the numbers of a time parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measure {
    /// A duration in this unit.
    Length(TimeUnit),
    /// A number of this unit since 1970.
    Date(TimeUnit),
}

impl Measure {
    /// The unit in which written dates are stored: every date of the years 2000 to 2034 has all bits that it has in any
    /// unit.
    const WRITTEN: TimeUnit = TimeUnit::Hour;

    /// Its unit.
    pub fn unit(self) -> TimeUnit {
        match self {
            Self::Length(unit) | Self::Date(unit) => unit,
        }
    }

    /// The same meaning in another unit.
    pub fn in_unit(self, to: TimeUnit) -> Self {
        match self {
            Self::Length(_) => Self::Length(to),
            Self::Date(_) => Self::Date(to),
        }
    }

    /// The number in another unit.
    pub fn convert(self, x: f64, to: TimeUnit) -> f64 {
        match self {
            Self::Length(unit) => unit.convert(x, to),
            Self::Date(unit) if unit == to => x,
            Self::Date(unit) => Moment::from(x, unit).map_or(f64::NAN, |at| at.to(to)),
        }
    }

    /// A duration or a date from its text.
    pub fn read(text: &str) -> Option<(f64, Self)> {
        if let Some(length) = calendar::length(text) {
            return Some((length.amount, Self::Length(length.unit)));
        }
        calendar::date(text).map(|at| (at.to(Self::WRITTEN), Self::Date(Self::WRITTEN)))
    }

    /// The text that parses to the same number, for a length with many digits in another unit if it is a whole number
    /// there: a week that is counted in years is `1 week`. `None` if no text gives a date to the last bit.
    pub fn text(self, x: f64) -> Option<String> {
        match self {
            Self::Length(unit) => {
                let size = x.abs();
                let plain = size == 0.0 || (1e-5..1e16).contains(&size);
                let amount = if plain { format!("{x}") } else { format!("{x:e}") };
                if amount.len() > LONG_TEXT
                    && let Some((count, other)) = whole(x, unit)
                {
                    return Self::Length(other).text(count);
                }
                Some(if x == 1.0 { format!("1 {unit}") } else { format!("{amount} {unit}s") })
            }
            Self::Date(unit) => {
                let text = Moment::from(x, unit)?.exact_text();
                let (back, read) = Self::read(&text)?;
                (read.convert(back, unit).to_bits() == x.to_bits()).then_some(text)
            }
        }
    }
}

/// A number with more characters is written in a unit in which it is whole, if there is one.
const LONG_TEXT: usize = 8;
/// The largest such number.
const LARGEST_WHOLE: f64 = 9999.0;

/// A length as a whole number of the longest unit that gives it to the last bit.
fn whole(x: f64, unit: TimeUnit) -> Option<(f64, TimeUnit)> {
    let count = |other: &TimeUnit| unit.convert(x, *other).round();
    let exact = |other: &TimeUnit| other.convert(count(other), unit).to_bits() == x.to_bits();
    let mut units = TimeUnit::ALL.into_iter().filter(|other| (1.0..=LARGEST_WHOLE).contains(&count(other)));
    units.find(exact).map(|other| (count(&other), other))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_whole_number_of_another_unit_is_written_in_it() {
        use TimeUnit::{Day, Week, Year};
        let text = |x: f64, unit| Measure::Length(unit).text(x).unwrap();
        assert_eq!(text(Week.convert(1.0, Year), Year), "1 week");
        assert_eq!(text(Day.convert(3.0, Year), Year), "3 days");
        assert_eq!(text(Year.convert(1.0, Day), Day), "365.25 days");
        assert_eq!(text(0.019_16, Year), "0.01916 years");
        let (back, length) = Measure::read("3 days").unwrap();
        assert_eq!(length.convert(back, Year).to_bits(), Day.convert(3.0, Year).to_bits());
    }
}
