//! A race of several starts: all take some steps, the better half takes more, until few remain.

use std::sync::Mutex;

use rayon::prelude::*;

use crate::fit::likelihood::{Followed, Likelihood};
use crate::fit::optimize::{Options as Search, Run};
use crate::model::Problem;
use crate::progress::{Progress, Quiet};

/// A start.
pub(super) struct Entry<'l, 'p> {
    pub run: Run,
    pub followed: Followed<'l, 'p>,
    pub index: usize,
    pub dropped: bool,
}

impl<'l, 'p> Entry<'l, 'p> {
    pub(super) fn new(objective: &'l Likelihood<'p>, index: usize, values: &[f64], search: &Search) -> Self {
        let run = Run::new(&objective.to_coordinates(values), search);
        Self { run, followed: Followed::new(objective), index, dropped: false }
    }
}

pub(super) fn best<'e, 'l, 'p>(runs: &'e [Entry<'l, 'p>]) -> Option<&'e Entry<'l, 'p>> {
    let finite = runs.iter().filter(|e| e.run.value().is_finite());
    finite.min_by(|a, b| value(a).total_cmp(&value(b)).then(a.index.cmp(&b.index)))
}

pub(super) fn value(entry: &Entry<'_, '_>) -> f64 {
    Some(entry.run.value()).filter(|v| !v.is_nan()).unwrap_or(f64::INFINITY)
}

/// The number of steps before half of the starts are dropped; it doubles every round.
pub(super) const FIRST_ROUND: usize = 15;
/// The number of starts that are optimised to convergence.
const FINALISTS: usize = 1;

/// A value of the objective above which runs are dropped.
#[derive(Clone, Copy)]
pub(super) struct Bar {
    pub value: f64,
    /// The number of steps before it applies.
    pub after: usize,
}

impl Bar {
    pub(super) const NONE: Bar = Bar { value: f64::INFINITY, after: 0 };
}

/// All starts take some steps, the better half takes more, until few remain and are optimised to convergence.
///
/// Those above the bar are dropped as well. `reached` is called with the value at the first start.
pub(super) fn race(
    objective: &Likelihood<'_>,
    runs: &mut [Entry<'_, '_>],
    max_iter: usize,
    bar: Bar,
    progress: &dyn Progress,
    reached: &(dyn Fn(f64) + Sync),
) {
    let (mut alive, mut steps) = (runs.len(), FIRST_ROUND);
    let settled = bar.after.min(max_iter);
    let mut spent = 0;
    let rounds = (usize::BITS - alive.div_ceil(FINALISTS).leading_zeros()) as f64 + 1.0;
    let mut round = 0.0;
    loop {
        let last = alive <= FINALISTS && (spent >= settled || bar.value == f64::INFINITY);
        let portion = if last { max_iter.saturating_sub(spent) } else { steps.min(max_iter.saturating_sub(spent)) };
        let done = Mutex::new((0usize, f64::INFINITY));
        let heard = Quiet(progress);
        let step = |entry: &mut Entry<'_, '_>| {
            if progress.stop() && entry.index != 0 {
                return;
            }
            if entry.index == 0 && !entry.run.value().is_finite() {
                entry.run.advance(&entry.followed, 0, &heard);
                reached(entry.run.value());
            }
            entry.run.advance(&entry.followed, portion, &heard);
            if let Ok(mut done) = done.lock() {
                done.0 += 1;
                done.1 = done.1.min(value(entry));
                let share = (round + done.0 as f64 / alive as f64) / rounds;
                progress.report(share.min(1.0), &format!("log likelihood {:.2}", objective.offset() - done.1));
            }
        };
        // in parallel as far as the memory allows
        let abreast = if objective.most >= rayon::current_num_threads() { alive } else { objective.most };
        for some in runs[..alive].chunks_mut(abreast) {
            some.par_iter_mut().with_max_len(1).for_each(step);
        }
        spent += portion;
        round += 1.0;
        runs[..alive].sort_by(|a, b| value(a).total_cmp(&value(b)).then(a.index.cmp(&b.index)));
        if last || progress.stop() {
            break;
        }
        let barred = |entry: &&Entry<'_, '_>| spent >= settled && value(entry) > bar.value;
        let level = alive - runs[..alive].iter().filter(barred).count();
        let left = alive.div_ceil(2).max(FINALISTS).min(level);
        for entry in &mut runs[left..alive] {
            entry.dropped = entry.run.ended().is_none();
        }
        if left == 0 {
            break;
        }
        alive = left;
        steps *= 2;
    }
    runs.sort_by_key(|e| e.index);
}

/// A run is given up where the log posterior is lower than it must be by this,
const BEHIND: f64 = 10.0;
/// and by this for each row,
const BEHIND_A_ROW: f64 = 0.02;
/// after so many steps from a start of a fit.
pub(super) const SETTLED: usize = 3 * FIRST_ROUND;

/// By how much a run may lag.
pub(super) fn behind(problem: &Problem) -> f64 {
    BEHIND + BEHIND_A_ROW * problem.n() as f64
}
