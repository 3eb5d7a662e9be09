//! Members and JSON of searches.

use std::sync::Arc;

use serde_json::{Value as Json, json};

use crate::describe::search as told;
use crate::lang::payload::list::List;
use crate::lang::payload::pipeline::Pipeline;
use crate::lang::payload::sheet::Sheet;
use crate::lang::values::json::{number, plain, table};
use crate::lang::values::members::Members;
use crate::lang::values::value::Value;
use crate::search::Search;

pub const MEMBERS: Members = &[
    ("best", "the fit of the best model"),
    ("kernel", "the kernel of the best model with its fitted values"),
    ("model", "the best model with its fitted values"),
    ("score", "what the best model is judged by: less is better"),
    ("criterion", "the name of the score"),
    ("trace", "a table: what was tried at each depth, and the best so far"),
    ("candidates", "a table of everything that was tried, with its score and how far it came"),
    ("models", "a table of the best models, with weights by their scores"),
    ("fits", "the best models, each as a fit"),
    ("ended", "why it ended"),
    ("depth", "how many depths were searched"),
    ("evaluations", "how often the likelihood was evaluated"),
    ("seconds", "how long it took"),
    ("times", "for each depth the seconds that it took"),
    ("seed", "what the random starts depended on"),
    ("data", "the rows that were searched"),
];

pub fn member(search: &Search, name: &str) -> Option<Value> {
    Some(match name {
        "best" => Value::Fit(search.best.clone()),
        "kernel" => Value::Kernel(search.best.model.kernel.clone()),
        "model" => Value::Model(Arc::new(Pipeline::of(search.best.model.clone()))),
        "score" => search.models.first().map_or(Value::Nothing, |best| Value::Number(best.score)),
        "criterion" => Value::str(search.settings.criterion.name()),
        "trace" => Value::table(Sheet::told(told::trace_table(search), told::trace(search))),
        "candidates" => Value::table(told::candidates_table(search)),
        "models" => Value::table(told::models_table(search)),
        "fits" => {
            let fits = (0..search.models.len()).filter_map(|i| search.fit(i).ok());
            List::new(fits.map(Value::Fit).collect()).map_or(Value::Nothing, Value::List)
        }
        "ended" => Value::str(search.ended.to_string()),
        "depth" => Value::Number(search.levels.len() as f64),
        "evaluations" => Value::Number(search.evaluations as f64),
        "seconds" => Value::Number(search.seconds),
        "times" => Value::numbers(search.levels.iter().map(|level| level.seconds)).unwrap_or(Value::Nothing),
        "seed" => Value::Number(search.settings.seed as f64),
        "data" => Value::Data(Arc::new(search.data.clone())),
        _ => return None,
    })
}

pub fn json(search: &Search) -> Json {
    json!({
        "best": plain(&Value::Fit(search.best.clone())),
        "score": search.models.first().map_or(Json::Null, |best| number(best.score)),
        "criterion": search.settings.criterion.name(),
        "trace": table(&told::trace_table(search)),
        "models": table(&told::models_table(search)),
        "candidates": table(&told::candidates_table(search)),
        "ended": search.ended.to_string(),
        "evaluations": search.evaluations,
        "seconds": number(search.seconds),
        "seed": search.settings.seed,
    })
}
