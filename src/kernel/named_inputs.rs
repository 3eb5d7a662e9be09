//! The inputs that a kernel can depend on, from its written form.

use super::inputs::{InputRef, Inputs};
use super::tree::{Kernel, Node};

impl Kernel {
    /// The inputs that it names, if it can depend on no others; `None` if it may depend on all.
    pub fn written_inputs(&self) -> Option<Vec<InputRef>> {
        let mut found = Vec::new();
        self.gather_inputs(&mut found).then_some(found)
    }

    /// Collects the inputs. Returns `false` if some node may depend on any input.
    fn gather_inputs(&self, found: &mut Vec<InputRef>) -> bool {
        let these = |inputs: &Inputs, found: &mut Vec<InputRef>| match inputs {
            Inputs::All => false,
            Inputs::These(refs) => {
                found.extend(refs.iter().cloned());
                true
            }
        };
        match self.node() {
            Node::Leaf(leaf) => !leaf.family.spec().reads_inputs || these(&leaf.inputs, found),
            Node::Sum(children) | Node::Product(children) => children.iter().all(|child| child.gather_inputs(found)),
            Node::Wrap(wrapped) => {
                // other wraps move or count inputs in their own ways
                let known = wrapped.wrap.exponent().is_some()
                    || matches!(wrapped.wrap.spec().name, "changepoint" | "onehot" | "basis");
                known
                    && (!wrapped.wrap.reads_inputs() || these(&wrapped.inputs, found))
                    && wrapped.children.iter().all(|child| child.gather_inputs(found))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::families;
    use super::*;

    fn of(family: &str, inputs: Inputs) -> Kernel {
        Kernel::leaf(families::family(family).unwrap(), inputs)
    }

    #[test]
    fn inputs_are_known_where_they_are_written() {
        let x = || Inputs::These(vec![InputRef::Name("x".into())]);
        let sum = Kernel::sum([of("SE", x()), of("Const", Inputs::All)]).unwrap();
        assert_eq!(sum.written_inputs(), Some(vec![InputRef::Name("x".into())]));
        let all = Kernel::sum([of("SE", x()), of("Lin", Inputs::All)]).unwrap();
        assert_eq!(all.written_inputs(), None);
    }
}
