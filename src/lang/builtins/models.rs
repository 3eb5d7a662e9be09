//! Models: definition, conditioning, log marginal likelihood and gradient.

use std::sync::Arc;

use crate::data::{Column, DataError, Dataset};
use crate::fit::{self, Options};
use crate::kernel::{BindError, Cause, Kernel, quoted, word};
use crate::lang::error::{LangError, Res};
use crate::lang::eval::evaluator::Call;
use crate::lang::eval::evaluator::Evaluator;
use crate::lang::eval::evaluator::{Builtin, Touches};
use crate::lang::eval::unknown;
use crate::lang::eval::user_rows::UserRows;
use crate::lang::numerals::number;
use crate::lang::payload::pipeline::Pipeline;
use crate::lang::signature::{Group, Place, Want};
use crate::lang::values::cast::FromValue;
use crate::lang::values::value::{Function, Kind, List, Record, Value};
use crate::lang::wording::{join_or, nearest};
use crate::model::{
    Bernoulli, DEFAULT_INDUCING, Evidencer, KnownNoise, Likelihood, Link, Model, ModelError, Noise, Problem,
};
use crate::param::{Param, State};

use super::means::{MEAN_OR_FUNCTION, PARAMETERS, mean, mean_function, untied};
use super::{fit_warnings, inducing};

/// A model that is not compatible with these data.
pub fn unfit(eval: &Evaluator<'_>, data: &Dataset, error: ModelError) -> LangError {
    // Columns that the data lack were named by the model: by its steps or its noise.
    if let ModelError::Data(error @ DataError::UnknownColumn { .. }) = error {
        return super::data::lang_error(error).argument("model");
    }
    let of_classes = matches!(
        error,
        ModelError::OneClass { .. } | ModelError::TooManyClasses { .. } | ModelError::NotClasses { .. }
    );
    if let (true, Some(help)) = (of_classes, default_target(data)) {
        return lang_error(eval, error).help(help);
    }
    if let (ModelError::TooManyClasses { classes, .. }, Some(false)) =
        (&error, data.target().map(Column::is_categories))
    {
        let first = classes.first().map_or("", |class| class.as_str());
        let texts = "of numbers `[str(v) for v in numbers]` makes texts, and `fit(data, model)` does so for each class";
        return lang_error(eval, error.clone())
            .help(format!("`positive={first}` sets one class against the rest; {texts}"));
    }
    let target = match (&error, data.target()) {
        (ModelError::Bind(BindError { cause: Cause::UnknownInput { input, .. }, .. }), Some(target)) => {
            Some(target.name()).filter(|name| *name == input.trim_matches('`'))
        }
        _ => None,
    };
    let lang_error = lang_error(eval, error);
    match target {
        Some(name) => lang_error.help(unknown::target_as_input(name)),
        None => lang_error,
    }
}

/// The same for a call. If the error is in earlier text, the call is shown too.
pub(super) fn refused(call: &Call<'_, '_>, data: &Dataset, error: ModelError) -> LangError {
    let lang_error = unfit(call.eval, data, error);
    if lang_error.is_placed() { lang_error.called(call.span, "by this call") } else { lang_error }
}

/// How to name another target, if the default one is numeric and other columns are categorical.
fn default_target(data: &Dataset) -> Option<String> {
    let target = data.target()?.name();
    let usual = data.columns().iter().rfind(|column| !column.is_categories())?;
    let classes = |column: &&Column| column.name() != target && column.is_categories();
    let others: Vec<String> = data.columns().iter().filter(classes).map(|c| format!("`target={}`", c.name())).collect();
    if usual.name() != target || others.is_empty() {
        return None;
    }
    let which = if others.len() > 3 { "`target=`".to_string() } else { join_or(others) };
    Some(format!("the default target is the last column of numbers, here `{target}`: write {which}"))
}

/// A model that is not compatible with its data, as an error at its place in the text if that is known.
pub fn lang_error(eval: &Evaluator<'_>, error: ModelError) -> LangError {
    match error {
        ModelError::Bind(error) => eval.host.origins.bind_error(&error),
        ModelError::Eval(error) => eval.host.origins.eval_error(&error),
        ModelError::Data(error) => super::data::lang_error(error).argument("data"),
        error @ (ModelError::NoTarget
        | ModelError::CategoryTarget { .. }
        | ModelError::UnknownClass { .. }
        | ModelError::TooFewRows { .. }
        | ModelError::ConstantTarget { .. }
        | ModelError::NoRows) => LangError::new(error.to_string()).argument("data"),
        ModelError::TooManyClasses { ref classes, .. } => {
            let first = classes.first().cloned().unwrap_or_default();
            let help = format!(
                "`positive=\"{first}\"` sets one class against the rest; `fit(data, model)` does so for each class of texts"
            );
            LangError::new(error.to_string()).argument("data").help(help)
        }
        ModelError::NoSuchClass { ref class, ref known, .. } => {
            let lang_error = LangError::new(error.to_string()).argument("model");
            match nearest(class, known.iter().map(String::as_str)) {
                Some(near) => lang_error.help(format!("did you mean \"{near}\"?")),
                None => lang_error,
            }
        }
        error @ (ModelError::OneClass { .. } | ModelError::NotClasses { .. }) => LangError::new(error.to_string())
            .argument("data")
            .help("for another target write `target=` where the data are made"),
        ModelError::TooLarge { ref sparse, .. } => {
            let fewer = "take fewer rows, such as `data |> split(0.1, random=true)` gives";
            let seen = format!(", a sparse approximation with {DEFAULT_INDUCING} inducing inputs, or ");
            let sparse = sparse.as_ref().map_or(String::new(), |sparse| format!("write `{sparse}`{seen}"));
            LangError::new(error.to_string()).help(format!("{sparse}{fewer}"))
        }
        ModelError::NoSquares { ref column, range } => {
            let factor = format!("1e{}", -range.log10().round().clamp(-300.0, 300.0));
            let name = if word(column) == *column { column.clone() } else { format!("col({})", quoted(column)) };
            let help = match name == *column {
                true => format!("write `data |> mutate({column} = {column} * {factor})`"),
                false => format!("write `data |> mutate(scaled = {name} * {factor})`"),
            };
            LangError::new(error.to_string()).argument("data").help(help)
        }
        error @ ModelError::NotOfSparse(_) => LangError::new(error.to_string()).argument("model"),
        error @ ModelError::OnlyBound { .. } => LangError::new(error.to_string())
            .help("write `.bound` of a fit; fits are compared by `score` or `crossval`"),
        error => LangError::new(error.to_string()),
    }
}

fn gp(call: &mut Call<'_, '_>) -> Res<Value> {
    let kernel: Kernel = call.arg("kernel")?;
    let mut model = Model::new(kernel);
    let inference: Option<Arc<str>> = call.maybe("inference")?;
    if let Some(likelihood) = likelihood(call, inference.as_deref())? {
        model.likelihood = likelihood;
    }
    match call.maybe::<Value>("mean")? {
        Some(Value::Function(function)) => model.mean = mean_function(call, function, &model.kernel)?,
        Some(value) => model.mean = mean(value).map_err(|t| t.argument("mean"))?,
        None => {}
    }
    if let Some((name, _)) = call.keywords().first() {
        let error = LangError::new(format!("`gp` has no argument `{}`", name.node)).at(name.span);
        return Err(error.help("a function as the mean has parameters: `gp(SE(x), mean=x -> a + b * x, a=1, b=2)`"));
    }
    model.sparse = inducing::sparse(call, inference.as_deref(), model.predicts_classes())?;
    Ok(Value::Model(Arc::new(Pipeline::of(model))))
}

/// The likelihood from the arguments of a call; `None` if none is given.
pub(super) fn likelihood(call: &mut Call<'_, '_>, inference: Option<&str>) -> Res<Option<Likelihood>> {
    let noise = given_noise(call)?;
    let mut word = |name: &'static str| -> Res<Option<Arc<str>>> { call.maybe::<Arc<str>>(name) };
    let (likelihood, link) = (word("likelihood")?, word("link")?);
    let positive: Option<Arc<str>> = match call.maybe::<Value>("positive")? {
        None => None,
        Some(Value::Str(class)) => Some(class),
        Some(Value::Bool(class)) => Some(class.to_string().into()),
        Some(class) => Some(number(f64::from_value(class).map_err(|t| t.argument("positive"))?).into()),
    };
    let wrong = |place: &'static str, text: &str, help: &str| Err(LangError::new(text).argument(place).help(help));
    if likelihood.as_deref() != Some("bernoulli") {
        let classes = "for a target of two classes write `likelihood=\"bernoulli\"`";
        if let Some(word @ ("ep" | "laplace")) = inference {
            let text = format!("`{word}` is for classes: with Gaussian noise inference is exact");
            return wrong("inference", &text, classes);
        }
        if link.is_some() {
            return wrong("link", "a link makes probabilities of classes, and Gaussian noise has none", classes);
        }
        if positive.is_some() {
            return wrong("positive", "numbers with Gaussian noise have no positive class", classes);
        }
        return Ok(noise.map(Likelihood::Gaussian));
    }
    if noise.is_some() {
        let help = "leave it out; `+ WN` in the kernel gives each row a function of its own";
        return wrong("noise", "classes have no noise parameter: their probability expresses the uncertainty", help);
    }
    let how = match (inference, link.as_deref()) {
        (Some("exact"), _) => {
            let text = "exact inference is not available for classes";
            return wrong("inference", text, "write `inference=\"ep\"`, which is close to exact, or leave it out");
        }
        (Some("ep"), Some("logistic")) => {
            let text = "`ep` needs the probit link";
            return wrong("link", text, "write `inference=\"laplace\"` for the logistic link");
        }
        (None, Some("logistic")) => Bernoulli::Laplace(Link::Logistic),
        (Some("laplace"), link) => {
            Bernoulli::Laplace(if link == Some("logistic") { Link::Logistic } else { Link::Probit })
        }
        _ => Bernoulli::Ep,
    };
    Ok(Some(Likelihood::Bernoulli { how, positive }))
}

/// The noise from the arguments of a call, as a variance or as a standard deviation.
pub(super) fn given_noise(call: &mut Call<'_, '_>) -> Res<Option<Noise>> {
    let given = (call.maybe::<Value>("noise")?, call.maybe::<Value>("noise_sd")?);
    match given {
        (Some(_), Some(_)) => {
            let error = LangError::new("`noise` is a variance and `noise_sd` a standard deviation: leave out one");
            Err(error.argument("noise_sd"))
        }
        (Some(value), None) => noise(call, value).map(Some).map_err(|t| t.argument("noise")),
        (None, Some(value)) => noise_sd(call, value).map(Some).map_err(|t| t.argument("noise_sd")),
        (None, None) => Ok(None),
    }
}

/// Noise that is known for each row: from a column, or from a function of columns.
fn known_noise(call: &Call<'_, '_>, value: &Value, is_sd: bool) -> Res<Option<Noise>> {
    match value {
        Value::Str(column) => Ok(Some(Noise::Known(KnownNoise::column(column.clone(), is_sd)))),
        Value::Function(function @ Function::Closure(closure)) => {
            let columns: Vec<Arc<str>> = closure.lambda.params.iter().map(|p| p.name.node.clone()).collect();
            if let Some(odd) = columns.iter().find(|name| crate::kernel::word(name) != name.as_ref()) {
                let error = LangError::new(format!("a noise that is computed cannot name the column `{odd}`"));
                return Err(error.help(format!("give it a plain name: `rename(sigma={odd:?})`")));
            }
            let function = Some(UserRows::shared(function.clone(), call.eval));
            Ok(Some(Noise::Known(KnownNoise { columns, function, is_sd })))
        }
        _ => Ok(None),
    }
}

/// A standard deviation, fixed if it is 0, or those of the rows.
fn noise_sd(call: &Call<'_, '_>, value: Value) -> Res<Noise> {
    if let Some(known) = known_noise(call, &value, true)? {
        return Ok(known);
    }
    let squared = match untied(value)? {
        Param { state: State::Free(sd), prior: None, .. } if sd >= 0.0 => Value::Number(sd * sd),
        Param { state: State::Fixed(sd), prior: None, .. } if sd >= 0.0 => {
            return Ok(Noise::Variance(Param::fixed(sd * sd)));
        }
        _ => {
            let error = LangError::new(
                "a standard deviation is a number that is not negative, `fixed(…)`, or an expression of columns",
            );
            return Err(error.help("bounds and priors are those of the variance, `noise=`"));
        }
    };
    noise(call, squared)
}

/// A variance, fixed if it is 0, or those of the rows.
fn noise(call: &Call<'_, '_>, value: Value) -> Res<Noise> {
    if let Some(known) = known_noise(call, &value, false)? {
        return Ok(known);
    }
    let mut param = untied(value)?;
    if param.state == State::Free(0.0) {
        param.state = State::Fixed(0.0);
    }
    match param.value() {
        Some(x) if x < 0.0 || !x.is_finite() => {
            Err(LangError::new(format!("the noise is a variance and cannot be {}", number(x))))
        }
        _ => Ok(Noise::Variance(param)),
    }
}

/// The data and the model of a call.
fn both(call: &mut Call<'_, '_>) -> Res<(Arc<Dataset>, Model)> {
    let data: Arc<Dataset> = call.arg("data")?;
    let model = call.arg::<Pipeline>("model")?.model().map_err(|t| t.argument("model"))?;
    Ok((data, model))
}

/// The options of a fit from the arguments of a call.
pub fn options(call: &mut Call<'_, '_>) -> Res<Options> {
    let usual = Options::default();
    let options = Options {
        restarts: call.or("restarts", usual.restarts)?,
        seed: call.or("seed", call.eval.host.seed as usize)? as u64,
        max_iter: call.or("maxiter", usual.max_iter)?,
        ..usual
    };
    if options.restarts == 0 || options.restarts > 10_000 {
        let error =
            LangError::new(format!("the number of starts must be from 1 to 10,000, found {}", options.restarts));
        return Err(error.argument("restarts"));
    }
    Ok(options)
}

fn condition(call: &mut Call<'_, '_>) -> Res<Value> {
    let (data, model) = both(call)?;
    let fit = fit::condition_unless(&model, &data, call.eval.progress).map_err(|error| refused(call, &data, error))?;
    fit_warnings::note_unwritten(call, fit.problem());
    fit_warnings::warn_of_end(call, &fit);
    Ok(Value::Fit(Arc::new(fit)))
}

fn lml(call: &mut Call<'_, '_>) -> Res<Value> {
    let (data, model) = both(call)?;
    let fit = fit::condition_unless(&model, &data, call.eval.progress).map_err(|error| refused(call, &data, error))?;
    fit_warnings::note_unwritten(call, fit.problem());
    fit.evidence().map(Value::Number).map_err(|error| refused(call, &data, error))
}

/// The derivatives of the log marginal likelihood with respect to all free parameters.
fn gradient(call: &mut Call<'_, '_>) -> Res<Value> {
    let (data, model) = both(call)?;
    let problem = Problem::new(&model, &data, true).map_err(|error| refused(call, &data, error))?;
    fit_warnings::note_unwritten(call, &problem);
    let values = fit::given(&problem);
    let evidence = Evidencer::new(&problem).stopped_by(call.eval.progress).evaluate(&values, true, false);
    let evidence = evidence.map_err(|error| lang_error(call.eval, error))?;
    if evidence.gradient.is_empty() {
        return Err(lang_error(call.eval, ModelError::NoEvidence));
    }
    let free = problem.parameters().iter().enumerate().filter(|(_, p)| p.is_free());
    let records = free.map(|(i, parameter)| {
        let (scale, factor) = if parameter.in_log() { ("log", values[i]) } else { ("raw", 1.0) };
        let record = Record::default()
            .with("param", Value::str(parameter.name.as_str()))
            .with("scale", Value::str(scale))
            .with("value", Value::Number(evidence.gradient[i] * factor));
        Value::Record(Arc::new(record))
    });
    List::new(records.collect()).map(Value::List)
}

pub const DATA: Place = Place::required("data", Want::Kind(Kind::Data), "a data set");
pub const MODEL: Place = Place::required(
    "model",
    Want::Either(&[Want::Kind(Kind::Model), Want::Kind(Kind::Kernel), Want::Kind(Kind::Fit)]),
    "a model, or a kernel for the model `gp(kernel)`",
);

pub const NOISE: Place = Place::keyword(
    "noise",
    Want::Either(&[Want::Param, Want::Input, Want::Row]),
    "a free parameter",
    "the noise variance (0 is fixed), or a column or an expression of columns with known variances",
);
pub const NOISE_SD: Place = Place::keyword(
    "noise_sd",
    Want::Either(&[Want::Param, Want::Input, Want::Row]),
    "",
    "the noise standard deviation, in place of `noise`",
);
pub const LIKELIHOOD: Place = Place::keyword(
    "likelihood",
    Want::Choice(&["gaussian", "bernoulli"]),
    "\"gaussian\"",
    "\"gaussian\" for numbers with noise, or \"bernoulli\" for classes",
);
pub const INFERENCE: Place = Place::keyword(
    "inference",
    Want::Choice(&["exact", "ep", "laplace"]),
    "\"exact\", for classes \"ep\"",
    "how the posterior is computed: for numbers \"exact\"; for classes \"ep\" or the faster \"laplace\"",
);
pub const LINK: Place = Place::keyword(
    "link",
    Want::Choice(&["probit", "logistic"]),
    "\"probit\"",
    "the inverse link function: \"probit\", or \"logistic\", which needs Laplace's method",
);
pub const POSITIVE: Place = Place::keyword(
    "positive",
    Want::Either(&[Want::STRING, Want::NUMBER, Want::BOOL]),
    "the larger number, or the last in alphabetical order",
    "the class whose probability is modelled; all others form the other class",
);
pub const RESTARTS: Place = Place::keyword("restarts", Want::Count, "10", "the number of starts");
pub const SEED: Place = Place::keyword("seed", Want::Count, "that of the session", "the seed of the random starts");
pub const MAXITER: Place =
    Place::keyword("maxiter", Want::Count, "1000", "the largest number of steps from each start");

pub static MODELS: &[Builtin] = &[
    Builtin {
        name: "gp",
        aliases: &[],
        group: Group::Models,
        places: &[
            Place::required("kernel", Want::Kind(Kind::Kernel), "the kernel"),
            NOISE,
            NOISE_SD,
            MEAN_OR_FUNCTION,
            LIKELIHOOD,
            inducing::INFERENCE,
            LINK,
            POSITIVE,
            inducing::INDUCING,
            PARAMETERS,
        ],
        result: Some(Kind::Model),
        summary: "a Gaussian-process model, to be fitted to data",
        help: "Preprocessing steps come before it: `transform(y=log) >> gp(SE + Per)`. With `likelihood=\"bernoulli\"` \
               the target has two classes, of which the larger number, or the second in alphabetical order, is the \
               positive one unless `positive=` names it; its probability is a function of the process. \
               `help(\"classification\")` says more. Large data sets need a sparse approximation with inducing inputs: \
               `inference=\"vfe\"` maximises a lower bound of the log marginal likelihood, `inference=\"fitc\"` the \
               log marginal likelihood of an approximate model. A function as the mean receives the columns that its \
               arguments name, or else all inputs, as one number or one list. A name in it that is given by keyword is \
               a parameter, which the fit estimates.",
        examples: &[
            "gp(SE(year), noise=0.1, mean=\"zero\")",
            "gp(SE(x), mean=x -> a * exp(-r * x), a=10, r=0.5)",
            "gp(SE(x), inference=\"vfe\", inducing=20)",
            "let d = data(x=0..8, y=[0, 0, 1, 0, 1, 1, 0, 1])\n\
             d |> condition(gp(SE(x, l=3, v=2), likelihood=\"bernoulli\", mean=0)) |> predict([0, 3.5, 7])",
        ],
        touches: Touches::Nothing,
        run: gp,
    },
    Builtin {
        name: "condition",
        aliases: &[],
        group: Group::Models,
        places: &[DATA, MODEL],
        result: Some(Kind::Fit),
        summary: "the model conditioned on data with its parameters as given",
        help: "Parameters without a value have those of a fit's first start.",
        examples: &[
            "let d = data(x=[0, 1, 2], y=[1, 3, 2])\n(d |> condition(gp(SE(x, l=1, v=1), noise=0.1, mean=\"zero\"))).lml",
        ],
        touches: Touches::Nothing,
        run: condition,
    },
    Builtin {
        name: "lml",
        aliases: &["evidence"],
        group: Group::Models,
        places: &[DATA, MODEL],
        result: Some(Kind::Number),
        summary: "the log marginal likelihood of a model at its parameters",
        help: "Parameters without a value have those of a fit's first start. Priors are not included.",
        examples: &["let d = data(x=[0, 1, 2], y=[1, 3, 2])\nlml(d, gp(SE(x, l=1, v=1), noise=0.1, mean=\"zero\"))"],
        touches: Touches::Nothing,
        run: lml,
    },
    Builtin {
        name: "gradient",
        aliases: &["grad"],
        group: Group::Models,
        places: &[DATA, MODEL],
        result: Some(Kind::List),
        summary: "the derivatives of the log marginal likelihood at a model's parameters",
        help: "One for every parameter that is neither fixed nor held, depth first, then noise, then mean. On \
               the scale `log` it is the derivative with respect to the logarithm of the parameter.",
        examples: &[
            "let d = data(x=[0, 1, 2], y=[1, 3, 2])\ngradient(d, gp(SE(x, l=1, v=1), noise=0.1, mean=\"zero\"))",
        ],
        touches: Touches::Nothing,
        run: gradient,
    },
];
