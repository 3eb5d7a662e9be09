//! Integrals with their uncertainty.

use std::sync::Arc;

use serde_json::{Value as Json, json};

use super::json::{number, numbers};
use super::value::{Member, Value, ValueKind};
use crate::data::write::Table;
use crate::describe::Markup;
use crate::describe::quadrature;
use crate::figure::Figure;
use crate::lang::error::Res;
use crate::lang::payload::integral::Integrated;
use crate::lang::payload::plot::{PlotError, PlotOptions};
use crate::quadrature::Ended;

impl ValueKind for Integrated<Value> {
    const NAME: &'static str = "Integral";
    const NOUN: &'static str = "an integral";
    const MADE_BY: &'static str = "`integrate(x -> exp(-x^2), over=normal(0, 1), n=10)`";
    const PLOT: Option<&'static [&'static str]> = Some(&[]);
    const TABLE: bool = true;
    const MEMBERS: &'static [Member<Self>] = &[
        Member::new("mean", "the mean of the integral given the evaluations", |z| {
            Value::Number(z.integral.posterior.mean())
        }),
        Member::new("sd", "the standard deviation of the integral given the evaluations", |z| {
            Value::Number(z.integral.posterior.sd())
        }),
        Member::checked("interval", "the central 95 % interval, two numbers", |z| {
            let (lo, hi) = z.integral.posterior.interval(0.95);
            Value::numbers([lo, hi])
        }),
        Member::new("n", "how many evaluations were made", |z| Value::Number(z.integral.evaluations.n() as f64)),
        Member::new(
            "share_left",
            "the variance of the integral given the evaluations over that before any; nothing on a warped scale",
            |z| Value::maybe_number(z.integral.share_left),
        ),
        Member::new(
            "degrees",
            "degrees of freedom of the Student-t distribution of the integral; nothing for a normal one or a mixture",
            |z| Value::maybe_number(z.integral.posterior.degrees()),
        ),
        Member::new(
            "kernel",
            "the kernel of the integrand with its fitted values; of several that of most weight",
            |z| Value::Kernel(z.integral.kernel().clone()),
        ),
        Member::checked("kernels", "each kernel with its fitted values, that of most weight first", |z| {
            Value::checked_list(z.integral.kernels.iter().map(|one| Ok(Value::Kernel(one.written.clone()))))
        }),
        Member::checked("weights", "the posterior weight of each kernel", |z| {
            Value::numbers(z.integral.kernels.iter().map(|one| one.weight))
        }),
        Member::new("density", "the density", |z| Value::Density(Arc::new(z.integral.settings.density.clone()))),
        Member::checked(
            "at",
            "the evaluated points: numbers, or a list for each where there are several inputs",
            |z| {
                let evaluations = &z.integral.evaluations;
                match evaluations.x() {
                    [only] => list(only),
                    _ => Value::checked_list((0..evaluations.n()).map(|i| list(&evaluations.row(i)))),
                }
            },
        ),
        Member::checked("values", "the value of the integrand at each point", |z| list(z.integral.evaluations.y())),
        Member::checked(
            "factor",
            "for an expectation: the factor of the density at each point; nothing for an integral",
            |z| match &z.integral.ratio {
                None => Ok(Value::Nothing),
                Some(ratio) => list(&ratio.factor),
            },
        ),
        Member::new("normaliser", "for an expectation: the integral of the factor; nothing for an integral", |z| {
            Value::maybe_number(z.integral.ratio.as_ref().map(|ratio| ratio.normaliser))
        }),
        Member::new(
            "numerical_error",
            "a bound on the error that the numerical integrals of the kernel add to the mean; 0 for closed forms",
            |z| Value::Number(z.integral.numerical_error.0),
        ),
        Member::new("jitter", "what was added to the diagonal of the covariance matrix", |z| {
            Value::Number(z.integral.jitter)
        }),
        Member::new(
            "misfit",
            "the largest difference between an evaluation and the process there, counted as error",
            |z| Value::Number(z.integral.misfit),
        ),
        Member::new("asked", "how many evaluations it was to have at most", |z| {
            Value::Number(z.integral.course.asked as f64)
        }),
        Member::new(
            "ended",
            "why there are no more evaluations: \"all made\", \"tolerance reached\", \"nothing to gain\", \"stopped\", or \
             \"given\"",
            |z| Value::str(z.integral.course.ended.name()),
        ),
        Member::new("stopped", "whether it was stopped before its last evaluation", |z| {
            Value::Bool(z.integral.course.ended == Ended::Stopped)
        }),
    ];

    fn show(&self) -> Markup {
        quadrature::integral(&self.integral).into()
    }

    fn json(&self) -> Json {
        let integral = &self.integral;
        let (lo, hi) = integral.posterior.interval(0.95);
        json!({
            "mean": number(integral.posterior.mean()),
            "sd": number(integral.posterior.sd()),
            "interval": [number(lo), number(hi)],
            "degrees": integral.posterior.degrees(),
            "n": integral.evaluations.n(),
            "share_left": integral.share_left,
            "kernels": integral.kernels.iter().map(|one| json!({"weight": number(one.weight), "kernel": one.written.to_string()})).collect::<Vec<_>>(),
            "density": integral.settings.density.to_string(),
            "inputs": integral.evaluations.names(),
            "at": integral.evaluations.x().iter().map(|x| numbers(x)).collect::<Vec<_>>(),
            "values": numbers(integral.evaluations.y()),
            "factor": integral.ratio.as_ref().map(|ratio| numbers(&ratio.factor)),
            "normaliser": integral.ratio.as_ref().map(|ratio| number(ratio.normaliser)),
            "numerical_error": number(integral.numerical_error.0),
            "jitter": number(integral.jitter),
            "misfit": number(integral.misfit),
            "asked": integral.course.asked,
            "ended": integral.course.ended.name(),
            "stopped": integral.course.ended == Ended::Stopped,
        })
    }

    fn same(&self, other: &Self) -> bool {
        self.integral == other.integral
    }

    fn figure(&self, _options: &mut PlotOptions<'_>) -> Result<Figure, PlotError> {
        Ok(quadrature::integral_figure(&self.integral))
    }

    fn table(&self) -> Option<Table> {
        Some(quadrature::evaluations_table(&self.integral))
    }
}

fn list(values: &[f64]) -> Res<Value> {
    Value::numbers(values.iter().copied())
}
