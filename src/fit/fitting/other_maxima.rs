//! Other maxima at known positions, which a gradient does not lead to.

use rayon::prelude::*;

use super::race::{Bar, Entry, FIRST_ROUND, behind, best, race, value};
use crate::fit::likelihood::Likelihood;
use crate::fit::optimize::{Options as Search, Run};
use crate::fit::starts::Starts;
use crate::progress::{Progress, Quiet};

/// A fit moves to another maximum only if its log marginal likelihood is higher by this much.
const WORTH_A_HOP: f64 = 1e-3;
/// The number of times a fit changes to a better maximum.
const HOPS: usize = 3;

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
        if let Some(some) = some {
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
        (runs[index].run, runs[index].followed) = (found.run, found.followed);
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
    if others.is_empty() {
        return Vec::new();
    }
    let judged = |values: &[f64]| {
        let mut run = Run::new(&objective.to_coordinates(values), search);
        run.advance(objective, FIRST_ROUND, &Quiet(progress));
        run
    };
    let (here, runs) = rayon::join(|| judged(values), || others.par_iter().map(|v| judged(v)).collect::<Vec<_>>());
    let best = runs.iter().min_by(|one, other| one.value().total_cmp(&other.value()));
    let near = best.filter(|best| best.value() < here.value() + NEAR);
    near.map(|best| objective.to_values(&best.outcome().at)).into_iter().collect()
}
