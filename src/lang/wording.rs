//! Words of messages: the nearest known name, and lists of alternatives.

/// `a, b or c`.
pub fn join_or(words: impl IntoIterator<Item = String>) -> String {
    let mut words: Vec<String> = words.into_iter().collect();
    match words.pop() {
        None => String::new(),
        Some(last) if words.is_empty() => last,
        Some(last) => format!("{} or {last}", words.join(", ")),
    }
}

/// The name nearest to a misspelt one, if any is near.
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let lower = name.to_lowercase();
    let allowed = match name.chars().count() {
        0 => return None,
        1..=2 => 0,
        3..=4 => 1,
        5..=7 => 2,
        _ => 3,
    };
    known
        .into_iter()
        .filter(|candidate| *candidate != name)
        .map(|candidate| (strsim::damerau_levenshtein(&lower, &candidate.to_lowercase()), candidate))
        .filter(|(distance, _)| *distance <= allowed)
        .min()
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearest_names() {
        let known = ["SE", "predict", "Per"];
        assert_eq!(nearest("predct", known), Some("predict"));
        assert_eq!(nearest("Sqe", known), Some("SE"));
        assert_eq!(nearest("xyzzy", known), None);
    }
}
