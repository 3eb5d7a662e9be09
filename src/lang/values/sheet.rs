//! Tables as values: columns, and a telling of them that may say more; and records, of which their rows are.

use crate::data::write::{Cells, Table};
use crate::describe::show_table;
use crate::figure::Figure;
use crate::lang::values::value::Value;

/// Columns of numbers and text. Equality is that of the columns.
#[derive(Debug, Clone)]
pub struct Sheet {
    pub table: Table,
    /// How it is shown, where that is more than the columns.
    text: Option<String>,
    /// How it is drawn, where that is not as bars.
    figure: Option<Figure>,
}

impl Sheet {
    pub fn told(table: Table, text: String) -> Self {
        Self { table, text: Some(text), figure: None }
    }

    /// The same with a figure of its own.
    pub fn drawn(self, figure: Figure) -> Self {
        Self { figure: Some(figure), ..self }
    }

    pub fn figure(&self) -> Option<&Figure> {
        self.figure.as_ref()
    }

    pub fn text(&self) -> String {
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

/// A few values under names, in order.
#[derive(Debug, Clone, Default)]
pub struct Record {
    fields: Vec<(String, Value)>,
    depth: usize,
    size: usize,
}

impl Record {
    /// With another field at its end.
    pub fn with(mut self, name: impl Into<String>, value: Value) -> Self {
        self.depth = self.depth.max(value.depth() + 1);
        self.size += value.size();
        self.fields.push((name.into(), value));
        self
    }

    /// How deep lists, records and functions are nested in it, itself counted.
    pub(super) fn depth(&self) -> usize {
        self.depth
    }

    /// How many values a copy of everything in it would hold.
    pub fn size(&self) -> usize {
        self.size
    }

    pub fn fields(&self) -> &[(String, Value)] {
        &self.fields
    }

    pub fn get(&self, name: &str) -> Option<&Value> {
        self.fields.iter().find(|(field, _)| field == name).map(|(_, value)| value)
    }

    /// The same fields in the same order with the same values.
    pub fn same(&self, other: &Self) -> bool {
        self.fields.len() == other.fields.len()
            && self.fields.iter().zip(&other.fields).all(|((a, x), (b, y))| a == b && x.same(y))
    }

    /// A row of a table, from 0.
    pub fn row(table: &Table, row: usize) -> Option<Self> {
        let cell = |cells: &Cells| match cells {
            Cells::Numbers(numbers) => numbers.get(row).map_or(Value::Nothing, |x| Value::Number(*x)),
            Cells::Texts(texts) => texts.get(row).and_then(|t| t.as_deref()).map_or(Value::Nothing, Value::str),
        };
        let fields = table.columns().iter().map(|(name, cells)| (name.clone(), cell(cells)));
        (row < table.rows()).then(|| fields.fold(Self::default(), |record, (name, value)| record.with(name, value)))
    }

    /// Records of the same names whose values are numbers and text, as a table. `None` for any others.
    pub fn table(records: &[Value]) -> Option<Table> {
        let records: Option<Vec<&Record>> = records
            .iter()
            .map(|value| match value {
                Value::Record(record) => Some(&**record),
                _ => None,
            })
            .collect();
        let records = records?;
        let first = records.first()?;
        if records.iter().any(|r| {
            r.fields.len() != first.fields.len() || r.fields.iter().zip(&first.fields).any(|(a, b)| a.0 != b.0)
        }) {
            return None;
        }
        let mut table = Table::new();
        for (i, (name, _)) in first.fields.iter().enumerate() {
            let column = || records.iter().map(|r| &r.fields[i].1);
            if column().all(|v| matches!(v, Value::Number(_))) {
                let number = |v: &Value| if let Value::Number(x) = v { *x } else { f64::NAN };
                table = table.numbers(name.clone(), &column().map(number).collect::<Vec<_>>());
            } else {
                let text = |v: &Value| match v {
                    Value::Str(text) => Some(Some(text.to_string())),
                    Value::Nothing => Some(None),
                    Value::Number(_) | Value::Bool(_) | Value::Kernel(_) => Some(Some(v.to_string())),
                    _ => None,
                };
                table = table.texts(name.clone(), column().map(text).collect::<Option<Vec<_>>>()?);
            }
        }
        Some(table)
    }
}
