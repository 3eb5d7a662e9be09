//! The scale of the target: a search with each of several transforms as far as the first depths, and on with the best.
//!
//! The scores of models of y and of g(y) can be compared, as the density of g(y) is multiplied by |g′(y)|. Growth in
//! proportion to the level needs products with lines on the scale of y, and is a sum on that of log y.

use serde::{Deserialize, Serialize};

use super::{Budget, Search, SearchError, Settings, resume, search};
use crate::data::{Dataset, Function, Transform};
use crate::progress::Progress;

/// The depth at which scales are compared.
const TRIAL_DEPTH: usize = 3;
/// The share of the budget for all comparisons together.
const TRIAL_SHARE: f64 = 0.4;

/// A scale of the target that was compared, with the score of its best model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ComparedScale {
    /// The transform; `None` for the target itself.
    pub transform: Option<Function>,
    pub score: f64,
}

impl ComparedScale {
    /// The name of the transform in the language.
    pub fn name(&self) -> &'static str {
        self.transform.as_ref().map_or("none", Function::name)
    }
}

/// The scales that are compared for these data: the target itself and, if all its values are positive, its logarithm and
/// the power of Box and Cox (1964) with the greatest likelihood.
pub fn scales(data: &Dataset, settings: &Settings) -> Vec<Option<Function>> {
    let positive = data.y().is_some_and(|y| !y.is_empty() && y.iter().all(|y| *y > 0.0));
    let numbers = settings.model(super::setup::null_kernel()).bernoulli().is_none();
    match positive && numbers {
        true => vec![None, Some(Function::Plain(Transform::Log)), Some(Function::BoxCox(None))],
        false => vec![None],
    }
}

/// Searches on the scale of the target with the best score after the first depths. The power of Box and Cox counts as
/// one more parameter.
///
/// # Errors
/// As [`search`].
pub fn search_scales(
    data: &Dataset,
    settings: &Settings,
    scales: &[Option<Function>],
    progress: &dyn Progress,
) -> Result<Search, SearchError> {
    let with = |transform: &Option<Function>| Settings { transform: transform.clone(), ..settings.clone() };
    if let [only] = scales {
        return search(data, &with(only), progress);
    }
    let depth = settings.depth.min(TRIAL_DEPTH);
    let share = TRIAL_SHARE / scales.len() as f64;
    let trial = Budget {
        seconds: settings.budget.seconds.map(|seconds| share * seconds),
        evaluations: settings.budget.evaluations.map(|count| (share * count as f64).ceil() as usize),
    };
    let mut compared: Vec<ComparedScale> = Vec::new();
    let mut best: Option<(f64, Search)> = None;
    let (mut evaluations, mut seconds) = (0, 0.0);
    for transform in scales {
        // a search that was stopped has at least its first scale
        if best.is_some() && progress.stop() {
            break;
        }
        let found = match search(data, &Settings { depth, budget: trial, ..with(transform) }, progress) {
            Ok(found) => found,
            Err(error) if compared.is_empty() => return Err(error),
            Err(_) => continue,
        };
        (evaluations, seconds) = (evaluations + found.evaluations, seconds + found.seconds);
        let extra = |count: usize| match transform {
            Some(Function::BoxCox(None)) => {
                settings.criterion.penalty(data.n(), count + 1) - settings.criterion.penalty(data.n(), count)
            }
            _ => 0.0,
        };
        let Some(score) = found.models.first().map(|best| best.score + extra(best.parameters)) else { continue };
        compared.push(ComparedScale { transform: transform.clone(), score });
        if best.as_ref().is_none_or(|(least, _)| score < *least) {
            best = Some((score, found));
        }
    }
    let Some((_, found)) = best else { return search(data, &with(&None), progress) };
    let spent = (found.evaluations, found.seconds);
    let left = Budget {
        seconds: settings.budget.seconds.map(|all| (all - seconds).max(0.0)),
        evaluations: settings.budget.evaluations.map(|all| all.saturating_sub(evaluations)),
    };
    let mut found = match progress.stop() {
        true => found,
        false => resume(&found, settings.depth, left, progress)?,
    };
    found.settings = Settings { depth: settings.depth, budget: settings.budget, ..found.settings };
    found.evaluations += evaluations - spent.0;
    found.seconds += seconds - spent.1;
    found.scales = compared;
    Ok(found)
}
