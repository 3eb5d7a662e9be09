//! Data sets.

use serde_json::{Map, Value as Json, json};

use super::json::number;
use super::value::{Member, Value, ValueKind};
use crate::data::write::Table;
use crate::data::{Column, Dataset};
use crate::describe::{self, Markup, result_figures, tables};
use crate::figure::Figure;
use crate::lang::error::Res;
use crate::lang::payload::plot::{PlotError, PlotOptions};

impl ValueKind for Dataset {
    const NAME: &'static str = "Data";
    const NOUN: &'static str = "data";
    const MADE_BY: &'static str = "`load(\"airline\")`, `data(x=[…], y=[…])`";
    const OPEN_MEMBERS: bool = true;
    const PLOT: Option<&'static [&'static str]> = Some(&[]);
    const TABLE: bool = true;
    const MEMBERS: &'static [Member<Self>] = &[
        Member::new("n", "the number of rows", |data| Value::Number(data.n() as f64)),
        Member::new("name", "the name of the data", |data| Value::maybe_str(data.about().name.as_deref())),
        Member::checked("columns", "the names of all columns", |data| {
            Value::list(data.names().into_iter().map(Value::str))
        }),
        Member::checked("inputs", "the names of the inputs", |data| {
            Value::list(data.input_names().into_iter().map(Value::str))
        }),
        Member::new("target", "the name of the target", |data| Value::maybe_str(data.target().map(Column::name))),
        Member::checked("x", "the inputs: numbers, or a list for each row where there are several", |data| {
            data.column("x").map_or_else(|| inputs(data), of_column)
        }),
        Member::checked("y", "the values of the target", |data| {
            data.column("y").or(data.target()).map_or(Ok(Value::Nothing), of_column)
        }),
    ];

    /// Every column is also a member, unless there is a member of that name.
    fn open_member(&self, name: &str) -> Option<Res<Value>> {
        self.column(name).map(of_column)
    }

    fn open_members(&self) -> Vec<String> {
        self.names().into_iter().map(String::from).collect()
    }

    /// One line, the decisions of the reader, and the rows if they are few.
    fn show(&self) -> Markup {
        describe::dataset(self)
    }

    fn json(&self) -> Json {
        let column = |column: &Column| -> Json {
            if let Some(scale) = column.time() {
                return json!(scale.texts(column.values()));
            }
            match column.levels() {
                Some(_) => (0..column.len()).map(|row| json!(column.level(row))).collect(),
                None => column.values().iter().map(|x| number(*x)).collect(),
            }
        };
        let columns: Map<String, Json> = self.columns().iter().map(|c| (c.name().to_owned(), column(c))).collect();
        json!({
            "name": self.about().name,
            "n": self.n(),
            "target": self.target().map(Column::name),
            "inputs": self.input_names(),
            "columns": columns,
            "notes": self.notes().iter().map(ToString::to_string).collect::<Vec<_>>(),
        })
    }

    fn same(&self, other: &Self) -> bool {
        self == other
    }

    fn figure(&self, _options: &mut PlotOptions<'_>) -> Result<Figure, PlotError> {
        Ok(result_figures::dataset(self))
    }

    fn table(&self) -> Option<Table> {
        Some(tables::dataset(self))
    }
}

/// The inputs: a list of numbers for a single input, otherwise a list per row.
pub fn inputs(data: &Dataset) -> Res<Value> {
    let columns: Vec<&Column> = data.inputs().collect();
    if let [column] = columns[..] {
        return of_column(column);
    }
    Value::checked_list((0..data.n()).map(|row| Value::list(columns.iter().map(|column| cell(column, row)))))
}

/// The inputs as JSON.
pub fn inputs_json(data: &Dataset) -> Json {
    inputs(data).map_or(Json::Null, |inputs| inputs.json())
}

fn of_column(column: &Column) -> Res<Value> {
    if let Some(scale) = column.time() {
        let texts = scale.texts(column.values()).into_iter();
        return Value::list(texts.map(|text| text.map_or(Value::Number(f64::NAN), Value::str)));
    }
    Value::list((0..column.len()).map(|row| cell(column, row)))
}

/// A cell: a number, the text of a category, or a time as a date in ISO 8601.
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
