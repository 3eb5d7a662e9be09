//! L-BFGS as a solver under argmin's executor.
//!
//! The two-loop recursion over the last pairs of steps and changes of gradient (Nocedal & Wright, algorithm 7.4), with
//! our own line search: argmin's L-BFGS with any of its line searches hangs or stops early where a likelihood is not
//! finite.

use std::collections::VecDeque;

use argmin::core::{Error, IterState, KV, Problem, Solver, TerminationReason, TerminationStatus};

use super::linesearch::{Found, Point, Trial, dot, largest, search};
use super::run_options::{Ended, Objective, Obstacle, Options};
use crate::progress::Progress;

/// argmin's state with plain vectors as parameters and gradient.
pub(super) type State = IterState<Vec<f64>, Vec<f64>, (), (), (), f64>;

/// The largest change of a coordinate in a step along the gradient, of which only the direction is known to be useful.
const FIRST_MOVE: f64 = 0.5;
/// If no step achieves an expected decrease below this, relative to the value, the difference is rounding.
const LOST_IN_ROUNDING: f64 = 1e-7;
/// The number of consecutive steps with almost no decrease that ends a run; a single one may be a shortened step.
const QUIET_STEPS: usize = 2;

/// The state of a run in addition to argmin's, kept between calls of the executor.
#[derive(Debug, Clone, Default)]
pub(super) struct Walk {
    pub best: Option<Point>,
    pub iterations: usize,
    pub evaluations: usize,
    pub ended: Option<Ended>,
    started: bool,
    pairs: VecDeque<Pair>,
    quiet: usize,
}

/// A step, the change of the gradient over it, and the inverse of their inner product.
#[derive(Debug, Clone)]
struct Pair {
    step: Vec<f64>,
    change: Vec<f64>,
    inverse: f64,
}

/// The solver. It borrows the walk, which therefore survives any result of argmin.
pub(super) struct Lbfgs<'a> {
    pub walk: &'a mut Walk,
    pub options: &'a Options,
    pub progress: &'a dyn Progress,
}

impl Walk {
    /// −H g for the inverse Hessian H estimated from the pairs; without pairs, a short step along −g.
    fn direction(&self, gradient: &[f64]) -> Vec<f64> {
        let mut direction: Vec<f64> = gradient.iter().map(|g| -g).collect();
        let Some(last) = self.pairs.back() else {
            let shrink = (FIRST_MOVE / largest(gradient)).min(1.0);
            direction.iter_mut().for_each(|d| *d *= shrink);
            return direction;
        };
        let mut shares = Vec::with_capacity(self.pairs.len());
        for pair in self.pairs.iter().rev() {
            let share = pair.inverse * dot(&pair.step, &direction);
            add(&mut direction, -share, &pair.change);
            shares.push(share);
        }
        let scale = 1.0 / (last.inverse * dot(&last.change, &last.change));
        direction.iter_mut().for_each(|d| *d *= scale);
        for (pair, share) in self.pairs.iter().zip(shares.into_iter().rev()) {
            let back = pair.inverse * dot(&pair.change, &direction);
            add(&mut direction, share - back, &pair.step);
        }
        direction
    }

    /// Adds a step to the pairs, unless the curvature along it is negative (H would not stay positive definite).
    fn learn(&mut self, from: &Point, to: &Point, history: usize) {
        let step: Vec<f64> = to.at.iter().zip(&from.at).map(|(b, a)| b - a).collect();
        let change: Vec<f64> = to.gradient.iter().zip(&from.gradient).map(|(b, a)| b - a).collect();
        let product = dot(&step, &change);
        if product > 1e-10 * (dot(&step, &step) * dot(&change, &change)).sqrt() {
            self.pairs.push_back(Pair { step, change, inverse: 1.0 / product });
            if self.pairs.len() > history.max(1) {
                self.pairs.pop_front();
            }
        }
    }

    /// Takes over the pairs of a walk whose objective has values that are smaller by a factor.
    pub fn take_curvature(&mut self, other: &Walk, scale: f64) {
        let scaled = |pair: &Pair| Pair {
            step: pair.step.clone(),
            change: pair.change.iter().map(|change| scale * change).collect(),
            inverse: pair.inverse / scale,
        };
        self.pairs = other.pairs.iter().map(scaled).collect();
    }

    fn keep_best(&mut self, point: &Point) {
        if self.best.as_ref().is_none_or(|best| point.value < best.value) {
            self.best = Some(point.clone());
        }
    }
}

impl<'o> Lbfgs<'_> {
    /// Evaluates once, counted by argmin and by us. A missing value or gradient is a wall.
    fn evaluate(&mut self, problem: &mut Problem<&'o dyn Objective>, at: Vec<f64>) -> Trial {
        let mut gradient = vec![0.0; at.len()];
        let value =
            problem.problem("evaluations", |objective| Ok(objective.evaluate(&at, &mut gradient))).unwrap_or(f64::NAN);
        self.walk.evaluations += 1;
        if !value.is_finite() {
            return Trial::Wall;
        }
        if gradient.iter().any(|g| !g.is_finite()) {
            // Only needed at the start, where there is no earlier point.
            self.walk.best.get_or_insert(Point { at, value, gradient });
            return Trial::Wall;
        }
        let point = Point { at, value, gradient };
        self.walk.keep_best(&point);
        Trial::Finite(point)
    }

    fn spent(&self) -> bool {
        self.walk.evaluations >= self.options.max_evals
    }

    fn interruption(&self) -> Option<Ended> {
        if self.progress.stop() {
            Some(Ended::Stopped { steps: self.walk.iterations })
        } else if self.spent() || self.walk.iterations >= self.options.max_iter {
            Some(Ended::OutOfIterations { steps: self.walk.iterations })
        } else {
            None
        }
    }

    /// Shortens a direction with coordinates beyond the largest step: each separately if the result still descends as
    /// steeply, so that one large coordinate does not slow the others; otherwise all by one factor.
    fn within_reach(&self, direction: Vec<f64>, gradient: &[f64]) -> Vec<f64> {
        let reach = self.options.largest_step;
        let size = largest(&direction);
        if size.is_nan() || size <= reach {
            return direction;
        }
        let clipped: Vec<f64> = direction.iter().map(|d| d.max(-reach).min(reach)).collect();
        let shrunk: Vec<f64> = direction.iter().map(|d| d * (reach / size)).collect();
        if dot(&clipped, gradient) < dot(&shrunk, gradient) { clipped } else { shrunk }
    }

    /// Steps to a lower point, or returns why there is none.
    fn step(&mut self, problem: &mut Problem<&'o dyn Objective>, here: &Point) -> Result<Point, Ended> {
        // The decrease of a Newton step, as estimated from the pairs.
        let mut promised = f64::INFINITY;
        loop {
            let bare = self.walk.pairs.is_empty();
            let direction = self.within_reach(self.walk.direction(&here.gradient), &here.gradient);
            let slope = dot(&here.gradient, &direction);
            let lengths = (dot(&here.gradient, &here.gradient) * dot(&direction, &direction)).sqrt();
            let descends = slope.is_finite() && slope < -1e-14 * lengths;
            if descends {
                if !bare {
                    promised = promised.min(-0.5 * slope);
                }
                let longest = self.options.largest_step / largest(&direction);
                let found = search(here, &direction, 1.0, longest, |at| {
                    if self.progress.stop() || self.spent() {
                        return Trial::Halt;
                    }
                    self.evaluate(problem, at)
                });
                match found {
                    Found::Lower(point) => return Ok(point),
                    Found::Halted => {
                        let steps = self.walk.iterations;
                        let halted = self.interruption().unwrap_or(Ended::Stopped { steps });
                        return Err(halted);
                    }
                    Found::Nothing => {}
                }
            }
            if bare {
                let nothing_left = promised <= LOST_IN_ROUNDING * here.value.abs().max(1.0);
                let why = Obstacle::NoDescent;
                return Err(if nothing_left { Ended::SmallChange } else { Ended::Stuck { why } });
            }
            self.walk.pairs.clear();
        }
    }

    /// Whether the run has ended, after a step to here from the value `before`.
    fn verdict(&mut self, before: f64, here: &Point) -> Option<Ended> {
        if largest(&here.gradient) <= self.options.gradient_tolerance {
            return Some(Ended::Converged);
        }
        let gain = (before - here.value).abs();
        let small = self.options.value_tolerance * before.abs().max(here.value.abs()).max(1.0);
        self.walk.quiet = if gain <= small { self.walk.quiet + 1 } else { 0 };
        (self.walk.quiet >= QUIET_STEPS).then_some(Ended::SmallChange)
    }
}

impl<'o> Solver<&'o dyn Objective, State> for Lbfgs<'_> {
    fn name(&self) -> &str {
        "L-BFGS"
    }

    fn init(
        &mut self,
        problem: &mut Problem<&'o dyn Objective>,
        mut state: State,
    ) -> Result<(State, Option<KV>), Error> {
        // argmin calls this again when a run continues before its first step.
        if self.walk.started {
            return Ok((state, None));
        }
        self.walk.started = true;
        let at = state.take_param().unwrap_or_default();
        match self.evaluate(problem, at.clone()) {
            Trial::Finite(point) => {
                if largest(&point.gradient) <= self.options.gradient_tolerance {
                    self.walk.ended = Some(Ended::Converged);
                }
                Ok((state.param(point.at).cost(point.value).gradient(point.gradient), None))
            }
            Trial::Wall | Trial::Halt if self.progress.stop() => {
                // nothing was evaluated: another call starts again
                self.walk.started = false;
                self.walk.ended = Some(Ended::Stopped { steps: 0 });
                Ok((state.param(at), None))
            }
            Trial::Wall | Trial::Halt => {
                let why = if self.walk.best.is_some() { Obstacle::NoGradient } else { Obstacle::NoValue };
                self.walk.ended = Some(Ended::Stuck { why });
                Ok((state.param(at), None))
            }
        }
    }

    fn next_iter(
        &mut self,
        problem: &mut Problem<&'o dyn Objective>,
        mut state: State,
    ) -> Result<(State, Option<KV>), Error> {
        let (Some(at), Some(gradient)) = (state.take_param(), state.take_gradient()) else {
            self.walk.ended = Some(Ended::Stuck { why: Obstacle::NoValue });
            return Ok((state, None));
        };
        let here = Point { at, value: state.get_cost(), gradient };
        let point = match self.step(problem, &here) {
            Ok(point) => {
                self.walk.learn(&here, &point, self.options.history);
                self.walk.iterations += 1;
                self.walk.ended = self.verdict(here.value, &point);
                let done = self.walk.iterations as f64 / self.options.max_iter.max(1) as f64;
                self.progress.report(done.min(1.0), &format!("step {}", self.walk.iterations));
                point
            }
            Err(ended) => {
                self.walk.ended = Some(ended);
                here
            }
        };
        Ok((state.param(point.at).cost(point.value).gradient(point.gradient), None))
    }

    fn terminate(&mut self, _state: &State) -> TerminationStatus {
        if self.walk.ended.is_none() {
            self.walk.ended = self.interruption();
        }
        match &self.walk.ended {
            None => TerminationStatus::NotTerminated,
            Some(Ended::Converged | Ended::SmallChange | Ended::Left) => {
                TerminationStatus::Terminated(TerminationReason::SolverConverged)
            }
            Some(Ended::Stopped { .. }) => TerminationStatus::Terminated(TerminationReason::Interrupt),
            Some(Ended::OutOfIterations { .. }) => TerminationStatus::Terminated(TerminationReason::MaxItersReached),
            Some(stuck @ Ended::Stuck { .. }) => {
                TerminationStatus::Terminated(TerminationReason::SolverExit(stuck.to_string()))
            }
        }
    }
}

fn add(to: &mut [f64], factor: f64, what: &[f64]) {
    to.iter_mut().zip(what).for_each(|(to, what)| *to += factor * what);
}
