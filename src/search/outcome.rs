//! The result of a search: the models found, and the candidates at each depth.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::settings::Settings;
use crate::data::Dataset;
use crate::fit::{Fit, condition};
use crate::kernel::Kernel;
use crate::model::{Model, ModelError};

/// What a search has come to.
#[derive(Debug, Clone)]
pub struct Search {
    pub settings: Settings,
    pub data: Dataset,
    /// One a depth: the first is that of the base kernels.
    pub levels: Vec<Level>,
    /// The best that were fitted to their end, best first; no two are the same kernel after `simplify`. Noise alone is
    /// the last where nothing was better.
    pub models: Vec<Found>,
    /// The first of the models with its standard errors, fitted to all rows.
    pub best: Arc<Fit>,
    pub ended: Ended,
    /// Evaluations of the likelihood, with or without gradient, on few rows or all.
    pub evaluations: usize,
    pub seconds: f64,
}

impl Search {
    /// Whether the user stopped it before its end.
    pub fn was_stopped(&self) -> bool {
        self.ended == Ended::Stopped
    }

    /// One of the models as a fit to all rows, by its place; the first has standard errors.
    ///
    /// # Errors
    /// What conditioning refuses, which it did not when the model was found.
    pub fn fit(&self, place: usize) -> Result<Arc<Fit>, ModelError> {
        match self.models.get(place) {
            Some(found) if place > 0 => condition(&found.model, &self.data).map(Arc::new),
            _ => Ok(self.best.clone()),
        }
    }
}

/// What was done at one depth.
#[derive(Debug, Clone)]
pub struct Level {
    /// From 1.
    pub depth: usize,
    /// The expressions that were edited; none at the first depth.
    pub expanded: Vec<Kernel>,
    /// Best first; those that failed at the end.
    pub candidates: Vec<Candidate>,
    /// The best so far, of this depth or an earlier one.
    pub best: Found,
    /// Spent at this depth.
    pub evaluations: usize,
    pub seconds: f64,
}

/// An expression that was tried.
#[derive(Debug, Clone)]
pub struct Candidate {
    /// With the values that it has come to.
    pub kernel: Kernel,
    /// What was done, such as `* Per(year)`.
    pub edit: String,
    /// Log marginal likelihood as far as the candidate came; of a part of the rows where it was left behind early.
    pub lml: Option<f64>,
    /// Of candidates that were fitted to the end.
    pub score: Option<f64>,
    pub reached: Reached,
}

/// How far a candidate came.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reached {
    /// Evaluated at a few values of its new parameters.
    Screened,
    /// Fitted some steps.
    Raced,
    /// Fitted to the end.
    Fitted,
    /// Could not be bound to the data or evaluated, with the reason.
    Failed(String),
}

impl Reached {
    pub fn name(&self) -> &'static str {
        match self {
            Reached::Screened => "screened",
            Reached::Raced => "raced",
            Reached::Fitted => "fitted",
            Reached::Failed(_) => "failed",
        }
    }
}

/// A model that was fitted to the end.
#[derive(Debug, Clone)]
pub struct Found {
    /// With its values written in.
    pub model: Model,
    pub lml: f64,
    /// How many parameters the score charges.
    pub parameters: usize,
    /// Lower is better.
    pub score: f64,
    /// exp(−score/2) over the sum of these over the models of the search.
    pub weight: f64,
}

/// Why a search ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ended {
    /// It has reached the depth that was asked for.
    Depth,
    /// No edit made the score better.
    NoBetter,
    /// The seconds allowed are used up.
    OutOfTime,
    /// The evaluations allowed are used up.
    OutOfEvaluations,
    /// The user asked to stop.
    Stopped,
}

impl std::fmt::Display for Ended {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Ended::Depth => "reached the largest depth",
            Ended::NoBetter => "no edit improved the score",
            Ended::OutOfTime => "ended by its time budget: another run may differ",
            Ended::OutOfEvaluations => "ended by its budget of evaluations",
            Ended::Stopped => "stopped by the user: the best result so far",
        })
    }
}
