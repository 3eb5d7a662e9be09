//! A kernel or a fit in words, as a value: text to read, parts to take out, and what it is of to be drawn.

use std::sync::Arc;

use crate::describe::english::{FitDescription, Part, PartDescription};
use crate::fit::Fit;
use crate::kernel::Kernel;
use crate::lang::values::sheet::Record;
use crate::lang::values::value::{List, Value};

/// What `describe` and `explain` give.
#[derive(Debug, Clone)]
pub struct Explanation {
    pub text: String,
    pub parts: Parts,
    pub of: Subject,
}

/// The parts that the text goes through.
#[derive(Debug, Clone)]
pub enum Parts {
    /// Of a sum, as they are written.
    Meant(Vec<Part>),
    /// Of a fit, with what each is worth; the first matters most.
    Told(FitDescription),
}

/// What is in words.
#[derive(Debug, Clone)]
pub enum Subject {
    Kernel(Kernel),
    Fit(Arc<Fit>),
}

impl Subject {
    pub fn kernel(&self) -> &Kernel {
        match self {
            Subject::Kernel(kernel) => kernel,
            Subject::Fit(fit) => &fit.model.kernel,
        }
    }
}

impl Explanation {
    pub fn member(&self, name: &str) -> Option<Value> {
        match name {
            "text" => Some(Value::str(self.text.as_str())),
            "kernel" => Some(match &self.of {
                Subject::Kernel(kernel) => Value::Kernel(kernel.clone()),
                Subject::Fit(fit) => crate::lang::values::members::kernel(&fit.model),
            }),
            "parts" => {
                let parts = match &self.parts {
                    Parts::Meant(parts) => parts.iter().map(record).collect(),
                    Parts::Told(story) => story.parts.iter().map(told).collect(),
                };
                List::new(parts).ok().map(Value::List)
            }
            _ => None,
        }
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

fn told(part: &PartDescription) -> Value {
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
