//! Lists, and a limit on their size.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::lang::error::{LangError, Res};
use crate::lang::numerals::grouped;

/// An item of a list, with its own depth and size.
pub trait Nested {
    /// The depth of nested lists, records and functions in it; 0 for plain values.
    fn depth(&self) -> usize;

    /// The number of values in a full copy of it.
    fn size(&self) -> usize;
}

/// An immutable list, with its total depth and size.
#[derive(Clone)]
pub struct List<V> {
    items: Arc<Vec<V>>,
    depth: u32,
    size: usize,
}

impl<V> Default for List<V> {
    fn default() -> Self {
        Self { items: Arc::default(), depth: 0, size: 0 }
    }
}

impl<V> List<V> {
    /// The largest number of values in a list, including those of nested lists, unless the program has a lower limit.
    pub const MAX: usize = 10_000_000;
    /// The largest depth of nested lists.
    pub const MAX_DEPTH: usize = 500;

    pub fn items(&self) -> &[V] {
        &self.items
    }

    pub fn len(&self) -> usize {
        self.items.len()
    }

    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// The depth of nested lists and functions, including itself.
    pub fn depth(&self) -> usize {
        self.depth as usize
    }

    /// The number of values in a full copy of it.
    pub fn size(&self) -> usize {
        self.size
    }
}

impl<V: Nested> List<V> {
    /// # Errors
    /// Too many values, or lists nested too deeply.
    pub fn new(items: Vec<V>) -> Res<Self> {
        let mut builder = ListBuilder::default();
        builder.measure(&items)?;
        builder.items = items;
        Ok(builder.finish())
    }

    /// # Errors
    /// The first error of an item; too many values, or lists nested too deeply.
    pub fn collect(items: impl Iterator<Item = Res<V>>) -> Res<Self> {
        let mut builder = ListBuilder::default();
        for item in items {
            builder.push(item?)?;
        }
        Ok(builder.finish())
    }
}

/// Builds a list, and fails if it exceeds the limits.
pub struct ListBuilder<V> {
    items: Vec<V>,
    depth: usize,
    size: usize,
}

impl<V> Default for ListBuilder<V> {
    fn default() -> Self {
        Self { items: Vec::new(), depth: 0, size: 0 }
    }
}

impl<V: Nested> ListBuilder<V> {
    pub fn push(&mut self, item: V) -> Res<()> {
        self.measure(std::slice::from_ref(&item))?;
        self.items.push(item);
        Ok(())
    }

    fn measure(&mut self, items: &[V]) -> Res<()> {
        for item in items {
            self.depth = self.depth.max(item.depth() + 1);
            self.size += item.size();
        }
        check_length(self.size)?;
        if self.depth > List::<V>::MAX_DEPTH {
            return Err(LangError::new(format!("lists are nested more than {} deep", List::<V>::MAX_DEPTH)));
        }
        Ok(())
    }

    pub fn finish(self) -> List<V> {
        List { items: Arc::new(self.items), depth: self.depth.max(1) as u32, size: self.size }
    }
}

/// The limit of this process.
static MOST: AtomicUsize = AtomicUsize::new(List::<()>::MAX);

/// Lowers the limit on the number of values in a list for the whole process, as a program does that runs texts of others.
pub fn limit_lists(most: usize) {
    MOST.fetch_min(most, Ordering::Relaxed);
}

/// Rejects a list with more values than the limit.
///
/// # Errors
/// There are more values.
pub fn check_length(n: usize) -> Res<()> {
    let most = MOST.load(Ordering::Relaxed);
    if n <= most {
        return Ok(());
    }
    let (n, most) = (grouped(n), grouped(most));
    Err(LangError::new(format!("a list of {n} values or more is too large: the limit is {most}")))
}
