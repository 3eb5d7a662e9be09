//! The plan of evaluation: a list of instructions over columns of a Gram matrix.
//!
//! A kernel is evaluated a column at a time: every instruction fills a slice with the values of one part of the kernel
//! for many rows against one. A slice stays in cache while sums and products are made of it, and the walk back over the
//! same list gives the gradient in all parameters at once.

use std::ops::Range;
use std::sync::Arc;

use super::Origin;
use super::family::Family;
use super::wrap::{Combine, RowFunction};

#[derive(Debug)]
pub(super) struct Program {
    pub instructions: Vec<Instruction>,
    /// The first is the data as they are.
    pub views: Vec<View>,
    /// How many input columns the data have.
    pub columns: usize,
}

#[derive(Debug)]
pub(super) struct Instruction {
    pub op: Op,
    /// Earlier instructions whose values it needs.
    pub args: Vec<usize>,
}

#[derive(Debug)]
pub(super) enum Op {
    Leaf(LeafOp),
    Sum,
    Product,
    Combine {
        combine: Arc<dyn Combine>,
        view: usize,
        columns: Vec<usize>,
        slots: Vec<usize>,
        ranges: Vec<Range<usize>>,
    },
}

#[derive(Debug)]
pub(super) struct LeafOp {
    pub family: &'static dyn Family,
    pub columns: Vec<usize>,
    pub learnt: Vec<f64>,
    pub slots: Vec<usize>,
    pub ranges: Vec<Range<usize>>,
    /// The views through which it sees the first and the second argument.
    pub left: usize,
    pub right: usize,
    pub origin: Option<Origin>,
}

/// The same rows, shown in other columns.
#[derive(Debug)]
pub(super) struct View {
    pub parent: usize,
    pub map: ViewMap,
}

#[derive(Debug)]
pub(super) enum ViewMap {
    Identity,
    Function { function: Arc<dyn RowFunction>, columns: Vec<usize>, replace: bool },
}

/// A function of the user failed.
#[derive(Debug)]
pub(super) struct RowFailure {
    /// From 0.
    pub row: usize,
    /// What went wrong, and the values of the row.
    pub message: String,
}

impl ViewMap {
    /// The columns that this view shows of those of its parent.
    pub fn apply(&self, parent: &[Vec<f64>]) -> Result<Vec<Vec<f64>>, RowFailure> {
        let ViewMap::Function { function, columns, replace } = self else { return Ok(parent.to_vec()) };
        let n = parent.first().map_or(0, Vec::len);
        let mut results: Vec<Vec<f64>> = Vec::new();
        let rows = (0..n).map(|i| columns.iter().map(move |&c| parent[c][i]));
        for (i, row) in rows.enumerate() {
            let row: Vec<f64> = row.collect();
            let fail = |message: String| RowFailure { row: i, message: format!("{message}, at {}", show_row(&row)) };
            let values = function.apply(&row).map_err(fail)?;
            if let Some(bad) = values.iter().find(|v| !v.is_finite()) {
                return Err(fail(format!("the function gives {bad}")));
            }
            if i == 0 {
                results = vec![Vec::with_capacity(n); values.len()];
            }
            if values.len() != results.len() || values.is_empty() || (*replace && values.len() != columns.len()) {
                let found = numbers(values.len());
                return Err(fail(match (*replace, results.len()) {
                    (true, _) => format!("the function gives {found}, expected {}", numbers(columns.len())),
                    (false, 0) => format!("the function gives {found}, expected at least one"),
                    (false, before) => {
                        format!("the function gives {found}, expected {} as for the first row", numbers(before))
                    }
                }));
            }
            for (result, value) in results.iter_mut().zip(values) {
                result.push(value);
            }
        }
        if !replace {
            return Ok(results);
        }
        let mut shown = parent.to_vec();
        for (result, &c) in results.into_iter().zip(columns) {
            shown[c] = result;
        }
        Ok(shown)
    }
}

fn numbers(n: usize) -> String {
    match n {
        0 => "no number".into(),
        1 => "1 number".into(),
        n => format!("{n} numbers"),
    }
}

fn show_row(row: &[f64]) -> String {
    match row {
        [x] => x.to_string(),
        row => format!("[{}]", row.iter().map(f64::to_string).collect::<Vec<_>>().join(", ")),
    }
}
