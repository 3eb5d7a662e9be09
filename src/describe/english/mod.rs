//! Kernels in English: what each part of a sum means, what multiplication does to it, with values in the units of the
//! data where these are known. The words of families and wraps are declared with them, as their
//! [`Voice`](crate::kernel::Voice); here they become sentences.

mod algebra;
mod description;
mod explain;
mod factor;
pub mod motifs;
mod phrase;
mod quantity;
mod says;
mod scene;
mod story;
mod template;
#[cfg(test)]
mod tests;

pub use description::{Description, Part, bare, fit as describe_fit, kernel as describe_kernel};
pub use explain::{fit as explain_fit, kernel as explain_kernel};
pub use story::{Story, Told, story};

/// A number with its unit, as a person says it: `3 years`, `12 ppm`.
pub fn with_unit(value: f64, unit: Option<&str>) -> String {
    quantity::amount(value, unit, 3)
}

/// `a`, `a and b`, `a, b and c`.
fn join_and(words: &[String]) -> String {
    match words {
        [] => String::new(),
        [one] => one.clone(),
        [most @ .., last] => format!("{} and {last}", most.join(", ")),
    }
}

/// With `a` or `an` before it.
fn with_article(noun: &str) -> String {
    let silent = noun.starts_with("hour");
    let an = silent || noun.starts_with(['a', 'e', 'i', 'o', 'u']);
    format!("{} {noun}", if an { "an" } else { "a" })
}

/// With a capital letter at its beginning.
fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}
