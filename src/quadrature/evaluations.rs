//! Points at which an integrand was evaluated.

use std::collections::HashMap;

use super::error::QuadratureError;

/// Evaluations of an integrand: the names of the inputs, the points by columns, and the values.
#[derive(Debug, Clone, PartialEq)]
pub struct Evaluations {
    names: Vec<String>,
    x: Vec<Vec<f64>>,
    y: Vec<f64>,
}

impl Evaluations {
    /// No evaluations, for inputs with these names.
    pub fn none(names: Vec<String>) -> Self {
        Self { x: vec![Vec::new(); names.len()], names, y: Vec::new() }
    }

    /// Points by columns, with their values.
    ///
    /// # Errors
    /// [`QuadratureError::NotFinite`] names the first point with a value that is not finite.
    pub fn new(names: Vec<String>, x: Vec<Vec<f64>>, y: Vec<f64>) -> Result<Self, QuadratureError> {
        let mut all = Self::none(names);
        for (i, value) in y.into_iter().enumerate() {
            let row: Vec<f64> = x.iter().map(|column| column[i]).collect();
            all.push(&row, value)?;
        }
        Ok(all)
    }

    /// Adds an evaluation.
    ///
    /// # Errors
    /// [`QuadratureError::NotFinite`].
    pub fn push(&mut self, row: &[f64], value: f64) -> Result<(), QuadratureError> {
        if !value.is_finite() || row.iter().any(|x| !x.is_finite()) {
            return Err(QuadratureError::NotFinite { value, at: self.place(row) });
        }
        for (column, x) in self.x.iter_mut().zip(row) {
            column.push(*x);
        }
        self.y.push(value);
        Ok(())
    }

    /// A point in words: `x = 1.5, y = 2`.
    pub fn place(&self, row: &[f64]) -> String {
        let one = |(name, x): (&String, &f64)| format!("{name} = {x}");
        self.names.iter().zip(row).map(one).collect::<Vec<_>>().join(", ")
    }

    /// The names of the inputs.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The points, by columns.
    pub fn x(&self) -> &[Vec<f64>] {
        &self.x
    }

    /// The values of the integrand.
    pub fn y(&self) -> &[f64] {
        &self.y
    }

    /// Whether all values are the same; also without any.
    pub fn are_constant(&self) -> bool {
        all_equal(&self.y)
    }

    pub fn n(&self) -> usize {
        self.y.len()
    }

    /// The point with index `i`.
    pub fn row(&self, i: usize) -> Vec<f64> {
        self.x.iter().map(|column| column[i]).collect()
    }

    /// About `most` of the evaluations, without a regular distance between their indices.
    pub fn thinned(&self, most: usize) -> Self {
        // multiples of the golden ratio fill the unit interval evenly
        const GOLDEN: f64 = 0.618_033_988_749_894_9;
        let share = most as f64 / self.n() as f64;
        let kept: Vec<usize> = (0..self.n()).filter(|i| (*i as f64 * GOLDEN).fract() < share).collect();
        let of = |values: &[f64]| kept.iter().map(|i| values[*i]).collect();
        Self { names: self.names.clone(), x: self.x.iter().map(|x| of(x)).collect(), y: of(&self.y) }
    }

    /// The first two evaluations at one point that have different values: their indices and values.
    pub fn contradiction(&self) -> Option<((usize, usize), (f64, f64))> {
        // 0 and −0 are one point
        let bits = |i: usize| self.x.iter().map(|column| (column[i] + 0.0).to_bits()).collect::<Vec<u64>>();
        let mut seen = HashMap::new();
        (0..self.n()).find_map(|i| {
            let first = *seen.entry(bits(i)).or_insert(i);
            (self.y[first] != self.y[i]).then(|| ((first, i), (self.y[first], self.y[i])))
        })
    }

    /// The same points with other values.
    pub fn with_values(&self, y: Vec<f64>) -> Self {
        Self { y, ..self.clone() }
    }
}

/// Whether all values are the same; also without any.
pub(super) fn all_equal(values: &[f64]) -> bool {
    values.windows(2).all(|pair| pair[0] == pair[1])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn some_of_many_are_kept_all_over() {
        let x: Vec<f64> = (0..1000).map(f64::from).collect();
        let some = Evaluations::new(vec!["x".into()], vec![x.clone()], x).unwrap().thinned(100);
        assert!((98..=102).contains(&some.n()) && some.x()[0] == some.y(), "{}", some.n());
        assert!(some.y().windows(2).all(|pair| pair[1] - pair[0] < 25.0) && some.y()[some.n() - 1] > 980.0);
    }

    #[test]
    fn two_values_at_a_point_are_found() {
        let of = |x: Vec<f64>, y: Vec<f64>| Evaluations::new(vec!["x".into()], vec![x], y).unwrap().contradiction();
        assert_eq!(of(vec![0.0, 1.0, -0.0, 1.0], vec![2.0, 3.0, 2.0, 4.0]), Some(((1, 3), (3.0, 4.0))));
        assert_eq!(of(vec![0.0, 1.0, 0.0], vec![2.0, 3.0, 2.0]), None);
    }
}
