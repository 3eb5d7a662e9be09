//! Checks of residuals, and reports.

use std::sync::Arc;

use crate::data::write::write_whole;
use crate::data::{self, Dataset};
use crate::describe::checks as check_texts;
use crate::fit::Fit;
use crate::lang::error::{LangError, Res};
use crate::lang::eval::evaluator::Call;
use crate::lang::eval::evaluator::{Builtin, Touches};
use crate::lang::eval::host::Item;
use crate::lang::payload::sheet::Sheet;
use crate::lang::signature::{Group, Place, Want};
use crate::lang::values::cast::expected;
use crate::lang::values::value::{Kind, Value};
use crate::report::{self, Source};
use crate::results;

use super::models::lang_error;

/// The largest number of replicates: each has hundreds of numbers per row.
const MOST_DRAWS: usize = 100_000;

fn checks(call: &mut Call<'_, '_>) -> Res<Value> {
    let fit: Arc<Fit> = call.arg("fit")?;
    let draws: usize = call.or("draws", results::DRAWS)?;
    if !(results::LEAST_DRAWS..=MOST_DRAWS).contains(&draws) {
        let text = format!("replicates number from {} to {MOST_DRAWS}, found {draws}", results::LEAST_DRAWS);
        return Err(LangError::new(text).argument("draws"));
    }
    let seed = call.or("seed", call.eval.host.seed as usize)? as u64;
    let stop = call.eval.progress.stop_handle();
    let found = call.unless_stopped(move || results::checks_unless(&fit, draws, seed, &stop))?;
    let found = found.map_err(|error| lang_error(call.eval, error))?;
    Ok(Value::table(Sheet::with_text(check_texts::checks_table(&found), check_texts::checks(&found))))
}

/// Writes the page of a fit or a search.
fn report(call: &mut Call<'_, '_>) -> Res<Value> {
    let value: Value = call.arg("value")?;
    let name: Arc<str> = call.arg("path")?;
    let path = super::files::out_path(call, &name)?;
    let ending = path.extension().and_then(|e| e.to_str()).map(str::to_ascii_lowercase);
    if !matches!(ending.as_deref(), Some("html" | "htm")) {
        let text = format!("a report is a page of HTML: its file ends in .html, not as `{name}`");
        return Err(LangError::new(text).argument("path").help("write `report(fit, \"report.html\")`"));
    }
    let source = |data: &Dataset| Source { expression: expression(call, data), seed: call.eval.host.seed };
    let page = match value {
        Value::Search(search) => {
            let source = source(&search.data);
            call.unless_stopped(move || report::of_search(&search, &source).html())?
        }
        Value::Fit(fit) => {
            let source = source(fit.problem().data());
            call.unless_stopped(move || report::of_fit(&fit, &source).html())?
        }
        other => return Err(expected("a fit or a search", &other).argument("value")),
    };
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        // an error here is reported by the write below
        let _ = std::fs::create_dir_all(folder);
    }
    // `value` still exists, so a failed report can be requested again
    write_whole(&path, page.as_bytes()).map_err(|error| LangError::new(error.to_string()).argument("path"))?;
    call.emit(Item::Wrote(path));
    Ok(Value::Nothing)
}

/// The call of `load` that gives these data, if there is one.
fn expression(call: &Call<'_, '_>, data: &Dataset) -> Option<String> {
    let name = data.about().name.as_deref()?;
    let target = data.target()?.name();
    let inputs = data.input_names();
    let same = |loaded: &Dataset| {
        loaded.n() == data.n()
            && loaded.target().is_some_and(|t| t.name() == target)
            && loaded.input_names() == inputs
            && data.columns().iter().all(|column| loaded.column(column.name()) == Some(column))
    };
    let usual = data::Options::default();
    let named = data::Options {
        target: data::Target::Named(target.into()),
        inputs: Some(inputs.iter().map(ToString::to_string).collect()),
        ..data::Options::default()
    };
    let text = crate::kernel::quoted;
    let list = inputs.iter().map(|input| text(input)).collect::<Vec<_>>().join(", ");
    let tries = [
        (usual, format!("load({})", text(name))),
        (named, format!("load({}, target={}, inputs=[{list}])", text(name), text(target))),
    ];
    let places = super::loading::places(call, name).ok()?;
    tries.into_iter().find_map(|(options, expression)| {
        data::load(name, &places, &options).is_ok_and(|loaded| same(&loaded)).then_some(expression)
    })
}

pub static REPORTS: &[Builtin] = &[
    Builtin {
        name: "report",
        aliases: &[],
        group: Group::Results,
        places: &[
            Place::required(
                "value",
                Want::Either(&[Want::Kind(Kind::Fit), Want::Kind(Kind::Search)]),
                "a fit, or a search",
            ),
            Place::required("path", Want::Path, "a file under the output folder that ends in .html"),
        ],
        result: Some(Kind::Nothing),
        summary: "a report of a fit or a search as one page: data, parts, forecast, checks, parameters, and a script that reproduces it",
        help: "The \
               page needs no network and no other file: figures are embedded. For a search it also lists the edits \
               tried at each depth and the models with scores close to the best. It is written completely or not at \
               all.",
        examples: &[
            "load(\"nile\") |> condition(gp(SE(year, l=50, v=20000), noise=18000, mean=900)) |> report(\"nile.html\")",
        ],
        touches: Touches::Files,
        run: report,
    },
    Builtin {
        name: "checks",
        aliases: &[],
        group: Group::Results,
        places: &[
            Place::required("fit", Want::Kind(Kind::Fit), "a fit"),
            Place::keyword(
                "draws",
                Want::Count,
                "999",
                "the number of replicates with which the residuals are compared",
            ),
            Place::keyword("seed", Want::Count, "that of the session", "the seed of the replicates"),
        ],
        result: Some(Kind::Table),
        summary: "checks of the residuals of a fit: normality, independence, constant variance",
        help: "Each check compares a statistic of the leave-one-out residuals with that of data drawn from the model. \
           A small p-value is evidence against the model in that respect.",
        examples: &["load(\"nile\") |> condition(gp(SE(year, l=50, v=20000), noise=18000, mean=900)) |> checks"],
        touches: Touches::Nothing,
        run: checks,
    },
];
