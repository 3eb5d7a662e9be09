//! How well the early rounds of a search rank its candidates: the table of docs/results.md.
//!
//! `cargo bench --bench early_scores`. Every candidate that a race of the second and third depth dropped is fitted on all
//! rows to a maximum. For each series: Spearman's rank correlation with those maxima of the log likelihoods at which
//! candidates were dropped, and of the bounds of VFE with 64 and 128 fixed inducing inputs after as many steps; how long
//! a bound takes; and the regret, by which the BIC of the best of the dropped candidates is below that of the best
//! candidate that the race kept, 0 if it is not.

use std::time::Instant;

use mercer::data::{self, Column, Dataset};
use mercer::fit::{Options, fit};
use mercer::model::{Inducing, Model, Sparse, SparseMethod};
use mercer::progress::Silent;
use mercer::search::{Budget, Criterion, Reached, Settings, search};

/// The steps that a candidate has taken when it is dropped.
const EARLY_STEPS: usize = 28;

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

/// The bound of VFE after the steps that the early rounds take, with inducing inputs at every so many rows, and the seconds
/// that it took.
fn bound(model: Model, data: &Dataset, inducing: usize) -> Option<(f64, f64)> {
    let mut order: Vec<usize> = (0..data.n()).collect();
    order.sort_by(|&a, &b| data.x()[0][a].total_cmp(&data.x()[0][b]));
    let rows: Vec<usize> = (0..inducing).map(|i| order[i * (data.n() - 1) / (inducing - 1)]).collect();
    let inducing = Inducing::Data { data: data.take(&rows).into(), fixed: true };
    let model = Model { sparse: Some(Sparse { method: SparseMethod::Vfe, inducing }), ..model };
    let options = Options { restarts: 1, max_iter: EARLY_STEPS, ..Options::default() };
    let begun = Instant::now();
    let fitted = fit(&model, data, options, &Silent).ok()?;
    Some((fitted.bound()?, begun.elapsed().as_secs_f64()))
}

fn main() {
    let shipped = |name: &str| data::load(name, &[], &data::Options::default()).expect("a shipped set");
    let series = [
        ("sunspots", shipped("sunspots")),
        ("solar_forcing", shipped("solar_forcing")),
        ("mauna_loa", shipped("mauna_loa")),
        ("daily", daily(900)),
    ];
    println!("| series | rows | depth | dropped | rank correlation | bound, 64 | bound, 128 | seconds each | regret |");
    println!("|---|---:|---:|---:|---:|---:|---:|---:|---:|");
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
            let mut bounds = [Vec::new(), Vec::new()];
            let mut seconds = [0.0, 0.0];
            let mut least = f64::INFINITY;
            for candidate in level.candidates.iter().filter(|c| c.reached == Reached::Raced) {
                let Some(lml) = candidate.lml else { continue };
                let options = Options { restarts: 1, ..Options::default() };
                let Ok(fitted) = fit(&settings.model(candidate.kernel.clone()), data, options, &Silent) else {
                    continue;
                };
                let model = settings.model(candidate.kernel.clone());
                let Some(found) =
                    [64, 128].map(|m| bound(model.clone(), data, m)).into_iter().collect::<Option<Vec<_>>>()
                else {
                    continue;
                };
                for (i, (value, took)) in found.into_iter().enumerate() {
                    bounds[i].push(value);
                    seconds[i] += took;
                }
                early.push(lml);
                late.push(fitted.lml());
                least = least.min(fitted.bic());
            }
            let (depth, dropped) = (level.depth, early.len());
            let correlation = correlation(&ranks(&early), &ranks(&late));
            let of_bounds = bounds.map(|bounds| self::correlation(&ranks(&bounds), &ranks(&late)));
            println!(
                "| {name} | {} | {depth} | {dropped} | {correlation:.2} | {:.2} | {:.2} | {:.1}, {:.1} | {:.1} |",
                data.n(),
                of_bounds[0],
                of_bounds[1],
                seconds[0] / dropped as f64,
                seconds[1] / dropped as f64,
                (kept - least).max(0.0)
            );
        }
    }
}
