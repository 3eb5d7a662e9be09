//! Integrals of a function against a density, from evaluations that are given or chosen one by one.

use std::sync::Arc;

use super::conditioned::{Conditioned, Moments, PriorMean};
use super::density::Density;
use super::distribution::{Belief, Believed};
use super::error::QuadratureError;
use super::estimate::Estimate;
use super::evaluations::Evaluations;
use super::parameters::{Fitted, fitted};
use super::rules::sobol;
use super::warp::Warp;
use crate::kernel::Kernel;
use crate::progress::Progress;

/// How an integral is estimated.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    pub density: Density,
    /// The kernel of the integrand (of g on a warped scale); what is free in it is fitted.
    pub kernel: Kernel,
    /// Noise variance of the evaluations.
    pub noise: f64,
    pub mean: PriorMean,
    pub warp: Warp,
    /// Parameters are integrated out numerically, and not fitted.
    pub integrated: bool,
    pub seed: u64,
}

/// Evaluates the integrand at a point, one number for each input.
pub type Integrand<'f> = dyn FnMut(&[f64]) -> Result<f64, QuadratureError> + 'f;

/// An integral with what is believed of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Integral {
    pub settings: Settings,
    pub evaluations: Evaluations,
    /// The kernel with its fitted values.
    pub kernel: Kernel,
    /// The same with a number for every parameter.
    pub fixed: Kernel,
    pub belief: Belief,
    /// The variance of the integral given the evaluations as a share of that before any, at the fitted parameters; for a
    /// warped scale `None`.
    pub share_left: Option<f64>,
    /// What the numerical integrals of the kernel contribute at most to the mean, and to the standard deviation; 0 for
    /// closed forms.
    pub numerical_error: (f64, f64),
    /// Added to the diagonal of the covariance matrix of the evaluations.
    pub jitter: f64,
    /// The work was stopped before all evaluations were made.
    pub stopped: bool,
}

/// The greatest number of evaluations: beyond, each step factors a matrix for minutes.
pub const MOST_EVALUATIONS: usize = 2000;
/// Points among which the next evaluation is chosen.
const CANDIDATES: usize = 400;

/// Estimates an integral from evaluations as they are.
///
/// # Errors
/// [`QuadratureError`].
pub fn estimate(
    evaluations: Evaluations,
    settings: Settings,
    progress: &dyn Progress,
) -> Result<Integral, QuadratureError> {
    let warped = settings.warp.apply(&evaluations)?;
    let mean = settings.prior_mean();
    let found = fitted(&settings.kernel, settings.noise, mean, &warped, settings.seed, progress)?;
    settings.concluded(evaluations, &warped, found, false)
}

/// Estimates an integral from `n` evaluations of a function, each where it lowers the variance of the integral most; on a
/// warped scale where the integrand, weighted by the density, is least certain. Ends early where half the 95 % interval is
/// at most `tolerance`, or when asked to stop, with what is known then.
///
/// # Errors
/// [`QuadratureError`]; [`QuadratureError::Stopped`] when it was stopped before two evaluations.
pub fn integrate(
    names: Vec<String>,
    function: &mut Integrand<'_>,
    n: usize,
    tolerance: Option<f64>,
    settings: Settings,
    progress: &dyn Progress,
) -> Result<Integral, QuadratureError> {
    continued(Evaluations::none(names), function, n, tolerance, settings, progress)
}

/// The same with evaluations that are there already; `n` counts the new ones.
///
/// # Errors
/// As [`integrate`].
pub fn continued(
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
    // a scramble for every seed
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
    let mut current: Option<Fitted> = None;
    // the integrals of the kernel, which change with its parameters alone
    let (mut embedding, mut at_candidates) = (None, Vec::new());
    let mut refit_at = 0;
    while evaluations.n() < total && !stopped {
        let warped = settings.warp.apply(&evaluations)?;
        let fit = match current.take() {
            Some(fit) if evaluations.n() < refit_at => fit,
            _ => {
                refit_at = (evaluations.n() * 5).div_ceil(4).max(evaluations.n() + 1);
                (embedding, at_candidates) = (None, Vec::new());
                fitted(&settings.kernel, settings.noise, settings.prior_mean(), &warped, settings.seed, progress)?
            }
        };
        let kernel = fit.kernel();
        let conditioned = match embedding.take() {
            None => settings.conditioned(&kernel, &warped)?,
            Some(known) => Conditioned::beside(known, &kernel, settings.noise, settings.prior_mean(), &warped)?,
        };
        embedding = Some(Arc::clone(conditioned.embedding()));
        if let Some(tolerance) = tolerance {
            let belief = settings.belief(&conditioned, &fit, &evaluations)?.0;
            let (lo, hi) = belief.interval(0.95);
            if 0.5 * (hi - lo) <= tolerance {
                current = Some(fit);
                break;
            }
        }
        if settings.warp == Warp::None && at_candidates.is_empty() {
            at_candidates = conditioned.embedding().means(&candidates)?;
        }
        let gains = settings.gains(&conditioned, &candidates, &at_candidates, &evaluations)?;
        let best = gains.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1)).map_or(0, |(i, _)| i);
        let row: Vec<f64> = candidates.iter().map(|column| column[best]).collect();
        if gains[best] <= 0.0 {
            // nothing more to learn to rounding
            current = Some(fit);
            break;
        }
        stopped = !evaluated(&mut evaluations, &row, function, progress)?;
        current = Some(fit);
        progress.report((evaluations.n() + n - total) as f64 / n as f64, &format!("{} evaluations", evaluations.n()));
    }
    let warped = settings.warp.apply(&evaluations)?;
    let last = match current {
        Some(fit) if stopped => fit,
        _ => fitted(&settings.kernel, settings.noise, settings.prior_mean(), &warped, settings.seed, progress)?,
    };
    settings.concluded(evaluations, &warped, last, stopped)
}

/// Adds the value of a function at a point; false when asked to stop before it is known.
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
    /// On a log scale the mean of g is not known: it is integrated out.
    fn prior_mean(&self) -> PriorMean {
        match self.warp {
            Warp::Log => PriorMean::Free,
            Warp::SquareRoot => PriorMean::Given(0.0),
            Warp::None => self.mean,
        }
    }

    fn conditioned(&self, kernel: &Kernel, warped: &Evaluations) -> Result<Conditioned, QuadratureError> {
        Conditioned::new(kernel, self.noise, self.prior_mean(), warped, &self.density)
    }

    /// Points by column: half as the density has them, half wider, as evaluations in the tails hold the function there.
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

    fn gains(
        &self,
        conditioned: &Conditioned,
        candidates: &[Vec<f64>],
        at_candidates: &[Estimate],
        evaluations: &Evaluations,
    ) -> Result<Vec<f64>, QuadratureError> {
        if self.warp == Warp::None {
            return conditioned.reductions(candidates, at_candidates);
        }
        let moments = conditioned.predict(candidates)?;
        let one = |(i, g): (usize, &Moments)| {
            let row: Vec<f64> = candidates.iter().map(|column| column[i]).collect();
            let p = self.density.at(&row);
            self.warp.moments(*g, evaluations).variance * p * p
        };
        Ok(moments.iter().enumerate().map(one).collect())
    }

    /// What is believed at one set of parameters, and the error of numerical integrals in mean and variance.
    fn belief(
        &self,
        conditioned: &Conditioned,
        fit: &Fitted,
        evaluations: &Evaluations,
    ) -> Result<(Belief, (f64, f64)), QuadratureError> {
        if self.warp != Warp::None {
            let (moments, error) = self.warp.integral(conditioned, evaluations, &self.density)?;
            return Ok((Belief::one(moments.mean, moments.variance.sqrt(), None), error));
        }
        let Moments { mean, variance } = conditioned.integral();
        let error = conditioned.numerical_error();
        let belief = match fit.scale_is_free {
            true => {
                let (scale, degrees) = conditioned.scale();
                Belief::one(mean, (scale * variance).sqrt(), Some(degrees))
            }
            false => Belief::one(mean, variance.sqrt(), None),
        };
        Ok((belief, error))
    }

    fn concluded(
        self,
        evaluations: Evaluations,
        warped: &Evaluations,
        fit: Fitted,
        stopped: bool,
    ) -> Result<Integral, QuadratureError> {
        let fixed = fit.kernel();
        let conditioned = self.conditioned(&fixed, warped)?;
        let (mut belief, (of_mean, of_variance)) = self.belief(&conditioned, &fit, &evaluations)?;
        if self.integrated {
            let mut components = Vec::new();
            for set in fit.spread(self.noise, self.prior_mean(), warped, &self.density) {
                let Ok(conditioned) = self.conditioned(&set.kernel, warped) else { continue };
                let (one, _) = self.belief(&conditioned, &fit, &evaluations)?;
                components.extend(one.components().iter().map(|c| Believed { weight: set.weight, ..*c }));
            }
            if !components.is_empty() {
                belief = Belief::new(components);
            }
        }
        let scale = belief.components()[0].scale;
        Ok(Integral {
            share_left: (self.warp == Warp::None)
                .then(|| conditioned.integral().variance / conditioned.prior_variance()),
            kernel: fit.written(),
            fixed,
            // an error of the variance moves its root by half of it over the root
            numerical_error: (of_mean, 0.5 * of_variance / scale),
            jitter: conditioned.jitter(),
            belief,
            evaluations,
            settings: self,
            stopped,
        })
    }
}

impl Integral {
    /// The process at its fitted parameters, for predictions of the integrand (of g on a warped scale).
    ///
    /// # Errors
    /// [`QuadratureError`], never for an integral that was computed.
    pub fn process(&self) -> Result<Conditioned, QuadratureError> {
        let warped = self.settings.warp.apply(&self.evaluations)?;
        self.settings.conditioned(&self.fixed, &warped)
    }

    /// Mean and variance of the integrand at rows given by column.
    ///
    /// # Errors
    /// [`QuadratureError`].
    pub fn predict(&self, x: &[Vec<f64>]) -> Result<Vec<Moments>, QuadratureError> {
        let moments = self.process()?.predict(x)?;
        Ok(moments.into_iter().map(|g| self.settings.warp.moments(g, &self.evaluations)).collect())
    }
}
