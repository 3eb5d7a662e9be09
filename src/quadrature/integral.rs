//! Integrals of a function against a density, from evaluations.

use super::conditioned::Conditioned;
use super::density::Density;
use super::distribution::{IntegralPosterior, PosteriorComponent};
use super::embedding::Embedding;
use super::error::QuadratureError;
use super::evaluations::Evaluations;
use super::parameters::{Fitted, fitted_each};
use super::process::{Moments, PriorMean, Process};
use super::sampled::{Ratio, Sampled};
use super::warp::Warp;
use crate::kernel::Kernel;
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
/// The largest number of evaluations. With more, each step would factor a matrix for minutes.
pub const MOST_EVALUATIONS: usize = 2000;

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
    let course = Course { asked: evaluations.n(), ended: Ended::Given };
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
    pub(super) fn conditioned<'p>(
        &self,
        process: &'p Process,
        embedding: &Embedding,
        warped: &Evaluations,
    ) -> Result<Option<Conditioned<'p>>, QuadratureError> {
        (self.warp == Warp::None).then(|| Conditioned::new(process, embedding, warped)).transpose()
    }

    /// The posterior under one kernel with numbers for all parameters, and how it was found.
    fn posterior(&self, kernel: &Kernel, scale_is_free: bool, sampled: &Sampled) -> Result<Found, QuadratureError> {
        let mut sampled = sampled.clone();
        let embedding = Embedding::new(kernel, sampled.evaluations.names(), &self.density)?;
        sampled.settle(kernel, &embedding, self.prior_mean())?;
        let modelled = sampled.modelled(self.warp)?;
        let process = self.process(kernel, &modelled)?;
        let jitter = process.jitter();
        let Some(conditioned) = self.conditioned(&process, &embedding, &modelled)? else {
            let (moments, error) = self.warp.integral(&process, &sampled.evaluations, &self.density)?;
            let misfit = self.warp.change(process.misfit(), moments.mean);
            let scale = (moments.variance + error.1).sqrt().hypot(error.0).hypot(misfit);
            let one = PosteriorComponent { weight: 1.0, mean: moments.mean, scale, degrees: None };
            return Ok(Found { one, error, share_left: None, jitter, misfit: 0.0, ratio: None });
        };
        let Moments { mean, variance } = conditioned.integral();
        let mut error = conditioned.numerical_error();
        // what numerical integrals leave open is part of the uncertainty
        let variance = variance + error.1;
        let (scale, degrees) = match scale_is_free {
            true => {
                let (scale, degrees) = process.scale();
                ((scale * variance).sqrt(), Some(degrees))
            }
            false => (variance.sqrt(), None),
        };
        let scale = scale.hypot(error.0).hypot(conditioned.jitter_error()).hypot(process.misfit());
        let mut one = PosteriorComponent { weight: 1.0, mean, scale, degrees };
        if let Some(ratio) = &sampled.ratio {
            let n = sampled.evaluations.n();
            let below = ratio.normaliser;
            if below.is_nan() || below <= 0.0 {
                return Err(QuadratureError::NoNormaliser { found: below, n });
            }
            let rounding = f64::EPSILON * n as f64 * ratio.expectation.abs();
            one.mean = ratio.expectation;
            one.scale = (scale / below).max(rounding);
            error = (error.0 / below, error.1 / (below * below));
        }
        Ok(Found {
            one,
            error,
            share_left: Some(conditioned.share_left()),
            jitter,
            misfit: process.misfit(),
            ratio: sampled.ratio.clone(),
        })
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
            let kernel = fits[0].1.written().to_string();
            return Err(QuadratureError::Refuted { kernel, misfit: first.misfit, size });
        }
        if self.integrated {
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
            sampled if sampled.ratio.is_some() => Ok(sampled.modelled(Warp::None)?.y().to_vec()),
            sampled => Ok(sampled.evaluations.y().to_vec()),
        }
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
        let modelled = self.sampled().modelled(self.settings.warp)?;
        let process = self.settings.process(&self.kernels[0].fixed, &modelled)?;
        Ok(process.predict(x)?.into_iter().map(|g| self.settings.warp.moments(g, &self.evaluations)).collect())
    }
}
