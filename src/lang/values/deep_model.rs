//! Deep Gaussian processes that are not fitted.

use std::sync::Arc;

use serde_json::Value as Json;

use super::cast::{FromValue, expected};
use super::value::{Member, Value, ValueKind};
use crate::deep::DeepModel;
use crate::figure::Figure;
use crate::lang::error::Res;
use crate::lang::payload::plot::{Drawable, PlotError, PlotOptions};

impl ValueKind for DeepModel {
    const NAME: &'static str = "DeepModel";
    const NOUN: &'static str = "a deep GP";
    const MADE_BY: &'static str = "`deepgp(layers=2, kernel=SE)`";
    const PLOT: Option<&'static [&'static str]> = Some(&["x"]);
    const MEMBERS: &'static [Member<Self>] = &[
        Member::new("layers", "how many layers there are", |model| Value::Number(model.layers as f64)),
        Member::checked("units", "how many units each hidden layer has", |model| {
            Value::numbers(model.hidden_units().into_iter().map(|units| units as f64))
        }),
        Member::checked("kernels", "the kernel of each layer, first to last", |model| {
            Value::list((0..model.layers).map(|layer| Value::Kernel(model.kernel(layer).clone())))
        }),
        Member::new("connected", "whether every layer sees the inputs", |model| Value::Bool(model.connected)),
        Member::new("inducing", "how many inducing inputs each layer has", |model| {
            Value::Number(model.inducing as f64)
        }),
        Member::new("samples", "how many samples of the hidden layers estimate the likelihood", |model| {
            Value::Number(model.samples as f64)
        }),
    ];

    fn figure(&self, options: &mut PlotOptions<'_>) -> Result<Figure, PlotError> {
        Ok((options.draw)(Drawable::Deep(self))?)
    }

    fn show(&self) -> String {
        self.to_string()
    }

    fn json(&self) -> Json {
        Json::String(self.to_string())
    }

    fn same(&self, other: &Self) -> bool {
        self == other
    }
}

impl FromValue for Arc<DeepModel> {
    fn from_value(value: Value) -> Res<Self> {
        match value {
            Value::DeepModel(model) => Ok(model),
            other => Err(expected("a deep GP", &other)),
        }
    }
}
