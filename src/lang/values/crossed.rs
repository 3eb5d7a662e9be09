//! Members and JSON of cross-validations.

use std::sync::{Arc, LazyLock};

use serde_json::{Value as Json, json};

use crate::describe::cross_validation as told;
use crate::lang::payload::list::List;
use crate::lang::payload::pipeline::Pipeline;
use crate::lang::values::json::table;
use crate::lang::values::members::Members;
use crate::lang::values::value::Value;
use crate::results::CrossValidation;
use crate::results::metric::{METRICS, metric};

/// Those of every cross-validation, then the metrics.
pub fn members() -> Members {
    static MEMBERS: LazyLock<Vec<(&str, &str)>> = LazyLock::new(|| {
        let own = [
            ("scores", "a table: for each model the mean of each metric, its standard error, and p of the t-test"),
            ("folds", "a table: every model in every fold, with all metrics that fit"),
            ("models", "the models"),
            ("names", "what the models are called"),
            ("best", "the model that is best by the first metric"),
            ("metrics", "the names of the metrics that were asked for"),
            ("seed", "what folds and fits depended on"),
        ];
        own.into_iter().chain(METRICS.iter().map(|metric| (metric.name, metric.help))).collect()
    });
    &MEMBERS
}

pub fn member(cv: &CrossValidation, name: &str) -> Option<Value> {
    let list = |items: Vec<Value>| List::new(items).ok().map(Value::List);
    let model = |at: usize| Value::Model(Arc::new(Pipeline::of(cv.models[at].model.clone())));
    match name {
        "scores" => Some(Value::table(told::scores_table(cv))),
        "folds" => Some(Value::table(told::folds_table(cv))),
        "models" => list((0..cv.models.len()).map(model).collect()),
        "names" => list(cv.models.iter().map(|model| Value::str(model.name.as_str())).collect()),
        "best" => cv.best().map(model),
        "metrics" => list(cv.metrics.iter().map(|metric| Value::str(metric.name)).collect()),
        "seed" => Some(Value::Number(cv.seed as f64)),
        // fold by fold: a list for each model where there are several
        _ => {
            let metric = metric(name)?;
            if cv.models.iter().flat_map(|m| &m.folds).all(|fold| fold.score.get(name).is_none()) {
                return Some(Value::Nothing);
            }
            let of = |model: usize| Value::numbers(cv.values(model, metric)).ok();
            match cv.models.len() {
                1 => of(0),
                n => list((0..n).map(of).collect::<Option<Vec<_>>>()?),
            }
        }
    }
}

pub fn json(cv: &CrossValidation) -> Json {
    json!({
        "target": cv.target,
        "metrics": cv.metrics.iter().map(|metric| metric.name).collect::<Vec<_>>(),
        "models": cv.models.iter().map(|m| json!({
            "name": m.name,
            "model": Pipeline::of(m.model.clone()).to_string(),
        })).collect::<Vec<_>>(),
        "scores": table(&told::scores_table(cv)),
        "folds": table(&told::folds_table(cv)),
        "seed": cv.seed,
    })
}
