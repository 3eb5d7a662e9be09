//! A deep model with its training rows, and the training objective with its gradient (Vafa, 4.14–4.25; Salimbeni &
//! Deisenroth, 2017).
//!
//! Every layer is the conditional of a Gaussian process given its pseudo outputs, independent between rows (FITC): mean
//! K_nm K_mm⁻¹ ȳ and variance diag(K_nn − K_nm K_mm⁻¹ K_mn). Hidden layers have no noise; the observation noise is
//! added to the variance of the last layer before the density of the targets is computed. (The text omits it in 4.16
//! and adds it to every kernel in 5.1.) The units of a layer share its kernel and its inducing inputs. The mean of the
//! training targets is subtracted first.

use rand::SeedableRng;
use rand_distr::{Distribution, StandardNormal};
use rand_pcg::Pcg64;

use super::collapsed::LastLayer;
use super::definition::{DeepModel, Inference, PseudoPrior};
use super::error::DeepError;
use super::layer::{Conditional, Given, JITTER, LayerValues, LayerVars, conditional, given_pseudo_outputs};
use super::tape::{Tape, TapeError, Var};
use crate::data::Dataset;
use crate::kernel::{Bound, Column, InputSlope, Schema, SlotState};
use crate::linalg::Matrix;
use crate::model::{Mean, Model, ModelError, Problem, available_memory, spread};
use crate::param::{Density, Prior, State};

/// The median of the default prior of the noise variance, as a share of the variance of the targets.
pub const NOISE_SHARE: f64 = 0.1;
/// The standard deviation of its logarithm under this prior.
///
/// Pseudo outputs are estimated rather than integrated out, so nothing else in the objective prevents the noise of a
/// few rows from vanishing. The strength of the prior was chosen by measurements: docs/results.md.
pub const NOISE_SD: f64 = 1.0;

/// The variances of targets whose reciprocals and sums are representable.
/// Matrices of an objective with its gradient for each layer, on several threads at once.
const STEPS_AT_ONCE: usize = 12;
const SCALES: std::ops::RangeInclusive<f64> = 1e-280..=1e280;

/// One layer with its kernel bound to its inputs.
#[derive(Debug, Clone)]
pub struct Layer {
    pub bound: Bound,
    pub units: usize,
    /// The unit of each of its input columns, for the optimiser's coordinates.
    scale: Vec<f64>,
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
            let slopes = layer.bound.input_slopes();
            if slopes.iter().all(|slope| *slope == InputSlope::Unused) {
                return Err(DeepError::NoInputs { layer: at + 1, kernel: layer.bound.kernel().to_string() });
            }
            if let Some(column) = slopes.iter().position(|s| *s == InputSlope::Unknown) {
                let input = base.names().get(column).cloned().unwrap_or_else(|| format!("h{}", column + 1));
                return Err(DeepError::NoSlope { layer: at + 1, input });
            }
        }
        // the inducing inputs by the rows of each sample, in all layers of a model and for several steps of each
        let needed = 8 * (model.samples * n * model.inducing * model.layers * STEPS_AT_ONCE) as u64;
        let available = available_memory();
        if needed as f64 > 0.8 * available as f64 {
            return Err(ModelError::TooLarge { rows: n, needed, available, sparse: None }.into());
        }
        let mean = base.y().iter().sum::<f64>() / n as f64;
        let y: Vec<f64> = base.y().iter().map(|y| y - mean).collect();
        let variance = y.iter().map(|y| y * y).sum::<f64>() / n as f64;
        if !SCALES.contains(&variance) {
            return Err(DeepError::Scale(variance));
        }
        let mut random = Pcg64::seed_from_u64(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0xdee9);
        let noise = hidden.iter().map(|units| normals(n * model.samples, *units, &mut random)).collect();
        let x = Matrix::from_vec(n, columns.len(), columns.concat());
        Ok(Self { model: model.clone(), base, layers, x, y, mean, variance, noise })
    }

    /// Records the hidden layers on a tape, and the part of the last layer that does not depend on its pseudo outputs.
    fn forward<'a>(&'a self, tape: &mut Tape<'a>, values: &Values) -> Result<Forward, TapeError> {
        let (mut layers, mut terms) = (Vec::with_capacity(self.layers.len()), Vec::new());
        let x = tape.leaf(self.x.clone());
        let mut input = x;
        let samples = self.samples();
        let inputs = self.model.connected.then(|| tape.repeat(x, samples));
        let noise = tape.leaf(Matrix::from_element(1, 1, values.noise));
        for ((layer, of), normals) in self.layers.iter().zip(&values.layers).zip(&self.noise) {
            let vars = LayerVars::new(tape, of);
            layers.push(vars);
            let given = given_pseudo_outputs(tape, &layer.bound, &vars, input)?;
            let Conditional { mean, variance, .. } = conditional(tape, &vars, &given);
            self.prior_terms(tape, layer.units, &vars, given.factor, &mut terms);
            let sd = tape.root(variance);
            // the first layer has the same moments in all samples
            let (mean, sd) = match layers.len() {
                1 => (tape.repeat(mean, samples), tape.repeat(sd, samples)),
                _ => (mean, sd),
            };
            let drawn = tape.perturb(mean, sd, normals.clone());
            input = match inputs {
                Some(inputs) => tape.beside(&[drawn, inputs]),
                None => drawn,
            };
        }
        let last = self.layers.len() - 1;
        let vars = LayerVars::new(tape, &values.layers[last]);
        layers.push(vars);
        let last = given_pseudo_outputs(tape, &self.layers[last].bound, &vars, input)?;
        Ok(Forward { layers, terms, last, noise })
    }

    /// The log prior density of the pseudo outputs of a layer, or minus the divergence of their posterior from the prior.
    fn prior_terms(
        &self,
        tape: &mut Tape<'_>,
        units: usize,
        vars: &LayerVars,
        factor: Var,
        terms: &mut Vec<(Var, f64)>,
    ) {
        if self.model.prior == PseudoPrior::Nothing {
            return;
        }
        let squares = tape.sum_squares(vars.whitened);
        terms.push((squares, -0.5));
        let (count, units) = (tape.value(vars.whitened).len() as f64, units as f64);
        let constant = match vars.root {
            Some(root) => {
                let (spread, log) = (tape.sum_squares(root), tape.log_diagonal(root));
                terms.extend([(spread, -0.5 * units), (log, units)]);
                0.5 * count
            }
            None => -0.5 * count * crate::linalg::LOG_2PI,
        };
        let one = tape.leaf(Matrix::from_element(1, 1, constant));
        terms.push((one, 1.0));
        if self.model.prior == PseudoPrior::Outputs {
            let log = tape.log_diagonal(factor);
            terms.push((log, -units));
        }
    }

    /// The last layer with its pseudo outputs integrated out.
    fn last_layer(&self, forward: &Forward) -> LastLayer<'_> {
        let Given { half, variance, .. } = forward.last;
        LastLayer { half, variance, y: &self.y, samples: self.samples(), noise: forward.noise }
    }

    /// The estimate of the log-likelihood of the targets from the pseudo outputs of all layers (4.24).
    fn likelihood(&self, tape: &mut Tape<'_>, forward: &Forward) -> Var {
        let last = forward.layers[forward.layers.len() - 1];
        let Conditional { mean, variance, .. } = conditional(tape, &last, &forward.last);
        let variance = tape.add_scalar(variance, forward.noise);
        let densities = tape.normal_densities(mean, variance, &self.y);
        tape.log_mean_exp(densities)
    }

    /// The objective without the prior of the noise.
    fn record(&self, tape: &mut Tape<'_>, forward: &mut Forward) -> Result<Var, TapeError> {
        let likelihood = match self.is_variational() {
            true => self.last_layer(forward).bound(tape)?,
            false => {
                let last = forward.layers[forward.layers.len() - 1];
                self.prior_terms(tape, 1, &last, forward.last.factor, &mut forward.terms);
                self.likelihood(tape, forward)
            }
        };
        forward.terms.push((likelihood, 1.0));
        Ok(tape.combine(forward.terms.clone()))
    }

    /// The number of samples of the hidden layers.
    fn samples(&self) -> usize {
        if self.layers.len() == 1 { 1 } else { self.model.samples }
    }

    pub(super) fn is_variational(&self) -> bool {
        self.model.inference == Inference::Variational
    }

    /// The estimate of the log likelihood of the training targets, and the whole objective.
    ///
    /// # Errors
    /// A covariance that is not positive definite.
    pub fn objective(&self, values: &Values) -> Result<(f64, f64), TapeError> {
        let values = self.completed(values)?;
        let mut tape = Tape::new();
        let mut forward = self.forward(&mut tape, &values)?;
        let objective = self.record(&mut tape, &mut forward)?;
        let likelihood = self.likelihood(&mut tape, &forward);
        Ok((tape.value(likelihood)[0], tape.value(objective)[0] + self.noise_prior(values.noise).0))
    }

    /// The values with the posterior of the pseudo outputs of the last layer, which follows from the other values.
    ///
    /// # Errors
    /// A covariance that is not positive definite.
    pub fn completed(&self, values: &Values) -> Result<Values, TapeError> {
        let mut values = values.clone();
        if self.is_variational() {
            let mut tape = Tape::new();
            let forward = self.forward(&mut tape, &values)?;
            let (mean, root) = self.last_layer(&forward).posterior(&tape)?;
            if let Some(last) = values.layers.last_mut() {
                (last.whitened, last.root) = (mean, Some(root));
            }
        }
        Ok(values)
    }

    /// The pseudo outputs of a layer, one column per unit.
    ///
    /// # Errors
    /// A covariance that is not positive definite.
    pub fn pseudo_outputs(&self, values: &Values, layer: usize) -> Result<Matrix, TapeError> {
        let LayerValues { theta, inducing, whitened, .. } = &values.layers[layer];
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
        match self.prior_of_noise().filter(|_| self.noise_is_free()) {
            None => (0.0, 0.0),
            Some(prior) => {
                let (log, slope) = prior.log_density(noise);
                (log + noise.ln(), slope * noise + 1.0)
            }
        }
    }

    /// The prior of the noise variance: that of the model, or the default one where pseudo outputs are parameters.
    fn prior_of_noise(&self) -> Option<Prior> {
        let usual = || Density::LogNormal { mean: (NOISE_SHARE * self.variance).ln(), sd: NOISE_SD }.into();
        self.model.noise.prior.or_else(|| (!self.is_variational()).then(usual))
    }

    /// Whether the pseudo outputs of a layer are among the optimiser's coordinates.
    fn has_outputs(&self, layer: usize) -> bool {
        !self.is_variational() || layer + 1 < self.layers.len()
    }

    fn noise_is_free(&self) -> bool {
        !matches!(self.model.noise.state, State::Fixed(_))
    }

    /// The optimiser's coordinates: logarithms of positive parameters, inducing inputs in units of their column.
    pub fn to_coordinates(&self, values: &Values) -> Vec<f64> {
        let mut out = Vec::new();
        for (at, (layer, of)) in self.layers.iter().zip(&values.layers).enumerate() {
            let slots = layer.bound.slots().iter().zip(&of.theta);
            out.extend(slots.filter(|(slot, _)| slot.state == SlotState::Free).map(|(s, x)| s.domain.to_real(*x)));
            for (column, scale) in of.inducing.column_iter().zip(&layer.scale) {
                out.extend(column.iter().map(|x| x / scale));
            }
            if self.has_outputs(at) {
                out.extend(of.whitened.iter());
                let root = of.root.iter().flat_map(triangle);
                out.extend(root.map(|(i, j, x)| if i == j { x.ln() } else { x }));
            }
        }
        if self.noise_is_free() {
            out.push((values.noise / self.variance).ln());
        }
        out
    }

    /// The number of coordinates before those of a layer.
    pub(super) fn coordinates_before(&self, layer: usize, values: &Values) -> usize {
        let below = self.layers.iter().zip(&values.layers).enumerate().take(layer);
        below
            .map(|(at, (layer, of))| {
                let free = layer.bound.slots().iter().filter(|slot| slot.state == SlotState::Free).count();
                let outputs = of.whitened.len() + of.root.iter().flat_map(triangle).count();
                free + of.inducing.len() + if self.has_outputs(at) { outputs } else { 0 }
            })
            .sum()
    }

    /// The values at these coordinates; fixed values are taken from `like`.
    pub fn to_values(&self, at: &[f64], like: &Values) -> Values {
        let mut at = at.iter().copied();
        let mut next = || at.next().unwrap_or(0.0);
        let mut values = like.clone();
        for (at, (layer, of)) in self.layers.iter().zip(&mut values.layers).enumerate() {
            for (slot, x) in layer.bound.slots().iter().zip(&mut of.theta) {
                if slot.state == SlotState::Free {
                    *x = slot.domain.from_real(next());
                }
            }
            for (mut column, scale) in of.inducing.column_iter_mut().zip(&layer.scale) {
                column.iter_mut().for_each(|x| *x = next() * scale);
            }
            if self.has_outputs(at) {
                of.whitened.iter_mut().for_each(|x| *x = next());
                if let Some(root) = &mut of.root {
                    for (i, j, _) in triangle(&root.clone()) {
                        let x = next();
                        root[(i, j)] = if i == j { x.exp() } else { x };
                    }
                }
            }
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
    pub(super) fn gradient(&self, values: &Values, out: &mut [f64]) -> Result<f64, TapeError> {
        let mut tape = Tape::new();
        let mut forward = self.forward(&mut tape, values)?;
        let objective = self.record(&mut tape, &mut forward)?;
        let value = tape.value(objective)[0];
        let gradients = tape.gradients(objective)?;
        let mut out = out.iter_mut();
        let mut put = |x: f64| {
            if let Some(out) = out.next() {
                *out = x;
            }
        };
        for (at, vars) in forward.layers.iter().enumerate() {
            let (layer, of) = (&self.layers[at], &values.layers[at]);
            let slots = layer.bound.slots().iter().zip(&of.theta).enumerate();
            let free = slots.filter(|(_, (slot, _))| slot.state == SlotState::Free);
            let slope = gradients.of(vars.theta).unwrap_or_default();
            free.for_each(|(i, (slot, x))| put(slope.get(i).map_or(0.0, |g| g * slot.domain.slope(*x))));
            let slope = gradients.of(vars.inducing).unwrap_or_default();
            let rows = of.inducing.nrows();
            (0..of.inducing.len()).for_each(|i| put(slope.get(i).map_or(0.0, |g| g * layer.scale[i / rows])));
            if !self.has_outputs(at) {
                continue;
            }
            let slope = gradients.of(vars.whitened).unwrap_or_default();
            (0..of.whitened.len()).for_each(|i| put(slope.get(i).copied().unwrap_or(0.0)));
            if let (Some(root), Some(var)) = (&of.root, vars.root) {
                let slope = gradients.of(var).unwrap_or_default();
                for (i, j, x) in triangle(root) {
                    let slope = slope.get(i + j * rows).copied().unwrap_or(0.0);
                    put(if i == j { slope * x } else { slope });
                }
            }
        }
        if self.noise_is_free() {
            let (_, slope) = self.noise_prior(values.noise);
            put(gradients.of(forward.noise).map_or(0.0, |g| g[0] * values.noise) + slope);
        }
        Ok(value + self.noise_prior(values.noise).0)
    }
}

/// The layers recorded on a tape.
struct Forward {
    layers: Vec<LayerVars>,
    /// The terms of the objective with their factors.
    terms: Vec<(Var, f64)>,
    last: Given,
    noise: Var,
}

/// The entries of the lower triangle with their rows and columns.
fn triangle(root: &Matrix) -> impl Iterator<Item = (usize, usize, f64)> + '_ {
    (0..root.ncols()).flat_map(move |j| (j..root.nrows()).map(move |i| (i, j, root[(i, j)])))
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

#[cfg(test)]
mod tests;
