//! Errors of the moves under which a kernel is made invariant.

use crate::kernel::MoveError;
use crate::lang::error::LangError;

/// The message of a [`MoveError`], with help.
pub fn move_error(error: &MoveError) -> LangError {
    let lang_error = LangError::new(error.to_string());
    match error {
        MoveError::Endless => lang_error
            .note("mirrors and rotations about different points combine to a shift")
            .help("`periodic` is for functions that repeat"),
        MoveError::TooLarge => lang_error
            .note("the permutations of n inputs are n! elements, and each mirror doubles them")
            .help("take fewer inputs, or `shift`, which has as many elements as inputs"),
        MoveError::Inputs { name: "rotate", found, .. } if *found > 2 => {
            lang_error.help("`shift([…])` moves several inputs round in a circle")
        }
        MoveError::Inputs { name: "swap", found, .. } if *found > 2 => {
            lang_error.help("`permute([…])` is for more than two")
        }
        MoveError::Inputs { name: "flip", found, .. } if *found > 1 => {
            lang_error.help("`invariant(k, flip(0), flip(1))` mirrors each; `swap(0, 1)` exchanges them")
        }
        MoveError::Inputs { name, found: 0 | 1, .. } => {
            lang_error.help(format!("such as `{name}({})`", if *name == "flip" { "0" } else { "0, 1" }))
        }
        _ => lang_error,
    }
}
