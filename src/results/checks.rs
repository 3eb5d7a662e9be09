//! Checks of the residuals of a fit against its assumptions.
//!
//! Replicates of the data are drawn from the fitted model at the same rows, and a statistic of the residuals is
//! compared with that of every replicate: a predictive check (Gelman, Meng & Stern 1996, "Posterior predictive
//! assessment of model fitness via realized discrepancies"; for Gaussian processes: Lloyd, Duvenaud, Grosse, Tenenbaum
//! & Ghahramani 2014, "Automatic construction and natural-language description of nonparametric regression models").
//!
//! The residuals are leave-one-out residuals divided by their standard deviations. Each is standard normal if the model
//! is right; they are correlated, and so are those of the replicates. The function is drawn again for every replicate.
//! If it were drawn given the data, the residuals of replicates would follow the data that they are to judge, and
//! p-values would concentrate near one half (Bayarri & Berger 2000, "P values for composite null models"). The
//! parameters of the kernel and the noise have their fitted values. Every statistic is independent of scale, and a
//! fitted mean is fitted to each replicate, so the error of this is small if there are few parameters.

mod statistics;

use std::sync::Arc;

use rand::SeedableRng;
use rand_distr::{Distribution, StandardNormal};
use rand_pcg::Pcg64;

pub use self::statistics::About;
use self::statistics::{Rhythms, Spreads, kurtosis, lagged, straightness};
use super::residuals;
use crate::fit::Fit;
use crate::linalg::Matrix;
use crate::model::{ModelError, ParameterKind};
use crate::progress::{Progress, Silent};

pub use self::statistics::normal_scores;

/// The properties that are checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Topic {
    /// The linearity of a normal quantile-quantile plot: the squared correlation of ordered residuals and normal
    /// quantiles (Shapiro & Francia 1972). Lower is worse.
    Normality,
    /// Kurtosis, 3 for a normal distribution. Higher is worse.
    Tails,
    /// The correlation of neighbours along the single input. Higher and lower are worse.
    Autocorrelation,
    /// The power of the strongest sinusoid along the single input relative to its expectation: a periodogram. Higher is
    /// worse.
    Periodicity,
    /// The dependence of the size of residuals on a quadratic in an input or in the posterior mean, or on the level of
    /// a category: the largest adjusted R² of these regressions of |residual| (after Glejser 1969). Higher is worse.
    Heteroscedasticity,
}

impl Topic {
    /// All checks, in the order of tables.
    pub const ALL: [Topic; 5] =
        [Topic::Normality, Topic::Tails, Topic::Autocorrelation, Topic::Periodicity, Topic::Heteroscedasticity];

    /// The name of the check.
    pub fn name(self) -> &'static str {
        match self {
            Topic::Normality => "normality",
            Topic::Tails => "tails",
            Topic::Autocorrelation => "autocorrelation",
            Topic::Periodicity => "periodicity",
            Topic::Heteroscedasticity => "heteroscedasticity",
        }
    }
}

/// A statistic of the residuals, compared with that of the replicates.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    pub statistic: f64,
    /// The median of the replicates.
    pub expected: f64,
    /// The p-value: the share of replicates, with the data counted among them, that are at least as extreme; from 1 /
    /// (draws + 1) to 1.
    pub p: f64,
    pub about: About,
}

/// One check.
#[derive(Debug, Clone, PartialEq)]
pub struct Check {
    pub topic: Topic,
    /// The finding, or why the check is not possible.
    pub found: Result<Finding, &'static str>,
}

/// All checks of a fit.
#[derive(Debug, Clone)]
pub struct Checks {
    pub fit: Arc<Fit>,
    pub checks: Vec<Check>,
    /// The number of replicates, and the seed of their draws.
    pub draws: usize,
    pub seed: u64,
    /// The residuals in ascending order.
    pub sorted: Vec<f64>,
    /// The 2.5 % and 97.5 % quantiles of the residuals of replicates at each place in the order.
    pub lower: Vec<f64>,
    pub upper: Vec<f64>,
}

/// The default number of replicates.
pub const DRAWS: usize = 999;
/// The least number of replicates: p-values come in steps of 1 %.
pub const LEAST_DRAWS: usize = 99;
/// The largest number of values in all replicates: 160 MB.
const MOST_NUMBERS: usize = 20_000_000;
/// The largest number of multiplications in each triangular product: some seconds.
const MOST_PRODUCTS: usize = 20_000_000_000;
/// The number of multiplications between two checks for a stop by the user.
const BLOCK: usize = 1_000_000_000;
/// The number of series whose powers are computed at a time.
const SERIES: usize = 1000;
/// Checks need at least this number of rows.
const LEAST_ROWS: usize = 5;

/// Checks the residuals of a fit against `draws` replicates, or fewer if there are very many rows.
///
/// # Errors
/// [`ModelError::NotOfClasses`] for a classifier; otherwise those of evaluating the fit at its own rows.
pub fn checks(fit: &Arc<Fit>, draws: usize, seed: u64) -> Result<Checks, ModelError> {
    checks_unless(fit, draws, seed, &Silent)
}

/// The same; ends with an error when the user stops the work.
///
/// # Errors
/// As [`checks`]; [`ModelError::Stopped`].
pub fn checks_unless(fit: &Arc<Fit>, draws: usize, seed: u64, progress: &dyn Progress) -> Result<Checks, ModelError> {
    if fit.problem().classes().is_some() {
        return Err(ModelError::NotOfClasses(
            "the \
             checks are for normal residuals, which classes do not have: `score` assesses the probabilities",
        ));
    }
    let n = fit.problem().n();
    let most = (MOST_NUMBERS / n.max(1)).min(MOST_PRODUCTS / (n * n).max(1));
    let draws = draws.min(most).max(LEAST_DRAWS);
    let mut random = Pcg64::seed_from_u64(seed);
    let fitted = fit.ended.is_some();
    let refit: Vec<usize> = fit
        .parameters()
        .iter()
        .filter(|p| fitted && p.is_free())
        .filter_map(|p| if let ParameterKind::Mean(at) = p.kind { Some(at) } else { None })
        .collect();
    let (mut others, mut means) = (Vec::with_capacity(n * draws), Vec::with_capacity(n * draws));
    let block = (BLOCK / (n * n).max(1)).clamp(16, 4096);
    for first in (0..draws).step_by(block) {
        if progress.stop() {
            return Err(ModelError::Stopped);
        }
        let some = block.min(draws - first);
        let normals = Matrix::from_fn(n, some, |_, _| StandardNormal.sample(&mut random));
        let replicates = fit.posterior.replicates(&normals, &refit)?;
        others.extend_from_slice(replicates.standardized.as_slice());
        means.extend_from_slice(replicates.fitted.as_slice());
        progress.report(0.5 * (first + some) as f64 / draws as f64, "drawing replicates");
    }
    let found = residuals(fit)?;
    let series = Series {
        own: found.standardized,
        fitted: found.fitted,
        others: Matrix::from_vec(n, draws, others),
        means: Matrix::from_vec(n, draws, means),
        progress,
    };
    let mut checks = Vec::new();
    for topic in Topic::ALL {
        checks.push(Check { topic, found: series.look(topic, fit) });
        if progress.stop() {
            return Err(ModelError::Stopped);
        }
    }
    if !series.is_spread() {
        checks.iter_mut().for_each(|check| check.found = Err("the residuals have no spread"));
    } else if n < LEAST_ROWS {
        checks.iter_mut().for_each(|check| check.found = Err("there are fewer than 5 rows"));
    }
    let (sorted, lower, upper) = series.envelope();
    if progress.stop() {
        return Err(ModelError::Stopped);
    }
    Ok(Checks { fit: fit.clone(), checks, draws, seed, sorted, lower, upper })
}

/// Residuals and posterior means of the data, and those of the replicates, one per column.
struct Series<'p> {
    own: Vec<f64>,
    fitted: Vec<f64>,
    others: Matrix,
    means: Matrix,
    progress: &'p dyn Progress,
}

/// The direction in which a statistic is worse.
enum Worse {
    Less,
    More,
    Both,
}

impl Series<'_> {
    fn is_spread(&self) -> bool {
        let mean = self.own.iter().sum::<f64>() / self.own.len().max(1) as f64;
        self.own.iter().all(|e| e.is_finite()) && self.own.iter().any(|e| (e - mean).abs() > 1e-12)
    }

    /// The replicates; the iterator ends when the user stops the work.
    fn columns(&self) -> impl Iterator<Item = &[f64]> {
        self.others.as_slice().chunks_exact(self.own.len().max(1)).take_while(|_| !self.progress.stop())
    }

    fn look(&self, topic: Topic, fit: &Fit) -> Result<Finding, &'static str> {
        match topic {
            Topic::Normality => {
                let scores = normal_scores(self.own.len());
                Ok(self.judge(|e| straightness(e, &scores), &Worse::Less))
            }
            Topic::Tails => Ok(self.judge(kurtosis, &Worse::More)),
            Topic::Autocorrelation => {
                let order = order(along(fit)?);
                Ok(self.judge(|e| lagged(e, &order), &Worse::Both))
            }
            Topic::Periodicity => {
                let rhythms = Rhythms::new(along(fit)?).ok_or("there are too few places along the input")?;
                let (n, own) = (self.own.len().max(1), rhythms.powers(&self.own, 1));
                let mut others = Vec::new();
                for some in self.others.as_slice().chunks(n * SERIES) {
                    if self.progress.stop() {
                        break;
                    }
                    others.extend_from_slice(rhythms.powers(some, some.len() / n).as_slice());
                }
                let others = Matrix::from_vec(own.nrows(), others.len() / own.nrows().max(1), others);
                let (at, statistic, others) = rhythms.strongest(&own, &others);
                let found = finding(statistic, others, &Worse::More);
                Ok(Finding { about: About::Period(rhythms.period(at)), ..found })
            }
            Topic::Heteroscedasticity => {
                let spreads = Spreads::new(fit.problem());
                let (statistic, about) = spreads.largest(&self.own, &self.fitted);
                let means = self.means.as_slice().chunks_exact(self.own.len().max(1));
                let others = self.columns().zip(means).map(|(e, mean)| spreads.largest(e, mean).0).collect();
                Ok(Finding { about, ..finding(statistic, others, &Worse::More) })
            }
        }
    }

    fn judge(&self, statistic: impl Fn(&[f64]) -> f64, worse: &Worse) -> Finding {
        finding(statistic(&self.own), self.columns().map(&statistic).collect(), worse)
    }

    /// The sorted residuals, with the 2.5 % and 97.5 % quantiles of those of the replicates at each place in the order.
    fn envelope(&self) -> (Vec<f64>, Vec<f64>, Vec<f64>) {
        let ascending = |values: &[f64]| {
            let mut all = values.to_vec();
            all.sort_by(f64::total_cmp);
            all
        };
        let others: Vec<Vec<f64>> = self.columns().map(ascending).collect();
        let (mut lower, mut upper) = (Vec::new(), Vec::new());
        for place in 0..self.own.len() {
            if self.progress.stop() {
                break;
            }
            let all = ascending(&others.iter().map(|e| e[place]).collect::<Vec<f64>>());
            let last = all.len().saturating_sub(1);
            let quantile = |q: f64| all.get((q * last as f64).round() as usize).copied().unwrap_or(f64::NAN);
            lower.push(quantile(0.025));
            upper.push(quantile(0.975));
        }
        (ascending(&self.own), lower, upper)
    }
}

/// Compares the statistic with those of the replicates.
fn finding(statistic: f64, mut others: Vec<f64>, worse: &Worse) -> Finding {
    others.sort_by(f64::total_cmp);
    let draws = others.len() as f64;
    let least = (others.len() - others.partition_point(|v| *v < statistic)) as f64;
    let most = others.partition_point(|v| *v <= statistic) as f64;
    let (more, less) = ((1.0 + least) / (1.0 + draws), (1.0 + most) / (1.0 + draws));
    let p = match worse {
        Worse::Less => less,
        Worse::More => more,
        Worse::Both => (2.0 * more.min(less)).min(1.0),
    };
    let expected = others.get(others.len() / 2).copied().unwrap_or(f64::NAN);
    Finding { statistic, expected, p, about: About::Nothing }
}

/// The values of the single input, by which rows are ordered.
fn along(fit: &Fit) -> Result<&[f64], &'static str> {
    let problem = fit.problem();
    match (problem.names(), &problem.x()[..]) {
        ([name], [values]) => match problem.data().column(name) {
            Some(column) if column.is_categories() => Err("categories have no order"),
            _ => Ok(*values),
        },
        _ => Err("there is no one input along which rows have an order"),
    }
}

fn order(values: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
    order
}

#[cfg(test)]
mod tests;
