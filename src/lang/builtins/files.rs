//! Writing tables and meshes to files, and where files may be written.

use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use crate::data::write::{WriteError, write_whole};
use crate::lang::error::{LangError, Res};
use crate::lang::eval::evaluator::{Builtin, Call, Touches};
use crate::lang::eval::host::Item;
use crate::lang::signature::{Group, Place, Want};
use crate::lang::values::cast::expected;
use crate::lang::values::value::{Kind, KindInfo, Value};
use crate::lang::wording::join_or;

/// The path at which a file may be written: in the output folder, and not that of a file that the session has read.
///
/// # Errors
/// As [`place_of`]; a data file that was loaded, or a script that is running.
pub(super) fn out_path(call: &mut Call<'_, '_>, path: &str) -> Res<PathBuf> {
    let whole = place_of(call, path)?;
    let file = resolved(&whole).unwrap_or_else(|| whole.clone());
    if call.eval.host.read.contains(&file) {
        let script = file.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("mer"));
        let what = if script { "is a script of this session" } else { "was loaded in this session" };
        let text = format!("`{path}` {what} and is not overwritten");
        return Err(LangError::new(text).argument("path").help("choose another name"));
    }
    call.eval.host.written.insert(file);
    Ok(whole)
}

/// The path of a file in the output folder. If a folder was chosen (`--out`), nothing is written outside of it.
///
/// # Errors
/// A path that leads out of the chosen folder, or an evaluation or a session without access to files.
pub(super) fn place_of(call: &Call<'_, '_>, path: &str) -> Res<PathBuf> {
    if call.eval.library.is_pure() {
        return Err(LangError::new("files cannot be written here").argument("path"));
    }
    if !call.eval.host.files.is_whole() {
        let error = LangError::new("files cannot be written here").argument("path");
        return Err(error.help("without a path the value is shown"));
    }
    let folder = &call.eval.host.folders.out;
    let whole = folder.join(path);
    if folder.as_os_str().is_empty() {
        return Ok(whole);
    }
    if is_inside(&whole, folder) {
        // a path without `..`, whose folder need not exist
        return Ok(resolved(&whole).unwrap_or(whole));
    }
    let text = format!("`{path}` is outside of the output folder `{}`", folder.display());
    Err(LangError::new(text)
        .argument("path")
        .help("with `--out` all files are written under that folder: give a path inside it, or leave `--out` out"))
}

/// Whether a path is in a folder, with links followed as far as they exist.
fn is_inside(path: &Path, folder: &Path) -> bool {
    let (Some(path), Some(folder)) = (resolved(path), resolved(folder)) else { return false };
    path.starts_with(folder)
}

/// A path without `..` and links. A part that does not exist yet is not a link.
fn resolved(path: &Path) -> Option<PathBuf> {
    let mut found = std::env::current_dir().ok()?;
    for part in path.components() {
        match part {
            Component::ParentDir => {
                found.pop();
            }
            Component::CurDir => {}
            part => found.push(part),
        }
        if let Ok(real) = found.canonicalize() {
            found = real;
        }
    }
    Some(found)
}

fn write(call: &mut Call<'_, '_>) -> Res<Value> {
    let value: Value = call.arg("value")?;
    let name: Arc<str> = call.arg("path")?;
    let path = out_path(call, &name)?;
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default().to_owned();
    let broken = |error: WriteError| LangError::new(error.to_string()).argument("path");
    let kind = value.kind().info();
    if !kind.formats.is_empty() {
        let text = value.file(&ending).ok_or_else(|| {
            let endings = join_or(kind.formats.iter().map(|ending| ending.to_string()));
            LangError::new(format!("{} is written to a file that ends in {endings}", kind.noun)).argument("path")
        })?;
        write_whole(&path, text.as_bytes()).map_err(broken)?;
    } else if let Some(table) = value.to_table() {
        table.write(&path).map_err(broken)?;
    } else if ending == "json" {
        // a value that is not a table still has JSON
        write_whole(&path, format!("{:#}\n", value.json()).as_bytes()).map_err(broken)?;
    } else {
        let written = |kind: &KindInfo| kind.table || !kind.formats.is_empty();
        return Err(expected(&nouns(written), &value).argument("value"));
    }
    call.emit(Item::Wrote(path));
    Ok(Value::Nothing)
}

/// The kinds for which a condition holds, as a list in a message.
pub(super) fn nouns(holds: impl Fn(&KindInfo) -> bool) -> String {
    join_or(Kind::ALL.iter().map(|kind| kind.info()).filter(|kind| holds(kind)).map(|kind| kind.noun.to_owned()))
}

pub(super) const PATH: Place = Place::required("path", Want::Path, "a file under the output folder");

pub static FILES: &[Builtin] = &[Builtin {
    name: "write",
    aliases: &[],
    group: Group::Results,
    places: &[
        Place::required(
            "value",
            Want::Any,
            "data, a table, a list of records, a prediction, a decomposition, residuals, features, a fit, a surface",
        ),
        PATH,
    ],
    result: Some(Kind::Nothing),
    summary: "write a value as a table to a .csv, .tsv or .json file, or a surface to an .obj or .ply file",
    help: "A list of records is a table; any other value can be written to a .json file. Numbers have the fewest digits that read back exactly. A file is written completely or not at all.",
    examples: &["load(\"airline\") |> head(3) |> write(\"airline_head.csv\")"],
    touches: Touches::Files,
    run: write,
}];
