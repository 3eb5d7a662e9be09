//! Kernels as trees: families at the leaves, sums and products, and wraps around kernels.
//!
//! A tree says what was written and no more. [`Kernel::bind`] sets it beside the columns of a data set and gives a
//! [`Bound`] kernel, which knows numbers. There are no spans here, no data sets, and no rounding for display.

mod bind;
mod equality;
mod expand;
pub mod families;
pub mod family;
mod gram;
mod group;
mod input_view;
mod latex;
mod parameter_checks;
mod params;
pub mod phrasing;
mod plan;
pub mod print;
mod program;
mod simplify;
mod terms;
#[cfg(test)]
mod testing;
mod unit_variance;
pub mod wrap;
pub mod wraps;

use std::fmt::Debug;
use std::sync::Arc;

use crate::param::Param;

pub use bind::{BindError, Bound, Cause, Column, Place, Schema, Slot, SlotState};
pub use expand::ExpandError;
pub use family::{Domains, Family, ParamSpec, Role, Size, Spec};
pub use gram::{EvalError, Gram, Points};
pub use group::{LARGEST_GROUP, Move, MoveError, MoveKind, order as group_order};
pub use parameter_checks::ParamError;
pub use params::ParamInfo;
pub use phrasing::{Head, Inside, Voice};
pub use plan::{Looks, Parts, Plan, Seen};
pub use print::{is_reserved, number, quoted};
pub use wrap::{Combine, InputsShown, RowFunction, Wrap};

/// A kernel: an immutable tree that is cheap to clone.
///
/// Equality is that of what is written: values, bounds, priors and ties (whatever their names) count, labels, origins and
/// brackets do not.
#[derive(Debug, Clone)]
pub struct Kernel {
    node: Arc<Node>,
    label: Option<Arc<str>>,
    origin: Option<Origin>,
    /// How many nodes stand in each other.
    depth: u32,
}

/// The closed set of shapes.
#[derive(Debug, Clone, PartialEq)]
pub enum Node {
    Leaf(Leaf),
    /// At least two terms, none of them a sum without a label.
    Sum(Vec<Kernel>),
    /// At least two factors, none of them a product without a label.
    Product(Vec<Kernel>),
    Wrap(Wrapped),
}

/// A mark that whoever built a node leaves on it, to know it again in an error. This room never reads it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Origin(pub u32);

/// One family on some of the inputs.
#[derive(Debug, Clone)]
pub struct Leaf {
    pub family: &'static dyn Family,
    pub inputs: Inputs,
    /// One length-scale (or slope variance) for each input.
    pub ard: bool,
    /// In the order of the family's [`Spec`].
    pub params: Vec<Values>,
}

/// A construction around kernels, with inputs and parameters of its own.
#[derive(Debug, Clone)]
pub struct Wrapped {
    pub wrap: Arc<dyn Wrap>,
    pub children: Vec<Kernel>,
    /// What the wrap itself looks at: the input of a changepoint.
    pub inputs: Inputs,
    /// In the order of the wrap's [`Spec`].
    pub params: Vec<Values>,
}

/// One parameter of a node as it was written: a number, or a number for each input.
#[derive(Debug, Clone, PartialEq)]
pub enum Values {
    One(Param),
    /// One for each input. Empty: nothing was written, and the data will tell how many there are.
    Each(Vec<Param>),
}

impl Values {
    /// All that were written.
    pub fn as_slice(&self) -> &[Param] {
        match self {
            Values::One(param) => std::slice::from_ref(param),
            Values::Each(params) => params,
        }
    }

    /// Nothing was written of it.
    pub fn is_unset(&self) -> bool {
        self.as_slice().iter().all(Param::is_unset)
    }

    /// The same with every parameter replaced.
    pub fn map(&self, mut f: impl FnMut(&Param) -> Param) -> Self {
        match self {
            Values::One(param) => Values::One(f(param)),
            Values::Each(params) => Values::Each(params.iter().map(f).collect()),
        }
    }
}

/// Which inputs a node looks at.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Inputs {
    /// Nothing was written: all of them.
    #[default]
    All,
    These(Vec<InputRef>),
}

impl Inputs {
    /// Those that were written.
    pub fn written(&self) -> &[InputRef] {
        match self {
            Inputs::All => &[],
            Inputs::These(these) => these,
        }
    }
}

/// One input, by its place (from 0) or by the name of its column.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum InputRef {
    Index(usize),
    Name(Arc<str>),
}

impl Node {
    /// One more than the deepest of the kernels directly below.
    fn depth(&self) -> u32 {
        let children = match self {
            Node::Leaf(_) => &[][..],
            Node::Sum(children) | Node::Product(children) => children,
            Node::Wrap(wrapped) => &wrapped.children,
        };
        1 + children.iter().map(|child| child.depth).max().unwrap_or(0)
    }
}

impl From<Node> for Kernel {
    fn from(node: Node) -> Self {
        Self { depth: node.depth(), node: Arc::new(node), label: None, origin: None }
    }
}

impl Kernel {
    /// A family with nothing written: all inputs, all parameters unset.
    pub fn family(family: &'static dyn Family) -> Self {
        Self::leaf(family, Inputs::All)
    }

    /// A family on some inputs, all parameters unset.
    pub fn leaf(family: &'static dyn Family, inputs: Inputs) -> Self {
        let params = family.spec().params.iter().map(|p| p.unset(false)).collect();
        Node::Leaf(Leaf { family, inputs, ard: false, params }).into()
    }

    /// A number in kernel algebra: a constant kernel whose variance is fixed.
    pub fn number(value: f64) -> Self {
        let family = families::CONST;
        let params = vec![Values::One(Param::fixed(value))];
        Node::Leaf(Leaf { family, inputs: Inputs::All, ard: false, params }).into()
    }

    /// The sum, with unlabelled sums among the terms taken apart. `None` for no terms.
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

    /// The product, with unlabelled products among the factors taken apart. `None` for no factors.
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

    /// How many nodes stand in each other. Walks over the tree recurse to this depth.
    pub fn depth(&self) -> usize {
        self.depth as usize
    }

    pub fn node(&self) -> &Node {
        &self.node
    }

    /// The name that a user gave it.
    pub fn label(&self) -> Option<&Arc<str>> {
        self.label.as_ref()
    }

    /// The same kernel under a name; a name that it has already stays ("the innermost wins").
    pub fn labelled(mut self, name: impl Into<Arc<str>>) -> Self {
        self.label.get_or_insert_with(|| name.into());
        self
    }

    /// The same kernel without its own name.
    pub fn unlabelled(mut self) -> Self {
        self.label = None;
        self
    }

    pub fn origin(&self) -> Option<Origin> {
        self.origin
    }

    pub fn with_origin(mut self, origin: Option<Origin>) -> Self {
        self.origin = origin;
        self
    }

    /// The same label and origin on another node: for passes that rewrite a tree.
    pub fn with_node(&self, node: Node) -> Self {
        Self { depth: node.depth(), node: Arc::new(node), ..self.clone() }
    }

    /// The number of a constant kernel whose variance is fixed.
    pub fn as_number(&self) -> Option<f64> {
        match &*self.node {
            Node::Leaf(leaf) if std::ptr::eq(leaf.family.spec(), families::CONST.spec()) => match &leaf.params[..] {
                [Values::One(Param { state: crate::param::State::Fixed(v), prior: None, tie: None })] => Some(*v),
                _ => None,
            },
            _ => None,
        }
    }

    /// The kernels directly below.
    pub fn children(&self) -> &[Kernel] {
        match &*self.node {
            Node::Leaf(_) => &[],
            Node::Sum(children) | Node::Product(children) => children,
            Node::Wrap(wrapped) => &wrapped.children,
        }
    }

    /// The inputs that are mentioned, each once, in order of first mention; and whether some part looks at all inputs.
    /// The kernels in a wrap stand before its own inputs, as in the text.
    pub fn mentioned(&self) -> (Vec<InputRef>, bool) {
        fn walk(kernel: &Kernel, seen: &mut Vec<InputRef>, all: &mut bool) {
            for child in kernel.children() {
                walk(child, seen, all);
            }
            let inputs = match kernel.node() {
                Node::Leaf(leaf) if leaf.family.spec().reads_inputs => Some(&leaf.inputs),
                Node::Wrap(wrapped) if wrapped.wrap.reads_inputs() => Some(&wrapped.inputs),
                _ => None,
            };
            match inputs {
                Some(Inputs::All) => *all = true,
                Some(Inputs::These(these)) => {
                    for input in these {
                        if !seen.contains(input) {
                            seen.push(input.clone());
                        }
                    }
                }
                None => {}
            }
        }
        let (mut seen, mut all) = (Vec::new(), false);
        walk(self, &mut seen, &mut all);
        (seen, all)
    }

    /// Whether some part learns the categories of an input from the training rows; `at` is its place.
    pub fn knows_categories(&self, name: &str, at: Option<usize>) -> bool {
        match self.node() {
            Node::Leaf(leaf) if leaf.family.takes_categories() && !leaf.family.takes_new_categories() => {
                match &leaf.inputs {
                    Inputs::All => true,
                    Inputs::These(these) => these.iter().any(|input| match input {
                        InputRef::Index(place) => Some(*place) == at,
                        InputRef::Name(word) => **word == *name,
                    }),
                }
            }
            _ => self.children().iter().any(|child| child.knows_categories(name, at)),
        }
    }

    /// The tree with every parameter replaced by what `f` makes of it, depth first, in the order of the specs.
    pub fn map_params(&self, f: &mut dyn FnMut(&Param) -> Param) -> Self {
        let map_all = |params: &[Values], f: &mut dyn FnMut(&Param) -> Param| -> Vec<Values> {
            params.iter().map(|v| v.map(&mut *f)).collect()
        };
        match &*self.node {
            Node::Leaf(leaf) => self.with_node(Node::Leaf(Leaf { params: map_all(&leaf.params, f), ..leaf.clone() })),
            Node::Sum(children) => self.with_node(Node::Sum(children.iter().map(|c| c.map_params(f)).collect())),
            Node::Product(children) => {
                self.with_node(Node::Product(children.iter().map(|c| c.map_params(f)).collect()))
            }
            Node::Wrap(wrapped) => {
                let params = map_all(&wrapped.params, f);
                let children = wrapped.children.iter().map(|c| c.map_params(f)).collect();
                self.with_node(Node::Wrap(Wrapped { params, children, ..wrapped.clone() }))
            }
        }
    }
}
