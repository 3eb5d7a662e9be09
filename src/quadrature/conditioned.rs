//! The integral of a Gaussian process that is conditioned on evaluations.

use super::embedding::Embedding;
use super::error::QuadratureError;
use super::estimate::Estimate;
use super::evaluations::Evaluations;
use super::process::{Moments, Process};
use crate::linalg::Vector;

/// Of an evaluation in the integral; the weights of a density of mass 1 are about 1/N.
const LARGEST_WEIGHT: f64 = 10.0;

/// A conditioned process beside a density.
#[derive(Debug)]
pub struct Conditioned<'p> {
    process: &'p Process,
    /// K⁻¹z.
    weights: Vector,
    z: Vec<Estimate>,
    prior: Estimate,
}

impl<'p> Conditioned<'p> {
    /// A process given some evaluations, and the integrals of its kernel.
    ///
    /// # Errors
    /// [`QuadratureError::Evaluation`].
    pub fn new(
        process: &'p Process,
        embedding: &Embedding,
        evaluations: &Evaluations,
    ) -> Result<Self, QuadratureError> {
        let z = embedding.means(evaluations.x())?;
        let prior = embedding.prior_variance()?;
        let weights = process.factor.solve(&Vector::from_iterator(z.len(), z.iter().map(|z| z.value)));
        Ok(Self { process, weights, z, prior })
    }

    /// The mean zᵀK⁻¹(y − m) + m and the variance V₀ − zᵀK⁻¹z (Duvenaud 2014, A.5 and A.6). With a free mean the
    /// variance increases by (1 − zᵀK⁻¹1)²/(1ᵀK⁻¹1).
    ///
    /// The variance is a difference of numbers of the size of V₀, so it is never given below their rounding, n ε |w|ᵀ|K||w| for
    /// the weights w = K⁻¹z: large weights of opposite signs, as those of points next to one another, cost digits.
    pub fn integral(&self) -> Moments {
        let z = self.z.iter().map(|z| z.value);
        let explained: f64 = z.clone().zip(self.weights.iter()).map(|(z, w)| z * w).sum();
        let mean = self.mean(self.process.mean, &self.process.alpha);
        let mut variance = self.prior.value - explained;
        if self.process.free_mean {
            let left = 1.0 - z.zip(self.process.ones.iter()).map(|(z, o)| z * o).sum::<f64>();
            variance += left * left / self.process.ones.sum();
        }
        let size = self.weights.iter().zip(self.process.sizes.iter()).map(|(w, size)| w.abs() * size).sum::<f64>();
        let rounding = f64::EPSILON * self.process.n() as f64 * (size * size).max(self.prior.value.abs());
        Moments { mean, variance: variance.max(rounding) }
    }

    /// The mean of the integral, had the evaluations other values.
    pub fn mean_of(&self, y: &[f64]) -> f64 {
        let (mean, _, alpha) = self.process.conditioned_on(&Vector::from_column_slice(y));
        self.mean(mean, &alpha)
    }

    fn mean(&self, mean: f64, alpha: &Vector) -> f64 {
        mean + self.z.iter().zip(alpha.iter()).map(|(z, a)| z.value * a).sum::<f64>()
    }

    /// V₀: the variance of the integral without evaluations.
    pub fn prior_variance(&self) -> f64 {
        self.prior.value
    }

    /// The variance of the integral as a share of that before any evaluation.
    pub fn share_left(&self) -> f64 {
        (self.integral().variance / self.prior_variance()).max(0.0)
    }

    /// A bound on what the numerical z and V₀ contribute to the error of the integral's mean, and of its variance; 0
    /// where both have closed forms.
    pub fn numerical_error(&self) -> (f64, f64) {
        let of_mean = self.z.iter().zip(self.process.alpha.iter()).map(|(z, a)| z.error * a.abs()).sum();
        let of_z: f64 = self.z.iter().zip(self.weights.iter()).map(|(z, w)| 2.0 * z.error * w.abs()).sum();
        (of_mean, self.prior.error + of_z)
    }

    /// What the jitter on the diagonal of the covariance matrix contributes to the mean: to first order, the jitter times
    /// zᵀK⁻¹K⁻¹(y − m).
    pub fn jitter_error(&self) -> f64 {
        (self.process.jitter() * self.weights.dot(&self.process.alpha)).abs()
    }

    /// By how much an evaluation at each row would lower the variance of the integral: the squared posterior covariance
    /// of the integrand there with the integral, over its variance there. An evaluation whose weight in the integral would be
    /// large gains nothing: it lies next to another and would stand for a derivative, which rounding spoils. `z` are the integrals of the kernel at the rows.
    ///
    /// # Errors
    /// [`QuadratureError::Evaluation`].
    pub fn reductions(&self, x: &[Vec<f64>], z: &[Estimate]) -> Result<Vec<f64>, QuadratureError> {
        let (k, own) = self.process.beside(x)?;
        let half = self.process.factor.half_solve(&k);
        let one = |(j, own): (usize, f64)| {
            let left = own - half.column(j).norm_squared();
            let shared = z[j].value - k.column(j).dot(&self.weights);
            let weight = shared / left;
            // at a point that is known already both are rounding
            if left > 1e-12 * own && weight.abs() <= LARGEST_WEIGHT { shared * weight } else { 0.0 }
        };
        Ok(own.into_iter().enumerate().map(one).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::super::density::{Density, Marginal};
    use super::super::parameters::product_kernel;
    use super::super::process::PriorMean;
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
            let usual = product_kernel("SE", &names, &density).unwrap();
            let factors: Vec<&serde_json::Value> = case["terms"]["args"].as_array().unwrap().iter().collect();
            // the parameters of the case in the order of the default kernel: length-scale and variance of each factor
            let mut written = factors.iter().flat_map(|f| {
                [f["params"]["lengthscale"].as_f64().unwrap(), f["params"]["variance"].as_f64().unwrap_or(1.0)]
            });
            let kernel = usual.map_params(&mut |_| crate::param::Param::fixed(written.next().unwrap()));
            let columns = (0..d).map(|i| rows.iter().map(|row| row[i]).collect()).collect();
            let evaluations = Evaluations::new(names, columns, numbers(&case["y"])).unwrap();
            let noise = case["noise"].as_f64().unwrap();
            let process = Process::new(&kernel, noise, PriorMean::Given(0.0), &evaluations).unwrap();
            let embedding = Embedding::new(&kernel, evaluations.names(), &density).unwrap();
            let found = Conditioned::new(&process, &embedding, &evaluations).unwrap();
            let name = &case["name"];
            for (z, right) in found.z.iter().map(|z| z.value).zip(numbers(&case["z"])) {
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
