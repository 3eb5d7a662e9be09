//! More functions on lists: `unique`, `reverse`, `cumsum`, `any`, `all`.

use std::collections::HashSet;
use std::sync::Arc;

use crate::lang::error::Res;
use crate::lang::eval::evaluator::Call;
use crate::lang::eval::evaluator::{Builtin, Touches};
use crate::lang::signature::{Group, Place, Want};
use crate::lang::values::cast::expected;
use crate::lang::values::value::{Function, Items, Kind, List, ListBuilder, Value, check_length};

/// A value that can be found by its hash.
#[derive(PartialEq, Eq, Hash)]
enum Key {
    Number(u64),
    Text(Arc<str>),
    Bool(bool),
}

fn key(value: &Value) -> Option<Key> {
    match value {
        // 0 and -0 are equal
        Value::Number(x) => Some(Key::Number(if *x == 0.0 { 0 } else { x.to_bits() })),
        Value::Str(text) => Some(Key::Text(text.clone())),
        Value::Bool(b) => Some(Key::Bool(*b)),
        _ => None,
    }
}

fn unique(call: &mut Call<'_, '_>) -> Res<Value> {
    let items: Items = call.arg("list")?;
    check_length(items.len()).map_err(|t| t.argument("list"))?;
    let (mut seen, mut others) = (HashSet::new(), Vec::<Value>::new());
    let mut out = ListBuilder::default();
    for item in items {
        call.eval.poll()?;
        let new = match key(&item) {
            Some(key) => seen.insert(key),
            None => {
                let new = !others.iter().any(|other| other.same(&item));
                if new {
                    others.push(item.clone());
                }
                new
            }
        };
        if new {
            out.push(item)?;
        }
    }
    Ok(Value::List(out.finish()))
}

fn reverse(call: &mut Call<'_, '_>) -> Res<Value> {
    let items: Items = call.arg("list")?;
    check_length(items.len()).map_err(|t| t.argument("list"))?;
    let mut items: Vec<Value> = items.collect();
    items.reverse();
    List::new(items).map(Value::List)
}

fn cumsum(call: &mut Call<'_, '_>) -> Res<Value> {
    let numbers: Vec<f64> = call.arg("numbers")?;
    let sums = numbers.into_iter().scan(0.0, |sum, x| {
        *sum += x;
        Some(Ok(Value::Number(*sum)))
    });
    List::collect(sums).map(Value::List)
}

/// Whether an item has the given truth value, by the function where there is one. The items after it are not looked at.
fn some(call: &mut Call<'_, '_>, wanted: bool) -> Res<bool> {
    let items: Items = call.arg("list")?;
    let function: Option<Function> = call.maybe("function")?;
    for item in items {
        call.eval.poll()?;
        let (value, place) = match &function {
            Some(function) => (call.apply(function, vec![item])?, "function"),
            None => (item, "list"),
        };
        match value {
            Value::Bool(truth) if truth == wanted => return Ok(true),
            Value::Bool(_) => {}
            other => {
                let what = match function {
                    Some(_) => "true or false from the function",
                    None => "a list of true and false, or a function of the items",
                };
                return Err(expected(what, &other).label("").argument(place));
            }
        }
    }
    Ok(false)
}

fn any(call: &mut Call<'_, '_>) -> Res<Value> {
    some(call, true).map(Value::Bool)
}

fn all(call: &mut Call<'_, '_>) -> Res<Value> {
    some(call, false).map(|found| Value::Bool(!found))
}

const LIST: Place = Place::required("list", Want::Items, "a list or a range");
const TEST: Place = Place::optional("function", Want::FUNCTION, "", "returns true or false for an item");

pub static SEQUENCES: &[Builtin] = &[
    Builtin {
        name: "unique",
        aliases: &["distinct"],
        group: Group::Lists,
        places: &[LIST],
        result: Some(Kind::List),
        summary: "the different items of a list, in the order in which they first appear",
        help: "",
        examples: &["unique([3, 1, 3, 2, 1])"],
        touches: Touches::Nothing,
        run: unique,
    },
    Builtin {
        name: "reverse",
        aliases: &[],
        group: Group::Lists,
        places: &[LIST],
        result: Some(Kind::List),
        summary: "the items of a list, the last first",
        help: "",
        examples: &["reverse(0..4)"],
        touches: Touches::Nothing,
        run: reverse,
    },
    Builtin {
        name: "cumsum",
        aliases: &[],
        group: Group::Lists,
        places: &[Place::required("numbers", Want::Numbers, "numbers")],
        result: Some(Kind::List),
        summary: "the sums of the first number, the first two, the first three, …",
        help: "",
        examples: &["cumsum([1, 2, 3, 4])"],
        touches: Touches::Nothing,
        run: cumsum,
    },
    Builtin {
        name: "any",
        aliases: &[],
        group: Group::Lists,
        places: &[LIST, TEST],
        result: Some(Kind::Bool),
        summary: "whether an item of a list is true, or a function returns true for one",
        help: "False for an empty list.",
        examples: &["any([false, 1 < 2])", "any([3, 1, 2], x -> x > 2)"],
        touches: Touches::Nothing,
        run: any,
    },
    Builtin {
        name: "all",
        aliases: &[],
        group: Group::Lists,
        places: &[LIST, TEST],
        result: Some(Kind::Bool),
        summary: "whether all items of a list are true, or a function returns true for all",
        help: "True for an empty list.",
        examples: &["all([true, 1 < 2])", "all([3, 1, 2], x -> x > 2)"],
        touches: Touches::Nothing,
        run: all,
    },
];
