//! The log evidence of a model: its likelihood integrated over its parameters.

use crate::fit::{Fit, ParameterPosterior};
use crate::model::ModelError;
use crate::progress::Progress;
use crate::quadrature::{QuadratureError, model_evidence};

/// How the likelihood is integrated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Integration {
    Laplace,
    Quadrature,
}

/// A log evidence, and what it rests on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LogEvidence {
    pub log: f64,
    /// What a quadrature leaves uncertain of it.
    pub sd: Option<f64>,
    /// How often a quadrature evaluated the likelihood.
    pub evaluations: Option<usize>,
    /// How many parameters are integrated over, and how many of these have the weak prior.
    pub parameters: usize,
    pub weak: usize,
    /// Whether the user stopped the quadrature, which is less precise then.
    pub stopped: bool,
}

/// Why a fit has no evidence.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum EvidenceError {
    #[error(transparent)]
    Model(#[from] ModelError),
    #[error("the log likelihood has no curvature at the values of this fit")]
    NoCurvature,
    #[error(transparent)]
    Quadrature(#[from] QuadratureError),
}

/// The log evidence of the model of a fit, around its values.
///
/// # Errors
/// [`EvidenceError`]: a fit with inducing inputs, one without curvature, or stopped by the user.
pub fn log_evidence(
    fit: &Fit,
    integration: Integration,
    seed: u64,
    progress: &dyn Progress,
) -> Result<LogEvidence, EvidenceError> {
    fit.evidence()?;
    let posterior = ParameterPosterior::new(fit.problem(), fit.values()).ok_or(EvidenceError::NoCurvature)?;
    let (parameters, weak) = (posterior.dimensions(), posterior.weak());
    Ok(match integration {
        Integration::Laplace => {
            let log = posterior.at_mode(progress).laplace();
            LogEvidence { log, sd: None, evaluations: None, parameters, weak, stopped: progress.stop() }
        }
        Integration::Quadrature => {
            let found = model_evidence(posterior, seed, progress)?;
            let (sd, evaluations) = (Some(found.sd), Some(found.evaluations));
            LogEvidence { log: found.log, sd, evaluations, parameters, weak, stopped: found.stopped }
        }
    })
}
