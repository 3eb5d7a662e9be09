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
    if matches!(value, Value::Density(_)) {
        return LangError::new("the components of a mixture are not mixtures themselves")
            .help("list all components in one mixture, with the products of their weights");
    }
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

/// The density in a value: a distribution, a mixture, or a list of these, each of inputs of its own.
pub(super) fn density_of(value: Value) -> Res<Density> {
    let refused = |error: DensityError| LangError::new(error.to_string());
    if let Value::Density(density) = value {
        return Ok(density.as_ref().clone());
    }
    let factors = if value.items().is_some() { listed(&value)? } else { vec![value.clone()] };
    if !factors.iter().any(|factor| matches!(factor, Value::Density(_))) {
        return Density::product(marginals(&value)?).map_err(refused);
    }
    // a product of mixtures is a mixture of products
    let mut components = vec![Component { weight: 1.0, marginals: Vec::new() }];
    for factor in factors {
        let more = match factor {
            Value::Density(density) => density.components().to_vec(),
            other => vec![Component { weight: 1.0, marginals: marginals(&other)? }],
        };
        if components.len() * more.len() > MOST_PARTS {
            let text = format!("the product of these densities has more than {MOST_PARTS} components");
            return Err(LangError::new(text).help("leave components of small weight out"));
        }
        let pairs = components.iter().flat_map(|a| more.iter().map(move |b| (a, b)));
        components = pairs
            .map(|(a, b)| Component {
                weight: a.weight * b.weight,
                marginals: a.marginals.iter().chain(&b.marginals).copied().collect(),
            })
            .collect();
    }
    Density::mixture(components).map_err(refused)
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
