//! The purpose of a simplifying pass, and the tolerance of its comparisons.

use crate::param::State;

/// The purpose of a pass.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    /// Preserves the values.
    Values,
    /// Preserves the set of kernels spanned by the free parameters; free values are unset.
    Structure,
    /// Like `Values`, with repeated factors collected under one exponent.
    Compare,
}

impl Mode {
    /// In a comparison, values that differ only by rounding must not change the order.
    pub(super) fn rounded(self, state: State) -> State {
        let round = |x: f64| match self {
            Mode::Compare => format!("{x:.8e}").parse().unwrap_or(x),
            _ => x,
        };
        match state {
            State::Unset => State::Unset,
            State::Free(x) => State::Free(round(x)),
            State::Fixed(x) => State::Fixed(round(x)),
            State::Bounded { lo, hi, value } => {
                State::Bounded { lo: round(lo), hi: round(hi), value: value.map(round) }
            }
        }
    }

    /// The largest relative difference of values of equal parts.
    pub(super) fn tolerance(self) -> f64 {
        if self == Mode::Compare { 1e-12 } else { 0.0 }
    }
}
