//! One log marginal likelihood with its gradient on one core, compared with one Cholesky factorisation with inverse of
//! the same size.
//!
//! `cargo bench --bench lml`. The factorisation is a lower bound of every exact method; the ratio to it is what is
//! compared, and both are measured in one run. Results are in docs/benchmarks.md.

mod floor;

use divan::Bencher;
use mercer::data::{Column, Dataset};
use mercer::kernel::{Inputs, Kernel, Leaf, Node, Values, families::family, wraps};
use mercer::model::{Evidencer, Model, Problem};

const SIZES: [usize; 4] = [144, 500, 1000, 2000];

fn main() {
    divan::main();
}

fn leaf(name: &str) -> Kernel {
    Kernel::family(family(name).expect("a family"))
}

/// A monthly series with a trend and a season.
fn series(n: usize) -> Dataset {
    let year: Vec<f64> = (0..n).map(|i| 1949.0 + i as f64 / 12.0).collect();
    let y = year.iter().map(|t| 3.0 * (t - 1949.0) + 10.0 * (6.3 * t).sin() + (17.0 * t).cos()).collect();
    Dataset::new(vec![Column::numeric("year", year), Column::numeric("y", y)], Some("y"), None).expect("a data set")
}

/// Eight random inputs.
fn table(n: usize) -> Dataset {
    let column = |d: usize| (0..n).map(|i| ((i * (2 * d + 3)) as f64 * 0.377).sin()).collect::<Vec<f64>>();
    let mut columns: Vec<Column> = (0..8).map(|d| Column::numeric(format!("x{d}"), column(d))).collect();
    columns.push(Column::numeric("y", (0..n).map(|i| (i as f64 * 0.711).cos()).collect()));
    Dataset::new(columns, Some("y"), None).expect("a data set")
}

fn evidence(bencher: Bencher<'_, '_>, kernel: Kernel, data: &Dataset) {
    let problem = Problem::new(&Model::new(kernel), data, true).expect("a problem");
    let values = mercer::fit::given(&problem);
    let mut evidencer = Evidencer::new(&problem);
    bencher.bench_local(|| evidencer.evaluate(&values, true, false).expect("an evidence"));
}

#[divan::bench(args = SIZES, min_time = 1)]
fn a_cholesky_with_inverse(bencher: Bencher<'_, '_>, n: usize) {
    floor::cholesky_with_inverse(bencher, n);
}

#[divan::bench(args = SIZES, min_time = 1)]
fn b_sum_of_product(bencher: Bencher<'_, '_>, n: usize) {
    let season = Kernel::product([leaf("Per"), leaf("Lin")]).expect("a product");
    let kernel = Kernel::sum([leaf("SE"), season, leaf("RQ")]).expect("a sum");
    evidence(bencher, kernel, &series(n));
}

#[divan::bench(args = SIZES, min_time = 1)]
fn c_ard_over_8_inputs(bencher: Bencher<'_, '_>, n: usize) {
    let se = family("SE").expect("a family");
    let params = se.spec().params.iter().map(|p| p.unset(true)).collect();
    let kernel = Node::Leaf(Leaf { family: se, inputs: Inputs::All, ard: true, params }).into();
    evidence(bencher, kernel, &table(n));
}

/// Additive over 8 inputs with all orders of interaction.
#[divan::bench(args = SIZES, min_time = 1)]
fn d_additive_over_8_inputs(bencher: Bencher<'_, '_>, n: usize) {
    let bases = wraps::Bases::Like(wraps::default_base());
    let weights = vec![Values::Each(Vec::new())];
    let kernel = wraps::additive(wraps::AdditiveForm::Additive(None), bases, Inputs::All, weights).expect("a kernel");
    evidence(bencher, kernel, &table(n));
}
