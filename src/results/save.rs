//! Saved fits: the model as source text, the data, and the settings of the fit.
//!
//! Numbers are printed with all digits, so that a fit that is read in another process gives the same predictions to the
//! last bit. The language parses the text of the model.

use std::path::Path;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::data::{DECIMAL_YEARS, Dataset};
use crate::fit::optimize::{Ended, Obstacle};
use crate::fit::{Fit, condition, hints};
use crate::model::{Model, ModelError};

/// The contents of the file.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct SavedFit {
    /// The version of the program that wrote it.
    pub mercer: String,
    /// The source form of the fitted model.
    pub model: String,
    /// The source form of the requested model.
    pub asked: String,
    pub data: Dataset,
    /// Compared after reading.
    #[serde(with = "any_number")]
    pub lml: f64,
    pub standard_errors: Vec<Option<f64>>,
    /// The number of directions that the data do not determine; earlier versions did not write it.
    #[serde(default)]
    pub redundant: usize,
    pub ended: Option<SavedEnd>,
    #[serde(with = "any_number")]
    pub gradient_size: f64,
    pub starts: Vec<SavedStart>,
    pub restarts: usize,
    pub seed: u64,
    pub max_iter: usize,
}

/// How a fit ended, in the file.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SavedEnd {
    Converged,
    SmallChange,
    OutOfIterations(usize),
    Left,
    Stopped(usize),
    NoValue,
    NoGradient,
    NoDescent,
}

/// The result of one start, in the file.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct SavedStart {
    pub reached: Option<f64>,
    pub ended: SavedEnd,
    pub dropped: bool,
}

/// Why a file cannot be read as a fit or an integral.
#[derive(Debug, thiserror::Error)]
pub enum SaveError {
    #[error("cannot read `{path}`: {reason}")]
    Read { path: String, reason: String },
    #[error("`{path}` is not a saved fit: {reason}")]
    NotAFit { path: String, reason: String },
    #[error("the fit read from `{path}` has a log marginal likelihood of {found}, and it was saved with {expected}")]
    Changed { path: String, expected: f64, found: f64 },
    #[error("the fit read from `{path}` has an objective of {found}, and it was saved with {expected}")]
    ChangedObjective { path: String, expected: f64, found: f64 },
    #[error("`{path}` is not a saved integral: {reason}")]
    NotAnIntegral { path: String, reason: String },
    #[error("the integral read from `{path}` has a mean of {found}, and it was saved with {expected}")]
    ChangedIntegral { path: String, expected: f64, found: f64 },
    #[error(transparent)]
    Model(#[from] ModelError),
}

impl From<Ended> for SavedEnd {
    fn from(ended: Ended) -> Self {
        match ended {
            Ended::Converged => SavedEnd::Converged,
            Ended::SmallChange => SavedEnd::SmallChange,
            Ended::OutOfIterations { steps } => SavedEnd::OutOfIterations(steps),
            Ended::Left => SavedEnd::Left,
            Ended::Stopped { steps } => SavedEnd::Stopped(steps),
            Ended::Stuck { why: Obstacle::NoValue } => SavedEnd::NoValue,
            Ended::Stuck { why: Obstacle::NoGradient } => SavedEnd::NoGradient,
            Ended::Stuck { why: Obstacle::NoDescent } => SavedEnd::NoDescent,
        }
    }
}

impl From<&SavedEnd> for Ended {
    fn from(saved: &SavedEnd) -> Self {
        match *saved {
            SavedEnd::Converged => Ended::Converged,
            SavedEnd::SmallChange => Ended::SmallChange,
            SavedEnd::OutOfIterations(steps) => Ended::OutOfIterations { steps },
            SavedEnd::Left => Ended::Left,
            SavedEnd::Stopped(steps) => Ended::Stopped { steps },
            SavedEnd::NoValue => Ended::Stuck { why: Obstacle::NoValue },
            SavedEnd::NoGradient => Ended::Stuck { why: Obstacle::NoGradient },
            SavedEnd::NoDescent => Ended::Stuck { why: Obstacle::NoDescent },
        }
    }
}

fn not_a_fit(error: &serde_json::Error) -> String {
    if error.to_string().contains(DECIMAL_YEARS) {
        DECIMAL_YEARS.to_string()
    } else if error.is_data() {
        format!("its contents are different ({error})")
    } else {
        format!("it is not JSON, see line {}", error.line())
    }
}

/// Reads a JSON file.
pub(super) fn read_json<T: serde::de::DeserializeOwned>(path: &Path) -> Result<T, SaveError> {
    let shown = path.display().to_string();
    let text =
        std::fs::read_to_string(path).map_err(|e| SaveError::Read { path: shown.clone(), reason: e.to_string() })?;
    serde_json::from_str(&text).map_err(|e| SaveError::NotAFit { path: shown, reason: not_a_fit(&e) })
}

impl SavedFit {
    /// The contents of the file for a fit.
    pub fn of(fit: &Fit) -> Self {
        let start =
            |s: &crate::fit::Start| SavedStart { reached: s.reached, ended: s.ended.into(), dropped: s.dropped };
        Self {
            mercer: env!("CARGO_PKG_VERSION").to_string(),
            model: fit.model.to_string(),
            asked: fit.asked.to_string(),
            data: fit.problem().data().clone(),
            lml: fit.lml(),
            standard_errors: fit.standard_errors.iter().map(|e| e.filter(|e| e.is_finite())).collect(),
            redundant: fit.redundant,
            ended: fit.ended.map(SavedEnd::from),
            gradient_size: fit.gradient_size,
            starts: fit.starts.iter().map(start).collect(),
            restarts: fit.options.restarts,
            seed: fit.options.seed,
            max_iter: fit.options.max_iter,
        }
    }

    /// Whether the fit was stopped early.
    pub fn was_stopped(&self) -> bool {
        let stopped = |end: &SavedEnd| matches!(end, SavedEnd::Stopped(_));
        self.ended.as_ref().is_some_and(stopped) || self.starts.iter().any(|start| stopped(&start.ended))
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

    /// Restores the fit, given the parsed models.
    ///
    /// # Errors
    /// [`SaveError::Changed`] if the log marginal likelihood differs from the saved one, or an error of
    /// [`condition`](crate::fit::condition).
    pub fn restore(&self, model: &Model, asked: Model, path: &Path) -> Result<Arc<Fit>, SaveError> {
        let mut fit = condition(model, &self.data)?;
        let same = fit.lml() == self.lml || self.lml.is_nan();
        let off = (fit.lml() - self.lml).abs();
        if !same && (off.is_nan() || off > 1e-6 * self.lml.abs().max(1.0)) {
            let path = path.display().to_string();
            return Err(SaveError::Changed { path, expected: self.lml, found: fit.lml() });
        }
        fit.asked = asked;
        fit.standard_errors.clone_from(&self.standard_errors);
        fit.standard_errors.resize(fit.values().len(), None);
        fit.redundant = self.redundant;
        fit.ended = self.ended.as_ref().map(Ended::from);
        fit.gradient_size = self.gradient_size;
        fit.starts = self
            .starts
            .iter()
            .map(|s| crate::fit::Start { reached: s.reached, ended: (&s.ended).into(), dropped: s.dropped })
            .collect();
        fit.options.restarts = self.restarts;
        fit.options.seed = self.seed;
        fit.options.max_iter = self.max_iter;
        fit.hints = hints(&fit);
        Ok(Arc::new(fit))
    }
}

/// A number that may be infinite or missing, which JSON cannot represent; it is then a text.
mod any_number {
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    #[derive(Deserialize)]
    #[serde(untagged, expecting = "a number, \"inf\", \"-inf\" or \"NaN\" was expected")]
    enum Written {
        Number(f64),
        Text(String),
    }

    pub fn serialize<S: Serializer>(number: &f64, to: S) -> Result<S::Ok, S::Error> {
        if number.is_finite() { to.serialize_f64(*number) } else { to.serialize_str(&number.to_string()) }
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<f64, D::Error> {
        match Option::<Written>::deserialize(from)? {
            // earlier versions wrote no value
            None => Ok(f64::NAN),
            Some(Written::Number(number)) => Ok(number),
            Some(Written::Text(text)) => {
                text.parse().map_err(|_| D::Error::custom(format!("`{text}` is not a number")))
            }
        }
    }
}
