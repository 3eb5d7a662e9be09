//! Fitting deep Gaussian processes, and results of such a fit.

use std::sync::Arc;

use super::deep_help::deep_error;
use crate::data::write::Table;
use crate::data::{Column, Dataset};
use crate::deep::{self, DeepFit, DeepModel, Training};
use crate::describe;
use crate::lang::error::{LangError, Res};
use crate::lang::eval::evaluator::Call;
use crate::lang::payload::sheet::Sheet;
use crate::lang::values::cast::FromValue;
use crate::lang::values::value::{Value, check_length};

/// Samples of the hidden layers for a score (Vafa, 5.1.4), and for a prediction.
const SAMPLES: usize = 100;
/// Iterations of the optimiser where nothing is written.
const MOST_ITERATIONS: usize = 1000;

/// Trains a deep GP with the usual arguments of `fit`.
pub fn fit(call: &mut Call<'_, '_>, model: &DeepModel) -> Res<Value> {
    let data: Arc<Dataset> = call.arg("data")?;
    let max_iter = call.or("maxiter", MOST_ITERATIONS)?;
    let options = super::models::options(call)?;
    let training = Training { restarts: options.restarts, seed: options.seed, max_iter };
    match deep::train(model, &data, training, call.eval.progress) {
        Ok(fit) => Ok(Value::DeepFit(Arc::new(fit))),
        Err(error) => Err(deep_error(call, &data, error)),
    }
}

/// The rows that a value gives, as data.
fn rows(call: &mut Call<'_, '_>, fit: &DeepFit) -> Res<Dataset> {
    let n: Option<usize> = call.maybe("n")?;
    let values = match call.maybe::<Value>("at")? {
        None => return Ok(fit.problem.base.data().clone()),
        Some(Value::Data(data)) => return Ok((*data).clone()),
        Some(Value::Range(range)) if n.is_some() => {
            let n = n.unwrap_or_default();
            check_length(n)?;
            range.grid(n)
        }
        Some(value) => Vec::<f64>::from_value(value).map_err(|t| t.argument("at"))?,
    };
    let [name] = fit.problem.base.names() else {
        let names = fit.problem.base.names().join(", ");
        let error = LangError::new(format!("rows can be given as numbers only for one input, here {names}"));
        return Err(error.argument("at").help("give the data of new rows"));
    };
    let column = Column::numeric(name.as_str(), values);
    Dataset::new(vec![column], None, None).map_err(super::data::lang_error)
}

/// A table of the prediction at some rows, which draws itself over one input.
pub fn predict(call: &mut Call<'_, '_>, fit: &DeepFit) -> Res<Value> {
    let at = rows(call, fit)?;
    let word = call.maybe::<Arc<str>>("as")?;
    let samples = call.or("samples", SAMPLES)?;
    let seed = call.or("seed", fit.training.seed as usize)? as u64;
    if samples == 0 || samples > 10_000 {
        let error = LangError::new(format!("the number of samples must be from 1 to 10,000, found {samples}"));
        return Err(error.argument("samples"));
    }
    let x = fit.rows_of(&at).map_err(|error| super::models::lang_error(call.eval, error).argument("at"))?;
    let table = fit.problem.base.names().iter().zip(x.column_iter());
    let table = table.fold(Table::new(), |table, (name, column)| table.numbers(name, column.as_slice()));
    let failed = |error: deep::DeepError| LangError::new(error.to_string()).argument("at");
    if word.as_deref() == Some("sample") {
        let draws = fit.draws(&x, samples.min(SAMPLES), seed).map_err(failed)?;
        let columns = draws.column_iter().enumerate();
        let table = columns.fold(table, |table, (i, draw)| table.numbers(format!("draw{}", i + 1), draw.as_slice()));
        return Ok(Value::table(table));
    }
    let mixture = fit.mixture(&x, samples, seed).map_err(failed)?;
    let (mean, var_f) = (mixture.mean(), mixture.variance());
    let var_y: Vec<f64> = var_f.iter().map(|v| v + mixture.noise).collect();
    let sd: Vec<f64> = var_y.iter().map(|v| v.sqrt()).collect();
    let mut table = table.numbers("mean", &mean).numbers("sd", &sd);
    if word.as_deref() != Some("moments") {
        let quantiles = [("lower", 0.022_750_131_948_179_21), ("median", 0.5), ("upper", 0.977_249_868_051_820_8)];
        for (name, probability) in quantiles {
            table = table.numbers(name, &mixture.quantile(probability));
        }
    }
    let sheet = Sheet::from(table.numbers("var_f", &var_f).numbers("var_y", &var_y));
    let sheet = match x.ncols() {
        1 => {
            let figure = describe::deep_prediction_figure(fit, x.column(0).as_slice(), &mixture);
            sheet.with_figure(figure)
        }
        _ => sheet,
    };
    Ok(Value::Table(Arc::new(sheet)))
}

/// The mean log density of the targets of some rows and the mean squared error of the predicted mean.
pub fn scored(fit: &DeepFit, rows: &Dataset, samples: usize) -> Res<(f64, f64)> {
    let x = fit.rows_of(rows).map_err(|error| LangError::new(error.to_string()))?;
    let y = rows.y().ok_or_else(|| LangError::new("the rows have no target to be scored by"))?;
    let mixture = fit.mixture(&x, samples, fit.training.seed).map_err(|error| LangError::new(error.to_string()))?;
    let n = y.len().max(1) as f64;
    let density = mixture.log_densities(y).iter().sum::<f64>() / n;
    let mse = mixture.mean().iter().zip(y).map(|(m, y)| (y - m).powi(2)).sum::<f64>() / n;
    Ok((density, mse))
}

pub fn score(call: &mut Call<'_, '_>, fit: &DeepFit) -> Res<Value> {
    let data = call.maybe::<Arc<Dataset>>("data")?;
    let samples = call.or("samples", SAMPLES)?;
    if samples == 0 {
        return Err(LangError::new("a score takes at least one sample").argument("samples"));
    }
    let rows = data.as_deref().unwrap_or(fit.problem.base.data());
    let (density, mse) = scored(fit, rows, samples).map_err(|t| t.argument("data"))?;
    let table = Table::new().numbers("n", &[rows.n() as f64]);
    let which = if data.is_some() { "log_likelihood" } else { "training_log_likelihood" };
    Ok(Value::table(table.numbers(which, &[density]).numbers("mse", &[mse])))
}
