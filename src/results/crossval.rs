//! Cross-validation: fit on all folds but one, score on that one.

use std::sync::Arc;

use rayon::prelude::*;

use super::score::{Score, score_held_out};
use crate::data::Dataset;
use crate::fit::{Options, fit};
use crate::model::{Model, ModelError};
use crate::progress::{Progress, Quiet};

/// Scores fold by fold.
#[derive(Debug, Clone, PartialEq)]
pub struct CrossValidation {
    pub folds: Vec<FoldScore>,
    pub seed: u64,
}

#[derive(Debug, Clone, PartialEq)]
pub struct FoldScore {
    /// Rows that were trained on.
    pub trained: usize,
    pub score: Score,
    /// Of the fit on the training rows.
    pub lml: f64,
}

impl CrossValidation {
    /// Mean over the folds and its standard error.
    pub fn mean(&self, of: impl Fn(&Score) -> f64) -> (f64, f64) {
        let values: Vec<f64> = self.folds.iter().map(|f| of(&f.score)).collect();
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        let square = values.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>() / (n - 1.0).max(1.0);
        (mean, (square / n).sqrt())
    }
}

/// Cross-validates a model. Folds are dealt from the seed; steps of the model are learnt on training rows only.
///
/// # Errors
/// Fewer than 2 folds or more than rows, or whatever a fit refuses, of the first fold that fails.
pub fn cross_validate(
    model: &Model,
    data: &Dataset,
    folds: usize,
    options: Options,
    progress: &dyn Progress,
) -> Result<CrossValidation, ModelError> {
    let dealt = data.folds(folds, Some(options.seed))?;
    let done = std::sync::atomic::AtomicUsize::new(0);
    let scored: Vec<Result<FoldScore, ModelError>> = dealt
        .par_iter()
        .map(|fold| {
            if progress.stop() {
                return Err(ModelError::Stopped);
            }
            let (train, test) = (data.take(&fold.train), data.take(&fold.test));
            let fitted = Arc::new(fit(model, &train, options, &Quiet(progress))?);
            let score = score_held_out(&fitted, &test)?;
            let finished = done.fetch_add(1, std::sync::atomic::Ordering::Relaxed) + 1;
            progress.report(finished as f64 / folds as f64, &format!("fold {finished} of {folds}"));
            Ok(FoldScore { trained: train.n(), score, lml: fitted.lml() })
        })
        .collect();
    let folds = scored.into_iter().collect::<Result<_, _>>()?;
    Ok(CrossValidation { folds, seed: options.seed })
}
