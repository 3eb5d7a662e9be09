//! The results of a fit that several sections of its report use.

use std::sync::Arc;

use crate::describe::english::{FitDescription, fit_description};
use crate::describe::rounded;
use crate::fit::Fit;
use crate::results::{self, At, By, Checks, DRAWS, Decomposition, Score};

/// A fit with its results, each computed once.
pub(super) struct FitResults<'a> {
    pub fit: &'a Arc<Fit>,
    pub description: FitDescription,
    pub decomposition: Result<Decomposition, String>,
    pub checks: Result<Checks, String>,
    pub score: Option<Score>,
}

impl<'a> FitResults<'a> {
    pub fn new(fit: &'a Arc<Fit>, seed: u64) -> Self {
        Self {
            fit,
            description: fit_description(fit),
            decomposition: results::decompose(fit, At::Training, By::Term).map_err(|e| e.to_string()),
            checks: results::checks(fit, DRAWS, seed).map_err(|e| e.to_string()),
            score: results::score_leave_one_out(fit).ok(),
        }
    }

    /// A value with the unit of the original target.
    pub fn in_units(&self, value: f64) -> String {
        let unit = self.fit.problem().data().target().and_then(|t| t.unit());
        with_unit(value, unit)
    }
}

fn with_unit(value: f64, unit: Option<&str>) -> String {
    format!("{}{}", rounded(value), unit.map_or(String::new(), |unit| format!(" {unit}")))
}
