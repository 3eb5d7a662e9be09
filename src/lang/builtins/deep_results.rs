//! Fits of deep Gaussian processes, and their results.

use std::sync::Arc;

use super::deep_help::deep_error;
use super::prediction_rows::no_range;
use crate::data::write::Table;
use crate::data::{Column, Dataset};
use crate::deep::{self, DeepFit, DeepModel, Training};
use crate::describe::{self, tables::quantile_name};
use crate::lang::error::{LangError, Res};
use crate::lang::eval::evaluator::Call;
use crate::lang::payload::sheet::Sheet;
use crate::lang::values::cast::FromValue;
use crate::lang::values::value::{List, Value, check_length};
use crate::results::{SCORE_SAMPLES, Score, TAIL, deep_outcomes};

/// The number of samples of the hidden layers for a prediction.
const SAMPLES: usize = SCORE_SAMPLES;

/// Rejects arguments for samples of hidden layers, for a fit without hidden layers.
pub fn refuse_samples(call: &Call<'_, '_>, arguments: &[&'static str]) -> Res<()> {
    let Some(given) = arguments.iter().find(|name| call.value(name).is_some()) else { return Ok(()) };
    let error = LangError::new(format!("`{given}` is for fits of deep GPs")).label("this has no effect here");
    Err(error
        .argument(given)
        .help("the prediction of a GP is one normal distribution, without samples of hidden layers"))
}

/// Trains a deep GP with the arguments of `fit`.
pub fn fit(call: &mut Call<'_, '_>, model: &DeepModel) -> Res<Value> {
    let data: Arc<Dataset> = call.arg("data")?;
    let training = Training::from(super::models::options(call)?);
    match deep::train(model, &data, training, call.eval.progress) {
        Ok(fit) => Ok(Value::DeepFit(Arc::new(fit))),
        Err(error) => Err(deep_error(call, &data, error, "model")),
    }
}

/// The rows in a value, as data.
fn rows(call: &mut Call<'_, '_>, fit: &DeepFit) -> Res<Dataset> {
    let n: Option<usize> = call.maybe("n")?;
    match call.maybe::<Value>("at")? {
        at if n.is_some() && !matches!(at, Some(Value::Range(_))) => Err(no_range()),
        None => Ok(fit.problem.base.data().clone()),
        Some(at) => given_rows(fit, at, n),
    }
}

/// Data, or numbers for a single input; with `n`, the grid of a range.
fn given_rows(fit: &DeepFit, at: Value, n: Option<usize>) -> Res<Dataset> {
    let values = match at {
        Value::Data(data) => return Ok((*data).clone()),
        Value::Range(range) if n.is_some() => {
            let n = n.unwrap_or_default();
            check_length(n)?;
            range.grid(n)
        }
        value => Vec::<f64>::from_value(value).map_err(|t| t.argument("at"))?,
    };
    let [name] = fit.problem.base.names() else {
        let names = fit.problem.base.names().join(", ");
        let error = LangError::new(format!("rows can be given as numbers only for one input, here {names}"));
        return Err(error.argument("at").help("give the data of new rows"));
    };
    let column = Column::numeric(name.as_str(), values);
    Dataset::new(vec![column], None, None).map_err(super::data::lang_error)
}

/// The prediction at some rows as a table, with quantiles of the mixture at some probabilities. Its figure is a plot
/// over a single input.
pub fn predict(call: &mut Call<'_, '_>, fit: &Arc<DeepFit>, levels: &[f64]) -> Res<Value> {
    if call.or("average", false)? {
        let error = LangError::new("a fit is one model, with nothing to average over").argument("average");
        return Err(error.help("`average` applies to the models of a search"));
    }
    let at = rows(call, fit)?;
    let word = call.maybe::<Arc<str>>("as")?;
    if let (Some(word @ ("moments" | "sample")), false) = (word.as_deref(), levels.is_empty()) {
        let error = LangError::new(format!("`as=\"{word}\"` has no quantiles")).label("this has no effect here");
        return Err(error.argument("quantiles").help("leave `as` out: quantiles are those of the mixture"));
    }
    let samples = call.or("samples", SAMPLES)?;
    let seed = call.or("seed", fit.training.seed as usize)? as u64;
    if samples == 0 || samples > 10_000 {
        let error = LangError::new(format!("the number of samples must be from 1 to 10,000, found {samples}"));
        return Err(error.argument("samples"));
    }
    let x = fit.rows_of(&at).map_err(|error| super::models::lang_error(call.eval, error).argument("at"))?;
    let shown = fit.shown_inputs(&at).map_err(|error| super::models::lang_error(call.eval, error).argument("at"))?;
    let table = fit.problem.base.names().iter().zip(shown.column_iter());
    let table = table.fold(Table::new(), |table, (name, column)| table.numbers(name, column.as_slice()));
    if x.nrows() == 0 {
        return Err(LangError::new("there are no rows to predict").argument("at"));
    }
    let failed = |error: deep::DeepError| LangError::new(error.to_string()).argument("at");
    if word.as_deref() == Some("sample") {
        let own = fit.clone();
        let draws = call.unless_stopped(move || own.draws(&x, samples.min(SAMPLES), seed))?.map_err(failed)?;
        let columns = draws.column_iter().enumerate();
        let table = columns.fold(table, |table, (i, draw)| table.numbers(format!("draw{}", i + 1), draw.as_slice()));
        return Ok(Value::table(table));
    }
    let inputs = x.ncols();
    let own = fit.clone();
    let own_quantiles: &[(&str, f64)] = match word.as_deref() {
        Some("moments") => &[],
        _ => &[("lower", TAIL), ("median", 0.5), ("upper", 1.0 - TAIL)],
    };
    let wanted: Vec<f64> = own_quantiles.iter().map(|(_, p)| *p).chain(levels.iter().copied()).collect();
    let made = call.unless_stopped(move || {
        let mixture = own.mixture(&x, samples, seed)?;
        let quantiles: Vec<Vec<f64>> = wanted.iter().map(|p| mixture.quantile(*p)).collect();
        Ok((mixture, quantiles))
    })?;
    let (mixture, quantiles) = made.map_err(failed)?;
    let (mean, var_f) = (mixture.mean(), mixture.variance());
    let var_y: Vec<f64> = var_f.iter().map(|v| v + mixture.noise).collect();
    let sd: Vec<f64> = var_y.iter().map(|v| v.sqrt()).collect();
    let mut table = table.numbers_with_errors("mean", &mean, &sd).numbers("sd", &sd);
    let (own, more) = quantiles.split_at(own_quantiles.len());
    for ((name, _), values) in own_quantiles.iter().zip(own) {
        table = table.numbers_with_errors(*name, values, &sd);
    }
    let table = table.numbers("var_f", &var_f).numbers("var_y", &var_y);
    let with_level =
        |table: Table, (p, values): (&f64, &Vec<f64>)| table.numbers_with_errors(quantile_name(*p), values, &sd);
    let sheet = Sheet::from(levels.iter().zip(more).fold(table, with_level));
    let sheet = match inputs {
        1 => {
            let figure = describe::deep_prediction_figure(fit, shown.column(0).as_slice(), &mixture);
            sheet.with_figure(figure)
        }
        _ => sheet,
    };
    Ok(Value::Table(Arc::new(sheet)))
}

/// Functions drawn from the fit at some rows: a list of lists.
pub fn sample(call: &mut Call<'_, '_>, fit: &Arc<DeepFit>) -> Res<Value> {
    let draws: usize = call.or("n", 1)?;
    let at = match call.maybe::<Value>("at")? {
        Some(at) => given_rows(fit, at, None)?,
        None => fit.problem.base.data().clone(),
    };
    check_length(at.n().saturating_mul(draws)).map_err(|t| t.argument("n"))?;
    let x = fit.rows_of(&at).map_err(|error| super::models::lang_error(call.eval, error).argument("at"))?;
    let mut normals = super::random_numbers::normals(call)?;
    let own = fit.clone();
    let drawn = call.unless_stopped(move || own.draws_with(&x, draws, &mut normals))?;
    let drawn = drawn.map_err(|error| LangError::new(error.to_string()).argument("at"))?;
    List::collect(drawn.column_iter().map(|draw| Value::numbers(draw.iter().copied()))).map(Value::List)
}

/// The metrics of held-out or training rows, and the log densities per row and of all rows jointly.
pub fn score(call: &mut Call<'_, '_>, fit: &DeepFit) -> Res<Value> {
    let data = call.maybe::<Arc<Dataset>>("data")?;
    let samples = call.or("samples", SAMPLES)?;
    if samples == 0 {
        return Err(LangError::new("a score takes at least one sample").argument("samples"));
    }
    let rows = data.as_deref().unwrap_or(fit.problem.base.data());
    let place = if data.is_some() { "data" } else { "fit" };
    let outcomes = deep_outcomes(fit, rows, samples).map_err(|error| deep_error(call, rows, error, place))?;
    let score = Score::of(&outcomes.outcomes);
    let per_row = -score.get("nll").unwrap_or(f64::NAN);
    let table = Table::new().numbers("n", &[score.n as f64]);
    let table = table.numbers("log_likelihood_per_row", &[per_row]).numbers("joint_log_likelihood", &[outcomes.joint]);
    let table = score.values.iter().fold(table, |table, (metric, value)| table.numbers(metric.name, &[*value]));
    let text = describe::deep_score(&score, per_row, outcomes.joint, data.is_none(), samples);
    Ok(Value::table(Sheet::with_text(table, text)))
}
