//! English grammar: lists, articles, capital letters.

/// `a`, `a and b`, `a, b and c`.
pub fn join_and(words: &[String]) -> String {
    match words {
        [] => String::new(),
        [one] => one.clone(),
        [most @ .., last] => format!("{} and {last}", most.join(", ")),
    }
}

/// Lists longer than this are shortened.
const LISTED: usize = 16;

/// `a, b, c`, of long lists the beginning and the number of the others.
pub fn listed<T: AsRef<str>>(names: &[T]) -> String {
    let text = |some: &[T]| some.iter().map(AsRef::as_ref).collect::<Vec<_>>().join(", ");
    match names.len() {
        n if n > LISTED => format!("{} and {} others", text(&names[..LISTED / 2]), n - LISTED / 2),
        _ => text(names),
    }
}

/// The noun with `a` or `an` before it.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lists_are_shortened() {
        let names: Vec<String> = (0..300).map(|i| format!("x{i}")).collect();
        assert_eq!(listed(&names), "x0, x1, x2, x3, x4, x5, x6, x7 and 292 others");
        assert_eq!(listed(&names[..3]), "x0, x1, x2");
        assert_eq!(listed::<String>(&[]), "");
    }
}
