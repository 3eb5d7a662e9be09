//! Descriptions of kernels in English.

use std::sync::Arc;

use crate::describe::english;
use crate::lang::error::Res;
use crate::lang::eval::evaluator::Call;
use crate::lang::eval::evaluator::{Builtin, Touches};
use crate::lang::payload::explanation::{Explanation, Parts, Subject};
use crate::lang::payload::sheet::Sheet;
use crate::lang::signature::{Group, Place, Want};
use crate::lang::values::cast::expected;
use crate::lang::values::value::{Kind, Value};

/// The kernel or fit to describe.
fn subject(call: &mut Call<'_, '_>) -> Res<Subject> {
    match call.arg::<Value>("of")? {
        Value::Kernel(kernel) => Ok(Subject::Kernel(kernel)),
        Value::Fit(fit) => Ok(Subject::Fit(fit)),
        other => Err(expected("a kernel or a fit", &other).argument("of")),
    }
}

fn describe(call: &mut Call<'_, '_>) -> Res<Value> {
    let of = subject(call)?;
    let (text, parts) = match &of {
        Subject::Kernel(kernel) => {
            let description = english::describe_kernel(kernel);
            (description.text(), Parts::Written(description.parts))
        }
        Subject::Fit(fit) => {
            let own = fit.clone();
            let description = call.unless_stopped(move || english::fit_description(&own))?;
            (description.text(), Parts::Fitted(description))
        }
    };
    Ok(Value::Explanation(Arc::new(Explanation { text, parts, of })))
}

fn explain(call: &mut Call<'_, '_>) -> Res<Value> {
    let of = subject(call)?;
    let (text, parts) = match of.clone() {
        Subject::Kernel(kernel) => english::explain_kernel(&kernel),
        Subject::Fit(fit) => call.unless_stopped(move || english::explain_fit(&fit))?,
    };
    Ok(Value::Explanation(Arc::new(Explanation { text, parts: Parts::Written(parts), of })))
}

fn motifs(_call: &mut Call<'_, '_>) -> Res<Value> {
    Ok(Value::table(Sheet::with_text(english::motifs::table(), english::motifs::grid())))
}

const OF: Place =
    Place::required("of", Want::Either(&[Want::Kind(Kind::Kernel), Want::Kind(Kind::Fit)]), "a kernel or a fit");

pub static EXPLAIN: &[Builtin] = &[
    Builtin {
        name: "describe",
        aliases: &[],
        group: Group::Kernels,
        places: &[OF],
        result: Some(Kind::Explanation),
        summary: "a description of a kernel or a fit in English",
        help: "Products of sums are expanded first, then each part is described. Of a fit, values are in the units of \
               its data, and parts are ordered by importance: each next part is the one that lowers the error on \
               held-out rows most, in 10-fold cross-validation with the parameters of the fit. For each part, `.parts` \
               holds its `share` of the variance, its share `of_rest`, the variance that the parts before it leave, \
               and by how much it `lowers` the error. Numbers are rounded.",
        examples: &[
            "describe(SE(0, l=3) * Per(0, p=1) + Lin(0))",
            "load(\"nile\") |> condition(SE(year, l=20)) |> describe",
        ],
        touches: Touches::Nothing,
        run: describe,
    },
    Builtin {
        name: "explain",
        aliases: &[],
        group: Group::Kernels,
        places: &[OF],
        result: Some(Kind::Explanation),
        summary: "an explanation of a kernel or a fit, step by step",
        help: "It \
               shows the expansion into a sum of products, the meaning of each part, what sums and products do, and \
               the properties of draws. `plot` shows k(·, 0) and draws; for a fit, its parts.",
        examples: &["explain((SE(0) + Lin(0)) * Per(0, p=2))", "explain(SE(0)) |> plot(\"se.svg\")"],
        touches: Touches::Nothing,
        run: explain,
    },
    Builtin {
        name: "motifs",
        aliases: &[],
        group: Group::Kernels,
        places: &[],
        result: Some(Kind::Table),
        summary: "common kernel structures, with expressions for them",
        help: "",
        examples: &["motifs()"],
        touches: Touches::Nothing,
        run: motifs,
    },
];
