//! Baseline models: a mean, linear regression, ridge regression, a sum of functions of one input each.

use std::sync::Arc;

use crate::kernel::wraps::{self, AdditiveForm, Bases};
use crate::kernel::{Inputs, Kernel, Values};
use crate::lang::error::{LangError, Res};
use crate::lang::eval::evaluator::Call;
use crate::lang::eval::evaluator::{Builtin, Touches};
use crate::lang::payload::pipeline::Pipeline;
use crate::lang::signature::{Group, Place, Want};
use crate::lang::values::cast::{FromValue, expected};
use crate::lang::values::value::{Function, Kind, Value};
use crate::model::{Mean, Model};
use crate::param::Param;

use super::means::{MEAN, mean};
use super::models::{NOISE, NOISE_SD, given_noise};

const COEFFICIENTS: &str = "a list: the offset, then a slope for each input";

/// The model with the noise and the mean of the call.
fn finished(call: &mut Call<'_, '_>, mut model: Model) -> Res<Value> {
    if let Some(noise) = given_noise(call)? {
        model = model.with_noise(noise);
    }
    if let Some(value) = call.maybe::<Value>("mean")? {
        let given = mean(value.clone()).map_err(|t| t.argument("mean"))?;
        let fits = matches!(
            (&model.mean, &given),
            (Mean::Constant(_), Mean::Constant(_)) | (Mean::Linear(_), Mean::Linear(_))
        );
        if !fits && model.baseline().is_some() {
            let what = match model.mean {
                Mean::Linear(_) => COEFFICIENTS,
                _ => "a number",
            };
            return Err(expected(what, &value).argument("mean"));
        }
        model.mean = given;
    }
    Ok(Value::Model(Arc::new(Pipeline::of(model))))
}

fn mean_only(call: &mut Call<'_, '_>) -> Res<Value> {
    finished(call, Model::mean_only())
}

fn linear(call: &mut Call<'_, '_>) -> Res<Value> {
    finished(call, Model::linear())
}

fn logistic(call: &mut Call<'_, '_>) -> Res<Value> {
    let mut model = Model::logistic();
    if let Some(value) = call.maybe::<Value>("mean")? {
        model.mean = match mean(value.clone()).map_err(|t| t.argument("mean"))? {
            given @ Mean::Linear(_) => given,
            _ => return Err(expected(COEFFICIENTS, &value).argument("mean")),
        };
    }
    Ok(Value::Model(Arc::new(Pipeline::of(model))))
}

fn ridge(call: &mut Call<'_, '_>) -> Res<Value> {
    let variance: Param = match call.maybe::<Value>("variance")? {
        Some(value) => Param::from_value(value).map_err(|t| t.argument("variance"))?,
        None => Param::default(),
    };
    let positive = variance.value().is_none_or(|v| v > 0.0 && v.is_finite());
    if !positive {
        return Err(LangError::new("the variance of slopes must be positive").argument("variance"));
    }
    finished(call, Model::ridge(variance))
}

/// The kernel that a combinator builds from the base, or from `SE`.
fn combined(call: &mut Call<'_, '_>, combinator: &str) -> Res<Kernel> {
    let entry = call
        .eval
        .library
        .find(combinator)
        .ok_or_else(|| LangError::new(format!("there is no combinator `{combinator}`")))?;
    let base = match call.maybe::<Value>("base")? {
        Some(base) => base,
        None => Value::Kernel(wraps::default_base()),
    };
    Kernel::from_value(call.apply(&Function::Known(entry), vec![base])?)
}

fn gam(call: &mut Call<'_, '_>) -> Res<Value> {
    let listed = matches!(call.value("base"), Some(Value::List(_)));
    // only the first order of all
    let whole = combined(call, "additive")?;
    let bases = match whole.children() {
        [base] if !listed => Bases::Like(base.clone()),
        bases => Bases::Each(bases.to_vec()),
    };
    let kernel = wraps::additive(AdditiveForm::Additive(Some(1)), bases, Inputs::All, vec![Values::Each(Vec::new())])
        .map_err(|error| LangError::new(error.to_string()).argument("base"))?;
    finished(call, Model::new(kernel.labelled("gam")))
}

fn hkl(call: &mut Call<'_, '_>) -> Res<Value> {
    let kernel = combined(call, "anova")?;
    finished(call, Model::new(kernel.labelled("hkl")))
}

const LINE: Place = Place::keyword("mean", Want::Param, "free", "an offset, then a slope for each input, as a list");
const BASE: Place = Place::optional(
    "base",
    Want::Either(&[Want::Kind(Kind::Kernel), Want::Kind(Kind::List)]),
    "SE",
    "the kernel of each input, or a list with one kernel for each",
);
const CONSTANT: Place = Place::keyword("mean", Want::Param, "free", "the constant");

pub static BASELINES: &[Builtin] = &[
    Builtin {
        name: "mean_only",
        aliases: &[],
        group: Group::Models,
        places: &[NOISE, NOISE_SD, CONSTANT],
        result: Some(Kind::Model),
        summary: "a constant and noise, as a baseline",
        help: "",
        examples: &["let d = data(x=0..6, y=[1, 3, 2, 4, 3, 5])\nd |> fit(mean_only())"],
        touches: Touches::Nothing,
        run: mean_only,
    },
    Builtin {
        name: "linear",
        aliases: &["linear_regression"],
        group: Group::Models,
        places: &[NOISE, NOISE_SD, LINE],
        result: Some(Kind::Model),
        summary: "linear regression by least squares, with noise",
        help: "A \
               mean function without a kernel: the log marginal likelihood is greatest at the least-squares solution. \
               The noise variance is the mean squared residual.",
        examples: &["let d = data(x=0..6, y=[1, 3, 2, 4, 3, 5])\nd |> fit(linear())"],
        touches: Touches::Nothing,
        run: linear,
    },
    Builtin {
        name: "ridge",
        aliases: &[],
        group: Group::Models,
        places: &[
            Place::optional("variance", Want::Param, "free", "the prior variance of every slope").or(&["v"]),
            NOISE,
            NOISE_SD,
            CONSTANT,
        ],
        result: Some(Kind::Model),
        summary: "ridge regression, with the penalty chosen by the log marginal likelihood",
        help: "The weight of the penalty is noise / variance; both maximise the log marginal likelihood unless they \
               are given. Slopes of inputs in different units should not share one variance: \
               `standardize(which=\"inputs\") >> ridge()`.",
        examples: &[
            "ridge(variance=0.5)",
            "let d = data(a=0..6, b=[1, 0, 0, 1, 1, 0], y=[1, 3, 2, 4, 3, 5])\n\
             (d |> fit(standardize(which=\"inputs\") >> ridge(), restarts=2)).params",
        ],
        touches: Touches::Nothing,
        run: ridge,
    },
    Builtin {
        name: "logistic",
        aliases: &["logistic_regression"],
        group: Group::Models,
        places: &[LINE],
        result: Some(Kind::Model),
        summary: "logistic regression of two classes by maximum likelihood",
        help: "A mean function without a kernel, under the logistic link. For \
               linearly separable classes the likelihood has no maximum, and the fit reports it.",
        examples: &["let d = data(x=0..8, y=[0, 0, 1, 0, 1, 0, 1, 1])\n\
             (d |> fit(logistic())).params"],
        touches: Touches::Nothing,
        run: logistic,
    },
    Builtin {
        name: "gam",
        aliases: &[],
        group: Group::Models,
        places: &[BASE, NOISE, NOISE_SD, MEAN],
        result: Some(Kind::Model),
        summary: "a generalised additive model: a sum of functions of one input each",
        help: "The model `gp(additive(base, order=1))`. `decompose(by=\"input\")` shows the functions.",
        examples: &["gam(Matern52)"],
        touches: Touches::Nothing,
        run: gam,
    },
    Builtin {
        name: "hkl",
        aliases: &[],
        group: Group::Models,
        places: &[BASE, NOISE, NOISE_SD, MEAN],
        result: Some(Kind::Model),
        summary: "all interactions of the inputs, with one weight for each further input",
        help: "The model `gp(anova(base))`: the kernel of hierarchical kernel learning (Bach, 2009), whose \
               weight and length-scales maximise the log marginal likelihood here.",
        examples: &["hkl()"],
        touches: Touches::Nothing,
        run: hkl,
    },
];
