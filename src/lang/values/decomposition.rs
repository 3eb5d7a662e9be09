//! Decompositions of a fit into the parts of its kernel.

use std::sync::Arc;

use serde_json::{Value as Json, json};

use super::data::{inputs, inputs_json};
use super::json::{number, numbers};
use super::value::{Member, Record, Value, ValueKind};
use crate::data::write::Table;
use crate::describe::{self, Markup, correlation_figures, part_figures, tables};
use crate::figure::Figure;
use crate::lang::error::{LangError, Res};
use crate::lang::payload::plot::{PlotError, PlotOptions};
use crate::results::{Component, Cross, Decomposition, PairsOfParts};

impl ValueKind for Decomposition {
    const NAME: &'static str = "Decomposition";
    const NOUN: &'static str = "a decomposition";
    const MADE_BY: &'static str = "`decompose(fit)`";
    const PLOT: Option<&'static [&'static str]> = Some(&["show", "scales", "between", "n"]);
    const TABLE: bool = true;
    const MEMBERS: &'static [Member<Self>] = &[
        Member::checked("components", "for each part its label, kernel, mean, var and share", |parts| {
            Value::checked_list(parts.components.iter().map(component))
        }),
        Member::checked("labels", "the names of the parts", |parts| {
            Value::list(parts.components.iter().map(|c| Value::str(c.label.as_str())))
        }),
        Member::checked("means", "for each part its posterior mean, row by row", |parts| {
            Value::checked_list(parts.components.iter().map(|c| list(&c.mean)))
        }),
        Member::checked("vars", "for each part its posterior variance, row by row", |parts| {
            Value::checked_list(parts.components.iter().map(|c| list(&c.var)))
        }),
        Member::checked("shares", "for each part its share of the variance of y", |parts| {
            Value::numbers(parts.components.iter().map(|c| c.share))
        }),
        Member::checked(
            "partials",
            "for each part the training data less the mean function and all other parts, row by row",
            |parts| {
                let residuals = parts.partial_residuals().map_err(|error| LangError::new(error.to_string()))?;
                Value::checked_list(residuals.iter().map(|p| list(p)))
            },
        ),
        Member::checked(
            "cross",
            "for each pair of parts one, other, cov and corr: how their posteriors go together, row by row",
            |parts| Value::checked_list(parts.cross.iter().map(|pair| cross(parts, pair))),
        ),
        Member::checked("mean", "the mean function, row by row", |parts| list(&parts.mean_function)),
        Member::checked("at", "the inputs: numbers, or a list for each row where there are several", |parts| {
            inputs(&parts.at)
        }),
        Member::new("rows", "the rows as data", |parts| Value::Data(Arc::new(parts.at.clone()))),
        Member::new("fit", "the fit", |parts| Value::Fit(parts.fit.clone())),
    ];

    fn show(&self) -> Markup {
        describe::decomposition(self)
    }

    fn json(&self) -> Json {
        let component = |component: &Component| {
            json!({
                "label": component.label,
                "kernel": component.kernel.to_string(),
                "mean": numbers(&component.mean),
                "var": numbers(&component.var),
                "share": number(component.share),
            })
        };
        let cross = |pair: &Cross| {
            json!({
                "between": [label(self, pair.one), label(self, pair.other)],
                "cov": numbers(&pair.cov),
                "corr": numbers(&pair.corr),
            })
        };
        json!({
            "at": inputs_json(&self.at),
            "components": self.components.iter().map(component).collect::<Vec<_>>(),
            "mean_function": numbers(&self.mean_function),
            "cross": self.cross.iter().map(cross).collect::<Vec<_>>(),
            "transformed": self.transformed,
        })
    }

    fn figure(&self, options: &mut PlotOptions<'_>) -> Result<Figure, PlotError> {
        if options.show.as_deref() != Some("correlation") {
            return Ok(part_figures::decomposition(self, options.scales)?);
        }
        let labels = self.components.iter().map(|part| part.label.as_str());
        let pairs = match &options.between {
            Some(between) => between.pairs(labels).map_err(|error| error.argument("between"))?,
            None => PairsOfParts::Different,
        };
        let text = "correlations are shown for parts with one input each, and there are fewer than two such parts";
        Ok(correlation_figures::correlations(self, pairs, options.points)?.ok_or_else(|| {
            LangError::new(match pairs {
                PairsOfParts::Different => text,
                _ => "correlations are shown for parts that depend on one numeric input each",
            })
        })?)
    }

    fn table(&self) -> Option<Table> {
        Some(tables::decomposition(self))
    }
}

fn list(values: &[f64]) -> Res<Value> {
    Value::numbers(values.iter().copied())
}

fn label(parts: &Decomposition, i: usize) -> Option<&str> {
    parts.components.get(i).map(|component| component.label.as_str())
}

fn component(component: &Component) -> Res<Value> {
    let record = Record::default()
        .with("label", Value::str(component.label.as_str()))
        .with("kernel", Value::Kernel(component.kernel.clone()))
        .with("mean", list(&component.mean)?)
        .with("var", list(&component.var)?)
        .with("share", Value::Number(component.share));
    Ok(Value::Record(Arc::new(record)))
}

/// The posterior covariance of two components, row by row.
fn cross(parts: &Decomposition, pair: &Cross) -> Res<Value> {
    let record = Record::default()
        .with("one", Value::maybe_str(label(parts, pair.one)))
        .with("other", Value::maybe_str(label(parts, pair.other)))
        .with("cov", list(&pair.cov)?)
        .with("corr", list(&pair.corr)?);
    Ok(Value::Record(Arc::new(record)))
}
