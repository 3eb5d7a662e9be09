//! The Jacobian of a deep Gaussian process at a point: a product of Gaussian matrices, J_L ⋯ J_1, or with every layer
//! connected to the input J_L [J; I] (Duvenaud, "Characterizing Deep Gaussian Process Models", B.15 and B.17), and the
//! dependence of its singular values on depth.

use rand::{Rng, SeedableRng};
use rand_distr::{Distribution, StandardNormal};
use rayon::prelude::*;

use super::definition::DeepModel;
use super::prior::PriorError;
use super::spectrum::{GradedProduct, log_singular_values};
use crate::linalg::Matrix;
use crate::progress::Progress;

/// (log 2 + γ)/2 = −E log|z| for a standard normal z. The text (B.11) prints twice this value, which belongs to z².
pub const LOG_ABS_NORMAL: f64 = 0.635_181_422_730_739_1;
/// π²/8, the variance of log|z|.
pub const VAR_LOG_ABS_NORMAL: f64 = 1.233_700_550_136_169_7;

/// The largest number of layers: beyond it, the least singular values of a wide product underflow relative to the
/// largest.
pub const MOST_LAYERS: usize = 200;
/// The largest number of functions of a layer.
pub const MOST_UNITS: usize = 100;
/// The largest number of singular values over all draws and depths.
pub const MOST_VALUES: usize = 20_000_000;

/// Why the Jacobian cannot be computed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum JacobianError {
    #[error(transparent)]
    Prior(#[from] PriorError),
    #[error("the singular values of a Jacobian are available for up to {MOST_LAYERS} layers, found {found}")]
    Layers { found: usize },
    #[error("the singular values of a Jacobian are available for up to {MOST_UNITS} units and inputs, found {found}")]
    Units { found: usize },
    #[error("{draws} draws of this prior have {found} singular values, and at most {MOST_VALUES} are stored")]
    Draws { draws: usize, found: usize },
    #[error("at least 2 draws are needed for standard errors, found {found}")]
    Few { found: usize },
}

/// The singular values of the Jacobian at one depth, over all draws. Each list has an entry per singular value, the
/// largest first.
#[derive(Debug, Clone, PartialEq)]
pub struct Spectrum {
    /// The number of composed layers.
    pub layers: usize,
    /// The mean of the ratio of each to the largest of the same draw, and its standard error.
    pub mean: Vec<f64>,
    pub mean_se: Vec<f64>,
    /// The 10 %, 50 % and 90 % quantiles of these ratios.
    pub quantiles: [Vec<f64>; 3],
    /// The mean of the logarithm of each, its standard error, and the variance.
    pub log_mean: Vec<f64>,
    pub log_mean_se: Vec<f64>,
    pub log_variance: Vec<f64>,
    /// The theoretical mean and variance of log|f′| in one dimension, for a plain prior.
    pub log_limit: Option<(f64, f64)>,
}

/// The spectra of the Jacobian of a deep prior at each depth.
#[derive(Debug, Clone, PartialEq)]
pub struct Jacobian {
    pub prior: DeepModel,
    /// The point. The derivatives of draws from stationary kernels have the same distribution everywhere.
    pub at: Vec<f64>,
    pub draws: usize,
    pub seed: u64,
    pub depths: Vec<Spectrum>,
}

impl Jacobian {
    /// Draws the Jacobian at a point and computes its singular values after each layer.
    ///
    /// # Errors
    /// [`JacobianError`].
    pub fn draw(
        prior: DeepModel,
        at: Vec<f64>,
        draws: usize,
        seed: u64,
        progress: &dyn Progress,
    ) -> Result<Self, JacobianError> {
        let layers = prior.layers;
        if layers > MOST_LAYERS {
            return Err(JacobianError::Layers { found: layers });
        }
        if draws < 2 {
            return Err(JacobianError::Few { found: draws });
        }
        let widest = prior.prior_units().into_iter().chain([at.len()]).max().unwrap_or(0);
        if widest > MOST_UNITS {
            return Err(JacobianError::Units { found: widest });
        }
        let ranks = ranks(&prior, at.len());
        let found = ranks.iter().sum::<usize>().saturating_mul(draws);
        if found > MOST_VALUES {
            return Err(JacobianError::Draws { draws, found });
        }
        let deviations: Vec<Vec<f64>> =
            prior.slope_variances(at.len())?.into_iter().map(|v| v.into_iter().map(f64::sqrt).collect()).collect();
        // One generator per draw, so that draws do not depend on the number of threads. Positions of one generator at a
        // distance of a power of two would not be independent.
        let mut random = rand_pcg::Pcg64::seed_from_u64(seed);
        let seeds: Vec<u64> = (0..draws).map(|_| random.next_u64()).collect();
        let one = |draw: usize| {
            let mut random = rand_pcg::Pcg64::seed_from_u64(seeds[draw]);
            spectra(&prior, &deviations, at.len(), &mut || StandardNormal.sample(&mut random), progress)
        };
        let logs: Vec<Vec<Vec<f64>>> = (0..draws).into_par_iter().map(one).collect::<Result<_, _>>()?;
        let limits = limits(&prior, &deviations, at.len());
        let depths = ranks.iter().zip(limits).enumerate();
        let depths = depths.map(|(i, (&rank, limit))| summary(i, rank, &logs, limit)).collect();
        Ok(Self { prior, at, draws, seed, depths })
    }
}

impl Jacobian {
    /// For a connected prior whose layers are as wide as its input: the variance of the derivatives of the last layer
    /// with respect to the layer below, and the bound exp(−(log 2 + ψ(D/2))). Below the bound the part of the Jacobian
    /// from the layers below contracts, and only then does the spectrum stay flat with depth.
    pub fn contraction(&self) -> Option<(f64, f64)> {
        let width = self.at.len();
        let even = self.prior.prior_units().iter().all(|units| *units == width);
        if !self.prior.connected || !even || self.prior.layers < 2 {
            return None;
        }
        let slopes = self.prior.slope_variances(width).ok()?;
        let below = slopes.last()?.first().copied()?;
        Some((below, contraction_bound(width)))
    }
}

/// exp(−(log 2 + ψ(D/2))): a product of D × D matrices of independent normal entries contracts in its largest direction
/// if their variance is below this.
pub fn contraction_bound(width: usize) -> f64 {
    0.5 * (-statrs::function::gamma::digamma(width as f64 / 2.0)).exp()
}

/// The number of singular values after each layer.
fn ranks(prior: &DeepModel, inputs: usize) -> Vec<usize> {
    let mut rank = inputs;
    let all = prior.prior_units().into_iter().map(|units| {
        rank = units.min(if prior.connected { inputs } else { rank });
        rank
    });
    all.collect()
}

/// The logarithms of the singular values after each layer, for one draw.
fn spectra(
    prior: &DeepModel,
    deviations: &[Vec<f64>],
    inputs: usize,
    normal: &mut dyn FnMut() -> f64,
    progress: &dyn Progress,
) -> Result<Vec<Vec<f64>>, PriorError> {
    let mut plain = GradedProduct::identity(inputs);
    // The Jacobian divided by its largest entry, and the logarithm of that entry.
    let mut connected: Option<(Matrix, f64)> = None;
    let mut all = Vec::with_capacity(deviations.len());
    for (units, deviations) in prior.prior_units().into_iter().zip(deviations) {
        if progress.stop() {
            return Err(PriorError::Stopped);
        }
        let factor = Matrix::from_fn(units, deviations.len(), |_, j| deviations[j] * normal());
        if !prior.connected {
            plain.multiply(&factor);
            all.push(plain.log_singular_values());
            continue;
        }
        let (jacobian, log) = match connected.take() {
            None => (factor, 0.0),
            Some((below, log)) => {
                let shared = factor.columns(0, below.nrows()) * below;
                (shared + factor.columns(factor.ncols() - inputs, inputs) * (-log).exp(), log)
            }
        };
        let largest = jacobian.amax();
        let unit = if largest > 0.0 { largest } else { 1.0 };
        let (jacobian, log) = (jacobian / unit, log + unit.ln());
        all.push(log_singular_values(&jacobian).into_iter().map(|s| s + log).collect());
        connected = Some((jacobian, log));
    }
    Ok(all)
}

/// E log|f′| = Σ (log(σ/w) − (log 2 + γ)/2) and V = L·π²/8 after L layers, if every layer has one input and one unit.
fn limits(prior: &DeepModel, deviations: &[Vec<f64>], inputs: usize) -> Vec<Option<(f64, f64)>> {
    let (mut sum, mut narrow) = (0.0, inputs == 1);
    let mut all = Vec::with_capacity(deviations.len());
    for (i, (units, deviations)) in prior.prior_units().into_iter().zip(deviations).enumerate() {
        narrow &= units == 1 && deviations.len() == 1;
        sum += deviations.first().copied().unwrap_or(0.0).ln() - LOG_ABS_NORMAL;
        let exists = narrow && sum.is_finite();
        all.push(exists.then_some((sum, (i + 1) as f64 * VAR_LOG_ABS_NORMAL)));
    }
    all
}

fn summary(depth: usize, rank: usize, logs: &[Vec<Vec<f64>>], log_limit: Option<(f64, f64)>) -> Spectrum {
    let n = logs.len() as f64;
    let mut out = Spectrum {
        layers: depth + 1,
        mean: Vec::new(),
        mean_se: Vec::new(),
        quantiles: [Vec::new(), Vec::new(), Vec::new()],
        log_mean: Vec::new(),
        log_mean_se: Vec::new(),
        log_variance: Vec::new(),
        log_limit,
    };
    let moments = |values: &[f64]| {
        // The logarithms of a zero Jacobian are −∞ in all draws.
        if let [first, others @ ..] = values
            && others.iter().all(|other| other == first)
        {
            return (*first, 0.0, 0.0);
        }
        let mean = values.iter().sum::<f64>() / n;
        let variance = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / (n - 1.0);
        (mean, variance, (variance / n).sqrt())
    };
    for value in 0..rank {
        let own: Vec<f64> = logs.iter().map(|draw| draw[depth][value]).collect();
        // A zero Jacobian has no ratios; its singular values count as equal.
        let ratio = |draw: &Vec<Vec<f64>>| {
            let spread = draw[depth][value] - draw[depth][0];
            if spread.is_nan() { 1.0 } else { spread.exp() }
        };
        let mut ratios: Vec<f64> = logs.iter().map(ratio).collect();
        let (log_mean, log_variance, log_se) = moments(&own);
        let (mean, _, se) = moments(&ratios);
        ratios.sort_by(f64::total_cmp);
        for (list, share) in out.quantiles.iter_mut().zip([0.1, 0.5, 0.9]) {
            list.push(quantile(&ratios, share));
        }
        out.mean.push(mean);
        out.mean_se.push(se);
        out.log_mean.push(log_mean);
        out.log_mean_se.push(log_se);
        out.log_variance.push(log_variance);
    }
    out
}

/// A quantile of sorted values, interpolated linearly.
fn quantile(sorted: &[f64], share: f64) -> f64 {
    let place = share * (sorted.len() - 1) as f64;
    let (low, part) = (place.floor() as usize, place.fract());
    let high = (low + 1).min(sorted.len() - 1);
    sorted[low] + (sorted[high] - sorted[low]) * part
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn five_inputs_need_entries_of_small_variance() {
        assert!((contraction_bound(5) - 0.2475).abs() < 5e-5);
        // ψ(1/2) = −γ − 2 log 2
        assert!((contraction_bound(1) - (2.0 * LOG_ABS_NORMAL).exp()).abs() < 1e-12);
    }

    #[test]
    fn extreme_length_scales_have_no_undefined_moments() {
        let drawn = |l: f64| {
            let family = crate::kernel::families::family("SE").unwrap();
            let params = [l, 1.0].map(|x| crate::kernel::Values::One(crate::param::Param::fixed(x))).to_vec();
            let leaf = crate::kernel::Leaf { family, inputs: crate::kernel::Inputs::All, ard: false, params };
            let prior = DeepModel::new(2, crate::kernel::Node::Leaf(leaf).into());
            Jacobian::draw(prior, vec![0.0], 50, 0, &crate::progress::Silent)
        };
        assert_eq!(drawn(1e-200).unwrap_err(), JacobianError::Prior(PriorError::Steep { layer: 1 }));
        for spectrum in drawn(1e200).unwrap().depths {
            assert_eq!(spectrum.log_mean, [f64::NEG_INFINITY]);
            assert_eq!((spectrum.log_mean_se, spectrum.log_variance), (vec![0.0], vec![0.0]));
            assert_eq!(spectrum.log_limit, None);
        }
        let steep = drawn(1e-100).unwrap().depths.remove(1);
        assert!(steep.log_mean[0].is_finite() && steep.log_mean_se[0] > 0.0);
    }

    #[test]
    fn quantiles_lie_between() {
        assert_eq!(quantile(&[1.0, 2.0, 4.0], 0.5), 2.0);
        assert_eq!(quantile(&[1.0, 2.0, 4.0], 0.75), 3.0);
        assert_eq!(quantile(&[1.0], 0.9), 1.0);
    }
}
