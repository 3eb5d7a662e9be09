//! The evidence of a model: its likelihood integrated over the parameters by Bayesian quadrature.

use super::active::integrate;
use super::density::{Density, Marginal};
use super::error::QuadratureError;
use super::evaluations::Evaluations;
use super::integral::Settings;
use super::parameters::product_kernel;
use super::process::PriorMean;
use super::warp::Warp;
use crate::fit::ParameterPosterior;
use crate::progress::Progress;

/// The log evidence and its standard deviation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ModelEvidence {
    pub log: f64,
    /// The standard deviation of the log, by the delta method. It measures the uncertainty of the quadrature.
    pub sd: f64,
    /// The number of evaluations of the likelihood.
    pub evaluations: usize,
}

/// The standard deviations of the density of integration, relative to the normal approximation of the posterior. The
/// likelihood is divided by this wider density so that the quotient is smooth and bounded.
const WIDER: f64 = 1.4;
/// The number of evaluations: a constant, and an increment per parameter.
const EVALUATIONS: usize = 15;
const EACH: usize = 12;

/// Integrates the likelihood over the parameters near a fit, against a normal density from the approximation of their
/// posterior.
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
    let kernel = product_kernel("SE", &names, &density).ok_or(QuadratureError::NoPoints)?;
    let settings = Settings {
        density: density.clone(),
        kernels: vec![kernel],
        noise: 0.0,
        mean: PriorMean::Given(0.0),
        warp: Warp::None,
        integrated: false,
        seed,
    };
    let top = posterior.top();
    // where there is no density the likelihood counts as 0
    let mut quotient = |z: &[f64]| Ok(posterior.log_density(z).map_or(0.0, |log| (log - top).exp() / density.at(z)));
    let integral =
        integrate(Evaluations::none(names), &mut quotient, EVALUATIONS + EACH * p, None, settings, progress)?;
    let mean = integral.posterior.mean();
    Ok(ModelEvidence {
        log: top + posterior.log_volume() + mean.ln(),
        sd: integral.posterior.sd() / mean,
        evaluations: integral.evaluations.n(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Column, Dataset};
    use crate::fit::{Options, fit};
    use crate::kernel::{Kernel, families};
    use crate::model::{Likelihood, Mean, Model, Noise};
    use crate::param::Param;
    use crate::progress::Silent;

    #[test]
    fn the_evidence_is_that_of_a_fine_grid() {
        let x: Vec<f64> = (0..12).map(f64::from).collect();
        let y: Vec<f64> = x.iter().map(|x| (0.7 * x).sin() + 0.1 * (3.1 * x).cos()).collect();
        let data = Dataset::new(vec![Column::numeric("x", x), Column::numeric("y", y)], Some("y"), None).unwrap();
        let model = Model {
            likelihood: Likelihood::Gaussian(Noise::Variance(Param::fixed(0.02))),
            mean: Mean::Zero,
            ..Model::new(Kernel::family(families::family("SE").unwrap()))
        };
        let fit = fit(&model, &data, Options { restarts: 2, ..Options::default() }, &Silent).unwrap();
        let posterior = ParameterPosterior::new(fit.problem(), fit.values()).unwrap();
        assert_eq!(posterior.dimensions(), 2);
        let step = 0.1;
        let places: Vec<f64> = (-120..=120).map(|i| f64::from(i) * step).collect();
        let mut sum = 0.0;
        for a in &places {
            for b in &places {
                sum += posterior.log_density(&[*a, *b]).map_or(0.0, |log| (log - posterior.top()).exp());
            }
        }
        let right = posterior.top() + posterior.log_volume() + (sum * step * step).ln();
        let found = model_evidence(&posterior, 1, &Silent).unwrap();
        assert!((found.log - right).abs() < 0.1, "{} ± {}, right {right}", found.log, found.sd);
    }
}
