//! How well a fit predicts: on rows held out, or each training row from the others.

use std::sync::Arc;

use super::metric::{Density, Judged, METRICS, Metric, Numbers};
use crate::data::{Dataset, TargetMap};
use crate::fit::Fit;
use crate::model::ModelError;

/// What the metrics say of predictions, those that fit them, in the order of [`METRICS`].
#[derive(Debug, Clone, PartialEq)]
pub struct Score {
    /// Rows that were scored.
    pub n: usize,
    pub values: Vec<(&'static Metric, f64)>,
}

impl Score {
    /// All metrics that fit.
    pub fn of(judged: &Judged) -> Self {
        let n = match judged {
            Judged::Numbers(numbers) => numbers.y.len(),
            Judged::Classes(classes) => classes.label.len(),
        };
        let values = METRICS.iter().filter_map(|metric| Some((metric, metric.of(judged)?)));
        Self { n, values: values.collect() }
    }

    /// The value of the metric of this name, if it fits.
    pub fn get(&self, name: &str) -> Option<f64> {
        self.values.iter().find(|(metric, _)| metric.name == name).map(|(_, value)| *value)
    }
}

/// What is predicted of one row, on the scale of the model.
struct Predicted {
    mean: f64,
    var: f64,
}

/// Scores on rows with a known target.
///
/// # Errors
/// As [`judge`]; [`ModelError::NoNoise`] when a row has a predictive variance of 0, for which there is no density.
pub fn score_held_out(fit: &Arc<Fit>, rows: &Dataset) -> Result<Score, ModelError> {
    scored(&judge(fit, rows)?)
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
    scored(&numbers(y, &predicted, &problem.pipeline().target())?)
}

fn scored(judged: &Judged) -> Result<Score, ModelError> {
    match judged {
        Judged::Numbers(numbers) if numbers.density.is_none() => Err(ModelError::NoNoise),
        judged => Ok(Score::of(judged)),
    }
}

/// What a fit predicts of rows with a known target, beside that.
///
/// # Errors
/// As [`predict`](super::predict); [`ModelError::NoTarget`] when the rows have none.
pub fn judge(fit: &Arc<Fit>, rows: &Dataset) -> Result<Judged, ModelError> {
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
    numbers(column.values(), &predicted, &problem.pipeline().target())
}

fn numbers(y: &[f64], predicted: &[Predicted], map: &TargetMap) -> Result<Judged, ModelError> {
    if y.is_empty() {
        return Err(ModelError::NoRows);
    }
    let mut means = Vec::with_capacity(y.len());
    let mut density = Some(Density { log: Vec::with_capacity(y.len()), inside: Vec::with_capacity(y.len()) });
    for (&y, p) in y.iter().zip(predicted) {
        let sd = p.var.max(0.0).sqrt();
        means.push(if map.is_identity() { p.mean } else { map.moments(p.mean, sd).0 });
        let Some(seen) = map.forward(y) else { return Err(ModelError::OutsideTransform { value: y }) };
        if p.var.is_nan() || p.var <= 0.0 {
            density = None;
        }
        if let Some(density) = &mut density {
            let z = (seen - p.mean) / sd;
            density.log.push(map.log_slope(y) - 0.5 * z * z - sd.ln() - 0.5 * std::f64::consts::TAU.ln());
            density.inside.push(z.abs() <= 2.0);
        }
    }
    Ok(Judged::Numbers(Numbers { y: y.to_vec(), mean: means, density }))
}
