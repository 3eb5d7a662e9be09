//! Cross-validation of one or several models.

use std::sync::Arc;

use crate::data::{Dataset, Fold, folds_of};
use crate::lang::error::{LangError, Res};
use crate::lang::eval::evaluator::Call;
use crate::lang::eval::evaluator::{Builtin, Touches};
use crate::lang::numerals::number;
use crate::lang::payload::pipeline::Pipeline;
use crate::lang::signature::{Group, Place, Want};
use crate::lang::values::cast::{FromValue, expected};
use crate::lang::values::value::{Items, Kind, Value, check_length};
use crate::lang::wording::{join_or, nearest};
use crate::model::ModelError;
use crate::results::metric::{METRICS, Metric, metric};
use crate::results::{Contender, CrossError, CrossValidation, Failure, Folds, Trial, cross_validate};

use super::deep_help::deep_error;
use super::models::unfit;

fn crossval(call: &mut Call<'_, '_>) -> Res<Value> {
    let data: Arc<Dataset> = call.arg("data")?;
    let mut models = named(call.arg("models")?).map_err(|t| t.argument("models"))?;
    if models.is_empty() {
        return Err(LangError::new("there is no model to cross-validate: the list is empty").argument("models"));
    }
    let options = super::models::options(call)?;
    let gps = models.iter_mut().filter_map(|(_, contender)| match contender {
        Contender::Gp(model) => Some(model),
        _ => None,
    });
    let options = super::target_scale::on_asked_scale(call, gps, options)?;
    let given: Option<Value> = call.maybe("folds")?;
    let dealt = matches!(given, None | Some(Value::Number(_)));
    let folds = folds(given, &data, options.seed).map_err(|t| t.argument("folds"))?;
    let metrics = metrics(call.maybe("metrics")?).map_err(|t| t.argument("metrics"))?;
    let cv = validated(call, models, &data, &Trial { folds, metrics, options }, dealt, "models")?;
    Ok(Value::CrossValidation(Arc::new(cv)))
}

/// The cross-validation; a failure is an error with its place. `dealt` is true if the folds were made from a number and
/// not given row by row; `place` is the argument with the models.
pub fn validated(
    call: &Call<'_, '_>,
    models: Vec<(String, Contender)>,
    data: &Dataset,
    trial: &Trial,
    dealt: bool,
    place: &'static str,
) -> Res<CrossValidation> {
    let names: Vec<String> = models.iter().map(|(name, _)| name.clone()).collect();
    match cross_validate(models, data, trial, call.eval.progress) {
        Ok(cv) => Ok(cv),
        Err(CrossError::Stopped) => Err(LangError::stopped()),
        Err(CrossError::Failed { model, fold, error }) => {
            let within = format!("in fold {} of the model {}", fold + 1, names[model]);
            let error = match *error {
                Failure::Gp(error) => error,
                Failure::Deep(error) => {
                    return Err(deep_error(call, data, error, place).note(within));
                }
            };
            let small = match error {
                ModelError::TooFewRows { rows, .. } if dealt && rows < data.n() => Some(rows),
                _ => None,
            };
            let lacks = matches!(error, ModelError::UnknownClass { .. } | ModelError::OneClass { .. });
            let unknown = match &error {
                ModelError::UnknownClass { class, .. } => Some(class.clone()),
                _ => None,
            };
            let rare = rarest(data, unknown.as_deref()).filter(|_| lacks && dealt);
            let mut lang_error = match rare {
                Some(class) => LangError::new(format!(
                    "only one row has the class {class}: none is left to train on when that row is tested"
                ))
                .argument("data")
                .help("a class needs at least two rows: leave out the rows of rarer ones with `where`"),
                None => unfit(call.eval, data, error),
            };
            if lacks && !dealt {
                lang_error = lang_error
                    .argument("folds")
                    .note("a category without training rows in a fold cannot be learnt")
                    .help("`folds(data, stratified=true)` gives every fold its share of each class");
            }
            Err(match small {
                Some(rows) => {
                    lang_error.note(format!("a fit on all folds but one has only {rows} of the {} rows", data.n()))
                }
                None => lang_error.note(within),
            })
        }
        Err(error) => {
            let lang_error = LangError::new(error.to_string());
            Err(match error {
                CrossError::NoDensity { .. } => lang_error
                    .argument("metrics")
                    .help("leave out `noise=0`, or use metrics that need no density: `metrics=[\"mse\"]`"),
                CrossError::Misfit { .. } => lang_error.argument("metrics"),
                CrossError::Mixed => lang_error.argument("models"),
                CrossError::OneClass { .. } => lang_error
                    .argument("folds")
                    .help("use fewer folds: each then has rows of every class if there are enough of it"),
                _ => lang_error.argument("folds"),
            })
        }
    }
}

/// A class of the target that only one row has; the class `unknown` if it is given.
fn rarest(data: &Dataset, unknown: Option<&str>) -> Option<String> {
    let target = data.target()?;
    let values = target.values();
    let name = |row: usize| target.level(row).map_or_else(|| number(values[row]), str::to_string);
    let alone = |i: &usize| values.iter().filter(|v| **v == values[*i]).count() == 1;
    (0..values.len()).filter(alone).map(name).find(|class| unknown.is_none_or(|unknown| unknown == class))
}

/// Models with the names from a record, or with short names.
pub fn named(value: Value) -> Res<Vec<(String, Contender)>> {
    let model = |value: &Value| contender(value.clone());
    let models: Vec<Contender> = match &value {
        Value::Record(record) => {
            let fields = record.fields().iter();
            return fields.map(|(name, value)| Ok((name.clone(), model(value)?))).collect();
        }
        Value::List(list) => list.items().iter().map(model).collect::<Res<_>>()?,
        value => vec![model(value)?],
    };
    Ok(Contender::names(&models).into_iter().zip(models).collect())
}

/// A model in a comparison.
fn contender(value: Value) -> Res<Contender> {
    match value {
        Value::DeepModel(model) => Ok(Contender::Deep((*model).clone())),
        Value::DeepFit(fit) => Ok(Contender::Deep(fit.problem.model.clone())),
        value => Ok(Contender::Gp(Pipeline::from_value(value)?.model()?)),
    }
}

fn metrics(names: Option<Value>) -> Res<Vec<&'static Metric>> {
    let names: Vec<Value> = match names {
        None => return Ok(Vec::new()),
        Some(Value::List(list)) => list.items().to_vec(),
        Some(name) => vec![name],
    };
    let mut chosen = Vec::with_capacity(names.len());
    for name in names {
        let name = <Arc<str>>::from_value(name)?;
        let Some(found) = metric(&name) else {
            let error = LangError::new(format!("no metric is called `{name}`"))
                .note(format!("a metric is one of {}", join_or(METRICS.iter().map(|m| format!("\"{}\"", m.name)))));
            let near = nearest(&name, METRICS.iter().map(|m| m.name));
            return Err(match near {
                Some(near) => error.help(format!("did you mean \"{near}\"?")),
                None => error,
            });
        };
        if !chosen.contains(&found) {
            chosen.push(found);
        }
    }
    Ok(chosen)
}

/// `k` random folds, stratified if the target is categorical.
pub fn random_folds(data: &Dataset, k: usize, seed: u64) -> Res<Folds> {
    let rows = if data.has_classes() { data.stratified_folds(k, Some(seed)) } else { data.folds(k, Some(seed)) };
    rows.map(Folds::Rows).map_err(super::data::lang_error)
}

/// Random folds from the seed, or the given ones: as pairs, as the fold of each row, or as a table.
fn folds(value: Option<Value>, data: &Dataset, seed: u64) -> Res<Folds> {
    let value = match value {
        None => Value::Number(10.0),
        Some(value) => value,
    };
    match value {
        Value::Number(_) => random_folds(data, usize::from_value(value)?, seed),
        Value::Data(table) => published(&table, data),
        value => {
            let items = Items::from_value(value)?;
            // a range may be infinite
            check_length(items.len())?;
            let items: Vec<Value> = items.collect();
            match items.first() {
                Some(Value::Number(_)) => {
                    let labels = items.into_iter().map(f64::from_value).collect::<Res<Vec<_>>>()?;
                    of_each_row(&labels, data)
                }
                Some(_) => items.into_iter().map(pair).collect::<Res<_>>().map(Folds::Parts),
                None => Err(LangError::new("there are no folds")),
            }
        }
    }
}

fn pair(value: Value) -> Res<(Dataset, Dataset)> {
    match &value {
        Value::List(list) => match list.items() {
            [Value::Data(train), Value::Data(test)] => Ok(((**train).clone(), (**test).clone())),
            _ => Err(LangError::new("a fold is a pair of training and test rows, as `folds(data)` gives them")),
        },
        other => Err(expected("a pair of training and test rows", other)),
    }
}

/// The folds from a list with the fold number of each row.
fn of_each_row(labels: &[f64], data: &Dataset) -> Res<Folds> {
    if labels.len() != data.n() {
        let text = format!("the data have {} rows, and {} of them have a fold", data.n(), labels.len());
        return Err(LangError::new(text));
    }
    let names = distinct(labels)?;
    if names.len() < 2 {
        return Err(LangError::new("all rows are in one fold: no rows are left to train on"));
    }
    let fold_of: Vec<usize> = labels.iter().filter_map(|l| names.iter().position(|name| name == l)).collect();
    Ok(Folds::Rows(folds_of(&fold_of, names.len())))
}

/// The distinct numbers of folds, ascending.
fn distinct(labels: &[f64]) -> Res<Vec<f64>> {
    if labels.iter().any(|label| !label.is_finite()) {
        return Err(LangError::new("the number of a fold is missing or infinite"));
    }
    let mut names = labels.to_vec();
    names.sort_by(f64::total_cmp);
    names.dedup();
    Ok(names)
}

/// Folds from a table: with columns `fold`, `row` (from 0) and `role` (train or test), or with a column `fold` that has
/// the fold number of each row.
fn published(table: &Dataset, data: &Dataset) -> Res<Folds> {
    let need = "a table of folds has columns `fold`, `row` and `role`, or one number `fold` for each row";
    let Some(fold) = table.column("fold").filter(|c| !c.is_categories()) else {
        return Err(LangError::new(need));
    };
    let (row, role) = match (table.column("row"), table.column("role")) {
        (None, None) => return of_each_row(fold.values(), data).map_err(|t| t.note(need)),
        (Some(row), Some(role)) if role.is_categories() => (row, role),
        _ => return Err(LangError::new(need)),
    };
    let names = distinct(fold.values())?;
    let mut folds: Vec<Fold> = names.iter().map(|_| Fold { train: Vec::new(), test: Vec::new() }).collect();
    for i in 0..table.n() {
        let place = row.values()[i];
        if !(place >= 0.0 && place.fract() == 0.0 && place < data.n() as f64) {
            let text = format!("there is no row {}: {} rows are counted from 0", number(place), data.n());
            return Err(LangError::new(text));
        }
        let at = names.iter().position(|name| *name == fold.values()[i]).unwrap_or_default();
        match role.level(i) {
            Some("train") => folds[at].train.push(place as usize),
            Some("test") => folds[at].test.push(place as usize),
            other => {
                let text = format!("the role of a row is `train` or `test`, found `{}`", other.unwrap_or("nothing"));
                return Err(LangError::new(text));
            }
        }
    }
    Ok(Folds::Rows(folds))
}

const MODEL: Want = Want::Either(&[
    Want::Kind(Kind::Model),
    Want::Kind(Kind::Kernel),
    Want::Kind(Kind::Fit),
    Want::Kind(Kind::DeepModel),
]);

pub static CROSSVAL: &[Builtin] = &[Builtin {
    name: "crossval",
    aliases: &[],
    group: Group::Results,
    places: &[
        super::models::DATA,
        Place::required(
            "models",
            Want::Either(&[Want::Each(&MODEL), Want::Kind(Kind::Record)]),
            "a model, a kernel or a deep GP, a list of them, or a record with their names",
        )
        .or(&["model"]),
        Place::optional(
            "folds",
            Want::Either(&[Want::Count, Want::Items, Want::Kind(Kind::Data)]),
            "10",
            "the number of folds; or pairs of rows as `folds` gives, a list with the fold of each row, or a table of fold, row and role",
        ),
        Place::keyword(
            "metrics",
            Want::Each(&Want::STRING),
            "[\"mse\", \"nll\"], of classes [\"error\", \"nll\"]",
            "the metrics: \"mse\", \"rmse\", \"mae\", \"nll\", \"r2\", \"coverage\"; for classes \"error\", \"nll\", \"brier\", \"auc\"",
        ),
        super::target_scale::TRANSFORM,
        super::models::RESTARTS,
        super::models::SEED,
        super::models::MAXITER,
    ],
    result: Some(Kind::CrossValidation),
    summary: "k-fold cross-validation of one or several models on the same folds",
    help: "Folds \
           are random, by the seed; folds of a target of classes are stratified. Preprocessing steps of a model are \
           fitted on training rows only. With several models, a star marks the best by each metric and those that do \
           not differ from it at 5 % by a paired t-test over the folds; folds share training rows, so the test is \
           approximate. `plot` shows the spread. `.scores` and `.folds` are tables; `.mse` and the other metrics are \
           lists of the values by fold.",
    examples: &[
        "let d = data(x=0..12, y=[sin(x) for x in 0..12])\nd |> crossval(SE(x), folds=3, restarts=2)",
        "let d = data(x=0..12, y=[sin(x) for x in 0..12])\n\
         let cv = d |> crossval(record(smooth=SE(x), line=Lin(x)), folds=3, restarts=1, metrics=\"rmse\")\n\
         cv\n\
         cv.scores.rmse",
    ],
    touches: Touches::Nothing,
    run: crossval,
}];
