//! A kernel beside the columns of a data set: inputs resolved, parameters counted and given slots, ties made one, and
//! the plan of evaluation laid out.

use std::sync::Arc;

use super::family::ParamSpec;
use super::parameter_checks::ParamError;
use super::plan::{Plan, Seen};
use super::program::Program;
use super::{InputRef, Inputs, Kernel, Leaf, Node, Origin, Values, Wrapped};
use crate::param::{Domain, Param};

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

    /// What the columns are called.
    pub(super) fn names(&self) -> Vec<&'a str> {
        self.columns.iter().map(|c| c.name).collect()
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
    #[error("`{column}` holds categories, which {as_they}")]
    NotNumbers { column: String, as_they: &'static str },
    #[error("`{param}` has {} for {expected} {of}", values(*found))]
    Length { param: &'static str, expected: usize, found: usize, of: &'static str },
    #[error("{0}")]
    Param(#[from] ParamError),
    #[error("parameters tied as `{tie}` disagree: one is {one}, another {other}")]
    Tie { tie: String, one: String, other: String },
    #[error("{message} (row {row})")]
    Function { row: usize, message: String },
    #[error("{0}")]
    Rows(String),
    #[error(
        "{family} cannot look at `{input}` here, which is wound round a circle or a sphere and shown as several coordinates"
    )]
    Wound { family: String, input: String },
    #[error("a function inside `periodic` cannot follow a period that is fitted: write `period=fixed(…)`")]
    MovingFunction,
    #[error("`{family}` is about {wanted} inputs, and here it is given {found}")]
    Inputs { family: &'static str, wanted: usize, found: usize },
    #[error("{0}")]
    Move(#[from] super::group::MoveError),
    #[error("`{base}` names inputs of its own, and here it stands for one kernel for each input")]
    NamesInputs { base: String },
    #[error("order {order} needs at least as many inputs, and here there {}", are(*inputs))]
    Order { order: usize, inputs: usize },
    #[error("an image of {rows} by {cols} pixels needs {} inputs, and here there {}", rows * cols, are(*inputs))]
    Image { rows: usize, cols: usize, inputs: usize },
}

fn values(n: usize) -> String {
    if n == 1 { "1 value".into() } else { format!("{n} values") }
}

fn are(inputs: usize) -> String {
    match inputs {
        1 => "is 1".into(),
        n => format!("are {n}"),
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
    /// Its node sees them through a function of the user or round a circle, so that their units are lost.
    pub warped: bool,
    /// Then: how far apart the rows lie as its node sees them.
    pub width: Option<f64>,
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
        let kernel = self.spread(&schema.names())?;
        let mut plan = Plan::new(schema);
        plan.kernel(&kernel, Seen::both(0))?;
        let (program, slots, places) = plan.finish();
        Ok(Bound { kernel, program: Arc::new(program), slots, places })
    }

    /// Where inputs of this node stand among those of the data.
    ///
    /// # Errors
    /// [`Cause::UnknownInput`].
    pub(super) fn places_of(&self, inputs: &Inputs, names: &[&str]) -> Result<Vec<usize>, BindError> {
        let Inputs::These(these) = inputs else { return Ok((0..names.len()).collect()) };
        let place = |(i, input): (usize, &InputRef)| {
            let found = match input {
                InputRef::Index(at) => (*at < names.len()).then_some(*at),
                InputRef::Name(name) => names.iter().position(|known| *known == &**name),
            };
            found.ok_or_else(|| {
                let known = names.iter().map(|name| name.to_string()).collect();
                let cause = Cause::UnknownInput { input: input.to_string(), known };
                BindError { origin: self.origin(), place: Place::Input(i), cause }
            })
        };
        these.iter().enumerate().map(place).collect()
    }

    /// The kernel with what stands for one kernel for each input written out.
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
