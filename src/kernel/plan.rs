//! A kernel on its way to being bound: inputs found, parameters given slots, evaluation laid out instruction by
//! instruction.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use super::bind::{BindError, Cause, Place, Schema, Slot, SlotState};
use super::family::{Domains, ParamSpec, Role, Size};
use super::group::Placement;
use super::program::{Instruction, LeafOp, Op, Program};
use super::view::{Period, View, ViewMap};
use super::wrap::{Combine, RowFunction};
use super::{InputRef, Inputs, Kernel, Leaf, Node, Values, Wrapped};
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

    /// A combination without parameters inside a wrap, before those of the wrap are made.
    pub(super) fn part(&mut self, combine: Box<dyn Combine>, args: Vec<usize>) -> usize {
        let op = Op::Combine {
            combine: combine.into(),
            seen: Seen::both(0),
            columns: Vec::new(),
            slots: Vec::new(),
            ranges: Vec::new(),
        };
        self.once(Key::Sum(args.iter().copied().chain([usize::MAX]).collect()), op, args, None)
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
        let known = || self.schema.columns.iter().map(|c| c.name.to_string()).collect::<Vec<_>>();
        match inputs {
            Inputs::All => Ok((0..self.schema.columns.len()).collect()),
            Inputs::These(these) => these
                .iter()
                .enumerate()
                .map(|(i, input)| {
                    let found = match input {
                        InputRef::Index(at) => (*at < self.schema.columns.len()).then_some(*at),
                        InputRef::Name(name) => self.schema.columns.iter().position(|c| c.name == &**name),
                    };
                    found.ok_or_else(|| BindError {
                        origin: kernel.origin(),
                        place: Place::Input(i),
                        cause: Cause::UnknownInput { input: input.to_string(), known: known() },
                    })
                })
                .collect(),
        }
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

    /// Refuses inputs that a view shows in other coordinates, for a wrap that looks at them itself.
    ///
    /// # Errors
    /// [`Cause::Wound`].
    pub fn not_wound(
        &self,
        kernel: &Kernel,
        inputs: &[usize],
        view: usize,
        family: &'static str,
    ) -> Result<(), BindError> {
        match inputs.iter().position(|&input| self.views[view].shown[input] != [input]) {
            None => Ok(()),
            Some(i) => {
                let cause = Cause::Wound { family: format!("`{family}`"), input: self.name(inputs[i]).to_string() };
                Err(BindError { origin: kernel.origin(), place: Place::Input(i), cause })
            }
        }
    }

    /// The values of a column as a view shows them.
    pub fn column(&self, view: usize, column: usize) -> &[f64] {
        &self.columns[view][column]
    }

    /// The parameters of a wrap's own, after its children's. Gives their slots and how they are cut up.
    ///
    /// # Errors
    /// A parameter outside its domain, or ties that disagree.
    pub fn own_params(
        &mut self,
        kernel: &Kernel,
        wrapped: &Wrapped,
        inputs: &[usize],
        elements: usize,
    ) -> Result<OwnParams, BindError> {
        let spec = wrapped.wrap.spec();
        let looks = Looks { inputs: inputs.to_vec(), columns: Vec::new(), of: Vec::new() };
        self.params(kernel, spec.name, spec.params, &wrapped.params, elements, false, &looks, None)
    }

    /// The parameters of a wrap's own where its children depend on them: made before these, they still stand behind
    /// them in the order of nodes, once they are settled there.
    ///
    /// # Errors
    /// As [`own_params`](Self::own_params).
    pub(super) fn params_ahead(
        &mut self,
        kernel: &Kernel,
        wrapped: &Wrapped,
        inputs: &[usize],
        elements: usize,
    ) -> Result<(OwnParams, Ahead), BindError> {
        let again = self.again;
        if let Some(place) = again {
            self.again = Some(place + wrapped.children.iter().map(nodes).sum::<usize>());
        }
        let made = self.own_params(kernel, wrapped, inputs, elements)?;
        self.again = again;
        Ok((made, Ahead(if again.is_none() { self.places.pop() } else { None })))
    }

    /// Puts parameters that were made ahead in their place.
    pub(super) fn settle(&mut self, ahead: Ahead) {
        match (&mut self.again, ahead.0) {
            (Some(place), _) => *place += 1,
            (None, place) => self.places.extend(place),
        }
    }

    #[allow(clippy::too_many_arguments)]
    fn params(
        &mut self,
        kernel: &Kernel,
        family: &'static str,
        specs: &'static [ParamSpec],
        written: &[Values],
        elements: usize,
        ard: bool,
        looks: &Looks,
        view: Option<usize>,
    ) -> Result<OwnParams, BindError> {
        if let Some(place) = self.again {
            self.again = Some(place + 1);
            let (mut slots, mut ranges) = (Vec::new(), Vec::new());
            for param in &self.places[place] {
                ranges.push(slots.len()..slots.len() + param.len());
                slots.extend_from_slice(param);
            }
            return Ok((slots, ranges));
        }
        let origin = kernel.origin();
        let inputs = &looks.inputs;
        let (mut slots, mut ranges, mut place) = (Vec::new(), Vec::new(), Vec::new());
        for (i, (spec, values)) in specs.iter().zip(written).enumerate() {
            let error = |cause| BindError { origin, place: Place::Param(i), cause };
            let each = spec.size == Size::Each || (spec.size == Size::EachIfArd && ard);
            let wanted = if each { elements } else { 1 };
            let params: Vec<Param> = match values.as_slice() {
                [] => vec![Param::default(); wanted],
                [one] if wanted != 1 && matches!(values, Values::One(_)) => {
                    let element = |e| Param { tie: one.tie.as_ref().map(|tie| tie.element(e)), ..one.clone() };
                    (0..wanted).map(element).collect()
                }
                given => given.to_vec(),
            };
            let of = match spec.role {
                Role::OrderVariance => "orders",
                _ if wanted != inputs.len() => "categories",
                _ => "inputs",
            };
            if params.len() != wanted {
                return Err(error(Cause::Length { param: spec.name, expected: wanted, found: params.len(), of }));
            }
            let start = slots.len();
            for (e, param) in params.iter().enumerate() {
                spec.check(family, param).map_err(|e| error(e.into()))?;
                let element = (each && (wanted > 1 || ard)).then_some(e);
                let column = if each { inputs.get(e) } else { inputs.first() };
                let slot = Slot {
                    family,
                    spec,
                    element,
                    param: param.clone(),
                    state: self.state(spec, param),
                    domain: self.domain(spec, param, column.map(|&c| self.schema.columns[c].values)),
                    value: param.value().unwrap_or_else(|| default_value(spec, param)),
                    columns: if each { column.into_iter().copied().collect() } else { inputs.to_vec() },
                    warped: view.is_some_and(|view| self.bends(view)),
                    width: self.seen_width(view, looks),
                    labels: self.labels.clone(),
                    origin,
                    uses: 1,
                    beside: self.beside,
                };
                slots.push(self.slot(slot).map_err(error)?);
            }
            ranges.push(start..slots.len());
            place.push(slots[start..].to_vec());
        }
        self.places.push(place);
        Ok((slots, ranges))
    }

    /// Whether a view shows inputs in other units than those of the data.
    fn bends(&self, view: usize) -> bool {
        match self.views[view].map {
            ViewMap::Identity => false,
            ViewMap::Placed(_) | ViewMap::Folded { .. } => self.bends(self.views[view].parent),
            _ => true,
        }
    }

    /// How far apart rows lie in a view that bends the inputs: the root of the summed variances of the columns.
    fn seen_width(&self, view: Option<usize>, looks: &Looks) -> Option<f64> {
        let view = view.filter(|&view| self.bends(view))?;
        let squares = looks.columns.iter().map(|&c| spread(&self.columns[view][c]).powi(2));
        Some(squares.sum::<f64>().sqrt()).filter(|width| width.is_finite() && *width > 0.0)
    }

    fn state(&self, spec: &ParamSpec, param: &Param) -> SlotState {
        match param.state {
            State::Fixed(_) => SlotState::Fixed,
            _ if spec.domain == Domains::Count => SlotState::Fixed,
            State::Unset if spec.is_variance() && self.held && param.prior.is_none() && param.tie.is_none() => {
                SlotState::Held
            }
            _ => SlotState::Free,
        }
    }

    fn domain(&self, spec: &ParamSpec, param: &Param, column: Option<&[f64]>) -> Domain {
        // a prior that is nothing outside an interval bounds the walk as bounds do
        let support = match param.prior {
            Some(Prior::Uniform { lo, hi }) if spec.domain == Domains::Positive => Some((lo.max(0.0), hi)),
            Some(Prior::Uniform { lo, hi }) => Some((lo, hi)),
            _ => None,
        };
        match (param.state, spec.domain) {
            (State::Bounded { lo, hi, .. }, _) => {
                let (least, most) = support.unwrap_or((lo, hi));
                Domain::Interval { lo: lo.max(least), hi: hi.min(most) }
            }
            _ if support.is_some_and(|(lo, hi)| lo < hi) => {
                let (lo, hi) = support.unwrap_or((0.0, 1.0));
                Domain::Interval { lo, hi }
            }
            (_, Domains::Real) => Domain::Real { unit: column.map_or(1.0, spread) },
            _ => Domain::Positive,
        }
    }

    /// The slot's number: a new one, or that of the tie.
    fn slot(&mut self, slot: Slot) -> Result<usize, Cause> {
        if let Some(tie) = &slot.param.tie
            && let Some(at) = self.slots.iter().position(|s| s.param.tie.as_ref() == Some(tie))
        {
            let first = &mut self.slots[at];
            if first.param != slot.param || first.spec.domain != slot.spec.domain {
                let say = |s: &Slot| format!("the {} of `{}`, {:?}", s.spec.name, s.family, s.param.state);
                return Err(Cause::Tie { tie: tie.name.to_string(), one: say(first), other: say(&slot) });
            }
            first.uses += 1;
            return Ok(at);
        }
        if let Some(tie) = &slot.param.tie
            && let Some(first) = self.slots.iter().find(|s| {
                s.param.tie.as_ref().is_some_and(|t| t.id() == tie.id() && t.is_element() != tie.is_element())
            })
        {
            let say = |s: &Slot| {
                let each = s.param.tie.as_ref().is_some_and(Tie::is_element);
                let size = if each { "one for each input" } else { "one number" };
                format!("the {} of `{}`, {size}", s.spec.name, s.family)
            };
            return Err(Cause::Tie { tie: tie.name.to_string(), one: say(first), other: say(&slot) });
        }
        self.slots.push(slot);
        Ok(self.slots.len() - 1)
    }

    /// The parameters of the periods of circles, for [`circle`](Self::circle): slots that do not move become numbers.
    pub(super) fn periods(&self, slots: &[usize]) -> Vec<Period> {
        let period = |&s: &usize| match self.slots[s].state {
            SlotState::Free => Period::Slot(s),
            SlotState::Fixed | SlotState::Held => Period::Number(self.slots[s].value),
        };
        slots.iter().map(period).collect()
    }

    /// Both views of a pair mapped the same way; `shown` says which inputs are shown by columns behind the parent's.
    pub(super) fn viewed(
        &mut self,
        kernel: &Kernel,
        seen: Seen,
        shown: &[usize],
        behind: usize,
        map: impl Fn() -> ViewMap,
    ) -> Result<Seen, BindError> {
        let mut one = |view: usize| {
            let first = self.columns[view].len();
            let mut all = self.views[view].shown.clone();
            for (i, &input) in shown.iter().enumerate() {
                let at = if behind == 2 { first + 2 * i } else { first };
                all[input] = (at..at + behind).collect();
            }
            self.view(kernel, view, map(), Some(all))
        };
        let left = one(seen.left)?;
        Ok(Seen { left, right: if seen.right == seen.left { left } else { one(seen.right)? } })
    }

    /// A view of a view. A node makes the same view of the same columns only once.
    pub(super) fn view(
        &mut self,
        kernel: &Kernel,
        parent: usize,
        map: ViewMap,
        shown: Option<Vec<Vec<usize>>>,
    ) -> Result<usize, BindError> {
        if let ViewMap::Placed(placement) = &map {
            return Ok(self.placed(parent, placement.clone()));
        }
        let key = (std::ptr::from_ref(kernel.node()) as usize, self.ids[parent].clone());
        if let Some(&known) = self.seen_through.get(&key) {
            return Ok(known);
        }
        let moving = match &map {
            ViewMap::Circle { periods, .. } => periods.iter().any(|p| matches!(p, Period::Slot(_))),
            _ => false,
        } || self.views[parent].moving;
        if moving && matches!(map, ViewMap::Function { .. }) {
            return Err(BindError { origin: kernel.origin(), place: Place::Function, cause: Cause::MovingFunction });
        }
        let values: Vec<f64> = self.slots.iter().map(|s| s.value).collect();
        let columns = map.apply(&self.columns[parent], &values).map_err(|e| BindError {
            origin: kernel.origin(),
            place: Place::Function,
            cause: Cause::Function { row: e.row, message: e.message },
        })?;
        let mut ids = self.ids[parent].clone();
        let kept = match &map {
            ViewMap::Circle { .. } | ViewMap::Sphere { .. } => ids.len(),
            _ => 0,
        };
        ids.truncate(kept);
        while ids.len() < columns.len() {
            ids.push(self.next_id);
            self.next_id += 1;
        }
        let shown = shown.unwrap_or_else(|| self.views[parent].shown.clone());
        self.views.push(View { parent, map, shown, moving });
        self.columns.push(columns);
        self.ids.push(ids);
        self.seen_through.insert(key, self.views.len() - 1);
        Ok(self.views.len() - 1)
    }

    /// A view in which inputs have changed places.
    pub(super) fn placed(&mut self, parent: usize, placement: Placement) -> usize {
        if placement.is_identity() {
            return parent;
        }
        let mut ids = self.ids[parent].clone();
        for (c, place) in placement.0.iter().enumerate() {
            ids[c] = match (place.sign, place.add) {
                (1.0, 0.0) => self.ids[parent][place.from],
                (sign, add) => {
                    let from = if sign == 0.0 { u64::MAX } else { self.ids[parent][place.from] };
                    let fresh = self.next_id;
                    let id = *self.known_ids.entry((from, sign.to_bits(), (add + 0.0).to_bits())).or_insert(fresh);
                    self.next_id += u64::from(id == fresh);
                    id
                }
            };
        }
        if let Some(known) = self.ids.iter().position(|known| *known == ids) {
            return known;
        }
        let map = ViewMap::Placed(placement);
        // a map of this kind never fails
        let columns = map.apply(&self.columns[parent], &[]).unwrap_or_default();
        let (shown, moving) = (self.views[parent].shown.clone(), self.views[parent].moving);
        self.views.push(View { parent, map, shown, moving });
        self.columns.push(columns);
        self.ids.push(ids);
        self.views.len() - 1
    }

    /// A view of the same rows through a function of the user.
    ///
    /// With `replace` the function's results take the place of the `inputs`; without, they are all that the view shows.
    ///
    /// # Errors
    /// The function fails at a row, or gives the wrong number of results; inputs that are wound round a circle.
    pub fn through(
        &mut self,
        kernel: &Kernel,
        seen: Seen,
        function: &Arc<dyn RowFunction>,
        inputs: &[usize],
        replace: bool,
    ) -> Result<Seen, BindError> {
        for view in [seen.left, seen.right] {
            if let Some(&wound) = inputs.iter().find(|&&input| self.views[view].shown[input] != [input]) {
                let cause = Cause::Wound { family: "a function".into(), input: self.name(wound).to_string() };
                return Err(BindError { origin: kernel.origin(), place: Place::Function, cause });
            }
        }
        let map = || ViewMap::Function { function: function.clone(), columns: inputs.to_vec(), replace };
        let left = self.view(kernel, seen.left, map(), None)?;
        let right = if seen.right == seen.left { left } else { self.view(kernel, seen.right, map(), None)? };
        Ok(Seen { left, right })
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

    /// Says that a wrap has no parameters of its own, in their place.
    pub fn no_params(&mut self) {
        match &mut self.again {
            Some(place) => *place += 1,
            None => self.places.push(Vec::new()),
        }
    }

    /// Refuses a function of which one number was wanted and several came.
    ///
    /// # Errors
    /// The view shows more than one column.
    pub fn one_result(&self, kernel: &Kernel, view: usize) -> Result<(), BindError> {
        match self.shows(view) {
            1 => Ok(()),
            n => Err(BindError {
                origin: kernel.origin(),
                place: Place::Function,
                cause: Cause::Rows(format!("the function has to give one number, and gives {n}")),
            }),
        }
    }

    /// How many columns a view shows.
    pub fn shows(&self, view: usize) -> usize {
        self.columns[view].len()
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

fn default_value(spec: &ParamSpec, param: &Param) -> f64 {
    match (param.state, param.prior) {
        (State::Bounded { lo, hi, .. }, _) if spec.default < lo || spec.default > hi => {
            if lo > 0.0 {
                (lo * hi).sqrt()
            } else {
                0.5 * (lo + hi)
            }
        }
        (_, Some(prior)) if prior.log_density(spec.default).0 == f64::NEG_INFINITY => prior.centre(),
        _ => spec.default,
    }
}

/// The standard deviation of a column; 1 where it does not vary.
fn spread(column: &[f64]) -> f64 {
    let n = column.len() as f64;
    let mean = column.iter().sum::<f64>() / n;
    let sd = (column.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / n).sqrt();
    if sd.is_finite() && sd > 0.0 { sd } else { 1.0 }
}
