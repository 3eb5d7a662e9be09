//! Files of the user's: tables and figures under the output folder.

use std::path::PathBuf;
use std::sync::Arc;

use crate::data::write::Table;
use crate::lang::builtin::{Builtin, Group, Place, Want};
use crate::lang::call::Call;
use crate::lang::host::Item;
use crate::lang::trouble::{Res, Trouble};
use crate::lang::value::{Kind, Value, expected};

/// Where a file goes: under the output folder, unless its path is whole.
pub fn out_path(call: &Call<'_, '_>, path: &str) -> PathBuf {
    call.eval.host.folders.out.join(path)
}

/// Says that a file was written.
pub fn wrote(call: &mut Call<'_, '_>, path: PathBuf) {
    call.emit(Item::Wrote(path));
}

/// The table that stands for a value in a file.
fn table(value: &Value) -> Res<Arc<Table>> {
    match value {
        Value::Data(data) => Ok(Arc::new(super::data::table(data))),
        Value::Table(table) => Ok(table.clone()),
        other => Err(expected("data or a table", other)),
    }
}

fn write(call: &mut Call<'_, '_>) -> Res<Value> {
    let value: Value = call.arg("value")?;
    let name: Arc<str> = call.arg("path")?;
    let table = table(&value).map_err(|t| t.blame("value"))?;
    let path = out_path(call, &name);
    table.write(&path).map_err(|error| Trouble::new(error.to_string()).blame("path"))?;
    wrote(call, path);
    Ok(Value::Nothing)
}

pub static FILES: &[Builtin] = &[Builtin {
    name: "write",
    aliases: &[],
    group: Group::Results,
    places: &[
        Place::required("value", Want::Any, "data or a table"),
        Place::required("path", Want::Path, "a file that ends in .csv, .tsv or .json, under the output folder"),
    ],
    result: Some(Kind::Nothing),
    summary: "write data or a table to a file",
    help: "Numbers have the fewest digits that read back exactly.",
    examples: &["load(\"airline\") |> head(3) |> write(\"airline_head.csv\")"],
    run: write,
}];
