//! The language: text to syntax, syntax to values.

mod advice;
pub mod ast;
pub mod diagnostic;
pub mod layout;
pub mod parse;
pub mod print;
pub mod scan;
pub mod span;
