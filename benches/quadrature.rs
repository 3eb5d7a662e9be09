//! Bayesian quadrature on Genz's six families and four more integrands: errors compared with Monte Carlo, Sobol points
//! and Gauss rules with the same number of evaluations, and the coverage of the 95 % interval.
//!
//! Run as `cargo bench --bench quadrature -- RUNS INPUTS FROM`: repeated runs for each cell (20 unless given, each with its
//! own parameters of the integrand and its own seed), on FROM to INPUTS inputs (1 to 2 unless given). Prints the table of
//! docs/results.md.

use mercer::progress::Silent;
use mercer::quadrature::{
    Density, Evaluations, Marginal, PriorMean, Settings, Warp, default_kernels, integrate, sobol,
};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use rayon::prelude::*;
use spec_math::cephes64::erf;

type Function = Box<dyn Fn(&[f64]) -> f64 + Send + Sync>;

/// An integrand on the unit cube with its integral.
struct Case {
    f: Function,
    integral: f64,
}

type Family = (&'static str, fn(&[f64], &[f64]) -> Case);

/// a is the difficulty of each input, u the location of the feature (Genz 1984).
const FAMILIES: &[Family] = &[
    ("oscillatory", |a, u| {
        let (a, u) = (a.to_vec(), u[0]);
        let total: f64 = a.iter().sum();
        let integral = (2.0 * std::f64::consts::PI * u + total / 2.0).cos()
            * a.iter().map(|a| 2.0 * (a / 2.0).sin() / a).product::<f64>();
        let f =
            move |x: &[f64]| (2.0 * std::f64::consts::PI * u + a.iter().zip(x).map(|(a, x)| a * x).sum::<f64>()).cos();
        Case { f: Box::new(f), integral }
    }),
    ("product peak", |a, u| {
        let each = |(a, u): (&f64, &f64)| a * ((a * (1.0 - u)).atan() + (a * u).atan());
        let integral = a.iter().zip(u).map(each).product();
        let (a, u) = (a.to_vec(), u.to_vec());
        let f = move |x: &[f64]| (0..x.len()).map(|j| 1.0 / (a[j].powi(-2) + (x[j] - u[j]).powi(2))).product();
        Case { f: Box::new(f), integral }
    }),
    ("corner peak", |a, _| {
        let d = a.len();
        // by repeated integration: a sum over the corners of the cube with alternating signs
        let mut integral = 0.0;
        for bits in 0..1usize << d {
            let sum: f64 = (0..d).filter(|j| bits >> j & 1 == 1).map(|j| a[j]).sum();
            integral += if bits.count_ones() % 2 == 0 { 1.0 } else { -1.0 } / (1.0 + sum);
        }
        integral /= a.iter().product::<f64>() * (1..=d).product::<usize>() as f64;
        let a = a.to_vec();
        let f = move |x: &[f64]| (1.0 + a.iter().zip(x).map(|(a, x)| a * x).sum::<f64>()).powi(-(a.len() as i32 + 1));
        Case { f: Box::new(f), integral }
    }),
    ("Gaussian", |a, u| {
        let root = std::f64::consts::PI.sqrt();
        let each = |(a, u): (&f64, &f64)| root / (2.0 * a) * (erf(a * (1.0 - u)) + erf(a * u));
        let integral = a.iter().zip(u).map(each).product();
        let (a, u) = (a.to_vec(), u.to_vec());
        let f = move |x: &[f64]| (-(0..x.len()).map(|j| (a[j] * (x[j] - u[j])).powi(2)).sum::<f64>()).exp();
        Case { f: Box::new(f), integral }
    }),
    ("continuous", |a, u| {
        let each = |(a, u): (&f64, &f64)| (2.0 - (-a * u).exp() - (-a * (1.0 - u)).exp()) / a;
        let integral = a.iter().zip(u).map(each).product();
        let (a, u) = (a.to_vec(), u.to_vec());
        let f = move |x: &[f64]| (-(0..x.len()).map(|j| a[j] * (x[j] - u[j]).abs()).sum::<f64>()).exp();
        Case { f: Box::new(f), integral }
    }),
    ("discontinuous", |a, u| {
        // cut in the first two inputs
        let each = |j: usize| ((a[j] * if j < 2 { u[j] } else { 1.0 }).exp() - 1.0) / a[j];
        let integral = (0..a.len()).map(each).product();
        let (a, u) = (a.to_vec(), u.to_vec());
        let f = move |x: &[f64]| match (0..x.len().min(2)).any(|j| x[j] > u[j]) {
            true => 0.0,
            false => a.iter().zip(x).map(|(a, x)| a * x).sum::<f64>().exp(),
        };
        Case { f: Box::new(f), integral }
    }),
    ("exponential", |a, _| {
        let integral = a.iter().map(|a| ((a / 3.0).exp() - 1.0) / (a / 3.0)).product();
        let a = a.to_vec();
        let f = move |x: &[f64]| a.iter().zip(x).map(|(a, x)| a / 3.0 * x).sum::<f64>().exp();
        Case { f: Box::new(f), integral }
    }),
    ("polynomial", |_, u| {
        // Π (x² + u x)
        let integral = u.iter().map(|u| 1.0 / 3.0 + u / 2.0).product();
        let u = u.to_vec();
        let f = move |x: &[f64]| u.iter().zip(x).map(|(u, x)| x * x + u * x).product();
        Case { f: Box::new(f), integral }
    }),
    ("square roots", |_, u| {
        let each = |u: &f64| ((1.0 + u).powf(1.5) - u.powf(1.5)) / 1.5;
        let integral = u.iter().map(each).product();
        let u = u.to_vec();
        let f = move |x: &[f64]| u.iter().zip(x).map(|(u, x)| (x + u).sqrt()).product();
        Case { f: Box::new(f), integral }
    }),
    ("sum of sines", |a, _| {
        let integral = a.iter().map(|a| (1.0 - a.cos()) / a).sum();
        let a = a.to_vec();
        let f = move |x: &[f64]| a.iter().zip(x).map(|(a, x)| (a * x).sin()).sum();
        Case { f: Box::new(f), integral }
    }),
];

const COUNTS: [usize; 3] = [10, 30, 100];

/// Errors relative to the size of the integral.
struct Errors {
    bayesian: f64,
    inside: bool,
    monte_carlo: f64,
    sobol: f64,
    gauss: Option<f64>,
}

fn run(make: fn(&[f64], &[f64]) -> Case, d: usize, n: usize, seed: u64) -> Errors {
    let mut random = Pcg64::seed_from_u64(seed);
    let a: Vec<f64> = (0..d).map(|_| random.random_range(1.0..5.0)).collect();
    let u: Vec<f64> = (0..d).map(|_| random.random_range(0.1..0.9)).collect();
    let case = make(&a, &u);
    let density = Density::product(vec![Marginal::uniform(0.0, 1.0).unwrap(); d]).unwrap();
    let names: Vec<String> = (0..d).map(|i| format!("x{i}")).collect();
    let kernels = default_kernels(&names, &density);
    let mean = PriorMean::Given(0.0);
    let settings = Settings { density, kernels, noise: 0.0, mean, warp: Warp::None, integrated: false, seed };
    let found = integrate(Evaluations::none(names), &mut |x| Ok((case.f)(x)), n, None, settings, &Silent);
    // values that are all 0 give no interval
    let (mean, (lo, hi)) = found.map_or((0.0, (0.0, 0.0)), |z| (z.posterior.mean(), z.posterior.interval(0.95)));
    let relative = |value: f64| (value - case.integral).abs() / case.integral.abs();
    let mean_of =
        |points: &mut dyn FnMut(usize) -> Vec<f64>| (0..n).map(|i| (case.f)(&points(i))).sum::<f64>() / n as f64;
    let monte_carlo = mean_of(&mut |_| (0..d).map(|_| random.random_range(0.0..1.0)).collect());
    let quasi = mean_of(&mut |i| sobol(i, d, seed as u32));
    let gauss = (d == 1).then(|| {
        let rule = gauss_quad::GaussLegendre::new(std::num::NonZeroUsize::new(n).unwrap());
        relative(rule.integrate(0.0, 1.0, |x| (case.f)(&[x])))
    });
    Errors {
        bayesian: relative(mean),
        inside: lo <= case.integral && case.integral <= hi,
        monte_carlo: relative(monte_carlo),
        sobol: relative(quasi),
        gauss,
    }
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn main() {
    let numbers: Vec<usize> = std::env::args().filter_map(|word| word.parse().ok()).collect();
    let runs = numbers.first().copied().unwrap_or(20);
    let inputs = numbers.get(1).copied().unwrap_or(2);
    println!("| integrand | inputs | n | Bayesian | Monte Carlo | Sobol | Gauss | inside 95 % |");
    println!("|---|---|---|---|---|---|---|---|");
    for d in numbers.get(2).copied().unwrap_or(1)..=inputs {
        for (name, make) in FAMILIES {
            for n in COUNTS {
                let all: Vec<Errors> = (0..runs).into_par_iter().map(|seed| run(*make, d, n, seed as u64)).collect();
                let of = |part: fn(&Errors) -> f64| median(all.iter().map(part).collect());
                let gauss = match all[0].gauss {
                    Some(_) => format!("{:.1e}", of(|e| e.gauss.unwrap_or(f64::NAN))),
                    None => "–".into(),
                };
                let inside = 100.0 * all.iter().filter(|e| e.inside).count() as f64 / runs as f64;
                println!(
                    "| {name} | {d} | {n} | {:.1e} | {:.1e} | {:.1e} | {gauss} | {inside:.0} % |",
                    of(|e| e.bayesian),
                    of(|e| e.monte_carlo),
                    of(|e| e.sobol),
                );
            }
        }
    }
}
