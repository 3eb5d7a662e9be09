//! A session: the bindings of the user, the texts that were read, and what is to be saved of them.
//!
//! A session survives every error: a statement that fails leaves the bindings as they were. Nothing here draws or
//! prints; [`Output`] and the items of [`Session::run_with`] are for the caller to show.

mod complete;
mod files;
mod run;
mod saved;
mod set;

pub use complete::{Candidate, Completion};
pub use files::{decode, read};
pub use run::{LARGEST_SEED, Output, SaveError, Session, type_of};
pub use set::Setting;
