//! Densities of integrals.

use std::sync::Arc;

use crate::describe::significant;
use crate::lang::error::{LangError, Res};
use crate::lang::eval::evaluator::{Builtin, Call, Touches};
use crate::lang::signature::{Group, Place, Want};
use crate::lang::values::value::{Kind, Value};
use crate::param::{self, Prior};
use crate::quadrature::{Component, Density, DensityError, Marginal};

fn mixture(call: &mut Call<'_, '_>) -> Res<Value> {
    let parts = listed(&call.arg::<Value>("components")?).map_err(|t| t.argument("components"))?;
    let each = parts.iter().map(marginals).collect::<Res<Vec<_>>>().map_err(|t| t.argument("components"))?;
    let weights = match call.maybe::<Vec<f64>>("weights")? {
        Some(weights) => weights,
        None => vec![1.0 / each.len() as f64; each.len()],
    };
    if weights.len() != each.len() {
        let error = DensityError::WeightCount { weights: weights.len(), components: each.len() };
        return Err(LangError::new(error.to_string()).argument("weights"));
    }
    let total: f64 = weights.iter().sum();
    let scaled: Vec<String> = weights.iter().map(|weight| significant(weight / total, 6)).collect();
    let components = weights.into_iter().zip(each).map(|(weight, marginals)| Component { weight, marginals });
    let density = Density::mixture(components.collect()).map_err(|error| {
        let refused = LangError::new(error.to_string());
        match error {
            DensityError::Weights(_) if total.is_finite() => {
                refused.argument("weights").help(format!("`weights=[{}]`", scaled.join(", ")))
            }
            DensityError::Weights(_) => refused.argument("weights"),
            DensityError::Weight { .. } => refused.argument("weights").help("leave the component out"),
            _ => refused,
        }
    })?;
    Ok(Value::Density(Arc::new(density)))
}

/// The largest number of components, and of inputs.
const MOST_PARTS: usize = 200;

/// The items of a list that is not too long.
fn listed(value: &Value) -> Res<Vec<Value>> {
    let count = value.items().map_or(0, |items| items.len());
    if count > MOST_PARTS {
        return Err(LangError::new(format!("there are at most {MOST_PARTS} densities, found {count}")));
    }
    Ok(value.items().into_iter().flatten().collect())
}

/// One density per input: a distribution, or a list of them.
fn marginals(value: &Value) -> Res<Vec<Marginal>> {
    match value {
        Value::Dist(prior) => Ok(vec![marginal(prior)?]),
        list if list.items().is_some() => {
            let each = listed(list)?;
            each.into_iter()
                .map(|value| match value {
                    Value::Dist(prior) => marginal(&prior),
                    other => Err(no_density(&other)),
                })
                .collect()
        }
        other => Err(no_density(other)),
    }
}

fn no_density(value: &Value) -> LangError {
    LangError::new(format!("{} is not a density of an input", value.kind().noun()))
        .help("write `normal(0, 1)` or `uniform(0, 1)`, one for each input: `[normal(0, 1), uniform(0, 1)]`")
}

fn marginal(prior: &Prior) -> Res<Marginal> {
    if prior.time.is_some() {
        let text = format!("integrals are taken over numbers, and `{prior}` is a density over times");
        return Err(LangError::new(text).help("count the time from an origin, in days"));
    }
    let made = match prior.density {
        param::Density::Normal { mean, sd } => Marginal::normal(mean, sd),
        param::Density::Uniform { lo, hi } => Marginal::uniform(lo, hi),
        _ => {
            let text = format!("integrals are taken against normal and uniform densities, and not `{prior}`");
            return Err(LangError::new(text).help("substitute a variable that is normal or uniform"));
        }
    };
    made.map_err(|error| LangError::new(error.to_string()))
}

/// The density in a value: a distribution, a list with one per input, or a mixture.
pub(super) fn density_of(value: Value) -> Res<Density> {
    match value {
        Value::Density(density) => Ok(density.as_ref().clone()),
        other => Density::product(marginals(&other)?).map_err(|error| LangError::new(error.to_string())),
    }
}

pub static DENSITIES: &[Builtin] = &[Builtin {
    name: "mixture",
    aliases: &[],
    group: Group::Results,
    places: &[
        Place::required("components", Want::Items, "densities, each `normal(…)`, `uniform(…)` or a list of these"),
        Place::keyword("weights", Want::Numbers, "all the same", "the weights, which sum to 1"),
    ],
    result: Some(Kind::Density),
    summary: "a mixture of densities, to integrate over",
    help: "A component over several inputs is a list with one density for each.",
    examples: &["mixture([normal(-1, 0.5), uniform(0, 2)], weights=[0.3, 0.7])"],
    touches: Touches::Nothing,
    run: mixture,
}];
