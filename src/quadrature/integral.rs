//! Integrals of a function against a density, from evaluations.

use super::conditioned::Conditioned;
use super::density::Density;
use super::distribution::{IntegralPosterior, PosteriorComponent, Shape};
use super::embedding::Embedding;
use super::error::QuadratureError;
use super::evaluations::Evaluations;
use super::parameters::{Fitted, fitted_each};
use super::process::{Moments, PriorMean, Process};
use super::sampled::{Ratio, Sampled};
use super::warp::Warp;
use crate::kernel::Kernel;
use crate::model::refuse_if_wide;
use crate::progress::Progress;

/// Settings of an integral.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    pub density: Density,
    /// Kernels of the integrand (of g on a warped scale); what is free in them is fitted. Of several the result is a mixture,
    /// weighted by their evidence.
    pub kernels: Vec<Kernel>,
    /// Noise variance of the evaluations.
    pub noise: f64,
    pub mean: PriorMean,
    pub warp: Warp,
    /// Whether the parameters are integrated out numerically rather than fitted.
    pub integrated: bool,
    pub seed: u64,
}

/// Evaluates the integrand at a point, with one number per input.
pub type Integrand<'f> = dyn FnMut(&[f64]) -> Result<f64, QuadratureError> + 'f;

/// Evaluates a function and the factor of an unnormalised density at a point.
pub type WeightedIntegrand<'f> = dyn FnMut(&[f64]) -> Result<(f64, f64), QuadratureError> + 'f;

/// A kernel of the integrand as it was fitted.
#[derive(Debug, Clone, PartialEq)]
pub struct FittedKernel {
    /// Its share of the evidence.
    pub weight: f64,
    /// The kernel with its fitted values.
    pub written: Kernel,
    /// The same with a number for every parameter.
    pub fixed: Kernel,
}

/// Why no more evaluations were made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// The evaluations were given.
    Given,
    /// All that were asked for were made.
    AllMade,
    /// The interval was as narrow as asked.
    Precise,
    /// Under the kernel no further evaluation would lower the variance by more than rounding.
    NothingToGain,
    /// The user stopped it.
    Stopped,
}

impl Ended {
    /// All reasons.
    pub const ALL: [Ended; 5] = [Self::Given, Self::AllMade, Self::Precise, Self::NothingToGain, Self::Stopped];

    /// A name for files and members.
    pub fn name(self) -> &'static str {
        match self {
            Self::Given => "given",
            Self::AllMade => "all made",
            Self::Precise => "tolerance reached",
            Self::NothingToGain => "nothing to gain",
            Self::Stopped => "stopped",
        }
    }

    /// The reason with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|ended| ended.name() == name)
    }
}

/// How many evaluations an integral was to have, and why there are no more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Course {
    pub asked: usize,
    pub ended: Ended,
}

/// An integral with its posterior distribution.
#[derive(Debug, Clone, PartialEq)]
pub struct Integral {
    pub settings: Settings,
    /// The values of the integrand; for an expectation, of the function whose expectation it is.
    pub evaluations: Evaluations,
    /// For an expectation: the factor of the density at each point, and the ratio of integrals.
    pub ratio: Option<Ratio>,
    /// The one with the greatest evidence first; there is at least one.
    pub kernels: Vec<FittedKernel>,
    pub posterior: IntegralPosterior,
    /// The variance of the integral given the evaluations as a share of that before any, under the first kernel; for a
    /// warped scale `None`.
    pub share_left: Option<f64>,
    /// What the numerical integrals of the first kernel contribute at most to the mean, and to the standard deviation; 0
    /// for closed forms.
    pub numerical_error: (f64, f64),
    /// The jitter on the diagonal of the covariance matrix of the evaluations.
    pub jitter: f64,
    /// The largest difference between an evaluation and the process at that point, which the interval counts as error:
    /// more than rounding where the kernel has no functions through all evaluations.
    pub misfit: f64,
    pub course: Course,
}

/// Where evaluations differ from the process by more than this share of the largest, no function of the kernel is the
/// integrand.
const REFUTED: f64 = 1e-3;
/// The largest number of evaluations that are chosen. With more, each step would factor a matrix for many seconds.
pub const MOST_EVALUATIONS: usize = 2000;
/// The largest number of evaluations that are given. With more, their covariance matrix is factored for minutes.
pub const MOST_GIVEN: usize = 4000;

/// Estimates an integral from evaluations as they are; with the factor of a density at each point, an expectation.
///
/// # Errors
/// [`QuadratureError`].
pub fn estimate(
    evaluations: Evaluations,
    factor: Option<Vec<f64>>,
    settings: Settings,
    progress: &dyn Progress,
) -> Result<Integral, QuadratureError> {
    let given = evaluations.n();
    if given > MOST_GIVEN {
        return Err(QuadratureError::TooManyGiven { given, most: MOST_GIVEN });
    }
    refuse_if_wide(given, given)?;
    let course = Course { asked: given, ended: Ended::Given };
    let mut sampled = Sampled::new(evaluations, factor)?;
    let fits = settings.fitted(&mut sampled, progress)?;
    settings.concluded(sampled, fits, course)
}

impl Settings {
    /// On a log scale the mean of g is not known: it is integrated out.
    pub(super) fn prior_mean(&self) -> PriorMean {
        match self.warp {
            Warp::Log => PriorMean::Free,
            Warp::SquareRoot => PriorMean::Given(0.0),
            Warp::None => self.mean,
        }
    }

    /// Every kernel with the values that the evaluations ask for, and its share of the evidence. For an expectation the first
    /// fit is to the factor, which gives a first ratio.
    pub(super) fn fitted(
        &self,
        sampled: &mut Sampled,
        progress: &dyn Progress,
    ) -> Result<Vec<(f64, Fitted)>, QuadratureError> {
        let to = |values: &Evaluations| {
            fitted_each(&self.kernels, (self.noise, self.prior_mean()), values, self.seed, progress)
        };
        sampled.check_size(self.warp)?;
        if sampled.has_no_mass() {
            return Err(QuadratureError::NoMass(sampled.evaluations.n()));
        }
        if let Some(factor) = sampled.unsettled() {
            let fits = to(&factor)?;
            let kernel = fits[0].1.kernel();
            let embedding = Embedding::new(&kernel, factor.names(), &self.density)?;
            sampled.settle(&kernel, &embedding, self.prior_mean())?;
        }
        to(&sampled.fitted_to(self.warp)?)
    }

    pub(super) fn process(&self, kernel: &Kernel, warped: &Evaluations) -> Result<Process, QuadratureError> {
        Process::new(kernel, self.noise, self.prior_mean(), warped)
    }

    /// The integral of the process; on a warped scale it is not that of the integrand, and `None`.
    pub(super) fn conditioned(
        &self,
        kernel: &Kernel,
        embedding: &Embedding,
        warped: &Evaluations,
    ) -> Result<Option<Conditioned>, QuadratureError> {
        let made = || Conditioned::new(kernel, (self.noise, self.prior_mean()), embedding, warped);
        (self.warp == Warp::None).then(made).transpose()
    }

    /// The posterior under one kernel with numbers for all parameters, and how it was found.
    fn posterior(&self, kernel: &Kernel, scale_is_free: bool, sampled: &Sampled) -> Result<Found, QuadratureError> {
        if let Some(constant) = sampled.constant().filter(|_| scale_is_free && self.mean != PriorMean::Free) {
            return self.of_constant(kernel, constant, sampled);
        }
        let mut sampled = sampled.clone();
        let embedding = Embedding::new(kernel, sampled.evaluations.names(), &self.density)?;
        sampled.settle(kernel, &embedding, self.prior_mean())?;
        let modelled = sampled.modelled(self.warp)?;
        let Some(conditioned) = self.conditioned(kernel, &embedding, &modelled)? else {
            let process = self.process(kernel, &modelled)?;
            let jitter = process.jitter();
            let (moments, error) = self.warp.integral(&process, &sampled.evaluations, &self.density)?;
            let misfit = self.warp.change(process.misfit(), moments.mean);
            let scale = (moments.variance + error.1).sqrt().hypot(error.0).hypot(misfit);
            let one = PosteriorComponent { mean: moments.mean, scale, shape: Shape::LogNormal, weight: 1.0 };
            return Ok(Found { one, error, share_left: None, jitter, misfit: 0.0, ratio: None });
        };
        let process = conditioned.process();
        let Moments { mean, variance } = conditioned.integral();
        let mut error = conditioned.numerical_error();
        // what numerical integrals leave open is part of the uncertainty
        let variance = variance + error.1;
        let (scale, shape) = match scale_is_free {
            true => {
                let (scale, degrees) = process.scale();
                ((scale * variance).sqrt(), Shape::StudentT { degrees })
            }
            false => (variance.sqrt(), Shape::Normal),
        };
        let errors = [error.0, conditioned.rounding(), conditioned.jitter_error(), process.misfit()];
        let beside = errors.iter().fold(0.0f64, |sum, error| sum.hypot(*error));
        let mut one = PosteriorComponent { weight: 1.0, mean, scale: scale.hypot(beside), shape };
        if let Some(ratio) = &sampled.ratio {
            let n = sampled.evaluations.n();
            let below = ratio.normaliser / ratio.unit();
            if below.is_nan() || below <= 0.0 {
                return Err(QuadratureError::NoNormaliser { found: ratio.normaliser, n });
            }
            let rounding = f64::EPSILON * n as f64 * ratio.expectation.abs();
            let quantile = one.unit_quantile(0.975);
            // an expectation lies among the values of the function
            let far = |f: &f64| (f - ratio.expectation).abs();
            let farthest = sampled.evaluations.y().iter().map(far).fold(0.0, f64::max);
            let scale = match scale_is_free {
                true => {
                    match conditioned.ratio_error((&ratio.in_units(), sampled.unseen()), (below, variance), quantile) {
                        Some(half) => (half / quantile).hypot(beside / below).min(farthest / quantile),
                        None => farthest / quantile,
                    }
                }
                false => one.scale / below,
            };
            one.mean = ratio.expectation;
            one.scale = scale.max(rounding);
            error = (error.0 / below, error.1 / (below * below));
        }
        Ok(Found {
            one,
            // where there are numerical integrals, rounding counts with their error
            error: if error.0 > 0.0 { (error.0 + conditioned.rounding(), error.1) } else { error },
            share_left: Some(conditioned.share_left()),
            jitter: process.jitter(),
            misfit: process.misfit(),
            ratio: sampled.ratio.clone(),
        })
    }

    /// The posterior where all values are one number. The likelihood then grows with the length-scales without end, and the
    /// mean of the process tends to this number everywhere: so it is the mean of the integral. Its uncertainty is that under
    /// the kernel, which is not fitted.
    fn of_constant(&self, kernel: &Kernel, constant: f64, sampled: &Sampled) -> Result<Found, QuadratureError> {
        let embedding = Embedding::new(kernel, sampled.evaluations.names(), &self.density)?;
        let noise = (self.noise, PriorMean::Given(if self.warp == Warp::None { self.prior_value() } else { 0.0 }));
        let conditioned = Conditioned::new(kernel, noise, &embedding, &sampled.evaluations)?;
        let (scale, degrees) = conditioned.process().scale();
        let error = conditioned.numerical_error();
        let scale = (scale * (conditioned.integral().variance + error.1)).sqrt();
        let shape = match self.warp {
            Warp::None => Shape::StudentT { degrees },
            // without a scale it is a point
            Warp::SquareRoot | Warp::Log if scale > 0.0 => Shape::LogNormal,
            Warp::SquareRoot | Warp::Log => Shape::Normal,
        };
        let share_left = (self.warp == Warp::None).then(|| conditioned.share_left());
        let one = PosteriorComponent { weight: 1.0, mean: constant, scale, shape };
        let jitter = conditioned.process().jitter();
        Ok(Found { one, error: (0.0, error.1), share_left, jitter, misfit: 0.0, ratio: None })
    }

    fn prior_value(&self) -> f64 {
        match self.mean {
            PriorMean::Given(mean) => mean,
            PriorMean::Free => 0.0,
        }
    }

    /// The mixture of the posteriors under each kernel, and how the first was found.
    fn mixture(
        &self,
        fits: &[(f64, Fitted)],
        sampled: &Sampled,
    ) -> Result<(IntegralPosterior, Found), QuadratureError> {
        let mut first = None;
        let mut components = Vec::new();
        for (weight, fit) in fits {
            let found = self.posterior(&fit.kernel(), fit.scale_is_free, sampled)?;
            components.push(PosteriorComponent { weight: *weight, ..found.one });
            first.get_or_insert(found);
        }
        let first = first.ok_or(QuadratureError::NoPoints)?;
        Ok((IntegralPosterior::new(components), first))
    }

    /// Whether half the 95 % interval is at most so wide.
    pub(super) fn is_known_to(&self, tolerance: f64, fits: &[(f64, Fitted)], sampled: &Sampled) -> bool {
        self.mixture(fits, sampled).is_ok_and(|(posterior, _)| {
            let (lo, hi) = posterior.interval(0.95);
            0.5 * (hi - lo) <= tolerance
        })
    }

    pub(super) fn concluded(
        self,
        mut sampled: Sampled,
        fits: Vec<(f64, Fitted)>,
        course: Course,
    ) -> Result<Integral, QuadratureError> {
        let n = sampled.evaluations.n();
        let (mut posterior, first) = self.mixture(&fits, &sampled)?;
        sampled.ratio.clone_from(&first.ratio);
        let size = sampled.modelled(self.warp)?.y().iter().fold(0.0f64, |size, y| size.max(y.abs()));
        if first.misfit > REFUTED * size {
            if let Some((rows, values)) = sampled.evaluations.contradiction() {
                let at = sampled.evaluations.place(&sampled.evaluations.row(rows.0));
                return Err(QuadratureError::TwoValues { rows, values, at });
            }
            let kernel = fits[0].1.written().to_string();
            return Err(QuadratureError::Refuted { kernel, misfit: first.misfit, size });
        }
        if self.integrated && sampled.constant().is_none() {
            let modelled = sampled.modelled(self.warp)?;
            let mut components = Vec::new();
            for (weight, fit) in &fits {
                let sets = fit.spread(self.noise, self.prior_mean(), &modelled);
                let total: f64 = sets.iter().map(|set| set.weight).sum();
                for set in sets {
                    let Ok(found) = self.posterior(&set.kernel, fit.scale_is_free, &sampled) else { continue };
                    components.push(PosteriorComponent { weight: weight * set.weight / total, ..found.one });
                }
            }
            if !components.is_empty() {
                posterior = IntegralPosterior::new(components);
            }
        }
        if !posterior.mean().is_finite() || posterior.components().iter().any(|one| !one.scale.is_finite()) {
            return Err(QuadratureError::NotDetermined { kernel: fits[0].1.written().to_string(), n });
        }
        let kernels = fits
            .iter()
            .map(|(weight, fit)| FittedKernel { weight: *weight, written: fit.written(), fixed: fit.kernel() })
            .collect();
        Ok(Integral {
            share_left: first.share_left,
            kernels,
            // an error of the variance moves its root by half of it over the root
            numerical_error: (
                first.error.0,
                if first.error.1 > 0.0 { 0.5 * first.error.1 / first.one.scale } else { 0.0 },
            ),
            jitter: first.jitter,
            posterior,
            ratio: first.ratio,
            evaluations: sampled.evaluations,
            settings: self,
            misfit: first.misfit,
            course,
        })
    }
}

/// The posterior under one kernel.
struct Found {
    one: PosteriorComponent,
    /// Of numerical integrals, in mean and variance.
    error: (f64, f64),
    share_left: Option<f64>,
    jitter: f64,
    misfit: f64,
    ratio: Option<Ratio>,
}

impl Integral {
    /// An integral from its evaluations and kernels, with their shares of the evidence, that have their fitted values: nothing is fitted.
    ///
    /// # Errors
    /// [`QuadratureError`].
    pub fn restored(
        evaluations: Evaluations,
        ratio: Option<Ratio>,
        kernels: &[(f64, Kernel)],
        settings: Settings,
        course: Course,
    ) -> Result<Self, QuadratureError> {
        let (density, points) = (settings.density.inputs(), evaluations.names().len());
        if density != points {
            return Err(QuadratureError::Inputs { density, points });
        }
        let mut sampled = Sampled::new(evaluations, ratio.as_ref().map(|ratio| ratio.factor.clone()))?;
        sampled.ratio = ratio;
        let to = sampled.fitted_to(settings.warp)?;
        let given = |(weight, kernel): &(f64, Kernel)| Ok((*weight, Fitted::given(kernel, settings.noise, &to)?));
        let fits = kernels.iter().map(given).collect::<Result<Vec<_>, QuadratureError>>()?;
        settings.concluded(sampled, fits, course)
    }

    /// Whether the evaluations leave the size of the integrand open: all are equal to its prior mean, and the kernel has a
    /// free variance. The standard deviation is then 0, and says nothing.
    pub fn has_no_scale(&self) -> bool {
        self.posterior.components().iter().all(|one| one.scale == 0.0)
    }

    /// The value of an integrand that was found to be the same everywhere, where the mean of the integral is that value.
    pub fn constant(&self) -> Option<f64> {
        self.sampled().constant().filter(|value| self.posterior.mean() == *value)
    }

    /// The kernel of the greatest evidence.
    pub fn kernel(&self) -> &Kernel {
        &self.kernels[0].written
    }

    /// The integrand as the process stands for it, scale apart: the values of the integrand, or (f − E) ℓ.
    ///
    /// # Errors
    /// [`QuadratureError`].
    pub fn integrand_values(&self) -> Result<Vec<f64>, QuadratureError> {
        match self.sampled() {
            sampled if sampled.ratio.is_some() => {
                Ok(sampled.modelled(Warp::None)?.y().iter().map(|y| y * self.unit()).collect())
            }
            sampled => Ok(sampled.evaluations.y().to_vec()),
        }
    }

    /// What the values of the process are multiplied by.
    fn unit(&self) -> f64 {
        self.ratio.as_ref().map_or(1.0, Ratio::unit)
    }

    fn sampled(&self) -> Sampled {
        Sampled { evaluations: self.evaluations.clone(), ratio: self.ratio.clone() }
    }

    /// Mean and variance of the integrand (of (f − E) ℓ for an expectation) at rows given by column, under the kernel of the
    /// greatest evidence.
    ///
    /// # Errors
    /// [`QuadratureError`].
    pub fn predict(&self, x: &[Vec<f64>]) -> Result<Vec<Moments>, QuadratureError> {
        let (warp, unit) = (self.settings.warp, self.unit());
        let in_units = |Moments { mean, variance }| Moments { mean: mean * unit, variance: variance * unit * unit };
        Ok(self.scaled(x)?.into_iter().map(|g| in_units(warp.moments(g, &self.evaluations))).collect())
    }

    /// At rows given by column, the integrand at the mean of the process and at this number of standard deviations below and
    /// above it, in ascending order of the ends: lower end, middle, upper end. On a warped scale all are at least 0.
    ///
    /// # Errors
    /// [`QuadratureError`].
    pub fn band(&self, x: &[Vec<f64>], deviations: f64) -> Result<Vec<[f64; 3]>, QuadratureError> {
        let (warp, unit) = (self.settings.warp, self.unit());
        let band = |g| warp.band(g, deviations, &self.evaluations).map(|value| value * unit);
        Ok(self.scaled(x)?.into_iter().map(band).collect())
    }

    /// Mean and variance of the process.
    fn scaled(&self, x: &[Vec<f64>]) -> Result<Vec<Moments>, QuadratureError> {
        let (settings, kernel) = (&self.settings, &self.kernels[0].fixed);
        let modelled = self.sampled().modelled(settings.warp)?;
        let process = settings.process(kernel, &modelled)?;
        if self.jitter > process.jitter() {
            // that of the integral
            let least = self.jitter / process.size();
            let noise = (settings.noise, settings.prior_mean());
            return Process::with_jitter(kernel, noise, &modelled, least)?.predict(x);
        }
        process.predict(x)
    }
}
