//! Text to syntax tree, and syntax tree to text.
//!
//! Lines are laid out ([`layout`]), parsed by the grammar ([`parse`]) into a tree in which every node knows its place
//! ([`ast`], [`span`]), printed back ([`print`](mod@print)) and formatted ([`fmt`]); mistakes become [`diagnostic`]s. There is no value
//! here, no number that is more than a literal, and no name of a function or of a kernel.

mod advice;
pub mod ast;
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
