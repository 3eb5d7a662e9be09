//! The parameters of the integrand's kernel: fitted by the log marginal likelihood, or integrated out around that fit.

use super::conditioned::{Conditioned, PriorMean};
use super::density::Density;
use super::error::QuadratureError;
use super::evaluations::Evaluations;
use crate::data::{Column, Dataset};
use crate::fit::{self, Options};
use crate::kernel::{Bound, InputRef, Inputs, Kernel, Leaf, Node, Role, Schema, SlotState, Values, families};
use crate::linalg::Matrix;
use crate::model::{Likelihood, Mean, Model, ModelError, Noise};
use crate::param::{self, Param, Prior};
use crate::progress::Progress;

/// The kernel where none is written: a product of squared exponentials, an input each. Its length-scales have a log-normal
/// prior around the standard deviation of the density with a factor e either way, as a few points say little of them.
pub fn usual_kernel(names: &[String], density: &Density) -> Option<Kernel> {
    let family = families::family("SE")?;
    let one = |(i, name): (usize, &String)| {
        let (_, sd) = density.moments(i);
        let prior = param::Density::new("LogNormal", &[sd.ln(), 1.0]).map(Prior::from);
        let l = Values::One(Param { prior, ..Param::default() });
        let inputs = Inputs::These(vec![InputRef::Name(name.as_str().into())]);
        Node::Leaf(Leaf { family, inputs, ard: false, params: vec![l, Values::One(Param::default())] }).into()
    };
    Kernel::product(names.iter().enumerate().map(one))
}

/// A kernel with the values that the evaluations ask for.
#[derive(Debug)]
pub struct Fitted {
    bound: Bound,
    values: Vec<f64>,
    /// Every variance in the kernel may be multiplied by one number, which then has a closed form.
    pub scale_is_free: bool,
}

/// Starts of the optimiser.
const RESTARTS: usize = 4;
/// Without a prior of its own a parameter is normal around its fitted value with this standard deviation, in the
/// optimiser's coordinates.
const PRIOR_SD: f64 = 3.0;

/// Fits what is free in a kernel to evaluations.
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
    let columns: Vec<&[f64]> = evaluations.x().iter().map(Vec::as_slice).collect();
    let bound = kernel.bind(&Schema::unnamed(evaluations.names(), &columns))?;
    let is_free = bound.slots().iter().any(|slot| slot.state == SlotState::Free);
    if !is_free {
        return Ok(Fitted { values: bound.values(), bound, scale_is_free: false });
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
    let options = Options { restarts: RESTARTS, seed, max_iter: 200 };
    let fit = fit::fit(&model, &data, options, progress)?;
    let values = fit.problem().kernel_values(fit.values()).to_vec();
    let bound = fit.problem().bound().clone();
    let scale_is_free = noise == 0.0 && scale_is_free(&bound, &values, &columns)?;
    Ok(Fitted { bound, values, scale_is_free })
}

fn is_variance(role: Role) -> bool {
    matches!(role, Role::Variance | Role::SlopeVariance | Role::Bias | Role::OrderVariance)
}

/// Whether multiplying every free variance by one number multiplies the whole kernel by it.
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

/// One set of values with its share of the posterior.
#[derive(Debug, Clone)]
pub struct Weighted {
    pub kernel: Kernel,
    pub weight: f64,
}

impl Fitted {
    /// The kernel with its fitted values.
    pub fn written(&self) -> Kernel {
        self.bound.with_values(&self.values)
    }

    /// The same, every parameter a fixed number.
    pub fn kernel(&self) -> Kernel {
        self.bound.with_all_fixed(&self.values)
    }

    /// What stays to integrate over: free parameters but, where the scale has a closed form, one variance.
    fn integrated(&self) -> Vec<usize> {
        let held = if self.scale_is_free { scalable(&self.bound).next() } else { None };
        let slots = self.bound.slots().iter().enumerate();
        slots.filter(|(i, s)| s.state == SlotState::Free && Some(*i) != held).map(|(i, _)| i).collect()
    }

    fn coordinates(&self, free: &[usize]) -> Vec<f64> {
        free.iter().map(|&i| self.bound.slots()[i].domain.to_real(self.values[i])).collect()
    }

    fn values_at(&self, free: &[usize], at: &[f64]) -> Vec<f64> {
        let mut values = self.values.clone();
        for (&i, at) in free.iter().zip(at) {
            values[i] = self.bound.slots()[i].domain.from_real(*at);
        }
        values
    }

    /// The log posterior density in the optimiser's coordinates, up to a constant; the scale is integrated out under a
    /// prior proportional to 1/v where it is free.
    fn log_posterior(
        &self,
        values: &[f64],
        away: &[f64],
        free: &[usize],
        (noise, mean): (f64, PriorMean),
        (evaluations, density): (&Evaluations, &Density),
    ) -> Option<f64> {
        let kernel = self.bound.with_all_fixed(values);
        let conditioned = Conditioned::new(&kernel, noise, mean, evaluations, density).ok()?;
        let (log_det, quadratic) = conditioned.likelihood_terms();
        let likelihood = match self.scale_is_free {
            true => -0.5 * log_det - 0.5 * conditioned.scale().1 * quadratic.ln(),
            false => -0.5 * log_det - 0.5 * quadratic,
        };
        let prior: f64 = free
            .iter()
            .zip(away)
            .map(|(&i, away)| match &self.bound.slots()[i].param.prior {
                Some(prior) => {
                    prior.log_density(values[i]).0 + self.bound.slots()[i].domain.slope(values[i]).abs().ln()
                }
                None => -0.5 * (away / PRIOR_SD).powi(2),
            })
            .sum();
        Some(likelihood + prior).filter(|total| total.is_finite())
    }

    /// Sets of values with weights that stand for the posterior of the parameters: a central composite design around
    /// the fit (Rue, Martino and Chopin 2009). One set where nothing is left to integrate over.
    pub fn spread(&self, noise: f64, mean: PriorMean, evaluations: &Evaluations, density: &Density) -> Vec<Weighted> {
        let free = self.integrated();
        let p = free.len();
        let alone = vec![Weighted { kernel: self.kernel(), weight: 1.0 }];
        if p == 0 {
            return alone;
        }
        let centre = self.coordinates(&free);
        let total = |away: &[f64]| {
            let at: Vec<f64> = centre.iter().zip(away).map(|(c, a)| c + a).collect();
            self.log_posterior(&self.values_at(&free, &at), away, &free, (noise, mean), (evaluations, density))
        };
        let Some(top) = total(&vec![0.0; p]) else { return alone };
        let axes = self.axes(p, &total, top);
        let mut sets = Vec::new();
        for (z, area) in design(p) {
            let away: Vec<f64> = (0..p).map(|i| (0..p).map(|j| axes[(i, j)] * z[j]).sum()).collect();
            let Some(here) = total(&away) else { continue };
            let at: Vec<f64> = centre.iter().zip(&away).map(|(c, a)| c + a).collect();
            let kernel = self.bound.with_all_fixed(&self.values_at(&free, &at));
            sets.push(Weighted { kernel, weight: area * (here - top).min(50.0).exp() });
        }
        if sets.is_empty() { alone } else { sets }
    }

    /// V Λ^{−½} of the Hessian of the negative log posterior, by central differences. A direction is never wider than
    /// the weak prior.
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
        let eigen = hessian.symmetric_eigen();
        let widths = eigen.eigenvalues.map(|v| 1.0 / v.max(1.0 / (PRIOR_SD * PRIOR_SD)).sqrt());
        eigen.eigenvectors * Matrix::from_diagonal(&widths)
    }
}

/// Points in units of standard deviations with their area weights: the centre, two on each axis, and up to four parameters
/// the corners of a cube, all but the centre at distance f₀√p.
fn design(p: usize) -> Vec<(Vec<f64>, f64)> {
    const F0: f64 = 1.1;
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
            // weights times the density ratio exp(−z²/2) sum to 1, and z² has mean p
            let points = design(p);
            let ratio = |z: &Vec<f64>| (-0.5 * z.iter().map(|z| z * z).sum::<f64>()).exp();
            let total: f64 = points.iter().map(|(z, w)| w * ratio(z)).sum();
            let second: f64 = points.iter().map(|(z, w)| w * ratio(z) * z.iter().map(|z| z * z).sum::<f64>()).sum();
            assert!((total - 1.0).abs() < 1e-12 && (second - p as f64).abs() < 1e-12, "{p}: {total} {second}");
        }
    }
}
