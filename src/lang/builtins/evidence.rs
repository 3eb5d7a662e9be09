//! The evidence of models: their likelihood integrated over the parameters.

use std::sync::Arc;

use crate::fit::{Fit, WEAK_PRIOR_SD};
use crate::lang::error::{LangError, Res};
use crate::lang::eval::evaluator::{Builtin, Call, Touches};
use crate::lang::signature::{Group, Place, Want};
use crate::lang::values::value::{Kind, Record, Value};
use crate::results::{self, Compared, EvidenceError, Integration, LogEvidence};

use super::quadrature::refused;

fn marginal(call: &mut Call<'_, '_>) -> Res<Value> {
    let fit: Arc<Fit> = call.arg("fit")?;
    let method: Arc<str> = call.or("method", "laplace".into())?;
    let seed = call.or("seed", call.eval.host.seed as usize)? as u64;
    let integration = if &*method == "bq" { Integration::Quadrature } else { Integration::Laplace };
    let found = results::log_evidence(&fit, integration, seed, call.eval.progress)
        .map_err(|error| without_evidence(call, error).argument("fit"))?;
    let record = Record::default()
        .with("log_evidence", Value::Number(found.log))
        .with("sd", Value::maybe_number(found.sd))
        .with("method", Value::Str(method))
        .with("evaluations", Value::maybe_number(found.evaluations.map(|n| n as f64)))
        .with("half_bic", Value::Number(-0.5 * fit.bic()))
        .with("prior", Value::str(prior(&found)))
        .with("stopped", Value::Bool(found.stopped));
    Ok(Value::Record(Arc::new(record)))
}

fn prior(found: &LogEvidence) -> String {
    match (found.weak, found.parameters) {
        (0, 0) => "no parameters are free".to_string(),
        (0, all) => format!("{all} parameters have priors of their own"),
        (weak, all) => format!(
            "{weak} of {all} parameters have a normal prior around their start with standard deviation {WEAK_PRIOR_SD} in \
             the optimiser's coordinates"
        ),
    }
}

fn without_evidence(call: &Call<'_, '_>, error: EvidenceError) -> LangError {
    match error {
        EvidenceError::Model(error) => {
            LangError::new(error.to_string()).help("a fit without inducing inputs has a marginal likelihood")
        }
        EvidenceError::NoCurvature => LangError::new(error.to_string()).help("fit the model again with more restarts"),
        EvidenceError::Quadrature(error) => refused(call, error),
    }
}

/// Ranks compared fits by their evidence.
pub(super) fn rank(call: &Call<'_, '_>, compared: &mut [Compared], integration: Integration) -> Res<()> {
    let seed = call.eval.host.seed;
    results::rank_by_evidence(compared, integration, seed, call.eval.progress).map_err(|(place, error)| {
        let error = without_evidence(call, *error);
        if error.is_stop() { error } else { error.note(format!("it is fit {} of those compared", place + 1)) }
    })
}

pub static EVIDENCE: &[Builtin] = &[Builtin {
    name: "marginal",
    aliases: &[],
    group: Group::Results,
    places: &[
        Place::required("fit", Want::Kind(Kind::Fit), "a fit"),
        Place::keyword(
            "method",
            Want::Choice(&["laplace", "bq"]),
            "\"laplace\"",
            "Laplace's method, or Bayesian quadrature over the parameters",
        ),
        Place::keyword("seed", Want::Count, "that of the session", "what the evaluations of \"bq\" depend on"),
    ],
    result: Some(Kind::Record),
    summary: "the log evidence of a model: its likelihood integrated over its parameters",
    help: "`lml` is the log marginal likelihood at the fitted values; this is the log of its integral over the values. A \
               parameter without a prior is normal around its start with standard deviation 3 in the optimiser's coordinates \
               (logarithms, for positive parameters). \"bq\" integrates around the posterior mode that is reached from the fit: \
               a Gaussian process stands for the posterior density, and the mean of what it misses at independent draws \
               corrects its integral. `sd` is what that leaves uncertain, and Ctrl-C gives what is known so far. \
               `half_bic` is −BIC/2, which approximates the same.",
    examples: &["load(\"nile\") |> fit(SE(year)) |> marginal(method=\"bq\")"],
    touches: Touches::Nothing,
    run: marginal,
}];
