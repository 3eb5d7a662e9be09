//! The end of a search: its best models are fitted to a maximum.
//!
//! A race takes a candidate a limited number of steps, within the region where it looks for structure, from the values of
//! its parent. The best few are followed to a maximum without these limits: from their own values, and afresh, as an
//! expression that was tried from a bad start is not tried again. The better of the two counts, as either can be worse.

use std::sync::Arc;

use rayon::prelude::*;

use super::Found;
use super::setup::Setup;
use crate::fit::{Fit, Options, fit};
use crate::model::Model;
use crate::progress::{Progress, Quiet};

/// The number of models that are finished,
const FINISHED: usize = 3;
/// of those whose score is within this of the best.
const NEAR: f64 = 20.0;
/// Starts of a model that is fitted afresh.
const STARTS: usize = 4;
/// The share of the variance of rounding that the noise must have.
const ROUNDED: f64 = 0.5;
/// A fit afresh must be better by this.
const WORTH: f64 = 1e-3;

/// A model of the search at its maximum.
pub struct Finished {
    /// Its place among the models.
    pub place: usize,
    pub found: Found,
    pub fit: Arc<Fit>,
}

/// Fits the best of the models to a maximum, and returns those that are no worse for it. The models are in order, best
/// first, those of noise alone left out by `wanted`.
pub fn finish(
    models: &[Found],
    setup: &Setup<'_>,
    progress: &dyn Progress,
    wanted: impl Fn(&Found) -> bool,
) -> Vec<Finished> {
    let best = models.first().map_or(0.0, |found| found.score);
    let near = |(_, found): &(usize, &Found)| found.score <= best + NEAR && wanted(found);
    let chosen: Vec<(usize, &Found)> = models.iter().enumerate().filter(near).take(FINISHED).collect();
    progress.report(1.0, "fitting the best models to a maximum");
    let refit = |model: &Model, restarts: usize| -> Option<(Found, Arc<Fit>)> {
        let options = Options { restarts, seed: setup.settings.seed, ..Options::default() };
        let mut fit = fit(model, &setup.data, options, &Quiet(progress)).ok()?;
        fit.asked = fit.model.clone();
        let fit = Arc::new(fit);
        // less noise than the rounding of the target is not of the data
        let plausible = fit.noise().is_none_or(|noise| noise >= ROUNDED * setup.least_noise);
        Some((setup.scored(&fit).filter(|_| plausible)?, fit))
    };
    let finished = chosen.into_par_iter().filter_map(|(place, before)| {
        let unset = setup.settings.model(before.model.kernel.simplify_structure());
        let better = match rayon::join(|| refit(&before.model, 1), || refit(&unset, STARTS)) {
            (Some(own), Some(afresh)) if afresh.0.score < own.0.score - WORTH => Some(afresh),
            (Some(own), _) => Some(own),
            (None, afresh) => afresh,
        };
        let (found, fit) = better.filter(|(found, _)| found.score <= before.score)?;
        Some(Finished { place, found, fit })
    });
    finished.collect()
}
