//! Inducing inputs as arguments: `gp(k, inference="vfe", inducing=50)`.

use crate::lang::error::{LangError, Res};
use crate::lang::eval::evaluator::Call;
use crate::lang::signature::{Place, Want};
use crate::lang::values::cast::{FromValue, expected};
use crate::lang::values::value::{Kind, Value};
use crate::model::{DEFAULT_INDUCING, Entry, Inducing, InducingError, Sparse, SparseMethod};

/// The field of the record that represents fixed data: `fixed(data)`.
pub const FIXED: &str = "fixed";

pub const INFERENCE: Place = Place::keyword(
    "inference",
    Want::Choice(&["exact", "vfe", "fitc", "ep", "laplace"]),
    "\"exact\", for classes \"ep\"",
    "how \
     the posterior is computed: for numbers \"exact\", or with inducing inputs \"vfe\" or \"fitc\"; for classes \"ep\" \
     or the faster \"laplace\"",
);
pub const INDUCING: Place = Place::keyword(
    "inducing",
    Want::Either(&[Want::Items, Want::Count, Want::Kind(Kind::Data), Want::Kind(Kind::Record)]),
    "50",
    "with \"vfe\" or \"fitc\": the number of inducing inputs, or their starting values: a list of inputs, or data; `fixed(…)` are not optimised",
);

/// The sparse approximation of a model; `None` if inference uses all rows.
pub fn sparse(call: &mut Call<'_, '_>, inference: Option<&str>, classes: bool) -> Res<Option<Sparse>> {
    let given: Option<Value> = call.maybe("inducing")?;
    let method = match inference {
        Some("vfe") => SparseMethod::Vfe,
        Some("fitc") => SparseMethod::Fitc,
        _ if given.is_some() => {
            let text = "inducing inputs go with `inference=\"vfe\"` or `inference=\"fitc\"`";
            return Err(LangError::new(text).argument("inducing"));
        }
        _ => return Ok(None),
    };
    if classes {
        let text = "inducing inputs are for a target of numbers with Gaussian noise";
        let help = "for classes write `inference=\"ep\"`, or the faster `inference=\"laplace\"`";
        return Err(LangError::new(text).argument("inference").help(help));
    }
    let inducing = match given {
        None => Inducing::Count(DEFAULT_INDUCING),
        Some(value) => inducing(value).map_err(|error| error.argument("inducing"))?,
    };
    Ok(Some(Sparse { method, inducing }))
}

fn inducing(value: Value) -> Res<Inducing> {
    let rows = match &value {
        Value::Range(_) => {
            Vec::<f64>::from_value(value.clone())?.into_iter().map(|x| (vec![Entry::Number(x)], false)).collect()
        }
        Value::Number(count) if *count == 0.0 => return Err(LangError::new(InducingError::None.to_string())),
        Value::Number(count) if *count >= 1.0 && count.fract() == 0.0 && *count < 1e9 => {
            return Ok(Inducing::Count(*count as usize));
        }
        Value::Number(_) => {
            return Err(LangError::new("the number of inducing inputs is a whole number from 1 to 999,999,999"));
        }
        Value::Data(data) => return Ok(Inducing::Data { data: data.clone(), fixed: false }),
        Value::Record(record) => match (record.fields(), record.get(FIXED)) {
            ([_], Some(Value::Data(data))) => return Ok(Inducing::Data { data: data.clone(), fixed: true }),
            _ => return Err(expected("a number, a list of inputs, or data", &value)),
        },
        Value::List(list) => list.items().iter().enumerate().map(|(i, item)| row(item, i)).collect::<Res<Vec<_>>>()?,
        other => return Err(expected("a number, a list of inputs, or data", other)),
    };
    if rows.is_empty() {
        return Err(LangError::new(InducingError::None.to_string()));
    }
    let fixed = rows.iter().filter(|(_, fixed)| *fixed).count();
    if fixed != 0 && fixed != rows.len() {
        let text = "inducing inputs are all fixed or none is";
        return Err(LangError::new(text).help("write `fixed([…])` around the whole list"));
    }
    Ok(Inducing::Rows { rows: rows.into_iter().map(|(row, _)| row).collect(), fixed: fixed != 0 })
}

/// One inducing input, and whether it is fixed.
fn row(item: &Value, place: usize) -> Res<(Vec<Entry>, bool)> {
    let entries = match item {
        Value::List(list) => list.items().iter().map(|item| entry(item, place)).collect::<Res<Vec<_>>>()?,
        item => vec![entry(item, place)?],
    };
    // a category cannot be optimised
    let fixed = entries.iter().any(|(_, fixed)| *fixed);
    Ok((entries.into_iter().map(|(entry, _)| entry).collect(), fixed))
}

fn entry(item: &Value, place: usize) -> Res<(Entry, bool)> {
    match item {
        Value::Number(x) => Ok((Entry::Number(*x), false)),
        Value::Str(text) => Ok((Entry::Level(text.clone()), false)),
        Value::Param(param) if param.is_fixed() => match param.value() {
            Some(x) => Ok((Entry::Number(x), true)),
            None => Err(expected("a number", item)),
        },
        other => Err(expected(&format!("a number for inducing input {place}"), other)),
    }
}
