//! A kernel or a fit in words, as a value: text to read, parts to take out, and what it is of to be drawn.

use std::sync::Arc;

use super::sheet::Record;
use super::value::{List, Value};
use crate::describe::english::Part;
use crate::fit::Fit;
use crate::kernel::Kernel;

/// What `describe` and `explain` give.
#[derive(Debug, Clone)]
pub struct Explanation {
    pub text: String,
    pub parts: Vec<Part>,
    pub of: Subject,
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
            "kernel" => Some(Value::Kernel(self.of.kernel().clone())),
            "parts" => List::new(self.parts.iter().map(record).collect()).ok().map(Value::List),
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
