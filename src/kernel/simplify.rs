//! Simplification of kernels to an equivalent form with the fewest parts.
//!
//! The identities are those of Duvenaud, "Expressing Structure with Kernels" and the structure-search chapter: a
//! product has one variance, numbers multiply and add, a product of squared exponentials (or of other kernels whose
//! exponents add) is one, a sum of lines is one line. The parts are then sorted.
//!
//! Parameters that are fixed, bounded, tied, labelled or have a prior are never merged. A held variance carries a
//! [mark](super::unit_variance) throughout.

mod factors;
mod merge;
mod mode;
mod summands;
mod unit;

use std::collections::HashMap;

use mode::Mode;

use super::equality::near;
use super::expand::{ExpandError, distribute, is_blind_warp, raise, refuse_if_long_written_out, seen};
use super::families::{CONST, FAMILIES};
use super::family::{Domains, Role, Size};
use super::inputs::{InputRef, Inputs};
use super::terms::as_power;
use super::tree::{Kernel, Leaf, Node, Wrapped};
use super::unit_variance::{is_one, mark, unit_variance, unmark};
use super::values::Values;
use super::written_out::constant;
use crate::param::{Param, Tie};

impl Kernel {
    /// An equivalent kernel with fewer parts, sorted. Its values, with defaults for unset parameters, do not change;
    /// where parts with equal values are merged, the result has their value.
    pub fn simplify(&self) -> Kernel {
        settle(self, Mode::Values)
    }

    /// The smallest form of the family of kernels that this kernel spans as its free parameters vary: free parameters
    /// are unset, and redundant parts are merged. Two expressions of a search are the same if these forms are equal.
    /// Unlike [`simplify`](Self::simplify) it does not merge parts that only have equal starting values, such as the
    /// two length-scales of `SE + SE`.
    pub fn simplify_structure(&self) -> Kernel {
        settle(self, Mode::Structure)
    }

    /// The same kernel without labels and origins.
    pub fn bare(&self) -> Kernel {
        bare(self)
    }

    /// Whether two kernels are the same after [`expand`](Self::expand) and [`simplify`](Self::simplify), with values
    /// equal to 1e-12 and without regard to labels and ties. An unset parameter equals only an unset one, except that a
    /// variance or an offset may be written as its default.
    ///
    /// # Errors
    /// [`ExpandError::TooManyTerms`].
    pub fn equal(&self, other: &Kernel) -> Result<bool, ExpandError> {
        let same = |one: &Kernel, other: &Kernel| Ok(near(&canonical(one)?, &canonical(other)?, 1e-12));
        // without ties, as `expand` ties the copies that it makes and `simplify` does not merge what is tied; and with those
        // of `expand`, as either may already be expanded
        Ok(self == other
            || same(&untied(self), &untied(other))?
            || same(self, other)?
            || same(&self.expand_all()?, &other.expand_all()?)?)
    }
}

/// The kernel with the value of every tie in each of its places, and without the tie.
fn untied(kernel: &Kernel) -> Kernel {
    let mut states: HashMap<Tie, Param> = HashMap::new();
    kernel.rewrite_params(&mut |_, values| {
        for param in values.as_slice() {
            let plain = Param { tie: None, ..param.clone() };
            if let (Some(tie), false) = (&param.tie, plain.is_unset()) {
                states.entry(tie.clone()).or_insert(plain);
            }
        }
        values.clone()
    });
    kernel.rewrite_params(&mut |at, values| match values {
        Values::One(param) if param.tie.as_ref().is_some_and(|tie| !states.contains_key(tie)) => at.spec.unset(at.ard),
        _ => values.map(|param| match &param.tie {
            Some(tie) => states.get(tie).cloned().unwrap_or_default(),
            None => param.clone(),
        }),
    })
}

/// The canonical form: equal for equal kernels. Held variances carry their mark.
fn canonical(kernel: &Kernel) -> Result<Kernel, ExpandError> {
    let listed = bare(kernel).listed();
    refuse_if_long_written_out(&listed)?;
    // a held variance that has moved to the front is written out
    let as_held = mark(&listed).rewrite_params(&mut |at, values| match values {
        Values::One(param)
            if at.spec.is_variance() && *param == Param::fixed(1.0) && !std::ptr::eq(at.family, CONST.spec()) =>
        {
            Values::One(unit_variance())
        }
        _ => values.clone(),
    });
    let simple =
        |kernel: Kernel| until_settled(kernel, |k| without_defaults(&Mode::Compare.kernel(&without_defaults(k))));
    Ok(simple(distribute(&without_offsets(&simple(as_held.written_out()), false))?))
}

/// The kernel with each line inside a product or a power as one without offset and a constant: `Lin * SE + 2 * SE` and
/// `Lin(b=3) * SE` then have the same terms.
fn without_offsets(kernel: &Kernel, inside: bool) -> Kernel {
    let children = |inside: bool| kernel.children().iter().map(move |child| without_offsets(child, inside));
    match kernel.node() {
        Node::Leaf(leaf) if inside => split_offset(leaf).unwrap_or_else(|| kernel.clone()),
        Node::Leaf(_) => kernel.clone(),
        Node::Sum(_) => Kernel::sum(children(inside)).unwrap_or_else(|| kernel.clone()),
        Node::Product(_) => Kernel::product(children(true)).unwrap_or_else(|| kernel.clone()),
        Node::Wrap(wrapped) if wrapped.wrap.exponent().is_some() => {
            kernel.with_node(Node::Wrap(Wrapped { children: children(true).collect(), ..wrapped.clone() }))
        }
        Node::Wrap(_) => kernel.clone(),
    }
}

/// A linear kernel as the sum of one without offset and a constant, if its offset may be merged.
fn split_offset(leaf: &Leaf) -> Option<Kernel> {
    let spec = leaf.family.spec();
    let at = spec.params.iter().position(|param| param.role == Role::Bias).filter(|_| spec.name == "Lin")?;
    let Values::One(offset) = &leaf.params[at] else { return None };
    let value = offset.value().unwrap_or(spec.params[at].default);
    if !unit::is_plain(offset) || value == 0.0 {
        return None;
    }
    let mut params = leaf.params.clone();
    params[at] = Values::One(Param::free(0.0));
    let line = Node::Leaf(Leaf { params, ..leaf.clone() }).into();
    Kernel::sum([line, constant(Param::free(value))])
}

/// The kernel with variances and offsets unset where they equal their default, as after numbers have cancelled.
fn without_defaults(kernel: &Kernel) -> Kernel {
    kernel.rewrite_params(&mut |at, values| match values {
        Values::One(param)
            if (at.spec.is_variance() || at.spec.role == Role::Bias)
                && unit::is_plain(param)
                && param.value().is_some_and(|v| (v - at.spec.default).abs() <= Mode::Compare.tolerance()) =>
        {
            at.spec.unset(at.ard)
        }
        _ => values.clone(),
    })
}

/// The kernel without labels and origins.
fn bare(kernel: &Kernel) -> Kernel {
    let children = || kernel.children().iter().map(bare);
    match kernel.node() {
        Node::Leaf(leaf) => Node::Leaf(leaf.clone()).into(),
        Node::Sum(_) => Kernel::sum(children()).unwrap_or_else(|| kernel.clone()),
        Node::Product(_) => Kernel::product(children()).unwrap_or_else(|| kernel.clone()),
        Node::Wrap(wrapped) => Node::Wrap(Wrapped { children: children().collect(), ..wrapped.clone() }).into(),
    }
}

fn settle(kernel: &Kernel, mode: Mode) -> Kernel {
    until_settled(kernel.clone(), |kernel| {
        let marked = mark(kernel);
        let marked = if mode == Mode::Structure { without_values(&marked) } else { marked };
        unmark(&mode.kernel(&marked))
    })
}

/// The kernel with every parameter unset that can be merged, times too: they have no value whose unit could matter.
fn without_values(kernel: &Kernel) -> Kernel {
    let plain = |param: &Param| unit::is_plain(&Param { time: None, ..param.clone() });
    kernel.rewrite_params(&mut |at, values| match values {
        _ if at.spec.domain != Domains::Count && values.as_slice().iter().all(plain) => at.spec.unset(at.ard),
        _ => values.clone(),
    })
}

/// Repeats a pass until nothing changes, because one merge may allow another.
fn until_settled(mut kernel: Kernel, pass: impl Fn(&Kernel) -> Kernel) -> Kernel {
    for _ in 0..8 {
        let next = pass(&kernel);
        if next == kernel {
            break;
        }
        kernel = next;
    }
    kernel
}

fn has_noise(kernel: &Kernel) -> bool {
    matches!(kernel.node(), Node::Leaf(leaf) if leaf.family.spec().name == "WN")
        || kernel.children().iter().any(has_noise)
}

impl Mode {
    fn kernel(self, kernel: &Kernel) -> Kernel {
        let simple = match kernel.node() {
            Node::Leaf(_) if self == Mode::Compare && is_one(kernel) => Kernel::number(1.0),
            Node::Leaf(leaf) => kernel.with_node(Node::Leaf(tidy(leaf))),
            Node::Sum(terms) => self.sum(terms.iter().map(|t| self.kernel(t))),
            Node::Product(factors) => self.product(factors.iter().map(|f| self.kernel(f))),
            Node::Wrap(wrapped) => self.wrap(kernel, wrapped),
        };
        match kernel.label() {
            Some(name) => simple.labelled(name.clone()),
            None => simple,
        }
    }

    fn wrap(self, kernel: &Kernel, wrapped: &Wrapped) -> Kernel {
        if let Some((base, n)) = as_power(kernel) {
            return match n {
                0 => Kernel::number(1.0),
                _ => self.product([raise(&self.kernel(base), n)]),
            };
        }
        // a user's function receives the inputs that the kernel mentions, in that order
        let keep_inputs = wrapped.wrap.function().is_some();
        let child = |child: &Kernel| {
            // noise absorbs a stationary factor into its variance only if it is on the diagonal
            if wrapped.wrap.moves_arguments_separately() && has_noise(child) {
                return child.clone();
            }
            let mut simple = [self, Mode::Values].into_iter().map(|mode| mode.kernel(child));
            simple.find(|simple| !keep_inputs || seen(simple) == seen(child)).unwrap_or_else(|| child.clone())
        };
        let children: Vec<Kernel> = wrapped.children.iter().map(child).collect();
        if let [child] = &children[..]
            && is_blind_warp(wrapped, child)
        {
            return child.clone();
        }
        let wrapped = Wrapped { children, ..wrapped.clone() };
        match wrapped.wrap.reduced(&wrapped, self == Mode::Structure) {
            Some(other) => self.kernel(&other),
            None => self.product([kernel.with_node(Node::Wrap(wrapped))]),
        }
    }

    /// A text by which parts are sorted; equal for parts that are alike.
    fn key(self, kernel: &Kernel) -> String {
        let mut ties = String::new();
        let plain = kernel.rewrite_params(&mut |_, values| {
            values.map(|param| {
                if let Some(tie) = &param.tie {
                    ties.push_str(&format!(" {}", tie.id()));
                }
                Param { tie: None, state: self.rounded(param.state), prior: param.prior, time: param.time }
            })
        });
        let mut key = String::new();
        write_key(&plain, &mut key);
        // parts that differ only in their ties are still ordered
        key + &ties
    }
}

/// Sorts families in the order of their list, then sums, then wraps.
fn write_key(kernel: &Kernel, key: &mut String) {
    match kernel.node() {
        Node::Leaf(leaf) => {
            let at = FAMILIES.iter().position(|f| f.spec().name == leaf.family.spec().name).unwrap_or(FAMILIES.len());
            key.push_str(&format!("{at:03}{kernel};"));
        }
        Node::Product(factors) => factors.iter().for_each(|f| write_key(f, key)),
        Node::Sum(terms) => {
            key.push_str("800(");
            terms.iter().for_each(|t| write_key(t, key));
            key.push(')');
        }
        Node::Wrap(_) => match as_power(kernel) {
            Some((base, n)) => {
                write_key(base, key);
                key.push_str(&format!("^{n}"));
            }
            None => key.push_str(&format!("900{kernel};")),
        },
    }
}

/// A leaf in normal form: inputs sorted where their order does not matter, and none where none are read.
fn tidy(leaf: &Leaf) -> Leaf {
    let mut leaf = leaf.clone();
    let spec = leaf.family.spec();
    let each = |size| size == Size::Each || (size == Size::EachIfArd && leaf.ard);
    let by_place = spec
        .params
        .iter()
        .zip(&leaf.params)
        .any(|(p, v)| each(p.size) && matches!(v, Values::Each(e) if !e.is_empty()));
    match &mut leaf.inputs {
        _ if !spec.reads_inputs => leaf.inputs = Inputs::All,
        Inputs::These(these) if !by_place => these.sort_by(|a, b| rank(a).cmp(&rank(b))),
        _ => {}
    }
    leaf
}

fn rank(input: &InputRef) -> (usize, &str) {
    match input {
        InputRef::Index(at) => (*at, ""),
        InputRef::Name(name) => (usize::MAX, name),
    }
}

#[cfg(test)]
mod tests;
