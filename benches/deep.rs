//! Deep GPs on one core: the objective with its gradient, and a whole fit.
//!
//! `RAYON_NUM_THREADS=1 cargo bench --bench deep`. 200 rows of a step, 10 inducing inputs per layer, 5 samples.

use divan::Bencher;
use mercer::data::{self, Dataset};
use mercer::deep::{DeepModel, DeepProblem, Training, train};
use mercer::kernel::{Kernel, families::family};
use mercer::progress::Silent;

fn main() {
    divan::main();
}

fn step() -> Dataset {
    data::load("step", &[], &data::Options::default()).expect("a shipped set")
}

fn model(layers: usize) -> DeepModel {
    DeepModel::new(layers, Kernel::family(family("SE").expect("a family")))
}

#[divan::bench(args = [1, 2, 3], min_time = 1)]
fn a_objective_with_gradient(bencher: Bencher<'_, '_>, layers: usize) {
    let problem = DeepProblem::new(&model(layers), &step(), 0).expect("a problem");
    let start = problem.start(0, 0).expect("a start");
    bencher.bench_local(|| problem.slope(&start).expect("a gradient"));
}

#[divan::bench(args = [2], sample_count = 3)]
fn b_fit_of_1000_iterations(bencher: Bencher<'_, '_>, layers: usize) {
    let (model, step) = (model(layers), step());
    let training = Training { restarts: 1, ..Training::default() };
    bencher.bench_local(|| train(&model, &step, training, &Silent).expect("a fit"));
}
