//! The evidence of a model with a discrete structure, as a sum over structures: exact over those that are known, and
//! estimated by sequential importance sampling over all others.
//!
//! The evidence is Z = Σ P(s) p(X | s) over structures s. Weighted draws whose weights have the mean Z give an unbiased
//! estimate of each part of the sum. The part of the known structures is computed without sampling; how far the draws are
//! from it shows whether they reach the structures that matter.

use std::collections::HashSet;
use std::hash::Hash;

use rand::SeedableRng;
use rand_pcg::Pcg64;

use super::error::QuadratureError;

/// The log evidence and its uncertainty.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SummedEvidence {
    /// The log of the evidence.
    pub log: f64,
    /// The standard deviation of the evidence divided by its mean; infinite where the draws do not reach the structures
    /// that matter.
    pub relative_sd: f64,
    /// The share of the evidence that belongs to the given structures; `None` where their terms have no closed form.
    pub found: Option<f64>,
    /// The number of weighted draws.
    pub draws: usize,
}

/// Weighted draws of one run. Each has the same weight, and the mean of exp(`log_weight`) over runs is the evidence.
#[derive(Debug, Clone, PartialEq)]
pub struct Run<S> {
    pub log_weight: f64,
    pub structures: Vec<S>,
}

/// A model with a discrete structure that can be drawn with known weights.
pub trait Structured {
    /// A structure in a form that is the same for equal ones.
    type Structure: Eq + Hash + Clone;

    /// log P(s) + log p(X | s), if it has a closed form.
    fn log_joint(&self, structure: &Self::Structure) -> Option<f64>;

    /// One run with some draws; `None` if `stop` returned `true` before its end.
    fn run(&self, draws: usize, random: &mut Pcg64, stop: &dyn Fn() -> bool) -> Option<Run<Self::Structure>>;
}

/// The number of runs after which the result may be precise enough. The draws that are asked for are divided among these and
/// one before them: few large runs have weights that vary less than those of many small ones.
const FIRST_RUNS: usize = 10;
/// The least and the largest number of draws of a run.
const LEAST_DRAWS: usize = 20;
const MOST_DRAWS: usize = 2000;
/// The relative standard deviation at which no further runs are made.
const PRECISE: f64 = 0.02;
/// The number of standard errors above which the draws differ from the known part of the sum.
const SIGNIFICANT: f64 = 2.0;

/// Sums over the known structures, those of a first run among them, and estimates the rest from at most `most` draws.
///
/// # Errors
/// [`QuadratureError::Stopped`]; [`QuadratureError::NoPoints`] if no structure has a likelihood.
pub fn summed_evidence<M: Structured>(
    model: &M,
    given: &[M::Structure],
    most: usize,
    seed: u64,
    stop: &dyn Fn() -> bool,
) -> Result<SummedEvidence, QuadratureError> {
    let mut random = Pcg64::seed_from_u64(seed);
    let each = (most / (FIRST_RUNS + 1)).clamp(LEAST_DRAWS, MOST_DRAWS);
    let mut run = || model.run(each, &mut random, stop).ok_or(QuadratureError::Stopped);
    let first = run()?;
    let mut known: HashSet<M::Structure> = HashSet::new();
    let mut terms = |structures: &[M::Structure]| -> Option<Vec<f64>> {
        structures.iter().filter(|s| known.insert((*s).clone())).map(|s| model.log_joint(s)).collect()
    };
    // without closed forms everything is left to the draws
    let of_given = terms(given);
    let mut logs = of_given.clone().unwrap_or_default();
    match terms(&first.structures).filter(|_| of_given.is_some()) {
        Some(more) => logs.extend(more),
        None => known.clear(),
    }
    let of_given = of_given.filter(|_| !known.is_empty()).map(|logs| logs.len());
    let mut runs: Vec<(f64, f64)> = Vec::new();
    let mut next = FIRST_RUNS;
    loop {
        let Run { log_weight, structures } = run()?;
        let seen = structures.iter().filter(|s| known.contains(s)).count() as f64 / structures.len() as f64;
        runs.push((log_weight, seen));
        let draws = (runs.len() + 1) * each;
        if runs.len() < next {
            continue;
        }
        next = runs.len() + FIRST_RUNS;
        let found = combined(&logs, of_given, &runs, each)?;
        if draws + each > most || found.relative_sd <= PRECISE {
            return Ok(SummedEvidence { draws, ..found });
        }
    }
}

/// Mean, and the standard deviation of its Student-t distribution.
fn mean_and_error(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let squares: f64 = values.iter().map(|v| (v - mean).powi(2)).sum();
    (mean, (squares / (n * (n - 3.0).max(1.0))).sqrt())
}

/// The relative standard deviation of the mean of log-normal variables with the variance of these logs. Weights that vary by
/// powers of ten are skewed, and the largest are seldom among a few: their sample variance is then too small.
fn skewed(runs: &[(f64, f64)]) -> f64 {
    let logs: Vec<f64> =
        runs.iter().filter(|(_, seen)| *seen < 1.0).map(|(log, seen)| log + (1.0 - seen).ln()).collect();
    let n = logs.len() as f64;
    if logs.len() < runs.len() || logs.len() < 2 {
        return 0.0;
    }
    let mean = logs.iter().sum::<f64>() / n;
    let variance = logs.iter().map(|log| (log - mean).powi(2)).sum::<f64>() / (n - 1.0);
    (variance.exp_m1() / n).sqrt()
}

/// The known terms, the first of which are those of the given structures, plus the mean over runs of what belongs to
/// other structures.
fn combined(
    logs: &[f64],
    given: Option<usize>,
    runs: &[(f64, f64)],
    each: usize,
) -> Result<SummedEvidence, QuadratureError> {
    let top = logs.iter().chain(runs.iter().map(|(log, _)| log)).copied().fold(f64::NEG_INFINITY, f64::max);
    if !top.is_finite() {
        return Err(QuadratureError::NoPoints);
    }
    let sum = |logs: &[f64]| logs.iter().map(|log| (log - top).exp()).sum::<f64>();
    let exact = sum(logs);
    let of_runs = |part: &dyn Fn(f64) -> f64| -> (f64, f64) {
        mean_and_error(&runs.iter().map(|(log, seen)| (log - top).exp() * part(*seen)).collect::<Vec<f64>>())
    };
    let (rest, rest_error) = of_runs(&|seen| 1.0 - seen);
    let total = exact + rest;
    // with no draw of another structure their share may still be about one in the number of draws
    let unseen = total / ((runs.len() * each) as f64);
    let mut error = rest_error.max(rest * skewed(runs)).max(unseen);
    let (again, again_error) = of_runs(&|seen| seen);
    let apart = (exact - again).abs();
    // all draws of a run may have one origin
    if !logs.is_empty() && apart > SIGNIFICANT * again_error.max(total / runs.len() as f64) {
        // draws that give the known part wrongly give the rest no better
        error = error.hypot(rest * apart / again.min(exact));
    }
    Ok(SummedEvidence {
        log: top + total.ln(),
        relative_sd: error / total,
        found: given.map(|given| sum(&logs[..given]) / total),
        draws: 0,
    })
}

#[cfg(test)]
mod tests {
    use super::super::binary_matrices::{BinaryMatrix, FeatureNoise};
    use super::super::buffet_runs::BuffetModel;
    use super::super::mixture_models::{AtomPrior, ComponentDensity};
    use super::super::partition_runs::PartitionModel;
    use super::*;
    use crate::linalg::vector::log_sum_exp;
    use crate::linalg::{Cholesky, LOG_2PI, Matrix};

    /// The evidence from all matrices with up to `most` copies of each column.
    fn of_all_matrices(x: &Matrix, alpha: f64, sd: FeatureNoise, most: usize) -> f64 {
        let n = x.nrows();
        let kinds = (1usize << n) - 1;
        let mut logs = Vec::new();
        for mut code in 0..(most + 1).pow(kinds as u32) {
            let mut columns = Vec::new();
            for kind in 1..=kinds {
                let column: Vec<bool> = (0..n).map(|row| kind >> row & 1 == 1).collect();
                columns.extend(std::iter::repeat_n(column, code % (most + 1)));
                code /= most + 1;
            }
            let z = BinaryMatrix::new(n, columns);
            logs.push(z.log_prior(alpha) + z.log_likelihood(x, sd));
        }
        log_sum_exp(&logs)
    }

    /// log p(X) of rows in one component: normal with covariance s² I + sd² 11ᵀ in each dimension.
    fn of_cluster(x: &Matrix, rows: &[usize], sd: f64, scale: f64, mean: f64) -> f64 {
        let n = rows.len();
        let covariance = Matrix::identity(n, n) * (scale * scale) + Matrix::repeat(n, n, sd * sd);
        let factor = Cholesky::new(covariance).unwrap();
        let d = x.ncols();
        let centred = Matrix::from_fn(n, d, |i, j| x[(rows[i], j)] - mean);
        let log_det = factor.log_det() * d as f64;
        -0.5 * (factor.half_solve(&centred).norm_squared() + log_det + (n * d) as f64 * LOG_2PI)
    }

    /// The evidence from all partitions of the rows.
    fn of_all_partitions(x: &Matrix, alpha: f64, sd: f64, scale: f64, mean: f64) -> f64 {
        fn extend(of: &mut Vec<usize>, n: usize, all: &mut Vec<Vec<usize>>) {
            if of.len() == n {
                all.push(of.clone());
                return;
            }
            for component in 0..=of.iter().map(|c| c + 1).max().unwrap_or(0) {
                of.push(component);
                extend(of, n, all);
                of.pop();
            }
        }
        let n = x.nrows();
        let mut all = Vec::new();
        extend(&mut Vec::new(), n, &mut all);
        let one = |of: &Vec<usize>| {
            let components = 1 + of.iter().max().unwrap();
            let mut log: f64 = -(0..n).map(|i| (alpha + i as f64).ln()).sum::<f64>();
            for component in 0..components {
                let rows: Vec<usize> = (0..n).filter(|i| of[*i] == component).collect();
                log += alpha.ln() + (1..rows.len()).map(|i| (i as f64).ln()).sum::<f64>();
                log += of_cluster(x, &rows, sd, scale, mean);
            }
            log
        };
        log_sum_exp(&all.iter().map(one).collect::<Vec<f64>>())
    }

    /// Over seeds, the evidence is as near to the right one as its standard deviation states.
    fn check<M: Structured>(model: &M, given: &[M::Structure], draws: usize, right: f64) {
        let mut inside = 0;
        for seed in 0..20 {
            let found = summed_evidence(model, given, draws, seed, &|| false).unwrap();
            let apart = ((found.log - right).exp() - 1.0).abs() / found.relative_sd;
            assert!(apart < 4.0 && found.relative_sd < 0.3, "{found:?}, right {right}, {apart} standard deviations");
            inside += u32::from(apart < 2.0);
        }
        assert!(inside >= 17, "{inside} of 20 within two standard deviations");
    }

    #[test]
    fn the_evidence_of_matrices_is_the_sum_over_all() {
        // the values of the first were computed independently of this program
        let x = Matrix::repeat(1, 1, 1.5);
        for (noise, right) in [(0.3, -2.274964625529232), (0.5, -2.2200240999095193), (1.0, -1.902225091022722)] {
            let sd = FeatureNoise { noise, features: 1.0 };
            assert!((of_all_matrices(&x, 1.2, sd, 60) - right).abs() < 1e-12);
            check(&BuffetModel { x: &x, alpha: 1.2, sd }, &[vec![vec![true]]], 2000, right);
        }
        let x = Matrix::from_row_slice(2, 2, &[1.0, -0.4, 0.8, 2.1]);
        for noise in [0.2, 0.7] {
            let sd = FeatureNoise { noise, features: 0.8 };
            check(&BuffetModel { x: &x, alpha: 0.8, sd }, &[], 1000, of_all_matrices(&x, 0.8, sd, 12));
        }
        let x = Matrix::from_row_slice(3, 1, &[1.0, -0.4, 2.0]);
        let sd = FeatureNoise { noise: 0.3, features: 1.0 };
        check(&BuffetModel { x: &x, alpha: 0.5, sd }, &[], 2000, of_all_matrices(&x, 0.5, sd, 3));
    }

    #[test]
    fn the_evidence_of_mixtures_is_the_sum_over_all_partitions() {
        // the values of the first were computed independently of this program
        let x = Matrix::from_row_slice(3, 2, &[1.0, 2.0, 0.5, -1.0, 9.0, 9.0]);
        let one = ComponentDensity { scale: 1.0, degrees: None };
        for (sd, right) in [(0.5, -73.20447251788457), (1.0, -51.04844981641821), (2.0, -28.57379479547118)] {
            assert!((of_all_partitions(&x, 1.0, sd, 1.0, 0.0) - right).abs() < 1e-10);
            let prior = AtomPrior { mean: vec![0.0; 2], sd };
            check(&PartitionModel::new(&x, 1.0, prior, one), &[vec![0, 0, 0]], 2000, right);
        }
        let x = Matrix::from_row_slice(7, 1, &[0.1, 2.9, -0.4, 3.3, 1.4, 0.6, 2.0]);
        let prior = AtomPrior { mean: vec![1.0], sd: 1.5 };
        let density = ComponentDensity { scale: 0.5, degrees: None };
        let right = of_all_partitions(&x, 1.3, 1.5, 0.5, 1.0);
        check(&PartitionModel::new(&x, 1.3, prior, density), &[], 1000, right);
    }

    #[test]
    fn student_components_agree_with_integrals() {
        // two rows: apart, or together in one component, by sums over a fine grid of atoms
        let x = [0.4, 3.0];
        let (alpha, sd) = (0.7, 1.2f64);
        let density = ComponentDensity { scale: 0.6, degrees: Some(1.0) };
        let step = 1e-3;
        let atoms: Vec<f64> = (-12_000..=12_000).map(|i| f64::from(i) * step).collect();
        let prior = |a: f64| (-0.5 * (a / sd).powi(2) - 0.5 * LOG_2PI - sd.ln()).exp() * step;
        let at = |x: f64, a: f64| density.log_at(&[x], &[a]).exp();
        let alone = |x: f64| atoms.iter().map(|a| prior(*a) * at(x, *a)).sum::<f64>();
        let together: f64 = atoms.iter().map(|a| prior(*a) * at(x[0], *a) * at(x[1], *a)).sum();
        let right = ((alpha * alone(x[0]) * alone(x[1]) + together) / (alpha + 1.0)).ln();
        let rows = Matrix::from_column_slice(2, 1, &x);
        let model = PartitionModel::new(&rows, alpha, AtomPrior { mean: vec![0.0], sd }, density);
        check(&model, &[vec![0, 0]], 2000, right);
    }
}
