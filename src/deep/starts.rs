//! Starting values for training a deep GP (Vafa, 5.1.3).
//!
//! The inducing inputs of the first layer are centres of clusters of the rows, and its length-scale is the median
//! distance between rows. Two kinds of start alternate. In the first the hidden layers are close to the identity and
//! the last layer fits the targets; in the second the first layer fits them and the layers above are close to the
//! identity. After the first two, every third start is random.

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

use super::definition::StartsFrom;
use super::layer::{JITTER, LayerValues};
use super::problem::{DeepProblem, Layer, Values, normals};
use super::tape::{Tape, TapeError};
use crate::fit::spacing::median_distance;
use crate::kernel::{Role, SlotState};
use crate::linalg::Matrix;
use crate::model::spread;
use crate::param::State;

/// The standard deviation of the whitened pseudo outputs of hidden layers at the start.
const ROOT: f64 = 0.1;

/// The kind of a start.
struct Sort {
    random: bool,
    /// The first layer fits the targets, not the last one.
    early: bool,
}

impl DeepProblem {
    /// The start with this index; it depends only on the seed and the index.
    ///
    /// # Errors
    /// A covariance of pseudo outputs that is not positive definite.
    pub fn start(&self, seed: u64, index: usize) -> Result<Values, TapeError> {
        let mut random = Pcg64::seed_from_u64(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(index as u64 + 1));
        let (last, m) = (self.layers.len() - 1, self.model.inducing);
        let scaled: Vec<Vec<f64>> = self.x.column_iter().map(|column| standardised(column.as_slice())).collect();
        let centres = clusters(&scaled, m, &mut random);
        let targets = nearest_means(&scaled, &centres, &self.y);
        let unit = self.variance.sqrt().max(f64::MIN_POSITIVE);
        let Sort { random: random_start, early } = self.sort(index);
        let columns: Vec<&[f64]> = scaled.iter().map(Vec::as_slice).collect();
        let median = median_distance(&columns).unwrap_or(1.0);
        let mut layers = Vec::with_capacity(last + 1);
        // the inputs of the next layer that are known, and its values there
        let mut known = centres.clone();
        for (at, layer) in self.layers.iter().enumerate() {
            let jump = if index < 2 && !random_start { 1.0 } else { (random.random_range(-1.0..1.0f64) * 1.2).exp() };
            let (length, variance) = match (at, at == last) {
                (0, true) => (0.5 * median, self.variance),
                (0, false) => (if early { 0.5 } else { 1.0 } * median, 1.0),
                (_, true) => (if early { 1.5 } else { 0.5 * median }, self.variance),
                (_, false) => (1.5, 1.0),
            };
            let theta = start_of_kernel(layer, length * jump, variance, at == 0, self);
            let inducing = self.inducing_at(at, layer, &known, &centres);
            let inducing = match random_start && at > 0 {
                true => normals(m, inducing.ncols(), &mut random),
                false => inducing,
            };
            let outputs = Matrix::from_fn(m, layer.units, |row, unit_of| {
                let target = targets[row] / unit;
                match (at == last, early) {
                    (true, false) => target * unit,
                    (true, true) => inducing[(row, 0)] * unit,
                    (false, true) if at == 0 && unit_of == 0 => target,
                    (false, _) => {
                        let columns = known.len().max(1);
                        known[unit_of % columns][row]
                    }
                }
            });
            known = outputs.column_iter().map(|column| column.as_slice().to_vec()).collect();
            let whitened = match random_start {
                true => normals(m, layer.units, &mut random),
                false => whiten(layer, &theta, &inducing, &outputs)?.0.map(|v| v.clamp(-3.0, 3.0)),
            };
            let root = (self.is_variational() && at < last).then(|| Matrix::identity(m, m) * ROOT);
            layers.push(LayerValues { theta, inducing, whitened, root });
        }
        let noise = match self.model.noise.state {
            State::Free(noise) | State::Fixed(noise) => noise,
            State::Unset | State::Bounded { .. } => 0.1 * self.variance,
        };
        Ok(Values { layers, noise })
    }

    /// Whether the hidden layers of the start with this index are near the identity.
    pub(super) fn starts_near_identity(&self, index: usize) -> bool {
        let Sort { random, early } = self.sort(index);
        !random && !early
    }

    fn sort(&self, index: usize) -> Sort {
        let random = match self.model.starts {
            StartsFrom::Mixed => index >= 2 && index % 3 == 2,
            StartsFrom::Data => false,
            StartsFrom::Random => true,
        };
        Sort { random, early: index % 2 == 1 && self.layers.len() > 1 }
    }

    fn inducing_at(&self, at: usize, layer: &Layer, known: &[Vec<f64>], centres: &[Vec<f64>]) -> Matrix {
        let m = self.model.inducing;
        let data = |column: usize, row: usize| {
            let values = self.x.column(column);
            let (sd, mean) = (spread(values.as_slice()), values.mean());
            mean + sd * centres[column][row]
        };
        if at == 0 {
            return Matrix::from_fn(m, self.x.ncols(), |row, column| data(column, row));
        }
        let below = self.layers[at - 1].units;
        let width = below + if self.model.connected { self.x.ncols() } else { 0 };
        debug_assert_eq!(layer.bound.input_slopes().len(), width, "a layer sees units and inputs");
        Matrix::from_fn(m, width, |row, column| {
            // equal rows are separated slightly
            let apart = 1e-3 * (row as f64 - 0.5 * m as f64);
            if column < below { known[column][row] + apart } else { data(column - below, row) }
        })
    }
}

/// The starting values of a kernel: written values, length-scales and variances, and defaults for the others.
pub(super) fn start_of_kernel(
    layer: &Layer,
    length: f64,
    variance: f64,
    of_data: bool,
    problem: &DeepProblem,
) -> Vec<f64> {
    let slots = layer.bound.slots().iter();
    slots
        .map(|slot| {
            if slot.state != SlotState::Free || slot.param.value().is_some() {
                return slot.value;
            }
            let spreads = slot.columns.iter().map(|&c| match of_data {
                true => spread(problem.x.column(c).as_slice()),
                false => 1.0,
            });
            let (sum, count) = spreads.fold((0.0, 0.0), |(sum, count), s| (sum + s, count + 1.0));
            let width = if count > 0.0 { sum / count } else { 1.0 };
            match slot.spec.role {
                Role::LengthScale => length * width,
                Role::Period => 2.0 * width,
                Role::Variance => variance,
                Role::SlopeVariance => variance / (width * width),
                Role::GrowthVariance(n) => variance / width.powi(n),
                _ => slot.value,
            }
        })
        .collect()
}

/// L⁻¹ times the outputs, and the Cholesky factor L of their covariance.
pub(super) fn whiten(
    layer: &Layer,
    theta: &[f64],
    inducing: &Matrix,
    outputs: &Matrix,
) -> Result<(Matrix, Matrix), TapeError> {
    let mut tape = Tape::new();
    let theta = tape.leaf(Matrix::from_column_slice(theta.len(), 1, theta));
    let (inducing, outputs) = (tape.leaf(inducing.clone()), tape.leaf(outputs.clone()));
    let among = tape.kernel(&layer.bound, theta, inducing, inducing)?;
    // outputs that are improbable under the kernel are smoothed rather than interpolated
    let among = tape.inflate(among, JITTER.sqrt());
    let factor = tape.cholesky(among)?;
    let whitened = tape.solve_lower(factor, outputs);
    Ok((tape.value(whitened).clone(), tape.value(factor).clone()))
}

fn standardised(column: &[f64]) -> Vec<f64> {
    let (sd, mean) = (spread(column), column.iter().sum::<f64>() / column.len().max(1) as f64);
    column.iter().map(|x| (x - mean) / sd).collect()
}

fn distance(columns: &[Vec<f64>], i: usize, others: &[Vec<f64>], j: usize) -> f64 {
    columns.iter().zip(others).map(|(a, b)| (a[i] - b[j]).powi(2)).sum()
}

/// The number of iterations of k-means.
const ROUNDS: usize = 30;

/// Centres of clusters: k-means from k-means++ seeds (Arthur & Vassilvitskii, 2007), column by column, in the order of
/// the seeds. Inducing inputs of other models are sorted (`model::clusters`). Here fits from sorted centres, or from
/// the farthest first, were measured to be worse: outputs are whitened in the order of their inputs, and consecutive
/// close neighbours give large whitened values.
fn clusters(columns: &[Vec<f64>], m: usize, random: &mut Pcg64) -> Vec<Vec<f64>> {
    let n = columns.first().map_or(0, Vec::len);
    let row = |i: usize| columns.iter().map(|column| column[i]).collect::<Vec<f64>>();
    let square = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>();
    let mut centres = vec![row(random.random_range(0..n.max(1)))];
    let mut nearest = vec![f64::INFINITY; n];
    while centres.len() < m {
        let newest = &centres[centres.len() - 1];
        nearest.iter_mut().enumerate().for_each(|(i, d)| *d = d.min(square(&row(i), newest)));
        let mut left = random.random_range(0.0..1.0) * nearest.iter().sum::<f64>();
        let chosen = nearest.iter().position(|d| {
            left -= d;
            left <= 0.0
        });
        centres.push(row(chosen.unwrap_or(centres.len() % n.max(1))));
    }
    for _ in 0..ROUNDS {
        let (mut sums, mut counts) = (vec![vec![0.0; columns.len()]; m], vec![0usize; m]);
        for i in 0..n {
            let here = row(i);
            let best = (0..m).min_by(|&a, &b| square(&here, &centres[a]).total_cmp(&square(&here, &centres[b])));
            if let Some(best) = best {
                counts[best] += 1;
                sums[best].iter_mut().zip(&here).for_each(|(sum, x)| *sum += x);
            }
        }
        for (centre, (sum, count)) in centres.iter_mut().zip(sums.into_iter().zip(counts)) {
            if count > 0 {
                *centre = sum.into_iter().map(|x| x / count as f64).collect();
            }
        }
    }
    (0..columns.len()).map(|c| centres.iter().map(|centre| centre[c]).collect()).collect()
}

/// The mean target of the rows nearest to each centre; for a centre without rows that of the nearest row.
fn nearest_means(columns: &[Vec<f64>], centres: &[Vec<f64>], y: &[f64]) -> Vec<f64> {
    let m = centres.first().map_or(0, Vec::len);
    let (mut sums, mut counts) = (vec![0.0; m], vec![0.0; m]);
    for (i, y) in y.iter().enumerate() {
        let best =
            (0..m).min_by(|&a, &b| distance(columns, i, centres, a).total_cmp(&distance(columns, i, centres, b)));
        if let Some(best) = best {
            sums[best] += y;
            counts[best] += 1.0;
        }
    }
    (0..m)
        .map(|c| match counts[c] > 0.0 {
            true => sums[c] / counts[c],
            false => {
                let near = (0..y.len())
                    .min_by(|&a, &b| distance(columns, a, centres, c).total_cmp(&distance(columns, b, centres, c)));
                near.map_or(0.0, |i| y[i])
            }
        })
        .collect()
}
