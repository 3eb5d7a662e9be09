//! Walks over the tree: the inputs that it mentions, and replacement of its parameters.

use super::inputs::{InputRef, Inputs};
use super::tree::{Kernel, Leaf, Node, Wrapped};
use super::values::Values;
use crate::param::Param;

impl Kernel {
    /// The inputs that are mentioned, each once, in order of first mention, and whether some part depends on all
    /// inputs. The kernels of a wrap come before its own inputs, as in the text.
    pub fn mentioned(&self) -> (Vec<InputRef>, bool) {
        self.inputs_read(false)
    }

    /// The same for a user's function around this kernel, which also receives inputs written in a family that reads
    /// none, as in `scale(Const(kind), f)`.
    pub fn function_inputs(&self) -> (Vec<InputRef>, bool) {
        self.inputs_read(true)
    }

    fn inputs_read(&self, by_function: bool) -> (Vec<InputRef>, bool) {
        fn walk(kernel: &Kernel, by_function: bool, seen: &mut Vec<InputRef>, all: &mut bool) {
            let within =
                by_function || matches!(kernel.node(), Node::Wrap(wrapped) if wrapped.wrap.function().is_some());
            for child in kernel.children() {
                walk(child, within, seen, all);
            }
            let inputs = match kernel.node() {
                Node::Leaf(leaf) if leaf.family.spec().reads_inputs => Some(&leaf.inputs),
                Node::Leaf(leaf) if by_function && leaf.inputs != Inputs::All => Some(&leaf.inputs),
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
        walk(self, by_function, &mut seen, &mut all);
        (seen, all)
    }

    /// Whether some part learns the categories of an input from the training rows; `at` is the index of the input.
    pub fn learns_categories(&self, name: &str, at: Option<usize>) -> bool {
        self.any_leaf(&|leaf| {
            let learns = (leaf.family.takes_categories() && !leaf.family.takes_new_categories())
                || (leaf.ard && leaf.family.takes_indicators());
            let reads = |input: &InputRef| match input {
                InputRef::Index(place) => Some(*place) == at,
                InputRef::Name(word) => **word == *name,
            };
            learns
                && match &leaf.inputs {
                    Inputs::All => true,
                    Inputs::These(these) => these.iter().any(reads),
                }
        })
    }

    /// Whether some leaf of the tree is as wanted.
    pub fn any_leaf(&self, wanted: &dyn Fn(&Leaf) -> bool) -> bool {
        match self.node() {
            Node::Leaf(leaf) => wanted(leaf),
            _ => self.children().iter().any(|child| child.any_leaf(wanted)),
        }
    }

    /// The tree with every parameter replaced by the result of `f`, depth first, in the order of the specs.
    pub fn map_params(&self, f: &mut dyn FnMut(&Param) -> Param) -> Self {
        let map_all = |params: &[Values], f: &mut dyn FnMut(&Param) -> Param| -> Vec<Values> {
            params.iter().map(|v| v.map(&mut *f)).collect()
        };
        match self.node() {
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
