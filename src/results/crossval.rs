//! Cross-validation of one or several models on the same folds.

use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;
use statrs::distribution::{ContinuousCDF, StudentsT};

use super::deep::{SCORE_SAMPLES, deep_outcomes};
use super::metric::{Metric, Outcomes, metric};
use super::one_vs_rest::Fitted;
use super::score::Score;
use crate::data::{Dataset, Fold};
use crate::deep::{self, DeepError, DeepModel, Training};
use crate::fit::Options;
use crate::model::{Model, ModelError};
use crate::progress::{Progress, Quiet};

/// The scores of models in every fold.
#[derive(Debug, Clone, PartialEq)]
pub struct CrossValidation {
    /// In the given order.
    pub models: Vec<Candidate>,
    /// The requested metrics.
    pub metrics: Vec<&'static Metric>,
    /// The seed of the starts of the fits, and of random folds.
    pub seed: u64,
    /// The name of the target.
    pub target: String,
}

/// A model that is cross-validated.
#[derive(Debug, Clone, PartialEq)]
pub enum Contender {
    /// A Gaussian process with one layer.
    Gp(Model),
    Deep(DeepModel),
}

impl Contender {
    fn predicts_classes(&self) -> bool {
        matches!(self, Self::Gp(model) if model.predicts_classes())
    }

    fn is_noiseless(&self) -> bool {
        matches!(self, Self::Gp(model) if model.is_noiseless())
    }

    /// Names that distinguish the models; those of deep GPs are their source form.
    pub fn names(models: &[Self]) -> Vec<String> {
        let plain: Vec<&Model> =
            models.iter().filter_map(|m| if let Self::Gp(model) = m { Some(model) } else { None }).collect();
        let mut names = Model::names(&plain).into_iter();
        models
            .iter()
            .map(|model| match model {
                Self::Gp(_) => names.next().unwrap_or_default(),
                Self::Deep(model) => model.to_string(),
            })
            .collect()
    }

    /// Fits to some rows and predicts others. Returns the predictions and the log marginal likelihood, which is NaN for
    /// a deep GP.
    fn trial(
        &self,
        train: &Dataset,
        test: &Dataset,
        asked: &Trial,
        progress: &dyn Progress,
    ) -> Result<(Outcomes, f64), Failure> {
        match self {
            Self::Gp(model) => {
                let fitted = Fitted::new(model, train, asked.options, progress)?;
                if progress.stop() {
                    return Err(ModelError::Stopped.into());
                }
                Ok((fitted.outcomes_at(Some(test))?, fitted.evidence().unwrap_or(f64::NAN)))
            }
            Self::Deep(model) => {
                let fit = deep::train(model, train, Training::from(asked.options), progress)?;
                if progress.stop() {
                    return Err(ModelError::Stopped.into());
                }
                Ok((deep_outcomes(&fit, test, SCORE_SAMPLES)?.outcomes, f64::NAN))
            }
        }
    }
}

/// Why a fit or its prediction failed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Failure {
    #[error(transparent)]
    Gp(#[from] ModelError),
    #[error(transparent)]
    Deep(#[from] DeepError),
}

/// One model with its scores.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    pub name: String,
    pub model: Contender,
    /// In the order of the folds, which are common to all models.
    pub folds: Vec<FoldScore>,
}

/// The scores of a model in one fold.
#[derive(Debug, Clone, PartialEq)]
pub struct FoldScore {
    /// The number of training rows.
    pub trained: usize,
    pub score: Score,
    /// The log marginal likelihood of the training rows; NaN for VFE, which has only a bound, and for a deep GP.
    pub lml: f64,
}

/// The mean over the folds, and the comparison with the best model.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Standing {
    pub mean: f64,
    /// Standard error of the mean.
    pub error: f64,
    /// The p-value of a paired t-test against the model with the best mean; 1 for that model, NaN if no test is
    /// possible.
    pub p: f64,
}

impl Standing {
    /// Whether it is the best, or not significantly worse than the best.
    pub fn is_among_best(&self) -> bool {
        self.p >= SIGNIFICANT
    }
}

/// The significance level.
pub const SIGNIFICANT: f64 = 0.05;

/// Why a cross-validation is not possible.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum CrossError {
    /// A model failed in a fold; both indices count from 0.
    #[error("{error}")]
    Failed { model: usize, fold: usize, error: Box<Failure> },
    #[error("`{metric}` does not fit {}: {} do", if *classes { "predicted classes" } else { "predicted numbers" }, those(*classes))]
    Misfit { metric: &'static str, classes: bool },
    #[error("one of these models predicts numbers and another classes: a density and a probability cannot be compared")]
    Mixed,
    #[error("`{metric}` needs a predictive density, and `{name}` has no noise")]
    NoDensity { metric: &'static str, model: usize, name: String },
    #[error("`auc` needs test rows of both classes, and the test rows of fold {} have only one", fold + 1)]
    OneClass { fold: usize },
    #[error("fold {} has no {} rows", fold + 1, if *training { "training" } else { "test" })]
    Empty { fold: usize, training: bool },
    #[error("stopped by the user before the first result")]
    Stopped,
}

fn those(classes: bool) -> String {
    let fits = |m: &&Metric| if classes { m.fits_classes() } else { m.fits_numbers() };
    let names: Vec<String> = super::metric::METRICS.iter().filter(fits).map(|m| format!("`{}`", m.name)).collect();
    names.join(", ")
}

impl CrossValidation {
    /// The values of a metric in every fold, for the model with this index.
    pub fn values(&self, model: usize, metric: &Metric) -> Vec<f64> {
        let value = |fold: &FoldScore| fold.score.get(metric.name).unwrap_or(f64::NAN);
        self.models.get(model).map_or_else(Vec::new, |m| m.folds.iter().map(value).collect())
    }

    /// The index of the best model by the first metric.
    pub fn best(&self) -> Option<usize> {
        let metric = self.metrics.first()?;
        let losses: Vec<f64> = self.standings(metric).iter().map(|standing| metric.loss(standing.mean)).collect();
        (0..losses.len()).filter(|&i| losses[i].is_finite()).min_by(|&a, &b| losses[a].total_cmp(&losses[b]))
    }

    /// The comparison of all models by a metric: mean, standard error, and a paired t-test against the best over the
    /// folds.
    ///
    /// The folds share training rows, so their scores are not independent, and the test is approximate.
    pub fn standings(&self, metric: &Metric) -> Vec<Standing> {
        let losses: Vec<Vec<f64>> = (0..self.models.len())
            .map(|model| self.values(model, metric).into_iter().map(|value| metric.loss(value)).collect())
            .collect();
        let by_loss = |a: &&Vec<f64>, b: &&Vec<f64>| mean_and_error(a).0.total_cmp(&mean_and_error(b).0);
        let best = losses.iter().filter(|all| mean_and_error(all).0.is_finite()).min_by(by_loss);
        losses
            .iter()
            .enumerate()
            .map(|(model, own)| {
                let (mean, error) = mean_and_error(&self.values(model, metric));
                Standing { mean, error, p: best.map_or(f64::NAN, |best| paired_p(own, best)) }
            })
            .collect()
    }
}

/// The mean and its standard error, which is NaN for a single value.
pub fn mean_and_error(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let squares = values.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>();
    (mean, if values.len() > 1 { (squares / (n - 1.0) / n).sqrt() } else { f64::NAN })
}

/// Scores are equal if they differ by less than this share of the largest: such a difference is rounding.
const ROUNDING: f64 = 1e-10;

/// The two-sided p-value of a paired t-test: the probability of a mean difference of at least this size if there is
/// none. 1 for values that are equal up to rounding, NaN for fewer than two pairs.
pub fn paired_p(a: &[f64], b: &[f64]) -> f64 {
    let differences: Vec<f64> = a.iter().zip(b).map(|(a, b)| a - b).collect();
    let largest = a.iter().chain(b).fold(0.0, |largest: f64, value| largest.max(value.abs()));
    if differences.iter().all(|d| d.abs() <= ROUNDING * largest) {
        return 1.0;
    }
    let (mean, error) = mean_and_error(&differences);
    match StudentsT::new(0.0, 1.0, differences.len() as f64 - 1.0) {
        Ok(student) if error > 0.0 => 2.0 * student.cdf(-(mean / error).abs()),
        // the same difference in every fold
        Ok(_) if error == 0.0 => 0.0,
        _ => f64::NAN,
    }
}

/// The training and test rows of every fold.
#[derive(Debug, Clone)]
pub enum Folds {
    /// Indices of rows of the data.
    Rows(Vec<Fold>),
    /// Training and test sets.
    Parts(Vec<(Dataset, Dataset)>),
}

impl Folds {
    /// The number of folds.
    pub fn len(&self) -> usize {
        match self {
            Self::Rows(folds) => folds.len(),
            Self::Parts(parts) => parts.len(),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The numbers of training and test rows of the fold with this index.
    fn sizes(&self, fold: usize) -> (usize, usize) {
        match self {
            Self::Rows(folds) => (folds[fold].train.len(), folds[fold].test.len()),
            Self::Parts(parts) => (parts[fold].0.n(), parts[fold].1.n()),
        }
    }

    fn parts(&self, fold: usize, data: &Dataset) -> (Dataset, Dataset) {
        match self {
            Self::Rows(folds) => (data.take(&folds[fold].train), data.take(&folds[fold].test)),
            Self::Parts(parts) => parts[fold].clone(),
        }
    }
}

/// The settings of a cross-validation.
#[derive(Debug, Clone)]
pub struct Trial {
    pub folds: Folds,
    /// Empty for the default metrics.
    pub metrics: Vec<&'static Metric>,
    pub options: Options,
}

/// The default metrics; without noise there is no density.
fn default_metrics(models: &[(String, Contender)]) -> Vec<&'static Metric> {
    let classes = models.first().is_some_and(|(_, model)| model.predicts_classes());
    let names = if classes { ["error", "nll"] } else { ["mse", "nll"] };
    let noiseless = models.iter().any(|(_, model)| model.is_noiseless());
    names.into_iter().filter_map(metric).filter(|metric| !(noiseless && metric.needs_density())).collect()
}

/// Cross-validates named models on the same folds. The steps of a model are learnt on training rows only.
///
/// Folds and models run in parallel; the result does not depend on the number of threads.
///
/// # Errors
/// A fold without rows, models of numbers together with models of classes, a metric that does not apply to the
/// predictions, or the error of a fit, for the first fold and model that fail.
pub fn cross_validate(
    models: Vec<(String, Contender)>,
    data: &Dataset,
    trial: &Trial,
    progress: &dyn Progress,
) -> Result<CrossValidation, CrossError> {
    for fold in 0..trial.folds.len() {
        let (train, test) = trial.folds.sizes(fold);
        if train == 0 || test == 0 {
            return Err(CrossError::Empty { fold, training: train == 0 });
        }
    }
    if models.iter().any(|(_, model)| model.predicts_classes() != models[0].1.predicts_classes()) {
        return Err(CrossError::Mixed);
    }
    let metrics = if trial.metrics.is_empty() { default_metrics(&models) } else { trial.metrics.clone() };
    for (at, (name, model)) in models.iter().enumerate() {
        for metric in &metrics {
            let classes = model.predicts_classes();
            if !(if classes { metric.fits_classes() } else { metric.fits_numbers() }) {
                return Err(CrossError::Misfit { metric: metric.name, classes });
            }
            if metric.needs_density() && model.is_noiseless() {
                return Err(CrossError::NoDensity { metric: metric.name, model: at, name: name.clone() });
            }
        }
    }
    let pairs: Vec<(usize, usize)> =
        (0..trial.folds.len()).flat_map(|fold| (0..models.len()).map(move |model| (fold, model))).collect();
    let done = AtomicUsize::new(0);
    let scored: Vec<Result<FoldScore, CrossError>> = pairs
        .par_iter()
        .map(|&(fold, model)| {
            let failed = |error: Failure| match error {
                Failure::Gp(ModelError::Stopped | ModelError::StoppedAt { .. }) | Failure::Deep(DeepError::Stopped) => {
                    CrossError::Stopped
                }
                error => CrossError::Failed { model, fold, error: Box::new(error) },
            };
            if progress.stop() {
                return Err(CrossError::Stopped);
            }
            let (train, test) = trial.folds.parts(fold, data);
            // a fit that was stopped early has no valid score
            let tried = models[model].1.trial(&train, &test, trial, &Quiet(progress));
            let (outcomes, lml) = tried.map_err(failed)?;
            let score = Score::of(&outcomes);
            for metric in &metrics {
                match score.get(metric.name) {
                    None => {
                        let name = models[model].0.clone();
                        return Err(CrossError::NoDensity { metric: metric.name, model, name });
                    }
                    Some(value) if value.is_nan() && !matches!(outcomes, Outcomes::Numbers(_)) => {
                        return Err(CrossError::OneClass { fold });
                    }
                    Some(_) => {}
                }
            }
            let finished = done.fetch_add(1, Ordering::Relaxed) + 1;
            progress.report(finished as f64 / pairs.len() as f64, &format!("fit {finished} of {}", pairs.len()));
            Ok(FoldScore { trained: train.n(), score, lml })
        })
        .collect();
    let mut folds: Vec<Vec<FoldScore>> = vec![Vec::new(); models.len()];
    for (scored, (_, model)) in scored.into_iter().zip(pairs) {
        folds[model].push(scored?);
    }
    let models = models.into_iter().zip(folds);
    Ok(CrossValidation {
        models: models.map(|((name, model), folds)| Candidate { name, model, folds }).collect(),
        metrics,
        seed: trial.options.seed,
        target: data.target().map_or_else(String::new, |column| column.name().to_string()),
    })
}

#[cfg(test)]
mod tests;
