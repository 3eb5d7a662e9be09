//! Dates: joining a date and a time, and calendar functions.

use std::sync::Arc;

use super::data::{DATA, lang_error, names, value};
use crate::calendar;
use crate::data::Dataset;
use crate::lang::error::{LangError, Res};
use crate::lang::eval::evaluator::{Builtin, Call, Touches};
use crate::lang::signature::{Group, Place, Want};
use crate::lang::values::value::{Kind, Value};

fn join_time(call: &mut Call<'_, '_>) -> Res<Value> {
    let data: Arc<Dataset> = call.arg("data")?;
    let mut column = |place: &'static str| -> Res<String> {
        let named: Value = call.arg(place)?;
        let found = names(Some(&data), &named).map_err(|t| t.argument(place))?;
        found.into_iter().next().ok_or_else(|| LangError::new("a column is needed").argument(place))
    };
    let (date, time) = (column("date")?, column("time")?);
    data.join_time(&date, &time).map(value).map_err(|error| lang_error(error).argument("time"))
}

/// The date in an argument.
fn date(call: &mut Call<'_, '_>) -> Res<jiff::civil::DateTime> {
    let text: Arc<str> = call.arg("date")?;
    let found = calendar::date(&text).and_then(calendar::Moment::civil);
    found.ok_or_else(|| {
        LangError::new(format!("expected a date such as \"2024-01-31\", found {text:?}")).argument("date")
    })
}

fn weekday(call: &mut Call<'_, '_>) -> Res<Value> {
    const NAMES: [&str; 7] = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
    let day = date(call)?.date().weekday().to_monday_zero_offset();
    Ok(Value::str(NAMES[usize::try_from(day).unwrap_or_default() % 7]))
}

fn part(call: &mut Call<'_, '_>, of: fn(jiff::civil::DateTime) -> f64) -> Res<Value> {
    Ok(Value::Number(of(date(call)?)))
}

fn year(call: &mut Call<'_, '_>) -> Res<Value> {
    part(call, |at| f64::from(at.year()))
}

fn month(call: &mut Call<'_, '_>) -> Res<Value> {
    part(call, |at| f64::from(at.month()))
}

fn hour(call: &mut Call<'_, '_>) -> Res<Value> {
    part(call, |at| f64::from(at.hour()) + f64::from(at.minute()) / 60.0 + f64::from(at.second()) / 3600.0)
}

const DATE: &[Place] = &[Place::required("date", Want::STRING, "a date such as \"2024-01-31\"")];

pub static TIME: &[Builtin] = &[
    Builtin {
        name: "join_time",
        aliases: &[],
        group: Group::Data,
        places: &[
            DATA,
            Place::required("date", Want::Input, "the column of dates, which becomes the joined column"),
            Place::required("time", Want::Input, "the column of times of day, `18:30` or a number of hours"),
        ],
        result: Some(Kind::Data),
        summary: "a column of dates and a column of times of day joined into one",
        help: "The column of dates then holds both; the column of times is no longer an input.",
        examples: &[
            "data(day=[\"2024-01-30\", \"2024-01-31\"], clock=[\"18:30\", \"06:15\"], y=[1, 2]) |> join_time(day, clock)",
        ],
        touches: Touches::Nothing,
        run: join_time,
    },
    Builtin {
        name: "weekday",
        aliases: &[],
        group: Group::Data,
        places: DATE,
        result: Some(Kind::String),
        summary: "the day of the week of a date, from Monday to Sunday",
        help: "",
        examples: &["weekday(\"2024-01-31\")"],
        touches: Touches::Nothing,
        run: weekday,
    },
    Builtin {
        name: "year_of",
        aliases: &[],
        group: Group::Data,
        places: DATE,
        result: Some(Kind::Number),
        summary: "the year of a date",
        help: "",
        examples: &["year_of(\"2024-01-31\")"],
        touches: Touches::Nothing,
        run: year,
    },
    Builtin {
        name: "month_of",
        aliases: &[],
        group: Group::Data,
        places: DATE,
        result: Some(Kind::Number),
        summary: "the month of a date, from 1 to 12",
        help: "",
        examples: &["month_of(\"2024-01-31\")"],
        touches: Touches::Nothing,
        run: month,
    },
    Builtin {
        name: "hour_of",
        aliases: &[],
        group: Group::Data,
        places: DATE,
        result: Some(Kind::Number),
        summary: "the hour of a time, with its fraction, from 0 to 24",
        help: "",
        examples: &["hour_of(\"2024-01-31T18:30\")"],
        touches: Touches::Nothing,
        run: hour,
    },
];
