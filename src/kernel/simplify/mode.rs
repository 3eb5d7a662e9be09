//! The purpose of a simplifying pass, and the tolerance of its comparisons.

use crate::param::State;

/// What a pass is for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    /// Keep the values.
    Values,
    /// Keep the set of kernels that is reached when free parameters vary; nothing free is written.
    Structure,
    /// As `Values`, with repeated factors under one exponent.
    Compare,
}

impl Mode {
    /// When comparing, values that differ by rounding alone must not change the order.
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

    /// How far values may differ for two parts to be alike.
    pub(super) fn tolerance(self) -> f64 {
        if self == Mode::Compare { 1e-12 } else { 0.0 }
    }
}
