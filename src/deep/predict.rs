//! Predictions for a deep GP, the number of samples of the hidden layers, and the mixture of normal distributions that
//! they give.

use rand::SeedableRng;
use rand_pcg::Pcg64;

use super::error::DeepError;
use super::problem::{Conditional, JITTER, LayerValues, conditional, normals};
use super::tape::{Tape, log_mean_exp};
use super::train::DeepFit;
use crate::data::Dataset;
use crate::linalg::{LOG_2PI, Matrix, pivoted_cholesky};
use crate::model::ModelError;

/// Normal distributions of the target at some rows, one for each sample of the hidden layers. For each row they are a
/// mixture with equal weights.
#[derive(Debug, Clone, PartialEq)]
pub struct Mixture {
    /// Sample by sample, row by row.
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

    /// The variance of the function at each row: that of the mixture.
    pub fn variance(&self) -> Vec<f64> {
        let (mean, within) = (self.mean(), average(&self.variances));
        let between = |i: usize| self.means.iter().map(|m| (m[i] - mean[i]).powi(2)).sum::<f64>();
        (0..mean.len()).map(|i| within[i] + between(i) / self.means.len() as f64).collect()
    }

    /// The log density of a new observation at each row.
    pub fn log_densities(&self, y: &[f64]) -> Vec<f64> {
        let one = |i: usize, k: usize| {
            let v = self.variances[k][i] + self.noise;
            -0.5 * (LOG_2PI + v.ln() + (y[i] - self.means[k][i]).powi(2) / v)
        };
        (0..y.len()).map(|i| log_mean_exp(&(0..self.means.len()).map(|k| one(i, k)).collect::<Vec<_>>())).collect()
    }

    /// The value below which a new observation at each row lies with this probability.
    pub fn quantile(&self, probability: f64) -> Vec<f64> {
        (0..self.means.first().map_or(0, Vec::len)).map(|i| self.quantile_at(i, probability)).collect()
    }

    fn quantile_at(&self, i: usize, probability: f64) -> f64 {
        let parts: Vec<(f64, f64)> =
            self.means.iter().zip(&self.variances).map(|(m, v)| (m[i], (v[i] + self.noise).sqrt())).collect();
        let below = |y: f64| {
            let one = |(m, sd): &(f64, f64)| 0.5 * spec_math::cephes64::erfc(-(y - m) / (sd * 2f64.sqrt()));
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

/// What a layer says at some rows: the mean of each unit and the covariance that they share.
struct Moments {
    mean: Matrix,
    covariance: Matrix,
}

impl DeepFit {
    /// Rows of the inputs, in the order of the first layer.
    ///
    /// # Errors
    /// Rows without an input, or with values that are not finite.
    pub fn rows_of(&self, data: &Dataset) -> Result<Matrix, ModelError> {
        let columns = self.problem.base.inputs_of(data)?;
        Ok(Matrix::from_vec(columns.first().map_or(0, Vec::len), columns.len(), columns.concat()))
    }

    /// The normal distributions of so many samples. Hidden layers are drawn jointly over the rows, with the whole
    /// covariance, as the text does for rows that are not of the training data.
    ///
    /// # Errors
    /// Rows at which a kernel cannot be evaluated.
    pub fn mixture(&self, rows: &Matrix, samples: usize, seed: u64) -> Result<Mixture, DeepError> {
        let mut random = Pcg64::seed_from_u64(seed ^ 0x3a3b);
        let samples = if self.problem.layers.len() == 1 { 1 } else { samples };
        let (mut means, mut variances) = (Vec::with_capacity(samples), Vec::with_capacity(samples));
        let last = self.problem.layers.len() - 1;
        let first = if last == 0 { None } else { Some(self.normal(0, rows)?) };
        for _ in 0..samples {
            let moments = match &first {
                Some(first) => self.moments(last, &self.hidden(rows, first, &mut random)?, false)?,
                None => self.moments(0, rows, false)?,
            };
            means.push(moments.mean.iter().map(|m| m + self.problem.mean).collect());
            variances.push(moments.covariance.iter().map(|v| v.max(0.0)).collect());
        }
        Ok(Mixture { means, variances, noise: self.values.noise })
    }

    /// Functions drawn from the fit at some rows, one column each, without noise; and the values of the first unit of
    /// every layer on the way.
    ///
    /// # Errors
    /// Rows at which a kernel cannot be evaluated.
    pub fn draws(&self, rows: &Matrix, draws: usize, seed: u64) -> Result<Matrix, DeepError> {
        let mut random = Pcg64::seed_from_u64(seed ^ 0xd7a3);
        let last = self.problem.layers.len() - 1;
        let first = self.normal(0, rows)?;
        let mut out = Matrix::zeros(rows.nrows(), draws);
        for draw in 0..draws {
            let values = match last {
                0 => first.drawn(&mut random),
                _ => self.normal(last, &self.hidden(rows, &first, &mut random)?)?.drawn(&mut random),
            };
            out.column_mut(draw).iter_mut().zip(values.iter()).for_each(|(out, v)| *out = v + self.problem.mean);
        }
        Ok(out)
    }

    /// Draws of one layer alone, at values of its first input; other inputs stay at the mean of the inducing inputs.
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
        let columns: Vec<_> = (0..draws).map(|_| normal.drawn(&mut random).column(0).into_owned()).collect();
        Ok(Matrix::from_columns(&columns))
    }

    /// Inducing inputs along the first input of a layer, with the pseudo outputs of its first unit.
    ///
    /// # Errors
    /// Rows at which a kernel cannot be evaluated.
    pub fn pseudo_data(&self, layer: usize) -> Result<Vec<(f64, f64)>, DeepError> {
        let values = &self.values.layers[layer];
        let outputs = self.pseudo_outputs(layer)?;
        let inputs = values.inducing.column(0);
        Ok(inputs.iter().copied().zip(outputs.column(0).iter().copied()).collect())
    }

    /// The pseudo outputs of a layer, one column for each unit.
    ///
    /// # Errors
    /// Rows at which a kernel cannot be evaluated.
    pub fn pseudo_outputs(&self, layer: usize) -> Result<Matrix, DeepError> {
        let LayerValues { theta, inducing, whitened } = &self.values.layers[layer];
        let mut tape = Tape::new();
        let theta = tape.leaf(Matrix::from_column_slice(theta.len(), 1, theta));
        let inducing = tape.leaf(inducing.clone());
        let among = tape.kernel(&self.problem.layers[layer].bound, theta, inducing, inducing)?;
        let among = tape.inflate(among, JITTER);
        let factor = tape.cholesky(among)?;
        Ok(tape.value(factor) * whitened)
    }

    /// The inputs of the last layer: a draw of the layers before it, of which there is at least one.
    fn hidden(&self, rows: &Matrix, first: &Normal, random: &mut Pcg64) -> Result<Matrix, DeepError> {
        let shown = |values: Matrix| match self.problem.model.connected {
            true => {
                let columns: Vec<_> = values.column_iter().chain(rows.column_iter()).collect();
                Matrix::from_columns(&columns)
            }
            false => values,
        };
        let mut below = shown(first.drawn(random));
        for layer in 1..self.problem.layers.len() - 1 {
            below = shown(self.normal(layer, &below)?.drawn(random));
        }
        Ok(below)
    }

    fn normal(&self, layer: usize, rows: &Matrix) -> Result<Normal, DeepError> {
        let Moments { mean, covariance } = self.moments(layer, rows, true)?;
        Ok(Normal { mean, root: pivoted_cholesky(&covariance, 1e-10) })
    }

    /// With `whole`, all of the covariance, and else its diagonal as a column.
    fn moments(&self, layer: usize, rows: &Matrix, whole: bool) -> Result<Moments, DeepError> {
        let (bound, values) = (&self.problem.layers[layer].bound, &self.values.layers[layer]);
        let mut tape = Tape::new();
        let theta = tape.leaf(Matrix::from_column_slice(values.theta.len(), 1, &values.theta));
        let (inducing, whitened) = (tape.leaf(values.inducing.clone()), tape.leaf(values.whitened.clone()));
        let rows_on_tape = tape.leaf(rows.clone());
        let Conditional { mean, variance, half, .. } =
            conditional(&mut tape, bound, [theta, inducing, whitened], rows_on_tape)?;
        let covariance = match whole {
            false => tape.value(variance).clone(),
            true => {
                let explained = tape.transposed_product(half, half);
                let own = tape.kernel(bound, theta, rows_on_tape, rows_on_tape)?;
                tape.value(own) - tape.value(explained)
            }
        };
        Ok(Moments { mean: tape.value(mean).clone(), covariance })
    }
}

/// The same, ready to be drawn from more than once.
struct Normal {
    mean: Matrix,
    root: Matrix,
}

impl Normal {
    /// Values of every unit.
    fn drawn(&self, random: &mut Pcg64) -> Matrix {
        &self.mean + &self.root * normals(self.root.ncols(), self.mean.ncols(), random)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of one normal distribution all is known; of two the mean and the variance are.
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
}
