//! Integrals of a kernel without a closed form, over one or several inputs.

use super::density::Marginal;
use super::error::QuadratureError;
use super::estimate::{Estimate, refined};
use super::rules::{Rule, sobol, tensor};
use crate::kernel::{Bound, Kernel, Points, Schema};
use crate::linalg::Matrix;

/// A kernel of some of the inputs.
#[derive(Debug)]
pub struct Group {
    bound: Bound,
    values: Vec<f64>,
    /// The indices of its inputs, and the number of all inputs.
    columns: Vec<usize>,
    inputs: usize,
}

/// The numbers of Gauss nodes per input for two and for three inputs; for more inputs, the total numbers of Sobol
/// points. The last change is the reported error.
const PLANE: [usize; 4] = [12, 20, 36, 60];
const SPACE: [usize; 3] = [8, 12, 16];
const SOBOL: [usize; 3] = [1024, 2048, 4096];
/// The relative change, compared with the largest sum, at which sums have converged.
const EQUAL: f64 = 1e-11;
/// The number of rows that are evaluated against all nodes at a time.
const BLOCK: usize = 256;

impl Group {
    /// A kernel with values for all parameters, over inputs with these names; `columns` are the indices of those it
    /// depends on.
    ///
    /// # Errors
    /// [`QuadratureError::Bind`].
    pub fn new(kernel: &Kernel, names: &[String], columns: Vec<usize>) -> Result<Self, QuadratureError> {
        let origin = [0.0];
        let values: Vec<&[f64]> = names.iter().map(|_| &origin[..]).collect();
        let bound = kernel.bind(&Schema::unnamed(names, &values))?;
        Ok(Self { values: bound.values(), bound, columns, inputs: names.len() })
    }

    /// The indices of its inputs.
    pub fn columns(&self) -> &[usize] {
        &self.columns
    }

    /// Whether it may not be smooth at equal arguments.
    pub fn has_corner(&self) -> bool {
        self.bound.kernel().has_corner()
    }

    fn points(&self, x: &[Vec<f64>]) -> Result<Points, QuadratureError> {
        let n = x.first().map_or(0, Vec::len);
        let other = vec![0.0; n];
        let column = |place: usize| self.columns.iter().position(|c| *c == place).map_or(&other[..], |i| &x[i]);
        let columns: Vec<&[f64]> = (0..self.inputs).map(column).collect();
        Ok(self.bound.points(&columns)?)
    }

    /// k(a, b), with rows given by columns in the order of its inputs.
    ///
    /// # Errors
    /// [`QuadratureError::Evaluation`].
    pub fn cross(&self, a: &[Vec<f64>], b: &[Vec<f64>]) -> Result<Matrix, QuadratureError> {
        Ok(self.bound.cross(&self.values, &self.points(a)?, &self.points(b)?)?)
    }

    fn levels(&self) -> usize {
        match self.columns.len() {
            0..=2 => PLANE.len(),
            3 => SPACE.len(),
            _ => SOBOL.len(),
        }
    }

    /// Nodes by columns, and weights.
    fn nodes(&self, marginals: &[Marginal], level: usize, seed: u32) -> (Vec<Vec<f64>>, Vec<f64>) {
        let d = marginals.len();
        if d > 3 {
            let n = SOBOL[level];
            let cube: Vec<Vec<f64>> = (0..n).map(|i| sobol(i, d, seed)).collect();
            let column = |j: usize| cube.iter().map(|u| marginals[j].quantile(u[j])).collect();
            return ((0..d).map(column).collect(), vec![1.0 / n as f64; n]);
        }
        let n = if d == 3 { SPACE[level] } else { PLANE[level] };
        let rules: Vec<Rule> = marginals.iter().map(|m| Rule::gauss(m, n)).collect();
        tensor(&rules, 1.0)
    }

    /// ∫ k(x, x′) p(x′) dx′ for each row x, with one density per input of the kernel.
    ///
    /// # Errors
    /// [`QuadratureError::Evaluation`].
    pub fn means(&self, x: &[Vec<f64>], p: &[Marginal]) -> Result<Vec<Estimate>, QuadratureError> {
        refined(0..self.levels(), EQUAL, |level| self.sums(x, &self.nodes(p, level, 1)))
    }

    /// Σ w k(x, node) for each row x.
    fn sums(&self, x: &[Vec<f64>], (nodes, weights): &(Vec<Vec<f64>>, Vec<f64>)) -> Result<Vec<f64>, QuadratureError> {
        let (a, b) = (self.points(nodes)?, self.points(x)?);
        let mut out = Vec::with_capacity(b.n());
        let mut from = 0;
        while from < b.n() {
            let to = (from + BLOCK).min(b.n());
            let k = self.bound.cross(&self.values, &a, &b.rows(from..to))?;
            out.extend(k.column_iter().map(|column| column.iter().zip(weights).map(|(k, w)| k * w).sum::<f64>()));
            from = to;
        }
        Ok(out)
    }

    /// ∬ k(x, x′) p(x) q(x′) dx dx′.
    ///
    /// # Errors
    /// [`QuadratureError::Evaluation`].
    pub fn variance(&self, p: &[Marginal], q: &[Marginal]) -> Result<Estimate, QuadratureError> {
        let found = refined(0..self.levels(), EQUAL, |level| {
            // with Sobol points both sides have different scrambles
            let (outer, inner) = (self.nodes(p, level, 2), self.nodes(q, level, 3));
            Ok(vec![self.sums(&outer.0, &inner)?.iter().zip(&outer.1).map(|(z, w)| z * w).sum()])
        })?;
        Ok(found[0])
    }
}
