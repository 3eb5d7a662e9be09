//! Which unset variances are held at 1, and how passes that move factors preserve this.
//!
//! A product has one variance. An unset variance is held in every factor but the first, and in all plain factors of a
//! product with a sum, whose terms have their own variances. Numbers do not count as factors. The rule is implemented
//! only here: [`Kernel::bind`] applies it; a pass that rewrites a kernel first [`mark`]s held variances and finally, in
//! [`unmark`], writes out those whose new position would change them.

use std::sync::LazyLock;

use super::families::CONST;
use super::family::{ParamSpec, Role, Spec};
use super::tree::{Kernel, Leaf, Node, Wrapped};
use super::values::Values;
use crate::param::{Param, Tie};

impl Kernel {
    /// For each child, whether unset variances in it are held, given the same for this kernel.
    pub(super) fn children_at_unit_variance(&self, unit_variance: bool) -> Vec<bool> {
        match self.node() {
            Node::Leaf(_) => Vec::new(),
            Node::Sum(terms) => vec![false; terms.len()],
            Node::Product(factors) => {
                let beside_sum = factors.iter().any(Kernel::is_sum_like);
                let mut first = true;
                let held_factor = |factor: &Kernel| {
                    let later = !first;
                    first &= factor.factors().into_iter().all(|f| f.as_number().is_some() || is_one(f));
                    !factor.is_sum_like() && (unit_variance || beside_sum || later)
                };
                factors.iter().map(held_factor).collect()
            }
            Node::Wrap(wrapped) => vec![wrapped.wrap.unit_variance_inside(unit_variance); wrapped.children.len()],
        }
    }

    /// Whether it acts as a sum: its parts have their own variances, so that another factor of the product needs none.
    pub(crate) fn is_sum_like(&self) -> bool {
        match self.node() {
            Node::Leaf(_) => false,
            Node::Sum(_) => true,
            Node::Product(children) => children.iter().any(Kernel::is_sum_like),
            Node::Wrap(wrapped) => wrapped.wrap.is_sum(wrapped),
        }
    }

    /// The tree with the parameters of every node replaced by the result of `f`, depth first, those of a wrap after
    /// those of its children.
    pub(crate) fn rewrite_params(&self, f: &mut dyn FnMut(At, &Values) -> Values) -> Kernel {
        self.rewrite_below(false, f)
    }

    fn rewrite_below(&self, unit_variance: bool, f: &mut dyn FnMut(At, &Values) -> Values) -> Kernel {
        let children: Vec<Kernel> = self
            .children()
            .iter()
            .zip(self.children_at_unit_variance(unit_variance))
            .map(|(child, unit_variance)| child.rewrite_below(unit_variance, f))
            .collect();
        let mut own = |family: &'static Spec, ard: bool, params: &[Values]| -> Vec<Values> {
            family
                .params
                .iter()
                .zip(params)
                .map(|(spec, values)| f(At { family, spec, ard, unit_variance }, values))
                .collect()
        };
        self.with_node(match self.node() {
            Node::Leaf(leaf) => {
                let params = own(leaf.family.spec(), leaf.ard, &leaf.params);
                Node::Leaf(Leaf { params, ..leaf.clone() })
            }
            Node::Sum(_) => Node::Sum(children),
            Node::Product(_) => Node::Product(children),
            Node::Wrap(wrapped) => {
                let params = own(wrapped.wrap.spec(), false, &wrapped.params);
                Node::Wrap(Wrapped { params, children, ..wrapped.clone() })
            }
        })
    }
}

/// The position of a parameter.
#[derive(Clone, Copy)]
pub(crate) struct At {
    pub family: &'static Spec,
    pub spec: &'static ParamSpec,
    pub ard: bool,
    /// Whether it is held at 1 if it is an unset variance.
    pub unit_variance: bool,
}

impl ParamSpec {
    /// Whether it is a variance of which a product needs only one.
    pub(crate) fn is_variance(&self) -> bool {
        self.role.is_scale() && self.role != Role::OrderVariance
    }
}

/// The mark of an unset variance that is held, wherever it is moved.
static UNIT_VARIANCE: LazyLock<Tie> = LazyLock::new(|| Tie::new("held"));

/// A variance with the mark.
pub(super) fn unit_variance() -> Param {
    Param { tie: Some(UNIT_VARIANCE.clone()), ..Param::default() }
}

/// Whether a variance has the mark.
pub(super) fn is_unit_variance(param: &Param) -> bool {
    param.tie.as_ref() == Some(&*UNIT_VARIANCE)
}

/// Whether it is a constant with the mark: the number 1, if its position requires it to be written.
pub(super) fn is_one(kernel: &Kernel) -> bool {
    match kernel.node() {
        Node::Leaf(leaf) if std::ptr::eq(leaf.family.spec(), CONST.spec()) => {
            leaf.params.iter().all(|values| values.as_slice().iter().all(is_unit_variance))
        }
        _ => false,
    }
}

/// Marks every unset variance that is held. An unset variance without a mark is free.
pub(super) fn mark(kernel: &Kernel) -> Kernel {
    kernel.rewrite_params(&mut |at, values| match values {
        _ if !at.unit_variance || !at.spec.is_variance() => values.clone(),
        _ if values.is_unset() => Values::One(unit_variance()),
        _ => values.map(|param| if param.is_unset() { unit_variance() } else { param.clone() }),
    })
}

/// Removes the marks. A variance is written out if its new position would change whether it is held.
pub(super) fn unmark(kernel: &Kernel) -> Kernel {
    kernel.rewrite_params(&mut |at, values| match values {
        _ if !at.spec.is_variance() => values.clone(),
        Values::One(param) if is_unit_variance(param) && at.unit_variance => at.spec.unset(at.ard),
        _ if values.is_unset() && at.unit_variance => Values::One(Param::free(1.0)),
        _ => values.map(|param| match (is_unit_variance(param), at.unit_variance) {
            (true, true) => Param::default(),
            (true, false) => Param::fixed(1.0),
            (false, true) if param.is_unset() => Param::free(1.0),
            (false, _) => param.clone(),
        }),
    })
}
