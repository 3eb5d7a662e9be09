//! Residuals of a fit.

use std::sync::Arc;

use crate::fit::Fit;
use crate::model::ModelError;

/// The residuals y less the posterior mean of f at the training rows, on the scale of the model.
#[derive(Debug, Clone)]
pub struct Residuals {
    pub fit: Arc<Fit>,
    pub fitted: Vec<f64>,
    pub residual: Vec<f64>,
    /// Leave-one-out residuals divided by their standard deviations: standard normal if the model is right. For a
    /// classifier these are Pearson residuals, with mean 0 and variance 1 but not normal.
    pub standardized: Vec<f64>,
    /// The correlation of neighbouring residuals in the order of the first input.
    pub autocorrelation: f64,
    /// Standard deviation of the residuals.
    pub sd: f64,
}

/// Residuals of a fit.
///
/// For a classifier the positive class counts as 1 and the other as 0, and the fitted value is the probability.
///
/// White noise in the kernel counts as noise here. As a part of f it would make all residuals 0.
///
/// # Errors
/// Rows at which the kernel cannot be evaluated.
pub fn residuals(fit: &Arc<Fit>) -> Result<Residuals, ModelError> {
    let problem = fit.problem();
    let labels;
    let y = match problem.classes() {
        Some(_) => {
            labels = problem.y().iter().map(|y| f64::from(u8::from(*y > 0.0))).collect::<Vec<f64>>();
            &labels[..]
        }
        None => problem.y(),
    };
    // the covariance of white noise between training rows and new observations at the same rows is 0
    let fitted = match problem.model().bernoulli() {
        Some(how) => {
            let f = fit.posterior.predict(&problem.x())?;
            f.mean.iter().zip(&f.var_f).map(|(m, v)| how.link().probability(*m, *v)).collect()
        }
        None => fit.posterior.predict_mean(&problem.x())?,
    };
    let residual: Vec<f64> = y.iter().zip(&fitted).map(|(y, f)| y - f).collect();
    let left_out = fit.posterior.leave_one_out()?;
    let on_target_scale = |(mean, var): (f64, f64)| match problem.model().bernoulli() {
        Some(how) => {
            let p = how.link().probability(mean, var).clamp(f64::EPSILON, 1.0 - f64::EPSILON);
            (p, p * (1.0 - p))
        }
        None => (mean, var),
    };
    let left_out = left_out.into_iter().map(on_target_scale);
    let standardized = y.iter().zip(left_out).map(|(y, (mean, var))| (y - mean) / var.sqrt()).collect();
    let mut order: Vec<usize> = (0..y.len()).collect();
    if let Some(x) = problem.x().first() {
        order.sort_by(|&a, &b| x[a].total_cmp(&x[b]));
    }
    let n = residual.len() as f64;
    let mean = residual.iter().sum::<f64>() / n;
    let square: f64 = residual.iter().map(|r| (r - mean) * (r - mean)).sum();
    let lagged: f64 = order.windows(2).map(|w| (residual[w[0]] - mean) * (residual[w[1]] - mean)).sum();
    Ok(Residuals {
        fit: fit.clone(),
        fitted,
        residual,
        standardized,
        autocorrelation: if square > 0.0 { lagged / square } else { 0.0 },
        sd: (square / n).sqrt(),
    })
}
