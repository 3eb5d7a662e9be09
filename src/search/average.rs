//! The average over the models of a search.

use std::sync::Arc;

use super::{Found, Search};
use crate::fit::Fit;
use crate::kernel::Kernel;
use crate::model::ModelError;
use crate::progress::Progress;
use crate::results::Mixture;

/// Models with a smaller weight by their scores are left out before their evidence is computed,
const LEAST: f64 = 1e-4;
/// as are those behind so many better ones.
const MOST_MODELS: usize = 4;

/// The best models of a search as one mixture, each weighted by its evidence; with `integrate`, their parameters are
/// integrated out.
///
/// # Errors
/// As [`Mixture::over_models`].
pub fn average(search: &Search, integrate: bool, progress: &dyn Progress) -> Result<Mixture, ModelError> {
    let fits = likely(search).into_iter().take(MOST_MODELS).map(|i| search.fit(i));
    Mixture::over_models(&fits.collect::<Result<Vec<Arc<Fit>>, _>>()?, integrate, progress)
}

/// The probability that a kernel has a feature: the sum of the probabilities, by evidence, of the kept models that have
/// it. Models far behind by their scores count as impossible.
///
/// # Errors
/// As [`Mixture::over_models`], and those of `has`.
pub fn plausible<E: From<ModelError>>(
    search: &Search,
    has: &mut dyn FnMut(&Kernel) -> Result<bool, E>,
    progress: &dyn Progress,
) -> Result<f64, E> {
    let likely = likely(search);
    let fits = likely.iter().map(|&i| search.fit(i)).collect::<Result<Vec<Arc<Fit>>, _>>()?;
    let mixture = Mixture::over_models(&fits, false, progress)?;
    let (mut with, mut all) = (0.0, 0.0);
    for (&i, probability) in likely.iter().zip(&mixture.probabilities) {
        all += probability;
        if has(&search.models[i].model.kernel)? {
            with += probability;
        }
    }
    // exactly 1 where all have it
    Ok(with / all)
}

/// The indices of the models that are not far behind the best; the best itself at least.
fn likely(search: &Search) -> Vec<usize> {
    let near = |(i, found): (usize, &Found)| (i == 0 || found.weight >= LEAST).then_some(i);
    search.models.iter().enumerate().filter_map(near).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data;
    use crate::progress::Silent;
    use crate::results::{At, Prediction, predict};
    use crate::search::{Settings, search};

    #[test]
    fn the_average_of_a_search_lies_among_its_models() {
        let nile = data::load("nile", &[], &data::Options::default()).unwrap();
        let settings = Settings { depth: 2, restarts: 1, ..Settings::default() };
        let found = search(&nile, &settings, &Silent).unwrap();
        let total: f64 = found.models.iter().map(|m| m.weight).sum();
        assert!((total - 1.0).abs() < 1e-12);
        let at = At::Rows(found.best.rows_along(vec![1900.5, 1980.0]).unwrap());
        let averaged = average(&found, true, &Silent).unwrap().predict(&at, &Silent).unwrap();
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
