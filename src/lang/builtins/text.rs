//! Output: `print`, `str`, `json`, `help`.

use crate::lang::error::{LangError, Res};
use crate::lang::eval::evaluator::Call;
use crate::lang::eval::evaluator::{Builtin, Touches};
use crate::lang::eval::host::Item;
use crate::lang::help as manual;
use crate::lang::signature::{Group, Place, Want};
use crate::lang::values::value::{Kind, Value};

/// Text unchanged, other values as they are shown.
fn plain(value: &Value) -> String {
    match value {
        Value::Str(text) => text.to_string(),
        other => other.to_string(),
    }
}

fn print(call: &mut Call<'_, '_>) -> Res<Value> {
    let texts: Vec<String> = call.many().iter().map(|value| plain(&value.node)).collect();
    call.emit(Item::Text(texts.join(" ")));
    Ok(Value::Nothing)
}

fn str(call: &mut Call<'_, '_>) -> Res<Value> {
    let value: Value = call.arg("value")?;
    Ok(Value::str(plain(&value)))
}

fn json(call: &mut Call<'_, '_>) -> Res<Value> {
    let value: Value = call.arg("value")?;
    Ok(Value::str(value.json().to_string()))
}

fn kind(call: &mut Call<'_, '_>) -> Res<Value> {
    let value: Value = call.arg("value")?;
    Ok(Value::str(value.kind().name()))
}

fn help(call: &mut Call<'_, '_>) -> Res<Value> {
    if !call.eval.host.files.is_whole() {
        // its examples write files
        return Err(LangError::new("help is not shown here").help("`mercer help NAME` shows it"));
    }
    let topic: Option<Value> = call.maybe("topic")?;
    let name = match topic {
        None => None,
        Some(Value::Str(name)) => Some(name.to_string()),
        Some(Value::Function(function)) => function.name().map(str::to_owned),
        Some(other) => Some(other.to_string()),
    };
    let text = manual::topic(call.eval.library, name.as_deref()).map_err(|t| t.argument("topic"))?;
    call.emit(Item::Text(text));
    Ok(Value::Nothing)
}

fn seed(call: &mut Call<'_, '_>) -> Res<Value> {
    let seed: usize = call.arg("n")?;
    (call.eval.host.seed, call.eval.host.draws) = (seed as u64, 0);
    Ok(Value::Nothing)
}

const VALUE: Place = Place::required("value", Want::Any, "any value");

pub static TEXT: &[Builtin] = &[
    Builtin {
        name: "print",
        aliases: &[],
        group: Group::Session,
        places: &[Place::many("values", Want::Any, "the values, separated by a space when written")],
        result: Some(Kind::Nothing),
        summary: "write values on one line, strings without quotes",
        help: "",
        examples: &["print(\"two and two are\", 2 + 2)"],
        touches: Touches::Session,
        run: print,
    },
    Builtin {
        name: "str",
        aliases: &[],
        group: Group::Session,
        places: &[VALUE],
        result: Some(Kind::String),
        summary: "the text of a value",
        help: "",
        examples: &["\"k = \" + str(SE(0))"],
        touches: Touches::Nothing,
        run: str,
    },
    Builtin {
        name: "json",
        aliases: &[],
        group: Group::Session,
        places: &[VALUE],
        result: Some(Kind::String),
        summary: "the JSON text of a value",
        help: "Numbers keep every digit; `inf` and `nan` become null.",
        examples: &["json([1, 0.5, true])"],
        touches: Touches::Nothing,
        run: json,
    },
    Builtin {
        name: "kind",
        aliases: &[],
        group: Group::Session,
        places: &[VALUE],
        result: Some(Kind::String),
        summary: "the kind of a value, as a string",
        help: "",
        examples: &["kind(0..4)"],
        touches: Touches::Nothing,
        run: kind,
    },
    Builtin {
        name: "help",
        aliases: &[],
        group: Group::Session,
        places: &[Place::optional("topic", Want::Any, "\"\"", "a name, as a string or bare")],
        result: Some(Kind::Nothing),
        summary: "an overview, or the help on one name",
        help: "",
        examples: &["help(\"grid\")"],
        touches: Touches::Session,
        run: help,
    },
    Builtin {
        name: "seed",
        aliases: &[],
        group: Group::Session,
        places: &[Place::required("n", Want::Count, "a whole number from 0")],
        result: Some(Kind::Nothing),
        summary: "set the seed of later fits, searches, splits and draws",
        help: "The random stream of `sample` restarts. `--seed` sets the seed of a whole script, `:seed` that of the prompt.",
        examples: &["seed(7)\nlet a = sample(SE(0), [1, 2])\nseed(7)\na == sample(SE(0), [1, 2])"],
        touches: Touches::Session,
        run: seed,
    },
];
