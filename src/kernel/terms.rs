//! A kernel taken apart: its summands and its factors.

use super::{Kernel, Node};

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
}

fn flatten<'k>(kernel: &'k Kernel, out: &mut Vec<&'k Kernel>, open: fn(&Node) -> Option<&Vec<Kernel>>) {
    match open(kernel.node()) {
        Some(children) => children.iter().for_each(|child| flatten(child, out, open)),
        None => out.push(kernel),
    }
}
