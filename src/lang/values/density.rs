//! Densities of integrals.

use serde_json::{Value as Json, json};

use super::value::{Member, Value, ValueKind};
use crate::describe::Markup;
use crate::quadrature::{Density, Marginal};

impl ValueKind for Density {
    const NAME: &'static str = "Density";
    const NOUN: &'static str = "a density";
    const MADE_BY: &'static str = "`mixture([normal(0, 1), uniform(0, 2)])`";
    const MEMBERS: &'static [Member<Self>] = &[
        Member::checked("weights", "the weights of its components, which sum to 1", |d| {
            Value::numbers(d.components().iter().map(|c| c.weight))
        }),
        Member::checked("mean", "the mean of each input", |d| Value::numbers((0..d.inputs()).map(|i| d.moments(i).0))),
        Member::checked("sd", "the standard deviation of each input", |d| {
            Value::numbers((0..d.inputs()).map(|i| d.moments(i).1))
        }),
        Member::new("inputs", "how many inputs it has", |d| Value::Number(d.inputs() as f64)),
    ];

    fn show(&self) -> Markup {
        self.to_string().into()
    }

    fn json(&self) -> Json {
        let marginal = |m: &Marginal| match *m {
            Marginal::Normal { mean, sd } => json!({"density": "normal", "mean": mean, "sd": sd}),
            Marginal::Uniform { lo, hi } => json!({"density": "uniform", "lo": lo, "hi": hi}),
        };
        let component = |c: &crate::quadrature::Component| json!({"weight": c.weight, "inputs": c.marginals.iter().map(marginal).collect::<Vec<_>>()});
        Json::Array(self.components().iter().map(component).collect())
    }

    fn same(&self, other: &Self) -> bool {
        self == other
    }
}
