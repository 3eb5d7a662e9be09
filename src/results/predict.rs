//! Predictions at new rows, in the units of the target.

use std::sync::Arc;

use crate::data::{Column, DataError, Dataset};
use crate::fit::Fit;
use crate::linalg::Matrix;
use crate::model::{ModelError, Moments, is_nothing};

/// What a fit says at some rows.
#[derive(Debug, Clone)]
pub struct Prediction {
    pub fit: Arc<Fit>,
    /// The rows: their inputs, and their target if it was known.
    pub at: Dataset,
    /// Of y; of a classifier that of the latent function.
    pub mean: Vec<f64>,
    /// √var_y.
    pub sd: Vec<f64>,
    /// Of the function without noise. Under a curved transform of the target, of its values in the target's units.
    pub var_f: Vec<f64>,
    /// Of a new observation: with noise; of a classifier p(1 − p), that of the class as 0 or 1. Where the noise is known by a column that the rows lack, as `var_f`.
    pub var_y: Vec<f64>,
    /// Of a classifier: of the positive class.
    pub probability: Option<Vec<f64>>,
    /// Under a curved transform of the target, where mean ± 2 sd would mislead.
    pub quantiles: Option<Quantiles>,
    /// Of a weighted average over models, each with its weight; empty for the prediction of one fit. An average is on
    /// the target's own scale.
    pub members: Vec<(f64, Arc<Fit>)>,
}

/// Quantiles of y.
#[derive(Debug, Clone, PartialEq)]
pub struct Quantiles {
    pub median: Vec<f64>,
    /// 2.275 %, two standard deviations below the median of a Gaussian.
    pub lower: Vec<f64>,
    /// 97.725 %.
    pub upper: Vec<f64>,
}

/// Where to predict.
#[derive(Debug, Clone)]
pub enum At {
    /// The training rows: white noise is each row's own.
    Training,
    Rows(Dataset),
}

/// How far a grid reaches beyond the data on either side, as a share of their range.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Beyond {
    pub before: f64,
    pub after: f64,
}

impl Beyond {
    /// The ends of a grid over values from `lo` to `hi`. One that begins at 0 or above does not reach below 0.
    pub fn ends(self, lo: f64, hi: f64) -> (f64, f64) {
        let first = lo - self.before * (hi - lo);
        (if lo >= 0.0 { first.max(0.0) } else { first }, hi + self.after * (hi - lo))
    }
}

/// Φ(−2).
const TAIL: f64 = 0.022_750_131_948_179_21;

/// Mean, standard deviation and variances of y at the rows of a place.
///
/// # Errors
/// An input that the rows lack, values that are missing or infinite (with row and column), unseen categories, no rows.
pub fn predict(fit: &Arc<Fit>, place: At) -> Result<Prediction, ModelError> {
    let problem = fit.problem();
    let (at, mut moments, noise) = match place {
        At::Training => (problem.data().clone(), fit.posterior.at_training()?, Some(problem.noise(fit.values()))),
        At::Rows(rows) => {
            if rows.n() == 0 {
                return Err(ModelError::NoRows);
            }
            crate::model::refuse_if_wide(problem.n(), rows.n())?;
            let x = problem.inputs_of(&rows)?;
            let x: Vec<&[f64]> = x.iter().map(|c| &c[..]).collect();
            let noise = match problem.noise_variance(fit.values()) {
                Some(noise) => Some(vec![noise; rows.n()]),
                None => problem.known_noise_of(&rows)?,
            };
            (rows, fit.posterior.predict(&x)?, noise)
        }
    };
    if is_nothing(&fit.model.kernel) {
        moments.var_f.iter_mut().for_each(|v| *v = 0.0);
    }
    if let Some(how) = problem.model().bernoulli() {
        let link = how.link();
        let each = moments.mean.iter().zip(&moments.var_f);
        let probability = each.map(|(m, v)| link.probability(*m, *v)).collect();
        return Ok(Prediction::of_classes(fit, at, moments, probability));
    }
    let map = problem.pipeline().target();
    let var_y: Vec<f64> = match noise {
        Some(noise) => moments.var_f.iter().zip(noise).map(|(v, n)| v + n).collect(),
        None => moments.var_f.clone(),
    };
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
            members,
        });
    }
    let in_units = |variances: &[f64]| -> Vec<(f64, f64)> {
        moments.mean.iter().zip(variances).map(|(&m, v)| map.moments(m, v.sqrt())).collect()
    };
    let (of_y, of_f) = (in_units(&var_y), in_units(&moments.var_f));
    let quantile =
        |p: f64| -> Vec<f64> { moments.mean.iter().zip(&var_y).map(|(&m, v)| map.quantile(m, v.sqrt(), p)).collect() };
    let quantiles = (!map.is_affine()).then(|| Quantiles {
        median: quantile(0.5),
        lower: quantile(TAIL),
        upper: quantile(1.0 - TAIL),
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
        members: Vec::new(),
    })
}

impl Prediction {
    /// Of a classifier, from the moments of its latent function and the probabilities of the positive class.
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
            members: Vec::new(),
        }
    }

    /// Of a classifier: the name of the more probable class, row by row.
    pub fn class(&self) -> Option<Vec<&str>> {
        let classes = self.fit.problem().classes()?;
        Some(self.probability.as_ref()?.iter().map(|p| classes.name(if *p > 0.5 { 1.0 } else { -1.0 })).collect())
    }

    /// Whether `sd` and `var_y` count the noise: rows that lack the column of a known one are predicted without.
    pub fn includes_noise(&self) -> bool {
        let problem = self.fit.problem();
        problem.noise_variance(self.fit.values()).is_some() || matches!(problem.known_noise_of(&self.at), Ok(Some(_)))
    }

    /// The posterior covariance of f at the rows, on the scale of the model; each row of a prediction has white noise
    /// of its own.
    ///
    /// # Errors
    /// As [`predict`]; [`ModelError::TooLarge`] when it would not fit into memory.
    pub fn covariance(&self) -> Result<Matrix, ModelError> {
        crate::model::refuse_if_wide(self.at.n(), self.at.n())?;
        let x = self.fit.problem().inputs_of(&self.at)?;
        let x: Vec<&[f64]> = x.iter().map(|c| &c[..]).collect();
        if self.members.is_empty() {
            return self.fit.posterior.covariance(&x);
        }
        // of a mixture: that of its members on average, and that of their means
        let mut covariance = Matrix::zeros(self.at.n(), self.at.n());
        for (weight, fit) in &self.members {
            let mean = fit.posterior.predict_mean(&x)?;
            let apart: Vec<f64> = mean.iter().zip(&self.mean).map(|(one, all)| one - all).collect();
            let own = fit.posterior.covariance(&x)?;
            for j in 0..apart.len() {
                for i in 0..apart.len() {
                    covariance[(i, j)] += weight * (own[(i, j)] + apart[i] * apart[j]);
                }
            }
        }
        Ok(covariance)
    }
}

impl Fit {
    /// Rows with these values of the one input of the data.
    ///
    /// # Errors
    /// The data have another number of inputs: [`ModelError::OneInput`].
    pub fn rows_along(&self, values: Vec<f64>) -> Result<Dataset, ModelError> {
        // The column of a known noise is no input.
        let names = self.problem().names();
        let [name] = names else { return Err(ModelError::OneInput { inputs: names.to_vec() }) };
        self.rows(vec![values], &[name])
    }

    /// Rows with these columns for the inputs of those names.
    ///
    /// # Errors
    /// Columns of unequal length.
    pub fn rows(&self, columns: Vec<Vec<f64>>, names: &[&str]) -> Result<Dataset, ModelError> {
        let column = |(values, name): (Vec<f64>, &&str)| {
            let unit = self.problem().data().column(name).and_then(Column::unit);
            let column = Column::numeric(*name, values);
            match unit {
                Some(unit) => column.with_unit(unit),
                None => column,
            }
        };
        let columns = columns.into_iter().zip(names).map(column).collect();
        Ok(Dataset::new(columns, None, None).map_err(|e: DataError| e)?)
    }

    /// A fine grid over the training range of the one input, for figures.
    ///
    /// # Errors
    /// As [`rows_along`](Self::rows_along).
    pub fn grid(&self, points: usize) -> Result<Dataset, ModelError> {
        self.grid_beyond(points, Beyond::default())
    }

    /// The same over more than the training range.
    ///
    /// # Errors
    /// As [`rows_along`](Self::rows_along).
    pub fn grid_beyond(&self, points: usize, beyond: Beyond) -> Result<Dataset, ModelError> {
        let x = self.problem().data().x();
        let (lo, hi) = match x.first() {
            Some(x) => x.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), &v| (a.min(v), b.max(v))),
            None => (0.0, 1.0),
        };
        let (lo, hi) = beyond.ends(lo, hi);
        let step = (hi - lo) / (points.max(2) - 1) as f64;
        self.rows_along((0..points.max(2)).map(|i| lo + step * i as f64).collect())
    }
}
