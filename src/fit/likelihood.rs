//! The objective of a fit: the log marginal likelihood plus the log priors, in the coordinates of the optimiser.

use std::sync::Mutex;

use super::optimize::Objective;
use super::spacing::variance;
use super::trace::{Point, Trace};
use crate::model::{Evidence, Evidencer, ModelError, Problem, ProductBound, Warm, at_once, is_profiled, needed_memory};
use crate::progress::{Progress, Silent};

/// Minus the log posterior in the optimiser's coordinates, with the parameters of the mean at their optimum.
///
/// The value is that of a target with unit variance, so that the same fit in other units takes the same path.
pub struct Likelihood<'p> {
    problem: &'p Problem,
    /// The indices of the parameters that are optimised.
    moved: Vec<usize>,
    values: Vec<f64>,
    /// For a sparse model: the units of the optimised numbers of its inducing inputs, which follow the parameters.
    induced: Vec<f64>,
    offset: f64,
    /// The same without the unit of the target and the Jacobian of its transforms.
    scaled_offset: f64,
    pool: Mutex<Vec<Evidencer<'p>>>,
    /// The number of evaluations that fit into memory at once.
    pub(super) most: usize,
    /// About the error of a value that is borne for speed; 0 for none.
    tolerance: f64,
    progress: &'p dyn Progress,
}

impl<'p> Likelihood<'p> {
    /// The objective of a problem.
    pub fn new(problem: &'p Problem) -> Self {
        let parameters = problem.parameters();
        let induced = problem.inducing().map(|inducing| inducing.units()).unwrap_or_default();
        let moved = (0..parameters.len())
            .filter(|&i| parameters[i].is_free() && !is_profiled(problem, i))
            .chain(parameters.len()..parameters.len() + induced.len())
            .collect();
        let y = problem.y();
        let variance = variance(y);
        let n = y.len() as f64;
        let unit = problem.target_unit();
        // classes have no unit, and their latent function has its own
        let numbers = variance > 0.0 && problem.classes().is_none();
        let scaled_offset = if numbers { -0.5 * n * (variance / unit / unit).ln() } else { 0.0 };
        let offset = problem.log_jacobian() + scaled_offset - n * unit.ln();
        let most = at_once(needed_memory(problem));
        Self {
            problem,
            moved,
            values: problem.inducing().into_iter().fold(problem.values(), |mut values, inducing| {
                values.extend(inducing.moved());
                values
            }),
            induced,
            offset,
            scaled_offset,
            pool: Mutex::new(Vec::new()),
            most,
            tolerance: 0.0,
            progress: &Silent,
        }
    }

    /// The same; an evaluation ends when the user stops the work.
    pub fn stopped_by(self, progress: &'p dyn Progress) -> Self {
        Self { progress, ..self }
    }

    /// The same; a log marginal likelihood may have an error of about this, if that takes less time. None by default.
    pub fn to_within(self, tolerance: f64) -> Self {
        Self { tolerance, ..self }
    }

    /// Log marginal likelihood = offset − value.
    pub fn offset(&self) -> f64 {
        self.offset
    }

    /// The coordinates of parameter values, which may be followed by those of optimised inducing inputs.
    pub fn to_coordinates(&self, values: &[f64]) -> Vec<f64> {
        let parameters = self.problem.parameters();
        let of = |&i: &usize| {
            let value = values.get(i).copied().unwrap_or(self.values[i]);
            match parameters.get(i) {
                Some(parameter) => parameter.domain.to_real(value),
                None => value / self.induced[i - parameters.len()],
            }
        };
        self.moved.iter().map(of).collect()
    }

    /// The values at these coordinates, followed by those of optimised inducing inputs.
    pub fn to_values(&self, at: &[f64]) -> Vec<f64> {
        let parameters = self.problem.parameters();
        let mut values = self.values.clone();
        for (&i, &at) in self.moved.iter().zip(at) {
            values[i] = match parameters.get(i) {
                Some(parameter) => parameter.domain.from_real(at),
                None => at * self.induced[i - parameters.len()],
            };
        }
        values
    }

    /// The model with its training rows.
    pub fn problem(&self) -> &'p Problem {
        self.problem
    }

    /// The log marginal likelihood at some values, with memory from the pool.
    ///
    /// # Errors
    /// As [`Evidencer::evaluate`].
    pub fn evidence(&self, values: &[f64], gradient: bool, profile: bool) -> Result<Evidence, ModelError> {
        self.evidence_from(values, gradient, profile, &mut Warm::default())
    }

    fn evidence_from(
        &self,
        values: &[f64],
        gradient: bool,
        profile: bool,
        warm: &mut Warm,
    ) -> Result<Evidence, ModelError> {
        let pooled = self.pool.lock().ok().and_then(|mut p| p.pop());
        let new = || Evidencer::new(self.problem).stopped_by(self.progress).to_within(self.tolerance);
        let mut evidencer = pooled.unwrap_or_else(new);
        let result = evidencer.evaluate_from(values, gradient, profile, warm);
        if let Ok(mut pool) = self.pool.lock()
            && pool.len() < self.most
        {
            pool.push(evidencer);
        }
        result
    }
}

/// The log posterior at one point.
#[derive(Clone)]
pub struct Here {
    /// Log marginal likelihood + log density of the priors in the optimiser's coordinates.
    pub total: f64,
    /// The same for the target in its own unit, without the Jacobian of its transforms.
    scaled: f64,
    /// Its derivatives with respect to the optimiser's coordinates of all parameters; 0 for those that are not free.
    pub slopes: Vec<f64>,
    /// All values, with those of the mean at their optimum if requested.
    values: Vec<f64>,
}

impl Here {
    /// The largest derivative in absolute value.
    pub fn size(&self) -> f64 {
        self.slopes.iter().fold(0.0, |m, s| m.max(s.abs()))
    }
}

impl Likelihood<'_> {
    /// The log posterior and its derivatives, with `profile` at the optimum of the mean. `None` where it has none.
    pub fn at(&self, values: &[f64], profile: bool) -> Option<Here> {
        self.at_from(values, profile, &mut Warm::default())
    }

    /// The log posterior only. `None` where it has none.
    pub fn total(&self, values: &[f64]) -> Option<f64> {
        Some(self.look(values, false, false, &mut Warm::default())?.total)
    }

    /// Whether the user has stopped the work.
    pub fn is_stopped(&self) -> bool {
        self.progress.stop()
    }

    /// The same as [`Likelihood::at`]; the approximation for classes starts from the sites of a previous call.
    pub fn at_from(&self, values: &[f64], profile: bool, warm: &mut Warm) -> Option<Here> {
        self.look(values, true, profile, warm)
    }

    fn look(&self, values: &[f64], gradient: bool, profile: bool, warm: &mut Warm) -> Option<Here> {
        let parameters = self.problem.parameters();
        if parameters.iter().zip(values).any(|(p, &v)| p.is_free() && !p.domain.contains(v)) {
            return None;
        }
        let mut evidence = self.evidence_from(values, gradient, profile, warm).ok()?;
        if !gradient {
            evidence.gradient.resize(values.len(), 0.0);
        }
        // before an approximation has converged, its value may be far too high
        if evidence.gradient.is_empty() || !evidence.converged {
            return None;
        }
        let mut added = 0.0;
        let mut slopes = vec![0.0; values.len()];
        for (i, parameter) in parameters.iter().enumerate().filter(|(_, p)| p.is_free()) {
            let value = evidence.values[i];
            let slope = parameter.domain.slope(value);
            slopes[i] = evidence.gradient[i] * slope;
            if let Some(prior) = parameter.param.prior {
                let (log, by_value) = prior.log_density(value);
                added += log + slope.ln();
                slopes[i] += by_value * slope + parameter.domain.log_slope_slope(value);
            }
        }
        for ((slope, by), unit) in slopes.iter_mut().zip(&evidence.gradient).skip(parameters.len()).zip(&self.induced) {
            *slope = by * unit;
        }
        for bound in self.problem.product_bounds() {
            added -= self.penalty(bound, &evidence.values, &mut slopes);
        }
        let (total, scaled) = (evidence.lml + added, evidence.scaled_lml + added);
        total.is_finite().then_some(Here { total, scaled, slopes, values: evidence.values })
    }

    /// The objective; the approximation for classes starts from the sites of a previous call.
    fn evaluate_from(&self, at: &[f64], gradient: &mut [f64], warm: &mut Warm) -> (f64, Vec<f64>) {
        let Some(here) = self.at_from(&self.to_values(at), true, warm) else { return (f64::INFINITY, Vec::new()) };
        for (g, &i) in gradient.iter_mut().zip(&self.moved) {
            *g = -here.slopes[i];
        }
        (self.scaled_offset - here.scaled, here.values)
    }

    /// The penalty of a bound on a product: quadratic in the logarithmic distance beyond it.
    fn penalty(&self, bound: &ProductBound, values: &[f64], slopes: &mut [f64]) -> f64 {
        let parameters = self.problem.parameters();
        let short = bound.beyond(values);
        if short.is_nan() || short <= 0.0 {
            return 0.0;
        }
        for &(i, power) in bound.powers.iter().filter(|(i, _)| parameters[*i].is_free()) {
            slopes[i] += 2.0 * STEEPNESS * short * power * parameters[i].domain.slope(values[i]) / values[i];
        }
        STEEPNESS * short * short
    }
}

/// The weight of the penalty: a value 10 % below the bound costs half a nat.
const STEEPNESS: f64 = 50.0;

/// The objective of one run: each evaluation starts the approximation where the last one ended.
pub struct Followed<'l, 'p> {
    objective: &'l Likelihood<'p>,
    seen: Mutex<Seen>,
}

#[derive(Default)]
struct Seen {
    warm: Warm,
    /// The least value so far, with the values of all parameters there.
    best: Option<(f64, Vec<f64>)>,
    evaluations: usize,
    trace: Trace,
}

impl<'l, 'p> Followed<'l, 'p> {
    /// A run that has not started.
    pub fn new(objective: &'l Likelihood<'p>) -> Self {
        Self { objective, seen: Mutex::default() }
    }

    /// The successive best points.
    pub fn trace(&self) -> Trace {
        self.seen.lock().map(|seen| seen.trace.clone()).unwrap_or_default()
    }

    /// The values of all parameters at the best point so far.
    pub fn best(&self) -> Option<Vec<f64>> {
        Some(self.seen.lock().ok()?.best.as_ref()?.1.clone())
    }

    /// The values at the end of a run, with those that follow from the others. If the user stops this evaluation, those
    /// at the best point so far.
    ///
    /// # Errors
    /// Those of an evaluation of the model.
    pub fn last_values(&self, at: &[f64]) -> Result<Vec<f64>, ModelError> {
        let Likelihood { problem, progress, .. } = self.objective;
        match Evidencer::new(problem).stopped_by(*progress).evaluate(at, false, true) {
            Ok(found) => Ok(found.values),
            Err(ModelError::Stopped) => self.best().ok_or(ModelError::Stopped),
            Err(error) => Err(error),
        }
    }
}

impl Objective for Followed<'_, '_> {
    fn dim(&self) -> usize {
        self.objective.dim()
    }

    fn evaluate(&self, at: &[f64], gradient: &mut [f64]) -> f64 {
        let Ok(mut seen) = self.seen.lock() else { return self.objective.evaluate(at, gradient) };
        let (value, values) = self.objective.evaluate_from(at, gradient, &mut seen.warm);
        seen.evaluations += 1;
        if value.is_finite() && seen.best.as_ref().is_none_or(|(least, _)| value < *least) {
            // inducing inputs follow the parameters
            let own = values.iter().take(self.objective.problem.parameters().len()).copied().collect();
            let point = Point { evaluation: seen.evaluations, objective: self.objective.offset() - value, values: own };
            seen.trace.push(point);
            seen.best = Some((value, values));
        }
        value
    }
}

impl Objective for Likelihood<'_> {
    fn dim(&self) -> usize {
        self.moved.len()
    }

    fn evaluate(&self, at: &[f64], gradient: &mut [f64]) -> f64 {
        self.evaluate_from(at, gradient, &mut Warm::default()).0
    }
}
