//! Kernels at rows of numbers.

use std::sync::Arc;

use crate::calendar::TimeUnit;
use crate::data::Dataset;
use crate::kernel::{Bound, Column, EvalError, Gram, InputRef, Kernel, Points, Schema};
use crate::lang::error::{LangError, Res};
use crate::lang::eval::evaluator::Evaluator;
use crate::lang::eval::kernel_spans::Origins;
use crate::lang::numerals::number;
use crate::lang::values::cast::{FromValue, expected};
use crate::lang::values::value::{Items, Value, check_length};
use crate::linalg::Matrix;
use crate::progress::Progress;

/// Rows of inputs, stored by columns.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Rows {
    pub n: usize,
    pub columns: Vec<Vec<f64>>,
    /// For a categorical column the texts of the categories; its values are codes.
    levels: Vec<Vec<Arc<str>>>,
}

impl Rows {
    /// Columns of numbers.
    pub fn numbers(n: usize, columns: Vec<Vec<f64>>) -> Self {
        Self { n, levels: vec![Vec::new(); columns.len()], columns }
    }

    /// A list of rows; a bare number or text is a row of one.
    pub fn from_list(value: Value) -> Res<Self> {
        let items = Items::from_value(value)?;
        check_length(items.len())?;
        let mut rows = Self::default();
        for item in items {
            rows.push(item).map_err(|t| t.label("among these rows"))?;
        }
        Ok(rows)
    }

    /// A number, a text, or a list of these, as a single row.
    pub fn from_row(value: Value) -> Res<Self> {
        let mut rows = Self::default();
        rows.push(value)?;
        Ok(rows)
    }

    fn push(&mut self, row: Value) -> Res<()> {
        let cells: Vec<Value> = match row {
            cell @ (Value::Number(_) | Value::Str(_)) => vec![cell],
            row => Items::from_value(row).map_err(|t| t.within("as a row"))?.collect(),
        };
        if self.n == 0 {
            self.columns = vec![Vec::new(); cells.len()];
            self.levels = vec![Vec::new(); cells.len()];
        }
        if cells.is_empty() || cells.len() != self.columns.len() {
            let found = self.columns.len();
            return Err(LangError::new(format!(
                "rows with {found} and with {} inputs cannot be combined",
                cells.len()
            )));
        }
        for ((cell, column), levels) in cells.into_iter().zip(&mut self.columns).zip(&mut self.levels) {
            let text = matches!(cell, Value::Str(_));
            if self.n > 0 && text == levels.is_empty() {
                return Err(LangError::new("an input is a number in all rows, or text in all rows"));
            }
            column.push(match cell {
                Value::Number(x) if !x.is_finite() => {
                    return Err(LangError::new(format!("inputs must be finite, found {}", number(x))));
                }
                Value::Str(text) => code(levels, &text),
                cell => f64::from_value(cell).map_err(|t| t.within("as a row"))?,
            });
        }
        self.n += 1;
        Ok(())
    }

    /// The texts of the categories of a column; `None` for numbers.
    fn levels(&self, column: usize) -> Option<&[Arc<str>]> {
        self.levels.get(column).filter(|levels| !levels.is_empty()).map(|levels| &levels[..])
    }

    /// These rows, then others of the same width, with a common code for each text.
    ///
    /// # Errors
    /// A different width, or numbers where the other rows have text.
    pub fn then(&self, others: &Rows) -> Res<Rows> {
        if self.columns.len() != others.columns.len() {
            return Err(LangError::new(format!(
                "both must have rows of one width, found {} and {}",
                self.columns.len(),
                others.columns.len()
            )));
        }
        let mut all = self.clone();
        for (i, column) in others.columns.iter().enumerate() {
            match (self.levels(i), others.levels(i)) {
                (None, None) => all.columns[i].extend_from_slice(column),
                (Some(_), Some(texts)) => {
                    let codes: Vec<f64> = texts.iter().map(|text| code(&mut all.levels[i], text)).collect();
                    all.columns[i].extend(column.iter().map(|&at| codes[at as usize]));
                }
                _ => return Err(LangError::new("an input is a number in all rows, or text in all rows")),
            }
        }
        all.n += others.n;
        Ok(all)
    }

    /// The last `n` of these rows.
    pub fn last(&self, n: usize) -> Rows {
        let columns = self.columns.iter().map(|column| column[self.n - n..].to_vec()).collect();
        Rows { n, columns, levels: self.levels.clone() }
    }

    /// The inputs of data.
    pub fn of_data(data: &Dataset) -> Self {
        let levels = |c: &crate::data::Column| c.levels().map_or_else(Vec::new, <[Arc<str>]>::to_vec);
        Self {
            n: data.n(),
            columns: data.inputs().map(|c| c.values().to_vec()).collect(),
            levels: data.inputs().map(levels).collect(),
        }
    }
}

/// The code of a text among those of a column.
fn code(levels: &mut Vec<Arc<str>>, text: &str) -> f64 {
    let at = levels.iter().position(|level| **level == *text).unwrap_or_else(|| {
        levels.push(text.into());
        levels.len() - 1
    });
    at as f64
}

/// Whether a parameter is written as a time.
pub fn mentions_times(kernel: &Kernel) -> bool {
    let mut found = false;
    kernel.map_params(&mut |param| {
        found |= param.time.is_some() || param.prior.is_some_and(|prior| prior.time.is_some());
        param.clone()
    });
    found
}

/// A kernel bound to given rows.
pub struct Placed {
    bound: Bound,
    /// For each column of the schema the index of the entry in a row, or `None` for an unused column.
    order: Vec<Option<usize>>,
}

impl Placed {
    /// Rows are in the order in which the kernel first mentions its inputs. A kernel that depends on all inputs accepts
    /// rows of any width. With `table`, wider rows may be those of a whole table if all inputs are indices.
    pub fn new(kernel: &Kernel, rows: &Rows, table: bool, origins: &Origins) -> Res<Self> {
        let (mentioned, all) = kernel.mentioned();
        let width = rows.columns.len();
        let places = |m: &InputRef| matches!(m, InputRef::Index(at) if *at < width);
        let whole = table && mentioned.len() < width && mentioned.iter().all(places);
        if !all && !whole && !mentioned.is_empty() && mentioned.len() != width {
            let names: Vec<String> = mentioned.iter().map(ToString::to_string).collect();
            let many = if mentioned.len() == 1 { "1 input" } else { &format!("{} inputs", mentioned.len()) };
            let found = match width {
                0 => "an empty list of points".into(),
                1 => "a number".into(),
                _ => format!("a row of {width}"),
            };
            let lang_error = LangError::new(format!("this kernel has {many} ({}), found {found}", names.join(", ")));
            return Err(if mentioned.len() > 1 {
                lang_error.help(format!(
                    "give each row as a list of {}, for the inputs {}",
                    mentioned.len(),
                    names.join(", ")
                ))
            } else {
                lang_error
            });
        }
        let order = order(&mentioned, all || whole, width);
        let names: Vec<String> = (0..order.len()).map(|i| name(&mentioned, &order, i)).collect();
        // numbers for times are in days
        let time = mentions_times(kernel).then_some(TimeUnit::Day);
        let unseen = vec![0.0; rows.n];
        let columns = names.iter().zip(&order).map(|(name, at)| Column {
            name,
            values: at.map_or(&unseen[..], |at| &rows.columns[at][..]),
            levels: at.and_then(|at| rows.levels(at)),
            time,
        });
        let schema = Schema { columns: columns.collect() };
        let bound = kernel.bind(&schema).map_err(|error| origins.bind_error(&error))?;
        Ok(Self { bound, order })
    }

    /// A kernel bound to the inputs of data, with these as rows.
    pub fn on_data(kernel: &Kernel, data: &Dataset, origins: &Origins) -> Res<(Self, Rows)> {
        let rows = Rows::of_data(data);
        let columns = data.inputs().map(|c| {
            let time = c.time().map(|scale| scale.unit);
            Column { name: c.name(), values: c.values(), levels: c.levels(), time }
        });
        let schema = Schema { columns: columns.collect() };
        let bound = kernel.bind(&schema).map_err(|error| origins.bind_error(&error))?.started();
        let order = (0..rows.columns.len()).map(Some).collect();
        Ok((Self { bound, order }, rows))
    }

    fn points(&self, rows: &Rows) -> Result<Points, EvalError> {
        let unseen = vec![0.0; rows.n];
        let columns: Vec<&[f64]> = self
            .order
            .iter()
            .map(|at| at.and_then(|at| rows.columns.get(at)).map_or(&unseen[..], |column| &column[..]))
            .collect();
        self.bound.points(&columns)
    }

    /// The Gram matrix of rows, with both halves.
    ///
    /// # Errors
    /// Rows at which the kernel cannot be evaluated; [`EvalError::Stopped`].
    pub fn gram(&self, rows: &Rows, progress: &dyn Progress) -> Result<Matrix, EvalError> {
        let points = self.points(rows)?;
        let mut out = Matrix::zeros(rows.n, rows.n);
        Gram::new(&self.bound, &points).stopped_by(progress).evaluate(&self.bound.values(), &mut out)?;
        out.fill_upper_triangle_with_lower_triangle();
        Ok(out)
    }

    /// k(a, b) of every row of `a` with every row of `b`; no two are the same observation.
    pub fn cross(&self, a: &Rows, b: &Rows) -> Result<Matrix, EvalError> {
        self.bound.cross(&self.bound.values(), &self.points(a)?, &self.points(b)?)
    }
}

/// The index of the entry of a row for each column. Indices refer to columns, so some columns may be unused; names use
/// the remaining entries. A kernel that depends on all inputs uses the entries in order.
fn order(mentioned: &[InputRef], all: bool, width: usize) -> Vec<Option<usize>> {
    let indices = mentioned.iter().filter_map(|input| match input {
        InputRef::Index(at) => Some(*at),
        InputRef::Name(_) => None,
    });
    let most = indices.max().map_or(0, |at| at + 1);
    if all || mentioned.is_empty() {
        return (0..width).map(Some).collect();
    }
    let mut order = vec![None; most.min(100_000)];
    for (entry, input) in mentioned.iter().enumerate() {
        match input {
            InputRef::Index(at) if *at < order.len() => order[*at] = Some(entry),
            InputRef::Index(_) => {}
            InputRef::Name(_) => order.push(Some(entry)),
        }
    }
    order
}

/// The name of a column: the one that the kernel mentions for its entry.
fn name(mentioned: &[InputRef], order: &[Option<usize>], column: usize) -> String {
    match order[column].and_then(|entry| mentioned.get(entry)) {
        Some(InputRef::Name(name)) => name.to_string(),
        _ => format!("x{column}"),
    }
}

impl Evaluator<'_> {
    /// `k(a, b)`: the kernel at two rows.
    pub fn kernel_at(&mut self, kernel: &Kernel, args: Vec<Value>) -> Res<Value> {
        let Ok([a, b]) = <[Value; 2]>::try_from(args) else {
            return Err(LangError::new("a kernel is evaluated at two rows: `k(a, b)`")
                .help("only the name of a family builds a kernel: `SE(0)`"));
        };
        for value in [&a, &b] {
            if !matches!(value, Value::Number(_) | Value::Str(_) | Value::List(_) | Value::Range(_)) {
                return Err(expected("a number or a row of numbers", value));
            }
        }
        let (a, b) = (Rows::from_row(a)?, Rows::from_row(b)?);
        if a.columns.len() != b.columns.len() {
            return Err(LangError::new(format!(
                "the two rows must have as many entries, found {} and {}",
                a.columns.len(),
                b.columns.len()
            )));
        }
        let both = a.then(&b)?;
        let b = both.last(1);
        let placed = Placed::new(kernel, &both, false, &self.host.origins)?;
        let matrix = placed.cross(&a, &b).map_err(|error| self.host.origins.eval_error(&error))?;
        Ok(Value::Number(matrix[(0, 0)]))
    }
}
