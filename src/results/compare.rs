//! Comparison of several fits of the same data.

use std::sync::Arc;

use super::evidence::{EvidenceError, Integration, LogEvidence, log_evidence};
use super::score::score_leave_one_out;
use crate::fit::Fit;
use crate::model::ModelError;
use crate::progress::Progress;

/// A fit in a comparison.
#[derive(Debug, Clone)]
pub struct Compared {
    pub fit: Arc<Fit>,
    /// Its index in the given order.
    pub place: usize,
    /// The difference of its log marginal likelihood from that of the best, both maximised over the parameters.
    pub delta_lml: f64,
    /// The difference of its BIC from that of the best.
    pub delta_bic: f64,
    /// The mean leave-one-out negative log predictive density; `None` if the model has no noise.
    pub loo_nll: Option<f64>,
    /// The leave-one-out root mean squared error, for numbers.
    pub loo_rmse: Option<f64>,
    /// The share of rows whose leave-one-out prediction is another class, for classes.
    pub loo_error: Option<f64>,
    /// The log evidence, where fits are ranked by it.
    pub evidence: Option<LogEvidence>,
}

/// Ranks fits by BIC, best first; equal ones keep their order. If one of them is sparse, they are ranked by
/// leave-one-out density, and other differences are not reported.
///
/// # Errors
/// [`ModelError::OtherRows`] if the rows differ; [`ModelError::OtherData`] if the targets differ;
/// [`ModelError::OtherLikelihood`] if some predict numbers and others classes, whose evidences are not comparable.
pub fn compare(fits: &[Arc<Fit>]) -> Result<Vec<Compared>, ModelError> {
    let Some(first) = fits.first() else { return Ok(Vec::new()) };
    let (rows, name) = (first.problem().data(), |f: &Fit| f.problem().data().target().map(|t| t.name().to_string()));
    if let Some(other) = fits.iter().find(|f| f.problem().data().y() != rows.y()) {
        return Err(match (name(first), name(other)) {
            (one, two) if one != two => ModelError::OtherData,
            _ => ModelError::OtherRows { one: rows.n(), other: other.problem().n() },
        });
    }
    if fits.iter().any(|f| f.problem().classes().is_some() != first.problem().classes().is_some()) {
        return Err(ModelError::OtherLikelihood);
    }
    // one-vs-rest has a different target for each class
    if fits.iter().any(|f| f.problem().y() != first.problem().y() && f.problem().classes().is_some()) {
        return Err(ModelError::OtherData);
    }
    let best_lml = fits.iter().map(|f| f.lml()).fold(f64::NEG_INFINITY, f64::max);
    let best_bic = fits.iter().map(|f| f.bic()).fold(f64::INFINITY, f64::min);
    let mut compared: Vec<Compared> = fits
        .iter()
        .enumerate()
        .map(|(place, fit)| {
            let score = score_leave_one_out(fit).ok();
            Compared {
                fit: fit.clone(),
                place,
                delta_lml: fit.lml() - best_lml,
                delta_bic: fit.bic() - best_bic,
                loo_nll: score.as_ref().and_then(|s| s.get("nll")),
                loo_rmse: score.as_ref().and_then(|s| s.get("rmse")),
                loo_error: score.as_ref().and_then(|s| s.get("error")),
                evidence: None,
            }
        })
        .collect();
    if fits.iter().any(|fit| fit.sparse().is_some()) {
        // bounds, and evidences of approximate models, are not comparable with these
        for one in &mut compared {
            (one.delta_lml, one.delta_bic) = (f64::NAN, f64::NAN);
        }
        compared.sort_by(|a, b| a.loo_nll.unwrap_or(f64::INFINITY).total_cmp(&b.loo_nll.unwrap_or(f64::INFINITY)));
        return Ok(compared);
    }
    compared.sort_by(|a, b| a.fit.bic().total_cmp(&b.fit.bic()));
    Ok(compared)
}

/// Ranks fits that were compared by their log evidence, the greatest first.
///
/// # Errors
/// The place of the first fit without evidence among the fits as they were given, and the reason.
pub fn rank_by_evidence(
    compared: &mut [Compared],
    integration: Integration,
    seed: u64,
    progress: &dyn Progress,
) -> Result<(), (usize, Box<EvidenceError>)> {
    for one in compared.iter_mut() {
        let found =
            log_evidence(&one.fit, integration, seed, progress).map_err(|error| (one.place, Box::new(error)))?;
        one.evidence = Some(found);
    }
    let log = |one: &Compared| one.evidence.map_or(f64::NEG_INFINITY, |found| found.log);
    compared.sort_by(|a, b| log(b).total_cmp(&log(a)));
    Ok(())
}
