//! The JSON form of every value.

use serde_json::{Map, Number, Value as Json, json};

use super::value::Value;
use crate::param::{Param, State};

/// One line for programs: `{"kind": …, "value": …}`.
pub fn tagged(value: &Value) -> Json {
    json!({ "kind": value.kind().name(), "value": plain(value) })
}

/// The value alone. Numbers keep their digits; one that JSON cannot hold (`inf`, `nan`) is null.
pub fn plain(value: &Value) -> Json {
    match value {
        Value::Nothing => Json::Null,
        Value::Number(x) => number(*x),
        Value::Bool(b) => json!(b),
        Value::Str(text) => json!(&**text),
        Value::List(list) => list.items().iter().map(plain).collect(),
        Value::Range(range) => json!({
            "start": number(range.start), "end": number(range.end), "inclusive": range.inclusive,
        }),
        Value::Function(function) => json!(function.to_string()),
        Value::Kernel(kernel) => json!(kernel.to_string()),
        Value::Dist(prior) => json!(prior.to_string()),
        Value::Param(param) => parameter(param),
    }
}

/// A number; whole ones without a decimal point.
pub fn number(x: f64) -> Json {
    if x.fract() == 0.0 && x.abs() < 9e15 {
        return json!(x as i64);
    }
    Number::from_f64(x).map_or(Json::Null, Json::Number)
}

fn parameter(param: &Param) -> Json {
    let mut out = Map::new();
    out.insert("value".into(), param.value().map_or(Json::Null, number));
    out.insert("fixed".into(), json!(param.is_fixed()));
    if let State::Bounded { lo, hi, .. } = param.state {
        out.insert("bounds".into(), json!([number(lo), number(hi)]));
    }
    if let Some(prior) = &param.prior {
        out.insert("prior".into(), json!(prior.to_string()));
    }
    if let Some(tie) = &param.tie {
        out.insert("tie".into(), json!(&*tie.name));
    }
    Json::Object(out)
}
