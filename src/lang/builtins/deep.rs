//! Deep Gaussian processes: their definition.

use std::sync::Arc;

use crate::deep::{
    DEFAULT_INDUCING, DEFAULT_SAMPLES, DeepModel, DefinitionError, Inference, Optimizer, PseudoPrior, StartsFrom, Units,
};
use crate::kernel::{Kernel, families};
use crate::lang::error::{LangError, Res};
use crate::lang::eval::evaluator::{Builtin, Call, Touches};
use crate::lang::signature::{Group, Place, Want};
use crate::lang::values::cast::FromValue;
use crate::lang::values::value::{Kind, Value};
use crate::model::Noise;

use super::models::given_noise;

fn deepgp(call: &mut Call<'_, '_>) -> Res<Value> {
    let layers = call.or("layers", 2)?;
    let units = match call.maybe::<Value>("units")? {
        None => Units::Same(1),
        Some(Value::Number(units)) => {
            Units::Same(usize::from_value(Value::Number(units)).map_err(|t| t.argument("units"))?)
        }
        Some(list) => {
            let units = list.items().into_iter().flatten().map(usize::from_value).collect::<Res<Vec<_>>>();
            Units::Each(units.map_err(|t| t.argument("units"))?)
        }
    };
    let kernels = match call.maybe::<Value>("kernel")? {
        None => families::family("SE").map(Kernel::family).into_iter().collect(),
        Some(Value::Kernel(kernel)) => vec![kernel],
        Some(list) => {
            let kernels = list.items().into_iter().flatten().map(Kernel::from_value).collect::<Res<Vec<_>>>();
            kernels.map_err(|t| t.argument("kernel"))?
        }
    };
    let connected = call.or("connected", false)?;
    let inducing = call.or("inducing", DEFAULT_INDUCING)?;
    let samples = call.or("samples", DEFAULT_SAMPLES)?;
    let noise = match given_noise(call)? {
        None => crate::param::Param::default(),
        Some(Noise::Variance(param)) => param,
        Some(Noise::Known(_)) => {
            let error = LangError::new("a deep GP has one noise variance for all rows").argument("noise");
            return Err(error.help("leave `noise` out, or give a number"));
        }
    };
    let prior = match call.maybe::<Arc<str>>("prior")?.as_deref() {
        Some("outputs") => PseudoPrior::Outputs,
        Some("none") => PseudoPrior::Nothing,
        _ => PseudoPrior::Whitened,
    };
    let inference = match call.maybe::<Arc<str>>("inference")?.as_deref() {
        Some("dgps") => Inference::Dgps,
        _ => Inference::Variational,
    };
    let optimizer = match call.maybe::<Arc<str>>("optimizer")?.as_deref() {
        Some("adam") => Optimizer::Adam,
        _ => Optimizer::Bfgs,
    };
    let steps = Vec::new();
    let starts = match call.maybe::<Arc<str>>("starts")?.as_deref() {
        Some("data") => StartsFrom::Data,
        Some("random") => StartsFrom::Random,
        _ => StartsFrom::Mixed,
    };
    let model = DeepModel {
        steps,
        layers,
        units,
        kernels,
        connected,
        inducing,
        samples,
        noise,
        prior,
        inference,
        optimizer,
        starts,
    };
    match model.checked() {
        Ok(model) => Ok(Value::DeepModel(Arc::new(model))),
        Err(error) => Err(refused(&error)),
    }
}

fn refused(error: &DefinitionError) -> LangError {
    let help = match error {
        DefinitionError::NoLayers => "`layers=1` is one Gaussian process with pseudo data".to_string(),
        DefinitionError::TooManyLayers(_) => "functions no longer change after a few layers: take fewer".to_string(),
        DefinitionError::Units(_) => "write `units=1`, or a list with a number for each hidden layer".to_string(),
        DefinitionError::UnitsCount { layers, .. } => {
            let hidden = vec!["1"; layers - 1].join(", ");
            format!("`units=[{hidden}]` has one number for each hidden layer; the last layer of a fit has one unit")
        }
        DefinitionError::KernelsCount { .. } => "`kernel=SE` is the same in every layer".to_string(),
        DefinitionError::NoInducing => format!("leave it out for {DEFAULT_INDUCING}"),
        DefinitionError::PriorOfVariational => "leave `prior` out, or add `inference=\"dgps\"`".to_string(),
        DefinitionError::NoSamples | DefinitionError::TooManySamples(_) => {
            format!("leave it out for {DEFAULT_SAMPLES}")
        }
    };
    LangError::new(error.to_string()).argument(error.argument()).help(help)
}

pub static DEEP: &[Builtin] = &[Builtin {
    name: "deepgp",
    aliases: &[],
    group: Group::Models,
    places: &[
        Place::optional("layers", Want::Count, "2", "the number of layers"),
        Place::keyword(
            "units",
            Want::Either(&[Want::Count, Want::Items]),
            "1",
            "the number of units of each hidden layer, or a list of one number for each",
        ),
        Place::keyword(
            "kernel",
            Want::Each(&Want::Kind(Kind::Kernel)),
            "SE",
            "the kernel of every layer, or a list of one kernel for each",
        ),
        Place::keyword("connected", Want::BOOL, "false", "whether every layer also depends on the inputs"),
        Place::keyword("inducing", Want::Count, "10", "inducing inputs of each layer"),
        Place::keyword(
            "samples",
            Want::Count,
            "5",
            "the number of samples of the hidden layers by which the likelihood is estimated",
        ),
        Place::keyword("noise", Want::Param, "a free parameter", "the noise variance of all rows, above 0"),
        Place::keyword("noise_sd", Want::Param, "", "the noise standard deviation, in place of `noise`"),
        Place::keyword(
            "inference",
            Want::Choice(&["variational", "dgps"]),
            "\"variational\"",
            "the approximation of the pseudo outputs: a normal posterior, or point estimates (Vafa's algorithm)",
        ),
        Place::keyword(
            "prior",
            Want::Choice(&["whitened", "outputs", "none"]),
            "\"whitened\"",
            "with `inference=\"dgps\"`: the coordinates in which the prior density of the pseudo outputs enters the objective",
        ),
        Place::keyword("optimizer", Want::Choice(&["bfgs", "adam"]), "\"bfgs\"", "the optimiser"),
        Place::keyword(
            "starts",
            Want::Choice(&["mixed", "data", "random"]),
            "\"mixed\"",
            "the starts of training: most from the data and some random, or only one kind",
        ),
    ],
    result: Some(Kind::DeepModel),
    summary: "a deep Gaussian process: each layer is a function of the values of the layer before",
    help: "The kernel of the first layer depends on the inputs of the data, those of later layers on the units of the \
          layer before. Only the last layer has noise. Steps such as `standardize` come before it: \
          `standardize >> deepgp(layers=2)`. With `inference=\"variational\"` the posterior of the pseudo outputs of \
          each layer is approximated by a normal distribution, and training maximises a lower bound of the log marginal \
          likelihood, which is estimated from samples of the hidden layers. With `inference=\"dgps\"`, Vafa's \
          algorithm, the pseudo outputs are parameters, and training maximises the estimate of the log likelihood plus \
          their log prior density: `prior=\"outputs\"` is that of the pseudo outputs themselves, which favours \
          coinciding inducing inputs, `\"whitened\"` that of the pseudo outputs multiplied by the inverse of the \
          Cholesky factor of their covariance, and `\"none\"` leaves it out. A free noise variance then has a prior, \
          by default log-normal with a median of 0.1 times the variance of the target and a standard deviation of the \
          logarithm of 1.",
    examples: &["deepgp(layers=3, units=2, connected=true)", "deepgp(layers=2, kernel=[Matern32, SE], inducing=20)"],
    touches: Touches::Nothing,
    run: deepgp,
}];
