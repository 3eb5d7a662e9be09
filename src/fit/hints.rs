//! What a person should look at in a fit, said once and with what it means.

use super::fitting::Fit;
use super::spacing::{median_gap, span};
use crate::kernel::Role;
use crate::model::ParameterKind;

/// Short sentences about a fit, most serious first; most fits have none.
pub fn hints(fit: &Fit) -> Vec<String> {
    let mut hints = Vec::new();
    let (problem, values) = (fit.problem(), fit.values());
    if fit.posterior.jitter() > 0.0 {
        hints.push(format!(
            "jitter of {:.1e} was added to the diagonal: the covariance was not positive definite without",
            fit.posterior.jitter()
        ));
    }
    if let Some(ended) = fit.ended.filter(|e| !e.well()) {
        hints.push(format!("the fit has {ended}: the values are the best so far"));
    }
    let n = problem.n();
    if fit.free > n {
        hints.push(format!("{} free parameters for {n} rows: the data cannot determine them", fit.free));
    }
    let x = problem.x();
    let y_variance = variance(problem.y());
    for (parameter, &value) in problem.parameters().iter().zip(values) {
        if !parameter.is_free() {
            continue;
        }
        let name = &parameter.name;
        if parameter.domain.on_bound(value) {
            hints.push(format!("`{name}` ran into a bound at {}", short(value)));
            continue;
        }
        if let ParameterKind::Noise = parameter.kind
            && value < 1e-8 * y_variance
        {
            hints.push("the noise went to 0: the model passes through every point".to_string());
        }
        let [column] = parameter.columns[..] else { continue };
        if parameter.warped {
            continue;
        }
        let column_name = &problem.names()[column];
        match parameter.role {
            Role::LengthScale => {
                if span(x[column]).is_some_and(|s| value > 30.0 * s) {
                    hints.push(format!("`{name}` ran away to {}: as good as constant in {column_name}", short(value)));
                } else if median_gap(x[column]).is_some_and(|g| value < 0.5 * g) {
                    hints.push(format!(
                        "`{name}` = {} is below the spacing of {column_name}: it explains every point by itself, like noise",
                        short(value)
                    ));
                }
            }
            Role::Period if span(x[column]).is_some_and(|s| value > s) => {
                hints.push(format!("`{name}` = {} is longer than the data: no repetition was seen", short(value)));
            }
            _ => {}
        }
    }
    hints
}

fn variance(y: &[f64]) -> f64 {
    let mean = y.iter().sum::<f64>() / y.len().max(1) as f64;
    y.iter().map(|y| (y - mean) * (y - mean)).sum::<f64>() / y.len().max(1) as f64
}

/// Three digits, for sentences.
fn short(value: f64) -> String {
    let magnitude = value.abs();
    if magnitude != 0.0 && !(1e-3..1e6).contains(&magnitude) {
        return format!("{value:.2e}");
    }
    let digits = (2 - magnitude.max(1e-300).log10().floor() as i32).clamp(0, 6) as usize;
    format!("{value:.digits$}")
}
