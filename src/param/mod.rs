//! Parameters of kernels and models: a value, whether a fit optimises it, its domain, and a prior.
//!
//! A parameter is always in natural units. [`Domain`] maps it to the real line, on which the optimiser works. This room
//! does not depend on kernels, optimisers or the language.

mod domain;
mod measure;
mod number;
mod prior;

use std::hash::{Hash, Hasher};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::calendar::TimeUnit;
pub use domain::Domain;
pub use measure::Measure;
pub use number::number;
pub use prior::{Density, PRIORS, Prior};

/// The value of a parameter, and whether a fit optimises it.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum State {
    /// Nothing was written: a fit chooses the starting value from the data; without data it is the family's default.
    #[default]
    Unset,
    /// Free, with this starting value.
    Free(f64),
    /// Fixed at this value.
    Fixed(f64),
    /// Free between two bounds, with starting value `value` or, without one, from the data.
    Bounded { lo: f64, hi: f64, value: Option<f64> },
}

impl std::fmt::Display for State {
    /// As it is written in the language.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match *self {
            State::Unset => f.write_str("without a value"),
            State::Free(value) => f.write_str(&number(value)),
            State::Fixed(value) => write!(f, "fixed({})", number(value)),
            State::Bounded { lo, hi, .. } => write!(f, "between({}, {})", number(lo), number(hi)),
        }
    }
}

/// One parameter of a kernel or of a model.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Param {
    pub state: State,
    pub prior: Option<Prior>,
    /// Parameters with the same tie share their value.
    pub tie: Option<Tie>,
    /// The meaning of its numbers, if they are a duration or a date; otherwise they are in the unit of the input.
    pub time: Option<Measure>,
}

impl Param {
    /// The same parameter with its numbers in this unit, if they are times.
    pub fn in_unit(&self, to: TimeUnit) -> Self {
        let prior = self.prior.map(|prior| prior.in_unit(to));
        let Some(measure) = self.time else { return Self { prior, ..self.clone() } };
        let convert = |x: f64| measure.convert(x, to);
        let state = match self.state {
            State::Unset => State::Unset,
            State::Free(x) => State::Free(convert(x)),
            State::Fixed(x) => State::Fixed(convert(x)),
            State::Bounded { lo, hi, value } => {
                State::Bounded { lo: convert(lo), hi: convert(hi), value: value.map(convert) }
            }
        };
        Self { state, prior, time: Some(measure.in_unit(to)), ..self.clone() }
    }

    /// A free parameter with this starting value.
    pub fn free(value: f64) -> Self {
        State::Free(value).into()
    }

    /// A parameter fixed at this value.
    pub fn fixed(value: f64) -> Self {
        State::Fixed(value).into()
    }

    /// The written value, if there is one.
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

    /// Whether nothing was written.
    pub fn is_unset(&self) -> bool {
        *self == Self::default()
    }

    /// The same parameter with another value; a fixed one does not change.
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

/// Identifies parameters that are the same. Equality is by identity; the name is for display.
#[derive(Debug, Clone)]
pub struct Tie {
    id: u64,
    /// The index, for a parameter with one number per input.
    element: Option<usize>,
    pub name: Arc<str>,
}

impl Tie {
    /// A new tie, different from all others.
    pub fn new(name: impl Into<Arc<str>>) -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        Self { id: NEXT.fetch_add(1, Ordering::Relaxed), element: None, name: name.into() }
    }

    /// A number that identifies the tie in this process.
    pub fn id(&self) -> u64 {
        self.id
    }

    /// Whether it ties single numbers of parameters that are tied as a whole.
    pub fn is_element(&self) -> bool {
        self.element.is_some()
    }

    /// The tie of the i-th number of parameters that are tied as a whole: equal for all that share this tie.
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
