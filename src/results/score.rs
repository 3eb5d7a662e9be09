//! How well a fit predicts: on rows held out, or each training row from the others.

use std::sync::Arc;

use crate::data::{Dataset, TargetMap};
use crate::fit::Fit;
use crate::model::ModelError;

/// Scores in the units of y.
#[derive(Debug, Clone, PartialEq)]
pub struct Score {
    /// Rows that were scored.
    pub n: usize,
    /// Mean squared error of the predicted means.
    pub mse: f64,
    pub rmse: f64,
    /// Mean absolute error of the predicted means.
    pub mae: f64,
    /// Mean negative log predictive density of y, noise included.
    pub nll: f64,
    /// 1 − mse / variance of the scored y.
    pub r2: f64,
    /// Share of y within two standard deviations (or the 2.3 % and 97.7 % quantiles): 0.95 if the model is right.
    pub coverage: f64,
}

/// What is predicted of one row, on the scale of the model.
struct Predicted {
    mean: f64,
    var: f64,
}

/// Scores on rows with a known target.
///
/// # Errors
/// As [`predict`](super::predict); [`ModelError::NoTarget`] when the rows have none; [`ModelError::NoNoise`] when a row has a predictive
/// variance of 0, for which there is no density.
pub fn score_held_out(fit: &Arc<Fit>, rows: &Dataset) -> Result<Score, ModelError> {
    let target = fit.problem().data().target().ok_or(ModelError::NoTarget)?.name();
    let column = rows.find(target)?;
    if let Some(i) = column.values().iter().position(|v| !v.is_finite()) {
        let (column, value) = (target.to_string(), column.values()[i]);
        return Err(crate::data::DataError::NotFinite { column, row: rows.row(i), value }.into());
    }
    let problem = fit.problem();
    let x = problem.inputs_of(rows)?;
    let x: Vec<&[f64]> = x.iter().map(|c| &c[..]).collect();
    let moments = fit.posterior.predict(&x)?;
    let noise = match problem.noise_variance(fit.values()) {
        Some(noise) => vec![noise; rows.n()],
        None => problem.known_noise_of(rows)?.ok_or(ModelError::NoNoiseColumn)?,
    };
    let predicted: Vec<Predicted> = moments
        .mean
        .iter()
        .zip(moments.var_f.iter().zip(noise))
        .map(|(&mean, (v, n))| Predicted { mean, var: v + n })
        .collect();
    score(column.values(), &predicted, &problem.pipeline().target())
}

/// Scores of each training row predicted from all others, parameters kept (Rasmussen & Williams, 5.10–5.12).
///
/// # Errors
/// [`ModelError::NoNoise`] as above.
pub fn score_leave_one_out(fit: &Arc<Fit>) -> Result<Score, ModelError> {
    let problem = fit.problem();
    let predicted: Vec<Predicted> =
        fit.posterior.leave_one_out().into_iter().map(|(mean, var)| Predicted { mean, var }).collect();
    let y = problem.data().y().ok_or(ModelError::NoTarget)?;
    score(y, &predicted, &problem.pipeline().target())
}

fn score(y: &[f64], predicted: &[Predicted], map: &TargetMap) -> Result<Score, ModelError> {
    let n = y.len();
    if n == 0 {
        return Err(ModelError::NoRows);
    }
    let count = n as f64;
    let mean_y = y.iter().sum::<f64>() / count;
    let variance = y.iter().map(|y| (y - mean_y) * (y - mean_y)).sum::<f64>() / count;
    let (mut squares, mut absolute, mut nll, mut inside) = (0.0, 0.0, 0.0, 0usize);
    for (&y, p) in y.iter().zip(predicted) {
        if p.var.is_nan() || p.var <= 0.0 {
            return Err(ModelError::NoNoise);
        }
        let sd = p.var.sqrt();
        let mean = if map.is_identity() { p.mean } else { map.moments(p.mean, sd).0 };
        squares += (y - mean) * (y - mean);
        absolute += (y - mean).abs();
        let Some(seen) = map.forward(y) else { return Err(ModelError::OutsideTransform { value: y }) };
        let z = (seen - p.mean) / sd;
        nll += 0.5 * z * z + sd.ln() + 0.5 * std::f64::consts::TAU.ln() - map.log_slope(y);
        inside += usize::from(z.abs() <= 2.0);
    }
    let mse = squares / count;
    Ok(Score {
        n,
        mse,
        rmse: mse.sqrt(),
        mae: absolute / count,
        nll: nll / count,
        r2: if variance > 0.0 { 1.0 - mse / variance } else { f64::NAN },
        coverage: inside as f64 / count,
    })
}
