//! Integrals of a function against a density, from given or sequentially chosen evaluations.

use super::conditioned::Conditioned;
use super::density::Density;
use super::distribution::{Belief, Believed};
use super::embedding::Embedding;
use super::error::QuadratureError;
use super::estimate::Estimate;
use super::evaluations::Evaluations;
use super::parameters::{Fitted, fitted};
use super::process::{Moments, PriorMean, Process};
use super::rules::sobol;
use super::warp::Warp;
use crate::kernel::Kernel;
use crate::progress::Progress;

/// Settings of an integral.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    pub density: Density,
    /// The kernel of the integrand, or of g on a warped scale. Its free parameters are fitted.
    pub kernel: Kernel,
    /// The noise variance of the evaluations.
    pub noise: f64,
    pub mean: PriorMean,
    pub warp: Warp,
    /// Whether the parameters are integrated out numerically rather than fitted.
    pub integrated: bool,
    pub seed: u64,
}

/// Evaluates the integrand at a point, with one number per input.
pub type Integrand<'f> = dyn FnMut(&[f64]) -> Result<f64, QuadratureError> + 'f;

/// An integral with its posterior.
#[derive(Debug, Clone, PartialEq)]
pub struct Integral {
    pub settings: Settings,
    pub evaluations: Evaluations,
    /// The kernel with its fitted values.
    pub kernel: Kernel,
    /// The kernel with a value for every parameter.
    pub fixed: Kernel,
    pub belief: Belief,
    /// The posterior variance of the integral divided by its prior variance, at the fitted parameters; `None` on a
    /// warped scale.
    pub share_left: Option<f64>,
    /// Bounds on the contributions of numerical integrals of the kernel to the mean and to the standard deviation; 0
    /// for closed forms.
    pub numerical_error: (f64, f64),
    /// The jitter on the diagonal of the covariance matrix of the evaluations.
    pub jitter: f64,
    /// Whether the user stopped it before the last evaluation.
    pub stopped: bool,
}

/// The largest number of evaluations. With more, each step would factor a matrix for minutes.
pub const MOST_EVALUATIONS: usize = 2000;
/// The number of candidates for the next evaluation.
const CANDIDATES: usize = 400;

/// Estimates an integral from given evaluations.
///
/// # Errors
/// [`QuadratureError`].
pub fn estimate(
    evaluations: Evaluations,
    settings: Settings,
    progress: &dyn Progress,
) -> Result<Integral, QuadratureError> {
    let warped = settings.warp.apply(&evaluations)?;
    let found = settings.fitted(&warped, progress)?;
    settings.concluded(evaluations, &warped, found, false)
}

/// Estimates an integral from given evaluations and `n` further evaluations of a function. Each is made where it
/// reduces the variance of the integral most, or on a warped scale where the integrand times the density is most
/// uncertain. Ends early if half of the 95 % interval is at most `tolerance`, or when the user stops it, with the
/// evaluations so far.
///
/// # Errors
/// [`QuadratureError`]; [`QuadratureError::Stopped`] if it was stopped before two evaluations.
pub fn integrate(
    mut evaluations: Evaluations,
    function: &mut Integrand<'_>,
    n: usize,
    tolerance: Option<f64>,
    settings: Settings,
    progress: &dyn Progress,
) -> Result<Integral, QuadratureError> {
    let d = settings.density.inputs();
    let total = evaluations.n() + n;
    if total > MOST_EVALUATIONS {
        return Err(QuadratureError::TooMany { asked: total, most: MOST_EVALUATIONS });
    }
    let first = (2 * d + 1).max(3).min(total);
    let mut asked = 0;
    // a different scramble for every seed
    let seed = settings.seed as u32 ^ (settings.seed >> 32) as u32;
    let mut stopped = false;
    while evaluations.n() < first && !stopped {
        let row = settings.density.place(&sobol(asked, d + 1, seed));
        asked += 1;
        stopped = !evaluated(&mut evaluations, &row, function, progress)?;
    }
    if evaluations.n() < 2.min(total) {
        return Err(QuadratureError::Stopped);
    }
    let candidates = settings.candidates(seed);
    let mut current: Option<Current> = None;
    let mut refit_at = 0;
    while evaluations.n() < total && !stopped {
        let warped = settings.warp.apply(&evaluations)?;
        if evaluations.n() >= refit_at {
            refit_at = (evaluations.n() * 5).div_ceil(4).max(evaluations.n() + 1);
            current = None;
        }
        let now = match &mut current {
            Some(now) => now,
            None => current.insert(Current::new(&settings, &warped, progress)?),
        };
        let process = settings.process(&now.kernel, &warped)?;
        let conditioned = settings.conditioned(&process, &now.embedding, &warped)?;
        if let Some(tolerance) = tolerance {
            let belief = settings.belief(&process, conditioned.as_ref(), &now.fit, &evaluations)?.0;
            let (lo, hi) = belief.interval(0.95);
            if 0.5 * (hi - lo) <= tolerance {
                break;
            }
        }
        let gains = match &conditioned {
            Some(conditioned) => conditioned.reductions(&candidates, now.at_candidates(&candidates)?)?,
            None => settings.uncertainties(&process, &candidates, &evaluations)?,
        };
        let best = gains.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1)).map_or(0, |(i, _)| i);
        if gains[best] <= 0.0 {
            // further evaluations would change only rounding
            break;
        }
        let row: Vec<f64> = candidates.iter().map(|column| column[best]).collect();
        stopped = !evaluated(&mut evaluations, &row, function, progress)?;
        progress.report((evaluations.n() + n - total) as f64 / n as f64, &format!("{} evaluations", evaluations.n()));
    }
    let warped = settings.warp.apply(&evaluations)?;
    let last = match current {
        Some(now) if stopped || now.fitted_to == evaluations.n() => now.fit,
        _ => settings.fitted(&warped, progress)?,
    };
    settings.concluded(evaluations, &warped, last, stopped)
}

/// The state that is reused between evaluations until the parameters are fitted again.
struct Current {
    fit: Fitted,
    /// The number of evaluations to which it was fitted.
    fitted_to: usize,
    kernel: Kernel,
    embedding: Embedding,
    /// The integrals of the kernel at the candidates, once they are needed.
    at_candidates: Option<Vec<Estimate>>,
}

impl Current {
    fn new(settings: &Settings, warped: &Evaluations, progress: &dyn Progress) -> Result<Self, QuadratureError> {
        let fit = settings.fitted(warped, progress)?;
        let kernel = fit.kernel();
        let embedding = Embedding::new(&kernel, warped.names(), &settings.density)?;
        Ok(Self { fit, fitted_to: warped.n(), kernel, embedding, at_candidates: None })
    }

    fn at_candidates(&mut self, candidates: &[Vec<f64>]) -> Result<&[Estimate], QuadratureError> {
        match &mut self.at_candidates {
            Some(known) => Ok(known),
            unknown => Ok(unknown.insert(self.embedding.means(candidates)?)),
        }
    }
}

/// Adds the value of a function at a point. Returns `false` if the user stopped it before the value was known.
fn evaluated(
    evaluations: &mut Evaluations,
    row: &[f64],
    function: &mut Integrand<'_>,
    progress: &dyn Progress,
) -> Result<bool, QuadratureError> {
    if progress.stop() {
        return Ok(false);
    }
    match function(row) {
        Ok(value) => evaluations.push(row, value).map(|()| true),
        Err(QuadratureError::Stopped) => Ok(false),
        Err(error) => Err(error),
    }
}

impl Settings {
    /// On a log scale the mean of g is unknown: it is integrated out.
    fn prior_mean(&self) -> PriorMean {
        match self.warp {
            Warp::Log => PriorMean::Free,
            Warp::SquareRoot => PriorMean::Given(0.0),
            Warp::None => self.mean,
        }
    }

    fn fitted(&self, warped: &Evaluations, progress: &dyn Progress) -> Result<Fitted, QuadratureError> {
        fitted(&self.kernel, self.noise, self.prior_mean(), warped, self.seed, progress)
    }

    fn process(&self, kernel: &Kernel, warped: &Evaluations) -> Result<Process, QuadratureError> {
        Process::new(kernel, self.noise, self.prior_mean(), warped)
    }

    /// The integral of the process. `None` on a warped scale, where it is not that of the integrand.
    fn conditioned<'p>(
        &self,
        process: &'p Process,
        embedding: &Embedding,
        warped: &Evaluations,
    ) -> Result<Option<Conditioned<'p>>, QuadratureError> {
        (self.warp == Warp::None).then(|| Conditioned::new(process, embedding, warped)).transpose()
    }

    /// Points by columns: half are quantiles of the density, half of a wider one, because evaluations in the tails
    /// constrain the function there.
    fn candidates(&self, seed: u32) -> Vec<Vec<f64>> {
        let d = self.density.inputs();
        let mut columns = vec![Vec::with_capacity(CANDIDATES); d];
        for i in 0..CANDIDATES {
            let mut row = self.density.place(&sobol(i, d + 1, seed.wrapping_add(1)));
            if i % 2 == 1 {
                for (j, x) in row.iter_mut().enumerate() {
                    let (mean, _) = self.density.moments(j);
                    let (lo, hi) = self.density.range(j);
                    *x = (mean + 1.5 * (*x - mean)).clamp(lo, hi);
                }
            }
            columns.iter_mut().zip(row).for_each(|(column, x)| column.push(x));
        }
        columns
    }

    /// The uncertainty of the integrand at each candidate: its variance times the squared density.
    fn uncertainties(
        &self,
        process: &Process,
        candidates: &[Vec<f64>],
        evaluations: &Evaluations,
    ) -> Result<Vec<f64>, QuadratureError> {
        let moments = process.predict(candidates)?;
        let one = |(i, g): (usize, &Moments)| {
            let row: Vec<f64> = candidates.iter().map(|column| column[i]).collect();
            let p = self.density.at(&row);
            self.warp.moments(*g, evaluations).variance * p * p
        };
        Ok(moments.iter().enumerate().map(one).collect())
    }

    /// The posterior at one set of parameters, and the errors of numerical integrals in mean and variance.
    fn belief(
        &self,
        process: &Process,
        conditioned: Option<&Conditioned<'_>>,
        fit: &Fitted,
        evaluations: &Evaluations,
    ) -> Result<(Belief, (f64, f64)), QuadratureError> {
        let Some(conditioned) = conditioned else {
            let (moments, error) = self.warp.integral(process, evaluations, &self.density)?;
            return Ok((Belief::one(moments.mean, moments.variance.sqrt(), None), error));
        };
        let Moments { mean, variance } = conditioned.integral();
        let belief = match fit.scale_is_free {
            true => {
                let (scale, degrees) = process.scale();
                Belief::one(mean, (scale * variance).sqrt(), Some(degrees))
            }
            false => Belief::one(mean, variance.sqrt(), None),
        };
        Ok((belief, conditioned.numerical_error()))
    }

    fn concluded(
        self,
        evaluations: Evaluations,
        warped: &Evaluations,
        fit: Fitted,
        stopped: bool,
    ) -> Result<Integral, QuadratureError> {
        let fixed = fit.kernel();
        let embedding = Embedding::new(&fixed, warped.names(), &self.density)?;
        let process = self.process(&fixed, warped)?;
        let conditioned = self.conditioned(&process, &embedding, warped)?;
        let (mut belief, (of_mean, of_variance)) = self.belief(&process, conditioned.as_ref(), &fit, &evaluations)?;
        if self.integrated {
            let mut components = Vec::new();
            for set in fit.spread(self.noise, self.prior_mean(), warped) {
                let embedding = Embedding::new(&set.kernel, warped.names(), &self.density);
                let conditioned = embedding.and_then(|known| self.conditioned(&set.process, &known, warped));
                let Ok(conditioned) = conditioned else { continue };
                let (one, _) = self.belief(&set.process, conditioned.as_ref(), &fit, &evaluations)?;
                components.extend(one.components().iter().map(|c| Believed { weight: set.weight, ..*c }));
            }
            if !components.is_empty() {
                belief = Belief::new(components);
            }
        }
        let scale = belief.components()[0].scale;
        Ok(Integral {
            share_left: conditioned.map(|one| one.integral().variance / one.prior_variance()),
            kernel: fit.written(),
            fixed,
            // an error of the variance divided by twice the standard deviation is that of the standard deviation
            numerical_error: (of_mean, 0.5 * of_variance / scale),
            jitter: process.jitter(),
            belief,
            evaluations,
            settings: self,
            stopped,
        })
    }
}

impl Integral {
    /// An integral from its evaluations and a kernel with fitted values, without fitting.
    ///
    /// # Errors
    /// [`QuadratureError`].
    pub fn restored(
        evaluations: Evaluations,
        kernel: &Kernel,
        settings: Settings,
        stopped: bool,
    ) -> Result<Self, QuadratureError> {
        let (density, points) = (settings.density.inputs(), evaluations.names().len());
        if density != points {
            return Err(QuadratureError::Inputs { density, points });
        }
        let warped = settings.warp.apply(&evaluations)?;
        let fit = Fitted::given(kernel, settings.noise, &warped)?;
        settings.concluded(evaluations, &warped, fit, stopped)
    }

    /// Mean and variance of the integrand at rows given by columns.
    ///
    /// # Errors
    /// [`QuadratureError`].
    pub fn predict(&self, x: &[Vec<f64>]) -> Result<Vec<Moments>, QuadratureError> {
        let warped = self.settings.warp.apply(&self.evaluations)?;
        let moments = self.settings.process(&self.fixed, &warped)?.predict(x)?;
        Ok(moments.into_iter().map(|g| self.settings.warp.moments(g, &self.evaluations)).collect())
    }
}
