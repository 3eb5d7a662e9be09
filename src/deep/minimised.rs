//! Minus the training objective as a function of all coordinates, or of those of the upper layers.

use super::problem::{DeepProblem, Values};
use crate::fit::optimize::Objective;

/// Minus the objective.
pub(super) struct Minimised<'p> {
    pub problem: &'p DeepProblem,
    pub like: &'p Values,
}

impl Objective for Minimised<'_> {
    fn dim(&self) -> usize {
        self.problem.to_coordinates(self.like).len()
    }

    fn evaluate(&self, at: &[f64], gradient: &mut [f64]) -> f64 {
        let values = self.problem.to_values(at, self.like);
        match self.problem.gradient(&values, gradient) {
            Ok(value) => {
                gradient.iter_mut().for_each(|g| *g = -*g);
                -value
            }
            Err(_) => f64::NAN,
        }
    }
}

/// The same, with the first coordinates fixed.
pub(super) struct UpperLayers<'p> {
    pub all: Minimised<'p>,
    pub held: Vec<f64>,
}

impl Objective for UpperLayers<'_> {
    fn dim(&self) -> usize {
        self.all.dim() - self.held.len()
    }

    fn evaluate(&self, at: &[f64], gradient: &mut [f64]) -> f64 {
        let whole = [&self.held[..], at].concat();
        let mut slope = vec![0.0; whole.len()];
        let value = self.all.evaluate(&whole, &mut slope);
        gradient.copy_from_slice(&slope[self.held.len()..]);
        value
    }
}
