//! Several fits of the same data side by side.

use std::sync::Arc;

use super::score::score_leave_one_out;
use crate::fit::Fit;
use crate::model::ModelError;

/// One fit among others.
#[derive(Debug, Clone)]
pub struct Compared {
    pub fit: Arc<Fit>,
    /// log evidence less that of the best: the log Bayes factor against it, parameters at their best values.
    pub log_bayes: f64,
    /// BIC less that of the best.
    pub delta_bic: f64,
    /// Mean negative log predictive density of each row from the others; `None` where the model has no noise.
    pub loo_nll: Option<f64>,
    /// Root mean squared error of the same.
    pub loo_rmse: Option<f64>,
}

/// Ranks fits by BIC, best first; equals keep their order.
///
/// # Errors
/// [`ModelError::OtherData`] when they are not of the same target rows, [`ModelError::OtherLikelihood`] when some are of
/// numbers and some of classes: their evidences could not be compared.
pub fn compare(fits: &[Arc<Fit>]) -> Result<Vec<Compared>, ModelError> {
    let Some(first) = fits.first() else { return Ok(Vec::new()) };
    if fits.iter().any(|f| f.problem().data().y() != first.problem().data().y()) {
        return Err(ModelError::OtherData);
    }
    if fits.iter().any(|f| f.problem().classes().is_some() != first.problem().classes().is_some()) {
        return Err(ModelError::OtherLikelihood);
    }
    // one class against the rest is another target for each class
    if fits.iter().any(|f| f.problem().y() != first.problem().y() && f.problem().classes().is_some()) {
        return Err(ModelError::OtherData);
    }
    let best_lml = fits.iter().map(|f| f.lml()).fold(f64::NEG_INFINITY, f64::max);
    let best_bic = fits.iter().map(|f| f.bic).fold(f64::INFINITY, f64::min);
    let mut compared: Vec<Compared> = fits
        .iter()
        .map(|fit| {
            let score = score_leave_one_out(fit).ok();
            Compared {
                fit: fit.clone(),
                log_bayes: fit.lml() - best_lml,
                delta_bic: fit.bic - best_bic,
                loo_nll: score.as_ref().and_then(|s| s.get("nll")),
                loo_rmse: score.as_ref().and_then(|s| s.get("rmse")),
            }
        })
        .collect();
    compared.sort_by(|a, b| a.fit.bic.total_cmp(&b.fit.bic));
    Ok(compared)
}
