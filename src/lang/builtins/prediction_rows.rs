//! The rows of a prediction: a range, numbers, dates, rows as lists, data or a file.

use std::sync::Arc;

use crate::calendar::{self, Digits, TimeScale, TimeUnit};
use crate::data::{self, Column, DataError, Dataset};
use crate::fit::Fit;
use crate::lang::error::{LangError, Res};
use crate::lang::eval::evaluator::Call;
use crate::lang::signature::{Place, Want};
use crate::lang::values::cast::FromValue;
use crate::lang::values::value::{Items, Kind, Value, check_length};
use crate::model::ModelError;
use crate::results::At;

use super::models::lang_error;
use super::time_steps;

pub(super) const FIT: Place = Place::required("fit", Want::Kind(Kind::Fit), "a fit");
pub(super) const AT: Place = Place::optional(
    "at",
    Want::Either(&[Want::Numbers, Want::Kind(Kind::Data), Want::STRING]),
    "the training rows",
    "a range, numbers, rows, data, or a file",
);
pub(super) const N: Place = Place::optional(
    "n",
    Want::Count,
    "every whole number; of times, the usual step of the training rows",
    "the number of points of a range",
);

/// `n` was given without a range.
pub(super) fn no_range() -> LangError {
    let error = LangError::new("`n` is the number of points of a range, and no range is given").argument("n");
    error.help("a range comes first, as in `predict(fit, 1961..1964, n=36)`")
}

/// The rows of a prediction: those in a value, or the training rows.
pub(super) fn place(call: &mut Call<'_, '_>, fit: &Fit) -> Res<At> {
    let n: Option<usize> = call.maybe("n")?;
    let Some(at) = call.maybe::<Value>("at")? else {
        return match n {
            None => Ok(At::Training),
            Some(_) => Err(no_range()),
        };
    };
    if n.is_some() && !matches!(at, Value::Range(_)) {
        return Err(LangError::new(format!("`n` is the number of points of a range, found {}", at.kind().noun()))
            .argument("at"));
    }
    rows(call, fit, at, n).map(At::Rows).map_err(|t| t.argument("at"))
}

pub(super) fn rows(call: &mut Call<'_, '_>, fit: &Fit, at: Value, n: Option<usize>) -> Res<Dataset> {
    match at {
        Value::Range(range) if n.is_none() && range.is_empty() => {
            let value = Value::Range(range);
            let error = LangError::new(format!("the range {value} holds no rows"));
            Err(error.help("a range goes up and excludes its end: `1961..1964`; `1961..=1964` includes it"))
        }
        Value::Data(data) => Ok((*data).clone()),
        Value::Str(text) if calendar::date(&text).is_some() && one_time(fit).is_some() => dates(call, fit, &[text]),
        Value::Str(path) => {
            // the training data determine whether `202001` is a month
            let times = fit.problem().data().inputs().any(|column| column.time().is_some());
            let digits = if times { Digits::Dates } else { Digits::Numbers };
            let options = data::Options { target: data::Target::None, digits, ..data::Options::default() };
            let places = super::loading::places(call, &path)?;
            if let Some(file) = data::file_of(&path, &places) {
                call.eval.host.has_read(&file);
            }
            data::load(&path, &places, &options).map_err(super::data::lang_error)
        }
        Value::Range(range) if range.dates => {
            let column = one_time(fit).ok_or_else(|| {
                let found = LangError::new("a range of dates is for a fit whose one input is a column of times");
                let names = fit.problem().names();
                let found = found.note(format!("the inputs are {}", names.join(", ")));
                let time = fit.problem().data().inputs().find(|column| column.time().is_some());
                match (time, names) {
                    (Some(time), _) => found.help(format!(
                        "give data with all inputs, or fit a model of the time alone: `… |> fit(SE({}))`",
                        time.name()
                    )),
                    (None, [one]) => found.help(format!(
                        "`{one}` is a column of numbers: write a range of numbers, such as `1961..=1962`"
                    )),
                    (None, _) => found,
                }
            })?;
            let days = match n {
                Some(n) => {
                    check_length(n)?;
                    range.grid(n)
                }
                None => time_steps::times(&range, one_input(fit).map_or(&[], Column::values), column)?,
            };
            let values = days.into_iter().map(|day| TimeUnit::Day.convert(day, column.unit)).collect();
            fit.rows_along(values).map_err(|error| lang_error(call.eval, error))
        }
        Value::Range(range) => {
            if !(range.start.is_finite() && range.end.is_finite()) {
                return Err(LangError::new("a grid needs bounds that are finite"));
            }
            let values = match n {
                Some(n) => {
                    check_length(n)?;
                    range.grid(n)
                }
                None => Vec::<f64>::from_value(Value::Range(range))?,
            };
            fit.rows_along(values).map_err(|error| lang_error(call.eval, error))
        }
        Value::Number(x) => fit.rows_along(vec![x]).map_err(|error| lang_error(call.eval, error)),
        list => {
            let items = Items::from_value(list)?;
            let rows: Vec<Value> = items.collect();
            if rows.iter().any(|row| matches!(row, Value::List(_))) {
                by_row(fit, rows)
            } else if rows.iter().any(|row| matches!(row, Value::Str(_))) && one_time(fit).is_some() {
                let texts = rows.into_iter().map(<Arc<str>>::from_value).collect::<Res<Vec<_>>>()?;
                dates(call, fit, &texts)
            } else {
                let values = rows.into_iter().map(f64::from_value).collect::<Res<Vec<_>>>()?;
                fit.rows_along(values).map_err(|error| lang_error(call.eval, error))
            }
        }
    }
}

/// The single input of a fit.
fn one_input(fit: &Fit) -> Option<&Column> {
    fit.problem().data().column(fit.one_input().ok()?)
}

/// The time scale of the single input of a fit, if it is a time.
fn one_time(fit: &Fit) -> Option<TimeScale> {
    one_input(fit)?.time()
}

/// Rows at dates along the single input.
fn dates(call: &Call<'_, '_>, fit: &Fit, texts: &[Arc<str>]) -> Res<Dataset> {
    let scale = one_time(fit).map_or(TimeUnit::Day, |scale| scale.unit);
    let value = |text: &Arc<str>| match calendar::date(text) {
        Some(at) => Ok(at.to(scale)),
        None => Err(no_date(text)),
    };
    let values = texts.iter().map(value).collect::<Res<Vec<_>>>()?;
    fit.rows_along(values).map_err(|error| lang_error(call.eval, error))
}

fn no_date(text: &str) -> LangError {
    LangError::new(format!("expected a date such as \"2024-01-31\", found {text:?}"))
}

/// Rows as lists, with entries in the order of the inputs.
fn by_row(fit: &Fit, rows: Vec<Value>) -> Res<Dataset> {
    let names = fit.problem().names();
    let mut columns: Vec<Vec<Value>> = vec![Vec::new(); names.len()];
    for row in rows {
        let entries: Vec<Value> = Items::from_value(row)?.collect();
        if entries.len() != names.len() {
            return Err(LangError::new(format!(
                "a row has an entry for each input ({}), found {}",
                names.join(", "),
                entries.len()
            )));
        }
        for (column, entry) in columns.iter_mut().zip(entries) {
            column.push(entry);
        }
    }
    let column = |(name, cells): (&String, Vec<Value>)| -> Res<Column> {
        let known = fit.problem().data().column(name);
        if let Some(scale) = known.and_then(Column::time) {
            let value = |cell: Value| match cell {
                Value::Str(text) => calendar::date(&text).map(|at| at.to(scale.unit)).ok_or_else(|| no_date(&text)),
                other => f64::from_value(other),
            };
            let values = cells.into_iter().map(value).collect::<Res<Vec<_>>>()?;
            return Ok(Column::times(name.as_str(), scale, values));
        }
        if cells.iter().any(|cell| matches!(cell, Value::Str(_))) {
            let texts = cells.into_iter().map(|cell| <Arc<str>>::from_value(cell).map(Some));
            return Ok(Column::categories(name.as_str(), texts.collect::<Res<Vec<_>>>()?));
        }
        let numbers = cells.into_iter().map(f64::from_value).collect::<Res<Vec<_>>>()?;
        let unit = fit.problem().data().column(name).and_then(Column::unit).unwrap_or_default();
        Ok(Column::numeric(name.as_str(), numbers).with_unit(unit))
    };
    let columns = names.iter().zip(columns).map(column).collect::<Res<Vec<_>>>()?;
    Dataset::new(columns, None, None).map_err(super::data::lang_error)
}

/// Rows that are not compatible with the training rows.
pub(super) fn unlike(call: &Call<'_, '_>, fit: &Fit, error: ModelError) -> LangError {
    let inputs = fit.problem().names().join("`, `");
    let lacks = matches!(error, ModelError::Data(DataError::UnknownColumn { .. }));
    let lang_error = lang_error(call.eval, error);
    if lacks { lang_error.note(format!("the fit needs the columns `{inputs}`")) } else { lang_error }
}
