//! The posterior of the parameters near a fit, with a weak prior, and its integral: the evidence of the model.

use super::column::Column;
use super::curvature::Curvature;
use super::likelihood::Likelihood;
use super::optimize::{Objective, Options, minimize};
use super::starts::{Starts, rounding_variance};
use crate::linalg::{LOG_2PI, Matrix, Vector, inverse_root};
use crate::model::{Likelihood as ModelLikelihood, Mean, Model, Noise, ParameterKind, Problem};
use crate::param::{Param, State};
use crate::progress::{Progress, Silent};

/// The standard deviation of the normal prior of parameters without one, in the optimiser's coordinates.
pub const WEAK_PRIOR_SD: f64 = 3.0;
/// The curvature of that prior.
const LEAST_CURVATURE: f64 = 1.0 / (WEAK_PRIOR_SD * WEAK_PRIOR_SD);
/// The standard deviation of draws of a parameter with a prior of its own, in the same coordinates.
const WIDE: f64 = 2.0;
/// The largest component of the gradient at a mode, in standard deviations of the normal approximation.
const AT_MODE: f64 = 0.01;
/// Noise up to so many times its least variance is kept there.
const ON_BOUND: f64 = 1.01;
/// A mode within so many standard deviations has the curvature of where it was looked for.
const NEARBY: f64 = 0.1;

/// The posterior density of the free parameters in the optimiser's coordinates, near the values of a fit.
///
/// A parameter without a prior gets a normal one around the first start of a fit, with the standard deviation
/// [`WEAK_PRIOR_SD`] in the optimiser's coordinates (Duvenaud, structure-search chapter, specifies no prior). That of a
/// linear mean is for its level in the middle of the rows and not for its offset, which can be far outside of them. A
/// parameter on a bound is kept there.
pub struct ParameterPosterior<'p> {
    objective: Likelihood<'p>,
    values: Vec<f64>,
    free: Vec<usize>,
    /// The centres of the weak priors in the optimiser's coordinates; `None` for other parameters.
    centre: Vec<Option<f64>>,
    level: Option<Level>,
    /// The noise and its least variance, which is that of the rounding of the target.
    least: Option<(usize, f64)>,
    /// VΛ^{−½}, from the Hessian H = VΛVᵀ of the negative log posterior.
    axes: Matrix,
    log_volume: f64,
    top: f64,
    gained: f64,
}

/// The level of a linear mean in the middle of the rows: its offset, plus each slope times a number, in the optimiser's
/// coordinates. Indices are of the free parameters.
#[derive(Debug)]
struct Level {
    offset: usize,
    slopes: Vec<(usize, f64)>,
}

impl Level {
    /// `None` if the offset is not free. Slopes that are not free shift the centre of its prior.
    fn of(problem: &Problem, values: &[f64], free: &[usize], centre: &mut [Option<f64>]) -> Option<Self> {
        let parameters = problem.parameters();
        let mean = |i: usize| match parameters[i].kind {
            ParameterKind::Mean(term) => Some(term),
            _ => None,
        };
        let offset = free.iter().position(|&i| mean(i) == Some(0))?;
        let unit = |i: usize| parameters[i].domain.from_real(1.0) - parameters[i].domain.from_real(0.0);
        let basis = problem.mean_basis(&problem.x().iter().map(|x| &x[..]).collect::<Vec<_>>(), problem.n());
        let mut slopes = Vec::new();
        for (i, &value) in values.iter().enumerate() {
            let Some(column) = mean(i).filter(|term| *term > 0).and_then(|term| basis.get(term)) else { continue };
            let middle = column.iter().sum::<f64>() / problem.n().max(1) as f64;
            match free.iter().position(|&other| other == i) {
                Some(at) => slopes.push((at, middle * unit(i) / unit(free[offset]))),
                None => {
                    let shift = middle * value / unit(free[offset]);
                    centre[offset].iter_mut().for_each(|centre| *centre -= shift);
                }
            }
        }
        (!slopes.is_empty()).then_some(Self { offset, slopes })
    }
}

impl<'p> ParameterPosterior<'p> {
    /// The posterior near these values. `None` if there is no density or no curvature.
    pub fn new(problem: &'p Problem, values: &[f64]) -> Option<Self> {
        Self::unless_stopped(problem, values, None, &Silent)
    }

    /// The same, with the quantities of the input columns where they are known; `None` also if the user stops the work before
    /// its curvature is known.
    pub fn unless_stopped(
        problem: &'p Problem,
        values: &[f64],
        columns: Option<&[Column]>,
        progress: &'p dyn Progress,
    ) -> Option<Self> {
        let objective = Likelihood::new(problem).stopped_by(progress);
        let total = objective.at(values, false)?.total;
        let noise = problem.parameters().iter().position(|p| p.kind == ParameterKind::Noise && p.is_free());
        // noise that is below is not held
        let rounding = rounding_variance(problem);
        let least = noise
            .filter(|&noise| values[noise] * ON_BOUND >= rounding)
            .map(|noise| (noise, rounding.min(values[noise])));
        let kept = least.filter(|&(noise, least)| values[noise] <= ON_BOUND * least).map(|(noise, _)| noise);
        let (free, hessian) = match Curvature::at(&objective, values) {
            Some(curvature) => without(curvature.hessian(), kept),
            None if problem.free() == 0 => (Vec::new(), Matrix::zeros(0, 0)),
            None => return None,
        };
        // the start of the model with nothing written
        let bare = with_nothing_written(problem.model());
        let bare = Problem::new(&bare, problem.data(), true).ok()?;
        let start = Starts::with(&bare, 0, columns).start(0);
        let parameters = problem.parameters();
        let weak = |&i: &usize| parameters[i].param.prior.is_none().then(|| parameters[i].domain.to_real(start[i]));
        let mut centre: Vec<Option<f64>> = free.iter().map(weak).collect();
        let level = Level::of(problem, values, &free, &mut centre);
        if free.is_empty() {
            let (axes, values) = (Matrix::zeros(0, 0), values.to_vec());
            return Some(Self {
                objective,
                values,
                free,
                centre,
                level,
                least,
                axes,
                log_volume: 0.0,
                top: total,
                gained: 0.0,
            });
        }
        let (axes, log_volume) = axes(hessian, &centre, level.as_ref());
        let mut posterior = Self {
            objective,
            values: values.to_vec(),
            free,
            centre,
            level,
            least,
            axes,
            log_volume,
            top: 0.0,
            gained: 0.0,
        };
        let coordinates = posterior.coordinates(&Vector::zeros(posterior.free.len()));
        posterior.top = total + posterior.log_prior(&coordinates);
        Some(posterior)
    }

    /// The same around the maximum of the posterior that is nearest uphill: weak priors count there, and where the data say
    /// little of a parameter it lies far from that of the likelihood. Unchanged where there is no such maximum inside the
    /// bounds.
    #[must_use]
    pub fn at_mode(mut self, progress: &dyn Progress) -> Self {
        // in standard deviations the density is nearly a standard normal one, and a few steps suffice
        let start = vec![0.0; self.free.len()];
        let options = Options { gradient_tolerance: AT_MODE, ..Options::default() };
        let found = minimize(&Negative(&self), &start, &options, progress);
        if found.value.is_nan() || -found.value <= self.top {
            return self;
        }
        let values = self.values_at(&found.at);
        let likelihood = |top: f64, z: &[f64]| top - self.log_prior(&self.coordinates(&Vector::from_column_slice(z)));
        let gained = likelihood(-found.value, &found.at) - likelihood(self.top, &start);
        if found.at.iter().any(|z| z.abs() > NEARBY) {
            let Some(curvature) = Curvature::at(&self.objective, &values) else { return self };
            let kept = self.least.map(|(noise, _)| noise).filter(|noise| !self.free.contains(noise));
            let (free, hessian) = without(curvature.hessian(), kept);
            if free != self.free {
                return self;
            }
            (self.axes, self.log_volume) = axes(hessian, &self.centre, self.level.as_ref());
        }
        self.values = values;
        self.gained = gained;
        self.top = -found.value;
        self
    }

    /// The values of all parameters of the model at the centre.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// By how much the likelihood is higher at the centre than at the values for which the posterior was made: the way to the
    /// mode leads downhill unless these were at no maximum.
    pub fn gained(&self) -> f64 {
        self.gained
    }

    /// The number of parameters that are integrated out.
    pub fn dimensions(&self) -> usize {
        self.free.len()
    }

    /// The number of these with the weak prior.
    pub fn weak(&self) -> usize {
        self.centre.iter().flatten().count()
    }

    /// The log evidence by Laplace's method: log p(y, θ) + (p/2) log 2π − ½ log det H (MacKay 1992).
    pub fn laplace(&self) -> f64 {
        self.top + 0.5 * self.free.len() as f64 * LOG_2PI + self.log_volume
    }

    /// log p(y, θ) at the centre.
    pub fn top(&self) -> f64 {
        self.top
    }

    /// The log determinant of the map from `z` to the optimiser's coordinates.
    pub fn log_volume(&self) -> f64 {
        self.log_volume
    }

    /// log p(y, θ) at z, in standard deviations of the normal approximation. `None` where it has none.
    pub fn log_density(&self, z: &[f64]) -> Option<f64> {
        let coordinates = self.coordinates(&Vector::from_column_slice(z));
        let values = self.values_of(&coordinates);
        let total = self.objective.total(&values).filter(|_| self.is_admitted(&values))?;
        Some(total + self.log_prior(&coordinates)).filter(|value| value.is_finite())
    }

    /// A draw from the weak priors given standard normal numbers, as z. A parameter with a prior of its own is drawn around
    /// the mode with the standard deviation `WIDE`.
    pub fn from_prior(&self, standard: &[f64]) -> Vec<f64> {
        let mode = self.coordinates(&Vector::zeros(self.free.len()));
        let drawn = (0..self.free.len()).map(|a| match self.centre[a] {
            Some(centre) => centre + WEAK_PRIOR_SD * standard[a],
            None => mode[a] + WIDE * standard[a],
        });
        let mut drawn: Vec<f64> = drawn.collect();
        if let Some(Level { offset, slopes }) = &self.level {
            drawn[*offset] -= slopes.iter().map(|&(slope, by)| by * drawn[slope]).sum::<f64>();
        }
        let away = Vector::from_iterator(self.free.len(), drawn.iter().zip(&mode).map(|(at, mode)| at - mode));
        self.axes.clone().lu().solve(&away).map_or_else(|| standard.to_vec(), |z| z.iter().copied().collect())
    }

    /// The log density of such a draw at z.
    pub fn log_prior_at(&self, z: &[f64]) -> f64 {
        let mode = self.coordinates(&Vector::zeros(self.free.len()));
        let at = self.levelled(&self.coordinates(&Vector::from_column_slice(z)));
        let one = |(a, centre): (usize, &Option<f64>)| {
            let (centre, sd) = centre.map_or((mode[a], WIDE), |centre| (centre, WEAK_PRIOR_SD));
            -0.5 * ((at[a] - centre) / sd).powi(2) - sd.ln() - 0.5 * LOG_2PI
        };
        self.centre.iter().enumerate().map(one).sum::<f64>() + self.log_volume
    }

    /// The values of all parameters of the model at z.
    pub fn values_at(&self, z: &[f64]) -> Vec<f64> {
        self.values_of(&self.coordinates(&Vector::from_column_slice(z)))
    }

    /// Whether the noise is at least that of the rounding.
    fn is_admitted(&self, values: &[f64]) -> bool {
        self.least.is_none_or(|(noise, least)| values[noise] >= least)
    }

    fn values_of(&self, coordinates: &[f64]) -> Vec<f64> {
        let mut values = self.values.clone();
        for (&i, at) in self.free.iter().zip(coordinates) {
            values[i] = self.objective.problem().parameters()[i].domain.from_real(*at);
        }
        values
    }

    fn coordinates(&self, z: &Vector) -> Vec<f64> {
        let away = &self.axes * z;
        let parameters = self.objective.problem().parameters();
        self.free.iter().zip(away.iter()).map(|(&i, a)| parameters[i].domain.to_real(self.values[i]) + a).collect()
    }

    /// Coordinates with the level of a linear mean in the place of its offset.
    fn levelled(&self, coordinates: &[f64]) -> Vec<f64> {
        let mut levelled = coordinates.to_vec();
        if let Some(Level { offset, slopes }) = &self.level {
            levelled[*offset] += slopes.iter().map(|&(slope, by)| by * coordinates[slope]).sum::<f64>();
        }
        levelled
    }

    fn log_prior(&self, coordinates: &[f64]) -> f64 {
        let one = |(at, centre): (&f64, &Option<f64>)| match centre {
            Some(centre) => -0.5 * ((at - centre) / WEAK_PRIOR_SD).powi(2) - WEAK_PRIOR_SD.ln() - 0.5 * LOG_2PI,
            None => 0.0,
        };
        self.levelled(coordinates).iter().zip(&self.centre).map(one).sum()
    }
}

/// The negative log posterior in standard deviations of the normal approximation.
struct Negative<'a, 'p>(&'a ParameterPosterior<'p>);

impl Objective for Negative<'_, '_> {
    fn dim(&self) -> usize {
        self.0.free.len()
    }

    fn evaluate(&self, z: &[f64], gradient: &mut [f64]) -> f64 {
        let at = self.0.coordinates(&Vector::from_column_slice(z));
        let values = self.0.values_of(&at);
        let here = if self.0.is_admitted(&values) { self.0.objective.at(&values, false) } else { None };
        let Some(here) = here else { return f64::INFINITY };
        let levelled = self.0.levelled(&at);
        let pull = |(at, centre): (&f64, &Option<f64>)| centre.map_or(0.0, |centre| (at - centre) * LEAST_CURVATURE);
        let mut slopes: Vec<f64> = levelled.iter().zip(&self.0.centre).map(pull).collect();
        if let Some(Level { offset, slopes: others }) = &self.0.level {
            let pull = slopes[*offset];
            others.iter().for_each(|&(slope, by)| slopes[slope] += by * pull);
        }
        slopes.iter_mut().zip(&self.0.free).for_each(|(slope, &i)| *slope -= here.slopes[i]);
        let along = self.0.axes.transpose() * Vector::from_vec(slopes);
        gradient.copy_from_slice(along.as_slice());
        -here.total - self.0.log_prior(&at)
    }
}

/// A Hessian and its parameters without one that is kept at its value.
fn without((free, hessian): (&[usize], Matrix), kept: Option<usize>) -> (Vec<usize>, Matrix) {
    match free.iter().position(|&i| Some(i) == kept) {
        Some(at) => {
            let others = free.iter().copied().filter(|&i| Some(i) != kept).collect();
            (others, hessian.remove_row(at).remove_column(at))
        }
        None => (free.to_vec(), hessian),
    }
}

/// VΛ^{−½} of a Hessian with the curvature of the weak priors added, and the log of its determinant.
fn axes(hessian: Matrix, centre: &[Option<f64>], level: Option<&Level>) -> (Matrix, f64) {
    // a missing curvature counts as 0
    let mut eigen = hessian.symmetric_eigen();
    eigen.eigenvalues.apply(|value| *value = value.max(0.0));
    let mut hessian = eigen.recompose();
    // with the level in the place of the offset, which has long levers where the rows are far from 0
    if let Some(Level { offset, slopes }) = level {
        for &(slope, by) in slopes {
            let lever = by * hessian.column(*offset);
            hessian.column_mut(slope).axpy(-1.0, &lever, 1.0);
        }
        for &(slope, by) in slopes {
            let lever = by * hessian.row(*offset);
            hessian.row_mut(slope).zip_apply(&lever, |h, lever| *h -= lever);
        }
    }
    for (a, _) in centre.iter().enumerate().filter(|(_, centre)| centre.is_some()) {
        hessian[(a, a)] += LEAST_CURVATURE;
    }
    let (mut axes, log_volume) = inverse_root(hessian, LEAST_CURVATURE);
    if let Some(Level { offset, slopes }) = level {
        for &(slope, by) in slopes {
            let lever = by * axes.row(slope);
            axes.row_mut(*offset).zip_apply(&lever, |axis, lever| *axis -= lever);
        }
    }
    (axes, log_volume)
}

/// The model without written values of its free parameters: one that was conditioned has the prior of one to fit.
fn with_nothing_written(model: &Model) -> Model {
    let mut bare = Model { kernel: model.kernel.map_params(&mut without_value), ..model.clone() };
    if let ModelLikelihood::Gaussian(Noise::Variance(noise)) = &mut bare.likelihood {
        *noise = without_value(noise);
    }
    match &mut bare.mean {
        Mean::Constant(mean) => *mean = without_value(mean),
        Mean::Linear(params) => params.iter_mut().for_each(|param| *param = without_value(param)),
        Mean::Zero | Mean::Function(_) => {}
    }
    bare
}

fn without_value(param: &Param) -> Param {
    match param.state {
        State::Free(_) if param.prior.is_none() && param.tie.is_none() => Param::default(),
        _ => param.clone(),
    }
}
