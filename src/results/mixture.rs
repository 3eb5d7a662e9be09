//! Predictions averaged over fits: over the parameters of one model, or over several models.

use std::sync::Arc;

use rayon::prelude::*;

use super::metric::Outcomes;
use super::predict::{At, Prediction, predict_unless};
use super::score::outcomes_of_members;
use crate::data::Dataset;
use crate::fit::{Fit, ParameterPosterior, condition};
use crate::linalg::LOG_2PI;
use crate::model::{ModelError, Moments};
use crate::progress::Progress;

/// Up to so many rows parameters are integrated out; with more they are well determined, and each member of a mixture
/// needs a factor of its own.
const MOST_ROWS: usize = 2000;
/// Members with a smaller weight are left out.
const LEAST_WEIGHT: f64 = 1e-3;
/// The distance of the design's points from its centre, divided by √m (Rue, Martino & Chopin 2009).
const REACH: f64 = 1.1;

/// Fits whose predictions are averaged, with weights that sum to 1; the one with the largest weight of the model that
/// stands first is the first.
#[derive(Debug, Clone)]
pub struct Mixture {
    /// The fit for which the mixture stands: its rows, target and units.
    pub fit: Arc<Fit>,
    pub members: Vec<(f64, Arc<Fit>)>,
    /// The probability of each model, in the order in which they were given.
    pub probabilities: Vec<f64>,
    /// The number of models.
    pub models: usize,
}

/// A point of the design and its weight, relative to that of the normal approximation.
struct Node {
    weight: f64,
    fit: Arc<Fit>,
}

impl Mixture {
    /// The fits of one model at several values of its parameters, weighted by their posterior density: the parameters
    /// are integrated out around the fit. The weak priors are those of [`ParameterPosterior`].
    ///
    /// The values are those of a central composite design (Rue, Martino & Chopin 2009, section 6.5): the centre, and
    /// points at the distance 1.1·√m in directions of equal coordinates ±1 that are the rows of a Hadamard matrix and
    /// their negatives, so that integrals of polynomials up to degree 3 are exact. m parameters give between 2m and 4m
    /// points.
    ///
    /// # Errors
    /// As [`condition`]; [`ModelError::Stopped`].
    pub fn over_parameters(fit: &Arc<Fit>, progress: &dyn Progress) -> Result<Self, ModelError> {
        Self::over_models(std::slice::from_ref(fit), true, progress)
    }

    /// The same over several models, each weighted by its evidence: the integral of its likelihood over its parameters
    /// and their priors. With `integrate` false each model is the fit itself.
    ///
    /// # Errors
    /// As [`Self::over_parameters`].
    pub fn over_models(fits: &[Arc<Fit>], integrate: bool, progress: &dyn Progress) -> Result<Self, ModelError> {
        let mut nodes: Vec<Vec<Node>> = Vec::new();
        let mut evidence: Vec<f64> = Vec::new();
        for (i, fit) in fits.iter().enumerate() {
            progress.report(i as f64 / fits.len() as f64, "integrating over the parameters");
            let (log_evidence, found) = nodes_of(fit, integrate, progress)?;
            evidence.push(log_evidence);
            nodes.push(found);
        }
        let first = fits.first().ok_or(ModelError::NoRows)?.clone();
        let top = evidence.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let total: f64 = evidence.iter().map(|log| (log - top).exp()).sum();
        let weights: Vec<f64> = evidence.iter().map(|log| (log - top).exp() / total).collect();
        let mut members: Vec<(f64, Arc<Fit>)> = Vec::new();
        for (weight, nodes) in weights.iter().zip(nodes) {
            members.extend(nodes.into_iter().map(|node| (weight * node.weight, node.fit)));
        }
        members.retain(|(weight, _)| *weight >= LEAST_WEIGHT);
        let total: f64 = members.iter().map(|(weight, _)| weight).sum();
        members.iter_mut().for_each(|(weight, _)| *weight /= total);
        let models = weights.iter().filter(|weight| **weight >= LEAST_WEIGHT).count();
        Ok(Self { fit: first, members, probabilities: weights, models })
    }

    /// Mean and variances at some rows. The mean is the weighted mean of the means. The variance follows from the law of
    /// total variance: the weighted mean of the variances plus the variance of the means.
    ///
    /// # Errors
    /// As [`predict`](super::predict).
    pub fn predict(&self, place: &At, progress: &dyn Progress) -> Result<Prediction, ModelError> {
        let one = |(_, fit): &(f64, Arc<Fit>)| predict_unless(fit, place.clone(), progress);
        let all = self.members.iter().map(one).collect::<Result<Vec<_>, _>>()?;
        let Some(first) = all.first() else { return predict_unless(&self.fit, place.clone(), progress) };
        if let [only] = &all[..] {
            return Ok(only.clone());
        }
        let weights: Vec<f64> = self.members.iter().map(|(weight, _)| *weight).collect();
        let of = |values: fn(&Prediction) -> &Vec<f64>| all.iter().map(|p| &values(p)[..]).collect::<Vec<_>>();
        let means = of(|p| &p.mean);
        let (mean, var_f) = moments(&weights, &means, &of(|p| &p.var_f));
        let (_, var_y) = moments(&weights, &means, &of(|p| &p.var_y));
        let (at, members) = (first.at.clone(), self.members.clone());
        if let Some(probabilities) = all.iter().map(|p| p.probability.as_deref()).collect::<Option<Vec<_>>>() {
            let (probability, _) = moments(&weights, &probabilities, &probabilities);
            let mixed = Prediction::of_classes(&self.fit, at, Moments { mean, var_f }, probability);
            return Ok(Prediction { members, models: self.models, ..mixed });
        }
        let prediction = Prediction {
            fit: self.fit.clone(),
            at,
            sd: var_y.iter().map(|v| v.sqrt()).collect(),
            mean,
            var_f,
            var_y,
            probability: None,
            quantiles: None,
            levels: Vec::new(),
            on_model_scale: None,
            members,
            models: self.models,
        };
        // under a transform of the target mean ± 2 sd would be misleading
        let skewed = all.iter().any(|p| p.quantiles.is_some());
        if !skewed {
            return Ok(prediction);
        }
        let members: Vec<(f64, Prediction)> = weights.into_iter().zip(all).collect();
        Ok(prediction.with_quantiles(&members))
    }

    /// Its predictions of rows with a known target.
    ///
    /// # Errors
    /// As [`outcomes_at`](super::outcomes_at).
    pub fn outcomes_at(&self, rows: &Dataset) -> Result<Outcomes, ModelError> {
        outcomes_of_members(&self.members, rows)
    }
}

/// The log evidence of one model, and the fits of it at the points of the design with their weights; with `integrate`
/// false the fit itself, for which no other is conditioned.
fn nodes_of(fit: &Arc<Fit>, integrate: bool, progress: &dyn Progress) -> Result<(f64, Vec<Node>), ModelError> {
    let problem = fit.problem();
    let alone = |log_evidence: f64| (log_evidence, vec![Node { weight: 1.0, fit: fit.clone() }]);
    let posterior = if problem.n() > MOST_ROWS { None } else { ParameterPosterior::new(problem, fit.values()) };
    let Some(posterior) = posterior.map(|posterior| posterior.at_mode(progress)) else { return Ok(alone(fit.lml())) };
    let m = posterior.dimensions();
    if m == 0 {
        return Ok(alone(posterior.laplace()));
    }
    let (points, at_centre, beside) = design(m);
    let stop = progress.stop_handle();
    let found: Vec<Option<Node>> = points
        .into_par_iter()
        .map(|z| {
            if stop.stop() {
                return Err(ModelError::Stopped);
            }
            let Some(log) = posterior.log_density(&z) else { return Ok(None) };
            let weight = beside * (log - posterior.top()).exp();
            if !integrate || weight < LEAST_WEIGHT * at_centre {
                return Ok(Some(Node { weight, fit: fit.clone() }));
            }
            // a point where the covariance has no factor has no posterior, and counts for nothing
            let model = problem.model_with(&posterior.values_at(&z));
            Ok(condition(&model, problem.data()).ok().map(|fit| Node { weight, fit: Arc::new(fit) }))
        })
        .collect::<Result<_, ModelError>>()?;
    let mut nodes: Vec<Node> = vec![Node { weight: at_centre, fit: at_values(&posterior, fit, integrate)? }];
    nodes.extend(found.into_iter().flatten());
    truncate(&mut nodes);
    let integral: f64 = nodes.iter().map(|node| node.weight).sum();
    let log_evidence = posterior.top() + posterior.log_volume() + 0.5 * m as f64 * LOG_2PI + integral.ln();
    if !integrate {
        return Ok(alone(log_evidence));
    }
    nodes.iter_mut().for_each(|node| node.weight /= integral);
    nodes.retain(|node| node.weight >= LEAST_WEIGHT);
    Ok((log_evidence, nodes))
}

/// The fit at the centre of a posterior.
fn at_values(posterior: &ParameterPosterior<'_>, fit: &Arc<Fit>, wanted: bool) -> Result<Arc<Fit>, ModelError> {
    let problem = fit.problem();
    match wanted && posterior.values() != fit.values() {
        true => condition(&problem.model_with(posterior.values()), problem.data()).map(Arc::new),
        false => Ok(fit.clone()),
    }
}

/// Limits each weight to √n times the mean, so that no single point decides (Ionides 2008).
fn truncate(nodes: &mut [Node]) {
    let count = nodes.len() as f64;
    let most = nodes.iter().map(|node| node.weight).sum::<f64>() / count * count.sqrt();
    nodes.iter_mut().for_each(|node| node.weight = node.weight.min(most));
}

/// The points of the design around 0 in m dimensions, the weight of the centre, and the weight of every other point
/// before it is multiplied by its density relative to that of the centre. For a standard normal density all weights sum
/// to 1.
fn design(m: usize) -> (Vec<Vec<f64>>, f64, f64) {
    let order = m.next_power_of_two();
    let sign = |row: usize, column: usize| if (row & column).count_ones().is_multiple_of(2) { REACH } else { -REACH };
    let point = |row: usize, side: f64| (0..m).map(|column| side * sign(row, column)).collect::<Vec<f64>>();
    let points: Vec<Vec<f64>> = (0..order).flat_map(|row| [point(row, 1.0), point(row, -1.0)]).collect();
    let squared = REACH * REACH;
    let beside = (0.5 * m as f64 * squared).exp() / (points.len() as f64 * squared);
    (points, 1.0 - 1.0 / squared, beside)
}

/// Mean and variance of a mixture, elementwise: Σ w m, and Σ w (v + (m − m̄)²).
fn moments(weights: &[f64], means: &[&[f64]], variances: &[&[f64]]) -> (Vec<f64>, Vec<f64>) {
    let n = means.first().map_or(0, |mean| mean.len());
    let sum = |of: &dyn Fn(usize) -> f64| weights.iter().enumerate().map(|(k, w)| w * of(k)).sum::<f64>();
    let mean: Vec<f64> = (0..n).map(|i| sum(&|k| means[k][i])).collect();
    let apart = |k: usize, i: usize| (means[k][i] - mean[i]) * (means[k][i] - mean[i]);
    let variance = (0..n).map(|i| sum(&|k| variances[k][i] + apart(k, i))).collect();
    (mean, variance)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mixture_has_the_variance_of_its_members_and_of_their_means() {
        let (mean, variance) = moments(&[0.25, 0.75], &[&[0.0], &[4.0]], &[&[1.0], &[2.0]]);
        assert_eq!(mean, [3.0]);
        // 0.25 · 1 + 0.75 · 2, and 0.25 · 9 + 0.75 · 1
        assert_eq!(variance, [1.75 + 3.0]);
        let (mean, variance) = moments(&[0.5, 0.5], &[&[2.0], &[2.0]], &[&[3.0], &[3.0]]);
        assert_eq!((mean, variance), (vec![2.0], vec![3.0]));
    }

    #[test]
    fn the_design_has_the_moments_of_a_normal_density() {
        for m in 1..=17 {
            let (points, centre, beside) = design(m);
            assert!(points.len() >= 2 * m && points.len() < 4 * m.max(2), "{m}");
            let weight = |z: &Vec<f64>| beside * (-0.5 * z.iter().map(|z| z * z).sum::<f64>()).exp();
            let mean = |f: &dyn Fn(&[f64]) -> f64| points.iter().map(|z| weight(z) * f(z)).sum::<f64>();
            assert!((centre + mean(&|_| 1.0) - 1.0).abs() < 1e-12);
            for i in 0..m {
                assert!(mean(&|z| z[i]).abs() < 1e-12);
                for j in 0..m {
                    let expected = if i == j { 1.0 } else { 0.0 };
                    assert!((mean(&|z| z[i] * z[j]) - expected).abs() < 1e-12, "{m}: {i} {j}");
                    assert!(mean(&|z| z[i] * z[j] * z[j]).abs() < 1e-12);
                }
            }
        }
    }
}
