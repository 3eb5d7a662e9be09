//! Records: named values, such as a row of a table.

use super::list::Nested;

/// Named values, in order.
#[derive(Debug, Clone)]
pub struct Record<V> {
    fields: Vec<(String, V)>,
    depth: usize,
    size: usize,
}

impl<V> Default for Record<V> {
    fn default() -> Self {
        Self { fields: Vec::new(), depth: 0, size: 0 }
    }
}

impl<V: Nested> Record<V> {
    /// The record with another field at its end.
    pub fn with(mut self, name: impl Into<String>, value: V) -> Self {
        self.depth = self.depth.max(value.depth() + 1);
        self.size += value.size();
        self.fields.push((name.into(), value));
        self
    }
}

impl<V> Record<V> {
    /// The depth of nested lists, records and functions, including itself.
    pub fn depth(&self) -> usize {
        self.depth
    }

    /// The number of values in a full copy of it.
    pub fn size(&self) -> usize {
        self.size
    }

    pub fn fields(&self) -> &[(String, V)] {
        &self.fields
    }

    pub fn get(&self, name: &str) -> Option<&V> {
        self.fields.iter().find(|(field, _)| field == name).map(|(_, value)| value)
    }
}
