//! What `value.member` gives.

use std::sync::Arc;

use crate::data::write::{Cells, Table};
use crate::data::{Column, Dataset};
use crate::describe::english::bare;
use crate::describe::{self, tables};
use crate::fit::Fit;
use crate::kernel::{InputRef, Kernel};
use crate::lang::payload::pipeline::Pipeline;
use crate::lang::payload::sheet::Sheet;
use crate::lang::values::value::{Function, Items, Kind, List, Record, Value};
use crate::model::{Classes, Model, is_nothing};
use crate::param::{Param, State};
use crate::results::{Component, Cross, Decomposition, Prediction, Quantiles};

/// Names of members, each with a line of help.
pub type Members = &'static [(&'static str, &'static str)];

const LIST: Members = &[("n", "how many items there are")];
const RANGE: Members = &[("start", "where it begins"), ("end", "where it ends"), ("n", "how many whole steps it has")];
const STRING: Members = &[("n", "how many characters there are")];
const FUNCTION: Members = &[("name", "the name it was given"), ("params", "the names of its arguments")];
const KERNEL: Members = &[
    ("label", "the name that `let` gave it"),
    ("inputs", "the inputs that it mentions, in order"),
    ("structure", "the same without values and labels, in the form of `simplify`: to compare what kernels are made of"),
    ("terms", "the parts that are added"),
];
const DATA: Members = &[
    ("n", "how many rows there are"),
    ("name", "what the data are called"),
    ("columns", "the names of all columns"),
    ("inputs", "the names of the inputs"),
    ("target", "the name of the target"),
    ("x", "the inputs: numbers, or a list for each row where there are several"),
    ("y", "the values of the target"),
];
const MODEL: Members = &[("kernel", "its kernel")];
const FIT: Members = &[
    ("kernel", "the kernel with its fitted values; the model where it has none, as `linear()`"),
    ("model", "the model with its fitted values"),
    ("lml", "the log marginal likelihood"),
    ("bic", "−2 lml + p log n for p free parameters"),
    ("noise", "the variance of the noise"),
    ("classes", "of a classifier: its classes, of two the positive one last"),
    ("fits", "of more than two classes: for each its fit against the rest"),
    ("temperature", "of more than two classes: what log odds are divided by where probabilities are joined"),
    ("params", "a table of all parameters"),
    ("converged", "whether the optimiser reached a maximum"),
    ("hints", "what a person should look at"),
    ("data", "the training rows"),
];
const PREDICTION: Members = &[
    ("at", "the inputs: numbers, or a list for each row where there are several"),
    ("rows", "the rows as data"),
    ("mean", "the means of y; of a classifier those of the latent function"),
    ("sd", "the standard deviations of y, noise included"),
    ("var_f", "the variances of the function"),
    ("var_y", "the variances of y; of a class as 0 or 1"),
    (
        "probability",
        "of a classifier: the probabilities of the positive class; of more than two classes of each, row by row",
    ),
    ("class", "of a classifier: the most probable classes"),
    ("classes", "of a classifier: its classes, in the order of the probabilities"),
    ("median", "under a curved transform: the medians of y"),
    ("lower", "under a curved transform: 2.3 % of y lies below"),
    ("upper", "under a curved transform: 2.3 % of y lies above"),
    ("fit", "the fit"),
];
const DECOMPOSITION: Members = &[
    ("components", "for each part its label, kernel, mean, var and share"),
    ("labels", "the names of the parts"),
    ("means", "for each part its posterior mean, row by row"),
    ("vars", "for each part its posterior variance, row by row"),
    ("shares", "for each part its share of the variance of y"),
    ("partials", "for each part the training data less the mean function and all other parts, row by row"),
    ("cross", "for each pair of parts one, other, cov and corr: how their posteriors go together, row by row"),
    ("mean", "the mean function, row by row"),
    ("at", "the inputs: numbers, or a list for each row where there are several"),
    ("rows", "the rows as data"),
    ("fit", "the fit"),
];
const RESIDUALS: Members = &[
    ("fitted", "the posterior means at the training rows"),
    ("residual", "the target less these"),
    ("standardized", "leave-one-out residuals in their standard deviations"),
    ("autocorrelation", "of neighbouring residuals"),
    ("sd", "their standard deviation"),
];
const EXPLANATION: Members = &[
    ("text", "all of it"),
    ("parts", "for each part its label, kernel, meaning, and of a fit its share of the variance of y"),
    ("kernel", "the kernel"),
];
const SURFACE: Members = &[
    ("shape", "what it is called: a torus, a cylinder, …"),
    ("n", "how many vertices there are"),
    ("vertices", "for each vertex its three coordinates"),
    ("faces", "for each face its vertices in turn, counted from 0"),
    ("places", "for each vertex the two inputs"),
    ("rims", "the closed curves at which it ends, each as its vertices in turn"),
    ("euler", "vertices − edges + faces"),
    ("gap", "how far points that are one were drawn apart at most, relative to its size"),
    ("kernel", "what it was drawn from"),
    ("seed", "the seed of the draws"),
];
const FEATURES: Members = &[
    ("values", "the eigenvalues of the functions, the largest first"),
    ("functions", "for each feature its values, row by row"),
    ("spectrum", "all eigenvalues, the largest first"),
    ("at", "the rows: numbers, or a list for each where there are several inputs"),
    ("kernel", "the kernel"),
];
const FIGURE: Members = &[("title", "what stands above it")];
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
        Kind::Nothing | Kind::Number | Kind::Bool | Kind::Dist | Kind::Move => &[],
        Kind::String => STRING,
        Kind::List => LIST,
        Kind::Range => RANGE,
        Kind::Function => FUNCTION,
        Kind::Kernel => KERNEL,
        Kind::Data => DATA,
        Kind::Model => MODEL,
        Kind::Fit => FIT,
        Kind::Search => crate::lang::values::searched::MEMBERS,
        Kind::Prediction => PREDICTION,
        Kind::Decomposition => DECOMPOSITION,
        Kind::Residuals => RESIDUALS,
        Kind::Explanation => EXPLANATION,
        Kind::Surface => SURFACE,
        Kind::Features => FEATURES,
        Kind::CrossValidation => crate::lang::values::crossed::members(),
        Kind::Figure => FIGURE,
        Kind::Table => TABLE,
        Kind::Record => &[],
        Kind::Param => PARAM,
    }
}

impl Value {
    pub fn members(&self) -> Members {
        of(self.kind())
    }

    pub fn member(&self, name: &str) -> Option<Value> {
        match self {
            Value::Nothing | Value::Number(_) | Value::Bool(_) | Value::Dist(_) | Value::Move(_) => None,
            Value::Str(text) => (name == "n").then(|| Value::Number(text.chars().count() as f64)),
            Value::List(list) => (name == "n").then(|| Value::Number(list.len() as f64)),
            Value::Range(range) => match name {
                "start" => Some(range.value(range.start)),
                "end" => Some(range.value(range.end)),
                "n" => Some(Value::Number(Items::Range(*range, 0).len() as f64)),
                _ => None,
            },
            Value::Function(function) => of_function(function, name),
            Value::Kernel(kernel) => of_kernel(kernel, name),
            Value::Data(data) => of_data(data, name),
            Value::Model(pipeline) => match (name, &pipeline.gp) {
                ("kernel", Some(model)) => Some(kernel(model)),
                ("kernel", None) => Some(Value::Nothing),
                _ => None,
            },
            Value::Fit(fit) => of_fit(fit, name),
            Value::OneVsRest(rest) => crate::lang::values::classes::of_fit(rest, name),
            Value::ClassPrediction(prediction) => crate::lang::values::classes::of_prediction(prediction, name),
            Value::Search(search) => crate::lang::values::searched::member(search, name),
            Value::Prediction(prediction) => of_prediction(prediction, name),
            Value::Decomposition(parts) => of_decomposition(parts, name),
            Value::Residuals(residuals) => match name {
                "sd" => Some(Value::Number(residuals.sd)),
                "autocorrelation" => Some(Value::Number(residuals.autocorrelation)),
                _ => of_table(&tables::residuals(residuals), name),
            },
            Value::Explanation(told) => told.member(name),
            Value::Surface(drawn) => crate::lang::values::drawn::of_surface(drawn, name),
            Value::Features(features) => crate::lang::values::drawn::of_features(features, name),
            Value::CrossValidation(cv) => crate::lang::values::crossed::member(cv, name),
            Value::Figure(figure) => (name == "title").then(|| Value::str(figure.title.as_str())),
            Value::Table(sheet) => of_table(&sheet.table, name),
            Value::Record(record) => record.get(name).cloned(),
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
                Function::Known(entry) => entry.params().into_iter().map(Value::str).collect(),
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
        "structure" => Some(Value::Kernel(bare(kernel).simplify_structure())),
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
        "x" if data.column("x").is_none() => Some(inputs(data)),
        _ => data.column(name).map(of_column),
    }
}

/// The inputs: a list of numbers where there is one, otherwise a list for each row.
pub fn inputs(data: &Dataset) -> Value {
    let columns: Vec<&Column> = data.inputs().collect();
    if let [column] = columns[..] {
        return of_column(column);
    }
    let rows = (0..data.n()).map(|row| list(columns.iter().map(|column| cell(column, row))));
    rows.collect::<Option<Vec<_>>>().and_then(list).unwrap_or(Value::Nothing)
}

fn of_column(column: &Column) -> Value {
    if let Some(scale) = column.time() {
        let texts = scale.texts(column.values()).into_iter();
        return list(texts.map(|text| text.map_or(Value::Number(f64::NAN), Value::str))).unwrap_or(Value::Nothing);
    }
    list((0..column.len()).map(|row| cell(column, row))).unwrap_or(Value::Nothing)
}

/// One cell: a number, the text of a category, or a time as a date in ISO 8601.
pub fn cell(column: &Column, row: usize) -> Value {
    if let Some(scale) = column.time() {
        let value = column.values()[row];
        return match scale.covering(&[value]).text(value) {
            text if text.is_empty() => Value::Number(f64::NAN),
            text => Value::str(text),
        };
    }
    match column.level(row) {
        Some(level) => Value::str(level),
        None => Value::Number(column.values()[row]),
    }
}

/// The kernel of a model, or the model itself where it is a mean function alone.
pub(super) fn kernel(model: &Model) -> Value {
    match is_nothing(&model.kernel) {
        true => Value::Model(Arc::new(Pipeline::of(model.process()))),
        false => Value::Kernel(model.kernel.clone()),
    }
}

fn of_fit(fit: &Fit, name: &str) -> Option<Value> {
    Some(match name {
        "kernel" => kernel(&fit.model),
        "model" => Value::Model(Arc::new(Pipeline::of(fit.model.clone()))),
        "lml" => Value::Number(fit.lml()),
        "bic" => Value::Number(fit.bic),
        "noise" => fit.noise().map_or(Value::Nothing, Value::Number),
        "classes" => match fit.problem().classes() {
            Some(classes) => return list([-1.0, 1.0].map(|label| class(classes, label))),
            None => Value::Nothing,
        },
        "fits" | "temperature" => Value::Nothing,
        "params" => Value::table(Sheet::told(tables::parameters(fit), describe::parameters(fit))),
        "converged" => Value::Bool(fit.converged()),
        "hints" => return list(fit.hints.iter().map(|hint| Value::str(hint.as_str()))),
        "data" => Value::Data(Arc::new(fit.problem().data().clone())),
        _ => return None,
    })
}

/// A class as the data have it: a number, or a text.
fn class(classes: &Classes, label: f64) -> Value {
    classes.number(label).map_or_else(|| Value::str(classes.name(label)), Value::Number)
}

fn of_prediction(prediction: &Prediction, name: &str) -> Option<Value> {
    let numbers = |values: &[f64]| Value::numbers(values.iter().copied()).ok();
    let quantile = |of: fn(&Quantiles) -> &Vec<f64>| match &prediction.quantiles {
        Some(quantiles) => numbers(of(quantiles)),
        None => Some(Value::Nothing),
    };
    match name {
        "at" => Some(inputs(&prediction.at)),
        "rows" => Some(Value::Data(Arc::new(prediction.at.clone()))),
        "mean" => numbers(&prediction.mean),
        "sd" => numbers(&prediction.sd),
        "var_f" => numbers(&prediction.var_f),
        "var_y" => numbers(&prediction.var_y),
        "probability" => prediction.probability.as_deref().map_or(Some(Value::Nothing), numbers),
        "class" => match (&prediction.probability, prediction.fit.problem().classes()) {
            (Some(p), Some(classes)) => list(p.iter().map(|p| class(classes, if *p > 0.5 { 1.0 } else { -1.0 }))),
            _ => Some(Value::Nothing),
        },
        "classes" => of_fit(&prediction.fit, name),
        "median" => quantile(|q| &q.median),
        "lower" => quantile(|q| &q.lower),
        "upper" => quantile(|q| &q.upper),
        "fit" => Some(Value::Fit(prediction.fit.clone())),
        _ => None,
    }
}

fn of_decomposition(parts: &Decomposition, name: &str) -> Option<Value> {
    let numbers = |values: &[f64]| Value::numbers(values.iter().copied()).ok();
    let components = parts.components.iter();
    match name {
        "components" => {
            let record = |c: &Component| -> Option<Value> {
                let record = Record::default()
                    .with("label", Value::str(c.label.as_str()))
                    .with("kernel", Value::Kernel(c.kernel.clone()))
                    .with("mean", numbers(&c.mean)?)
                    .with("var", numbers(&c.var)?)
                    .with("share", Value::Number(c.share));
                Some(Value::Record(Arc::new(record)))
            };
            list(components.map(record).collect::<Option<Vec<_>>>()?)
        }
        "labels" => list(components.map(|c| Value::str(c.label.as_str()))),
        "means" => list(components.map(|c| numbers(&c.mean)).collect::<Option<Vec<_>>>()?),
        "vars" => list(components.map(|c| numbers(&c.var)).collect::<Option<Vec<_>>>()?),
        "partials" => list(parts.partial_residuals().ok()?.iter().map(|p| numbers(p)).collect::<Option<Vec<_>>>()?),
        "shares" => numbers(&components.map(|c| c.share).collect::<Vec<_>>()),
        "cross" => {
            let record = |pair: &Cross| -> Option<Value> {
                let label = |i: usize| parts.components.get(i).map_or(Value::Nothing, |c| Value::str(c.label.as_str()));
                let record = Record::default()
                    .with("one", label(pair.one))
                    .with("other", label(pair.other))
                    .with("cov", numbers(&pair.cov)?)
                    .with("corr", numbers(&pair.corr)?);
                Some(Value::Record(Arc::new(record)))
            };
            list(parts.cross.iter().map(record).collect::<Option<Vec<_>>>()?)
        }
        "mean" => numbers(&parts.mean_function),
        "at" => Some(inputs(&parts.at)),
        "rows" => Some(Value::Data(Arc::new(parts.at.clone()))),
        "fit" => Some(Value::Fit(parts.fit.clone())),
        _ => None,
    }
}

/// A column; of a table of one row its one cell.
fn of_table(table: &Table, name: &str) -> Option<Value> {
    let column = table.columns().iter().find(|(column, _)| column == name);
    match (column, name) {
        (Some((_, Cells::Numbers(numbers))), _) if table.rows() == 1 => numbers.first().map(|x| Value::Number(*x)),
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
