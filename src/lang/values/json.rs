//! JSON of values, and values from JSON.

use std::sync::Arc;

use serde_json::{Map, Number, Value as Json, json};

use super::value::{List, Record, Value};
use crate::data::write::{Cells, Table};
use crate::lang::error::Res;

/// One line of JSON: `{"kind": …, "value": …}`.
pub fn tagged(value: &Value) -> Json {
    json!({ "kind": value.kind().name(), "value": value.json() })
}

/// The value of JSON: numbers, strings, booleans, lists, records, and nothing for null.
///
/// # Errors
/// A list that exceeds the limit.
pub fn value(json: &Json) -> Res<Value> {
    Ok(match json {
        Json::Null => Value::Nothing,
        Json::Bool(b) => Value::Bool(*b),
        Json::Number(x) => Value::Number(x.as_f64().unwrap_or(f64::NAN)),
        Json::String(text) => Value::str(text.as_str()),
        Json::Array(items) => Value::List(List::collect(items.iter().map(value))?),
        Json::Object(fields) => {
            let mut record = Record::default();
            for (name, field) in fields {
                record = record.with(name.as_str(), value(field)?);
            }
            Value::Record(Arc::new(record))
        }
    })
}

/// The first part of a value that JSON does not preserve: a kernel, for example, is read back as its text.
pub fn lost(value: &Value) -> Option<Value> {
    match value {
        Value::List(list) => list.items().iter().find_map(lost),
        Value::Record(record) => record.fields().iter().find_map(|(_, field)| lost(field)),
        plain if plain.kind().info().plain => None,
        other => Some(other.clone()),
    }
}

pub(super) fn numbers(values: &[f64]) -> Json {
    values.iter().map(|x| number(*x)).collect()
}

/// A list of rows, each as an object.
pub fn table(table: &Table) -> Json {
    let row = |i: usize| {
        let cell = |cells: &Cells| match cells {
            Cells::Numbers(numbers) => numbers.get(i).map_or(Json::Null, |x| number(*x)),
            Cells::Texts(texts) => json!(texts.get(i).cloned().flatten()),
        };
        table.columns().iter().map(|(name, cells)| (name.clone(), cell(cells))).collect::<Map<_, _>>()
    };
    (0..table.rows()).map(row).collect()
}

/// A number; whole numbers without a decimal point.
pub fn number(x: f64) -> Json {
    if x.fract() == 0.0 && x.abs() < 9e15 {
        return json!(x as i64);
    }
    Number::from_f64(x).map_or(Json::Null, Json::Number)
}
