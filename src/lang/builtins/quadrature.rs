//! Bayesian quadrature: integrals of functions and of evaluated points.

use std::sync::Arc;

use crate::data::Dataset;
use crate::kernel::Kernel;
use crate::lang::error::{LangError, Res};
use crate::lang::eval::evaluator::{Builtin, Call, Touches};
use crate::lang::payload::integral::Integrated;
use crate::lang::signature::{Group, Place, Want};
use crate::lang::values::cast::FromValue;
use crate::lang::values::value::{Function, Kind, Value};
use crate::quadrature::{
    Density, Evaluations, Integral, PriorMean, QuadratureError, Settings, Warp, default_kernels, estimate, expectation,
    integrate as integrate_function,
};

use super::densities::density_of;

/// The default number of evaluations.
const DEFAULT_EVALUATIONS: usize = 20;
/// With more evaluated points than this, a factorisation takes a second.
const MANY: usize = 500;

/// The integrand.
enum Integrand {
    Function(Function),
    Points(Arc<Dataset>),
    More(Arc<Integrated<Value>>),
}

fn integrate(call: &mut Call<'_, '_>) -> Res<Value> {
    let integrand = match call.arg::<Value>("f")? {
        Value::Function(function) => Integrand::Function(function),
        Value::Data(data) => Integrand::Points(data),
        Value::Integral(more) => Integrand::More(more),
        other => {
            let text =
                format!("an integrand is a function or data of evaluated points, and not {}", other.kind().noun());
            return Err(LangError::new(text).argument("f").help("`integrate(x -> exp(-x^2), over=normal(0, 1))`"));
        }
    };
    let n = call.maybe::<usize>("n")?;
    let tolerance = call.maybe::<f64>("tol")?;
    if let Some(tolerance) = tolerance.filter(|t| t.is_nan() || *t <= 0.0) {
        let text = format!("the tolerance is half the width of the 95 % interval and positive, found {tolerance}");
        return Err(LangError::new(text).argument("tol"));
    }
    match integrand {
        Integrand::More(more) => go_on(call, &more, n.unwrap_or(DEFAULT_EVALUATIONS), tolerance),
        Integrand::Points(data) => {
            if n.is_some() || tolerance.is_some() {
                let place = if n.is_some() { "n" } else { "tol" };
                let error = LangError::new("data hold all evaluations that there are").argument(place);
                return Err(error.help("give a function to have it evaluated at more points"));
            }
            let density = density(call)?;
            let names: Vec<String> = data.input_names().iter().map(|name| name.to_string()).collect();
            let factor = match call.maybe::<Value>("under")? {
                Some(Value::Function(_)) => {
                    let error =
                        LangError::new("the values of evaluated points are given, and the factor is a function");
                    return Err(error.argument("under").help("give its value at each point: a list of numbers"));
                }
                Some(list) => Some(Vec::<f64>::from_value(list).map_err(|t| t.argument("under"))?),
                None => None,
            };
            let settings = settings(call, density, &names, factor.is_some())?;
            let evaluations = evaluated(&data, names)?;
            let progress = call.eval.progress;
            let integral = match evaluations.n() > MANY {
                false => estimate(evaluations, factor, settings, progress),
                // a factorisation does not look whether it should stop
                true => {
                    progress.report(0.0, &format!("{} evaluations", evaluations.n()));
                    let stop = progress.stop_handle();
                    call.unless_stopped(move || estimate(evaluations, factor, settings, &stop))?
                }
            };
            let integral = integral.map_err(|error| refused(call, error))?;
            Ok(Value::Integral(Arc::new(Integrated { integral, function: None, under: None })))
        }
        Integrand::Function(function) => {
            let density = density(call)?;
            let names = names_of(&function, density.inputs());
            let under = match call.maybe::<Value>("under")? {
                None => None,
                Some(Value::Function(under)) => Some(under),
                Some(_) => {
                    let error = LangError::new("the integrand is a function, and so is the factor of its density");
                    return Err(error.argument("under").help("`under=x -> exp(-x^2)`"));
                }
            };
            let settings = settings(call, density, &names, under.is_some())?;
            let none = (Evaluations::none(names), under.as_ref().map(|_| Vec::new()));
            let functions = (&function, under.as_ref());
            let integral = evaluate(call, functions, none, n.unwrap_or(DEFAULT_EVALUATIONS), tolerance, settings)?;
            Ok(Value::Integral(Arc::new(Integrated { integral, function: Some(function), under })))
        }
    }
}

fn density(call: &mut Call<'_, '_>) -> Res<Density> {
    match call.maybe::<Value>("over")? {
        Some(value) => density_of(value).map_err(|t| t.argument("over")),
        None => Err(LangError::new("an integral needs a density, and none is given")
            .help("`over=normal(0, 1)`, `over=uniform(0, 1)`, or a list of these for several inputs")),
    }
}

/// `weighted`: for an expectation.
fn settings(call: &mut Call<'_, '_>, density: Density, names: &[String], weighted: bool) -> Res<Settings> {
    if density.inputs() != names.len() {
        let error = QuadratureError::Inputs { density: density.inputs(), points: names.len() };
        return Err(LangError::new(error.to_string()).argument("over"));
    }
    let kernels = match call.maybe::<Kernel>("kernel")? {
        Some(kernel) => vec![kernel],
        None => default_kernels(names, &density),
    };
    let mean = match call.maybe::<Value>("mean")? {
        None => PriorMean::Given(0.0),
        Some(Value::Number(mean)) => PriorMean::Given(mean),
        Some(_) => PriorMean::Free,
    };
    let noise = call.or("noise", 0.0)?;
    if !(noise >= 0.0 && f64::is_finite(noise)) {
        let text = format!("the noise variance of the evaluations is at least 0, found {noise}");
        return Err(LangError::new(text).argument("noise"));
    }
    let scale = call.maybe::<Arc<str>>("scale")?;
    let warp = scale.and_then(|scale| Warp::named(&scale)).unwrap_or_default();
    if warp != Warp::None && noise > 0.0 {
        let error = LangError::new("on a warped scale the evaluations have no noise").argument("noise");
        return Err(error.help("leave `noise` out, or `scale`"));
    }
    if weighted {
        let place = match (mean, noise > 0.0, warp) {
            (PriorMean::Given(mean), ..) if mean != 0.0 => Some("mean"),
            (_, true, _) => Some("noise"),
            (_, _, Warp::SquareRoot | Warp::Log) => Some("scale"),
            _ => None,
        };
        if let Some(place) = place {
            let text = format!("the process of an expectation stands for (f − E) ℓ, and `{place}` is for an integral");
            return Err(LangError::new(text).argument(place).help(format!("leave `{place}` out, or `under`")));
        }
    }
    let integrated = call.maybe::<Arc<str>>("parameters")?.as_deref() == Some("integrated");
    let seed = call.or("seed", call.eval.host.seed as usize)? as u64;
    Ok(Settings { density, kernels, noise, mean, warp, integrated, seed })
}

/// Names of the inputs: the parameters of a function if their number agrees, otherwise `x`, or `x0`, `x1`, ….
fn names_of(function: &Function, inputs: usize) -> Vec<String> {
    if let Function::Closure(closure) = function {
        let params = closure.signature();
        if params.len() == inputs {
            return params.iter().map(|(name, _)| name.to_string()).collect();
        }
    }
    match inputs {
        1 => vec!["x".into()],
        _ => (0..inputs).map(|i| format!("x{i}")).collect(),
    }
}

fn evaluated(data: &Dataset, names: Vec<String>) -> Res<Evaluations> {
    data.check_finite().map_err(|error| LangError::new(error.to_string()).argument("f"))?;
    let Some(y) = data.y() else {
        let error = LangError::new("the data have no target, which holds the values of the integrand").argument("f");
        return Err(error.help("`data |> target(y)` names the column"));
    };
    let mut used = data.target().into_iter().chain(data.inputs());
    if let Some(column) = used.find(|column| column.levels().is_some()) {
        let text = format!("column `{}` holds text, and an integrand gives numbers at numbers", column.name());
        return Err(LangError::new(text).argument("f").help("`data |> select([…])` keeps columns of numbers"));
    }
    let x = data.x().iter().map(|x| x.to_vec()).collect();
    Evaluations::new(names, x, y.to_vec()).map_err(|error| LangError::new(error.to_string()).argument("f"))
}

fn go_on(call: &mut Call<'_, '_>, more: &Integrated<Value>, n: usize, tolerance: Option<f64>) -> Res<Value> {
    let given = ["over", "under", "kernel", "mean", "noise", "scale", "parameters", "seed"];
    for place in given {
        if call.maybe::<Value>(place)?.is_some() {
            let error = LangError::new(format!("an integral is continued with its settings, and `{place}` is set"))
                .argument(place);
            return Err(error.help("integrate the function again"));
        }
    }
    let Some(function) = more.function.clone() else {
        return Err(LangError::new("this integral was made of evaluated points, and there is no function to evaluate")
            .argument("f")
            .help("add the new points to the data and integrate these"));
    };
    let Integral { evaluations, ratio, settings, .. } = &more.integral;
    let known = (evaluations.clone(), ratio.as_ref().map(|ratio| ratio.factor.clone()));
    let functions = (&function, more.under.as_ref());
    let integral = evaluate(call, functions, known, n, tolerance, settings.clone())?;
    Ok(Value::Integral(Arc::new(Integrated { integral, function: Some(function), under: more.under.clone() })))
}

/// Evaluates a function of the language, and the factor of its density, at points that are chosen one by one.
fn evaluate(
    call: &mut Call<'_, '_>,
    (function, under): (&Function, Option<&Function>),
    (evaluations, factor): (Evaluations, Option<Vec<f64>>),
    n: usize,
    tolerance: Option<f64>,
    settings: Settings,
) -> Res<Integral> {
    let progress = call.eval.progress;
    let inputs = settings.density.inputs();
    let names = Evaluations::none(evaluations.names().to_vec());
    let mut failed = None;
    let mut value_at = |function: &Function, row: &[f64]| {
        let apart = match function {
            Function::Closure(closure) => closure.lambda.params.len() == inputs,
            _ => inputs == 1,
        };
        let args = if apart {
            row.iter().map(|x| Value::Number(*x)).collect()
        } else {
            vec![Value::numbers(row.iter().copied()).unwrap_or(Value::Nothing)]
        };
        match call.apply(function, args).and_then(f64::from_value) {
            Ok(value) => Ok(value),
            Err(error) if error.is_stop() => Err(QuadratureError::Stopped),
            Err(error) => {
                let text = error.message().to_string();
                failed = Some(error.note(format!("it was evaluated at {}", names.place(row))));
                Err(QuadratureError::Integrand(text))
            }
        }
    };
    let integral = match (under, factor) {
        (Some(under), Some(factor)) => {
            let mut both = |row: &[f64]| Ok((value_at(function, row)?, value_at(under, row)?));
            expectation((evaluations, factor), &mut both, n, tolerance, settings, progress)
        }
        _ => {
            let mut one = |row: &[f64]| value_at(function, row);
            integrate_function(evaluations, &mut one, n, tolerance, settings, progress)
        }
    };
    match (integral, failed) {
        (Err(QuadratureError::Integrand(_)), Some(error)) => Err(error.or_help(|| {
            "the integrand is called with one number for each input of the density and gives a number".to_string()
        })),
        (integral, _) => integral.map_err(|error| refused(call, error)),
    }
}

pub(super) fn refused(call: &Call<'_, '_>, error: QuadratureError) -> LangError {
    let origins = &call.eval.host.origins;
    match &error {
        QuadratureError::Stopped => LangError::stopped(),
        QuadratureError::Bind(error) => origins.bind_error(error),
        QuadratureError::Evaluation(error) => origins.eval_error(error),
        QuadratureError::Model(crate::model::ModelError::Stopped) => LangError::stopped(),
        QuadratureError::Model(crate::model::ModelError::Bind(error)) => origins.bind_error(error),
        QuadratureError::NotFinite { .. } => LangError::new(error.to_string())
            .argument("f")
            .help("choose a density that has no mass there, or define the integrand there"),
        QuadratureError::NotPositive { .. } => {
            LangError::new(error.to_string()).argument("scale").help("leave `scale` out")
        }
        QuadratureError::Categories(_) => LangError::new(error.to_string()).argument("kernel"),
        QuadratureError::OnlyNoise(_) => LangError::new(error.to_string())
            .argument("kernel")
            .help("give a kernel of the integrand; `SE + WN` has noisy evaluations"),
        QuadratureError::TooMany { .. } => LangError::new(error.to_string()).argument("n"),
        QuadratureError::TooManyGiven { given, most } => LangError::new(error.to_string())
            .argument("f")
            .help(format!("keep one row in {}: neighbours say the same of a smooth integrand", given.div_ceil(*most))),
        QuadratureError::TwoValues { .. } => LangError::new(error.to_string()).argument("f").help(
            "keep one row for each point, such as their mean, or give the variance of the evaluations: `noise=0.01`",
        ),
        QuadratureError::Factor { .. } | QuadratureError::FactorCount { .. } => {
            LangError::new(error.to_string()).argument("under")
        }
        QuadratureError::NoMass(_) | QuadratureError::NoNormaliser { .. } => LangError::new(error.to_string())
            .argument("under")
            .help("make more evaluations, or take a density `over` that is narrower around where the factor is large"),
        QuadratureError::Size(size) => LangError::new(error.to_string())
            .argument("f")
            .help(format!("multiply the integrand by 1e{0}, and divide the integral by it", -size.log10().round())),
        QuadratureError::Refuted { kernel, .. } => LangError::new(error.to_string())
            .argument("kernel")
            .help(format!("add a kernel of functions without a fixed form: `{kernel} + Matern52`, or give `noise=`")),
        QuadratureError::NotDetermined { .. } => LangError::new(error.to_string())
            .argument("kernel")
            .help("make more evaluations, or give the parameters priors or values: `SE(0, l ~ LogNormal(0, 1))`"),
        QuadratureError::NotPositiveDefinite { .. } => {
            LangError::new(error.to_string()).help("give `noise=`, or a kernel with less smooth functions")
        }
        _ => LangError::new(error.to_string()),
    }
}

pub static QUADRATURE: &[Builtin] = &[Builtin {
    name: "integrate",
    aliases: &[],
    group: Group::Results,
    places: &[
        Place::required(
            "f",
            Want::Either(&[Want::FUNCTION, Want::Kind(Kind::Data), Want::Kind(Kind::Integral)]),
            "the integrand: a function of the inputs, data of evaluated points, or an integral to continue",
        ),
        Place::keyword(
            "over",
            Want::Each(&Want::Either(&[Want::Kind(Kind::Dist), Want::Kind(Kind::Density)])),
            "none",
            "the density: `normal(mean, sd)`, `uniform(lo, hi)`, a list of these for several inputs, or `mixture(…)`",
        ),
        Place::keyword(
            "under",
            Want::Either(&[Want::FUNCTION, Want::Numbers]),
            "none",
            "a factor of the density that is at least 0: the result is the expectation under their product",
        ),
        Place::keyword("kernel", Want::Kind(Kind::Kernel), "three Matérn kernels", "the kernel of the integrand"),
        Place::keyword("n", Want::Positive, "20", "how many evaluations are made"),
        Place::keyword("tol", Want::NUMBER, "none", "ends when half the 95 % interval is at most this"),
        Place::keyword(
            "mean",
            Want::Either(&[Want::NUMBER, Want::Choice(&["free"])]),
            "0",
            "the prior mean of the integrand: a number, or \"free\" for an unknown constant",
        ),
        Place::keyword("noise", Want::NUMBER, "0", "noise variance of the evaluations"),
        Place::keyword(
            "scale",
            Want::Choice(&["none", "sqrt", "log"]),
            "\"none\"",
            "the scale of the process: \"sqrt\" or \"log\" for integrands that are at least 0",
        ),
        Place::keyword(
            "parameters",
            Want::Choice(&["fitted", "integrated"]),
            "\"fitted\"",
            "whether the parameters of the kernel are fitted by evidence or integrated out",
        ),
        Place::keyword("seed", Want::Count, "that of the session", "what the first points and the fits depend on"),
    ],
    result: Some(Kind::Integral),
    summary: "the integral of a function against a density, with an error bar: Bayesian quadrature",
    help: "A Gaussian process stands for the integrand. Each evaluation is made where it lowers the variance of the \
               integral most. Where the kernel has a free variance the integral has a Student-t distribution. Without \
               `kernel=` the result is a mixture over Matérn kernels of orders 5/2, 3/2 and 1/2 by their evidence and prior odds of 4 for each against \
               the smoother one, each a \
               product over the inputs whose length-scales have a log-normal prior around the standard deviation of the \
               density, with more than four inputs a multiple of it. `under=l` gives the expectation of f under the density proportional to l times `over`, which need not \
               be normalised; for evaluated points, `under` lists the factor at each. `integrate(z, n=10)` makes ten more \
               evaluations for an integral `z`.",
    examples: &[
        "integrate(x -> exp(-x^2), over=normal(0, 1), n=8)",
        "integrate((x, y) -> sin(x) * y, over=[uniform(0, 1), normal(0, 1)], n=12)",
        "integrate(x -> x^2, over=normal(0, 1), under=x -> exp(-(x - 1)^2 / 2), n=12).mean",
    ],
    touches: Touches::Nothing,
    run: integrate,
}];
