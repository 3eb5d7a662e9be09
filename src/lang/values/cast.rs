//! Conversions of values to the types that builtins use, and messages for values of other kinds.

use std::sync::Arc;

use crate::data::Dataset;
use crate::fit::Fit;
use crate::kernel::{Kernel, Move};
use crate::lang::error::{LangError, Res};
use crate::lang::numerals::number;
use crate::lang::payload::list::check_length;
use crate::lang::payload::range::Range;
use crate::lang::payload::sheet::Sheet;
use crate::lang::values::value::{Function, Items, Kind, Value};
use crate::param::{Measure, Param, Prior};
use crate::results::Fitted;
use crate::search::Search;

/// A cast from a value. The error names the expected and the actual kind.
pub trait FromValue: Sized {
    fn from_value(value: Value) -> Res<Self>;
}

/// `expected a kernel, found a list`.
pub fn expected(what: &str, found: &Value) -> LangError {
    // it is also of kind Fit, so its kind would not explain the error
    if let Value::OneVsRest(rest) = found {
        let text = format!("expected {what}, found one fit for each of {} classes", rest.classes.len());
        let error = LangError::new(text).label("these are several fits");
        return error.help(format!("take one: `.fits[0]` is that of {} against the rest", rest.classes[0]));
    }
    expected_kind(what, found.kind())
}

pub fn expected_kind(what: &str, found: Kind) -> LangError {
    let error = LangError::new(format!("expected {what}, found {}", found.noun()));
    let error = error.label(format!("this is {}", found.noun()));
    match of_deep_gps(found) {
        Some(help) => error.help(help),
        None => error,
    }
}

/// What can be done with a deep GP that was given where another value is expected.
pub fn of_deep_gps(found: Kind) -> Option<&'static str> {
    match found {
        Kind::DeepModel => Some(
            "a deep GP is a prior of functions: `sample`, `jacobian`, `density`, `feature_map`, `manifold` and `plot` take it, \
             and `fit(data, model)` trains it; it has no parts",
        ),
        Kind::DeepFit => Some(
            "`predict`, `score` and `plot` take a fit of a deep GP, and `.kernels` are those of its layers; it has no parts",
        ),
        _ => None,
    }
}

impl FromValue for Value {
    fn from_value(value: Value) -> Res<Self> {
        Ok(value)
    }
}

macro_rules! cast {
    ($kind:ident, $type:ty, $what:literal) => {
        impl FromValue for $type {
            fn from_value(value: Value) -> Res<Self> {
                match value {
                    Value::$kind(inner) => Ok(inner),
                    other => Err(expected($what, &other)),
                }
            }
        }
    };
}

cast!(Number, f64, "a number");
cast!(Bool, bool, "true or false");
cast!(Str, Arc<str>, "a string");
cast!(Range, Range, "a range");
cast!(Function, Function, "a function");
cast!(Kernel, Kernel, "a kernel");
cast!(Data, Arc<Dataset>, "data");
cast!(Search, Arc<Search>, "a search");
cast!(Table, Arc<Sheet>, "a table");
cast!(Dist, Prior, "a prior");
cast!(Move, Arc<Move>, "a move such as `swap(0, 1)`");

impl FromValue for Arc<Fit> {
    /// A search is converted to its best fit.
    fn from_value(value: Value) -> Res<Self> {
        match value {
            Value::Fit(fit) => Ok(fit),
            Value::Search(search) => Ok(search.best.clone()),
            other => Err(expected("a fit", &other)),
        }
    }
}

impl FromValue for Fitted {
    /// One fit, or one per class; a search is converted to its best fit.
    fn from_value(value: Value) -> Res<Self> {
        match value {
            Value::OneVsRest(rest) => Ok(Self::Rest(rest)),
            other => <Arc<Fit>>::from_value(other).map(Self::One),
        }
    }
}

impl FromValue for usize {
    fn from_value(value: Value) -> Res<Self> {
        match value {
            Value::Number(x) if x >= 0.0 && x.fract() == 0.0 && x < 9e15 => Ok(x as usize),
            Value::Number(x) => {
                Err(LangError::new(format!("expected a whole number that is not negative, found {}", number(x))))
            }
            other => Err(expected("a whole number", &other)),
        }
    }
}

impl FromValue for Items {
    fn from_value(value: Value) -> Res<Self> {
        value.items().ok_or_else(|| expected("a list", &value))
    }
}

impl FromValue for Vec<f64> {
    /// The numbers of a list or a range; a bare number is a list of one.
    fn from_value(value: Value) -> Res<Self> {
        if let Value::Number(x) = value {
            return Ok(vec![x]);
        }
        let items = value.items().ok_or_else(|| expected("numbers", &value))?;
        check_length(items.len())?;
        items.map(|item| f64::from_value(item).map_err(|t| t.within("in the list").label("in this list"))).collect()
    }
}

/// The error for a text that is neither a duration nor a date.
pub fn no_time(text: &str) -> LangError {
    LangError::new(format!(
        "expected a number, a length such as \"7 days\" or a date such as \"2020-03-15\", found {text:?}"
    ))
    .help("the units are seconds, minutes, hours, days, weeks, months and years")
}

impl FromValue for Param {
    /// A bare number is a free parameter with this starting value; a prior alone has no starting value.
    fn from_value(value: Value) -> Res<Self> {
        match value {
            Value::Number(x) => Ok(Param::free(x)),
            Value::Str(text) => match Measure::read(&text) {
                Some((x, measure)) => Ok(Param { time: Some(measure), ..Param::free(x) }),
                None => Err(no_time(&text)),
            },
            Value::Dist(prior) => Ok(Param { prior: Some(prior), ..Param::default() }),
            Value::Param(param) => Ok(Arc::unwrap_or_clone(param)),
            other => Err(expected("a number, `fixed(…)`, `between(…)` or `param(…)`", &other)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn casts_word_their_failure() {
        let failure = f64::from_value(Value::Bool(true)).unwrap_err();
        assert_eq!(failure.message(), "expected a number, found true or false");
    }
}
