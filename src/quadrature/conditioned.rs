//! A Gaussian process with all parameters given, conditioned on evaluations, and its integral.

use std::sync::Arc;

use super::density::Density;
use super::embedding::Embedding;
use super::error::QuadratureError;
use super::estimate::Estimate;
use super::evaluations::Evaluations;
use crate::kernel::{Bound, Kernel, Points, Schema};
use crate::linalg::{Cholesky, Matrix, Vector};

/// The mean function of the integrand's process.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum PriorMean {
    Given(f64),
    /// A constant about which nothing is known: it is integrated out under a flat prior.
    Free,
}

/// A Gaussian process conditioned on evaluations of an integrand, beside a density.
#[derive(Debug)]
pub struct Conditioned {
    bound: Bound,
    values: Vec<f64>,
    points: Points,
    embedding: Arc<Embedding>,
    factor: Cholesky,
    /// K⁻¹(y − m).
    alpha: Vector,
    /// K⁻¹z.
    weights: Vector,
    /// K⁻¹1.
    ones: Vector,
    z: Vec<Estimate>,
    prior: Estimate,
    mean: f64,
    free_mean: bool,
    quadratic: f64,
}

/// The integral as a random variable: mean and variance.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Moments {
    pub mean: f64,
    pub variance: f64,
}

impl Conditioned {
    /// A kernel with numbers for all parameters, and a noise variance of the evaluations.
    ///
    /// # Errors
    /// [`QuadratureError`]: no points, a kernel that does not fit them, a covariance matrix that cannot be factored.
    pub fn new(
        kernel: &Kernel,
        noise: f64,
        mean: PriorMean,
        evaluations: &Evaluations,
        density: &Density,
    ) -> Result<Self, QuadratureError> {
        let embedding = Arc::new(Embedding::new(kernel, evaluations.names(), density)?);
        Self::beside(embedding, kernel, noise, mean, evaluations)
    }

    /// The same where the kernel stands beside the density already.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn beside(
        embedding: Arc<Embedding>,
        kernel: &Kernel,
        noise: f64,
        mean: PriorMean,
        evaluations: &Evaluations,
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
        // white noise is on the diagonal alone
        for (i, own) in bound.diagonal(&values, &points)?.into_iter().enumerate() {
            k[(i, i)] = own + noise;
        }
        let factor = Cholesky::new(k).map_err(|_| QuadratureError::NotPositiveDefinite { n })?;
        let z = embedding.means(evaluations.x())?;
        let prior = embedding.prior_variance()?;
        let weights = factor.solve(&Vector::from_iterator(n, z.iter().map(|z| z.value)));
        let ones = factor.solve(&Vector::repeat(n, 1.0));
        let y = Vector::from_column_slice(evaluations.y());
        let (mean, free_mean) = match mean {
            PriorMean::Given(mean) => (mean, false),
            PriorMean::Free => (ones.dot(&y) / ones.sum(), true),
        };
        let residual = y.add_scalar(-mean);
        let alpha = factor.solve(&residual);
        let quadratic = residual.dot(&alpha);
        Ok(Self {
            bound,
            values,
            points,
            embedding,
            factor,
            alpha,
            weights,
            ones,
            z,
            prior,
            mean,
            free_mean,
            quadratic,
        })
    }

    pub fn n(&self) -> usize {
        self.alpha.len()
    }

    /// zᵀK⁻¹(y − m) + m, and V₀ − zᵀK⁻¹z (Duvenaud 2014, A.5 and A.6). With a free mean the variance grows by
    /// (1 − zᵀK⁻¹1)²/(1ᵀK⁻¹1).
    ///
    /// The variance is a difference of numbers of the size of V₀, so it is never given below their rounding.
    pub fn integral(&self) -> Moments {
        let z = self.z.iter().map(|z| z.value);
        let explained: f64 = z.clone().zip(self.weights.iter()).map(|(z, w)| z * w).sum();
        let mean = self.mean + z.clone().zip(self.alpha.iter()).map(|(z, a)| z * a).sum::<f64>();
        let mut variance = self.prior.value - explained;
        if self.free_mean {
            let left = 1.0 - z.zip(self.ones.iter()).map(|(z, o)| z * o).sum::<f64>();
            variance += left * left / self.ones.sum();
        }
        let rounding = f64::EPSILON * self.n() as f64 * self.prior.value.abs();
        Moments { mean, variance: variance.max(rounding) }
    }

    /// V₀: the variance of the integral before any evaluation.
    pub fn prior_variance(&self) -> f64 {
        self.prior.value
    }

    /// z, a number for each evaluation.
    pub fn kernel_means(&self) -> Vec<f64> {
        self.z.iter().map(|z| z.value).collect()
    }

    /// K⁻¹z: with a mean of zero the integral's mean is their product with the evaluations.
    pub fn weights(&self) -> &Vector {
        &self.weights
    }

    /// A bound on what the numerical z and V₀ contribute to the error of the integral's mean, and of its variance; 0
    /// where both have closed forms.
    pub fn numerical_error(&self) -> (f64, f64) {
        let of_mean = self.z.iter().zip(self.alpha.iter()).map(|(z, a)| z.error * a.abs()).sum();
        let of_z: f64 = self.z.iter().zip(self.weights.iter()).map(|(z, w)| 2.0 * z.error * w.abs()).sum();
        (of_mean, self.prior.error + of_z)
    }

    /// rᵀK⁻¹r over its degrees of freedom: by what the kernel is to be multiplied for the greatest likelihood. And the
    /// degrees of freedom of the Student-t that the integral then has: N, or N − 1 with a free mean.
    pub fn scale(&self) -> (f64, f64) {
        let degrees = self.n() as f64 - if self.free_mean { 1.0 } else { 0.0 };
        (self.quadratic / degrees.max(1.0), degrees.max(1.0))
    }

    /// What was added to the diagonal for the factorization.
    pub fn jitter(&self) -> f64 {
        self.factor.jitter()
    }

    /// log |K| and rᵀK⁻¹r, of which the log marginal likelihood is made.
    pub fn likelihood_terms(&self) -> (f64, f64) {
        (self.factor.log_det(), self.quadratic)
    }

    fn rows(&self, x: &[Vec<f64>]) -> Result<Points, QuadratureError> {
        let columns: Vec<&[f64]> = x.iter().map(Vec::as_slice).collect();
        Ok(self.bound.points(&columns)?)
    }

    /// Mean and variance of the integrand at rows given by column.
    ///
    /// # Errors
    /// [`QuadratureError::Evaluation`].
    pub fn predict(&self, x: &[Vec<f64>]) -> Result<Vec<Moments>, QuadratureError> {
        let rows = self.rows(x)?;
        let k = self.bound.cross(&self.values, &self.points, &rows)?;
        let own = self.function_variances(&rows)?;
        let half = self.factor.half_solve(&k);
        let one = |j: usize| {
            let column = k.column(j);
            let mut variance = own[j] - half.column(j).norm_squared();
            if self.free_mean {
                let left = 1.0 - column.dot(&self.ones);
                variance += left * left / self.ones.sum();
            }
            Moments { mean: self.mean + column.dot(&self.alpha), variance: variance.max(0.0) }
        };
        Ok((0..rows.n()).map(one).collect())
    }

    /// k(x, x) of the function alone, without noise.
    fn function_variances(&self, rows: &Points) -> Result<Vec<f64>, QuadratureError> {
        let one = |i: usize| {
            let row = rows.rows(i..i + 1);
            Ok(self.bound.cross(&self.values, &row, &row)?[(0, 0)])
        };
        (0..rows.n()).map(one).collect()
    }

    /// Mean and covariance of the integrand at rows given by column.
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

    /// By how much an evaluation at each row would lower the variance of the integral: the squared posterior covariance
    /// of the integrand there with the integral, over its variance there.
    ///
    /// # Errors
    /// [`QuadratureError::Evaluation`].
    pub fn reductions(&self, x: &[Vec<f64>], z: &[Estimate]) -> Result<Vec<f64>, QuadratureError> {
        let rows = self.rows(x)?;
        let k = self.bound.cross(&self.values, &self.points, &rows)?;
        let half = self.factor.half_solve(&k);
        let own = self.function_variances(&rows)?;
        let one = |j: usize| {
            let left = own[j] - half.column(j).norm_squared();
            let shared = z[j].value - k.column(j).dot(&self.weights);
            // at a point that is known already both are rounding
            if left > 1e-9 * own[j] { shared * shared / left } else { 0.0 }
        };
        Ok((0..rows.n()).map(one).collect())
    }

    pub fn embedding(&self) -> &Arc<Embedding> {
        &self.embedding
    }
}

#[cfg(test)]
mod tests {
    use super::super::density::Marginal;
    use super::super::parameters::usual_kernel;
    use super::*;

    #[test]
    fn the_reference_cases() {
        let text = include_str!("../../tests/suite/reference/bq.json");
        let cases: Vec<serde_json::Value> = serde_json::from_str(text).unwrap();
        let numbers =
            |v: &serde_json::Value| -> Vec<f64> { v.as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect() };
        for case in &cases {
            let rows: Vec<Vec<f64>> = case["X"].as_array().unwrap().iter().map(numbers).collect();
            let d = rows[0].len();
            let names: Vec<String> = (0..d).map(|i| format!("x{i}")).collect();
            let (means, variances) = (numbers(&case["density"]["mean"]), numbers(&case["density"]["variance"]));
            let marginal = |i: usize| Marginal::normal(means[i], variances[i].sqrt()).unwrap();
            let density = Density::product((0..d).map(marginal).collect()).unwrap();
            let usual = usual_kernel(&names, &density).unwrap();
            let factors: Vec<&serde_json::Value> = case["terms"]["args"].as_array().unwrap().iter().collect();
            // the parameters of the case in the order of the usual kernel: length-scale and variance of each factor
            let mut written = factors.iter().flat_map(|f| {
                [f["params"]["lengthscale"].as_f64().unwrap(), f["params"]["variance"].as_f64().unwrap_or(1.0)]
            });
            let kernel = usual.map_params(&mut |_| crate::param::Param::fixed(written.next().unwrap()));
            let columns = (0..d).map(|i| rows.iter().map(|row| row[i]).collect()).collect();
            let evaluations = Evaluations::new(names, columns, numbers(&case["y"])).unwrap();
            let noise = case["noise"].as_f64().unwrap();
            let found = Conditioned::new(&kernel, noise, PriorMean::Given(0.0), &evaluations, &density).unwrap();
            let name = &case["name"];
            for (z, right) in found.kernel_means().iter().zip(numbers(&case["z"])) {
                assert!((z - right).abs() <= 1e-12 * right.abs(), "{name}: z {z} {right}");
            }
            let right = case["prior_variance"].as_f64().unwrap();
            assert!((found.prior_variance() - right).abs() <= 1e-12 * right, "{name}: V {}", found.prior_variance());
            let tolerance = &case["tolerance"];
            let (mean, variance) = (case["mean"].as_f64().unwrap(), case["variance"].as_f64().unwrap());
            let integral = found.integral();
            let relative = tolerance["mean_rel"].as_f64().unwrap();
            assert!((integral.mean - mean).abs() <= relative * mean.abs(), "{name}: mean {} {mean}", integral.mean);
            let absolute = tolerance["variance_abs"].as_f64().unwrap();
            assert!((integral.variance - variance).abs() <= absolute, "{name}: {} {variance}", integral.variance);
        }
        assert_eq!(cases.len(), 7);
    }
}
