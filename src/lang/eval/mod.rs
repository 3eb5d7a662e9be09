//! Evaluation: syntax trees to values.

pub mod additive_bases;
pub mod argument_owners;
pub mod arguments;
pub mod call;
pub mod column_expressions;
pub mod combinators;
mod constructions;
pub mod dual;
pub mod evaluator;
pub mod expressions;
pub mod family_calls;
pub mod host;
pub mod kernel_rows;
pub mod kernel_signatures;
pub mod kernel_spans;
mod making;
pub mod move_errors;
pub mod operators;
pub mod statement;
pub mod tangents;
pub mod unknown;
pub mod user_rows;
