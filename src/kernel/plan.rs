//! A kernel on its way to being bound: inputs found, parameters given slots, evaluation laid out instruction by
//! instruction.

mod parameters;
mod viewing;

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use super::bind::{BindError, Cause, Place, Schema, Slot, SlotState};
use super::family::{Domains, ParamSpec, Role, Size};
use super::group::Placement;
use super::input_view::{Period, View, ViewMap};
use super::program::{Instruction, LeafOp, Op, Program};
use super::wrap::{Combine, RowFunction};
use super::{Inputs, Kernel, Leaf, Node, Values, Wrapped};
use crate::param::{Domain, Param, Prior, State, Tie};

/// The views through which a kernel sees its first and its second argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Seen {
    pub left: usize,
    pub right: usize,
}

impl Seen {
    /// Both arguments through one view.
    pub const fn both(view: usize) -> Self {
        Self { left: view, right: view }
    }
}

/// A kernel on its way to being bound. Wraps write their own evaluation into it.
pub struct Plan<'s> {
    pub(super) schema: &'s Schema<'s>,
    pub(super) instructions: Vec<Instruction>,
    pub(super) views: Vec<View>,
    /// The training columns as each view shows them.
    pub(super) columns: Vec<Vec<Vec<f64>>>,
    /// For each view a number for each of its columns: equal where they are the same function of the rows.
    ids: Vec<Vec<u64>>,
    pub(super) slots: Vec<Slot>,
    pub(super) places: Vec<Vec<Vec<usize>>>,
    /// What each node with parameters learnt from the columns.
    learnt: Vec<Vec<f64>>,
    pub(super) labels: Vec<Arc<str>>,
    pub(super) held: bool,
    pub(super) beside: bool,
    /// A kernel is laid out again: the place at which the parameters of its next node stand already.
    again: Option<usize>,
    /// Instructions and views are not laid out twice while copies are made.
    copying: bool,
    made: HashMap<Key, usize>,
    seen_through: HashMap<(usize, Vec<u64>), usize>,
    known_ids: HashMap<(u64, u64, u64), u64>,
    next_id: u64,
}

/// The slots of a node's parameters, and how they are cut up.
pub type OwnParams = (Vec<usize>, Vec<Range<usize>>);

/// Parameters that still have to be put in their place.
pub(super) struct Ahead(Option<Vec<Vec<usize>>>);

/// How many nodes with a place for parameters stand in a kernel.
fn nodes(kernel: &Kernel) -> usize {
    let own = matches!(kernel.node(), Node::Leaf(_) | Node::Wrap(_));
    usize::from(own) + kernel.children().iter().map(nodes).sum::<usize>()
}

/// What makes two instructions one.
#[derive(Debug, PartialEq, Eq, Hash)]
enum Key {
    Sum(Vec<usize>),
    Product(Vec<usize>),
    Part {
        args: Vec<usize>,
        weights: Vec<u64>,
    },
    /// By the place of the node's parameters, and the columns it sees.
    Node {
        place: usize,
        args: Vec<usize>,
        left: Vec<u64>,
        right: Vec<u64>,
    },
}

/// The columns of a view that a node looks at.
#[derive(Debug, Clone)]
pub struct Looks {
    /// The inputs of the data.
    pub inputs: Vec<usize>,
    /// The columns of the view that stand for them.
    pub columns: Vec<usize>,
    /// For each of `columns`, which of `inputs` it stands for.
    pub of: Vec<usize>,
}

impl<'s> Plan<'s> {
    pub(super) fn new(schema: &'s Schema<'s>) -> Self {
        let width = schema.columns.len();
        let shown = (0..width).map(|c| vec![c]).collect();
        Self {
            schema,
            instructions: Vec::new(),
            views: vec![View { parent: 0, map: ViewMap::Identity, shown, moving: false }],
            columns: vec![schema.columns.iter().map(|c| c.values.to_vec()).collect()],
            ids: vec![(0..width as u64).collect()],
            slots: Vec::new(),
            places: Vec::new(),
            learnt: Vec::new(),
            labels: Vec::new(),
            held: false,
            beside: false,
            again: None,
            copying: false,
            made: HashMap::new(),
            seen_through: HashMap::new(),
            known_ids: HashMap::new(),
            next_id: width as u64,
        }
    }

    pub(super) fn finish(self) -> (Program, Vec<Slot>, Vec<Vec<Vec<usize>>>) {
        let Plan { instructions, views, schema, slots, places, .. } = self;
        let around = instructions.iter().any(|i| i.around.is_some());
        (Program { instructions, views, around, columns: schema.columns.len() }, slots, places)
    }

    /// How many inputs the data have.
    pub fn width(&self) -> usize {
        self.schema.columns.len()
    }

    /// The name of an input of the data.
    pub fn name(&self, input: usize) -> &'s str {
        self.schema.columns[input].name
    }

    /// Lays out a kernel as it is seen; gives the register that will hold its values.
    ///
    /// # Errors
    /// Whatever does not fit the data set.
    pub fn kernel(&mut self, kernel: &Kernel, seen: Seen) -> Result<usize, BindError> {
        let labels = self.labels.len();
        self.labels.extend(kernel.label().cloned());
        let (held, beside) = (self.held, self.beside);
        let register = match kernel.node() {
            Node::Leaf(leaf) => self.leaf(kernel, leaf, seen)?,
            Node::Sum(children) | Node::Product(children) => {
                let mut args = Vec::with_capacity(children.len());
                self.operands(kernel, seen, &mut args)?;
                let sum = matches!(kernel.node(), Node::Sum(_));
                let key = || if sum { Key::Sum(args.clone()) } else { Key::Product(args.clone()) };
                self.once(key(), if sum { Op::Sum } else { Op::Product }, args, None)
            }
            Node::Wrap(wrapped) => wrapped.wrap.plan(self, kernel, wrapped, seen)?,
        };
        (self.held, self.beside) = (held, beside);
        self.labels.truncate(labels);
        Ok(register)
    }

    /// Lays out a kernel inside a wrap.
    ///
    /// # Errors
    /// Whatever does not fit the data set.
    pub fn child(&mut self, wrapped: &Wrapped, child: usize, seen: Seen) -> Result<usize, BindError> {
        let (held, beside) = (self.held, self.beside);
        self.held = wrapped.wrap.holds(held);
        let register = self.kernel(&wrapped.children[child], seen)?;
        (self.held, self.beside) = (held, beside);
        Ok(register)
    }

    /// Lays out one kernel inside a wrap several times, seen through several pairs of views. All copies have the same
    /// parameters, and what is the same in two of them is evaluated once. Gives a register for each.
    ///
    /// # Errors
    /// Whatever does not fit the data set.
    pub fn copies(&mut self, wrapped: &Wrapped, child: usize, seen: &[Seen]) -> Result<Vec<usize>, BindError> {
        let mut registers = Vec::with_capacity(seen.len());
        self.alike(seen, |plan, seen| {
            registers.push(plan.child(wrapped, child, seen)?);
            Ok(())
        })?;
        Ok(registers)
    }

    /// Lays out the same several times, as it is seen through several pairs of views, with one set of parameters.
    ///
    /// # Errors
    /// Whatever does not fit the data set.
    pub fn alike(
        &mut self,
        seen: &[Seen],
        mut lay: impl FnMut(&mut Self, Seen) -> Result<(), BindError>,
    ) -> Result<(), BindError> {
        let copying = std::mem::replace(&mut self.copying, true);
        let (again, start) = (self.again, self.again.unwrap_or(self.places.len()));
        for (i, &seen) in seen.iter().enumerate() {
            self.again = if i == 0 { again } else { Some(start) };
            lay(self, seen)?;
        }
        if again.is_none() {
            self.again = None;
        }
        self.copying = copying;
        Ok(())
    }

    /// A combination with known weights inside a wrap, before the parameters of the wrap are made.
    pub(super) fn part(&mut self, combine: Box<dyn Combine>, args: Vec<usize>, weights: &[f64]) -> usize {
        let op = Op::Combine {
            combine: combine.into(),
            seen: Seen::both(0),
            columns: Vec::new(),
            slots: Vec::new(),
            ranges: Vec::new(),
        };
        let key = Key::Part { args: args.clone(), weights: weights.iter().map(|w| w.to_bits()).collect() };
        self.once(key, op, args, None)
    }

    /// Lays out nothing of a kernel inside a wrap, whose values do not matter: its parameters do not move.
    ///
    /// # Errors
    /// Whatever does not fit the data set.
    pub fn only_parameters(&mut self, wrapped: &Wrapped, child: usize, seen: Seen) -> Result<(), BindError> {
        let (instructions, first) = (self.instructions.len(), self.slots.len());
        self.child(wrapped, child, seen)?;
        self.instructions.truncate(instructions);
        self.made.retain(|_, register| *register < instructions);
        for slot in &mut self.slots[first..] {
            if slot.state == SlotState::Free {
                slot.state = SlotState::Held;
            }
        }
        Ok(())
    }

    /// Lays out what a sum adds or a product multiplies. A sum in a sum, which only its name keeps together, is taken
    /// apart, so that a name does not change the order of rounding.
    fn operands(&mut self, kernel: &Kernel, seen: Seen, args: &mut Vec<usize>) -> Result<(), BindError> {
        let product = matches!(kernel.node(), Node::Product(_));
        let children = kernel.children();
        self.beside |= product && children.iter().filter(|c| c.as_number().is_none()).count() > 1;
        for (child, held) in children.iter().zip(kernel.held_children(self.held)) {
            let before = std::mem::replace(&mut self.held, held);
            match (kernel.node(), child.node()) {
                (Node::Sum(_), Node::Sum(_)) | (Node::Product(_), Node::Product(_)) => {
                    let labels = self.labels.len();
                    self.labels.extend(child.label().cloned());
                    self.operands(child, seen, args)?;
                    self.labels.truncate(labels);
                }
                _ => args.push(self.kernel(child, seen)?),
            }
            self.held = before;
        }
        Ok(())
    }

    fn push(&mut self, op: Op, args: Vec<usize>, around: Option<[usize; 2]>) -> usize {
        self.instructions.push(Instruction { op, args, around });
        self.instructions.len() - 1
    }

    /// An instruction, which among copies is made once.
    fn once(&mut self, key: Key, op: Op, args: Vec<usize>, around: Option<[usize; 2]>) -> usize {
        if !self.copying {
            return self.push(op, args, around);
        }
        if let Some(&made) = self.made.get(&key) {
            return made;
        }
        let register = self.push(op, args, around);
        self.made.insert(key, register);
        register
    }

    fn ids_of(&self, view: usize, columns: &[usize]) -> Vec<u64> {
        columns.iter().map(|&c| self.ids[view][c]).collect()
    }

    fn leaf(&mut self, kernel: &Kernel, leaf: &Leaf, seen: Seen) -> Result<usize, BindError> {
        let spec = leaf.family.spec();
        let error = |place, cause| BindError { origin: kernel.origin(), place, cause };
        let nothing = Looks { inputs: Vec::new(), columns: Vec::new(), of: Vec::new() };
        let looks = if spec.reads_inputs { self.looks(kernel, &leaf.inputs, seen.left)? } else { nothing };
        if spec.reads_inputs {
            if looks.columns.is_empty() {
                return Err(error(Place::Node, Cause::NoInputs { family: spec.name }));
            }
            if looks.columns.len() > 1 && !spec.several_inputs {
                if looks.inputs.len() == 1 {
                    let input = self.name(looks.inputs[0]).to_string();
                    return Err(error(Place::Node, Cause::Wound { family: format!("`{}`", spec.name), input }));
                }
                let inputs = looks.inputs.iter().map(|&c| self.name(c).to_string()).collect();
                return Err(error(Place::Node, Cause::SeveralInputs { family: spec.name, inputs }));
            }
            if !leaf.family.takes_categories() {
                let cause = |column| Cause::Categories { family: spec.name, column };
                self.no_categories(kernel, &looks.inputs, cause)?;
            }
        }
        let place = self.again.unwrap_or(self.places.len());
        let learnt = match self.again {
            Some(place) => self.learnt[place].clone(),
            None => {
                let shown = &self.columns[seen.left];
                leaf.family.learn(&looks.columns.iter().map(|&c| &shown[c][..]).collect::<Vec<_>>())
            }
        };
        let each = |size: Size| size == Size::Each || (size == Size::EachIfArd && leaf.ard);
        let elements = leaf.family.elements(looks.inputs.len(), &learnt);
        let view = (seen.left != 0 || seen.right != 0).then_some(seen.left);
        let (slots, ranges) =
            self.params(kernel, spec.name, spec.params, &leaf.params, elements, leaf.ard, &looks, view)?;
        self.learn(place, learnt.clone());
        // where columns stand for one input together, they share its parameter
        let (mut spread, mut spread_ranges) = (Vec::new(), Vec::new());
        for (param, range) in spec.params.iter().zip(&ranges) {
            let own = &slots[range.clone()];
            let start = spread.len();
            match each(param.size) && own.len() == looks.inputs.len() && looks.of.len() != own.len() {
                true => spread.extend(looks.of.iter().map(|&i| own[i])),
                false => spread.extend_from_slice(own),
            }
            spread_ranges.push(start..spread.len());
        }
        let key = Key::Node {
            place,
            args: Vec::new(),
            left: self.ids_of(seen.left, &looks.columns),
            right: self.ids_of(seen.right, &looks.columns),
        };
        let op = LeafOp {
            family: leaf.family,
            columns: looks.columns,
            learnt,
            slots: spread,
            ranges: spread_ranges,
            seen,
            keep: !self.copying,
            origin: kernel.origin(),
        };
        Ok(self.once(key, Op::Leaf(op), Vec::new(), None))
    }

    fn learn(&mut self, place: usize, learnt: Vec<f64>) {
        if self.learnt.len() <= place {
            self.learnt.resize(place + 1, Vec::new());
        }
        self.learnt[place] = learnt;
    }

    /// The inputs of the data that a node looks at.
    ///
    /// # Errors
    /// An input that does not exist.
    pub fn inputs(&self, kernel: &Kernel, inputs: &Inputs) -> Result<Vec<usize>, BindError> {
        kernel.places_of(inputs, &self.schema.names())
    }

    /// The columns of a view that a node looks at, each once.
    ///
    /// # Errors
    /// An input that does not exist.
    pub fn looks(&self, kernel: &Kernel, inputs: &Inputs, view: usize) -> Result<Looks, BindError> {
        let inputs = self.inputs(kernel, inputs)?;
        let (mut columns, mut of) = (Vec::new(), Vec::new());
        for (i, &input) in inputs.iter().enumerate() {
            for &column in &self.views[view].shown[input] {
                if !columns.contains(&column) {
                    columns.push(column);
                    of.push(i);
                }
            }
        }
        Ok(Looks { inputs, columns, of })
    }

    /// The one input of a node that looks at one.
    ///
    /// # Errors
    /// An input that does not exist, or several.
    pub fn one_input(
        &self,
        kernel: &Kernel,
        inputs: &Inputs,
        seen: Seen,
        family: &'static str,
    ) -> Result<Vec<usize>, BindError> {
        let columns = self.inputs(kernel, inputs)?;
        if columns.len() > 1 {
            let inputs = columns.iter().map(|&c| self.name(c).to_string()).collect();
            let cause = Cause::SeveralInputs { family, inputs };
            return Err(BindError { origin: kernel.origin(), place: Place::Node, cause });
        }
        self.numbers(kernel, &columns, "have no order in which something could change")?;
        self.not_wound(kernel, &columns, seen.left, family)?;
        Ok(columns)
    }

    /// Refuses columns of categories; `as_they` says why.
    ///
    /// # Errors
    /// [`Cause::NotNumbers`] with the first of them.
    pub fn numbers(&self, kernel: &Kernel, columns: &[usize], as_they: &'static str) -> Result<(), BindError> {
        let cause = |column| Cause::NotNumbers { column, as_they };
        self.no_categories(kernel, columns, cause)
    }

    /// Refuses columns of categories.
    fn no_categories(
        &self,
        kernel: &Kernel,
        columns: &[usize],
        cause: impl Fn(String) -> Cause,
    ) -> Result<(), BindError> {
        match columns.iter().position(|&c| self.schema.columns[c].categories) {
            None => Ok(()),
            Some(i) => {
                let cause = cause(self.schema.columns[columns[i]].name.to_string());
                Err(BindError { origin: kernel.origin(), place: Place::Input(i), cause })
            }
        }
    }

    /// An element-by-element combination of registers, with parameters and columns of its own, and with `around` the
    /// registers whose values at k(x, x) and k(x′, x′) it needs. To be called right after its parameters were made.
    pub fn combine(&mut self, combine: Box<dyn Combine>, parts: Parts) -> usize {
        let Parts { args, around, seen, columns, slots, ranges } = parts;
        let place = self.again.map_or(self.places.len(), |again| again) - 1;
        let mut all = args.clone();
        all.extend(around.into_iter().flatten());
        let key = Key::Node {
            place,
            args: all,
            left: self.ids_of(seen.left, &columns),
            right: self.ids_of(seen.right, &columns),
        };
        self.once(key, Op::Combine { combine: combine.into(), seen, columns, slots, ranges }, args, around)
    }
}

/// What a combination is made of.
#[derive(Debug, Clone)]
pub struct Parts {
    /// Registers, element by element.
    pub args: Vec<usize>,
    pub around: Option<[usize; 2]>,
    pub seen: Seen,
    /// The columns of the views that it looks at itself.
    pub columns: Vec<usize>,
    pub slots: Vec<usize>,
    pub ranges: Vec<Range<usize>>,
}

impl Parts {
    /// Registers alone.
    pub fn of(args: Vec<usize>, seen: Seen) -> Self {
        Self { args, around: None, seen, columns: Vec::new(), slots: Vec::new(), ranges: Vec::new() }
    }

    /// With the parameters of the wrap.
    pub fn params(self, (slots, ranges): OwnParams) -> Self {
        Self { slots, ranges, ..self }
    }
}
