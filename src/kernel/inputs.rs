//! Which inputs of the data a node of a kernel depends on, by place or by name.

use std::fmt;
use std::sync::Arc;

/// Which inputs a node depends on.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Inputs {
    /// Nothing was written: all of them.
    #[default]
    All,
    These(Vec<InputRef>),
}

impl Inputs {
    /// Those that were written.
    pub fn written(&self) -> &[InputRef] {
        match self {
            Inputs::All => &[],
            Inputs::These(these) => these,
        }
    }
}

/// One input, by its place (from 0) or by the name of its column.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum InputRef {
    Index(usize),
    Name(Arc<str>),
}

impl fmt::Display for InputRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            InputRef::Index(at) => write!(f, "{at}"),
            InputRef::Name(name) => write!(f, "`{name}`"),
        }
    }
}
