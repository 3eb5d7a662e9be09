//! Weighted draws of partitions of rows into the components of a Dirichlet-process mixture, a row at a time.
//!
//! Each row goes to a component from its posterior given the rows before it, and the draws are resampled by the density of
//! the row (sequential imputation; Liu 1996, Fearnhead 2004). A Student-t density is a normal one with a precision that has a
//! gamma distribution of its own for each row: several draws of it are tried.

use rand::seq::SliceRandom;
use rand_distr::{Distribution, Gamma};
use rand_pcg::Pcg64;
use statrs::function::gamma::ln_gamma;

use super::mixture_models::{AtomPrior, ComponentDensity, MixtureModel, log_normal};
use super::particles::{picked, resampled};
use super::structure_sum::{Run, Structured};
use crate::linalg::Matrix;
use crate::linalg::vector::log_sum_exp;

/// A Dirichlet-process mixture, given observations.
#[derive(Debug, Clone)]
pub struct PartitionModel {
    rows: Vec<Vec<f64>>,
    alpha: f64,
    prior: AtomPrior,
    density: ComponentDensity,
}

/// The precisions of a row that are tried for a Student-t density.
const PRECISIONS: usize = 32;

/// The rows of a component: their number, the sum of their precisions, and their weighted sum.
#[derive(Debug, Clone)]
struct Cluster {
    count: f64,
    precision: f64,
    sum: Vec<f64>,
}

/// A draw: the component of each row, by the order of the run.
#[derive(Debug, Clone, Default)]
struct Particle {
    of: Vec<usize>,
    clusters: Vec<Cluster>,
}

impl PartitionModel {
    /// A mixture with this concentration, prior of the atoms and density of a component; `x` has a row per observation.
    pub fn new(x: &Matrix, alpha: f64, prior: AtomPrior, density: ComponentDensity) -> Self {
        let rows = (0..x.nrows()).map(|n| x.row(n).iter().copied().collect()).collect();
        Self { rows, alpha, prior, density }
    }

    /// The partition in which each row belongs to its most probable component.
    pub fn most_probable(&self, mixture: &MixtureModel) -> Vec<usize> {
        let of = |x: &Vec<f64>| {
            let logs =
                mixture.weights.iter().zip(&mixture.atoms).map(|(w, atom)| w.ln() + self.density.log_at(x, atom));
            logs.enumerate().max_by(|a, b| a.1.total_cmp(&b.1)).map_or(0, |(i, _)| i)
        };
        canonical(self.rows.iter().map(of).collect())
    }

    /// The log density of a row under the predictive of a component, for a scaled precision of the row.
    fn log_predictive(&self, x: &[f64], cluster: Option<&Cluster>, precision: f64) -> f64 {
        let of_prior = self.prior.sd.powi(-2);
        let (sum, total) = cluster.map_or((None, of_prior), |one| (Some(&one.sum), of_prior + one.precision));
        let centre: Vec<f64> = match sum {
            None => self.prior.mean.clone(),
            Some(sum) => sum.iter().zip(&self.prior.mean).map(|(s, m)| (s + m * of_prior) / total).collect(),
        };
        log_normal(x, &centre, 1.0 / total + 1.0 / precision)
    }

    fn precisions(&self, random: &mut Pcg64) -> Vec<f64> {
        let one = self.density.scale.powi(-2);
        let Some(degrees) = self.density.degrees else { return vec![one] };
        match Gamma::new(0.5 * degrees, 2.0 / degrees) {
            Ok(gamma) => (0..PRECISIONS).map(|_| one * gamma.sample(random).max(1e-300)).collect(),
            Err(_) => vec![one],
        }
    }

    fn add(&self, particle: &mut Particle, x: &[f64], component: usize, precision: f64) {
        if component == particle.clusters.len() {
            particle.clusters.push(Cluster { count: 0.0, precision: 0.0, sum: vec![0.0; x.len()] });
        }
        let cluster = &mut particle.clusters[component];
        cluster.count += 1.0;
        cluster.precision += precision;
        cluster.sum.iter_mut().zip(x).for_each(|(sum, x)| *sum += precision * x);
        particle.of.push(component);
    }
}

impl Structured for PartitionModel {
    type Structure = Vec<usize>;

    /// The partition's prior, and the density of each row given those before it in its component.
    fn log_joint(&self, of: &Vec<usize>) -> Option<f64> {
        if self.density.degrees.is_some() {
            return None;
        }
        let precision = self.density.scale.powi(-2);
        let mut particle = Particle::default();
        let mut total = ln_gamma(self.alpha) - ln_gamma(self.alpha + of.len() as f64);
        for (x, &component) in self.rows.iter().zip(of) {
            let cluster = particle.clusters.get(component);
            total += cluster.map_or(self.alpha, |one| one.count).ln();
            total += self.log_predictive(x, cluster, precision);
            self.add(&mut particle, x, component, precision);
        }
        Some(total)
    }

    fn run(&self, draws: usize, random: &mut Pcg64, stop: &dyn Fn() -> bool) -> Option<Run<Vec<usize>>> {
        let mut order: Vec<usize> = (0..self.rows.len()).collect();
        order.shuffle(random);
        let mut particles = vec![Particle::default(); draws];
        let mut log_weight = 0.0;
        for (place, &row) in order.iter().enumerate() {
            if stop() {
                return None;
            }
            let x = &self.rows[row];
            let mut options: Vec<(Vec<f64>, Vec<f64>)> = Vec::with_capacity(draws);
            for particle in &particles {
                let precisions = self.precisions(random);
                let mut logs = Vec::with_capacity(precisions.len() * (particle.clusters.len() + 1));
                for precision in &precisions {
                    let known = particle.clusters.iter();
                    logs.extend(known.map(|one| one.count.ln() + self.log_predictive(x, Some(one), *precision)));
                    logs.push(self.alpha.ln() + self.log_predictive(x, None, *precision));
                }
                options.push((precisions, logs));
            }
            let shared = (self.alpha + place as f64).ln();
            let weight = |(precisions, logs): &(Vec<f64>, Vec<f64>)| log_sum_exp(logs) - (precisions.len() as f64).ln();
            let weights: Vec<f64> = options.iter().map(weight).collect();
            log_weight += log_sum_exp(&weights) - (draws as f64).ln() - shared;
            let mut next = Vec::with_capacity(draws);
            for i in resampled(&weights, random) {
                let mut one = particles[i].clone();
                let (precisions, logs) = &options[i];
                let ways = one.clusters.len() + 1;
                let choice = picked(logs, random);
                self.add(&mut one, x, choice % ways, precisions[choice / ways]);
                next.push(one);
            }
            particles = next;
        }
        let in_order = |one: Particle| {
            let mut of = vec![0; order.len()];
            one.of.iter().zip(&order).for_each(|(component, row)| of[*row] = *component);
            canonical(of)
        };
        Some(Run { log_weight, structures: particles.into_iter().map(in_order).collect() })
    }
}

/// Components numbered in the order of their first rows.
fn canonical(of: Vec<usize>) -> Vec<usize> {
    let mut seen: Vec<usize> = Vec::new();
    let number = |component: usize| match seen.iter().position(|one| *one == component) {
        Some(number) => number,
        None => {
            seen.push(component);
            seen.len() - 1
        }
    };
    of.into_iter().map(number).collect()
}
