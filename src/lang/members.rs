//! What `value.member` gives.

use std::sync::Arc;

use super::function::Function;
use super::pipeline::Pipeline;
use super::value::{Items, Kind, List, Value};
use crate::data::write::{Cells, Table};
use crate::data::{Column, Dataset};
use crate::fit::Fit;
use crate::kernel::{InputRef, Kernel, SlotState};
use crate::model::Parameter;
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
const DATA: Members = &[
    ("n", "how many rows there are"),
    ("name", "what the data are called"),
    ("columns", "the names of all columns"),
    ("inputs", "the names of the inputs"),
    ("target", "the name of the target"),
    ("x", "the inputs, a list for each row"),
    ("y", "the values of the target"),
];
const MODEL: Members = &[("kernel", "its kernel")];
const FIT: Members = &[
    ("kernel", "the kernel with its fitted values"),
    ("model", "the model with its fitted values"),
    ("lml", "the log marginal likelihood"),
    ("bic", "−2 lml + p log n for p free parameters"),
    ("noise", "the variance of the noise"),
    ("params", "a table of all parameters"),
    ("converged", "whether the optimiser reached a maximum"),
    ("hints", "what a person should look at"),
    ("data", "the training rows"),
];
const TABLE: Members = &[("n", "how many rows there are"), ("columns", "the names of its columns")];
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
        Kind::Data => DATA,
        Kind::Model => MODEL,
        Kind::Fit => FIT,
        Kind::Table => TABLE,
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
            Value::Data(data) => of_data(data, name),
            Value::Model(pipeline) => match (name, &pipeline.gp) {
                ("kernel", Some(model)) => Some(Value::Kernel(model.kernel.clone())),
                ("kernel", None) => Some(Value::Nothing),
                _ => None,
            },
            Value::Fit(fit) => of_fit(fit, name),
            Value::Table(table) => of_table(table, name),
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
    match name {
        "label" => Some(kernel.label().map_or(Value::Nothing, |label| Value::Str(label.clone()))),
        "inputs" => list(kernel.mentioned().0.iter().map(|input| match input {
            InputRef::Index(at) => Value::Number(*at as f64),
            InputRef::Name(name) => Value::Str(name.clone()),
        })),
        "terms" => list(kernel.terms().iter().cloned().map(Value::Kernel)),
        _ => None,
    }
}

fn list(items: impl IntoIterator<Item = Value>) -> Option<Value> {
    List::new(items.into_iter().collect()).ok().map(Value::List)
}

/// Every column is a member too, unless a member of that name is there already.
fn of_data(data: &Dataset, name: &str) -> Option<Value> {
    match name {
        "n" => Some(Value::Number(data.n() as f64)),
        "name" => Some(data.about().name.as_deref().map_or(Value::Nothing, Value::str)),
        "columns" => list(data.names().into_iter().map(Value::str)),
        "inputs" => list(data.input_names().into_iter().map(Value::str)),
        "target" => Some(data.target().map_or(Value::Nothing, |column| Value::str(column.name()))),
        "y" if data.column("y").is_none() => Some(data.target().map_or(Value::Nothing, of_column)),
        "x" if data.column("x").is_none() => {
            let row = |i: usize| list(data.inputs().map(|column| cell(column, i)));
            list((0..data.n()).map(row).collect::<Option<Vec<_>>>()?)
        }
        _ => data.column(name).map(of_column),
    }
}

fn of_column(column: &Column) -> Value {
    list((0..column.len()).map(|row| cell(column, row))).unwrap_or(Value::Nothing)
}

/// One cell: a number, or the text of a category.
pub fn cell(column: &Column, row: usize) -> Value {
    match column.level(row) {
        Some(level) => Value::str(level),
        None => Value::Number(column.values()[row]),
    }
}

fn of_fit(fit: &Fit, name: &str) -> Option<Value> {
    Some(match name {
        "kernel" => Value::Kernel(fit.model.kernel.clone()),
        "model" => Value::Model(Arc::new(Pipeline::of(fit.model.clone()))),
        "lml" => Value::Number(fit.lml()),
        "bic" => Value::Number(fit.bic),
        "noise" => fit.noise().map_or(Value::Nothing, Value::Number),
        "params" => Value::Table(Arc::new(fit_params(fit))),
        "converged" => Value::Bool(fit.converged()),
        "hints" => return list(fit.hints.iter().map(|hint| Value::str(hint.as_str()))),
        "data" => Value::Data(Arc::new(fit.problem().data().clone())),
        _ => return None,
    })
}

/// The parameters of a fit: value, standard error, unit, and whether the fit moved them.
pub fn fit_params(fit: &Fit) -> Table {
    let parameters = fit.parameters();
    let text = |f: &dyn Fn(&Parameter) -> Option<String>| parameters.iter().map(f).collect::<Vec<_>>();
    let errors: Vec<f64> = fit.standard_errors.iter().map(|error| error.unwrap_or(f64::NAN)).collect();
    let state = |parameter: &Parameter| match parameter.state {
        SlotState::Free => "free",
        SlotState::Fixed => "fixed",
        SlotState::Held => "held",
    };
    Table::new()
        .texts("param", text(&|p| Some(p.name.clone())))
        .numbers("value", fit.values())
        .numbers("se", &errors)
        .texts("unit", text(&|p| p.unit.clone()))
        .texts("state", text(&|p| Some(state(p).into())))
}

fn of_table(table: &Table, name: &str) -> Option<Value> {
    let column = table.columns().iter().find(|(column, _)| column == name);
    match (column, name) {
        (Some((_, Cells::Numbers(numbers))), _) => Value::numbers(numbers.iter().copied()).ok(),
        (Some((_, Cells::Texts(texts))), _) => {
            list(texts.iter().map(|text| text.as_deref().map_or(Value::Nothing, Value::str)))
        }
        (None, "n") => Some(Value::Number(table.rows() as f64)),
        (None, "columns") => list(table.columns().iter().map(|(name, _)| Value::str(name.as_str()))),
        (None, _) => None,
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
