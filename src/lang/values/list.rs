//! Lists and ranges, and a limit to how large a list may grow.

use std::sync::Arc;

use crate::lang::trouble::{Res, Trouble};
use crate::lang::values::value::Value;

/// An immutable list, with what it costs to walk through all of it.
#[derive(Clone, Default)]
pub struct List {
    items: Arc<Vec<Value>>,
    depth: u32,
    size: usize,
}

impl List {
    /// The most values that one list may hold, those of the lists in it included.
    pub const MAX: usize = 10_000_000;
    /// How deep lists may be nested.
    pub const MAX_DEPTH: usize = 500;

    pub fn new(items: Vec<Value>) -> Res<Self> {
        let mut builder = ListBuilder::default();
        builder.measure(&items)?;
        builder.items = items;
        Ok(builder.finish())
    }

    pub fn collect(items: impl Iterator<Item = Res<Value>>) -> Res<Self> {
        let mut builder = ListBuilder::default();
        for item in items {
            builder.push(item?)?;
        }
        Ok(builder.finish())
    }

    pub fn items(&self) -> &[Value] {
        &self.items
    }

    pub fn len(&self) -> usize {
        self.items.len()
    }

    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// How deep lists and functions are nested in it, itself counted.
    pub(super) fn depth(&self) -> usize {
        self.depth as usize
    }

    /// How many values a copy of everything in it would hold.
    pub fn size(&self) -> usize {
        self.size
    }
}

/// Builds a list and refuses one that grows beyond all measure.
#[derive(Default)]
pub struct ListBuilder {
    items: Vec<Value>,
    depth: usize,
    size: usize,
}

impl ListBuilder {
    pub fn push(&mut self, item: Value) -> Res<()> {
        self.measure(std::slice::from_ref(&item))?;
        self.items.push(item);
        Ok(())
    }

    fn measure(&mut self, items: &[Value]) -> Res<()> {
        for item in items {
            self.depth = self.depth.max(item.depth() + 1);
            self.size += item.size();
        }
        check_length(self.size)?;
        if self.depth > List::MAX_DEPTH {
            return Err(Trouble::new(format!("lists are nested more than {} deep", List::MAX_DEPTH)));
        }
        Ok(())
    }

    pub fn finish(self) -> List {
        List { items: Arc::new(self.items), depth: self.depth.max(1) as u32, size: self.size }
    }
}

/// Refuses a list of more than [`List::MAX`] values.
pub fn check_length(n: usize) -> Res<()> {
    if n <= List::MAX {
        return Ok(());
    }
    Err(Trouble::new(format!(
        "a list of {} values or more does not fit: at most {} are held",
        crate::lang::values::display::grouped(n),
        crate::lang::values::display::grouped(List::MAX)
    )))
}

/// `a..b` or `a..=b`: the numbers a, a + 1, … up to b.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Range {
    pub start: f64,
    pub end: f64,
    pub inclusive: bool,
}

impl Range {
    /// How many numbers there are. Bounds that are not finite are answered with 2^63.
    pub fn len(&self) -> usize {
        let span = self.end - self.start;
        if span < 0.0 || span.is_nan() {
            return 0;
        }
        let count = if self.inclusive { span.floor() + 1.0 } else { span.ceil() };
        count.min(9.3e18) as usize
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number at a place, from 0.
    pub fn at(&self, i: usize) -> f64 {
        self.start + i as f64
    }

    /// `n` evenly spaced numbers: a + i(b−a)/n, or with the end included a + i(b−a)/(n−1).
    pub fn grid(&self, n: usize) -> Vec<f64> {
        let width = self.end - self.start;
        let steps = if self.inclusive { n.saturating_sub(1).max(1) } else { n.max(1) };
        (0..n).map(|i| self.start + width * (i as f64) / (steps as f64)).collect()
    }
}

/// Walks over the items of a list or a range.
pub enum Items {
    List(List, usize),
    Range(Range, usize),
}

impl Items {
    /// How many are left.
    pub fn len(&self) -> usize {
        match self {
            Items::List(list, at) => list.len() - at,
            Items::Range(range, at) => range.len() - at,
        }
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl Iterator for Items {
    type Item = Value;

    fn next(&mut self) -> Option<Value> {
        if self.is_empty() {
            return None;
        }
        Some(match self {
            Items::List(list, at) => {
                *at += 1;
                list.items[*at - 1].clone()
            }
            Items::Range(range, at) => {
                *at += 1;
                Value::Number(range.at(*at - 1))
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_count_and_grid() {
        let range = |start, end, inclusive| Range { start, end, inclusive };
        assert_eq!(range(0.0, 4.0, false).len(), 4);
        assert_eq!(range(0.0, 4.0, true).len(), 5);
        assert_eq!(range(4.0, 0.0, false).len(), 0);
        assert_eq!(range(0.0, 1.0, false).grid(4), [0.0, 0.25, 0.5, 0.75]);
        assert_eq!(range(0.0, 1.0, true).grid(5), [0.0, 0.25, 0.5, 0.75, 1.0]);
        assert_eq!(range(0.0, 1.0, true).grid(1), [0.0]);
    }
}
