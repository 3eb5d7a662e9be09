//! Saving and loading fits, searches and integrals.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::data::write::write_whole;
use crate::deep::DeepFit;
use crate::fit::Fit;
use crate::fit::optimize::Ended;
use crate::lang::error::{LangError, Res};
use crate::lang::eval::evaluator::{Builtin, Call, Touches};
use crate::lang::eval::host::Item;
use crate::lang::signature::{Group, Place, Want};
use crate::lang::values::cast::expected;
use crate::lang::values::value::{Kind, Value};
use crate::results::{SaveError, SavedDeepFit, SavedFit, SavedIntegral};
use crate::search::{Edit, SavedSearch, SavedSearchError, Search};

use super::files::{PATH, out_path, place_of};
use super::saved_texts::SavedTexts;
use super::saving_integrals::{integral_text, read_integral};

fn save(call: &mut Call<'_, '_>) -> Res<Value> {
    let value: Value = call.arg("fit")?;
    let name: Arc<str> = call.arg("path")?;
    let path = out_path(call, &name)?;
    if !path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("json")) {
        return Err(LangError::new("a fit, a search or an integral is saved to a file that ends in .json")
            .argument("path")
            .help("`write` makes tables: `write(fit, \"parameters.csv\")`"));
    }
    let stopped = match &value {
        Value::Fit(fit) => fit.was_stopped(),
        Value::Search(search) => search.was_stopped(),
        Value::DeepFit(fit) => matches!(fit.ended, Ended::Stopped { .. }),
        Value::Integral(z) => z.integral.course.ended == crate::quadrature::Ended::Stopped,
        other => return Err(expected("a fit, a search or an integral", other).argument("fit")),
    };
    refuse_to_replace(&path, &name, stopped)?;
    let reader = SavedTexts::new(call.eval);
    let text = match &value {
        Value::Fit(fit) => fit_text(&reader, fit)?,
        Value::Search(search) => search_text(&reader, search)?,
        Value::DeepFit(fit) => deep_text(&reader, fit)?,
        Value::Integral(z) => {
            let (text, left_out) = integral_text(&reader, z)?;
            left_out.into_iter().for_each(|why| call.warn(why));
            text
        }
        other => return Err(expected("a fit, a search or an integral", other).argument("fit")),
    };
    write_whole(&path, text.as_bytes()).map_err(|error| LangError::new(error.to_string()).argument("path"))?;
    call.emit(Item::Wrote(path));
    Ok(Value::Nothing)
}

/// Rejects a path whose file was not written by `save`, and a result of stopped work that would replace a finished one.
fn refuse_to_replace(path: &Path, name: &str, stopped: bool) -> Res<()> {
    if !path.is_file() {
        return Ok(());
    }
    let was_stopped = SavedFit::read(path)
        .map(|fit| fit.was_stopped())
        .or_else(|_| SavedDeepFit::read(path).map(|fit| fit.was_stopped()))
        .or_else(|_| SavedIntegral::read(path).map(|z| z.was_stopped()))
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
    // A fit that cannot be read back is not written.
    reader.same_model(&saved.model)?;
    reader.same_model(&saved.asked)?;
    saved.to_json().map_err(|error| LangError::new(format!("the fit cannot be written: {error}")))
}

fn deep_text(reader: &SavedTexts<'_>, fit: &DeepFit) -> Res<String> {
    let saved = SavedDeepFit::of(fit);
    // A fit that cannot be read back is not written.
    let found = reader.deep_model(&saved.deep_model)?.to_string();
    reader.same_text(&saved.deep_model, &found)?;
    saved.to_json().map_err(|error| LangError::new(format!("the fit cannot be written: {error}")))
}

fn search_text(reader: &SavedTexts<'_>, search: &Search) -> Res<String> {
    let saved = SavedSearch::of(search);
    // A search that cannot be read back is not written.
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

/// The path of a file to read. It is searched where scripts are read, then where they write.
fn find(call: &Call<'_, '_>, name: &str) -> Res<PathBuf> {
    let read_from = super::loading::places(call, name)?.into_iter().map(|folder| folder.join(name));
    let path = read_from.chain(place_of(call, name).ok()).find(|path| path.exists());
    path.ok_or_else(|| LangError::new(format!("there is no file `{name}`")).argument("path"))
}

fn load_fit(call: &mut Call<'_, '_>) -> Res<Value> {
    let name: Arc<str> = call.arg("path")?;
    let path = find(call, &name)?;
    let at_path = |error: SaveError| {
        let lang_error = LangError::new(error.to_string()).argument("path");
        match error {
            SaveError::NotAFit { .. } if SavedSearch::read(&path).is_ok() => {
                lang_error.help("it is a search: `load_search` reads it")
            }
            SaveError::NotAFit { .. } if SavedIntegral::read(&path).is_ok() => {
                lang_error.help("it is an integral: `load_integral` reads it")
            }
            _ => lang_error,
        }
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
            let model = reader.deep_model(&saved.model_text())?;
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

fn load_integral(call: &mut Call<'_, '_>) -> Res<Value> {
    let name: Arc<str> = call.arg("path")?;
    let path = find(call, &name)?;
    let at_path = |error: SaveError| {
        let lang_error = LangError::new(error.to_string()).argument("path");
        let other = matches!(error, SaveError::NotAnIntegral { .. }) && SavedFit::read(&path).is_ok();
        if other { lang_error.help("it is a fit: `load_fit` reads it") } else { lang_error }
    };
    let saved = SavedIntegral::read(&path).map_err(at_path)?;
    let z = read_integral(&SavedTexts::new(call.eval), &saved, &path, at_path)?;
    if saved.was_stopped() {
        call.warn("the saved integral was stopped before its last evaluation: `integrate(z, n=10)` continues it");
    }
    Ok(Value::Integral(Arc::new(z)))
}

pub static SAVING: &[Builtin] = &[
    Builtin {
        name: "save",
        aliases: &[],
        group: Group::Results,
        places: &[Place::required("fit", Want::SAVED, "a fit, a search or an integral"), PATH],
        result: Some(Kind::Nothing),
        summary: "save a fit, a search or an integral to a file, for `load_fit`, `load_search` or `load_integral`",
        help: "The file ends in .json. It \
               contains models as source text, the data, and the settings of the fit or the search. Of an \
               integral it contains the evaluations, the density, the kernel and the integrand. A file that `save` \
               did not write is not replaced, and finished work is not replaced by work that was stopped early.",
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
    Builtin {
        name: "load_integral",
        aliases: &[],
        group: Group::Results,
        places: &[Place::required("path", Want::Path, "a file written by `save` from an integral")],
        result: Some(Kind::Integral),
        summary: "a saved integral, identical to the bit, which `integrate` can continue",
        help: "",
        examples: &["let z = integrate(x -> exp(-x^2), over=normal(0, 1), n=6)\nz |> save(\"z.json\")\n\
                     load_integral(\"z.json\").mean == z.mean\nintegrate(load_integral(\"z.json\"), n=2).n"],
        touches: Touches::Files,
        run: load_integral,
    },
];
