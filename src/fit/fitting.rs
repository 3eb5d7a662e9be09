//! Fits from several starts, the best of which are optimised to convergence.

use std::sync::Mutex;

use rayon::prelude::*;

use super::curvature::Curvature;
use super::first_result::FirstResult;
use super::hints::hints;
use super::likelihood::{Followed, Likelihood};
use super::optimize::{Ended, Objective, Options as Search, Run};
use super::result::{Fit, Options, Start};
use super::starts::{Starts, given, latent_bounds, noise_bound};
use super::trace::Trace;
use crate::data::Dataset;
use crate::model::{DenserNoise, Model, ModelError, Posterior, Problem, is_zero_kernel};
use crate::progress::{Progress, Quiet, Silent};

/// Fits a model on the scale of the target that it is written for.
///
/// Starts run in parallel, each with sequential linear algebra: all take a few steps, the better half takes more, and
/// so on. If it is stopped, the fit returns the best values so far.
///
/// # Errors
/// Those of [`Problem::new`]; [`ModelError::Stopped`] if it was stopped before it had a result;
/// [`ModelError::StoppedAt`] if it was stopped and the posterior at the best values takes long;
/// [`ModelError::NotPositiveDefinite`] if no start has a finite log marginal likelihood.
pub(super) fn fit_as_written(
    model: &Model,
    data: &Dataset,
    options: Options,
    progress: &dyn Progress,
) -> Result<Fit, ModelError> {
    // every fit reaches more than this
    let fit = fit_beyond(model, data, options, f64::NEG_INFINITY, progress)?;
    fit.ok_or(ModelError::Stopped)
}

/// Fits a model as [`fit`](super::fit) does, on the scale of the target that it is written for, if it reaches more than a
/// given log posterior (log marginal likelihood plus log density of the priors). `None` if it does not: it ends early
/// where no start comes near within some rounds, and has no curvature to compute.
///
/// # Errors
/// As [`fit`](super::fit).
pub fn fit_beyond(
    model: &Model,
    data: &Dataset,
    options: Options,
    least: f64,
    progress: &dyn Progress,
) -> Result<Option<Fit>, ModelError> {
    let problem = Problem::new(model, data, false)?;
    let product_bounds =
        latent_bounds(&problem).into_iter().chain(noise_bound(&problem, options.least_noise)).collect();
    let problem = problem.with_product_bounds(product_bounds);
    if problem.inducing().is_some() && problem.n() > RACED_ROWS {
        return fit_many(model, problem, options, progress).map(Some);
    }
    let starts = Starts::new(&problem, options.seed);
    let first = FirstResult::new(progress);
    let progress: &dyn Progress = &first;
    let objective = Likelihood::new(&problem).stopped_by(progress);
    let search = search(&problem, options);
    let count = if objective.dim() == 0 { 1 } else { options.restarts.max(1) };
    let made = |i: usize| Entry::new(&objective, i, &starts.start(i), &search);
    let mut runs = vec![made(0)];
    // the contribution of each variance is measured for every start, so many starts take long to create
    let others = (1..count).into_par_iter().map(|i| (!first.is_asked()).then(|| made(i)));
    runs.extend(others.collect::<Vec<_>>().into_iter().flatten());
    let needed = objective.offset() - least;
    let bar = Bar { value: needed + behind(&problem), after: SETTLED };
    race(&objective, &mut runs, options.max_iter, bar, progress, &|value| first.reached(value));
    let misses =
        |runs: &[Entry<'_, '_>], bar: f64| !progress.stop() && best(runs).is_some_and(|best| value(best) > bar);
    if misses(&runs, bar.value) {
        return Ok(None);
    }
    try_other_maxima(&objective, &starts, &mut runs, &search, progress);
    if misses(&runs, needed) {
        return Ok(None);
    }
    let Some(best) = best(&runs) else {
        if progress.stop() {
            return Err(ModelError::Stopped);
        }
        // the error of the first start is the reason
        let error = objective.evidence(&starts.start(0), false, true).err();
        return Err(error.unwrap_or_else(|| {
            crate::linalg::NotPositiveDefinite { rows: problem.n(), pivot: 0, jitter: 0.0 }.into()
        }));
    };
    let (outcome, trace) = (best.run.outcome(), best.followed.trace());
    // a stopped fit returns the best values so far, without another factorisation
    let seen = if progress.stop() { best.followed.best() } else { None };
    let mut values = match seen {
        Some(values) => values,
        None => best.followed.last_values(&objective.to_values(&outcome.at))?,
    };
    let (mut errors, mut redundant) = (vec![None; problem.parameters().len()], 0);
    let (mut ended, mut gradient_size) = (outcome.ended, outcome.gradient_size());
    // the best run may have been between two rounds
    if progress.stop() && !ended.well() {
        ended = Ended::Stopped { steps: outcome.iterations };
    }
    if !progress.stop()
        && let Some(curvature) = Curvature::at(&objective, &values)
    {
        values = curvature.polish(&objective, &values);
        (errors, redundant) = curvature.standard_errors(&objective, &values);
        // on a bound, the curvature is that of the penalty
        for bound in problem.product_bounds().iter().filter(|bound| bound.is_reached(&values)) {
            bound.powers.iter().for_each(|(i, _)| errors[*i] = None);
        }
        gradient_size = objective.at(&values, false).map_or(gradient_size, |here| here.size());
        if gradient_size < search.gradient_tolerance {
            ended = Ended::Converged;
        }
    }
    let reports = runs
        .iter()
        .map(|e| Start {
            reached: Some(e.run.value()).filter(|v| v.is_finite()).map(|v| objective.offset() - v),
            ended: e.run.outcome().ended,
            dropped: e.dropped,
        })
        .collect();
    drop(runs);
    drop(objective);
    drop(starts);
    let ended = Some((ended, gradient_size));
    let reached = Reached { values, errors, redundant, trace, ended, starts: reports };
    finish(model, problem, reached, options, progress).map(Some)
}

/// With more rows than this, the starts of a sparse fit are compared on a subset of this size.
const RACED_ROWS: usize = 4000;

/// The stopping criteria of a run.
fn search(problem: &Problem, options: Options) -> Search {
    // many inducing inputs have many equally good positions, so the change of the objective decides
    let (gradient_tolerance, value_tolerance) = match problem.inducing() {
        Some(_) => (1e-3, 1e-8),
        None => (1e-5, 1e-9),
    };
    let (max_iter, max_evals) = (options.max_iter, 4 * options.max_iter);
    Search { max_iter, max_evals, gradient_tolerance, value_tolerance, ..Search::default() }
}

/// A sparse fit to many rows: the starts compete on a subset of the rows, and the best continues on all rows.
fn fit_many(model: &Model, problem: Problem, options: Options, progress: &dyn Progress) -> Result<Fit, ModelError> {
    let n = problem.n();
    // one row from every stretch, so that no part of an ordered file is missed
    let some: Vec<usize> = (0..RACED_ROWS).map(|i| i * n / RACED_ROWS + (n / RACED_ROWS) * (i % 7) / 7).collect();
    let few = problem.of_rows(&some)?;
    let limits = search(&few, options);
    let begun = {
        let starts = Starts::new(&few, options.seed);
        let objective = Likelihood::new(&few).stopped_by(progress);
        let first = |i: usize| Entry::new(&objective, i, &starts.start(i), &limits);
        let mut runs: Vec<Entry<'_, '_>> = (0..options.restarts.max(1)).map(first).collect();
        race(&objective, &mut runs, RACED_STEPS.min(options.max_iter), Bar::NONE, progress, &|_| {});
        try_other_maxima(&objective, &starts, &mut runs, &limits, progress);
        match best(&runs) {
            Some(best) => objective.to_values(&best.run.outcome().at),
            None if progress.stop() => return Err(ModelError::Stopped),
            None => starts.start(0),
        }
    };
    drop(few);
    let objective = Likelihood::new(&problem).stopped_by(progress);
    let mut runs = vec![Entry::new(&objective, 0, &begun, &search(&problem, options))];
    race(&objective, &mut runs, options.max_iter, Bar::NONE, progress, &|_| {});
    let entry = &runs[0];
    let outcome = entry.run.outcome();
    let stopped = progress.stop();
    let seen = if stopped { entry.followed.best() } else { None };
    let mut values = match seen {
        Some(values) => values,
        None if stopped => return Err(ModelError::Stopped),
        None => entry.followed.last_values(&objective.to_values(&outcome.at))?,
    };
    let (mut errors, mut redundant) = (vec![None; problem.parameters().len()], 0);
    let ended = if stopped { Ended::Stopped { steps: outcome.iterations } } else { outcome.ended };
    if !stopped && let Some(curvature) = Curvature::at(&objective, &values) {
        values = curvature.polish(&objective, &values);
        (errors, redundant) = curvature.standard_errors(&objective, &values);
    }
    let reached = Some(entry.run.value()).filter(|v| v.is_finite()).map(|v| objective.offset() - v);
    let reports = vec![Start { reached, ended, dropped: false }];
    let (size, trace) = (outcome.gradient_size(), entry.followed.trace());
    drop(runs);
    drop(objective);
    let reached = Reached { values, errors, redundant, trace, ended: Some((ended, size)), starts: reports };
    finish(model, problem, reached, options, progress)
}

/// The largest number of steps of a start on a subset of the rows.
const RACED_STEPS: usize = 100;

/// Takes the values of a model as given. Unset parameters get the values of the first start of a fit.
///
/// # Errors
/// Those of [`Problem::new`], or [`ModelError::NotPositiveDefinite`].
pub fn condition(model: &Model, data: &Dataset) -> Result<Fit, ModelError> {
    condition_unless(model, data, &Silent)
}

/// The same, given up when the user stops the work.
///
/// # Errors
/// As [`condition`]; [`ModelError::Stopped`].
pub fn condition_unless(model: &Model, data: &Dataset, progress: &dyn Progress) -> Result<Fit, ModelError> {
    let problem = Problem::new(model, data, true)?;
    let values = given(&problem);
    let reached = Reached { errors: vec![None; values.len()], values, ..Reached::default() };
    finish(model, problem, reached, Options::default(), progress)
}

/// Treats the values of a model as the result of a fit, and computes its standard errors.
///
/// # Errors
/// As [`condition`].
pub fn judged(model: &Model, data: &Dataset) -> Result<Fit, ModelError> {
    let problem = Problem::new(model, data, true)?;
    let values = given(&problem);
    let objective = Likelihood::new(&problem);
    let errors = Curvature::at(&objective, &values).map(|curvature| curvature.standard_errors(&objective, &values));
    let gradient_size = objective.at(&values, false).map_or(f64::NAN, |here| here.size());
    drop(objective);
    let (errors, redundant) = errors.unwrap_or_else(|| (vec![None; values.len()], 0));
    let ended = if gradient_size < NEARLY { Ended::Converged } else { Ended::Left };
    let reached = Reached { values, errors, redundant, ended: Some((ended, gradient_size)), ..Reached::default() };
    finish(model, problem, reached, Options::default(), &Silent)
}

/// With a smaller gradient there is almost nothing to gain.
const NEARLY: f64 = 1e-2;

/// The result of the optimisation, and the curvature there.
#[derive(Default)]
struct Reached {
    values: Vec<f64>,
    errors: Vec<Option<f64>>,
    /// The number of directions of the free parameters along which the log posterior does not fall.
    redundant: usize,
    /// The path of the optimiser.
    trace: Trace,
    /// Why it ended and the largest component of the gradient there; `None` if the values were taken as given.
    ended: Option<(Ended, f64)>,
    starts: Vec<Start>,
}

fn finish(
    asked: &Model,
    problem: Problem,
    reached: Reached,
    options: Options,
    progress: &dyn Progress,
) -> Result<Fit, ModelError> {
    let free = problem.free();
    let so_far = problem.model_with(&reached.values);
    // the last step may delay a stop for a short time
    let last = FirstResult::new(progress);
    let posterior = Posterior::new_unless(problem, reached.values, &last).map_err(|error| match error {
        ModelError::Stopped if reached.ended.is_some() => ModelError::StoppedAt { model: so_far.process().to_string() },
        error => error,
    })?;
    let model = posterior.problem().model_with(posterior.values());
    let mut fit = Fit {
        asked: asked.clone(),
        model,
        posterior,
        free,
        redundant: 0,
        standard_errors: reached.errors,
        ended: reached.ended.map(|e| e.0),
        gradient_size: reached.ended.map_or(0.0, |e| e.1),
        starts: reached.starts,
        options,
        denser: None,
        trace: reached.trace,
        hints: Vec::new(),
    };
    // on a bound the curvature can vanish although no parameters are redundant
    let at_bound = fit.problem().product_bounds().iter().any(|bound| bound.is_reached(fit.values()));
    let separable = fit.problem().classes().is_some() && is_zero_kernel(&fit.model.kernel);
    if fit.is_judged() && !at_bound && !separable {
        fit.redundant = reached.redundant.min(free);
    }
    if fit.ended.is_some() {
        fit.denser = DenserNoise::find(fit.problem(), fit.values()).ok().flatten();
    }
    fit.hints = hints(&fit);
    Ok(fit)
}

struct Entry<'l, 'p> {
    run: Run,
    followed: Followed<'l, 'p>,
    index: usize,
    dropped: bool,
}

impl<'l, 'p> Entry<'l, 'p> {
    fn new(objective: &'l Likelihood<'p>, index: usize, values: &[f64], search: &Search) -> Self {
        let run = Run::new(&objective.to_coordinates(values), search);
        Self { run, followed: Followed::new(objective), index, dropped: false }
    }
}

fn best<'e, 'l, 'p>(runs: &'e [Entry<'l, 'p>]) -> Option<&'e Entry<'l, 'p>> {
    let finite = runs.iter().filter(|e| e.run.value().is_finite());
    finite.min_by(|a, b| value(a).total_cmp(&value(b)).then(a.index.cmp(&b.index)))
}

fn value(entry: &Entry<'_, '_>) -> f64 {
    Some(entry.run.value()).filter(|v| !v.is_nan()).unwrap_or(f64::INFINITY)
}

/// The number of steps before half of the starts are dropped; it doubles every round.
const FIRST_ROUND: usize = 15;
/// The number of starts that are optimised to convergence.
const FINALISTS: usize = 1;

/// A value of the objective above which runs are dropped.
#[derive(Clone, Copy)]
struct Bar {
    value: f64,
    /// The number of steps before it applies.
    after: usize,
}

impl Bar {
    const NONE: Bar = Bar { value: f64::INFINITY, after: 0 };
}

/// All starts take some steps, the better half takes more, until few remain and are optimised to convergence.
///
/// Those above the bar are dropped as well. `reached` is called with the value at the first start.
fn race(
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
            some.par_iter_mut().for_each(step);
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

/// A fit moves to another maximum only if its log marginal likelihood is higher by this much.
const WORTH_A_HOP: f64 = 1e-3;
/// A run is given up where the log posterior is lower than it must be by this,
const BEHIND: f64 = 10.0;
/// and by this for each row,
const BEHIND_A_ROW: f64 = 0.02;
/// after so many steps from a start of a fit.
const SETTLED: usize = 3 * FIRST_ROUND;

/// By how much a run may lag.
fn behind(problem: &Problem) -> f64 {
    BEHIND + BEHIND_A_ROW * problem.n() as f64
}

/// The number of times a fit changes to a better maximum.
const HOPS: usize = 3;

/// Tries other maxima at known positions, which a gradient does not lead to: a period halved or doubled, the location
/// of a linear kernel mirrored to the other side of the data. The best run moves to the best of these, if it is better.
fn try_other_maxima<'l, 'p>(
    objective: &'l Likelihood<'p>,
    starts: &Starts<'_>,
    runs: &mut [Entry<'l, 'p>],
    search: &Search,
    progress: &dyn Progress,
) {
    for _ in 0..HOPS {
        let Some(from) = best(runs) else { return };
        let (index, least) = (from.index, value(from));
        let mut beside: Vec<Entry<'_, '_>> = starts
            .other_maxima(&objective.to_values(&from.run.outcome().at))
            .iter()
            .enumerate()
            .map(|(index, values)| Entry::new(objective, index, values, search))
            .collect();
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

#[cfg(test)]
mod tests;
