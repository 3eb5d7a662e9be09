//! The evidence of a model: its likelihood integrated over the parameters by Bayesian quadrature.
//!
//! The posterior density p over a density q that follows it is a smooth quotient f, and the evidence is ∫ f q. A Gaussian
//! process given some evaluations of f has the mean function m, whose integral ∫ m q has a closed form. The mean of f − m at
//! further, independent draws from q corrects it (a control variate), so that the result and its standard deviation do not
//! rest on the kernel being right.

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

use super::density::Density;
use super::error::QuadratureError;
use super::evaluations::Evaluations;
use super::integral::{Integral, Settings, estimate};
use super::parameters::product_kernel;
use super::process::PriorMean;
use super::proposal::following;
use super::rules::sobol;
use super::warp::Warp;
use crate::fit::ParameterPosterior;
use crate::progress::Progress;

/// The log evidence and its standard deviation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ModelEvidence {
    pub log: f64,
    /// The standard deviation of the log, by the delta method. It measures the uncertainty of the quadrature.
    pub sd: f64,
    /// The number of evaluations of the likelihood.
    pub evaluations: usize,
    /// Whether the user stopped it before it was as precise as it can be.
    pub stopped: bool,
}

/// The number of evaluations that the Gaussian process is given: a constant, and an increment per parameter.
const EVALUATIONS: usize = 15;
const EACH: usize = 12;
/// The number of draws of a batch, of the first batches, and in all. With few draws the residuals look smaller than they are:
/// the process follows the bulk, and rare places that it misses are not among them.
const BATCH: usize = 50;
const FEWEST: usize = 600;
const MOST: usize = 2000;
/// The standard deviation of the log evidence at which no more draws are made.
const PRECISE: f64 = 0.02;

/// Integrates the likelihood over the parameters near a fit.
///
/// # Errors
/// [`QuadratureError`]; [`QuadratureError::Stopped`] when it was stopped before there were two evaluations.
pub fn model_evidence(
    posterior: ParameterPosterior<'_>,
    seed: u64,
    progress: &dyn Progress,
) -> Result<ModelEvidence, QuadratureError> {
    let p = posterior.dimensions();
    if p == 0 {
        return Ok(ModelEvidence { log: posterior.top(), sd: 0.0, evaluations: 1, stopped: false });
    }
    let posterior = posterior.at_mode(progress);
    let mut random = Pcg64::seed_from_u64(seed);
    let (density, before) = following(&posterior, &mut random, progress)?;
    // where there is no density the likelihood counts as 0
    let quotient = |z: &[f64]| {
        posterior.log_density(z).map_or(0.0, |log| (log - posterior.top() - density.at(z).ln()).min(700.0).exp())
    };
    let result = |mean: f64, sd: f64, evaluations: usize, stopped: bool| ModelEvidence {
        log: posterior.top() + posterior.log_volume() + mean.ln(),
        sd: sd / mean,
        evaluations,
        stopped,
    };
    let names: Vec<String> = (0..p).map(|i| format!("z{i}")).collect();
    let mut first = Evaluations::none(names.clone());
    let scramble = seed as u32 ^ (seed >> 32) as u32;
    let placed = EVALUATIONS + EACH * p;
    for i in 0..placed {
        if progress.stop() {
            break;
        }
        let z = density.place(&sobol(i, p + 1, scramble));
        first.push(&z, quotient(&z))?;
        progress.report(0.3 + 0.2 * i as f64 / placed as f64, "evaluations for the quadrature");
    }
    let surrogate = if progress.stop() { None } else { surrogate(&first, &density, seed, progress) };
    let (mut f, mut m): (Vec<f64>, Vec<f64>) = (Vec::new(), Vec::new());
    loop {
        let stopped = progress.stop();
        if f.len() >= BATCH {
            let known = surrogate.as_ref().map(|one| one.posterior.mean());
            let (mean, sd) = corrected(&f, &m, known);
            let precise = f.len() >= FEWEST && sd <= PRECISE * mean;
            if mean > 0.0 && (precise || stopped || f.len() >= MOST) {
                return Ok(result(mean, sd, before + first.n() + f.len(), stopped && !precise));
            }
        }
        if stopped || f.len() >= MOST {
            // what there is, as draws of equal weight
            let all: Vec<f64> = first.y().iter().chain(&f).copied().collect();
            let (mean, sd) = corrected(&all, &[], None);
            return match all.len() > 1 && mean > 0.0 {
                true => Ok(result(mean, sd, before + all.len(), stopped)),
                false if stopped => Err(QuadratureError::Stopped),
                false => Err(QuadratureError::NoMass(all.len())),
            };
        }
        let mut columns = vec![Vec::with_capacity(BATCH); p];
        for _ in 0..BATCH {
            let cube: Vec<f64> = (0..=p).map(|_| random.random_range(0.0..1.0)).collect();
            let z = density.place(&cube);
            f.push(quotient(&z));
            columns.iter_mut().zip(z).for_each(|(column, z)| column.push(z));
        }
        if let Some(one) = &surrogate {
            m.extend(one.predict(&columns)?.iter().map(|moments| moments.mean));
        }
        progress.report(0.5 + 0.5 * f.len() as f64 / MOST as f64, "draws for the quadrature");
    }
}

/// A Gaussian process given evaluations, with its integral. `None` where it cannot be fitted: the draws then stand alone.
fn surrogate(first: &Evaluations, density: &Density, seed: u64, progress: &dyn Progress) -> Option<Integral> {
    let settings = Settings {
        density: density.clone(),
        kernels: vec![product_kernel("SE", first.names(), density)?],
        noise: 0.0,
        mean: PriorMean::Given(0.0),
        warp: Warp::None,
        integrated: false,
        seed,
    };
    estimate(first.clone(), None, settings, progress).ok()
}

/// The mean of f from draws, with the control variate m of known mean, and its standard deviation. The factor of the
/// control variate is the one with the least variance of the residuals.
fn corrected(f: &[f64], m: &[f64], known: Option<f64>) -> (f64, f64) {
    let n = f.len() as f64;
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let of_f = mean(f);
    let (mut factor, mut of_m) = (0.0, 0.0);
    if known.is_some() {
        of_m = mean(m);
        let shared: f64 = f.iter().zip(m).map(|(f, m)| (f - of_f) * (m - of_m)).sum();
        let own: f64 = m.iter().map(|m| (m - of_m).powi(2)).sum();
        factor = if own > 0.0 && shared.is_finite() { shared / own } else { 0.0 };
    }
    let residual = |i: usize| f[i] - of_f - if factor == 0.0 { 0.0 } else { factor * (m[i] - of_m) };
    let squares: f64 = (0..f.len()).map(|i| residual(i).powi(2)).sum();
    let degrees = if factor == 0.0 { n - 1.0 } else { n - 2.0 };
    // one more draw like the largest would change the mean by as much
    let largest = (0..f.len()).map(residual).fold(0.0, f64::max) / n;
    let sd = (squares / (n * degrees.max(1.0))).sqrt().hypot(largest);
    (of_f + factor * (known.unwrap_or(0.0) - of_m), sd)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Column, Dataset};
    use crate::fit::{Options, fit};
    use crate::kernel::{Inputs, Kernel, Leaf, Node, Values, families};
    use crate::model::{Likelihood, Mean, Model, Noise};
    use crate::param::Param;
    use crate::progress::Silent;

    /// Over seeds, the evidence of a model with two parameters is that of a sum over a fine grid, and as near to it as its
    /// standard deviation states.
    fn check(model: &Model, x: Vec<f64>, y: Vec<f64>, (reach, step): (i32, f64)) {
        let data = Dataset::new(vec![Column::numeric("x", x), Column::numeric("y", y)], Some("y"), None).unwrap();
        let fit = fit(model, &data, Options { restarts: 2, ..Options::default() }, &Silent).unwrap();
        let posterior = || ParameterPosterior::new(fit.problem(), fit.values()).unwrap().at_mode(&Silent);
        let grid = posterior();
        assert_eq!(grid.dimensions(), 2);
        let places: Vec<f64> = (-reach..=reach).map(|i| f64::from(i) * step).collect();
        let mut sum = 0.0;
        for a in &places {
            for b in &places {
                sum += grid.log_density(&[*a, *b]).map_or(0.0, |log| (log - grid.top()).exp());
            }
        }
        let right = grid.top() + grid.log_volume() + (sum * step * step).ln();
        let mut inside = 0;
        for seed in 0..20 {
            let found = model_evidence(posterior(), seed, &Silent).unwrap();
            let apart = (found.log - right).abs();
            assert!(apart < 0.1 && apart < 4.0 * found.sd, "{} ± {}, right {right}", found.log, found.sd);
            inside += u32::from(apart < 2.0 * found.sd);
        }
        assert!(inside >= 17, "{inside} of 20 within two standard deviations");
    }

    #[test]
    fn the_evidence_is_that_of_a_fine_grid() {
        let x: Vec<f64> = (0..12).map(f64::from).collect();
        let y: Vec<f64> = x.iter().map(|x| (0.7 * x).sin() + 0.1 * (3.1 * x).cos()).collect();
        let kernel = Kernel::family(families::family("SE").unwrap());
        let noise = |param| Likelihood::Gaussian(Noise::Variance(param));
        let model = Model { likelihood: noise(Param::fixed(0.02)), mean: Mean::Zero, ..Model::new(kernel.clone()) };
        check(&model, x, y, (120, 0.1));
        // few points that are a function or noise: two modes (Rasmussen and Williams 2006, Fig. 5.5)
        let x = vec![-6.2, -4.4, -1.9, -0.6, 0.7, 2.1, 5.3];
        let y = vec![-0.9, 0.6, -1.1, 0.9, 1.0, -0.4, 0.8];
        let family = families::family("SE").unwrap();
        let params = vec![Values::One(Param::default()), Values::One(Param::fixed(1.0))];
        let held: Kernel = Node::Leaf(Leaf { family, inputs: Inputs::All, ard: false, params }).into();
        let model = Model { likelihood: noise(Param::default()), mean: Mean::Zero, ..Model::new(held) };
        check(&model, x, y, (200, 0.15));
    }
}
