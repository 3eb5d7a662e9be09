//! Saving and loading fits and searches.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::data::write::write_whole;
use crate::deep::{DeepFit, DeepModel};
use crate::fit::Fit;
use crate::fit::optimize::Ended;
use crate::lang::error::{LangError, Res};
use crate::lang::eval::evaluator::{Builtin, Call, Evaluator, Globals, Library, Touches};
use crate::lang::eval::host::{Host, Item};
use crate::lang::payload::pipeline::Pipeline;
use crate::lang::signature::{Group, Place, Want};
use crate::lang::values::cast::{FromValue, expected};
use crate::lang::values::value::{Function, Kind, Value};
use crate::model::Model;
use crate::progress::Progress;
use crate::results::{SaveError, SavedDeepFit, SavedFit};
use crate::search::{Edit, Reader, SavedSearch, SavedSearchError, Search};
use crate::syntax::ast::StatementKind;
use crate::syntax::parse::parse;
use crate::syntax::span::SourceId;

use super::files::{PATH, out_path, place_of};
use super::user_edits;

fn save(call: &mut Call<'_, '_>) -> Res<Value> {
    let value: Value = call.arg("fit")?;
    let name: Arc<str> = call.arg("path")?;
    let path = out_path(call, &name)?;
    if !path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("json")) {
        return Err(LangError::new("a fit or a search is saved to a file that ends in .json")
            .argument("path")
            .help("`write` makes tables: `write(fit, \"parameters.csv\")`"));
    }
    let stopped = match &value {
        Value::Fit(fit) => fit.was_stopped(),
        Value::Search(search) => search.was_stopped(),
        Value::DeepFit(fit) => matches!(fit.ended, Ended::Stopped { .. }),
        other => return Err(expected("a fit or a search", other).argument("fit")),
    };
    refuse_to_replace(&path, &name, stopped)?;
    let reader = SavedTexts::new(call.eval);
    let text = match &value {
        Value::Fit(fit) => fit_text(&reader, fit)?,
        Value::Search(search) => search_text(&reader, search)?,
        Value::DeepFit(fit) => deep_text(&reader, fit)?,
        other => return Err(expected("a fit or a search", other).argument("fit")),
    };
    write_whole(&path, text.as_bytes()).map_err(|error| LangError::new(error.to_string()).argument("path"))?;
    call.emit(Item::Wrote(path));
    Ok(Value::Nothing)
}

/// Refuses to write over a file that `save` did not write, and to write work that was stopped over work that was
/// finished.
fn refuse_to_replace(path: &Path, name: &str, stopped: bool) -> Res<()> {
    if !path.is_file() {
        return Ok(());
    }
    let was_stopped = SavedFit::read(path)
        .map(|fit| fit.was_stopped())
        .or_else(|_| SavedDeepFit::read(path).map(|fit| fit.was_stopped()))
        .or_else(|_| SavedSearch::read(path).map(|search| search.was_stopped()))
        .map_err(|error| {
            LangError::new(format!("`{name}` exists and was not written by `save`"))
                .argument("path")
                .note(error.to_string())
                .help("choose another name, or remove the file")
        })?;
    if stopped && !was_stopped {
        return Err(LangError::new(format!("`{name}` holds finished work, and this was stopped before its end"))
            .argument("path")
            .help("save it under another name, or remove the file"));
    }
    Ok(())
}

fn fit_text(reader: &SavedTexts<'_>, fit: &Fit) -> Res<String> {
    let saved = SavedFit::of(fit);
    // What cannot be read back is not written.
    reader.same_model(&saved.model)?;
    reader.same_model(&saved.asked)?;
    saved.to_json().map_err(|error| LangError::new(format!("the fit cannot be written: {error}")))
}

fn deep_text(reader: &SavedTexts<'_>, fit: &DeepFit) -> Res<String> {
    let saved = SavedDeepFit::of(fit);
    // What cannot be read back is not written.
    let found = reader.deep_model(&saved.deep_model)?.to_string();
    reader.same_text(&saved.deep_model, &found)?;
    saved.to_json().map_err(|error| LangError::new(format!("the fit cannot be written: {error}")))
}

fn search_text(reader: &SavedTexts<'_>, search: &Search) -> Res<String> {
    let saved = SavedSearch::of(search);
    // What cannot be read back is not written.
    for edit in &search.settings.moves {
        if let Edit::Own(own) = edit {
            reader.function(&own.source).map_err(|lang_error| {
                let text = format!("the move `{}` cannot be kept: {}", own.name, lang_error.message());
                LangError::new(text).argument("fit")
            })?;
        }
    }
    saved.check(reader).map_err(|why| LangError::new(format!("the search cannot be saved: {why}")).argument("fit"))?;
    saved.to_json().map_err(|error| LangError::new(format!("the search cannot be written: {error}")))
}

/// A file that is to be read: it is looked for where scripts read, then where they write.
fn find(call: &Call<'_, '_>, name: &str) -> Res<PathBuf> {
    let read_from = super::loading::places(call)?.into_iter().map(|folder| folder.join(name));
    let path = read_from.chain(place_of(call, name).ok()).find(|path| path.exists());
    path.ok_or_else(|| LangError::new(format!("there is no file `{name}`")).argument("path"))
}

fn load_fit(call: &mut Call<'_, '_>) -> Res<Value> {
    let name: Arc<str> = call.arg("path")?;
    let path = find(call, &name)?;
    let at_path = |error: SaveError| {
        let lang_error = LangError::new(error.to_string()).argument("path");
        let other = matches!(error, SaveError::NotAFit { .. }) && SavedSearch::read(&path).is_ok();
        if other { lang_error.help("it is a search: `load_search` reads it") } else { lang_error }
    };
    let reader = SavedTexts::new(call.eval);
    let (fit, stopped) = match SavedFit::read(&path) {
        Ok(saved) => {
            let (model, asked) = (reader.saved_model(&saved.model)?, reader.saved_model(&saved.asked)?);
            let fit = saved.restore(&model, asked, &path).map_err(at_path)?;
            let stopped = fit.was_stopped();
            (Value::Fit(fit), stopped)
        }
        Err(error) => {
            let saved = SavedDeepFit::read(&path).map_err(|_| at_path(error))?;
            let model = reader.deep_model(&saved.deep_model)?;
            (Value::DeepFit(saved.restore(&model, &path).map_err(at_path)?), saved.was_stopped())
        }
    };
    if stopped {
        call.warn("the saved fit was stopped before its end: its values are the best until then");
    }
    Ok(fit)
}

fn load_search(call: &mut Call<'_, '_>) -> Res<Value> {
    let name: Arc<str> = call.arg("path")?;
    let path = find(call, &name)?;
    let at_path = |error: SavedSearchError| {
        let lang_error = LangError::new(error.to_string()).argument("path");
        let other = matches!(error, SavedSearchError::NotASearch { .. }) && SavedFit::read(&path).is_ok();
        if other { lang_error.help("it is a fit: `load_fit` reads it") } else { lang_error }
    };
    let saved = SavedSearch::read(&path).map_err(at_path)?;
    let search = saved.restore(&SavedTexts::new(call.eval), &path).map_err(at_path)?;
    Ok(Value::Search(Arc::new(search)))
}

/// Reads the texts of a saved file. A file is not trusted: its texts are evaluated without the session's names, without
/// the builtins that reach files or show something, for a bounded number of steps, and until the user stops it.
struct SavedTexts<'a> {
    globals: Arc<Globals>,
    library: &'static dyn Library,
    progress: &'a dyn Progress,
}

/// What a text of a model was read as; an error says that it does not read back.
fn read_back<T>(text: &str, model: Res<T>) -> Res<T> {
    model.map_err(|lang_error| {
        if lang_error.is_stop() {
            return lang_error;
        }
        let text = shortened(text);
        LangError::new(format!("the saved model `{text}` does not read back: {}", lang_error.message()))
    })
}

/// A text of a model takes a few steps for each of its characters; this is far above that.
const STEPS: u64 = 1_000_000;
const STEPS_A_BYTE: u64 = 10;

impl<'a> SavedTexts<'a> {
    fn new(eval: &Evaluator<'a>) -> Self {
        let globals = Arc::new(eval.globals().clone());
        Self { globals, library: eval.library.pure(), progress: eval.progress }
    }

    /// The model of a text.
    fn saved_model(&self, text: &str) -> Res<Model> {
        read_back(text, self.value(text).and_then(Pipeline::from_value).and_then(Pipeline::model))
    }

    /// The deep GP of a text.
    fn deep_model(&self, text: &str) -> Res<Arc<DeepModel>> {
        read_back(text, self.value(text).and_then(<Arc<DeepModel>>::from_value))
    }

    /// Makes sure that a text reads back to a model that is written in the same way.
    fn same_model(&self, text: &str) -> Res<()> {
        self.same_text(text, &self.saved_model(text)?.to_string())
    }

    /// Makes sure that what was read back of a text is written in the same way.
    fn same_text(&self, text: &str, found: &str) -> Res<()> {
        if found == text {
            return Ok(());
        }
        let (text, found) = (shortened(text), shortened(found));
        Err(LangError::new(format!("the model `{text}` cannot be saved: it would read back as `{found}`")))
    }

    /// The function of a text.
    fn function(&self, text: &str) -> Res<Function> {
        let function = self.value(text).and_then(FromValue::from_value);
        function.map_err(|lang_error| {
            let text = shortened(text);
            LangError::new(format!("the function `{text}` does not read back: {}", lang_error.message()))
        })
    }

    fn value(&self, text: &str) -> Res<Value> {
        let program = parse(text, SourceId::default()).map_err(|diagnostic| LangError::new(diagnostic.message))?;
        let [statement] = program.statements.as_slice() else {
            return Err(LangError::new("it is not a single expression"));
        };
        let StatementKind::Expr(expr) = &statement.node else {
            return Err(LangError::new("it is not an expression"));
        };
        let (globals, mut host, mut out) = (Globals::new(), Host::default(), |_| {});
        let eval = Evaluator::new(self.library, &mut host, &globals, self.progress, &mut out);
        eval.at_most(STEPS + STEPS_A_BYTE * text.len() as u64).eval(expr)
    }
}

impl Reader for SavedTexts<'_> {
    fn model(&self, text: &str) -> Result<Model, String> {
        self.saved_model(text).map_err(|lang_error| lang_error.message().to_string())
    }

    fn edit(&self, name: &str, function: &str) -> Result<Edit, String> {
        match self.function(function) {
            Ok(value) => {
                let stop = self.progress.stop_handle();
                Ok(user_edits::edit(value, name.to_string(), self.globals.clone(), self.library, stop))
            }
            Err(lang_error) => Err(lang_error.message().to_string()),
        }
    }
}

/// The beginning of a text, for a message.
fn shortened(text: &str) -> String {
    const MOST: usize = 300;
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_string(),
    }
}

pub static SAVING: &[Builtin] = &[
    Builtin {
        name: "save",
        aliases: &[],
        group: Group::Results,
        places: &[Place::required("fit", Want::SAVED, "a fit or a search"), PATH],
        result: Some(Kind::Nothing),
        summary: "save a fit or a search to a file, for `load_fit` or `load_search`",
        help: "The file ends in .json. It \
               contains models as source text, the data, and the settings of the fit or the search. A file that `save` \
               did not write is not replaced, and a finished fit is not replaced by one that was stopped early.",
        examples: &[
            "let d = data(x=[0, 1, 2], y=[1, 3, 2])\nd |> condition(gp(SE(x, l=1), noise=0.1)) |> save(\"fit.json\")",
        ],
        touches: Touches::Files,
        run: save,
    },
    Builtin {
        name: "load_fit",
        aliases: &[],
        group: Group::Results,
        places: &[Place::required("path", Want::Path, "a file written by `save`")],
        result: Some(Kind::Fit),
        summary: "a saved fit, with predictions identical to the bit",
        help: "A fit of a deep GP is read too; the trace of its training is not kept.",
        examples: &["let d = data(x=[0, 1, 2], y=[1, 3, 2])\nlet f = d |> condition(gp(SE(x, l=1), noise=0.1))\n\
                     f |> save(\"fit.json\")\nload_fit(\"fit.json\").lml == f.lml"],
        touches: Touches::Files,
        run: load_fit,
    },
    Builtin {
        name: "load_search",
        aliases: &[],
        group: Group::Search,
        places: &[Place::required("path", Want::Path, "a file written by `save` from a search")],
        result: Some(Kind::Search),
        summary: "a saved search, which `resume` can continue",
        help: "",
        examples: &["let s = load(\"nile\") |> search([SE, Lin], depth=1)\ns |> save(\"s.json\")\n\
                     resume(load_search(\"s.json\"), depth=2).score == resume(s, depth=2).score"],
        touches: Touches::Files,
        run: load_search,
    },
];
