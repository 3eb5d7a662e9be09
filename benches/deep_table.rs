//! Deep GPs with one, two and three layers on held-out rows: the table of docs/results.md.
//!
//! `cargo bench --bench deep_table -- FILE [SET:ROWS …]`. Every trial draws the rows and splits them again, 80 % for
//! training. Results are appended to FILE, one line per fit, and existing ones are not computed again: a run that was
//! stopped continues. Settings are environment variables: TRIALS (10), RESTARTS (the starts of each fit), LAYERS (3),
//! INDUCING (10), SAMPLES (10) and INFERENCE (variational or dgps).

use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::time::Instant;

use mercer::data::{self, Column, Dataset};
use mercer::deep::{DeepModel, Inference, Training, train};
use mercer::kernel::{Kernel, families::family};
use mercer::progress::Silent;
use rand::{SeedableRng, seq::SliceRandom};
use rand_pcg::Pcg64;

const CELLS: [&str; 5] = ["step:50", "step:100", "step:200", "toy_nonstationary:120", "motorcycle:133"];
/// The number of samples of the hidden layers for a score.
const SCORED: usize = 100;

fn setting(name: &str, usual: usize) -> usize {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(usual)
}

/// The values scaled to mean 0 and standard deviation 1.
fn standardised(values: &[f64]) -> Vec<f64> {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let sd = (values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / n).sqrt();
    values.iter().map(|v| (v - mean) / sd).collect()
}

/// A shipped set with one input; that of the motorcycle is standardized, as in the thesis.
fn load(set: &str) -> Dataset {
    let data = data::load(set, &[], &data::Options::default()).expect("a shipped set");
    let (x, y) = (data.x()[0].to_vec(), data.y().expect("a target").to_vec());
    let (x, y) = if set == "motorcycle" { (standardised(&x), standardised(&y)) } else { (x, y) };
    Dataset::new(vec![Column::numeric("x", x), Column::numeric("y", y)], Some("y"), None).expect("a data set")
}

fn deal(data: &Dataset, rows: usize, trial: usize) -> (Dataset, Dataset) {
    let mut order: Vec<usize> = (0..data.n()).collect();
    order.shuffle(&mut Pcg64::seed_from_u64(1000 + trial as u64));
    order.truncate(rows);
    let (train, test) = order.split_at(rows * 4 / 5);
    (data.take(train), data.take(test))
}

fn main() {
    let mut arguments = std::env::args().skip(1).filter(|argument| argument != "--bench");
    let file = arguments.next().expect("a file for the figures");
    let named: Vec<String> = arguments.collect();
    let cells: Vec<&str> = if named.is_empty() { CELLS.to_vec() } else { named.iter().map(String::as_str).collect() };
    let training = Training { restarts: setting("RESTARTS", Training::default().restarts), ..Training::default() };
    let (inducing, samples) = (setting("INDUCING", 10), setting("SAMPLES", 10));
    let dgps = std::env::var("INFERENCE").is_ok_and(|name| name == "dgps");
    let inference = if dgps { Inference::Dgps } else { Inference::Variational };
    let done = fs::read_to_string(&file).unwrap_or_default();
    let mut out = OpenOptions::new().create(true).append(true).open(&file).expect("a file for the figures");
    for cell in cells {
        let (set, rows) = cell.split_once(':').expect("SET:ROWS");
        let (data, rows) = (load(set), rows.parse().expect("a number of rows"));
        for trial in 0..setting("TRIALS", 10) {
            for layers in 1..=setting("LAYERS", 3) {
                let key = format!("{cell} {layers} {trial} ");
                if done.lines().any(|line| line.starts_with(&key)) {
                    continue;
                }
                let (known, held_out) = deal(&data, rows, trial);
                let se = Kernel::family(family("SE").expect("a family"));
                let model = DeepModel { inducing, samples, inference, ..DeepModel::new(layers, se) };
                let begun = Instant::now();
                let training = Training { seed: trial as u64, ..training };
                let fit = train(&model, &known, training, &Silent).expect("a fit");
                let seconds = begun.elapsed().as_secs_f64();
                let score = |rows: &Dataset| {
                    let x = fit.rows_of(rows).expect("the inputs");
                    let mixture = fit.mixture(&x, SCORED, 0).expect("a prediction");
                    let y = rows.y().expect("a target");
                    let mean = |values: Vec<f64>| values.iter().sum::<f64>() / y.len() as f64;
                    let squares = mixture.mean().iter().zip(y).map(|(m, y)| (y - m).powi(2)).collect();
                    let within = |share: f64| {
                        let (lo, hi) = (mixture.quantile(0.5 - 0.5 * share), mixture.quantile(0.5 + 0.5 * share));
                        mean((0..y.len()).map(|i| f64::from(u8::from(lo[i] <= y[i] && y[i] <= hi[i]))).collect())
                    };
                    (mean(mixture.log_densities(y)), mean(squares), within(0.5), within(0.95))
                };
                let (density, mse, half, most) = score(&held_out);
                let (train_density, ..) = score(&known);
                let noise = fit.values.noise.sqrt();
                let objective = fit.objective;
                let best = fit
                    .starts
                    .iter()
                    .enumerate()
                    .max_by(|a, b| a.1.unwrap_or(f64::MIN).total_cmp(&b.1.unwrap_or(f64::MIN)));
                let start = best.map_or(0, |best| best.0);
                writeln!(
                    out,
                    "{key}{density:.4} {mse:.5} {half:.3} {most:.3} {objective:.3} {train_density:.4} {noise:.5} {start} {seconds:.2}"
                )
                .expect("a line");
            }
        }
    }
    table(&fs::read_to_string(&file).expect("the figures"));
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    let n = values.len();
    0.5 * (values[n / 2] + values[(n - 1) / 2])
}

/// Medians over the trials, and the trial with the best objective.
fn table(lines: &str) {
    let mut cells: BTreeMap<(String, String), Vec<Vec<f64>>> = BTreeMap::new();
    for line in lines.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let numbers = words[3..].iter().map(|word| word.parse().expect("a number")).collect();
        cells.entry((words[0].to_string(), words[1].to_string())).or_default().push(numbers);
    }
    println!(
        "cell layers trials | density: median, lowest, best objective | MSE: median, best objective | 50 %, 95 % | seconds"
    );
    for ((cell, layers), mut trials) in cells {
        trials.sort_by(|a, b| b[4].total_cmp(&a[4]));
        let column = |at: usize| trials.iter().map(|trial| trial[at]).collect::<Vec<f64>>();
        let mean = |at: usize| column(at).iter().sum::<f64>() / trials.len() as f64;
        println!(
            "{cell} {layers} {} | {:.2} {:.2} {:.2} | {:.4} {:.4} | {:.2} {:.2} | {:.1}",
            trials.len(),
            median(&mut column(0)),
            column(0).iter().copied().fold(f64::INFINITY, f64::min),
            trials[0][0],
            median(&mut column(1)),
            trials[0][1],
            mean(2),
            mean(3),
            mean(8),
        );
    }
}
