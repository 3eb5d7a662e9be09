//! A kernel on its way to being bound: inputs found, parameters given slots, evaluation laid out instruction by
//! instruction.

use std::ops::Range;
use std::sync::Arc;

use super::bind::{BindError, Cause, Place, Schema, Slot, SlotState};
use super::family::{Domains, ParamSpec, Size};
use super::program::{Instruction, LeafOp, Op, View, ViewMap};
use super::wrap::{Combine, RowFunction};
use super::{InputRef, Inputs, Kernel, Leaf, Node, Values, Wrapped};
use crate::param::{Domain, Param, Prior, State, Tie};

/// A kernel on its way to being bound. Wraps write their own evaluation into it.
pub struct Plan<'s> {
    pub(super) schema: &'s Schema<'s>,
    pub(super) instructions: Vec<Instruction>,
    pub(super) views: Vec<View>,
    /// The training columns as each view shows them.
    pub(super) columns: Vec<Vec<Vec<f64>>>,
    pub(super) slots: Vec<Slot>,
    pub(super) places: Vec<Vec<Vec<usize>>>,
    pub(super) labels: Vec<Arc<str>>,
    pub(super) held: bool,
    pub(super) beside: bool,
}

impl Plan<'_> {
    /// Lays out a kernel seen from a view; gives the register that will hold its values.
    ///
    /// # Errors
    /// Whatever does not fit the data set.
    pub fn kernel(&mut self, kernel: &Kernel, view: usize) -> Result<usize, BindError> {
        let labels = self.labels.len();
        self.labels.extend(kernel.label().cloned());
        let (held, beside) = (self.held, self.beside);
        let register = match kernel.node() {
            Node::Leaf(leaf) => self.leaf(kernel, leaf, view)?,
            Node::Sum(children) | Node::Product(children) => {
                let mut args = Vec::with_capacity(children.len());
                self.operands(kernel, view, &mut args)?;
                self.push(if matches!(kernel.node(), Node::Sum(_)) { Op::Sum } else { Op::Product }, args)
            }
            Node::Wrap(wrapped) => wrapped.wrap.plan(self, kernel, wrapped, view)?,
        };
        (self.held, self.beside) = (held, beside);
        self.labels.truncate(labels);
        Ok(register)
    }

    /// Lays out what a sum adds or a product multiplies. A sum in a sum, which only its name keeps together, is taken
    /// apart, so that a name does not change the order of rounding.
    fn operands(&mut self, kernel: &Kernel, view: usize, args: &mut Vec<usize>) -> Result<(), BindError> {
        let product = matches!(kernel.node(), Node::Product(_));
        let children = kernel.children();
        self.beside |= product && children.iter().filter(|c| c.as_number().is_none()).count() > 1;
        for (child, held) in children.iter().zip(kernel.held_children(self.held)) {
            let before = std::mem::replace(&mut self.held, held);
            match (kernel.node(), child.node()) {
                (Node::Sum(_), Node::Sum(_)) | (Node::Product(_), Node::Product(_)) => {
                    let labels = self.labels.len();
                    self.labels.extend(child.label().cloned());
                    self.operands(child, view, args)?;
                    self.labels.truncate(labels);
                }
                _ => args.push(self.kernel(child, view)?),
            }
            self.held = before;
        }
        Ok(())
    }

    fn push(&mut self, op: Op, args: Vec<usize>) -> usize {
        self.instructions.push(Instruction { op, args });
        self.instructions.len() - 1
    }

    fn leaf(&mut self, kernel: &Kernel, leaf: &Leaf, view: usize) -> Result<usize, BindError> {
        let spec = leaf.family.spec();
        let error = |place, cause| BindError { origin: kernel.origin(), place, cause };
        let columns = if spec.reads_inputs { self.inputs(kernel, &leaf.inputs)? } else { Vec::new() };
        if spec.reads_inputs {
            if columns.is_empty() {
                return Err(error(Place::Node, Cause::NoInputs { family: spec.name }));
            }
            if columns.len() > 1 && !spec.several_inputs {
                let inputs = columns.iter().map(|&c| self.schema.columns[c].name.to_string()).collect();
                return Err(error(Place::Node, Cause::SeveralInputs { family: spec.name, inputs }));
            }
            if !std::ptr::eq(spec, super::families::ONEHOT.spec()) {
                self.no_categories(kernel, &columns, spec.name)?;
            }
        }
        let seen: Vec<&[f64]> = columns.iter().map(|&c| &self.columns[view][c][..]).collect();
        let learnt = leaf.family.learn(&seen);
        let elements = leaf.family.elements(columns.len(), &learnt);
        let warped = view != 0;
        let (slots, ranges) =
            self.params(kernel, spec.name, spec.params, &leaf.params, elements, leaf.ard, &columns, warped)?;
        let op = LeafOp {
            family: leaf.family,
            columns,
            learnt,
            slots,
            ranges,
            left: view,
            right: view,
            origin: kernel.origin(),
        };
        Ok(self.push(Op::Leaf(op), Vec::new()))
    }

    /// The columns that a node looks at.
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
        columns: &[usize],
        elements: usize,
    ) -> Result<(Vec<usize>, Vec<Range<usize>>), BindError> {
        let spec = wrapped.wrap.spec();
        self.params(kernel, spec.name, spec.params, &wrapped.params, elements, false, columns, false)
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
        columns: &[usize],
        warped: bool,
    ) -> Result<(Vec<usize>, Vec<Range<usize>>), BindError> {
        let origin = kernel.origin();
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
            if params.len() != wanted {
                return Err(error(Cause::Length { param: spec.name, expected: wanted, found: params.len() }));
            }
            let start = slots.len();
            for (e, param) in params.iter().enumerate() {
                spec.check(family, param).map_err(|e| error(e.into()))?;
                let element = (each && (wanted > 1 || ard)).then_some(e);
                let column = if each { columns.get(e) } else { columns.first() };
                let slot = Slot {
                    family,
                    spec,
                    element,
                    param: param.clone(),
                    state: self.state(spec, param),
                    domain: self.domain(spec, param, column.map(|&c| self.schema.columns[c].values)),
                    value: param.value().unwrap_or_else(|| default_value(spec, param)),
                    columns: if each { column.into_iter().copied().collect() } else { columns.to_vec() },
                    warped,
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

    /// A view of the same rows through a function of the user.
    ///
    /// With `replace` the function's results take the place of `columns`; without, they are all that the view shows.
    ///
    /// # Errors
    /// The function fails at a row, or gives the wrong number of results.
    pub fn through(
        &mut self,
        kernel: &Kernel,
        view: usize,
        function: Arc<dyn RowFunction>,
        columns: Vec<usize>,
        replace: bool,
    ) -> Result<usize, BindError> {
        let map = ViewMap::Function { function, columns, replace };
        let seen = map.apply(&self.columns[view]).map_err(|e| BindError {
            origin: kernel.origin(),
            place: Place::Function,
            cause: Cause::Function { row: e.row, message: e.message },
        })?;
        self.views.push(View { parent: view, map });
        self.columns.push(seen);
        Ok(self.views.len() - 1)
    }

    /// The one input of a node that looks at one.
    ///
    /// # Errors
    /// An input that does not exist, or several.
    pub fn one_input(&self, kernel: &Kernel, inputs: &Inputs, family: &'static str) -> Result<Vec<usize>, BindError> {
        let columns = self.inputs(kernel, inputs)?;
        if columns.len() > 1 {
            let inputs = columns.iter().map(|&c| self.schema.columns[c].name.to_string()).collect();
            let cause = Cause::SeveralInputs { family, inputs };
            return Err(BindError { origin: kernel.origin(), place: Place::Node, cause });
        }
        self.no_categories(kernel, &columns, family)?;
        Ok(columns)
    }

    /// Refuses columns of categories, between which there is no distance.
    ///
    /// # Errors
    /// [`Cause::Categories`] with the first of them.
    pub fn no_categories(&self, kernel: &Kernel, columns: &[usize], family: &'static str) -> Result<(), BindError> {
        match columns.iter().position(|&c| self.schema.columns[c].categories) {
            None => Ok(()),
            Some(i) => {
                let column = self.schema.columns[columns[i]].name.to_string();
                let cause = Cause::Categories { family, column };
                Err(BindError { origin: kernel.origin(), place: Place::Input(i), cause })
            }
        }
    }

    /// Says that a wrap has no parameters of its own, in their place.
    pub fn no_params(&mut self) {
        self.places.push(Vec::new());
    }

    /// Refuses a function of which one number was wanted and several came.
    ///
    /// # Errors
    /// The view shows more than one column.
    pub fn one_result(&self, kernel: &Kernel, view: usize) -> Result<(), BindError> {
        match self.width(view) {
            1 => Ok(()),
            n => Err(BindError {
                origin: kernel.origin(),
                place: Place::Function,
                cause: Cause::Rows(format!("the function has to give one number, and gives {n}")),
            }),
        }
    }

    /// How many columns a view shows.
    pub fn width(&self, view: usize) -> usize {
        self.columns[view].len()
    }

    /// An element-by-element combination of registers, with parameters and columns of its own.
    pub fn combine(
        &mut self,
        combine: Box<dyn Combine>,
        args: Vec<usize>,
        view: usize,
        columns: Vec<usize>,
        slots: Vec<usize>,
        ranges: Vec<Range<usize>>,
    ) -> usize {
        self.push(Op::Combine { combine: combine.into(), view, columns, slots, ranges }, args)
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
