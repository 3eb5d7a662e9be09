//! What leaves the session for others: tables, figures and meshes as files.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::data::write::{Cells, Table, WriteError, write_whole};
use crate::describe::result_figures::{self, BandOf};
use crate::describe::{self, figure_labels, part_figures, probability_figures, search_figures, tables};
use crate::figure::standard_figures::Names;
use crate::figure::{self, Figure, Mark, Panel, Role};
use crate::lang::eval::evaluator::Builtin;
use crate::lang::eval::evaluator::Call;
use crate::lang::eval::host::Item;
use crate::lang::payload::explanation::Subject;
use crate::lang::signature::{Group, Place, Want};
use crate::lang::trouble::{Res, Trouble};
use crate::lang::values::json;
use crate::lang::values::value::{FromValue, Kind, Record, Value, check_length, expected};
use crate::results::{self, SampledSurface};
use crate::surface::Format;

use super::models::trouble;

/// Where a file goes: under the output folder, unless its path is whole.
pub(super) fn out_path(call: &Call<'_, '_>, path: &str) -> PathBuf {
    call.eval.host.folders.out.join(path)
}

/// The table that stands for a value in a file.
fn table(value: &Value) -> Res<Table> {
    match value {
        Value::Data(data) => Ok(tables::dataset(data)),
        Value::Table(sheet) => Ok(sheet.table.clone()),
        Value::Prediction(prediction) => Ok(tables::prediction(prediction)),
        Value::Decomposition(parts) => Ok(tables::decomposition(parts)),
        Value::Residuals(residuals) => Ok(tables::residuals(residuals)),
        Value::Features(features) => Ok(describe::features_table(features)),
        Value::CrossValidation(cv) => Ok(describe::cross_validation::folds_table(cv)),
        Value::Fit(fit) => Ok(tables::parameters(fit)),
        Value::OneVsRest(rest) => Ok(describe::classes::parameters(rest)),
        Value::ClassPrediction(prediction) => Ok(describe::classes::prediction_table(prediction)),
        Value::Search(search) => Ok(tables::parameters(&search.best)),
        Value::List(list) if Record::table(list.items()).is_some() => {
            Ok(Record::table(list.items()).unwrap_or_default())
        }
        other => Err(expected(
            "data, a table, a prediction, a decomposition, residuals, a fit, a cross-validation or a surface",
            other,
        )),
    }
}

fn write(call: &mut Call<'_, '_>) -> Res<Value> {
    let value: Value = call.arg("value")?;
    let name: Arc<str> = call.arg("path")?;
    let path = out_path(call, &name);
    if let Value::Surface(drawn) = &value {
        write_surface(drawn, &path).map_err(|t| t.blame("path"))?;
    } else {
        let broken = |error: WriteError| Trouble::new(error.to_string()).blame("path");
        match table(&value) {
            Ok(table) => table.write(&path).map_err(broken)?,
            // what is no table has a form in JSON all the same
            Err(_) if path.extension().is_some_and(|ending| ending == "json") => {
                write_whole(&path, format!("{:#}\n", json::plain(&value)).as_bytes()).map_err(broken)?;
            }
            Err(trouble) => return Err(trouble.blame("value")),
        }
    }
    call.emit(Item::Wrote(path));
    Ok(Value::Nothing)
}

/// A surface as a mesh file of the kind that its name ends in.
fn write_surface(drawn: &SampledSurface, path: &Path) -> Res<()> {
    let ending = path.extension().and_then(|e| e.to_str()).and_then(Format::of);
    let format = ending.ok_or_else(|| Trouble::new("a surface is written to a file that ends in .obj or .ply"))?;
    let text = drawn.surface.text(format, &describe::surface(drawn));
    write_whole(path, text.as_bytes()).map_err(|error| Trouble::new(error.to_string()))
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
    let mut figure = picture(call, value, band)?;
    if let Some(title) = title {
        figure.title = title.to_string();
    }
    let Some(name) = path else {
        return Ok(Value::Figure(Arc::new(figure)));
    };
    let path = out_path(call, &name);
    figure::save(&figure, &path).map_err(|error| Trouble::new(error.to_string()).blame("path"))?;
    call.emit(Item::Wrote(path));
    Ok(Value::Nothing)
}

fn picture(call: &mut Call<'_, '_>, value: Value, band: BandOf) -> Res<Figure> {
    let figure = match &value {
        Value::Figure(figure) => return Ok((**figure).clone()),
        Value::Data(data) => return Ok(result_figures::dataset(data)),
        Value::Residuals(residuals) => return Ok(result_figures::residuals(residuals)),
        Value::Kernel(kernel) => return super::kernels::picture(call, kernel),
        Value::Explanation(explanation) => match &explanation.of {
            Subject::Kernel(kernel) => return super::kernels::picture(call, kernel),
            Subject::Fit(fit) => {
                let scales = super::plot_options::scales(call)?;
                results::decompose(fit, results::At::Training, results::By::Term)
                    .and_then(|parts| part_figures::decomposition(&parts, scales))
            }
        },
        Value::Features(features) => return Ok(describe::features_figure(features)),
        Value::CrossValidation(cv) => return Ok(describe::cross_validation::figure(cv)),
        Value::Table(sheet) if sheet.figure().is_some() => return Ok(sheet.figure().cloned().unwrap_or_default()),
        Value::Table(sheet) => return bars(&sheet.table).map_err(|t| t.blame("value")),
        Value::Surface(drawn) => return Ok(describe::surface_figure(drawn, view(call)?)),
        Value::List(_) | Value::Range(_) => {
            let xs: Option<Vec<f64>> = call.maybe("x")?;
            return lines(&value, xs).map_err(|t| t.blame("value"));
        }
        Value::Fit(fit) => result_figures::fit(fit, band),
        Value::OneVsRest(rest) => result_figures::classes(rest),
        Value::ClassPrediction(prediction) => probability_figures::class_prediction(prediction),
        Value::Search(search) => match call.maybe::<Arc<str>>("show")?.as_deref() {
            Some("scores") => return Ok(search_figures::scores(search)),
            _ => search_figures::depths(search, band, figure_labels::BEYOND),
        },
        Value::Prediction(prediction) => result_figures::prediction(prediction, band),
        Value::Decomposition(parts) => match call.maybe::<Arc<str>>("show")?.as_deref() {
            Some("correlation") => match part_figures::correlations(parts) {
                Ok(None) => {
                    let text =
                        "correlations are shown of parts that look at one input each, and there are no two such parts";
                    return Err(Trouble::new(text).blame("value"));
                }
                found => found.map(Option::unwrap_or_default),
            },
            _ => part_figures::decomposition(parts, super::plot_options::scales(call)?),
        },
        other => {
            let what = "data, a fit, a search, a prediction, a decomposition, residuals, a kernel, an explanation, features, \
                        a cross-validation, a surface or numbers";
            return Err(expected(what, other).blame("value"));
        }
    };
    figure.map_err(|error| trouble(call.eval, error))
}

/// The direction from which a surface is looked at.
fn view(call: &mut Call<'_, '_>) -> Res<Option<(f64, f64)>> {
    match call.maybe::<Vec<f64>>("view")?.as_deref() {
        None => Ok(None),
        Some([azimuth, elevation]) if azimuth.is_finite() && elevation.is_finite() => Ok(Some((*azimuth, *elevation))),
        Some(_) => Err(Trouble::new("a view is two angles in degrees, as in `view=[30, 20]`").blame("view")),
    }
}

/// A bar for each row of a table: named by its first column, as high as its share or else its first other number.
fn bars(table: &Table) -> Res<Figure> {
    let columns = table.columns();
    let number = |wanted: &dyn Fn(&str) -> bool| {
        columns.iter().skip(1).find_map(|(name, cells)| match cells {
            Cells::Numbers(values) if wanted(name) => Some((name.clone(), values.clone())),
            _ => None,
        })
    };
    let found = number(&|name| name == "share").or_else(|| number(&|_| true));
    let (Some((first, cells)), Some((name, values))) = (columns.first(), found) else {
        return Err(Trouble::new("a table is plotted as bars: names in its first column, numbers in another"));
    };
    check_length(table.rows())?;
    let names: Vec<String> = match cells {
        Cells::Numbers(numbers) => numbers.iter().map(|x| crate::lang::numerals::number(*x)).collect(),
        Cells::Texts(texts) => texts.iter().map(|text| text.clone().unwrap_or_default()).collect(),
    };
    Ok(figure::standard_figures::bars_figure(Names { title: "", x: first, y: &name }, &names, &values))
}

/// Numbers against their place in the list, or against `xs`; of a list of lists, a line each.
fn lines(value: &Value, xs: Option<Vec<f64>>) -> Res<Figure> {
    check_length(value.items().map_or(0, |items| items.len()))?;
    let items: Vec<Value> = value.items().into_iter().flatten().collect();
    let several = items.iter().any(|item| matches!(item, Value::List(_)));
    let rows = if several { items } else { vec![value.clone()] };
    let across = if xs.is_some() { "x" } else { "index" };
    let mut marks = Vec::new();
    for (i, row) in rows.into_iter().enumerate() {
        let y = Vec::<f64>::from_value(row)?;
        let x = xs.clone().unwrap_or_else(|| (0..y.len()).map(|i| i as f64).collect());
        if x.len() != y.len() {
            return Err(Trouble::new(format!("{} numbers cannot stand at {} places", y.len(), x.len())));
        }
        let role = if several { Role::Draw(i) } else { Role::Mean };
        marks.push(Mark::Line { x, y, label: String::new(), role, dashed: false });
    }
    Ok(Figure::single("", Panel::new(across, "value", marks)))
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
                "data, a fit, a search, a prediction, a decomposition, residuals, a kernel, an explanation, features, a surface, numbers",
            ),
            Place::optional("path", Want::Path, "on the screen", "a file that ends in .svg or .png"),
            Place::keyword(
                "band",
                Want::Choice(&["y", "f"]),
                "\"y\"",
                "whether the band holds new observations or the function",
            ),
            Place::keyword("title", Want::STRING, "that of the value", "what stands above"),
            Place::keyword(
                "x",
                Want::Numbers,
                "their places in the list; of a kernel -5 to 5",
                "of a list of numbers, where each stands; of a kernel, the range of its input",
            ),
            Place::keyword(
                "show",
                Want::Choice(&["parts", "correlation", "depths", "scores"]),
                "\"parts\" or \"depths\"",
                "of a decomposition: the parts, or how their posteriors go together; of a search: the best fit of each depth, \
                 or its score",
            ),
            Place::keyword(
                "scales",
                Want::Choice(&["free", "shared"]),
                "\"shared\" if there are several inputs",
                "of a decomposition, whether all parts have one vertical scale",
            ),
            Place::keyword(
                "view",
                Want::Numbers,
                "where most is seen",
                "of a surface, the azimuth and elevation from which it is looked at, in degrees",
            ),
        ],
        result: None,
        summary: "a figure of a value, on the screen or in a file",
        help: "The figure of a kernel shows k(·, 0) and functions drawn from it, over the range `x`. The figure of a prediction of several inputs uses the input that is a time, or the only one that varies. Bands are two standard deviations wide on either side. A keyword that does not apply to a value is refused.",
        examples: &["plot(SE(0))", "plot(SE(0, l=0.3), x=-3..=3)", "plot([x^2 for x in 0..=3], x=[10, 20, 30, 40])"],
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
        summary: "write a value as a table to a .csv, .tsv or .json file, a surface to .obj or .ply",
        help: "A list of records is a table; any other value can go to a .json file. Numbers have the fewest digits that read back exactly. A file is written whole or not at all.",
        examples: &["load(\"airline\") |> head(3) |> write(\"airline_head.csv\")"],
        run: write,
    },
];
