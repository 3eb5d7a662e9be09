//! A kernel as a tree: families at the leaves, sums, products, and wraps around kernels.
//!
//! The trait of wraps is also here, because a node of the tree holds a wrap, and a wrap's methods take nodes.

use std::borrow::Cow;
use std::fmt::Debug;
use std::sync::Arc;

use super::bind_error::{BindError, Origin};
use super::families::CONST;
use super::family::{Family, Spec};
use super::group::Move;
use super::input_view::ViewPair;
use super::inputs::{InputRef, Inputs};
use super::plan::Plan;
use super::row_function::RowFunction;
use super::values::Values;
use crate::param::{Param, State};

/// A kernel: an immutable tree that is cheap to clone.
///
/// Two kernels are equal if they are written alike: values, bounds, priors and ties (but not names of ties) count;
/// labels, origins and brackets do not.
#[derive(Debug, Clone)]
pub struct Kernel {
    node: Arc<Node>,
    label: Option<Arc<str>>,
    origin: Option<Origin>,
    /// The depth of nesting.
    depth: u32,
    /// The number of nodes of the tree; a shared node counts at every occurrence.
    size: u32,
}

/// The largest number of nodes of a kernel. A larger one would take gigabytes and minutes to print or to bind.
pub const LARGEST_KERNEL: usize = 200_000;

/// The shapes of a kernel.
#[derive(Debug, Clone, PartialEq)]
pub enum Node {
    Leaf(Leaf),
    /// At least two terms, none of them a sum without a label.
    Sum(Vec<Kernel>),
    /// At least two factors, none of them a product without a label.
    Product(Vec<Kernel>),
    Wrap(Wrapped),
}

/// One family on some of the inputs.
#[derive(Debug, Clone)]
pub struct Leaf {
    pub family: &'static dyn Family,
    pub inputs: Inputs,
    /// One length-scale (or slope variance) per input.
    pub ard: bool,
    /// In the order of the family's [`Spec`].
    pub params: Vec<Values>,
}

/// A construction from kernels, with its own inputs and parameters.
#[derive(Debug, Clone)]
pub struct Wrapped {
    pub wrap: Arc<dyn Wrap>,
    pub children: Vec<Kernel>,
    /// The inputs on which the wrap itself depends: the input of a changepoint.
    pub inputs: Inputs,
    /// In the order of the wrap's [`Spec`].
    pub params: Vec<Values>,
}

impl Node {
    /// One more than the greatest depth of the children.
    fn depth(&self) -> u32 {
        let children = match self {
            Node::Leaf(_) => &[][..],
            Node::Sum(children) | Node::Product(children) => children,
            Node::Wrap(wrapped) => &wrapped.children,
        };
        1 + children.iter().map(|child| child.depth).max().unwrap_or(0)
    }

    /// One more than the number of nodes of all children.
    fn size(&self) -> u32 {
        let children = match self {
            Node::Leaf(_) => &[][..],
            Node::Sum(children) | Node::Product(children) => children,
            Node::Wrap(wrapped) => &wrapped.children,
        };
        children.iter().fold(1, |size: u32, child| size.saturating_add(child.size))
    }
}

impl From<Node> for Kernel {
    fn from(node: Node) -> Self {
        Self { depth: node.depth(), size: node.size(), node: Arc::new(node), label: None, origin: None }
    }
}

impl Kernel {
    /// A family on all inputs, with all parameters unset.
    pub fn family(family: &'static dyn Family) -> Self {
        Self::leaf(family, Inputs::All)
    }

    /// A family on some inputs, with all parameters unset.
    pub fn leaf(family: &'static dyn Family, inputs: Inputs) -> Self {
        let params = family.spec().params.iter().map(|p| p.unset(false)).collect();
        Node::Leaf(Leaf { family, inputs, ard: false, params }).into()
    }

    /// A number in kernel algebra: a constant kernel whose variance is fixed.
    pub fn number(value: f64) -> Self {
        let family = CONST;
        let params = vec![Values::One(Param::fixed(value))];
        Node::Leaf(Leaf { family, inputs: Inputs::All, ard: false, params }).into()
    }

    /// The sum, with unlabelled sums among the terms flattened. `None` without terms.
    pub fn sum(terms: impl IntoIterator<Item = Kernel>) -> Option<Self> {
        let mut flat = Vec::new();
        for term in terms {
            match &*term.node {
                Node::Sum(inner) if term.label.is_none() => flat.extend(inner.iter().cloned()),
                _ => flat.push(term),
            }
        }
        if flat.len() < 2 { flat.pop() } else { Some(Node::Sum(flat).into()) }
    }

    /// The product, with unlabelled products among the factors flattened. `None` without factors.
    pub fn product(factors: impl IntoIterator<Item = Kernel>) -> Option<Self> {
        let mut flat = Vec::new();
        for factor in factors {
            match &*factor.node {
                Node::Product(inner) if factor.label.is_none() => flat.extend(inner.iter().cloned()),
                _ => flat.push(factor),
            }
        }
        if flat.len() < 2 { flat.pop() } else { Some(Node::Product(flat).into()) }
    }

    /// A wrap around kernels.
    pub fn wrap(wrap: Arc<dyn Wrap>, children: Vec<Kernel>, inputs: Inputs, params: Vec<Values>) -> Self {
        Node::Wrap(Wrapped { wrap, children, inputs, params }).into()
    }

    /// The depth of nesting. Walks over the tree recurse to this depth.
    pub fn depth(&self) -> usize {
        self.depth as usize
    }

    /// The number of nodes of the tree; a shared node counts at every occurrence. See [`LARGEST_KERNEL`].
    pub fn size(&self) -> usize {
        self.size as usize
    }

    /// Whether two kernels share one node in memory.
    pub(super) fn is_same_node(&self, other: &Kernel) -> bool {
        Arc::ptr_eq(&self.node, &other.node)
    }

    /// Its node.
    pub fn node(&self) -> &Node {
        &self.node
    }

    /// The label that the user gave it.
    pub fn label(&self) -> Option<&Arc<str>> {
        self.label.as_ref()
    }

    /// The same kernel with a label; an existing label is kept.
    pub fn labelled(mut self, name: impl Into<Arc<str>>) -> Self {
        self.label.get_or_insert_with(|| name.into());
        self
    }

    /// The same kernel without its label. Labels of its parts are kept.
    pub fn unlabelled(mut self) -> Self {
        self.label = None;
        self
    }

    /// The identifier that its builder attached.
    pub fn origin(&self) -> Option<Origin> {
        self.origin
    }

    /// The same kernel with an identifier for errors.
    pub fn with_origin(mut self, origin: Option<Origin>) -> Self {
        self.origin = origin;
        self
    }

    /// Another node with the label and origin of this kernel, for passes that rewrite a tree.
    pub fn with_node(&self, node: Node) -> Self {
        Self { depth: node.depth(), size: node.size(), node: Arc::new(node), ..self.clone() }
    }

    /// The value, if this is a constant kernel with fixed variance.
    pub fn as_number(&self) -> Option<f64> {
        match &*self.node {
            Node::Leaf(leaf) if std::ptr::eq(leaf.family.spec(), CONST.spec()) => match &leaf.params[..] {
                [Values::One(Param { state: State::Fixed(v), prior: None, tie: None, time: None })] => Some(*v),
                _ => None,
            },
            _ => None,
        }
    }

    /// The kernels of this node.
    pub fn children(&self) -> &[Kernel] {
        match &*self.node {
            Node::Leaf(_) => &[],
            Node::Sum(children) | Node::Product(children) => children,
            Node::Wrap(wrapped) => &wrapped.children,
        }
    }
}

/// A construction from kernels: a changepoint, a warped input, a power.
pub trait Wrap: Debug + Send + Sync {
    fn spec(&self) -> &'static Spec;

    /// The phrase that describes it, a template of [`Wording`](super::Wording): by default that of its spec. A wrap
    /// with options (moves, a depth) writes these into it.
    fn phrase(&self) -> Cow<'static, str> {
        self.spec().wording.noun.into()
    }

    /// Whether two wraps are equal apart from children, inputs and parameters.
    fn same(&self, other: &dyn Wrap) -> bool {
        std::ptr::eq(self.spec(), other.spec())
            && self.exponent() == other.exponent()
            && self.function().map(RowFunction::source) == other.function().map(RowFunction::source)
            && self.options() == other.options()
    }

    /// Whether it depends on inputs directly, and not only through its children.
    fn reads_inputs(&self) -> bool {
        self.spec().reads_inputs
    }

    /// The exponent, if this is the power `k^n`.
    fn exponent(&self) -> Option<u32> {
        None
    }

    /// Its user's function, which is printed after the children.
    fn function(&self) -> Option<&dyn RowFunction> {
        None
    }

    /// Its options other than kernels, inputs and parameters, in a canonical form.
    fn options(&self) -> String {
        String::new()
    }

    /// An argument before the kernels, in source form: the number of layers of a deep kernel.
    fn leading(&self) -> Option<String> {
        None
    }

    /// Further arguments in source form, printed last.
    fn extras(&self, _inputs: &[InputRef]) -> Vec<String> {
        Vec::new()
    }

    /// How its own inputs are written.
    fn inputs_shown(&self) -> InputsShown {
        InputsShown::Place
    }

    /// Whether the kernels in it are written as a list.
    fn lists_children(&self) -> bool {
        false
    }

    /// Whether the kernel is stationary, given that of its children.
    fn stationary(&self, children: &[bool]) -> bool {
        self.spec().stationary && children.iter().all(|&c| c)
    }

    /// The number of mean-square derivatives of its draws, given the least number of its children (see
    /// [`Spec::derivatives`]). `None` if it depends on a user's function or a fold.
    fn derivatives(&self, inside: f64) -> Option<f64> {
        self.function().is_none().then_some(inside)
    }

    /// Whether this child is the default, which is not printed.
    fn hides_child(&self, _child: &Kernel) -> bool {
        false
    }

    /// Whether its child abbreviates one kernel per input.
    fn is_one_kernel_per_input(&self) -> bool {
        false
    }

    /// The number of orders of an additive kernel whose kernels are listed one by one, each with its own variance.
    fn additive_orders(&self, _wrapped: &Wrapped) -> Option<usize> {
        None
    }

    /// The variance of the constant part and of each order, from the first, of a sum over sets of the listed kernels.
    /// `None` if a variance has no value.
    fn order_weights(&self, _wrapped: &Wrapped) -> Option<(f64, Vec<f64>)> {
        None
    }

    /// Whether every positive power of it is a kernel (see [`Spec::infinitely_divisible`]), given the same for its
    /// children.
    fn infinitely_divisible(&self, children: &[bool]) -> bool {
        self.spec().infinitely_divisible && children.iter().all(|&c| c)
    }

    /// Whether it is linear in its children: a constant factor of all of them is a factor of it.
    fn is_linear(&self) -> bool {
        false
    }

    /// If it is the sum of its child over all pairs of moves of a group, Σ_g Σ_h k(gx, hx′): the moves that generate the
    /// group, and whether the sum is divided by its number of terms.
    fn sum_over_group(&self) -> Option<(&[Move], bool)> {
        None
    }

    /// Whether it maps several inputs together to a point, so that its child does not see them one by one.
    fn joins_inputs(&self) -> bool {
        false
    }

    /// Whether it depends on inputs only through its children, so that a move that leaves these unchanged leaves it
    /// unchanged.
    fn reads_inputs_through_children(&self) -> bool {
        false
    }

    /// Whether the two arguments of its children are moved differently, so that the diagonal is not at distance 0.
    fn moves_arguments_separately(&self) -> bool {
        false
    }

    /// Whether unset variances inside it are held at 1, given whether those of the wrap itself are.
    fn unit_variance_inside(&self, unit_variance: bool) -> bool {
        unit_variance
    }

    /// Whether its parts have their own variances, like the terms of a sum. By default true with several children.
    fn is_sum(&self, wrapped: &Wrapped) -> bool {
        wrapped.children.len() > 1 || wrapped.children.iter().any(Kernel::is_sum_like)
    }

    /// If its child abbreviates one kernel per input: the same wrap with these kernels written out, which replaces it
    /// before it is bound to data. `inputs` are the names of all columns.
    ///
    /// # Errors
    /// [`BindError`]: a part that does not fit the data set.
    fn spread(&self, _node: &Kernel, _wrapped: &Wrapped, _inputs: &[&str]) -> Result<Option<Wrapped>, BindError> {
        Ok(None)
    }

    /// The same wrap with one kernel for each input that it names, and one parameter for each order, if these are
    /// abbreviated.
    fn listed(&self, _wrapped: &Wrapped) -> Option<Wrapped> {
        None
    }

    /// The same kernel as a sum of products of others, with copies of its children and parameters. Held variances carry
    /// their mark.
    fn written_out(&self, _wrapped: &Wrapped) -> Option<Kernel> {
        None
    }

    /// The number of terms of [`written_out`](Self::written_out) when its children are written out as well, of which this
    /// is the number of terms.
    fn term_count(&self, _wrapped: &Wrapped, _inside: &[f64]) -> Option<f64> {
        None
    }

    /// The same kernel in fewer parts, with no copies. If `strict`, the result spans the same kernels as the parameters
    /// vary; otherwise only its value is the same. Held variances carry their mark.
    fn reduced(&self, _wrapped: &Wrapped, _strict: bool) -> Option<Kernel> {
        None
    }

    /// Its formula in LaTeX as a sum, in terms of those of its children; `None` if that is too long or not known.
    fn latex_sum(&self, _wrapped: &Wrapped, _children: &[String]) -> Option<String> {
        None
    }

    /// The number of layers, if this is a deep kernel without connections to the inputs.
    fn layers(&self) -> Option<u32> {
        None
    }

    /// The moves under which it is invariant, and how it is made invariant.
    fn symmetry(&self) -> Option<(&[Move], String)> {
        None
    }

    /// Plans its evaluation through a pair of views, and returns the register of its values.
    ///
    /// # Errors
    /// [`BindError`]: a part that does not fit the data set.
    fn plan(&self, plan: &mut Plan<'_>, node: &Kernel, wrapped: &Wrapped, views: ViewPair) -> Result<usize, BindError>;
}

/// How a wrap's own inputs are written in source form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InputsShown {
    /// After the kernels, as a positional argument.
    Place,
    /// The same, with each input as an argument.
    Each,
    /// As a keyword argument.
    Keyword(&'static str),
    /// Among the further arguments.
    Extras,
}
