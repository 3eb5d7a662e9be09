//! Cross-validations: scores of models in every fold.

use std::sync::{Arc, LazyLock};

use serde_json::{Value as Json, json};

use super::json::table;
use super::value::{Member, Value, ValueKind};
use crate::data::write::Table;
use crate::describe::{Markup, cross_validation};
use crate::figure::Figure;
use crate::lang::error::Res;
use crate::lang::payload::pipeline::Pipeline;
use crate::lang::payload::plot::{PlotError, PlotOptions};
use crate::results::metric::{METRICS, metric};
use crate::results::{Contender, CrossValidation};

impl ValueKind for CrossValidation {
    const NAME: &'static str = "CrossValidation";
    const NOUN: &'static str = "a cross-validation";
    const MADE_BY: &'static str = "`crossval(data, model)`";
    const PLOT: Option<&'static [&'static str]> = Some(&[]);
    const TABLE: bool = true;

    /// The members of every cross-validation, then the metrics.
    fn members() -> &'static [Member<Self>] {
        static MEMBERS: LazyLock<Vec<Member<CrossValidation>>> = LazyLock::new(|| {
            let metrics = METRICS.iter().map(|metric| Member::named(metric.name, metric.help, by_fold));
            own_members().into_iter().chain(metrics).collect()
        });
        &MEMBERS
    }

    fn show(&self) -> Markup {
        cross_validation::cross_validation(self)
    }

    fn json(&self) -> Json {
        json!({
            "target": self.target,
            "metrics": self.metrics.iter().map(|metric| metric.name).collect::<Vec<_>>(),
            "models": self.models.iter().map(|m| json!({
                "name": m.name,
                "model": written(&m.model),
            })).collect::<Vec<_>>(),
            "scores": table(&cross_validation::scores_table(self)),
            "folds": table(&cross_validation::folds_table(self)),
            "seed": self.seed,
        })
    }

    fn same(&self, other: &Self) -> bool {
        self == other
    }

    fn figure(&self, _options: &mut PlotOptions<'_>) -> Result<Figure, PlotError> {
        Ok(cross_validation::figure(self))
    }

    /// The scores of every model in every fold.
    fn table(&self) -> Option<Table> {
        Some(cross_validation::folds_table(self))
    }
}

fn own_members() -> [Member<CrossValidation>; 7] {
    [
        Member::new(
            "scores",
            "a table: for each model the mean of each metric, its standard error, and p of the t-test",
            |cv| Value::table(cross_validation::scores_table(cv)),
        ),
        Member::new("folds", "a table: every model in every fold, with all metrics that fit", |cv| {
            Value::table(cross_validation::folds_table(cv))
        }),
        Member::checked("models", "the models", |cv| Value::list((0..cv.models.len()).map(|at| model(cv, at)))),
        Member::checked("names", "the names of the models", |cv| {
            Value::list(cv.models.iter().map(|model| Value::str(model.name.as_str())))
        }),
        Member::new("best", "the model that is best by the first metric", |cv| {
            cv.best().map_or(Value::Nothing, |at| model(cv, at))
        }),
        Member::checked("metrics", "the names of the metrics", |cv| {
            Value::list(cv.metrics.iter().map(|metric| Value::str(metric.name)))
        }),
        Member::new("seed", "the seed of folds and fits", |cv| Value::Number(cv.seed as f64)),
    ]
}

fn model(cv: &CrossValidation, at: usize) -> Value {
    match &cv.models[at].model {
        Contender::Gp(model) => Value::Model(Arc::new(Pipeline::of(model.clone()))),
        Contender::Deep(model) => Value::DeepModel(Arc::new(model.clone())),
    }
}

/// The source form of a model.
fn written(model: &Contender) -> String {
    match model {
        Contender::Gp(model) => Pipeline::of(model.clone()).to_string(),
        Contender::Deep(model) => model.to_string(),
    }
}

/// A metric in every fold: a list, or a list per model if there are several. Nothing if it does not apply.
fn by_fold(cv: &CrossValidation, name: &str) -> Res<Value> {
    let known = metric(name).filter(|_| cv.models.iter().flat_map(|m| &m.folds).any(|f| f.score.get(name).is_some()));
    let Some(metric) = known else { return Ok(Value::Nothing) };
    let of = |model: usize| Value::numbers(cv.values(model, metric));
    match cv.models.len() {
        1 => of(0),
        n => Value::checked_list((0..n).map(of)),
    }
}
