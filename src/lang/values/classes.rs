//! Members and JSON of what has more than two classes.

use std::sync::Arc;

use serde_json::{Map, Value as Json, json};

use crate::describe::classes as told;
use crate::lang::payload::list::List;
use crate::lang::payload::pipeline::Pipeline;
use crate::lang::values::json::{number, numbers, plain, table};
use crate::lang::values::members::inputs;
use crate::lang::values::value::Value;
use crate::results::{ClassPrediction, OneVsRest};

fn list(items: impl IntoIterator<Item = Value>) -> Option<Value> {
    List::new(items.into_iter().collect()).ok().map(Value::List)
}

/// A list for each row, with an entry for each class.
fn by_row(of: &[Vec<f64>], entry: impl Fn(f64) -> f64) -> Option<Value> {
    let rows = of.first().map_or(0, Vec::len);
    let row = |i: usize| Value::numbers(of.iter().map(|class| entry(class[i]))).ok();
    (0..rows).map(row).collect::<Option<Vec<_>>>().and_then(list)
}

pub(super) fn of_fit(rest: &OneVsRest, name: &str) -> Option<Value> {
    Some(match name {
        "kernel" => crate::lang::values::members::kernel(&rest.asked),
        "model" => Value::Model(Arc::new(Pipeline::of(rest.asked.clone()))),
        "lml" => Value::Number(rest.lml()),
        "bic" => Value::Number(rest.fits.iter().map(|fit| fit.bic).sum()),
        "noise" => Value::Nothing,
        "classes" => return list(rest.classes.iter().map(|class| Value::Str(class.clone()))),
        "fits" => return list(rest.fits.iter().cloned().map(Value::Fit)),
        "temperature" => Value::Number(rest.temperature),
        "params" => Value::table(told::parameters(rest)),
        "converged" => Value::Bool(rest.fits.iter().all(|fit| fit.converged())),
        "hints" => return list(rest.fits.iter().flat_map(|fit| &fit.hints).map(|hint| Value::str(hint.as_str()))),
        "data" => Value::Data(Arc::new(rest.data().clone())),
        _ => return None,
    })
}

pub(super) fn of_prediction(prediction: &ClassPrediction, name: &str) -> Option<Value> {
    match name {
        "at" => Some(inputs(&prediction.at)),
        "rows" => Some(Value::Data(Arc::new(prediction.at.clone()))),
        "probability" => by_row(&prediction.probability, |p| p),
        "class" => list(prediction.class().into_iter().map(Value::str)),
        "classes" => of_fit(&prediction.fit, name),
        "mean" => by_row(&prediction.mean, |m| m),
        "var_f" => by_row(&prediction.var_f, |v| v),
        "var_y" => by_row(&prediction.probability, |p| p * (1.0 - p)),
        "sd" => by_row(&prediction.probability, |p| (p * (1.0 - p)).sqrt()),
        "median" | "lower" | "upper" => Some(Value::Nothing),
        "fit" => Some(Value::OneVsRest(prediction.fit.clone())),
        _ => None,
    }
}

pub(super) fn fit_json(rest: &OneVsRest) -> Json {
    json!({
        "kernel": plain(&crate::lang::values::members::kernel(&rest.asked)),
        "model": Pipeline::of(rest.asked.clone()).to_string(),
        "lml": number(rest.lml()),
        "classes": rest.classes.iter().map(|class| json!(**class)).collect::<Vec<_>>(),
        "temperature": number(rest.temperature),
        "params": table(&told::parameters(rest)),
        "fits": rest.fits.iter().map(|fit| plain(&Value::Fit(fit.clone()))).collect::<Vec<_>>(),
    })
}

pub(super) fn prediction_json(prediction: &ClassPrediction) -> Json {
    let classes = prediction.fit.classes.iter().zip(&prediction.probability);
    let probability: Map<String, Json> = classes.map(|(class, p)| (class.to_string(), numbers(p))).collect();
    json!({
        "at": plain(&inputs(&prediction.at)),
        "probability": probability,
        "class": prediction.class(),
    })
}
