//! The scale of the target: a search with each of several transforms as far as the first depths, and on with the best.
//!
//! The scores of models of y and of g(y) can be compared, as the density of g(y) is multiplied by |g′(y)|. Growth in
//! proportion to the level needs products with lines on the scale of y, and is a sum on that of log y. Of many rows, the
//! scales are compared on those of the first round of a race: the difference between scales grows with the number of
//! rows, so a few hundred show it.

use super::beam::{further, search, stopped, unfinished};
use super::ranking::joined;
use super::{Budget, ComparedScale, Ended, Search, SearchError, Settings};
use crate::data::{Dataset, Function};
use crate::progress::Progress;

/// The depth at which scales are compared, where a search goes on from there,
const TRIAL_DEPTH: usize = 3;
/// and where the comparison is on a subset of the rows.
const TRIAL_DEPTH_ON_PART: usize = 2;
/// The share of a budget of time for all comparisons together.
const TRIAL_SHARE: f64 = 0.5;

/// The scales of the target that are compared for these data; `None` stands for the target itself. A transform among the
/// steps stands.
pub fn scales(data: &Dataset, settings: &Settings) -> Vec<Option<Function>> {
    if settings.steps.iter().any(|step| step.of_target(data).is_some()) {
        return vec![None];
    }
    crate::fit::scales(data, &settings.model(super::setup::null_kernel()))
}

/// Searches on the scale of the target with the best score after the first depths; scores count the power of Box and Cox.
/// Of many rows, a subset is searched on each scale, and then all on the best. A search whose budget ends before all scales
/// are compared goes on with that in [`resume`].
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
    let Budget { seconds: time, evaluations: count } = settings.budget;
    let share = TRIAL_SHARE / scales.len() as f64;
    let part = super::setup::trial_rows(data, settings)?.map(|rows| data.take(&rows));
    let (tried, asked) = part.as_ref().map_or((data, TRIAL_DEPTH), |part| (part, TRIAL_DEPTH_ON_PART));
    let depth = settings.depth.min(asked);
    let mut compared: Vec<ComparedScale> = Vec::new();
    let mut best: Option<(f64, Search)> = None;
    let (mut evaluations, mut seconds, mut cut_short) = (0, 0.0, false);
    for transform in scales {
        // a search that was stopped has at least its first scale
        if best.is_some() && (progress.stop() || count.is_some_and(|all| evaluations >= all)) {
            cut_short = true;
            break;
        }
        // the trials are whole wherever the evaluations suffice, so that a search does not depend on where it pauses
        let trial = Budget {
            seconds: time.map(|all| share * all),
            evaluations: count.map(|all| all.saturating_sub(evaluations)),
        };
        let trial = Settings { depth, budget: trial, ..with(transform) };
        let found = match part {
            Some(_) => unfinished(tried, &trial, progress),
            None => search(tried, &trial, progress),
        };
        let found = match found {
            Ok(found) => found,
            Err(error) if compared.is_empty() => return Err(error),
            Err(_) => continue,
        };
        (evaluations, seconds) = (evaluations + found.evaluations, seconds + found.seconds);
        cut_short |= match found.ended {
            Ended::OutOfTime | Ended::OutOfEvaluations | Ended::Stopped => true,
            Ended::Depth => depth < asked,
            Ended::NoBetter => false,
        };
        let Some(score) = found.models.first().map(|best| best.score) else { continue };
        compared.push(ComparedScale { transform: transform.clone(), score, rows: part.as_ref().map(Dataset::n) });
        if best.as_ref().is_none_or(|(least, _)| score < *least) {
            best = Some((score, found));
        }
    }
    let Some((_, trial)) = best else { return search(data, &with(&None), progress) };
    let left = Budget {
        seconds: time.map(|all| (all - seconds).max(0.0)),
        evaluations: count.map(|all| all.saturating_sub(evaluations)),
    };
    let cut = match (progress.stop(), left) {
        (true, _) => Some(Ended::Stopped),
        (false, Budget { evaluations: Some(0), .. }) => Some(Ended::OutOfEvaluations),
        (false, Budget { seconds: Some(0.0), .. }) => Some(Ended::OutOfTime),
        _ => None,
    };
    // what the result counts of its own
    let (mut found, counted) = match part {
        Some(_) => {
            let settings = Settings { budget: left, ..with(&trial.settings.transform) };
            let of_part = || stopped(data, &settings, &trial.models, progress);
            let found = match cut {
                Some(_) => of_part()?,
                None => match search(data, &settings, progress)? {
                    found if matches!(found.ended, Ended::Depth | Ended::NoBetter) => found,
                    // a search of all rows that ended early may not have come as far
                    found => joined(found, of_part()?),
                },
            };
            (found, (0, 0.0))
        }
        None => {
            let counted = (trial.evaluations, trial.seconds);
            match cut {
                Some(ended) if settings.depth > depth => (Search { ended, ..trial }, counted),
                Some(_) => (trial, counted),
                None => (further(&trial, settings.depth, left, progress)?, counted),
            }
        }
    };
    found.settings = Settings { depth: settings.depth, budget: settings.budget, ..found.settings };
    found.evaluations += evaluations - counted.0;
    found.seconds += seconds - counted.1;
    found.scales = compared;
    found.scales_open = cut_short;
    Ok(found)
}

/// Continues a search where it ended, to another depth or with a new budget. One that paused before the scales of the
/// target were compared compares them again, with the budget of both: the result is that of one search without a pause.
///
/// # Errors
/// As [`search`].
pub fn resume(before: &Search, depth: usize, budget: Budget, progress: &dyn Progress) -> Result<Search, SearchError> {
    if !before.scales_open {
        return further(before, depth, budget, progress);
    }
    let budget = Budget {
        seconds: budget.seconds,
        evaluations: budget.evaluations.map(|more| before.evaluations.saturating_add(more)),
    };
    let settings = Settings { depth, budget, ..before.settings.clone() };
    search_scales(&before.data, &settings, &scales(&before.data, &settings), progress)
}
