//! Writing tables, figures and meshes to files.

use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use crate::data::write::{WriteError, write_whole};
use crate::describe::result_figures::BandOf;
use crate::figure::{self, Figure};
use crate::lang::error::{LangError, Res};
use crate::lang::eval::evaluator::{Builtin, Call, Touches};
use crate::lang::eval::host::Item;
use crate::lang::payload::plot::{Drawable, PlotError, PlotOptions};
use crate::lang::signature::{Group, Place, Want};
use crate::lang::values::cast::expected;
use crate::lang::values::value::{Kind, KindInfo, Value};
use crate::lang::wording::join_or;

use super::models::lang_error;

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
/// A path that leads out of the chosen folder, or an evaluation without access to files.
pub(super) fn place_of(call: &Call<'_, '_>, path: &str) -> Res<PathBuf> {
    if call.eval.library.is_pure() {
        return Err(LangError::new("files cannot be written here").argument("path"));
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
fn nouns(holds: impl Fn(&KindInfo) -> bool) -> String {
    join_or(Kind::ALL.iter().map(|kind| kind.info()).filter(|kind| holds(kind)).map(|kind| kind.noun.to_owned()))
}

fn plot(call: &mut Call<'_, '_>) -> Res<Value> {
    let value: Value = call.arg("value")?;
    let path: Option<Arc<str>> = call.maybe("path")?;
    let title: Option<Arc<str>> = call.maybe("title")?;
    super::plot_options::refuse_unused(call, &value)?;
    let band = match call.maybe::<Arc<str>>("band")?.as_deref() {
        Some("f") => BandOf::F,
        _ => BandOf::Y,
    };
    let mut figure = picture(call, &value, band)?;
    if let Some(title) = title {
        figure.title = title.to_string();
    }
    let Some(name) = path else {
        return Ok(Value::Figure(Arc::new(figure)));
    };
    let path = out_path(call, &name)?;
    figure::save(&figure, &path).map_err(|error| LangError::new(error.to_string()).argument("path"))?;
    call.emit(Item::Wrote(path));
    Ok(Value::Nothing)
}

fn picture(call: &mut Call<'_, '_>, value: &Value, band: BandOf) -> Res<Figure> {
    let (show, view, scales) = (call.maybe("show")?, view(call)?, super::plot_options::scales(call)?);
    let (draws, seed) = (draws(call)?, call.eval.host.seed);
    // for a kernel it is a range, which the kernel's figure reads
    let x = if matches!(value, Value::List(_) | Value::Range(_)) { call.maybe("x")? } else { None };
    let mut draw = |from: Drawable<'_>| match from {
        Drawable::Kernel(kernel) => super::kernels::picture(call, kernel),
        Drawable::Deep(model) => super::deep_priors::picture(call, model),
    };
    let figure = value.figure(&mut PlotOptions { band, show, x, view, draws, seed, scales, draw: &mut draw });
    figure.map_err(|error| match error {
        PlotError::NoFigure => expected(&nouns(|kind| kind.plot.is_some()), value).argument("value"),
        PlotError::Model(error) => lang_error(call.eval, error),
        PlotError::Other(error) => error.argument("value"),
    })
}

/// The largest number of draws in a figure; more cannot be distinguished.
const MOST_DRAWS: usize = 10_000;

/// The number of draws, if given.
fn draws(call: &mut Call<'_, '_>) -> Res<Option<usize>> {
    match call.maybe::<usize>("draws")? {
        Some(count) if count > MOST_DRAWS => {
            Err(LangError::new(format!("a figure shows at most 10,000 draws, found {count}")).argument("draws"))
        }
        count => Ok(count),
    }
}

/// The direction from which a surface is viewed.
fn view(call: &mut Call<'_, '_>) -> Res<Option<(f64, f64)>> {
    match call.maybe::<Vec<f64>>("view")?.as_deref() {
        None => Ok(None),
        Some([azimuth, elevation]) if azimuth.is_finite() && elevation.is_finite() => Ok(Some((*azimuth, *elevation))),
        Some(_) => Err(LangError::new("a view is two angles in degrees, as in `view=[30, 20]`").argument("view")),
    }
}

pub(super) const PATH: Place = Place::required("path", Want::Path, "a file under the output folder");

pub static FILES: &[Builtin] = &[
    Builtin {
        name: "plot",
        aliases: &[],
        group: Group::Results,
        places: &[
            Place::required(
                "value",
                Want::Any,
                "data, a fit, a search, a prediction, a decomposition, residuals, a kernel, a deep GP, a Jacobian, a map of the plane, an explanation, features, a surface, numbers",
            ),
            Place::optional("path", Want::Path, "on the screen", "a file name that ends in .svg or .png"),
            Place::keyword(
                "band",
                Want::Choice(&["y", "f"]),
                "\"y\"",
                "the variable of the band: `y` for new observations, `f` for the function",
            ),
            Place::keyword("title", Want::STRING, "the title of the value", "the title"),
            Place::keyword(
                "x",
                Want::Numbers,
                "indices of the list; for a kernel -5 to 5; for a deep GP -4 to 4",
                "for a list of numbers, the x coordinate of each; for a kernel or a deep GP, the range of its input",
            ),
            Place::keyword(
                "show",
                Want::Choice(&["parts", "correlation", "depths", "scores"]),
                "\"parts\" or \"depths\"",
                "for \
                 a decomposition, the parts, or the correlations of their posteriors; for a search, the best fit of \
                 each depth, or its score",
            ),
            Place::keyword(
                "draws",
                Want::Count,
                "0; for a fit of a deep GP 5",
                "for a prediction or a fit of a deep GP, the number of functions drawn from the posterior; the first five are in colour",
            ),
            Place::keyword(
                "scales",
                Want::Choice(&["free", "shared"]),
                "\"shared\" if there are several inputs",
                "for a decomposition, whether all parts share one vertical scale",
            ),
            Place::keyword(
                "view",
                Want::Numbers,
                "the view that shows the most",
                "for a surface, the azimuth and elevation of the view, in degrees",
            ),
        ],
        result: None,
        summary: "a figure of a value, on the screen or in a file",
        help: "The figure of a kernel shows k(·, 0) and functions drawn from it, over \
               the range `x`. A prediction with several inputs is drawn along the input that is a time, or the only \
               one that varies. Bands are the mean plus and minus two standard deviations. An argument that does not \
               apply to the value is an error.",
        examples: &["plot(SE(0))", "plot(SE(0, l=0.3), x=-3..=3)", "plot([x^2 for x in 0..=3], x=[10, 20, 30, 40])"],
        touches: Touches::Files,
        run: plot,
    },
    Builtin {
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
    },
];
