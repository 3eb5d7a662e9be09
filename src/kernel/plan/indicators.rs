//! Indicator columns for categories, for families of the distance with a length-scale per input.
//!
//! Every level c of a categorical input has an indicator column δ_c and a length-scale l_c. The squared distance of two
//! rows with levels a ≠ b increases by Σ_c ((δ_c − δ′_c)/l_c)² = 1/l_a² + 1/l_b²; that of rows with equal levels does
//! not change. No level is a reference. With a reference r, the distance of r and b would be 1/l_b² and that of a and b
//! 1/l_a² + 1/l_b², so the kernel would depend on the choice of r, unlike the span of a linear model. With three or
//! more levels the distances determine all length-scales. Two levels have one distance, 1/l², which is that of one
//! indicator column: the second level has the column, and the first would give the same kernel.
//!
//! With the squared exponential, `ARD(SE([c, x]))` is `SE(x)` times `ARD(onehot(c))` with these length-scales.

use std::sync::Arc;

use super::Plan;
use crate::kernel::bind_error::{BindError, Cause, Origin, Place};
use crate::kernel::input_view::{Indicators, ViewMap, ViewPair};
use crate::kernel::row_function::{Levels, level_text};

/// The largest number of levels of a column with a length-scale per level.
const MOST_LEVELS: usize = 1000;

impl Plan<'_> {
    /// Views in which categorical inputs are represented by indicator columns after the other columns; the same views
    /// if no input is categorical.
    ///
    /// # Errors
    /// A column with more than [`MOST_LEVELS`] levels.
    pub(in crate::kernel) fn indicator_views(
        &mut self,
        origin: Option<Origin>,
        views: ViewPair,
        inputs: &[usize],
    ) -> Result<ViewPair, BindError> {
        let left = self.indicator_view(origin, views.left, inputs)?;
        let right = if views.right == views.left { left } else { self.indicator_view(origin, views.right, inputs)? };
        Ok(ViewPair { left, right })
    }

    fn indicator_view(&mut self, origin: Option<Origin>, view: usize, inputs: &[usize]) -> Result<usize, BindError> {
        let mut shown = self.views[view].shown.clone();
        let mut next = self.columns[view].len();
        let mut all: Vec<Indicators> = Vec::new();
        for (place, &input) in inputs.iter().enumerate() {
            let Some(levels) = self.levels(view, input).map(Levels::from) else { continue };
            if shown[input] != [input] || all.iter().any(|known| known.column == input) {
                continue;
            }
            let known = self.codes(input);
            if known.len() > MOST_LEVELS {
                let message = format!(
                    "`{}` has {} categories, too many for a length-scale each: use `onehot({0})`, which has one for all",
                    self.name(input),
                    known.len()
                );
                return Err(BindError { origin, place: Place::Input(place), cause: Cause::Rows(message) });
            }
            let name = Arc::from(self.name(input));
            let indicators = Indicators { column: input, name, levels, known };
            shown[input] = (next..next + indicators.shown().len()).collect();
            next += indicators.shown().len();
            all.push(indicators);
        }
        if all.is_empty() { Ok(view) } else { self.view(origin, view, ViewMap::Indicators(all), Some(shown)) }
    }

    /// The distinct codes of a categorical column in the training rows, ascending.
    fn codes(&self, input: usize) -> Vec<f64> {
        let mut codes = self.schema.columns[input].values.to_vec();
        codes.sort_by(f64::total_cmp);
        codes.dedup();
        codes
    }

    /// The levels whose indicators represent an input in a view; `None` if no indicators represent it.
    pub(super) fn indicated_levels(&self, view: usize, input: usize) -> Option<Vec<Arc<str>>> {
        match &self.views[view].map {
            ViewMap::Indicators(all) => {
                let found = all.iter().find(|indicators| indicators.column == input)?;
                Some(found.shown().iter().map(|&code| level_text(&found.levels, code)).collect())
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use crate::kernel::families::family;
    use crate::kernel::{Bound, Column, Gram, InputRef, Inputs, Kernel, Leaf, Node, Schema};
    use crate::linalg::Matrix;

    const CODES: [f64; 4] = [0.0, 1.0, 2.0, 0.0];
    const X: [f64; 4] = [0.0, 0.5, 1.0, 3.0];

    /// `ARD(SE([c, x]))` on these rows.
    fn bound(codes: &[f64]) -> Bound {
        let levels: Vec<Arc<str>> = ["Ulm", "Bonn", "Kiel"].map(Arc::from).to_vec();
        let c = Column { name: "c", values: codes, levels: Some(&levels), time: None };
        let x = Column { name: "x", values: &X, levels: None, time: None };
        let inputs = Inputs::These(vec![InputRef::Index(0), InputRef::Index(1)]);
        let family = family("SE").unwrap();
        let params = family.spec().params.iter().map(|spec| spec.unset(true)).collect();
        let kernel: Kernel = Node::Leaf(Leaf { family, inputs, params, ard: true }).into();
        kernel.bind(&Schema { columns: vec![c, x] }).unwrap()
    }

    fn gram(bound: &Bound, codes: &[f64], values: &[f64]) -> Matrix {
        let mut k = Matrix::zeros(4, 4);
        let points = bound.points(&[codes, &X]).unwrap();
        Gram::new(bound, &points).evaluate(values, &mut k).unwrap();
        k
    }

    #[test]
    fn rows_of_two_levels_are_apart_by_the_length_scales_of_both() {
        let bound = bound(&CODES);
        let l = [0.8, 1.5, 2.0];
        let k = gram(&bound, &CODES, &[l[0], l[1], l[2], 3.0, 2.0]);
        for i in 0..4 {
            for j in 0..=i {
                let (a, b) = (CODES[i] as usize, CODES[j] as usize);
                let levels = if a == b { 0.0 } else { l[a].powi(-2) + l[b].powi(-2) };
                let expected = 2.0 * (-0.5 * (levels + ((X[i] - X[j]) / 3.0).powi(2))).exp();
                assert!((k[(i, j)] - expected).abs() < 1e-14, "{i} {j}");
            }
        }
        let levels: Vec<Option<&str>> = bound.slots().iter().map(|slot| slot.level.as_deref()).collect();
        assert_eq!(levels, [Some("Ulm"), Some("Bonn"), Some("Kiel"), None, None]);
    }

    #[test]
    fn two_levels_have_one_column_in_whatever_order() {
        let (one, other) = ([0.0, 1.0, 1.0, 0.0], [1.0, 0.0, 0.0, 1.0]);
        let values = [0.8, 3.0, 2.0];
        let k = gram(&bound(&one), &one, &values);
        assert_eq!(k, gram(&bound(&other), &other, &values));
        let expected = 2.0 * (-0.5 * (0.8f64.powi(-2) + (0.5f64 / 3.0).powi(2))).exp();
        assert!((k[(1, 0)] - expected).abs() < 1e-14);
    }

    #[test]
    fn length_scales_of_levels_have_the_gradient_of_their_differences() {
        let bound = bound(&CODES);
        let values = [0.8, 1.5, 2.0, 3.0, 2.0];
        // an uneven weight for each pair of rows, in the lower triangle
        let weight = |i: usize, j: usize| ((3 * i + 5 * j + 1) as f64).sin();
        let sum = |values: &[f64]| {
            let k = gram(&bound, &CODES, values);
            (0..4).flat_map(|j| (j..4).map(move |i| (i, j))).map(|(i, j)| weight(i, j) * k[(i, j)]).sum::<f64>()
        };
        let (mut k, mut gradient) = (Matrix::zeros(4, 4), vec![0.0; values.len()]);
        let points = bound.points(&[&CODES, &X]).unwrap();
        let mut all = Gram::new(&bound, &points);
        all.evaluate(&values, &mut k).unwrap();
        let fill = |j: usize, w: &mut [f64]| w.iter_mut().enumerate().for_each(|(a, w)| *w = weight(j + a, j));
        all.pull(fill, &mut gradient).unwrap();
        for (slot, found) in gradient.iter().enumerate() {
            let at = |by: f64| {
                let mut moved = values;
                moved[slot] += by;
                sum(&moved)
            };
            let by = (at(1e-5) - at(-1e-5)) / 2e-5;
            assert!((found - by).abs() < 1e-8, "{slot}: {found} {by}");
        }
    }

    #[test]
    fn a_level_that_was_not_among_the_training_rows_is_refused() {
        let bound = bound(&[0.0, 1.0, 1.0, 0.0]);
        let error = bound.points(&[&CODES, &X]).unwrap_err().to_string();
        assert_eq!(error, "`Kiel` in column `c` was not among the categories of the training rows (row 2)");
    }
}
