//! The scale of a column of numbers.

/// The standard deviation of a column; 1 for a column without variation.
pub(crate) fn spread(column: &[f64]) -> f64 {
    let mean = column.iter().sum::<f64>() / column.len() as f64;
    let sd = (column.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>() / column.len() as f64).sqrt();
    if sd > 0.0 && sd.is_finite() { sd } else { 1.0 }
}

/// The difference of the largest and the smallest value, if its square is too large or too small for f64.
pub(super) fn range_without_square(column: &[f64]) -> Option<f64> {
    const SQUARES: std::ops::RangeInclusive<f64> = 1e-150..=1e150;
    let (lo, hi) = column.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(lo, hi), v| (lo.min(*v), hi.max(*v)));
    let range = hi - lo;
    (range > 0.0 && !SQUARES.contains(&range)).then_some(range)
}

/// The greatest power of two that is at most `value`.
pub(super) fn power_of_two(value: f64) -> f64 {
    if value.is_normal() && value > 0.0 { 2f64.powi(value.log2().floor() as i32) } else { 1.0 }
}
