//! A search from its base kernels: candidates per second.
//!
//! `cargo bench --bench search`. The budget is in evaluations, so that every run does the same work.

use divan::Bencher;
use divan::counter::ItemsCount;
use mercer::data::{Column, Dataset, Options, load};
use mercer::progress::Silent;
use mercer::search::{Budget, Search, Settings, search};

fn main() {
    divan::main();
}

/// Monthly rows with a trend, a growing season, and a slower variation.
fn made_up(n: usize) -> Dataset {
    let year: Vec<f64> = (0..n).map(|i| 1949.0 + i as f64 / 12.0).collect();
    let y = |t: &f64| {
        let x = t - 1949.0;
        3.0 * x + (1.0 + 0.1 * x) * (std::f64::consts::TAU * t).sin() + 2.0 * (0.9 * t).cos() + 0.3 * (91.7 * t).sin()
    };
    let y = year.iter().map(y).collect();
    Dataset::new(vec![Column::numeric("year", year), Column::numeric("y", y)], Some("y"), None).expect("a data set")
}

fn measured(bencher: Bencher<'_, '_>, data: &Dataset) {
    let budget = Budget { seconds: None, evaluations: Some(2500) };
    let settings = Settings { depth: 4, budget, ..Settings::default() };
    let run = || search(data, &settings, &Silent).expect("a search");
    let tried = |found: &Search| found.levels.iter().map(|level| level.candidates.len()).sum::<usize>();
    bencher.counter(ItemsCount::new(tried(&run()))).bench_local(run);
}

#[divan::bench(sample_count = 5)]
fn airline_144(bencher: Bencher<'_, '_>) {
    measured(bencher, &load("airline", &[], &Options::default()).expect("a data set that ships"));
}

#[divan::bench(sample_count = 3)]
fn made_up_500(bencher: Bencher<'_, '_>) {
    measured(bencher, &made_up(500));
}

#[divan::bench(sample_count = 3)]
fn made_up_1000(bencher: Bencher<'_, '_>) {
    measured(bencher, &made_up(1000));
}
