//! Equality of kernels as written.
//!
//! Sums and products are compared as flat lists; brackets and labels do not count. Two ties are equal if they join the
//! same parameters, whatever their names, so a kernel that was printed and parsed again equals the original.

use std::collections::HashMap;

use super::family::{Domains, ParamSpec};
use super::tree::InputsShown;
use super::tree::{Kernel, Leaf, Node, Wrapped};
use super::values::Values;
use crate::param::{Param, State, Tie};

impl PartialEq for Kernel {
    fn eq(&self, other: &Self) -> bool {
        self.is_same_node(other) || Pairing::default().kernels(self, other)
    }
}

/// Equal with identical ties, so that one can replace the other inside a larger kernel. Values are compared to a
/// relative tolerance.
pub(super) fn same(a: &Kernel, b: &Kernel, tolerance: f64) -> bool {
    Pairing { very_same: true, tolerance, ..Pairing::default() }.kernels(a, b)
}

/// Equal with values to a relative tolerance.
pub(super) fn near(a: &Kernel, b: &Kernel, tolerance: f64) -> bool {
    Pairing { tolerance, ..Pairing::default() }.kernels(a, b)
}

impl PartialEq for Leaf {
    fn eq(&self, other: &Self) -> bool {
        Pairing::default().leaves(self, other)
    }
}

impl PartialEq for Wrapped {
    fn eq(&self, other: &Self) -> bool {
        Pairing::default().wraps(self, other)
    }
}

/// The relative tolerance of values in two units of time.
const CONVERTED: f64 = 1e-12;

/// A comparison in progress: which tie of one kernel corresponds to which tie of the other.
#[derive(Default)]
struct Pairing {
    /// A tie corresponds only to itself.
    very_same: bool,
    tolerance: f64,
    forth: HashMap<Tie, Tie>,
    back: HashMap<Tie, Tie>,
}

impl Pairing {
    fn kernels(&mut self, a: &Kernel, b: &Kernel) -> bool {
        match (a.node(), b.node()) {
            (Node::Leaf(a), Node::Leaf(b)) => self.leaves(a, b),
            (Node::Sum(_), Node::Sum(_)) => self.lists(&a.summands(), &b.summands()),
            (Node::Product(_), Node::Product(_)) => self.lists(&a.factors(), &b.factors()),
            (Node::Wrap(a), Node::Wrap(b)) => self.wraps(a, b),
            _ => false,
        }
    }

    fn lists(&mut self, a: &[&Kernel], b: &[&Kernel]) -> bool {
        a.len() == b.len() && a.iter().zip(b).all(|(a, b)| self.kernels(a, b))
    }

    fn leaves(&mut self, a: &Leaf, b: &Leaf) -> bool {
        let spec = a.family.spec();
        std::ptr::eq(spec, b.family.spec())
            && a.inputs == b.inputs
            && a.ard == b.ard
            && self.all_params(spec.params, &a.params, &b.params)
    }

    fn wraps(&mut self, a: &Wrapped, b: &Wrapped) -> bool {
        // inputs in the options are compared with these
        let inputs = a.wrap.inputs_shown() == InputsShown::Extras || a.inputs == b.inputs;
        a.wrap.same(&*b.wrap)
            && inputs
            && a.children.len() == b.children.len()
            && a.children.iter().zip(&b.children).all(|(a, b)| self.kernels(a, b))
            && self.all_params(a.wrap.spec().params, &a.params, &b.params)
    }

    fn all_params(&mut self, specs: &[ParamSpec], a: &[Values], b: &[Values]) -> bool {
        a.len() == b.len() && specs.iter().zip(a.iter().zip(b)).all(|(spec, (a, b))| self.values(spec, a, b))
    }

    fn values(&mut self, spec: &ParamSpec, a: &Values, b: &Values) -> bool {
        if a.is_unset() && b.is_unset() {
            return true;
        }
        std::mem::discriminant(a) == std::mem::discriminant(b)
            && a.as_slice().len() == b.as_slice().len()
            && a.as_slice().iter().zip(b.as_slice()).all(|(a, b)| self.params(spec, a, b))
    }

    /// Whether two parameters have the same value, as times if they are: 1 week is 7 days, and neither is 7.
    fn times(&self, a: &Param, b: &Param) -> bool {
        match (a.time, b.time) {
            (Some(one), Some(other)) if one != other => {
                // a conversion may round
                let tolerance = self.tolerance.max(CONVERTED);
                one == other.in_unit(one.unit()) && states(a.state, b.in_unit(one.unit()).state, tolerance)
            }
            (Some(_), Some(_)) | (None, None) => states(a.state, b.state, self.tolerance),
            _ => false,
        }
    }

    fn params(&mut self, spec: &ParamSpec, a: &Param, b: &Param) -> bool {
        // a count is fixed however it was written
        let state = (spec.domain == Domains::Count && a.value() == b.value()) || self.times(a, b);
        let tied = match (&a.tie, &b.tie) {
            (None, None) => true,
            (Some(a), Some(b)) => self.ties(a, b),
            _ => false,
        };
        state && a.prior == b.prior && tied
    }

    fn ties(&mut self, a: &Tie, b: &Tie) -> bool {
        if self.very_same {
            return a == b;
        }
        match (self.forth.get(a), self.back.get(b)) {
            (None, None) => {
                self.forth.insert(a.clone(), b.clone());
                self.back.insert(b.clone(), a.clone());
                true
            }
            (Some(there), Some(here)) => there == b && here == a,
            _ => false,
        }
    }
}
fn states(a: State, b: State, tolerance: f64) -> bool {
    let near = |a: f64, b: f64| a == b || (a - b).abs() <= tolerance * a.abs().max(b.abs());
    match (a, b) {
        (State::Free(a), State::Free(b)) | (State::Fixed(a), State::Fixed(b)) => near(a, b),
        (State::Bounded { lo, hi, value }, State::Bounded { lo: l, hi: h, value: v }) => {
            near(lo, l) && near(hi, h) && value.zip(v).map_or(value.is_none() == v.is_none(), |(a, b)| near(a, b))
        }
        _ => a == b,
    }
}
