//! The value of one parameter of a node: one number, or one number per input.

use crate::param::Param;

/// The value of one parameter of a node: one number, or one number per input.
#[derive(Debug, Clone, PartialEq)]
pub enum Values {
    One(Param),
    /// One per input. Empty: none was written, and the data determine the number.
    Each(Vec<Param>),
}

impl Values {
    /// All written parameters.
    pub fn as_slice(&self) -> &[Param] {
        match self {
            Values::One(param) => std::slice::from_ref(param),
            Values::Each(params) => params,
        }
    }

    /// Whether none was written.
    pub fn is_unset(&self) -> bool {
        self.as_slice().iter().all(Param::is_unset)
    }

    /// The same with every parameter replaced.
    pub fn map(&self, mut f: impl FnMut(&Param) -> Param) -> Self {
        match self {
            Values::One(param) => Values::One(f(param)),
            Values::Each(params) => Values::Each(params.iter().map(f).collect()),
        }
    }
}
