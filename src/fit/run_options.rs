//! Options of the optimiser, and the ways in which a run ends.

use std::fmt;

/// A function to be minimised, with its gradient.
pub trait Objective: Sync {
    /// The number of coordinates.
    fn dim(&self) -> usize;

    /// The value at a point; writes the gradient there. Where it cannot be evaluated, the value or a component of the
    /// gradient is NaN or infinite; the optimiser then takes a shorter step.
    fn evaluate(&self, at: &[f64], gradient: &mut [f64]) -> f64;
}

/// Stopping criteria and step sizes.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// The maximum number of steps of a run.
    pub max_iter: usize,
    /// The maximum number of evaluations of a run; a step takes one or a few.
    pub max_evals: usize,
    /// A run has converged if no component of the gradient is larger than this.
    pub gradient_tolerance: f64,
    /// A run ends if two consecutive steps gain less than this, relative to the value (or to 1, if that is larger).
    pub value_tolerance: f64,
    /// The largest change of a coordinate in one step. Most coordinates are logarithms: 2 is a factor of 7.4.
    pub largest_step: f64,
    /// The number of steps from which the curvature is estimated.
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
    /// Further steps do not change the value.
    SmallChange,
    /// The limit of steps or evaluations is reached.
    OutOfIterations { steps: usize },
    /// A search accepted it before convergence: the gradient does not quite vanish.
    Left,
    /// The user stopped it.
    Stopped { steps: usize },
    /// No further step is possible.
    Stuck { why: Obstacle },
}

/// Why a run is stuck.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Obstacle {
    /// No finite value at the start.
    NoValue,
    /// A finite value at the start, but no finite gradient.
    NoGradient,
    /// No lower value along the gradient, although it does not vanish.
    NoDescent,
}

impl Ended {
    /// Whether the final point is a minimum.
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
