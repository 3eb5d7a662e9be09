//! Predictions of a deep GP from samples of the hidden layers, and the mixture of normal distributions that they
//! define.

use rand::SeedableRng;
use rand_distr::{Distribution, StandardNormal};
use rand_pcg::Pcg64;
use rayon::prelude::*;

use super::error::DeepError;
use super::layer::{Conditional, Given, LayerVars, conditional, given_pseudo_outputs};
use super::tape::{Tape, TapeError, Var, log_mean_exp};
use super::train::DeepFit;
use crate::data::Dataset;
use crate::linalg::{LOG_2PI, Matrix, pivoted_cholesky, pivoted_columns};
use crate::model::{ModelError, normal_cdf, refuse_if_rough, refuse_if_wide};

/// With more rows than this the covariance of a layer is not stored: a factor of it is computed column by column.
const DENSE_ROWS: usize = 2000;
/// The share of the largest variance at which a factor of the covariance ends.
const TOLERANCE: f64 = 1e-10;

/// Normal distributions of the target at some rows, one per sample of the hidden layers. At each row they form a
/// mixture with equal weights.
#[derive(Debug, Clone, PartialEq)]
pub struct Mixture {
    /// By samples, then by rows.
    pub means: Vec<Vec<f64>>,
    /// Variances of the function, without noise.
    pub variances: Vec<Vec<f64>>,
    pub noise: f64,
}

impl Mixture {
    /// The mean at each row.
    pub fn mean(&self) -> Vec<f64> {
        average(&self.means)
    }

    /// The variance of the function at each row under the mixture.
    pub fn variance(&self) -> Vec<f64> {
        let (mean, within) = (self.mean(), average(&self.variances));
        let between = |i: usize| self.means.iter().map(|m| (m[i] - mean[i]).powi(2)).sum::<f64>();
        (0..mean.len()).map(|i| within[i] + between(i) / self.means.len() as f64).collect()
    }

    /// The log density of a new observation at a row, given one sample of the hidden layers.
    fn log_density(&self, y: &[f64], i: usize, sample: usize) -> f64 {
        let v = self.variances[sample][i] + self.noise;
        -0.5 * (LOG_2PI + v.ln() + (y[i] - self.means[sample][i]).powi(2) / v)
    }

    /// The log density of a new observation at each row.
    pub fn log_densities(&self, y: &[f64]) -> Vec<f64> {
        let samples = 0..self.means.len();
        let at = |i: usize| samples.clone().map(|k| self.log_density(y, i, k)).collect::<Vec<_>>();
        (0..y.len()).map(|i| log_mean_exp(&at(i))).collect()
    }

    /// The joint log density of new observations at all rows. Blocks of 2,000 rows share each sample of the hidden layers,
    /// and are independent.
    pub fn joint_log_density(&self, y: &[f64]) -> f64 {
        let rows: Vec<usize> = (0..y.len()).collect();
        let of_block = |block: &[usize]| {
            let of = |k: usize| block.iter().map(|&i| self.log_density(y, i, k)).sum::<f64>();
            log_mean_exp(&(0..self.means.len()).map(of).collect::<Vec<_>>())
        };
        rows.chunks(DENSE_ROWS).map(of_block).sum()
    }

    /// The quantile of a new observation at each row for this probability.
    pub fn quantile(&self, probability: f64) -> Vec<f64> {
        let rows = self.means.first().map_or(0, Vec::len);
        (0..rows).into_par_iter().map(|i| self.quantile_at(i, probability)).collect()
    }

    fn quantile_at(&self, i: usize, probability: f64) -> f64 {
        let parts: Vec<(f64, f64)> =
            self.means.iter().zip(&self.variances).map(|(m, v)| (m[i], (v[i] + self.noise).sqrt())).collect();
        let below = |y: f64| {
            let one = |(m, sd): &(f64, f64)| normal_cdf((y - m) / sd);
            parts.iter().map(one).sum::<f64>() / parts.len() as f64
        };
        let mut lo = parts.iter().map(|(m, sd)| m - 10.0 * sd).fold(f64::INFINITY, f64::min);
        let mut hi = parts.iter().map(|(m, sd)| m + 10.0 * sd).fold(f64::NEG_INFINITY, f64::max);
        for _ in 0..60 {
            let middle = 0.5 * (lo + hi);
            if below(middle) < probability { lo = middle } else { hi = middle }
        }
        0.5 * (lo + hi)
    }
}

fn average(all: &[Vec<f64>]) -> Vec<f64> {
    let rows = all.first().map_or(0, Vec::len);
    (0..rows).map(|i| all.iter().map(|one| one[i]).sum::<f64>() / all.len() as f64).collect()
}

/// The moments of a layer at some rows: the mean of each unit, and the covariance, which all units share.
struct Moments {
    mean: Matrix,
    covariance: Matrix,
}

/// A layer at some rows on a tape.
struct Recorded {
    vars: LayerVars,
    rows: Var,
    given: Given,
    conditional: Conditional,
}

impl DeepFit {
    /// Rows of the inputs, in the order of the first layer.
    ///
    /// # Errors
    /// A missing input, or values that are missing or infinite.
    pub fn rows_of(&self, data: &Dataset) -> Result<Matrix, ModelError> {
        let columns = self.problem.base.inputs_of(data)?;
        Ok(Matrix::from_vec(columns.first().map_or(0, Vec::len), columns.len(), columns.concat()))
    }

    /// The inputs of some rows before the steps of the model.
    ///
    /// # Errors
    /// As [`DeepFit::rows_of`].
    pub fn shown_inputs(&self, data: &Dataset) -> Result<Matrix, ModelError> {
        let plain = self.problem.base.names().iter().map(|name| data.column(name).filter(|c| !c.is_categories()));
        match plain.collect::<Option<Vec<_>>>() {
            Some(columns) if !columns.is_empty() => {
                let all: Vec<f64> = columns.iter().flat_map(|column| column.values().iter().copied()).collect();
                Ok(Matrix::from_vec(data.n(), columns.len(), all))
            }
            _ => self.rows_of(data),
        }
    }

    /// A value of the last layer in units of the target.
    fn in_data_units(&self, value: f64) -> f64 {
        self.problem.base.pipeline().target().inverse(value + self.problem.mean)
    }

    /// The unit of the target in the model, in units of the data.
    fn unit(&self) -> f64 {
        self.problem.base.pipeline().target().moments(0.0, 1.0).1
    }

    /// The normal distributions for this number of samples. Hidden layers are sampled jointly over blocks of 2,000 rows with
    /// the full covariance, as the text does for test rows; the distribution at each row is that of any other block.
    ///
    /// # Errors
    /// Rows at which a kernel cannot be evaluated; more than fit into memory.
    pub fn mixture(&self, rows: &Matrix, samples: usize, seed: u64) -> Result<Mixture, DeepError> {
        refuse_if_wide(samples, rows.nrows())?;
        let mut random = Pcg64::seed_from_u64(seed ^ 0x3a3b);
        let mut normal_number = || StandardNormal.sample(&mut random);
        let samples = if self.problem.layers.len() == 1 { 1 } else { samples };
        let (mut means, mut variances): (Vec<Vec<f64>>, Vec<Vec<f64>>) = (Vec::new(), Vec::new());
        let last = self.problem.layers.len() - 1;
        let square = self.unit().powi(2);
        means.resize(samples, Vec::with_capacity(rows.nrows()));
        variances.resize(samples, Vec::with_capacity(rows.nrows()));
        for from in (0..rows.nrows()).step_by(DENSE_ROWS) {
            let block = rows.rows(from, DENSE_ROWS.min(rows.nrows() - from)).into_owned();
            let first = if last == 0 { None } else { Some(self.normal(0, &block)?) };
            for (means, variances) in means.iter_mut().zip(&mut variances) {
                let moments = match &first {
                    Some(first) => self.moments(last, &self.hidden(&block, first, &mut normal_number)?, false)?,
                    None => self.moments(0, &block, false)?,
                };
                means.extend(moments.mean.iter().map(|m| self.in_data_units(*m)));
                variances.extend(moments.covariance.iter().map(|v| v.max(0.0) * square));
            }
        }
        Ok(Mixture { means, variances, noise: self.values.noise * square })
    }

    /// Functions drawn from the fit at some rows, one per column, without noise. Hidden layers are sampled with them.
    ///
    /// # Errors
    /// Rows at which a kernel cannot be evaluated.
    pub fn draws(&self, rows: &Matrix, draws: usize, seed: u64) -> Result<Matrix, DeepError> {
        let mut random = Pcg64::seed_from_u64(seed ^ 0xd7a3);
        self.draws_with(rows, draws, &mut || StandardNormal.sample(&mut random))
    }

    /// The same with given standard normal numbers.
    ///
    /// # Errors
    /// Rows at which a kernel cannot be evaluated.
    pub fn draws_with(
        &self,
        rows: &Matrix,
        draws: usize,
        normal: &mut dyn FnMut() -> f64,
    ) -> Result<Matrix, DeepError> {
        let last = self.problem.layers.len() - 1;
        let first = self.normal(0, rows)?;
        let mut out = Matrix::zeros(rows.nrows(), draws);
        for draw in 0..draws {
            let values = match last {
                0 => first.drawn(normal),
                _ => self.normal(last, &self.hidden(rows, &first, normal)?)?.drawn(normal),
            };
            out.column_mut(draw).iter_mut().zip(values.iter()).for_each(|(out, v)| *out = self.in_data_units(*v));
        }
        Ok(out)
    }

    /// Draws of a single layer, at values of its first input; its other inputs have the mean of the inducing inputs.
    ///
    /// # Errors
    /// Rows at which a kernel cannot be evaluated.
    pub fn layer_draws(&self, layer: usize, at: &[f64], draws: usize, seed: u64) -> Result<Matrix, DeepError> {
        let inducing = &self.values.layers[layer].inducing;
        let rows = Matrix::from_fn(at.len(), inducing.ncols(), |i, j| match j {
            0 => at[i],
            _ => inducing.column(j).mean(),
        });
        let normal = self.normal(layer, &rows)?;
        let mut random = Pcg64::seed_from_u64(seed ^ 0x1a7e);
        let mut number = || StandardNormal.sample(&mut random);
        let columns: Vec<_> = (0..draws).map(|_| normal.drawn(&mut number).column(0).into_owned()).collect();
        Ok(Matrix::from_columns(&columns))
    }

    /// The inducing inputs along the first input of a layer, with the pseudo outputs of its first unit.
    ///
    /// # Errors
    /// Rows at which a kernel cannot be evaluated.
    pub fn pseudo_data(&self, layer: usize) -> Result<Vec<(f64, f64)>, DeepError> {
        let values = &self.values.layers[layer];
        let outputs = self.pseudo_outputs(layer)?;
        let inputs = values.inducing.column(0);
        Ok(inputs.iter().copied().zip(outputs.column(0).iter().copied()).collect())
    }

    /// The pseudo outputs of a layer, one column per unit.
    ///
    /// # Errors
    /// Rows at which a kernel cannot be evaluated.
    pub fn pseudo_outputs(&self, layer: usize) -> Result<Matrix, DeepError> {
        Ok(self.problem.pseudo_outputs(&self.values, layer)?)
    }

    /// A sample of the inputs of the last layer, from the one or more layers before it.
    fn hidden(&self, rows: &Matrix, first: &Normal, normal: &mut dyn FnMut() -> f64) -> Result<Matrix, DeepError> {
        let shown = |values: Matrix| match self.problem.model.connected {
            true => {
                let columns: Vec<_> = values.column_iter().chain(rows.column_iter()).collect();
                Matrix::from_columns(&columns)
            }
            false => values,
        };
        let mut below = shown(first.drawn(normal));
        for layer in 1..self.problem.layers.len() - 1 {
            below = shown(self.normal(layer, &below)?.drawn(normal));
        }
        Ok(below)
    }

    fn normal(&self, layer: usize, rows: &Matrix) -> Result<Normal, DeepError> {
        if rows.nrows() > DENSE_ROWS {
            return self.normal_of_many(layer, rows);
        }
        let Moments { mean, covariance } = self.moments(layer, rows, true)?;
        Ok(Normal { mean, root: pivoted_cholesky(&covariance, TOLERANCE) })
    }

    /// The same with memory for the rank of the covariance only.
    fn normal_of_many(&self, layer: usize, rows: &Matrix) -> Result<Normal, DeepError> {
        let mut tape = Tape::new();
        let Recorded { given, conditional: Conditional { mean, variance, spread }, .. } =
            self.recorded(&mut tape, layer, rows)?;
        let (bound, theta) = (&self.problem.layers[layer].bound, &self.values.layers[layer].theta);
        let columns: Vec<&[f64]> = rows.as_slice().chunks_exact(rows.nrows()).collect();
        let points = bound.points(&columns).map_err(TapeError::from)?;
        let diagonal = tape.value(variance).as_slice().to_vec();
        let (half, spread) = (tape.value(given.half), spread.map(|spread| tape.value(spread)));
        let root = pivoted_columns(diagonal, rows.nrows(), TOLERANCE, |pivot, rank| -> Result<Vec<f64>, DeepError> {
            refuse_if_rough(rank, rows.nrows())?;
            let row: Vec<&[f64]> = columns.iter().map(|column| &column[pivot..=pivot]).collect();
            let row = bound.points(&row).map_err(TapeError::from)?;
            let own = bound.cross(theta, &points, &row).map_err(TapeError::from)?;
            let mut column = own - half.tr_mul(&half.column(pivot));
            if let Some(spread) = spread {
                column += spread.tr_mul(&spread.column(pivot));
            }
            Ok(column.as_slice().to_vec())
        })?;
        Ok(Normal { mean: tape.value(mean).clone(), root })
    }

    /// Records the distribution of a layer at some rows.
    fn recorded<'s>(&'s self, tape: &mut Tape<'s>, layer: usize, rows: &Matrix) -> Result<Recorded, DeepError> {
        let vars = LayerVars::new(tape, &self.values.layers[layer]);
        let rows = tape.leaf(rows.clone());
        let given = given_pseudo_outputs(tape, &self.problem.layers[layer].bound, &vars, rows)?;
        let conditional = conditional(tape, &vars, &given);
        Ok(Recorded { vars, rows, given, conditional })
    }

    /// With `whole` the full covariance, otherwise its diagonal as a column.
    fn moments(&self, layer: usize, rows: &Matrix, whole: bool) -> Result<Moments, DeepError> {
        let bound = &self.problem.layers[layer].bound;
        let mut tape = Tape::new();
        let Recorded { vars, rows, given, conditional } = self.recorded(&mut tape, layer, rows)?;
        let Conditional { mean, variance, spread } = conditional;
        let covariance = match whole {
            false => tape.value(variance).clone(),
            true => {
                let explained = tape.transposed_product(given.half, given.half);
                let own = tape.kernel(bound, vars.theta, rows, rows)?;
                let covariance = tape.value(own) - tape.value(explained);
                match spread {
                    Some(spread) => covariance + tape.value(spread).tr_mul(tape.value(spread)),
                    None => covariance,
                }
            }
        };
        Ok(Moments { mean: tape.value(mean).clone(), covariance })
    }
}

/// The moments with a factor of the covariance, from which several draws can be made.
struct Normal {
    mean: Matrix,
    root: Matrix,
}

impl Normal {
    /// Draws of all units.
    fn drawn(&self, normal: &mut dyn FnMut() -> f64) -> Matrix {
        &self.mean + &self.root * Matrix::from_fn(self.root.ncols(), self.mean.ncols(), |_, _| normal())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// For one normal distribution everything is known; for two the mean and the variance.
    #[test]
    fn a_mixture_has_the_moments_and_quantiles_of_its_parts() {
        let one = Mixture { means: vec![vec![1.0]], variances: vec![vec![3.0]], noise: 1.0 };
        assert!((one.quantile(0.5)[0] - 1.0).abs() < 1e-9);
        assert!((one.quantile(0.977_249_868_051_820_8)[0] - 5.0).abs() < 1e-6);
        let density = -0.5 * (2.0 * std::f64::consts::PI * 4.0).ln() - 0.5;
        assert!((one.log_densities(&[3.0])[0] - density).abs() < 1e-12);
        let two = Mixture { means: vec![vec![-1.0], vec![1.0]], variances: vec![vec![0.5], vec![0.1]], noise: 0.2 };
        assert_eq!(two.mean(), [0.0]);
        assert!((two.variance()[0] - (0.3 + 1.0)).abs() < 1e-12);
    }

    #[test]
    fn many_rows_have_the_same_distribution_as_few() {
        let data = crate::data::load("motorcycle", &[], &crate::data::Options::default()).unwrap();
        let se = crate::kernel::Kernel::family(crate::kernel::families::family("SE").unwrap());
        let training = crate::deep::Training { restarts: 1, max_iter: 5, ..crate::deep::Training::default() };
        let model = crate::deep::DeepModel::new(2, se);
        let fit = crate::deep::train(&model, &data, training, &crate::progress::Silent).unwrap();
        let rows = Matrix::from_fn(50, 1, |i, _| i as f64);
        let whole = fit.moments(0, &rows, true).unwrap().covariance;
        let root = fit.normal_of_many(0, &rows).unwrap().root;
        let difference = (&root * root.transpose() - &whole).amax();
        assert!(difference < 1e-8 * whole.amax(), "{difference}");
    }
}
