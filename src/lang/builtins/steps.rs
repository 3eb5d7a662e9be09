//! Preprocessing of columns: of data, or as steps of a model.

use std::sync::Arc;

use super::data::{column_of, lang_error, names, value};
use crate::data::{self, DataError, Dataset, Step, Which};
use crate::lang::error::{LangError, Res};
use crate::lang::eval::evaluator::Call;
use crate::lang::eval::evaluator::{Builtin, Touches};
use crate::lang::numerals::number;
use crate::lang::payload::pipeline::Pipeline;
use crate::lang::signature::{Group, Place, Want};
use crate::lang::values::cast::FromValue;
use crate::lang::values::value::{Kind, Value};

/// The transformed data if there are data, otherwise the steps.
fn stepped(data: Option<Arc<Dataset>>, steps: Vec<Step>) -> Result<Value, DataError> {
    let pipeline = Pipeline { steps, gp: None };
    match data {
        Some(data) => data::after_steps(&pipeline.steps, &data).map(value),
        None => Ok(Value::Model(Arc::new(pipeline))),
    }
}

/// `standardize(data, columns=…)`, or as a step `standardize` and `standardize(which="inputs")`.
fn standardize(call: &mut Call<'_, '_>) -> Res<Value> {
    let data: Option<Arc<Dataset>> = call.maybe("data")?;
    let which: Option<Arc<str>> = call.maybe("which")?;
    let columns = match (call.maybe::<Value>("columns")?, which.as_deref()) {
        (Some(_), Some(_)) => {
            return Err(LangError::new("`columns` and `which` both select what is standardized: leave out one")
                .argument("which"));
        }
        (Some(columns), None) => Which::Named(names(data.as_deref(), &columns).map_err(|t| t.argument("columns"))?),
        (None, Some("inputs")) => Which::Inputs,
        (None, Some("target")) => Which::Target,
        (None, _) => Which::All,
    };
    stepped(data, vec![Step::Standardize { columns }]).map_err(lang_error)
}

fn transform(call: &mut Call<'_, '_>) -> Res<Value> {
    let (mut steps, mut places) = (Vec::new(), Vec::new());
    let (lambda, mut used) = (call.maybe::<f64>("lambda")?, false);
    if let Some(lambda) = lambda.filter(|l| !(0.0..=data::LARGEST_POWER).contains(l)) {
        let text = format!("the power of `boxcox` is from 0 to {}, found {}", data::LARGEST_POWER, number(lambda));
        let lang_error = LangError::new(text).note("below 0 the predictive mean is not finite");
        return Err(lang_error.argument("lambda"));
    }
    for (column, function) in call.keywords() {
        let name = match &function.node {
            Value::Function(function) => function.name().map(str::to_owned),
            Value::Str(name) => Some(name.to_string()),
            _ => None,
        };
        let Some(found) = name.as_deref().and_then(data::Function::named) else {
            let known: Vec<&str> = data::Function::names().collect();
            return Err(LangError::new("a transform is one of the functions whose inverse is known")
                .note(format!("these are {}", known.join(", ")))
                .at(function.span));
        };
        let found = match (found, lambda) {
            (data::Function::BoxCox(_), Some(_)) => {
                used = true;
                data::Function::BoxCox(lambda)
            }
            (found, _) => found,
        };
        steps.push(Step::Transform { column: column.node.to_string(), function: found });
        places.push(column);
    }
    if lambda.is_some() && !used {
        return Err(LangError::new("`lambda` is the power of `boxcox`, which no column uses").argument("lambda"));
    }
    if steps.is_empty() {
        return Err(LangError::new("`transform` needs a column and a function").help("write `transform(y=log)`"));
    }
    stepped(call.maybe("data")?, steps).map_err(|error| {
        let column = column_of(&error).and_then(|name| places.iter().rfind(|place| *place.node == *name));
        let span = column.map_or(call.span, |column| column.span);
        lang_error(error).at(span)
    })
}

/// The Box–Cox transform of a number or of every number of a list.
fn boxcox(call: &mut Call<'_, '_>) -> Res<Value> {
    let x: Value = call.arg("x")?;
    let lambda: f64 = call.arg("lambda")?;
    let single = matches!(x, Value::Number(_));
    let numbers = Vec::<f64>::from_value(x).map_err(|t| t.argument("x"))?;
    if let Some(bad) = numbers.iter().find(|x| **x <= 0.0) {
        return Err(LangError::new(format!("`boxcox` needs a positive number, found {}", number(*bad))).argument("x"));
    }
    let made: Vec<f64> = numbers.into_iter().map(|x| data::box_cox(x, lambda)).collect();
    match made[..] {
        [one] if single => Ok(Value::Number(one)),
        _ => Value::numbers(made),
    }
}

/// The normal scores of numbers.
fn warped(call: &mut Call<'_, '_>) -> Res<Value> {
    let values: Value = call.arg("values")?;
    let numbers = Vec::<f64>::from_value(values).map_err(|t| t.argument("values"))?;
    if numbers.iter().any(|x| x.is_nan()) {
        return Err(LangError::new("a missing value has no rank").argument("values"));
    }
    Value::numbers(data::normal_scores_of(&numbers))
}

pub static STEPS: &[Builtin] = &[
    Builtin {
        name: "standardize",
        aliases: &["standardise"],
        group: Group::Data,
        places: &[
            Place::optional("data", Want::Kind(Kind::Data), "", "a data set; without it this is a step of a model"),
            Place::keyword("columns", Want::Input, "", "only these columns"),
            Place::keyword(
                "which",
                Want::Choice(&["all", "inputs", "target"]),
                "\"all\"",
                "only the inputs, or the target",
            ),
        ],
        result: None,
        summary: "columns minus their mean, divided by their standard deviation",
        help: "In a model, `standardize >> gp(…)`, the mean and the standard deviation are those of the training rows, \
               and predictions come back in the units of the data.",
        examples: &["standardize >> gp(SE)"],
        touches: Touches::Nothing,
        run: standardize,
    },
    Builtin {
        name: "transform",
        aliases: &[],
        group: Group::Data,
        places: &[
            Place::optional("data", Want::Kind(Kind::Data), "", "a data set; without it this is a step of a model"),
            Place::keywords(
                "column",
                Want::Either(&[Want::FUNCTION, Want::STRING]),
                "a column and its function; `y` is the target",
            ),
            Place::keyword(
                "lambda",
                Want::NUMBER,
                "the one of maximum likelihood",
                "the power of `boxcox`, from 0 to 5",
            ),
        ],
        result: None,
        summary: "columns transformed by functions whose inverse is known",
        help: "The functions are log, log10, log1p, sqrt, logit, exp, boxcox and warped; the \
               last two are fitted to the training rows. A transform of the target is inverted for results: \
               predictions, densities and scores are those of y in its own units, and the log marginal likelihood \
               includes the derivative of the function.",
        examples: &[
            "transform(y=log) >> gp(SE + Per)",
            "let d = data(x=0..8, y=[exp(sin(x)) for x in 0..8])\n\
             (d |> fit(transform(y=boxcox) >> gp(SE), restarts=1)).lml",
        ],
        touches: Touches::Nothing,
        run: transform,
    },
    Builtin {
        name: "boxcox",
        aliases: &[],
        group: Group::Data,
        places: &[
            Place::required("x", Want::Numbers, "a positive number, or a list of them"),
            Place::required("lambda", Want::NUMBER, "the power; 0 for the logarithm"),
        ],
        result: None,
        summary: "(x^lambda - 1) / lambda, the power transform of Box and Cox",
        help: "As a step, `transform(y=boxcox)`, the power is the one of maximum likelihood for the training rows, \
               between 0 and 5, which the fit shows and BIC does not count as a parameter; `transform(y=boxcox, \
               lambda=0.5)` sets it. Values of a Gaussian below the range of the function stand for a target of 0.",
        examples: &["boxcox([1, 4, 9], 0.5)", "transform(y=boxcox, lambda=0.5) >> gp(SE)"],
        touches: Touches::Nothing,
        run: boxcox,
    },
    Builtin {
        name: "warped",
        aliases: &[],
        group: Group::Data,
        places: &[Place::required("values", Want::Items, "numbers")],
        result: Some(Kind::List),
        summary: "the normal scores of numbers: their ranks as quantiles of the normal distribution",
        help: "As a step, `transform(y=warped)`, it \
               is a piecewise linear function through the mean scores of groups of neighbouring training rows, \
               extended beyond its ends: a target of any distribution becomes nearly normal.",
        examples: &["warped([10, 2000, 30])", "transform(y=warped) >> gp(SE)"],
        touches: Touches::Nothing,
        run: warped,
    },
];
