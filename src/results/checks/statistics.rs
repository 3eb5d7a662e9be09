//! Statistics of standardised residuals. They do not depend on the scale of the residuals.

use std::f64::consts::TAU;

use statrs::distribution::{ContinuousCDF, Normal};

use crate::linalg::{Matrix, transposed_product};
use crate::model::Problem;

/// What a statistic is largest for.
#[derive(Debug, Clone, PartialEq)]
pub enum About {
    Nothing,
    /// A period in the unit of the input.
    Period(f64),
    /// An input.
    Input(String),
    /// The posterior mean of the function.
    Fitted,
}

/// Approximate expectations of n ordered standard normal numbers: Φ⁻¹((i − 3/8) / (n + 1/4)) (Blom 1958).
pub fn normal_scores(n: usize) -> Vec<f64> {
    let normal = Normal::standard();
    (0..n).map(|i| normal.inverse_cdf((i as f64 + 0.625) / (n as f64 + 0.25))).collect()
}

/// The squared correlation of the ordered values with normal scores; 1 for a straight line.
pub fn straightness(values: &[f64], scores: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let (across, own): (f64, f64) =
        centred(&sorted).zip(scores).fold((0.0, 0.0), |(a, b), (v, s)| (a + v * s, b + v * v));
    across * across / (own * scores.iter().map(|s| s * s).sum::<f64>())
}

/// The fourth central moment over the square of the second.
pub fn kurtosis(values: &[f64]) -> f64 {
    let n = values.len() as f64;
    let (two, four) = centred(values).fold((0.0, 0.0), |(two, four), d| (two + d * d, four + d.powi(4)));
    n * four / (two * two)
}

/// The correlation of neighbours in the given order.
pub fn lagged(values: &[f64], order: &[usize]) -> f64 {
    let all: Vec<f64> = centred(values).collect();
    let square: f64 = all.iter().map(|d| d * d).sum();
    order.windows(2).map(|w| all[w[0]] * all[w[1]]).sum::<f64>() / square
}

fn centred(values: &[f64]) -> impl Iterator<Item = f64> {
    let mean = values.iter().sum::<f64>() / values.len().max(1) as f64;
    values.iter().map(move |v| v - mean)
}

/// Sinusoids along an input, with whole numbers of cycles in its span.
pub struct Rhythms {
    span: f64,
    /// rows × frequencies, each column normalised to length 1.
    cosines: Matrix,
    sines: Matrix,
}

/// The largest number of frequencies; the lowest are used.
const MOST_FREQUENCIES: usize = 500;
const FEWEST_PLACES: usize = 8;

impl Rhythms {
    /// Frequencies from one cycle to half the number of distinct values; `None` if these are too few.
    pub fn new(along: &[f64]) -> Option<Self> {
        let mut places = along.to_vec();
        places.sort_by(f64::total_cmp);
        places.dedup();
        let (first, last) = (*places.first()?, *places.last()?);
        if places.len() < FEWEST_PLACES || !(last - first).is_finite() {
            return None;
        }
        // The last cycle ends where the next value would be.
        let span = (last - first) * places.len() as f64 / (places.len() - 1) as f64;
        let count = (places.len() / 2).min(MOST_FREQUENCIES);
        let waves = |wave: fn(f64) -> f64| {
            let mut all =
                Matrix::from_fn(along.len(), count, |i, k| wave(TAU * (k + 1) as f64 * (along[i] - first) / span));
            all.column_iter_mut().for_each(|mut column| {
                let length = column.norm();
                if length > 1e-6 { column /= length } else { column.fill(0.0) }
            });
            all
        };
        Some(Self { span, cosines: waves(f64::cos), sines: waves(f64::sin) })
    }

    /// The period of a frequency, in the unit of the input.
    pub fn period(&self, frequency: usize) -> f64 {
        self.span / (frequency + 1) as f64
    }

    /// Frequencies × series: the share of the power of each series (one after the other) at each frequency.
    pub fn powers(&self, series: &[f64], count: usize) -> Matrix {
        let n = self.cosines.nrows();
        let mut all = Matrix::from_column_slice(n, count, series);
        for mut column in all.column_iter_mut() {
            let mean = column.mean();
            column.add_scalar_mut(-mean);
            let length = column.norm();
            column /= length;
        }
        let (cosines, sines) = (transposed_product(&self.cosines, &all), transposed_product(&self.sines, &all));
        cosines.zip_map(&sines, |c, s| c * c + s * s)
    }

    /// The frequency at which a series is strongest relative to the mean of the others, its relative power, and the
    /// same maximum for each of the others.
    pub fn strongest(&self, own: &Matrix, others: &Matrix) -> (usize, f64, Vec<f64>) {
        let mean: Vec<f64> = others.row_iter().map(|row| row.mean()).collect();
        let top = |powers: &[f64]| {
            let relative = powers.iter().zip(&mean).map(|(p, mean)| if *mean > 1e-12 { p / mean } else { 0.0 });
            relative.enumerate().fold((0, 0.0), |best, (k, r)| if r > best.1 { (k, r) } else { best })
        };
        let (at, most) = top(own.as_slice());
        (at, most, others.as_slice().chunks_exact(mean.len().max(1)).map(|powers| top(powers).1).collect())
    }
}

/// The variables on which the size of residuals may depend.
pub struct Spreads {
    /// Inputs with the basis of their regressions.
    inputs: Vec<(String, Vec<Vec<f64>>)>,
}

impl Spreads {
    /// The inputs of a problem, with their bases.
    pub fn new(problem: &Problem) -> Self {
        let data = problem.data();
        let columns = problem.names().iter().zip(problem.x()).filter_map(|(name, values)| {
            let levels = data.column(name).is_some_and(|column| column.is_categories());
            let basis = if levels { levels_of(values) } else { quadratic(values) };
            // A level for every second row would explain anything.
            (!basis.is_empty() && 2 * basis.len() < values.len()).then(|| (name.clone(), basis))
        });
        Self { inputs: columns.collect() }
    }

    /// The largest adjusted R² of a regression of the size of residuals, and the variable.
    pub fn largest(&self, residuals: &[f64], fitted: &[f64]) -> (f64, About) {
        let sizes: Vec<f64> = residuals.iter().map(|e| e.abs()).collect();
        let sizes: Vec<f64> = centred(&sizes).collect();
        let of_fitted = (explained(&sizes, &quadratic(fitted)), About::Fitted);
        let of_inputs = self.inputs.iter().map(|(name, basis)| (explained(&sizes, basis), About::Input(name.clone())));
        of_inputs.fold(of_fitted, |best, next| if next.0 >= best.0 { next } else { best })
    }
}

/// An orthonormal basis of quadratics without the constant; fewer columns if there are few distinct values.
fn quadratic(values: &[f64]) -> Vec<Vec<f64>> {
    let first: Vec<f64> = centred(values).collect();
    let square: Vec<f64> = first.iter().map(|v| v * v).collect();
    orthonormal(vec![first, square])
}

/// The same for the levels of a category.
fn levels_of(values: &[f64]) -> Vec<Vec<f64>> {
    let mut levels = values.to_vec();
    levels.sort_by(f64::total_cmp);
    levels.dedup();
    levels.pop();
    orthonormal(levels.iter().map(|level| values.iter().map(|v| f64::from(u8::from(v == level))).collect()).collect())
}

fn orthonormal(columns: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    let mut basis: Vec<Vec<f64>> = Vec::new();
    for column in columns {
        let mut left: Vec<f64> = centred(&column).collect();
        // The residual of a constant column is rounding.
        let before = dot(&left, &left);
        let tiny = dot(&column, &column) * 1e-18;
        for known in &basis {
            let along = dot(&left, known);
            left.iter_mut().zip(known).for_each(|(v, k)| *v -= along * k);
        }
        let length = dot(&left, &left);
        if length > (1e-9 * before).max(tiny) {
            left.iter_mut().for_each(|v| *v /= length.sqrt());
            basis.push(left);
        }
    }
    basis
}

/// The adjusted R² of centred values.
fn explained(values: &[f64], basis: &[Vec<f64>]) -> f64 {
    let whole = dot(values, values);
    let part: f64 = basis.iter().map(|column| dot(values, column).powi(2)).sum();
    let (n, k) = (values.len() as f64, basis.len() as f64);
    if whole > 0.0 && n > k + 1.0 { 1.0 - (1.0 - part / whole) * (n - 1.0) / (n - 1.0 - k) } else { 0.0 }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    crate::linalg::vector::dot(a, b)
}
