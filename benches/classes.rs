//! Two classes: one log marginal likelihood by expectation propagation or Laplace's method with its gradient, compared
//! with one Cholesky factorisation with inverse of the same size, and whole fits.
//!
//! `cargo bench --bench classes`. Results are in docs/benchmarks.md.

mod floor;

use divan::Bencher;
use mercer::data::{Column, Dataset};
use mercer::fit::{Options, fit, given};
use mercer::kernel::{Inputs, Kernel, Leaf, Node, families::family};
use mercer::model::{Bernoulli, Evidencer, Likelihood, Link, Model, Problem};
use mercer::progress::Silent;

const SIZES: [usize; 3] = [100, 300, 1000];

fn main() {
    divan::main();
}

/// Eight random inputs; three of them determine the class, with errors.
fn table(n: usize) -> Dataset {
    let column = |d: usize| (0..n).map(|i| ((i * (2 * d + 3)) as f64 * 0.377).sin()).collect::<Vec<f64>>();
    let x: Vec<Vec<f64>> = (0..8).map(column).collect();
    let noise = |i: usize| 0.7 * ((i * i) as f64 * 0.711).sin();
    let y = (0..n).map(|i| if x[0][i] + 2.0 * x[1][i] * x[2][i] + noise(i) > 0.0 { 1.0 } else { -1.0 }).collect();
    let mut columns: Vec<Column> =
        x.into_iter().enumerate().map(|(d, x)| Column::numeric(format!("x{d}"), x)).collect();
    columns.push(Column::numeric("y", y));
    Dataset::new(columns, Some("y"), None).expect("a data set")
}

fn model(how: Bernoulli) -> Model {
    let se = family("SE").expect("a family");
    let params = se.spec().params.iter().map(|p| p.unset(true)).collect();
    let kernel: Kernel = Node::Leaf(Leaf { family: se, inputs: Inputs::All, ard: true, params }).into();
    Model { likelihood: Likelihood::Bernoulli { how, positive: None }, ..Model::new(kernel) }
}

#[divan::bench(args = SIZES, min_time = 1)]
fn a_cholesky_with_inverse(bencher: Bencher<'_, '_>, n: usize) {
    floor::cholesky_with_inverse(bencher, n);
}

fn evidence(bencher: Bencher<'_, '_>, how: Bernoulli, n: usize) {
    let problem = Problem::new(&model(how), &table(n), true).expect("a problem");
    let values = given(&problem);
    let mut evidencer = Evidencer::new(&problem);
    bencher.bench_local(|| evidencer.evaluate(&values, true, false).expect("an evidence"));
}

#[divan::bench(args = SIZES, min_time = 1)]
fn b_expectation_propagation(bencher: Bencher<'_, '_>, n: usize) {
    evidence(bencher, Bernoulli::Ep, n);
}

#[divan::bench(args = SIZES, min_time = 1)]
fn c_laplace(bencher: Bencher<'_, '_>, n: usize) {
    evidence(bencher, Bernoulli::Laplace(Link::Logistic), n);
}

/// Ten starts, the default.
#[divan::bench(args = [100, 300], sample_count = 1, sample_size = 1)]
fn d_whole_fit(bencher: Bencher<'_, '_>, n: usize) {
    let data = table(n);
    bencher.bench_local(|| fit(&model(Bernoulli::Ep), &data, Options::default(), &Silent).expect("a fit").lml());
}
