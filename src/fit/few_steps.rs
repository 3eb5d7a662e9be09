//! Trials of a few steps from several values, which tell where to go on.

use rayon::prelude::*;

use super::likelihood::Likelihood;
use super::optimize::{Options, Run};
use crate::progress::{Progress, Quiet};

/// The run that comes to the best value within some steps, and the number of evaluations of all. The first of equal ones;
/// `None` of none.
pub fn best_after(
    steps: usize,
    objective: &Likelihood<'_>,
    starts: &[Vec<f64>],
    options: &Options,
    progress: &dyn Progress,
) -> (Option<Run>, usize) {
    let run = |values: &Vec<f64>| {
        let mut run = Run::new(&objective.to_coordinates(values), options);
        run.advance(objective, steps, &Quiet(progress));
        run
    };
    let runs: Vec<Run> = starts.par_iter().with_max_len(1).map(run).collect();
    let evaluations = runs.iter().map(|run| run.outcome().evaluations).sum();
    (runs.into_iter().min_by(|one, other| one.value().total_cmp(&other.value())), evaluations)
}
