//! A Gaussian process with all parameters given, conditioned on evaluations of an integrand.

use super::error::QuadratureError;
use super::evaluations::Evaluations;
use crate::kernel::{Bound, Kernel, Points, Schema};
use crate::linalg::{Cholesky, Matrix, Vector};

/// The mean function of the process of the integrand.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum PriorMean {
    Given(f64),
    /// An unknown constant, which is integrated out under a flat prior.
    Free,
}

/// A Gaussian process conditioned on evaluations.
#[derive(Debug)]
pub struct Process {
    bound: Bound,
    values: Vec<f64>,
    points: Points,
    pub(super) factor: Cholesky,
    /// K⁻¹(y − m).
    pub(super) alpha: Vector,
    /// K⁻¹1.
    pub(super) ones: Vector,
    pub(super) mean: f64,
    pub(super) free_mean: bool,
    quadratic: f64,
    /// The square root of each prior variance.
    pub(super) sizes: Vector,
}

/// The largest jitter that is added to a covariance matrix, as a share of its mean diagonal.
pub const LARGEST_JITTER: f64 = 1e-4;

/// The least jitter above 0 for n evaluations, as a share of the mean diagonal: the rounding of a sum of n terms.
pub fn smallest_jitter(n: usize) -> f64 {
    n as f64 * f64::EPSILON
}

/// Shares of the mean diagonal that are tried as jitter: the least, and then powers of ten above rounding.
fn jitters(least: f64, n: usize) -> impl Iterator<Item = f64> {
    let next = (10.0 * least).max(smallest_jitter(n));
    let more =
        std::iter::successors(Some(next), |share| Some(10.0 * share)).take_while(|share| *share < LARGEST_JITTER);
    std::iter::once(least).chain(more).chain(std::iter::once(LARGEST_JITTER.max(least)))
}

/// A random variable: mean and variance.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Moments {
    pub mean: f64,
    pub variance: f64,
}

impl Process {
    /// A kernel with values for all parameters, and the noise variance of the evaluations.
    ///
    /// # Errors
    /// [`QuadratureError`]: no points, a kernel that does not fit them, or a covariance matrix that cannot be factored.
    pub fn new(
        kernel: &Kernel,
        noise: f64,
        mean: PriorMean,
        evaluations: &Evaluations,
    ) -> Result<Self, QuadratureError> {
        Self::with_jitter(kernel, (noise, mean), evaluations, 0.0)
    }

    /// The same with at least this jitter on the diagonal, as a share of its mean.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn with_jitter(
        kernel: &Kernel,
        (noise, mean): (f64, PriorMean),
        evaluations: &Evaluations,
        least: f64,
    ) -> Result<Self, QuadratureError> {
        let n = evaluations.n();
        if n == 0 {
            return Err(QuadratureError::NoPoints);
        }
        let columns: Vec<&[f64]> = evaluations.x().iter().map(Vec::as_slice).collect();
        let bound = kernel.bind(&Schema::unnamed(evaluations.names(), &columns))?;
        let values = bound.values();
        let points = bound.points(&columns)?;
        let mut k = bound.cross(&values, &points, &points)?;
        // white noise is on the diagonal only
        for (i, own) in bound.diagonal(&values, &points)?.into_iter().enumerate() {
            k[(i, i)] = own + noise;
        }
        let sizes = k.diagonal().map(|own| own.max(0.0).sqrt());
        let size = k.diagonal().mean();
        let factor = Cholesky::with_jitters(k, jitters(least, n).map(|share| share * size))
            .map_err(|_| QuadratureError::NotPositiveDefinite { n })?;
        let ones = factor.solve(&Vector::repeat(n, 1.0));
        let (mean, free_mean) = match mean {
            PriorMean::Given(mean) => (mean, false),
            PriorMean::Free => (0.0, true),
        };
        let alpha = Vector::zeros(n);
        let mut process = Self { bound, values, points, factor, alpha, ones, mean, free_mean, quadratic: 0.0, sizes };
        (process.mean, process.quadratic, process.alpha) =
            process.conditioned_on(&Vector::from_column_slice(evaluations.y()));
        Ok(process)
    }

    /// m, rᵀK⁻¹r and K⁻¹r with r = y − m for values y at the same points.
    pub(super) fn conditioned_on(&self, y: &Vector) -> (f64, f64, Vector) {
        let mean = if self.free_mean { self.ones.dot(y) / self.ones.sum() } else { self.mean };
        let residual = y.add_scalar(-mean);
        let alpha = self.factor.solve(&residual);
        (mean, residual.dot(&alpha), alpha)
    }

    /// The number of evaluations.
    pub fn n(&self) -> usize {
        self.alpha.len()
    }

    /// rᵀK⁻¹r divided by its degrees of freedom: the factor of the kernel that maximises the likelihood. The second
    /// number is the degrees of freedom of the Student-t distribution of the integral: N, or N − 1 with a free mean.
    pub fn scale(&self) -> (f64, f64) {
        let degrees = self.n() as f64 - if self.free_mean { 1.0 } else { 0.0 };
        (self.quadratic / degrees.max(1.0), degrees.max(1.0))
    }

    /// The jitter that was added to the diagonal for the factorisation.
    pub fn jitter(&self) -> f64 {
        self.factor.jitter()
    }

    /// The mean prior variance of an evaluation.
    pub fn size(&self) -> f64 {
        self.sizes.norm_squared() / self.n() as f64
    }

    /// The jitter as a share of the mean diagonal.
    pub fn jitter_share(&self) -> f64 {
        if self.jitter() > 0.0 { self.jitter() / self.size() } else { 0.0 }
    }

    /// The largest difference between an evaluation and the mean of the process there, apart from noise: what the jitter
    /// makes of it.
    pub fn misfit(&self) -> f64 {
        self.jitter() * self.alpha.amax()
    }

    /// log |K| and rᵀK⁻¹r, from which the log marginal likelihood is computed.
    pub fn likelihood_terms(&self) -> (f64, f64) {
        (self.factor.log_det(), self.quadratic)
    }

    fn rows(&self, x: &[Vec<f64>]) -> Result<Points, QuadratureError> {
        let columns: Vec<&[f64]> = x.iter().map(Vec::as_slice).collect();
        Ok(self.bound.points(&columns)?)
    }

    /// The covariances of the evaluations (rows) with the integrand at the given points (columns), and its prior
    /// variance at each point, without noise.
    pub(super) fn beside(&self, x: &[Vec<f64>]) -> Result<(Matrix, Vec<f64>), QuadratureError> {
        let rows = self.rows(x)?;
        let k = self.bound.cross(&self.values, &self.points, &rows)?;
        let own = |i: usize| {
            let row = rows.rows(i..i + 1);
            Ok(self.bound.cross(&self.values, &row, &row)?[(0, 0)])
        };
        Ok((k, (0..rows.n()).map(own).collect::<Result<_, QuadratureError>>()?))
    }

    /// The prior covariances of the integrand at some rows with the one of these indices.
    pub(super) fn covariances(&self, x: &[Vec<f64>], with: usize) -> Result<Vector, QuadratureError> {
        let rows = self.rows(x)?;
        let k = self.bound.cross(&self.values, &rows, &rows.rows(with..with + 1))?;
        Ok(k.column(0).into_owned())
    }

    /// Mean and variance of the integrand at rows given by columns.
    ///
    /// # Errors
    /// [`QuadratureError::Evaluation`].
    pub fn predict(&self, x: &[Vec<f64>]) -> Result<Vec<Moments>, QuadratureError> {
        let (k, own) = self.beside(x)?;
        let half = self.factor.half_solve(&k);
        let one = |(j, own): (usize, f64)| {
            let column = k.column(j);
            let mut variance = own - half.column(j).norm_squared();
            if self.free_mean {
                let left = 1.0 - column.dot(&self.ones);
                variance += left * left / self.ones.sum();
            }
            Moments { mean: self.mean + column.dot(&self.alpha), variance: variance.max(0.0) }
        };
        Ok(own.into_iter().enumerate().map(one).collect())
    }

    /// Mean and covariance of the integrand at rows given by columns.
    ///
    /// # Errors
    /// [`QuadratureError::Evaluation`].
    pub fn joint(&self, x: &[Vec<f64>]) -> Result<(Vec<f64>, Matrix), QuadratureError> {
        let rows = self.rows(x)?;
        let k = self.bound.cross(&self.values, &self.points, &rows)?;
        let mut covariance = self.bound.cross(&self.values, &rows, &rows)?;
        let half = self.factor.half_solve(&k);
        covariance -= half.tr_mul(&half);
        if self.free_mean {
            let left = Vector::repeat(rows.n(), 1.0) - k.tr_mul(&self.ones);
            covariance += &left * left.transpose() / self.ones.sum();
        }
        let mean = (0..rows.n()).map(|j| self.mean + k.column(j).dot(&self.alpha)).collect();
        Ok((mean, covariance))
    }
}
