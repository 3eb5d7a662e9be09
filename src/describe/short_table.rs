//! Columns as a table, with the middle of long ones left out.

use super::markup::Markup;
use super::numbers::significant;
use super::text_table::Grid;
use crate::data::write::{Cells, Table as Columns};

/// The number of rows at each end of a long table that are shown.
const ENDS: usize = 6;
/// A longer table is shortened.
const LONGEST: usize = 2 * ENDS + 1;

/// Columns of numbers and text; a long table is shortened in the middle.
pub fn show_table(columns: &Columns) -> Markup {
    let text = Markup::from(short_grid(columns));
    match columns.rows() {
        n if n > LONGEST => text.and(format!("{n} rows")),
        _ => text,
    }
}

/// The same without the number of rows.
fn short_grid(columns: &Columns) -> Grid {
    let mut grid = Grid::new(columns.columns().iter().map(|(name, _)| name.clone()));
    let n = columns.rows();
    let shown = |row: usize| row < ENDS || row + ENDS >= n || n <= LONGEST;
    let digits: Vec<usize> = columns.columns().iter().map(|(_, cells)| enough_digits(cells, shown)).collect();
    let cell = |(cells, digits): (&Cells, &usize), row: usize| match cells {
        Cells::Numbers(values) => {
            values.get(row).map_or(String::new(), |v| if v.is_nan() { String::new() } else { significant(*v, *digits) })
        }
        Cells::Texts(texts) => texts.get(row).cloned().flatten().unwrap_or_default(),
    };
    let all =
        |row: usize| columns.columns().iter().map(|c| &c.1).zip(&digits).map(|c| cell(c, row)).collect::<Vec<_>>();
    if n <= LONGEST {
        (0..n).for_each(|row| grid.row(all(row)));
        return grid;
    }
    (0..ENDS).for_each(|row| grid.row(all(row)));
    grid.row(columns.columns().iter().map(|_| "…".to_string()).collect::<Vec<_>>());
    (n - ENDS..n).for_each(|row| grid.row(all(row)));
    grid
}

/// Five digits, or as many as distinguish neighbouring rows, at most eight.
fn enough_digits(cells: &Cells, shown: impl Fn(usize) -> bool) -> usize {
    let Cells::Numbers(values) = cells else { return 0 };
    let pairs =
        || values.windows(2).enumerate().filter(|(i, w)| shown(*i) && shown(i + 1) && w[0] != w[1]).map(|p| p.1);
    let apart = |digits: usize| pairs().all(|w| significant(w[0], digits) != significant(w[1], digits));
    (5..8).find(|&digits| apart(digits)).unwrap_or(8)
}
