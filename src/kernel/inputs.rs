//! The inputs of a node of a kernel, by index or by name.

use std::fmt;
use std::sync::Arc;

/// The inputs of a node.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Inputs {
    /// All inputs: none was written.
    #[default]
    All,
    These(Vec<InputRef>),
}

impl Inputs {
    /// The inputs that were written.
    pub fn written(&self) -> &[InputRef] {
        match self {
            Inputs::All => &[],
            Inputs::These(these) => these,
        }
    }
}

/// One input, by its index (from 0) or by the name of its column.
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
