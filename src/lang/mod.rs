//! The language: text to syntax, syntax to values.

pub mod ast;
pub mod span;
