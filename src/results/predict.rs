//! Predictions at new rows, in the units of the target.

use std::sync::Arc;

use crate::data::{Dataset, TargetMap};
use crate::fit::Fit;
use crate::linalg::Matrix;
use crate::model::{ModelError, Moments, is_zero_kernel};
use crate::progress::{Progress, Silent};

/// The predictions of a fit at some rows.
#[derive(Debug, Clone)]
pub struct Prediction {
    pub fit: Arc<Fit>,
    /// The rows: their inputs, and their target if it is known.
    pub at: Dataset,
    /// The mean of y, or of the latent function of a classifier.
    pub mean: Vec<f64>,
    /// √var_y.
    pub sd: Vec<f64>,
    /// The variance of the function without noise, where white noise in the kernel counts as noise. Under a nonlinear
    /// transform of the target, the variance of its values in units of the target.
    pub var_f: Vec<f64>,
    /// The variance of a new observation, with noise. For a classifier p(1 − p), the variance of the class as 0 or 1.
    /// Equal to `var_f` if the noise is known from a column that the rows lack.
    pub var_y: Vec<f64>,
    /// The probability of the positive class, for a classifier.
    pub probability: Option<Vec<f64>>,
    /// Under a nonlinear transform of the target, where mean ± 2 sd would be misleading.
    pub quantiles: Option<Quantiles>,
    /// Further requested quantiles of a new observation: the probability, and the values row by row.
    pub levels: Vec<(f64, Vec<f64>)>,
    /// Mean and variance of a new observation on the scale of the model; `None` for classes and for averages.
    pub on_model_scale: Option<(Vec<f64>, Vec<f64>)>,
    /// The members of a weighted average of fits, with their weights; empty for the prediction of one fit. An average
    /// is on the scale of the target.
    pub members: Vec<(f64, Arc<Fit>)>,
    /// The number of models among the members, which can be fits of one model with other parameters.
    pub models: usize,
}

/// Quantiles of y.
#[derive(Debug, Clone, PartialEq)]
pub struct Quantiles {
    pub median: Vec<f64>,
    /// The 2.275 % quantile, two standard deviations below the mean of a Gaussian.
    pub lower: Vec<f64>,
    /// The 97.725 % quantile.
    pub upper: Vec<f64>,
    /// The probability that an observation is below its mean.
    pub below_mean: Vec<f64>,
}

impl Quantiles {
    /// The number of rows whose mean is outside of the interval with the central half of the probability.
    pub fn untypical_means(&self) -> usize {
        self.below_mean.iter().filter(|p| (*p - 0.5).abs() > 0.25).count()
    }
}

/// The rows of a prediction.
#[derive(Debug, Clone)]
pub enum At {
    /// New observations at the training rows.
    Training,
    Rows(Dataset),
}

/// Φ(−2), the probability below the lower end of a band.
pub const TAIL: f64 = 0.022_750_131_948_179_21;

/// Mean, standard deviation and variances of y at the given rows.
///
/// # Errors
/// A missing input, missing or infinite values (with row and column), categories that do not occur in the training
/// rows, or no rows.
pub fn predict(fit: &Arc<Fit>, place: At) -> Result<Prediction, ModelError> {
    predict_unless(fit, place, &Silent)
}

/// The same; ends with an error when the user stops the work.
///
/// # Errors
/// As [`predict`]; [`ModelError::Stopped`].
pub fn predict_unless(fit: &Arc<Fit>, place: At, progress: &dyn Progress) -> Result<Prediction, ModelError> {
    let problem = fit.problem();
    let (at, x, noise) = match place {
        At::Training => (problem.data().clone(), None, Some(problem.noise(fit.values()))),
        At::Rows(rows) => {
            if rows.n() == 0 {
                return Err(ModelError::NoRows);
            }
            let x = problem.inputs_of(&rows)?;
            let noise = match problem.noise_variance(fit.values()) {
                Some(noise) => Some(vec![noise; rows.n()]),
                None => problem.known_noise_of(&rows)?,
            };
            (rows, Some(x), noise)
        }
    };
    let rows: Vec<&[f64]> = match &x {
        Some(x) => x.iter().map(|c| &c[..]).collect(),
        None => problem.x(),
    };
    let mut observed: Vec<f64> = match noise {
        Some(noise) => noise.iter().map(|n| n + fit.posterior.jitter()).collect(),
        None => vec![0.0; at.n()],
    };
    // white noise in the kernel is noise: part of an observation, not of the function
    let white = if problem.classes().is_none() { fit.posterior.white_noise(&rows)? } else { None };
    let mut moments = match (&x, &white) {
        (None, None) => fit.posterior.at_training()?,
        _ => fit.posterior.predict_unless(&rows, progress)?,
    };
    for (i, white) in white.iter().flatten().enumerate() {
        moments.var_f[i] = (moments.var_f[i] - white).max(0.0);
        observed[i] += white;
    }
    if is_zero_kernel(&fit.model.kernel) {
        moments.var_f.iter_mut().for_each(|v| *v = 0.0);
    }
    if let Some(how) = problem.model().bernoulli() {
        let link = how.link();
        let each = moments.mean.iter().zip(&moments.var_f);
        let probability = each.map(|(m, v)| link.probability(*m, *v)).collect();
        return Ok(Prediction::of_classes(fit, at, moments, probability));
    }
    let map = problem.pipeline().target();
    let var_y: Vec<f64> = moments.var_f.iter().zip(&observed).map(|(v, n)| v + n).collect();
    let on_model_scale = Some((moments.mean.clone(), var_y.clone()));
    if map.is_identity() {
        let sd = var_y.iter().map(|v| v.sqrt()).collect();
        let (mean, var_f, members) = (moments.mean, moments.var_f, Vec::new());
        return Ok(Prediction {
            fit: fit.clone(),
            at,
            mean,
            sd,
            var_f,
            var_y,
            probability: None,
            quantiles: None,
            levels: Vec::new(),
            on_model_scale,
            members,
            models: 1,
        });
    }
    let in_units = |variances: &[f64]| -> Vec<(f64, f64)> {
        moments.mean.iter().zip(variances).map(|(&m, v)| map.moments(m, v.sqrt())).collect()
    };
    let (of_y, of_f) = (in_units(&var_y), in_units(&moments.var_f));
    let quantile =
        |p: f64| -> Vec<f64> { moments.mean.iter().zip(&var_y).map(|(&m, v)| map.quantile(m, v.sqrt(), p)).collect() };
    let below_mean = || {
        let each = moments.mean.iter().zip(&var_y).zip(&of_y);
        each.map(|((&m, v), (mean, _))| map.probability_below(m, v.sqrt(), *mean)).collect()
    };
    let quantiles = (!map.is_affine()).then(|| Quantiles {
        median: quantile(0.5),
        lower: quantile(TAIL),
        upper: quantile(1.0 - TAIL),
        below_mean: below_mean(),
    });
    Ok(Prediction {
        fit: fit.clone(),
        at,
        mean: of_y.iter().map(|m| m.0).collect(),
        sd: of_y.iter().map(|m| m.1).collect(),
        var_f: of_f.iter().map(|m| m.1 * m.1).collect(),
        var_y: of_y.iter().map(|m| m.1 * m.1).collect(),
        probability: None,
        quantiles,
        levels: Vec::new(),
        on_model_scale,
        members: Vec::new(),
        models: 1,
    })
}

impl Prediction {
    /// The prediction of a classifier, from the moments of its latent function and the probabilities of the positive
    /// class.
    pub(crate) fn of_classes(fit: &Arc<Fit>, at: Dataset, latent: Moments, probability: Vec<f64>) -> Self {
        let var_y: Vec<f64> = probability.iter().map(|p| p * (1.0 - p)).collect();
        Self {
            fit: fit.clone(),
            at,
            mean: latent.mean,
            sd: var_y.iter().map(|v| v.sqrt()).collect(),
            var_f: latent.var_f,
            var_y,
            probability: Some(probability),
            quantiles: None,
            levels: Vec::new(),
            on_model_scale: None,
            members: Vec::new(),
            models: 1,
        }
    }

    /// The same with quantiles of a new observation at these probabilities, exact under transforms of the target. For
    /// an average they are quantiles of the mixture.
    ///
    /// # Errors
    /// As [`predict`], for the members of an average.
    pub fn with_levels(mut self, levels: &[f64]) -> Result<Self, ModelError> {
        let members = self.of_members()?;
        let found = levels.iter().map(|&p| (p, self.quantile(p, &members))).collect();
        self.levels = found;
        Ok(self)
    }

    /// The same with the quantiles of an average of these predictions of the same rows, for targets on which mean ± 2 sd
    /// would be misleading.
    pub(super) fn with_quantiles(mut self, members: &[(f64, Prediction)]) -> Self {
        let [median, lower, upper] = [0.5, TAIL, 1.0 - TAIL].map(|p| self.quantile(p, members));
        let below_mean = (0..self.at.n()).map(|row| probability_below(&at_row(members, row), self.mean[row])).collect();
        self.quantiles = Some(Quantiles { median, lower, upper, below_mean });
        self
    }

    /// The predictions of the members of an average at the same rows.
    fn of_members(&self) -> Result<Vec<(f64, Prediction)>, ModelError> {
        let one = |(weight, fit): &(f64, Arc<Fit>)| Ok((*weight, predict(fit, At::Rows(self.at.clone()))?));
        self.members.iter().map(one).collect()
    }

    fn quantile(&self, p: f64, members: &[(f64, Prediction)]) -> Vec<f64> {
        if let Some((mean, var)) = &self.on_model_scale {
            let map = self.fit.problem().pipeline().target();
            return mean.iter().zip(var).map(|(&m, v)| map.quantile(m, v.sqrt(), p)).collect();
        }
        (0..self.at.n()).map(|row| mixture_quantile(members, row, p)).collect()
    }

    /// For a classifier, the name of the more probable class of each row.
    pub fn class(&self) -> Option<Vec<&str>> {
        let classes = self.fit.problem().classes()?;
        Some(self.probability.as_ref()?.iter().map(|p| classes.name(if *p > 0.5 { 1.0 } else { -1.0 })).collect())
    }

    /// Whether `sd` and `var_y` include the noise. They do not if it is known from a column that the rows lack.
    pub fn includes_noise(&self) -> bool {
        let problem = self.fit.problem();
        problem.noise_variance(self.fit.values()).is_some() || matches!(problem.known_noise_of(&self.at), Ok(Some(_)))
    }

    /// The posterior covariance of f at the rows, on the scale of the model, without white noise.
    ///
    /// # Errors
    /// As [`predict`]; [`ModelError::TooLarge`] when it would not fit into memory.
    pub fn covariance(&self) -> Result<Matrix, ModelError> {
        crate::model::refuse_if_wide(self.at.n(), self.at.n())?;
        let x = self.fit.problem().inputs_of(&self.at)?;
        let x: Vec<&[f64]> = x.iter().map(|c| &c[..]).collect();
        if self.members.is_empty() {
            return function_covariance(&self.fit, &x);
        }
        // for a mixture: the weighted mean of the covariances, plus the covariance of the means
        let mut covariance = Matrix::zeros(self.at.n(), self.at.n());
        for (weight, fit) in &self.members {
            let mean = fit.posterior.predict_mean(&x)?;
            let apart: Vec<f64> = mean.iter().zip(&self.mean).map(|(one, all)| one - all).collect();
            let own = function_covariance(fit, &x)?;
            for j in 0..apart.len() {
                for i in 0..apart.len() {
                    covariance[(i, j)] += weight * (own[(i, j)] + apart[i] * apart[j]);
                }
            }
        }
        Ok(covariance)
    }
}

/// A member of a mixture at one row: its weight, its mean and standard deviation on the scale of its model, and the map
/// from there to the target.
struct Member {
    weight: f64,
    mean: f64,
    sd: f64,
    map: TargetMap,
}

fn at_row(members: &[(f64, Prediction)], row: usize) -> Vec<Member> {
    let of = |(weight, member): &(f64, Prediction)| {
        let (mean, var) = member.on_model_scale.as_ref()?;
        let map = member.fit.problem().pipeline().target();
        Some(Member { weight: *weight, mean: mean[row], sd: var[row].sqrt(), map })
    };
    members.iter().filter_map(of).collect()
}

/// The probability of a mixture below y.
fn probability_below(members: &[Member], y: f64) -> f64 {
    members.iter().map(|member| member.weight * member.map.probability_below(member.mean, member.sd, y)).sum()
}

/// The quantile of a mixture at `p`, by bisection between the quantiles of its members.
fn mixture_quantile(members: &[(f64, Prediction)], row: usize, p: f64) -> f64 {
    let members = at_row(members, row);
    let ends = || members.iter().map(|member| member.map.quantile(member.mean, member.sd, p));
    let (mut lo, mut hi) = (ends().fold(f64::INFINITY, f64::min), ends().fold(f64::NEG_INFINITY, f64::max));
    const ROUNDS: usize = 100;
    for _ in 0..ROUNDS {
        let middle = 0.5 * lo + 0.5 * hi;
        if !(lo < middle && middle < hi) {
            break;
        }
        if probability_below(&members, middle) < p { lo = middle } else { hi = middle }
    }
    0.5 * lo + 0.5 * hi
}

/// The posterior covariance of the function at some rows, without white noise.
fn function_covariance(fit: &Fit, x: &[&[f64]]) -> Result<Matrix, ModelError> {
    let mut covariance = fit.posterior.covariance(x)?;
    let white = if fit.problem().classes().is_none() { fit.posterior.white_noise(x)? } else { None };
    for (i, white) in white.iter().flatten().enumerate() {
        covariance[(i, i)] = (covariance[(i, i)] - white).max(0.0);
    }
    Ok(covariance)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Column, Function, Step, Transform};
    use crate::fit::condition;
    use crate::kernel::{Inputs, Kernel, families};
    use crate::model::Model;
    use crate::param::Param;

    /// Of a log-normal target of variance s², Φ(s/2) is below the mean: one half more than is typical from s = 1.35 on.
    #[test]
    fn a_mean_beyond_the_central_half_is_not_typical() {
        let x: Vec<f64> = (0..10).map(f64::from).collect();
        let y = x.iter().map(|x| (0.3 * x.sin()).exp()).collect();
        let data = Dataset::new(vec![Column::numeric("x", x), Column::numeric("y", y)], Some("y"), None).expect("data");
        let of = |variance: f64| {
            let mut values = [1.0, variance].into_iter();
            let kernel = Kernel::leaf(families::family("SE").expect("a family"), Inputs::All)
                .map_params(&mut |param| values.next().map_or(param.clone(), Param::free));
            let log = Step::Transform { column: "y".into(), function: Function::Plain(Transform::Log) };
            let fit = Arc::new(condition(&Model { steps: vec![log], ..Model::new(kernel) }, &data).expect("a fit"));
            // far from the rows: the prior
            let far = At::Rows(fit.rows_along(vec![4.0, 1000.0]).expect("rows"));
            let one = predict(&fit, far).expect("a prediction");
            let twice = [(0.5, one.clone()), (0.5, one.clone())];
            let averaged = Prediction { on_model_scale: None, ..one.clone() }.with_quantiles(&twice);
            let counts = [&one, &averaged].map(|p| p.quantiles.as_ref().expect("quantiles").untypical_means());
            assert_eq!(counts[0], counts[1]);
            (counts[0], one.quantiles.expect("quantiles").below_mean[1])
        };
        let (many, below) = of(9.0);
        assert_eq!(many, 1);
        assert!((below - 0.933).abs() < 0.01, "{below}");
        let (none, below) = of(0.25);
        assert_eq!(none, 0);
        assert!((0.59..0.65).contains(&below), "{below}");
    }
}
