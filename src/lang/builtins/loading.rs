//! Loads data from files: formats and folders.

use std::path::PathBuf;
use std::sync::Arc;

use encoding_rs::Encoding;

use super::data::{Choices, INPUTS, TARGET, column_of, lang_error, names, value};
use crate::calendar::{Digits, Order};
use crate::data::{self, Dataset, Format, Header, Options, Separator, Target, WhenMissing};
use crate::lang::error::{LangError, Res};
use crate::lang::eval::evaluator::{Builtin, Call, Touches};
use crate::lang::signature::{Group, Place, Want};
use crate::lang::values::value::{Kind, List, Value, check_length};

/// The given format of the file.
fn format(call: &mut Call<'_, '_>) -> Res<Format> {
    let one = |word: Option<Arc<str>>| word.map(|word| word.chars().next());
    let separator = match call.maybe::<Arc<str>>("sep")? {
        None => None,
        Some(word) => Some(separator(&word).map_err(|t| t.argument("sep"))?),
    };
    let decimal = one(call.maybe("decimal")?).flatten();
    let thousands = one(call.maybe("thousands")?);
    if let (Some(decimal), Some(Some(sign))) = (decimal, thousands)
        && decimal == sign
    {
        let text = format!("`{sign}` cannot be the decimal sign and separate the thousands too");
        return Err(LangError::new(text).argument("thousands"));
    }
    let comment = match call.maybe::<Arc<str>>("comment")?.as_deref().map(str::as_bytes) {
        None => None,
        Some([]) => Some(None),
        Some(&[byte]) if byte.is_ascii_graphic() && byte != b'"' => Some(Some(byte)),
        Some(_) => {
            let error = LangError::new("comments begin with one character, such as \"#\" or \"%\"");
            return Err(error.help("`skip=` leaves out lines at the top of a file").argument("comment"));
        }
    };
    let encoding = match call.maybe::<Arc<str>>("encoding")? {
        None => None,
        Some(label) => Some(Encoding::for_label(label.as_bytes()).ok_or_else(|| {
            let error = LangError::new(format!("no encoding is called \"{label}\""));
            error.help("such are \"utf-8\", \"windows-1252\", \"latin1\", \"utf-16\"").argument("encoding")
        })?),
    };
    let skip = call.maybe::<usize>("skip")?;
    Ok(Format { separator, decimal, thousands, skip, comment, encoding })
}

fn separator(word: &str) -> Res<Separator> {
    Ok(match word.as_bytes() {
        b" " | b"space" | b"spaces" => Separator::Blanks,
        b"\\t" | b"tab" => Separator::Byte(b'\t'),
        &[byte] if byte.is_ascii_graphic() && !byte.is_ascii_alphanumeric() && !b"\"-+.".contains(&byte) => {
            Separator::Byte(byte)
        }
        &[b'\t'] => Separator::Byte(b'\t'),
        _ => {
            let text = format!("\"{word}\" cannot separate fields");
            return Err(LangError::new(text)
                .help("one character does, such as \",\", \";\" or \"|\"; \"tab\" or \" \" for blanks"));
        }
    })
}

fn load(call: &mut Call<'_, '_>) -> Res<Value> {
    let choices = Choices::of(call);
    let file = call.span_of("name");
    let name: Arc<str> = call.arg("name")?;
    let dates = call.maybe::<Arc<str>>("dates")?;
    let options = Options {
        target: match call.maybe::<Value>("target")? {
            None => Target::Usual,
            Some(Value::Bool(false)) => Target::None,
            Some(value) => {
                let found = names(None, &value).map_err(|t| t.argument("target"))?;
                Target::Named(found.into_iter().next().unwrap_or_default())
            }
        },
        inputs: call
            .maybe::<Value>("inputs")?
            .map(|v| names(None, &v))
            .transpose()
            .map_err(|t| t.argument("inputs"))?,
        header: match call.maybe::<Value>("header")? {
            Some(Value::Bool(true)) => Header::Yes,
            Some(Value::Bool(false)) => Header::No,
            Some(Value::Number(lines)) => Header::Lines(lines as usize),
            _ => Header::default(),
        },
        format: format(call)?,
        missing: match call.maybe::<Value>("missing")? {
            None => Vec::new(),
            Some(word) => match word.items() {
                Some(words) => {
                    check_length(words.len()).map_err(|t| t.argument("missing"))?;
                    words.map(|w| plain(&w)).collect()
                }
                None => vec![plain(&word)],
            },
        },
        dates: Order::WORDS.iter().find(|(name, _)| dates.as_deref() == Some(name)).map(|(_, order)| *order),
        digits: match dates.as_deref() {
            Some("ym" | "ymd") => Digits::Dates,
            Some("number") => Digits::Numbers,
            _ => Digits::AsFound,
        },
        when_missing: match call.maybe::<Arc<str>>("na")?.as_deref() {
            Some("drop") => WhenMissing::Drop,
            Some("refuse") => WhenMissing::Refuse,
            _ => WhenMissing::Keep,
        },
    };
    let places = places(call, &name).map_err(|error| error.at(file))?;
    if let Some(path) = data::file_of(&name, &places) {
        call.eval.host.has_read(&path);
    }
    let data = data::load(&name, &places, &options).map_err(|error| match column_of(&error) {
        Some(column) => {
            let span = choices.find(column, options.inputs.as_deref());
            lang_error(error).at(span)
        }
        None => lang_error(error).at(file),
    })?;
    if matches!(options.target, Target::Usual) {
        warn_of_empty_last_column(call, &data);
    }
    Ok(value(data))
}

/// The target is the last column unless another is named: a last column without values is passed over.
fn warn_of_empty_last_column(call: &mut Call<'_, '_>, data: &Dataset) {
    let (Some(last), Some(target)) = (data.columns().last(), data.target()) else { return };
    if last.missing() == last.len() && last.name() != target.name() {
        call.warn(format!("the last column, `{}`, has no values: the target is `{}`", last.name(), target.name()));
    }
}

/// The folders in which a file is searched: that of the script, then the added ones.
///
/// # Errors
/// An evaluation without access to files, or to this one.
pub fn places(call: &Call<'_, '_>, name: &str) -> Res<Vec<PathBuf>> {
    if call.eval.library.is_pure() {
        return Err(LangError::new("files cannot be read here")
            .help("functions inside a kernel, the moves of a search and the texts of saved files cannot use files"));
    }
    let files = &call.eval.host.files;
    if let Some(refused) = files.refused(name) {
        return Err(refused);
    }
    // a shipped set is in no folder, where a file of its name would be found
    if !files.is_whole() && data::sets::find(name).is_some() {
        return Ok(Vec::new());
    }
    let folders = &call.eval.host.folders;
    let here = if folders.script.as_os_str().is_empty() { PathBuf::from(".") } else { folders.script.clone() };
    Ok(std::iter::once(here).chain(folders.data.iter().cloned()).collect())
}

fn plain(value: &Value) -> String {
    match value {
        Value::Str(text) => text.to_string(),
        other => other.to_string(),
    }
}

fn datasets(_call: &mut Call<'_, '_>) -> Res<Value> {
    List::new(data::sets::names().map(Value::str).collect()).map(Value::List)
}

const AS_FOUND: &str = "detected from the file";

pub static LOADING: &[Builtin] = &[
    Builtin {
        name: "load",
        aliases: &[],
        group: Group::Data,
        places: &[
            Place::required("name", Want::Path, "a shipped set, or a file of comma- or tab-separated values"),
            TARGET,
            INPUTS,
            Place::keyword(
                "sep",
                Want::STRING,
                AS_FOUND,
                "the separator of fields, such as \";\"; \" \" for any white space",
            ),
            Place::keyword("decimal", Want::Choice(&[".", ","]), AS_FOUND, "the decimal sign"),
            Place::keyword(
                "thousands",
                Want::Choice(&[",", ".", " ", "'", ""]),
                AS_FOUND,
                "the separator of thousands; \"\" for none",
            ),
            Place::keyword("skip", Want::Count, AS_FOUND, "the number of lines above the table"),
            Place::keyword("comment", Want::STRING, "\"#\"", "the character with which comments begin; \"\" for none"),
            Place::keyword(
                "header",
                Want::Either(&[Want::BOOL, Want::Positive]),
                AS_FOUND,
                "whether the first line holds names, or how many lines do",
            ),
            Place::keyword(
                "missing",
                Want::Any,
                "[]",
                "texts and numbers that mark a missing value, in addition to the default ones",
            ),
            Place::keyword(
                "encoding",
                Want::STRING,
                "UTF-8, else \"windows-1252\"",
                "the character encoding, such as \"latin1\" or \"utf-16\"",
            ),
            Place::keyword(
                "na",
                Want::Choice(&["keep", "drop", "refuse"]),
                "\"keep\"",
                "what is done with rows with missing values",
            ),
            Place::keyword(
                "dates",
                Want::Choice(&["dmy", "mdy", "ymd", "ym", "number"]),
                "detected from the dates",
                "the order of day, month and year in dates; \"number\" keeps numbers such as 202001 as they are",
            ),
        ],
        result: Some(Kind::Data),
        summary: "data from a shipped set or a file",
        help: "Paths are relative to the script's folder. Dates and times become linear time in one unit, text \
               becomes categories; the displayed data note this. The separator, the decimal sign, lines of text above the \
               table, lines of names and of units, and the encoding are detected where the file is unambiguous. The \
               shown data name the arguments that have the same effect. A unit in brackets at the end of a name, as in \
               `depth (m)`, is the unit of the column.",
        examples: &["load(\"airline\")"],
        touches: Touches::Files,
        run: load,
    },
    Builtin {
        name: "datasets",
        aliases: &[],
        group: Group::Data,
        places: &[],
        result: Some(Kind::List),
        summary: "the names of the data sets that ship with the program",
        help: "",
        examples: &["datasets()"],
        touches: Touches::Nothing,
        run: datasets,
    },
];
