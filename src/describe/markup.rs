//! Text in which tables are kept as tables, so that a terminal can fit them and a notebook can show them.

use std::fmt;

use super::text_table::Grid;

/// A part of a text.
#[derive(Debug, Clone)]
pub enum Piece {
    /// One or more lines.
    Lines(String),
    Table(Grid),
}

/// Lines and tables below one another.
#[derive(Debug, Clone, Default)]
pub struct Markup(Vec<Piece>);

impl Markup {
    pub fn push(&mut self, piece: impl Into<Piece>) {
        self.0.push(piece.into());
    }

    /// The same with a part below.
    pub fn and(mut self, piece: impl Into<Piece>) -> Self {
        self.push(piece);
        self
    }

    /// The same with all parts of another text below.
    pub fn then(mut self, other: Markup) -> Self {
        self.0.extend(other.0);
        self
    }

    pub fn pieces(&self) -> &[Piece] {
        &self.0
    }

    pub fn has_table(&self) -> bool {
        self.0.iter().any(|piece| matches!(piece, Piece::Table(_)))
    }

    /// The text with tables that fit a number of columns, as far as their cells can be broken between words.
    pub fn within(&self, columns: usize) -> String {
        self.joined(|grid| grid.within(columns))
    }

    fn joined(&self, table: impl Fn(&Grid) -> String) -> String {
        let text = |piece: &Piece| match piece {
            Piece::Lines(text) => text.clone(),
            Piece::Table(grid) => table(grid),
        };
        self.0.iter().map(text).collect::<Vec<_>>().join("\n")
    }
}

/// The text at its full width.
impl fmt::Display for Markup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.joined(Grid::text))
    }
}

impl<P: Into<Piece>> Extend<P> for Markup {
    fn extend<I: IntoIterator<Item = P>>(&mut self, pieces: I) {
        self.0.extend(pieces.into_iter().map(Into::into));
    }
}

impl<P: Into<Piece>> From<P> for Markup {
    fn from(piece: P) -> Self {
        Self(vec![piece.into()])
    }
}

impl From<String> for Piece {
    fn from(text: String) -> Self {
        Self::Lines(text)
    }
}

impl From<&str> for Piece {
    fn from(text: &str) -> Self {
        Self::Lines(text.to_owned())
    }
}

impl From<Grid> for Piece {
    fn from(grid: Grid) -> Self {
        Self::Table(grid)
    }
}
