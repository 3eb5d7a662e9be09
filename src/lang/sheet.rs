//! Tables as values: columns, and a telling of them that may say more.

use crate::data::write::Table;
use crate::describe::show_table;

/// Columns of numbers and text. Equality is that of the columns.
#[derive(Debug, Clone)]
pub struct Sheet {
    pub table: Table,
    /// How it is shown, where that is more than the columns.
    text: Option<String>,
}

impl Sheet {
    pub fn told(table: Table, text: String) -> Self {
        Self { table, text: Some(text) }
    }

    pub fn text(&self) -> String {
        self.text.clone().unwrap_or_else(|| show_table(&self.table))
    }
}

impl From<Table> for Sheet {
    fn from(table: Table) -> Self {
        Self { table, text: None }
    }
}

impl PartialEq for Sheet {
    fn eq(&self, other: &Self) -> bool {
        self.table == other.table
    }
}
