//! The description of a kernel or a fit in English, as a value: text, parts, and its subject for figures.

use std::sync::Arc;

use crate::describe::english::{FitDescription, Part};
use crate::fit::Fit;
use crate::kernel::Kernel;

/// The result of `describe` and `explain`.
#[derive(Debug, Clone)]
pub struct Explanation {
    pub text: String,
    pub parts: Parts,
    pub of: Subject,
}

/// The parts of the described sum.
#[derive(Debug, Clone)]
pub enum Parts {
    /// The terms of a kernel, as written.
    Written(Vec<Part>),
    /// The parts of a fit with their contributions, the most important first.
    Fitted(FitDescription),
}

/// What is described.
#[derive(Debug, Clone)]
pub enum Subject {
    Kernel(Kernel),
    Fit(Arc<Fit>),
}

impl Subject {
    pub fn kernel(&self) -> &Kernel {
        match self {
            Subject::Kernel(kernel) => kernel,
            Subject::Fit(fit) => &fit.model.kernel,
        }
    }
}
