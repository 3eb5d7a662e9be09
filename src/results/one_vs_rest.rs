//! One-vs-rest classification: one model for each class, and normalised probabilities.
//!
//! The models are fitted separately, so their probabilities do not add up to 1. They are combined as p_k ∝
//! odds_k^(1/T): with T = 1 each class has its odds against the rest. The temperature T is common to all classes and
//! maximises the likelihood of the leave-one-out predictions (temperature scaling: Guo, Pleiss, Sun & Weinberger, 2017,
//! "On calibration of modern neural networks"; leave-one-out: the cavities of expectation propagation, Rasmussen &
//! Williams, 3.59).

use std::sync::Arc;

use rayon::prelude::*;

use super::metric::{Outcomes, Several};
use super::predict::{At, predict};
use super::score::{leave_one_out_outcomes, outcomes_at};
use crate::data::{Column, DataError, Dataset, least_between};
use crate::fit::{Fit, Options, fit};
use crate::model::{Classes, Likelihood, Model, ModelError};
use crate::progress::{Progress, Quiet};

/// One fit per class, against the rest.
#[derive(Debug, Clone)]
pub struct OneVsRest {
    /// The model as requested, without a positive class.
    pub asked: Model,
    /// Three or more, in alphabetical order.
    pub classes: Vec<Arc<str>>,
    /// One per class, which is positive in its fit.
    pub fits: Vec<Arc<Fit>>,
    /// T, positive. For T > 1 the combined probabilities are less certain than the odds of the single fits.
    pub temperature: f64,
}

/// Probabilities of several classes at some rows.
#[derive(Debug, Clone)]
pub struct ClassPrediction {
    pub fit: Arc<OneVsRest>,
    pub at: Dataset,
    /// For each class, row by row; the sum over the classes is 1.
    pub probability: Vec<Vec<f64>>,
    /// For each class, the posterior mean of its latent function.
    pub mean: Vec<Vec<f64>>,
    /// And its variance.
    pub var_f: Vec<Vec<f64>>,
}

/// The result of fitting a model: one fit, or one per class.
#[derive(Debug, Clone)]
pub enum Fitted {
    One(Arc<Fit>),
    Rest(Arc<OneVsRest>),
}

impl Fitted {
    /// Fits a model. A model of classes is fitted one-vs-rest if the target has more than two categories.
    ///
    /// # Errors
    /// As [`fit`].
    pub fn new(model: &Model, data: &Dataset, options: Options, progress: &dyn Progress) -> Result<Self, ModelError> {
        let several = match data.target() {
            Some(target) if model.bernoulli().is_some() && model.positive().is_none() => {
                Classes::several(target, data)?
            }
            _ => None,
        };
        Ok(match several {
            Some(classes) => Self::Rest(Arc::new(OneVsRest::fit(model, classes, data, options, progress)?)),
            None => Self::One(Arc::new(fit(model, data, options, progress)?)),
        })
    }

    /// The log marginal likelihood; for one-vs-rest the sum over its fits.
    pub fn lml(&self) -> f64 {
        match self {
            Self::One(fit) => fit.lml(),
            Self::Rest(rest) => rest.lml(),
        }
    }

    /// The log marginal likelihood, if it is known.
    ///
    /// # Errors
    /// [`ModelError::OnlyBound`]: for VFE only a bound is known.
    pub fn evidence(&self) -> Result<f64, ModelError> {
        match self {
            Self::One(fit) => fit.evidence(),
            Self::Rest(rest) => Ok(rest.lml()),
        }
    }

    /// Its predictions of rows with a known target, or without rows its leave-one-out predictions.
    ///
    /// # Errors
    /// As [`outcomes_at`] and [`leave_one_out_outcomes`].
    pub fn outcomes_at(&self, rows: Option<&Dataset>) -> Result<Outcomes, ModelError> {
        match (self, rows) {
            (Self::One(fit), Some(rows)) => outcomes_at(fit, rows),
            (Self::One(fit), None) => leave_one_out_outcomes(fit),
            (Self::Rest(rest), Some(rows)) => rest.outcomes_at(rows),
            (Self::Rest(rest), None) => rest.leave_one_out_outcomes(),
        }
    }

    /// The names of the classes, for a classifier.
    pub fn classes(&self) -> Option<Vec<String>> {
        match self {
            Self::One(fit) => fit.problem().classes().map(|c| vec![c.negative().to_string(), c.positive().to_string()]),
            Self::Rest(rest) => Some(rest.classes.iter().map(ToString::to_string).collect()),
        }
    }
}

impl OneVsRest {
    fn fit(
        model: &Model,
        classes: Vec<Arc<str>>,
        data: &Dataset,
        options: Options,
        progress: &dyn Progress,
    ) -> Result<Self, ModelError> {
        let one = |class: &Arc<str>| {
            let quiet = Quiet(progress);
            fit(&against_rest(model, class), data, options, &quiet).map(Arc::new)
        };
        let fits = classes.par_iter().map(one).collect::<Result<Vec<_>, _>>()?;
        Self::of(model.clone(), classes, fits)
    }

    /// Combines fits, one per class in the same order.
    ///
    /// # Errors
    /// As [`Posterior::leave_one_out`](crate::model::Posterior::leave_one_out).
    pub fn of(asked: Model, classes: Vec<Arc<str>>, fits: Vec<Arc<Fit>>) -> Result<Self, ModelError> {
        let mut joined = Self { asked, classes, fits, temperature: 1.0 };
        let (odds, labels) = (joined.left_out_odds()?, joined.labels(joined.data())?);
        joined.temperature = temperature(&odds, &labels);
        Ok(joined)
    }

    /// The training rows.
    pub fn data(&self) -> &Dataset {
        self.fits[0].problem().data()
    }

    /// The sum of the log marginal likelihoods of the fits, each of a class against the rest.
    pub fn lml(&self) -> f64 {
        self.fits.iter().map(|fit| fit.lml()).sum()
    }

    /// The number of training rows of each class.
    pub fn counts(&self) -> Vec<usize> {
        self.fits.iter().map(|fit| fit.problem().y().iter().filter(|y| **y > 0.0).count()).collect()
    }

    /// The index of the class of each row.
    ///
    /// # Errors
    /// A missing column, a missing label, or a class that does not occur in the training rows.
    pub fn labels(&self, rows: &Dataset) -> Result<Vec<usize>, ModelError> {
        let name = self.data().target().ok_or(ModelError::NoTarget)?.name();
        let column = rows.find(name)?;
        (0..column.len()).map(|i| self.label(column, rows, i)).collect()
    }

    fn label(&self, column: &Column, rows: &Dataset, i: usize) -> Result<usize, ModelError> {
        let (name, value) = (column.name().to_string(), column.values()[i]);
        if value.is_nan() {
            return Err(DataError::Missing { column: name, row: rows.row(i) }.into());
        }
        let level = column.level(i);
        let at = level.and_then(|level| self.classes.iter().position(|class| **class == *level));
        at.ok_or_else(|| ModelError::UnknownClass {
            column: name,
            class: level.map_or_else(|| value.to_string(), |level| level.to_string()),
            row: rows.row(i),
            known: self.classes.iter().map(ToString::to_string).collect(),
        })
    }

    /// Log odds of each class against the rest, from the mean and variance of its latent function.
    fn odds(&self, class: usize, latent: impl Iterator<Item = (f64, f64)>) -> Vec<f64> {
        let link = self.fits[class].model.bernoulli().map(|how| how.link());
        let odds = |(mean, var): (f64, f64)| {
            link.map_or(mean, |link| link.log_probability(1.0, mean, var) - link.log_probability(-1.0, mean, var))
        };
        latent.map(odds).collect()
    }

    /// The same for leave-one-out predictions of the training rows.
    fn left_out_odds(&self) -> Result<Vec<Vec<f64>>, ModelError> {
        let of = |(k, fit): (usize, &Arc<Fit>)| Ok(self.odds(k, fit.posterior.leave_one_out()?.into_iter()));
        self.fits.iter().enumerate().map(of).collect()
    }

    /// Probabilities at some rows.
    ///
    /// # Errors
    /// As [`predict`].
    pub fn predict(self: &Arc<Self>, place: &At) -> Result<ClassPrediction, ModelError> {
        let single = self.fits.par_iter().map(|fit| predict(fit, place.clone())).collect::<Result<Vec<_>, _>>()?;
        let latent = |k: usize| single[k].mean.iter().copied().zip(single[k].var_f.iter().copied());
        let odds: Vec<Vec<f64>> = (0..single.len()).map(|k| self.odds(k, latent(k))).collect();
        Ok(ClassPrediction {
            fit: self.clone(),
            at: single[0].at.clone(),
            probability: join(&odds, self.temperature),
            mean: single.iter().map(|p| p.mean.clone()).collect(),
            var_f: single.iter().map(|p| p.var_f.clone()).collect(),
        })
    }

    /// The predicted probabilities of rows with a known class.
    ///
    /// # Errors
    /// As [`predict`](Self::predict) and [`labels`](Self::labels).
    pub fn outcomes_at(self: &Arc<Self>, rows: &Dataset) -> Result<Outcomes, ModelError> {
        let label = self.labels(rows)?;
        let probability = self.predict(&At::Rows(rows.clone()))?.probability;
        several(label, probability)
    }

    /// The leave-one-out predictions, with parameters and temperature unchanged.
    ///
    /// # Errors
    /// As [`of`](Self::of).
    pub fn leave_one_out_outcomes(&self) -> Result<Outcomes, ModelError> {
        several(self.labels(self.data())?, join(&self.left_out_odds()?, self.temperature))
    }
}

fn several(label: Vec<usize>, probability: Vec<Vec<f64>>) -> Result<Outcomes, ModelError> {
    if label.is_empty() {
        return Err(ModelError::NoRows);
    }
    Ok(Outcomes::Several(Several { label, probability }))
}

impl ClassPrediction {
    /// The index of the most probable class of each row; the first of equal ones.
    pub fn most_probable(&self) -> Vec<usize> {
        (0..self.at.n()).map(|i| largest(&self.probability, i)).collect()
    }

    /// The name of the most probable class of each row.
    pub fn class(&self) -> Vec<&str> {
        self.most_probable().into_iter().map(|k| &*self.fit.classes[k]).collect()
    }
}

/// The index of the class with the largest value in a row; the first of equal ones.
pub(super) fn largest(of: &[Vec<f64>], row: usize) -> usize {
    (1..of.len()).fold(0, |best, k| if of[k][row] > of[best][row] { k } else { best })
}

/// The model of one class against the rest.
fn against_rest(model: &Model, class: &Arc<str>) -> Model {
    let likelihood = match &model.likelihood {
        Likelihood::Bernoulli { how, .. } => Likelihood::Bernoulli { how: *how, positive: Some(class.clone()) },
        other => other.clone(),
    };
    Model { likelihood, ..model.clone() }
}

/// Probabilities from log odds divided by the temperature; their sum over the classes is 1.
fn join(odds: &[Vec<f64>], temperature: f64) -> Vec<Vec<f64>> {
    let rows = odds.first().map_or(0, Vec::len);
    let mut out = vec![vec![0.0; rows]; odds.len()];
    for i in 0..rows {
        let all = log_sum(odds, i, temperature);
        for (out, odds) in out.iter_mut().zip(odds) {
            out[i] = (odds[i] / temperature - all).exp();
        }
    }
    out
}

/// log Σ_k odds_k^(1/T) of a row.
fn log_sum(odds: &[Vec<f64>], row: usize, temperature: f64) -> f64 {
    let scaled = || odds.iter().map(|odds| odds[row] / temperature);
    let most = scaled().fold(f64::NEG_INFINITY, f64::max);
    most + scaled().map(|v| (v - most).exp()).sum::<f64>().ln()
}

/// log T is searched in an interval of this half-width around 0.
const WIDEST: f64 = 5.0;

/// The temperature of maximum posterior density. If every row is predicted correctly, the likelihood increases as T
/// falls to 0. A standard normal prior on log T prevents this; its weight is negligible for tens of rows or more.
fn temperature(odds: &[Vec<f64>], labels: &[usize]) -> f64 {
    let loss = |t: f64| -> f64 {
        let rows = labels.iter().enumerate().map(|(i, &k)| log_sum(odds, i, t.exp()) - odds[k][i] / t.exp());
        rows.sum::<f64>() + 0.5 * t * t
    };
    let steps = 40;
    let at = |i: i32| WIDEST * f64::from(2 * i - steps) / f64::from(steps);
    let best = (0..=steps).min_by(|a, b| loss(at(*a)).total_cmp(&loss(at(*b)))).unwrap_or(steps / 2);
    // to 1e-9
    least_between(at((best - 1).max(0)), at((best + 1).min(steps)), 42, loss).exp()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::{Kernel, families};
    use crate::model::Bernoulli;
    use crate::progress::Silent;

    fn three(n: usize) -> Dataset {
        let x: Vec<f64> = (0..n).map(|i| i as f64 * 10.0 / n as f64).collect();
        let class = |i: usize, x: f64| match x + 1.5 * (i as f64 * 1.7).sin() {
            v if v < 3.0 => "a",
            v if v < 7.0 => "b",
            _ => "c",
        };
        let names: Vec<Option<&str>> = x.iter().enumerate().map(|(i, x)| Some(class(i, *x))).collect();
        Dataset::new(vec![Column::numeric("x", x), Column::categories("y", names)], Some("y"), None).unwrap()
    }

    fn model() -> Model {
        let likelihood = Likelihood::Bernoulli { how: Bernoulli::Ep, positive: None };
        Model { likelihood, ..Model::new(Kernel::family(families::family("SE").unwrap())) }
    }

    fn fitted(data: &Dataset) -> Arc<OneVsRest> {
        let options = Options { restarts: 1, ..Options::default() };
        match Fitted::new(&model(), data, options, &Silent).unwrap() {
            Fitted::Rest(rest) => rest,
            Fitted::One(_) => panic!("one fit"),
        }
    }

    /// The fit of a class equals that of a model with this positive class, and combined probabilities add up to 1.
    #[test]
    fn the_fits_are_those_of_each_class_and_the_whole_is_one() {
        let data = three(60);
        let rest = fitted(&data);
        let options = Options { restarts: 1, ..Options::default() };
        for (class, own) in rest.classes.iter().zip(&rest.fits) {
            let alone = fit(&against_rest(&model(), class), &data, options, &Silent).unwrap();
            assert_eq!((alone.lml(), alone.values()), (own.lml(), own.values()));
        }
        let p = rest.predict(&At::Training).unwrap();
        for i in 0..data.n() {
            assert!((p.probability.iter().map(|p| p[i]).sum::<f64>() - 1.0).abs() < 1e-12);
        }
        assert_eq!((p.class()[0], p.class()[30], p.class()[59]), ("a", "b", "c"));
    }

    /// No temperature near the chosen one has a higher leave-one-out posterior density.
    #[test]
    fn the_temperature_is_the_best() {
        let rest = fitted(&three(60));
        let (odds, labels) = (rest.left_out_odds().unwrap(), rest.labels(rest.data()).unwrap());
        let goodness = |t: f64| {
            let p = join(&odds, t);
            labels.iter().enumerate().map(|(i, &k)| p[k][i].ln()).sum::<f64>() - 0.5 * t.ln() * t.ln()
        };
        let best = goodness(rest.temperature);
        assert!([0.8, 0.99, 1.01, 1.25].iter().all(|by| goodness(rest.temperature * by) < best));
        assert!(goodness(rest.temperature * 1.01) > goodness(rest.temperature * 1.25));
    }

    #[test]
    fn rows_without_a_mistake_leave_the_temperature_above_zero() {
        let odds = vec![vec![3.0, -4.0, -5.0], vec![-3.0, 5.0, -4.0], vec![-6.0, -3.0, 5.0]];
        let t = temperature(&odds, &[0, 1, 2]);
        assert!((0.1..1.0).contains(&t), "{t}");
        // no overflow for extreme odds
        let p = join(&[vec![1e4], vec![-1e4], vec![0.0]], t);
        assert_eq!([p[0][0], p[1][0], p[2][0]], [1.0, 0.0, 0.0]);
    }

    #[test]
    fn a_class_that_training_lacked_is_refused() {
        let data = three(60);
        let rest = fitted(&data.take(&(0..40).collect::<Vec<_>>()));
        assert_eq!(rest.classes.len(), 3);
        let other = Dataset::new(
            vec![Column::numeric("x", vec![1.0, 2.0]), Column::categories("y", vec![Some("a"), Some("d")])],
            Some("y"),
            None,
        );
        let error = rest.outcomes_at(&other.unwrap()).unwrap_err().to_string();
        assert!(error.contains("`d`") && error.contains("none of the classes a, b, c"), "{error}");
    }
}
