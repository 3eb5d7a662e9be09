//! The meaning of a kernel, part by part.

use super::data_context::DataContext;
use super::noun_phrase::noun_phrase;
use super::quantity::{DIGITS, amount};
use super::words::{capital, join_and};
use crate::describe::numbers::percent;
use crate::fit::Fit;
use crate::fit::spacing::variance;
use crate::kernel::{Kernel, Leaf, Node, ParamSpec, Values, Wrapped, number};
use crate::model::{Mean, is_noise};
use crate::param::Param;

/// A kernel in English.
#[derive(Debug, Clone, PartialEq)]
pub struct Description {
    /// The sentence before the parts of a sum or a fit; ends with a colon or a full stop.
    pub opening: Option<String>,
    pub parts: Vec<Part>,
}

/// One term of the expanded kernel.
#[derive(Debug, Clone, PartialEq)]
pub struct Part {
    /// The user's label, or those of its factors.
    pub name: Option<String>,
    pub kernel: Kernel,
    /// A noun phrase.
    pub meaning: String,
    /// For a fit: the variance of its posterior mean over the rows, divided by that of y around the mean function.
    pub share: Option<f64>,
}

/// The largest number of parts that are described.
pub const MOST: usize = 50;

impl Description {
    pub fn text(&self) -> String {
        let mut lines: Vec<String> = self.opening.iter().cloned().collect();
        if let [part] = &self.parts[..] {
            lines.push(match &part.name {
                Some(name) => format!("{name}: {}.", part.meaning),
                None => format!("{}.", capital(&part.meaning)),
            });
            return lines.join("\n");
        }
        lines.extend(self.parts.iter().take(MOST).enumerate().map(|(i, part)| format!("{}. {}", i + 1, part.line())));
        if self.parts.len() > MOST {
            lines.push(format!("… and {} more parts.", self.parts.len() - MOST));
        }
        lines.join("\n")
    }
}

impl Part {
    pub fn title(&self) -> String {
        self.name.clone().unwrap_or_else(|| heading(&self.kernel))
    }

    fn line(&self) -> String {
        let share = self.share.map_or(String::new(), |share| format!(" ({} of the variance)", percent(share)));
        format!("{}{share}: {}.", self.title(), self.meaning)
    }
}

/// A kernel in English, without data.
pub fn kernel(kernel: &Kernel) -> Description {
    describe(kernel, &DataContext::default())
}

/// The parts of a kernel in English.
pub fn describe(kernel: &Kernel, context: &DataContext) -> Description {
    // a kernel that is too large to be expanded is described as written
    let expanded = kernel.expand().unwrap_or_else(|_| kernel.clone());
    let part = |term: &Kernel, name: Option<String>| Part {
        name,
        meaning: noun_phrase(term, context),
        kernel: term.clone(),
        share: None,
    };
    let terms = expanded.summands();
    let parts: Vec<Part> = match &terms[..] {
        [one] => vec![part(one, expanded.part_name())],
        many => many.iter().map(|term| part(term, term.part_name())).collect(),
    };
    let named = expanded.label();
    let opening = (parts.len() > 1).then(|| match named {
        Some(named) => format!("{named} is the sum of {} parts:", parts.len()),
        None => format!("The sum of {} parts:", parts.len()),
    });
    Description { opening, parts }
}

/// The kernel of a fit in English, in the units of its data, with the share of each part, the mean and the noise.
pub fn fit(fit: &Fit) -> Description {
    let context = DataContext::of_fit(fit);
    let mut description = describe(&fit.model.kernel, &context);
    let terms: Vec<Kernel> = description.parts.iter().map(|part| part.kernel.clone()).collect();
    if let Ok(means) = fit.posterior.part_means(&terms) {
        let whole = fit.posterior.explained_beyond_mean().map_or(f64::NAN, |y| variance(&y));
        for (part, mean) in description.parts.iter_mut().zip(means) {
            let noise = is_noise(&part.kernel);
            part.share = Some(variance(&mean) / whole).filter(|share| share.is_finite() && !noise);
        }
    }
    description.opening = Some(opening(fit, description.parts.len(), &context));
    description
}

/// The target, the number of parts, the mean and the noise, as a sentence that ends with a colon.
pub fn opening(fit: &Fit, parts: usize, context: &DataContext) -> String {
    let problem = fit.problem();
    let target = problem.data().target().map_or("y", |target| target.name());
    let scale = match (problem.pipeline().target().is_identity(), &context.target) {
        (true, _) => String::new(),
        (false, Some(unit)) => format!(", measured in {unit},"),
        (false, None) => ", on the scale of its transform,".into(),
    };
    let what = if parts == 1 { "has one part".to_string() } else { format!("is the sum of {parts} parts") };
    let mut beside = Vec::new();
    match &fit.model.mean {
        Mean::Zero => {}
        Mean::Constant(_) => {
            let means = problem.mean_values(fit.values()).iter();
            beside.extend(
                means.map(|mean| format!("with a mean of {}", amount(*mean, context.target.as_deref(), DIGITS))),
            );
        }
        Mean::Linear(_) => beside.push("with a mean function that is linear in the inputs".into()),
        Mean::Function(mean) => beside.push(format!("with the mean function `{mean}`")),
    }
    match (fit.model.known_noise(), fit.noise()) {
        (Some(known), _) => beside.push(format!("with noise known from {}", known.source())),
        (_, Some(noise)) if noise > 0.0 => {
            let sd = amount(noise.sqrt(), context.target.as_deref(), DIGITS);
            beside.push(format!("with noise of standard deviation {sd}"));
        }
        _ => {}
    }
    let beside = if beside.is_empty() { String::new() } else { format!(", {}", join_and(&beside)) };
    match problem.classes() {
        Some(classes) => {
            let positive = classes.positive();
            format!("The latent function of {target} (high where {positive} is probable) {what}{beside}:")
        }
        None => format!("The model of {target}{scale} {what}{beside}:"),
    }
}

/// A kernel without its values, but with its numbers: `2.5 * SE(year)`.
pub fn heading(kernel: &Kernel) -> String {
    match kernel.as_number() {
        Some(value) => number(value),
        None => bare(kernel).to_string(),
    }
}

/// The same kernel without values and labels.
pub fn bare(kernel: &Kernel) -> Kernel {
    let unset = |specs: &'static [ParamSpec], params: &[Values], ard: bool| -> Vec<Values> {
        let each = specs.iter().zip(params);
        each.map(|(spec, values)| {
            let counted = spec.domain == crate::kernel::Domains::Count;
            if counted { values.map(|p| Param { tie: None, ..p.clone() }) } else { spec.unset(ard) }
        })
        .collect()
    };
    let all = |children: &[Kernel]| children.iter().map(bare).collect::<Vec<_>>();
    let node = match kernel.node() {
        _ if kernel.as_number().is_some() => return kernel.clone().unlabelled(),
        Node::Leaf(leaf) => {
            Node::Leaf(Leaf { params: unset(leaf.family.spec().params, &leaf.params, leaf.ard), ..leaf.clone() })
        }
        Node::Sum(terms) => return Kernel::sum(all(terms)).unwrap_or_else(|| kernel.clone()),
        Node::Product(factors) => return Kernel::product(all(factors)).unwrap_or_else(|| kernel.clone()),
        Node::Wrap(wrapped) => Node::Wrap(Wrapped {
            params: unset(wrapped.wrap.spec().params, &wrapped.params, false),
            children: all(&wrapped.children),
            ..wrapped.clone()
        }),
    };
    kernel.with_node(node).unlabelled()
}
