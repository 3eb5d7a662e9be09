//! The terms and the factors of a kernel.

use super::family::{ParamSpec, Role};
use super::tree::{Kernel, Node};
use super::values::Values;
use crate::param::Param;

impl Kernel {
    /// The terms of the sum at the top. A labelled sum among them is one term; a kernel that is not a sum is its only
    /// term.
    pub fn terms(&self) -> &[Kernel] {
        match self.node() {
            Node::Sum(terms) => terms,
            _ => std::slice::from_ref(self),
        }
    }

    /// All terms of the sum at the top, with sums inside sums flattened, labelled or not.
    pub fn summands(&self) -> Vec<&Kernel> {
        let mut out = Vec::new();
        flatten(self, &mut out, |node| match node {
            Node::Sum(terms) => Some(terms),
            _ => None,
        });
        out
    }

    /// All factors of the product at the top, with products inside products flattened, labelled or not.
    pub fn factors(&self) -> Vec<&Kernel> {
        let mut out = Vec::new();
        flatten(self, &mut out, |node| match node {
            Node::Product(factors) => Some(factors),
            _ => None,
        });
        out
    }

    /// The number of families in it, numbers included.
    pub fn leaves(&self) -> usize {
        match self.children() {
            [] => 1,
            children => children.iter().map(Kernel::leaves).sum(),
        }
    }

    /// Whether its value depends only on the difference of its inputs.
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

    /// The first part that is not infinitely divisible, as products over a group require. A product is infinitely
    /// divisible if its factors are; a sum is assumed not to be.
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

    /// The name of this kernel as a part: its label, or for a product with labelled factors these labels and the source
    /// forms of the other factors, joined by ×. `None` if there is no label.
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

    /// Its form without parameters: `SE(year)`. Fixed periods remain, as they distinguish a week from a year.
    pub fn heading(&self) -> String {
        let is_fixed_period = |spec: &ParamSpec, values: &Values| {
            spec.role == Role::Period && !values.is_unset() && values.as_slice().iter().all(Param::is_fixed)
        };
        let shown = self.rewrite_params(&mut |at, values| match is_fixed_period(at.spec, values) {
            true => values.clone(),
            false => at.spec.unset(at.ard),
        });
        shown.to_string()
    }

    /// Its form without any parameters, which names those of its nodes.
    pub(super) fn without_parameters(&self) -> String {
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
