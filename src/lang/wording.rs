//! Words of messages: the nearest known name, and lists of alternatives.

use crate::data::name_without_unit;

/// `a, b or c`.
pub fn join_or(words: impl IntoIterator<Item = String>) -> String {
    let mut words: Vec<String> = words.into_iter().collect();
    match words.pop() {
        None => String::new(),
        Some(last) if words.is_empty() => last,
        Some(last) => format!("{} or {last}", words.join(", ")),
    }
}

/// A longer name is not taken for a misspelt one.
const LONGEST: usize = 200;

/// The known name nearest to a misspelt one, if any is near.
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let lower = name.to_lowercase();
    let allowed = match name.chars().count() {
        0 => return None,
        1..=2 => 0,
        3..=4 => 1,
        5..=7 => 2,
        _ => 3,
    };
    // a name whose length differs by more is farther away, and the distance of long texts takes long
    let near = |candidate: &&str| candidate.len().abs_diff(name.len()) <= 4 * allowed;
    known
        .into_iter()
        .filter(|candidate| *candidate != name && near(candidate) && name.len() <= LONGEST)
        .map(|candidate| (strsim::damerau_levenshtein(&lower, &candidate.to_lowercase()), candidate))
        .filter(|(distance, _)| *distance <= allowed)
        .min()
        .map(|(_, candidate)| candidate)
}

/// The column that a misspelt name may mean, with or without a unit in brackets at its end.
pub fn nearest_column<'a>(name: &str, known: impl IntoIterator<Item = &'a str> + Clone) -> Option<&'a str> {
    let base = |column: &'a str| name_without_unit(column);
    let same = |wanted: &str| wanted.eq_ignore_ascii_case(name);
    let exact = known.clone().into_iter().find(|column| *column != name && base(column).is_some_and(same));
    exact.or_else(|| nearest(name, known.clone())).or_else(|| {
        let bases: Vec<&str> = known.clone().into_iter().filter_map(base).collect();
        let near = nearest(name, bases)?;
        known.into_iter().find(|column| base(column) == Some(near))
    })
}

/// The suggestion of a column with a similar name.
pub fn did_you_mean(column: &str) -> String {
    let word = crate::kernel::word(column);
    if word == column { format!("did you mean `{column}`?") } else { format!("did you mean `col({word})`?") }
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
