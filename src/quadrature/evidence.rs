//! The evidence of a model: its likelihood integrated over the parameters by Bayesian quadrature.

use super::conditioned::PriorMean;
use super::density::{Density, Marginal};
use super::error::QuadratureError;
use super::integral::{Settings, integrate};
use super::parameters::usual_kernel;
use super::warp::Warp;
use crate::fit::ParameterPosterior;
use crate::progress::Progress;

/// The log of the evidence with its standard deviation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ModelEvidence {
    pub log: f64,
    /// Of the log, by the delta method; what the quadrature leaves uncertain.
    pub sd: f64,
    /// How often the likelihood was evaluated.
    pub evaluations: usize,
}

/// The likelihood is divided by a normal density that is so much wider than the normal approximation to the posterior,
/// in each direction, so that the quotient is smooth and bounded.
const WIDER: f64 = 1.4;
/// Evaluations: so many, and so many more for each parameter.
const EVALUATIONS: usize = 15;
const EACH: usize = 12;

/// Integrates the likelihood over the parameters around a fit, against the normal approximation to their posterior.
///
/// # Errors
/// [`QuadratureError`].
pub fn model_evidence(
    posterior: &ParameterPosterior<'_>,
    seed: u64,
    progress: &dyn Progress,
) -> Result<ModelEvidence, QuadratureError> {
    let p = posterior.dimensions();
    if p == 0 {
        return Ok(ModelEvidence { log: posterior.top(), sd: 0.0, evaluations: 1 });
    }
    let marginal = Marginal::normal(0.0, WIDER)?;
    let density = Density::product(vec![marginal; p])?;
    let names: Vec<String> = (0..p).map(|i| format!("z{i}")).collect();
    let kernel = usual_kernel(&names, &density).ok_or(QuadratureError::NoPoints)?;
    let settings = Settings {
        density: density.clone(),
        kernel,
        noise: 0.0,
        mean: PriorMean::Given(0.0),
        warp: Warp::None,
        integrated: false,
        seed,
    };
    let top = posterior.top();
    // values without a density have none of the mass
    let mut quotient = |z: &[f64]| Ok(posterior.log_density(z).map_or(0.0, |log| (log - top).exp() / density.at(z)));
    let integral = integrate(names, &mut quotient, EVALUATIONS + EACH * p, None, settings, progress)?;
    let mean = integral.belief.mean();
    Ok(ModelEvidence {
        log: top + posterior.log_volume() + mean.ln(),
        sd: integral.belief.sd() / mean,
        evaluations: integral.evaluations.n(),
    })
}
