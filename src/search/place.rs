//! One variance a product: after an edit, the variances are put where a fit expects them, without changing any value.
//!
//! A product has one variance; the language holds those of all factors but the first, and of plain factors beside a sum.
//! An edit moves factors about, so that written variances come to stand in places where they say nothing.

use crate::kernel::{Kernel, Leaf, Node, Origin, Role, Values, Wrapped};
use crate::param::{Param, State};

/// Marks nodes that an edit has made.
pub const NEW: Origin = Origin(u32::MAX);
/// Marks the nodes of a kernel that an edit has multiplied.
pub const MULTIPLIED: Origin = Origin(u32::MAX - 1);

/// The kernel with a mark on all its nodes that have parameters.
pub fn marked(kernel: &Kernel, mark: Origin) -> Kernel {
    let children = || kernel.children().iter().map(|child| marked(child, mark));
    match kernel.node() {
        Node::Leaf(_) => kernel.clone().with_origin(Some(mark)),
        Node::Sum(_) => kernel.with_node(Node::Sum(children().collect())),
        Node::Product(_) => kernel.with_node(Node::Product(children().collect())),
        Node::Wrap(wrapped) => {
            let wrapped = Wrapped { children: children().collect(), ..wrapped.clone() };
            kernel.with_node(Node::Wrap(wrapped)).with_origin(Some(mark))
        }
    }
}

/// The kernel with variances that are held written out as what they are, 1.
pub fn written(kernel: &Kernel) -> Kernel {
    kernel.rewrite_params(&mut |at, values| match values {
        Values::One(param) if at.spec.is_variance() && param.is_unset() => Values::One(Param::free(1.0)),
        _ => values.clone(),
    })
}

/// The same kernel with one variance a product: in the terms of a sum among its factors, else in the first of them.
pub fn placed(kernel: &Kernel) -> Kernel {
    scaled(kernel, 1.0)
}

/// `by` times the kernel. Variances that are unset stay so: those are of new parts, whose size is yet to be found.
fn scaled(kernel: &Kernel, by: f64) -> Kernel {
    match kernel.node() {
        Node::Leaf(leaf) if kernel.origin() == Some(NEW) && is_unset(leaf) => kernel.clone(),
        Node::Leaf(leaf) => kernel.with_node(Node::Leaf(scaled_leaf(leaf, by))),
        Node::Sum(terms) => kernel.with_node(Node::Sum(terms.iter().map(|term| scaled(term, by)).collect())),
        Node::Product(factors) => {
            let mut by = by;
            let mut factors: Vec<Kernel> = factors.iter().map(|factor| bared(factor, &mut by)).collect();
            let carrier = factors.iter().position(Kernel::is_sum_like).unwrap_or(0);
            for (at, factor) in factors.iter_mut().enumerate() {
                if at == carrier {
                    *factor = scaled(factor, by);
                } else if factor.is_sum_like() {
                    *factor = scaled(factor, 1.0);
                }
            }
            kernel.with_node(Node::Product(factors))
        }
        Node::Wrap(wrapped) if wrapped.wrap.is_linear() => {
            let children = wrapped.children.iter().map(|child| scaled(child, by)).collect();
            kernel.with_node(Node::Wrap(Wrapped { children, ..wrapped.clone() }))
        }
        Node::Wrap(_) => kernel.clone(),
    }
}

/// A plain factor without its written variance, by which `by` grows.
fn bared(factor: &Kernel, by: &mut f64) -> Kernel {
    let Node::Leaf(leaf) = factor.node() else { return factor.clone() };
    let Some((at, v)) = variance(leaf).and_then(|at| Some((at, plain_value(&leaf.params[at])?))) else {
        return factor.clone();
    };
    *by *= v;
    let mut leaf = scaled_leaf(leaf, 1.0 / v);
    leaf.params[at] = Values::One(Param::default());
    factor.with_node(Node::Leaf(leaf))
}

fn scaled_leaf(leaf: &Leaf, by: f64) -> Leaf {
    let mut leaf = leaf.clone();
    let Some(at) = variance(&leaf).filter(|_| by != 1.0) else { return leaf };
    let spec = leaf.family.spec();
    // the offset of a line goes along with its slope
    let along = spec.params[at].role == Role::SlopeVariance;
    let unset = is_unset(&leaf);
    for (i, values) in leaf.params.iter_mut().enumerate() {
        if i == at && unset {
            // without its variance a factor counts as 1 times itself; in front it is written
            *values = Values::One(Param::free(by));
        } else if i == at || (along && spec.params[i].role == Role::Bias) {
            *values = values.map(|param| match plain(param).then_some(param.state) {
                Some(State::Free(v)) => Param::free(v * by),
                _ => param.clone(),
            });
        }
    }
    leaf
}

fn is_unset(leaf: &Leaf) -> bool {
    variance(leaf).is_some_and(|at| leaf.params[at].is_unset())
}

/// Which parameter of a leaf is its variance, where it has one number for it.
fn variance(leaf: &Leaf) -> Option<usize> {
    let params = leaf.family.spec().params.iter().zip(&leaf.params);
    params
        .enumerate()
        .find(|(_, (spec, values))| spec.is_variance() && matches!(values, Values::One(_)))
        .map(|(at, _)| at)
}

fn plain(param: &Param) -> bool {
    param.prior.is_none() && param.tie.is_none()
}

fn plain_value(values: &Values) -> Option<f64> {
    match values {
        Values::One(param) if plain(param) => match param.state {
            State::Free(v) if v > 0.0 && v.is_finite() => Some(v),
            _ => None,
        },
        _ => None,
    }
}
