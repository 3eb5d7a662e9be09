//! Parameters of kernels and models: a value, what a fit may do with it, where it may lie, and a prior.
//!
//! A parameter is always in natural units. [`Domain`]
//! maps it to the real line on which the optimiser works. This room does not depend on kernels, optimisers or the language.

mod domain;
mod prior;

use std::hash::{Hash, Hasher};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::calendar::{self, Moment, TimeUnit};
pub use domain::Domain;
pub use prior::{PRIORS, Prior};

/// What is known of a parameter's value and what a fit may do with it.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum State {
    /// Nothing was said: a fit starts it from the data, and a look without data takes the family's default.
    #[default]
    Unset,
    /// Free, starting here.
    Free(f64),
    /// Stays here.
    Fixed(f64),
    /// Free between two bounds, starting at `value` or, without one, from the data.
    Bounded { lo: f64, hi: f64, value: Option<f64> },
}

/// One parameter of a kernel or of a model.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Param {
    pub state: State,
    pub prior: Option<Prior>,
    /// Parameters of one tie share their value in every fit.
    pub tie: Option<Tie>,
    /// Its numbers are an amount of time or a date; otherwise they are in the unit of the input. A prior is in the unit
    /// of the input in any case.
    pub time: Option<Measure>,
}

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

impl Param {
    /// The same parameter with its numbers in this unit, where they say a time.
    pub fn in_unit(&self, to: TimeUnit) -> Self {
        let Some(measure) = self.time else { return self.clone() };
        let convert = |x: f64| measure.convert(x, to);
        let state = match self.state {
            State::Unset => State::Unset,
            State::Free(x) => State::Free(convert(x)),
            State::Fixed(x) => State::Fixed(convert(x)),
            State::Bounded { lo, hi, value } => {
                State::Bounded { lo: convert(lo), hi: convert(hi), value: value.map(convert) }
            }
        };
        let time = match measure {
            Measure::Length(_) => Measure::Length(to),
            Measure::Date(_) => Measure::Date(to),
        };
        Self { state, time: Some(time), ..self.clone() }
    }

    pub fn free(value: f64) -> Self {
        State::Free(value).into()
    }

    pub fn fixed(value: f64) -> Self {
        State::Fixed(value).into()
    }

    /// The value that was written, if one was.
    pub fn value(&self) -> Option<f64> {
        match self.state {
            State::Unset => None,
            State::Free(v) | State::Fixed(v) => Some(v),
            State::Bounded { value, .. } => value,
        }
    }

    pub fn is_fixed(&self) -> bool {
        matches!(self.state, State::Fixed(_))
    }

    /// Nothing at all was written of it.
    pub fn is_unset(&self) -> bool {
        *self == Self::default()
    }

    /// The same parameter with another value; a fixed one stays as it is.
    pub fn with_value(&self, value: f64) -> Self {
        let state = match self.state {
            State::Unset | State::Free(_) => State::Free(value),
            State::Fixed(v) => State::Fixed(v),
            State::Bounded { lo, hi, .. } => State::Bounded { lo, hi, value: Some(value) },
        };
        Self { state, ..self.clone() }
    }
}

impl From<State> for Param {
    fn from(state: State) -> Self {
        Self { state, prior: None, tie: None, time: None }
    }
}

/// Says that parameters are one and the same. Equality is by identity; the name is for display.
#[derive(Debug, Clone)]
pub struct Tie {
    id: u64,
    /// Of a parameter that has one number for each input: which of them.
    element: Option<usize>,
    pub name: Arc<str>,
}

impl Tie {
    /// A tie unlike all others.
    pub fn new(name: impl Into<Arc<str>>) -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        Self { id: NEXT.fetch_add(1, Ordering::Relaxed), element: None, name: name.into() }
    }

    pub fn id(&self) -> u64 {
        self.id
    }

    /// Whether it ties numbers of parameters that are tied as a whole.
    pub fn is_element(&self) -> bool {
        self.element.is_some()
    }

    /// The tie of the i-th number of parameters that are tied as a whole: alike for all that share this tie.
    pub fn element(&self, i: usize) -> Self {
        Self { id: self.id, element: Some(i), name: format!("{}{i}", self.name).into() }
    }
}

impl PartialEq for Tie {
    fn eq(&self, other: &Self) -> bool {
        (self.id, self.element) == (other.id, other.element)
    }
}

impl Eq for Tie {}

impl Hash for Tie {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.id, self.element).hash(state);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_and_dates_read_back_to_the_bit() {
        for unit in TimeUnit::ALL {
            for x in [7.0002, 1.0, 0.1 + 0.2, 6.999993, 1e-9, 1e20] {
                let length = Measure::Length(unit);
                assert_eq!(Measure::read(&length.text(x).unwrap()), Some((x, length)));
            }
        }
        let mut said = 0;
        for i in 0..1000 {
            let day = 18_000.0 + f64::from(i) * 1.2345;
            for unit in [TimeUnit::Day, TimeUnit::Year, TimeUnit::Second] {
                let x = TimeUnit::Day.convert(day, unit);
                let Some(text) = Measure::Date(unit).text(x) else { continue };
                said += 1;
                let (back, read) = Measure::read(&text).unwrap();
                assert_eq!(read.convert(back, unit).to_bits(), x.to_bits(), "{text}");
            }
        }
        assert!(said > 2900, "{said} of 3000");
    }
}
