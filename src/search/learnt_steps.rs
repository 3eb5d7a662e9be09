//! Searches with steps before the model: those of inputs are learnt once, from all rows of the search.
//!
//! A search fits models to parts of the rows: those of a first round, those that are not held out, those that stand for many.
//! A period or a length-scale in units of a standard deviation means something else where this is learnt from other rows.
//! So all of them share the steps of the inputs, which do not look at the target; those of the target are learnt on the
//! rows of each fit. The models of the result have the steps as they were written, which give the same on all rows.

use std::sync::Arc;

use super::setup::null_kernel;
use super::{Budget, Search, SearchError, Settings, beam, target_scale};
use crate::data::{Dataset, Function, Step};
use crate::model::{Likelihood, ModelError};
use crate::progress::Progress;

/// Searches for the kernel with the best score.
///
/// # Errors
/// Settings without base kernels or inputs, data to which no model can be fitted, a kernel to begin with that does not fit
/// the data, or no base kernel that can be fitted.
pub fn search(data: &Dataset, settings: &Settings, progress: &dyn Progress) -> Result<Search, SearchError> {
    let learnt = learnt(data, settings)?;
    Ok(as_written(beam::search(data, &learnt, progress)?, &settings.steps))
}

/// Searches on the scale of the target, of these, with the best score after the first depths. Of many rows, a subset is
/// searched on each scale, and then all on the best. A search whose budget ends before all scales are compared goes on with
/// that in [`resume`].
///
/// # Errors
/// As [`search`].
pub fn search_scales(
    data: &Dataset,
    settings: &Settings,
    scales: &[Option<Function>],
    progress: &dyn Progress,
) -> Result<Search, SearchError> {
    let learnt = learnt(data, settings)?;
    Ok(as_written(target_scale::search_scales(data, &learnt, scales, progress)?, &settings.steps))
}

/// Continues a search where it ended, to another depth or with a new budget. One that paused before the scales of the
/// target were compared compares them again, with the budget of both: the result is that of one search without a pause.
///
/// # Errors
/// As [`search`].
pub fn resume(before: &Search, depth: usize, budget: Budget, progress: &dyn Progress) -> Result<Search, SearchError> {
    if before.settings.steps.is_empty() {
        return target_scale::resume(before, depth, budget, progress);
    }
    let steps = learnt(&before.data, &before.settings)?.steps;
    let mut with_learnt = before.clone();
    write_steps(&mut with_learnt, &steps);
    Ok(as_written(target_scale::resume(&with_learnt, depth, budget, progress)?, &before.settings.steps))
}

/// The settings with the steps of inputs learnt on these data.
fn learnt(data: &Dataset, settings: &Settings) -> Result<Settings, SearchError> {
    let classes = matches!(settings.likelihood, Likelihood::Bernoulli { .. });
    let steps = Step::with_inputs_learnt(&settings.steps, data, classes).map_err(ModelError::from)?;
    Ok(Settings { steps, ..settings.clone() })
}

/// The result with the steps as they were written.
fn as_written(mut found: Search, steps: &[Step]) -> Search {
    if steps.is_empty() {
        return found;
    }
    let all = write_steps(&mut found, steps);
    found.best = Arc::new(Arc::unwrap_or_clone(found.best).with_steps(&all));
    found
}

/// Replaces the steps of the settings and of all models but the best fit, and returns those of a model.
fn write_steps(search: &mut Search, steps: &[Step]) -> Vec<Step> {
    search.settings.steps = steps.to_vec();
    let all = search.settings.model(null_kernel()).steps;
    let of_levels = search.levels.iter_mut().map(|level| &mut level.best);
    for found in search.models.iter_mut().chain(&mut search.unfinished).chain(of_levels) {
        found.model.steps.clone_from(&all);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Column, Which};
    use crate::kernel::{Kernel, families};
    use crate::model::{Model, Problem};
    use crate::progress::Silent;
    use crate::search::setup::Setup;
    use crate::search::{Criterion, Edit};

    fn wave(n: usize) -> Dataset {
        let x: Vec<f64> = (0..n).map(|i| 100.0 + (i as f64).powf(1.3)).collect();
        let y = x.iter().enumerate().map(|(i, x)| (x / 9.0).sin() + 0.1 * ((i * i * 37) % 11) as f64).collect();
        Dataset::new(vec![Column::numeric("x", x), Column::numeric("y", y)], Some("y"), None).expect("a data set")
    }

    fn beginning(name: &str) -> Settings {
        let kernel = Kernel::family(families::family(name).expect("a family"));
        let steps = vec![Step::Standardize { columns: Which::All }];
        Settings::default().beginning_with(Model { steps, ..Model::new(kernel) })
    }

    /// Of many rows, and of those that are not held out, the inputs are on the scale of all.
    #[test]
    fn parts_of_the_rows_share_the_scale_of_the_inputs() {
        for (n, criterion) in [(2400, Criterion::Bicc), (60, Criterion::HeldOut)] {
            let data = wave(n);
            let settings = Settings { criterion, ..beginning("SE") };
            let all = Problem::new(&settings.model(null_kernel()), &data, false).expect("a problem");
            let learnt = learnt(&data, &settings).expect("steps");
            let setup = Setup::new(&data, &learnt).expect("a setup");
            assert!(setup.data.n() < n);
            let part = Problem::new(&learnt.model(null_kernel()), &setup.data, false).expect("a problem");
            for (raw, scaled) in setup.data.x()[0].iter().zip(part.x()[0]) {
                let row = data.x()[0].iter().position(|x| x == raw).expect("the row");
                assert_eq!(all.x()[0][row], *scaled);
            }
            // the target is standardized anew
            let mean = part.y().iter().sum::<f64>() / part.n() as f64;
            assert!(mean.abs() < 1e-9, "{mean}");
            // and what depends on the inputs is on their scale
            let seen = if criterion == Criterion::HeldOut { &part } else { &all };
            let middle = seen.x()[0].iter().sum::<f64>() / seen.n() as f64;
            assert!((setup.columns[0].middle - middle).abs() < 1e-9 && setup.inputs[0].1.abs() < 2.0);
        }
    }

    #[test]
    fn the_result_has_the_steps_as_they_were_written() {
        let data = wave(40);
        let settings = Settings { depth: 1, restarts: 1, moves: vec![Edit::Add], ..beginning("RQ") };
        let found = search(&data, &settings, &Silent).expect("a search");
        assert_eq!(found.settings.steps, settings.steps);
        let models = found.models.iter().chain(&found.unfinished).chain(found.levels.iter().map(|level| &level.best));
        let models = models.map(|found| &found.model);
        for model in models.chain([&found.best.model, &found.best.asked, found.best.problem().model()]) {
            assert_eq!(model.steps, settings.steps);
        }
        // all rows give the same again
        let again = found.fit(0).expect("a fit").lml();
        let conditioned = crate::fit::condition(&found.best.model, &data).expect("a fit").lml();
        assert!((again - conditioned).abs() < 1e-9 * again.abs());
    }
}
