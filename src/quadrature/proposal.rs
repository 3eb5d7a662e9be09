//! A density that follows an unnormalised one: a mixture of normal densities around points drawn in rounds, each from the
//! mixture that the rounds before it suggest (adaptive importance sampling; Cappé et al. 2008, Cornuet et al. 2012).

use rand::RngExt;
use rand_distr::{Distribution, StandardNormal};
use rand_pcg::Pcg64;

use super::density::{Component, Density, DensityError, Marginal};
use crate::fit::ParameterPosterior;
use crate::linalg::vector::log_sum_exp;
use crate::progress::Progress;

/// The components around the mode, in standard deviations of the normal approximation there, and their weights.
const AROUND_MODE: [(f64, f64); 2] = [(1.2, 0.7), (2.5, 0.3)];
/// The share of the first round that is drawn from the prior, where other modes may be.
const FROM_PRIOR: f64 = 0.5;
/// The number of rounds, and of draws in each: a constant, and an increment per parameter.
const ROUNDS: usize = 5;
const DRAWS: usize = 75;
const EACH: usize = 50;
/// The components around drawn points.
const CENTRES: usize = 48;
/// The shares of these, of one component that is [`WIDER`] than all draws, and of those around the mode.
const SHARES: [f64; 3] = [0.6, 0.3, 0.1];
const WIDER: f64 = 2.5;
/// No draw has more than this share of the weight of all: one draw alone does not say where the mass is.
const MOST_OF_ONE: f64 = 0.1;

/// Draws with the log of the density that they were drawn from.
#[derive(Debug, Default)]
struct Round {
    z: Vec<Vec<f64>>,
    log_target: Vec<f64>,
    /// The log density of all draws so far under each round's proposal, by round.
    log_proposals: Vec<Vec<f64>>,
}

/// A density near the posterior of parameters, in its standard coordinates, and the number of evaluations that it took.
///
/// # Errors
/// None for finite draws.
pub fn following(
    posterior: &ParameterPosterior<'_>,
    random: &mut Pcg64,
    progress: &dyn Progress,
) -> Result<(Density, usize), DensityError> {
    let p = posterior.dimensions();
    let draws = DRAWS + EACH * p;
    let mut current = around_mode(p, &[])?;
    let mut all = Round::default();
    let mut densities: Vec<Density> = Vec::new();
    for round in 0..ROUNDS {
        if progress.stop() {
            break;
        }
        for i in 0..draws {
            let from_prior = round == 0 && (i as f64) < FROM_PRIOR * draws as f64;
            let z = match from_prior {
                true => {
                    let standard: Vec<f64> = (0..p).map(|_| StandardNormal.sample(random)).collect();
                    posterior.from_prior(&standard)
                }
                false => {
                    let cube: Vec<f64> = (0..=p).map(|_| random.random_range(0.0..1.0)).collect();
                    current.place(&cube)
                }
            };
            all.log_target.push(posterior.log_density(&z).unwrap_or(f64::NEG_INFINITY));
            all.z.push(z);
        }
        progress.report(0.3 * (round + 1) as f64 / ROUNDS as f64, "draws around the posterior mode");
        densities.push(current);
        // the density of every draw under the mixture of all rounds
        all.log_proposals = densities
            .iter()
            .enumerate()
            .map(|(round, density)| all.z.iter().map(|z| log_proposal(posterior, density, round, z)).collect())
            .collect();
        current = around_mode(p, &components(&all, p)?)?;
    }
    Ok((current, all.z.len()))
}

/// The log density of a draw under the proposal of a round.
fn log_proposal(posterior: &ParameterPosterior<'_>, density: &Density, round: usize, z: &[f64]) -> f64 {
    let log = density.at(z).ln();
    match round {
        0 => log_sum_exp(&[(1.0 - FROM_PRIOR).ln() + log, FROM_PRIOR.ln() + posterior.log_prior_at(z)]),
        _ => log,
    }
}

/// The components around the mode, beside others with their weights.
fn around_mode(p: usize, others: &[Component]) -> Result<Density, DensityError> {
    let share = if others.is_empty() { 1.0 } else { SHARES[2] };
    let mut all = others.to_vec();
    for (sd, weight) in AROUND_MODE {
        all.push(Component { weight: share * weight, marginals: vec![Marginal::normal(0.0, sd)?; p] });
    }
    Density::mixture(all)
}

/// Normal components around draws that are chosen by weight, and one around all.
fn components(all: &Round, p: usize) -> Result<Vec<Component>, DensityError> {
    let n = all.z.len();
    let rounds = all.log_proposals.len() as f64;
    let log_weight = |i: usize| {
        let logs: Vec<f64> = all.log_proposals.iter().map(|round| round[i]).collect();
        all.log_target[i] - log_sum_exp(&logs) + rounds.ln()
    };
    let logs: Vec<f64> = (0..n).map(log_weight).map(|log| if log.is_nan() { f64::NEG_INFINITY } else { log }).collect();
    let total = log_sum_exp(&logs);
    if !total.is_finite() {
        return Ok(Vec::new());
    }
    let mut weights: Vec<f64> = logs.iter().map(|log| (log - total).exp().min(MOST_OF_ONE)).collect();
    let sum: f64 = weights.iter().sum();
    weights.iter_mut().for_each(|w| *w /= sum);
    let moments = |j: usize| {
        let mean: f64 = weights.iter().zip(&all.z).map(|(w, z)| w * z[j]).sum();
        let variance: f64 = weights.iter().zip(&all.z).map(|(w, z)| w * (z[j] - mean).powi(2)).sum();
        (mean, variance.sqrt())
    };
    let moments: Vec<(f64, f64)> = (0..p).map(moments).collect();
    // with few draws of any weight the spread is not known either, and is not taken below that at the mode
    let few = weights.iter().map(|w| w * w).sum::<f64>() * 10.0 > 1.0;
    let spread = |j: usize| if few { moments[j].1.max(1.0) } else { moments[j].1.max(0.1) };
    let width = (CENTRES as f64).powf(-1.0 / (p as f64 + 4.0));
    let around = |centre: &dyn Fn(usize) -> f64, factor: f64| -> Result<Vec<Marginal>, DensityError> {
        (0..p).map(|j| Marginal::normal(centre(j), factor * spread(j))).collect()
    };
    let mut out = vec![Component { weight: SHARES[1], marginals: around(&|j| moments[j].0, WIDER)? }];
    // systematic choice
    let (mut sum, mut next) = (0.0, 0.5);
    for (weight, z) in weights.iter().zip(&all.z) {
        sum += weight * CENTRES as f64;
        let mut times = 0;
        while next < sum {
            times += 1;
            next += 1.0;
        }
        if times > 0 {
            let weight = SHARES[0] * f64::from(times) / CENTRES as f64;
            out.push(Component { weight, marginals: around(&|j| z[j], width)? });
        }
    }
    let total: f64 = out.iter().map(|one| one.weight).sum();
    out.iter_mut().for_each(|one| one.weight *= (SHARES[0] + SHARES[1]) / total);
    Ok(out)
}
