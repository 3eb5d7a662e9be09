//! A kernel beside the columns of a data set: inputs resolved, parameters counted and given slots, ties made one, and
//! the plan of evaluation laid out.

use std::ops::Range;
use std::sync::Arc;

use super::family::{Domains, ParamSpec, Size};
use super::program::{Instruction, LeafOp, Op, Program, View, ViewMap};
use super::wrap::{Combine, RowFunction};
use super::{InputRef, Inputs, Kernel, Leaf, Node, Origin, Values, Wrapped};
use crate::param::{Domain, Param, State, Tie};

/// The inputs of a data set, as a kernel sees them.
#[derive(Debug, Clone)]
pub struct Schema<'a> {
    pub columns: Vec<Column<'a>>,
}

/// One input column.
#[derive(Debug, Clone, Copy)]
pub struct Column<'a> {
    pub name: &'a str,
    pub values: &'a [f64],
    /// Its values are codes of categories, between which there is no distance.
    pub categories: bool,
}

impl<'a> Schema<'a> {
    /// Columns of plain numbers under names `x0`, `x1`, ….
    pub fn unnamed(names: &'a [String], columns: &[&'a [f64]]) -> Self {
        let columns =
            names.iter().zip(columns).map(|(name, values)| Column { name, values, categories: false }).collect();
        Self { columns }
    }

    fn values(&self) -> Vec<&'a [f64]> {
        self.columns.iter().map(|c| c.values).collect()
    }
}

/// What keeps a kernel from being used on a data set, and which node and place of it.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{cause}")]
pub struct BindError {
    pub origin: Option<Origin>,
    pub place: Place,
    pub cause: Cause,
}

/// Where in a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    Node,
    /// The i-th of its inputs.
    Input(usize),
    /// The i-th of its parameters.
    Param(usize),
    /// The function that it was given.
    Function,
}

#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Cause {
    #[error("there is no input {input}: the data have {}", list(known))]
    UnknownInput { input: String, known: Vec<String> },
    #[error("`{family}` looks at one input, and here it would see {}", list(inputs))]
    SeveralInputs { family: &'static str, inputs: Vec<String> },
    #[error("the data have no input column for `{family}` to look at")]
    NoInputs { family: &'static str },
    #[error("`{column}` holds categories, between which `{family}` has no distance: use `onehot({column})`")]
    Categories { family: &'static str, column: String },
    #[error("`{param}` has {found} values for {expected} inputs")]
    Length { param: &'static str, expected: usize, found: usize },
    #[error("{0}")]
    Param(#[from] ParamError),
    #[error("parameters tied as `{tie}` disagree: one is {one}, another {other}")]
    Tie { tie: String, one: String, other: String },
    #[error("{message} (row {row})")]
    Function { row: usize, message: String },
    #[error("{0}")]
    Rows(String),
}

/// Why a parameter cannot be as it was written.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ParamError {
    #[error("the {param} of `{family}` must be positive, found {value}")]
    NotPositive { family: &'static str, param: &'static str, value: f64 },
    #[error("the {param} of `{family}` must be a finite number, found {value}")]
    NotFinite { family: &'static str, param: &'static str, value: f64 },
    #[error("the {param} of `{family}` must be a whole number of at least 1, found {value}")]
    NotCount { family: &'static str, param: &'static str, value: f64 },
    #[error("the {param} of `{family}` is always fixed: give a whole number")]
    AlwaysFixed { family: &'static str, param: &'static str },
    #[error("the bounds of the {param} of `{family}` are the wrong way round: {lo} is not below {hi}")]
    Bounds { family: &'static str, param: &'static str, lo: f64, hi: f64 },
    #[error("the {param} of `{family}` starts at {value}, outside its bounds {lo} and {hi}")]
    Outside { family: &'static str, param: &'static str, value: f64, lo: f64, hi: f64 },
    #[error("the prior {prior} of the {param} of `{family}` gives {value} no probability")]
    Prior { family: &'static str, param: &'static str, prior: String, value: f64 },
}

impl ParamSpec {
    /// Checks a parameter as it was written.
    ///
    /// # Errors
    /// [`ParamError`]: a value outside the domain, bounds the wrong way round, a start outside them or outside the prior.
    pub fn check(&self, family: &'static str, written: &Param) -> Result<(), ParamError> {
        let param = self.name;
        let one = |value: f64| match self.domain {
            _ if !value.is_finite() => Err(ParamError::NotFinite { family, param, value }),
            Domains::Positive if value <= 0.0 => Err(ParamError::NotPositive { family, param, value }),
            Domains::Count if value < 1.0 || value.fract() != 0.0 || value > 64.0 => {
                Err(ParamError::NotCount { family, param, value })
            }
            _ => Ok(()),
        };
        if let Some(value) = written.value() {
            one(value)?;
            if let Some(prior) = written.prior.filter(|p| p.log_density(value).0 == f64::NEG_INFINITY) {
                return Err(ParamError::Prior { family, param, prior: prior.to_string(), value });
            }
        }
        match written.state {
            State::Bounded { lo, hi, value } => {
                if self.domain == Domains::Count {
                    return Err(ParamError::AlwaysFixed { family, param });
                }
                if self.domain == Domains::Positive && lo < 0.0 {
                    return Err(ParamError::NotPositive { family, param, value: lo });
                }
                for bound in [lo, hi] {
                    if !bound.is_finite() {
                        return Err(ParamError::NotFinite { family, param, value: bound });
                    }
                }
                if lo >= hi {
                    return Err(ParamError::Bounds { family, param, lo, hi });
                }
                match value {
                    Some(value) if value < lo || value > hi => {
                        Err(ParamError::Outside { family, param, value, lo, hi })
                    }
                    _ => Ok(()),
                }
            }
            _ if self.domain == Domains::Count && (written.prior.is_some() || written.tie.is_some()) => {
                Err(ParamError::AlwaysFixed { family, param })
            }
            _ => Ok(()),
        }
    }
}

/// Whether a fit moves a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SlotState {
    Free,
    /// By the user.
    Fixed,
    /// An unset variance that a product does not need.
    Held,
}

/// One number that a bound kernel depends on. Tied parameters share one.
#[derive(Debug, Clone)]
pub struct Slot {
    /// The name of the family or wrap.
    pub family: &'static str,
    pub spec: &'static ParamSpec,
    /// For a parameter of one-for-each: which.
    pub element: Option<usize>,
    pub param: Param,
    pub state: SlotState,
    pub domain: Domain,
    /// What was written, or the default of the family.
    pub value: f64,
    /// The columns of the data that its node looks at.
    pub columns: Vec<usize>,
    /// Its node sees them through a function of the user, so that their units are lost.
    pub warped: bool,
    /// Names around its node, outermost first.
    pub labels: Vec<Arc<str>>,
    pub origin: Option<Origin>,
    /// How many parameters of the tree it stands for.
    pub uses: usize,
    /// Its node is a factor among others, so that a variance has no meaning of its own.
    pub beside: bool,
}

/// A kernel set beside the columns of a data set.
#[derive(Debug, Clone)]
pub struct Bound {
    pub(super) kernel: Kernel,
    pub(super) program: Arc<Program>,
    slots: Vec<Slot>,
    /// For every node with parameters, depth first: for every parameter, the slots of its numbers.
    places: Vec<Vec<Vec<usize>>>,
}

impl Kernel {
    /// Sets the kernel beside the columns of a data set.
    ///
    /// Slots are in depth-first order, a node's own after its children's, and within a node in the order of its spec.
    /// An unset variance is held at 1 in every factor of a product but the first, and in all plain factors beside a
    /// sum; numbers do not count as factors. A tie over a parameter of one for each input ties element by element.
    ///
    /// # Errors
    /// [`BindError`] names the node and what of it does not fit.
    pub fn bind(&self, schema: &Schema<'_>) -> Result<Bound, BindError> {
        let mut plan = Plan {
            schema,
            instructions: Vec::new(),
            views: vec![View { parent: 0, map: ViewMap::Identity }],
            columns: vec![schema.values().iter().map(|c| c.to_vec()).collect()],
            slots: Vec::new(),
            places: Vec::new(),
            labels: Vec::new(),
            held: false,
            beside: false,
        };
        plan.kernel(self, 0)?;
        let Plan { instructions, views, slots, places, .. } = plan;
        let program = Program { instructions, views, columns: schema.columns.len() };
        Ok(Bound { kernel: self.clone(), program: Arc::new(program), slots, places })
    }
}

impl Bound {
    /// The kernel as it was bound.
    pub fn kernel(&self) -> &Kernel {
        &self.kernel
    }

    pub fn slots(&self) -> &[Slot] {
        &self.slots
    }

    /// What was written, or the defaults, slot by slot.
    pub fn values(&self) -> Vec<f64> {
        self.slots.iter().map(|s| s.value).collect()
    }

    /// The kernel with these values, slot by slot: free parameters that were unset get them written, held and fixed
    /// ones stay as they are.
    pub fn with_values(&self, values: &[f64]) -> Kernel {
        let mut places = self.places.iter();
        self.rebuild(&self.kernel, values, &mut places)
    }

    fn rebuild<'p>(
        &self,
        kernel: &Kernel,
        values: &[f64],
        places: &mut impl Iterator<Item = &'p Vec<Vec<usize>>>,
    ) -> Kernel {
        let fill = |params: &[Values], slots: Option<&Vec<Vec<usize>>>| -> Vec<Values> {
            let Some(slots) = slots else { return params.to_vec() };
            let one = |written: &Param, slot: usize| match self.slots[slot].state {
                SlotState::Held => written.clone(),
                SlotState::Fixed if written.is_unset() => written.clone(),
                _ => written.with_value(values[slot]),
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
                let children = children.iter().map(|c| self.rebuild(c, values, places)).collect();
                kernel.with_node(Node::Sum(children))
            }
            Node::Product(children) => {
                let children = children.iter().map(|c| self.rebuild(c, values, places)).collect();
                kernel.with_node(Node::Product(children))
            }
            Node::Wrap(wrapped) => {
                let children = wrapped.children.iter().map(|c| self.rebuild(c, values, places)).collect();
                let params = fill(&wrapped.params, places.next());
                kernel.with_node(Node::Wrap(Wrapped { children, params, ..wrapped.clone() }))
            }
        }
    }
}

/// A kernel on its way to being bound. Wraps write their own evaluation into it.
pub struct Plan<'s> {
    schema: &'s Schema<'s>,
    instructions: Vec<Instruction>,
    views: Vec<View>,
    /// The training columns as each view shows them.
    columns: Vec<Vec<Vec<f64>>>,
    slots: Vec<Slot>,
    places: Vec<Vec<Vec<usize>>>,
    labels: Vec<Arc<str>>,
    held: bool,
    beside: bool,
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
                let product = matches!(kernel.node(), Node::Product(_));
                self.beside |= product && children.iter().filter(|c| c.as_number().is_none()).count() > 1;
                let mut args = Vec::with_capacity(children.len());
                for (child, held) in children.iter().zip(kernel.held_children(held)) {
                    self.held = held;
                    args.push(self.kernel(child, view)?);
                }
                self.push(if product { Op::Product } else { Op::Sum }, args)
            }
            Node::Wrap(wrapped) => wrapped.wrap.plan(self, kernel, wrapped, view)?,
        };
        (self.held, self.beside) = (held, beside);
        self.labels.truncate(labels);
        Ok(register)
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
            let takes_categories = std::ptr::eq(spec, super::families::ONEHOT.spec());
            if let Some(i) = columns.iter().position(|&c| self.schema.columns[c].categories && !takes_categories) {
                let column = self.schema.columns[columns[i]].name.to_string();
                return Err(error(Place::Input(i), Cause::Categories { family: spec.name, column }));
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
        match (param.state, spec.domain) {
            (State::Bounded { lo, hi, .. }, _) => Domain::Interval { lo, hi },
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
        Ok(columns)
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

fn list(names: &[String]) -> String {
    match names {
        [] => "no input".to_string(),
        [one] => format!("`{one}` (0)"),
        many => {
            let named: Vec<String> = many.iter().enumerate().map(|(i, n)| format!("`{n}` ({i})")).collect();
            named.join(", ")
        }
    }
}

impl std::fmt::Display for InputRef {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            InputRef::Index(at) => write!(f, "{at}"),
            InputRef::Name(name) => write!(f, "`{name}`"),
        }
    }
}
