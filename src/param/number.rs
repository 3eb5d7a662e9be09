//! A number as text.

/// A number with the fewest digits that read back exactly.
pub fn number(x: f64) -> String {
    let size = x.abs();
    if size != 0.0 && !(1e-5..1e16).contains(&size) { format!("{x:e}") } else { format!("{x}") }
}
