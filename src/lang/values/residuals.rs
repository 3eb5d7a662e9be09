//! Residuals of a fit.

use serde_json::{Value as Json, json};

use super::json::{number, numbers};
use super::value::{Member, Value, ValueKind};
use crate::data::write::Table;
use crate::describe::Markup;
use crate::describe::{self, result_figures, tables};
use crate::figure::Figure;
use crate::lang::payload::plot::{PlotError, PlotOptions};
use crate::results::Residuals;

impl ValueKind for Residuals {
    const NAME: &'static str = "Residuals";
    const NOUN: &'static str = "residuals";
    const MADE_BY: &'static str = "`residuals(fit)`";
    const PLOT: Option<&'static [&'static str]> = Some(&[]);
    const TABLE: bool = true;
    const MEMBERS: &'static [Member<Self>] = &[
        Member::checked("fitted", "the posterior means at the training rows", |residuals| {
            Value::numbers(residuals.fitted.iter().copied())
        }),
        Member::checked("residual", "the target minus the fitted values", |residuals| {
            Value::numbers(residuals.residual.iter().copied())
        }),
        Member::checked("standardized", "leave-one-out residuals divided by their standard deviations", |residuals| {
            Value::numbers(residuals.standardized.iter().copied())
        }),
        Member::new("autocorrelation", "the autocorrelation of neighbouring residuals", |residuals| {
            Value::Number(residuals.autocorrelation)
        }),
        Member::new("sd", "their standard deviation", |residuals| Value::Number(residuals.sd)),
    ];

    fn show(&self) -> Markup {
        describe::residuals(self).into()
    }

    fn json(&self) -> Json {
        json!({
            "fitted": numbers(&self.fitted),
            "residual": numbers(&self.residual),
            "standardized": numbers(&self.standardized),
            "autocorrelation": number(self.autocorrelation),
            "sd": number(self.sd),
        })
    }

    fn figure(&self, _options: &mut PlotOptions<'_>) -> Result<Figure, PlotError> {
        Ok(result_figures::residuals(self))
    }

    fn table(&self) -> Option<Table> {
        Some(tables::residuals(self))
    }
}
