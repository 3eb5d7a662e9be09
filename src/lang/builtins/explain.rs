//! Kernels in words.

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

/// The kernel or the fit that is to be put into words.
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
            let told = english::describe_kernel(kernel);
            (told.text(), Parts::Written(told.parts))
        }
        Subject::Fit(fit) => {
            let description = english::fit_description(fit);
            (description.text(), Parts::Fitted(description))
        }
    };
    Ok(Value::Explanation(Arc::new(Explanation { text, parts, of })))
}

fn explain(call: &mut Call<'_, '_>) -> Res<Value> {
    let of = subject(call)?;
    let (text, parts) = match &of {
        Subject::Kernel(kernel) => english::explain_kernel(kernel),
        Subject::Fit(fit) => english::explain_fit(fit),
    };
    Ok(Value::Explanation(Arc::new(Explanation { text, parts: Parts::Written(parts), of })))
}

fn motifs(_call: &mut Call<'_, '_>) -> Res<Value> {
    Ok(Value::table(Sheet::with_text(english::motifs::table(), english::motifs::text())))
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
        summary: "what a kernel or a fit means, in English",
        help: "Products of sums are expanded first, then each part is told. Of a fit, values are in the units of its data, and \
               the parts come in the order in which they matter: each next one is that which lowers the error on rows left \
               out most, in 10 folds with the parameters kept. `.parts` has for each its `share` of the variance, how much \
               it takes `of_rest`, and by how much it `lowers` that error. Numbers are rounded.",
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
        summary: "a kernel or a fit for a learner, step by step",
        help: "The algebra that makes it a sum of products, what each part means, what adding and multiplying do, and what \
               draws look like. `plot` of it shows k(·, 0) beside draws, and of a fit its parts.",
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
        summary: "common motifs of kernels, with expressions that run",
        help: "",
        examples: &["motifs()"],
        touches: Touches::Nothing,
        run: motifs,
    },
];
