//! An integral as a file: the integrand, the density and the kernel in the language's own words, and the evaluations.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::save::{SaveError, read_json};
use crate::kernel::Kernel;
use crate::quadrature::{Density, Evaluations, Integral, MOST_EVALUATIONS, PriorMean, QuadratureError, Settings, Warp};

/// What stands in the file.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct SavedIntegral {
    /// Of the program that wrote it.
    pub mercer: String,
    /// The function that is integrated; nothing where it is known by its evaluations alone.
    pub integrand: Option<String>,
    pub density: String,
    /// As it was asked for.
    pub kernel: String,
    /// With its fitted values.
    pub fitted_kernel: String,
    pub inputs: Vec<String>,
    /// The evaluated points, input by input.
    pub at: Vec<Vec<f64>>,
    pub values: Vec<f64>,
    pub noise: f64,
    /// The prior mean of the integrand; nothing where it is a free constant.
    pub prior_mean: Option<f64>,
    pub scale: String,
    /// Whether the parameters of the kernel are integrated out.
    pub integrated: bool,
    pub seed: u64,
    pub stopped: bool,
    /// The mean of the integral, to be checked after reading.
    pub integral: f64,
}

impl SavedIntegral {
    /// What is kept of an integral, and the text of its integrand.
    pub fn of(z: &Integral, integrand: Option<String>) -> Self {
        let Settings { density, kernel, noise, mean, warp, integrated, seed } = &z.settings;
        Self {
            mercer: env!("CARGO_PKG_VERSION").to_string(),
            integrand,
            density: density.to_string(),
            kernel: kernel.to_string(),
            fitted_kernel: z.kernel.to_string(),
            inputs: z.evaluations.names().to_vec(),
            at: z.evaluations.x().to_vec(),
            values: z.evaluations.y().to_vec(),
            noise: *noise,
            prior_mean: match mean {
                PriorMean::Given(mean) => Some(*mean),
                PriorMean::Free => None,
            },
            scale: warp.name().to_string(),
            integrated: *integrated,
            seed: *seed,
            stopped: z.stopped,
            integral: z.belief.mean(),
        }
    }

    /// Whether it is of an integral that was stopped before its last evaluation.
    pub fn was_stopped(&self) -> bool {
        self.stopped
    }

    /// The text of the file.
    ///
    /// # Errors
    /// Never for an integral with a finite mean.
    pub fn to_json(&self) -> Result<String, serde_json::Error> {
        serde_json::to_string_pretty(self)
    }

    /// Reads a file.
    ///
    /// # Errors
    /// [`SaveError::Read`], or [`SaveError::NotAnIntegral`] with what is wrong with it.
    pub fn read(path: &Path) -> Result<Self, SaveError> {
        read_json(path).map_err(|error| match error {
            SaveError::NotAFit { path, reason } => SaveError::NotAnIntegral { path, reason },
            other => other,
        })
    }

    /// The integral again, given what its texts mean: the density, the kernel that was asked for and the fitted one.
    ///
    /// # Errors
    /// [`SaveError::NotAnIntegral`] for parts that do not fit together; [`SaveError::ChangedIntegral`] when the integral
    /// is not what was saved.
    pub fn restore(
        &self,
        density: Density,
        kernel: Kernel,
        fitted_kernel: &Kernel,
        path: &Path,
    ) -> Result<Integral, SaveError> {
        let path = path.display().to_string();
        let wrong = |reason: String| SaveError::NotAnIntegral { path: path.clone(), reason };
        let failed = |error: QuadratureError| wrong(error.to_string());
        let n = self.values.len();
        if n == 0 || n > MOST_EVALUATIONS || self.at.iter().any(|column| column.len() != n) {
            return Err(wrong(format!("each input has as many points as there are values, 1 to {MOST_EVALUATIONS}")));
        }
        let Some(warp) = Warp::ALL.into_iter().find(|warp| warp.name() == self.scale) else {
            return Err(wrong(format!("there is no scale `{}`", self.scale)));
        };
        let good_noise = self.noise >= 0.0 && self.noise.is_finite() && (warp == Warp::None || self.noise == 0.0);
        if self.inputs.len() != self.at.len() || !good_noise {
            return Err(wrong("its settings do not fit its evaluations".to_string()));
        }
        let evaluations =
            Evaluations::new(self.inputs.clone(), self.at.clone(), self.values.clone()).map_err(failed)?;
        let mean = self.prior_mean.map_or(PriorMean::Free, PriorMean::Given);
        let (noise, integrated, seed) = (self.noise, self.integrated, self.seed);
        let settings = Settings { density, kernel, noise, mean, warp, integrated, seed };
        let found = Integral::restored(evaluations, fitted_kernel, settings, self.stopped).map_err(failed)?;
        let (expected, mean) = (self.integral, found.belief.mean());
        let off = (mean - expected).abs();
        if off.is_nan() || off > 1e-6 * expected.abs().max(found.belief.components()[0].scale) {
            return Err(SaveError::ChangedIntegral { path, expected, found: mean });
        }
        Ok(found)
    }
}
