//! A kernel bound to the columns of a data set. Binding resolves inputs to columns, assigns a slot to every parameter,
//! merges tied parameters into one slot, and plans the evaluation.

use std::sync::Arc;

use super::bind_error::BindError;
use super::input_view::ViewPair;
use super::parameter_slot::{Slot, SlotState};
use super::plan::Plan;
use super::program::Program;
use super::schema::Schema;
use super::tree::{Kernel, Leaf, Node, Wrapped};
use super::values::Values;
use crate::param::Param;

/// A kernel bound to the columns of a data set.
#[derive(Debug, Clone)]
pub struct Bound {
    pub(super) kernel: Kernel,
    pub(super) program: Arc<Program>,
    slots: Vec<Slot>,
    /// For every node with parameters, depth first: the slots of each parameter's numbers.
    places: Vec<Vec<Vec<usize>>>,
}

impl Kernel {
    /// Binds the kernel to the columns of a data set.
    ///
    /// Slots are in depth-first order: a node's slots follow those of its children, in the order of its spec. An unset
    /// variance is held at 1 in every factor of a product but the first, and in all plain factors of a product that
    /// contains a sum; numbers do not count as factors. A tie of a parameter with one number per input ties the numbers
    /// one by one.
    ///
    /// # Errors
    /// [`BindError`] names the node and the input, parameter or function at fault.
    pub fn bind(&self, schema: &Schema<'_>) -> Result<Bound, BindError> {
        let kernel = self.spread(&schema.names())?;
        let mut plan = Plan::new(schema);
        plan.kernel(&kernel, ViewPair::both(0))?;
        let (program, slots, places) = plan.finish();
        Ok(Bound { kernel, program: Arc::new(program), slots, places })
    }

    /// The kernel in which every node that abbreviates one kernel per input is written out.
    fn spread(&self, inputs: &[&str]) -> Result<Kernel, BindError> {
        let all = |children: &[Kernel]| children.iter().map(|c| c.spread(inputs)).collect::<Result<Vec<_>, _>>();
        Ok(match self.node() {
            Node::Leaf(_) => self.clone(),
            Node::Sum(children) => self.with_node(Node::Sum(all(children)?)),
            Node::Product(children) => self.with_node(Node::Product(all(children)?)),
            Node::Wrap(wrapped) => {
                let wrapped = wrapped.wrap.spread(self, wrapped, inputs)?.unwrap_or_else(|| wrapped.clone());
                self.with_node(Node::Wrap(Wrapped { children: all(&wrapped.children)?, ..wrapped }))
            }
        })
    }
}

impl Bound {
    /// The kernel, as bound.
    pub fn kernel(&self) -> &Kernel {
        &self.kernel
    }

    /// The slots, in the order of values and gradients.
    pub fn slots(&self) -> &[Slot] {
        &self.slots
    }

    /// The same kernel with every process whose start is not written starting at the least of the rows to which it was
    /// bound: for training rows. Without this it starts at 0.
    #[must_use]
    pub fn started(mut self) -> Self {
        for slot in &mut self.slots {
            slot.value = slot.start.unwrap_or(slot.value);
        }
        self
    }

    /// The initial value of every slot: the written value, or the default.
    pub fn values(&self) -> Vec<f64> {
        self.slots.iter().map(|s| s.value).collect()
    }

    /// The kernel with these values, one per slot. Free parameters get them as starting values; held and fixed
    /// parameters keep their state.
    pub fn with_values(&self, values: &[f64]) -> Kernel {
        let mut places = self.places.iter();
        self.rebuild(&self.kernel, values, false, &mut places)
    }

    /// The kernel with every parameter fixed at these values, one per slot: free, held and default ones alike.
    pub fn with_all_fixed(&self, values: &[f64]) -> Kernel {
        let mut places = self.places.iter();
        self.rebuild(&self.kernel, values, true, &mut places)
    }

    fn rebuild<'p>(
        &self,
        kernel: &Kernel,
        values: &[f64],
        all: bool,
        places: &mut impl Iterator<Item = &'p Vec<Vec<usize>>>,
    ) -> Kernel {
        let fill = |params: &[Values], slots: Option<&Vec<Vec<usize>>>| -> Vec<Values> {
            let Some(slots) = slots else { return params.to_vec() };
            let one = |written: &Param, slot: usize| match self.slots[slot].state {
                _ if all => Param::fixed(values[slot]),
                SlotState::Held => written.clone(),
                SlotState::Fixed if written.is_unset() => written.clone(),
                _ => self.slots[slot].measured(written).with_value(values[slot]),
            };
            let unset = Param::default();
            params
                .iter()
                .zip(slots)
                .map(|(written, slots)| match (written, &slots[..]) {
                    (Values::Each(none), &[slot]) if none.is_empty() => Values::One(one(&unset, slot)),
                    (Values::One(param), &[slot]) => Values::One(one(param, slot)),
                    (Values::One(param), _) => {
                        let element = |s: usize| Param { tie: self.slots[s].param.tie.clone(), ..param.clone() };
                        Values::Each(slots.iter().map(|&s| one(&element(s), s)).collect())
                    }
                    (Values::Each(params), _) => Values::Each(
                        slots.iter().enumerate().map(|(i, &s)| one(params.get(i).unwrap_or(&unset), s)).collect(),
                    ),
                })
                .map(|v| if v.is_unset() && matches!(v, Values::Each(_)) { Values::Each(Vec::new()) } else { v })
                .collect()
        };
        match kernel.node() {
            Node::Leaf(leaf) => {
                let params = fill(&leaf.params, places.next());
                kernel.with_node(Node::Leaf(Leaf { params, ..leaf.clone() }))
            }
            Node::Sum(children) => {
                let children = children.iter().map(|c| self.rebuild(c, values, all, places)).collect();
                kernel.with_node(Node::Sum(children))
            }
            Node::Product(children) => {
                let children = children.iter().map(|c| self.rebuild(c, values, all, places)).collect();
                kernel.with_node(Node::Product(children))
            }
            Node::Wrap(wrapped) => {
                let children = wrapped.children.iter().map(|c| self.rebuild(c, values, all, places)).collect();
                let params = fill(&wrapped.params, places.next());
                kernel.with_node(Node::Wrap(Wrapped { children, params, ..wrapped.clone() }))
            }
        }
    }
}
