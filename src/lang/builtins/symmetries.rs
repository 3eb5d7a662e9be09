//! The symmetries of data.

use std::sync::Arc;

use crate::data::Dataset;
use crate::describe::{self, tables};
use crate::kernel::Move;
use crate::lang::error::{LangError, Res};
use crate::lang::eval::evaluator::{Builtin, Call, Touches};
use crate::lang::payload::pipeline::Pipeline;
use crate::lang::payload::sheet::Sheet;
use crate::lang::signature::{Group, Place, Want};
use crate::lang::values::cast::FromValue;
use crate::lang::values::value::{Items, Kind, Value};
use crate::results;

use super::models::unfit;

/// The moves of one symmetry: one, or a list.
fn own_moves(value: Value) -> Res<Vec<Move>> {
    let one = |value: Value| Arc::<Move>::from_value(value).map(Arc::unwrap_or_clone);
    match value {
        Value::List(list) if list.is_empty() => Err(LangError::new("a symmetry has at least one move")),
        Value::List(list) => list.items().iter().cloned().map(one).collect(),
        value => one(value).map(|one| vec![one]),
    }
}

/// The symmetries of the data.
fn symmetries(call: &mut Call<'_, '_>) -> Res<Value> {
    let data: Arc<Dataset> = call.arg("data")?;
    let model = call.arg::<Pipeline>("model")?.model().map_err(|t| t.argument("model"))?;
    let inputs = call.input_names("inputs", &data)?;
    let span = call.span_of("moves");
    let moves = match call.maybe::<Items>("moves")? {
        None => None,
        Some(items) => Some(items.map(own_moves).collect::<Res<Vec<_>>>().map_err(|t| t.at(span))?),
    };
    let periods: Option<Vec<f64>> = call.maybe("periods")?;
    if let Some(periods) = &periods {
        let count = inputs.as_ref().map_or(0, Vec::len);
        if periods.len() != count {
            let counted = |n: usize, what: &str| if n == 1 { format!("1 {what}") } else { format!("{n} {what}s") };
            let (periods, inputs) = (counted(periods.len(), "period"), counted(count, "input"));
            let text = format!("each named input has one period, found {periods} for {inputs}");
            return Err(LangError::new(text)
                .argument("periods")
                .help("`inputs=` names the inputs with a known period: `inputs=[a, b], periods=[360, 24]`"));
        }
        if let Some(bad) = periods.iter().find(|p| !(**p > 0.0 && p.is_finite())) {
            return Err(LangError::new(format!("a period is positive, found {bad}")).argument("periods"));
        }
    }
    let options = super::models::options(call)?;
    let wanted = results::Wanted { inputs, moves, periods };
    match results::symmetries(&model, &data, &wanted, options, call.eval.progress) {
        Ok(found) => {
            Ok(Value::table(Sheet::with_text(tables::symmetries(&found.compared), describe::symmetries(&found))))
        }
        Err(error) => Err(unfit(call.eval, &data, error)),
    }
}

pub static SYMMETRIES: &[Builtin] = &[Builtin {
    name: "symmetries",
    aliases: &[],
    group: Group::Results,
    places: &[
        Place::required("data", Want::Kind(Kind::Data), "a data set"),
        super::models::MODEL,
        Place::keyword("inputs", Want::Input, "", "the inputs to try; all if left out"),
        Place::keyword(
            "moves",
            Want::Items,
            "",
            "symmetries to try in place of mirrors and exchanges: a list of moves, or of lists of moves",
        ),
        Place::keyword("periods", Want::Numbers, "", "the known period of each of `inputs`"),
        super::models::RESTARTS,
        super::models::SEED,
        super::models::MAXITER,
    ],
    result: Some(Kind::Table),
    summary: "symmetries of the data (mirrors, exchanges and periods of the inputs), compared by log marginal likelihood",
    help: "The \
               model is fitted without and with each symmetry, and symmetries are ranked by the difference in log \
               marginal likelihood (Δlml) from the model without one. The location of a mirror maximises the log \
               marginal likelihood. Symmetries with a positive difference are also combined.",
    examples: &["let d = data(x=[-2, -1.5, -1, -0.5, 0.5, 1, 1.5, 2], y=[4, 2.2, 1, 0.2, 0.3, 1, 2.3, 4.1])\n\
                     symmetries(d, SE, restarts=1)"],
    touches: Touches::Nothing,
    run: symmetries,
}];
