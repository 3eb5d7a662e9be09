//! The curvature of the log posterior at a maximum: final Newton steps, and standard errors.

use rayon::prelude::*;

use super::likelihood::{Here, Likelihood};
use super::short_scales::jump;
use crate::linalg::{Matrix, Vector};
use crate::model::{Parameter, ParameterKind, Warm};

/// A parameter with a larger standard error, in e-folds (or standard deviations of a column), is not determined.
const UNDETERMINED: f64 = 4.0;
/// The same for a mean function, whose offset may be far outside the data and still be determined.
const UNDETERMINED_MEAN: f64 = 1e6;
/// A parameter moves along a direction if its component is at least this share of the largest.
const SHARE: f64 = 0.05;
/// At one standard deviation the log posterior should fall by one half. If it falls by less than this along a
/// direction, the curvature is rounding, and nothing is determined.
const LEAST_FALL: f64 = 0.05;
/// Components of an eigenvector below this multiple of the Hessian's rounding error are taken for rounding.
const TURNED: f64 = 10.0;
/// Directions with less curvature than this get no step of Newton's method: the optimiser, which uses values, follows them.
const STEP_FLOOR: f64 = 1e-5;
/// The least step of differences of the gradient,
const LEAST_STEP: f64 = 1e-6;
/// and the ratio of the right step to the one taken from which the difference is taken again.
const TOO_SMALL: f64 = 4.0;
/// The maximum number of Newton steps; all use one Hessian, with one evaluation each.
const STEPS: usize = 6;

/// Minus the Hessian of the log posterior in the optimiser's coordinates of all free parameters, including those of the
/// mean, by differences of the gradient.
pub struct Curvature {
    /// The values at which it is, and the log posterior there.
    at: Vec<f64>,
    here: Here,
    /// The indices of these parameters among all.
    free: Vec<usize>,
    hessian: Matrix,
    /// 1/√ of each parameter's own curvature; 0 if it is undetermined.
    scale: Vec<f64>,
    /// Eigenvalues of the Hessian scaled to a unit diagonal, so that parameters of different scales are comparable.
    values: Vector,
    vectors: Matrix,
    /// The largest rounding error in each row of the scaled Hessian, as far as its asymmetry shows it.
    rounding: Vec<f64>,
}

/// Steps of differences.
struct Steps {
    /// In standard deviations of the parameter given all others.
    usual: f64,
    largest: f64,
}

const STEPS_OF_EXACT: Steps = Steps { usual: 0.02, largest: 1e-2 };
/// The gradient of a bound is exact to 1e-2 where the covariance of many inducing inputs is nearly singular.
const STEPS_OF_SPARSE: Steps = Steps { usual: 0.1, largest: 5e-2 };

impl Steps {
    /// The step for a parameter with this curvature.
    fn of(&self, curvature: f64) -> f64 {
        (self.usual / curvature.sqrt()).clamp(LEAST_STEP, self.largest)
    }
}

/// The distance from its value beyond which a parameter is not determined.
fn limit(parameter: &Parameter, of_classes: bool) -> f64 {
    match parameter.kind {
        ParameterKind::Mean(_) if !of_classes => UNDETERMINED_MEAN,
        _ => UNDETERMINED,
    }
}

/// Whether evaluations run in parallel: as far as the memory allows, and not those of the approximation for classes, each of
/// which starts from that before.
fn is_parallel(objective: &Likelihood<'_>) -> bool {
    objective.most >= rayon::current_num_threads() && objective.problem().classes().is_none()
}

impl Curvature {
    /// `None` if the gradient cannot be evaluated or no parameter is free.
    pub fn at(objective: &Likelihood<'_>, values: &[f64]) -> Option<Self> {
        let parameters = objective.problem().parameters();
        let inside = |i: &usize| parameters[*i].is_free() && !parameters[*i].domain.on_bound(values[*i]);
        let free: Vec<usize> = (0..parameters.len()).filter(inside).collect();
        let p = free.len();
        if p == 0 {
            return None;
        }
        let mut warm = Warm::default();
        let top = objective.at_from(values, false, &mut warm)?;
        let here = &top.slopes;
        let slopes = |a: usize, by: f64, warm: &mut Warm| -> Option<Vec<f64>> {
            let mut moved = values.to_vec();
            let domain = parameters[free[a]].domain;
            moved[free[a]] = domain.moved(values[free[a]], by);
            Some(objective.at_from(&moved, false, warm)?.slopes)
        };
        let steps = if objective.problem().inducing().is_some() { STEPS_OF_SPARSE } else { STEPS_OF_EXACT };
        let row = |a: usize, warm: &mut Warm| -> Option<Vec<f64>> {
            if objective.is_stopped() {
                return None;
            }
            // periods have errors a thousand times smaller than other parameters: the step must be a small part of the
            // error; one side is enough for it
            let (beside, by) = match slopes(a, LEAST_STEP, warm) {
                Some(up) => (up, LEAST_STEP),
                None => (slopes(a, -LEAST_STEP, warm)?, -LEAST_STEP),
            };
            let mut h = steps.of(((here[free[a]] - beside[free[a]]) / by).abs());
            loop {
                // where the covariance is singular on one side, the other side is used
                let (up, down, width) = match (slopes(a, h, warm), slopes(a, -h, warm)) {
                    (Some(up), Some(down)) => (up, down, 2.0 * h),
                    (Some(up), None) => (up, here.clone(), h),
                    (None, Some(down)) => (here.clone(), down, h),
                    (None, None) => return None,
                };
                let found: Vec<f64> = free.iter().map(|&i| (down[i] - up[i]) / width).collect();
                // with many rows the rough value may be rounding of the gradient, and its step too small
                let right = if found[a] > 0.0 { steps.of(found[a]) } else { 10.0 * h };
                if right < TOO_SMALL * h || h >= steps.largest {
                    return Some(found);
                }
                h = right.min(steps.largest);
            }
        };
        let of_classes = objective.problem().classes().is_some();
        let rows: Option<Vec<Vec<f64>>> = match is_parallel(objective) {
            true => (0..p).into_par_iter().with_max_len(1).map(|a| row(a, &mut warm.clone())).collect(),
            false => (0..p).map(|a| row(a, &mut warm)).collect(),
        };
        let rows = rows?;
        let hessian = Matrix::from_fn(p, p, |a, b| rows[a][b]);
        // a parameter that is not determined even given all others is treated separately
        let own = |a: usize| 1.0 / hessian[(a, a)].max(0.0).sqrt();
        let known = |a: &usize| own(*a) < limit(&parameters[free[*a]], of_classes);
        let scale: Vec<f64> = (0..p).map(|a| if known(&a) { own(a) } else { 0.0 }).collect();
        let scaled = Matrix::from_fn(p, p, |a, b| match a == b {
            true => 1.0,
            false => 0.5 * (hessian[(a, b)] + hessian[(b, a)]) * scale[a] * scale[b],
        });
        if scaled.iter().any(|v| !v.is_finite()) {
            return None;
        }
        let asymmetry = |a: usize, b: usize| 0.5 * (hessian[(a, b)] - hessian[(b, a)]).abs() * scale[a] * scale[b];
        let rounding = (0..p).map(|a| (0..p).map(|b| asymmetry(a, b)).fold(0.0, f64::max)).collect();
        let eigen = scaled.symmetric_eigen();
        Some(Self {
            at: values.to_vec(),
            here: top,
            free,
            hessian,
            scale,
            values: eigen.eigenvalues,
            vectors: eigen.eigenvectors,
            rounding,
        })
    }

    /// The standard error of every parameter in natural units, by the delta method. `None` for parameters that are not
    /// free, on a bound, or not determined by the data.
    ///
    /// They come from the inverse of the curvature over the directions that have curvature. A direction without
    /// curvature makes the parameters that move along it undetermined, and does not change the errors of the others.
    ///
    /// The second result is the number of directions without curvature.
    pub fn standard_errors(&self, objective: &Likelihood<'_>, values: &[f64]) -> (Vec<Option<f64>>, usize) {
        let parameters = objective.problem().parameters();
        let moves = |a: usize, k: usize| self.scale[a] * self.vectors[(a, k)].abs();
        // An error ε of the scaled Hessian turns its eigenvectors by about ε. Components of that size are rounding. They
        // matter where a sharp and a blunt parameter are involved: y = x fixes the difference of an offset and a mean to
        // a millionth, and rounding of that size must not make the slope's variance follow them.
        let turned = |a: usize, k: usize| self.vectors[(a, k)].abs() < TURNED * self.rounding[a];
        let of_classes = objective.problem().classes().is_some();
        let mut variances = vec![0.0; self.free.len()];
        let mut without_curvature = 0;
        let flat = self.flat(objective, values);
        for (k, &value) in self.values.iter().enumerate() {
            let fastest = (0..self.free.len()).map(|a| moves(a, k)).fold(0.0, f64::max);
            let flat = flat[k];
            // along this direction its parameters reach the limit of being undetermined
            let far = |a: usize| moves(a, k) > limit(&parameters[self.free[a]], of_classes) * value.sqrt();
            without_curvature += usize::from(flat || (0..self.free.len()).any(far));
            for (a, variance) in variances.iter_mut().enumerate() {
                match flat {
                    false => *variance += moves(a, k).powi(2) / value,
                    true if moves(a, k) > SHARE * fastest && !turned(a, k) => *variance = f64::INFINITY,
                    true => {}
                }
            }
        }
        let mut errors = vec![None; parameters.len()];
        for (a, &i) in self.free.iter().enumerate().filter(|(a, _)| self.scale[*a] > 0.0) {
            let error = variances[a].sqrt();
            if error < limit(&parameters[i], of_classes) {
                errors[i] = Some(error * parameters[i].domain.slope(values[i])).filter(|error| error.is_finite());
            }
        }
        // the curvature at the place of a jump says nothing of the rest of the gap between two rows
        for (i, error) in errors.iter_mut().enumerate() {
            if error.is_some() && jump(objective.problem(), values, i).is_some() {
                *error = None;
            }
        }
        (errors, without_curvature)
    }

    /// Whether the log posterior does not fall along each direction.
    fn flat(&self, objective: &Likelihood<'_>, values: &[f64]) -> Vec<bool> {
        let here = objective.total(values);
        let one = |k: usize| here.is_some_and(|here| self.is_flat(k, objective, values, here));
        match is_parallel(objective) {
            true => (0..self.values.len()).into_par_iter().with_max_len(1).map(one).collect(),
            false => (0..self.values.len()).map(one).collect(),
        }
    }

    /// Whether the log posterior does not fall along a direction, one standard deviation to either side. Where the
    /// curvature is small, differences of gradients are rounding, and the direction is inexact. So one Newton step
    /// first maximises over the other directions.
    fn is_flat(&self, k: usize, objective: &Likelihood<'_>, values: &[f64], here: f64) -> bool {
        let value = self.values[k];
        if value <= 0.0 {
            return true;
        }
        let parameters = objective.problem().parameters();
        let moved_by = |from: &[f64], step: &Vector| {
            let mut moved = from.to_vec();
            for ((&i, scale), step) in self.free.iter().zip(&self.scale).zip(step.iter()) {
                moved[i] = parameters[i].domain.moved(from[i], scale * step);
            }
            moved
        };
        let falls = |by: f64| {
            let moved = moved_by(values, &(self.vectors.column(k) * by));
            let Some(there) = objective.at(&moved, false) else { return true };
            if here - there.total <= LEAST_FALL {
                return false;
            }
            let slopes = self.free.iter().zip(&self.scale).map(|(&i, scale)| there.slopes[i] * scale);
            let mut along = self.vectors.tr_mul(&Vector::from_iterator(self.free.len(), slopes));
            for (j, (part, &value)) in along.iter_mut().zip(&self.values).enumerate() {
                *part = if j != k && value > STEP_FLOOR { *part / value } else { 0.0 };
            }
            let corrected = moved_by(&moved, &(&self.vectors * along));
            objective.total(&corrected).is_none_or(|there| here - there > LEAST_FALL)
        };
        let sd = 1.0 / value.sqrt();
        !falls(sd) && !falls(-sd)
    }

    /// The indices of the free parameters that are on no bound, and the Hessian in their coordinates.
    pub fn hessian(&self) -> (&[usize], Matrix) {
        (&self.free, 0.5 * (&self.hessian + self.hessian.transpose()))
    }

    /// By how much the log posterior is below its maximum by the quadratic approximation at a point near it; infinite if a
    /// parameter without a curvature of its own has a slope.
    pub fn left_to_gain(&self, here: &Here) -> f64 {
        let loose = |(&i, &scale): (&usize, &f64)| scale == 0.0 && here.slopes[i].abs() > STEP_FLOOR;
        if self.free.iter().zip(&self.scale).any(loose) {
            return f64::INFINITY;
        }
        let scaled = self.free.iter().zip(&self.scale).map(|(&i, s)| here.slopes[i] * s);
        let along = self.vectors.tr_mul(&Vector::from_iterator(self.free.len(), scaled));
        along.iter().zip(&self.values).map(|(part, value)| 0.5 * part * part / value.max(STEP_FLOOR)).sum()
    }

    /// Newton steps near the maximum, as long as each reduces the gradient and does not reduce the likelihood. They
    /// remove the error of the optimiser along sharp directions (a period); flat directions are not followed.
    ///
    /// The second result is the log posterior there.
    pub fn polish(&self, objective: &Likelihood<'_>) -> (Vec<f64>, Here) {
        let parameters = objective.problem().parameters();
        let (mut best, mut here) = (self.at.clone(), self.here.clone());
        let mut warm = Warm::default();
        let size = |slopes: &[f64]| {
            self.free.iter().zip(&self.scale).map(|(&i, s)| (slopes[i] * s).powi(2)).sum::<f64>().sqrt()
        };
        for _ in 0..STEPS {
            let scaled = Vector::from_iterator(
                self.free.len(),
                self.free.iter().zip(&self.scale).map(|(&i, s)| here.slopes[i] * s),
            );
            let mut along = self.vectors.tr_mul(&scaled);
            for (part, &value) in along.iter_mut().zip(&self.values) {
                *part = if value > STEP_FLOOR { *part / value } else { 0.0 };
            }
            let step = &self.vectors * along;
            let mut moved = best.clone();
            for ((&i, s), step) in self.free.iter().zip(&self.scale).zip(step.iter()) {
                let domain = parameters[i].domain;
                moved[i] = domain.moved(best[i], s * step);
            }
            let Some(there) = objective.at_from(&moved, false, &mut warm) else { break };
            let lost = here.total - there.total;
            let slack = 1e-10 * here.total.abs().max(1.0);
            if lost.is_nan() || lost > slack || size(&there.slopes) >= size(&here.slopes) {
                break;
            }
            (best, here) = (moved, there);
        }
        (best, here)
    }
}
