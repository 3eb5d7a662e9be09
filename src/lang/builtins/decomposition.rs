//! The parts of a fit: their contributions, their covariance, and the variance of each order of interaction.

use std::sync::Arc;

use crate::describe::{self, tables};
use crate::fit::Fit;
use crate::lang::error::{LangError, Res};
use crate::lang::eval::evaluator::{Builtin, Call, Touches};
use crate::lang::payload::sheet::Sheet;
use crate::lang::signature::{Group, Place, Want};
use crate::lang::values::value::{Kind, List, Value, check_length};
use crate::lang::wording::join_or;
use crate::linalg::{Vector, pivoted_cholesky};
use crate::results::{self, By, Decomposition};

use super::models::{lang_error, unfit};
use super::prediction_rows::{AT, FIT, N, place, unlike};

const BY: Place =
    Place::keyword("by", Want::Choice(&["term", "order", "input", "pair"]), "\"term\"", "the kind of parts");

fn decompose(call: &mut Call<'_, '_>) -> Res<Value> {
    let fit: Arc<Fit> = call.arg("fit")?;
    let place = place(call, &fit)?;
    let word: Option<Arc<str>> = call.maybe("by")?;
    let by = By::ALL.into_iter().find(|by| word.as_deref() == Some(by.name())).unwrap_or_default();
    let own = fit.clone();
    match call.unless_stopped(move || results::decompose(&own, place, by))? {
        Ok(parts) => Ok(Value::Decomposition(Arc::new(parts))),
        Err(error) => Err(unlike(call, &fit, error).argument("at")),
    }
}

/// The posterior covariance of f at the rows of a prediction, or between two parts of a sum.
fn covariance(call: &mut Call<'_, '_>) -> Res<Value> {
    let of: Value = call.arg("of")?;
    let pair = (call.maybe::<f64>("one")?, call.maybe::<f64>("other")?);
    let matrix = match (of, pair) {
        (Value::Prediction(prediction), (None, None)) => call.unless_stopped(move || prediction.covariance())?,
        (Value::Decomposition(parts), (Some(one), Some(other))) => {
            call.unless_stopped(move || parts.covariance(one as usize, other as usize))?
        }
        (Value::Prediction(_), _) => {
            return Err(
                LangError::new("a prediction has one covariance: `one` and `other` are for parts").argument("one")
            );
        }
        _ => return Err(LangError::new("say between which two parts: `covariance(parts, 0, 1)`").argument("of")),
    };
    let matrix = matrix.map_err(|error| lang_error(call.eval, error))?;
    let rows = matrix.row_iter().map(|row| Value::numbers(row.iter().copied()));
    List::collect(rows).map(Value::List)
}

/// Draws from the posterior of one part at the rows of a decomposition, on the scale of the model.
pub fn draws(call: &mut Call<'_, '_>, parts: &Arc<Decomposition>) -> Res<Value> {
    let labels = || join_or(parts.components.iter().map(|part| format!("\"{}\"", part.label)));
    if call.value("at").is_some() {
        let text = "the rows are those of the parts";
        return Err(LangError::new(text).argument("at").help("give them to `decompose(fit, at)`"));
    }
    let part = match call.maybe::<Value>("part")? {
        Some(Value::Number(at)) if (at as usize) < parts.components.len() => at as usize,
        Some(Value::Str(label)) if let Some(at) = parts.components.iter().position(|c| c.label == *label) => at,
        Some(_) => {
            let text = format!("there is no such part: the parts are {}", labels());
            return Err(LangError::new(text).argument("part"));
        }
        None => {
            let text = "say of which part: `sample(parts, part=0)`";
            return Err(LangError::new(text).argument("of").help(format!("the parts are {}", labels())));
        }
    };
    let n: usize = call.or("n", 1)?;
    check_length(parts.at.n().saturating_mul(n)).map_err(|t| t.argument("n"))?;
    let own = parts.clone();
    let covariance = call.unless_stopped(move || own.covariance(part, part))?;
    let factor = pivoted_cholesky(&covariance.map_err(|error| lang_error(call.eval, error))?, 1e-12);
    let mut normal = super::random_numbers::normals(call)?;
    let mean = &parts.components[part].mean;
    let draws = (0..n).map(|_| {
        let z = Vector::from_fn(factor.ncols(), |_, _| normal());
        Value::numbers((&factor * z).iter().zip(mean).map(|(f, mean)| f + mean))
    });
    List::collect(draws).map(Value::List)
}

/// The share of each order in the additive kernels of a fit.
fn order_variance(call: &mut Call<'_, '_>) -> Res<Value> {
    let fit: Arc<Fit> = call.arg("fit")?;
    let found =
        results::order_variance(&fit).map_err(|error| unfit(call.eval, &fit.problem().data().clone(), error))?;
    if found.is_empty() {
        let lang_error = LangError::new("there is no additive kernel in this fit").argument("fit");
        return Err(lang_error.help("`fit(data, additive(SE))` has a variance for each order of interaction"));
    }
    Ok(Value::table(Sheet::with_text(tables::orders(&found), describe::orders(&fit, &found))))
}

pub static DECOMPOSITION: &[Builtin] = &[
    Builtin {
        name: "decompose",
        aliases: &[],
        group: Group::Results,
        places: &[FIT, AT, N, BY],
        result: Some(Kind::Decomposition),
        summary: "the contribution of each part of a sum, with its share of the variance",
        help: "The \
               means of the parts and of the mean function add to the prediction. `by=\"order\"` decomposes additive \
               kernels by the order of interaction; `by=\"input\"` has one part for each input or set of inputs, \
               and `by=\"pair\"` also one for each pair of inputs of an additive kernel. White noise is listed as noise, without a share of the function.",
        examples: &[
            "let trend, wave = Lin(x), Per(x, p=2)\nlet d = data(x=[0, 1, 2, 3], y=[1, 3, 2, 4])\n\
             d |> condition(gp(trend + wave, noise=0.1)) |> decompose",
            "let d = data(a=[0, 1, 0, 1], b=[0, 0, 1, 1], y=[0, 1, 2, 3])\n\
             d |> condition(gp(additive(order=2), noise=0.1)) |> decompose(by=\"input\")",
        ],
        touches: Touches::Nothing,
        run: decompose,
    },
    Builtin {
        name: "covariance",
        aliases: &["cov"],
        group: Group::Results,
        places: &[
            Place::required(
                "of",
                Want::Either(&[Want::Kind(Kind::Prediction), Want::Kind(Kind::Decomposition)]),
                "a prediction, or the parts of a fit",
            ),
            Place::optional("one", Want::Count, "", "the index of the first part, from 0"),
            Place::optional("other", Want::Count, "", "the index of the second part, from 0"),
        ],
        result: Some(Kind::List),
        summary: "the posterior covariance of the function at all pairs of rows, or between two parts",
        help: "The result is a list of rows. Between parts, rows of the matrix belong to the first part and columns to the second.",
        examples: &["let d = data(x=[0, 1, 2], y=[1, 3, 2])\n\
                     d |> condition(gp(SE(x, l=1, v=4), noise=0.1)) |> predict([0.5, 1.5]) |> covariance"],
        touches: Touches::Nothing,
        run: covariance,
    },
    Builtin {
        name: "order_variance",
        aliases: &[],
        group: Group::Results,
        places: &[FIT],
        result: Some(Kind::Table),
        summary: "the share of each order of interaction in the variance of an additive kernel",
        help: "Order 1 is functions of one input each, order 2 of two, and so on. `plot` draws the shares.",
        examples: &["let d = data(a=[0, 1, 0, 1], b=[0, 0, 1, 1], y=[0, 1, 2, 3])\n\
                     d |> condition(gp(additive(order=2, weights=[2, 0.5]), noise=0.1)) |> order_variance"],
        touches: Touches::Nothing,
        run: order_variance,
    },
];
