//! Numbers, strings, column names and inputs as the language writes them.

use super::families::FAMILIES;
use super::inputs::{InputRef, Inputs};

/// Words that cannot name a column.
const WORDS: [&str; 15] =
    ["let", "fn", "import", "if", "then", "else", "for", "in", "and", "or", "not", "true", "false", "inf", "pi"];

/// Whether a word has a meaning in the language, so that it cannot name a column or a parameter.
pub fn is_reserved(word: &str) -> bool {
    WORDS.contains(&word) || FAMILIES.iter().any(|f| f.spec().name == word || f.spec().aliases.contains(&word))
}

pub use crate::param::number;

/// A string as a literal of the language.
pub use crate::syntax::print::print_string as quoted;

/// A name where the language allows a bare word: bare if possible, otherwise as a string.
pub(crate) fn word(name: &str) -> String {
    let in_word = |c: char| pest::unicode::XID_CONTINUE(c) && c != '\u{B7}' && c != '\u{387}';
    let plain = name.starts_with(|c: char| c == '_' || pest::unicode::XID_START(c)) && name.chars().all(in_word);
    if plain && !is_reserved(name) { name.to_string() } else { quoted(name) }
}

pub(super) fn input(input: &InputRef) -> String {
    match input {
        InputRef::Index(at) => at.to_string(),
        InputRef::Name(name) => word(name),
    }
}

/// Several inputs as arguments: `0, 1` for up to two, a list otherwise.
pub(super) fn input_list(inputs: &[InputRef]) -> String {
    let names = inputs.iter().map(input).collect::<Vec<_>>().join(", ");
    if inputs.len() > 2 { format!("[{names}]") } else { names }
}

/// The inputs as an argument. `None` if none were written.
pub(super) fn inputs(inputs: &Inputs) -> Option<String> {
    match inputs {
        Inputs::All => None,
        Inputs::These(these) => Some(match &these[..] {
            [one] => input(one),
            many => format!("[{}]", many.iter().map(input).collect::<Vec<_>>().join(", ")),
        }),
    }
}
