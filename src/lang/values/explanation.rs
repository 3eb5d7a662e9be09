//! A kernel or a fit in words.

use std::sync::Arc;

use crate::describe::english::{Part, PartDescription};
use crate::lang::payload::explanation::{Explanation, Parts, Subject};
use crate::lang::values::value::{List, Record, Value};

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
