//! A fit as text: model and data, evidence, and every parameter with its unit and standard error.

use super::english::words::listed;
use super::markup::Markup;
use super::numbers::{MOST_DIGITS, percent, rounded, row_count, significant};
use super::tables::own_parameters;
use super::text_table::Grid;
use crate::calendar::{Resolution, TimeScale, TimeUnit};
use crate::data::{Function, Step, Transform};
use crate::fit::{Fit, jump};
use crate::kernel::{Role, SlotState};
use crate::model::{Baseline, Bernoulli, Mean, Model, ParameterKind, SparseMethod, is_zero_kernel, step_text};
use crate::param::State;

/// One line.
pub fn fit_line(fit: &Fit) -> String {
    format!("fit of {}: {}", process(&fit.asked), evidence(fit))
}

/// The evidence of a fit: for VFE a bound, for FITC that of the approximate model.
pub(super) fn evidence(fit: &Fit) -> String {
    match fit.sparse() {
        None => format!("{} {:.2}, BIC {:.2}", maximized(fit), fit.lml(), fit.bic()),
        Some(SparseMethod::Vfe) => format!("log marginal likelihood at least {:.2}, the bound of VFE", fit.lml()),
        Some(SparseMethod::Fitc) => {
            format!("log marginal likelihood {:.2}, BIC {:.2}, of FITC's approximate model", fit.lml(), fit.bic())
        }
    }
}

/// The number of free parameters, and the number of them that BIC counts, or for a bound the data determine, if smaller.
pub fn counted(fit: &Fit) -> String {
    let all = fit.estimated();
    let free = if all == 1 { "1 free parameter".into() } else { format!("{all} free parameters") };
    let free = if all > fit.free { free + " with λ" } else { free };
    match fit.counted() {
        counted if counted == all => free,
        some if fit.information().is_err() => format!("{free}, of which the data determine {some}"),
        some => format!("{free}, of which BIC counts {some}"),
    }
}

/// The inducing inputs in a few words: their number, and the columns in which they have values of the data.
pub(super) fn inference(fit: &Fit) -> Option<String> {
    let problem = fit.problem();
    let inducing = problem.inducing()?;
    let how = match inducing.method {
        SparseMethod::Vfe => "VFE",
        SparseMethod::Fitc => "FITC",
    };
    let count = match inducing.count() {
        1 => "1 inducing input".to_string(),
        count => format!("{count} inducing inputs"),
    };
    let mut text = format!("{how} with {count}");
    if let Some(asked) = inducing.asked {
        text += &format!(" ({asked} were requested, and the data have no more distinct rows)");
    }
    if inducing.fixed {
        text += ", fixed";
    } else if !inducing.kept.is_empty() {
        let names: Vec<&str> = inducing.kept.iter().map(|&c| &*problem.names()[c]).collect();
        text += &format!(", which stay at values of the data in {}: the kernel has no slope there", names.join(", "));
    }
    Some(text)
}

/// Its kernel, or the baseline model.
pub(super) fn process(asked: &Model) -> String {
    match asked.stands_for() {
        Some(_) => asked.process().to_string(),
        None => asked.kernel.to_string(),
    }
}

/// The same with a label: `kernel`, or `model` with a short description.
pub(super) fn named_process(asked: &Model) -> (&'static str, String) {
    match asked.stands_for() {
        Some(baseline) => ("model", format!("{}: {}", process(asked), baseline.description())),
        None => ("kernel", process(asked)),
    }
}

/// The steps of a fit as requested, with fitted powers.
pub(super) fn steps(fit: &Fit) -> Option<String> {
    let steps: Vec<String> = fit.asked.steps.iter().map(step_text).collect();
    let found = powers(fit).into_iter().map(|(column, power)| format!(", λ of {column} = {}", rounded(power)));
    (!steps.is_empty()).then(|| steps.join(" >> ") + &found.collect::<String>())
}

/// The powers that `boxcox` fitted.
pub fn powers(fit: &Fit) -> Vec<(String, f64)> {
    let (data, pipeline) = (fit.problem().data(), fit.problem().pipeline());
    let found = fit.asked.steps.iter().filter_map(|step| {
        let Step::Transform { column, function: Function::BoxCox(None) } = step else { return None };
        // `y` is the target, whatever its name
        let name = match (data.column(column), data.target()) {
            (None, Some(target)) => target.name(),
            _ => column,
        };
        let power = pipeline.of(name).into_iter().find_map(|made| match made {
            Transform::BoxCox { lambda } => Some(lambda),
            _ => None,
        });
        power.map(|power| (name.to_string(), power))
    });
    found.collect()
}

/// The two classes of a classifier with their shares.
pub(super) fn classes(fit: &Fit) -> Option<String> {
    let problem = fit.problem();
    let classes = problem.classes()?;
    let positive = problem.y().iter().filter(|y| **y > 0.0).count() as f64 / problem.n() as f64;
    let (yes, no) = (percent(positive), percent(1.0 - positive));
    Some(format!("{} ({yes}), the positive one, and {} ({no})", classes.positive(), classes.negative()))
}

/// The coding of categories in a kernel with `ARD`: an indicator column for each, or one for two.
fn indicators(fit: &Fit) -> Option<String> {
    let problem = fit.problem();
    let slots = problem.bound().slots().iter();
    let coded = slots.filter(|slot| slot.level.is_some() && slot.spec.role == Role::LengthScale);
    let mut inputs: Vec<usize> = coded.filter_map(|slot| slot.columns.first().copied()).collect();
    inputs.sort_unstable();
    inputs.dedup();
    let slots = problem.bound().slots();
    let said = inputs.into_iter().map(|input| {
        let of = slots.iter().filter(|s| s.columns == [input] && s.spec.role == Role::LengthScale);
        let mut levels: Vec<&str> = of.filter_map(|slot| slot.level.as_deref()).collect();
        levels.sort_unstable();
        levels.dedup();
        let name = &problem.names()[input];
        match &levels[..] {
            [one] => format!("a 0/1 column for {one} of {name}"),
            _ => format!("a 0/1 column for each level of {name}"),
        }
    });
    let said: Vec<String> = said.collect();
    (!said.is_empty()).then(|| format!("distance: {}", said.join(", ")))
}

/// The coding of categories in the model. A linear mean function compares each with the first.
pub(super) fn coding(fit: &Fit) -> Option<String> {
    let problem = fit.problem();
    let mut inputs: Vec<usize> = problem.mean_terms().iter().filter(|t| t.level.is_some()).map(|t| t.input).collect();
    inputs.dedup();
    let said = inputs.into_iter().filter_map(|i| {
        let name = &problem.names()[i];
        let first = problem.data().column(name)?.levels()?.first()?;
        Some(format!("the reference of {name} is {first}"))
    });
    let said: Vec<String> = said.collect();
    let treatment = (!said.is_empty()).then(|| format!("treatment: {}", said.join(", ")));
    let texts: Vec<String> = treatment.into_iter().chain(indicators(fit)).collect();
    (!texts.is_empty()).then(|| texts.join("; "))
}

/// The objective of a fit, in words.
pub fn maximized(fit: &Fit) -> &'static str {
    match fit.bound() {
        Some(_) => "lower bound of the log marginal likelihood",
        // without a kernel no function is integrated out
        None if is_zero_kernel(&fit.model.kernel) => "log likelihood",
        None => "log marginal likelihood",
    }
}

/// The full text of a fit.
pub fn fit(fit: &Fit) -> Markup {
    let problem = fit.problem();
    let data = problem.data();
    let target = data.target().map_or("y", |t| t.name());
    let verb = if fit.ended.is_some() { "fit" } else { "model" };
    let (names, rows) = (listed(problem.names()), row_count(problem.n()));
    let mut lines = Markup::from(format!("{verb} of {target} on {names} ({rows})"));
    let mut say = |name: &str, text: String| lines.push(format!("  {name:<10}{text}"));
    let (what, text) = named_process(&fit.asked);
    say(what, text);
    if let Some(steps) = steps(fit) {
        say("steps", steps);
    }
    let name = if is_zero_kernel(&fit.model.kernel) { "score" } else { "evidence" };
    say(name, format!("{} ({})", evidence(fit), counted(fit)));
    if let Some(text) = inference(fit) {
        say("inference", text);
    }
    if let Mean::Function(mean) = &fit.asked.mean {
        say("mean", mean.function.source());
    }
    if let Some(coding) = coding(fit) {
        say("coding", coding);
    }
    if let Some(classes) = classes(fit) {
        say("classes", classes);
        say("link", likelihood(fit));
    }
    match (fit.model.known_noise(), fit.noise()) {
        (Some(known), _) => say("noise", known.described()),
        (_, Some(0.0)) if fit.posterior.jitter() > 0.0 => {
            let sd = rounded(fit.posterior.jitter().sqrt());
            say("noise", format!("standard deviation {sd}, jitter that the covariance cannot do without"));
        }
        (_, Some(0.0)) => say("noise", "none besides the kernel's own".into()),
        (_, Some(noise)) => {
            let unit = problem.pipeline().target().unit(data.target().and_then(|t| t.unit()));
            let unit = unit.map_or(String::new(), |u| format!(" {u}"));
            say("noise", format!("standard deviation {}{unit}", rounded(noise.sqrt())));
        }
        _ => {}
    }
    if let Some(ended) = fit.ended {
        say("ended", format!("{ended}, largest gradient {:.1e}, seed {}", fit.gradient_size, fit.options.seed));
        say("starts", starts(fit));
    }
    lines.push(parameters_grid(fit));
    lines.extend(fit.hints.iter().map(|hint| format!("note: {hint}")));
    lines
}

/// The link function, and the approximation of the posterior.
pub(super) fn likelihood(fit: &Fit) -> String {
    match fit.model.bernoulli() {
        None => "Gaussian".into(),
        Some(Bernoulli::Ep) => "probit, by expectation propagation".into(),
        Some(Bernoulli::Laplace(link)) => format!("{}, by Laplace's method", link.name()),
    }
}

/// The number of starts and their results.
fn starts(fit: &Fit) -> String {
    let total = fit.starts.len();
    let best = fit.starts.iter().filter_map(|s| s.reached).fold(f64::NEG_INFINITY, f64::max);
    let near = fit.starts.iter().filter(|s| s.reached.is_some_and(|r| best - r < 0.1)).count();
    let dropped = fit.starts.iter().filter(|s| s.dropped && s.reached.is_some_and(|r| best - r >= 0.1)).count();
    let failed: Vec<String> = fit
        .starts
        .iter()
        .enumerate()
        .filter(|(_, s)| s.reached.is_none())
        .map(|(i, s)| format!("start {i} failed ({})", s.ended))
        .collect();
    let mut text = format!("{total}, {near} within 0.1 of the best");
    if dropped > 0 {
        text.push_str(&format!(", {dropped} left behind in the race"));
    }
    for failure in failed {
        text.push_str("; ");
        text.push_str(&failure);
    }
    text
}

/// Days in a mean year of the Gregorian calendar.
const DAYS: f64 = 365.2425;
/// Times below this many years are also given in days.
const YEARS_IN_DAYS: f64 = 2.0;

/// The table of parameters.
pub fn parameters_grid(fit: &Fit) -> Grid {
    let mut grid = Grid::new(["parameter", "value", "std. error", "unit", ""]);
    for i in own_parameters(fit) {
        let (parameter, value, error) = (&fit.parameters()[i], fit.values()[i], &fit.standard_errors[i]);
        if parameter.kind == ParameterKind::Noise && value == 0.0 {
            let jitter = fit.posterior.jitter();
            if jitter > 0.0 {
                let unit = parameter.unit.clone().unwrap_or_default();
                let why = "noise that the covariance cannot do without".to_string();
                grid.row(["jitter".to_string(), significant(jitter, 2), "–".into(), unit, why]);
            }
            continue;
        }
        // a parameter that a wrap always holds (in the base kernels of an additive kernel) is not a parameter of the
        // model
        if parameter.state == SlotState::Held && !parameter.beside {
            continue;
        }
        // nor are the other parameters of the kernel of a ridge regression
        if fit.model.baseline() == Some(Baseline::Ridge)
            && matches!(parameter.role, Role::Bias | Role::Location | Role::Start)
            && matches!(parameter.kind, ParameterKind::Kernel(_))
        {
            continue;
        }
        let state = match parameter.state {
            SlotState::Fixed => "fixed".to_string(),
            SlotState::Held => "held at 1: the product has one variance".to_string(),
            SlotState::Free => {
                let mut words = Vec::new();
                if let (Some(unit), Role::Period | Role::LengthScale) = (parameter.time, parameter.role) {
                    words.extend(in_words(value, unit));
                } else if let (Some("year"), Role::Period | Role::LengthScale) =
                    (parameter.unit.as_deref(), parameter.role)
                    && value < YEARS_IN_DAYS
                {
                    words.push(format!("{} days", rounded(value * DAYS)));
                }
                if parameter.uses > 1 {
                    words.push(format!("tied, {} places", parameter.uses));
                }
                if let State::Bounded { lo, hi, .. } = parameter.param.state {
                    words.push(format!("between {} and {}", rounded(lo), rounded(hi)));
                }
                if let Some(prior) = parameter.param.prior {
                    words.push(format!("~ {prior}"));
                }
                if error.is_none() && fit.ended.is_some() && fit.is_judged() {
                    let place = |at: f64| match parameter.time {
                        Some(unit) => date_near(at, unit, None),
                        None => significant(at, 6),
                    };
                    words.push(match jump(fit.problem(), fit.values(), i) {
                        Some((lo, hi)) => format!("between the rows at {} and {}", place(lo), place(hi)),
                        None => "not determined by the data".into(),
                    });
                }
                words.join(", ")
            }
        };
        let shown = match error {
            Some(error) => significant(*error, 2),
            None => "–".into(),
        };
        let shown_value = match parameter.time {
            Some(unit) if parameter.role.is_place() => date_near(value, unit, *error),
            _ => with_error(value, *error),
        };
        grid.row([parameter.name.clone(), shown_value, shown, parameter.unit.clone().unwrap_or_default(), state]);
    }
    grid
}

/// A duration in another unit than that of its column, if that suits it better.
fn in_words(value: f64, unit: TimeUnit) -> Option<String> {
    let seconds = value * unit.seconds();
    let better = TimeUnit::ALL.into_iter().find(|unit| seconds >= 0.95 * unit.seconds())?;
    let count = significant(seconds / better.seconds(), 4);
    (better != unit).then(|| if count == "1" { format!("1 {better}") } else { format!("{count} {better}s") })
}

/// A date with digits according to its standard error.
fn date_near(value: f64, unit: TimeUnit, error: Option<f64>) -> String {
    let fine = error.is_some_and(|error| error * unit.seconds() < TimeUnit::Hour.seconds());
    let resolution = if fine { Resolution::Second } else { Resolution::Day };
    TimeScale { unit, resolution }.text(value)
}

/// A value with digits according to its error, at least four.
fn with_error(value: f64, error: Option<f64>) -> String {
    let Some(error) = error.filter(|e| *e > 0.0 && value != 0.0) else { return significant(value, 5) };
    let digits = (value.abs() / error).log10().ceil() as i32 + 2;
    significant(value, digits.clamp(4, MOST_DIGITS as i32) as usize)
}
