//! A number with its error.

use super::error::QuadratureError;

/// A number and an estimate of its error from refinement; 0 for closed forms.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    pub value: f64,
    pub error: f64,
}

impl Estimate {
    /// A number in closed form, with error 0.
    pub fn exact(value: f64) -> Self {
        Self { value, error: 0.0 }
    }
}

/// Computes numbers from finer and finer sums until no change is above `equal`, relative to the largest, or the levels
/// end. The last change is the error; at least two levels are needed.
pub fn refined(
    levels: impl IntoIterator<Item = usize>,
    equal: f64,
    mut sums: impl FnMut(usize) -> Result<Vec<f64>, QuadratureError>,
) -> Result<Vec<Estimate>, QuadratureError> {
    let mut before: Option<Vec<f64>> = None;
    let mut found: Vec<Estimate> = Vec::new();
    for level in levels {
        let values = sums(level)?;
        let size = values.iter().fold(0.0f64, |size, v| size.max(v.abs()));
        if let Some(before) = &before {
            let pairs = values.iter().zip(before);
            found = pairs.map(|(v, b)| Estimate { value: *v, error: (v - b).abs() }).collect();
            if found.iter().all(|one| one.error <= equal * size) {
                break;
            }
        }
        before = Some(values);
    }
    Ok(found)
}
