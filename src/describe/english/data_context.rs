//! The inputs and the target of a described kernel: names, units, ranges.

use std::sync::Arc;

use super::quantity::{date_place, place};
use super::words::join_and;
use crate::calendar::TimeUnit;
use crate::fit::Fit;
use crate::fit::spacing::{distinct, median_gap};
use crate::kernel::{Column, InputRef, Inputs};

/// The columns of the data; none if there are no data.
#[derive(Debug, Clone, Default)]
pub struct DataContext {
    columns: Vec<Input>,
    /// The unit of the target, on the scale of the model.
    pub target: Option<String>,
    /// Whether a kernel of all inputs is one kernel per input.
    each: bool,
}

/// One input in a description.
#[derive(Debug, Clone, PartialEq)]
pub struct Input {
    pub name: String,
    pub unit: Option<String>,
    /// The range of the data in it.
    pub range: Option<(f64, f64)>,
    /// The unit of its values if they are times; locations are then dates.
    pub time: Option<TimeUnit>,
    /// The distinct values of the data in it, ascending.
    pub rows: Arc<[f64]>,
    /// Whether it represents all inputs, because they are not known.
    pub all: bool,
}

impl Input {
    fn named(name: impl Into<String>) -> Self {
        Self { name: name.into(), unit: None, range: None, time: None, rows: Arc::from([]), all: false }
    }

    /// A location in words: a date for times, otherwise a number with digits according to the range of the data.
    pub fn place(&self, value: f64) -> String {
        match self.time {
            Some(unit) => date_place(value, unit, self.range),
            None => place(value, self.range),
        }
    }

    /// The usual distance of neighbouring rows.
    pub fn gap(&self) -> Option<f64> {
        median_gap(&self.rows)
    }

    /// The length of the range of the data.
    pub fn span(&self) -> Option<f64> {
        self.range.map(|(lo, hi)| hi - lo).filter(|span| *span > 0.0)
    }
}

impl DataContext {
    /// The inputs of a fit as its kernel receives them, after the steps.
    pub fn of_fit(fit: &Fit) -> Self {
        let problem = fit.problem();
        let (data, pipeline) = (problem.data(), problem.pipeline());
        let input = |column: Column<'_>| {
            let (name, values) = (column.name, column.values);
            let unit = data.column(name).and_then(|column| column.unit()).map(str::to_string);
            let unit = pipeline.of(name).into_iter().fold(unit, |unit, step| step.unit(unit.as_deref()));
            let rows = distinct(values);
            let range = rows.first().copied().zip(rows.last().copied());
            Input { unit, range, time: column.time, rows: rows.into(), ..Input::named(name) }
        };
        let target = pipeline.target().unit(data.target().and_then(|column| column.unit()));
        Self { columns: problem.schema().columns.into_iter().map(input).collect(), target, each: false }
    }

    /// The same for kernels that receive transformed inputs: names are the same; units and locations are lost.
    pub fn moved(&self) -> Self {
        let columns = self.columns.iter().map(|input| Input::named(&*input.name));
        Self { columns: columns.collect(), ..self.clone() }
    }

    /// The same for a kernel that is repeated for each input.
    pub fn each(&self) -> Self {
        Self { each: true, ..self.clone() }
    }

    /// The input with this index.
    pub fn column(&self, at: usize) -> Option<&Input> {
        self.columns.get(at)
    }

    /// Whether there are several inputs.
    pub fn has_choice(&self) -> bool {
        self.columns.len() != 1
    }

    /// The inputs of a node; `several` is true if all inputs may be more than one.
    pub fn inputs(&self, inputs: &Inputs, several: bool) -> Vec<Input> {
        match inputs {
            Inputs::All if self.each => vec![Input { all: true, ..Input::named("it") }],
            Inputs::All if self.columns.is_empty() => {
                vec![Input { all: true, ..Input::named(if several { "the inputs" } else { "the input" }) }]
            }
            Inputs::All => self.columns.clone(),
            Inputs::These(these) => these.iter().map(|input| self.input(input)).collect(),
        }
    }

    fn input(&self, input: &InputRef) -> Input {
        let known = match input {
            InputRef::Index(at) => self.columns.get(*at),
            InputRef::Name(name) => self.columns.iter().find(|column| column.name == **name),
        };
        known.cloned().unwrap_or_else(|| match input {
            InputRef::Index(at) => Input::named(format!("input {at}")),
            InputRef::Name(name) => Input::named(&**name),
        })
    }

    /// Their names in a sentence, or their number if there are many.
    pub fn names(&self, inputs: &[Input]) -> String {
        const MANY: usize = 6;
        if inputs.len() > MANY && inputs.len() == self.columns.len() {
            return format!("all {} inputs", inputs.len());
        }
        let mut names: Vec<String> = inputs.iter().take(MANY).map(|input| input.name.clone()).collect();
        match inputs.len().saturating_sub(MANY) {
            0 => {}
            1 => names.push("1 other".into()),
            more => names.push(format!("{more} others")),
        }
        join_and(&names)
    }
}

/// Whether two lists share an input.
pub fn overlap(one: &[Input], other: &[Input]) -> bool {
    one.iter().any(|a| other.iter().any(|b| a.all || b.all || a.name == b.name))
}

/// The unit that all of them share.
pub fn common_unit(inputs: &[Input]) -> Option<&str> {
    let unit = inputs.first()?.unit.as_deref()?;
    inputs.iter().all(|input| input.unit.as_deref() == Some(unit)).then_some(unit)
}
