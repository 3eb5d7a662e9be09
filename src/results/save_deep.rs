//! A fit of a deep GP as a file: the source form of the model, the data, and the values of every layer.
//!
//! The trace of the training is not saved.

use std::path::Path;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::save::{SaveError, SavedEnd, read_json};
use crate::data::Dataset;
use crate::deep::{DeepError, DeepFit, DeepModel, DeepProblem, Inference, LayerValues, Training, Values};
use crate::linalg::Matrix;

/// The contents of the file.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct SavedDeepFit {
    /// The version of the program that wrote it.
    pub mercer: String,
    /// The source form of the model.
    pub deep_model: String,
    pub data: Dataset,
    pub layers: Vec<SavedLayer>,
    pub noise: f64,
    /// Compared after reading.
    pub objective: f64,
    pub ended: SavedEnd,
    pub starts: Vec<Option<f64>>,
    pub restarts: usize,
    pub seed: u64,
    pub max_iter: usize,
}

/// The values of one layer; matrices by columns.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct SavedLayer {
    pub parameters: Vec<f64>,
    pub inducing: Vec<Vec<f64>>,
    pub whitened: Vec<Vec<f64>>,
    /// A root of the posterior covariance of the whitened pseudo outputs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub root: Option<Vec<Vec<f64>>>,
}

fn columns(matrix: &Matrix) -> Vec<Vec<f64>> {
    matrix.column_iter().map(|column| column.as_slice().to_vec()).collect()
}

/// A matrix of this shape; `None` for other shapes, and for numbers that are not finite.
fn matrix(columns: &[Vec<f64>], rows: usize, width: usize) -> Option<Matrix> {
    let fits = columns.len() == width && columns.iter().all(|column| column.len() == rows);
    let finite = columns.iter().flatten().all(|x| x.is_finite());
    (fits && finite).then(|| Matrix::from_vec(rows, width, columns.concat()))
}

impl SavedDeepFit {
    /// The contents of the file for a fit.
    pub fn of(fit: &DeepFit) -> Self {
        let layer = |of: &LayerValues| SavedLayer {
            parameters: of.theta.clone(),
            inducing: columns(&of.inducing),
            whitened: columns(&of.whitened),
            root: of.root.as_ref().map(columns),
        };
        Self {
            mercer: env!("CARGO_PKG_VERSION").to_string(),
            deep_model: fit.problem.model.to_string(),
            data: fit.problem.base.data().clone(),
            layers: fit.values.layers.iter().map(layer).collect(),
            noise: fit.values.noise,
            objective: fit.objective,
            ended: fit.ended.into(),
            starts: fit.starts.clone(),
            restarts: fit.training.restarts,
            seed: fit.training.seed,
            max_iter: fit.training.max_iter,
        }
    }

    /// The source form of the model. A file without this argument and without a posterior in its layers was written when
    /// DGPS was the only algorithm.
    pub fn model_text(&self) -> String {
        let argument = ", inference=\"dgps\"";
        let earlier = self.layers.iter().all(|of| of.root.is_none()) && !self.deep_model.contains(argument);
        match self.deep_model.strip_suffix(')').filter(|_| earlier) {
            Some(text) => format!("{text}{argument})"),
            None => self.deep_model.clone(),
        }
    }

    /// Whether the fit was stopped early.
    pub fn was_stopped(&self) -> bool {
        matches!(self.ended, SavedEnd::Stopped(_))
    }

    /// The text of the file.
    ///
    /// # Errors
    /// None for a fit of finite data.
    pub fn to_json(&self) -> Result<String, serde_json::Error> {
        serde_json::to_string_pretty(self)
    }

    /// Reads a file.
    ///
    /// # Errors
    /// [`SaveError::Read`], or [`SaveError::NotAFit`] with the reason.
    pub fn read(path: &Path) -> Result<Self, SaveError> {
        read_json(path)
    }

    /// Restores the fit, given the parsed model.
    ///
    /// # Errors
    /// [`SaveError::NotAFit`] for values of another shape; [`SaveError::Changed`] if the objective differs from the
    /// saved one.
    pub fn restore(&self, model: &DeepModel, path: &Path) -> Result<Arc<DeepFit>, SaveError> {
        let path = path.display().to_string();
        let training = Training { restarts: self.restarts, seed: self.seed, max_iter: self.max_iter };
        let wrong = |reason: String| SaveError::NotAFit { path: path.clone(), reason };
        let failed = |error: DeepError| wrong(error.to_string());
        let problem = DeepProblem::new(model, &self.data, self.seed).map_err(failed)?;
        let values = self.values(&problem).ok_or_else(|| wrong("its values do not fit its model".to_string()))?;
        let (log_likelihood, objective) = problem.objective(&values).map_err(|error| failed(error.into()))?;
        let off = (objective - self.objective).abs();
        if off.is_nan() || off > 1e-6 * self.objective.abs().max(1.0) {
            return Err(SaveError::ChangedObjective { path, expected: self.objective, found: objective });
        }
        let (ended, starts) = ((&self.ended).into(), self.starts.clone());
        Ok(Arc::new(DeepFit { problem, values, log_likelihood, objective, ended, training, starts, trace: Vec::new() }))
    }

    fn values(&self, problem: &DeepProblem) -> Option<Values> {
        if self.layers.len() != problem.layers.len() || self.noise.is_nan() || self.noise <= 0.0 {
            return None;
        }
        let m = problem.model.inducing;
        let layer = |(saved, layer): (&SavedLayer, &crate::deep::Layer)| {
            let slots = layer.bound.slots();
            let inside = saved.parameters.iter().zip(slots).all(|(x, slot)| x.is_finite() && slot.domain.contains(*x));
            let theta = Some(saved.parameters.clone()).filter(|all| all.len() == slots.len() && inside)?;
            let inducing = matrix(&saved.inducing, m, layer.bound.input_slopes().len())?;
            let root = match &saved.root {
                Some(root) => Some(matrix(root, m, m)?),
                None => None,
            };
            if root.is_some() != (problem.model.inference == Inference::Variational) {
                return None;
            }
            Some(LayerValues { theta, inducing, whitened: matrix(&saved.whitened, m, layer.units)?, root })
        };
        let layers = self.layers.iter().zip(&problem.layers).map(layer).collect::<Option<_>>()?;
        Some(Values { layers, noise: self.noise })
    }
}
