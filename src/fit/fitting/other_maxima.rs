//! Other maxima at known positions, which a gradient does not lead to.

use super::race::{Bar, Entry, FIRST_ROUND, behind, best, race, value};
use crate::fit::few_steps::best_after;
use crate::fit::likelihood::Likelihood;
use crate::fit::optimize::Options as Search;
use crate::fit::starts::Starts;
use crate::progress::Progress;

/// A fit moves to another maximum only if its log marginal likelihood is higher by this much.
const WORTH_A_HOP: f64 = 1e-3;
/// The number of times a fit changes to a better maximum.
const HOPS: usize = 3;
/// A better maximum that gains less than this is often the same function (a slope from the other side of the data): the fit
/// moves to it, and looks no further.
const WORTH_ANOTHER: f64 = 0.1;

/// By how much the log likelihood of some of the rows may be lower at another maximum.
const NEAR: f64 = 3.0;

/// Tries other maxima at known positions, which a gradient does not lead to: a period halved or doubled, the location
/// of a linear kernel mirrored to the other side of the data. The best run moves to the best of these, if it is better.
/// They are compared by some of the rows first, if these are given.
pub(super) fn try_other_maxima<'l, 'p>(
    objective: &'l Likelihood<'p>,
    some: Option<&Likelihood<'_>>,
    starts: &Starts<'_>,
    runs: &mut [Entry<'l, 'p>],
    search: &Search,
    progress: &dyn Progress,
) {
    for _ in 0..HOPS {
        let Some(from) = best(runs) else { return };
        let (index, least) = (from.index, value(from));
        let values = objective.to_values(&from.run.outcome().at);
        let mut others = starts.other_maxima(&values);
        if let Some(some) = some.filter(|_| !others.is_empty()) {
            others = nearest(some, &values, &others, search, progress);
        }
        let mut beside: Vec<Entry<'_, '_>> =
            others.iter().enumerate().map(|(index, values)| Entry::new(objective, index, values, search)).collect();
        if beside.is_empty() || progress.stop() {
            return;
        }
        let bar = Bar { value: least + behind(objective.problem()), after: FIRST_ROUND };
        race(objective, &mut beside, search.max_iter, bar, progress, &|_| ());
        let better = best(&beside).filter(|found| value(found) < least - WORTH_A_HOP).map(|found| found.index);
        let Some(found) = better.and_then(|at| beside.into_iter().find(|entry| entry.index == at)) else { return };
        let gained = least - value(&found);
        (runs[index].run, runs[index].followed) = (found.run, found.followed);
        if gained < WORTH_ANOTHER {
            return;
        }
    }
}

/// The best of some values after a few steps, unless it is far behind given ones.
fn nearest(
    objective: &Likelihood<'_>,
    values: &[f64],
    others: &[Vec<f64>],
    search: &Search,
    progress: &dyn Progress,
) -> Vec<Vec<f64>> {
    let trial = |starts: &[Vec<f64>]| best_after(FIRST_ROUND, objective, starts, search, progress).0;
    let (here, best) = rayon::join(|| trial(&[values.to_vec()]), || trial(others));
    let here = here.map_or(f64::INFINITY, |here| here.value());
    let near = best.filter(|best| best.value() < here + NEAR);
    near.map(|best| objective.to_values(&best.outcome().at)).into_iter().collect()
}
