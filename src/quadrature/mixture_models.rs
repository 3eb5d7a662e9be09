//! Mixture models with weights and atoms, and Dirichlet-process mixtures of normal densities.
//!
//! Source: Duvenaud (2014), A.16 to A.22. The kernel between mixtures is invariant to the order of their components,
//! and to splitting a component into two with the same atom.

use rand::RngExt;
use rand_distr::{Beta, Distribution, StandardNormal};
use statrs::function::gamma::ln_gamma;

use super::particles::picked;
use crate::linalg::vector::log_sum_exp;
use crate::linalg::{LOG_2PI, Matrix};

/// Weights that sum to 1, and an atom (the mean of the component) for each.
#[derive(Debug, Clone, PartialEq)]
pub struct MixtureModel {
    pub weights: Vec<f64>,
    pub atoms: Vec<Vec<f64>>,
}

/// The prior of an atom: normal with this mean vector, and one standard deviation for all dimensions.
#[derive(Debug, Clone, PartialEq)]
pub struct AtomPrior {
    pub mean: Vec<f64>,
    pub sd: f64,
}

/// The density of a row given the atom of its component: normal, or Student-t with these degrees of freedom, with one
/// scale for all dimensions.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ComponentDensity {
    pub scale: f64,
    pub degrees: Option<f64>,
}

/// log N(x; m, s² I).
pub(super) fn log_normal(x: &[f64], m: &[f64], variance: f64) -> f64 {
    let squares: f64 = x.iter().zip(m).map(|(x, m)| (x - m).powi(2)).sum();
    -0.5 * squares / variance - 0.5 * x.len() as f64 * (LOG_2PI + variance.ln())
}

impl MixtureModel {
    /// Σᵢ Σⱼ πᵢ π′ⱼ N(θᵢ; θ′ⱼ, l² I) (A.16 with A.20).
    pub fn similarity(&self, other: &Self, l: f64) -> f64 {
        let mut sum = 0.0;
        for (p, a) in self.weights.iter().zip(&self.atoms) {
            for (q, b) in other.weights.iter().zip(&other.atoms) {
                sum += p * q * log_normal(a, b, l * l).exp();
            }
        }
        sum
    }

    /// z = Σ πᵢ N(θᵢ; λ, (l² + s²) I) (A.17 with A.21).
    pub fn kernel_mean(&self, l: f64, prior: &AtomPrior) -> f64 {
        let variance = l * l + prior.sd * prior.sd;
        let one = |(p, a): (&f64, &Vec<f64>)| p * log_normal(a, &prior.mean, variance).exp();
        self.weights.iter().zip(&self.atoms).map(one).sum()
    }

    /// V₀ = N(0; 0, (l² + 2s²) I) (A.18 with A.22), for independent atoms.
    pub fn prior_variance(l: f64, prior: &AtomPrior) -> f64 {
        let zero = vec![0.0; prior.mean.len()];
        log_normal(&zero, &zero, l * l + 2.0 * prior.sd * prior.sd).exp()
    }

    /// Σₙ log Σᵢ πᵢ p(xₙ | θᵢ), where X has one row per observation.
    pub fn log_likelihood(&self, x: &Matrix, density: ComponentDensity) -> f64 {
        let row = |n: usize| -> f64 {
            let x: Vec<f64> = x.row(n).iter().copied().collect();
            let logs = self.weights.iter().zip(&self.atoms).map(|(p, a)| p.ln() + density.log_at(&x, a));
            log_sum_exp(&logs.collect::<Vec<f64>>())
        };
        (0..x.nrows()).map(row).sum()
    }

    /// A draw of the Dirichlet process by stick-breaking, until less than 1e-6 of the mass remains.
    pub fn draw(alpha: f64, prior: &AtomPrior, random: &mut impl RngExt) -> Self {
        let (mut weights, mut atoms, mut left) = (Vec::new(), Vec::new(), 1.0);
        while left > 1e-6 {
            let part = left * Beta::new(1.0, alpha).map_or(1.0, |beta| beta.sample(random));
            weights.push(part);
            left -= part;
            atoms.push(prior.draw(random));
        }
        if let Some(last) = weights.last_mut() {
            *last += left;
        }
        Self { weights, atoms }
    }
}

impl AtomPrior {
    fn draw(&self, random: &mut impl RngExt) -> Vec<f64> {
        let one = |mean: &f64| {
            let z: f64 = StandardNormal.sample(random);
            mean + self.sd * z
        };
        self.mean.iter().map(one).collect()
    }
}

impl ComponentDensity {
    /// The log density of a row given an atom.
    pub(super) fn log_at(self, x: &[f64], atom: &[f64]) -> f64 {
        let Some(degrees) = self.degrees else { return log_normal(x, atom, self.scale * self.scale) };
        let d = x.len() as f64;
        let squares: f64 = x.iter().zip(atom).map(|(x, a)| ((x - a) / self.scale).powi(2)).sum();
        ln_gamma(0.5 * (degrees + d))
            - ln_gamma(0.5 * degrees)
            - 0.5 * d * (degrees * std::f64::consts::PI).ln()
            - d * self.scale.ln()
            - 0.5 * (degrees + d) * (squares / degrees).ln_1p()
    }
}

/// Samples from the posterior of a Dirichlet-process mixture of normal densities: collapsed Gibbs sampling of the
/// assignments (Neal 2000, algorithm 3), then weights and atoms given these. The arguments are the concentration, the
/// prior of the atoms and the scale of the components. Returns one mixture per sweep, fewer if `stop` returns `true`.
pub fn posterior_mixtures(
    x: &Matrix,
    (alpha, prior, scale): (f64, &AtomPrior, f64),
    sweeps: usize,
    random: &mut impl RngExt,
    stop: &dyn Fn() -> bool,
) -> Vec<MixtureModel> {
    let rows: Vec<Vec<f64>> = (0..x.nrows()).map(|n| x.row(n).iter().copied().collect()).collect();
    let mut of = vec![0usize; rows.len()];
    let mut mixtures = Vec::with_capacity(sweeps);
    for _ in 0..sweeps {
        for n in 0..rows.len() {
            if stop() {
                return mixtures;
            }
            let groups = 1 + of.iter().copied().max().unwrap_or(0);
            let members = |group: usize, of: &[usize]| -> Vec<usize> {
                (0..rows.len()).filter(|&i| i != n && of[i] == group).collect()
            };
            let mut logs = Vec::new();
            for group in 0..groups {
                let members = members(group, &of);
                logs.push(match members.len() {
                    0 => f64::NEG_INFINITY,
                    count => (count as f64).ln() + log_predictive(&rows[n], &members, &rows, prior, scale),
                });
            }
            logs.push(alpha.ln() + log_predictive(&rows[n], &[], &rows, prior, scale));
            of[n] = picked(&logs, random);
            renumber(&mut of);
        }
        mixtures.push(given_assignments(&of, &rows, alpha, prior, scale, random));
    }
    mixtures
}

/// Renumbers groups from 0 without gaps.
fn renumber(of: &mut [usize]) {
    let mut known: Vec<usize> = of.to_vec();
    known.sort_unstable();
    known.dedup();
    for group in of {
        *group = known.binary_search(group).unwrap_or(0);
    }
}

/// Mean and variance of an atom given the rows assigned to it.
fn atom_posterior(members: &[usize], rows: &[Vec<f64>], prior: &AtomPrior, scale: f64) -> (Vec<f64>, f64) {
    let variance = 1.0 / (1.0 / (prior.sd * prior.sd) + members.len() as f64 / (scale * scale));
    let one = |(d, mean): (usize, &f64)| {
        let sum: f64 = members.iter().map(|&i| rows[i][d]).sum();
        variance * (mean / (prior.sd * prior.sd) + sum / (scale * scale))
    };
    (prior.mean.iter().enumerate().map(one).collect(), variance)
}

fn log_predictive(x: &[f64], members: &[usize], rows: &[Vec<f64>], prior: &AtomPrior, scale: f64) -> f64 {
    let (mean, variance) = atom_posterior(members, rows, prior, scale);
    log_normal(x, &mean, variance + scale * scale)
}

/// Weights from a Dirichlet distribution over the groups and the mass of new ones, which is divided among draws of the
/// prior by stick-breaking; atoms from their normal posteriors.
fn given_assignments(
    of: &[usize],
    rows: &[Vec<f64>],
    alpha: f64,
    prior: &AtomPrior,
    scale: f64,
    random: &mut impl RngExt,
) -> MixtureModel {
    let groups = 1 + of.iter().copied().max().unwrap_or(0);
    let (mut weights, mut atoms, mut left) = (Vec::new(), Vec::new(), 1.0);
    let mut rows_left = rows.len() as f64;
    for group in 0..groups {
        let members: Vec<usize> = (0..rows.len()).filter(|&i| of[i] == group).collect();
        rows_left -= members.len() as f64;
        // a Dirichlet draw as a sequence of beta draws
        let part = Beta::new(members.len() as f64, rows_left + alpha).map_or(0.0, |beta| beta.sample(random));
        weights.push(left * part);
        left *= 1.0 - part;
        let (mean, variance) = atom_posterior(&members, rows, prior, scale);
        let posterior = AtomPrior { mean, sd: variance.sqrt() };
        atoms.push(posterior.draw(random));
    }
    let rest = MixtureModel::draw(alpha, prior, random);
    weights.extend(rest.weights.iter().map(|w| left * w));
    atoms.extend(rest.atoms);
    MixtureModel { weights, atoms }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;
    use rand_pcg::Pcg64;

    fn prior() -> AtomPrior {
        AtomPrior { mean: vec![0.5, -0.2], sd: 1.3 }
    }

    #[test]
    fn order_and_split_atoms_have_no_meaning() {
        let a = MixtureModel { weights: vec![0.3, 0.7], atoms: vec![vec![0.0, 1.0], vec![2.0, -1.0]] };
        let b = MixtureModel { weights: vec![0.6, 0.4], atoms: vec![vec![0.5, 0.5], vec![-1.0, 0.0]] };
        let turned = MixtureModel { weights: vec![0.7, 0.3], atoms: vec![vec![2.0, -1.0], vec![0.0, 1.0]] };
        let split = MixtureModel {
            weights: vec![0.3, 0.2, 0.5],
            atoms: vec![vec![0.0, 1.0], vec![2.0, -1.0], vec![2.0, -1.0]],
        };
        for other in [turned, split] {
            assert!((a.similarity(&b, 0.8) - other.similarity(&b, 0.8)).abs() < 1e-12);
            assert!((a.kernel_mean(0.8, &prior()) - other.kernel_mean(0.8, &prior())).abs() < 1e-12);
        }
    }

    #[test]
    fn integrals_agree_with_monte_carlo() {
        let (prior, l, n) = (prior(), 0.9, 40_000);
        let mut random = Pcg64::seed_from_u64(2);
        let a = MixtureModel { weights: vec![0.3, 0.7], atoms: vec![vec![0.0, 1.0], vec![2.0, -1.0]] };
        let values: Vec<f64> = (0..n).map(|_| a.similarity(&MixtureModel::draw(1.0, &prior, &mut random), l)).collect();
        let mean = values.iter().sum::<f64>() / n as f64;
        let error = (values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / (n as f64 * n as f64)).sqrt();
        assert!((mean - a.kernel_mean(l, &prior)).abs() < 4.0 * error, "{mean} {}", a.kernel_mean(l, &prior));
        let pairs: Vec<f64> = (0..n)
            .map(|_| {
                let one = MixtureModel::draw(2.0, &prior, &mut random);
                one.similarity(&MixtureModel::draw(2.0, &prior, &mut random), l)
            })
            .collect();
        let mean = pairs.iter().sum::<f64>() / n as f64;
        let error = (pairs.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / (n as f64 * n as f64)).sqrt();
        let right = MixtureModel::prior_variance(l, &prior);
        assert!((mean - right).abs() < 4.0 * error, "{mean} {right}");
    }

    #[test]
    fn two_clusters_are_found() {
        let x = Matrix::from_fn(20, 1, |i, _| if i < 10 { -3.0 } else { 3.0 } + 0.1 * (i % 10) as f64);
        let prior = AtomPrior { mean: vec![0.0], sd: 3.0 };
        let mut random = Pcg64::seed_from_u64(4);
        let mixtures = posterior_mixtures(&x, (1.0, &prior, 0.5), 60, &mut random, &|| false);
        let last = &mixtures[59];
        let mut heavy: Vec<f64> =
            last.weights.iter().zip(&last.atoms).filter(|(w, _)| **w > 0.2).map(|(_, atom)| atom[0]).collect();
        heavy.sort_by(f64::total_cmp);
        assert_eq!(heavy.len(), 2);
        assert!((heavy[0] + 2.55).abs() < 0.8 && (heavy[1] - 3.45).abs() < 0.8, "{heavy:?}");
        assert!((last.weights.iter().sum::<f64>() - 1.0).abs() < 1e-9);
    }
}
