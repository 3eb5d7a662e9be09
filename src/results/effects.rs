//! Parts of a sum along their inputs, for plots (Duvenaud, "Expressing Structure with Kernels", Fig. 1.6 and 1.7).

use super::decompose::{Decomposition, decompose};
use super::grids::{Beyond, range};
use super::predict::At;
use super::residuals;
use crate::data::{Column, Dataset};
use crate::linalg::Matrix;
use crate::model::{ModelError, has_white_noise};

/// The posterior of a part on a grid of its one or two inputs.
#[derive(Debug, Clone, PartialEq)]
pub struct PartialEffect {
    pub inputs: Vec<String>,
    /// The values of each input.
    pub grid: Vec<Vec<f64>>,
    /// At every grid point; for two inputs the first changes fastest.
    pub mean: Vec<f64>,
    pub var: Vec<f64>,
}

/// The posterior correlation of two parts, each along its single input.
#[derive(Debug, Clone, PartialEq)]
pub struct Correlation {
    pub one: usize,
    pub other: usize,
    /// The inputs of the two parts.
    pub inputs: [String; 2],
    /// Their values.
    pub grid: [Vec<f64>; 2],
    /// Rows of the matrix are values of the first part's input, columns of the second's.
    pub values: Matrix,
}

/// Which pairs of parts are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PairsOfParts {
    /// Every pair of two different parts.
    Different,
    /// Every part with itself and with those after it.
    All,
    /// These two, which may be the same.
    These(usize, usize),
}

impl PairsOfParts {
    /// Whether the parts at places `a` and `b` of a list are to be compared, in this order.
    fn contains(self, parts: &[(usize, String)], a: usize, b: usize) -> bool {
        match self {
            Self::Different => a < b,
            Self::All => a <= b,
            Self::These(one, other) => (parts[a].0, parts[b].0) == (one, other),
        }
    }
}

impl Correlation {
    /// The largest absolute correlation.
    pub fn largest(&self) -> f64 {
        self.values.amax()
    }
}

impl Decomposition {
    /// The inputs of a part, if they are numeric and determine it.
    pub fn inputs_of(&self, part: usize) -> Vec<String> {
        let Some(component) = self.components.get(part).filter(|c| !has_white_noise(&c.kernel)) else {
            return Vec::new();
        };
        let problem = self.fit.problem();
        let (mentioned, all) = component.kernel.mentioned();
        let names: Vec<String> = if all {
            problem.names().to_vec()
        } else {
            let name = |input: &crate::kernel::InputRef| match input {
                crate::kernel::InputRef::Index(i) => problem.names().get(*i).cloned(),
                crate::kernel::InputRef::Name(name) => Some(name.to_string()),
            };
            mentioned.iter().filter_map(name).collect()
        };
        let numbers = |name: &String| problem.data().column(name).is_some_and(|c| !c.is_categories());
        if names.iter().all(numbers) { names } else { Vec::new() }
    }

    /// The posterior of a part over the training range of its inputs, with `points` values of each. `None` for a part
    /// without inputs or with more than two.
    ///
    /// # Errors
    /// As [`decompose`].
    pub fn partial_effect(&self, part: usize, points: usize) -> Result<Option<PartialEffect>, ModelError> {
        self.partial_effect_over(part, points, Beyond::default())
    }

    /// The same over a wider range.
    ///
    /// # Errors
    /// As [`decompose`].
    pub fn partial_effect_over(
        &self,
        part: usize,
        points: usize,
        beyond: Beyond,
    ) -> Result<Option<PartialEffect>, ModelError> {
        let inputs = self.inputs_of(part);
        let Some(component) = self.components.get(part).filter(|_| (1..=2).contains(&inputs.len())) else {
            return Ok(None);
        };
        let grid: Vec<Vec<f64>> =
            inputs.iter().map(|name| range(self.fit.problem().data(), name, points, beyond)).collect();
        let places = grid.iter().map(Vec::len).product();
        let stride = grid[0].len();
        let column = |axis: usize| -> Vec<f64> {
            (0..places).map(|i| if axis == 0 { grid[0][i % stride] } else { grid[axis][i / stride] }).collect()
        };
        let rows =
            self.rows_with(places, inputs.iter().enumerate().map(|(axis, name)| (name.as_str(), column(axis))))?;
        let x = self.fit.problem().inputs_of(&rows)?;
        let x: Vec<&[f64]> = x.iter().map(|c| &c[..]).collect();
        let parts = self.fit.posterior.parts(std::slice::from_ref(&component.kernel), &x, false)?;
        Ok(parts.into_iter().next().map(|made| PartialEffect { inputs, grid, mean: made.mean, var: made.var }))
    }

    /// For each part, the partial residuals: the training data less all other parts and the mean function, on the scale
    /// of the model. For a classifier, the part plus the label (1 or −1) less its expectation.
    ///
    /// # Errors
    /// As [`decompose`].
    pub fn partial_residuals(&self) -> Result<Vec<Vec<f64>>, ModelError> {
        if !self.training {
            return decompose(&self.fit, At::Training, self.by)?.partial_residuals();
        }
        let y = self.fit.problem().y();
        let function = |i: usize| self.mean_function[i] + self.components.iter().map(|c| c.mean[i]).sum::<f64>();
        let left: Vec<f64> = match self.fit.problem().classes() {
            Some(_) => residuals(&self.fit)?.residual.iter().map(|left| 2.0 * left).collect(),
            None => (0..y.len()).map(|i| y[i] - function(i)).collect(),
        };
        Ok(self.components.iter().map(|c| c.mean.iter().zip(&left).map(|(m, l)| m + l).collect()).collect())
    }

    /// The posterior correlations of pairs of parts that depend on one input each, with `points` values of each input.
    /// Pairs of different parts begin with the strongest; the others are in the order of the parts.
    ///
    /// # Errors
    /// As [`decompose`].
    pub fn correlations(&self, points: usize, pairs: PairsOfParts) -> Result<Vec<Correlation>, ModelError> {
        let data = self.fit.problem().data();
        let inputs = self.parts_of_one_input();
        // All inputs run through their ranges together, because a part depends only on its own input.
        // those of the decomposed rows, if they vary
        let along = |name: &str| {
            let varies = self.at.column(name).is_some_and(|column| column.distinct() > 1);
            range(if varies { &self.at } else { data }, name, points, Beyond::default())
        };
        let all = inputs.iter().map(|(_, name)| (name.as_str(), along(name)));
        let rows = self.rows_with(points, all)?;
        let x = self.fit.problem().inputs_of(&rows)?;
        let x: Vec<&[f64]> = x.iter().map(|c| &c[..]).collect();
        let kernels: Vec<_> = inputs.iter().map(|(i, _)| self.components[*i].kernel.clone()).collect();
        let parts = self.fit.posterior.parts(&kernels, &x, false)?;
        let mut out = Vec::new();
        for (a, (one, first)) in inputs.iter().enumerate() {
            for (b, (other, second)) in inputs.iter().enumerate().filter(|(b, _)| pairs.contains(&inputs, a, *b)) {
                let posterior = &self.fit.posterior;
                let mut values = match a == b {
                    true => posterior.summand_covariance(&kernels[a], &x, false)?,
                    false => posterior.cross_covariance(&kernels[a], &kernels[b], &x, false)?,
                };
                for i in 0..points {
                    for j in 0..points {
                        let scale = (parts[a].var[i] * parts[b].var[j]).sqrt();
                        values[(i, j)] = if scale > 0.0 { (values[(i, j)] / scale).clamp(-1.0, 1.0) } else { 0.0 };
                    }
                }
                let grid = [first, second].map(|name| along(name));
                let inputs = [first.clone(), second.clone()];
                out.push(Correlation { one: *one, other: *other, inputs, grid, values });
            }
        }
        if pairs == PairsOfParts::Different {
            out.sort_by(|a, b| b.largest().total_cmp(&a.largest()));
        }
        Ok(out)
    }

    /// The parts that depend on one numeric input, with the input.
    pub fn parts_of_one_input(&self) -> Vec<(usize, String)> {
        let one = |i: usize| match &self.inputs_of(i)[..] {
            [one] => Some((i, one.clone())),
            _ => None,
        };
        (0..self.components.len()).filter_map(one).collect()
    }

    /// Copies of the first training row, with other values of some inputs.
    fn rows_with<'n>(
        &self,
        n: usize,
        columns: impl Iterator<Item = (&'n str, Vec<f64>)>,
    ) -> Result<Dataset, ModelError> {
        let mut rows = self.fit.problem().data().take(&vec![0; n]).without_target();
        for (name, values) in columns {
            rows = rows.with_column(Column::numeric(name, values))?;
        }
        Ok(rows)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::decompose::By;
    use super::*;
    use crate::fit::Fit;
    use crate::kernel::{InputRef, Inputs, Kernel, families};
    use crate::model::Model;
    use crate::progress::Silent;

    /// y = 3a + sin b on a grid, with a part for each input and one for both.
    fn fitted() -> Arc<Fit> {
        let (a, b): (Vec<f64>, Vec<f64>) = (0..36).map(|i| (f64::from(i % 6), f64::from(i / 6))).unzip();
        let y = a.iter().zip(&b).map(|(a, b)| 3.0 * a + b.sin()).collect();
        let columns = vec![Column::numeric("a", a), Column::numeric("b", b), Column::numeric("y", y)];
        let data = Dataset::new(columns, Some("y"), Some(&["a", "b"])).unwrap();
        let of = |names: &[&str]| {
            let inputs = names.iter().map(|n| InputRef::Name((*n).into())).collect();
            Kernel::leaf(families::family("SE").unwrap(), Inputs::These(inputs))
        };
        let kernel = Kernel::sum([of(&["a"]), of(&["b"]), of(&["a", "b"])]).unwrap();
        let options = crate::fit::Options { restarts: 1, ..crate::fit::Options::default() };
        Arc::new(crate::fit::fit(&Model::new(kernel), &data, options, &Silent).unwrap())
    }

    #[test]
    fn parts_run_along_their_own_inputs() {
        let parts = decompose(&fitted(), At::Training, By::Term).unwrap();
        let line = parts.partial_effect(0, 6).unwrap().unwrap();
        assert_eq!(
            (&line.inputs[..], &line.grid[0][..]),
            (&["a".to_string()][..], &[0.0, 1.0, 2.0, 3.0, 4.0, 5.0][..])
        );
        let plane = parts.partial_effect(2, 6).unwrap().unwrap();
        for i in 0..6 {
            assert!((line.mean[i] - parts.components[0].mean[i]).abs() < 1e-9);
        }
        for (i, mean) in plane.mean.iter().enumerate() {
            assert!((mean - parts.components[2].mean[i]).abs() < 1e-9, "{i}");
        }
    }

    #[test]
    fn partial_residuals_add_to_the_data() {
        let fit = fitted();
        let parts = decompose(&fit, At::Training, By::Term).unwrap();
        let partial = parts.partial_residuals().unwrap();
        let rows = decompose(&fit, At::Rows(fit.problem().data().head(3)), By::Term).unwrap();
        assert_eq!(partial, rows.partial_residuals().unwrap());
        for (i, y) in fit.problem().y().iter().enumerate() {
            let others = parts.components[1].mean[i] + parts.components[2].mean[i] + parts.mean_function[i];
            assert!((partial[0][i] + others - y).abs() < 1e-9);
        }
    }

    #[test]
    fn correlations_are_those_of_the_rows() {
        let parts = decompose(&fitted(), At::Training, By::Term).unwrap();
        let found = parts.correlations(6, PairsOfParts::Different).unwrap();
        // The part of both inputs is left out.
        assert_eq!((found.len(), found[0].one, found[0].other), (1, 0, 1));
        let cross = &parts.cross[0];
        for i in 0..6 {
            // Row 7i of the data has a = b = i.
            assert!((found[0].values[(i, i)] - cross.corr[7 * i]).abs() < 1e-6);
        }
        // A part with itself has correlation 1 at the same value.
        let own = parts.correlations(6, PairsOfParts::These(0, 0)).unwrap();
        assert_eq!((own.len(), own[0].one, own[0].other), (1, 0, 0));
        for i in 0..6 {
            assert!((own[0].values[(i, i)] - 1.0).abs() < 1e-6);
            assert!((own[0].values[(i, 0)] - own[0].values[(0, i)]).abs() < 1e-6);
        }
        // In the other order, the same values transposed.
        let turned = parts.correlations(6, PairsOfParts::These(1, 0)).unwrap();
        assert!((&turned[0].values - found[0].values.transpose()).amax() < 1e-12);
        assert_eq!(parts.correlations(6, PairsOfParts::All).unwrap().len(), 3);
    }
}
