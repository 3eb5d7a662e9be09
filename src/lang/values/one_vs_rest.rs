//! One-vs-rest fits of more than two classes, which are of kind Fit.

use std::sync::Arc;

use serde_json::{Value as Json, json};

use super::deep_fit::{NO_TRACE, traced};
use super::json::{number, table};
use super::kernel;
use super::value::{Member, Value, ValueKind};
use crate::data::write::Table;
use crate::describe::{self, Markup, result_figures};
use crate::figure::Figure;
use crate::fit::Fit;
use crate::lang::error::Res;
use crate::lang::payload::pipeline::Pipeline;
use crate::lang::payload::plot::{PlotError, PlotOptions};
use crate::results::OneVsRest;

impl ValueKind for Arc<OneVsRest> {
    const NAME: &'static str = <Arc<Fit>>::NAME;
    const NOUN: &'static str = <Arc<Fit>>::NOUN;
    const MADE_BY: &'static str = <Arc<Fit>>::MADE_BY;
    const PLOT: Option<&'static [&'static str]> = Some(&[]);
    const TABLE: bool = <Arc<Fit>>::TABLE;
    const MEMBERS: &'static [Member<Self>] = &[
        Member::new("kernel", "the kernel as specified", |rest| kernel::of_model(&rest.asked)),
        Member::new("model", "the model as specified", |rest| Value::Model(Arc::new(Pipeline::of(rest.asked.clone())))),
        Member::new("lml", "the sum of the log marginal likelihoods", |rest| Value::Number(rest.lml())),
        Member::new("lml_fit", "nothing: the approximation for classes has no such term", |_| Value::Nothing),
        Member::new("lml_complexity", "nothing: the approximation for classes has no such term", |_| Value::Nothing),
        Member::new("bic", "the sum of the BIC values", |rest| {
            Value::Number(rest.fits.iter().map(|fit| fit.bic()).sum())
        }),
        Member::new("bound", "nothing: no inducing inputs are used for classes", |_| Value::Nothing),
        Member::new("inducing", "nothing: no inducing inputs are used for classes", |_| Value::Nothing),
        Member::new("noise", "nothing: classes have none", |_| Value::Nothing),
        Member::checked("classes", "its classes, in the order of the fits", |rest| classes(rest)),
        Member::checked("fits", "the fit of each class against the rest", |rest| {
            Value::list(rest.fits.iter().cloned().map(Value::Fit))
        }),
        Member::new("temperature", "the divisor of the log odds when probabilities are normalised", |rest| {
            Value::Number(rest.temperature)
        }),
        Member::new("params", "a table of all parameters", |rest| Value::table(describe::classes::parameters(rest))),
        Member::checked(
            "trace",
            "for each class a table of the objective and the free parameters along the run",
            |rest| Value::list(rest.fits.iter().map(|fit| traced(&describe::fit_trace(fit), NO_TRACE))),
        ),
        Member::new("converged", "whether the optimiser reached a maximum for every class", |rest| {
            Value::Bool(rest.fits.iter().all(|fit| fit.converged()))
        }),
        Member::checked("hints", "warnings about the fit", |rest| {
            Value::list(rest.fits.iter().flat_map(|fit| &fit.hints).map(|hint| Value::str(hint.as_str())))
        }),
        Member::new("data", "the training rows", |rest| Value::Data(Arc::new(rest.data().clone()))),
    ];

    fn show(&self) -> Markup {
        describe::classes::rest(self)
    }

    fn json(&self) -> Json {
        json!({
            "kernel": kernel::of_model(&self.asked).json(),
            "model": Pipeline::of(self.asked.clone()).to_string(),
            "lml": number(self.lml()),
            "classes": self.classes.iter().map(|class| json!(**class)).collect::<Vec<_>>(),
            "temperature": number(self.temperature),
            "params": table(&describe::classes::parameters(self)),
            "fits": self.fits.iter().map(ValueKind::json).collect::<Vec<_>>(),
        })
    }

    fn same(&self, other: &Self) -> bool {
        Arc::ptr_eq(self, other)
    }

    fn figure(&self, _options: &mut PlotOptions<'_>) -> Result<Figure, PlotError> {
        Ok(result_figures::classes(self)?)
    }

    /// The parameters of the fits.
    fn table(&self) -> Option<Table> {
        Some(describe::classes::parameters(self))
    }
}

pub(super) fn classes(rest: &OneVsRest) -> Res<Value> {
    Value::list(rest.classes.iter().map(|class| Value::Str(class.clone())))
}
