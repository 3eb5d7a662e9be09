//! The mean of a model from the arguments of a call.

use crate::kernel::Kernel;
use crate::lang::error::{LangError, Res};
use crate::lang::eval::combinators;
use crate::lang::eval::evaluator::Call;
use crate::lang::eval::user_rows::UserRows;
use crate::lang::signature::{Place, Want};
use crate::lang::values::cast::FromValue;
use crate::lang::values::value::{Function, Value};
use crate::lang::wording::nearest;
use crate::model::{Mean, MeanFunction};
use crate::param::{Param, Tie};

pub const MEAN: Place = Place::keyword(
    "mean",
    Want::Either(&[Want::Choice(&["constant", "zero", "linear"]), Want::Param]),
    "\"constant\"",
    "the mean function: \"zero\", \"constant\" or \"linear\"; a number for a constant, a list for an offset and slopes",
);
pub const MEAN_OR_FUNCTION: Place = Place::keyword(
    "mean",
    Want::Either(&[Want::Choice(&["constant", "zero", "linear"]), Want::Param, Want::FUNCTION]),
    "\"constant\"",
    "the mean function: \"zero\", \"constant\" or \"linear\"; a number for a constant, a list for an offset and slopes; \
     or a function of the inputs",
);
/// The parameters of a function as the mean.
pub const PARAMETERS: Place = combinators::PARAMETERS.beside("mean");

/// A parameter without a tie: ties are for parameters of kernels.
pub(super) fn untied(value: Value) -> Res<Param> {
    let param = Param::from_value(value)?;
    match &param.tie {
        None => Ok(param),
        Some(_) => Err(tied()),
    }
}

fn tied() -> LangError {
    LangError::new("a tie joins parameters of the kernel, and not the noise or the mean, with others").help(
        "leave `param(…)` out for a parameter of its own; for noise tied to a kernel add `WN(v=param(…))` to it and write \
         `noise=0`",
    )
}

/// A user's function as the mean, with its parameters among the other arguments of the call.
pub(super) fn mean_function(call: &mut Call<'_, '_>, function: Function, kernel: &Kernel) -> Res<Mean> {
    let arguments = match &function {
        Function::Closure(closure) => closure.lambda.params.iter().map(|p| p.name.node.clone()).collect(),
        _ => Vec::new(),
    };
    let given = call.keywords();
    let (function, parameters) =
        UserRows::with_parameters(function, given, call.eval).map_err(|t| t.argument("mean"))?;
    let mut params = Vec::with_capacity(parameters.len());
    let mut seen: Vec<Tie> = kernel.ties();
    for (values, span) in parameters {
        // `param(…)` that occurs once is a parameter as any other
        for tie in values.as_slice().iter().filter_map(|param| param.tie.as_ref()) {
            if seen.contains(tie) {
                return Err(tied().at(span));
            }
            seen.push(tie.clone());
        }
        params.push(values.map(|param| Param { tie: None, ..param.clone() }));
    }
    Ok(Mean::Function(MeanFunction { function, arguments, params }))
}

pub(super) fn mean(value: Value) -> Res<Mean> {
    match value {
        Value::Str(word) => Ok(match &*word {
            "zero" => Mean::Zero,
            "linear" => Mean::Linear(Vec::new()),
            "constant" => Mean::Constant(Param::default()),
            _ => {
                let text = "expected \"constant\", \"zero\", \"linear\", a number, `fixed(…)`, `between(…)`, `param(…)` or a prior";
                let error = LangError::new(format!("{text} for the mean, found \"{word}\""));
                return Err(match nearest(&word, ["constant", "zero", "linear"]) {
                    Some(near) => error.help(format!("did you mean \"{near}\"?")),
                    None => error,
                });
            }
        }),
        Value::List(list) => {
            let params = list.items().iter().map(|item| untied(item.clone()));
            params.collect::<Res<Vec<_>>>().map(Mean::Linear)
        }
        value => untied(value).map(Mean::Constant),
    }
}
