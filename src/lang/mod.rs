//! The language: syntax trees to values.
//!
//! Imports go in one direction: `payload` ← `values` ← `signature` ← `eval` ← `builtins` ← `registry` ← `check`.

mod builtins;
pub mod check;
pub mod error;
pub mod eval;
pub mod help;
pub mod numerals;
pub mod payload;
pub mod registry;
pub mod signature;
pub mod topics;
pub mod values;
pub mod wording;
