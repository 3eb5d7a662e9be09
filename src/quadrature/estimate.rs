//! A number with its error.

/// A number and a bound on its error as it was observed, 0 for closed forms.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    pub value: f64,
    pub error: f64,
}

impl Estimate {
    pub fn exact(value: f64) -> Self {
        Self { value, error: 0.0 }
    }
}
