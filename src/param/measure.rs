//! Numbers of parameters that say a time.

use crate::calendar::{self, Moment, TimeUnit};

/// What the numbers of a parameter of a time are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measure {
    /// An amount of a unit.
    Length(TimeUnit),
    /// A number of a unit since 1970.
    Date(TimeUnit),
}

impl Measure {
    /// The unit in which dates that were written are kept: fine enough to have every date of the years 2000 to 2034 to
    /// the last bit that any unit has.
    const WRITTEN: TimeUnit = TimeUnit::Hour;

    pub fn unit(self) -> TimeUnit {
        match self {
            Self::Length(unit) | Self::Date(unit) => unit,
        }
    }

    /// The same kind in another unit.
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

    /// A length or a date from its text.
    pub fn read(text: &str) -> Option<(f64, Self)> {
        if let Some(length) = calendar::length(text) {
            return Some((length.amount, Self::Length(length.unit)));
        }
        calendar::date(text).map(|at| (at.to(Self::WRITTEN), Self::Date(Self::WRITTEN)))
    }

    /// The text that reads back to the same number. A date that no text says to the last bit is `None`.
    pub fn text(self, x: f64) -> Option<String> {
        match self {
            Self::Length(unit) => {
                let size = x.abs();
                let plain = size == 0.0 || (1e-5..1e16).contains(&size);
                let amount = if plain { format!("{x}") } else { format!("{x:e}") };
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
