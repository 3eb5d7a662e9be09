//! Inducing inputs of sparse models.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use super::ModelError;
use super::clusters::{Axis, centres};
use super::inducing_error::InducingError;
use super::spread::spread;
use crate::data::{Column, Dataset};
use crate::kernel::{InputSlope, number, quoted, word};

/// Inference with inducing inputs, as written.
#[derive(Debug, Clone, PartialEq)]
pub struct Sparse {
    pub method: SparseMethod,
    pub inducing: Inducing,
}

/// The approximation by inducing inputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SparseMethod {
    /// A lower bound of the log marginal likelihood (Titsias 2009).
    Vfe,
    /// The log marginal likelihood of another model, in which rows are conditionally independent given the function at
    /// the inducing inputs (Snelson & Ghahramani 2006; Vafa, chapter 4).
    Fitc,
}

impl SparseMethod {
    /// The name in the language.
    pub fn name(self) -> &'static str {
        match self {
            Self::Vfe => "vfe",
            Self::Fitc => "fitc",
        }
    }
}

/// The choice of inducing inputs.
#[derive(Debug, Clone, PartialEq)]
pub enum Inducing {
    /// This number of inducing inputs, started at the centres of clusters of the rows.
    Count(usize),
    /// Starting values or, with `fixed`, constants. One entry for each input that the model depends on, in the order of
    /// the data, after the steps of the model.
    Rows { rows: Vec<Vec<Entry>>, fixed: bool },
    /// The rows of a data set, matched by column names, before the steps of the model.
    Data { data: Arc<Dataset>, fixed: bool },
}

impl Inducing {
    /// The requested number.
    pub fn count(&self) -> usize {
        match self {
            Self::Count(count) => *count,
            Self::Rows { rows, .. } => rows.len(),
            Self::Data { data, .. } => data.n(),
        }
    }
}

/// One entry of an inducing input.
#[derive(Debug, Clone, PartialEq)]
pub enum Entry {
    Number(f64),
    Level(Arc<str>),
}

impl fmt::Display for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Entry::Number(x) => f.write_str(&number(*x)),
            Entry::Level(text) => f.write_str(&quoted(text)),
        }
    }
}

/// The seed from which the first centres of clusters are drawn.
const CLUSTER_SEED: u64 = 0x5eed;

/// The default number.
pub const DEFAULT_INDUCING: usize = 50;

impl fmt::Display for Inducing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (text, fixed) = match self {
            Inducing::Count(count) => return write!(f, "{count}"),
            Inducing::Rows { rows, fixed } => (list_text(rows), fixed),
            Inducing::Data { data, fixed } => (data_text(data), fixed),
        };
        if *fixed { write!(f, "fixed({text})") } else { f.write_str(&text) }
    }
}

fn listed(items: impl Iterator<Item = String>) -> String {
    format!("[{}]", items.collect::<Vec<_>>().join(", "))
}

fn list_text(rows: &[Vec<Entry>]) -> String {
    let row = |row: &Vec<Entry>| match &row[..] {
        [one] => one.to_string(),
        all => listed(all.iter().map(Entry::to_string)),
    };
    listed(rows.iter().map(row))
}

/// The inducing inputs as `data(…)`, or as a list of rows if a name of a column is not a word.
fn data_text(data: &Dataset) -> String {
    let entry = |column: &Column, i: usize| match column.levels() {
        Some(levels) => levels.get(column.values()[i] as usize).map_or_else(|| number(f64::NAN), |text| quoted(text)),
        None => number(column.values()[i]),
    };
    let columns: Vec<&Column> = data.inputs().collect();
    if columns.iter().any(|column| word(column.name()) != column.name()) {
        return listed((0..data.n()).map(|i| listed(columns.iter().map(|column| entry(column, i)))));
    }
    let values = |column: &Column| match column.written_scale() {
        Some(scale) => listed(scale.texts(column.values()).into_iter().map(|text| quoted(&text.unwrap_or_default()))),
        None => listed((0..data.n()).map(|i| entry(column, i))),
    };
    let columns: Vec<String> = columns.iter().map(|column| format!("{}={}", column.name(), values(column))).collect();
    format!("data({}, target=false)", columns.join(", "))
}

/// The inducing inputs of a problem, one column per input of the data.
#[derive(Debug, Clone, PartialEq)]
pub struct InducingInputs {
    pub method: SparseMethod,
    pub x: Vec<Vec<f64>>,
    /// Whether a fit optimises them along a column.
    pub moves: Vec<bool>,
    /// Columns in which the kernel has no derivative: there, inducing inputs have values of the data.
    pub kept: Vec<usize>,
    /// A unit for each column: its standard deviation.
    pub scale: Vec<f64>,
    /// Whether they were written as fixed.
    pub fixed: bool,
    /// The requested number, if the data have fewer distinct rows.
    pub asked: Option<usize>,
}

/// The rows of a problem, from which inducing inputs are chosen.
pub(super) struct Rows<'a> {
    pub x: &'a [Vec<f64>],
    pub names: &'a [String],
    pub used: &'a [bool],
    /// The texts of categories, for categorical columns.
    pub levels: Vec<Option<&'a [Arc<str>]>>,
    pub slopes: &'a [InputSlope],
    /// The inducing inputs that were written as data, after the steps of the model.
    pub data: Option<Vec<Vec<f64>>>,
}

impl InducingInputs {
    /// The inducing inputs of a model with its training rows.
    ///
    /// # Errors
    /// [`ModelError::Inducing`]: none, more than there are rows, a wrong number of entries, values that are not
    /// numbers, or duplicates.
    pub(super) fn new(sparse: &Sparse, rows: &Rows<'_>) -> Result<Self, ModelError> {
        let n = rows.x.first().map_or(0, Vec::len);
        let wrong = |problem: InducingError| Err(ModelError::Inducing(problem));
        let count = sparse.inducing.count();
        if count == 0 {
            return wrong(InducingError::None);
        }
        if count > n {
            return wrong(InducingError::MoreThanRows { inducing: count, rows: n });
        }
        let seen = |c: usize| rows.used[c] && rows.slopes[c] != InputSlope::Unused;
        let columns: Vec<usize> = (0..rows.x.len()).filter(|&c| seen(c)).collect();
        if columns.is_empty() {
            return wrong(InducingError::NoInputs);
        }
        let (x, fixed) = match &sparse.inducing {
            Inducing::Count(count) => (rows.clustered(*count, &columns), false),
            Inducing::Rows { rows: given, fixed } => (rows.given(given)?, *fixed),
            Inducing::Data { fixed, .. } => (rows.of_data()?, *fixed),
        };
        let known = |c: usize| rows.slopes[c] == InputSlope::Known && rows.levels[c].is_none();
        let kept = columns.iter().copied().filter(|&c| !known(c)).collect();
        let moves = (0..rows.x.len()).map(|c| !fixed && seen(c) && known(c)).collect();
        let scale = rows.x.iter().map(|column| spread(column)).collect();
        let found = x.first().map_or(0, Vec::len);
        let asked = (found < count).then_some(count);
        Ok(Self { method: sparse.method, x, moves, kept, scale, fixed, asked })
    }

    /// The number of inducing inputs.
    pub fn count(&self) -> usize {
        self.x.first().map_or(0, Vec::len)
    }

    /// The numbers that a fit optimises, column by column.
    pub fn moved(&self) -> Vec<f64> {
        self.x.iter().zip(&self.moves).filter(|(_, moves)| **moves).flat_map(|(column, _)| column.clone()).collect()
    }

    /// The unit of each of these.
    pub fn units(&self) -> Vec<f64> {
        let moving = self.scale.iter().zip(&self.moves).filter(|(_, moves)| **moves);
        moving.flat_map(|(&scale, _)| vec![scale; self.count()]).collect()
    }

    /// The columns with these numbers for those that a fit optimises.
    pub fn at(&self, moved: &[f64]) -> Vec<Vec<f64>> {
        let mut left = moved.chunks_exact(self.count().max(1));
        let column = |(own, moves): (&Vec<f64>, &bool)| match moves {
            true => left.next().map_or_else(|| own.clone(), <[f64]>::to_vec),
            false => own.clone(),
        };
        self.x.iter().zip(&self.moves).map(column).collect()
    }

    /// Their written form in a model.
    pub(super) fn written(&self, x: &[Vec<f64>], used: &[bool], levels: &[Option<&[Arc<str>]>]) -> Inducing {
        let entry = |c: usize, i: usize| match levels[c].and_then(|levels| levels.get(x[c][i] as usize)) {
            Some(text) => Entry::Level(text.clone()),
            None => Entry::Number(x[c][i]),
        };
        let columns: Vec<usize> = (0..x.len()).filter(|&c| used[c]).collect();
        let row = |i: usize| columns.iter().map(|&c| entry(c, i)).collect();
        Inducing::Rows { rows: (0..self.count()).map(row).collect(), fixed: self.fixed }
    }
}

/// The distance of two categories, in standard deviations of a column of numbers.
const LEVEL: f64 = 2.0;

impl Rows<'_> {
    /// The centres of clusters of the rows; in columns without a derivative they have the values of the nearest row.
    fn clustered(&self, count: usize, columns: &[usize]) -> Vec<Vec<f64>> {
        let axes: Vec<Axis<'_>> = columns
            .iter()
            .map(|&c| {
                let kept = self.slopes[c] != InputSlope::Known || self.levels[c].is_some();
                let scale = if self.levels[c].is_some() { None } else { Some(spread(&self.x[c])) };
                Axis { values: &self.x[c], scale, kept, apart: LEVEL }
            })
            .collect();
        let found = centres(&axes, count, CLUSTER_SEED);
        let m = found.first().map_or(0, Vec::len);
        let mut x: Vec<Vec<f64>> =
            self.x.iter().map(|column| vec![column.first().copied().unwrap_or(0.0); m]).collect();
        for (&c, centres) in columns.iter().zip(found) {
            x[c] = centres;
        }
        x
    }

    /// The inducing inputs that were written as data.
    fn of_data(&self) -> Result<Vec<Vec<f64>>, ModelError> {
        let x = self.data.clone().unwrap_or_default();
        let row = |i: usize| x.iter().map(|column| column[i].to_bits()).collect::<Vec<u64>>();
        let mut seen: HashMap<Vec<u64>, usize> = HashMap::new();
        for i in 0..x.first().map_or(0, Vec::len) {
            if let Some(one) = seen.insert(row(i), i) {
                return Err(InducingError::Twice { one, other: i }.into());
            }
        }
        Ok(x)
    }

    /// The inducing inputs that were written as rows, by columns.
    fn given(&self, given: &[Vec<Entry>]) -> Result<Vec<Vec<f64>>, ModelError> {
        let columns: Vec<usize> = (0..self.x.len()).filter(|&c| self.used[c]).collect();
        let wrong = |fault: InducingError| ModelError::Inducing(fault);
        let mut x: Vec<Vec<f64>> = self.x.iter().map(|_| vec![0.0; given.len()]).collect();
        for (i, row) in given.iter().enumerate() {
            if row.len() != columns.len() {
                let inputs = columns.iter().map(|&c| self.names[c].clone()).collect();
                return Err(wrong(InducingError::Width { place: i, found: row.len(), inputs }));
            }
            for (entry, &c) in row.iter().zip(&columns) {
                let column = || self.names[c].clone();
                x[c][i] = match (entry, self.levels[c]) {
                    (Entry::Number(value), None) if value.is_finite() => *value,
                    (Entry::Number(value), None) => {
                        return Err(wrong(InducingError::NotFinite { place: i, column: column(), value: *value }));
                    }
                    (Entry::Level(text), Some(levels)) => match levels.iter().position(|level| level == text) {
                        Some(code) => code as f64,
                        None => {
                            let level = text.to_string();
                            return Err(wrong(InducingError::NoLevel { place: i, column: column(), level }));
                        }
                    },
                    (Entry::Level(text), None) => {
                        let found = format!("the text \"{text}\", and the column holds numbers");
                        return Err(wrong(InducingError::Kind { place: i, column: column(), found }));
                    }
                    (Entry::Number(value), Some(_)) => {
                        let found = format!("the number {value}, and the column holds categories");
                        return Err(wrong(InducingError::Kind { place: i, column: column(), found }));
                    }
                };
            }
            if let Some(same) = given[..i].iter().position(|earlier| earlier == row) {
                return Err(wrong(InducingError::Twice { one: same, other: i }));
            }
        }
        Ok(x)
    }
}
