//! The steps that expand a kernel to a sum of products.

use super::kernel_description::bare;
use crate::kernel::{Kernel, Node, Wrapped};

/// The rule of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rule {
    Distribute,
    PowerOfSum,
    PowerOfProduct,
    /// `warp` and `scale` of a sum.
    Through(&'static str),
    /// Simplifications that `expand` applies in addition.
    Tidy,
}

impl Rule {
    pub fn explanation(self) -> String {
        match self {
            Rule::Distribute => "a product with a sum is the sum of the products".into(),
            Rule::PowerOfSum => "a power of a sum, multiplied out".into(),
            Rule::PowerOfProduct => "a power of a product is the product of the powers".into(),
            Rule::Through(wrap) => format!("{wrap} of a sum is the sum of {wrap} of its terms"),
            Rule::Tidy => "the same in its final form".into(),
        }
    }
}

/// The largest number of displayed steps, and of characters in one.
const MOST: usize = 12;
const LONGEST: usize = 400;

/// The forms from a kernel to its sum of products, without values, each with its rule. The second result is true if the
/// expansion was completed.
pub fn steps(kernel: &Kernel) -> (Vec<(String, Rule)>, bool) {
    let Ok(expanded) = kernel.expand() else { return (Vec::new(), false) };
    let end = bare(&expanded).to_string();
    let mut now = bare(kernel);
    let mut out = Vec::new();
    while let Some((next, rule)) = step(&now) {
        let text = next.to_string();
        if out.len() == MOST || text.len() > LONGEST {
            return (out, false);
        }
        out.push((text, rule));
        now = next;
    }
    if end.len() <= LONGEST && now.to_string() != end {
        out.push((end, Rule::Tidy));
    }
    (out, true)
}

fn step(kernel: &Kernel) -> Option<(Kernel, Rule)> {
    match kernel.node() {
        Node::Leaf(_) => None,
        Node::Sum(terms) => {
            let (terms, rule) = first(terms)?;
            Some((Kernel::sum(terms)?, rule))
        }
        Node::Product(factors) => {
            let Some(at) = factors.iter().position(|factor| matches!(factor.node(), Node::Sum(_))) else {
                let (factors, rule) = first(factors)?;
                return Some((Kernel::product(factors)?, rule));
            };
            let product = |term: &Kernel| {
                let mut all = factors.clone();
                all[at] = term.clone();
                Kernel::product(all)
            };
            let terms: Option<Vec<Kernel>> = factors[at].terms().iter().map(product).collect();
            Some((Kernel::sum(terms?)?, Rule::Distribute))
        }
        Node::Wrap(wrapped) => of_wrap(kernel, wrapped),
    }
}

/// Applies a step to the first of some kernels that has one.
fn first(kernels: &[Kernel]) -> Option<(Vec<Kernel>, Rule)> {
    let (at, (next, rule)) = kernels.iter().enumerate().find_map(|(i, kernel)| Some((i, step(kernel)?)))?;
    let mut all = kernels.to_vec();
    all[at] = next;
    Some((all, rule))
}

fn of_wrap(kernel: &Kernel, wrapped: &Wrapped) -> Option<(Kernel, Rule)> {
    if let Some((children, rule)) = first(&wrapped.children) {
        return Some((kernel.with_node(Node::Wrap(Wrapped { children, ..wrapped.clone() })), rule));
    }
    let expanded = bare(&kernel.expand().ok()?);
    let rule = match (wrapped.wrap.exponent(), wrapped.children.first()?.node()) {
        (Some(_), Node::Sum(_)) => Rule::PowerOfSum,
        (Some(_), Node::Product(_)) => Rule::PowerOfProduct,
        (None, Node::Sum(_)) => Rule::Through(wrapped.wrap.spec().name),
        _ => return None,
    };
    // a sum or a power that cannot be expanded does not change
    (expanded != *kernel && expanded.to_string() != kernel.to_string()).then_some((expanded, rule))
}
