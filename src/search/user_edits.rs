//! User-written functions as edits, and counts of their failures.

use std::sync::{Arc, Mutex, PoisonError};

use crate::kernel::Kernel;

/// A user's function from kernel to kernel; a failure is a sentence with the reason.
pub type EditFn = Arc<dyn Fn(&Kernel) -> Result<Kernel, String> + Send + Sync>;

/// A function from kernel to kernel with its name. Failed calls are counted for a warning.
pub struct UserEdit {
    pub name: Arc<str>,
    /// Its source text, from which it can be parsed again.
    pub source: Arc<str>,
    apply: EditFn,
    refusals: Mutex<Refusals>,
}

/// The number of calls of a function that did not return a kernel.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Refusals {
    pub asked: usize,
    pub refused: usize,
    /// The reason of the first failure.
    pub first: String,
}

impl UserEdit {
    /// An edit by a function; `source` is its text.
    pub fn new(name: impl Into<Arc<str>>, source: impl Into<Arc<str>>, apply: EditFn) -> Self {
        Self { name: name.into(), source: source.into(), apply, refusals: Mutex::default() }
    }

    /// The edited expression. `None` if the function did not return a kernel, which is counted.
    pub fn apply(&self, kernel: &Kernel) -> Option<Kernel> {
        let result = (self.apply)(kernel);
        let mut refusals = self.refusals.lock().unwrap_or_else(PoisonError::into_inner);
        refusals.asked += 1;
        match result {
            Ok(kernel) => Some(kernel),
            Err(why) => {
                if refusals.refused == 0 {
                    refusals.first = why;
                }
                refusals.refused += 1;
                None
            }
        }
    }

    /// The counts since the last call.
    pub fn take_refusals(&self) -> Refusals {
        std::mem::take(&mut *self.refusals.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::families::family;

    #[test]
    fn refusals_are_counted_once() {
        let own = UserEdit::new("f", "f", Arc::new(|_| Err("no".to_string())));
        let kernel = Kernel::family(family("SE").unwrap());
        assert_eq!((own.apply(&kernel), own.apply(&kernel)), (None, None));
        assert_eq!(own.take_refusals(), Refusals { asked: 2, refused: 2, first: "no".into() });
        assert_eq!(own.take_refusals(), Refusals::default());
    }
}
