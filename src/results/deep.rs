//! Scores of the predictions of a deep GP.

use super::metric::{Density, Numbers, Outcomes};
use super::predict::TAIL;
use crate::data::Dataset;
use crate::deep::{DeepError, DeepFit};
use crate::model::ModelError;

/// The number of samples of the hidden layers in a score (Vafa, 5.1.4).
pub const SCORE_SAMPLES: usize = 100;

/// Predictions of a deep GP with the target, and the joint log density of all rows.
#[derive(Debug, Clone, PartialEq)]
pub struct DeepOutcomes {
    pub outcomes: Outcomes,
    /// The log of the mean over samples of the joint density of all rows (Vafa, 4.24).
    pub joint: f64,
}

/// The predictions of a deep fit at rows with a known target. The density of a row is the mean over samples of the
/// hidden layers.
///
/// # Errors
/// A missing input, or a missing or infinite target.
pub fn deep_outcomes(fit: &DeepFit, rows: &Dataset, samples: usize) -> Result<DeepOutcomes, DeepError> {
    let name = fit.problem.base.data().target().ok_or(ModelError::NoTarget)?.name();
    let column = rows.find(name).map_err(ModelError::from)?;
    let y = column.values();
    if let Some(i) = y.iter().position(|v| !v.is_finite()) {
        let error = crate::data::DataError::NotFinite { column: name.to_string(), row: rows.row(i), value: y[i] };
        return Err(ModelError::from(error).into());
    }
    let mixture = fit.mixture(&fit.rows_of(rows)?, samples, fit.training.seed)?;
    let [lower, upper] = [TAIL, 1.0 - TAIL].map(|probability| mixture.quantile(probability));
    let inside = (0..y.len()).map(|i| lower[i] <= y[i] && y[i] <= upper[i]).collect();
    let density = Density { log: mixture.log_densities(y), inside };
    let numbers = Numbers { y: y.to_vec(), mean: mixture.mean(), density: Some(density) };
    Ok(DeepOutcomes { outcomes: Outcomes::Numbers(numbers), joint: mixture.joint_log_density(y) })
}
