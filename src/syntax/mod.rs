//! Text to syntax tree, and syntax tree to text.
//!
//! A text is laid out ([`layout`]), parsed by the grammar ([`parse`]) into a tree with spans ([`ast`], [`span`]),
//! printed ([`print`](mod@print)) and formatted ([`fmt`]); [`bindings`] finds where names are bound; errors are
//! [`diagnostic`]s. This room has no values, no
//! numbers other than literals, and no names of functions or kernels.

mod advice;
pub mod ast;
pub mod bindings;
pub mod diagnostic;
pub mod fmt;
pub mod free_names;
mod grammar;
pub mod layout;
pub mod parse;
mod precedence;
pub mod print;
pub mod scan;
pub mod span;
mod stack;

pub use stack::{deep, is_low, shallow};
