//! The values of the instructions of a bound kernel in a part of a column, wherever they are.

/// The values of the instructions in a part of a column.
#[derive(Clone, Copy)]
pub(super) struct ColumnValues<'a> {
    pub registers: &'a [Vec<f64>],
    /// Those of the leaves that are kept, of all columns; empty for the others.
    pub stored: &'a [Vec<f64>],
    pub start: usize,
    pub len: usize,
}

impl<'a> ColumnValues<'a> {
    /// Values of which none are stored.
    pub fn of_registers(registers: &'a [Vec<f64>], len: usize) -> Self {
        Self { registers, stored: &[], start: 0, len }
    }

    /// The values of instruction `i`.
    pub fn of(&self, i: usize) -> &'a [f64] {
        match self.stored.get(i).filter(|_| self.is_stored(i)) {
            Some(stored) => &stored[self.start..self.start + self.len],
            None => &self.registers[i][..self.len],
        }
    }

    /// Whether the values of instruction `i` are kept for all columns.
    pub fn is_stored(&self, i: usize) -> bool {
        self.stored.get(i).is_some_and(|stored| !stored.is_empty())
    }

    /// The values of the kernel.
    pub fn last(&self) -> &'a [f64] {
        self.of(self.registers.len() - 1)
    }
}
