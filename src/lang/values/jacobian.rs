//! The singular values of the Jacobian of a deep Gaussian process by depth.

use std::sync::Arc;

use serde_json::{Value as Json, json};

use super::json::numbers;
use super::value::{Member, Value, ValueKind};
use crate::data::write::Table;
use crate::deep::{Jacobian, Spectrum};
use crate::describe::{Markup, deep_prior};
use crate::figure::Figure;
use crate::lang::error::Res;
use crate::lang::payload::plot::{PlotError, PlotOptions};

impl ValueKind for Jacobian {
    const NAME: &'static str = "Jacobian";
    const NOUN: &'static str = "a Jacobian";
    const MADE_BY: &'static str = "`jacobian(deepgp(layers=10, units=5))`";
    const PLOT: Option<&'static [&'static str]> = Some(&[]);
    const TABLE: bool = true;
    const MEMBERS: &'static [Member<Self>] = &[
        Member::checked(
            "mean",
            "for each depth the mean of each singular value over the largest, the largest first",
            |j| by_depth(j, |depth| &depth.mean),
        ),
        Member::checked("mean_se", "the standard errors of these means", |j| by_depth(j, |depth| &depth.mean_se)),
        Member::checked("low", "for each depth the 10 % quantile of each divided by the largest", |j| {
            by_depth(j, |depth| &depth.quantiles[0])
        }),
        Member::checked("median", "for each depth the median of each divided by the largest", |j| {
            by_depth(j, |depth| &depth.quantiles[1])
        }),
        Member::checked("high", "for each depth the 90 % quantile of each divided by the largest", |j| {
            by_depth(j, |depth| &depth.quantiles[2])
        }),
        Member::checked("log_mean", "for each depth the mean of the logarithm of each singular value", |j| {
            by_depth(j, |depth| &depth.log_mean)
        }),
        Member::checked("log_mean_se", "the standard errors of these means", |j| {
            by_depth(j, |depth| &depth.log_mean_se)
        }),
        Member::checked("log_var", "for each depth the variance of the logarithm of each singular value", |j| {
            by_depth(j, |depth| &depth.log_variance)
        }),
        Member::checked(
            "log_limit",
            "for each depth the exact mean and variance of log|f′|, of a plain prior of one dimension",
            |j| {
                let known = j.depths.iter().map_while(|depth| depth.log_limit);
                Value::checked_list(known.map(|(mean, variance)| Value::numbers([mean, variance])))
            },
        ),
        Member::checked("at", "the point", |j| Value::numbers(j.at.iter().copied())),
        Member::new("prior", "the deep GP", |j| Value::DeepModel(Arc::new(j.prior.clone()))),
        Member::new("draws", "the number of Jacobians drawn", |j| Value::Number(j.draws as f64)),
        Member::new("seed", "the seed of the draws", |j| Value::Number(j.seed as f64)),
    ];

    fn show(&self) -> Markup {
        deep_prior::jacobian(self)
    }

    fn json(&self) -> Json {
        let list = |part: fn(&Spectrum) -> &[f64]| self.depths.iter().map(|d| numbers(part(d))).collect::<Vec<_>>();
        json!({
            "prior": self.prior.to_string(),
            "at": numbers(&self.at),
            "draws": self.draws,
            "seed": self.seed,
            "mean": list(|depth| &depth.mean),
            "mean_se": list(|depth| &depth.mean_se),
            "log_mean": list(|depth| &depth.log_mean),
            "log_var": list(|depth| &depth.log_variance),
        })
    }

    fn same(&self, other: &Self) -> bool {
        self == other
    }

    fn figure(&self, _options: &mut PlotOptions<'_>) -> Result<Figure, PlotError> {
        Ok(deep_prior::jacobian_figure(self))
    }

    fn table(&self) -> Option<Table> {
        Some(deep_prior::jacobian_table(self))
    }
}

fn by_depth(jacobian: &Jacobian, part: fn(&Spectrum) -> &[f64]) -> Res<Value> {
    Value::checked_list(jacobian.depths.iter().map(|depth| Value::numbers(part(depth).iter().copied())))
}
