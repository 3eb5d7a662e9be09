//! A deep model with its training rows, and the training objective with its gradient (Vafa, 4.14–4.25).
//!
//! Every layer is the conditional of a Gaussian process given its pseudo outputs, independent between rows (FITC): mean
//! K_nm K_mm⁻¹ ȳ and variance diag(K_nn − K_nm K_mm⁻¹ K_mn). Hidden layers have no noise; the observation noise is
//! added to the variance of the last layer before the density of the targets is computed. (The text omits it in 4.16
//! and adds it to every kernel in 5.1.) The units of a layer share its kernel and its inducing inputs. The mean of the
//! training targets is subtracted first.

use rand::SeedableRng;
use rand_distr::{Distribution, StandardNormal};
use rand_pcg::Pcg64;

use super::definition::{DeepModel, PseudoPrior};
use super::error::DeepError;
use super::tape::{Tape, TapeError, Var};
use crate::data::Dataset;
use crate::fit::optimize::Objective;
use crate::kernel::{Bound, Column, InputSlope, Schema, SlotState};
use crate::linalg::Matrix;
use crate::model::{Mean, Model, Problem, spread};
use crate::param::{Density, Prior, State};

/// The median of the default prior of the noise variance, as a share of the variance of the targets.
pub const NOISE_SHARE: f64 = 0.1;
/// The standard deviation of its logarithm under this prior.
///
/// Pseudo outputs are estimated rather than integrated out, so nothing else in the objective prevents the noise of a
/// few rows from vanishing. The strength of the prior was chosen by measurements: docs/results.md.
pub const NOISE_SD: f64 = 1.0;

/// The jitter of the covariance of pseudo outputs, as a share of its diagonal.
pub(super) const JITTER: f64 = 1e-6;

/// One layer with its kernel bound to its inputs.
#[derive(Debug, Clone)]
pub struct Layer {
    pub bound: Bound,
    pub units: usize,
    /// The unit of each of its input columns, for the optimiser's coordinates.
    scale: Vec<f64>,
}

/// The parameters of one layer, in natural units.
#[derive(Debug, Clone, PartialEq)]
pub struct LayerValues {
    /// Those of the kernel, one per slot.
    pub theta: Vec<f64>,
    /// One row per inducing input.
    pub inducing: Matrix,
    /// The pseudo outputs multiplied by the inverse Cholesky factor of their covariance, one column per unit.
    pub whitened: Matrix,
}

/// All parameters.
#[derive(Debug, Clone, PartialEq)]
pub struct Values {
    pub layers: Vec<LayerValues>,
    /// The noise variance of observations.
    pub noise: f64,
}

/// A deep model with its training rows.
#[derive(Debug, Clone)]
pub struct DeepProblem {
    pub model: DeepModel,
    /// The kernel of the first layer with the data, for properties of the data.
    pub base: Problem,
    pub layers: Vec<Layer>,
    pub x: Matrix,
    /// The targets minus their mean.
    pub y: Vec<f64>,
    pub mean: f64,
    pub variance: f64,
    /// Standard normal numbers for the hidden layers: rows of all samples, one column per unit.
    noise: Vec<Matrix>,
}

/// Standard normal numbers.
pub(super) fn normals(rows: usize, columns: usize, random: &mut Pcg64) -> Matrix {
    Matrix::from_fn(rows, columns, |_, _| StandardNormal.sample(random))
}

impl DeepProblem {
    /// A deep model with its training rows; `seed` determines the samples of the hidden layers.
    ///
    /// # Errors
    /// [`DeepError`]: data without a numeric target, kernels that do not fit the data, or too many inducing inputs.
    pub fn new(model: &DeepModel, data: &Dataset, seed: u64) -> Result<Self, DeepError> {
        if let Some(units) = model.output_units().filter(|units| *units != 1) {
            return Err(DeepError::OutputUnits(units));
        }
        let first = Model { mean: Mean::Zero, steps: model.steps.clone(), ..Model::new(model.kernel(0).clone()) };
        let base = Problem::new(&first, data, false)?;
        if !base.pipeline().target().is_affine() {
            return Err(DeepError::CurvedTarget);
        }
        let n = base.n();
        if model.inducing > n {
            return Err(DeepError::TooManyInducing { inducing: model.inducing, rows: n });
        }
        match model.noise.state {
            State::Unset => {}
            State::Free(x) | State::Fixed(x) if x > 0.0 && x.is_finite() => {}
            _ => return Err(DeepError::Noise),
        }
        let columns: Vec<Vec<f64>> = base.x().iter().map(|column| column.to_vec()).collect();
        let scales: Vec<f64> = columns.iter().map(|column| spread(column)).collect();
        let mut layers: Vec<Layer> = Vec::with_capacity(model.layers);
        let hidden = model.hidden_units();
        for layer in 0..model.layers {
            let units = hidden.get(layer).copied().unwrap_or(1);
            let layer = match layer {
                0 => Layer { bound: base.bound().clone(), units, scale: scales.clone() },
                _ => above(model, layer, hidden[layer - 1], units, &base, &scales)?,
            };
            layers.push(layer);
        }
        for (at, layer) in layers.iter().enumerate() {
            if let Some(column) = layer.bound.input_slopes().iter().position(|s| *s == InputSlope::Unknown) {
                let input = base.names().get(column).cloned().unwrap_or_else(|| format!("h{}", column + 1));
                return Err(DeepError::NoSlope { layer: at + 1, input });
            }
        }
        let mean = base.y().iter().sum::<f64>() / n as f64;
        let y: Vec<f64> = base.y().iter().map(|y| y - mean).collect();
        let variance = y.iter().map(|y| y * y).sum::<f64>() / n as f64;
        let mut random = Pcg64::seed_from_u64(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0xdee9);
        let noise = hidden.iter().map(|units| normals(n * model.samples, *units, &mut random)).collect();
        let x = Matrix::from_vec(n, columns.len(), columns.concat());
        Ok(Self { model: model.clone(), base, layers, x, y, mean, variance, noise })
    }

    /// Records the log likelihood, and the objective without the prior of the noise, on a tape.
    fn record<'a>(&'a self, tape: &mut Tape<'a>, values: &Values) -> Result<(Vec<[Var; 3]>, [Var; 3]), TapeError> {
        let mut vars = Vec::with_capacity(self.layers.len());
        let x = tape.leaf(self.x.clone());
        let (mut input, mut terms) = (x, Vec::new());
        let samples = if self.layers.len() == 1 { 1 } else { self.model.samples };
        let inputs = self.model.connected.then(|| tape.repeat(x, samples));
        let noise = tape.leaf(Matrix::from_element(1, 1, values.noise));
        let mut likelihood = noise;
        for (at, (layer, of)) in self.layers.iter().zip(&values.layers).enumerate() {
            let theta = tape.leaf(Matrix::from_column_slice(of.theta.len(), 1, &of.theta));
            let inducing = tape.leaf(of.inducing.clone());
            let whitened = tape.leaf(of.whitened.clone());
            vars.push([theta, inducing, whitened]);
            let Conditional { mean, variance, factor, .. } =
                conditional(tape, &layer.bound, [theta, inducing, whitened], input)?;
            if self.model.prior != PseudoPrior::Nothing {
                let squares = tape.sum_squares(whitened);
                terms.push((squares, -0.5));
            }
            if self.model.prior == PseudoPrior::Outputs {
                let log = tape.log_diagonal(factor);
                terms.push((log, -(layer.units as f64)));
            }
            if let Some(normals) = self.noise.get(at) {
                let sd = tape.root(variance);
                // the first layer has the same moments in all samples
                let (mean, sd) =
                    if at == 0 { (tape.repeat(mean, samples), tape.repeat(sd, samples)) } else { (mean, sd) };
                let drawn = tape.perturb(mean, sd, normals.clone());
                input = match inputs {
                    Some(inputs) => tape.beside(&[drawn, inputs]),
                    None => drawn,
                };
            } else {
                let variance = tape.add_scalar(variance, noise);
                let densities = tape.normal_densities(mean, variance, &self.y);
                likelihood = tape.log_mean_exp(densities);
            }
        }
        terms.push((likelihood, 1.0));
        let constants: f64 = match self.model.prior {
            PseudoPrior::Nothing => 0.0,
            _ => values.layers.iter().map(|of| of.whitened.len() as f64).sum(),
        };
        let one = tape.leaf(Matrix::from_element(1, 1, -0.5 * constants * crate::linalg::LOG_2PI));
        terms.push((one, 1.0));
        let objective = tape.combine(terms);
        Ok((vars, [noise, likelihood, objective]))
    }

    /// The estimate of the log likelihood of the training targets, and the whole objective.
    ///
    /// # Errors
    /// A covariance that is not positive definite.
    pub fn objective(&self, values: &Values) -> Result<(f64, f64), TapeError> {
        let mut tape = Tape::new();
        let (_, [_, likelihood, objective]) = self.record(&mut tape, values)?;
        Ok((tape.value(likelihood)[0], tape.value(objective)[0] + self.noise_prior(values.noise).0))
    }

    /// The pseudo outputs of a layer, one column per unit.
    ///
    /// # Errors
    /// A covariance that is not positive definite.
    pub fn pseudo_outputs(&self, values: &Values, layer: usize) -> Result<Matrix, TapeError> {
        let LayerValues { theta, inducing, whitened } = &values.layers[layer];
        let mut tape = Tape::new();
        let theta = tape.leaf(Matrix::from_column_slice(theta.len(), 1, theta));
        let inducing = tape.leaf(inducing.clone());
        let among = tape.kernel(&self.layers[layer].bound, theta, inducing, inducing)?;
        let among = tape.inflate(among, JITTER);
        let factor = tape.cholesky(among)?;
        Ok(tape.value(factor) * whitened)
    }

    /// The log prior density of the logarithm of the noise, and its derivative there.
    fn noise_prior(&self, noise: f64) -> (f64, f64) {
        if !self.noise_is_free() {
            return (0.0, 0.0);
        }
        let (log, slope) = self.prior_of_noise().log_density(noise);
        (log + noise.ln(), slope * noise + 1.0)
    }

    /// The prior of the noise variance: that of the model, or the default one.
    fn prior_of_noise(&self) -> Prior {
        let usual = || Density::LogNormal { mean: (NOISE_SHARE * self.variance).ln(), sd: NOISE_SD }.into();
        self.model.noise.prior.unwrap_or_else(usual)
    }

    fn noise_is_free(&self) -> bool {
        !matches!(self.model.noise.state, State::Fixed(_))
    }

    /// The optimiser's coordinates: logarithms of positive parameters, inducing inputs in units of their column.
    pub fn to_coordinates(&self, values: &Values) -> Vec<f64> {
        let mut out = Vec::new();
        for (layer, of) in self.layers.iter().zip(&values.layers) {
            let slots = layer.bound.slots().iter().zip(&of.theta);
            out.extend(slots.filter(|(slot, _)| slot.state == SlotState::Free).map(|(s, x)| s.domain.to_real(*x)));
            for (column, scale) in of.inducing.column_iter().zip(&layer.scale) {
                out.extend(column.iter().map(|x| x / scale));
            }
            out.extend(of.whitened.iter());
        }
        if self.noise_is_free() {
            out.push((values.noise / self.variance).ln());
        }
        out
    }

    /// The values at these coordinates; fixed values are taken from `like`.
    pub fn to_values(&self, at: &[f64], like: &Values) -> Values {
        let mut at = at.iter().copied();
        let mut next = || at.next().unwrap_or(0.0);
        let mut values = like.clone();
        for (layer, of) in self.layers.iter().zip(&mut values.layers) {
            for (slot, x) in layer.bound.slots().iter().zip(&mut of.theta) {
                if slot.state == SlotState::Free {
                    *x = slot.domain.from_real(next());
                }
            }
            for (mut column, scale) in of.inducing.column_iter_mut().zip(&layer.scale) {
                column.iter_mut().for_each(|x| *x = next() * scale);
            }
            of.whitened.iter_mut().for_each(|x| *x = next());
        }
        if self.noise_is_free() {
            values.noise = next().exp() * self.variance;
        }
        values
    }

    /// The objective and its gradient in the optimiser's coordinates.
    ///
    /// # Errors
    /// A covariance that is not positive definite.
    pub fn slope(&self, values: &Values) -> Result<(f64, Vec<f64>), TapeError> {
        let mut out = vec![0.0; self.to_coordinates(values).len()];
        let value = self.gradient(values, &mut out)?;
        Ok((value, out))
    }

    /// The same, written to `out`.
    fn gradient(&self, values: &Values, out: &mut [f64]) -> Result<f64, TapeError> {
        let mut tape = Tape::new();
        let (vars, [noise, _, objective]) = self.record(&mut tape, values)?;
        let value = tape.value(objective)[0];
        let gradients = tape.gradients(objective)?;
        let mut out = out.iter_mut();
        let mut put = |x: f64| {
            if let Some(out) = out.next() {
                *out = x;
            }
        };
        for ((layer, of), [theta, inducing, whitened]) in self.layers.iter().zip(&values.layers).zip(vars) {
            let slots = layer.bound.slots().iter().zip(&of.theta).enumerate();
            let free = slots.filter(|(_, (slot, _))| slot.state == SlotState::Free);
            let slope = gradients.of(theta).unwrap_or_default();
            free.for_each(|(i, (slot, x))| put(slope.get(i).map_or(0.0, |g| g * slot.domain.slope(*x))));
            let slope = gradients.of(inducing).unwrap_or_default();
            let rows = of.inducing.nrows();
            (0..of.inducing.len()).for_each(|i| put(slope.get(i).map_or(0.0, |g| g * layer.scale[i / rows])));
            let slope = gradients.of(whitened).unwrap_or_default();
            (0..of.whitened.len()).for_each(|i| put(slope.get(i).copied().unwrap_or(0.0)));
        }
        if self.noise_is_free() {
            let (_, slope) = self.noise_prior(values.noise);
            put(gradients.of(noise).map_or(0.0, |g| g[0] * values.noise) + slope);
        }
        Ok(value + self.noise_prior(values.noise).0)
    }
}

/// The distribution of one layer at some rows.
pub(super) struct Conditional {
    /// One column per unit.
    pub mean: Var,
    pub variance: Var,
    /// The Cholesky factor L of the covariance of the pseudo outputs.
    pub factor: Var,
    /// L⁻¹ times the covariance of the pseudo outputs with the rows.
    pub half: Var,
}

/// The conditional of a layer at some rows, given its pseudo outputs.
pub(super) fn conditional<'a>(
    tape: &mut Tape<'a>,
    bound: &'a Bound,
    [theta, inducing, whitened]: [Var; 3],
    rows: Var,
) -> Result<Conditional, TapeError> {
    let among = tape.kernel(bound, theta, inducing, inducing)?;
    let among = tape.inflate(among, JITTER);
    let factor = tape.cholesky(among)?;
    let across = tape.kernel(bound, theta, rows, inducing)?;
    let across = tape.transpose(across);
    let half = tape.solve_lower(factor, across);
    let mean = tape.transposed_product(half, whitened);
    let own = tape.kernel_diagonal(bound, theta, rows)?;
    let explained = tape.column_squares(half);
    let variance = tape.subtract(own, explained);
    Ok(Conditional { mean, variance, factor, half })
}

/// A layer whose inputs are the units of the layer below and, if layers are connected, the inputs.
fn above(
    model: &DeepModel,
    at: usize,
    below: usize,
    units: usize,
    base: &Problem,
    scales: &[f64],
) -> Result<Layer, DeepError> {
    let mut names: Vec<String> = (1..=below).map(|unit| format!("h{unit}")).collect();
    // hidden values have no unit: their scale is that of a standard normal
    let n = base.n().max(2);
    let plain: Vec<f64> = (0..n).map(|i| 4.0 * i as f64 / (n - 1) as f64 - 2.0).collect();
    let mut columns: Vec<&[f64]> = vec![&plain; below];
    let mut scale = vec![1.0; below];
    if model.connected {
        names.extend(base.names().iter().cloned());
        columns.extend(base.x());
        scale.extend(scales);
    }
    let schema = Schema {
        columns: names
            .iter()
            .zip(&columns)
            .map(|(name, values)| Column { name, values, levels: None, time: None })
            .collect(),
    };
    let bound = model.kernel(at).bind(&schema);
    let bound =
        bound.map_err(|error| DeepError::Layer { layer: at + 1, inputs: names.clone(), error: Box::new(error) })?;
    Ok(Layer { bound, units, scale })
}

/// Minus the objective, for the optimiser.
pub(super) struct Minimised<'p> {
    pub problem: &'p DeepProblem,
    pub like: &'p Values,
}

impl Objective for Minimised<'_> {
    fn dim(&self) -> usize {
        self.problem.to_coordinates(self.like).len()
    }

    fn evaluate(&self, at: &[f64], gradient: &mut [f64]) -> f64 {
        let values = self.problem.to_values(at, self.like);
        match self.problem.gradient(&values, gradient) {
            Ok(value) => {
                gradient.iter_mut().for_each(|g| *g = -*g);
                -value
            }
            Err(_) => f64::NAN,
        }
    }
}

#[cfg(test)]
mod tests;
