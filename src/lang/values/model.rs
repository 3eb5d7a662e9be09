//! Models that are not fitted yet.

use crate::lang::payload::pipeline::Pipeline;
use crate::lang::trouble::Res;
use crate::lang::values::value::{FromValue, Value, expected};
use crate::model::Model;

impl FromValue for Pipeline {
    /// A bare kernel is the model of that kernel.
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
