//! Tables of text.

use comfy_table::{CellAlignment, ContentLineStyle, LineStyle, Table, TableStyle};

use super::numbers::significant;
use crate::data::write::{Cells, Table as Columns};

/// Rows of text under headings; numbers are aligned to the right.
#[derive(Debug, Default)]
pub struct Grid {
    headings: Vec<String>,
    rows: Vec<Vec<String>>,
}

/// Columns two spaces apart and a line under the headings.
const STYLE: TableStyle = TableStyle::new()
    .header_lines(ContentLineStyle::none().junction(' '))
    .header_separator(LineStyle::none().fill('─').junction('─'))
    .content_lines(ContentLineStyle::none().junction(' '));

impl Grid {
    pub fn new<S: Into<String>>(headings: impl IntoIterator<Item = S>) -> Self {
        Self { headings: headings.into_iter().map(Into::into).collect(), rows: Vec::new() }
    }

    pub fn row<S: Into<String>>(&mut self, cells: impl IntoIterator<Item = S>) {
        self.rows.push(cells.into_iter().map(Into::into).collect());
    }

    pub fn headings(&self) -> &[String] {
        &self.headings
    }

    pub fn rows(&self) -> &[Vec<String>] {
        &self.rows
    }

    /// Whether all cells of a column are numbers.
    pub fn is_numeric(&self, column: usize) -> bool {
        !self.rows.is_empty() && self.rows.iter().all(|row| row.get(column).is_none_or(|cell| is_number(cell)))
    }

    /// The table as lines without trailing spaces.
    pub fn text(&self) -> String {
        let mut table = Table::new();
        table.load_style(STYLE);
        table.set_header(&self.headings);
        for row in &self.rows {
            table.add_row(row);
        }
        for (i, _) in self.headings.iter().enumerate() {
            if self.is_numeric(i)
                && let Some(column) = table.column_mut(i)
            {
                column.set_cell_alignment(CellAlignment::Right);
            }
        }
        let lines: Vec<String> = table.lines().map(|line| line.trim_end().to_string()).collect();
        lines.join("\n")
    }
}

fn is_number(cell: &str) -> bool {
    let cell = cell.trim_end_matches('%').trim();
    cell.is_empty() || cell == "–" || cell == "…" || cell.parse::<f64>().is_ok()
}

/// The number of rows at each end of a long table that are shown.
const ENDS: usize = 6;
/// A longer table is shortened.
const LONGEST: usize = 2 * ENDS + 1;

/// Columns of numbers and text; a long table is shortened in the middle.
pub fn show_table(columns: &Columns) -> String {
    let grid = short_grid(columns).text();
    match columns.rows() {
        n if n > LONGEST => format!("{grid}\n{n} rows"),
        _ => grid,
    }
}

/// The same as a grid.
pub fn short_grid(columns: &Columns) -> Grid {
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
