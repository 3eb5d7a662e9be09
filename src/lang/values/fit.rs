//! Fits.

use std::sync::Arc;

use serde_json::{Map, Value as Json, json};

use super::deep_fit::{NO_TRACE, traced};
use super::json::{number, table};
use super::kernel;
use super::value::{Member, Value, ValueKind};
use crate::data::write::Table;
use crate::describe::{self, Markup, posterior_maps, result_figures, slice_figures, tables};
use crate::figure::Figure;
use crate::fit::Fit;
use crate::lang::error::{LangError, Res};
use crate::lang::payload::pipeline::Pipeline;
use crate::lang::payload::plot::{PlotError, PlotOptions};
use crate::lang::payload::sheet::Sheet;
use crate::model::{Classes, Entry, Inducing, ModelError, SparseMethod};

impl ValueKind for Arc<Fit> {
    const NAME: &'static str = "Fit";
    const NOUN: &'static str = "a fit";
    const MADE_BY: &'static str = "`fit(data, model)`, `condition(data, model)`";
    const PLOT: Option<&'static [&'static str]> = Some(&["band", "show", "at", "n"]);
    const TABLE: bool = true;
    const MEMBERS: &'static [Member<Self>] = &[
        Member::new(
            "kernel",
            "the kernel with its fitted values; for a model without a kernel, such as `linear()`, the model",
            |fit| kernel::of_model(&fit.model),
        ),
        Member::new("model", "the model with its fitted values", |fit| {
            Value::Model(Arc::new(Pipeline::of(fit.model.clone())))
        }),
        Member::checked(
            "lml",
            "the log marginal likelihood; of `inference=\"fitc\"` that of the approximate model",
            |fit| fit.evidence().map(Value::Number).map_err(only_bound),
        ),
        Member::checked(
            "lml_fit",
            "the term −(y − m)ᵀK⁻¹(y − m)/2 of the log marginal likelihood of exact regression, on the scale of the model: \
             larger for a closer fit",
            |fit| terms(fit).map(|terms| Value::Number(terms.0)),
        ),
        Member::checked(
            "lml_complexity",
            "its term −log|K|/2: smaller for a more flexible kernel; −n log 2π/2, and under a transform of the target the \
             logarithms of its slopes, complete the sum",
            |fit| terms(fit).map(|terms| Value::Number(terms.1)),
        ),
        Member::checked("bic", "−2 lml + p log n for p free parameters that the data determine", |fit| {
            fit.information().map(Value::Number).map_err(only_bound)
        }),
        Member::checked("bound", "for `inference=\"vfe\"`: the lower bound of the log marginal likelihood", |fit| {
            bound(fit)
        }),
        Member::checked("inducing", "for a sparse fit: its inducing inputs, one row each", |fit| inducing(fit)),
        Member::new("noise", "the variance of the noise", |fit| Value::maybe_number(fit.noise())),
        Member::checked(
            "classes",
            "for a classifier: its classes, with the positive class last if there are two",
            |fit| classes(fit),
        ),
        Member::new("fits", "for more than two classes: the fit of each class against the rest", |_| Value::Nothing),
        Member::new(
            "temperature",
            "of more than two classes: the divisor of the log odds when probabilities are normalised",
            |_| Value::Nothing,
        ),
        Member::new("params", "a table of all parameters", |fit| parameters(fit)),
        Member::new("trace", "a table of the objective and the free parameters along the optimiser's run", |fit| {
            traced(&describe::fit_trace(fit), NO_TRACE)
        }),
        Member::new("converged", "whether the optimiser reached a maximum", |fit| Value::Bool(fit.converged())),
        Member::checked("hints", "warnings about the fit", |fit| {
            Value::list(fit.hints.iter().map(|hint| Value::str(hint.as_str())))
        }),
        Member::new("data", "the training rows", |fit| Value::Data(Arc::new(fit.problem().data().clone()))),
    ];

    fn show(&self) -> Markup {
        describe::fit(self)
    }

    fn json(&self) -> Json {
        json!({
            "kernel": kernel::of_model(&self.model).json(),
            "model": Pipeline::of(self.model.clone()).to_string(),
            "lml": self.evidence().map_or(Json::Null, number),
            "bic": self.information().map_or(Json::Null, number),
            "bound": self.bound().map_or(Json::Null, number),
            "noise": self.noise().map_or(Json::Null, number),
            "params": table(&tables::parameters(self)),
            "powers": describe::powers(self).into_iter().map(|(name, x)| (name, number(x))).collect::<Map<_, _>>(),
            "converged": self.converged(),
            "hints": self.hints,
        })
    }

    fn same(&self, other: &Self) -> bool {
        Arc::ptr_eq(self, other)
    }

    fn figure(&self, options: &mut PlotOptions<'_>) -> Result<Figure, PlotError> {
        match options.show.as_deref() {
            Some("slice") => Ok(slice_figures::slices(self, options.at.as_deref(), options.band)?),
            Some(show @ ("mean" | "sd")) => {
                let both = result_figures::fit(self, options.band, false, options.points)?;
                Ok(posterior_maps::one_map(both, show == "mean").ok_or_else(no_maps)?)
            }
            Some("observed") => Ok(result_figures::fit(self, options.band, true, options.points)?),
            _ => Ok(result_figures::fit(self, options.band, false, options.points)?),
        }
    }

    /// The parameters of the fit.
    fn table(&self) -> Option<Table> {
        Some(tables::parameters(self))
    }
}

/// Why a fit or a prediction has no map of its mean alone.
pub(super) fn no_maps() -> LangError {
    LangError::new("the mean and the standard deviation are maps for two numeric inputs")
        .argument("show")
        .help("leave `show` out; a prediction has maps if its rows are a whole grid over both inputs")
}

/// The terms of the log marginal likelihood of exact regression.
fn terms(fit: &Fit) -> Res<(f64, f64)> {
    fit.evidence_terms().ok_or_else(|| {
        let why = if fit.sparse().is_some() { "has inducing inputs" } else { "is of classes" };
        LangError::new(format!("the log marginal likelihood has these terms for exact regression, and this fit {why}"))
    })
}

fn bound(fit: &Fit) -> Res<Value> {
    if fit.sparse() == Some(SparseMethod::Fitc) {
        let error = LangError::new("the approximation of FITC has a log marginal likelihood, `.lml`, and no bound");
        return Err(error.help("write `.lml`; the bound is that of `inference=\"vfe\"`"));
    }
    Ok(Value::maybe_number(fit.bound()))
}

fn only_bound(error: ModelError) -> LangError {
    LangError::new(error.to_string()).help("write `.bound`; fits are compared by `score` or `crossval`")
}

/// The inducing inputs, in the inputs that the model depends on.
fn inducing(fit: &Fit) -> Res<Value> {
    let Some(sparse) = &fit.model.sparse else { return Ok(Value::Nothing) };
    let Inducing::Rows { rows, .. } = &sparse.inducing else { return Ok(Value::Nothing) };
    let entry = |entry: &Entry| match entry {
        Entry::Number(x) => Value::Number(*x),
        Entry::Level(text) => Value::str(&**text),
    };
    let row = |row: &Vec<Entry>| match &row[..] {
        [one] => Ok(entry(one)),
        all => Value::list(all.iter().map(entry)),
    };
    Value::list(rows.iter().map(row).collect::<Res<Vec<_>>>()?)
}

/// The table of all parameters.
pub fn parameters(fit: &Fit) -> Value {
    Value::table(Sheet::with_text(tables::parameters(fit), describe::parameters_grid(fit)))
}

pub(super) fn classes(fit: &Fit) -> Res<Value> {
    match fit.problem().classes() {
        Some(classes) => Value::list([-1.0, 1.0].map(|label| class(classes, label))),
        None => Ok(Value::Nothing),
    }
}

/// A class as in the data: a number, or a text.
pub(super) fn class(classes: &Classes, label: f64) -> Value {
    classes.number(label).map_or_else(|| Value::str(classes.name(label)), Value::Number)
}
