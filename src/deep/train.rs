//! Training from several starts, the best of which are optimised to convergence.

use std::sync::Mutex;

use rayon::prelude::*;

use super::adam;
use super::definition::{DeepModel, Optimizer};
use super::error::DeepError;
use super::inserted_layer::with_inserted_layer;
use super::minimised::{Minimised, UpperLayers};
use super::problem::{DeepProblem, Values};
use crate::data::Dataset;
use crate::fit::optimize::{Ended, Objective, Options as Limits, Run, minimize};
use crate::progress::{Progress, Quiet};

/// Options of training.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Training {
    pub restarts: usize,
    pub seed: u64,
    pub max_iter: usize,
}

impl From<crate::fit::Options> for Training {
    fn from(options: crate::fit::Options) -> Self {
        Self { restarts: options.restarts, seed: options.seed, max_iter: options.max_iter }
    }
}

impl Default for Training {
    fn default() -> Self {
        Self { restarts: 10, seed: 0, max_iter: 1000 }
    }
}

/// A deep GP trained on data.
#[derive(Debug, Clone)]
pub struct DeepFit {
    pub problem: DeepProblem,
    pub values: Values,
    /// The estimate of the log likelihood of the training targets with the fitted noise.
    pub log_likelihood: f64,
    /// The log likelihood plus the log densities of the pseudo outputs and of the noise.
    pub objective: f64,
    pub ended: Ended,
    pub training: Training,
    /// The objective reached by each start; `None` if it had no finite value.
    pub starts: Vec<Option<f64>>,
    /// The objective and the parameters after each step of the best start.
    pub trace: Vec<(f64, Values)>,
}

/// The number of steps before most starts are dropped.
const FIRST_ROUND: usize = 60;

/// The number of steps of the upper layers before the layer below them is trained too.
const STEPS_OF_A_LAYER: usize = 150;

struct Entry {
    like: Values,
    run: Run,
    trace: Vec<(f64, Vec<f64>)>,
    /// Steps of Adam before the run.
    before: usize,
}

impl Entry {
    fn value(&self) -> f64 {
        Some(self.run.value()).filter(|v| !v.is_nan()).unwrap_or(f64::INFINITY)
    }

    /// Takes single steps, so that each can be recorded.
    fn advance(&mut self, problem: &DeepProblem, steps: usize, progress: &dyn Progress) {
        let objective = Minimised { problem, like: &self.like };
        if self.trace.is_empty() {
            // the value of the start
            self.run.advance(&objective, 0, &Quiet(progress));
        }
        for _ in 0..steps {
            if progress.stop() && !self.trace.is_empty() {
                return;
            }
            let ended = self.run.advance(&objective, 1, &Quiet(progress)).is_some();
            let outcome = self.run.outcome();
            if outcome.value.is_finite() {
                self.trace.push((-outcome.value, outcome.at));
            }
            if ended {
                return;
            }
        }
    }
}

/// Trains a deep GP.
///
/// # Errors
/// As [`DeepProblem::new`]; [`DeepError::NoStart`], [`DeepError::Stopped`].
pub fn train(
    model: &DeepModel,
    data: &Dataset,
    training: Training,
    progress: &dyn Progress,
) -> Result<DeepFit, DeepError> {
    let problem = DeepProblem::new(model, data, training.seed)?;
    let limits = Limits {
        max_iter: training.max_iter,
        max_evals: 4 * training.max_iter,
        gradient_tolerance: 1e-4,
        value_tolerance: 1e-9,
        largest_step: 1.0,
        ..Limits::default()
    };
    let inserted = with_inserted_layer(&problem, |smaller| {
        let training = Training { restarts: training.restarts.div_ceil(2), ..training };
        train(smaller, data, training, &Quiet(progress)).ok().map(|fit| fit.values)
    });
    // with a start from a smaller model one other start fewer
    let count = training.restarts.max(1) - usize::from(inserted.is_some() && training.restarts > 1);
    let starts = (0..count).into_par_iter().filter_map(|index| {
        let start = problem.start(training.seed, index).ok()?;
        let layerwise = problem.is_variational() && problem.starts_near_identity(index);
        Some(if layerwise { grown(&problem, start, &limits, progress) } else { start })
    });
    let starts: Vec<Values> = starts.collect();
    let mut entries: Vec<Entry> = starts
        .into_iter()
        .chain(inserted)
        .map(|like| Entry {
            run: Run::new(&problem.to_coordinates(&like), &limits),
            like,
            trace: Vec::new(),
            before: 0,
        })
        .collect();
    if model.optimizer == Optimizer::Adam {
        entries.par_iter_mut().for_each(|entry| {
            let objective = Minimised { problem: &problem, like: &entry.like };
            let from = problem.to_coordinates(&entry.like);
            let (at, taken) = adam::minimize(&|at, g| objective.evaluate(at, g), &from, training.max_iter, progress);
            entry.run = Run::new(&at, &limits);
            entry.before = taken;
            entry.advance(&problem, 1, progress);
        });
    } else {
        rounds(&problem, &mut entries, training.max_iter, progress);
    }
    let best = entries.iter().enumerate().min_by(|(i, a), (j, b)| a.value().total_cmp(&b.value()).then(i.cmp(j)));
    let Some((_, best)) = best.filter(|(_, best)| best.value().is_finite()) else {
        return Err(if progress.stop() { DeepError::Stopped } else { DeepError::NoStart });
    };
    let outcome = best.run.outcome();
    let values = problem.completed(&problem.to_values(&outcome.at, &best.like))?;
    let (log_likelihood, objective) = problem.objective(&values)?;
    let trace = best.trace.iter().map(|(value, at)| (*value, problem.to_values(at, &best.like))).collect();
    let starts = entries.iter().map(|e| Some(-e.value()).filter(|v| v.is_finite())).collect();
    let steps = best.before + outcome.iterations;
    let ended = match outcome.ended {
        _ if progress.stop() => Ended::Stopped { steps },
        Ended::OutOfIterations { .. } => Ended::OutOfIterations { steps },
        ended => ended,
    };
    Ok(DeepFit { values, log_likelihood, objective, ended, training, starts, trace, problem })
}

/// Optimises a start whose hidden layers are near the identity from the last layer down: some steps of the last layer
/// alone, then of the last two, and so on, while the layers below are fixed.
fn grown(problem: &DeepProblem, start: Values, limits: &Limits, progress: &dyn Progress) -> Values {
    let steps = Limits { max_iter: STEPS_OF_A_LAYER.min(limits.max_iter), ..limits.clone() };
    (1..problem.layers.len()).rev().fold(start, |values, layer| {
        let mut at = problem.to_coordinates(&values);
        let free = at.split_off(problem.coordinates_before(layer, &values));
        let upper = UpperLayers { all: Minimised { problem, like: &values }, held: at };
        let outcome = minimize(&upper, &free, &steps, &Quiet(progress));
        match outcome.value.is_finite() {
            true => problem.to_values(&[upper.held, outcome.at].concat(), &values),
            false => values.clone(),
        }
    })
}

/// All starts take some steps, then a third of them is optimised to convergence.
fn rounds(problem: &DeepProblem, entries: &mut [Entry], max_iter: usize, progress: &dyn Progress) {
    let best = Mutex::new((0usize, f64::INFINITY));
    let first = FIRST_ROUND.min(max_iter);
    let total = entries.len() + entries.len().div_ceil(3);
    let step = |entry: &mut Entry, steps: usize| {
        if progress.stop() && best.lock().is_ok_and(|best| best.1.is_finite()) {
            return;
        }
        entry.advance(problem, steps, progress);
        if let Ok(mut best) = best.lock() {
            *best = (best.0 + 1, best.1.min(entry.value()));
            progress.report(best.0 as f64 / total as f64, &format!("objective {:.2}", -best.1));
        }
    };
    entries.par_iter_mut().for_each(|entry| step(entry, first));
    let mut order: Vec<usize> = (0..entries.len()).collect();
    order.sort_by(|&i, &j| entries[i].value().total_cmp(&entries[j].value()).then(i.cmp(&j)));
    order.truncate(entries.len().div_ceil(3));
    let chosen = entries.par_iter_mut().enumerate().filter(|(i, _)| order.contains(i));
    chosen.for_each(|(_, entry)| step(entry, max_iter.saturating_sub(first)));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data;
    use crate::deep::DefinitionError;
    use crate::kernel::{Kernel, families::family};
    use crate::progress::Silent;

    fn step(rows: usize) -> Dataset {
        let all = data::load("step", &[], &data::Options::default()).unwrap();
        let every = all.n() / rows;
        all.take(&(0..rows).map(|i| i * every).collect::<Vec<_>>())
    }

    fn model(layers: usize) -> DeepModel {
        let se = Kernel::family(family("SE").unwrap());
        DeepModel { inducing: 6, samples: 3, ..DeepModel::new(layers, se) }
    }

    #[test]
    fn training_is_the_same_at_any_number_of_threads() {
        let training = Training { restarts: 3, seed: 4, max_iter: 70 };
        let run = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| train(&model(2), &step(25), training, &Silent).unwrap())
        };
        let (one, two) = (run(1), run(3));
        assert_eq!((one.values, one.starts), (two.values, two.starts));
    }

    #[test]
    fn training_gains_on_its_start_and_its_trace_ascends() {
        let training = Training { restarts: 1, seed: 0, max_iter: 60 };
        let fit = train(&model(2), &step(25), training, &Silent).unwrap();
        let start = fit.problem.objective(&fit.problem.start(0, 0).unwrap()).unwrap().1;
        assert!(fit.objective > start + 1.0, "{} from {start}", fit.objective);
        assert!(fit.trace.windows(2).all(|pair| pair[1].0 >= pair[0].0 - 1e-9));
        let last = fit.trace.last().unwrap();
        assert!((last.0 - fit.objective).abs() < 1e-6);
        let adam = DeepModel { optimizer: Optimizer::Adam, ..model(2) };
        let fit = train(&adam, &step(25), training, &Silent).unwrap();
        assert!(fit.objective > start, "{}", fit.objective);
    }

    #[test]
    fn no_steps_give_the_best_start() {
        let training = Training { restarts: 3, seed: 0, max_iter: 0 };
        let fit = train(&model(2), &step(25), training, &Silent).unwrap();
        let starts = (0..3).map(|i| fit.problem.objective(&fit.problem.start(0, i).unwrap()).unwrap().1);
        let best = starts.fold(f64::NEG_INFINITY, f64::max);
        assert!((fit.objective - best).abs() < 1e-8, "{} {best}", fit.objective);
        assert_eq!(fit.ended, Ended::OutOfIterations { steps: 0 });
    }

    #[test]
    fn a_third_layer_does_not_fall_behind_two() {
        let training = Training { restarts: 2, seed: 2, max_iter: 120 };
        let data = step(25);
        // as many starts as the third layer has for its smaller model
        let two = train(&model(2), &data, Training { restarts: 1, ..training }, &Silent).unwrap();
        let three = DeepProblem::new(&model(3), &data, training.seed).unwrap();
        let start = with_inserted_layer(&three, |_| Some(two.values.clone())).unwrap();
        let (_, at_start) = three.objective(&start).unwrap();
        assert!(at_start > two.objective - 15.0, "{at_start} from {}", two.objective);
        let fit = train(&model(3), &data, training, &Silent).unwrap();
        assert!(fit.objective > two.objective - 2.0, "{} and {}", fit.objective, two.objective);
        assert_eq!(fit.starts.len(), 2);
    }

    #[test]
    fn targets_out_of_range_are_refused() {
        let rows = step(25);
        let large = rows.y().unwrap().iter().map(|y| 1e300 * y).collect();
        let columns = vec![data::Column::numeric("x", rows.x()[0].to_vec()), data::Column::numeric("y", large)];
        let large = Dataset::new(columns, Some("y"), None).unwrap();
        let refused = train(&model(2), &large, Training::default(), &Silent).unwrap_err();
        assert!(refused.to_string().contains("the values of `y` span 2.4e300"), "{refused}");
    }

    #[test]
    fn other_units_of_the_target_give_the_same_fit() {
        let rows = step(25);
        let y: Vec<f64> = rows.y().unwrap().iter().map(|y| 1024.0 * y).collect();
        let x = rows.x()[0].to_vec();
        let columns = vec![data::Column::numeric("x", x), data::Column::numeric("y", y)];
        let large = Dataset::new(columns, Some("y"), None).unwrap();
        let training = Training { restarts: 1, seed: 1, max_iter: 20 };
        let one = train(&model(2), &rows, training, &Silent).unwrap();
        let other = train(&model(2), &large, training, &Silent).unwrap();
        let ratio = other.values.noise / one.values.noise / (1024.0 * 1024.0);
        assert!((ratio - 1.0).abs() < 1e-4, "{ratio}");
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let training = Training { restarts: 1, ..Training::default() };
        let many = DeepModel { inducing: 30, ..model(2) };
        let refused = train(&many, &step(25), training, &Silent).unwrap_err();
        assert_eq!(refused, DeepError::TooManyInducing { inducing: 30, rows: 25 });
        assert_eq!(model(0).checked().unwrap_err(), DefinitionError::NoLayers);
        let iris = data::load("iris", &[], &data::Options::default()).unwrap();
        assert!(matches!(train(&model(2), &iris, training, &Silent), Err(DeepError::Data(_))));
    }
}
