//! Tables of text.

use comfy_table::{CellAlignment, ContentLineStyle, LineStyle, Table, TableStyle};
use unicode_width::UnicodeWidthStr;

/// Rows of text under headings; numbers are aligned to the right.
#[derive(Debug, Clone, Default)]
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
        self.laid_out(&self.headings, &self.rows, Gap::Wide)
    }

    /// The same with headings and cells of text broken between words, so that the lines fit a number of columns; at full
    /// width if that does not suffice. Numbers are never broken.
    pub fn within(&self, columns: usize) -> String {
        let fitting = |gap: Gap| self.fitting(columns, gap).map(|widths| (widths, gap));
        let Some((widths, gap)) = fitting(Gap::Wide).or_else(|| fitting(Gap::Narrow)) else { return self.text() };
        let broken = |row: &Vec<String>| -> Vec<String> {
            row.iter().zip(&widths).map(|(cell, width)| broken(cell, *width)).collect()
        };
        self.laid_out(&broken(&self.headings), &self.rows.iter().map(broken).collect::<Vec<_>>(), gap)
    }

    /// The widths of the columns in a table that fits, if it can.
    fn fitting(&self, columns: usize, gap: Gap) -> Option<Vec<usize>> {
        let all =
            |i: usize| std::iter::once(&self.headings[i]).chain(self.rows.iter().filter_map(move |row| row.get(i)));
        let widest = |text: &str| text.lines().map(UnicodeWidthStr::width).max().unwrap_or(0);
        let longest_word = |text: &str| breaks(text).map(|word| word.trim_end().width()).max().unwrap_or(0);
        let count = self.headings.len();
        let least = |i: usize| {
            let cells = self.rows.iter().filter_map(|row| row.get(i));
            let cells = cells.map(|cell| if self.is_numeric(i) { widest(cell) } else { longest_word(cell) });
            cells.chain([longest_word(&self.headings[i])]).max().unwrap_or(0)
        };
        let least: Vec<usize> = (0..count).map(least).collect();
        let mut widths: Vec<usize> = (0..count).map(|i| all(i).map(|cell| widest(cell)).max().unwrap_or(0)).collect();
        while gap.total(&widths) > columns {
            let widest = (0..count).filter(|i| widths[*i] > least[*i]).max_by_key(|i| widths[*i])?;
            widths[widest] -= 1;
        }
        Some(widths)
    }

    fn laid_out(&self, headings: &[String], rows: &[Vec<String>], gap: Gap) -> String {
        let mut table = Table::new();
        table.load_style(STYLE);
        table.set_header(headings);
        for row in rows {
            table.add_row(row);
        }
        table.column_iter_mut().for_each(|column| {
            column.set_padding(gap.padding());
        });
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

/// The distance of columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Gap {
    Wide,
    /// For tables that would otherwise not fit.
    Narrow,
}

impl Gap {
    /// The spaces at the left and at the right of each column; one more stands between two.
    fn padding(self) -> (u16, u16) {
        match self {
            Gap::Wide => (1, 1),
            Gap::Narrow => (0, 1),
        }
    }

    /// The width of a table of columns, without the spaces at the end of its lines.
    fn total(self, widths: &[usize]) -> usize {
        let (left, right) = self.padding();
        let count = widths.len();
        let between = usize::from(left + right) * count + count.saturating_sub(1);
        (widths.iter().sum::<usize>() + between).saturating_sub(usize::from(self == Gap::Narrow))
    }
}

/// A text in lines of at most a number of columns, as far as its words are not longer.
fn broken(text: &str, columns: usize) -> String {
    let options = textwrap::Options::new(columns.max(1))
        .break_words(false)
        .word_separator(textwrap::WordSeparator::Custom(words))
        .word_splitter(textwrap::WordSplitter::NoHyphenation);
    textwrap::wrap(text, options).join("\n")
}

/// The parts of a text between which a line may end: its words, and what ends with a slash.
fn breaks(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive([' ', '/', '\n'])
}

fn words(line: &str) -> Box<dyn Iterator<Item = textwrap::core::Word<'_>> + '_> {
    Box::new(breaks(line).map(textwrap::core::Word::from))
}

fn is_number(cell: &str) -> bool {
    let cell = cell.trim_end_matches('%').trim();
    cell.is_empty() || cell == "–" || cell == "…" || cell.parse::<f64>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid() -> Grid {
        let mut grid = Grid::new(["name", "unit", "largest value", "says"]);
        grid.row(["passengers", "thousand/month", "622.75", "weak evidence that the variance changes"]);
        grid.row(["year", "", "1960.9", ""]);
        grid
    }

    #[test]
    fn wide_tables_are_broken_between_words_to_fit() {
        let grid = grid();
        assert_eq!(grid.within(200), grid.text());
        for columns in [44, 50, 60, 70] {
            let text = grid.within(columns);
            assert!(text.lines().all(|line| line.width() <= columns), "{columns}\n{text}");
            let words = |text: &str| {
                let mut words: Vec<String> = breaks(text).map(|word| word.trim().to_owned()).collect();
                words.retain(|word| !word.is_empty() && !word.starts_with('─'));
                words.sort();
                words
            };
            assert_eq!(words(&text), words(&grid.text()), "{columns}\n{text}");
        }
    }

    #[test]
    fn numbers_are_never_broken() {
        let mut numbers = Grid::new(["a", "b"]);
        numbers.row(["1234.5", "6789.1"]);
        assert_eq!(numbers.within(10), numbers.text());
    }
}
