//! How well the early rounds of a search rank its candidates: the table of docs/results.md.
//!
//! `cargo bench --bench early_scores`. Every candidate that a race of the second and third depth dropped is fitted on all
//! rows to a maximum. For each series: Spearman's rank correlation of the log likelihoods at which candidates were dropped
//! with those maxima, and the regret, by which the BIC of the best of the dropped candidates is below that of the best
//! candidate that the race kept; 0 if it is not.

use mercer::data::{self, Column, Dataset};
use mercer::fit::{Options, fit};
use mercer::progress::Silent;
use mercer::search::{Budget, Criterion, Reached, Settings, search};

/// Daily rows with a week, a year and a random walk.
fn daily(n: usize) -> Dataset {
    let day: Vec<f64> = (0..n).map(|i| i as f64).collect();
    let (mut state, mut level) = (1u64, 0.0);
    let mut uniform = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1u64 << 53) as f64
    };
    let mut normal = move || (0..12).map(|_| uniform()).sum::<f64>() - 6.0;
    let y = day.iter().map(|t| {
        level += normal() / 30.0;
        let week = [0.9, -0.4, 1.2, -1.5, 0.3, 0.6, -1.1][*t as usize % 7];
        week + (std::f64::consts::TAU * t / 365.25).sin() * std::f64::consts::SQRT_2 + level + normal()
    });
    let y = y.collect();
    Dataset::new(vec![Column::numeric("day", day), Column::numeric("y", y)], Some("y"), None).expect("a data set")
}

fn ranks(values: &[f64]) -> Vec<f64> {
    let below = |a: &f64| values.iter().filter(|b| *b < a).count() as f64;
    let equal = |a: &f64| values.iter().filter(|b| *b == a).count() as f64;
    values.iter().map(|a| below(a) + 0.5 * equal(a)).collect()
}

fn correlation(a: &[f64], b: &[f64]) -> f64 {
    let mean = |v: &[f64]| v.iter().sum::<f64>() / v.len() as f64;
    let (ma, mb) = (mean(a), mean(b));
    let product =
        |v: &[f64], mv: f64, w: &[f64], mw: f64| -> f64 { v.iter().zip(w).map(|(x, y)| (x - mv) * (y - mw)).sum() };
    product(a, ma, b, mb) / (product(a, ma, a, ma) * product(b, mb, b, mb)).sqrt()
}

fn main() {
    let shipped = |name: &str| data::load(name, &[], &data::Options::default()).expect("a shipped set");
    let series = [
        ("sunspots", shipped("sunspots")),
        ("solar_forcing", shipped("solar_forcing")),
        ("mauna_loa", shipped("mauna_loa")),
        ("daily", daily(900)),
    ];
    println!("| series | rows | depth | dropped | rank correlation | regret |\n|---|---:|---:|---:|---:|---:|");
    for (name, data) in &series {
        let settings = Settings {
            depth: 3,
            criterion: Criterion::Bic,
            budget: Budget { seconds: None, evaluations: Some(20_000) },
            ..Settings::default()
        };
        let found = search(data, &settings, &Silent).expect("a search");
        for level in found.levels.iter().filter(|level| level.depth > 1) {
            let kept = level.candidates.iter().filter_map(|c| c.score).fold(f64::INFINITY, f64::min);
            let mut early = Vec::new();
            let mut late = Vec::new();
            let mut least = f64::INFINITY;
            for candidate in level.candidates.iter().filter(|c| c.reached == Reached::Raced) {
                let Some(lml) = candidate.lml else { continue };
                let options = Options { restarts: 1, ..Options::default() };
                let Ok(fitted) = fit(&settings.model(candidate.kernel.clone()), data, options, &Silent) else {
                    continue;
                };
                early.push(lml);
                late.push(fitted.lml());
                least = least.min(fitted.bic());
            }
            let (depth, dropped) = (level.depth, early.len());
            let correlation = correlation(&ranks(&early), &ranks(&late));
            println!(
                "| {name} | {} | {depth} | {dropped} | {correlation:.2} | {:.1} |",
                data.n(),
                (kept - least).max(0.0)
            );
        }
    }
}
