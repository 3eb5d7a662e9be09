//! The language: syntax trees to values.

pub mod builtin;
mod builtins;
pub mod check;
pub mod eval;
pub mod help;
pub mod topics;
pub mod trouble;
pub mod values;
