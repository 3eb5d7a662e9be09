//! Minimises a smooth function of a few variables whose evaluation is expensive and may fail.

use argmin::core::{Executor, State as _, TerminationStatus};

use super::lbfgs::{Lbfgs, State, Walk};
use super::linesearch::{ROUNDING, largest};
pub use super::run_options::{Ended, Objective, Obstacle, Options};
use crate::progress::Progress;

/// The result of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// The best point evaluated.
    pub at: Vec<f64>,
    /// The value there; infinite if there was none.
    pub value: f64,
    /// The gradient there; NaN if there was none.
    pub gradient: Vec<f64>,
    /// The number of steps.
    pub iterations: usize,
    /// The number of evaluations.
    pub evaluations: usize,
    pub ended: Ended,
}

impl Outcome {
    /// The largest absolute component of the gradient.
    pub fn gradient_size(&self) -> f64 {
        largest(&self.gradient)
    }
}

/// Minimises from a start to convergence. `progress` receives each step as a share of `max_iter`, and can stop the run
/// between any two evaluations.
pub fn minimize(objective: &dyn Objective, start: &[f64], options: &Options, progress: &dyn Progress) -> Outcome {
    let mut run = Run::new(start, options);
    run.advance(objective, options.max_iter, progress);
    run.outcome()
}

/// A run that can take a few steps at a time, so that several starts can compete.
///
/// The steps do not depend on how they are divided into calls.
#[derive(Debug, Clone)]
pub struct Run {
    start: Vec<f64>,
    options: Options,
    state: State,
    walk: Walk,
}

impl Run {
    /// A run at its start; nothing is evaluated yet.
    pub fn new(start: &[f64], options: &Options) -> Run {
        Run {
            start: start.to_vec(),
            options: options.clone(),
            state: State::new().param(start.to_vec()),
            walk: Walk::default(),
        }
    }

    /// The run from its best point with another objective, whose values are about `scale` times as large, as those of more
    /// of the same rows. It knows the curvature of the old one.
    pub fn moved(&self, scale: f64, options: &Options) -> Run {
        self.restarted(&self.outcome().at, scale, options)
    }

    /// The same from another point.
    pub fn restarted(&self, start: &[f64], scale: f64, options: &Options) -> Run {
        let mut run = Run::new(start, options);
        run.walk.take_curvature(&self.walk, scale);
        run
    }

    /// Takes up to the given number of steps, and returns whether and how the run has ended. A run that has ended does
    /// not continue, except one that was stopped. The first call evaluates the start, even with no steps allowed.
    pub fn advance(&mut self, objective: &dyn Objective, iterations: usize, progress: &dyn Progress) -> Option<&Ended> {
        debug_assert_eq!(objective.dim(), self.start.len(), "a start has one number a coordinate");
        if matches!(self.walk.ended, Some(Ended::Stopped { .. })) {
            self.walk.ended = None;
        }
        if self.walk.ended.is_some() {
            return self.walk.ended.as_ref();
        }
        let mut state = std::mem::replace(&mut self.state, State::new());
        state.max_iters = state.iter.saturating_add(iterations as u64);
        state.termination_status = TerminationStatus::NotTerminated;
        let solver = Lbfgs { walk: &mut self.walk, options: &self.options, progress };
        let result = Executor::new(objective, solver).configure(|_| state).ctrlc(false).timer(false).run();
        // `run` always returns `Ok`: the solver has recorded how it ended.
        self.state = match result {
            Ok(result) => result.state,
            Err(_) => {
                self.walk.ended.get_or_insert(Ended::Stuck { why: Obstacle::NoDescent });
                State::new()
            }
        };
        self.walk.ended.as_ref()
    }

    /// How the run ended, if it has ended.
    pub fn ended(&self) -> Option<&Ended> {
        self.walk.ended.as_ref()
    }

    /// The best value so far; infinite before the first evaluation and if none was finite.
    pub fn value(&self) -> f64 {
        self.walk.best.as_ref().map_or(f64::INFINITY, |best| best.value)
    }

    /// The result so far. A run that has not ended counts as out of iterations.
    pub fn outcome(&self) -> Outcome {
        let (iterations, evaluations) = (self.walk.iterations, self.walk.evaluations);
        let ended = self.walk.ended.unwrap_or(Ended::OutOfIterations { steps: iterations });
        let (mut at, mut value, mut gradient) = match &self.walk.best {
            Some(best) => (best.at.clone(), best.value, best.gradient.clone()),
            None => (self.start.clone(), f64::INFINITY, vec![f64::NAN; self.start.len()]),
        };
        // Values that differ only by rounding count as equal: the last point is used, as its gradient was checked.
        if let (Some(last), Some(slope)) = (&self.state.param, &self.state.grad)
            && self.state.cost <= value + 10.0 * ROUNDING * value.abs().max(1.0)
        {
            (at, value, gradient) = (last.clone(), self.state.cost, slope.clone());
        }
        Outcome { at, value, gradient, iterations, evaluations, ended }
    }
}

#[cfg(test)]
mod tests;
