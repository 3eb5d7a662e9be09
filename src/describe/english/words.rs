//! English grammar: lists, articles, capital letters.

/// `a`, `a and b`, `a, b and c`.
pub fn join_and(words: &[String]) -> String {
    match words {
        [] => String::new(),
        [one] => one.clone(),
        [most @ .., last] => format!("{} and {last}", most.join(", ")),
    }
}

/// The noun with its article `a` or `an`.
pub fn with_article(noun: &str) -> String {
    let silent = noun.starts_with("hour");
    let an = silent || noun.starts_with(['a', 'e', 'i', 'o', 'u']);
    format!("{} {noun}", if an { "an" } else { "a" })
}

/// The text with an initial capital letter.
pub fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}
