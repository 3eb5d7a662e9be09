//! Minimising a smooth function of a few variables whose evaluation is expensive and may fail.

use argmin::core::{Executor, State as _, TerminationStatus};

use super::lbfgs::{Lbfgs, State, Walk};
use super::linesearch::{ROUNDING, largest};
pub use super::run_options::{Ended, Objective, Obstacle, Options};
use crate::progress::Progress;

/// What a run has come to.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// The best place seen.
    pub at: Vec<f64>,
    /// The value there; infinite if there was none.
    pub value: f64,
    /// The gradient there; NaN if there was none.
    pub gradient: Vec<f64>,
    /// Steps taken.
    pub iterations: usize,
    /// Evaluations made.
    pub evaluations: usize,
    pub ended: Ended,
}

impl Outcome {
    /// The largest part of the gradient, without sign.
    pub fn gradient_size(&self) -> f64 {
        largest(&self.gradient)
    }
}

/// Minimises from a start to the end. `progress` hears of each step as a share of `max_iter`, and may stop the run
/// between any two evaluations.
pub fn minimize(objective: &dyn Objective, start: &[f64], options: &Options, progress: &dyn Progress) -> Outcome {
    let mut run = Run::new(start, options);
    run.advance(objective, options.max_iter, progress);
    run.outcome()
}

/// A run that can be taken some steps on at a time, so that several starts can race.
///
/// The steps are the same however they are portioned.
#[derive(Debug, Clone)]
pub struct Run {
    start: Vec<f64>,
    options: Options,
    state: State,
    walk: Walk,
}

impl Run {
    /// A run that stands at its start; nothing is evaluated yet.
    pub fn new(start: &[f64], options: &Options) -> Run {
        Run {
            start: start.to_vec(),
            options: options.clone(),
            state: State::new().param(start.to_vec()),
            walk: Walk::default(),
        }
    }

    /// Takes
    /// up to the given number of steps, and returns whether and how the run has ended. A run that has ended does not
    /// continue, except one that was stopped. The first call evaluates the start, even with no steps allowed.
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
        // `run` is `Ok` whatever happened: how it ended is what the solver itself has noted.
        self.state = match result {
            Ok(result) => result.state,
            Err(_) => {
                self.walk.ended.get_or_insert(Ended::Stuck { why: Obstacle::NoDescent });
                State::new()
            }
        };
        self.walk.ended.as_ref()
    }

    /// How the run ended, if it has.
    pub fn ended(&self) -> Option<&Ended> {
        self.walk.ended.as_ref()
    }

    /// The best value so far; infinite before the first evaluation and where there was none.
    pub fn value(&self) -> f64 {
        self.walk.best.as_ref().map_or(f64::INFINITY, |best| best.value)
    }

    /// What the run has come to so far. One that has not ended is out of iterations.
    pub fn outcome(&self) -> Outcome {
        let (iterations, evaluations) = (self.walk.iterations, self.walk.evaluations);
        let ended = self.walk.ended.unwrap_or(Ended::OutOfIterations { steps: iterations });
        let (mut at, mut value, mut gradient) = match &self.walk.best {
            Some(best) => (best.at.clone(), best.value, best.gradient.clone()),
            None => (self.start.clone(), f64::INFINITY, vec![f64::NAN; self.start.len()]),
        };
        // Values that differ by rounding alone are the same: then it is the last place whose gradient was judged.
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
