//! A session: the bindings of the user, the texts that were read, and the log of statements for saving.
//!
//! Errors do not end a session: a statement that fails leaves the bindings unchanged. Nothing here draws or prints; the
//! caller shows [`Output`] and the items of [`Session::run_with`].

mod complete;
mod files;
mod run;
mod saved;
mod set;

pub use complete::{Candidate, Completion, Offer};
pub use files::{decode, read};
pub use run::{LARGEST_SEED, Output, SaveError, Session, Survey, type_of};
pub use set::Setting;
