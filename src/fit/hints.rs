//! Warnings about a fit.

use super::result::Fit;
use super::short_scales::{self, Short};
use super::spacing::{median_gap, span, variance};
use crate::kernel::{InputSlope, Kernel, Role, SlotState};
use crate::model::{ParameterKind, is_zero_kernel};

/// Warnings as short sentences, the most serious first; most fits have none.
pub fn hints(fit: &Fit) -> Vec<String> {
    let mut hints = Vec::new();
    let (problem, values) = (fit.problem(), fit.values());
    if fit.posterior.jitter() > 0.0 {
        hints.push(jittered(fit.posterior.jitter()));
    }
    if fit.posterior.pseudo().is_some_and(|pseudo| !pseudo.converged) {
        hints.push(NOT_CONVERGED.to_string());
    }
    if let Some(ended) = fit.ended.filter(|e| !e.well()) {
        hints.push(format!("the optimiser did not reach a maximum ({ended}): the parameters are the best found"));
    }
    hints.extend(linearly_separable(fit));
    let n = problem.n();
    if fit.free > n {
        hints.push(format!(
            "{} free parameters for {n} {}: the data cannot determine them",
            fit.free,
            if n == 1 { "row" } else { "rows" }
        ));
    }
    let x = problem.x();
    hints.extend(inducing_outside(fit));
    if fit.ended.is_some() {
        hints.extend(constant_columns(fit));
        hints.extend(redundant_parts(fit));
    }
    let y_variance = variance(problem.y());
    for (i, (parameter, &value)) in problem.parameters().iter().zip(values).enumerate() {
        if !parameter.is_free() {
            continue;
        }
        let name = &parameter.name;
        if problem.product_bounds().iter().any(|bound| bound.powers == [(i, -1.0)] && bound.is_reached(values)) {
            hints.push(format!(
                "`{name}` reached the limit of its range, {}: the model separates the classes of these rows with certainty",
                short(value)
            ));
            continue;
        }
        if parameter.domain.on_bound(value) {
            hints.push(format!("`{name}` is at its bound {}", short(value)));
            continue;
        }
        if let ParameterKind::Noise = parameter.kind
            && value < 1e-8 * y_variance
        {
            hints.push("the noise converged to 0: the model interpolates the data".to_string());
        }
        let [column] = parameter.columns[..] else { continue };
        if parameter.warped {
            continue;
        }
        let column_name = &problem.names()[column];
        match parameter.role {
            // the width of a changepoint: the length of the transition between two kernels
            Role::LengthScale if name.ends_with(".width") => {
                if span(x[column]).is_some_and(|s| value > s) {
                    hints.push(format!(
                        "`{name}` = {} is longer than the range of {column_name}: the change is not complete within the data",
                        short(value)
                    ));
                } else if median_gap(x[column]).is_some_and(|g| value < 0.5 * g) {
                    hints.push(format!(
                        "`{name}` = {} is below the spacing of {column_name}: the change is a jump between two rows",
                        short(value)
                    ));
                }
            }
            Role::LengthScale => {
                if span(x[column]).is_some_and(|s| value > FAR * s) {
                    hints.push(format!(
                        "`{name}` = {}, far beyond the range of {column_name}: the data are nearly linear in {column_name}, or constant",
                        short(value)
                    ));
                } else if median_gap(x[column]).is_some_and(|g| value < 0.5 * g) {
                    let what = match short_scales::short(problem, &fit.model.kernel, parameter, value) {
                        Short::Noise => "the component is not distinguishable from noise",
                        Short::RandomWalk => "the component is not distinguishable from a random walk, `Wiener`",
                        Short::Correlated => continue,
                    };
                    hints.push(format!("`{name}` = {} is below the spacing of {column_name}: {what}", short(value)));
                }
            }
            Role::Period if span(x[column]).is_some_and(|s| value > s) => {
                hints.push(format!("`{name}` = {} is longer than the data: no repetition was observed", short(value)));
            }
            _ => {}
        }
    }
    hints.extend(idle_parts(fit));
    hints.extend(fit.denser.map(|denser| denser.to_string()));
    hints
}

/// The warning for a covariance that needed jitter.
pub(crate) fn jittered(jitter: f64) -> String {
    format!(
        "jitter of {jitter:.1e} was added to the diagonal and counts as noise of that variance: without it the \
         covariance is singular to rounding"
    )
}

/// The warning for an approximation that has not converged.
pub(crate) const NOT_CONVERGED: &str = "the approximate inference did not converge: the log marginal likelihood and probabilities are those of its best iteration";

/// With a length-scale of this multiple of the range of its column, a function is nearly linear.
const FAR: f64 = 5.0;

/// A part has almost no variance if its mean has less than this share of the target's standard deviation.
const IDLE: f64 = 1e-3;

/// Inducing inputs outside of the rows tell nothing of them: with `standardize`, they are in standard deviations.
fn inducing_outside(fit: &Fit) -> Option<String> {
    let problem = fit.problem();
    let inducing = problem.inducing()?;
    let slopes = problem.bound().input_slopes();
    let outside = |(at, z): (usize, &Vec<f64>)| {
        let least = problem.x()[at].iter().copied().fold(f64::INFINITY, f64::min);
        let largest = problem.x()[at].iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let reach = largest - least;
        let away = z.iter().all(|z| *z < least - reach || *z > largest + reach);
        (slopes[at] == InputSlope::Known && away).then(|| &problem.names()[at])
    };
    let column = inducing.x.iter().enumerate().find_map(outside)?;
    let scale = if problem.pipeline().of(column).is_empty() {
        ""
    } else {
        "; they are on the scale after the steps of the model"
    };
    Some(format!(
        "all inducing inputs are far outside of the range of {column}: the fit says nothing of the rows{scale}"
    ))
}

/// Columns on which the kernel depends and that have no variation.
fn constant_columns(fit: &Fit) -> Vec<String> {
    let problem = fit.problem();
    let x = problem.x();
    let seen = |column: usize| problem.parameters().iter().any(|p| p.columns.contains(&column));
    let constant = |column: &usize| problem.n() > 1 && x[*column].iter().all(|v| *v == x[*column][0]);
    (0..x.len())
        .filter(|&column| seen(column))
        .filter(constant)
        .map(|c| format!("`{}` is the same in every row and has no effect", problem.names()[c]))
        .collect()
}

/// Classes that are linearly separable: the likelihood of logistic regression increases without bound in its slopes.
fn linearly_separable(fit: &Fit) -> Option<String> {
    let problem = fit.problem();
    let how = problem.model().bernoulli().filter(|_| is_zero_kernel(&problem.model().kernel) && fit.ended.is_some())?;
    let latent = fit.posterior.fitted().ok()?;
    let certain = |(f, y): (&f64, &f64)| how.link().probability_at(f * y) > CERTAIN;
    latent.iter().zip(problem.y()).all(certain).then(|| {
        "a linear function separates the classes without error: the likelihood increases with the slopes without limit, \
         and their values are arbitrary"
            .to_string()
    })
}

/// The fit is certain if the probability of every row's class is larger than this.
const CERTAIN: f64 = 0.999;

/// Redundant parameters: the kernel is no more flexible than one with fewer parameters.
fn redundant_parts(fit: &Fit) -> Option<String> {
    let schema = fit.problem().schema();
    let free = |kernel: &Kernel| -> Option<usize> {
        Some(kernel.bind(&schema).ok()?.slots().iter().filter(|slot| slot.state == SlotState::Free).count())
    };
    let kernel = fit.asked.kernel.bare();
    let simple = kernel.simplify_structure();
    let fewer = free(&kernel)?.checked_sub(free(&simple)?).filter(|&fewer| fewer > 0)?;
    let (from, to) = (kernel.heading(), simple.heading());
    (from != to).then(|| {
        format!("redundant parameters: `{from}` is no more flexible than `{to}`, which has {fewer} fewer parameters")
    })
}

/// Terms of a sum to which the fit gives almost no variance.
fn idle_parts(fit: &Fit) -> Vec<String> {
    let terms: Vec<Kernel> = fit.model.kernel.summands().into_iter().cloned().collect();
    if terms.len() < 2 || fit.ended.is_none() {
        return Vec::new();
    }
    let Ok(means) = fit.posterior.part_means(&terms) else { return Vec::new() };
    let Ok(explained) = fit.posterior.explained() else { return Vec::new() };
    let least = IDLE * IDLE * variance(&explained);
    let square = |mean: &[f64]| mean.iter().map(|m| m * m).sum::<f64>() / mean.len().max(1) as f64;
    let idle = terms.iter().zip(&means).filter(|(_, mean)| square(mean) < least);
    idle.map(|(term, _)| {
        let name = term.part_name().unwrap_or_else(|| term.heading());
        format!("`{name}` has almost no variance: the model fits as well without it")
    })
    .collect()
}

/// A number with three digits, for sentences.
fn short(value: f64) -> String {
    let magnitude = value.abs();
    if magnitude != 0.0 && !(1e-3..1e6).contains(&magnitude) {
        return format!("{value:.2e}");
    }
    let digits = (2 - magnitude.max(1e-300).log10().floor() as i32).clamp(0, 6) as usize;
    format!("{value:.digits$}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Column, Dataset};
    use crate::fit::{Options, fit};
    use crate::kernel::{Kernel, families};
    use crate::model::{Inducing, Model, Sparse, SparseMethod};
    use crate::progress::Silent;

    /// A sinusoid of eight periods with noise of standard deviation 0.1.
    fn data() -> Dataset {
        let x: Vec<f64> = (0..160).map(|i| f64::from(i) / 20.0).collect();
        let wave = |(i, x): (usize, &f64)| (6.3 * x).sin() + 0.14 * (1.7 * (i * i) as f64).sin();
        let y = x.iter().enumerate().map(wave).collect();
        Dataset::new(vec![Column::numeric("x", x), Column::numeric("y", y)], Some("y"), None).unwrap()
    }

    fn fitted(inducing: usize) -> Fit {
        let kernel = Kernel::family(families::family("SE").unwrap());
        let sparse = Some(Sparse { method: SparseMethod::Vfe, inducing: Inducing::Count(inducing) });
        let options = Options { restarts: 2, ..Options::default() };
        fit(&Model { sparse, ..Model::new(kernel) }, &data(), options, &Silent).unwrap()
    }

    /// With too few inducing inputs a fit attributes signal to noise, and has a warning; with enough it has none. The
    /// predicted noise is between the two.
    #[test]
    fn noise_of_too_few_inducing_inputs_has_a_warning() {
        let few = fitted(14);
        let warning = few.denser.expect("noise that would fall");
        assert_eq!((warning.inducing, warning.denser), (14, 28));
        assert!(few.hints.contains(&warning.to_string()), "{:?}", few.hints);
        let many = fitted(28);
        assert_eq!(many.denser, None);
        let (promised, found) = (warning.denser_noise, many.noise().unwrap());
        // the kernel of this fit also differs
        assert!(found < promised && promised < few.noise().unwrap(), "{promised} {found}");
    }
}
