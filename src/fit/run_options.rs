//! Options of the optimiser, and how a run can end.

use std::fmt;

/// A function to be minimised, with its gradient.
pub trait Objective: Sync {
    /// How many coordinates it has.
    fn dim(&self) -> usize;

    /// The value at a place; writes the gradient there. Where it cannot be evaluated the value, or any part of the
    /// gradient, is NaN or infinite; the optimiser then takes a shorter step.
    fn evaluate(&self, at: &[f64], gradient: &mut [f64]) -> f64;
}

/// When to end, and how far to go at once.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// Steps over the whole run.
    pub max_iter: usize,
    /// Evaluations over the whole run; one step takes one or a few.
    pub max_evals: usize,
    /// Converged once no part of the gradient is larger than this.
    pub gradient_tolerance: f64,
    /// Ended once two steps in a row gain less than this, relative to the value (or to 1, if that is larger).
    pub value_tolerance: f64,
    /// The largest move of any coordinate in one step. Coordinates are logarithms as a rule: 2 is a factor of 7.4.
    pub largest_step: f64,
    /// How many steps the model of the curvature remembers.
    pub history: usize,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            max_iter: 200,
            max_evals: 600,
            gradient_tolerance: 1e-4,
            value_tolerance: 1e-10,
            largest_step: 2.0,
            history: 12,
        }
    }
}

/// Why a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// The gradient vanishes.
    Converged,
    /// Steps no longer change the value.
    SmallChange,
    /// The steps or evaluations allowed are used up.
    OutOfIterations { steps: usize },
    /// Left where a search was content with it: the gradient does not quite vanish.
    Left,
    /// The user asked to stop.
    Stopped { steps: usize },
    /// No further step is possible.
    Stuck { why: Obstacle },
}

/// What stands in the way of a run that is stuck.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Obstacle {
    /// No finite value at the start.
    NoValue,
    /// A finite value at the start, but no finite gradient.
    NoGradient,
    /// No lower value along the gradient, though it does not vanish.
    NoDescent,
}

impl Ended {
    /// Whether the place reached can be called a minimum.
    pub fn well(&self) -> bool {
        matches!(self, Ended::Converged | Ended::SmallChange)
    }
}

impl fmt::Display for Ended {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plural = |steps: &usize| if *steps == 1 { "step" } else { "steps" };
        match self {
            Ended::Converged => f.write_str("converged"),
            Ended::SmallChange => f.write_str("converged (further steps gain nothing)"),
            Ended::OutOfIterations { steps } => write!(f, "not converged after {steps} {}", plural(steps)),
            Ended::Left => f.write_str("stopped early by the search"),
            Ended::Stopped { steps } => write!(f, "stopped by the user after {steps} {}", plural(steps)),
            Ended::Stuck { why } => write!(f, "stuck: {why}"),
        }
    }
}

impl fmt::Display for Obstacle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Obstacle::NoValue => "no finite value at the start",
            Obstacle::NoGradient => "no finite gradient at the start",
            Obstacle::NoDescent => "no better value along the gradient",
        })
    }
}
