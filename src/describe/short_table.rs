//! Columns as a table, with the middle of long ones left out.

use super::markup::Markup;
use super::numbers::{digits_beside, significant};
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
    let cell = |column: usize, row: usize| match &columns.columns()[column].1 {
        Cells::Numbers(values) => match values.get(row) {
            Some(v) if !v.is_nan() => {
                let error = columns.errors(column).and_then(|errors| errors.get(row));
                let beside = error.and_then(|error| digits_beside(*v, *error)).unwrap_or(0);
                significant(*v, beside.max(digits[column]))
            }
            _ => String::new(),
        },
        Cells::Texts(texts) => texts.get(row).cloned().flatten().unwrap_or_default(),
    };
    let all = |row: usize| (0..digits.len()).map(|column| cell(column, row)).collect::<Vec<_>>();
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_beside_an_error_have_the_digits_that_it_determines() {
        let (mean, sd) = ([1e9 + 0.123_4, 1e9 + 0.123_4], [0.228_6, 0.226_8]);
        let table = Columns::new().numbers_with_errors("mean", &mean, &sd).numbers("sd", &sd).numbers("x", &mean);
        let text = short_grid(&table).text();
        assert_eq!(text.matches("1000000000.12").count(), 2, "{text}");
        // a column without an error is short
        assert_eq!(text.matches(" 1e9").count(), 2, "{text}");
    }
}
