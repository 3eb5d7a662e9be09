//! Bounds on products of parameters.

/// A bound on a product of powers of parameters: Π θᵢ^eᵢ ≥ least. It is for properties that no single parameter
/// determines. A fit adds a penalty below the bound; the log marginal likelihood does not include it.
#[derive(Debug, Clone, PartialEq)]
pub struct ProductBound {
    /// Indices of parameters, with their exponents.
    pub powers: Vec<(usize, f64)>,
    /// Positive.
    pub least: f64,
}

impl ProductBound {
    /// The logarithmic distance beyond the bound: positive beyond, negative within.
    pub fn beyond(&self, values: &[f64]) -> f64 {
        (self.least / self.powers.iter().map(|&(i, power)| values[i].powf(power)).product::<f64>()).ln()
    }

    /// Whether values are on or beyond the bound.
    pub fn is_reached(&self, values: &[f64]) -> bool {
        self.beyond(values) >= 0.0
    }
}
