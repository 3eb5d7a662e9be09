//! One given parameter of a node: one number, or one for each input.

use crate::param::Param;

/// One given parameter of a node: a number, or a number for each input.
#[derive(Debug, Clone, PartialEq)]
pub enum Values {
    One(Param),
    /// One for each input. Empty: nothing was written, and the data decide how many there are.
    Each(Vec<Param>),
}

impl Values {
    /// All that were written.
    pub fn as_slice(&self) -> &[Param] {
        match self {
            Values::One(param) => std::slice::from_ref(param),
            Values::Each(params) => params,
        }
    }

    /// Nothing was written of it.
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
