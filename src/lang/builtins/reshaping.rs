//! Computed and renamed columns, sorted rows, long format and joins.

use std::sync::Arc;

use super::data::{DATA, by_row, column_of, lang_error, names, value};
use crate::data::{Column, DataError, Dataset, SortKey, keys_of};
use crate::lang::error::{LangError, Res};
use crate::lang::eval::evaluator::{Builtin, Call, Touches};
use crate::lang::signature::{Group, Place, Want};
use crate::lang::values::cast::expected;
use crate::lang::values::value::{Function, Kind, Value, check_length};
use crate::syntax::ast::ExprKind;

/// New columns from expressions of columns.
fn mutate(call: &mut Call<'_, '_>) -> Res<Value> {
    let before: Arc<Dataset> = call.arg("data")?;
    let mut data = (*before).clone();
    let mut inputs: Vec<String> = before.input_names().into_iter().map(str::to_owned).collect();
    let given = call.keywords();
    if given.is_empty() {
        return Err(LangError::new("`mutate` needs a column").help("write `mutate(logy = log(y))`"));
    }
    for (name, made) in given {
        let (values, of_target) = match &made.node {
            Value::Function(function) => {
                let values = by_row(call, &before, function, "column").map_err(|t| t.at(made.span))?;
                (values, reads(function, before.target()))
            }
            list @ (Value::List(_) | Value::Range(_)) => {
                let items = list.items().ok_or_else(|| expected("a list", list).at(made.span))?;
                check_length(items.len()).map_err(|t| t.at(made.span))?;
                (items.collect(), false)
            }
            other => (vec![other.clone(); data.n()], false),
        };
        let column = column(&name.node, values).map_err(|t| t.at(made.span))?;
        if let Some(row) = column.values().iter().position(|v| v.is_infinite()) {
            let error = LangError::new(format!("`{}` is {} in {}", name.node, column.values()[row], data.row(row)));
            let help =
                "numbers up to 1.8e308 can be stored; `0/0` is a missing value, as in `if x > 0 then log(x) else 0/0`";
            return Err(error.help(help).at(made.span));
        }
        let is_new = data.column(&name.node).is_none();
        data = data.with_column(column).map_err(|error| lang_error(error).at(made.span))?;
        // a column computed from the target would explain it trivially
        if is_new && !of_target {
            inputs.push(name.node.to_string());
        }
    }
    if inputs.is_empty() { Ok(value(data)) } else { data.with_inputs(&inputs).map(value).map_err(lang_error) }
}

fn reads(function: &Function, column: Option<&Column>) -> bool {
    match (function, column) {
        (Function::Closure(closure), Some(column)) => {
            closure.lambda.params.iter().any(|param| *param.name.node == *column.name())
        }
        _ => false,
    }
}

/// Numbers, or texts as categories; NaN is missing in both.
fn column(name: &Arc<str>, values: Vec<Value>) -> Res<Column> {
    let text = values.iter().any(|v| matches!(v, Value::Str(_) | Value::Bool(_)));
    if !text {
        let number = |v: Value| match v {
            Value::Number(x) => Ok(x),
            other => Err(expected("a number, a string or true and false for each row", &other)),
        };
        return Ok(Column::numeric(name.clone(), values.into_iter().map(number).collect::<Res<_>>()?));
    }
    let level = |v: Value| match v {
        Value::Str(text) => Ok(Some(text)),
        Value::Bool(truth) => Ok(Some(truth.to_string().into())),
        Value::Number(x) if x.is_nan() => Ok(None),
        other => Err(expected("a string for each row, as in others", &other)),
    };
    Ok(Column::categories(name.clone(), values.into_iter().map(level).collect::<Res<Vec<Option<Arc<str>>>>>()?))
}

fn rename(call: &mut Call<'_, '_>) -> Res<Value> {
    let data: Arc<Dataset> = call.arg("data")?;
    let mut data = (*data).clone();
    for (new, old) in call.keywords() {
        let found = names(Some(&data), &old.node).map_err(|t| t.at(old.span))?;
        let [name] = &found[..] else {
            return Err(LangError::new("each new name needs one column").at(old.span));
        };
        data = data.renamed(name, &new.node).map_err(|error| {
            let taken = matches!(error, DataError::Repeated { .. });
            let lang_error = lang_error(error);
            if taken { lang_error.label("a column has this name").at(new.span) } else { lang_error.at(old.span) }
        })?;
    }
    Ok(value(data))
}

/// The rows of data sorted by columns or by expressions.
pub(super) fn sorted(call: &mut Call<'_, '_>, data: &Arc<Dataset>, descending: bool) -> Res<Value> {
    let Some(by) = call.maybe::<Value>("by")? else {
        return Err(LangError::new("data are sorted by a column").help("write `data |> sort(by=x)`"));
    };
    let each: Vec<Value> = match by.items() {
        Some(items) => items.collect(),
        None => vec![by],
    };
    let mut keys = Vec::with_capacity(each.len());
    for one in each {
        keys.push(match &one {
            Value::Function(function) => match plain_column(function, data) {
                Some(column) => keys_of(column),
                None => {
                    let values = by_row(call, data, function, "by")?;
                    values.into_iter().map(key).collect::<Res<_>>().map_err(|t| t.argument("by"))?
                }
            },
            other => {
                let found = names(Some(data), other).map_err(|t| t.argument("by"))?;
                let name = found.first().map_or("", String::as_str);
                keys_of(data.find(name).map_err(|error| lang_error(error).argument("by"))?)
            }
        });
    }
    Ok(value(data.take(&data.order_by(&keys, descending))))
}

/// The column that a function returns unchanged.
fn plain_column<'d>(function: &Function, data: &'d Dataset) -> Option<&'d Column> {
    let Function::Closure(closure) = function else { return None };
    match (&closure.lambda.params[..], &closure.lambda.body.node) {
        ([param], ExprKind::Name(name)) if param.name.node == *name => data.column(name),
        _ => None,
    }
}

fn key(value: Value) -> Res<SortKey> {
    match value {
        Value::Number(x) => Ok(SortKey::Number(x)),
        Value::Bool(truth) => Ok(SortKey::Number(f64::from(u8::from(truth)))),
        Value::Str(text) => Ok(SortKey::Text(text.to_string())),
        other => Err(expected("a number or a string to sort by", &other)),
    }
}

fn pivot_longer(call: &mut Call<'_, '_>) -> Res<Value> {
    let data: Arc<Dataset> = call.arg("data")?;
    let mut wide = Vec::new();
    for columns in call.many() {
        for name in names(Some(&data), &columns.node).map_err(|t| t.at(columns.span))? {
            data.find(&name).map_err(|error| lang_error(error).at(columns.span))?;
            wide.push(name);
        }
    }
    if wide.is_empty() {
        return Err(LangError::new("`pivot_longer` needs columns").help("write `pivot_longer(a, b)`"));
    }
    let names: Arc<str> = call.or("names", "name".into())?;
    let values: Arc<str> = call.or("values", "value".into())?;
    data.pivoted_longer(&wide, &names, &values).map(value).map_err(lang_error)
}

fn join(call: &mut Call<'_, '_>) -> Res<Value> {
    let data: Arc<Dataset> = call.arg("data")?;
    let other: Arc<Dataset> = call.arg("other")?;
    let by = match call.maybe::<Value>("by")? {
        Some(by) => names(Some(&data), &by).map_err(|t| t.argument("by"))?,
        None => {
            let shared = data.names().into_iter().filter(|name| other.column(name).is_some());
            shared.map(str::to_owned).collect()
        }
    };
    if by.is_empty() {
        let lang_error = LangError::new("the data have no column in common to join by");
        return Err(lang_error
            .help("`rename` gives a column of one the name that it has in the other")
            .argument("other"));
    }
    let (joined, unmatched) = data.joined(&other, &by).map_err(|error| {
        let place = if column_of(&error).is_some_and(|name| by.iter().any(|b| b == name)) { "by" } else { "other" };
        lang_error(error).argument(place)
    })?;
    if unmatched > 0 {
        let rows = if unmatched == 1 { "1 row has".to_string() } else { format!("{unmatched} rows have") };
        call.warn(format!("{rows} no match in the other data: the new columns have no value there"));
    }
    Ok(value(joined))
}

pub static RESHAPING: &[Builtin] = &[
    Builtin {
        name: "mutate",
        aliases: &[],
        group: Group::Data,
        places: &[DATA, Place::keywords("column", Want::Row, "the new or replaced column: an expression of columns")],
        result: Some(Kind::Data),
        summary: "columns computed from columns, row by row",
        help: "A new column is an input, unless it is computed from the target; `select(…, target=)` makes it the target.",
        examples: &["load(\"airline\") |> mutate(decade = floor(year / 10) * 10) |> head(2)"],
        touches: Touches::Nothing,
        run: mutate,
    },
    Builtin {
        name: "rename",
        aliases: &[],
        group: Group::Data,
        places: &[DATA, Place::keywords("name", Want::Input, "a new name, and the column that gets it")],
        result: Some(Kind::Data),
        summary: "the data with columns renamed",
        help: "",
        examples: &["load(\"airline\") |> rename(count = passengers) |> head(2)"],
        touches: Touches::Nothing,
        run: rename,
    },
    Builtin {
        name: "pivot_longer",
        aliases: &[],
        group: Group::Data,
        places: &[
            DATA,
            Place::many("columns", Want::Input, "the columns whose values become rows"),
            Place::keyword(
                "names",
                Want::STRING,
                "\"name\"",
                "the new column with the name of the column that a value is from",
            ),
            Place::keyword("values", Want::STRING, "\"value\"", "the new column with the values, which is the target"),
        ],
        result: Some(Kind::Data),
        summary: "wide data in long form: one row for each value of some columns",
        help: "All other columns are repeated.",
        examples: &["data(x=[1, 2], a=[3, 4], b=[5, 6]) |> pivot_longer(a, b)"],
        touches: Touches::Nothing,
        run: pivot_longer,
    },
    Builtin {
        name: "join",
        aliases: &["left_join"],
        group: Group::Data,
        places: &[
            DATA,
            Place::required("other", Want::Kind(Kind::Data), "data with one row for each value of the key columns"),
            Place::keyword("by", Want::Input, "all columns that both have", "the key columns"),
        ],
        result: Some(Kind::Data),
        summary: "each row with the columns of the matching row of other data",
        help: "Rows without a match are kept, with missing values.",
        examples: &["let towns = data(town=[\"Ulm\", \"Bonn\"], height=[478, 60], target=false)\n\
             data(town=[\"Bonn\", \"Ulm\", \"Bonn\"], y=[1, 2, 3]) |> join(towns, by=town)"],
        touches: Touches::Nothing,
        run: join,
    },
];
