//! Warnings and notes about a fit, which are shown even if the fit is not.

use crate::data::{Column, Dataset, Step, Which, mean_sd};
use crate::describe::{grouped, rounded};
use crate::fit::{Fit, NOT_CONVERGED, Options, expected_seconds, jittered};
use crate::kernel::{InputRef, Inputs, Kernel, Node, Origin, Place, Size};
use crate::lang::eval::evaluator::Call;
use crate::lang::eval::host::Item;
use crate::model::{DEFAULT_INDUCING, Model, Problem, refuse_if_too_large};
use crate::syntax::diagnostic::Diagnostic;

/// The warning about how a fit ended, shown even if the fit is not.
pub fn warn_of_end(call: &mut Call<'_, '_>, fit: &Fit) {
    if let Some(ended) = fit.ended.filter(|ended| !ended.well()) {
        call.warn(format!("the optimiser did not reach a maximum ({ended}): the parameters are the best found"));
    }
    if fit.posterior.pseudo().is_some_and(|pseudo| !pseudo.converged) {
        call.warn(NOT_CONVERGED.to_string());
    }
    if let Some(denser) = fit.denser {
        call.warn(denser.to_string());
    }
    if fit.posterior.jitter() > 0.0 {
        call.warn(jittered(fit.posterior.jitter()));
    }
}

/// A fit that is expected to take more seconds gets a warning before it starts.
const LONG: f64 = 60.0;

/// Warns before an exact fit that takes long, and offers a faster way.
pub fn warn_of_time(call: &mut Call<'_, '_>, model: &Model, data: &Dataset, options: Options) {
    let Some(sparse) = model.through_inducing() else { return };
    let rows = data.n();
    let seconds = expected_seconds(rows, options, rayon::current_num_threads());
    // a model that does not fit into memory is an error
    if seconds > LONG && refuse_if_too_large(model, rows).is_ok() {
        // one evaluation where nothing is free
        if Problem::new(model, data, true).is_ok_and(|problem| problem.free() == 0) {
            return;
        }
        let text = format!("an exact fit of {} rows takes about {}", grouped(rows), lasting(seconds));
        let help = format!(
            "`{sparse}` is a sparse approximation with {DEFAULT_INDUCING} inducing inputs that takes less time"
        );
        call.emit(Item::Diagnostic(Diagnostic::warning(text).label(call.span, "here").help(help)));
    }
}

fn lasting(seconds: f64) -> String {
    match seconds / 60.0 {
        minutes if minutes < 1.5 => "a minute".to_string(),
        minutes if minutes < 90.0 => format!("{minutes:.0} minutes"),
        minutes => format!("{:.0} hours", minutes / 60.0),
    }
}

/// Warns about one length-scale for columns whose spreads differ more than tenfold.
pub fn warn_of_spreads(call: &mut Call<'_, '_>, model: &Model, data: &Dataset) {
    let scaled = |step: &Step| matches!(step, Step::Standardize { columns: Which::All | Which::Inputs });
    if model.steps.iter().any(scaled) {
        return;
    }
    let known = model.known_noise();
    let is_noise = |c: &Column| known.is_some_and(|known| known.reads(c.name()));
    let inputs: Vec<&Column> = data.inputs().filter(|c| !c.is_categories() && !is_noise(c)).collect();
    let Some((origin, family, worst)) = uneven(&model.kernel, &inputs) else {
        return;
    };
    let [(wide, a), (narrow, b)] = worst;
    let text = format!("`{family}` has one length-scale for inputs whose standard deviations differ more than tenfold");
    let warning = Diagnostic::warning(text)
        .label(call.eval.host.origins.find(origin, Place::Node).unwrap_or(call.span), "here")
        .note(format!("the standard deviation of `{wide}` is {}, that of `{narrow}` {}", rounded(a), rounded(b)))
        .help(format!("write `ARD({family})`, or `standardize >> gp(…)`"));
    call.emit(Item::Diagnostic(warning));
}

type Spread<'d> = (&'d str, f64);

/// The first family with one length-scale for several inputs of very different spreads, with the widest and the
/// narrowest.
fn uneven<'d>(kernel: &Kernel, inputs: &[&'d Column]) -> Option<(Option<Origin>, &'static str, [Spread<'d>; 2])> {
    if matches!(kernel.node(), Node::Wrap(wrapped) if wrapped.wrap.is_one_kernel_per_input()) {
        return None;
    }
    let Node::Leaf(leaf) = kernel.node() else {
        return kernel.children().iter().find_map(|child| uneven(child, inputs));
    };
    let spec = leaf.family.spec();
    if leaf.ard || !spec.reads_inputs || !spec.params.iter().any(|param| param.size == Size::EachIfArd) {
        return None;
    }
    let seen = |column: &&&Column| match &leaf.inputs {
        Inputs::All => true,
        Inputs::These(these) => these.iter().any(|input| match input {
            InputRef::Name(name) => &**name == column.name(),
            InputRef::Index(at) => inputs.get(*at).is_some_and(|c| c.name() == column.name()),
        }),
    };
    let spread = |column: &&'d Column| Some((column.name(), mean_sd(column.values())?.1)).filter(|(_, sd)| *sd > 0.0);
    let spreads: Vec<Spread<'d>> = inputs.iter().filter(seen).filter_map(spread).collect();
    let wide = spreads.iter().max_by(|a, b| a.1.total_cmp(&b.1))?;
    let narrow = spreads.iter().min_by(|a, b| a.1.total_cmp(&b.1))?;
    (wide.1 > 10.0 * narrow.1).then_some((kernel.origin(), spec.name, [*wide, *narrow]))
}

/// Notes the values that were not written and are those of the first start of a fit.
pub fn note_unwritten(call: &mut Call<'_, '_>, problem: &Problem) {
    let unwritten = problem.parameters().iter().filter(|p| p.is_free() && p.param.value().is_none());
    let names: Vec<String> = unwritten.map(|p| format!("`{}`", p.name)).collect();
    if !names.is_empty() {
        let text = format!("parameters without a value have those of a fit's first start: {}", names.join(", "));
        call.emit(Item::Diagnostic(Diagnostic::remark(text).label(call.span, "here")));
    }
}
