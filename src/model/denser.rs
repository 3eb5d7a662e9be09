//! How much of the noise of a fit by VFE stands for what its inducing inputs leave out.
//!
//! Where the bound of VFE is greatest, the noise variance has tr(K − Q)/n in it, the mean variance of the function given
//! the inducing inputs (Titsias 2009, 9; Bauer, van der Wilk & Rasmussen 2016). If that is more than a little, the noise
//! is looked for again with twice as many inducing inputs at the same kernel.

use std::fmt;

use super::inducing::{Inducing, Sparse, SparseMethod};
use super::sparse::SparseProblem;
use super::{Evidencer, ModelError, ParameterKind, Problem};
use crate::progress::Silent;

/// Noise that would be smaller with more inducing inputs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DenserNoise {
    /// How many inducing inputs the fit has.
    pub inducing: usize,
    /// How many were tried.
    pub denser: usize,
    /// Noise variance of the fit.
    pub noise: f64,
    /// That which has the greatest bound with so many, or near it.
    pub denser_noise: f64,
}

/// tr(K − Q)/n below this share of the noise is let be.
const SHARE: f64 = 0.05;
/// A noise variance that falls by less than this share is let be.
const FALL: f64 = 0.1;
/// Steps towards the noise of the denser set, and the change in its logarithm that ends them.
const STEPS: usize = 12;
const CHANGE: f64 = 0.02;

impl DenserNoise {
    /// Looks for it at the values of a fit; `None` for other models, known or fixed noise, and where it does not fall.
    ///
    /// # Errors
    /// As an evaluation of the bound.
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
            // Fisher's information of a noise variance v is n/(2v²); never more than halved at once
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
