//! Data: created from lists, summarised, selected; and messages about errors in data.

use std::sync::Arc;

use crate::data::write::Table;
use crate::data::{self, About, Column, DataError, Dataset, Note};
use crate::describe;
use crate::lang::error::{LangError, Res};
use crate::lang::eval::evaluator::Call;
use crate::lang::eval::evaluator::{Builtin, Touches};
use crate::lang::numerals::number;
use crate::lang::payload::sheet::Sheet;
use crate::lang::signature::{Group, Place, Want};
use crate::lang::values::cast::{FromValue, expected};
use crate::lang::values::data::cell;
use crate::lang::values::value::{Function, Items, Kind, Value, check_length};
use crate::lang::wording::{did_you_mean, nearest, nearest_column};
use crate::syntax::span::Span;

/// An error in data, with the nearest name if a name is unknown.
pub fn lang_error(error: DataError) -> LangError {
    let lang_error = LangError::new(error.to_string());
    let near = match &error {
        DataError::UnknownColumn { name, known } => {
            return match nearest_column(name, known.iter().map(String::as_str)) {
                Some(near) => lang_error.help(did_you_mean(near)),
                None => lang_error,
            };
        }
        DataError::NotFound { name, .. } => nearest(name, data::sets::names()),
        _ => None,
    };
    match (near, super::loading_advice::way_out(&error)) {
        (Some(near), _) => lang_error.help(format!("did you mean `{near}`?")),
        (None, Some(help)) => lang_error.help(help),
        (None, None) => lang_error,
    }
}

/// The name of the column that an error concerns.
pub(super) fn column_of(error: &DataError) -> Option<&str> {
    match error {
        DataError::UnknownColumn { name, .. }
        | DataError::TargetAsInput { name }
        | DataError::Repeated { name }
        | DataError::Length { name, .. } => Some(name),
        DataError::OutOfDomain { column, .. }
        | DataError::NotNumeric { column }
        | DataError::NotForTarget { column }
        | DataError::SecondTransform { column, .. } => Some(column),
        _ => None,
    }
}

/// The places in the text of the columns that a call selects.
pub(super) struct Choices {
    inputs: Span,
    each: Vec<Span>,
    target: Span,
}

impl Choices {
    /// Must be called before the arguments are taken.
    pub(super) fn of(call: &mut Call<'_, '_>) -> Self {
        Self { inputs: call.span_of("inputs"), each: call.parts_of("inputs"), target: call.span_of("target") }
    }

    /// The place of a column among the inputs, or else that of the target argument.
    pub(super) fn find(&self, name: &str, inputs: Option<&[String]>) -> Span {
        match inputs.and_then(|inputs| inputs.iter().rposition(|input| input == name)) {
            Some(at) => self.each.get(at).copied().unwrap_or(self.inputs),
            None => self.target,
        }
    }
}

pub fn value(data: Dataset) -> Value {
    Value::Data(Arc::new(data))
}

/// The names of columns in a value of kind Input; an index counts the inputs.
pub fn names(data: Option<&Dataset>, value: &Value) -> Res<Vec<String>> {
    let one = |value: &Value| match (value, data) {
        (Value::Str(name), _) => Ok(name.to_string()),
        (Value::Number(x), Some(data)) if *x >= 0.0 && x.fract() == 0.0 => {
            let inputs = data.input_names();
            inputs.get(*x as usize).map(|name| (*name).to_owned()).ok_or_else(|| {
                LangError::new(format!("there is no input {}: the data have {}", number(*x), inputs.join(", ")))
            })
        }
        (other, _) => Err(expected("a column's name", other)),
    };
    match value.items() {
        Some(items) => {
            check_length(items.len())?;
            items.map(|item| one(&item)).collect()
        }
        None => Ok(vec![one(value)?]),
    }
}

fn make(call: &mut Call<'_, '_>) -> Res<Value> {
    let choices = Choices::of(call);
    let mut columns = Vec::new();
    let mut spans: Vec<Span> = Vec::new();
    for (name, list) in call.keywords() {
        let column = column(&name.node, list.node).map_err(|t| t.at(list.span))?;
        columns.push(column);
        spans.push(list.span);
    }
    if columns.is_empty() {
        return Err(LangError::new("data need at least one column").help("write `data(x=[1, 2, 3], y=[2, 4, 5])`"));
    }
    let named =
        call.maybe::<Value>("inputs")?.map(|v| names(None, &v)).transpose().map_err(|t| t.argument("inputs"))?;
    let inputs: Option<Vec<&str>> = named.as_ref().map(|names| names.iter().map(String::as_str).collect());
    // numbers have no unit here, times of day have
    let measured = |c: &&Column| !c.is_categories() && c.time().is_none() && c.unit().is_none();
    let usual = columns.iter().rev().find(measured).map(|c| c.name().to_owned());
    let times_of_day = columns.iter().filter(|c| c.unit().is_some() && c.time().is_none());
    let notes = times_of_day.map(|c| Note::TimesOfDay { column: c.name().to_owned() }).collect();
    let target = match call.maybe::<Value>("target")? {
        None => usual.filter(|name| columns.len() > 1 && !inputs.iter().flatten().any(|input| input == name)),
        Some(Value::Bool(false)) => None,
        Some(value) => names(None, &value).map_err(|t| t.argument("target"))?.into_iter().next(),
    };
    let given: Vec<String> = columns.iter().map(|column| column.name().to_owned()).collect();
    let about = About { notes, ..About::default() };
    let made = Dataset::new(columns, target.as_deref(), inputs.as_deref()).map(|data| value(data.with_about(about)));
    made.map_err(|error| {
        let span = match column_of(&error) {
            Some(column) if matches!(error, DataError::Length { .. } | DataError::Repeated { .. }) => {
                given.iter().rposition(|name| name == column).map_or(call.span, |at| spans[at])
            }
            Some(column) => choices.find(column, named.as_deref()),
            None => call.span,
        };
        lang_error(error).at(span)
    })
}

/// A column of numbers, dates, or categories.
fn column(name: &Arc<str>, list: Value) -> Res<Column> {
    let items = Items::from_value(list.clone())?;
    check_length(items.len())?;
    let is_text = list.items().is_some_and(|mut items| items.any(|item| matches!(item, Value::Str(_))));
    // true and false are also classes
    let is_truth =
        list.items().is_some_and(|mut items| !items.is_empty() && items.all(|item| matches!(item, Value::Bool(_))));
    if !is_text && !is_truth {
        return Ok(Column::numeric(name.clone(), Vec::<f64>::from_value(list)?));
    }
    let mut texts = Vec::with_capacity(items.len());
    for item in items {
        let text: Arc<str> = match item {
            Value::Bool(truth) if is_truth => truth.to_string().into(),
            item => <Arc<str>>::from_value(item)?,
        };
        // as in files, an empty text is a missing value
        texts.push(Some(text).filter(|text| !text.trim().is_empty()));
    }
    if let Some(times) = Column::dated(name, &texts).or_else(|| Column::times_of_day(name, &texts)) {
        return Ok(times);
    }
    Ok(Column::categories(name.clone(), texts))
}

/// A column with any name; in an expression of columns its value.
fn col(call: &mut Call<'_, '_>) -> Res<Value> {
    let name: Arc<str> = call.arg("name")?;
    Ok(Value::Str(name))
}

fn head(call: &mut Call<'_, '_>) -> Res<Value> {
    let data: Arc<Dataset> = call.arg("data")?;
    let n: usize = call.or("n", 5)?;
    Ok(value(data.head(n)))
}

fn select(call: &mut Call<'_, '_>) -> Res<Value> {
    let data: Arc<Dataset> = call.arg("data")?;
    let mut chosen = Vec::new();
    let data = match call.maybe::<Value>("target")? {
        None => data,
        Some(Value::Bool(false)) => Arc::new((*data).clone().without_target()),
        Some(value) => {
            let name =
                names(Some(&data), &value).map_err(|t| t.argument("target"))?.into_iter().next().unwrap_or_default();
            Arc::new((*data).clone().with_target(&name).map_err(|error| lang_error(error).argument("target"))?)
        }
    };
    for column in call.many() {
        let found = names(Some(&data), &column.node).map_err(|t| t.at(column.span))?;
        for name in &found {
            data.find(name).map_err(|error| lang_error(error).at(column.span))?;
        }
        chosen.extend(found);
    }
    data.select(&chosen).map(value).map_err(lang_error)
}

/// The rows for which an expression of columns is true.
fn keep(call: &mut Call<'_, '_>) -> Res<Value> {
    let data: Arc<Dataset> = call.arg("data")?;
    let condition: Value = call.arg("condition")?;
    let Value::Function(function @ Function::Closure(_)) = &condition else {
        let lang_error = LangError::new("`where` needs a condition that names columns");
        return Err(lang_error
            .help("write `where(year > 1950)`, or `where(year -> year > 1950)`")
            .argument("condition"));
    };
    let values = by_row(call, &data, function, "condition")?;
    let mut mask = Vec::with_capacity(data.n());
    for value in values {
        match value {
            Value::Bool(keep) => mask.push(keep),
            other => return Err(expected("true or false from the condition", &other).label("").argument("condition")),
        }
    }
    if !mask.is_empty() && !mask.contains(&true) {
        call.remark(format!("none of the {} meets the condition", describe::row_count(mask.len())));
    }
    data.filter(&mask).map(value).map_err(lang_error)
}

/// The values of a function at every row; its parameters are columns.
pub(super) fn by_row(
    call: &mut Call<'_, '_>,
    data: &Dataset,
    function: &Function,
    place: &'static str,
) -> Res<Vec<Value>> {
    let Function::Closure(closure) = function else {
        let lang_error =
            LangError::new("expected an expression of columns, or a function whose parameters are columns");
        return Err(lang_error.argument(place));
    };
    let mut columns = Vec::new();
    for param in &closure.lambda.params {
        let column = data.find(&param.name.node).map_err(|error| {
            lang_error(error).note("the parameters of the function are columns").at(param.name.span)
        })?;
        columns.push(column);
    }
    let mut values = Vec::with_capacity(data.n());
    for row in 0..data.n() {
        let args = columns.iter().map(|column| cell(column, row)).collect();
        values.push(call.apply(function, args)?);
    }
    Ok(values)
}

fn dropna(call: &mut Call<'_, '_>) -> Res<Value> {
    let data: Arc<Dataset> = call.arg("data")?;
    Ok(value(data.dropna().0))
}

/// A summary of the columns.
fn summary(call: &mut Call<'_, '_>) -> Res<Value> {
    let data: Arc<Dataset> = call.arg("data")?;
    let summary = data.summary();
    let columns = &summary.columns;
    let number = |of: fn(&data::Numbers) -> f64| -> Vec<f64> {
        columns.iter().map(|c| c.numbers.as_ref().map_or(f64::NAN, of)).collect()
    };
    let counts = |of: fn(&data::ColumnSummary) -> usize| columns.iter().map(|c| of(c) as f64).collect::<Vec<_>>();
    let role = |c: &data::ColumnSummary| match c.role {
        data::Role::Input => "input",
        data::Role::Target => "target",
        data::Role::Unused => "unused",
    };
    let table = Table::new()
        .texts("column", columns.iter().map(|c| Some(c.name.clone())).collect())
        .texts("role", columns.iter().map(|c| Some(role(c).to_owned())).collect())
        .texts("unit", columns.iter().map(|c| c.unit.clone()).collect())
        .numbers("n", &counts(|c| c.n))
        .numbers("missing", &counts(|c| c.missing))
        .numbers("distinct", &counts(|c| c.distinct))
        .numbers("min", &number(|n| n.min))
        .numbers("median", &number(|n| n.median))
        .numbers("mean", &number(|n| n.mean))
        .numbers("sd", &number(|n| n.sd))
        .numbers("max", &number(|n| n.max));
    Ok(Value::table(Sheet::with_text(table, describe::summary(&summary))))
}

pub const DATA: Place = Place::required("data", Want::Kind(Kind::Data), "a data set");
pub(super) const TARGET: Place = Place::keyword(
    "target",
    Want::Either(&[Want::Input, Want::BOOL]),
    "the last column of numbers",
    "the target; false for none",
);
pub(super) const INPUTS: Place = Place::keyword("inputs", Want::Input, "all others", "the inputs of models, in order");

pub static DATA_VERBS: &[Builtin] = &[
    Builtin {
        name: "data",
        aliases: &[],
        group: Group::Data,
        places: &[
            Place::keywords(
                "column",
                Want::Items,
                "a column: numbers, dates as strings, or other strings for categories",
            ),
            TARGET,
            INPUTS,
        ],
        result: Some(Kind::Data),
        summary: "data from lists",
        help: "",
        examples: &["data(x=[1, 2, 3], y=[2, 4, 5])"],
        touches: Touches::Nothing,
        run: make,
    },
    Builtin {
        name: "col",
        aliases: &[],
        group: Group::Data,
        places: &[Place::required("name", Want::STRING, "the name of a column, as the file has it")],
        result: Some(Kind::String),
        summary: "a column by its name, also one with blanks or brackets",
        help: "",
        examples: &["SE(col(\"fly ash (kg)\"))"],
        touches: Touches::Nothing,
        run: col,
    },
    Builtin {
        name: "summary",
        aliases: &[],
        group: Group::Data,
        places: &[DATA],
        result: Some(Kind::Table),
        summary: "a summary of the data, column by column",
        help: "",
        examples: &["load(\"airline\") |> summary"],
        touches: Touches::Nothing,
        run: summary,
    },
    Builtin {
        name: "head",
        aliases: &[],
        group: Group::Data,
        places: &[DATA, Place::optional("n", Want::Count, "5", "the number of rows")],
        result: Some(Kind::Data),
        summary: "the first rows",
        help: "",
        examples: &["load(\"airline\") |> head(3)"],
        touches: Touches::Nothing,
        run: head,
    },
    Builtin {
        name: "select",
        aliases: &[],
        group: Group::Data,
        places: &[
            DATA,
            Place::many("columns", Want::Input, "the inputs to keep"),
            Place::keyword(
                "target",
                Want::Either(&[Want::Input, Want::BOOL]),
                "the target of the data",
                "another column as the target; false for none",
            ),
        ],
        result: Some(Kind::Data),
        summary: "the data with only some columns as inputs, and the same target",
        help: "",
        examples: &["load(\"concrete\") |> select(cement, age_days)"],
        touches: Touches::Nothing,
        run: select,
    },
    Builtin {
        name: "where",
        aliases: &[],
        group: Group::Data,
        places: &[DATA, Place::required("condition", Want::Row, "an expression of columns, or a function of them")],
        result: Some(Kind::Data),
        summary: "the rows for which a condition on columns is true",
        help: "In the condition a bare word is a column, whatever the user has bound it to; `col(\"…\")` names one \
               with blanks or brackets.",
        examples: &["load(\"airline\") |> where(year < 1950 and passengers > 110)"],
        touches: Touches::Nothing,
        run: keep,
    },
    Builtin {
        name: "dropna",
        aliases: &[],
        group: Group::Data,
        places: &[DATA],
        result: Some(Kind::Data),
        summary: "the rows in which no input and no target is missing",
        help: "",
        examples: &["load(\"airline\") |> dropna"],
        touches: Touches::Nothing,
        run: dropna,
    },
];
