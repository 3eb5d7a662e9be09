//! Results of a fit: predictions, residuals, scores, comparisons, draws.

use std::sync::Arc;

use crate::data::Dataset;
use crate::data::write::Table;
use crate::describe::{self, tables};
use crate::fit::{Fit, Options};
use crate::lang::error::{LangError, Res};
use crate::lang::eval::evaluator::{Builtin, Call, Touches};
use crate::lang::numerals::number;
use crate::lang::payload::sheet::Sheet;
use crate::lang::signature::{Group, Place, Want};
use crate::lang::values::cast::{FromValue, expected};
use crate::lang::values::value::{Items, Kind, List, Value, check_length};
use crate::results::metric::metric;
use crate::results::{self, Contender, Fitted, Integration, Mixture, Score, Trial};
use crate::syntax::span::Spanned;

use super::evidence::rank;
use super::models::lang_error;
use super::prediction_rows::{AT, FIT, N, place, rows, unlike};
use super::random_numbers;

/// The probabilities of the requested quantiles: different from each other, and between 0 and 1.
fn quantile_levels(call: &mut Call<'_, '_>) -> Res<Vec<f64>> {
    let levels: Vec<f64> = call.or("quantiles", Vec::new())?;
    if let Some(wrong) = levels.iter().find(|p| !(**p > 0.0 && **p < 1.0)) {
        let lang_error =
            LangError::new(format!("the probability of a quantile must be between 0 and 1, found {}", number(*wrong)));
        return Err(lang_error.help("write `quantiles=[0.05, 0.95]` for 5 % and 95 %").argument("quantiles"));
    }
    if let Some((_, twice)) = levels.iter().enumerate().find(|(i, p)| levels[..*i].contains(*p)) {
        let lang_error = LangError::new(format!("the quantile at probability {} is asked for twice", number(*twice)));
        return Err(lang_error.help("give each probability once").argument("quantiles"));
    }
    Ok(levels)
}

fn predict(call: &mut Call<'_, '_>) -> Res<Value> {
    let of: Value = call.arg("fit")?;
    let (levels, integrated) = (quantile_levels(call)?, integrates(call, &of)?);
    if let Value::DeepFit(fit) = &of {
        return super::deep_results::predict(call, fit, &levels);
    }
    super::deep_results::refuse_samples(call, &["as", "samples", "seed"])?;
    let fit = match &of {
        Value::OneVsRest(rest) => rest.fits[0].clone(),
        of => <Arc<Fit>>::from_value(of.clone())?,
    };
    let place = place(call, &fit)?;
    let average = call.or("average", matches!(of, Value::Search(_)))?;
    if !levels.is_empty() && fit.model.predicts_classes() {
        let lang_error = LangError::new("classes have probabilities, not quantiles").label("this has no effect here");
        return Err(lang_error.argument("quantiles"));
    }
    if let (Value::OneVsRest(rest), false) = (&of, average) {
        return match rest.predict(&place) {
            Ok(prediction) => Ok(Value::ClassPrediction(Arc::new(prediction))),
            Err(error) => Err(unlike(call, &fit, error).argument("at")),
        };
    }
    let prediction = match &of {
        Value::Search(search) if average => {
            let (search, stop) = (search.clone(), call.eval.progress.stop_handle());
            call.unless_stopped(move || {
                crate::search::average(&search, integrated, &stop).and_then(|mixture| mixture.predict(&place, &stop))
            })?
        }
        _ if average => {
            let lang_error = LangError::new("a fit is one model, with nothing to average over").argument("average");
            return Err(lang_error.help("`average` applies to the models of a search"));
        }
        _ => {
            let (fit, stop) = (fit.clone(), call.eval.progress.stop_handle());
            call.unless_stopped(move || match integrated {
                true => Mixture::over_parameters(&fit, &stop).and_then(|mixture| mixture.predict(&place, &stop)),
                false => results::predict_unless(&fit, place, &stop),
            })?
        }
    };
    let prediction = prediction.and_then(|prediction| match levels.is_empty() {
        true => Ok(prediction),
        false => prediction.with_levels(&levels),
    });
    match prediction {
        Ok(prediction) => Ok(Value::Prediction(Arc::new(prediction))),
        Err(error) => Err(unlike(call, &fit, error).argument("at")),
    }
}

/// Whether parameters are integrated out: for a search, unless it is told not to.
fn integrates(call: &mut Call<'_, '_>, of: &Value) -> Res<bool> {
    Ok(asked_to_integrate(call, of)?.unwrap_or(matches!(of, Value::Search(_))))
}

/// Whether the call says that parameters are integrated out, or that they are not.
fn asked_to_integrate(call: &mut Call<'_, '_>, of: &Value) -> Res<Option<bool>> {
    let wanted: Option<Arc<str>> = call.maybe("parameters")?;
    let plain = matches!(of, Value::OneVsRest(_) | Value::DeepFit(_));
    if plain && wanted.is_some() {
        let what = if matches!(of, Value::OneVsRest(_)) { "the fits of one-vs-rest" } else { "a deep GP" };
        let error = LangError::new(format!("parameters are not integrated out of {what}")).argument("parameters");
        return Err(error.help("leave `parameters` out"));
    }
    Ok(wanted.map(|wanted| *wanted == *"integrated"))
}

fn residuals(call: &mut Call<'_, '_>) -> Res<Value> {
    let fit: Arc<Fit> = call.arg("fit")?;
    match call.unless_stopped(move || results::residuals(&fit))? {
        Ok(residuals) => Ok(Value::Residuals(Arc::new(residuals))),
        Err(error) => Err(lang_error(call.eval, error)),
    }
}

fn score(call: &mut Call<'_, '_>) -> Res<Value> {
    let of: Value = call.arg("fit")?;
    if let Value::DeepFit(fit) = &of {
        return super::deep_results::score(call, fit);
    }
    super::deep_results::refuse_samples(call, &["samples"])?;
    let data: Option<Arc<Dataset>> = call.maybe("data")?;
    let search = if let Value::Search(search) = &of { Some(search.clone()) } else { None };
    let average = call.or("average", search.is_some() && data.is_some())?;
    let asked = asked_to_integrate(call, &of)?;
    if asked == Some(true) && data.is_none() {
        let text = "leave-one-out scores are those of the fitted parameters: these are not integrated out";
        let error = LangError::new(text).argument("parameters");
        return Err(error.help("leave `parameters` out, or give held-out rows"));
    }
    let integrated = asked.unwrap_or(search.is_some()) && data.is_some();
    let fitted = Fitted::from_value(of).map_err(|t| t.argument("fit"))?;
    if average && (search.is_none() || data.is_none()) {
        let error = LangError::new("only the models of a search on held-out rows are averaged").argument("average");
        return Err(error.help("give held-out rows: `score(search, test)`"));
    }
    let noise_free = matches!(&fitted, Fitted::One(fit) if fit.is_noise_free());
    let (held_out, of_search) = (data.is_some(), search.is_some());
    let stop = call.eval.progress.stop_handle();
    let score = move || {
        let outcomes = match (&search, &fitted, &data) {
            (Some(search), _, Some(rows)) if average => {
                crate::search::average(search, integrated, &stop)?.outcomes_at(rows)
            }
            (_, Fitted::One(fit), Some(rows)) if integrated => Mixture::over_parameters(fit, &stop)?.outcomes_at(rows),
            _ => fitted.outcomes_at(data.as_deref()),
        };
        results::scored(&outcomes?)
    };
    let score = call.unless_stopped(score)?;
    let place = if held_out { "data" } else { "fit" };
    let score = score.map_err(|error| lang_error(call.eval, error).argument(place))?;
    let mut text = describe::score(&score, !held_out, noise_free);
    if of_search && !held_out {
        text.push(
            "of the best model alone, with its fitted parameters: only scores on held-out rows are of the average",
        );
    }
    Ok(Value::table(Sheet::with_text(score_table(&score), text)))
}

fn score_table(score: &Score) -> Table {
    let table = Table::new().numbers("n", &[score.n as f64]);
    score.values.iter().fold(table, |table, (metric, value)| table.numbers(metric.name, &[*value]))
}

/// The number of folds in a comparison of models that are not fitted.
const FOLDS: usize = 5;

/// Compares models by held-out density, with all fitted to the same folds.
fn compare_held_out(call: &mut Call<'_, '_>, data: &Dataset, given: Vec<Spanned<Value>>) -> Res<Value> {
    let (mut models, mut all_named) = (Vec::new(), true);
    for value in given {
        let record = matches!(value.node, Value::Record(_));
        let found = super::crossval::named(value.node).map_err(|t| t.at(value.span))?;
        all_named &= record || found.is_empty();
        models.extend(found);
    }
    if models.is_empty() {
        return Err(LangError::new("there is no model to compare")
            .help("write `compare(data, [deepgp(layers=1), deepgp(layers=2), gp(SE)])`"));
    }
    if !all_named {
        let plain: Vec<Contender> = models.into_iter().map(|(_, model)| model).collect();
        models = Contender::names(&plain).into_iter().zip(plain).collect();
    }
    let options = Options { seed: call.eval.host.seed, ..Options::default() };
    let folds = super::crossval::random_folds(data, FOLDS, options.seed)?;
    let metrics = ["nll", if data.has_classes() { "error" } else { "rmse" }].into_iter().filter_map(metric).collect();
    let cv = super::crossval::validated(call, models, data, &Trial { folds, metrics, options }, true, "fits")?;
    let table = describe::cross_validation::scores_table(&cv);
    Ok(Value::table(Sheet::with_text(table, describe::cross_validation::cross_validation(&cv))))
}

fn compare(call: &mut Call<'_, '_>) -> Res<Value> {
    let (mut fits, mut names) = (Vec::new(), Vec::new());
    let mut given = call.many();
    let criterion = call.maybe::<Arc<str>>("criterion")?;
    if let Some(Value::Data(data)) = given.first().map(|first| first.node.clone()) {
        if criterion.is_some() {
            let error = LangError::new("models on held-out rows are ranked by their scores there, not by a criterion");
            return Err(error.argument("criterion").help("leave `criterion` out, or compare fits"));
        }
        given.remove(0);
        return compare_held_out(call, &data, given);
    }
    for value in given {
        match value.node {
            Value::Fit(fit) => fits.push(fit),
            Value::Record(record) => {
                for (name, field) in record.fields() {
                    fits.push(<Arc<Fit>>::from_value(field.clone()).map_err(|t| t.at(value.span))?);
                    names.push(name.clone());
                }
            }
            other => {
                let items = Items::from_value(other).map_err(|t| t.at(value.span))?;
                for item in items {
                    fits.push(<Arc<Fit>>::from_value(item).map_err(|t| t.at(value.span))?);
                }
            }
        }
    }
    if fits.is_empty() {
        return Err(LangError::new("`compare` needs at least one fit"));
    }
    if !names.is_empty() && names.len() < fits.len() {
        return Err(LangError::new("some of these fits have names and some have none")
            .help("give all of them in one record: `compare(record(smooth=m, line=n))`"));
    }
    match results::compare(&fits) {
        Ok(mut compared) => {
            match criterion.as_deref() {
                Some("laplace") => rank(call, &mut compared, Integration::Laplace)?,
                Some("bq") => rank(call, &mut compared, Integration::Quadrature)?,
                _ => {}
            }
            let names = (!names.is_empty()).then_some(&names[..]);
            let text = describe::compared(&compared, names);
            Ok(Value::table(Sheet::with_text(tables::compared(&compared, names), text)))
        }
        Err(error) => Err(lang_error(call.eval, error)),
    }
}

/// Draws of functions from a kernel, a deep GP or a fit.
fn sample(call: &mut Call<'_, '_>) -> Res<Value> {
    let of: Value = call.arg("of")?;
    super::deep_priors::refuse_layers(call, &of)?;
    if call.value("part").is_some() && !matches!(of, Value::Decomposition(_)) {
        let text = format!("`part=` does not apply to {}", of.kind().noun());
        return Err(LangError::new(text).argument("part").help("give the parts: `sample(decompose(fit), part=0)`"));
    }
    match of {
        Value::Fit(fit) => {
            let draws: usize = call.or("n", 1)?;
            let rows = match call.maybe::<Value>("at")? {
                Some(at) => rows(call, &fit, at, None).map_err(|t| t.argument("at"))?,
                None => fit.problem().data().clone(),
            };
            check_length(rows.n().saturating_mul(draws)).map_err(|t| t.argument("n"))?;
            let x = fit.problem().inputs_of(&rows).map_err(|error| lang_error(call.eval, error).argument("at"))?;
            let mut normals = random_numbers::normals(call)?;
            let own = fit.clone();
            let drawn = call.unless_stopped(move || {
                let x: Vec<&[f64]> = x.iter().map(|column| &column[..]).collect();
                own.posterior.draws(&x, draws, &mut normals)
            })?;
            let drawn = drawn.map_err(|error| lang_error(call.eval, error))?;
            let map = fit.problem().pipeline().target();
            let draws = drawn.column_iter().map(|draw| Value::numbers(draw.iter().map(|z| map.inverse(*z))));
            List::collect(draws).map(Value::List)
        }
        Value::Kernel(kernel) => super::kernels::draws(call, &kernel),
        Value::DeepModel(model) => super::deep_priors::draws(call, &model),
        Value::DeepFit(fit) => super::deep_results::sample(call, &fit),
        Value::Decomposition(parts) => super::decomposition::draws(call, &parts),
        other => Err(expected("a kernel, a deep GP, a fit or the parts of one", &other).argument("of")),
    }
}

const AVERAGE: Place = Place::keyword(
    "average",
    Want::BOOL,
    "true for a search",
    "for a search, whether its best models are averaged, weighted by their evidence, or the best is used",
);
const PARAMETERS: Place = Place::keyword(
    "parameters",
    Want::Choice(&["fixed", "integrated"]),
    "\"integrated\" for a search, else \"fixed\"",
    "whether the parameters are those of the fit, or integrated out: wider bands where few rows determine them",
);

pub static RESULTS: &[Builtin] = &[
    Builtin {
        name: "predict",
        aliases: &[],
        group: Group::Results,
        places: &[
            Place::required("fit", Want::PREDICTOR, "a fit, or a search"),
            AT,
            N,
            AVERAGE,
            PARAMETERS,
            Place::keyword(
                "quantiles",
                Want::Numbers,
                "[]",
                "probabilities of quantiles of a new observation, such as [0.05, 0.95]",
            ),
            Place::keyword(
                "as",
                Want::Choice(&["mixture", "moments", "sample"]),
                "\"mixture\"",
                "for a deep GP: `mixture` with quantiles of the mixture, `moments` with mean and variance only, or `sample` for draws of functions",
            ),
            Place::keyword(
                "samples",
                Want::Count,
                "100",
                "for a deep GP, the number of samples of the hidden layers, or of draws",
            ),
            Place::keyword("seed", Want::Count, "that of the fit", "for a deep GP, the seed of the samples"),
        ],
        result: Some(Kind::Prediction),
        summary: "the predictive mean and standard deviation of the target",
        help: "`1961..1964` \
               with `n=36` is 36 months: the end is excluded, and `..=` includes it. `sd` is that of a new \
               observation, noise included. For a classifier: the probability of the positive class, the more probable \
               class, and the mean and variance of the latent function. `quantiles=` adds a column for each, such as \
               `q0.05`, exact under a transform of the target. With `parameters=\"integrated\"` the prediction is an average over \
               a few tens of values of the parameters around the fit, weighted by their posterior density with weak priors \
               (central composite design; Rue, Martino & Chopin 2009); with more than 2,000 rows they are those of the fit. \
               The prediction of a search is such an average over its best models, each weighted by its evidence.",
        examples: &["let d = data(x=[0, 1, 2], y=[1, 3, 2])\n\
                     d |> condition(gp(SE(x, l=1, v=4), noise=0.1)) |> predict(0..2, n=4)"],
        touches: Touches::Nothing,
        run: predict,
    },
    Builtin {
        name: "residuals",
        aliases: &[],
        group: Group::Results,
        places: &[FIT],
        result: Some(Kind::Residuals),
        summary: "the residuals of a fit",
        help: "",
        examples: &["let d = data(x=[0, 1, 2], y=[1, 3, 2])\nd |> condition(gp(SE(x, l=1), noise=0.1)) |> residuals"],
        touches: Touches::Nothing,
        run: residuals,
    },
    Builtin {
        name: "score",
        aliases: &[],
        group: Group::Results,
        places: &[
            Place::required("fit", Want::PREDICTOR, "a fit, or a search"),
            Place::optional(
                "data",
                Want::Kind(Kind::Data),
                "leave-one-out; for a deep GP the training rows",
                "held-out rows, with a target",
            ),
            AVERAGE,
            PARAMETERS,
            Place::keyword("samples", Want::Count, "100", "for a deep GP, the number of samples of the hidden layers"),
        ],
        result: Some(Kind::Table),
        summary: "scores of a fit on held-out rows, or by leave-one-out",
        help: "Held-out rows are scored by the prediction that `predict` gives: that of a search is an average over its best \
               models and their parameters. A leave-one-out score is that of the best model of a search, with its fitted parameters.",
        examples: &["let d = data(x=[0, 1, 2], y=[1, 3, 2])\nd |> condition(gp(SE(x, l=1), noise=0.1)) |> score"],
        touches: Touches::Nothing,
        run: score,
    },
    Builtin {
        name: "compare",
        aliases: &[],
        group: Group::Results,
        places: &[
            Place::many(
                "fits",
                Want::Either(&[Want::Kind(Kind::Fit), Want::Items, Want::Kind(Kind::Record), Want::Kind(Kind::Data)]),
                "fits of the same rows, or a record with their names; or data and then a list of models",
            ),
            Place::keyword(
                "criterion",
                Want::Choice(&["bic", "laplace", "bq"]),
                "\"bic\"",
                "what ranks fits: BIC, or the log evidence by Laplace's method or by Bayesian quadrature, as `marginal` gives it",
            ),
        ],
        result: Some(Kind::Table),
        summary: "a comparison of fits, the best first",
        help: "With data first, the models that follow are fitted to each of 5 folds and ranked by the log density of the \
               rows held out: deep GPs and GPs by the same measure. `loo` \
               columns are leave-one-out scores: the mean negative log predictive density or probability, and the root \
               mean squared error or, for classes, the error rate.",
        examples: &[
            "let d = data(x=0..12, y=[sin(x) for x in 0..12])\n\
             compare(d |> fit(SE(x), restarts=2), d |> fit(Lin(x), restarts=2))",
            "let d = data(x=0..12, y=[exp(sin(x)) for x in 0..12])\n\
             compare(record(plain=d |> fit(SE(x), restarts=2), log=d |> fit(transform(y=log) >> gp(SE(x)), restarts=2)))",
            "let d = data(x=0..15, y=[sin(x) for x in 0..15])\ncompare(d, [gp(SE), gp(Lin)])",
        ],
        touches: Touches::Nothing,
        run: compare,
    },
    Builtin {
        name: "sample",
        aliases: &["draw"],
        group: Group::Results,
        places: &[
            Place::required(
                "of",
                Want::Either(&[
                    Want::Kind(Kind::Kernel),
                    Want::Kind(Kind::DeepModel),
                    Want::Kind(Kind::Fit),
                    Want::Kind(Kind::DeepFit),
                    Want::Kind(Kind::Decomposition),
                ]),
                "a kernel, a deep GP, a fit, or its parts",
            ),
            Place::optional(
                "at",
                Want::Either(&[Want::Numbers, Want::Kind(Kind::Data), Want::STRING]),
                "the training rows",
                "numbers or rows",
            )
            .or(&["xs"]),
            Place::optional("n", Want::Count, "1", "the number of draws"),
            Place::keyword("layers", Want::BOOL, "false", "for a deep GP, return the outputs of every layer"),
            Place::keyword(
                "part",
                Want::Either(&[Want::Count, Want::STRING]),
                "",
                "for the parts of a fit, the index from 0 or the label of the part; its rows are those of the parts",
            ),
            Place::keyword("seed", Want::Count, "the session's stream", "the seed of the draws"),
        ],
        result: Some(Kind::List),
        summary: "random functions from the prior of a kernel or a deep GP, or from the posterior of a fit or a part",
        help: "The \
               result is a list of draws, each a list of numbers; for a deep GP with several units in the last layer, \
               a list of rows. Draws come from the session's random stream, which `:seed` restarts, and have the \
               invariances of the kernel: no jitter is added.",
        examples: &["sample(SE(0), [0, 0, 1], n=2)", "sample(deepgp(layers=2), [0, 0, 1], layers=true)"],
        touches: Touches::Nothing,
        run: sample,
    },
];
