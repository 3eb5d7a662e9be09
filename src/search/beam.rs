//! The search: at each depth the best expressions are edited, and their children compete in a race.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use rayon::prelude::*;

use super::child_starts::Inheritance;
use super::edits::{Child, Edit, Kind, Means, children};
use super::finish::{End, finish_best};
use super::forecasts::extrapolates;
use super::race::{Entry, Watch, bare_child, race, written_child};
use super::ranking::{key, rank, structure, weigh};
use super::setup::{Setup, null_model};
use super::state::{State, is_null, stale};
use super::{Budget, Candidate, Ended, Found, Level, Reached, Search, SearchError, Settings};
use crate::data::Dataset;
use crate::fit::{Beyond, Fit, Options, Stretch, condition, fit, fit_beyond, judged as judged_fit};
use crate::kernel::Kernel;
use crate::model::Model;
use crate::progress::{Progress, StopHandle};

/// The number of candidates scored in a race that was stopped early.
const LEADERS: usize = 4;
/// The share of a budget of time after which the last depth ends: the rest is for the best models.
const WALKED: f64 = 0.8;
/// The share after which these are left where they are: the rest is for the standard errors of the best.
const FINISHED: f64 = 0.93;
/// Up to so many rows these are scored beside models that were fitted, and structures are judged after the end of a budget of
/// time; of more, the best is scored if there is none.
const QUICK_ROWS: usize = 500;

/// Searches for the kernel with the best score.
///
/// # Errors
/// Settings without base kernels or inputs, data to which no model can be fitted, or no base kernel that can be fitted.
pub fn search(data: &Dataset, settings: &Settings, progress: &dyn Progress) -> Result<Search, SearchError> {
    walk(data, settings, progress, true, |_| State::default())
}

/// As [`search`], without fitting the best models to a maximum at the end.
///
/// # Errors
/// As [`search`].
pub fn unfinished(data: &Dataset, settings: &Settings, progress: &dyn Progress) -> Result<Search, SearchError> {
    walk(data, settings, progress, false, |_| State::default())
}

/// Continues a search where it ended, to another depth or with a new budget.
///
/// # Errors
/// As [`search`].
pub fn further(search: &Search, depth: usize, budget: Budget, progress: &dyn Progress) -> Result<Search, SearchError> {
    let settings = Settings { depth, budget, ..search.settings.clone() };
    walk(&search.data, &settings, progress, true, |_| State::of(search))
}

/// The result of a search that was stopped before it fitted a model to all rows: the best of the models that were found
/// for some of them.
///
/// # Errors
/// As [`search`].
pub fn stopped(
    data: &Dataset,
    settings: &Settings,
    models: &[Found],
    progress: &dyn Progress,
) -> Result<Search, SearchError> {
    walk(data, settings, progress, true, |walk| {
        let mut pool: Vec<Found> = Vec::new();
        for found in models.iter().take(LEADERS) {
            let needed = pool.iter().all(is_null);
            if needed || !progress.stop() {
                pool.extend(walk.fitted(found.model.clone(), needed));
            }
        }
        rank(&mut pool);
        State { pool, ..State::default() }
    })
}

/// Sets a search up and goes on from a state. The budget counts from before the setup: that of many columns takes a while.
fn walk(
    data: &Dataset,
    settings: &Settings,
    progress: &dyn Progress,
    finishes: bool,
    from: impl FnOnce(&Walk<'_>) -> State,
) -> Result<Search, SearchError> {
    let start = Instant::now();
    let setup = Setup::new(data, settings)?.stopped_by(progress);
    let seconds = WALKED * settings.budget.seconds.unwrap_or(f64::INFINITY);
    let walk = Walk { setup: &setup, whole: data, clock: Clock { progress, start, seconds }, finishes };
    let state = from(&walk);
    walk.go(state)
}

struct Walk<'g> {
    setup: &'g Setup<'g>,
    whole: &'g Dataset,
    clock: Clock<'g>,
    /// Whether the best models are fitted to a maximum at the end.
    finishes: bool,
}

/// The progress of a search, which also stops it at the end of its time budget.
struct Clock<'p> {
    progress: &'p dyn Progress,
    start: Instant,
    seconds: f64,
}

impl Clock<'_> {
    fn out_of_time(&self) -> bool {
        self.start.elapsed().as_secs_f64() >= self.seconds
    }
}

impl Progress for Clock<'_> {
    fn report(&self, done: f64, note: &str) {
        self.progress.report(done, note);
    }

    fn stop(&self) -> bool {
        self.progress.stop() || self.out_of_time()
    }

    fn stop_handle(&self) -> StopHandle {
        self.progress.stop_handle()
    }
}

/// Where candidates come from.
enum From<'f> {
    /// The kernel with which the search begins.
    Start,
    /// The base kernels, or their products over all inputs.
    Bases,
    /// The edits of an expression.
    Parent(&'f Found),
}

impl<'f> From<'f> {
    fn parent(&self) -> Option<&'f Found> {
        match self {
            From::Parent(found) => Some(found),
            From::Start | From::Bases => None,
        }
    }
}

impl<'g> Walk<'g> {
    fn go(self, mut state: State) -> Result<Search, SearchError> {
        let settings = self.setup.settings;
        let before = state.seconds;
        let spent = AtomicUsize::new(state.evaluations);
        let allowed = settings.budget.evaluations.map_or(usize::MAX, |more| state.evaluations.saturating_add(more));
        if state.pool.is_empty() {
            state.pool.extend(self.null()?);
        }
        let ended = loop {
            if self.clock.progress.stop() {
                break Ended::Stopped;
            }
            if self.clock.out_of_time() {
                break Ended::OutOfTime;
            }
            if spent.load(Ordering::Relaxed) >= allowed {
                break Ended::OutOfEvaluations;
            }
            if state.levels.len() >= settings.depth {
                break Ended::Depth;
            }
            if !self.deepen(&mut state, &spent, allowed)? {
                break Ended::NoBetter;
            }
        };
        state.evaluations = spent.load(Ordering::Relaxed);
        let finished = self.finish_best(&mut state.pool, &state.fitted);
        state.seconds = before + self.clock.start.elapsed().as_secs_f64();
        self.result(state, ended, finished)
    }

    /// Ends a search, unless the user stopped it.
    fn finish_best(&self, pool: &mut Vec<Found>, fitted: &HashSet<String>) -> End {
        if !self.finishes || self.clock.progress.stop() {
            return End::default();
        }
        let seconds = FINISHED * self.setup.settings.budget.seconds.unwrap_or(f64::INFINITY);
        let clock = Clock { seconds, ..self.clock };
        let known = self.setup.settings.moves.contains(&Edit::Drop).then_some(fitted);
        // of few rows a structure is judged whatever the time
        let unhurried: &dyn Progress = if self.setup.data.n() <= QUICK_ROWS { self.clock.progress } else { &clock };
        finish_best(pool, known, self.setup, &clock, unhurried, || self.null().ok().flatten())
    }

    /// Searches one depth. Returns `false` if there is nothing left to edit, or if some depths brought no improvement.
    fn deepen(&self, state: &mut State, spent: &AtomicUsize, allowed: usize) -> Result<bool, SearchError> {
        let setup = self.setup;
        let settings = setup.settings;
        let depth = state.levels.len() + 1;
        let (begun, spent_before) = (Instant::now(), spent.load(Ordering::Relaxed));
        let parents: Vec<Found> = match depth {
            1 => Vec::new(),
            _ => {
                let open =
                    |found: &&Found| !state.expanded.contains(&structure(&found.model.kernel)) && !is_null(found);
                state.pool.iter().filter(open).take(settings.beam).cloned().collect()
            }
        };
        if depth > 1 && (parents.is_empty() || stale(&state.levels)) {
            return Ok(false);
        }
        let mut entries: Vec<Entry> = Vec::new();
        let mut cut_short = false;
        let mut from: Vec<From<'_>> = parents.iter().map(From::Parent).collect();
        if depth == 1 && setup.start.is_some() {
            from.push(From::Start);
        }
        // single parts may not improve the score even if several together do
        if depth == 1 || (depth == 2 && state.pool.first().is_some_and(is_null)) {
            from.push(From::Bases);
        }
        for (i, one) in from.iter().enumerate() {
            let (children, inheritance) = self.children_of(one, state)?;
            let share = |i: usize| (depth as f64 - 1.0 + i as f64 / from.len() as f64) / settings.depth as f64;
            let best = match state.pool.first().filter(|best| !is_null(best)) {
                Some(best) => {
                    format!("{} {:.1}: {}", settings.criterion.title(), best.score, best.model.kernel.heading())
                }
                None => String::new(),
            };
            let share = (share(i), share(i + 1));
            // the base kernels are fitted whatever the budget of evaluations
            let allowed = if depth == 1 { usize::MAX } else { allowed };
            let watch = Watch { progress: &self.clock, spent, allowed, depth, best, share };

            let raced = race(children, inheritance.as_ref(), setup, &watch);
            if watch.over() && !raced.iter().any(|entry| entry.reached == Reached::Fitted) {
                // this expression is not finished: a resumed search edits it again
                cut_short = true;
                for entry in &raced {
                    state.tried.remove(&structure(&entry.child.kernel));
                }
            } else {
                state.expanded.extend(one.parent().map(|found| structure(&found.model.kernel)));
            }
            entries.extend(raced);
        }
        let mut candidates: Vec<Candidate> = Vec::with_capacity(entries.len());
        let leaders = match (setup.data.n() <= QUICK_ROWS, state.pool.iter().all(is_null)) {
            (true, _) => LEADERS,
            (false, true) => 1,
            (false, false) => 0,
        };
        // one that is more than noise has a score whatever happens; after a stop the others are left to a resumed search
        let is_fitted = |entry: &Entry| entry.reached == Reached::Fitted;
        // the leaders of a race that was stopped early are scored at their current values
        let leads = |at: usize, entry: &Entry| cut_short && entry.reached == Reached::Raced && at < leaders;
        let wanted = |(at, entry): &(usize, &Entry)| is_fitted(entry) || leads(*at, entry);
        let needed = state.pool.iter().all(is_null);
        let first = entries.iter().enumerate().find(wanted).filter(|_| needed).map(|(at, _)| at);
        let scored = entries.par_iter().with_max_len(1).enumerate().map(|(at, entry)| {
            let needed = first == Some(at);
            let open = wanted(&(at, entry)) && (needed || !self.clock.progress.stop());
            if open { self.found(entry, needed) } else { None }
        });
        let scored: Vec<Option<Found>> = scored.collect();
        let mut left_unscored = false;
        for (entry, found) in entries.iter().zip(scored) {
            let fitted = is_fitted(entry);
            if fitted && found.is_none() && self.clock.progress.stop() {
                left_unscored = true;
                state.tried.remove(&structure(&entry.child.kernel));
            } else if fitted {
                state.fitted.insert(structure(&entry.child.kernel));
            }
            let mut candidate = entry.candidate(found.as_ref().map(|found| found.score));
            candidate.lml = found.as_ref().map(|found| found.lml).or(candidate.lml);
            // what the budget left out was not tried
            if candidate.lml.is_some() || matches!(candidate.reached, Reached::Failed(_)) {
                candidates.push(candidate);
            }
            state.pool.extend(found);
        }
        if left_unscored {
            for parent in from.iter().filter_map(From::parent) {
                state.expanded.remove(&structure(&parent.model.kernel));
            }
        }
        let evaluations = spent.load(Ordering::Relaxed) - spent_before;
        // a depth that the end came before was not searched
        if depth > 1 && cut_short && candidates.is_empty() && evaluations == 0 {
            return Ok(true);
        }
        let failed = |reached: &Reached| matches!(reached, Reached::Failed(_));
        if depth == 1 && candidates.iter().all(|c| failed(&c.reached)) {
            let known = setup.refused.iter().map(|(kernel, why)| (kernel.to_string(), why.clone()));
            let here = candidates.iter().filter_map(|c| match &c.reached {
                Reached::Failed(why) => Some((c.kernel.heading(), why.clone())),
                _ => None,
            });
            return Err(SearchError::AllFailed { failures: known.chain(here).collect() });
        }
        if depth == 1 {
            candidates.extend(setup.refused.iter().map(|(kernel, why)| Candidate {
                kernel: kernel.clone(),
                edit: kernel.heading(),
                lml: None,
                score: None,
                reached: Reached::Failed(why.clone()),
            }));
        }
        candidates.sort_by(|a, b| {
            let rank = |c: &Candidate| (failed(&c.reached), c.score.is_none());
            let score = |c: &Candidate| c.score.or(c.lml.map(|lml| -lml)).unwrap_or(f64::INFINITY);
            rank(a).cmp(&rank(b)).then(score(a).total_cmp(&score(b)))
        });
        rank(&mut state.pool);
        let Some(best) = state.pool.first().cloned() else { return Ok(false) };
        state.levels.push(Level {
            depth,
            expanded: parents.into_iter().map(|found| found.model.kernel).collect(),
            candidates,
            best,
            evaluations,
            seconds: begun.elapsed().as_secs_f64(),
        });
        Ok(true)
    }

    /// The new children of an expression with the values that they inherit, or the kernels that have no parent.
    fn children_of(
        &self,
        from: &From<'_>,
        state: &mut State,
    ) -> Result<(Vec<Child>, Option<Inheritance>), SearchError> {
        let setup = self.setup;
        let new = |kernel: &&Kernel| state.tried.insert(structure(kernel));
        let parent = match from {
            From::Parent(parent) => parent,
            From::Start => return Ok((setup.start.iter().filter(new).map(written_child).collect(), None)),
            From::Bases => {
                let kernels = if state.levels.is_empty() { &setup.bases } else { &setup.together };
                return Ok((kernels.iter().filter(new).map(bare_child).collect(), None));
            }
        };
        let means = Means { bases: &setup.bases, inputs: &setup.inputs };
        let stop = || self.clock.stop();
        let all = children(&parent.model.kernel, &setup.settings.moves, &means, &stop);
        let simplified = |child: Child| (child.kernel.simplify_structure(), child);
        let mut all: Vec<(Kernel, Child)> = all.into_iter().take_while(|_| !stop()).map(simplified).collect();
        // a child that simplifies loses inherited values, so an equal child that does not simplify comes first
        let falls = |(simple, child): &(Kernel, Child)| simple.leaves() < child.kernel.leaves();
        all.sort_by_key(falls);
        let (mut new, mut here) = (Vec::new(), HashSet::new());
        for (simple, mut child) in all {
            if !extrapolates(&simple) {
                continue;
            }
            let key = key(&simple);
            // A larger expression is tried once. A repaired expression may have been dropped as the child of a worse
            // parent, and is tried until it was fitted to convergence.
            let old = match child.kind {
                Kind::Mended => state.fitted.contains(&key),
                Kind::Added | Kind::Multiplied | Kind::Written | Kind::Other => state.tried.contains(&key),
            };
            if old || !here.insert(key.clone()) {
                continue;
            }
            state.tried.insert(key);
            if simple.leaves() < child.kernel.leaves() {
                child.kernel = simple;
            }
            new.push(child);
        }
        let fitted = condition(&parent.model, &setup.data)?;
        Ok((new, Some(Inheritance::of(&fitted, setup))))
    }

    /// The model of a candidate that was fitted to convergence, with its score.
    fn found(&self, entry: &Entry, needed: bool) -> Option<Found> {
        let problem = entry.problem.as_ref()?;
        let mut model = problem.model_with(&entry.values()?);
        model.kernel = model.kernel.bare();
        self.fitted(model, needed)
    }

    /// A model with values for all parameters, with its score; if one is needed, whether or not the user stopped the search.
    fn fitted(&self, model: Model, needed: bool) -> Option<Found> {
        let fit = Arc::new(condition(&model, &self.setup.data).ok()?);
        if needed { self.setup.scored_in_any_case(&fit) } else { self.setup.scored(&fit) }
    }

    /// The null model: noise only.
    fn null(&self) -> Result<Option<Found>, SearchError> {
        let options = Options { restarts: 1, seed: self.setup.settings.seed, ..Options::default() };
        let beyond = Beyond { stretch: Stretch::Way, columns: Some(&self.setup.columns), ..Beyond::default() };
        let fitted = fit_beyond(&null_model(self.setup.settings), &self.setup.data, options, beyond, &self.clock);
        let fitted = fitted.ok().flatten();
        Ok(fitted.and_then(|fitted| self.setup.scored_in_any_case(&Arc::new(fitted))))
    }

    fn result(self, mut state: State, ended: Ended, finished: End) -> Result<Search, SearchError> {
        let settings = self.setup.settings;
        weigh(&mut state.pool);
        let Some(first) = state.pool.first() else {
            return Err(SearchError::NothingFitted);
        };
        // standard errors are worth the time, unless the user stopped the search; fits of a part of the rows go on
        let of_part = self.setup.held_out.is_some() || self.setup.of_part;
        let best: Arc<Fit> = match finished.best.filter(|_| !of_part) {
            Some(best) => best,
            // many rows determine the parameters well even by a part of them, and a fit to all takes minutes
            None if self.setup.of_part => Arc::new(condition(&first.model, self.whole)?),
            None if self.clock.progress.stop() => Arc::new(condition(&first.model, self.whole)?),
            None if !of_part => Arc::new(judged_fit(&first.model, self.whole)?),
            None => {
                let options = Options { restarts: 1, seed: settings.seed, ..Options::default() };
                Arc::new(fit(&first.model, self.whole, options, self.clock.progress)?)
            }
        };
        Ok(Search {
            settings: settings.clone(),
            data: self.whole.clone(),
            levels: state.levels,
            models: state.pool,
            unfinished: finished.before,
            outlying: finished.outlying,
            best,
            ended,
            rows: of_part.then(|| self.setup.data.n()),
            scales: state.scales,
            scales_open: false,
            evaluations: state.evaluations,
            seconds: state.seconds,
        })
    }
}
