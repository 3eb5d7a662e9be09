//! Kernels.

use std::sync::Arc;

use serde_json::Value as Json;

use super::value::{Member, Value, ValueKind};
use crate::describe::Markup;
use crate::describe::english::bare;
use crate::figure::Figure;
use crate::kernel::{InputRef, Kernel};
use crate::lang::payload::pipeline::Pipeline;
use crate::lang::payload::plot::{Drawable, PlotError, PlotOptions};
use crate::model::{Model, is_zero_kernel};

impl ValueKind for Kernel {
    const NAME: &'static str = "Kernel";
    const NOUN: &'static str = "a kernel";
    const MADE_BY: &'static str = "`SE(0) + Per(year)`";
    const CALLABLE: bool = true;
    const PLOT: Option<&'static [&'static str]> = Some(&["x", "at", "show", "draws", "frames", "view"]);
    const MEMBERS: &'static [Member<Self>] = &[
        Member::new("label", "the name that `let` gave it", |kernel| Value::maybe_str(kernel.label().cloned())),
        Member::checked("inputs", "the inputs that it mentions, in order", |kernel| {
            Value::list(kernel.mentioned().0.iter().map(|input| match input {
                InputRef::Index(at) => Value::Number(*at as f64),
                InputRef::Name(name) => Value::Str(name.clone()),
            }))
        }),
        Member::new(
            "structure",
            "the same without values and labels, in the form of `simplify`: to compare what kernels are made of",
            |kernel| Value::Kernel(bare(kernel).simplify_structure()),
        ),
        Member::checked("terms", "the parts that are added", |kernel| {
            Value::list(kernel.terms().iter().cloned().map(Value::Kernel))
        }),
    ];

    fn show(&self) -> Markup {
        self.to_string().into()
    }

    fn json(&self) -> Json {
        Json::String(self.to_string())
    }

    fn same(&self, other: &Self) -> bool {
        self == other
    }

    fn figure(&self, options: &mut PlotOptions<'_>) -> Result<Figure, PlotError> {
        Ok((options.draw)(Drawable::Kernel(self))?)
    }
}

/// The kernel of a model, or the model itself if it has only a mean function.
pub fn of_model(model: &Model) -> Value {
    match is_zero_kernel(&model.kernel) {
        true => Value::Model(Arc::new(Pipeline::of(model.process()))),
        false => Value::Kernel(model.kernel.clone()),
    }
}
