//! The origin of each row: its line in a file, or its index.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// The origin of each row. Consecutive rows need no list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Rows {
    lines: bool,
    n: usize,
    numbers: Numbers,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
enum Numbers {
    From(usize),
    Listed(Arc<Vec<usize>>),
}

impl Rows {
    /// Rows 0, 1, … of given lists.
    pub(super) fn counted(n: usize) -> Self {
        Self { lines: false, n, numbers: Numbers::From(0) }
    }

    /// Lines of a file.
    pub(super) fn lines(numbers: Vec<usize>) -> Self {
        Self::listed(true, numbers)
    }

    /// The number of rows.
    pub(super) fn n(&self) -> usize {
        self.n
    }

    /// Whether their numbers are lines of a file.
    pub(super) fn are_lines(&self) -> bool {
        self.lines
    }

    fn listed(lines: bool, numbers: Vec<usize>) -> Self {
        let n = numbers.len();
        let first = numbers.first().copied().unwrap_or(0);
        let follow = numbers.iter().enumerate().all(|(i, &k)| k == first + i);
        let numbers = if follow { Numbers::From(first) } else { Numbers::Listed(Arc::new(numbers)) };
        Self { lines, n, numbers }
    }

    pub(super) fn number(&self, i: usize) -> usize {
        match &self.numbers {
            Numbers::From(first) => first + i,
            Numbers::Listed(numbers) => numbers.get(i).copied().unwrap_or(i),
        }
    }

    pub(super) fn take(&self, rows: &[usize]) -> Self {
        Self::listed(self.lines, rows.iter().map(|&i| self.number(i)).collect())
    }
}
