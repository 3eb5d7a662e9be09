//! A search from its base kernels: candidates per second.
//!
//! `cargo bench --bench search`. The budget is in evaluations, so that every run does the same work; `whole` searches end by
//! themselves at their depth. Candidates are those decided; how many of them were fitted to the end is printed beside.

use divan::Bencher;
use divan::counter::ItemsCount;
use mercer::data::{Column, Dataset, Options, load};
use mercer::progress::Silent;
use mercer::search::{Budget, Reached, Settings, search};

fn main() {
    divan::main();
}

/// Monthly rows with a trend, a growing season, a slower variation, and noise.
fn made_up(n: usize) -> Dataset {
    let year: Vec<f64> = (0..n).map(|i| 1949.0 + i as f64 / 12.0).collect();
    let y = |(i, t): (usize, &f64)| {
        let (x, i) = (t - 1949.0, i as f64);
        let noise = 0.8 * (91.7 * i * i).sin();
        3.0 * x + (1.0 + 0.1 * x) * (std::f64::consts::TAU * t).sin() + 2.0 * (0.9 * t).cos() + noise
    };
    let y = year.iter().enumerate().map(y).collect();
    Dataset::new(vec![Column::numeric("year", year), Column::numeric("y", y)], Some("y"), None).expect("a data set")
}

fn measured(bencher: Bencher<'_, '_>, data: &Dataset, evaluations: Option<usize>) {
    let budget = Budget { seconds: None, evaluations };
    let settings = Settings { depth: 4, budget, ..Settings::default() };
    let run = || search(data, &settings, &Silent).expect("a search");
    let found = run();
    let candidates = || found.levels.iter().flat_map(|level| &level.candidates);
    let (decided, fitted) = (candidates().count(), candidates().filter(|c| c.reached == Reached::Fitted).count());
    println!("{decided} candidates decided, {fitted} of them fitted to the end");
    bencher.counter(ItemsCount::new(decided)).bench_local(run);
}

/// The evaluations of a search that does not end by itself.
const BUDGET: Option<usize> = Some(2500);

#[divan::bench(sample_count = 5)]
fn airline_144(bencher: Bencher<'_, '_>) {
    measured(bencher, &load("airline", &[], &Options::default()).expect("a data set that ships"), BUDGET);
}

#[divan::bench(sample_count = 3)]
fn made_up_500(bencher: Bencher<'_, '_>) {
    measured(bencher, &made_up(500), BUDGET);
}

#[divan::bench(sample_count = 3)]
fn made_up_1000(bencher: Bencher<'_, '_>) {
    measured(bencher, &made_up(1000), BUDGET);
}

#[divan::bench(sample_count = 3)]
fn whole_500(bencher: Bencher<'_, '_>) {
    measured(bencher, &made_up(500), None);
}

#[divan::bench(sample_count = 3)]
fn whole_1000(bencher: Bencher<'_, '_>) {
    measured(bencher, &made_up(1000), None);
}
