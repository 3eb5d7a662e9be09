//! Tables with an optional text and figure.

use crate::data::write::Table;
use crate::describe::{Markup, show_table};
use crate::figure::Figure;

/// Columns of numbers and text. Two sheets are equal if their columns are.
#[derive(Debug, Clone)]
pub struct Sheet {
    pub table: Table,
    /// The displayed text, if it is more than the columns.
    text: Option<Markup>,
    /// The figure, if it is not a bar chart.
    figure: Option<Figure>,
}

impl Sheet {
    pub fn with_text(table: Table, text: impl Into<Markup>) -> Self {
        Self { table, text: Some(text.into()), figure: None }
    }

    /// The same with a figure.
    pub fn with_figure(self, figure: Figure) -> Self {
        Self { figure: Some(figure), ..self }
    }

    pub fn figure(&self) -> Option<&Figure> {
        self.figure.as_ref()
    }

    pub fn text(&self) -> Markup {
        self.text.clone().unwrap_or_else(|| show_table(&self.table))
    }
}

impl From<Table> for Sheet {
    fn from(table: Table) -> Self {
        Self { table, text: None, figure: None }
    }
}

impl PartialEq for Sheet {
    fn eq(&self, other: &Self) -> bool {
        self.table == other.table
    }
}
