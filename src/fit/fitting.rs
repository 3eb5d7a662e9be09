//! Fits from several starts, the best of which are optimised to convergence.

mod other_maxima;
mod race;

use rayon::prelude::*;

use self::other_maxima::try_other_maxima;
use self::race::{Bar, Entry, SETTLED, behind, best, race, value};
use super::column::Column;
use super::curvature::Curvature;
use super::first_result::FirstResult;
use super::hints::hints;
use super::likelihood::Likelihood;
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
    let fit = fit_beyond(model, data, options, Beyond::default(), progress)?;
    fit.ok_or(ModelError::Stopped)
}

/// The relative change of the log likelihood at which a run of many rows ends.
const NEARLY_THERE: f64 = 1e-7;
/// The error of a log likelihood, about, that its gradients near a maximum bear: so little that differences of them tell the
/// curvature.
const NEARLY_EXACT: f64 = 1e-8;

/// What a fit must reach, and how much it may spend on the way.
#[derive(Debug, Clone, Copy)]
pub struct Beyond<'r> {
    /// The log posterior (log marginal likelihood plus log density of the priors) that it must reach more than.
    pub least: f64,
    /// Indices of rows by which starts and other maxima are compared; `None` for all.
    pub compared: Option<&'r [usize]>,
    /// About the error of the log marginal likelihood that is borne for speed on the way. The result has none.
    pub tolerance: f64,
    pub stretch: Stretch,
    /// The quantities of the input columns, where they are known.
    pub columns: Option<&'r [Column]>,
}

/// Which part of a fit is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stretch {
    Whole,
    /// The way to a maximum, without last steps free of the error that is borne, and without standard errors.
    Way,
    /// The end, from values at a maximum: other maxima are not tried.
    End,
}

impl Default for Beyond<'_> {
    fn default() -> Self {
        Self { least: f64::NEG_INFINITY, compared: None, tolerance: 0.0, stretch: Stretch::Whole, columns: None }
    }
}

/// Fits a model as [`fit`](super::fit) does, on the scale of the target that it is written for, if it reaches more than a
/// given log posterior. `None` if it does not: it ends early where no start comes near within some rounds, and has no
/// curvature to compute.
///
/// # Errors
/// As [`fit`](super::fit).
pub fn fit_beyond(
    model: &Model,
    data: &Dataset,
    options: Options,
    Beyond { least, compared, tolerance, stretch, columns }: Beyond<'_>,
    progress: &dyn Progress,
) -> Result<Option<Fit>, ModelError> {
    let problem = Problem::new(model, data, false)?;
    let product_bounds =
        latent_bounds(&problem).into_iter().chain(noise_bound(&problem, options.least_noise)).collect();
    let problem = problem.with_product_bounds(product_bounds);
    if problem.inducing().is_some() && problem.n() > RACED_ROWS {
        return fit_many(model, problem, options, progress).map(Some);
    }
    let starts = Starts::with(&problem, options.seed, columns);
    let first = FirstResult::new(progress);
    let progress: &dyn Progress = &first;
    let objective = Likelihood::new(&problem).stopped_by(progress).to_within(tolerance);
    let exactly = search(&problem, options);
    let search = match compared {
        // of many rows, Newton's method takes the last steps
        Some(_) => Search { value_tolerance: NEARLY_THERE, ..exactly.clone() },
        None => exactly.clone(),
    };
    let part = compared.map(|rows| problem.of_rows(rows)).transpose()?;
    let some = part.as_ref().map(|part| Likelihood::new(part).stopped_by(progress).to_within(tolerance));
    let count = if objective.dim() == 0 { 1 } else { options.restarts.max(1) };
    let made = |i: usize| Entry::new(&objective, i, &starts.start(i), &search);
    let mut runs = match some.as_ref().filter(|_| count > 1) {
        Some(some) => {
            // other maxima are tried from there
            let of_some = Starts::with(some.problem(), options.seed, columns);
            let begun = begun_on(some, &of_some, count, &search, false, progress);
            vec![Entry::new(&objective, 0, &begun.unwrap_or_else(|| starts.start(0)), &search)]
        }
        None => {
            let mut runs = vec![made(0)];
            // the contribution of each variance is measured for every start, so many starts take long to create
            let others = (1..count).into_par_iter().with_max_len(1).map(|i| (!first.is_asked()).then(|| made(i)));
            runs.extend(others.collect::<Vec<_>>().into_iter().flatten());
            runs
        }
    };
    let needed = objective.offset() - least;
    let bar = Bar { value: needed + behind(&problem), after: SETTLED };
    race(&objective, &mut runs, options.max_iter, bar, progress, &|value| first.reached(value));
    let misses =
        |runs: &[Entry<'_, '_>], bar: f64| !progress.stop() && best(runs).is_some_and(|best| value(best) > bar);
    if misses(&runs, bar.value) {
        return Ok(None);
    }
    if stretch != Stretch::End {
        try_other_maxima(&objective, some.as_ref(), &starts, &mut runs, &search, progress);
    }
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
    let values = match seen {
        Some(values) => values,
        None => best.followed.last_values(&objective.to_values(&outcome.at))?,
    };
    // the best run may have been between two rounds
    let between_rounds = progress.stop() && !outcome.ended.well();
    let ended = if between_rounds { Ended::Stopped { steps: outcome.iterations } } else { outcome.ended };
    // one set of matrices for both, where both are exact
    let nearly_exact =
        (tolerance > 0.0).then(|| Likelihood::new(&problem).stopped_by(progress).to_within(NEARLY_EXACT));
    let at_end = nearly_exact.as_ref().unwrap_or(&objective);
    let last = (stretch != Stretch::Way && !progress.stop())
        .then(|| last_steps(&best.run, &values, at_end, nearly_exact.is_some(), &exactly, progress))
        .flatten();
    let reached = last.unwrap_or_else(|| Reached {
        errors: vec![None; problem.parameters().len()],
        values,
        ended: Some((ended, outcome.gradient_size())),
        ..Reached::default()
    });
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
    drop(nearly_exact);
    drop(starts);
    finish(model, problem, Reached { trace, starts: reports, ..reached }, options, progress).map(Some)
}

/// The last steps of a run from its values, by Newton's method, and the standard errors there. If the likelihood of the run
/// had an error and something is left to gain, the run goes on with this one, which has next to none. `None` without a
/// curvature.
fn last_steps(
    run: &Run,
    values: &[f64],
    objective: &Likelihood<'_>,
    had_error: bool,
    limits: &Search,
    progress: &dyn Progress,
) -> Option<Reached> {
    let curvature = Curvature::at(objective, values)?;
    let (mut values, here) = curvature.polish(objective);
    let outcome = run.outcome();
    let (mut ended, mut gradient_size) = (outcome.ended, here.size());
    let worth = limits.value_tolerance * outcome.value.abs().max(1.0);
    if gradient_size < limits.gradient_tolerance {
        ended = Ended::Converged;
    } else if had_error && curvature.left_to_gain(&here) < worth {
        ended = Ended::SmallChange;
    } else if had_error {
        let mut run = run.restarted(&objective.to_coordinates(&values), 1.0, limits);
        run.advance(objective, limits.max_iter, &Quiet(progress));
        let last = run.outcome();
        if let Ok(evidence) = objective.evidence(&objective.to_values(&last.at), false, true) {
            values = evidence.values;
            (ended, gradient_size) = (last.ended, last.gradient_size());
        }
    }
    let (mut errors, redundant) = curvature.standard_errors(objective, &values);
    // on a bound, the curvature is that of the penalty
    for bound in objective.problem().product_bounds().iter().filter(|bound| bound.is_reached(&values)) {
        bound.powers.iter().for_each(|(i, _)| errors[*i] = None);
    }
    Some(Reached { values, errors, redundant, ended: Some((ended, gradient_size)), ..Reached::default() })
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
        let objective = Likelihood::new(&few).stopped_by(progress);
        let starts = Starts::new(&few, options.seed);
        match begun_on(&objective, &starts, options.restarts.max(1), &limits, true, progress) {
            Some(values) => values,
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
        values = curvature.polish(&objective).0;
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

/// The values that the best of some starts comes to on a subset of the rows. `None` if none has a likelihood.
fn begun_on(
    few: &Likelihood<'_>,
    starts: &Starts<'_>,
    count: usize,
    search: &Search,
    other_maxima: bool,
    progress: &dyn Progress,
) -> Option<Vec<f64>> {
    let made = |i: usize| Entry::new(few, i, &starts.start(i), search);
    let mut runs: Vec<Entry<'_, '_>> = (0..count).into_par_iter().with_max_len(1).map(made).collect();
    race(few, &mut runs, RACED_STEPS.min(search.max_iter), Bar::NONE, progress, &|_| {});
    if other_maxima {
        try_other_maxima(few, None, starts, &mut runs, search, progress);
    }
    best(&runs).map(|best| few.to_values(&best.run.outcome().at))
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

#[cfg(test)]
mod tests;
