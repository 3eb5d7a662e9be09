//! The importance of parts: the order in which they reduce the error on left-out rows.

use rayon::prelude::*;

use super::decompose::summands;
use crate::fit::Fit;
use crate::kernel::Kernel;
use crate::linalg::{Matrix, Vector};
use crate::model::{Link, ModelError};

/// The parts of a fit in order of importance.
///
/// The mean over the rows is subtracted from every part, because a sum does not determine to which part a constant
/// belongs. Shares are relative to y less the mean function, on the scale of the model; for a classifier y is the posterior
/// mean of the latent function.
#[derive(Debug, Clone, PartialEq)]
pub struct Importance {
    /// The most important part first.
    pub gains: Vec<Gain>,
    /// The number of random folds; their seed is fixed.
    pub folds: usize,
    /// The loss function of the errors.
    pub loss: Loss,
    /// The error on left-out rows of the mean function alone.
    pub without: f64,
}

/// The loss of predictions of left-out rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Loss {
    /// For numbers: the mean absolute error, on the scale of the model.
    Absolute,
    /// For classes: the mean negative log probability of the class, given the posterior mean of the latent function.
    LogProbability(Link),
}

/// The contribution of one part.
#[derive(Debug, Clone, PartialEq)]
pub struct Gain {
    /// The index of the part among the terms of the kernel.
    pub part: usize,
    pub kernel: Kernel,
    /// The variance of its posterior mean over the rows, divided by that of y around the mean function.
    pub share: f64,
    /// The share of the variance remaining after the parts before it that it explains: at most 1, negative if it
    /// increases it.
    pub of_rest: f64,
    /// The share of the variance of y that it and the parts before it explain.
    pub explained: f64,
    /// The error on left-out rows of it and the parts before it.
    pub error: f64,
    /// The relative reduction of the error on left-out rows: at most 1, negative if it increases it.
    pub lowers: f64,
}

/// The number of folds.
const FOLDS: usize = 10;
/// The seed of the folds.
const SEED: u64 = 0;

/// Orders the parts of a fit: each next part is the one that, together with those before it, gives the least error on
/// left-out rows. Parameters are those of the fit to all rows.
///
/// Source: Lloyd, Duvenaud et al., "Automatic construction and natural-language description of nonparametric regression
/// models", section 4: cross-validation of the predictions of selected parts, from the posterior of all parts. All
/// folds use one factorisation, so the cost is about that of the inverse of the covariance, plus n² per part.
///
/// # Errors
/// [`ModelError::Expand`] if products expand to too many terms; as [`Posterior::weights_without`].
///
/// [`Posterior::weights_without`]: crate::model::Posterior::weights_without
pub fn importance(fit: &Fit) -> Result<Importance, ModelError> {
    let terms = summands(&fit.model.kernel)?;
    let explained = fit.posterior.explained()?;
    let beyond_mean = fit.posterior.explained_beyond_mean()?;
    let y = around(&beyond_mean);
    let folds: Vec<Vec<usize>> = match fit.problem().data().folds(FOLDS.min(y.len()), Some(SEED)) {
        Ok(folds) => folds.into_iter().map(|fold| fold.test).collect(),
        // a single row cannot be predicted from others
        Err(_) => Vec::new(),
    };
    let mut weights: Vec<Vector> =
        folds.par_iter().map(|rows| fit.posterior.weights_without(rows)).collect::<Result<_, _>>()?;
    weights.push(fit.posterior.alpha().clone());
    let weights = Matrix::from_columns(&weights);
    let parts: Vec<Means> = terms
        .par_iter()
        .map(|term| Ok(Means::of(&fit.posterior.summand_times(term, &weights)?, &folds)))
        .collect::<Result<_, ModelError>>()?;
    let problem = fit.problem();
    let loss = problem.model().bernoulli().map_or(Loss::Absolute, |how| Loss::LogProbability(how.link()));
    let seen = Seen { loss, whole: &explained, y: problem.y() };
    let mut order = Order { inside: y.clone(), outside: left_out(&beyond_mean, &folds) };
    let whole = square(&y);
    let without = seen.error(&order.outside);
    let (mut before, mut error, mut gains) = (whole, without, Vec::with_capacity(terms.len()));
    let mut open: Vec<usize> = (0..terms.len()).collect();
    while let Some(at) = order.next(&parts, &open, &seen) {
        let part = open.remove(at);
        order.take(&parts[part]);
        let (rest, now) = (square(&order.inside), seen.error(&order.outside));
        gains.push(Gain {
            part,
            kernel: terms[part].clone(),
            share: ratio(square(&parts[part].inside), whole),
            of_rest: 1.0 - ratio(rest, before),
            explained: 1.0 - ratio(rest, whole),
            error: now,
            lowers: 1.0 - ratio(now, error),
        });
        (before, error) = (rest, now);
    }
    Ok(Importance { gains, folds: folds.len(), loss, without })
}

/// The posterior mean of a part, less its mean over the known rows.
struct Means {
    /// At the training rows.
    inside: Vec<f64>,
    /// At each row, with the row's fold left out.
    outside: Vec<f64>,
}

impl Means {
    /// `means` has a column for each fold, and one for all rows.
    fn of(means: &Matrix, folds: &[Vec<usize>]) -> Self {
        let mut outside = vec![0.0; means.nrows()];
        for (j, rows) in folds.iter().enumerate() {
            let column = means.column(j);
            let theirs: f64 = rows.iter().map(|&i| column[i]).sum();
            let middle = (column.sum() - theirs) / (means.nrows() - rows.len()).max(1) as f64;
            rows.iter().for_each(|&i| outside[i] = column[i] - middle);
        }
        let inside: Vec<f64> = means.column(folds.len()).iter().copied().collect();
        Self { inside: around(&inside), outside }
    }
}

/// The residuals of y, and of left-out y, after the parts so far.
struct Order {
    inside: Vec<f64>,
    outside: Vec<f64>,
}

impl Order {
    /// The index among the open parts of the one with the least error; the first of equal ones.
    fn next(&self, parts: &[Means], open: &[usize], seen: &Seen<'_>) -> Option<usize> {
        let less = |part: usize| {
            self.outside.iter().zip(&parts[part].outside).map(|(left, part)| left - part).collect::<Vec<f64>>()
        };
        let errors: Vec<f64> = open.iter().map(|&part| seen.error(&less(part))).collect();
        (0..open.len()).min_by(|&a, &b| errors[a].total_cmp(&errors[b]).then(a.cmp(&b)))
    }

    fn take(&mut self, part: &Means) {
        self.inside.iter_mut().zip(&part.inside).for_each(|(left, part)| *left -= part);
        self.outside.iter_mut().zip(&part.outside).for_each(|(left, part)| *left -= part);
    }
}

/// The reference values for predictions.
struct Seen<'a> {
    loss: Loss,
    /// The values that all parts together explain.
    whole: &'a [f64],
    /// The target on the scale of the model; ±1 for classes.
    y: &'a [f64],
}

impl Seen<'_> {
    /// The mean loss for these residuals of the whole.
    fn error(&self, left: &[f64]) -> f64 {
        let sum: f64 = match self.loss {
            Loss::Absolute => left.iter().map(|left| left.abs()).sum(),
            Loss::LogProbability(link) => {
                let rows = self.y.iter().zip(self.whole.iter().zip(left));
                rows.map(|(y, (whole, left))| -link.log_probability(*y, whole - left, 0.0)).sum()
            }
        };
        sum / left.len().max(1) as f64
    }
}

/// y less the mean of the other rows, for each left-out row.
fn left_out(y: &[f64], folds: &[Vec<usize>]) -> Vec<f64> {
    let sum: f64 = y.iter().sum();
    let mut out = vec![0.0; y.len()];
    for rows in folds {
        let theirs: f64 = rows.iter().map(|&i| y[i]).sum();
        let middle = (sum - theirs) / (y.len() - rows.len()).max(1) as f64;
        rows.iter().for_each(|&i| out[i] = y[i] - middle);
    }
    out
}

fn around(values: &[f64]) -> Vec<f64> {
    let mean = values.iter().sum::<f64>() / values.len().max(1) as f64;
    values.iter().map(|v| v - mean).collect()
}

/// The mean square about 0.
fn square(values: &[f64]) -> f64 {
    values.iter().map(|v| v * v).sum::<f64>() / values.len().max(1) as f64
}

/// The ratio of a part to a whole; 1 if the whole is 0.
fn ratio(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { part / whole } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Column, Dataset};
    use crate::fit::condition;
    use crate::kernel::families::family;
    use crate::kernel::{InputRef, Inputs};
    use crate::model::{Bernoulli, Likelihood, Mean, Model, Noise};
    use crate::param::Param;

    fn leaf(name: &str, input: &str, params: &[f64]) -> Kernel {
        let kernel = Kernel::leaf(family(name).unwrap(), Inputs::These(vec![InputRef::Name(input.into())]));
        let mut values = params.iter();
        kernel.map_params(&mut |_| values.next().map_or_else(Param::default, |&v| Param::free(v)))
    }

    fn rows() -> Dataset {
        let x: Vec<f64> = (0..40).map(|i| f64::from(i) * 0.25).collect();
        let wobble = |i: usize| (i as f64 * 12.9898).sin() * 43758.547 % 1.0;
        let y = x.iter().enumerate().map(|(i, x)| 5.0 + 2.0 * x + (2.0 * x).sin() + 0.1 * wobble(i)).collect();
        let columns = vec![Column::numeric("x", x), Column::numeric("y", y)];
        Dataset::new(columns, Some("y"), Some(&["x"])).unwrap()
    }

    fn fitted(kernel: Kernel) -> Fit {
        let (noise, mean) = (Noise::Variance(Param::free(0.01)), Mean::Constant(Param::free(5.0)));
        condition(&Model { mean, ..Model::new(kernel).with_noise(noise) }, &rows()).unwrap()
    }

    #[test]
    fn weights_without_rows_are_those_of_the_others() {
        let fit = fitted(leaf("SE", "x", &[1.5, 4.0]));
        let gone = [0, 7, 8, 39];
        let kept: Vec<usize> = (0..40).filter(|i| !gone.contains(i)).collect();
        let other = condition(&fit.model, &rows().take(&kept)).unwrap();
        let weights = fit.posterior.weights_without(&gone).unwrap();
        for (alpha, &i) in other.posterior.alpha().iter().zip(&kept) {
            assert!((weights[i] - alpha).abs() < 1e-7 * other.posterior.alpha().amax(), "{i}");
        }
        assert!(gone.iter().all(|&i| weights[i] == 0.0));
    }

    #[test]
    fn the_error_of_all_parts_is_that_of_predictions_without_the_fold() {
        let kernel = Kernel::sum([leaf("SE", "x", &[0.8, 1.0]), leaf("SE", "x", &[20.0, 100.0])]).unwrap();
        let (fit, data) = (fitted(kernel), rows());
        let found = importance(&fit).unwrap();
        let mut error = 0.0;
        for fold in data.folds(10, Some(0)).unwrap() {
            let other = condition(&fit.model, &data.take(&fold.train)).unwrap();
            let x: Vec<f64> = fold.test.iter().map(|&i| data.x()[0][i]).collect();
            let mean = other.posterior.predict_mean(&[&x]).unwrap();
            error += fold.test.iter().zip(mean).map(|(&i, m)| (data.y().unwrap()[i] - m).abs()).sum::<f64>() / 40.0;
        }
        assert!((found.gains[1].error - error).abs() < 0.02 * error, "{} {error}", found.gains[1].error);
        // the slow part has the slope and comes first
        assert_eq!((found.gains[0].part, found.folds), (1, 10));
        assert!(found.gains[0].lowers > 0.8 && found.gains[1].lowers > 0.5, "{found:?}");
        assert!(found.gains[1].explained > 0.99 && found.gains[0].explained < found.gains[1].explained);
    }

    /// For classes the error is that of their probabilities, and initially that of a constant.
    #[test]
    fn classes_are_told_by_their_probabilities() {
        let x: Vec<f64> = (0..40).map(|i| f64::from(i) * 0.25).collect();
        let label = (0..40).map(|i| f64::from(u8::from((i > 20) != (i % 9 == 0)))).collect();
        let columns = vec![Column::numeric("x", x), Column::numeric("label", label)];
        let data = Dataset::new(columns, Some("label"), None).unwrap();
        let likelihood = Likelihood::Bernoulli { how: Bernoulli::Ep, positive: None };
        let model = Model { likelihood, ..Model::new(leaf("SE", "x", &[2.0, 2.0])) };
        let found = importance(&condition(&model, &data).unwrap()).unwrap();
        assert_eq!(found.loss, Loss::LogProbability(Link::Probit));
        assert!(found.without > 0.6 && found.without < 0.8, "{found:?}");
        assert!(found.gains[0].error > 0.2 && found.gains[0].error < 0.6 && found.gains[0].lowers > 0.2, "{found:?}");
    }

    #[test]
    fn constants_and_noise_explain_nothing() {
        let noise = Kernel::leaf(family("WN").unwrap(), Inputs::All);
        let constant = Kernel::number(3.0);
        let kernel = Kernel::sum([noise, constant, leaf("SE", "x", &[20.0, 100.0])]).unwrap();
        let found = importance(&fitted(kernel)).unwrap();
        assert_eq!(found.gains[0].part, 2);
        assert!(found.gains[1..].iter().all(|gain| gain.lowers.abs() < 0.01), "{found:?}");
        let share = |part| found.gains.iter().find(|gain| gain.part == part).map(|gain| gain.share);
        assert!(share(1).unwrap() < 1e-12 && share(0).unwrap() > 0.0);
    }

    #[test]
    fn a_single_row_is_no_mistake() {
        let data = rows().take(&[3]);
        let fit = condition(&fitted(leaf("SE", "x", &[1.0, 1.0])).model, &data).unwrap();
        let found = importance(&fit).unwrap();
        assert_eq!((found.folds, found.gains.len(), found.without), (0, 1, 0.0));
    }
}
