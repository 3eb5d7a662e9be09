//! Fitted deep Gaussian processes.

use std::sync::Arc;

use serde_json::{Value as Json, json};

use super::cast::{FromValue, expected};
use super::json::{number, numbers, table};
use super::value::{Member, Value, ValueKind};
use crate::data::write::Table;
use crate::deep::DeepFit;
use crate::describe::{self, Markup, Traced};
use crate::figure::Figure;
use crate::lang::error::{LangError, Res};
use crate::lang::payload::plot::{PlotError, PlotOptions};
use crate::lang::payload::sheet::Sheet;

/// The default number of draws in a figure.
const DRAWS: usize = 5;

impl ValueKind for DeepFit {
    const NAME: &'static str = "DeepFit";
    const NOUN: &'static str = "a fit of a deep GP";
    const MADE_BY: &'static str = "`fit(data, deepgp(layers=2))`";
    const PLOT: Option<&'static [&'static str]> = Some(&["draws"]);
    const TABLE: bool = true;
    const MEMBERS: &'static [Member<Self>] = &[
        Member::new("model", "the deep GP that was fitted", |fit| {
            Value::DeepModel(Arc::new(fit.problem.model.clone()))
        }),
        Member::checked("kernels", "the kernel of each layer with its fitted values, first to last", |fit| {
            let kernel = |(layer, of): (&crate::deep::Layer, &crate::deep::LayerValues)| {
                Value::Kernel(layer.bound.with_values(&of.theta))
            };
            Value::list(fit.problem.layers.iter().zip(&fit.values.layers).map(kernel))
        }),
        Member::new(
            "objective",
            "the value that training maximises: the variational bound, or with \"dgps\" the log likelihood plus log priors",
            |fit| Value::Number(fit.objective),
        ),
        Member::new("log_likelihood", "the estimate of the log likelihood of the training rows", |fit| {
            Value::Number(fit.log_likelihood)
        }),
        Member::new("noise", "the variance of the noise", |fit| Value::Number(fit.values.noise)),
        Member::new("params", "a table of the kernels' free parameters and the noise", |fit| {
            Value::table(describe::deep_parameters(fit))
        }),
        Member::new("trace", "a table of the objective and the parameters after each step", |fit| {
            traced(&describe::deep_trace(fit), "no trace: a saved fit does not keep that of its training")
        }),
        Member::checked("starts", "the objective that each start reached", |fit| {
            Value::list(fit.starts.iter().map(|reached| Value::maybe_number(*reached)))
        }),
        Member::checked(
            "pseudo",
            "for each layer its pseudo data: pairs of an inducing input and an output or its posterior mean",
            |fit| {
                let pairs = (0..fit.problem.layers.len()).map(|layer| {
                    let pseudo = fit.pseudo_data(layer).map_err(|error| LangError::new(error.to_string()))?;
                    Value::checked_list(pseudo.into_iter().map(|(x, y)| Value::numbers([x, y])))
                });
                Value::checked_list(pairs)
            },
        ),
        Member::new("converged", "whether the optimiser reached a maximum", |fit| Value::Bool(fit.ended.well())),
        Member::new("data", "the training rows", |fit| Value::Data(Arc::new(fit.problem.base.data().clone()))),
    ];

    fn show(&self) -> Markup {
        describe::deep_fit(self)
    }

    fn json(&self) -> Json {
        let layers = self.problem.layers.iter().zip(&self.values.layers);
        json!({
            "model": self.problem.model.to_string(),
            "objective": number(self.objective),
            "log_likelihood": number(self.log_likelihood),
            "noise": number(self.values.noise),
            "params": table(&describe::deep_parameters(self)),
            "layers": layers.map(|(layer, of)| json!({
                "kernel": layer.bound.with_values(&of.theta).to_string(),
                "inducing": of.inducing.column_iter().map(|c| numbers(c.as_slice())).collect::<Vec<_>>(),
                "whitened": of.whitened.column_iter().map(|c| numbers(c.as_slice())).collect::<Vec<_>>(),
                "root": of.root.as_ref().map(|r| r.column_iter().map(|c| numbers(c.as_slice())).collect::<Vec<_>>()),
            })).collect::<Vec<_>>(),
            "converged": self.ended.well(),
        })
    }

    fn figure(&self, options: &mut PlotOptions<'_>) -> Result<Figure, PlotError> {
        describe::deep_fit_figure(self, options.draws.unwrap_or(DRAWS))
            .map_err(|error| PlotError::Other(LangError::new(error.to_string())))
    }

    /// The parameters of the fit.
    fn table(&self) -> Option<Table> {
        Some(describe::deep_parameters(self))
    }
}

/// Why a fit has no trace.
pub const NO_TRACE: &str = "no trace: the parameters were taken as given or read from a file, and not optimised here";

/// A trace as a table; its figure has the steps along the horizontal axis. `none` says why there is none.
pub fn traced(trace: &Traced, none: &str) -> Value {
    if trace.is_empty() {
        return Value::table(Sheet::with_text(trace.table(), none));
    }
    Value::table(Sheet::from(trace.table()).with_figure(trace.figure()))
}

impl FromValue for Arc<DeepFit> {
    fn from_value(value: Value) -> Res<Self> {
        match value {
            Value::DeepFit(fit) => Ok(fit),
            other => Err(expected("a fit of a deep GP", &other)),
        }
    }
}
