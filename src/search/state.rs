//! The state of a running search: its depths, the models found, and the structures that were tried.

use std::collections::HashSet;

use super::ranking::{WORTH, rank, structure};
use super::{Candidate, ComparedScale, Found, Level, Reached, Search};

/// The number of depths without improvement after which a search ends.
const PATIENCE: usize = 3;

/// The edit of the kernel with which a search begins.
pub const START: &str = "model";

/// The state of a running search.
#[derive(Default)]
pub struct State {
    pub levels: Vec<Level>,
    /// Best first, with the null model.
    pub pool: Vec<Found>,
    /// Structures that were candidates.
    pub tried: HashSet<String>,
    /// Those that were fitted to convergence.
    pub fitted: HashSet<String>,
    /// Structures whose edits were tried.
    pub expanded: HashSet<String>,
    pub scales: Vec<ComparedScale>,
    pub evaluations: usize,
    pub seconds: f64,
}

impl State {
    /// The state from which a search goes on.
    pub fn of(search: &Search) -> Self {
        // a depth that was stopped early is repeated
        let whole = |level: &&Level| {
            let mut others = level.candidates.iter().filter(|c| level.depth > 1 || c.edit != START);
            let failed = |c: &Candidate| matches!(c.reached, Reached::Failed(_));
            let begun = others.clone().count() < level.candidates.len();
            others.clone().any(|c| c.reached == Reached::Fitted) || (begun && others.all(failed))
        };
        let levels: Vec<Level> = search.levels.iter().take_while(whole).cloned().collect();
        let candidates = || levels.iter().flat_map(|level| &level.candidates);
        let fitted = candidates().filter(|c| c.reached == Reached::Fitted);
        Self {
            tried: candidates().map(|c| structure(&c.kernel)).collect(),
            fitted: fitted.map(|c| structure(&c.kernel)).collect(),
            expanded: levels.iter().flat_map(|level| &level.expanded).map(structure).collect(),
            pool: before_finish(search, &levels),
            levels,
            scales: search.scales.clone(),
            evaluations: search.evaluations,
            seconds: search.seconds,
        }
    }
}

/// The models of a search as they were when its last depth had ended: what goes on from there does not depend on where it
/// paused.
fn before_finish(search: &Search, levels: &[Level]) -> Vec<Found> {
    let mut pool: Vec<Found> = search.models.clone();
    for before in search.unfinished.iter().rev() {
        let key = structure(&before.model.kernel);
        match pool.iter_mut().find(|found| structure(&found.model.kernel) == key) {
            Some(found) => *found = before.clone(),
            None => pool.push(before.clone()),
        }
    }
    // a model that came about by the removal of parts at the end is no candidate of a depth, and a depth that was stopped
    // early is repeated
    let candidates = levels.iter().flat_map(|level| &level.candidates).filter(|one| one.score.is_some());
    let of_depths: HashSet<String> = candidates.map(|one| structure(&one.kernel)).collect();
    pool.retain(|found| is_null(found) || of_depths.contains(&structure(&found.model.kernel)));
    rank(&mut pool);
    pool
}

/// Whether the last depths brought no improvement.
pub fn stale(levels: &[Level]) -> bool {
    // the null model does not count, because single parts may not improve on it
    let best = |levels: &[Level]| {
        let scores = levels.iter().flat_map(|level| &level.candidates).filter_map(|c| c.score);
        scores.fold(f64::INFINITY, f64::min)
    };
    levels.len() > PATIENCE && best(levels) >= best(&levels[..levels.len() - PATIENCE]) - WORTH
}

/// Whether it is the null model: noise only.
pub fn is_null(found: &Found) -> bool {
    structure(&found.model.kernel) == "WN" || found.model.kernel.as_number().is_some()
}
