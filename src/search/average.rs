//! The weighted average of the predictions of all models of a search.

use std::sync::Arc;

use super::Search;
use crate::fit::Fit;
use crate::model::{ModelError, Moments};
use crate::results::{At, Prediction, predict};

/// Models with a smaller weight are left out, because they change no displayed digit.
const LEAST: f64 = 1e-6;

/// Mean and variances at some rows of the mixture of the models of a search. The mean is the weighted mean of the
/// means. The variance follows from the law of total variance: the weighted mean of the variances plus the variance of
/// the means.
///
/// # Errors
/// As [`predict`].
pub fn average(search: &Search, place: &At) -> Result<Prediction, ModelError> {
    let mut members: Vec<(f64, Arc<Fit>)> = Vec::new();
    for (i, found) in search.models.iter().enumerate().filter(|(_, found)| found.weight >= LEAST) {
        members.push((found.weight, search.fit(i)?));
    }
    let total: f64 = members.iter().map(|(weight, _)| weight).sum();
    members.iter_mut().for_each(|(weight, _)| *weight /= total);
    let told = members.iter().map(|(_, fit)| predict(fit, place.clone())).collect::<Result<Vec<_>, _>>()?;
    let mut told = told.into_iter();
    // a search has a best model with most of the weight
    let Some(first) = told.next() else { return predict(&search.best, place.clone()) };
    if members.len() == 1 {
        return Ok(first);
    }
    let all: Vec<Prediction> = std::iter::once(first).chain(told).collect();
    let weights: Vec<f64> = members.iter().map(|(weight, _)| *weight).collect();
    let of = |values: fn(&Prediction) -> &Vec<f64>| all.iter().map(|p| &values(p)[..]).collect::<Vec<_>>();
    let means = of(|p| &p.mean);
    let (mean, var_f) = mixture(&weights, &means, &of(|p| &p.var_f));
    let (_, var_y) = mixture(&weights, &means, &of(|p| &p.var_y));
    let at = all[0].at.clone();
    if let Some(probabilities) = all.iter().map(|p| p.probability.as_deref()).collect::<Option<Vec<_>>>() {
        let (probability, _) = mixture(&weights, &probabilities, &probabilities);
        let told = Prediction::of_classes(&search.best, at, Moments { mean, var_f }, probability);
        return Ok(Prediction { members, ..told });
    }
    let sd = var_y.iter().map(|v| v.sqrt()).collect();
    let (fit, probability, quantiles) = (search.best.clone(), None, None);
    let (levels, on_model_scale) = (Vec::new(), None);
    Ok(Prediction { fit, at, mean, sd, var_f, var_y, probability, quantiles, levels, on_model_scale, members })
}

/// Mean and variance of a mixture, elementwise: Σ w m, and Σ w (v + (m − m̄)²).
fn mixture(weights: &[f64], means: &[&[f64]], variances: &[&[f64]]) -> (Vec<f64>, Vec<f64>) {
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
    use crate::data;
    use crate::progress::Silent;
    use crate::search::{Settings, search};

    #[test]
    fn a_mixture_has_the_variance_of_its_members_and_of_their_means() {
        let (mean, variance) = mixture(&[0.25, 0.75], &[&[0.0], &[4.0]], &[&[1.0], &[2.0]]);
        assert_eq!(mean, [3.0]);
        // 0.25 · 1 + 0.75 · 2, and 0.25 · 9 + 0.75 · 1
        assert_eq!(variance, [1.75 + 3.0]);
        let (mean, variance) = mixture(&[0.5, 0.5], &[&[2.0], &[2.0]], &[&[3.0], &[3.0]]);
        assert_eq!((mean, variance), (vec![2.0], vec![3.0]));
    }

    #[test]
    fn the_average_of_a_search_lies_among_its_models() {
        let nile = data::load("nile", &[], &data::Options::default()).unwrap();
        let settings = Settings { depth: 2, restarts: 1, ..Settings::default() };
        let found = search(&nile, &settings, &Silent).unwrap();
        let total: f64 = found.models.iter().map(|m| m.weight).sum();
        assert!((total - 1.0).abs() < 1e-12);
        let at = At::Rows(found.best.rows_along(vec![1900.5, 1980.0]).unwrap());
        let averaged = average(&found, &at).unwrap();
        assert!(averaged.members.len() > 1, "one model has all the weight");
        let each: Vec<Prediction> = averaged.members.iter().map(|(_, fit)| predict(fit, at.clone()).unwrap()).collect();
        for i in 0..2 {
            let (lo, hi) = each
                .iter()
                .fold((f64::INFINITY, f64::NEG_INFINITY), |(lo, hi), p| (lo.min(p.mean[i]), hi.max(p.mean[i])));
            assert!((lo..=hi).contains(&averaged.mean[i]));
            let least = each.iter().map(|p| p.var_y[i]).fold(f64::INFINITY, f64::min);
            assert!(averaged.var_y[i] >= least && averaged.var_f[i] <= averaged.var_y[i]);
        }
        let covariance = averaged.covariance().unwrap();
        for i in 0..2 {
            assert!((covariance[(i, i)] - averaged.var_f[i]).abs() < 1e-6 * averaged.var_f[i]);
        }
    }
}
