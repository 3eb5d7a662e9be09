//! The bound of VFE with its gradient on one core, compared with the n·m² multiply-adds of a matrix product in the same
//! run.
//!
//! `cargo bench --bench sparse`. The sums over the rows, V Vᵀ with V of m × n, are a lower bound of every method with m
//! inducing inputs; the ratio to one such product is what is compared. Results are in docs/benchmarks.md.

use divan::Bencher;
use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, Par};
use mercer::data::{Column, Dataset};
use mercer::kernel::{Inputs, Leaf, Node, families::family};
use mercer::model::{Evidencer, Inducing, Model, Problem, Sparse, SparseMethod};

const ROWS: usize = 10_000;
const INDUCING: usize = 100;

fn main() {
    divan::main();
}

/// Eight random inputs.
fn table(n: usize) -> Dataset {
    let column = |d: usize| (0..n).map(|i| ((i * (2 * d + 3)) as f64 * 0.377).sin()).collect::<Vec<f64>>();
    let mut columns: Vec<Column> = (0..8).map(|d| Column::numeric(format!("x{d}"), column(d))).collect();
    columns.push(Column::numeric("y", (0..n).map(|i| (i as f64 * 0.711).cos()).collect()));
    Dataset::new(columns, Some("y"), None).expect("a data set")
}

#[divan::bench(min_time = 2)]
fn a_matrix_product(bencher: Bencher<'_, '_>) {
    let v = Mat::<f64>::from_fn(INDUCING, ROWS, |i, j| ((i * 31 + j * 17) as f64 * 0.37).sin());
    let mut out = Mat::<f64>::zeros(INDUCING, INDUCING);
    bencher.bench_local(|| matmul(out.as_mut(), Accum::Replace, v.as_ref(), v.transpose(), 1.0, Par::Seq));
}

fn bound(bencher: Bencher<'_, '_>, method: SparseMethod) {
    let se = family("SE").expect("a family");
    let params = se.spec().params.iter().map(|p| p.unset(true)).collect();
    let kernel = Node::Leaf(Leaf { family: se, inputs: Inputs::All, ard: true, params }).into();
    let sparse = Some(Sparse { method, inducing: Inducing::Count(INDUCING) });
    let problem = Problem::new(&Model { sparse, ..Model::new(kernel) }, &table(ROWS), true).expect("a problem");
    let mut values = mercer::fit::given(&problem);
    // inducing inputs are optimised too, as in a fit
    values.extend(problem.inducing().expect("inducing inputs").moved());
    let mut evidencer = Evidencer::new(&problem);
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("one thread");
    bencher.bench_local(|| one.install(|| evidencer.evaluate(&values, true, false).expect("a bound")));
}

#[divan::bench(min_time = 3)]
fn b_vfe_with_gradient(bencher: Bencher<'_, '_>) {
    bound(bencher, SparseMethod::Vfe);
}

#[divan::bench(min_time = 3)]
fn c_fitc_with_gradient(bencher: Bencher<'_, '_>) {
    bound(bencher, SparseMethod::Fitc);
}
