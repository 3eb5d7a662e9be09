//! The end of a search: its best models are fitted to a maximum.
//!
//! A race takes a candidate a limited number of steps, within the region where it looks for structure, from the values of
//! its parent. The best few are followed to a maximum without these limits: from their own values, and afresh, as an
//! expression that was tried from a bad start is not tried again. The better of the two counts, as either can be worse.
//! Then each part of the best is removed once, as a budget may end a search before it does so.

use std::collections::HashSet;
use std::sync::Arc;

use rayon::prelude::*;

use super::Found;
use super::edits::{Edit, Means, children};
use super::ranking::{KEPT, rank, structure};
use super::score::ROUGH;
use super::setup::Setup;
use super::state::is_null;
use super::support::{Outliers, repeats};
use crate::fit::optimize::{Ended, Options as RunOptions, Run};
use crate::fit::{Beyond, Fit, Likelihood, Options, Stretch, fit_beyond, given};
use crate::kernel::Kernel;
use crate::model::{Model, Problem};
use crate::progress::{Progress, Quiet};

/// The number of models that are finished,
const FINISHED: usize = 3;
/// of those whose score is within this of the best.
const NEAR: f64 = 20.0;
/// Starts of a model that is fitted afresh.
const STARTS: usize = 4;
/// A model without a part takes these numbers of steps in turn. After each it is given up if its score is worse than that of the
/// whole by more than so many times [`NEAR`].
const STEPS: [(usize, f64); 3] = [(10, 16.0), (5, 4.0), (15, 1.0)];
/// A maximum may have a score that is worse by this than that of the values before it: one by Laplace's method is that of
/// the mode of the posterior next to them, which is found to this.
const SLACK: f64 = 0.1;
/// A fit afresh, or without a part, must be better by this.
const WORTH: f64 = 1e-2;
/// Models whose score is within this of the best are fitted to the end.
const CLOSE: f64 = 1.0;

/// How a search ended.
#[derive(Default)]
pub struct End {
    /// The models that were fitted to a maximum or left out, as they were before.
    pub before: Vec<Found>,
    /// The fit of the best.
    pub best: Option<Arc<Fit>>,
    /// The targets of outliers, where models whose structure is theirs were left out.
    pub outlying: Vec<f64>,
}

/// Leaves out models whose structure is that of outliers, fits the best to a maximum and removes parts of the best.
/// Expressions in `fitted` were fitted before; without these no parts are removed. `null` makes the model of noise alone.
/// Structures are judged until `unhurried` stops, which may be after the end of a budget of time.
pub fn finish_best(
    pool: &mut Vec<Found>,
    fitted: Option<&HashSet<String>>,
    setup: &Setup<'_>,
    progress: &dyn Progress,
    unhurried: &dyn Progress,
    null: impl Fn() -> Option<Found>,
) -> End {
    let outliers = Outliers::find(setup, unhurried);
    let mut fitted = fitted.cloned();
    let mut end = End::default();
    let mut fits = Vec::new();
    loop {
        if let Some(outliers) = &outliers {
            let left = leave_out(outliers, pool, setup, unhurried);
            if !left.is_empty() {
                end.outlying.clone_from(&outliers.targets);
                // what was left out does not come back as another model without a part
                fitted.iter_mut().for_each(|fitted| fitted.extend(left.iter().map(|one| structure(&one.model.kernel))));
                if !pool.iter().any(is_null) {
                    pool.extend(null());
                    rank(pool);
                }
            }
            end.before.extend(left);
        }
        let (finished, smaller) = finish(pool, fitted.as_ref(), setup, progress);
        for one in finished {
            fits.extend(one.fit.map(|fit| (structure(&one.found.model.kernel), fit)));
            end.before.push(std::mem::replace(&mut pool[one.place], one.found));
        }
        rank(pool);
        if let Some((smaller, fit)) = smaller {
            fits.push((structure(&smaller.model.kernel), fit));
            if pool.len() >= KEPT {
                end.before.extend(pool.pop());
            }
            pool.push(smaller);
            rank(pool);
        }
        // the values at the maximum may be others
        let is_open = |outliers: &Outliers| {
            let best = pool.first().filter(|best| !is_null(best) && !unhurried.stop());
            best.is_some_and(|best| outliers.are_all_of(best, setup, unhurried))
        };
        if !outliers.as_ref().is_some_and(is_open) {
            break;
        }
    }
    let best = pool.first().map(|found| structure(&found.model.kernel));
    // one that the budget of time ended is judged where it came to
    let ran = |fit: &Fit| fit.ended.is_some_and(|ended| !matches!(ended, Ended::Stopped { .. }));
    let of_best = fits.into_iter().rev().find(|(key, fit)| Some(key) == best.as_ref() && ran(fit));
    end.best = of_best.map(|(_, fit)| fit);
    end
}

/// Removes the models near the best whose structure is that of outliers, and returns them.
fn leave_out(outliers: &Outliers, pool: &mut Vec<Found>, setup: &Setup<'_>, progress: &dyn Progress) -> Vec<Found> {
    let is_left = |found: &Found| !is_null(found) && !progress.stop() && outliers.are_all_of(found, setup, progress);
    let mut left = Vec::new();
    let mut place = 0;
    while let Some(found) = pool.get(place).filter(|found| found.score <= pool[0].score + NEAR) {
        match is_left(found) {
            true => left.push(pool.remove(place)),
            false => place += 1,
        }
    }
    left
}

/// A model of the search at its maximum.
struct Finished {
    /// Its place among the models.
    place: usize,
    found: Found,
    /// `None` for one that is not near the best: it has no standard errors.
    fit: Option<Arc<Fit>>,
}

/// Fits the best of the models to a maximum, and returns those that are no worse for it, and the best without parts that
/// it does not need, if that is better. The models are in order, best first; noise alone is left as it is. Parts are removed
/// where expressions that were fitted before are given.
fn finish(
    models: &[Found],
    fitted: Option<&HashSet<String>>,
    setup: &Setup<'_>,
    progress: &dyn Progress,
) -> (Vec<Finished>, Option<(Found, Arc<Fit>)>) {
    let wanted = |found: &Found| !is_null(found);
    let best = models.first().map_or(0.0, |found| found.score);
    let near = |(_, found): &(usize, &Found)| found.score <= best + NEAR && wanted(found);
    let chosen: Vec<(usize, &Found)> = models.iter().enumerate().filter(near).take(FINISHED).collect();
    progress.report(1.0, "fitting the best models to a maximum");
    let nearly = chosen.into_par_iter().with_max_len(1).filter_map(|(place, before)| {
        let unset = setup.settings.model(before.model.kernel.simplify_structure());
        // both at once: a fit afresh is of use if it is better than what the search has
        let own = || refit(&before.model, Refit::OWN, setup, progress);
        let afresh = Refit { restarts: STARTS, least: log_posterior(&before.model, setup), ..Refit::OWN };
        let afresh = || refit(&unset, afresh, setup, progress);
        let better = match rayon::join(own, afresh) {
            (Some(own), Some(afresh)) if afresh.0.score < own.0.score - WORTH => Some(afresh),
            (Some(own), _) => Some(own),
            (None, afresh) => afresh,
        };
        Some((place, before, better?.0)).filter(|(_, before, found)| found.score <= before.score + SLACK)
    });
    let nearly: Vec<(usize, &Found, Found)> = nearly.collect();
    let by_score = |one: &&Found, other: &&Found| one.score.total_cmp(&other.score);
    let first = models.first().filter(|first| wanted(first));
    let Some(best) = nearly.iter().map(|(_, _, found)| found).chain(first).min_by(by_score).cloned() else {
        return (Vec::new(), None);
    };
    let end = |(place, before, found): (usize, &Found, Found)| {
        if found.score > best.score + CLOSE {
            return Some(Finished { place, found, fit: None });
        }
        let (found, fit) = refit(&found.model, Refit::END, setup, progress)?;
        (found.score <= before.score + SLACK).then_some(Finished { place, found, fit: Some(fit) })
    };
    rayon::join(
        || nearly.into_par_iter().with_max_len(1).filter_map(end).collect(),
        || without_parts(&best, fitted?, setup, progress),
    )
}

/// The best model that is left when parts of a finished model are removed one by one, each time the part whose removal
/// improves the score most; `None` if none does. Expressions in `fitted` were fitted before.
fn without_parts(
    whole: &Found,
    fitted: &HashSet<String>,
    setup: &Setup<'_>,
    progress: &dyn Progress,
) -> Option<(Found, Arc<Fit>)> {
    let means = Means { bases: &[], inputs: &[] };
    let stop = || progress.stop();
    let mut best: Option<Found> = None;
    loop {
        let from = best.as_ref().unwrap_or(whole);
        let mut seen = HashSet::new();
        let kernels: Vec<Kernel> = children(&from.model.kernel, &[Edit::Drop], &means, &stop)
            .into_iter()
            .filter(|child| {
                let key = structure(&child.kernel);
                !fitted.contains(&key) && seen.insert(key)
            })
            .map(|child| child.kernel.bare())
            .collect();
        let smaller = kernels.into_par_iter().with_max_len(1).filter_map(|kernel| {
            let model = nearly_as_good(Model { kernel, ..from.model.clone() }, from.score, setup, progress)?;
            let (found, _) = refit(&model, Refit::OWN, setup, progress)?;
            (found.score < from.score - WORTH).then_some(found)
        });
        let smaller: Vec<Found> = smaller.collect();
        let least = smaller.into_iter().min_by(|one, other| one.score.total_cmp(&other.score));
        if least.is_none() {
            break;
        }
        best = least;
    }
    best.and_then(|found| refit(&found.model, Refit::END, setup, progress))
}

/// A model after some steps from its values, if its score by the number of parameters is near another; a part that matters
/// is far from it then, and the maximum is not needed.
fn nearly_as_good(model: Model, score: f64, setup: &Setup<'_>, progress: &dyn Progress) -> Option<Model> {
    let problem = Problem::new(&model, &setup.data, false).ok()?;
    let objective = Likelihood::new(&problem).stopped_by(progress).to_within(ROUGH);
    let mut run = Run::new(&objective.to_coordinates(&given(&problem)), &RunOptions::default());
    let criterion = setup.settings.criterion;
    let penalty = criterion.penalty(problem.n(), criterion.count(&problem));
    for (steps, times) in STEPS {
        run.advance(&objective, steps, &Quiet(progress));
        if 2.0 * (run.value() - objective.offset()) + penalty > score + times * NEAR {
            return None;
        }
    }
    Some(problem.model_with(&objective.to_values(&run.outcome().at)))
}

/// The log posterior of a model at its values; −∞ where it has none.
fn log_posterior(model: &Model, setup: &Setup<'_>) -> f64 {
    let Ok(problem) = Problem::new(model, &setup.data, false) else { return f64::NEG_INFINITY };
    Likelihood::new(&problem).total(&given(&problem)).unwrap_or(f64::NEG_INFINITY)
}

/// How a model is fitted again.
#[derive(Clone, Copy)]
struct Refit {
    /// The number of starts, of which the first has its own values.
    restarts: usize,
    /// The log posterior that it must reach more than.
    least: f64,
    stretch: Stretch,
}

impl Refit {
    const OWN: Self = Self { restarts: 1, least: f64::NEG_INFINITY, stretch: Stretch::Way };
    const END: Self = Self { stretch: Stretch::End, ..Self::OWN };
}

/// A model at a maximum with its score; `None` where it does not reach what it must.
fn refit(model: &Model, how: Refit, setup: &Setup<'_>, progress: &dyn Progress) -> Option<(Found, Arc<Fit>)> {
    // less noise than the rounding of the target is not of the data
    let seed = setup.settings.seed;
    let options = Options { restarts: how.restarts, seed, least_noise: setup.least_noise, ..Options::default() };
    let Refit { least, stretch, .. } = how;
    let (compared, columns) = (setup.fewer_rows(), Some(&setup.columns[..]));
    let beyond = Beyond { least, compared, tolerance: ROUGH, stretch, columns };
    let mut fit = fit_beyond(model, &setup.data, options, beyond, &Quiet(progress)).ok()??;
    fit.asked = fit.model.clone();
    let fit = Arc::new(fit);
    Some((setup.scored(&fit).filter(|_| repeats(&fit, setup))?, fit))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Column, Dataset};
    use crate::kernel::families::family;
    use crate::progress::Silent;
    use crate::search::{Criterion, Settings};

    #[test]
    fn parts_that_are_not_needed_are_removed_one_by_one() {
        let x: Vec<f64> = (0..40).map(f64::from).collect();
        // a line with a disturbance that has no pattern
        let y = x.iter().enumerate().map(|(i, x)| 3.0 * x + ((i * i * 37) % 11) as f64 / 11.0).collect();
        let columns = vec![Column::numeric("x", x), Column::numeric("y", y)];
        let data = Dataset::new(columns, Some("y"), None).expect("a data set");
        let settings = Settings { criterion: Criterion::Bic, ..Settings::default() };
        let setup = Setup::new(&data, &settings).expect("a setup");
        let leaf = |name: &str| Kernel::family(family(name).expect("a family"));
        let product = Kernel::product([leaf("SE"), leaf("RQ")]).expect("a product");
        let kernel = Kernel::sum([leaf("Lin"), product, leaf("SE")]).expect("a sum");
        let how = Refit { restarts: 2, stretch: Stretch::Whole, ..Refit::OWN };
        let (whole, _) = refit(&settings.model(kernel), how, &setup, &Silent).expect("a fit");
        let (smaller, fit) = without_parts(&whole, &HashSet::new(), &setup, &Silent).expect("a smaller model");
        assert_eq!(smaller.model.kernel.heading(), "Lin");
        assert!(smaller.score < whole.score && (fit.lml() - smaller.lml).abs() < 1e-9);
        // what was fitted before is not fitted again
        let all = [structure(&smaller.model.kernel)].into_iter().collect();
        assert!(without_parts(&smaller, &all, &setup, &Silent).is_none());
    }
}
