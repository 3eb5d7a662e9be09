//! Bayesian quadrature: integrals of functions and of evaluated points.

use std::sync::Arc;

use crate::data::Dataset;
use crate::fit::{Fit, ParameterPosterior, WEAK_PRIOR_SD};
use crate::kernel::Kernel;
use crate::lang::error::{LangError, Res};
use crate::lang::eval::evaluator::{Builtin, Call, Touches};
use crate::lang::payload::integral::Integrated;
use crate::lang::signature::{Group, Place, Want};
use crate::lang::values::cast::FromValue;
use crate::lang::values::value::{Function, Kind, Record, Value};
use crate::quadrature::{
    Density, Evaluations, Integral, PriorMean, QuadratureError, Settings, Warp, default_kernel, estimate,
    integrate as integrate_function, model_evidence,
};

use super::densities::density_of;

/// The default number of evaluations.
const DEFAULT_EVALUATIONS: usize = 20;

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
            let settings = settings(call, density, &names)?;
            let evaluations = evaluated(&data, names)?;
            let progress = call.eval.progress;
            let integral = estimate(evaluations, settings, progress).map_err(|error| refused(call, error))?;
            Ok(Value::Integral(Arc::new(Integrated { integral, function: None })))
        }
        Integrand::Function(function) => {
            let density = density(call)?;
            let names = names_of(&function, density.inputs());
            let settings = settings(call, density, &names)?;
            let none = Evaluations::none(names);
            let integral = evaluate(call, &function, none, n.unwrap_or(DEFAULT_EVALUATIONS), tolerance, settings)?;
            Ok(Value::Integral(Arc::new(Integrated { integral, function: Some(function) })))
        }
    }
}

fn density(call: &mut Call<'_, '_>) -> Res<Density> {
    match call.maybe::<Value>("over")? {
        Some(value) => density_of(value).map_err(|t| t.argument("over")),
        None => Err(LangError::new("an integral is taken against a density, and none is given")
            .help("`over=normal(0, 1)`, `over=uniform(0, 1)`, or a list of these for several inputs")),
    }
}

fn settings(call: &mut Call<'_, '_>, density: Density, names: &[String]) -> Res<Settings> {
    if density.inputs() != names.len() {
        let error = QuadratureError::Inputs { density: density.inputs(), points: names.len() };
        return Err(LangError::new(error.to_string()).argument("over"));
    }
    let kernel = match call.maybe::<Kernel>("kernel")? {
        Some(kernel) => kernel,
        None => default_kernel(names, &density).ok_or_else(|| LangError::new("a density has at least one input"))?,
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
    let warp = Warp::ALL.into_iter().find(|warp| Some(warp.name()) == scale.as_deref()).unwrap_or_default();
    if warp != Warp::None && noise > 0.0 {
        let error = LangError::new("on a warped scale the evaluations have no noise").argument("noise");
        return Err(error.help("leave `noise` out, or `scale`"));
    }
    let integrated = call.maybe::<Arc<str>>("parameters")?.as_deref() == Some("integrated");
    let seed = call.or("seed", call.eval.host.seed as usize)? as u64;
    Ok(Settings { density, kernel, noise, mean, warp, integrated, seed })
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
    let x = data.x().iter().map(|x| x.to_vec()).collect();
    Evaluations::new(names, x, y.to_vec()).map_err(|error| LangError::new(error.to_string()).argument("f"))
}

fn go_on(call: &mut Call<'_, '_>, more: &Integrated<Value>, n: usize, tolerance: Option<f64>) -> Res<Value> {
    let given = ["over", "kernel", "mean", "noise", "scale", "parameters", "seed"];
    for place in given {
        if call.maybe::<Value>(place)?.is_some() {
            let error =
                LangError::new(format!("an integral goes on as it was begun, and `{place}` is set")).argument(place);
            return Err(error.help("integrate the function anew"));
        }
    }
    let Some(function) = more.function.clone() else {
        return Err(LangError::new("this integral was made of evaluated points, and there is no function to evaluate")
            .argument("f")
            .help("add the new points to the data and integrate these"));
    };
    let Integral { evaluations, settings, .. } = &more.integral;
    let integral = evaluate(call, &function, evaluations.clone(), n, tolerance, settings.clone())?;
    Ok(Value::Integral(Arc::new(Integrated { integral, function: Some(function) })))
}

/// Evaluates a function of the language at sequentially chosen points.
fn evaluate(
    call: &mut Call<'_, '_>,
    function: &Function,
    evaluations: Evaluations,
    n: usize,
    tolerance: Option<f64>,
    settings: Settings,
) -> Res<Integral> {
    let apart = match function {
        Function::Closure(closure) => closure.lambda.params.len() == settings.density.inputs(),
        _ => settings.density.inputs() == 1,
    };
    let progress = call.eval.progress;
    let mut failed = None;
    let mut value_at = |row: &[f64]| {
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
                failed = Some(error);
                Err(QuadratureError::Integrand(text))
            }
        }
    };
    let integral = integrate_function(evaluations, &mut value_at, n, tolerance, settings, progress);
    match (integral, failed) {
        (Err(QuadratureError::Integrand(_)), Some(error)) => Err(error.or_help(|| {
            "the integrand is called with one number for each input of the density and gives a number".to_string()
        })),
        (integral, _) => integral.map_err(|error| refused(call, error)),
    }
}

fn refused(call: &Call<'_, '_>, error: QuadratureError) -> LangError {
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
        QuadratureError::TooMany { .. } => LangError::new(error.to_string()).argument("n"),
        QuadratureError::NotPositiveDefinite { .. } => {
            LangError::new(error.to_string()).help("give `noise=`, or a kernel with less smooth functions")
        }
        _ => LangError::new(error.to_string()),
    }
}

fn marginal_likelihood(call: &mut Call<'_, '_>) -> Res<Value> {
    let fit: Arc<Fit> = call.arg("fit")?;
    let method: Arc<str> = call.or("method", "laplace".into())?;
    let seed = call.or("seed", call.eval.host.seed as usize)? as u64;
    fit.evidence().map_err(|error| {
        LangError::new(error.to_string())
            .argument("fit")
            .help("a fit without inducing inputs has a marginal likelihood")
    })?;
    let Some(posterior) = ParameterPosterior::new(fit.problem(), fit.values()) else {
        let error = LangError::new("the log likelihood has no curvature at the values of this fit").argument("fit");
        return Err(error.help("fit the model anew with more restarts"));
    };
    let (log, sd, evaluations) = match &*method {
        "bq" => {
            let found = model_evidence(&posterior, seed, call.eval.progress).map_err(|error| refused(call, error))?;
            (found.log, Some(found.sd), Some(found.evaluations))
        }
        _ => (posterior.laplace(), None, None),
    };
    let weak = posterior.weak();
    let prior = match (weak, posterior.dimensions()) {
        (0, 0) => "no parameters are free".to_string(),
        (0, all) => format!("{all} parameters have priors of their own"),
        (weak, all) => format!(
            "{weak} of {all} parameters have a normal prior around their start with standard deviation {WEAK_PRIOR_SD} in \
             the optimiser's coordinates"
        ),
    };
    let record = Record::default()
        .with("log_evidence", Value::Number(log))
        .with("sd", Value::maybe_number(sd))
        .with("method", Value::Str(method))
        .with("evaluations", Value::maybe_number(evaluations.map(|n| n as f64)))
        .with("half_bic", Value::Number(-0.5 * fit.bic()))
        .with("prior", Value::str(prior));
    Ok(Value::Record(Arc::new(record)))
}

pub static QUADRATURE: &[Builtin] = &[
    Builtin {
        name: "marginal",
        aliases: &[],
        group: Group::Results,
        places: &[
            Place::required("fit", Want::Kind(Kind::Fit), "a fit"),
            Place::keyword(
                "method",
                Want::Choice(&["laplace", "bq"]),
                "\"laplace\"",
                "Laplace's method, or Bayesian quadrature over the parameters",
            ),
            Place::keyword("seed", Want::Count, "that of the session", "the seed of the evaluations of \"bq\""),
        ],
        result: Some(Kind::Record),
        summary: "the log evidence of a model: its likelihood integrated over its parameters",
        help: "`lml` is the log marginal likelihood at the fitted values; this is the log of its integral over the \
              values. A parameter without a prior is normal around its start with standard deviation 3 in the \
              optimiser's coordinates (logarithms, for positive parameters). `sd` is the uncertainty of the \
              quadrature. `half_bic` is −BIC/2, an approximation of the log evidence.",
        examples: &["load(\"nile\") |> fit(SE(year)) |> marginal(method=\"bq\")"],
        touches: Touches::Nothing,
        run: marginal_likelihood,
    },
    Builtin {
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
                Want::Either(&[Want::Each(&Want::Kind(Kind::Dist)), Want::Kind(Kind::Density)]),
                "none",
                "the density: `normal(mean, sd)`, `uniform(lo, hi)`, a list of these for several inputs, or `mixture(…)`",
            ),
            Place::keyword("kernel", Want::Kind(Kind::Kernel), "SE of each input", "the kernel of the integrand"),
            Place::keyword("n", Want::Positive, "20", "the number of evaluations"),
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
                "the scale of the process: \"sqrt\" or \"log\" for positive integrands",
            ),
            Place::keyword(
                "parameters",
                Want::Choice(&["fitted", "integrated"]),
                "\"fitted\"",
                "whether the parameters of the kernel are fitted by evidence or integrated out",
            ),
            Place::keyword("seed", Want::Count, "that of the session", "the seed of the first points and of the fits"),
        ],
        result: Some(Kind::Integral),
        summary: "the integral of a function against a density, with its uncertainty: Bayesian quadrature",
        help: "The integrand has a Gaussian-process prior. Each evaluation is made where it reduces the variance of \
              the integral most. If the kernel has a free variance, the integral has a Student-t distribution. \
              Without `kernel=` the kernel is a product of SE, one per input, whose length-scales have a log-normal \
              prior with the standard deviation of the density as median. `integrate(z, n=10)` makes ten more \
              evaluations for an integral `z`.",
        examples: &[
            "integrate(x -> exp(-x^2), over=normal(0, 1), n=8)",
            "integrate((x, y) -> sin(x) * y, over=[uniform(0, 1), normal(0, 1)], n=12)",
        ],
        touches: Touches::Nothing,
        run: integrate,
    },
];
