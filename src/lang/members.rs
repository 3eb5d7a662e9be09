//! What `value.member` gives.

use super::function::Function;
use super::value::{Items, Kind, List, Value};
use crate::kernel::{InputRef, Kernel};
use crate::param::{Param, State};

/// Names of members, each with a line of help.
pub type Members = &'static [(&'static str, &'static str)];

const LIST: Members = &[("n", "how many items there are")];
const RANGE: Members = &[("start", "where it begins"), ("end", "where it ends"), ("n", "how many whole steps it has")];
const STRING: Members = &[("n", "how many characters there are")];
const FUNCTION: Members = &[("name", "the name it was given"), ("params", "the names of its arguments")];
const KERNEL: Members = &[
    ("label", "the name that `let` gave it"),
    ("inputs", "the inputs that it mentions, in order"),
    ("terms", "the parts that are added"),
];
const PARAM: Members = &[
    ("value", "the value that was written"),
    ("fixed", "whether it stays there in a fit"),
    ("bounds", "its bounds, as a list of two"),
    ("prior", "its prior"),
];

/// The members that every value of a kind has.
pub fn of(kind: Kind) -> Members {
    match kind {
        Kind::Nothing | Kind::Number | Kind::Bool | Kind::Dist => &[],
        Kind::String => STRING,
        Kind::List => LIST,
        Kind::Range => RANGE,
        Kind::Function => FUNCTION,
        Kind::Kernel => KERNEL,
        Kind::Param => PARAM,
    }
}

impl Value {
    pub fn members(&self) -> Members {
        of(self.kind())
    }

    pub fn member(&self, name: &str) -> Option<Value> {
        match self {
            Value::Nothing | Value::Number(_) | Value::Bool(_) | Value::Dist(_) => None,
            Value::Str(text) => (name == "n").then(|| Value::Number(text.chars().count() as f64)),
            Value::List(list) => (name == "n").then(|| Value::Number(list.len() as f64)),
            Value::Range(range) => match name {
                "start" => Some(Value::Number(range.start)),
                "end" => Some(Value::Number(range.end)),
                "n" => Some(Value::Number(Items::Range(*range, 0).len() as f64)),
                _ => None,
            },
            Value::Function(function) => of_function(function, name),
            Value::Kernel(kernel) => of_kernel(kernel, name),
            Value::Param(param) => of_param(param, name),
        }
    }
}

fn of_function(function: &Function, name: &str) -> Option<Value> {
    match name {
        "name" => Some(function.name().map_or(Value::Nothing, Value::str)),
        "params" => {
            let names: Vec<Value> = match function {
                Function::Closure(closure) => {
                    closure.lambda.params.iter().map(|p| Value::Str(p.name.node.clone())).collect()
                }
                Function::Known(entry) => entry.signature.places.iter().map(|p| Value::str(p.name)).collect(),
                Function::Steps(steps) => return steps.first().and_then(|step| of_function(step, name)),
            };
            List::new(names).ok().map(Value::List)
        }
        _ => None,
    }
}

fn of_kernel(kernel: &Kernel, name: &str) -> Option<Value> {
    let list = |items: Vec<Value>| List::new(items).ok().map(Value::List);
    match name {
        "label" => Some(kernel.label().map_or(Value::Nothing, |label| Value::Str(label.clone()))),
        "inputs" => list(
            kernel
                .mentioned()
                .0
                .iter()
                .map(|input| match input {
                    InputRef::Index(at) => Value::Number(*at as f64),
                    InputRef::Name(name) => Value::Str(name.clone()),
                })
                .collect(),
        ),
        "terms" => list(kernel.terms().iter().cloned().map(Value::Kernel).collect()),
        _ => None,
    }
}

fn of_param(param: &Param, name: &str) -> Option<Value> {
    match name {
        "value" => Some(param.value().map_or(Value::Nothing, Value::Number)),
        "fixed" => Some(Value::Bool(param.is_fixed())),
        "bounds" => Some(match param.state {
            State::Bounded { lo, hi, .. } => Value::numbers([lo, hi]).ok()?,
            _ => Value::Nothing,
        }),
        "prior" => Some(param.prior.map_or(Value::Nothing, Value::Dist)),
        _ => None,
    }
}
