//! The parameters of the integrand's kernel: fitted by maximum likelihood, or integrated out near that fit.

use super::density::Density;
use super::error::QuadratureError;
use super::evaluations::Evaluations;
use super::process::{PriorMean, Process};
use crate::data::{Column, Dataset};
use crate::fit::{self, Options, WEAK_PRIOR_SD};
use crate::kernel::{Bound, InputRef, Inputs, Kernel, Leaf, Node, Role, Schema, Slot, SlotState, Values, families};
use crate::linalg::{Matrix, inverse_root};
use crate::model::{Likelihood, Mean, Model, ModelError, Noise};
use crate::param::{self, Param, Prior};
use crate::progress::Progress;

/// The kernels where none is written: products of Matérn kernels, an input each, of three orders of smoothness. A squared
/// exponential is not among them: its integrals are more certain than is right for most functions, as it takes them to be
/// analytic with a spectrum that falls as that of a Gaussian does.
pub fn default_kernels(names: &[String], density: &Density) -> Vec<Kernel> {
    ["Matern52", "Matern32", "Matern12"]
        .into_iter()
        .filter_map(|family| product_kernel(family, names, density))
        .collect()
}

/// A product of kernels of one family, an input each. Its length-scales have a log-normal prior around the standard
/// deviation of the density, with a factor e either way, as a few points say little of them. With more than four inputs it
/// is around a multiple: d/4 times the standard deviation for up to 16 inputs, √d times for more.
pub fn product_kernel(family: &str, names: &[String], density: &Density) -> Option<Kernel> {
    let family = families::family(family)?;
    let one = |(i, name): (usize, &String)| {
        let (_, sd) = density.moments(i);
        let prior = param::Density::new("LogNormal", &[(sd * widening(names.len())).ln(), 1.0]).map(Prior::from);
        let l = Values::One(Param { prior, ..Param::default() });
        let inputs = Inputs::These(vec![InputRef::Name(name.as_str().into())]);
        Node::Leaf(Leaf { family, inputs, ard: false, params: vec![l, Values::One(Param::default())] }).into()
    };
    Kernel::product(names.iter().enumerate().map(one))
}

/// By how much length-scales are longer with many inputs: 1 for up to 4, and √d for d of 16 and more. The squared distance
/// of two points grows with the number of inputs. With length-scales of one standard deviation all points would be
/// independent under the prior, and the integral near the prior mean for certain.
fn widening(inputs: usize) -> f64 {
    let d = inputs as f64;
    (0.25 * d).min(d.sqrt()).max(1.0)
}

/// A kernel with values fitted to the evaluations.
#[derive(Debug)]
pub struct Fitted {
    bound: Bound,
    values: Vec<f64>,
    /// Whether all variances may be multiplied by one number, which is then integrated out in closed form.
    pub scale_is_free: bool,
}

/// The number of starts of the optimiser.
const RESTARTS: usize = 4;
/// Parameters are fitted to at most so many evaluations; the scale that has a closed form is that of all.
const MOST_FITTED: usize = 400;

/// Fits the free parameters of a kernel to evaluations.
///
/// # Errors
/// [`QuadratureError::Model`]: a kernel or points that cannot be fitted.
pub fn fitted(
    kernel: &Kernel,
    noise: f64,
    mean: PriorMean,
    evaluations: &Evaluations,
    seed: u64,
    progress: &dyn Progress,
) -> Result<Fitted, QuadratureError> {
    let thinned;
    let evaluations = match evaluations.n() <= MOST_FITTED {
        true => evaluations,
        false => {
            thinned = evaluations.thinned(MOST_FITTED);
            &thinned
        }
    };
    let columns: Vec<&[f64]> = evaluations.x().iter().map(Vec::as_slice).collect();
    let bound = kernel.bind(&Schema::unnamed(evaluations.names(), &columns))?;
    let is_free = bound.slots().iter().any(|slot| slot.state == SlotState::Free);
    if !is_free {
        return Ok(Fitted { values: bound.values(), bound, scale_is_free: false });
    }
    if evaluations.are_constant() {
        // these have no greatest likelihood
        let values = bound.slots().iter().map(default_value).collect::<Vec<f64>>();
        let scale_is_free = noise == 0.0 && scale_is_free(&bound, &values, &columns)?;
        return Ok(Fitted { bound, values, scale_is_free });
    }
    let mut target = String::from("f");
    while evaluations.names().contains(&target) {
        target.push('_');
    }
    let mut data: Vec<Column> = evaluations
        .names()
        .iter()
        .zip(evaluations.x())
        .map(|(name, x)| Column::numeric(name.as_str(), x.clone()))
        .collect();
    data.push(Column::numeric(target.as_str(), evaluations.y().to_vec()));
    let data = Dataset::new(data, Some(&target), None).map_err(ModelError::from)?;
    let model = Model {
        likelihood: Likelihood::Gaussian(Noise::Variance(Param::fixed(noise))),
        mean: match mean {
            PriorMean::Given(mean) => Mean::Constant(Param::fixed(mean)),
            PriorMean::Free => Mean::Constant(Param::default()),
        },
        ..Model::new(kernel.clone())
    };
    let options = Options { restarts: RESTARTS, seed, max_iter: 200, ..Options::default() };
    let fit = fit::fit(&model, &data, options, progress)?;
    let values = fit.problem().kernel_values(fit.values()).to_vec();
    let bound = fit.problem().bound().clone();
    let scale_is_free = noise == 0.0 && scale_is_free(&bound, &values, &columns)?;
    Ok(Fitted { bound, values, scale_is_free })
}

/// The value of a parameter that nothing is known of: the median of a log-normal prior, otherwise the default.
fn default_value(slot: &Slot) -> f64 {
    match slot.param.prior.as_ref().map(|prior| prior.density) {
        Some(param::Density::LogNormal { mean, .. })
            if slot.state == SlotState::Free && slot.param.value().is_none() =>
        {
            mean.exp()
        }
        _ => slot.value,
    }
}

/// Fits each of some kernels, from smooth to rough, to evaluations, and weighs them by their evidence at the fitted values
/// and [`ROUGHER_ODDS`]: the greatest first, without those of next to no weight. A kernel that cannot be fitted is left out if there is another.
///
/// # Errors
/// As [`fitted`].
pub fn fitted_each(
    kernels: &[Kernel],
    (noise, mean): (f64, PriorMean),
    evaluations: &Evaluations,
    seed: u64,
    progress: &dyn Progress,
) -> Result<Vec<(f64, Fitted)>, QuadratureError> {
    let mut fits = Vec::new();
    let mut failed = None;
    for (place, kernel) in kernels.iter().enumerate() {
        match fitted(kernel, noise, mean, evaluations, seed, progress) {
            Ok(fit) => fits.push((ROUGHER_ODDS.ln() * place as f64, fit)),
            Err(error) if error.is_stop() => return Err(error),
            Err(error) => failed = Some(error),
        }
    }
    match failed {
        Some(error) if fits.is_empty() => Err(error),
        _ => Ok(weighed(fits, noise, mean, evaluations)),
    }
}

/// Weights below this share of the greatest are left out.
const NEGLIGIBLE: f64 = 1e-3;

/// The prior odds of each kernel against the one before it, which is smoother: corners and jumps between evaluations are not
/// seen, and the evidence alone favours the smoother kernel too long.
const ROUGHER_ODDS: f64 = 4.0;

/// Fits, each with its log prior odds, by their posterior weights, which sum to 1; the greatest first.
fn weighed(fits: Vec<(f64, Fitted)>, noise: f64, mean: PriorMean, evaluations: &Evaluations) -> Vec<(f64, Fitted)> {
    if fits.len() < 2 {
        return fits.into_iter().map(|(_, fit)| (1.0, fit)).collect();
    }
    let one = |(odds, fit): (f64, Fitted)| {
        (odds + fit.log_evidence(noise, mean, evaluations).unwrap_or(f64::NEG_INFINITY), fit)
    };
    let mut all: Vec<(f64, Fitted)> = fits.into_iter().map(one).collect();
    all.sort_by(|a, b| b.0.total_cmp(&a.0));
    let top = if all[0].0.is_finite() { all[0].0 } else { 0.0 };
    all.iter_mut().for_each(|(log, _)| *log = (*log - top).exp());
    let kept = all.iter().take_while(|(weight, _)| *weight > NEGLIGIBLE).count().max(1);
    all.truncate(kept);
    let total: f64 = all.iter().map(|(weight, _)| weight).sum();
    match total > 0.0 {
        true => all.iter_mut().for_each(|(weight, _)| *weight /= total),
        false => all[0].0 = 1.0,
    }
    all
}

fn is_variance(role: Role) -> bool {
    role.is_scale() || role == Role::Bias
}

/// Whether multiplying all free variances by a number multiplies the whole kernel by it.
fn scale_is_free(bound: &Bound, values: &[f64], columns: &[&[f64]]) -> Result<bool, QuadratureError> {
    let variances: Vec<usize> = scalable(bound).collect();
    let points = bound.points(columns)?;
    let mut larger = values.to_vec();
    variances.iter().for_each(|i| larger[*i] *= 4.0);
    let (before, after) = (bound.cross(values, &points, &points)?, bound.cross(&larger, &points, &points)?);
    let size = before.amax();
    Ok(!variances.is_empty() && (before * 4.0 - after).amax() <= 1e-10 * size)
}

fn scalable(bound: &Bound) -> impl Iterator<Item = usize> {
    let slots = bound.slots().iter().enumerate();
    slots
        .filter(|(_, s)| s.state == SlotState::Free && is_variance(s.spec.role) && s.param.prior.is_none())
        .map(|(i, _)| i)
}

/// A set of values with its weight in the posterior.
#[derive(Debug)]
pub struct Weighted {
    pub kernel: Kernel,
    pub weight: f64,
}

impl Fitted {
    /// A kernel that already has its fitted values.
    ///
    /// # Errors
    /// [`QuadratureError::Bind`] and [`QuadratureError::Evaluation`].
    pub fn given(kernel: &Kernel, noise: f64, evaluations: &Evaluations) -> Result<Self, QuadratureError> {
        let columns: Vec<&[f64]> = evaluations.x().iter().map(Vec::as_slice).collect();
        let bound = kernel.bind(&Schema::unnamed(evaluations.names(), &columns))?;
        let values = bound.values();
        let is_free = bound.slots().iter().any(|slot| slot.state == SlotState::Free);
        let scale_is_free = is_free && noise == 0.0 && scale_is_free(&bound, &values, &columns)?;
        Ok(Self { bound, values, scale_is_free })
    }

    /// The kernel with its fitted values.
    pub fn written(&self) -> Kernel {
        self.bound.with_values(&self.values)
    }

    /// The kernel with every parameter fixed at its value.
    pub fn kernel(&self) -> Kernel {
        self.bound.with_all_fixed(&self.values)
    }

    /// The parameters to integrate out: the free ones, without one variance if the scale has a closed form.
    fn integrated(&self) -> Vec<usize> {
        let held = if self.scale_is_free { scalable(&self.bound).next() } else { None };
        let slots = self.bound.slots().iter().enumerate();
        slots.filter(|(i, s)| s.state == SlotState::Free && Some(*i) != held).map(|(i, _)| i).collect()
    }

    /// The kernel at some way from the fit, in the optimiser's coordinates of the parameters `free`, and the log
    /// posterior density there up to a constant. The scale is integrated out under a prior proportional to 1/v where it is
    /// free; a parameter without a prior is normal around its fitted value.
    fn at(
        &self,
        free: &[usize],
        away: &[f64],
        (noise, mean): (f64, PriorMean),
        evaluations: &Evaluations,
    ) -> Option<(Kernel, f64)> {
        let mut values = self.values.clone();
        let mut prior = 0.0;
        for (&i, away) in free.iter().zip(away) {
            let slot = &self.bound.slots()[i];
            values[i] = slot.domain.from_real(slot.domain.to_real(self.values[i]) + away);
            prior += match &slot.param.prior {
                Some(prior) => prior.log_density(values[i]).0 + slot.domain.slope(values[i]).abs().ln(),
                None => -0.5 * (away / WEAK_PRIOR_SD).powi(2),
            };
        }
        let kernel = self.bound.with_all_fixed(&values);
        let process = Process::new(&kernel, noise, mean, evaluations).ok()?;
        let (log_det, quadratic) = process.likelihood_terms();
        let likelihood = match self.scale_is_free {
            true => -0.5 * log_det - 0.5 * process.scale().1 * quadratic.ln(),
            false => -0.5 * log_det - 0.5 * quadratic,
        };
        let total = likelihood + prior;
        total.is_finite().then_some((kernel, total))
    }

    /// The log posterior density of the fitted values, up to a constant: the evidence of the kernel at these.
    fn log_evidence(&self, noise: f64, mean: PriorMean, evaluations: &Evaluations) -> Option<f64> {
        let free = self.integrated();
        self.at(&free, &vec![0.0; free.len()], (noise, mean), evaluations).map(|(_, total)| total)
    }

    /// Weighted sets of values that approximate the posterior of the parameters: a central composite design around the
    /// fit (Rue, Martino and Chopin 2009). The fit only if there is nothing to integrate out; empty if the fit has no
    /// density.
    pub fn spread(&self, noise: f64, mean: PriorMean, evaluations: &Evaluations) -> Vec<Weighted> {
        let free = self.integrated();
        let p = free.len();
        let at = |away: &[f64]| self.at(&free, away, (noise, mean), evaluations);
        let Some((_, top)) = at(&vec![0.0; p]) else { return Vec::new() };
        let axes = self.axes(p, &|away| at(away).map(|(_, total)| total), top);
        let set = |(z, area): (Vec<f64>, f64)| {
            let away: Vec<f64> = (0..p).map(|i| (0..p).map(|j| axes[(i, j)] * z[j]).sum()).collect();
            let (kernel, here) = at(&away)?;
            Some(Weighted { kernel, weight: area * (here - top).min(50.0).exp() })
        };
        design(p).into_iter().filter_map(set).collect()
    }

    /// V Λ^{−½} of the Hessian of the negative log posterior, by central differences. No direction is wider than the
    /// weak prior.
    fn axes(&self, p: usize, total: &dyn Fn(&[f64]) -> Option<f64>, top: f64) -> Matrix {
        const STEP: f64 = 0.1;
        let at = |moves: &[(usize, f64)]| {
            let mut away = vec![0.0; p];
            moves.iter().for_each(|(i, by)| away[*i] += by * STEP);
            total(&away).unwrap_or(top - 1.0)
        };
        let mut hessian = Matrix::zeros(p, p);
        for i in 0..p {
            hessian[(i, i)] = -(at(&[(i, 1.0)]) - 2.0 * top + at(&[(i, -1.0)])) / (STEP * STEP);
            for j in 0..i {
                let mixed = at(&[(i, 1.0), (j, 1.0)]) - at(&[(i, 1.0), (j, -1.0)]) - at(&[(i, -1.0), (j, 1.0)])
                    + at(&[(i, -1.0), (j, -1.0)]);
                hessian[(i, j)] = -mixed / (4.0 * STEP * STEP);
                hessian[(j, i)] = hessian[(i, j)];
            }
        }
        inverse_root(hessian, 1.0 / (WEAK_PRIOR_SD * WEAK_PRIOR_SD)).0
    }
}

/// Points in standard deviations, with their area weights: the centre, two on each axis, and for up to four parameters
/// the corners of a cube. All but the centre are at distance f₀√p.
fn design(p: usize) -> Vec<(Vec<f64>, f64)> {
    const F0: f64 = 1.1;
    if p == 0 {
        return vec![(Vec::new(), 1.0)];
    }
    let mut outer: Vec<Vec<f64>> = Vec::new();
    for i in 0..p {
        for sign in [-1.0, 1.0] {
            let mut z = vec![0.0; p];
            z[i] = sign * F0 * (p as f64).sqrt();
            outer.push(z);
        }
    }
    if (2..=4).contains(&p) {
        outer.extend((0..1usize << p).map(|bits| (0..p).map(|i| if bits >> i & 1 == 1 { F0 } else { -F0 }).collect()));
    }
    let area = (0.5 * p as f64 * F0 * F0).exp() / (outer.len() as f64 * F0 * F0);
    let mut points = vec![(vec![0.0; p], 1.0 - 1.0 / (F0 * F0))];
    points.extend(outer.into_iter().map(|z| (z, area)));
    points
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_design_has_the_moments_of_a_normal_density() {
        for p in 1..=5 {
            // weights times the density ratio exp(−z²/2) sum to 1, and the mean of z² is p
            let points = design(p);
            let ratio = |z: &Vec<f64>| (-0.5 * z.iter().map(|z| z * z).sum::<f64>()).exp();
            let total: f64 = points.iter().map(|(z, w)| w * ratio(z)).sum();
            let second: f64 = points.iter().map(|(z, w)| w * ratio(z) * z.iter().map(|z| z * z).sum::<f64>()).sum();
            assert!((total - 1.0).abs() < 1e-12 && (second - p as f64).abs() < 1e-12, "{p}: {total} {second}");
        }
    }
}
