//! Models before a fit.

use serde_json::Value as Json;

use super::cast::{FromValue, expected};
use super::kernel;
use super::value::{Member, Value, ValueKind};
use crate::describe::Markup;
use crate::lang::error::Res;
use crate::lang::payload::pipeline::Pipeline;
use crate::model::Model;

impl ValueKind for Pipeline {
    const NAME: &'static str = "Model";
    const NOUN: &'static str = "a model";
    const MADE_BY: &'static str = "`gp(SE)`, `standardize >> gp(SE)`";
    const MEMBERS: &'static [Member<Self>] = &[Member::new("kernel", "its kernel", |pipeline| {
        pipeline.gp.as_ref().map_or(Value::Nothing, kernel::of_model)
    })];

    /// Steps alone are a function of data; a complete model is fitted with `fit`.
    fn is_callable(&self) -> bool {
        self.gp.is_none()
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

impl FromValue for Pipeline {
    /// A bare kernel is converted to its default model.
    fn from_value(value: Value) -> Res<Self> {
        match value {
            Value::Model(pipeline) => Ok((*pipeline).clone()),
            Value::Kernel(kernel) => Ok(Self::of(Model::new(kernel))),
            Value::Fit(fit) => Ok(Self::of(fit.model.clone())),
            Value::OneVsRest(rest) => Ok(Self::of(rest.asked.clone())),
            Value::Search(search) => Ok(Self::of(search.best.model.clone())),
            other => Err(expected("a model or a kernel", &other)),
        }
    }
}
