//! A race of many candidates: each is evaluated, the promising ones are optimised for a few steps, the best to
//! convergence.
//!
//! Candidates are compared by the score that they would have at their current values; on a subset of rows the log
//! likelihood is scaled up to all rows. Where there are many rows, the first round uses few of them and the second more;
//! a few steps on all rows then choose among its best. The last round, which determines the scores, always uses all rows.

use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;

use super::child_starts::{Inheritance, base_seeds, product_bounds, promising, region, seeds, taking_over};
use super::edits::{Child, Kind};
use super::other_periods::{prefer_fundamental_periods, try_other_periods};
use super::score::ROUGH;
use super::setup::Setup;
use super::state::START;
use super::{Candidate, Reached};
use crate::fit::optimize::{Options, Run};
use crate::fit::{Likelihood, latent_bounds};
use crate::model::{ModelError, Problem, at_once, needed_memory};
use crate::progress::{Progress, Quiet};

/// The size of a race. With many inputs there are many candidates, few of which differ much.
struct Breadth {
    /// Starts that are evaluated per candidate.
    seeds: usize,
    /// The largest number of candidates in the second round.
    second: usize,
    /// Candidates that are fitted to convergence.
    finalists: usize,
    /// Starts that enter the first round for each restart.
    entering: usize,
    /// Which of them go on there.
    pruning: Pruning,
}

impl Breadth {
    fn of(inputs: usize) -> Self {
        match inputs {
            0..=2 => Self { seeds: 16, second: 16, finalists: 4, entering: 1, pruning: Pruning::Lagging },
            _ => Self { seeds: 8, second: 20, finalists: 3, entering: 3, pruning: Pruning::Half },
        }
    }
}

/// Which starts of a candidate take no further steps in a round.
#[derive(Clone, Copy)]
enum Pruning {
    /// After each [`PORTION`] steps those that are [`LAG`] behind the best. A period may come to its own late.
    Lagging,
    /// After each [`SHORT_PORTION`] steps these and the worse half. Which length-scale suits a new part shows after few
    /// steps, but not at the start.
    Half,
}

impl Pruning {
    fn portion(self) -> usize {
        match self {
            Self::Lagging => PORTION,
            Self::Half => SHORT_PORTION,
        }
    }
}

/// The number of candidates in the first round: half of all, within these limits. Many are still at their parent.
const FIRST: std::ops::RangeInclusive<usize> = 32..=60;
/// At most this many candidates without a parent
const FEW: usize = 8;
/// enter the first round with this number of starts each.
const STARTS: usize = 6;
/// The largest number of candidates that hold their rows at once.
const MOST_PROBLEMS: usize = 500;
/// Steps after which starts are compared, where those far behind stop,
const PORTION: usize = 8;
/// by more than this in log likelihood,
const LAG: f64 = 20.0;
/// and where half of them do.
const SHORT_PORTION: usize = 2;
/// Steps of the first round, on a subset of the rows,
const FIRST_STEPS: usize = 8;
/// and of an expression with a replaced part, which starts far from its maximum where the others start at their parent's.
const MENDED_STEPS: usize = 24;
/// The number of these in the second round, at least.
const MENDED: usize = 2;
/// Steps of the second round.
const SECOND_STEPS: usize = 20;
/// Where this uses a subset, so many times the finalists
const CHOSEN_FROM: usize = 2;
/// take so many steps on all rows.
const CHOOSING_STEPS: usize = 6;
/// The maximum number of steps to convergence.
const LAST_STEPS: usize = 300;
/// The relative change of the log likelihood below which steps are small,
const SMALL: f64 = 1e-8;
/// where the first round uses a subset of the rows of a series (of several inputs, a product was lost so),
const SMALL_OF_SERIES: f64 = 1e-7;
/// and where the second round uses a subset as well.
const SMALL_OF_MANY: f64 = 1e-5;

/// The shared state of a race.
pub struct Watch<'p> {
    pub progress: &'p dyn Progress,
    pub spent: &'p AtomicUsize,
    /// The number of evaluations after which no round starts.
    pub allowed: usize,
    pub depth: usize,
    /// The best candidate so far and its score, for the progress line.
    pub best: String,
    pub share: (f64, f64),
}

impl Watch<'_> {
    /// Whether no further round may start.
    pub fn over(&self) -> bool {
        self.progress.stop() || self.spent.load(Ordering::Relaxed) >= self.allowed
    }

    fn tell(&self, round: usize, done: usize, of: usize) {
        let within = (round as f64 + done as f64 / of.max(1) as f64) / 4.0;
        let share = self.share.0 + (self.share.1 - self.share.0) * within;
        let what = ["looked at", "in the first round", "in the second round", "in the last round"][round.min(3)];
        let best = if self.best.is_empty() { String::new() } else { format!(", {}", self.best) };
        self.progress.report(share, &format!("depth {}, {done} of {of} {what}{best}", self.depth));
    }
}

/// One candidate in a race.
pub struct Entry {
    pub child: Child,
    /// `None` if the candidate has failed.
    pub problem: Option<Problem>,
    /// The rows of the present round, if they are a subset.
    part: Option<Problem>,
    runs: Vec<Run>,
    /// The share of all rows on which the runs are.
    share: f64,
    /// Minus the log likelihood reached, for all rows or scaled up to them.
    value: f64,
    pub reached: Reached,
    /// The penalty of its parameters in the score.
    penalty: f64,
    index: usize,
}

impl Entry {
    fn provisional(&self) -> f64 {
        if self.value.is_nan() { f64::INFINITY } else { 2.0 * self.value + self.penalty }
    }

    /// The candidate with its current values and log likelihood.
    pub fn candidate(&self, score: Option<f64>) -> Candidate {
        let at = self.problem.as_ref().and_then(|problem| {
            let run = best(&self.runs)?;
            Some(problem.model_with(&Likelihood::new(problem).to_values(&run.outcome().at)).kernel)
        });
        let kernel = at.unwrap_or_else(|| self.child.kernel.clone()).bare();
        let lml = Some(-self.value).filter(|v| v.is_finite());
        Candidate { kernel, edit: self.child.edit.clone(), lml, score, reached: self.reached.clone() }
    }

    /// The values of the best run, with the optimal mean.
    pub fn values(&self) -> Option<Vec<f64>> {
        let objective = Likelihood::new(self.problem.as_ref()?);
        let values = objective.to_values(&best(&self.runs)?.outcome().at);
        Some(objective.evidence(&values, false, true).ok()?.values)
    }
}

fn best(runs: &[Run]) -> Option<&Run> {
    runs.iter().filter(|run| run.value().is_finite()).min_by(|a, b| a.value().total_cmp(&b.value()))
}

fn best_first(runs: &mut [Run]) {
    runs.sort_by(|a, b| a.value().total_cmp(&b.value()));
}

/// The evaluations of some runs so far.
fn evaluations(runs: &[Run]) -> usize {
    runs.iter().map(|run| run.outcome().evaluations).sum()
}

/// Runs the race. Entries are returned best first; those with [`Reached::Fitted`] were optimised to convergence.
pub fn race(children: Vec<Child>, from: Option<&Inheritance>, setup: &Setup<'_>, watch: &Watch<'_>) -> Vec<Entry> {
    let mut entries: Vec<Entry> = children.into_iter().enumerate().map(|(i, child)| Entry::new(child, i)).collect();
    // all candidates are assumed to need as much memory as the first
    if let Some(entry) = entries.first_mut() {
        entry.enter(setup);
    }
    let abreast = abreast(&entries);
    // a problem has a copy of its rows: of many, only those that continue are stored
    let crowd = entries.len() > MOST_PROBLEMS;
    let breadth = Breadth::of(setup.columns.len());
    let keep = match from {
        // few candidates without inherited values: later depths build on them
        None if entries.len() <= FEW => setup.settings.restarts.max(STARTS),
        None => setup.settings.restarts,
        Some(_) => breadth.entering * setup.settings.restarts,
    };
    let seeds_of = |entry: &Entry, problem: &Problem| -> Vec<Vec<f64>> {
        match from {
            Some(from) => seeds(problem, entry.child.kind, from, setup, breadth.seeds),
            // all of them go on, as one has the written values
            None if entry.child.kind == Kind::Written => base_seeds(problem, keep, setup.settings.seed),
            None => base_seeds(problem, breadth.seeds, setup.settings.seed),
        }
    };
    let share = setup.share(setup.early.as_ref());
    let limits = options(setup);
    let pruning = match from {
        Some(_) => breadth.pruning,
        None if entries.iter().any(|entry| entry.child.kind == Kind::Written) => Pruning::Lagging,
        // base kernels have many starts each, one of which is enough
        None => Pruning::Half,
    };
    each(&mut entries, abreast, watch, 0, |entry| {
        entry.enter(setup);
        let (Some(whole), small) = (entry.problem.as_ref(), entry.part.as_ref()) else { return };
        let problem = small.unwrap_or(whole);
        let objective = Likelihood::new(problem).stopped_by(watch.progress).to_within(ROUGH);
        let mut seen: Vec<(f64, Vec<f64>)> = Vec::new();
        let mut failure = None;
        for values in seeds_of(entry, problem) {
            watch.spent.fetch_add(1, Ordering::Relaxed);
            match objective.evidence(&values, false, true) {
                Ok(found) if found.lml.is_finite() && found.converged => {
                    seen.push((objective.offset() - found.lml, values));
                }
                Ok(_) => {}
                Err(ModelError::Stopped) => break,
                Err(error) => failure = Some(error),
            }
        }
        seen.sort_by(|a, b| a.0.total_cmp(&b.0));
        // a factor at the start that equals the parent ranks first, but its gradient vanishes
        promising(problem, &mut seen, keep + usize::from(entry.child.kind == Kind::Multiplied), from);
        entry.value = seen.first().map_or(f64::INFINITY, |s| (s.0 - objective.offset()) / share);
        entry.share = share;
        entry.runs = seen.iter().map(|(_, at)| Run::new(&objective.to_coordinates(at), &limits)).collect();
        if entry.runs.is_empty() {
            entry.fail(failure);
        } else if let Some(start) = from.and_then(|from| taking_over(problem, entry.child.kind, from, setup)) {
            entry.runs.push(Run::new(&objective.to_coordinates(&start), &limits));
        }
        if crowd {
            (entry.problem, entry.part) = (None, None);
        }
    });
    sort(&mut entries);
    let count = entries.len();
    let first = (count / 2).clamp(*FIRST.start(), *FIRST.end()).min(count);
    // an expression with a replaced part starts far from its maximum, and would seldom rank among the first
    entries[first..].sort_by_key(|entry| entry.child.kind != Kind::Mended);
    let mended =
        entries[first..].iter().take(MOST_PROBLEMS).take_while(|entry| entry.child.kind == Kind::Mended).count();
    let first = first + mended;
    entries[..first].iter_mut().filter(|entry| !entry.runs.is_empty()).for_each(|entry| entry.enter(setup));
    let steps = |kind: Kind| if kind == Kind::Mended { MENDED_STEPS } else { FIRST_STEPS };
    round(&mut entries[..first], steps, Rows { share, limits: &limits, pruning }, abreast, watch, 1);
    sort(&mut entries[..first]);
    let second = (first / 3).clamp(breadth.second / 2, breadth.second).min(first);
    let second = with_mended(&mut entries[..first], second);
    let all_rows = Rows { share: 1.0, limits: &limits, pruning };
    match &setup.middle {
        None => {
            entries[..second].iter_mut().for_each(|entry| entry.continue_on(None));
            round(&mut entries[..second], |_| SECOND_STEPS, all_rows, abreast, watch, 2);
        }
        Some(rows) => {
            entries[..second].iter_mut().for_each(|entry| entry.continue_on(Some(rows)));
            let middle = Rows { share: setup.share(Some(rows)), ..all_rows };
            round(&mut entries[..second], |_| SECOND_STEPS, middle, abreast, watch, 2);
            sort(&mut entries[..second]);
            let chosen = (CHOSEN_FROM * breadth.finalists).min(second);
            entries[..chosen].iter_mut().for_each(|entry| entry.continue_on(None));
            round(&mut entries[..chosen], |_| CHOOSING_STEPS, all_rows, abreast, watch, 2);
        }
    }
    sort(&mut entries[..second]);
    let last = breadth.finalists.min(second);
    if watch.over() && entries.iter().all(|e| e.value.is_infinite()) {
        return entries;
    }
    each(&mut entries[..last], abreast, watch, 3, |entry| {
        let Some(problem) = entry.problem.as_ref() else { return };
        let objective = Likelihood::new(problem).stopped_by(watch.progress).to_within(ROUGH);
        let before = evaluations(&entry.runs);
        best_first(&mut entry.runs);
        let Some(mut run) = entry.runs.first().cloned() else { return };
        run.advance(&objective, LAST_STEPS, &Quiet(watch.progress));
        let own = run.outcome().evaluations;
        let part = setup.fewer_rows().map(|rows| problem.of_rows(rows)).transpose().ok().flatten();
        let some = part.as_ref().map(|part| Likelihood::new(part).stopped_by(watch.progress).to_within(ROUGH));
        let mut beside = try_other_periods(&objective, some.as_ref(), &mut run, &limits, watch.progress);
        if let [series] = setup.columns.as_slice()
            && let Some(step) = series.grid
        {
            beside += prefer_fundamental_periods(&objective, &mut run, step, &limits, watch.progress);
        }
        let after = own + evaluations(&entry.runs[1..]) + beside;
        watch.spent.fetch_add(after.saturating_sub(before), Ordering::Relaxed);
        entry.value = run.value() - objective.offset();
        entry.runs = vec![run];
        if entry.value.is_finite() {
            entry.reached = Reached::Fitted;
        }
    });
    sort(&mut entries);
    entries
}

/// The rows of a round.
#[derive(Clone, Copy)]
struct Rows<'o> {
    /// The limits of runs that start again.
    limits: &'o Options,
    /// Their share of all rows.
    share: f64,
    pruning: Pruning,
}

/// Moves expressions with a replaced part behind the first `count` of ranked entries until there are [`MENDED`] of them, and
/// returns how many there are then.
fn with_mended(entries: &mut [Entry], count: usize) -> usize {
    let mended = |entry: &Entry| entry.child.kind == Kind::Mended;
    let missing = MENDED.saturating_sub(entries[..count].iter().filter(|entry| mended(entry)).count());
    let others = entries[count..].iter().filter(|entry| mended(entry)).count();
    entries[count..].sort_by_key(|entry| !mended(entry));
    count + missing.min(others)
}

/// Optimises each entry for some steps, as many as its kind takes.
fn round(
    entries: &mut [Entry],
    steps: impl Fn(Kind) -> usize + Sync,
    rows: Rows<'_>,
    abreast: usize,
    watch: &Watch<'_>,
    number: usize,
) {
    each(entries, abreast, watch, number, |entry| {
        let Some(whole) = entry.problem.as_ref() else { return };
        let problem = entry.part.as_ref().unwrap_or(whole);
        let objective = Likelihood::new(problem).stopped_by(watch.progress).to_within(ROUGH);
        if entry.runs.is_empty() {
            return;
        }
        for run in entry.runs.iter_mut().filter(|_| entry.share != rows.share) {
            *run = run.moved(rows.share / entry.share, rows.limits);
        }
        let before = evaluations(&entry.runs);
        let (mut left, mut dropped) = (steps(entry.child.kind), 0);
        let mut advancing = entry.runs.len();
        while left > 0 {
            let portion = left.min(rows.pruning.portion());
            for run in &mut entry.runs[..advancing] {
                run.advance(&objective, portion, &Quiet(watch.progress));
            }
            left -= portion;
            best_first(&mut entry.runs);
            if let Pruning::Half = rows.pruning {
                let half = entry.runs.len().div_ceil(2);
                dropped += evaluations(&entry.runs.split_off(half));
            }
            let far = entry.runs[0].value() + LAG;
            advancing = entry.runs.iter().take_while(|run| run.value() <= far).count().max(1);
        }
        watch.spent.fetch_add(evaluations(&entry.runs) + dropped - before, Ordering::Relaxed);
        entry.share = rows.share;
        entry.value = best(&entry.runs).map_or(f64::INFINITY, |run| (run.value() - objective.offset()) / rows.share);
        entry.reached = Reached::Raced;
    });
}

/// Applies a function to each entry, in parallel as far as the memory allows, unless the race is over.
fn each(entries: &mut [Entry], abreast: usize, watch: &Watch<'_>, number: usize, f: impl Fn(&mut Entry) + Sync) {
    let (done, of) = (AtomicUsize::new(0), entries.len());
    if watch.over() {
        return;
    }
    for some in entries.chunks_mut(abreast.max(1)) {
        // they take so long that each is a task of its own: with several in one a thread is idle at the end
        some.par_iter_mut().with_max_len(1).for_each(|entry| {
            if watch.progress.stop() || matches!(entry.reached, Reached::Failed(_)) {
                return;
            }
            f(entry);
            watch.tell(number, done.fetch_add(1, Ordering::Relaxed) + 1, of);
        });
    }
}

impl Entry {
    fn new(child: Child, index: usize) -> Self {
        Self {
            child,
            problem: None,
            part: None,
            share: 1.0,
            runs: Vec::new(),
            value: f64::INFINITY,
            reached: Reached::Screened,
            penalty: 0.0,
            index,
        }
    }

    /// Binds the candidate to the data, unless it is bound or has failed.
    fn enter(&mut self, setup: &Setup<'_>) {
        if self.problem.is_some() || matches!(self.reached, Reached::Failed(_)) {
            return;
        }
        let model = setup.settings.model(self.child.kernel.clone());
        match Problem::new(&model, &setup.data, false) {
            Ok(problem) => {
                let problem = problem.confined(|p| region(p, setup));
                let product_bounds = [product_bounds(&problem, setup), latent_bounds(&problem)].concat();
                let problem = problem.with_product_bounds(product_bounds);
                let criterion = setup.settings.criterion;
                self.penalty = criterion.penalty(problem.n(), criterion.count(&problem));
                match setup.early.as_deref().map(|rows| problem.of_rows(rows)).transpose() {
                    Ok(part) => (self.problem, self.part) = (Some(problem), part),
                    Err(error) => self.fail(Some(error)),
                }
            }
            Err(error) => self.fail(Some(error)),
        }
    }

    /// Goes on from the best of the starts, with other rows or with all.
    fn continue_on(&mut self, rows: Option<&Vec<usize>>) {
        best_first(&mut self.runs);
        self.runs.truncate(1);
        match self.problem.as_ref().zip(rows).map(|(problem, rows)| problem.of_rows(rows)).transpose() {
            Ok(part) => self.part = part,
            Err(error) => self.fail(Some(error)),
        }
    }

    fn fail(&mut self, error: Option<ModelError>) {
        let why = error.map_or_else(|| "its likelihood is not finite".to_string(), |error| error.to_string());
        (self.problem, self.part, self.reached) = (None, None, Reached::Failed(why));
    }
}

fn sort(entries: &mut [Entry]) {
    entries.sort_by(|a, b| a.provisional().total_cmp(&b.provisional()).then(a.index.cmp(&b.index)));
}

/// The number of candidates that can be evaluated in parallel; all, if memory is not a limit.
fn abreast(entries: &[Entry]) -> usize {
    let each = entries.iter().filter_map(|e| e.problem.as_ref()).map(needed_memory).max().unwrap_or(1);
    let most = at_once(each);
    if most >= rayon::current_num_threads() { entries.len().max(1) } else { most }
}

/// The limits of runs. Where rounds use subsets (of several inputs, where the second does), evaluations of all rows are dear: a
/// run ends when its steps are small, and the best models are fitted to a maximum at the end of the search.
fn options(setup: &Setup<'_>) -> Options {
    Options {
        max_iter: LAST_STEPS,
        max_evals: 4 * LAST_STEPS,
        gradient_tolerance: 1e-4,
        value_tolerance: match (&setup.early, &setup.middle) {
            (_, Some(_)) => SMALL_OF_MANY,
            (Some(_), None) if setup.columns.len() == 1 => SMALL_OF_SERIES,
            _ => SMALL,
        },
        ..Options::default()
    }
}

/// A base kernel as a candidate.
pub fn bare_child(kernel: &crate::kernel::Kernel) -> Child {
    Child { kernel: kernel.clone(), edit: kernel.heading(), kind: Kind::Other }
}

/// The kernel with which a search begins as a candidate.
pub fn written_child(kernel: &crate::kernel::Kernel) -> Child {
    Child { kernel: kernel.clone(), edit: START.into(), kind: Kind::Written }
}
