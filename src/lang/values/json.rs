//! The JSON form of every value.

use std::sync::Arc;

use serde_json::{Map, Number, Value as Json, json};

use crate::data::write::{Cells, Table};
use crate::data::{Column, Dataset};
use crate::describe::{self, tables};
use crate::lang::payload::pipeline::Pipeline;
use crate::lang::trouble::Res;
use crate::lang::values::members::inputs;
use crate::lang::values::value::{List, Record, Value};
use crate::param::{Param, State};
use crate::results::{Component, Cross, Decomposition};

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
            "start": plain(&range.value(range.start)), "end": plain(&range.value(range.end)), "inclusive": range.inclusive,
        }),
        Value::Function(function) => json!(function.to_string()),
        Value::Kernel(kernel) => json!(kernel.to_string()),
        Value::Data(data) => dataset(data),
        Value::Model(pipeline) => json!(pipeline.to_string()),
        Value::Fit(fit) => json!({
            "kernel": plain(&crate::lang::values::members::kernel(&fit.model)),
            "model": Pipeline::of(fit.model.clone()).to_string(),
            "lml": number(fit.lml()),
            "bic": number(fit.bic),
            "noise": fit.noise().map_or(Json::Null, number),
            "params": table(&tables::parameters(fit)),
            "powers": describe::powers(fit).into_iter().map(|(name, x)| (name, number(x))).collect::<Map<_, _>>(),
            "converged": fit.converged(),
            "hints": fit.hints,
        }),
        Value::OneVsRest(rest) => crate::lang::values::classes::fit_json(rest),
        Value::ClassPrediction(prediction) => crate::lang::values::classes::prediction_json(prediction),
        Value::Search(search) => crate::lang::values::searched::json(search),
        Value::Prediction(prediction) => {
            let mut out = Map::new();
            out.insert("at".into(), plain(&inputs(&prediction.at)));
            if let (Some(probability), Some(class)) = (&prediction.probability, prediction.class()) {
                out.insert("probability".into(), numbers(probability));
                out.insert("class".into(), json!(class));
            }
            let columns = [
                ("mean", &prediction.mean),
                ("sd", &prediction.sd),
                ("var_f", &prediction.var_f),
                ("var_y", &prediction.var_y),
            ];
            out.extend(columns.into_iter().map(|(name, values)| (name.to_owned(), numbers(values))));
            if let Some(q) = &prediction.quantiles {
                let columns = [("median", &q.median), ("lower", &q.lower), ("upper", &q.upper)];
                out.extend(columns.into_iter().map(|(name, values)| (name.to_owned(), numbers(values))));
            }
            Json::Object(out)
        }
        Value::Decomposition(parts) => json!({
            "at": plain(&inputs(&parts.at)),
            "components": parts.components.iter().map(component).collect::<Vec<_>>(),
            "mean_function": numbers(&parts.mean_function),
            "cross": parts.cross.iter().map(|pair| cross(parts, pair)).collect::<Vec<_>>(),
            "transformed": parts.transformed,
        }),
        Value::Residuals(residuals) => json!({
            "fitted": numbers(&residuals.fitted),
            "residual": numbers(&residuals.residual),
            "standardized": numbers(&residuals.standardized),
            "autocorrelation": number(residuals.autocorrelation),
            "sd": number(residuals.sd),
        }),
        Value::Explanation(told) => json!({
            "text": told.text,
            "parts": told.member("parts").as_ref().map_or(Json::Null, plain),
        }),
        Value::Surface(drawn) => json!({
            "shape": drawn.surface.mesh.shape.name(),
            "kernel": drawn.kernel.to_string(),
            "seed": drawn.seed,
            "vertices": drawn.surface.mesh.vertices.iter().map(|p| numbers(p)).collect::<Vec<_>>(),
            "faces": drawn.surface.mesh.faces.iter().map(|face| json!(face.corners())).collect::<Vec<_>>(),
            "rims": drawn.surface.mesh.rims,
            "euler": drawn.surface.mesh.shape.euler,
        }),
        Value::Features(features) => json!({
            "kernel": features.kernel.to_string(),
            "values": numbers(features.values()),
            "spectrum": numbers(&features.spectrum),
            "functions": features.functions.iter().map(|f| numbers(f)).collect::<Vec<_>>(),
        }),
        Value::CrossValidation(cv) => crate::lang::values::crossed::json(cv),
        Value::Figure(figure) => json!({ "title": figure.title, "panels": figure.panels.len() }),
        Value::Table(sheet) => table(&sheet.table),
        Value::Record(record) => {
            record.fields().iter().map(|(name, value)| (name.clone(), plain(value))).collect::<Map<_, _>>().into()
        }
        Value::Dist(prior) => json!(prior.to_string()),
        Value::Move(m) => json!(m.to_string()),
        Value::Param(param) => parameter(param),
    }
}

/// What a JSON text says: numbers, strings, true and false, lists, records, and nothing for null.
///
/// # Errors
/// A list that is longer than any may be.
pub fn value(json: &Json) -> Res<Value> {
    Ok(match json {
        Json::Null => Value::Nothing,
        Json::Bool(b) => Value::Bool(*b),
        Json::Number(x) => Value::Number(x.as_f64().unwrap_or(f64::NAN)),
        Json::String(text) => Value::str(text.as_str()),
        Json::Array(items) => Value::List(List::collect(items.iter().map(value))?),
        Json::Object(fields) => {
            let mut record = Record::default();
            for (name, field) in fields {
                record = record.with(name.as_str(), value(field)?);
            }
            Value::Record(Arc::new(record))
        }
    })
}

/// The first part of a value that JSON text does not give back: a kernel, say, comes back as its text.
pub fn lost(value: &Value) -> Option<Value> {
    match value {
        Value::Nothing | Value::Number(_) | Value::Bool(_) | Value::Str(_) | Value::Table(_) => None,
        Value::List(list) => list.items().iter().find_map(lost),
        Value::Record(record) => record.fields().iter().find_map(|(_, field)| lost(field)),
        other => Some(other.clone()),
    }
}

pub(super) fn numbers(values: &[f64]) -> Json {
    values.iter().map(|x| number(*x)).collect()
}

fn component(component: &Component) -> Json {
    json!({
        "label": component.label,
        "kernel": component.kernel.to_string(),
        "mean": numbers(&component.mean),
        "var": numbers(&component.var),
        "share": number(component.share),
    })
}

/// The posterior covariance of two components, row by row.
fn cross(parts: &Decomposition, pair: &Cross) -> Json {
    let label = |i: usize| parts.components.get(i).map(|component| component.label.as_str());
    json!({
        "between": [label(pair.one), label(pair.other)],
        "cov": numbers(&pair.cov),
        "corr": numbers(&pair.corr),
    })
}

/// A list of rows, each an object.
pub fn table(table: &Table) -> Json {
    let row = |i: usize| {
        let cell = |cells: &Cells| match cells {
            Cells::Numbers(numbers) => numbers.get(i).map_or(Json::Null, |x| number(*x)),
            Cells::Texts(texts) => json!(texts.get(i).cloned().flatten()),
        };
        table.columns().iter().map(|(name, cells)| (name.clone(), cell(cells))).collect::<Map<_, _>>()
    };
    (0..table.rows()).map(row).collect()
}

fn dataset(data: &Dataset) -> Json {
    let column = |column: &Column| -> Json {
        if let Some(scale) = column.time() {
            return json!(scale.texts(column.values()));
        }
        match column.levels() {
            Some(_) => (0..column.len()).map(|row| json!(column.level(row))).collect(),
            None => column.values().iter().map(|x| number(*x)).collect(),
        }
    };
    let columns: Map<String, Json> = data.columns().iter().map(|c| (c.name().to_owned(), column(c))).collect();
    json!({
        "name": data.about().name,
        "n": data.n(),
        "target": data.target().map(Column::name),
        "inputs": data.input_names(),
        "columns": columns,
        "notes": data.about().notes.iter().map(ToString::to_string).collect::<Vec<_>>(),
    })
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
