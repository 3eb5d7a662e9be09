//! The builtins, by theme. Each file ends in its own list; here they are joined.

mod kernels;
mod lists;
mod numbers;
mod parameters;
mod text;

use super::builtin::Builtin;

pub static ALL: &[&[Builtin]] = &[kernels::KERNELS, lists::LISTS, numbers::NUMBERS, parameters::PARAMETERS, text::TEXT];
