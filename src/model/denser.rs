//! The part of the noise of a VFE fit that is due to its inducing inputs.
//!
//! At the maximum of the bound of VFE, the noise variance contains tr(K − Q)/n, the mean variance of the function given
//! the inducing inputs (Titsias 2009, 9; Bauer, van der Wilk & Rasmussen 2016). If that is more than a small share, the
//! noise is estimated again with twice as many inducing inputs and the same kernel.

use std::fmt;

use super::inducing::{Inducing, Sparse, SparseMethod};
use super::sparse::SparseProblem;
use super::{Evidencer, ModelError, ParameterKind, Problem};
use crate::progress::Silent;

/// A noise variance that would be smaller with more inducing inputs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DenserNoise {
    /// The number of inducing inputs of the fit.
    pub inducing: usize,
    /// The number that was tried.
    pub denser: usize,
    /// The noise variance of the fit.
    pub noise: f64,
    /// The noise variance that maximises the bound with this number, approximately.
    pub denser_noise: f64,
}

/// A share of tr(K − Q)/n in the noise below this is accepted.
const SHARE: f64 = 0.05;
/// A relative decrease of the noise variance below this is accepted.
const FALL: f64 = 0.1;
/// The maximum number of steps, and the change in the logarithm of the noise that ends them.
const STEPS: usize = 12;
const CHANGE: f64 = 0.02;

impl DenserNoise {
    /// Estimates it at the values of a fit. `None` for other models, for known or fixed noise, and if the noise does
    /// not fall.
    ///
    /// # Errors
    /// Those of an evaluation of the bound.
    pub fn find(problem: &Problem, values: &[f64]) -> Result<Option<Self>, ModelError> {
        let Some(inducing) = problem.inducing().filter(|inducing| inducing.method == SparseMethod::Vfe) else {
            return Ok(None);
        };
        let free = |p: &super::Parameter| p.kind == ParameterKind::Noise && p.is_free();
        let Some(at) = problem.parameters().iter().position(free) else { return Ok(None) };
        let (n, m, noise) = (problem.n(), inducing.count(), values[at]);
        let denser = (2 * m).min(n);
        let sums = SparseProblem { problem, inducing, progress: &Silent }.sums(values, &inducing.moved())?;
        if denser <= m || sums.left_out() < SHARE * n as f64 {
            return Ok(None);
        }
        let sparse = Sparse { method: SparseMethod::Vfe, inducing: Inducing::Count(denser) };
        let problem = problem.clone().induced_by(&sparse)?;
        let found = problem.inducing().map_or(0, super::InducingInputs::count);
        if found <= m {
            return Ok(None);
        }
        let mut evidencer = Evidencer::new(&problem);
        let mut values = values.to_vec();
        for _ in 0..STEPS {
            let slope = evidencer.evaluate(&values, true, true)?.gradient[at];
            // the Fisher information of a noise variance v is n/(2v²); a step at most halves it
            let v = values[at];
            values[at] = (v + 2.0 * v * v * slope / n as f64).clamp(0.5 * v, noise);
            if (values[at] / v).ln().abs() < CHANGE {
                break;
            }
        }
        let denser_noise = values[at];
        let falls = denser_noise < (1.0 - FALL) * noise;
        Ok(falls.then_some(Self { inducing: m, denser: found, noise, denser_noise }))
    }
}

impl fmt::Display for DenserNoise {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { inducing, denser, noise, denser_noise } = self;
        let percent = 100.0 * (1.0 - (denser_noise / noise).sqrt());
        write!(
            f,
            "the noise stands for what {inducing} inducing {} out of the function as well: with {denser} and the same kernel \
             its standard deviation is about {percent:.0} % smaller, so write `inducing={denser}` or more",
            if *inducing == 1 { "input leaves" } else { "inputs leave" }
        )
    }
}
