//! Fits of all kinds of models.

use std::sync::Arc;

use super::fit_warnings;
use super::models::{DATA, MAXITER, RESTARTS, SEED, refused};
use super::target_scale::TRANSFORM;
use crate::data::Dataset;
use crate::lang::error::{LangError, Res};
use crate::lang::eval::evaluator::{Builtin, Call, Touches};
use crate::lang::payload::pipeline::Pipeline;
use crate::lang::signature::{Group, Place, Want};
use crate::lang::values::cast::FromValue;
use crate::lang::values::value::{Kind, Value};
use crate::results::Fitted;

fn fit_model(call: &mut Call<'_, '_>) -> Res<Value> {
    let asked: Value = call.arg("model")?;
    if let Value::DeepModel(model) = &asked {
        if call.maybe::<Arc<str>>("transform")?.is_some_and(|asked| *asked != *"none") {
            let error = LangError::new("a deep model takes the transform of the target as a step before it");
            return Err(error.argument("transform").help("write `transform(y=log) >> deepgp(…)`"));
        }
        return super::deep_results::fit(call, model);
    }
    let data: Arc<Dataset> = call.arg("data")?;
    let mut model = Pipeline::from_value(asked).and_then(Pipeline::model).map_err(|t| t.argument("model"))?;
    let options = super::models::options(call)?;
    let options = super::target_scale::on_asked_scale(call, [&mut model], options)?;
    fit_warnings::warn_of_spreads(call, &model, &data);
    fit_warnings::warn_of_time(call, &model, &data, options);
    let fitted = Fitted::new(&model, &data, options, call.eval.progress);
    match fitted.map_err(|error| refused(call, &data, error))? {
        Fitted::One(fit) => {
            fit_warnings::warn_of_end(call, &fit);
            Ok(Value::Fit(fit))
        }
        Fitted::Rest(rest) => {
            rest.fits.iter().for_each(|fit| fit_warnings::warn_of_end(call, fit));
            Ok(Value::OneVsRest(rest))
        }
    }
}

/// The model to fit.
const FIT_MODEL: Place = Place::required(
    "model",
    Want::Either(&[
        Want::Kind(Kind::Model),
        Want::Kind(Kind::Kernel),
        Want::Kind(Kind::Fit),
        Want::Kind(Kind::DeepModel),
    ]),
    "a model, a deep GP, or a kernel for the model `gp(kernel)`",
);

pub static FITTING: &[Builtin] = &[Builtin {
    name: "fit",
    aliases: &[],
    group: Group::Models,
    places: &[DATA, FIT_MODEL, TRANSFORM, RESTARTS, SEED, MAXITER],
    result: Some(Kind::Fit),
    summary: "the model with parameters that maximise the log marginal likelihood",
    help: "With priors, they maximise the posterior density in the optimiser's coordinates. With \
               `likelihood=\"bernoulli\"`, a target of more than two classes is fitted one class against the rest: \
               `.fits` are these fits, and predicted probabilities are normalised to add to 1. Ctrl-C ends it with the \
               best result so far.",
    examples: &["let d = data(x=0..30, y=[sin(x / 3) + cos(9 * x) / 5 for x in 0..30])\n(d |> fit(SE)).converged"],
    touches: Touches::Nothing,
    run: fit_model,
}];
