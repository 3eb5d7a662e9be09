//! The plan of a bound kernel: inputs resolved, parameters assigned to slots, evaluation as a list of instructions.

mod indicators;
mod parameters;
mod views;

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use super::bind_error::{BindError, Cause, Origin, Place};
use super::elementwise::Elementwise;
use super::input_view::{View, ViewMap, ViewPair};
use super::inputs::Inputs;
use super::parameter_slot::Slot;
use super::program::{Instruction, Op, Program};
use super::schema::Schema;

/// The plan of a kernel's evaluation under construction. Each wrap adds its own instructions.
pub struct Plan<'s> {
    pub(super) schema: &'s Schema<'s>,
    pub(super) instructions: Vec<Instruction>,
    pub(super) views: Vec<View>,
    /// The training columns in each view.
    pub(super) columns: Vec<Vec<Vec<f64>>>,
    /// One number for each column of each view; equal for columns that are the same function of the rows.
    pub(super) ids: Vec<Vec<u64>>,
    pub(super) slots: Vec<Slot>,
    pub(super) places: Vec<Vec<Vec<usize>>>,
    /// The constants that each node computed from the training columns.
    pub(super) learnt: Vec<Vec<f64>>,
    pub(super) labels: Vec<Arc<str>>,
    /// Whether unset variances are held at 1 at this point.
    pub(super) unit_variance: bool,
    /// Whether the node is a factor of a product.
    pub(super) in_product: bool,
    /// If a kernel is planned again: the index of the parameters of its next node, which already exist.
    pub(super) reused_place: Option<usize>,
    /// If copies are planned, no instruction or view is created twice.
    pub(super) copying: bool,
    pub(super) made: HashMap<Key, usize>,
    /// If copies are planned: the registers of kernels inside wraps, by the index of their parameters, the number of
    /// nodes with parameters, and the views.
    pub(super) laid_out: HashMap<(usize, usize, ViewPair), usize>,
    known_views: HashMap<(usize, Vec<u64>), usize>,
    known_ids: HashMap<(u64, u64, u64), u64>,
    next_id: u64,
}

/// The largest number of instructions in a plan.
const MOST_INSTRUCTIONS: usize = 500_000;
/// The largest number of values in the views of a plan: 2 GB.
const MOST_NUMBERS: usize = 250_000_000;

/// The slots of a node's parameters, and the range of each parameter.
pub type OwnParams = (Vec<usize>, Vec<Range<usize>>);

/// Parameters that are still to be inserted at their index.
pub(super) struct DeferredParams(pub(super) Option<Vec<Vec<usize>>>);

/// Two instructions with equal keys are the same.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(super) enum Key {
    Sum(Vec<usize>),
    Product(Vec<usize>),
    Part {
        args: Vec<usize>,
        weights: Vec<u64>,
    },
    /// The index of the node's parameters, and its columns.
    Node {
        place: usize,
        args: Vec<usize>,
        left: Vec<u64>,
        right: Vec<u64>,
    },
}

/// The columns of a view on which a node depends.
#[derive(Debug, Clone)]
pub struct InputColumns {
    /// The inputs of the data.
    pub inputs: Vec<usize>,
    /// The columns of the view that represent them.
    pub columns: Vec<usize>,
    /// For each of `columns`, the index in `inputs` of the input that it represents.
    pub of: Vec<usize>,
    /// For each of `columns`, the level of a categorical input of which it is the indicator.
    pub levels: Vec<Option<Arc<str>>>,
}

/// The input or level to which one value of a parameter of [`Size::Each`](super::family::Size::Each) belongs.
#[derive(Debug, Clone, Default)]
pub struct Element {
    /// An input of the data.
    pub input: Option<usize>,
    /// A level of this input.
    pub level: Option<Arc<str>>,
}

impl InputColumns {
    /// No columns of these inputs.
    pub(super) fn none(inputs: &[usize]) -> Self {
        Self { inputs: inputs.to_vec(), columns: Vec::new(), of: Vec::new(), levels: Vec::new() }
    }

    /// For each column, the index of its value in a parameter of one value per input, and what each value belongs to.
    /// Columns that together represent one input share a value; each level of a categorical input has its own.
    pub(super) fn elements(&self) -> (Vec<usize>, Vec<Element>) {
        let mut elements: Vec<Element> = Vec::new();
        let place = |(&of, level): (&usize, &Option<Arc<str>>)| {
            let input = Some(self.inputs[of]);
            let known = elements.iter().position(|e| level.is_none() && e.input == input);
            known.unwrap_or_else(|| {
                elements.push(Element { input, level: level.clone() });
                elements.len() - 1
            })
        };
        (self.of.iter().zip(&self.levels).map(place).collect(), elements)
    }
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
            unit_variance: false,
            in_product: false,
            reused_place: None,
            copying: false,
            made: HashMap::new(),
            laid_out: HashMap::new(),
            known_views: HashMap::new(),
            known_ids: HashMap::new(),
            next_id: width as u64,
        }
    }

    pub(super) fn finish(self) -> (Program, Vec<Slot>, Vec<Vec<Vec<usize>>>) {
        let Plan { instructions, views, schema, slots, places, .. } = self;
        let needs_diagonals = instructions.iter().any(|i| i.diagonals.is_some());
        (Program { instructions, views, needs_diagonals, columns: schema.columns.len() }, slots, places)
    }

    /// Rejects an evaluation that would need too much time or memory.
    pub(super) fn check_size(&self, origin: Option<Origin>) -> Result<(), BindError> {
        let rows = self.schema.columns.first().map_or(0, |column| column.values.len());
        let numbers = self.views.len().saturating_mul(self.width()).saturating_mul(rows);
        if self.instructions.len() > MOST_INSTRUCTIONS || (self.views.len() > 1 && numbers > MOST_NUMBERS) {
            return Err(BindError { origin, place: Place::Node, cause: Cause::TooLarge });
        }
        Ok(())
    }

    /// The number of inputs of the data.
    pub fn width(&self) -> usize {
        self.schema.columns.len()
    }

    /// The name of an input of the data.
    pub fn name(&self, input: usize) -> &'s str {
        self.schema.columns[input].name
    }

    /// Plans the evaluation of one kernel through several pairs of views, with one set of parameters.
    ///
    /// # Errors
    /// [`BindError`]: a part that does not fit the data set.
    pub fn repeated(
        &mut self,
        views: &[ViewPair],
        mut lay: impl FnMut(&mut Self, ViewPair) -> Result<(), BindError>,
    ) -> Result<(), BindError> {
        let copying = std::mem::replace(&mut self.copying, true);
        let (reused, start) = (self.reused_place, self.reused_place.unwrap_or(self.places.len()));
        for (i, &views) in views.iter().enumerate() {
            self.reused_place = if i == 0 { reused } else { Some(start) };
            lay(self, views)?;
        }
        if reused.is_none() {
            self.reused_place = None;
        }
        self.copying = copying;
        Ok(())
    }

    /// A sum with known weights inside a wrap, planned before the parameters of the wrap exist.
    pub(super) fn weighted_sum(&mut self, function: Box<dyn Elementwise>, args: Vec<usize>, weights: &[f64]) -> usize {
        let op = Op::Elementwise {
            function: function.into(),
            views: ViewPair::both(0),
            columns: Vec::new(),
            slots: Vec::new(),
            ranges: Vec::new(),
        };
        let key = Key::Part { args: args.clone(), weights: weights.iter().map(|w| w.to_bits()).collect() };
        self.once(key, op, args, None)
    }

    fn push(&mut self, op: Op, args: Vec<usize>, diagonals: Option<[usize; 2]>) -> usize {
        self.instructions.push(Instruction { op, args, diagonals });
        self.instructions.len() - 1
    }

    /// Adds an instruction. If copies are planned, an equal instruction is reused.
    pub(super) fn once(&mut self, key: Key, op: Op, args: Vec<usize>, diagonals: Option<[usize; 2]>) -> usize {
        if !self.copying {
            return self.push(op, args, diagonals);
        }
        if let Some(&made) = self.made.get(&key) {
            return made;
        }
        let register = self.push(op, args, diagonals);
        self.made.insert(key, register);
        register
    }

    pub(super) fn ids_of(&self, view: usize, columns: &[usize]) -> Vec<u64> {
        columns.iter().map(|&c| self.ids[view][c]).collect()
    }

    pub(super) fn learn(&mut self, place: usize, learnt: Vec<f64>) {
        if self.learnt.len() <= place {
            self.learnt.resize(place + 1, Vec::new());
        }
        self.learnt[place] = learnt;
    }

    /// The inputs of the data on which a node depends.
    ///
    /// # Errors
    /// [`BindError`]: an input that does not exist.
    pub fn inputs(&self, origin: Option<Origin>, inputs: &Inputs) -> Result<Vec<usize>, BindError> {
        inputs.places(&self.schema.names(), origin)
    }

    /// The columns of a view on which a node depends, each once.
    ///
    /// # Errors
    /// [`BindError`]: an input that does not exist.
    pub fn input_columns(
        &self,
        origin: Option<Origin>,
        inputs: &Inputs,
        view: usize,
    ) -> Result<InputColumns, BindError> {
        let inputs = self.inputs(origin, inputs)?;
        let mut all = InputColumns::none(&inputs);
        for (i, &input) in inputs.iter().enumerate() {
            let levels = self.indicated_levels(view, input);
            for (at, &column) in self.views[view].shown[input].iter().enumerate() {
                if !all.columns.contains(&column) {
                    all.columns.push(column);
                    all.of.push(i);
                    all.levels.push(levels.as_ref().map(|levels| levels[at].clone()));
                }
            }
        }
        Ok(all)
    }

    /// The one input of a node that is defined on a single input.
    ///
    /// # Errors
    /// [`BindError`]: an input that does not exist, or several inputs.
    pub fn single_input(
        &self,
        origin: Option<Origin>,
        inputs: &Inputs,
        views: ViewPair,
        family: &'static str,
    ) -> Result<Vec<usize>, BindError> {
        let columns = self.inputs(origin, inputs)?;
        if columns.len() > 1 {
            let inputs = columns.iter().map(|&c| self.name(c).to_string()).collect();
            let cause = Cause::SeveralInputs { family, inputs };
            return Err(BindError { origin, place: Place::Node, cause });
        }
        self.numbers(origin, &columns, "have no order in which something could change")?;
        self.not_embedded(origin, &columns, views.left, family)?;
        Ok(columns)
    }

    /// Rejects categorical columns; `as_they` is the reason.
    ///
    /// # Errors
    /// [`Cause::NotNumbers`](super::bind_error::Cause::NotNumbers) with the first of them.
    pub fn numbers(&self, origin: Option<Origin>, columns: &[usize], as_they: &'static str) -> Result<(), BindError> {
        let cause = |column| Cause::NotNumbers { column, as_they };
        self.no_categories(origin, columns, cause)
    }

    /// Rejects categorical columns.
    pub(super) fn no_categories(
        &self,
        origin: Option<Origin>,
        columns: &[usize],
        cause: impl Fn(String) -> Cause,
    ) -> Result<(), BindError> {
        match columns.iter().position(|&c| self.schema.columns[c].is_categories()) {
            None => Ok(()),
            Some(i) => {
                let cause = cause(self.schema.columns[columns[i]].name.to_string());
                Err(BindError { origin, place: Place::Input(i), cause })
            }
        }
    }

    /// Adds an element-by-element combination of registers with its own parameters and columns; [`Parts`] names the
    /// registers whose values k(x, x) and k(x′, x′) it needs. Must be called right after its parameters are created.
    pub fn elementwise(&mut self, function: Box<dyn Elementwise>, parts: Parts) -> usize {
        let Parts { args, diagonals, views, columns, slots, ranges } = parts;
        let place = self.reused_place.unwrap_or(self.places.len()) - 1;
        let mut all = args.clone();
        all.extend(diagonals.into_iter().flatten());
        let key = Key::Node {
            place,
            args: all,
            left: self.ids_of(views.left, &columns),
            right: self.ids_of(views.right, &columns),
        };
        self.once(key, Op::Elementwise { function: function.into(), views, columns, slots, ranges }, args, diagonals)
    }
}

/// The arguments of a combination.
#[derive(Debug, Clone)]
pub struct Parts {
    /// Registers, element by element.
    pub args: Vec<usize>,
    pub diagonals: Option<[usize; 2]>,
    pub views: ViewPair,
    /// The columns of the views on which it depends directly.
    pub columns: Vec<usize>,
    pub slots: Vec<usize>,
    pub ranges: Vec<Range<usize>>,
}

impl Parts {
    /// Registers only.
    pub fn of(args: Vec<usize>, views: ViewPair) -> Self {
        Self { args, diagonals: None, views, columns: Vec::new(), slots: Vec::new(), ranges: Vec::new() }
    }

    /// The same with the parameters of the wrap.
    pub fn params(self, (slots, ranges): OwnParams) -> Self {
        Self { slots, ranges, ..self }
    }
}
