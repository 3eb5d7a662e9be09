//! Transformations of the inputs, for symmetries: `swap`, `flip`, `rotate`, `permute`, `shift`.

use std::sync::Arc;

use crate::kernel::{InputRef, Move, MoveError, MoveKind};
use crate::lang::error::{LangError, Res};
use crate::lang::eval::evaluator::Call;
use crate::lang::eval::evaluator::{Builtin, Touches};
use crate::lang::eval::family_calls::input_refs;
use crate::lang::eval::move_errors::move_error;
use crate::lang::signature::{Group, Place, Want};
use crate::lang::values::value::{Kind, Value};

fn make(call: &mut Call<'_, '_>) -> Res<Value> {
    let name = call.signature.name;
    let Some(kind) = MoveKind::ALL.into_iter().find(|kind| kind.name() == name) else {
        return Err(LangError::new(format!("there is no edit `{name}`")));
    };
    let mut inputs: Vec<InputRef> = Vec::new();
    for value in call.many() {
        inputs.extend(input_refs(&value.node).map_err(|t| t.at(value.span))?);
    }
    let about = if call.signature.place("about").is_some() { call.maybe::<Vec<f64>>("about")? } else { None };
    let made = Move::new(kind, inputs, about.unwrap_or_default()).map_err(|error| match error {
        MoveError::About { .. } | MoveError::NotFinite => move_error(&error).at(call.span_of("about")),
        _ => move_error(&error),
    })?;
    Ok(Value::Move(Arc::new(made)))
}

const fn builtin(kind: MoveKind, places: &'static [Place], examples: &'static [&'static str]) -> Builtin {
    Builtin {
        name: kind.name(),
        aliases: &[],
        group: Group::Moves,
        places,
        result: Some(Kind::Move),
        summary: kind.summary(),
        help: "Given to `invariant` and `symmetries`. Inputs are indices from 0 or names of columns.",
        examples,
        touches: Touches::Nothing,
        run: make,
    }
}

const TWO: Place = Place::many("inputs", Want::Input, "two inputs");
const SEVERAL: Place = Place::many("inputs", Want::Input, "the inputs, or a list of them");

pub const MOVES: &[Builtin] = &[
    builtin(MoveKind::Swap, &[TWO], &["swap(0, 1)", "invariant(SE, swap(0, 1))([0, 1], [1, 0])"]),
    builtin(
        MoveKind::Flip,
        &[
            Place::many("input", Want::Input, "one input"),
            Place::keyword("about", Want::NUMBER, "0", "the location of the mirror"),
        ],
        &["flip(0, about=2)"],
    ),
    builtin(
        MoveKind::Rotate,
        &[TWO, Place::keyword("about", Want::Numbers, "[0, 0]", "the centre of the turn")],
        &["invariant(SE, rotate(0, 1))"],
    ),
    builtin(MoveKind::Permute, &[SEVERAL], &["permute(0, 1, 2)", "invariant(SE([0, 1, 2]), permute(0, 1, 2))"]),
    builtin(MoveKind::Shift, &[SEVERAL], &["shift(0, 1, 2)"]),
];
