//! The result of a search: the models found, and the candidates at each depth.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::settings::Settings;
use crate::data::{Dataset, Function};
use crate::fit::{Fit, condition};
use crate::kernel::Kernel;
use crate::model::{Model, ModelError};

/// The result of a search.
#[derive(Debug, Clone)]
pub struct Search {
    pub settings: Settings,
    pub data: Dataset,
    /// One per depth; the first is that of the base kernels.
    pub levels: Vec<Level>,
    /// The best models that were fitted to convergence, best first; no two are the same kernel after `simplify`. The
    /// null model is included as the last if nothing else improved on it.
    pub models: Vec<Found>,
    /// Those that were fitted to a maximum at the end, or left out because their structure is that of outliers, as they were
    /// before: a search that goes on does so from these. The first of equal ones counts.
    pub unfinished: Vec<Found>,
    /// The targets of these outliers, one or two; none where no model was left out.
    pub outlying: Vec<f64>,
    /// The number of rows to which the models were fitted, where these were not all: a part of many rows, or those that are
    /// not held out. The log marginal likelihoods of the models are of these rows.
    pub rows: Option<usize>,
    /// The first of the models with its standard errors, fitted to all rows; where the models were fitted to a part of
    /// many rows, the first of them with the values of that part, conditioned on all rows.
    pub best: Arc<Fit>,
    pub ended: Ended,
    /// The scales of the target that were compared; none if one was given.
    pub scales: Vec<ComparedScale>,
    /// Whether it ended before all scales were compared to their depth.
    pub scales_open: bool,
    /// The number of evaluations of the likelihood, with or without gradient, on some or all rows.
    pub evaluations: usize,
    pub seconds: f64,
}

impl Search {
    /// Whether the user stopped it.
    pub fn was_stopped(&self) -> bool {
        self.ended == Ended::Stopped
    }

    /// One of the models as a fit to all rows, by its index; the first has standard errors unless a part of many rows was searched.
    ///
    /// # Errors
    /// Those of [`condition`](crate::fit::condition).
    pub fn fit(&self, place: usize) -> Result<Arc<Fit>, ModelError> {
        match self.models.get(place) {
            Some(found) if place > 0 => condition(&found.model, &self.data).map(Arc::new),
            _ => Ok(self.best.clone()),
        }
    }
}

/// A scale of the target that was compared, with the score of its best model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ComparedScale {
    /// The transform; `None` for the target itself.
    pub transform: Option<Function>,
    pub score: f64,
    /// The number of rows on which it was compared, where these were not all.
    #[serde(default)]
    pub rows: Option<usize>,
}

impl ComparedScale {
    /// The name of the transform in the language.
    pub fn name(&self) -> &'static str {
        self.transform.as_ref().map_or("none", Function::name)
    }
}

/// The work at one depth.
#[derive(Debug, Clone)]
pub struct Level {
    /// Starting at 1.
    pub depth: usize,
    /// The expressions that were edited; none at the first depth.
    pub expanded: Vec<Kernel>,
    /// Best first, with those that failed at the end.
    pub candidates: Vec<Candidate>,
    /// The best so far, of this depth or an earlier one.
    pub best: Found,
    /// The number at this depth.
    pub evaluations: usize,
    pub seconds: f64,
}

/// An expression that was a candidate.
#[derive(Debug, Clone)]
pub struct Candidate {
    /// With its last values.
    pub kernel: Kernel,
    /// The edit that made it, such as `* Per(year)`.
    pub edit: String,
    /// The log marginal likelihood reached; for a subset of the rows if it was dropped early.
    pub lml: Option<f64>,
    /// For candidates that were fitted to convergence.
    pub score: Option<f64>,
    pub reached: Reached,
}

/// The last stage of a candidate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reached {
    /// Evaluated at a few values of its new parameters.
    Screened,
    /// Optimised for some steps.
    Raced,
    /// Fitted to convergence.
    Fitted,
    /// Could not be bound to the data or evaluated, for this reason.
    Failed(String),
}

impl Reached {
    /// The name of the stage in tables.
    pub fn name(&self) -> &'static str {
        match self {
            Reached::Screened => "screened",
            Reached::Raced => "raced",
            Reached::Fitted => "fitted",
            Reached::Failed(_) => "failed",
        }
    }
}

/// A model that was fitted to convergence.
#[derive(Debug, Clone)]
pub struct Found {
    /// With its values written in.
    pub model: Model,
    pub lml: f64,
    /// The number of parameters in the score.
    pub parameters: usize,
    /// Lower is better.
    pub score: f64,
    /// exp(−score/2), normalised over the models of the search.
    pub weight: f64,
}

/// Why a search ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ended {
    /// It reached the requested depth.
    Depth,
    /// No edit improved the score.
    NoBetter,
    /// The time budget is used up.
    OutOfTime,
    /// The budget of evaluations is used up.
    OutOfEvaluations,
    /// The user stopped it.
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
