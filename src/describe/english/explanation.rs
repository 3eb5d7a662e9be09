//! The explanation of a kernel: its algebra step by step, the meaning of each part, and the properties of draws.

use std::collections::BTreeSet;

use super::data_context::{DataContext, overlap};
use super::expansion_steps::{Rule, steps};
use super::factor::Product;
use super::kernel_description::{Description, Part, fit as describe_fit, heading, kernel as describe_kernel};
use super::quantity::{DIGITS, amount};
use super::words::join_and;
use crate::fit::Fit;
use crate::kernel::{Head, Kernel, Node, Spec};
use crate::model::is_zero_kernel;

/// The largest number of parts that are explained.
const MOST: usize = 12;

/// The explanation of a kernel, and its parts.
pub fn kernel(kernel: &Kernel) -> (String, Vec<Part>) {
    let description = describe_kernel(kernel);
    let closing = "`plot` shows k(·, 0) and draws, with the value 1 for each parameter that is not given.";
    (text(kernel, &description, &DataContext::default(), closing), description.parts)
}

/// The explanation of the kernel of a fit, and its parts.
pub fn fit(fit: &Fit) -> (String, Vec<Part>) {
    if let Some(baseline) = fit.model.stands_for().filter(|_| is_zero_kernel(&fit.model.kernel)) {
        return (
            format!("The model: {}\n\nIt has no kernel: {}.", fit.model.process(), baseline.description()),
            Vec::new(),
        );
    }
    let description = describe_fit(fit);
    (text(&fit.model.kernel, &description, &DataContext::of_fit(fit), "`plot` shows the parts."), description.parts)
}

fn text(kernel: &Kernel, description: &Description, context: &DataContext, closing: &str) -> String {
    let parts: Vec<&Kernel> = description.parts.iter().map(|part| &part.kernel).collect();
    let products: Vec<Product<'_>> = parts.iter().map(|part| Product::of(part, context)).collect();
    let mut sections = vec![format!("The kernel: {kernel}")];
    sections.extend(algebra(kernel));
    sections.push(meaning(description));
    sections.extend(factors_by_themselves(description));
    sections.extend(addition(&products));
    sections.extend(multiplication(&products));
    sections.push(stationarity(kernel));
    sections.push(draws(kernel, &products, context));
    sections.extend(extrapolation(description, &products));
    sections.push(closing.to_string());
    sections.join("\n\n")
}

fn algebra(kernel: &Kernel) -> Option<String> {
    let (steps, done) = steps(kernel);
    if steps.is_empty() && done {
        return None;
    }
    let mut lines = vec!["As a sum of products:".to_string(), format!("  {}", heading(kernel))];
    for (form, rule) in &steps {
        lines.push(format!("= {form}"));
        lines.push(format!("    ({})", rule.explanation()));
    }
    let copies = steps.iter().any(|(_, rule)| matches!(rule, Rule::Distribute | Rule::PowerOfSum));
    match done {
        true if copies => {
            lines.push("A kernel that occurs in several products has the same parameters in all of them.".into())
        }
        true => {}
        false => lines.push("The further steps are too long to be shown.".into()),
    }
    Some(lines.join("\n"))
}

fn meaning(description: &Description) -> String {
    let mut lines = vec![match &description.opening {
        Some(opening) => format!("Meaning of the parts. {}", super::words::capital(opening)),
        None => "Meaning:".to_string(),
    }];
    for part in description.parts.iter().take(MOST) {
        let share = part.share.map_or(String::new(), |s| format!(" ({} of the variance)", crate::describe::percent(s)));
        lines.push(format!("- {}{share}: {}.", part.title(), part.meaning));
    }
    if description.parts.len() > MOST {
        lines.push(format!("- and {} more parts.", description.parts.len() - MOST));
    }
    lines.join("\n")
}

/// Each factor once, with its summary and formula; `None` of a number.
fn factors_by_themselves(description: &Description) -> Option<String> {
    let mut lines = vec!["Factors:".to_string()];
    let mut seen = BTreeSet::new();
    description
        .parts
        .iter()
        .take(MOST)
        .for_each(|part| collect_factors_by_themselves(&part.kernel, &mut seen, &mut lines));
    (lines.len() > 1).then(|| lines.join("\n"))
}

/// Adds a line for each family and wrap that has none yet.
fn collect_factors_by_themselves(kernel: &Kernel, seen: &mut BTreeSet<String>, lines: &mut Vec<String>) {
    if let Some(spec) = spec_of(kernel) {
        let name = heading(kernel);
        if !seen.insert(name.clone()) {
            return;
        }
        lines.push(format!("- {name}: {}; {}", spec.summary, spec.formula));
    }
    kernel.children().iter().for_each(|child| collect_factors_by_themselves(child, seen, lines));
}

/// The declaration of a family or a wrap; `None` for numbers.
fn spec_of(kernel: &Kernel) -> Option<&'static Spec> {
    match kernel.node() {
        _ if kernel.as_number().is_some() => None,
        Node::Leaf(leaf) => Some(leaf.family.spec()),
        Node::Wrap(wrapped) => Some(wrapped.wrap.spec()),
        Node::Sum(_) | Node::Product(_) => None,
    }
}

fn addition(products: &[Product<'_>]) -> Option<String> {
    if products.len() < 2 {
        return None;
    }
    let mut text = format!(
        "Addition: the covariances of independent functions add. f is the sum of {} independent functions, one for each \
         part. Two rows are correlated if any part correlates them.",
        products.len()
    );
    let inputs = |p: &Product<'_>| p.factors.iter().flat_map(|f| f.inputs.clone()).collect::<Vec<_>>();
    let all: Vec<_> = products.iter().map(inputs).filter(|inputs| !inputs.is_empty()).collect();
    let apart = all.iter().enumerate().all(|(i, one)| all[..i].iter().all(|other| !overlap(one, other)));
    if apart && all.len() > 1 {
        text.push_str(" The parts have different inputs: the effect of one input does not depend on the others.");
    }
    Some(text)
}

fn multiplication(products: &[Product<'_>]) -> Option<String> {
    let mut several = products.iter().filter(|p| p.factors.len() > 1 || p.factors.iter().any(|f| f.leaves.len() > 1));
    let first = several.next()?;
    let mut text =
        "Multiplication: two rows are correlated only if every factor correlates them. A draw from a product is not \
                    the product of draws from its factors."
            .to_string();
    let inputs = |p: &Product<'_>| {
        p.factors.iter().flat_map(|f| f.inputs.iter().map(|input| input.name.clone())).collect::<BTreeSet<_>>()
    };
    if std::iter::once(first).chain(several).any(|p| inputs(p).len() > 1) {
        text.push_str(" A product over different inputs is an interaction: the effect of one input depends on the value of the other.");
    }
    Some(text)
}

fn stationarity(kernel: &Kernel) -> String {
    if kernel.stationary() {
        return "Stationarity: the kernel is stationary. k(x, x') depends only on the difference of x and x', so draws look alike \
                everywhere."
            .into();
    }
    let mut nonstationary = BTreeSet::new();
    collect_nonstationary(kernel, &mut nonstationary);
    let names: Vec<String> = nonstationary.into_iter().take(4).map(|name| format!("`{name}`")).collect();
    format!("Stationarity: the kernel is not stationary, because of {}.", join_and(&names))
}

/// The smallest parts that are not stationary.
fn collect_nonstationary(kernel: &Kernel, out: &mut BTreeSet<String>) {
    if kernel.stationary() {
        return;
    }
    kernel.children().iter().for_each(|child| collect_nonstationary(child, out));
    let own = match kernel.node() {
        Node::Leaf(_) => true,
        Node::Sum(_) | Node::Product(_) => false,
        Node::Wrap(wrapped) => !wrapped.wrap.stationary(&vec![true; wrapped.children.len()]),
    };
    if own {
        out.insert(heading(kernel));
    }
}

/// The kinds of all families and wraps in it.
fn heads_in(kernel: &Kernel, out: &mut Vec<Head>) {
    out.extend(spec_of(kernel).filter(|_| !is_power(kernel)).map(|spec| spec.wording.head));
    kernel.children().iter().for_each(|child| heads_in(child, out));
}

fn is_power(kernel: &Kernel) -> bool {
    matches!(kernel.node(), Node::Wrap(wrapped) if wrapped.wrap.exponent().is_some())
}

/// The smoothness of functions with this number of derivatives; `open` if it is not known in advance.
fn smoothness(derivatives: f64, open: bool) -> String {
    match derivatives {
        0.0 => "continuous, but not differentiable".to_string(),
        1.0 => "once differentiable".into(),
        2.0 => "twice differentiable".into(),
        n if n.is_finite() => format!("{n} times differentiable"),
        _ if open => "as smooth as the functions, symmetries and categories in it allow".into(),
        _ => "infinitely differentiable".into(),
    }
}

fn draws(kernel: &Kernel, products: &[Product<'_>], context: &DataContext) -> String {
    let mut all = Vec::new();
    heads_in(kernel, &mut all);
    let heads = || all.iter().copied();
    let (roughest, open) = kernel.derivatives();
    let mut text = String::from("Draws: ");
    let noisy =
        if heads().any(|head| head == Head::Noise) { ", with independent noise at each observation" } else { "" };
    let smoothness = match heads().all(|head| head == Head::Noise) {
        true if all.is_empty() => "one value at all inputs".into(),
        true if !roughest.is_finite() => String::new(),
        _ => smoothness(roughest, open),
    };
    match (&smoothness[..], noisy) {
        ("", _) => text.push_str("an independent value for each observation"),
        (smooth, noisy) => text.push_str(&format!("{smooth}{noisy}")),
    }
    let variances: Option<f64> = products.iter().map(|p| p.variance).sum();
    if let Some(variance) = variances.filter(|v| kernel.stationary() && *v > 0.0) {
        let sd = variance.sqrt();
        let target = context.target.as_deref();
        text.push_str(&format!(
            ". At any one input the standard deviation is {}; 95 % of the draws lie within {} of the mean",
            amount(sd, target, DIGITS),
            amount(1.96 * sd, target, DIGITS)
        ));
    }
    text + "."
}

/// The behaviour of each part beyond the range of the data.
fn extrapolation(description: &Description, products: &[Product<'_>]) -> Option<String> {
    let (mut back, mut on, mut along) = (Vec::new(), Vec::new(), Vec::new());
    let mut processes: Vec<String> = Vec::new();
    for (part, product) in description.parts.iter().zip(products).take(MOST) {
        let has = |wanted: fn(&Head) -> bool| product.factors.iter().any(|f| wanted(&f.head));
        let title = format!("`{}`", part.title());
        match product.factors.first().map(|f| f.head) {
            _ if has(|h| matches!(h, Head::Whole(_) | Head::Noise | Head::Levels)) => {}
            _ if has(|h| matches!(h, Head::Smooth)) => back.push(title),
            Some(Head::Periodic(_)) => on.push(title),
            Some(Head::Process(how)) => processes.push(format!("{title} {how}")),
            Some(Head::Polynomial) => along.push(title),
            _ => {}
        }
    }
    let groups = [
        (back, "returns to 0 beyond its length-scale", "return to 0 beyond their length-scales"),
        (on, "continues its period", "continue their periods"),
        (along, "continues its trend", "continue their trends"),
    ];
    let sentences = groups
        .into_iter()
        .filter(|(titles, ..)| !titles.is_empty())
        .map(|(titles, one, many)| format!("{} {}", join_and(&titles), if titles.len() == 1 { one } else { many }));
    let sentences: Vec<String> = sentences.chain(processes).collect();
    (!sentences.is_empty()).then(|| format!("Far from the data: {}.", sentences.join("; ")))
}

#[cfg(test)]
mod tests {
    use super::smoothness;

    /// A family declares its number of derivatives; that of Matérn 7/2 would be 3.
    #[test]
    fn the_smoothness_is_the_number_of_derivatives() {
        assert_eq!(smoothness(3.0, false), "3 times differentiable");
        assert_eq!(smoothness(1.0, true), "once differentiable");
        assert_eq!(smoothness(f64::INFINITY, false), "infinitely differentiable");
    }
}
