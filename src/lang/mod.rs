//! The language: text to syntax, syntax to values.

mod advice;
pub mod ast;
pub mod builtin;
mod builtins;
pub mod call;
pub mod check;
pub mod diagnostic;
pub mod display;
pub mod eval;
mod fill;
pub mod fmt;
pub mod function;
pub mod help;
pub mod host;
pub mod json;
mod kernels;
pub mod layout;
pub mod members;
pub mod ops;
pub mod origins;
pub mod parse;
pub mod pipeline;
mod precedence;
pub mod print;
pub mod rows;
pub mod scan;
pub mod sheet;
pub mod span;
mod stack;
pub mod statement;
pub mod topics;
pub mod trouble;
mod unknown;
pub mod value;

pub use stack::deep;
