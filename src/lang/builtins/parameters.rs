//! Parameters and priors: `fixed`, `between`, `param`, `Normal` and others.

use std::sync::Arc;

use super::inducing::FIXED;
use crate::kernel::Kernel;
use crate::lang::error::{LangError, Res};
use crate::lang::eval::evaluator::Call;
use crate::lang::eval::evaluator::{Builtin, Touches};
use crate::lang::numerals::number;
use crate::lang::signature::{Group, Place, Want};
use crate::lang::values::cast::{FromValue, expected, no_time};
use crate::lang::values::value::{Kind, Record, Value};
use crate::param::{Density, Measure, PRIORS, Param, Prior, State, Tie};

fn value(state: State) -> Value {
    Value::Param(Arc::new(state.into()))
}

fn fixed(call: &mut Call<'_, '_>) -> Res<Value> {
    match call.arg::<Value>("value")? {
        Value::Number(x) => finite(x).map(State::Fixed).map(value).map_err(|t| t.argument("value")),
        Value::Param(param) => match param.value() {
            Some(x) => Ok(Value::Param(Arc::new(Param { state: State::Fixed(x), ..(*param).clone() }))),
            None => Err(LangError::new("a parameter without a value cannot be fixed").argument("value")),
        },
        Value::Kernel(kernel) => fixed_kernel(&kernel).map(Value::Kernel).map_err(|t| t.argument("value")),
        Value::Str(text) => {
            let (x, measure) = Measure::read(&text).ok_or_else(|| no_time(&text).argument("value"))?;
            Ok(Value::Param(Arc::new(Param { time: Some(measure), ..Param::fixed(x) })))
        }
        Value::List(list) => Value::list(list.items().iter().map(fixed_entry).collect::<Res<Vec<_>>>()?),
        data @ Value::Data(_) => Ok(Value::Record(Arc::new(Record::default().with(FIXED, data)))),
        other => Err(expected("a number", &other).argument("value")),
    }
}

/// An item of a list, such as of inducing inputs: numbers become fixed, names of categories do not change.
fn fixed_entry(value: &Value) -> Res<Value> {
    match value {
        Value::Number(x) => {
            finite(*x).map(|x| Value::Param(Arc::new(Param::fixed(x)))).map_err(|t| t.argument("value"))
        }
        Value::List(list) => Value::list(list.items().iter().map(fixed_entry).collect::<Res<Vec<_>>>()?),
        Value::Param(_) | Value::Str(_) => Ok(value.clone()),
        other => Err(expected("a number", other).argument("value")),
    }
}

/// The kernel with every parameter that has a value fixed at it.
fn fixed_kernel(kernel: &Kernel) -> Res<Kernel> {
    let mut any = false;
    let held = kernel.map_params(&mut |param| match param.value() {
        Some(x) => {
            any = true;
            Param { state: State::Fixed(x), ..param.clone() }
        }
        None => param.clone(),
    });
    if any {
        return Ok(held);
    }
    let help = "write the values, as in `fixed(SE(x, l=2, v=1))`, or use a fitted kernel: `fixed(f.kernel)`";
    Err(LangError::new(format!("no parameter of {kernel} has a value to be fixed at")).help(help))
}

fn finite(x: f64) -> Res<f64> {
    if x.is_finite() { Ok(x) } else { Err(LangError::new(format!("a parameter must be finite, found {}", number(x)))) }
}

fn between(call: &mut Call<'_, '_>) -> Res<Value> {
    let (lo, lo_time) = bound(call.arg("lo")?).map_err(|t| t.argument("lo"))?;
    let (hi, hi_time) = bound(call.arg("hi")?).map_err(|t| t.argument("hi"))?;
    let start = call.maybe::<Value>("start")?.map(bound).transpose().map_err(|t| t.argument("start"))?;
    let like = |a: Option<Measure>, b: Option<Measure>| {
        matches!(
            (a, b),
            (None, None)
                | (Some(Measure::Length(_)), Some(Measure::Length(_)))
                | (Some(Measure::Date(_)), Some(Measure::Date(_)))
        )
    };
    if !like(lo_time, hi_time) || start.is_some_and(|(_, time)| !like(lo_time, time)) {
        let error = LangError::new("bounds and start are all numbers, all lengths of time, or all dates");
        return Err(error.help("write `between(\"1 day\", \"2 weeks\")`").argument("hi"));
    }
    let to_lo = |x: f64, time: Option<Measure>| match (time, lo_time) {
        (Some(time), Some(lo)) => time.convert(x, lo.unit()),
        _ => x,
    };
    let (hi, start) = (to_lo(hi, hi_time), start.map(|(x, time)| to_lo(x, time)));
    if lo >= hi {
        let error = LangError::new(format!("the bounds are the wrong way round: {} to {}", number(lo), number(hi)));
        return Err(error.help(format!("write `between({}, {})`", number(hi), number(lo))).argument("lo"));
    }
    if let Some(x) = start.filter(|x| !(lo..=hi).contains(x)) {
        let error = LangError::new(format!("the start {} is not between {} and {}", number(x), number(lo), number(hi)));
        return Err(error.argument("start"));
    }
    let state = State::Bounded { lo, hi, value: start };
    Ok(Value::Param(Arc::new(Param { time: lo_time, ..state.into() })))
}

/// A number, or the text of a time.
const BOUND: Want = Want::Either(&[Want::NUMBER, Want::STRING]);

/// A bound: a number, a duration or a date.
fn bound(value: Value) -> Res<(f64, Option<Measure>)> {
    match value {
        Value::Str(text) => Measure::read(&text).map(|(x, measure)| (x, Some(measure))).ok_or_else(|| no_time(&text)),
        other => Ok((finite(f64::from_value(other)?)?, None)),
    }
}

fn param(call: &mut Call<'_, '_>) -> Res<Value> {
    let first: Value = call.arg("name")?;
    let start: Option<Value> = call.maybe("value")?;
    let Value::Str(name) = first else {
        if start.is_some() {
            return Err(expected("a name before the value", &first).argument("name"));
        }
        let inner = Param::from_value(first).map_err(|t| t.argument("name"))?;
        let tie = inner.tie.clone().unwrap_or_else(|| Tie::new(""));
        return Ok(Value::Param(Arc::new(Param { tie: Some(tie), ..inner })));
    };
    if let Some((known, place)) = call.eval.host.named.get(&name) {
        // Evaluated again, in a loop or a function, the same text means the same parameter.
        if start.is_some() && *place != call.span {
            return Err(LangError::new(format!("`param({name}, …)` is written twice in this statement"))
                .help(format!("write `param({name})` the second time"))
                .argument("name"));
        }
        return Ok(Value::Param(Arc::new(known.clone())));
    }
    let bound = match call.eval.bound_value(&name) {
        Some(Value::Param(param)) if param.tie.is_some() => Some(Arc::unwrap_or_clone(param)),
        Some(value @ (Value::Number(_) | Value::Param(_) | Value::Dist(_))) => {
            let inner = Param::from_value(value)?;
            Some(Param { tie: Some(Tie::new(name.clone())), ..inner })
        }
        _ => None,
    };
    let made = match (start, bound) {
        (None, Some(bound)) => bound,
        (start, _) => {
            let start = start.map(Param::from_value).transpose().map_err(|t| t.argument("value"))?.unwrap_or_default();
            Param { tie: Some(Tie::new(name.clone())), ..start }
        }
    };
    call.eval.host.named.insert(name, (made.clone(), call.span));
    Ok(Value::Param(Arc::new(made)))
}

/// An argument of a prior: a number, or a time if the prior can have one.
fn argument(prior: &str, place: &str, value: Value) -> Res<(f64, Option<Measure>)> {
    let (x, time) = match value {
        Value::Str(text) => Measure::read(&text).map(|(x, time)| (x, Some(time))).ok_or_else(|| no_time(&text))?,
        other => (f64::from_value(other)?, None),
    };
    let length = matches!((prior, place), ("LogNormal", "mean") | ("Normal" | "HalfNormal", "sd"));
    let any = matches!((prior, place), ("Normal", "mean") | ("Uniform", _));
    match time {
        None => Ok((x, time)),
        Some(Measure::Length(_)) if length || any => Ok((x, time)),
        Some(Measure::Date(_)) if any => Ok((x, time)),
        Some(Measure::Date(_)) if length => {
            Err(LangError::new(format!("`{place}` of `{prior}` is a length of time")).help("write it as \"2 weeks\""))
        }
        Some(_) => Err(LangError::new(format!("`{place}` of `{prior}` is not a time: give a number"))
            .help("a prior over lengths of time is written `LogNormal(\"3 months\", 1)`, whose median is 3 months")),
    }
}

/// The prior with this name in [`PRIORS`].
/// A distribution in words: its name may have been written in lower case.
fn noun(name: &str) -> &'static str {
    match name {
        "Normal" => "a normal distribution",
        "LogNormal" => "a log-normal distribution",
        "Gamma" => "a gamma distribution",
        "HalfNormal" => "a half-normal distribution",
        "Uniform" => "a uniform distribution",
        _ => "the distribution",
    }
}

fn prior(call: &mut Call<'_, '_>) -> Res<Value> {
    let name = call.signature.name;
    let mut written = Vec::new();
    for place in &call.signature.places {
        written.push(argument(name, place.name, call.arg(place.name)?).map_err(|t| t.argument(place.name))?);
    }
    let time = written.iter().find_map(|(_, time)| *time);
    let mut args = Vec::new();
    for ((x, own), place) in written.into_iter().zip(&call.signature.places) {
        args.push(match (own, time) {
            (Some(own), Some(time)) if own.unit() != time.unit() => own.convert(x, time.unit()),
            (None, Some(_)) if !(name == "LogNormal" && place.name == "sd") => {
                let error =
                    LangError::new(format!("`{}` of {} must be a time, as the others are", place.name, noun(name)));
                return Err(error.help("write it as \"2 weeks\", or a place as \"2020-03-15\"").argument(place.name));
            }
            _ => x,
        });
    }
    if let ("LogNormal", Some(_), Some(median)) = (name, time, args.first_mut()) {
        if *median <= 0.0 {
            return Err(
                LangError::new("the median of a log-normal distribution must be longer than 0").argument("mean")
            );
        }
        *median = median.ln();
    }
    if let Some(density) = Density::new(name, &args) {
        return Ok(Value::Dist(Prior { density, time }));
    }
    if let (Some(place), [lo, hi]) = (call.signature.places.first(), args.as_slice())
        && name == "Uniform"
        && lo >= hi
    {
        let text =
            format!("the bounds of a uniform distribution are the wrong way round: {} to {}", number(*lo), number(*hi));
        return Err(LangError::new(text).argument(place.name));
    }
    let real = |place: &Place| matches!(place.name, "mean" | "lo" | "hi");
    let wrong =
        call.signature.places.iter().zip(&args).find(|(place, x)| !x.is_finite() || (!real(place) && **x <= 0.0));
    Err(match wrong {
        Some((place, x)) => {
            let what = if real(place) { "finite" } else { "positive" };
            let of = noun(name);
            LangError::new(format!("`{}` of {of} must be {what}, found {}", place.name, number(*x)))
                .argument(place.name)
        }
        None => LangError::new(format!("{} cannot have these arguments", noun(name))),
    })
}

/// The one-line help of a prior, from its declaration.
const fn summary(name: &str) -> &'static str {
    let mut i = 0;
    while i < PRIORS.len() {
        if same(PRIORS[i].0, name) {
            return PRIORS[i].3;
        }
        i += 1;
    }
    panic!("no such prior")
}

const fn same(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    if a.len() != b.len() {
        return false;
    }
    let mut i = 0;
    while i < a.len() {
        if a[i] != b[i] {
            return false;
        }
        i += 1;
    }
    true
}

const fn distribution(
    name: &'static str,
    aliases: &'static [&'static str],
    places: &'static [Place],
    examples: &'static [&'static str],
) -> Builtin {
    Builtin {
        name,
        aliases,
        group: Group::Parameters,
        places,
        result: Some(Kind::Dist),
        summary: summary(name),
        help: "A prior, in the units of the data, written after `~`. The fit is then the mode of the posterior. Where the input is \
               a time, lengths and dates are written as text: `l ~ LogNormal(\"3 months\", 1)` has a median of 3 months, \
               `at ~ Normal(\"2020-03-15\", \"2 weeks\")`. Normal and uniform densities are also what integrals are taken against: \
               `integrate(f, over=normal(0, 1))`.",
        examples,
        touches: Touches::Nothing,
        run: prior,
    }
}

const MEAN: Place = Place::required("mean", BOUND, "its mean");
const SD: Place = Place::required("sd", BOUND, "its standard deviation, positive");

pub static PARAMETERS: &[Builtin] = &[
    Builtin {
        name: "fixed",
        aliases: &[],
        group: Group::Parameters,
        places: &[Place::required(
            "value",
            Want::Either(&[Want::Param, Want::Kind(Kind::Kernel), Want::Kind(Kind::Data)]),
            "the value, a list of values, a kernel, or data",
        )],
        result: None,
        summary: "a parameter that is not optimised, or a kernel with every given value fixed",
        help: "In a kernel, every parameter that has a value is fixed; one without a value stays free. The \
               kernel of a fit, `f.kernel`, has all its values. In a list, each number is fixed; \
               `inducing=fixed(data)` keeps the inducing inputs at the rows of data.",
        examples: &["SE(0, l=fixed(2))", "fixed(SE(0, l=2)) + Lin(0)"],
        touches: Touches::Nothing,
        run: fixed,
    },
    Builtin {
        name: "between",
        aliases: &[],
        group: Group::Parameters,
        places: &[
            Place::required("lo", BOUND, "the least value"),
            Place::required("hi", BOUND, "the greatest value"),
            Place::optional("start", BOUND, "from the data", "where a fit starts"),
        ],
        result: Some(Kind::Param),
        summary: "a parameter that stays between two bounds",
        help: "",
        examples: &["SE(0, l=between(0.1, 10, 2.3))"],
        touches: Touches::Nothing,
        run: between,
    },
    Builtin {
        name: "param",
        aliases: &[],
        group: Group::Parameters,
        places: &[
            Place::required("name", Want::Word, "its name, or its value"),
            Place::optional("value", Want::Param, "from the data", "its value, bounds or prior"),
        ],
        result: Some(Kind::Param),
        summary: "a parameter that several places share",
        help: "`let s = param(1.0)` and then `s` in two places ties the two. Kernels print such a parameter as \
               `param(s, 1.0)` at its first occurrence and as `param(s)` afterwards, which reads back.",
        examples: &["let s = param(1.0)\nSE(0, l=s) + SE(1, l=s)"],
        touches: Touches::Nothing,
        run: param,
    },
    distribution("Normal", &["normal"], &[MEAN, SD], &["Lin(0, c ~ Normal(0, 1))"]),
    distribution(
        "LogNormal",
        &["lognormal"],
        &[
            Place::required("mean", BOUND, "the mean of the logarithm; of times the median, such as \"3 months\""),
            Place::required("sd", Want::NUMBER, "the standard deviation of the logarithm, positive"),
        ],
        &["SE(0, l ~ LogNormal(0, 1))"],
    ),
    distribution(
        "Gamma",
        &["gamma"],
        &[
            Place::required("shape", BOUND, "positive; the mean is shape/rate"),
            Place::required("rate", BOUND, "positive"),
        ],
        &["SE(0, l=2 ~ Gamma(2, 1))"],
    ),
    distribution("HalfNormal", &["halfnormal"], &[SD], &["SE(0, v ~ HalfNormal(1))"]),
    distribution(
        "Uniform",
        &["uniform"],
        &[Place::required("lo", BOUND, "the least value"), Place::required("hi", BOUND, "the greatest value")],
        &["Per(0, p ~ Uniform(0.5, 2))"],
    ),
];
