//! Scores of a fit: on held-out rows, or leave-one-out.

use std::sync::Arc;

use super::metric::{Classes, Density, METRICS, Metric, Numbers, Outcomes};
use super::predict::TAIL;
use crate::data::{Dataset, TargetMap};
use crate::fit::Fit;
use crate::model::{Bernoulli, ModelError, Problem};

/// The values of all metrics that apply to some predictions, in the order of [`METRICS`].
#[derive(Debug, Clone, PartialEq)]
pub struct Score {
    /// The number of rows.
    pub n: usize,
    pub values: Vec<(&'static Metric, f64)>,
}

impl Score {
    /// All metrics that apply.
    pub fn of(outcomes: &Outcomes) -> Self {
        let n = match outcomes {
            Outcomes::Numbers(numbers) => numbers.y.len(),
            Outcomes::Classes(classes) => classes.label.len(),
            Outcomes::Several(several) => several.label.len(),
        };
        let values = METRICS.iter().filter_map(|metric| Some((metric, metric.of(outcomes)?)));
        Self { n, values: values.collect() }
    }

    /// The value of the metric with this name, if it applies.
    pub fn get(&self, name: &str) -> Option<f64> {
        self.values.iter().find(|(metric, _)| metric.name == name).map(|(_, value)| *value)
    }
}

/// The prediction of one row, on the scale of the model.
struct Predicted {
    mean: f64,
    var: f64,
}

/// Scores on rows with a known target.
///
/// # Errors
/// As [`outcomes_at`]; [`ModelError::NoNoise`] if a row has predictive variance 0, where there is no density.
pub fn score_held_out(fit: &Arc<Fit>, rows: &Dataset) -> Result<Score, ModelError> {
    scored(&outcomes_at(fit, rows)?)
}

/// Leave-one-out scores.
///
/// # Errors
/// [`ModelError::NoNoise`] as above.
pub fn score_leave_one_out(fit: &Arc<Fit>) -> Result<Score, ModelError> {
    scored(&leave_one_out_outcomes(fit)?)
}

/// Leave-one-out predictions of the training rows with unchanged parameters (Rasmussen & Williams, 5.10–5.12); for a
/// classifier the cavities, with the other pseudo-observations unchanged. The mean function of a model without a kernel
/// is fitted to the other rows.
///
/// # Errors
/// Rows at which the kernel cannot be evaluated.
pub fn leave_one_out_outcomes(fit: &Arc<Fit>) -> Result<Outcomes, ModelError> {
    let problem = fit.problem();
    let predicted: Vec<Predicted> =
        fit.posterior.leave_one_out()?.into_iter().map(|(mean, var)| Predicted { mean, var }).collect();
    if let Some(how) = problem.model().bernoulli() {
        return classes(problem.y(), &predicted, how);
    }
    let y = problem.data().y().ok_or(ModelError::NoTarget)?;
    numbers(y, &predicted, &problem.pipeline().target()).map(Outcomes::Numbers)
}

/// All metrics of predictions.
///
/// # Errors
/// [`ModelError::NoNoise`] for numbers without a density.
pub fn scored(outcomes: &Outcomes) -> Result<Score, ModelError> {
    match outcomes {
        Outcomes::Numbers(numbers) if numbers.density.is_none() => Err(ModelError::NoNoise),
        outcomes => Ok(Score::of(outcomes)),
    }
}

/// The predictions of a fit for rows with a known target.
///
/// # Errors
/// As [`predict`](super::predict); [`ModelError::NoTarget`] if the rows have no target.
pub fn outcomes_at(fit: &Arc<Fit>, rows: &Dataset) -> Result<Outcomes, ModelError> {
    outcomes_of_members(&[(1.0, fit.clone())], rows)
}

/// The predictions of a weighted average of fits to the same rows, for rows with a known target.
///
/// # Errors
/// As [`outcomes_at`].
pub(super) fn outcomes_of_members(members: &[(f64, Arc<Fit>)], rows: &Dataset) -> Result<Outcomes, ModelError> {
    let Some((_, first)) = members.first() else { return Err(ModelError::NoRows) };
    let problem = first.problem();
    if let (Some(known), Some(how)) = (problem.classes(), problem.model().bernoulli()) {
        let labels = known.labels(rows)?;
        let mut probability = vec![0.0; labels.len()];
        for (weight, fit) in members {
            for (sum, p) in probability.iter_mut().zip(latent(fit.problem(), fit, rows)?) {
                *sum += weight * how.link().probability(p.mean, p.var);
            }
        }
        return of_classes(&labels, probability);
    }
    let target = problem.data().target().ok_or(ModelError::NoTarget)?.name();
    let column = rows.find(target)?;
    if let Some(i) = column.values().iter().position(|v| !v.is_finite()) {
        let (column, value) = (target.to_string(), column.values()[i]);
        return Err(crate::data::DataError::NotFinite { column, row: rows.row(i), value }.into());
    }
    // a target outside of the domain of its transform has no density
    problem.pipeline().apply(rows)?;
    let mut all = Vec::with_capacity(members.len());
    for (weight, fit) in members {
        let problem = fit.problem();
        let function = latent(problem, fit, rows)?;
        let noise = match problem.noise_variance(fit.values()) {
            Some(noise) => vec![noise; rows.n()],
            None => problem.known_noise_of(rows)?.ok_or(ModelError::NoNoiseColumn)?,
        };
        let jitter = fit.posterior.jitter();
        let observed = |(f, noise): (Predicted, f64)| Predicted { var: f.var + noise + jitter, ..f };
        let predicted: Vec<Predicted> = function.into_iter().zip(noise).map(observed).collect();
        let map = problem.pipeline().target();
        let numbers = numbers(column.values(), &predicted, &map)?;
        if members.len() == 1 {
            return Ok(Outcomes::Numbers(numbers));
        }
        let below = |(y, p): (&f64, &Predicted)| map.probability_below(p.mean, p.var.max(0.0).sqrt(), *y);
        let below = column.values().iter().zip(&predicted).map(below).collect();
        all.push(Member { weight: *weight, numbers, below });
    }
    Ok(Outcomes::Numbers(averaged(column.values(), &all)))
}

/// The predictions of one member of an average, with the probability below each target.
struct Member {
    weight: f64,
    numbers: Numbers,
    below: Vec<f64>,
}

/// The average of predictions of the same rows: its density is the weighted mean of theirs, and a row is inside if its
/// probability below is between those of two standard deviations.
fn averaged(y: &[f64], members: &[Member]) -> Numbers {
    let mean_of = |value: &dyn Fn(&Member) -> f64| members.iter().map(|one| one.weight * value(one)).sum::<f64>();
    let mean = (0..y.len()).map(|i| mean_of(&|one| one.numbers.mean[i])).collect();
    let logs: Option<Vec<&[f64]>> =
        members.iter().map(|one| one.numbers.density.as_ref().map(|density| &density.log[..])).collect();
    let density = logs.map(|logs| {
        let log = |i: usize| {
            let top = logs.iter().map(|log| log[i]).fold(f64::NEG_INFINITY, f64::max);
            top + logs.iter().zip(members).map(|(log, one)| one.weight * (log[i] - top).exp()).sum::<f64>().ln()
        };
        let inside = |i: usize| (mean_of(&|one| one.below[i]) - 0.5).abs() <= 0.5 - TAIL;
        Density { log: (0..y.len()).map(log).collect(), inside: (0..y.len()).map(inside).collect() }
    });
    Numbers { y: y.to_vec(), mean, density }
}

/// The prediction of the function at other rows.
fn latent(problem: &Problem, fit: &Fit, rows: &Dataset) -> Result<Vec<Predicted>, ModelError> {
    let x = problem.inputs_of(rows)?;
    let moments = fit.posterior.predict(&x.iter().map(|c| &c[..]).collect::<Vec<_>>())?;
    Ok(moments.mean.into_iter().zip(moments.var_f).map(|(mean, var)| Predicted { mean, var }).collect())
}

/// Labels ±1 with the probability of the positive class.
fn classes(labels: &[f64], predicted: &[Predicted], how: Bernoulli) -> Result<Outcomes, ModelError> {
    of_classes(labels, predicted.iter().map(|p| how.link().probability(p.mean, p.var)).collect())
}

fn of_classes(labels: &[f64], probability: Vec<f64>) -> Result<Outcomes, ModelError> {
    if labels.is_empty() {
        return Err(ModelError::NoRows);
    }
    Ok(Outcomes::Classes(Classes { label: labels.iter().map(|y| *y > 0.0).collect(), probability }))
}

fn numbers(y: &[f64], predicted: &[Predicted], map: &TargetMap) -> Result<Numbers, ModelError> {
    if y.is_empty() {
        return Err(ModelError::NoRows);
    }
    let mut means = Vec::with_capacity(y.len());
    let mut density = Some(Density { log: Vec::with_capacity(y.len()), inside: Vec::with_capacity(y.len()) });
    for (&y, p) in y.iter().zip(predicted) {
        let sd = p.var.max(0.0).sqrt();
        means.push(if map.is_identity() { p.mean } else { map.moments(p.mean, sd).0 });
        let Some(seen) = map.forward(y) else { return Err(ModelError::OutsideTransform { value: y }) };
        if p.var.is_nan() || p.var <= 0.0 {
            density = None;
        }
        if let Some(density) = &mut density {
            let z = (seen - p.mean) / sd;
            density.log.push(map.log_slope(y) - 0.5 * z * z - sd.ln() - 0.5 * std::f64::consts::TAU.ln());
            density.inside.push(z.abs() <= 2.0);
        }
    }
    Ok(Numbers { y: y.to_vec(), mean: means, density })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Column, Function, Step, Transform};
    use crate::fit::condition;
    use crate::kernel::{Kernel, families};
    use crate::model::Model;

    fn rows(x: Vec<f64>, y: Vec<f64>) -> Dataset {
        Dataset::new(vec![Column::numeric("x", x), Column::numeric("y", y)], Some("y"), None).unwrap()
    }

    fn skewed(n: usize) -> Dataset {
        let x: Vec<f64> = (0..n).map(|i| i as f64 / 4.0).collect();
        let y =
            x.iter().enumerate().map(|(i, x)| (1.2 * x.sin() + 0.3 * (i as f64 * 37.0).cos() + 1.0).exp()).collect();
        rows(x, y)
    }

    /// Under every transform g of the target, the density of y integrates to 1 and is that of g(y) times |g′(y)|; the
    /// log marginal likelihood is that of g(y) plus Σ log|g′(yᵢ)|.
    #[test]
    fn densities_are_those_of_y() {
        let data = skewed(40);
        let functions =
            [Function::Plain(Transform::Log), Function::BoxCox(None), Function::BoxCox(Some(0.1)), Function::Warped];
        for function in functions {
            let plain = Model::new(Kernel::family(families::family("SE").unwrap()));
            let step = Step::Transform { column: "y".into(), function: function.clone() };
            let fit = Arc::new(condition(&Model { steps: vec![step], ..plain.clone() }, &data).unwrap());
            let map = fit.problem().pipeline().target();
            let (x, y) = (data.x()[0].to_vec(), data.y().unwrap());
            let made = rows(x, y.iter().map(|y| map.forward(*y).unwrap()).collect());
            let on_scale = Arc::new(condition(&plain, &made).unwrap());
            let slopes: f64 = y.iter().map(|y| map.log_slope(*y)).sum();
            assert!((fit.lml() - on_scale.lml() - slopes).abs() < 1e-8, "{function:?}");

            let Outcomes::Numbers(ours) = outcomes_at(&fit, &data).unwrap() else { panic!("numbers") };
            let Outcomes::Numbers(theirs) = outcomes_at(&on_scale, &made).unwrap() else { panic!("numbers") };
            let (ours, theirs) = (ours.density.unwrap().log, theirs.density.unwrap().log);
            for ((ours, theirs), y) in ours.iter().zip(theirs).zip(y) {
                assert!((ours - theirs - map.log_slope(*y)).abs() < 1e-8, "{function:?}");
            }

            // even steps of log y, starting near y = 0
            let step = 0.006;
            let grid: Vec<f64> = (0..4_000).map(|i| 1.5e-9 * (f64::from(i) * step).exp()).collect();
            let Outcomes::Numbers(outcomes) = outcomes_at(&fit, &rows(vec![3.1; grid.len()], grid.clone())).unwrap()
            else {
                panic!("numbers")
            };
            let logs = outcomes.density.unwrap().log;
            let whole: f64 = logs.iter().zip(&grid).map(|(log, y)| log.exp() * y * step).sum();
            assert!((whole - 1.0).abs() < 2e-3, "{function:?}: {whole}");
        }
    }
}
