//! Functions on lists.

use crate::lang::error::{LangError, Res};
use crate::lang::eval::evaluator::Call;
use crate::lang::eval::evaluator::{Builtin, Touches};
use crate::lang::eval::operators::Fold;
use crate::lang::payload::range::Range;
use crate::lang::signature::{Group, Place, Want};
use crate::lang::values::cast::{FromValue, expected};
use crate::lang::values::value::{Function, Items, Kind, List, ListBuilder, Value, check_length};
use crate::syntax::ast::BinaryOp;
use crate::syntax::span::Spanned;

fn map(call: &mut Call<'_, '_>) -> Res<Value> {
    let items: Items = call.arg("list")?;
    let function: Function = call.arg("function")?;
    check_length(items.len()).map_err(|t| t.argument("list"))?;
    let mut out = ListBuilder::default();
    for item in items {
        out.push(call.apply(&function, vec![item])?)?;
    }
    Ok(Value::List(out.finish()))
}

fn filter(call: &mut Call<'_, '_>) -> Res<Value> {
    let items: Items = call.arg("list")?;
    let function: Function = call.arg("function")?;
    let mut out = ListBuilder::default();
    for item in items {
        match call.apply(&function, vec![item.clone()])? {
            Value::Bool(true) => out.push(item)?,
            Value::Bool(false) => {}
            other => {
                let error = expected("true or false from the function", &other);
                return Err(error.label("").argument("function"));
            }
        }
    }
    Ok(Value::List(out.finish()))
}

fn reduce(call: &mut Call<'_, '_>) -> Res<Value> {
    let mut items: Items = call.arg("list")?;
    let function: Function = call.arg("function")?;
    let start: Option<Value> = call.maybe("start")?;
    let first = match start {
        Some(start) => start,
        None => {
            items.next().ok_or_else(|| LangError::new("`reduce` of an empty list needs `start`").argument("list"))?
        }
    };
    let mut value = first;
    for item in items {
        value = call.apply(&function, vec![value, item])?;
    }
    Ok(value)
}

fn len(call: &mut Call<'_, '_>) -> Res<Value> {
    let value: Value = call.arg("list")?;
    let n = match &value {
        Value::Str(text) => text.chars().count(),
        Value::Data(data) => data.n(),
        Value::Table(sheet) => sheet.table.rows(),
        other => other.items().ok_or_else(|| expected("a list or a string", other).argument("list"))?.len(),
    };
    Ok(Value::Number(n as f64))
}

/// Folds the items by an operator.
fn fold(call: &mut Call<'_, '_>, op: BinaryOp, empty: f64) -> Res<Value> {
    let span = call.span_of("list");
    let mut items: Items = call.arg("list")?;
    check_length(items.len()).map_err(|t| t.argument("list"))?;
    let Some(first) = items.next() else {
        return Ok(Value::Number(empty));
    };
    let mut fold = Fold::new(first, span);
    for item in items {
        call.eval.poll()?;
        fold.apply(Spanned::new(op, span), item, span)?;
    }
    fold.finish()
}

fn sum(call: &mut Call<'_, '_>) -> Res<Value> {
    fold(call, BinaryOp::Add, 0.0)
}

fn prod(call: &mut Call<'_, '_>) -> Res<Value> {
    fold(call, BinaryOp::Mul, 1.0)
}

fn numbers(call: &mut Call<'_, '_>) -> Res<Vec<f64>> {
    let numbers: Vec<f64> = call.arg("list")?;
    if numbers.is_empty() {
        return Err(LangError::new(format!("`{}` of an empty list", call.signature.name)).argument("list"));
    }
    Ok(numbers)
}

fn mean(call: &mut Call<'_, '_>) -> Res<Value> {
    let numbers = numbers(call)?;
    Ok(Value::Number(numbers.iter().sum::<f64>() / numbers.len() as f64))
}

fn sd(call: &mut Call<'_, '_>) -> Res<Value> {
    let numbers = numbers(call)?;
    let n = numbers.len() as f64;
    if n < 2.0 {
        return Err(LangError::new("a standard deviation needs at least 2 numbers").argument("list"));
    }
    let mean = numbers.iter().sum::<f64>() / n;
    Ok(Value::Number((numbers.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (n - 1.0)).sqrt()))
}

/// The least or the greatest of the arguments and of the numbers in them; NaN if one is NaN.
fn extreme(call: &mut Call<'_, '_>, better: fn(f64, f64) -> bool) -> Res<Value> {
    let mut best: Option<f64> = None;
    for value in call.many() {
        for x in Vec::<f64>::from_value(value.node).map_err(|t| t.at(value.span))? {
            if best.is_none_or(|b| x.is_nan() || (!b.is_nan() && better(x, b))) {
                best = Some(x);
            }
        }
    }
    best.map(Value::Number).ok_or_else(|| LangError::new(format!("`{}` of nothing", call.signature.name)))
}

fn min(call: &mut Call<'_, '_>) -> Res<Value> {
    extreme(call, |x, best| x < best)
}

fn max(call: &mut Call<'_, '_>) -> Res<Value> {
    extreme(call, |x, best| x > best)
}

fn zip(call: &mut Call<'_, '_>) -> Res<Value> {
    let lists = call.many();
    let mut walks = Vec::new();
    for list in lists {
        walks.push(Items::from_value(list.node).map_err(|t| t.at(list.span))?);
    }
    let n = walks.iter().map(Items::len).min().unwrap_or(0);
    if walks.iter().any(|walk| walk.len() != n) {
        let lengths: Vec<String> = walks.iter().map(|walk| walk.len().to_string()).collect();
        return Err(LangError::new(format!("`zip` needs lists of the same length, found {}", lengths.join(" and "))));
    }
    check_length(n.saturating_mul(walks.len()))?;
    let mut out = ListBuilder::default();
    for _ in 0..n {
        out.push(Value::List(List::new(walks.iter_mut().filter_map(Iterator::next).collect())?))?;
    }
    Ok(Value::List(out.finish()))
}

fn grid(call: &mut Call<'_, '_>) -> Res<Value> {
    let range: Range = call.arg("range")?;
    let n: usize = call.arg("n")?;
    check_length(n).map_err(|t| t.argument("n"))?;
    if !(range.start.is_finite() && range.end.is_finite()) {
        return Err(LangError::new("a grid needs bounds that are finite").argument("range"));
    }
    List::collect(range.grid(n).into_iter().map(|x| Ok(range.value(x)))).map(Value::List)
}

fn concat(call: &mut Call<'_, '_>) -> Res<Value> {
    let mut out = ListBuilder::default();
    for list in call.many() {
        let items = Items::from_value(list.node).map_err(|t| t.at(list.span))?;
        check_length(items.len())?;
        for item in items {
            out.push(item)?;
        }
    }
    Ok(Value::List(out.finish()))
}

fn sort(call: &mut Call<'_, '_>) -> Res<Value> {
    let what: Value = call.arg("list")?;
    let descending = call.or("descending", false)?;
    if let Value::Data(data) = &what {
        return super::reshaping::sorted(call, data, descending);
    }
    if call.value("by").is_some() {
        return Err(LangError::new("`by` names columns of data, and a list has none").argument("by"));
    }
    let items = Items::from_value(what).map_err(|t| t.argument("list"))?;
    check_length(items.len())?;
    let mut items: Vec<Value> = items.collect();
    let words = items.iter().all(|v| matches!(v, Value::Str(_)));
    if let Some(odd) = items.iter().find(|v| !words && !matches!(v, Value::Number(_))) {
        return Err(expected("numbers, or strings alone, to sort", odd).argument("list"));
    }
    items.sort_by(|a, b| match (a, b) {
        (Value::Number(a), Value::Number(b)) => a.total_cmp(b),
        (Value::Str(a), Value::Str(b)) => a.cmp(b),
        _ => std::cmp::Ordering::Equal,
    });
    if descending {
        items.reverse();
    }
    List::new(items).map(Value::List)
}

const LIST: Place = Place::required("list", Want::Items, "a list or a range");

pub static LISTS: &[Builtin] = &[
    Builtin {
        name: "map",
        aliases: &[],
        group: Group::Lists,
        places: &[LIST, Place::required("function", Want::FUNCTION, "the function applied to each item")],
        result: Some(Kind::List),
        summary: "the values of a function for every item of a list",
        help: "",
        examples: &["map(0..4, x -> x^2)"],
        touches: Touches::Nothing,
        run: map,
    },
    Builtin {
        name: "filter",
        aliases: &[],
        group: Group::Lists,
        places: &[LIST, Place::required("function", Want::FUNCTION, "returns true for the items to keep")],
        result: Some(Kind::List),
        summary: "the items of a list for which a function returns true",
        help: "",
        examples: &["filter(0..10, x -> x > 6)"],
        touches: Touches::Nothing,
        run: filter,
    },
    Builtin {
        name: "reduce",
        aliases: &["fold"],
        group: Group::Lists,
        places: &[
            LIST,
            Place::required("function", Want::FUNCTION, "a function of the value so far and the next item"),
            Place::optional("start", Want::Any, "the first item", "the starting value"),
        ],
        result: None,
        summary: "one value from a list, by repeated application of a function of two arguments",
        help: "",
        examples: &["reduce(1..=5, (a, b) -> a * b)"],
        touches: Touches::Nothing,
        run: reduce,
    },
    Builtin {
        name: "len",
        aliases: &["length"],
        group: Group::Lists,
        places: &[Place::required("list", Want::Any, "a list, a range, a string or data")],
        result: Some(Kind::Number),
        summary: "the number of items, characters or rows",
        help: "",
        examples: &["len([3, 1, 2])"],
        touches: Touches::Nothing,
        run: len,
    },
    Builtin {
        name: "sum",
        aliases: &[],
        group: Group::Lists,
        places: &[LIST],
        result: None,
        summary: "the sum of the items of a list",
        help: "Items are numbers or kernels. The sum of an empty list is 0.",
        examples: &["sum([1, 2, 3])", "sum([SE(d) for d in 0..3])"],
        touches: Touches::Nothing,
        run: sum,
    },
    Builtin {
        name: "prod",
        aliases: &["product"],
        group: Group::Lists,
        places: &[LIST],
        result: None,
        summary: "the product of the items of a list",
        help: "The product of an empty list is 1.",
        examples: &["prod([1, 2, 3, 4])"],
        touches: Touches::Nothing,
        run: prod,
    },
    Builtin {
        name: "mean",
        aliases: &[],
        group: Group::Lists,
        places: &[Place::required("list", Want::Numbers, "numbers")],
        result: Some(Kind::Number),
        summary: "the mean of numbers",
        help: "",
        examples: &["mean([1, 2, 6])"],
        touches: Touches::Nothing,
        run: mean,
    },
    Builtin {
        name: "sd",
        aliases: &["std"],
        group: Group::Lists,
        places: &[Place::required("list", Want::Numbers, "at least two numbers")],
        result: Some(Kind::Number),
        summary: "the standard deviation of numbers, with denominator n − 1",
        help: "",
        examples: &["sd([1, 2, 3])"],
        touches: Touches::Nothing,
        run: sd,
    },
    Builtin {
        name: "min",
        aliases: &[],
        group: Group::Lists,
        places: &[Place::many("numbers", Want::Numbers, "numbers, or lists of them")],
        result: Some(Kind::Number),
        summary: "the least of numbers",
        help: "If one of them is NaN, the result is NaN.",
        examples: &["min(3, 1, 2)", "min([3, 1, 2])"],
        touches: Touches::Nothing,
        run: min,
    },
    Builtin {
        name: "max",
        aliases: &[],
        group: Group::Lists,
        places: &[Place::many("numbers", Want::Numbers, "numbers, or lists of them")],
        result: Some(Kind::Number),
        summary: "the greatest of numbers",
        help: "If one of them is NaN, the result is NaN.",
        examples: &["max(3, 1, 2)"],
        touches: Touches::Nothing,
        run: max,
    },
    Builtin {
        name: "zip",
        aliases: &[],
        group: Group::Lists,
        places: &[Place::many("lists", Want::Items, "lists of the same length")],
        result: Some(Kind::List),
        summary: "tuples of the items of several lists",
        help: "",
        examples: &["[a * b for a, b in zip([1, 2], [10, 20])]"],
        touches: Touches::Nothing,
        run: zip,
    },
    Builtin {
        name: "grid",
        aliases: &[],
        group: Group::Lists,
        places: &[
            Place::required("range", Want::Kind(Kind::Range), "the range"),
            Place::required("n", Want::Count, "the number of values"),
        ],
        result: Some(Kind::List),
        summary: "evenly spaced numbers over a range",
        help: "`a..b` excludes the end: a + i(b − a)/n. `a..=b` includes it.",
        examples: &["grid(0..1, 4)", "grid(0..=1, 5)"],
        touches: Touches::Nothing,
        run: grid,
    },
    Builtin {
        name: "concat",
        aliases: &[],
        group: Group::Lists,
        places: &[Place::many("lists", Want::Items, "lists or ranges")],
        result: Some(Kind::List),
        summary: "the concatenation of lists",
        help: "",
        examples: &["concat([1, 2], 3..5)"],
        touches: Touches::Nothing,
        run: concat,
    },
    Builtin {
        name: "sort",
        aliases: &[],
        group: Group::Lists,
        places: &[
            Place::required("list", Want::Either(&[Want::Items, Want::Kind(Kind::Data)]), "numbers, strings, or data"),
            Place::optional("by", Want::Row, "", "for data: a column, an expression of columns, or a list of these"),
            Place::keyword("descending", Want::BOOL, "false", "whether the greatest comes first"),
        ],
        result: None,
        summary: "a list, or the rows of data, in ascending order",
        help: "Levels of a category have their own order; rows in which the key is missing come last.",
        examples: &["sort([3, 1, 2])", "data(x=[3, 1, 2], y=[1, 2, 3]) |> sort(by=x)"],
        touches: Touches::Nothing,
        run: sort,
    },
];
