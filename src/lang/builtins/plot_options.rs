//! The keywords of `plot`, and the values to which each applies.

use crate::calendar::{self, TimeUnit};
use crate::describe::part_figures::Scales;
use crate::describe::{posterior_maps, slice_figures};
use crate::fit::Fit;
use crate::lang::error::{LangError, Res};
use crate::lang::eval::evaluator::Call;
use crate::lang::numerals::number;
use crate::lang::payload::explanation::Subject;
use crate::lang::payload::plot::Between;
use crate::lang::values::cast::FromValue;
use crate::lang::values::value::{Record, Value, check_length};
use crate::lang::wording::join_or;

/// A keyword of `plot`. The kinds to which it applies list it in [`PLOT`](crate::lang::values::value::ValueKind::PLOT).
struct FigureOption {
    name: &'static str,
    /// The values to which it applies, for the help of a message.
    applies_to: &'static str,
    /// Values of these kinds to which it does not apply.
    except: fn(&Value) -> bool,
}

const OPTIONS: &[FigureOption] = &[
    FigureOption {
        name: "band",
        applies_to: "a fit, a search or a prediction of a numeric target",
        except: |value| match value {
            Value::Fit(fit) => fit.problem().classes().is_some(),
            Value::Search(search) => search.best.problem().classes().is_some(),
            Value::Prediction(prediction) => prediction.probability.is_some(),
            _ => false,
        },
    },
    FigureOption {
        name: "x",
        applies_to: "a kernel or a deep GP (the range of the input) or a list of numbers (their places)",
        except: |value| match value {
            Value::Explanation(explanation) => !matches!(explanation.of, Subject::Kernel(_)),
            Value::Record(record) => all_numbers(record),
            _ => false,
        },
    },
    FigureOption {
        name: "y",
        applies_to: "a matrix with `mark=\"map\"` (the positions of its rows)",
        except: |value| match value {
            Value::Record(record) => all_numbers(record),
            _ => false,
        },
    },
    FigureOption {
        name: "show",
        applies_to: "a decomposition (\"parts\" or \"correlation\"), a search (\"depths\" or \"scores\"), a fit of a \
                     numeric target (\"posterior\", \"mean\", \"sd\", \"observed\" or \"slice\"), a prediction of one \
                     (\"mean\" or \"sd\") or a kernel",
        except: |value| match value {
            Value::Fit(fit) => fit.problem().classes().is_some(),
            Value::Prediction(prediction) => prediction.probability.is_some(),
            _ => false,
        },
    },
    FigureOption {
        name: "at",
        applies_to: "a kernel (the point x₀ of k(·, x₀)) and to `show=\"slice\"` for a fit",
        except: |value| matches!(value, Value::Fit(fit) if fit.problem().classes().is_some()),
    },
    FigureOption { name: "between", applies_to: "a decomposition with `show=\"correlation\"`", except: |_| false },
    FigureOption {
        name: "n",
        applies_to: "the maps of a fit of two numeric inputs and of `show=\"correlation\"`",
        except: |value| match value {
            Value::Fit(fit) => fit.problem().classes().is_some() || posterior_maps::two_inputs(fit).is_none(),
            _ => false,
        },
    },
    FigureOption { name: "mark", applies_to: "numbers: a list, or a record of lists", except: |_| false },
    FigureOption {
        name: "names",
        applies_to: "a list of several values, or of several lists of numbers",
        except: |value| match value {
            Value::List(list) => list.items().iter().all(|item| matches!(item, Value::Number(_))),
            _ => false,
        },
    },
    FigureOption {
        name: "deciles",
        applies_to: "a prediction of a numeric target",
        except: |value| matches!(value, Value::Prediction(prediction) if prediction.probability.is_some()),
    },
    FigureOption {
        name: "draws",
        applies_to: "a kernel, a prediction of a numeric target, or a fit of a deep GP",
        except: |value| matches!(value, Value::Prediction(prediction) if prediction.probability.is_some()),
    },
    FigureOption {
        name: "frames",
        applies_to: "a kernel or a prediction with `draws`, whose draws move, and a surface, which turns",
        except: |value| matches!(value, Value::Prediction(prediction) if prediction.probability.is_some()),
    },
    FigureOption { name: "view", applies_to: "a surface, also of a kernel of three inputs", except: |_| false },
    FigureOption {
        name: "scales",
        applies_to: "the parts of a decomposition or of an explained fit",
        except: |value| match value {
            Value::Explanation(explanation) => !matches!(explanation.of, Subject::Fit(_)),
            _ => false,
        },
    },
];

impl FigureOption {
    fn applies(&self, value: &Value) -> bool {
        let declared = value.kind().info().plot.is_some_and(|keywords| keywords.contains(&self.name));
        declared && !(self.except)(value)
    }
}

/// Several values in one figure.
pub struct Several {
    pub values: Vec<Value>,
    /// The names of the fields of a record.
    pub names: Option<Vec<String>>,
}

/// The values of a list or the fields of a record; another value by itself.
///
/// # Errors
/// A range without end.
pub fn parts(value: &Value) -> Res<Several> {
    if let Value::Record(record) = value {
        let (names, values) = record.fields().iter().cloned().unzip();
        return Ok(Several { values, names: Some(names) });
    }
    check_length(value.items().map_or(1, |items| items.len()))?;
    let values = value.items().map_or_else(|| vec![value.clone()], Iterator::collect);
    Ok(Several { values, names: None })
}

/// Whether a value is drawn as numbers: a number, or a list of them.
fn is_numeric(value: &Value) -> bool {
    matches!(value, Value::Number(_) | Value::List(_) | Value::Range(_))
}

/// Whether a value is a list of lists, such as draws.
fn of_lists(value: &Value) -> bool {
    match value {
        Value::List(list) => list.items().iter().any(|item| matches!(item, Value::List(_) | Value::Range(_))),
        _ => false,
    }
}

fn all_numbers(record: &Record) -> bool {
    record.fields().iter().all(|(_, value)| matches!(value, Value::Number(_)))
}

/// The values of a list or a record that are drawn over one another; `None` for a single value, and for numbers.
///
/// # Errors
/// Values of which one has no figure.
pub fn several(value: &Value) -> Res<Option<Several>> {
    let several = match value {
        Value::List(_) | Value::Record(_) => parts(value)?,
        _ => return Ok(None),
    };
    let drawn = |value: &Value| !is_numeric(value) && value.kind().info().plot.is_some();
    let lists = several.values.iter().all(|value| matches!(value, Value::List(_) | Value::Range(_)));
    let draws = lists && several.values.iter().any(of_lists);
    if !draws && !several.values.iter().any(drawn) {
        return Ok(None);
    }
    match several.values.iter().find(|value| value.kind().info().plot.is_none() || matches!(value, Value::Record(_))) {
        None => Ok(Some(several)),
        Some(other) => {
            let text = format!("{} cannot be drawn over other values", other.kind().noun());
            let help = "give values that `plot` draws by themselves, such as kernels, fits or predictions";
            Err(LangError::new(text).argument("value").help(help))
        }
    }
}

/// The values of a figure: several over one another, or one.
fn drawn(value: &Value) -> Res<Vec<Value>> {
    Ok(several(value)?.map_or_else(|| vec![value.clone()], |several| several.values))
}

fn noun(value: &Value) -> &'static str {
    match value {
        Value::Fit(fit) if fit.problem().classes().is_some() => "a fit of classes",
        Value::OneVsRest(_) => "a fit of classes",
        Value::ClassPrediction(_) => "a prediction of classes",
        Value::Prediction(prediction) if prediction.probability.is_some() => "a prediction of classes",
        other => other.kind().noun(),
    }
}

/// The values to which a keyword applies.
fn of_kind<'v>(name: &'static str, values: &'v [Value]) -> impl Iterator<Item = &'v Value> {
    let applies = move |value: &&Value| OPTIONS.iter().any(|option| option.name == name && option.applies(value));
    values.iter().filter(applies)
}

/// Rejects a keyword that the figure of this value does not use. In a figure of several values it must apply to one.
pub fn refuse_unused(call: &Call<'_, '_>, value: &Value) -> Res<()> {
    let values = drawn(value)?;
    for option in OPTIONS.iter().filter(|option| call.value(option.name).is_some()) {
        let of_several = option.name == "names" && values.len() > 1 && matches!(value, Value::List(_));
        if !of_several && !values.iter().any(|value| option.applies(value)) {
            let noun = values.first().map_or("a list", noun);
            let text = format!("`{}=` does not apply to the figure of {noun}", option.name);
            return Err(LangError::new(text)
                .help(format!("it applies to {}: leave it out here", option.applies_to))
                .argument(option.name));
        }
    }
    let still = |value: &Value| matches!(value, Value::Prediction(_)) && call.value("draws").is_none();
    if call.value("frames").is_some() && of_kind("frames", &values).all(still) {
        let text = "nothing moves in the frames of a prediction without draws";
        return Err(LangError::new(text).argument("frames").help("give `draws=` too"));
    }
    let deciles = matches!(call.value("deciles"), Some(Value::Bool(true)));
    if deciles && call.value("band").is_some() && of_kind("band", &values).all(|v| matches!(v, Value::Prediction(_))) {
        let text = "`band=` does not apply to bands between deciles, which are those of new observations";
        return Err(LangError::new(text).argument("band").help("leave one of the two out"));
    }
    refuse_without_show(call, &values)?;
    let Some(Value::Str(show)) = call.value("show") else { return Ok(()) };
    for value in values.iter().filter(|value| OPTIONS.iter().any(|o| o.name == "show" && o.applies(value))) {
        refuse_show(call, value, show)?;
    }
    Ok(())
}

/// Rejects a figure that a value does not have, and keywords that do not apply to the figure.
fn refuse_show(call: &Call<'_, '_>, value: &Value, show: &str) -> Res<()> {
    let known: &[&str] = match value {
        Value::Search(_) => &["depths", "scores"],
        Value::Kernel(_) => &["covariance", "variance", "draws", "slice", "terms"],
        Value::Fit(_) => &["posterior", "mean", "sd", "observed", "slice"],
        Value::Prediction(_) => &["mean", "sd"],
        _ => &["parts", "correlation"],
    };
    if !known.contains(&show) {
        let text = format!("{} has no figure called \"{show}\"", value.kind().noun());
        let known = join_or(known.iter().map(|name| format!("\"{name}\"")));
        return Err(LangError::new(text).help(format!("`show` is {known}")).argument("show"));
    }
    if let (Value::Fit(fit), "slice") = (value, show) {
        slice_of(call, fit)?;
    }
    let unused: &[&str] = match show {
        "scores" => &["band"],
        "observed" => &["band", "at", "n"],
        "posterior" => &["at"],
        "mean" => &["band", "at", "draws", "deciles", "frames"],
        "sd" => &["at", "draws", "deciles", "frames"],
        "correlation" => &["scales"],
        "parts" => &["between", "n"],
        "terms" => &["draws", "frames", "x"],
        "slice" if matches!(value, Value::Fit(_)) => &["n"],
        "covariance" => &["draws", "frames"],
        "variance" => &["draws", "frames", "at"],
        "draws" => &["at"],
        _ => &[],
    };
    match unused.iter().find(|name| call.value(name).is_some()) {
        None => Ok(()),
        Some(unused) => {
            let text = format!("`{unused}=` does not apply to the figure `show=\"{show}\"`");
            Err(LangError::new(text).help("leave one of the two out").argument(unused))
        }
    }
}

/// Rejects keywords that apply to a figure that `show` would choose.
fn refuse_without_show(call: &Call<'_, '_>, values: &[Value]) -> Res<()> {
    if call.value("show").is_some() {
        return Ok(());
    }
    let needs = |name: &'static str, show: &str| {
        let text = format!("`{name}=` applies to the figure `show=\"{show}\"`");
        Err(LangError::new(text).argument(name).help(format!("write `show=\"{show}\"` too")))
    };
    let only = |name: &'static str, is: fn(&Value) -> bool| call.value(name).is_some() && of_kind(name, values).all(is);
    let parts = |value: &Value| matches!(value, Value::Decomposition(_));
    match () {
        () if only("between", parts) => needs("between", "correlation"),
        () if only("n", parts) => needs("n", "correlation"),
        () if only("at", |value| matches!(value, Value::Fit(_))) => needs("at", "slice"),
        () => Ok(()),
    }
}

/// Rejects the slices of a fit of one input, and a point with another number of inputs.
fn slice_of(call: &Call<'_, '_>, fit: &Fit) -> Res<()> {
    let inputs = slice_figures::numeric_inputs(fit);
    if fit.problem().names().len() < 2 || inputs.is_empty() {
        let text = "a slice is along one of several inputs, and this fit has one";
        return Err(LangError::new(text).argument("show").help("leave `show` out: the posterior is along its input"));
    }
    let Some(at) = call.value("at") else { return Ok(()) };
    let given = Vec::<f64>::from_value(at.clone()).map_err(|error| error.argument("at"))?;
    if given.len() == inputs.len() && given.iter().all(|v| v.is_finite()) {
        return Ok(());
    }
    let text = match given.iter().find(|v| !v.is_finite()) {
        Some(wrong) => format!("the numbers of a point are finite, found {}", number(*wrong)),
        None => format!("a point has a number for each of {}, found {}", inputs.join(", "), given.len()),
    };
    Err(LangError::new(text).argument("at"))
}

/// The pairs of parts of a figure of correlations, if given.
pub fn between(call: &mut Call<'_, '_>) -> Res<Option<Between>> {
    let Some(value) = call.maybe::<Value>("between")? else { return Ok(None) };
    let labels: Vec<Value> = value.items().map_or_else(|| vec![value.clone()], Iterator::collect);
    match &labels[..] {
        [Value::Str(all)] if &**all == "all" => Ok(Some(Between::All)),
        [Value::Str(one), Value::Str(other)] => Ok(Some(Between::These(one.clone(), other.clone()))),
        _ => {
            let text = "`between` is the labels of two parts, or \"all\"";
            let help = "for example `between=[\"cement\", \"water\"]`; twice the same label is a part with itself";
            Err(LangError::new(text).argument("between").help(help))
        }
    }
}

/// The point of a covariance or of slices, if given.
pub fn point(call: &mut Call<'_, '_>) -> Res<Option<Vec<f64>>> {
    let point = match call.maybe::<Value>("at")? {
        Some(given) => Some(match days(&given) {
            Some(days) => days,
            None => Vec::<f64>::from_value(given).map_err(|error| error.argument("at"))?,
        }),
        None => None,
    };
    match point.iter().flatten().find(|v| !v.is_finite()) {
        None => Ok(point),
        Some(wrong) => {
            let text = format!("the numbers of a point are finite, found {}", number(*wrong));
            Err(LangError::new(text).argument("at"))
        }
    }
}

/// The numbers of days since 1970 of a range of dates or of a list of dates; `None` if it is neither.
pub fn days(value: &Value) -> Option<Vec<f64>> {
    let day = |item: Value| match item {
        Value::Str(text) => calendar::date(&text).map(|at| at.to(TimeUnit::Day)),
        _ => None,
    };
    match value {
        Value::Range(range) => range.dates.then(|| (0..range.len()).map(|i| range.at(i)).collect()),
        Value::List(list) if !list.items().is_empty() => value.items()?.map(day).collect(),
        _ => None,
    }
}

/// The number of points along each side of a map, if given.
pub fn points(call: &mut Call<'_, '_>) -> Res<Option<usize>> {
    const LEAST: usize = 2;
    const MOST: usize = 500;
    match call.maybe::<usize>("n")? {
        Some(n) if !(LEAST..=MOST).contains(&n) => {
            let text = format!("a map has {LEAST} to {MOST} points along each side, found {n}");
            Err(LangError::new(text).argument("n"))
        }
        n => Ok(n),
    }
}

/// Whether the panels of parts share a vertical scale, if given.
pub fn scales(call: &mut Call<'_, '_>) -> Res<Option<Scales>> {
    Ok(call.maybe::<std::sync::Arc<str>>("scales")?.map(|name| match &*name {
        "shared" => Scales::Shared,
        _ => Scales::Free,
    }))
}

/// The ends of a range, or two numbers. `what` begins the message about others.
pub fn ends(value: &Value, what: &str, argument: &'static str) -> Res<(f64, f64)> {
    let ends = match value {
        Value::Range(range) => Some((range.start, range.end)),
        other => {
            let numbers = || Vec::<f64>::from_value(other.clone()).map_err(|error| error.argument(argument));
            match days(other).map_or_else(numbers, Ok)?[..] {
                [lo, hi] => Some((lo, hi)),
                _ => None,
            }
        }
    };
    match ends {
        Some((lo, hi)) if lo < hi && (hi - lo).is_finite() => Ok((lo, hi)),
        Some((lo, hi)) if lo > hi && (lo - hi).is_finite() => {
            let text =
                format!("{what} is a range from the lower to the higher end, found {} to {}", number(lo), number(hi));
            let help = format!("write `{argument}=[{}, {}]`", number(hi), number(lo));
            Err(LangError::new(text).argument(argument).help(help))
        }
        _ => {
            let text = format!("{what} is a range with two ends, as in `{argument}=-3..=3`");
            Err(LangError::new(text).argument(argument))
        }
    }
}
