//! The scale of the target of a fit: the target itself, its logarithm, or the power of Box and Cox (1964).
//!
//! The log marginal likelihoods of models of y and of g(y) can be compared, as the density of g(y) is multiplied by
//! |g′(y)|.

use super::fitting::fit_as_written;
use super::result::{Fit, Options};
use crate::data::{Dataset, Function, Step, Transform};
use crate::model::{Model, ModelError};
use crate::progress::Progress;

/// The scales that are compared for these data: the target itself and, if all its values are positive, its logarithm and
/// the power of Box and Cox with the greatest likelihood. Classes have no scale.
pub fn scales(data: &Dataset, model: &Model) -> Vec<Option<Function>> {
    let positive = data.y().is_some_and(|y| !y.is_empty() && y.iter().all(|y| *y > 0.0));
    match positive && model.bernoulli().is_none() {
        true => vec![None, Some(Function::Plain(Transform::Log)), Some(Function::BoxCox(None))],
        false => vec![None],
    }
}

/// What a model is of on a scale: `log of y`, or `y itself`.
pub fn scale_name(transform: Option<&Function>, target: &str) -> String {
    match transform {
        None => format!("{target} itself"),
        Some(function) => format!("{} of {target}", function.name()),
    }
}

/// The model with its target transformed before all other steps.
pub fn on_scale(model: &Model, transform: Option<&Function>) -> Model {
    let step = transform.map(|function| Step::Transform { column: "y".into(), function: function.clone() });
    let steps = step.into_iter().chain(model.steps.iter().cloned()).collect();
    Model { steps, ..model.clone() }
}

/// Fits a model: maximises the log marginal likelihood or, with priors, the posterior density in the optimiser's
/// coordinates; on each scale of the target, if the options ask for it.
///
/// Starts run in parallel, each with sequential linear algebra: all take a few steps, the better half takes more, and
/// so on. If it is stopped, the fit returns the best values so far. The first start is always evaluated, unless that
/// takes long.
///
/// # Errors
/// Those of [`Problem::new`](crate::model::Problem::new); [`ModelError::Stopped`] if it was stopped before it had a
/// result; [`ModelError::StoppedAt`] if it was stopped and the posterior at the best values takes long;
/// [`ModelError::NotPositiveDefinite`] if no start has a finite log marginal likelihood.
pub fn fit(model: &Model, data: &Dataset, options: Options, progress: &dyn Progress) -> Result<Fit, ModelError> {
    let as_written = Options { scale_is_chosen: false, ..options };
    match options.scale_is_chosen {
        true => fit_on_best_scale(model, data, as_written, progress),
        false => fit_as_written(model, data, as_written, progress),
    }
}

/// Fits the model on each scale of the target, and returns the fit with the least BIC, which counts the power of Box and
/// Cox. A note of the fit has the BIC of each. If it is stopped, the scales so far are compared.
///
/// # Errors
/// As [`fit`]: that of the target itself, if the model cannot be fitted on any scale.
fn fit_on_best_scale(
    model: &Model,
    data: &Dataset,
    options: Options,
    progress: &dyn Progress,
) -> Result<Fit, ModelError> {
    let mut compared: Vec<(Option<Function>, f64)> = Vec::new();
    let mut best: Option<(f64, Fit)> = None;
    let mut failure = None;
    for transform in scales(data, model) {
        if best.is_some() && progress.stop() {
            break;
        }
        match fit_as_written(&on_scale(model, transform.as_ref()), data, options, progress) {
            Ok(fit) => {
                let bic = fit.bic();
                compared.push((transform, bic));
                if best.as_ref().is_none_or(|(least, _)| bic < *least) {
                    best = Some((bic, fit));
                }
            }
            Err(error) => failure = failure.or(Some(error)),
        }
    }
    let Some((least, mut fit)) = best else { return Err(failure.unwrap_or(ModelError::Stopped)) };
    let target = data.target().map_or("y", |target| target.name());
    fit.hints.push(note(target, least, &compared));
    Ok(fit)
}

fn note(target: &str, least: f64, compared: &[(Option<Function>, f64)]) -> String {
    let name = |transform: &Option<Function>| scale_name(transform.as_ref(), target);
    let chosen = compared.iter().find(|(_, bic)| *bic == least);
    let chosen = chosen.map_or_else(String::new, |(transform, _)| name(transform));
    let others: Vec<String> = compared
        .iter()
        .filter(|(_, bic)| *bic != least)
        .map(|(transform, bic)| format!("{bic:.1} for {}", name(transform)))
        .collect();
    match others.is_empty() {
        true => {
            format!("no other scale of the target than {target} itself was compared: a logarithm needs positive values")
        }
        false => format!("the model is of {chosen}: BIC {least:.1}, against {}", others.join(" and ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Column;
    use crate::kernel::{Kernel, families};
    use crate::progress::Silent;

    fn growing(multiplied: bool) -> Dataset {
        let x: Vec<f64> = (0..40).map(f64::from).collect();
        let wiggle = |x: f64| 0.4 * (x / 3.0).sin() + 0.1 * (7.3 * x).cos();
        let y = x.iter().map(|x| if multiplied { (0.08 * x + wiggle(*x)).exp() } else { 50.0 + wiggle(*x) }).collect();
        Dataset::new(vec![Column::numeric("x", x), Column::numeric("y", y)], Some("y"), None).unwrap()
    }

    #[test]
    fn growth_in_proportion_is_fitted_on_the_scale_of_logarithms() {
        let model = Model::new(Kernel::family(families::family("SE").unwrap()));
        let options = Options { restarts: 2, scale_is_chosen: true, ..Options::default() };
        let fit = fit(&model, &growing(true), options, &Silent).unwrap();
        assert_eq!(fit.asked.steps.len(), 1);
        assert!(fit.hints.iter().any(|hint| hint.contains("BIC") && hint.contains("y itself")), "{:?}", fit.hints);
        // each BIC is that of the fit on its scale
        let plain = fit_as_written(&model, &growing(true), options, &Silent).unwrap();
        assert!(fit.bic() < plain.bic());
        assert!(fit.hints.iter().any(|hint| hint.contains(&format!("{:.1} for y itself", plain.bic()))));
    }

    #[test]
    fn a_chosen_power_is_a_parameter_of_bic() {
        let model = Model::new(Kernel::family(families::family("SE").unwrap()));
        let on =
            |function| fit_as_written(&on_scale(&model, Some(&function)), &growing(true), Options::default(), &Silent);
        let chosen = on(Function::BoxCox(None)).unwrap();
        let lambda = chosen.problem().pipeline().of("y").into_iter().find_map(|made| match made {
            Transform::BoxCox { lambda } => Some(lambda),
            _ => None,
        });
        let given = on(Function::BoxCox(lambda)).unwrap();
        assert_eq!((chosen.free, chosen.estimated(), given.estimated()), (given.free, given.free + 1, given.free));
        assert!((chosen.bic() - given.bic() - 40.0_f64.ln()).abs() < 1e-6, "{} {}", chosen.bic(), given.bic());
    }

    #[test]
    fn only_a_positive_target_has_other_scales() {
        let model = Model::new(Kernel::family(families::family("SE").unwrap()));
        assert_eq!(scales(&growing(false), &model).len(), 3);
        let x: Vec<f64> = (0..10).map(f64::from).collect();
        let y = x.iter().map(|x| x - 5.0).collect();
        let data = Dataset::new(vec![Column::numeric("x", x), Column::numeric("y", y)], Some("y"), None).unwrap();
        assert_eq!(scales(&data, &model), vec![None]);
    }
}
