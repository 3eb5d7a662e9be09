//! A kernel or a fit in words, as a value: text, parts, and its subject for figures.

use std::sync::Arc;

use crate::describe::english::{FitDescription, Part};
use crate::fit::Fit;
use crate::kernel::Kernel;

/// What `describe` and `explain` give.
#[derive(Debug, Clone)]
pub struct Explanation {
    pub text: String,
    pub parts: Parts,
    pub of: Subject,
}

/// The parts that the text goes through.
#[derive(Debug, Clone)]
pub enum Parts {
    /// Of a sum, as they are written.
    Written(Vec<Part>),
    /// Of a fit, with what each is worth; the first matters most.
    Fitted(FitDescription),
}

/// What is in words.
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
