//! The items of a list or a range, in turn.

use super::list::List;
use super::range::Range;

/// An iterator over the items of a list or a range.
pub enum Items<V> {
    List(List<V>, usize),
    Range(Range, usize),
}

impl<V> Items<V> {
    /// The number of remaining items.
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

impl<V: Clone + From<f64> + From<String>> Iterator for Items<V> {
    type Item = V;

    fn next(&mut self) -> Option<V> {
        if self.is_empty() {
            return None;
        }
        Some(match self {
            Items::List(list, at) => {
                *at += 1;
                list.items()[*at - 1].clone()
            }
            Items::Range(range, at) => {
                *at += 1;
                let x = range.at(*at - 1);
                range.date(x).map_or_else(|| V::from(x), V::from)
            }
        })
    }
}
