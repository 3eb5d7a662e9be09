//! Deep Gaussian processes before a fit.

use std::sync::Arc;

use serde_json::Value as Json;

use super::cast::{FromValue, expected};
use super::value::{Member, Value, ValueKind};
use crate::deep::DeepModel;
use crate::describe::Markup;
use crate::figure::Figure;
use crate::lang::error::Res;
use crate::lang::payload::plot::{Drawable, PlotError, PlotOptions};

impl ValueKind for DeepModel {
    const NAME: &'static str = "DeepModel";
    const NOUN: &'static str = "a deep GP";
    const MADE_BY: &'static str = "`deepgp(layers=2, kernel=SE)`";
    const PLOT: Option<&'static [&'static str]> = Some(&["x"]);
    const MEMBERS: &'static [Member<Self>] = &[
        Member::new("layers", "the number of layers", |model| Value::Number(model.layers as f64)),
        Member::checked("units", "the number of units of each hidden layer", |model| {
            Value::numbers(model.hidden_units().into_iter().map(|units| units as f64))
        }),
        Member::checked("kernels", "the kernel of each layer, first to last", |model| {
            Value::list((0..model.layers).map(|layer| Value::Kernel(model.kernel(layer).clone())))
        }),
        Member::new("connected", "whether every layer also depends on the inputs", |model| {
            Value::Bool(model.connected)
        }),
        Member::new("inducing", "the number of inducing inputs of each layer", |model| {
            Value::Number(model.inducing as f64)
        }),
        Member::new(
            "samples",
            "the number of samples of the hidden layers by which the likelihood is estimated",
            |model| Value::Number(model.samples as f64),
        ),
        Member::new("inference", "\"variational\" or \"dgps\"", |model| Value::Str(model.inference.name().into())),
    ];

    fn figure(&self, options: &mut PlotOptions<'_>) -> Result<Figure, PlotError> {
        Ok((options.draw)(Drawable::Deep(self))?)
    }

    fn show(&self) -> Markup {
        self.to_string().into()
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
