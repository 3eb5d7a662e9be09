//! Search over kernels: the settings of a search from the arguments of a call.

use std::sync::Arc;

use crate::data::write::Table;
use crate::data::{Dataset, Function};
use crate::kernel::{InputRef, Kernel, quoted};
use crate::lang::error::{LangError, Res};
use crate::lang::eval::arguments::read_budget;
use crate::lang::eval::evaluator::Call;
use crate::lang::eval::evaluator::{Builtin, Touches};
use crate::lang::eval::unknown;
use crate::lang::payload::pipeline::Pipeline;
use crate::lang::payload::sheet::Sheet;
use crate::lang::signature::{Group, Place, Want};
use crate::lang::values::cast::FromValue;
use crate::lang::values::value::{Kind, Value};
use crate::model::Model;
use crate::search::{self, Budget, Criterion, EDIT_NAMES, EDITS, Edit, Ended, Search, SearchError, Settings};

use super::means;
use super::models;
use super::user_edits;

/// The items of a list, or a single value.
fn each<T: FromValue>(value: Value) -> Res<Vec<T>> {
    match value.items() {
        Some(items) => items.map(T::from_value).collect(),
        None => Ok(vec![T::from_value(value)?]),
    }
}

/// Arguments that a model says.
const OF_MODEL: [&str; 7] = ["noise", "noise_sd", "mean", "likelihood", "inference", "link", "positive"];

/// The model with which a search begins, in the place of the base kernels or by its name. A kernel alone has the other
/// arguments beside it.
fn begun_with(call: &mut Call<'_, '_>) -> Res<Option<Model>> {
    let in_base = matches!(call.value("base"), Some(Value::Model(_)));
    if let Some(Value::List(list)) = call.value("base")
        && list.items().iter().any(|item| matches!(item, Value::Model(_)))
    {
        let error = LangError::new("a search begins with one model, which is not one of the base kernels");
        let help = "write it as `model=`, beside `base=` with kernels; `.kernel` of a model is its kernel";
        return Err(error.argument("base").help(help));
    }
    let place = match (in_base, call.value("model").is_some()) {
        (true, true) => {
            let error = LangError::new("a search begins with one model, and here are two");
            return Err(error.argument("model").help("leave out one of them"));
        }
        (true, false) => "base",
        (false, true) => "model",
        (false, false) => return Ok(None),
    };
    let is_kernel = matches!(call.value(place), Some(Value::Kernel(_)));
    let model = call.arg::<Pipeline>(place)?.model().map_err(|t| t.argument(place))?;
    if let Some(baseline) = model.baseline() {
        let text = format!("`{}` is a model without a kernel that a search could edit", baseline.name());
        let help =
            "leave it out, or write `gp(…)` with a kernel, such as `gp(Lin, mean=\"linear\")`; `compare` has both";
        return Err(LangError::new(text).argument(place).help(help));
    }
    if model.sparse.is_some() {
        let text = "a search compares models by exact inference, and this one has inducing inputs";
        let help = "leave out `inference` and `inducing`: many rows are searched by a part of them, and `fit` takes the kernel \
                    that was found with inducing inputs";
        return Err(LangError::new(text).argument(place).help(help));
    }
    let said = OF_MODEL.into_iter().find(|name| !is_kernel && call.value(name).is_some());
    if let Some(name) = said {
        let error = LangError::new(format!("`{name}` is that of the model, which every model of the search has"));
        return Err(error.argument(name).help(format!("write it in the model: `gp(…, {name}=…)`")));
    }
    Ok(Some(model))
}

/// The settings from the arguments of a call.
fn settings(call: &mut Call<'_, '_>, data: &Dataset) -> Res<Settings> {
    let begun = begun_with(call)?;
    let inputs = call.input_names("inputs", data)?;
    let steps = begun.as_ref().map_or(&[][..], |model| &model.steps);
    let mut settings = Settings { budget: Budget::DEFAULT, ..Settings::for_data(data, inputs, steps) };
    if let Some(model) = begun {
        settings = settings.beginning_with(model);
    }
    let spans = call.parts_of("base");
    if let Some(base) = call.maybe::<Value>("base")? {
        settings.base = each(base)?;
        for (i, kernel) in settings.base.iter().enumerate() {
            known_inputs(kernel, data).map_err(|error| match spans.get(i) {
                Some(&span) => error.at(span),
                None => error.argument("base"),
            })?;
        }
    }
    settings.depth = call.or("depth", settings.depth)?;
    settings.beam = call.or("beam", settings.beam)?;
    settings.restarts = call.or("restarts", settings.restarts)?;
    settings.seed = call.or("seed", call.eval.host.seed as usize)? as u64;
    if let Some(name) = call.maybe::<Arc<str>>("criterion")?
        && let Some(criterion) = Criterion::named(&name)
    {
        settings.criterion = criterion;
    }
    if let Some(budget) = budget(call)? {
        settings.budget = budget;
    }
    let inference: Option<Arc<str>> = call.maybe("inference")?;
    if let Some(likelihood) = models::likelihood(call, inference.as_deref())? {
        settings.likelihood = likelihood;
    }
    if let Some(value) = call.maybe::<Value>("mean")? {
        settings.mean = means::mean(value).map_err(|t| t.argument("mean"))?;
    }
    if let Some(moves) = call.maybe::<Value>("moves")? {
        settings.moves.clear();
        for one in each::<Value>(moves)? {
            let edit = match one {
                Value::Function(function) => {
                    user_edits::edit_of(function, call.eval).map_err(|t| t.argument("moves"))?
                }
                word => Edit::named(&<Arc<str>>::from_value(word)?)
                    .ok_or_else(|| LangError::new("there is no such edit"))?,
            };
            if !settings.moves.contains(&edit) {
                settings.moves.push(edit);
            }
        }
    }
    Ok(settings)
}

/// A column that the data do not have is an error, even if other base kernels could be tried.
fn known_inputs(kernel: &Kernel, data: &Dataset) -> Res<()> {
    let known: Vec<String> = data.inputs().map(|column| column.name().to_string()).collect();
    for input in kernel.mentioned().0 {
        let written = match &input {
            InputRef::Index(at) if *at < known.len() => continue,
            InputRef::Index(at) => at.to_string(),
            InputRef::Name(name) => name.to_string(),
        };
        if !known.contains(&written) {
            return Err(unknown::input(&written, &known, data.target().map(|t| t.name())));
        }
    }
    Ok(())
}

fn budget(call: &mut Call<'_, '_>) -> Res<Option<Budget>> {
    Ok(call.maybe::<Value>("budget")?.as_ref().and_then(read_budget))
}

fn run_search(call: &mut Call<'_, '_>) -> Res<Value> {
    let data: Arc<Dataset> = call.arg("data")?;
    let settings = settings(call, &data)?;
    warn_of_left_out(call, &data, &settings);
    let transform: Option<Arc<str>> = call.maybe("transform")?;
    if transform.is_some() && settings.target_transform(&data).is_some() {
        let error =
            LangError::new("the model has a transform of the target already, which every model of the search has");
        return Err(error.argument("transform").help("leave out one of the two"));
    }
    let found = match &transform.as_deref() {
        None | Some("auto") => {
            search::search_scales(&data, &settings, &search::scales(&data, &settings), call.eval.progress)
        }
        Some(name) => {
            let transform = Function::named(name).filter(|_| *name != "none");
            search::search(&data, &Settings { transform, ..settings }, call.eval.progress)
        }
    };
    let found = found.map_err(|error| lang_error(call, &data, error))?;
    tell(call, &found);
    Ok(Value::Search(Arc::new(found)))
}

fn resume(call: &mut Call<'_, '_>) -> Res<Value> {
    let before: Arc<Search> = call.arg("search")?;
    let done = before.levels.len();
    let depth = match call.maybe::<usize>("depth")? {
        Some(depth) if depth < done => {
            let text = format!("the search is at depth {done} already, found {depth}");
            return Err(LangError::new(text).argument("depth"));
        }
        Some(depth) => depth,
        None if before.ended == Ended::Depth => {
            let text = format!("the search has reached its depth of {done}");
            let help = format!("give a depth: `resume(search, depth={})`", done + 2);
            return Err(LangError::new(text).argument("search").help(help));
        }
        None => before.settings.depth,
    };
    let budget = budget(call)?.unwrap_or(Budget::DEFAULT);
    let found = search::resume(&before, depth, budget, call.eval.progress);
    let found = found.map_err(|error| lang_error(call, &before.data, error))?;
    tell(call, &found);
    Ok(Value::Search(Arc::new(found)))
}

fn is_wanted(settings: &Settings, column: &str) -> bool {
    settings.inputs.as_ref().is_none_or(|inputs| inputs.iter().any(|input| input == column))
}

/// Warns before a search about categorical columns on which no base kernel depends.
fn warn_of_left_out(call: &mut Call<'_, '_>, data: &Dataset, settings: &Settings) {
    let places: Vec<String> = data.inputs().map(|column| column.name().to_string()).collect();
    for (place, column) in data.inputs().enumerate() {
        if !column.is_categories() || !is_wanted(settings, column.name()) {
            continue;
        }
        let sees = |kernel: &Kernel| {
            let (seen, all) = kernel.mentioned();
            let named = |input: &InputRef| match input {
                InputRef::Name(name) => **name == *column.name(),
                InputRef::Index(at) => *at == place,
            };
            (all && search::is_for_categories(kernel)) || seen.iter().any(named)
        };
        if !settings.base.iter().chain(&settings.start).any(sees) {
            let name = quoted(&places[place]);
            call.warn(format!(
                "no base kernel depends on {name}, which holds categories: add `Indicator` or `onehot({name})` to `base`"
            ));
        }
    }
}

/// Warnings about a search, shown even if the search is not.
fn tell(call: &mut Call<'_, '_>, found: &Search) {
    let depth = found.levels.len();
    match found.ended {
        Ended::Stopped => call.warn(format!("the search was stopped at depth {depth}: this is the best result so far")),
        Ended::OutOfTime => {
            let budget = found.settings.budget;
            call.warn(format!("the budget of {budget} ended the search at depth {depth}: another run may differ"));
        }
        Ended::Depth | Ended::NoBetter | Ended::OutOfEvaluations => {}
    }
    let (rows, parameters) = (found.data.n(), found.best.free);
    if 3 * parameters > rows {
        call.warn(format!(
            "the best model has {parameters} parameters for {rows} rows: its leave-one-out scores come from parameters that \
             these rows chose, so keep rows aside and score them: `score(search, test)`"
        ));
    }
    let refusals: Vec<String> = found.settings.moves.iter().filter_map(user_edits::refusals).collect();
    refusals.into_iter().for_each(|text| call.warn(text));
}

/// A failed search as an error at the responsible argument.
fn lang_error(call: &Call<'_, '_>, data: &Dataset, error: SearchError) -> LangError {
    let text = error.to_string();
    match error {
        SearchError::Model(error) => {
            let error = models::unfit(call.eval, data, error);
            // the model may be in the place of the base kernels
            let in_base = error.argument_name() == Some("model") && call.span_of("model") == call.span;
            if in_base { error.at(call.span_of("base")) } else { error }
        }
        SearchError::UnknownInput { name, known } => {
            unknown::input(&name, &known, data.target().map(|t| t.name())).argument("inputs")
        }
        SearchError::NothingFitted => LangError::new(text).argument("budget").help("allow it more"),
        SearchError::EmptyBase => LangError::new(text).argument("base"),
        SearchError::Depth(_) => LangError::new(text).argument("depth"),
        SearchError::Beam => LangError::new(text).argument("beam"),
        SearchError::NoMoves => LangError::new(text).argument("moves"),
        SearchError::TooFewRows { .. } | SearchError::HeldOut { .. } | SearchError::NoInputs => {
            LangError::new(text).argument("data")
        }
        SearchError::AllFailed { failures } => {
            // many base kernels fail for the same reason, one on each input
            let mut reasons: Vec<(&str, Vec<&str>)> = Vec::new();
            for (kernel, why) in &failures {
                match reasons.iter_mut().find(|(known, _)| known == why) {
                    Some((_, kernels)) => kernels.push(kernel),
                    None => reasons.push((why, vec![kernel])),
                }
            }
            let reasons = reasons.into_iter().map(|(why, kernels)| format!("{}: {why}", kernels.join(", ")));
            reasons.fold(LangError::new(text), |lang_error, reason| lang_error.note(reason))
        }
    }
}

fn search_moves(_call: &mut Call<'_, '_>) -> Res<Value> {
    let usual = Edit::defaults();
    let said = |edit: &Edit| if usual.contains(edit) { "yes" } else { "" };
    let texts = |of: &dyn Fn(&(Edit, &str, &str)) -> String| EDITS.iter().map(|e| Some(of(e))).collect::<Vec<_>>();
    let table = Table::new()
        .texts("move", texts(&|(_, name, _)| name.to_string()))
        .texts("what it does", texts(&|(_, _, help)| help.to_string()))
        .texts("usual", texts(&|(edit, ..)| said(edit).to_string()));
    Ok(Value::Table(Arc::new(Sheet::from(table))))
}

const SEARCH: Place = Place::required("search", Want::Kind(Kind::Search), "a search");
const BUDGET: Place = Place::keyword(
    "budget",
    Want::Budget,
    "\"60s\"",
    "the limit: a time, or a number of evaluations of the likelihood; base kernels and the last fits are finished beyond a \
     number",
);

pub static SEARCHES: &[Builtin] = &[
    Builtin {
        name: "search",
        aliases: &[],
        group: Group::Search,
        places: &[
            models::DATA,
            Place::optional(
                "base",
                Want::Each(&Want::KERNEL_OR_MODEL),
                "[SE, Per(centred=true), Lin, RQ]",
                "the \
                 base kernels, each on every input of its type unless it names one; the default includes `Wiener` and \
                 `IntegratedWiener` for a single numeric input, and `Indicator` if an input holds categories; or a model to \
                 begin with, as `model`, beside the default",
            ),
            Place::optional(
                "depth",
                Want::Positive,
                "10",
                "the largest number of edits, the choice of the base kernel included",
            ),
            Place::keyword(
                "criterion",
                Want::Choice(&Criterion::NAMES),
                "\"bicc\"",
                "the score of models, lower is better; `laplace` for a single numeric input",
            ),
            Place::keyword("beam", Want::Positive, "1", "the number of expressions edited at each depth"),
            Place::keyword(
                "restarts",
                Want::Positive,
                "2",
                "the number of starts of each candidate that are optimised",
            ),
            models::SEED,
            BUDGET,
            Place::keyword(
                "moves",
                Want::Each(&Want::Either(&[Want::Choice(&EDIT_NAMES), Want::FUNCTION])),
                "[\"add\", \"multiply\", \"replace\", \"drop\"]",
                "the edits: names that `search_moves()` lists, or functions from kernel to kernel",
            ),
            Place::keyword(
                "model",
                Want::Either(&[Want::Kind(Kind::Model), Want::Kind(Kind::Kernel), Want::Kind(Kind::Fit)]),
                "",
                "a model to begin with: every model that is tried has its steps, noise, mean and likelihood, and its kernel is \
                 a candidate of the first depth, which starts at the values that are written in it",
            )
            .instead_of("base"),
            Place::keyword("inputs", Want::Input, "all", "the inputs of the base kernels"),
            Place::keyword(
                "transform",
                Want::Choice(&super::target_scale::SCALES),
                "\"auto\"",
                "the scale of the target: `auto` compares the target itself with, if it is positive, its logarithm and the \
                 power of Box and Cox, by the criterion after the first depths",
            ),
            models::NOISE,
            models::NOISE_SD,
            means::MEAN,
            models::LIKELIHOOD,
            models::INFERENCE,
            models::LINK,
            models::POSITIVE,
        ],
        result: Some(Kind::Search),
        summary: "the kernel with the best score, found by repeated edits that start from base kernels",
        help: "Every \
               part of the best expression is edited in every way. The results are fitted, with more steps for the \
               more promising ones, and the best is edited again, until the score no longer improves. At the end \
               the best three are fitted to a maximum, from their own values and afresh; a budget of time leaves a fifth of it for \
               this, a budget of evaluations does not count it. The same seed gives the same search on any number of threads, unless it ends by a time budget. A search can be given \
               where a fit is expected; its best fit is used. Ctrl-C ends it with the best result so far. `\"bic\"` \
               counts every parameter, `\"recorded\"` as Duvenaud, Lloyd and others did in 2013, `\"laplace\"` is the \
               Laplace approximation of the marginal likelihood with parameters integrated out, `\"held-out\"` scores \
               on a fifth of the rows that is not fitted. A model in place of the base kernels is where the search begins. The steps \
               of its inputs are learnt on all rows of the search, those of its target on the rows of each fit. An input \
               that was standardized or transformed is no longer a time, and has no seasons of the calendar. A transform of \
               the target in the model stands, and then `transform` is left out.",
        examples: &[
            "load(\"airline\") |> search(depth=2, budget=2000)",
            "load(\"airline\") |> search(transform(y=log) >> gp(SE + Per(p=1), mean=\"linear\"), depth=2, budget=1000)",
        ],
        touches: Touches::Nothing,
        run: run_search,
    },
    Builtin {
        name: "resume",
        aliases: &[],
        group: Group::Search,
        places: &[
            SEARCH,
            Place::optional("depth", Want::Positive, "that of the search", "the depth at which it ends"),
            BUDGET,
        ],
        result: Some(Kind::Search),
        summary: "a search continued from where it ended",
        help: "It continues to a greater depth, with the same result as one search to that depth, or with a new budget. \
               Where a budget ended a search within a depth, one longer search may have tried other expressions there.",
        examples: &["let s = load(\"airline\") |> search([SE, Lin], depth=1)\nresume(s, depth=2).trace"],
        touches: Touches::Nothing,
        run: resume,
    },
    Builtin {
        name: "search_moves",
        aliases: &[],
        group: Group::Search,
        places: &[],
        result: Some(Kind::Table),
        summary: "the edits that a search can make",
        help: "The usual ones are the default of `moves`.",
        examples: &["search_moves()"],
        touches: Touches::Nothing,
        run: search_moves,
    },
];
