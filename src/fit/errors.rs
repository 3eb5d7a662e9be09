//! Standard errors: how sharply the evidence falls off around a fit.

use super::fitting::Likelihood;
use crate::linalg::Matrix;
use crate::model::{Parameter, Problem};

/// Beyond this many e-folds (or spreads of a column) either way a parameter is called not determined.
const UNDETERMINED: f64 = 4.0;

/// The standard error of every parameter in natural units: the inverse Hessian of the log posterior by differences of
/// its gradient, in the optimiser's coordinates, and the delta method. `None` for parameters that are not free, on a
/// bound, or not determined by the data.
pub fn standard_errors(objective: &Likelihood<'_>, values: &[f64]) -> Vec<Option<f64>> {
    let problem = objective.problem();
    let parameters = problem.parameters();
    let free: Vec<usize> = (0..parameters.len())
        .filter(|&i| parameters[i].is_free() && !parameters[i].domain.on_bound(values[i]))
        .collect();
    let p = free.len();
    let mut errors = vec![None; parameters.len()];
    let difference = |a: usize, h: f64| -> Option<Vec<f64>> {
        let step = |by: f64| -> Option<Vec<f64>> {
            let mut moved = values.to_vec();
            let domain = parameters[free[a]].domain;
            moved[free[a]] = domain.from_real(domain.to_real(values[free[a]]) + by);
            slopes(objective, problem, &free, &moved)
        };
        let (up, down) = (step(h)?, step(-h)?);
        Some(up.iter().zip(down).map(|(u, d)| -(u - d) / (2.0 * h)).collect())
    };
    let mut hessian = Matrix::zeros(p, p);
    for a in 0..p {
        // periods are determined to a thousandth of other parameters: the step has to be a small part of the error
        let Some(rough) = difference(a, 1e-6) else { return errors };
        let h = (0.02 / rough[a].abs().sqrt()).clamp(1e-6, 1e-2);
        let Some(row) = difference(a, h) else { return errors };
        hessian.row_mut(a).copy_from_slice(&row);
    }
    // of unit diagonal, so that sharp and blunt parameters can stand side by side; one without curvature is not
    // determined and stands alone
    let scale: Vec<f64> =
        (0..p).map(|a| if hessian[(a, a)] > 0.0 { 1.0 / hessian[(a, a)].sqrt() } else { 0.0 }).collect();
    let scaled = Matrix::from_fn(p, p, |a, b| {
        let whole = 0.5 * (hessian[(a, b)] + hessian[(b, a)]) * scale[a] * scale[b];
        if a == b && scale[a] == 0.0 { 1.0 } else { whole }
    });
    // directions that the data do not determine take their parameters along, and leave the others their errors
    let eigen = scaled.symmetric_eigen();
    const FLOOR: f64 = 1e-9;
    for (a, &i) in free.iter().enumerate() {
        let mut variance = if scale[a] > 0.0 { 0.0 } else { f64::INFINITY };
        for (k, &value) in eigen.eigenvalues.iter().enumerate() {
            let part = eigen.eigenvectors[(a, k)].powi(2);
            if value > FLOOR {
                variance += part / value;
            } else if part > 1e-6 {
                variance = f64::INFINITY;
            }
        }
        let error = scale[a] * variance.sqrt();
        if error < UNDETERMINED {
            errors[i] = Some(error * parameters[i].domain.slope(values[i]));
        }
    }
    errors
}

/// The gradient of the log posterior in the coordinates of some parameters, the mean's among them.
fn slopes(objective: &Likelihood<'_>, problem: &Problem, free: &[usize], values: &[f64]) -> Option<Vec<f64>> {
    let evidence = objective.evidence(values, true, false).ok()?;
    if evidence.gradient.is_empty() {
        return None;
    }
    let slope = |&i: &usize| {
        let parameter: &Parameter = &problem.parameters()[i];
        let (domain, value) = (parameter.domain, values[i]);
        let prior = parameter
            .param
            .prior
            .map_or(0.0, |p| p.log_density(value).1 * domain.slope(value) + domain.log_slope_slope(value));
        evidence.gradient[i] * domain.slope(value) + prior
    };
    Some(free.iter().map(slope).collect())
}
