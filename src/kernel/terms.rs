//! The summands and the factors of a kernel.

use super::tree::{Kernel, Node};

impl Kernel {
    /// The parts that are added at the top. A labelled sum among them is one part; a kernel that is no sum is its own.
    pub fn terms(&self) -> &[Kernel] {
        match self.node() {
            Node::Sum(terms) => terms,
            _ => std::slice::from_ref(self),
        }
    }

    /// All that is added at the top, sums within sums taken apart whether they have a label or not.
    pub fn summands(&self) -> Vec<&Kernel> {
        let mut out = Vec::new();
        flatten(self, &mut out, |node| match node {
            Node::Sum(terms) => Some(terms),
            _ => None,
        });
        out
    }

    /// All that is multiplied at the top, products within products taken apart whether they have a label or not.
    pub fn factors(&self) -> Vec<&Kernel> {
        let mut out = Vec::new();
        flatten(self, &mut out, |node| match node {
            Node::Product(factors) => Some(factors),
            _ => None,
        });
        out
    }

    /// How many families stand in it, numbers among them.
    pub fn leaves(&self) -> usize {
        match self.children() {
            [] => 1,
            children => children.iter().map(Kernel::leaves).sum(),
        }
    }

    /// Whether its value depends on the difference of its inputs alone.
    pub fn stationary(&self) -> bool {
        match self.node() {
            Node::Leaf(leaf) => leaf.family.spec().stationary,
            Node::Sum(children) | Node::Product(children) => children.iter().all(Kernel::stationary),
            Node::Wrap(wrapped) => {
                let children: Vec<bool> = wrapped.children.iter().map(Kernel::stationary).collect();
                wrapped.wrap.stationary(&children)
            }
        }
    }

    /// The first part of it of which not every positive power is a kernel, as a product over a group needs. A product
    /// has all powers if its factors have; of sums nothing is known.
    pub fn not_infinitely_divisible(&self) -> Option<&Kernel> {
        match self.node() {
            Node::Leaf(leaf) => (!leaf.family.spec().infinitely_divisible).then_some(self),
            Node::Sum(_) => Some(self),
            Node::Product(factors) => factors.iter().find_map(Kernel::not_infinitely_divisible),
            Node::Wrap(wrapped) => {
                let children: Vec<bool> =
                    wrapped.children.iter().map(|c| c.not_infinitely_divisible().is_none()).collect();
                if wrapped.wrap.infinitely_divisible(&children) {
                    return None;
                }
                wrapped.children.iter().find_map(Kernel::not_infinitely_divisible).or(Some(self))
            }
        }
    }

    /// The name under which it is shown as a part: its label, or for a product with labels among its factors those,
    /// joined by ×, beside the source form of factors without one. `None` where no label is to be seen.
    pub fn part_name(&self) -> Option<String> {
        if let Some(label) = self.label() {
            return Some(label.to_string());
        }
        match self.node() {
            Node::Product(factors) => {
                let names: Vec<Option<String>> = factors.iter().map(Kernel::part_name).collect();
                if names.iter().all(Option::is_none) {
                    return None;
                }
                let shown = factors.iter().zip(names).filter(|(factor, _)| factor.as_number().is_none());
                let shown: Vec<String> = shown.map(|(f, name)| name.unwrap_or_else(|| f.heading())).collect();
                Some(shown.join(" × "))
            }
            _ => {
                let (base, n) = as_power(self)?;
                Some(format!("{}^{n}", base.part_name()?))
            }
        }
    }

    /// What it is without any parameter: `SE(year)`.
    pub fn heading(&self) -> String {
        self.rewrite_params(&mut |at, _| at.spec.unset(at.ard)).to_string()
    }
}

fn flatten<'k>(kernel: &'k Kernel, out: &mut Vec<&'k Kernel>, open: fn(&Node) -> Option<&Vec<Kernel>>) {
    match open(kernel.node()) {
        Some(children) => children.iter().for_each(|child| flatten(child, out, open)),
        None => out.push(kernel),
    }
}

/// The base and exponent of a power.
pub(super) fn as_power(kernel: &Kernel) -> Option<(&Kernel, u32)> {
    match kernel.node() {
        Node::Wrap(wrapped) => wrapped.children.first().zip(wrapped.wrap.exponent()),
        _ => None,
    }
}
