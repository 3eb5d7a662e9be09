//! Bounds on products of parameters.

/// A bound on a product of powers of parameters, for what no parameter says alone: Π θᵢ^eᵢ ≥ least. A fit that goes
/// below is pushed back; the log marginal likelihood does not include it.
#[derive(Debug, Clone, PartialEq)]
pub struct Fence {
    /// Places of parameters among all, with their exponents.
    pub powers: Vec<(usize, f64)>,
    /// Above 0.
    pub least: f64,
}

impl Fence {
    /// How far values are beyond it, in logarithms: above 0 beyond, below 0 within.
    pub fn beyond(&self, values: &[f64]) -> f64 {
        (self.least / self.powers.iter().map(|&(i, power)| values[i].powf(power)).product::<f64>()).ln()
    }

    /// Whether values are at it or beyond.
    pub fn is_reached(&self, values: &[f64]) -> bool {
        self.beyond(values) >= 0.0
    }
}
