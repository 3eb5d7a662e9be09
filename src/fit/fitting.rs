//! Fitting: several starts raced side by side, the best taken to its maximum.

use std::sync::Mutex;

use rayon::prelude::*;

use super::curvature::Curvature;
use super::hints::hints;
use super::optimize::{Ended, Objective, Options as Search, Run};
use super::starts::Starts;
use crate::data::Dataset;
use crate::model::Evidence;
use crate::model::{Evidencer, Fence, Model, ModelError, Parameter, Posterior, Problem, available_memory};
use crate::progress::Progress;

/// How to fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// How many starts; at least 1.
    pub restarts: usize,
    pub seed: u64,
    /// Steps of the optimiser from each start.
    pub max_iter: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self { restarts: 10, seed: 0, max_iter: 1000 }
    }
}

/// What became of one start.
#[derive(Debug, Clone, PartialEq)]
pub struct Start {
    /// The objective reached: the evidence, plus the log density of the priors. `None` when it has none.
    pub reached: Option<f64>,
    pub ended: Ended,
    /// It was overtaken by others before its end.
    pub dropped: bool,
}

/// A model with its parameters fitted, or taken as given.
#[derive(Debug, Clone)]
pub struct Fit {
    /// The model as it was asked for.
    pub asked: Model,
    /// The model with the values of the fit written in.
    pub model: Model,
    pub posterior: Posterior,
    /// −2·LML + p·log n.
    pub bic: f64,
    /// How many parameters were free: p.
    pub free: usize,
    /// One for each parameter of the problem: `None` where it is not determined, or not free.
    pub standard_errors: Vec<Option<f64>>,
    /// Why the fit ended; `None` when the values were taken as given.
    pub ended: Option<Ended>,
    /// The largest part of the gradient at the end, in the optimiser's coordinates.
    pub gradient_size: f64,
    pub starts: Vec<Start>,
    pub options: Options,
    /// What a person should look at.
    pub hints: Vec<String>,
}

impl Fit {
    pub fn lml(&self) -> f64 {
        self.posterior.lml()
    }

    pub fn problem(&self) -> &Problem {
        self.posterior.problem()
    }

    pub fn parameters(&self) -> &[Parameter] {
        self.problem().parameters()
    }

    pub fn values(&self) -> &[f64] {
        self.posterior.values()
    }

    /// The noise variance, where there is one for all rows. White noise at the top of the kernel counts as noise.
    pub fn noise(&self) -> Option<f64> {
        self.problem().noise_variance(self.values())
    }

    /// Looks for hints again, after something else was changed.
    pub(crate) fn renew_hints(&mut self) {
        self.hints = hints(self);
    }

    /// Whether the optimiser reached a maximum.
    pub fn converged(&self) -> bool {
        self.ended.is_some_and(|e| e.well())
    }
}

/// Fits a model: the maximum of the evidence, or of the posterior density in the optimiser's coordinates where
/// parameters have priors.
///
/// Starts run in parallel, each with sequential linear algebra: a few steps for all, more for the better half, and so
/// on. Asked to stop, it gives the best so far.
///
/// # Errors
/// Whatever [`Problem::new`] refuses, or [`ModelError::NotPositiveDefinite`] when no start has a finite evidence.
pub fn fit(model: &Model, data: &Dataset, options: Options, progress: &dyn Progress) -> Result<Fit, ModelError> {
    let problem = Problem::new(model, data, false)?;
    let starts = Starts::new(&problem, options.seed);
    let objective = Likelihood::new(&problem);
    let search = Search {
        max_iter: options.max_iter,
        max_evals: 4 * options.max_iter,
        gradient_tolerance: 1e-5,
        value_tolerance: 1e-9,
        ..Search::default()
    };
    let mut runs: Vec<Entry> = (0..options.restarts.max(1))
        .map(|i| {
            let values = starts.start(i);
            Entry { run: Run::new(&objective.to_coordinates(&values), &search), index: i, dropped: false }
        })
        .collect();
    if objective.dim() == 0 {
        runs.truncate(1);
    }
    race(&objective, &mut runs, options.max_iter, progress);
    hop(&objective, &starts, &mut runs, &search, progress);
    let Some(best) = best(&runs) else {
        // the error of the first start says why
        let error = objective.evidence(&starts.start(0), false, true).err();
        return Err(error.unwrap_or_else(|| {
            crate::linalg::NotPositiveDefinite { rows: problem.n(), pivot: 0, jitter: 0.0 }.into()
        }));
    };
    let outcome = best.run.outcome();
    let mut values = objective.evidence(&objective.to_values(&outcome.at), false, true)?.values;
    let mut errors = vec![None; values.len()];
    let (mut ended, mut gradient_size) = (outcome.ended, outcome.gradient_size());
    if !progress.stop()
        && let Some(curvature) = Curvature::at(&objective, &values)
    {
        values = curvature.polish(&objective, &values);
        errors = curvature.standard_errors(&objective, &values);
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
    finish(model, problem, values, errors, Some((ended, gradient_size)), reports, options)
}

/// Takes the values of a model as given; unset ones take those of a fit's first start.
///
/// # Errors
/// Whatever [`Problem::new`] refuses, or [`ModelError::NotPositiveDefinite`].
pub fn condition(model: &Model, data: &Dataset) -> Result<Fit, ModelError> {
    let problem = Problem::new(model, data, true)?;
    let values = given(&problem);
    let errors = vec![None; values.len()];
    finish(model, problem, values, errors, None, Vec::new(), Options::default())
}

/// Takes the values of a model for those of a fit that has ended elsewhere, and finds its standard errors.
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
    let errors = errors.unwrap_or_else(|| vec![None; values.len()]);
    let ended = if gradient_size < NEARLY { Ended::Converged } else { Ended::Left };
    finish(model, problem, values, errors, Some((ended, gradient_size)), Vec::new(), Options::default())
}

/// A gradient below this leaves next to nothing to gain.
const NEARLY: f64 = 1e-2;

/// The values of a problem as written; unset ones take those of a fit's first start.
pub fn given(problem: &Problem) -> Vec<f64> {
    let start = Starts::new(problem, 0).start(0);
    let written = problem.parameters().iter().zip(start);
    written.map(|(p, start)| if p.is_free() { p.param.value().unwrap_or(start) } else { p.value }).collect()
}

fn finish(
    asked: &Model,
    problem: Problem,
    values: Vec<f64>,
    standard_errors: Vec<Option<f64>>,
    ended: Option<(Ended, f64)>,
    starts: Vec<Start>,
    options: Options,
) -> Result<Fit, ModelError> {
    let (model, free, n) = (problem.model_with(&values), problem.free(), problem.n());
    let posterior = Posterior::new(problem, values)?;
    let bic = -2.0 * posterior.lml() + free as f64 * (n as f64).ln();
    let mut fit = Fit {
        asked: asked.clone(),
        model,
        posterior,
        bic,
        free,
        standard_errors,
        ended: ended.map(|e| e.0),
        gradient_size: ended.map_or(0.0, |e| e.1),
        starts,
        options,
        hints: Vec::new(),
    };
    fit.hints = hints(&fit);
    Ok(fit)
}

struct Entry {
    run: Run,
    index: usize,
    dropped: bool,
}

fn best(runs: &[Entry]) -> Option<&Entry> {
    let finite = runs.iter().filter(|e| e.run.value().is_finite());
    finite.min_by(|a, b| value(a).total_cmp(&value(b)).then(a.index.cmp(&b.index)))
}

fn value(entry: &Entry) -> f64 {
    Some(entry.run.value()).filter(|v| !v.is_nan()).unwrap_or(f64::INFINITY)
}

/// Steps before half of the starts are left behind; doubled every round.
const FIRST_ROUND: usize = 15;
/// So many of the starts go all the way.
const FINALISTS: usize = 1;

/// Takes all starts some steps, then the better half more, until few are left and run to their end.
fn race(objective: &Likelihood<'_>, runs: &mut [Entry], max_iter: usize, progress: &dyn Progress) {
    let (mut alive, mut steps) = (runs.len(), FIRST_ROUND);
    let mut spent = 0;
    let rounds = (usize::BITS - alive.div_ceil(FINALISTS).leading_zeros()) as f64 + 1.0;
    let mut round = 0.0;
    loop {
        let last = alive <= FINALISTS;
        let portion = if last { max_iter.saturating_sub(spent) } else { steps.min(max_iter.saturating_sub(spent)) };
        let done = Mutex::new((0usize, f64::INFINITY));
        let heard = Heard(progress);
        let step = |entry: &mut Entry| {
            if progress.stop() && entry.index != 0 {
                return;
            }
            entry.run.advance(objective, portion, &heard);
            if let Ok(mut done) = done.lock() {
                done.0 += 1;
                done.1 = done.1.min(value(entry));
                let share = (round + done.0 as f64 / alive as f64) / rounds;
                progress.report(share.min(1.0), &format!("log likelihood {:.2}", objective.offset() - done.1));
            }
        };
        // side by side as far as the memory reaches
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
        let left = alive.div_ceil(2).max(FINALISTS);
        for entry in &mut runs[left..alive] {
            entry.dropped = entry.run.ended().is_none();
        }
        alive = left;
        steps *= 2;
    }
    runs.sort_by_key(|e| e.index);
}

/// What another maximum must be better by, in log evidence, for a fit to go over to it.
const WORTH_A_HOP: f64 = 1e-3;
/// So many times a fit goes over to a better maximum.
const HOPS: usize = 3;

/// Maxima that a gradient does not lead between lie at known places: the period halved or doubled, the centre of a line
/// on the other side of the data. Looks there from the best of the runs, which goes over to the best that is found.
fn hop(objective: &Likelihood<'_>, starts: &Starts<'_>, runs: &mut [Entry], search: &Search, progress: &dyn Progress) {
    for _ in 0..HOPS {
        let Some(from) = best(runs) else { return };
        let (index, least) = (from.index, value(from));
        let mut beside: Vec<Entry> = starts
            .beside(&objective.to_values(&from.run.outcome().at))
            .iter()
            .enumerate()
            .map(|(index, values)| Entry {
                run: Run::new(&objective.to_coordinates(values), search),
                index,
                dropped: false,
            })
            .collect();
        if beside.is_empty() || progress.stop() {
            return;
        }
        race(objective, &mut beside, search.max_iter, progress);
        match best(&beside).filter(|found| value(found) < least - WORTH_A_HOP) {
            Some(found) => runs[index].run = found.run.clone(),
            None => return,
        }
    }
}

/// Passes on the wish to stop; a single run's own progress is not that of the race.
struct Heard<'p>(&'p dyn Progress);

impl Progress for Heard<'_> {
    fn report(&self, _done: f64, _note: &str) {}

    fn stop(&self) -> bool {
        self.0.stop()
    }
}

/// Minus the log posterior in the optimiser's coordinates, with the parameters of the mean at their best.
///
/// The value is taken as if the target had unit variance, so that the same fit in other units walks the same path.
pub struct Likelihood<'p> {
    problem: &'p Problem,
    /// The parameters that move, as places among all.
    moved: Vec<usize>,
    values: Vec<f64>,
    offset: f64,
    pool: Mutex<Vec<Evidencer<'p>>>,
    /// So many evaluations may hold memory at once.
    most: usize,
}

impl<'p> Likelihood<'p> {
    pub fn new(problem: &'p Problem) -> Self {
        let parameters = problem.parameters();
        let moved = (0..parameters.len())
            .filter(|&i| parameters[i].is_free() && !crate::model::is_profiled(problem, i))
            .collect();
        let y = problem.y();
        let n = y.len() as f64;
        let mean = y.iter().sum::<f64>() / n;
        let variance = y.iter().map(|y| (y - mean) * (y - mean)).sum::<f64>() / n;
        let scale = if variance > 0.0 { 0.5 * n * variance.ln() } else { 0.0 };
        let offset = problem.log_jacobian() - scale;
        let each = crate::model::needed_memory(problem).max(1);
        let most = (available_memory() / 2 / each).max(1) as usize;
        Self { problem, moved, values: problem.values(), offset, pool: Mutex::new(Vec::new()), most }
    }

    /// Log evidence = offset − value.
    pub fn offset(&self) -> f64 {
        self.offset
    }

    pub fn to_coordinates(&self, values: &[f64]) -> Vec<f64> {
        self.moved.iter().map(|&i| self.problem.parameters()[i].domain.to_real(values[i])).collect()
    }

    pub fn to_values(&self, at: &[f64]) -> Vec<f64> {
        let mut values = self.values.clone();
        for (&i, &at) in self.moved.iter().zip(at) {
            values[i] = self.problem.parameters()[i].domain.from_real(at);
        }
        values
    }

    pub fn problem(&self) -> &'p Problem {
        self.problem
    }

    /// The evidence at some values, with memory from the pool.
    ///
    /// # Errors
    /// As [`Evidencer::evaluate`].
    pub fn evidence(&self, values: &[f64], gradient: bool, profile: bool) -> Result<Evidence, ModelError> {
        let mut evidencer =
            self.pool.lock().ok().and_then(|mut p| p.pop()).unwrap_or_else(|| Evidencer::new(self.problem));
        let result = evidencer.evaluate(values, gradient, profile);
        if let Ok(mut pool) = self.pool.lock()
            && pool.len() < self.most
        {
            pool.push(evidencer);
        }
        result
    }
}

/// The log posterior at a place.
pub struct Here {
    /// log evidence + log density of the priors in the optimiser's coordinates.
    pub total: f64,
    /// Its derivative in the optimiser's coordinate of every parameter; 0 for those that are not free.
    pub slopes: Vec<f64>,
}

impl Here {
    /// The largest slope.
    pub fn size(&self) -> f64 {
        self.slopes.iter().fold(0.0, |m, s| m.max(s.abs()))
    }
}

impl Likelihood<'_> {
    /// The log posterior and its slopes, with `profile` at the best values of the mean. `None` where it has none.
    pub fn at(&self, values: &[f64], profile: bool) -> Option<Here> {
        let parameters = self.problem.parameters();
        if parameters.iter().zip(values).any(|(p, &v)| p.is_free() && !p.domain.contains(v)) {
            return None;
        }
        let evidence = self.evidence(values, true, profile).ok()?;
        if evidence.gradient.is_empty() {
            return None;
        }
        let mut total = evidence.lml;
        let mut slopes = vec![0.0; values.len()];
        for (i, parameter) in parameters.iter().enumerate().filter(|(_, p)| p.is_free()) {
            let value = evidence.values[i];
            let slope = parameter.domain.slope(value);
            slopes[i] = evidence.gradient[i] * slope;
            if let Some(prior) = parameter.param.prior {
                let (log, by_value) = prior.log_density(value);
                total += log + slope.ln();
                slopes[i] += by_value * slope + parameter.domain.log_slope_slope(value);
            }
        }
        for fence in self.problem.fences() {
            total -= self.pushed_back(fence, &evidence.values, &mut slopes);
        }
        total.is_finite().then_some(Here { total, slopes })
    }

    /// What a fence takes from the log posterior beyond it: quadratic in how far, in logarithms.
    fn pushed_back(&self, fence: &Fence, values: &[f64], slopes: &mut [f64]) -> f64 {
        let parameters = self.problem.parameters();
        let reached: f64 = fence.powers.iter().map(|&(i, power)| power * values[i].ln()).sum();
        let short = fence.least.ln() - reached;
        if short.is_nan() || short <= 0.0 {
            return 0.0;
        }
        for &(i, power) in fence.powers.iter().filter(|(i, _)| parameters[*i].is_free()) {
            slopes[i] += 2.0 * STEEPNESS * short * power * parameters[i].domain.slope(values[i]) / values[i];
        }
        STEEPNESS * short * short
    }
}

/// Of a fence: a tenth below it costs half a nat.
const STEEPNESS: f64 = 50.0;

impl Objective for Likelihood<'_> {
    fn dim(&self) -> usize {
        self.moved.len()
    }

    fn evaluate(&self, at: &[f64], gradient: &mut [f64]) -> f64 {
        let Some(here) = self.at(&self.to_values(at), true) else { return f64::INFINITY };
        for (g, &i) in gradient.iter_mut().zip(&self.moved) {
            *g = -here.slopes[i];
        }
        self.offset - here.total
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data;
    use crate::kernel::{Kernel, families::family};
    use crate::progress::Silent;

    fn trend_and_season() -> Model {
        let leaf = |name: &str| Kernel::family(family(name).unwrap());
        let season = Kernel::product([leaf("Per"), leaf("Lin")]).unwrap();
        Model::new(Kernel::sum([leaf("SE"), season]).unwrap())
    }

    #[test]
    fn a_fit_is_the_same_at_any_number_of_threads() {
        let airline = data::load("airline", &[], &data::Options::default()).unwrap().head(60);
        let options = Options { restarts: 4, ..Options::default() };
        let run = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| fit(&trend_and_season(), &airline, options, &Silent).unwrap())
        };
        let (one, two) = (run(1), run(3));
        assert_eq!(one.values(), two.values());
        assert_eq!(one.lml(), two.lml());
        assert_eq!(one.starts, two.starts);
    }

    #[test]
    fn conditioning_on_a_fit_gives_its_evidence_to_the_bit() {
        let airline = data::load("airline", &[], &data::Options::default()).unwrap().head(60);
        let options = Options { restarts: 2, ..Options::default() };
        let fitted = fit(&trend_and_season(), &airline, options, &Silent).unwrap();
        let again = condition(&fitted.model, &airline).unwrap();
        assert_eq!(again.lml(), fitted.lml());
        assert_eq!(again.values(), fitted.values());
    }

    #[test]
    fn the_gradient_of_the_posterior_agrees_with_differences() {
        let airline = data::load("airline", &[], &data::Options::default()).unwrap().head(40);
        let mut model = trend_and_season();
        model.noise = crate::model::Noise::Variance(crate::param::Param {
            prior: Some(crate::param::Prior::LogNormal { mean: 3.0, sd: 1.0 }),
            ..Default::default()
        });
        let problem = Problem::new(&model, &airline, false).unwrap();
        let objective = Likelihood::new(&problem);
        let at = objective.to_coordinates(&Starts::new(&problem, 3).start(2));
        let mut gradient = vec![0.0; at.len()];
        objective.evaluate(&at, &mut gradient);
        for i in 0..at.len() {
            let moved = |by: f64| {
                let mut at = at.clone();
                at[i] += by;
                objective.evaluate(&at, &mut vec![0.0; at.len()])
            };
            let h = 1e-5;
            let difference = (8.0 * (moved(h) - moved(-h)) - (moved(2.0 * h) - moved(-2.0 * h))) / (12.0 * h);
            assert!((difference - gradient[i]).abs() < 1e-5 * gradient[i].abs().max(1.0), "{i}");
        }
    }
}
