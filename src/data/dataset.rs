//! A data set: columns of equal length, one of which may be the target and some of which are inputs.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, OnceLock};

use serde::{Deserialize, Serialize};

use super::column::Column;
use super::error::{DataError, RowRef};
use super::note::{About, Note};
use super::rows::Rows;

/// A data set. It is immutable; columns are shared, so clones and selections are cheap.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Saved")]
pub struct Dataset {
    columns: Vec<Column>,
    target: Option<usize>,
    inputs: Vec<usize>,
    rows: Rows,
    about: Arc<About>,
    #[serde(skip)]
    places: Places,
}

/// The places of columns by their names, made when they are first needed. A place is checked before it is used, so that
/// data made from others may keep theirs.
#[derive(Debug, Clone, Default)]
struct Places(OnceLock<Arc<HashMap<String, usize>>>);

impl PartialEq for Places {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

/// With more columns than this their places are kept: looking through all of them for each would take minutes for
/// 100,000.
const MANY_COLUMNS: usize = 64;

/// Data in a file, which may have been edited.
#[derive(Deserialize)]
struct Saved {
    columns: Vec<Column>,
    target: Option<usize>,
    inputs: Vec<usize>,
    rows: Rows,
    about: Arc<About>,
}

impl TryFrom<Saved> for Dataset {
    type Error = DataError;

    fn try_from(Saved { columns, target, inputs, rows, about }: Saved) -> Result<Self, DataError> {
        if !target.iter().chain(&inputs).all(|i| *i < columns.len()) {
            return Err(DataError::Broken { why: "an input or the target is not among the columns" });
        }
        if columns.is_empty() {
            return Err(DataError::NoColumns);
        }
        let name = |i: &usize| columns[*i].name().to_string();
        let (target, inputs) = (target.as_ref().map(name), inputs.iter().map(name).collect::<Vec<_>>());
        let data = Self::with_rows(columns, rows, target.as_deref(), None)?;
        let data = if inputs.is_empty() { Self { inputs: Vec::new(), ..data } } else { data.with_inputs(&inputs)? };
        Ok(Self { about, ..data })
    }
}

/// A cell that a model cannot use.
#[derive(Debug, Clone, PartialEq)]
pub struct BadCell {
    pub column: String,
    pub row: RowRef,
    /// Index of the row in the data set, from 0.
    pub index: usize,
    /// NaN if the value is missing, otherwise infinite.
    pub value: f64,
}

impl From<BadCell> for DataError {
    fn from(cell: BadCell) -> Self {
        let BadCell { column, row, value, .. } = cell;
        if value.is_nan() { Self::Missing { column, row } } else { Self::NotFinite { column, row, value } }
    }
}

impl Dataset {
    /// Data from columns. The target is the named one, or none; the inputs are the named ones, or all others.
    ///
    /// # Errors
    /// No columns, columns of different lengths, repeated or unknown names, the target among the inputs.
    pub fn new(columns: Vec<Column>, target: Option<&str>, inputs: Option<&[&str]>) -> Result<Self, DataError> {
        let first = columns.first().ok_or(DataError::NoColumns)?;
        let rows = Rows::counted(first.len());
        Self::with_rows(columns, rows, target, inputs)
    }

    pub(super) fn with_rows(
        columns: Vec<Column>,
        rows: Rows,
        target: Option<&str>,
        inputs: Option<&[&str]>,
    ) -> Result<Self, DataError> {
        let mut names = HashSet::with_capacity(columns.len());
        for column in &columns {
            if !names.insert(column.name()) {
                return Err(DataError::Repeated { name: column.name().into() });
            }
            if column.len() != rows.n() {
                return Err(DataError::Length {
                    name: column.name().into(),
                    found: column.len(),
                    expected: rows.n(),
                    like: columns[0].name().into(),
                });
            }
        }
        let data =
            Self { columns, target: None, inputs: Vec::new(), rows, about: Arc::default(), places: Places::default() };
        let data = match target {
            Some(name) => data.with_target(name)?,
            None => Self { inputs: (0..data.columns.len()).collect(), ..data },
        };
        match inputs {
            Some(names) => data.with_inputs(names),
            None => Ok(data),
        }
    }

    /// The same data with another target. The inputs are the other columns that were inputs or target before.
    pub fn with_target(self, name: &str) -> Result<Self, DataError> {
        let target = self.position(name)?;
        let fresh = self.target.is_none() && self.inputs.is_empty();
        let inputs: HashSet<usize> = self.inputs.iter().copied().collect();
        let used = |i: &usize| fresh || inputs.contains(i) || self.target == Some(*i);
        let inputs = (0..self.columns.len()).filter(|i| *i != target && used(i)).collect();
        Ok(Self { target: Some(target), inputs, ..self })
    }

    /// The same data with these inputs, in this order.
    pub fn with_inputs<S: AsRef<str>>(self, names: &[S]) -> Result<Self, DataError> {
        let mut inputs = Vec::with_capacity(names.len());
        let mut chosen = HashSet::with_capacity(names.len());
        let places: HashMap<&str, usize> = self.columns.iter().enumerate().map(|(i, c)| (c.name(), i)).collect();
        for name in names {
            let i = places.get(name.as_ref()).copied().map_or_else(|| self.position(name.as_ref()), Ok)?;
            if self.target == Some(i) {
                return Err(DataError::TargetAsInput { name: name.as_ref().into() });
            }
            if !chosen.insert(i) {
                return Err(DataError::Repeated { name: name.as_ref().into() });
            }
            inputs.push(i);
        }
        if inputs.is_empty() {
            return Err(DataError::NoInputs);
        }
        Ok(Self { inputs, ..self })
    }

    /// The same data without a target; its column is kept but is not an input.
    pub fn without_target(self) -> Self {
        Self { target: None, ..self }
    }

    /// The same data with another source and other notes.
    pub fn with_about(self, about: About) -> Self {
        Self { about: Arc::new(about), ..self }
    }

    pub(super) fn with_note(self, note: Note) -> Self {
        let mut about = self.about.as_ref().clone();
        about.notes.push(note);
        self.with_about(about)
    }

    /// The same data with a column that replaces the one of the same name, or is added at the end. An added column is
    /// not an input.
    pub fn with_column(mut self, column: Column) -> Result<Self, DataError> {
        if column.len() != self.n() {
            return Err(DataError::Length {
                name: column.name().into(),
                found: column.len(),
                expected: self.n(),
                like: self.columns[0].name().into(),
            });
        }
        match self.columns.iter().position(|c| c.name() == column.name()) {
            Some(i) => self.columns[i] = column,
            None => self.columns.push(column),
        }
        Ok(self)
    }

    /// The notes from reading the data that apply to the present rows and columns.
    pub fn notes(&self) -> Vec<Note> {
        let column = |name: &str| self.columns.iter().find(|c| c.name() == name);
        let used = |name: &str| self.used().any(|c| c.name() == name);
        let now = |note: &Note| match note {
            Note::NoHeader { names } => {
                let kept: Vec<String> = names.iter().filter(|name| column(name).is_some()).cloned().collect();
                (!kept.is_empty()).then_some(Note::NoHeader { names: kept })
            }
            Note::Unnamed { name } | Note::RowInput { name } => column(name).map(|_| note.clone()),
            Note::Dates { column: name, .. }
            | Note::DatesInDigits { column: name, .. }
            | Note::UnreadDates { column: name, .. }
            | Note::FarDates { column: name, .. } => column(name).map(|_| note.clone()),
            Note::Categories { column: name, .. } => {
                let levels = column(name).filter(|c| c.is_categories())?.distinct();
                (levels > 0).then(|| Note::Categories { column: name.clone(), levels })
            }
            Note::Missing { column: name, .. } => {
                let count = column(name)?.missing();
                (count > 0).then(|| Note::Missing { column: name.clone(), count })
            }
            // once they are joined to dates, the column is no input
            Note::TimesOfDay { column: name } => column(name).filter(|_| used(name)).map(|_| note.clone()),
            Note::Ignored { column: name, .. } => column(name).filter(|_| !used(name)).map(|_| note.clone()),
            Note::Format { .. }
            | Note::Units { .. }
            | Note::EmptyRows { .. }
            | Note::EmptyColumns { .. }
            | Note::Dropped { .. } => Some(note.clone()),
        };
        self.about.notes.iter().filter_map(now).collect()
    }

    /// The same rows with other columns. Roles are matched by name; those of removed columns are lost.
    pub(super) fn with_columns(&self, columns: Vec<Column>) -> Self {
        // a renamed column keeps its position
        let same = columns.len() == self.columns.len();
        let place = |i: &usize| match same {
            true => Some(*i),
            false => columns.iter().position(|c| c.name() == self.columns[*i].name()),
        };
        let target = self.target.as_ref().and_then(place);
        let inputs = self.inputs.iter().filter_map(place).collect();
        Self { columns, target, inputs, ..self.clone() }
    }

    /// Number of rows.
    pub fn n(&self) -> usize {
        self.rows.n()
    }

    /// The source of the data, and notes from reading them.
    pub fn about(&self) -> &About {
        &self.about
    }

    /// All columns, used or not, in the order of the file.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// The names of all columns.
    pub fn names(&self) -> Vec<&str> {
        self.columns.iter().map(Column::name).collect()
    }

    /// The column with this name.
    pub fn column(&self, name: &str) -> Option<&Column> {
        self.place(name).map(|place| &self.columns[place])
    }

    fn place(&self, name: &str) -> Option<usize> {
        let called = |column: &Column| column.name() == name;
        if self.columns.len() > MANY_COLUMNS {
            let all =
                || self.columns.iter().enumerate().rev().map(|(place, column)| (column.name().to_string(), place));
            let places = self.places.0.get_or_init(|| Arc::new(all().collect()));
            let known = places.get(name).copied();
            if let Some(place) = known.filter(|&place| self.columns.get(place).is_some_and(called)) {
                return Some(place);
            }
        }
        self.columns.iter().position(called)
    }

    /// As [`column`](Self::column), with an error that lists the existing names.
    pub fn find(&self, name: &str) -> Result<&Column, DataError> {
        self.position(name).map(|i| &self.columns[i])
    }

    fn position(&self, name: &str) -> Result<usize, DataError> {
        self.place(name).ok_or_else(|| DataError::UnknownColumn {
            name: name.into(),
            known: self.columns.iter().map(|c| c.name().into()).collect(),
        })
    }

    /// The target column.
    pub fn target(&self) -> Option<&Column> {
        self.target.map(|i| &self.columns[i])
    }

    /// The target's values (codes for categories).
    pub fn y(&self) -> Option<&[f64]> {
        self.target().map(Column::values)
    }

    /// The inputs in order.
    pub fn inputs(&self) -> impl ExactSizeIterator<Item = &Column> + Clone {
        self.inputs.iter().map(|&i| &self.columns[i])
    }

    /// The names of the inputs, in order.
    pub fn input_names(&self) -> Vec<&str> {
        self.inputs().map(Column::name).collect()
    }

    /// The values of the inputs, one slice per column (codes for categories).
    pub fn x(&self) -> Vec<&[f64]> {
        self.inputs().map(Column::values).collect()
    }

    /// The inputs, then the target if there is one.
    pub fn used(&self) -> impl Iterator<Item = &Column> + Clone {
        self.inputs().chain(self.target())
    }

    /// The origin of row `i` (from 0).
    pub fn row(&self, i: usize) -> RowRef {
        let number = self.rows.number(i);
        if self.rows.are_lines() { RowRef::Line(number) } else { RowRef::Index(number) }
    }

    /// The first missing or infinite cell of the inputs and the target, by rows.
    pub fn first_not_finite(&self) -> Option<BadCell> {
        self.first_bad(|v| !v.is_finite())
    }

    /// The first missing cell of the inputs and the target, by rows.
    pub fn first_missing(&self) -> Option<BadCell> {
        self.first_bad(f64::is_nan)
    }

    /// The first missing or infinite cell of some columns, by rows.
    pub fn first_not_finite_of<'c>(&self, columns: impl IntoIterator<Item = &'c Column>) -> Option<BadCell> {
        self.first_bad_of(columns, |v| !v.is_finite())
    }

    fn first_bad(&self, bad: impl Fn(f64) -> bool) -> Option<BadCell> {
        self.first_bad_of(self.used(), bad)
    }

    fn first_bad_of<'c>(
        &self,
        columns: impl IntoIterator<Item = &'c Column>,
        bad: impl Fn(f64) -> bool,
    ) -> Option<BadCell> {
        let find = |c: &Column| c.values().iter().position(|&v| bad(v));
        let found = columns.into_iter().filter_map(|c| Some((find(c)?, c)));
        let (index, column) = found.min_by_key(|(i, _)| *i)?;
        Some(BadCell { column: column.name().into(), row: self.row(index), index, value: column.values()[index] })
    }

    /// # Errors
    /// [`DataError::Missing`] or [`DataError::NotFinite`] for the first bad cell of the inputs and the target.
    pub fn check_finite(&self) -> Result<(), DataError> {
        self.first_not_finite().map_or(Ok(()), |cell| Err(cell.into()))
    }

    /// The rows at these indices, in this order. Indices out of range are skipped.
    pub fn take(&self, rows: &[usize]) -> Self {
        let rows: Vec<usize> = rows.iter().copied().filter(|&i| i < self.n()).collect();
        Self {
            columns: self.columns.iter().map(|c| c.take(&rows)).collect(),
            rows: self.rows.take(&rows),
            ..self.clone()
        }
    }

    /// The first `n` rows.
    pub fn head(&self, n: usize) -> Self {
        self.take(&(0..n.min(self.n())).collect::<Vec<_>>())
    }

    /// The rows for which the mask is true.
    pub fn filter(&self, mask: &[bool]) -> Result<Self, DataError> {
        if mask.len() != self.n() {
            return Err(DataError::Mask { found: mask.len(), expected: self.n() });
        }
        Ok(self.take(&(0..self.n()).filter(|&i| mask[i]).collect::<Vec<_>>()))
    }

    /// Only these columns, in this order, as inputs; the target is kept whether it is named or not.
    pub fn select<S: AsRef<str>>(&self, names: &[S]) -> Result<Self, DataError> {
        let mut kept: Vec<usize> = Vec::with_capacity(names.len() + 1);
        for name in names {
            let i = self.position(name.as_ref())?;
            if kept.contains(&i) {
                return Err(DataError::Repeated { name: name.as_ref().into() });
            }
            kept.push(i);
        }
        kept.extend(self.target.filter(|t| !kept.contains(t)));
        let target = self.target.and_then(|t| kept.iter().position(|&i| i == t));
        let inputs: Vec<usize> = (0..kept.len()).filter(|&i| Some(i) != target).collect();
        if inputs.is_empty() {
            return Err(DataError::NoInputs);
        }
        let columns = kept.iter().map(|&i| self.columns[i].clone()).collect();
        Ok(Self { columns, target, inputs, ..self.clone() })
    }

    /// The data without rows in which an input or the target is missing, and the origins of these rows.
    pub fn dropna(&self) -> (Self, Vec<RowRef>) {
        let (gone, kept): (Vec<usize>, Vec<usize>) =
            (0..self.n()).partition(|&i| self.used().any(|c| c.values()[i].is_nan()));
        if gone.is_empty() {
            return (self.clone(), Vec::new());
        }
        let rows = gone.iter().map(|&i| self.row(i)).collect();
        (self.take(&kept).with_note(Note::Dropped { count: gone.len() }), rows)
    }
}
