//! Simplification of sums: like terms, one linear kernel per input, constants, sorted.

use std::collections::HashMap;

use super::merge::is;
use super::mode::Mode;
use super::unit::{Scale, all_plain, constant, is_plain, is_rigid, split};
use crate::kernel::equality::same;
use crate::kernel::family::Role;
use crate::kernel::tree::{Kernel, Leaf, Node};
use crate::kernel::values::Values;
use crate::param::Param;

/// A term being simplified.
struct Term {
    unit: Kernel,
    scale: Scale,
    /// Its written form, unless something was added to it.
    written: Option<Kernel>,
}

impl Mode {
    /// The sum of kernels that are already simple.
    pub(super) fn sum(self, terms: impl Iterator<Item = Kernel>) -> Kernel {
        let Some(whole) = Kernel::sum(terms) else { return Kernel::number(1.0) };
        let Node::Sum(flat) = whole.node() else { return whole };
        let mut number = None;
        let mut lines: Vec<Kernel> = Vec::new();
        let mut others = Vec::with_capacity(flat.len());
        for term in flat {
            match term.as_number() {
                Some(value) if term.label().is_none() => *number.get_or_insert(0.0) += value,
                _ if is_line(term) => self.add_line(&mut lines, term),
                _ => others.push(term.clone()),
            }
        }
        let mut out = self.like_terms(others);
        out.extend(lines);
        let mut keyed: Vec<(String, Kernel)> = out.into_iter().map(|k| (self.key(&k), k)).collect();
        keyed.sort_by(|a, b| a.0.cmp(&b.0));
        let mut out: Vec<Kernel> = keyed.into_iter().map(|(_, kernel)| kernel).collect();
        self.absorb_constant(&mut out);
        if self == Mode::Compare {
            Self::gather_offsets(&mut out);
        }
        if let Some(value) = number {
            if !f64::is_finite(value) {
                return whole;
            }
            out.push(Kernel::number(value));
        }
        Kernel::sum(out).unwrap_or(whole)
    }

    fn add_line(self, lines: &mut Vec<Kernel>, term: &Kernel) {
        for line in lines.iter_mut() {
            if let Some(both) = self.sum_of_lines(line, term) {
                *line = both;
                return;
            }
        }
        lines.push(term.clone());
    }

    /// Merges terms that differ only by a factor.
    fn like_terms(self, terms: Vec<Kernel>) -> Vec<Kernel> {
        let mut found: HashMap<String, Vec<usize>> = HashMap::new();
        let mut out: Vec<Term> = Vec::with_capacity(terms.len());
        for term in terms {
            let (scale, unit) = split(&term);
            // independent free terms are not merged by structure
            let mergeable = match self {
                Mode::Values => all_plain(&unit),
                Mode::Structure => all_plain(&unit) && is_rigid(&unit),
                Mode::Compare => true,
            };
            if mergeable {
                let places = found.entry(self.key(&unit)).or_default();
                if let Some(&at) = places.iter().find(|&&at| same(&out[at].unit, &unit, self.tolerance())) {
                    let first = &mut out[at];
                    (first.scale, first.written) = (first.scale.plus(scale), None);
                    continue;
                }
                places.push(out.len());
            }
            out.push(Term { unit, scale, written: Some(term) });
        }
        out.into_iter().map(|term| self.rebuilt(term)).collect()
    }

    fn rebuilt(self, term: Term) -> Kernel {
        if let Some(written) = term.written {
            return written;
        }
        let free = term.scale.free;
        let scale = if self == Mode::Structure { Scale { free, ..Scale::ONE } } else { term.scale };
        let number = || Kernel::number(scale.value);
        let factor = if free { constant(scale).unwrap_or_else(number) } else { number() };
        self.product([factor, term.unit])
    }

    /// Adds a free constant to the offset of a linear kernel in the same sum.
    fn absorb_constant(self, terms: &mut Vec<Kernel>) {
        let is_constant = |k: &Kernel| all_plain(k) && matches!(k.node(), Node::Leaf(leaf) if is(leaf, "Const"));
        let Some(at) = terms.iter().position(|k| is_constant(k) && k.as_number().is_none()) else { return };
        let (scale, _) = split(&terms[at]);
        if !scale.free {
            return;
        }
        let line = terms.iter().enumerate().find_map(|(i, term)| Some((i, self.line_and_constant(term, scale.value)?)));
        if let Some((i, line)) = line {
            terms[i] = line;
            terms.remove(at);
        }
    }

    /// For comparison, where only values count: adds the offsets of linear kernels on different inputs to one of them.
    fn gather_offsets(terms: &mut [Kernel]) {
        let mut lines: Vec<(usize, f64)> = Vec::new();
        for (i, term) in terms.iter().enumerate() {
            lines.extend(offset(term).map(|b| (i, b)));
        }
        let total = lines.iter().map(|(_, b)| b).sum();
        for (n, (i, _)) in lines.into_iter().enumerate() {
            let offset = if n == 0 { Param::free(total) } else { Param::fixed(0.0) };
            terms[i] = with_offset(&terms[i], offset);
        }
    }
}

/// The offset of a linear kernel, if it may be merged.
fn offset(kernel: &Kernel) -> Option<f64> {
    let Node::Leaf(leaf) = kernel.node() else { return None };
    let at = offset_place(leaf)?;
    match &leaf.params[at] {
        Values::One(param) if is_plain(param) => Some(param.value().unwrap_or(leaf.family.spec().params[at].default)),
        _ => None,
    }
}

fn offset_place(leaf: &Leaf) -> Option<usize> {
    leaf.family.spec().params.iter().position(|p| p.role == Role::Bias).filter(|_| is(leaf, "Lin"))
}

fn with_offset(line: &Kernel, offset: Param) -> Kernel {
    match line.node() {
        Node::Leaf(leaf) => {
            let mut leaf = leaf.clone();
            if let Some(at) = offset_place(&leaf) {
                leaf.params[at] = Values::One(offset);
            }
            line.with_node(Node::Leaf(leaf))
        }
        _ => line.clone(),
    }
}

/// Whether it is a linear kernel to which another can be added.
fn is_line(kernel: &Kernel) -> bool {
    all_plain(kernel)
        && matches!(kernel.node(), Node::Leaf(leaf) if is(leaf, "Lin") && !leaf.ard)
        && split(kernel).0.free
}
