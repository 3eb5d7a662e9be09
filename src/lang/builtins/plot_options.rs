//! The keywords of `plot`, and the values to which each applies.

use crate::describe::part_figures::Scales;
use crate::lang::error::{LangError, Res};
use crate::lang::eval::evaluator::Call;
use crate::lang::payload::explanation::Subject;
use crate::lang::values::value::Value;

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
            _ => false,
        },
    },
    FigureOption {
        name: "show",
        applies_to: "a decomposition (\"parts\" or \"correlation\") or a search (\"depths\" or \"scores\")",
        except: |_| false,
    },
    FigureOption {
        name: "draws",
        applies_to: "a prediction of a numeric target, or a fit of a deep GP",
        except: |value| matches!(value, Value::Prediction(prediction) if prediction.probability.is_some()),
    },
    FigureOption { name: "view", applies_to: "a surface", except: |_| false },
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

/// Rejects a keyword that the figure of this value does not use.
pub fn refuse_unused(call: &Call<'_, '_>, value: &Value) -> Res<()> {
    for option in OPTIONS.iter().filter(|option| call.value(option.name).is_some()) {
        if !option.applies(value) {
            let noun = match value {
                Value::Fit(fit) if fit.problem().classes().is_some() => "a fit of classes",
                Value::OneVsRest(_) => "a fit of classes",
                Value::ClassPrediction(_) => "a prediction of classes",
                Value::Prediction(prediction) if prediction.probability.is_some() => "a prediction of classes",
                other => other.kind().noun(),
            };
            let text = format!("`{}=` does not apply to the figure of {noun}", option.name);
            return Err(LangError::new(text)
                .help(format!("it applies to {}: leave it out here", option.applies_to))
                .argument(option.name));
        }
    }
    let Some(Value::Str(show)) = call.value("show") else { return Ok(()) };
    let known: &[&str] =
        if matches!(value, Value::Search(_)) { &["depths", "scores"] } else { &["parts", "correlation"] };
    if !known.contains(&&**show) {
        let text = format!("{} has no figure called \"{show}\"", value.kind().noun());
        return Err(LangError::new(text)
            .help(format!("`show` is \"{}\" or \"{}\"", known[0], known[1]))
            .argument("show"));
    }
    let unused = match &**show {
        "scores" => "band",
        "correlation" => "scales",
        _ => return Ok(()),
    };
    if call.value(unused).is_some() {
        let text = format!("`{unused}=` does not apply to the figure `show=\"{show}\"`");
        return Err(LangError::new(text).help("leave one of the two out").argument(unused));
    }
    Ok(())
}

/// Whether the panels of parts share a vertical scale, if given.
pub fn scales(call: &mut Call<'_, '_>) -> Res<Option<Scales>> {
    Ok(call.maybe::<std::sync::Arc<str>>("scales")?.map(|name| match &*name {
        "shared" => Scales::Shared,
        _ => Scales::Free,
    }))
}

/// The range of the input in the figure of a kernel, if given: from the least to the greatest number.
pub fn input_range(call: &mut Call<'_, '_>) -> Res<Option<(f64, f64)>> {
    let ends = match call.value("x") {
        Some(Value::Range(range)) => {
            let ends = (range.start, range.end);
            call.maybe::<Value>("x")?;
            ends
        }
        _ => {
            let Some(values) = call.maybe::<Vec<f64>>("x")? else { return Ok(None) };
            values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(lo, hi), v| (lo.min(*v), hi.max(*v)))
        }
    };
    let (lo, hi) = (ends.0.min(ends.1), ends.0.max(ends.1));
    if !(lo.is_finite() && hi.is_finite() && (hi - lo).is_finite() && lo < hi) {
        return Err(
            LangError::new("for a kernel or a deep GP, `x` is a range with two ends, as in `x=-3..=3`").argument("x")
        );
    }
    Ok(Some((lo, hi)))
}
