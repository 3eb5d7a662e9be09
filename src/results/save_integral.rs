//! An integral as a file: the source forms of the integrand, the density and the kernel, and the evaluations.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::save::{SaveError, read_json};
use crate::kernel::Kernel;
use crate::quadrature::{
    Course, Density, Ended, Evaluations, Integral, MOST_GIVEN, PriorMean, QuadratureError, Ratio, Settings, Warp,
};

/// The contents of the file.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct SavedIntegral {
    /// The version of the program that wrote it.
    pub mercer: String,
    /// The integrand; `None` if it is known only by its evaluations.
    pub integrand: Option<String>,
    /// The factor of the density, for an expectation.
    pub under: Option<String>,
    pub density: String,
    /// As they were asked for.
    pub kernels: Vec<String>,
    /// With their fitted values.
    pub fitted_kernels: Vec<String>,
    /// The share of the evidence of each.
    pub weights: Vec<f64>,
    pub inputs: Vec<String>,
    /// The evaluated points, by inputs.
    pub at: Vec<Vec<f64>>,
    pub values: Vec<f64>,
    /// For an expectation: the factor at each point, and the ratio that it makes.
    pub factor: Option<Vec<f64>>,
    pub expectation: Option<f64>,
    pub noise: f64,
    /// The prior mean of the integrand; `None` for a free constant.
    pub prior_mean: Option<f64>,
    pub scale: String,
    /// Whether the parameters of the kernel are integrated out.
    pub integrated: bool,
    pub seed: u64,
    pub stopped: bool,
    /// How many evaluations it was to have, and why there are no more; `None` in files of earlier versions.
    #[serde(default)]
    pub asked: Option<usize>,
    #[serde(default)]
    pub ended: Option<String>,
    /// The mean of the integral, compared after reading.
    pub integral: f64,
}

impl SavedIntegral {
    /// What is kept of an integral, and the texts of its integrand and of the factor.
    pub fn of(z: &Integral, integrand: Option<String>, under: Option<String>) -> Self {
        let Settings { density, kernels, noise, mean, warp, integrated, seed } = &z.settings;
        Self {
            mercer: env!("CARGO_PKG_VERSION").to_string(),
            integrand,
            under,
            density: density.to_string(),
            kernels: kernels.iter().map(Kernel::to_string).collect(),
            fitted_kernels: z.kernels.iter().map(|one| one.written.to_string()).collect(),
            weights: z.kernels.iter().map(|one| one.weight).collect(),
            inputs: z.evaluations.names().to_vec(),
            at: z.evaluations.x().to_vec(),
            values: z.evaluations.y().to_vec(),
            factor: z.ratio.as_ref().map(|ratio| ratio.factor.clone()),
            expectation: z.ratio.as_ref().map(|ratio| ratio.expectation),
            noise: *noise,
            prior_mean: match mean {
                PriorMean::Given(mean) => Some(*mean),
                PriorMean::Free => None,
            },
            scale: warp.name().to_string(),
            integrated: *integrated,
            seed: *seed,
            stopped: z.course.ended == Ended::Stopped,
            asked: Some(z.course.asked),
            ended: Some(z.course.ended.name().to_string()),
            integral: z.posterior.mean(),
        }
    }

    /// Whether the integral was stopped before its last evaluation.
    pub fn was_stopped(&self) -> bool {
        self.stopped
    }

    /// The text of the file.
    ///
    /// # Errors
    /// None for an integral with a finite mean.
    pub fn to_json(&self) -> Result<String, serde_json::Error> {
        serde_json::to_string_pretty(self)
    }

    /// Reads a file.
    ///
    /// # Errors
    /// [`SaveError::Read`], or [`SaveError::NotAnIntegral`] with the reason.
    pub fn read(path: &Path) -> Result<Self, SaveError> {
        read_json(path).map_err(|error| match error {
            SaveError::NotAFit { path, reason } => SaveError::NotAnIntegral { path, reason },
            other => other,
        })
    }

    /// The integral again, given what its texts mean: the density, the kernels that were asked for and the fitted ones.
    ///
    /// # Errors
    /// [`SaveError::NotAnIntegral`] for inconsistent parts; [`SaveError::ChangedIntegral`] if the integral differs from
    /// the saved one.
    pub fn restore(
        &self,
        density: Density,
        kernels: Vec<Kernel>,
        fitted_kernels: Vec<Kernel>,
        path: &Path,
    ) -> Result<Integral, SaveError> {
        let path = path.display().to_string();
        let wrong = |reason: String| SaveError::NotAnIntegral { path: path.clone(), reason };
        let failed = |error: QuadratureError| wrong(error.to_string());
        let n = self.values.len();
        if n == 0 || n > MOST_GIVEN || self.at.iter().any(|column| column.len() != n) {
            return Err(wrong(format!("each input has as many points as there are values, 1 to {MOST_GIVEN}")));
        }
        let Some(warp) = Warp::named(&self.scale) else {
            return Err(wrong(format!("there is no scale `{}`", self.scale)));
        };
        let good_noise = self.noise >= 0.0 && self.noise.is_finite() && (warp == Warp::None || self.noise == 0.0);
        let weighted = self.factor.is_some() && (warp != Warp::None || self.noise > 0.0);
        let kernels_fit = (1..=kernels.len()).contains(&fitted_kernels.len())
            && fitted_kernels.len() == self.weights.len()
            && self.weights.iter().all(|weight| *weight > 0.0 && weight.is_finite());
        if self.inputs.len() != self.at.len() || !good_noise || weighted || !kernels_fit {
            return Err(wrong("its settings do not fit its evaluations".to_string()));
        }
        let evaluations =
            Evaluations::new(self.inputs.clone(), self.at.clone(), self.values.clone()).map_err(failed)?;
        let mean = self.prior_mean.map_or(PriorMean::Free, PriorMean::Given);
        let (noise, integrated, seed) = (self.noise, self.integrated, self.seed);
        let settings = Settings { density, kernels, noise, mean, warp, integrated, seed };
        let ratio = self
            .factor
            .clone()
            .map(|factor| Ratio { expectation: self.expectation.unwrap_or(f64::NAN), ..Ratio::new(factor) });
        let fitted_kernels: Vec<_> = self.weights.iter().copied().zip(fitted_kernels).collect();
        let ended = match &self.ended {
            Some(name) => Ended::named(name).ok_or_else(|| wrong(format!("an integral does not end by `{name}`")))?,
            None if self.stopped => Ended::Stopped,
            None => Ended::AllMade,
        };
        let course = Course { asked: self.asked.unwrap_or(n), ended };
        let found = Integral::restored(evaluations, ratio, &fitted_kernels, settings, course).map_err(failed)?;
        let (expected, mean) = (self.integral, found.posterior.mean());
        let off = (mean - expected).abs();
        if off.is_nan() || off > 1e-6 * expected.abs().max(found.posterior.components()[0].scale) {
            return Err(SaveError::ChangedIntegral { path, expected, found: mean });
        }
        Ok(found)
    }
}
