//! Records, values saved in files, and the time, for scripts with long computations.

use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};
use std::time::Instant;

use super::files::{out_path, place_of};
use crate::data::write::write_whole;
use crate::lang::error::{LangError, Res};
use crate::lang::eval::evaluator::Call;
use crate::lang::eval::evaluator::{Builtin, Touches};
use crate::lang::eval::host::Item;
use crate::lang::signature::{Group, Place, Want};
use crate::lang::values::json;
use crate::lang::values::value::{Function, Kind, List, Record, Value};

fn record(call: &mut Call<'_, '_>) -> Res<Value> {
    let fields = call.keywords();
    if fields.is_empty() {
        return Err(LangError::new("a record needs at least one field").help("write `record(name=\"a\", value=1)`"));
    }
    let with = |record: Record, (name, value): (crate::syntax::ast::Name, crate::syntax::span::Spanned<Value>)| {
        record.with(&*name.node, value.node)
    };
    let made = Value::Record(Arc::new(fields.into_iter().fold(Record::default(), with)));
    // within the limits of depth and size of a list
    List::new(vec![made.clone()])?;
    Ok(made)
}

/// The value in a JSON file.
fn parsed(path: &Path, name: &str) -> Res<Value> {
    let broken = |why: String| LangError::new(format!("`{name}` cannot be read: {why}"));
    let text = std::fs::read_to_string(path).map_err(|error| broken(error.to_string()))?;
    let found = serde_json::from_str(&text).map_err(|error| broken(format!("it is not JSON: {error}")))?;
    json::value(&found)
}

/// The file is searched where scripts are read, then where they write.
fn read(call: &mut Call<'_, '_>) -> Res<Value> {
    let name: Arc<str> = call.arg("path")?;
    let read_from = super::loading::places(call, &name)?.into_iter().map(|folder| folder.join(&*name));
    let path = read_from.chain(place_of(call, &name).ok()).find(|path| path.is_file());
    let path: PathBuf = path.ok_or_else(|| LangError::new(format!("there is no file `{name}`")).argument("path"))?;
    parsed(&path, &name).map_err(|t| t.argument("path"))
}

fn keep(call: &mut Call<'_, '_>) -> Res<Value> {
    let name: Arc<str> = call.arg("path")?;
    let function: Function = call.arg("function")?;
    let path = out_path(call, &name)?;
    if path.exists() {
        let help = "remove the file, and the value is computed again";
        return parsed(&path, &name).map_err(|t| t.argument("path").help(help));
    }
    // checked before the computation
    if !name.ends_with(".json") {
        return Err(LangError::new("a value is kept in a file that ends in .json").argument("path"));
    }
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty() && !folder.is_dir()) {
        return Err(LangError::new(format!("the folder `{}` does not exist", folder.display())).argument("path"));
    }
    let value = call.apply(&function, Vec::new())?;
    if let Some(lost) = json::lost(&value) {
        let text = format!("{} cannot be kept in a file", lost.kind().noun());
        let help = "numbers, strings, lists and records can; `str(…)` is the text of any value";
        return Err(LangError::new(text).argument("function").help(help));
    }
    let form = value.json();
    if call.eval.progress.stop() {
        call.warn(format!("`{name}` was not written: what was found is only the best until it was stopped"));
        return json::value(&form);
    }
    write_whole(&path, format!("{form:#}\n").as_bytes())
        .map_err(|error| LangError::new(error.to_string()).argument("path"))?;
    call.emit(Item::Wrote(path));
    // the returned value equals the one that the file will give
    json::value(&form)
}

fn clock(_call: &mut Call<'_, '_>) -> Res<Value> {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    Ok(Value::Number(START.elapsed().as_secs_f64()))
}

pub static KEPT: &[Builtin] = &[
    Builtin {
        name: "record",
        aliases: &[],
        group: Group::Lists,
        places: &[Place::keywords("field", Want::Any, "a field: a name and its value")],
        result: Some(Kind::Record),
        summary: "a record of named values",
        help: "A list of records with the same names is shown as a table and can be written to a file by `write`.",
        examples: &["record(name=\"a\", value=1).value", "[record(n=n, square=n^2) for n in 1..4]"],
        touches: Touches::Nothing,
        run: record,
    },
    Builtin {
        name: "keep",
        aliases: &[],
        group: Group::Session,
        places: &[
            Place::required("path", Want::Path, "a .json file under the output folder"),
            Place::required("function", Want::FUNCTION, "a function without arguments that returns the value"),
        ],
        result: None,
        summary: "a value that is computed once and then read from a file",
        help: "If \
               the file exists it is read and the function is not called, so a script with long computations can be \
               continued. Numbers, strings, lists and records can be kept; numbers that are not finite are read back \
               as `nothing`.",
        examples: &["keep(\"sum.json\", () -> sum(0..1000))"],
        touches: Touches::Files,
        run: keep,
    },
    Builtin {
        name: "read",
        aliases: &[],
        group: Group::Session,
        places: &[Place::required("path", Want::Path, "a file of JSON")],
        result: None,
        summary: "the value of a JSON file: numbers, strings, lists and records",
        help: "",
        examples: &["[record(n=1), record(n=2)] |> write(\"ns.json\")\nread(\"ns.json\")[1].n"],
        touches: Touches::Files,
        run: read,
    },
    Builtin {
        name: "clock",
        aliases: &[],
        group: Group::Session,
        places: &[],
        result: Some(Kind::Number),
        summary: "the time in seconds, for measuring durations",
        help: "",
        examples: &["let before = clock()\nclock() - before < 60"],
        touches: Touches::Nothing,
        run: clock,
    },
];
