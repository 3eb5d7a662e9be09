//! The builtins, by theme. Each file ends in its own list; here they are joined.

mod lists;
mod numbers;
mod parameters;
mod text;

use super::builtin::Builtin;

pub static ALL: &[&[Builtin]] = &[lists::LISTS, numbers::NUMBERS, parameters::PARAMETERS, text::TEXT];
