//! Weighted draws of binary matrices given X = ZA + ε, a row at a time.
//!
//! A draw of the Indian buffet process adds a row to the matrix: each feature with probability m/n, and a Poisson number of
//! new ones. Given the rows so far A is normal, and so is the next row of X. Each row is drawn from its posterior given the
//! rows before it, and the draws are resampled by the density of the row (a fully adapted particle filter; Pitt and Shephard
//! 1999, Wood and Griffiths 2007). Rows are exchangeable: each run takes them in an order of its own.

use rand::RngExt;
use rand::seq::SliceRandom;
use rand_pcg::Pcg64;
use statrs::function::gamma::ln_gamma;

use super::binary_matrices::{BinaryMatrix, FeatureNoise};
use super::particles::{log_total, picked, resampled};
use super::structure_sum::{Run, Structured};
use crate::linalg::vector::{ln, log_sum_exp};
use crate::linalg::{LOG_2PI, Matrix, Vector};

/// Binary matrices with the prior of the Indian buffet process, given observations.
#[derive(Debug, Clone)]
pub struct BuffetModel<'x> {
    pub x: &'x Matrix,
    pub alpha: f64,
    pub sd: FeatureNoise,
}

/// The number of features of a row of which all combinations are tried; further ones are drawn from their prior.
const TRIED: usize = 8;
/// The probability of more new features in a row than are tried.
const NEGLIGIBLE: f64 = 1e-12;

/// A draw, and what it knows of A.
#[derive(Debug, Clone)]
struct Particle {
    columns: Vec<Vec<bool>>,
    counts: Vec<f64>,
    /// The mean of A given the rows so far, and the covariance of each of its columns.
    mean: Matrix,
    covariance: Matrix,
}

/// What a particle can do with the next row.
struct Options {
    /// The features that are tried.
    tried: Vec<usize>,
    /// Those of the others that the row has.
    others: Vec<usize>,
    /// The log weight by combination, and in it by the number of new features.
    log: Vec<f64>,
}

impl Structured for BuffetModel<'_> {
    type Structure = Vec<Vec<bool>>;

    fn log_joint(&self, columns: &Vec<Vec<bool>>) -> Option<f64> {
        let z = BinaryMatrix::new(self.x.nrows(), columns.clone());
        Some(z.log_prior(self.alpha) + z.log_likelihood(self.x, self.sd))
    }

    fn run(&self, draws: usize, random: &mut Pcg64, stop: &dyn Fn() -> bool) -> Option<Run<Vec<Vec<bool>>>> {
        let n = self.x.nrows();
        let mut order: Vec<usize> = (0..n).collect();
        order.shuffle(random);
        let mut particles = vec![Particle::new(self.x.ncols()); draws];
        let mut log_weight = 0.0;
        for (place, &row) in order.iter().enumerate() {
            if stop() {
                return None;
            }
            let new = log_poisson(self.alpha / (place + 1) as f64);
            let x: Vector = self.x.row(row).transpose();
            let options: Vec<Options> =
                particles.iter().map(|one| one.options(&x, place, &new, self.sd, random)).collect();
            let weights: Vec<f64> = options.iter().map(|one| log_total(&one.log)).collect();
            log_weight += log_sum_exp(&weights) - (draws as f64).ln();
            let next = |i: usize, random: &mut Pcg64| {
                let mut one = particles[i].clone();
                let choice = picked(&options[i].log, random);
                one.extend(row, n, &x, &options[i], (choice / new.len(), choice % new.len()), self.sd);
                one
            };
            particles = resampled(&weights, random).into_iter().map(|i| next(i, random)).collect();
        }
        let structures = particles.into_iter().map(|one| BinaryMatrix::new(n, one.columns).sorted_columns()).collect();
        Some(Run { log_weight, structures })
    }
}

/// The log probabilities of 0, 1, … of a Poisson variable, to where the rest is negligible.
fn log_poisson(rate: f64) -> Vec<f64> {
    let mut all = Vec::new();
    loop {
        let k = all.len() as f64;
        let log = k * rate.ln() - rate - ln_gamma(k + 1.0);
        all.push(log);
        // beyond twice the rate the terms fall at least by half each
        if k > 2.0 * rate && log < NEGLIGIBLE.ln() {
            return all;
        }
    }
}

impl Particle {
    fn new(dimensions: usize) -> Self {
        let (mean, covariance) = (Matrix::zeros(0, dimensions), Matrix::zeros(0, 0));
        Self { columns: Vec::new(), counts: Vec::new(), mean, covariance }
    }

    /// The weights of all combinations of features in the next row, which follows `before` others.
    fn options(&self, x: &Vector, before: usize, new: &[f64], sd: FeatureNoise, random: &mut Pcg64) -> Options {
        let k = self.columns.len();
        let share = |feature: usize| self.counts[feature] / (before + 1) as f64;
        // the features that say most of a row
        let mut tried: Vec<usize> = (0..k).collect();
        let size = |f: usize| self.mean.row(f).norm_squared() + self.covariance[(f, f)] * x.len() as f64;
        tried.sort_by(|a, b| size(*b).total_cmp(&size(*a)));
        let others: Vec<usize> = tried.split_off(k.min(TRIED));
        let others: Vec<usize> = others.into_iter().filter(|f| random.random_bool(share(*f))).collect();
        let mut residual = x.clone();
        let mut shared = Vector::zeros(k);
        let mut variance = 0.0;
        for &f in &others {
            residual -= self.mean.row(f).transpose();
            variance += 2.0 * shared[f] + self.covariance[(f, f)];
            shared += self.covariance.column(f);
        }
        let mut prior: f64 = tried.iter().map(|f| (1.0 - share(*f)).ln()).sum();
        let odds: Vec<f64> = tried.iter().map(|f| share(*f).ln() - (1.0 - share(*f)).ln()).collect();
        let (d, combinations) = (x.len() as f64, 1usize << tried.len());
        let mut log = vec![0.0; combinations * new.len()];
        let (mut spreads, mut of_code) = (vec![0.0; log.len()], vec![(0.0, 0.0); combinations]);
        for step in 0..combinations {
            // the Gray code changes one feature at a time
            let code = step ^ (step >> 1);
            if step > 0 {
                let bit = step.trailing_zeros() as usize;
                let (f, on) = (tried[bit], code >> bit & 1 == 1);
                let sign = if on { 1.0 } else { -1.0 };
                residual.iter_mut().zip(self.mean.row(f).iter()).for_each(|(r, m)| *r -= sign * m);
                variance += sign * 2.0 * shared[f] + self.covariance[(f, f)];
                shared.axpy(sign, &self.covariance.column(f), 1.0);
                prior += sign * odds[bit];
            }
            of_code[code] = (prior - 0.5 * d * LOG_2PI, residual.norm_squared());
            let least = variance.max(0.0) + sd.noise * sd.noise;
            let of_counts = &mut spreads[code * new.len()..][..new.len()];
            of_counts.iter_mut().zip(0..).for_each(|(spread, count)| {
                *spread = least + f64::from(count) * sd.features * sd.features;
            });
        }
        log.copy_from_slice(&spreads);
        ln(&mut log);
        let rows = log.chunks_mut(new.len()).zip(spreads.chunks(new.len())).zip(&of_code);
        for ((log, spreads), (prior, squares)) in rows {
            for ((log, spread), new_log) in log.iter_mut().zip(spreads).zip(new) {
                *log = prior + new_log - 0.5 * d * *log - 0.5 * squares / spread;
            }
        }
        Options { tried, others, log }
    }

    /// Adds a row with some of the features that are tried, and a number of new ones.
    fn extend(
        &mut self,
        row: usize,
        rows: usize,
        x: &Vector,
        options: &Options,
        (code, new): (usize, usize),
        sd: FeatureNoise,
    ) {
        let known = self.columns.len();
        let mut of_row = options.others.clone();
        of_row.extend(options.tried.iter().enumerate().filter(|(bit, _)| code >> bit & 1 == 1).map(|(_, f)| *f));
        of_row.extend(known..known + new);
        let k = known + new;
        let covariance = std::mem::take(&mut self.covariance);
        self.covariance = covariance.resize(k, k, 0.0);
        let mean = std::mem::take(&mut self.mean);
        self.mean = mean.resize_vertically(k, 0.0);
        for f in known..k {
            self.covariance[(f, f)] = sd.features * sd.features;
            self.columns.push(vec![false; rows]);
            self.counts.push(0.0);
        }
        let mut gain = Vector::zeros(k);
        let mut residual = x.clone();
        for &f in &of_row {
            self.columns[f][row] = true;
            self.counts[f] += 1.0;
            gain += self.covariance.column(f);
            residual -= self.mean.row(f).transpose();
        }
        let spread = of_row.iter().map(|f| gain[*f]).sum::<f64>() + sd.noise * sd.noise;
        self.mean.ger(1.0 / spread, &gain, &residual, 1.0);
        self.covariance.ger(-1.0 / spread, &gain, &gain, 1.0);
    }
}
