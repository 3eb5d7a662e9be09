//! Evaluation: syntax trees to values.

pub mod arguments;
pub mod call;
pub mod closure_text;
pub mod combinators;
pub mod evaluator;
pub mod family_calls;
pub mod host;
pub mod kernel_rows;
pub mod operators;
pub mod origins;
pub mod statement;
pub mod unknown;
