//! Fits and searches kept in files, and read back.

use std::path::PathBuf;
use std::sync::Arc;

use crate::data::write::write_whole;
use crate::fit::Fit;
use crate::lang::eval::evaluator::Call;
use crate::lang::eval::evaluator::{Builtin, Entry, Library};
use crate::lang::eval::evaluator::{Evaluator, Globals};
use crate::lang::eval::host::{Host, Item};
use crate::lang::payload::pipeline::Pipeline;
use crate::lang::signature::{Group, Place, Want};
use crate::lang::trouble::{Res, Trouble};
use crate::lang::values::value::{FromValue, Kind, Value, expected};
use crate::model::Model;
use crate::results::{SaveError, SavedFit};
use crate::search::{Edit, Reader, SavedSearch, SavedSearchError, Search};
use crate::syntax::ast::StatementKind;
use crate::syntax::parse::parse;
use crate::syntax::span::SourceId;

use super::files::{PATH, out_path};
use super::user_moves;

fn save(call: &mut Call<'_, '_>) -> Res<Value> {
    let value: Value = call.arg("fit")?;
    let name: Arc<str> = call.arg("path")?;
    let path = out_path(call, &name);
    let text = match &value {
        Value::Fit(fit) => fit_text(call.eval.library, fit)?,
        Value::Search(search) => search_text(call.eval.library, search)?,
        other => return Err(expected("a fit or a search", other).blame("fit")),
    };
    write_whole(&path, text.as_bytes()).map_err(|error| Trouble::new(error.to_string()).blame("path"))?;
    call.emit(Item::Wrote(path));
    Ok(Value::Nothing)
}

fn fit_text(library: &'static dyn Library, fit: &Fit) -> Res<String> {
    let saved = SavedFit::of(fit);
    // What cannot be read back is not written.
    read_model(library, &saved.model)?;
    saved.to_json().map_err(|error| Trouble::new(format!("the fit cannot be written: {error}")))
}

fn search_text(library: &'static dyn Library, search: &Search) -> Res<String> {
    let saved = SavedSearch::of(search);
    // What cannot be read back is not written.
    read_model(library, &search.best.model.to_string())?;
    for edit in &search.settings.moves {
        if let Edit::Own(own) = edit {
            read_function(library, &own.source).map_err(|trouble| {
                let text = format!("the move `{}` cannot be kept: {}", own.name, trouble.message());
                Trouble::new(text).blame("fit")
            })?;
        }
    }
    saved.to_json().map_err(|error| Trouble::new(format!("the search cannot be written: {error}")))
}

/// A file that is to be read: it is looked for where scripts read, then where they write.
fn find(call: &Call<'_, '_>, name: &str) -> Res<PathBuf> {
    let read_from = super::loading::places(call).into_iter().map(|folder| folder.join(name));
    let path = read_from.chain([out_path(call, name)]).find(|path| path.exists());
    path.ok_or_else(|| Trouble::new(format!("there is no file `{name}`")).blame("path"))
}

fn load_fit(call: &mut Call<'_, '_>) -> Res<Value> {
    let name: Arc<str> = call.arg("path")?;
    let path = find(call, &name)?;
    let blame = |error: SaveError| {
        let trouble = Trouble::new(error.to_string()).blame("path");
        let other = matches!(error, SaveError::NotAFit { .. }) && SavedSearch::read(&path).is_ok();
        if other { trouble.help("it is a search: `load_search` reads it") } else { trouble }
    };
    let saved = SavedFit::read(&path).map_err(blame)?;
    let library = call.eval.library;
    let (model, asked) = (read_model(library, &saved.model)?, read_model(library, &saved.asked)?);
    saved.restore(&model, asked, &path).map(Value::Fit).map_err(blame)
}

fn load_search(call: &mut Call<'_, '_>) -> Res<Value> {
    let name: Arc<str> = call.arg("path")?;
    let path = find(call, &name)?;
    let blame = |error: SavedSearchError| {
        let trouble = Trouble::new(error.to_string()).blame("path");
        let other = matches!(error, SavedSearchError::NotASearch { .. }) && SavedFit::read(&path).is_ok();
        if other { trouble.help("it is a fit: `load_fit` reads it") } else { trouble }
    };
    let saved = SavedSearch::read(&path).map_err(blame)?;
    let words = Words { globals: Arc::new(call.eval.globals().clone()), library: call.eval.library };
    saved.restore(&words, &path).map(|search| Value::Search(Arc::new(search))).map_err(blame)
}

/// Reads the texts of a file.
struct Words {
    globals: Arc<Globals>,
    library: &'static dyn Library,
}

impl Reader for Words {
    fn model(&self, text: &str) -> Result<Model, String> {
        read_model(self.library, text).map_err(|trouble| trouble.message().to_string())
    }

    fn edit(&self, name: &str, function: &str) -> Result<Edit, String> {
        match read_function(self.library, function) {
            Ok(value) => Ok(user_moves::edit(value, name.to_string(), self.globals.clone(), self.library)),
            Err(trouble) => Err(trouble.message().to_string()),
        }
    }
}

/// The model of a text that was saved. The text is evaluated without any bindings.
fn read_model(library: &'static dyn Library, text: &str) -> Res<Model> {
    let model = read(library, text).and_then(Pipeline::from_value).and_then(Pipeline::model);
    model.map_err(|trouble| Trouble::new(format!("the saved model `{text}` does not read back: {}", trouble.message())))
}

/// The function of a text that was saved.
fn read_function(library: &'static dyn Library, text: &str) -> Res<crate::lang::values::value::Function> {
    let function = read(library, text).and_then(FromValue::from_value);
    function.map_err(|trouble| Trouble::new(format!("the function `{text}` does not read back: {}", trouble.message())))
}

fn read(library: &'static dyn Library, text: &str) -> Res<Value> {
    if let Some(name) = reaches_outside(library, text) {
        return Err(Trouble::new(format!("it calls `{name}`, which no model needs")));
    }
    let program = parse(text, SourceId::default()).map_err(|diagnostic| Trouble::new(diagnostic.message))?;
    let [statement] = program.statements.as_slice() else {
        return Err(Trouble::new("it is no single expression"));
    };
    let StatementKind::Expr(expr) = &statement.node else {
        return Err(Trouble::new("it is no expression"));
    };
    let (globals, mut host, mut out) = (Globals::new(), Host::default(), |_| {});
    Evaluator::new(library, &mut host, &globals, &crate::progress::Silent, &mut out).eval(expr)
}

/// The first builtin that a text calls and that reads or writes files, or shows something: a file must not act when it
/// is read.
fn reaches_outside(library: &'static dyn Library, text: &str) -> Option<&'static str> {
    let acts = |entry: &&Entry| {
        let file = entry.signature.places.iter().any(|place| matches!(place.want, Want::Path));
        file || entry.signature.name == "print"
    };
    let called = |name: &str| {
        text.match_indices(name).any(|(at, _)| {
            let word = |c: char| c.is_alphanumeric() || c == '_';
            let (before, after) = (&text[..at], text[at + name.len()..].trim_start());
            let whole = !before.ends_with(word) && !text[at + name.len()..].starts_with(word);
            let piped = before.trim_end().ends_with("|>") || before.trim_end().ends_with(">>");
            whole && (after.starts_with('(') || piped)
        })
    };
    library.all().iter().filter(acts).map(|entry| entry.signature.name).find(|name| called(name))
}

pub static SAVING: &[Builtin] = &[
    Builtin {
        name: "save",
        aliases: &[],
        group: Group::Results,
        places: &[Place::required("fit", Want::FIT_OR_SEARCH, "a fit or a search"), PATH],
        result: Some(Kind::Nothing),
        summary: "keep a fit or a search in a file, to be read back by `load_fit` or `load_search`",
        help: "The file holds models in the language's own words, the data, and how the fit or the search came about.",
        examples: &[
            "let d = data(x=[0, 1, 2], y=[1, 3, 2])\nd |> condition(gp(SE(x, l=1), noise=0.1)) |> save(\"fit.json\")",
        ],
        run: save,
    },
    Builtin {
        name: "load_fit",
        aliases: &[],
        group: Group::Results,
        places: &[Place::required("path", Want::Path, "a file that `save` wrote")],
        result: Some(Kind::Fit),
        summary: "a fit that was saved: it predicts the same to the bit",
        help: "",
        examples: &["let d = data(x=[0, 1, 2], y=[1, 3, 2])\nlet f = d |> condition(gp(SE(x, l=1), noise=0.1))\n\
                     f |> save(\"fit.json\")\nload_fit(\"fit.json\").lml == f.lml"],
        run: load_fit,
    },
    Builtin {
        name: "load_search",
        aliases: &[],
        group: Group::Search,
        places: &[Place::required("path", Want::Path, "a file that `save` wrote of a search")],
        result: Some(Kind::Search),
        summary: "a search that was saved: `resume` goes on as it would have before",
        help: "",
        examples: &["let s = load(\"nile\") |> search([SE, Lin], depth=1)\ns |> save(\"s.json\")\n\
                     resume(load_search(\"s.json\"), depth=2).score == resume(s, depth=2).score"],
        run: load_search,
    },
];
