//! Descriptions of kernels and fits in English.

use std::sync::Arc;

use serde_json::{Value as Json, json};

use super::kernel;
use super::value::{Member, Record, Value, ValueKind};
use crate::describe::Markup;
use crate::describe::english::{Part, PartDescription};
use crate::describe::part_figures;
use crate::figure::Figure;
use crate::lang::error::Res;
use crate::lang::payload::explanation::{Explanation, Parts, Subject};
use crate::lang::payload::plot::{Drawable, PlotError, PlotOptions};
use crate::results::{At, By, decompose};

impl ValueKind for Explanation {
    const NAME: &'static str = "Explanation";
    const NOUN: &'static str = "an explanation";
    const MADE_BY: &'static str = "`describe(kernel)`, `explain(fit)`";
    const PLOT: Option<&'static [&'static str]> = Some(&["x", "scales"]);
    const MEMBERS: &'static [Member<Self>] = &[
        Member::new("text", "the text", |explanation| Value::str(explanation.text.as_str())),
        Member::checked(
            "parts",
            "for each part its label, kernel, meaning, and of a fit its share of the variance of y",
            parts,
        ),
        Member::new("kernel", "the kernel", |explanation| match &explanation.of {
            Subject::Kernel(kernel) => Value::Kernel(kernel.clone()),
            Subject::Fit(fit) => kernel::of_model(&fit.model),
        }),
    ];

    fn show(&self) -> Markup {
        self.text.clone().into()
    }

    fn json(&self) -> Json {
        json!({ "text": self.text, "parts": parts(self).map_or(Json::Null, |parts| parts.json()) })
    }

    fn same(&self, other: &Self) -> bool {
        self.text == other.text
    }

    fn figure(&self, options: &mut PlotOptions<'_>) -> Result<Figure, PlotError> {
        match &self.of {
            Subject::Kernel(kernel) => Ok((options.draw)(Drawable::Kernel(kernel))?),
            Subject::Fit(fit) => {
                Ok(part_figures::decomposition(&decompose(fit, At::Training, By::Term)?, options.scales)?)
            }
        }
    }
}

fn parts(explanation: &Explanation) -> Res<Value> {
    match &explanation.parts {
        Parts::Written(parts) => Value::list(parts.iter().map(record)),
        Parts::Fitted(description) => Value::list(description.parts.iter().map(fitted)),
    }
}

fn record(part: &Part) -> Value {
    let record = Record::default()
        .with("label", Value::str(part.title()))
        .with("kernel", Value::Kernel(part.kernel.clone()))
        .with("meaning", Value::str(part.meaning.as_str()))
        .with("share", part.share.map_or(Value::Nothing, Value::Number));
    Value::Record(Arc::new(record))
}

/// A part of a fit, with its contribution.
fn fitted(part: &PartDescription) -> Value {
    let number = |value: Option<f64>| value.map_or(Value::Nothing, Value::Number);
    let gain = part.gain.as_ref();
    let record = Record::default()
        .with("label", Value::str(part.name.as_str()))
        .with("kernel", Value::Kernel(part.kernel.clone()))
        .with("meaning", Value::str(part.meaning.as_str()))
        .with("says", Value::str(part.sentences.join(" ")))
        .with("share", number(part.share))
        .with("of_rest", number(gain.map(|gain| gain.of_rest)))
        .with("error", number(gain.map(|gain| gain.error)))
        .with("lowers", number(gain.map(|gain| gain.lowers)));
    Value::Record(Arc::new(record))
}
