//! Wraps as sums, products and other kernels, where an identity allows it.
//!
//! Each wrap declares its identities in `Wrap::listed`, `Wrap::written_out` and `Wrap::reduced`; here they are
//! applied to a whole tree. Sources: Duvenaud, "Additive Gaussian Processes" (1.14, 1.21), "Expressing Structure with
//! Kernels" (1.22), and the chapter on deep Gaussian processes (1.19).

use super::equality::same;
use super::families::{self, CONST};
use super::tree::{Kernel, Leaf, Node, Wrapped};
use super::unit_variance::unit_variance;
use super::values::Values;
use crate::param::Param;

impl Kernel {
    /// The tree with one kernel for each input where one stands for several inputs that are named, and one parameter for
    /// each input or order where their number is known. Its values and free parameters are the same.
    pub(super) fn listed(&self) -> Kernel {
        let inside = |child: &Kernel| if is_written_out_inside(self) { child.listed() } else { child.clone() };
        let children: Vec<Kernel> = self.children().iter().map(inside).collect();
        match self.node() {
            Node::Leaf(leaf) => match one_length_per_input(leaf) {
                Some(leaf) => self.with_node(Node::Leaf(leaf)),
                None => self.clone(),
            },
            Node::Sum(_) => self.with_node(Node::Sum(children)),
            Node::Product(_) => self.with_node(Node::Product(children)),
            Node::Wrap(wrapped) => {
                let wrapped = Wrapped { children, ..wrapped.clone() };
                let listed = wrapped.wrap.listed(&wrapped).unwrap_or(wrapped);
                self.with_node(Node::Wrap(listed))
            }
        }
    }

    /// A tree from [`listed`](Self::listed) with every wrap written out that is a sum or a product of other kernels.
    /// Held variances carry their mark. Copies are not tied: the caller ties the parameters before.
    pub(super) fn written_out(&self) -> Kernel {
        self.rewritten(&|kernel| match kernel.node() {
            Node::Leaf(leaf) => product_of_inputs(leaf),
            Node::Wrap(wrapped) => wrapped.wrap.reduced(wrapped, false).or_else(|| wrapped.wrap.written_out(wrapped)),
            Node::Sum(_) | Node::Product(_) => None,
        })
    }

    /// A tree from [`listed`](Self::listed) with every wrap in fewer parts where it can be: nested symmetries as one group,
    /// layers upon layers as so many layers. Held variances carry their mark.
    pub(super) fn reduced(&self) -> Kernel {
        self.rewritten(&|kernel| match kernel.node() {
            Node::Wrap(wrapped) => wrapped.wrap.reduced(wrapped, false),
            Node::Leaf(_) | Node::Sum(_) | Node::Product(_) => None,
        })
    }

    /// The tree with every node replaced, from the leaves up, for which `replace` has another kernel. A label passes to
    /// the replacement, which is replaced in turn.
    fn rewritten(&self, replace: &dyn Fn(&Kernel) -> Option<Kernel>) -> Kernel {
        let children = self.children().iter().map(|child| child.rewritten(replace));
        let named = |kernel: Option<Kernel>| match (kernel, self.label()) {
            (Some(kernel), Some(label)) => kernel.unlabelled().labelled(label.clone()),
            (Some(kernel), None) => kernel,
            (None, _) => self.clone(),
        };
        let inside = match self.node() {
            Node::Leaf(_) => self.clone(),
            Node::Sum(_) => named(Kernel::sum(children)),
            Node::Product(_) => named(Kernel::product(children)),
            Node::Wrap(wrapped) => {
                let children = match is_written_out_inside(self) {
                    true => children.collect(),
                    false => wrapped.children.clone(),
                };
                self.with_node(Node::Wrap(Wrapped { children, ..wrapped.clone() }))
            }
        };
        match replace(&inside) {
            // a replacement that is the same would be replaced for ever
            Some(other) if !same(&other, &inside, 0.0) => named(Some(other.rewritten(replace))),
            _ => inside,
        }
    }
}

/// Whether the kernels in a node may be written out: a function of the user receives the inputs that the kernel mentions,
/// in that order, and a sphere has one distance for two inputs.
fn is_written_out_inside(kernel: &Kernel) -> bool {
    match kernel.node() {
        Node::Wrap(wrapped) => wrapped.wrap.function().is_none() && !wrapped.wrap.joins_inputs(),
        Node::Leaf(_) | Node::Sum(_) | Node::Product(_) => true,
    }
}

/// Whether the family is the squared exponential.
fn is_squared_exponential(leaf: &Leaf) -> bool {
    std::ptr::eq(leaf.family.spec(), families::FAMILIES[0].spec())
}

/// A squared exponential with one length-scale per input, each of them written.
fn one_length_per_input(leaf: &Leaf) -> Option<Leaf> {
    if !leaf.ard || !is_squared_exponential(leaf) {
        return None;
    }
    let (n, mut params) = (leaf.inputs.written().len(), leaf.params.clone());
    let at = leaf.family.spec().params.iter().position(|p| p.short == "l")?;
    let lengths = match &params[at] {
        _ if n == 0 => return None,
        Values::Each(each) if each.is_empty() => vec![Param::default(); n],
        Values::One(param) if param.tie.is_none() => vec![param.clone(); n],
        _ => return None,
    };
    params[at] = Values::Each(lengths);
    Some(Leaf { params, ..leaf.clone() })
}

/// A squared exponential with one length-scale for each of its inputs as a product: the exponents add.
fn product_of_inputs(leaf: &Leaf) -> Option<Kernel> {
    let (spec, inputs) = (leaf.family.spec(), leaf.inputs.written());
    if !leaf.ard || inputs.is_empty() || !is_squared_exponential(leaf) {
        return None;
    }
    let l = spec.params.iter().position(|p| p.short == "l")?;
    let v = spec.params.iter().position(super::family::ParamSpec::is_variance)?;
    let Values::Each(lengths) = &leaf.params[l] else { return None };
    if lengths.len() != inputs.len() {
        return None;
    }
    // whatever the order in which the inputs are written, the same factor has the variance
    let name = |i: usize| format!("{:?}", inputs[i]);
    let bearer = (0..inputs.len()).min_by_key(|i| name(*i))?;
    let factors = inputs.iter().zip(lengths).enumerate().map(|(i, (input, length))| {
        let mut params = leaf.params.clone();
        params[l] = Values::One(length.clone());
        if i != bearer {
            params[v] = Values::One(unit_variance());
        }
        let inputs = super::inputs::Inputs::These(vec![input.clone()]);
        Kernel::from(Node::Leaf(Leaf { inputs, ard: false, params, ..leaf.clone() }))
    });
    Kernel::product(factors)
}

/// A constant kernel with this parameter as variance.
pub(super) fn constant(variance: Param) -> Kernel {
    let (family, params) = (CONST, vec![Values::One(variance)]);
    Node::Leaf(Leaf { family, inputs: super::inputs::Inputs::All, ard: false, params }).into()
}
