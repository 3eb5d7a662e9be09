//! Rows selected from data: by index, by a share, in folds; and uniform random numbers.

use std::sync::Arc;

use rand::RngExt;

use super::data::{DATA, lang_error, value};
use crate::data::Dataset;
use crate::lang::error::{LangError, Res};
use crate::lang::eval::evaluator::Call;
use crate::lang::eval::evaluator::{Builtin, Touches};
use crate::lang::numerals::number;
use crate::lang::payload::range::Range;
use crate::lang::signature::{Group, Place, Want};
use crate::lang::values::value::{Kind, List, Value, check_length};

/// Rows by their indices, in this order; a row may occur more than once.
fn take(call: &mut Call<'_, '_>) -> Res<Value> {
    let data: Arc<Dataset> = call.arg("data")?;
    let places: Vec<f64> = call.arg("rows")?;
    let n = data.n();
    let place = |x: &f64| {
        if *x >= 0.0 && x.fract() == 0.0 && *x < n as f64 {
            return Ok(*x as usize);
        }
        let error = LangError::new(format!("there is no row {}: {n} rows are counted from 0", number(*x)));
        Err(error.argument("rows"))
    };
    let rows: Vec<usize> = places.iter().map(place).collect::<Res<_>>()?;
    Ok(value(data.take(&rows)))
}

fn split(call: &mut Call<'_, '_>) -> Res<Value> {
    let data: Arc<Dataset> = call.arg("data")?;
    let share: f64 = call.arg("share")?;
    let seed = chance(call)?;
    let (train, test) = data.split(share, seed).map_err(|error| lang_error(error).argument("share"))?;
    List::new(vec![value(train), value(test)]).map(Value::List)
}

fn folds(call: &mut Call<'_, '_>) -> Res<Value> {
    let data: Arc<Dataset> = call.arg("data")?;
    let k: usize = call.or("k", 10)?;
    let seed = chance(call)?;
    let stratified: bool = call.or("stratified", false)?;
    let folds = if stratified { data.stratified_folds(k, seed) } else { data.folds(k, seed) };
    let folds = folds.map_err(|error| lang_error(error).argument("k"))?;
    let pairs = folds
        .iter()
        .map(|fold| List::new(vec![value(data.take(&fold.train)), value(data.take(&fold.test))]).map(Value::List));
    List::collect(pairs).map(Value::List)
}

/// The seed of a random selection, if it is random.
fn chance(call: &mut Call<'_, '_>) -> Res<Option<u64>> {
    let random: bool = call.or("random", false)?;
    let seed: usize = call.or("seed", call.eval.host.seed as usize)?;
    Ok(random.then_some(seed as u64))
}

/// Numbers with a uniform distribution in a range.
fn random(call: &mut Call<'_, '_>) -> Res<Value> {
    let range: Range = call.arg("range")?;
    let n: usize = call.arg("n")?;
    check_length(n).map_err(|t| t.argument("n"))?;
    if !((range.end - range.start).is_finite() && range.start < range.end) {
        return Err(LangError::new("random numbers need a range that is finite and not empty").argument("range"));
    }
    let mut stream = super::random_numbers::random(call)?;
    Value::numbers((0..n).map(|_| stream.random_range(range.start..range.end)))
}

const RANDOM: Place = Place::keyword("random", Want::BOOL, "false", "whether rows are chosen at random");
const SEED: Place = Place::keyword("seed", Want::Count, "that of the session", "the seed of the choice");

pub static ROWS: &[Builtin] = &[
    Builtin {
        name: "take",
        aliases: &[],
        group: Group::Data,
        places: &[DATA, Place::required("rows", Want::Numbers, "indices of rows, from 0")],
        result: Some(Kind::Data),
        summary: "the rows with the given indices, in that order",
        help: "The column of row numbers in a file of folds can be given.",
        examples: &[
            "load(\"airline\") |> take([143, 0])",
            "let split = data(row=[0, 1, 2], role=[\"train\", \"test\", \"train\"])\n\
             load(\"airline\") |> take((split |> where(role -> role == \"train\")).row)",
        ],
        touches: Touches::Nothing,
        run: take,
    },
    Builtin {
        name: "split",
        aliases: &[],
        group: Group::Data,
        places: &[DATA, Place::required("share", Want::NUMBER, "the share of rows in the training part"), RANDOM, SEED],
        result: Some(Kind::List),
        summary: "training rows and test rows",
        help: "",
        examples: &["let train, test = load(\"airline\") |> split(0.8)\ntest"],
        touches: Touches::Nothing,
        run: split,
    },
    Builtin {
        name: "folds",
        aliases: &[],
        group: Group::Data,
        places: &[
            DATA,
            Place::optional("k", Want::Count, "10", "the number of folds"),
            RANDOM,
            SEED,
            Place::keyword(
                "stratified",
                Want::BOOL,
                "false",
                "whether each fold has every class of the target in the same proportion",
            ),
        ],
        result: Some(Kind::List),
        summary: "pairs of training and test rows, with each row once among the test rows",
        help: "Test rows are consecutive, or random with `random=true`. `crossval` takes these pairs in place of a number.",
        examples: &["[test.n for train, test in load(\"airline\") |> folds(5)]"],
        touches: Touches::Nothing,
        run: folds,
    },
    Builtin {
        name: "random",
        aliases: &[],
        group: Group::Data,
        places: &[
            Place::required("range", Want::Kind(Kind::Range), "the range"),
            Place::required("n", Want::Count, "the number of values"),
            Place::keyword("seed", Want::Count, "the session's stream", "the seed of the numbers"),
        ],
        result: Some(Kind::List),
        summary: "random numbers, uniform over a range",
        help: "",
        examples: &["random(-2..2, 3, seed=1)"],
        touches: Touches::Nothing,
        run: random,
    },
];
