//! The integral of a Gaussian process that is conditioned on evaluations.

use super::embedding::Embedding;
use super::error::QuadratureError;
use super::estimate::Estimate;
use super::evaluations::Evaluations;
use super::process::{LARGEST_JITTER, Moments, PriorMean, Process, smallest_jitter};
use crate::kernel::Kernel;
use crate::linalg::Vector;

/// Of an evaluation in the integral; the weights of a density of mass 1 are about 1/N.
const LARGEST_WEIGHT: f64 = 10.0;

/// Where the errors of rounding are below this share of the standard deviation, no jitter is needed.
const NEGLIGIBLE: f64 = 0.1;

/// A conditioned process beside a density.
#[derive(Debug)]
pub struct Conditioned {
    process: Process,
    /// K⁻¹z.
    weights: Vector,
    z: Vec<Estimate>,
    prior: Estimate,
}

impl Conditioned {
    /// A process given some evaluations, and the integrals of its kernel. Where the covariance matrix is so near to singular
    /// that rounding in it counts, it gets the jitter with which the integral, all errors counted, is most certain: jitter is
    /// noise of the evaluations, which the variance of the integral contains, and it keeps the weights of the evaluations
    /// small, and with them what rounding contributes.
    ///
    /// # Errors
    /// [`QuadratureError`]: points or a kernel that make no process, or integrals that cannot be computed.
    pub fn new(
        kernel: &Kernel,
        (noise, mean): (f64, PriorMean),
        embedding: &Embedding,
        evaluations: &Evaluations,
    ) -> Result<Self, QuadratureError> {
        let z = embedding.means(evaluations.x())?;
        let prior = embedding.prior_variance()?;
        let values = Vector::from_iterator(z.len(), z.iter().map(|z| z.value));
        let at = |least: f64| -> Result<Self, QuadratureError> {
            let process = Process::with_jitter(kernel, (noise, mean), evaluations, least)?;
            let weights = process.factor.solve(&values);
            Ok(Self { process, weights, z: z.clone(), prior })
        };
        let mut best = at(0.0)?;
        if best.is_sound() {
            return Ok(best);
        }
        let mut share = (10.0 * best.process.jitter_share()).max(smallest_jitter(evaluations.n()));
        while share < LARGEST_JITTER {
            let next = at(share)?;
            let sound = next.is_sound();
            if next.uncertainty() < best.uncertainty() {
                best = next;
            } else if best.is_possible() {
                break;
            }
            if sound {
                break;
            }
            share *= 10.0;
        }
        Ok(best)
    }

    /// The process, with the jitter that it got.
    pub fn process(&self) -> &Process {
        &self.process
    }

    /// Σ z w: what the evaluations explain of the prior variance.
    fn explained(&self) -> f64 {
        self.z.iter().zip(self.weights.iter()).map(|(z, w)| z.value * w).sum()
    }

    /// What rounding of the covariance matrix contributes to the variance of the integral: n ε wᵀDw for the weights w and the
    /// diagonal D.
    fn variance_rounding(&self) -> f64 {
        let size = self.weights.component_mul(&self.process.sizes).norm_squared();
        smallest_jitter(self.process.n()) * size.max(self.prior.value.abs())
    }

    /// What rounding of the covariance matrix contributes at most to the mean of the integral: n ε |w||α| in units of the
    /// diagonal, for the weights w and α = K⁻¹(y − m).
    pub fn rounding(&self) -> f64 {
        let size = |vector: &Vector| vector.component_mul(&self.process.sizes).norm();
        smallest_jitter(self.process.n()) * size(&self.weights) * size(&self.process.alpha)
    }

    /// Whether the variance is one, between 0 and that of the prior but for rounding.
    fn is_possible(&self) -> bool {
        let explained = self.explained();
        let rounding = self.variance_rounding();
        rounding <= self.prior.value && (-rounding..=self.prior.value + rounding).contains(&explained)
    }

    /// Whether rounding is negligible.
    fn is_sound(&self) -> bool {
        let sd = (self.integral().variance * self.process.scale().0).sqrt();
        let of_mean = self.rounding() + self.numerical_error().0;
        self.is_possible() && (of_mean <= NEGLIGIBLE * sd || of_mean <= f64::EPSILON * self.integral().mean.abs())
    }

    /// The standard deviation of the integral with all errors, for comparisons.
    fn uncertainty(&self) -> f64 {
        if !self.is_possible() {
            return f64::INFINITY;
        }
        let (of_mean, of_variance) = self.numerical_error();
        let sd = ((self.integral().variance + of_variance) * self.process.scale().0).sqrt();
        let errors = [self.rounding(), of_mean, self.jitter_error(), self.process.misfit()];
        errors.iter().fold(sd, |sum, error| sum.hypot(*error))
    }

    /// The mean zᵀK⁻¹(y − m) + m and the variance V₀ − zᵀK⁻¹z (Duvenaud 2014, A.5 and A.6). With a free mean the
    /// variance increases by (1 − zᵀK⁻¹1)²/(1ᵀK⁻¹1).
    ///
    /// The variance is a difference of numbers of the size of V₀, so it is never given below their rounding: large weights of
    /// opposite signs, as those of points next to one another, cost digits. Without a free mean it is at most V₀.
    pub fn integral(&self) -> Moments {
        let mean = self.mean(self.process.mean, &self.process.alpha);
        let mut variance = (self.prior.value - self.explained()).max(self.variance_rounding()).min(self.prior.value);
        if self.process.free_mean {
            let z = self.z.iter().map(|z| z.value);
            let left = 1.0 - z.zip(self.process.ones.iter()).map(|(z, o)| z * o).sum::<f64>();
            variance += left * left / self.process.ones.sum();
        }
        Moments { mean, variance }
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

    /// The indices of at most `count` of some rows, in the order in which an evaluation there would lower the variance of the
    /// integral most, each given those before it: the reduction is the squared posterior covariance of the integrand there
    /// with the integral, over its variance there. An evaluation whose weight in the integral would be large gains nothing: it
    /// lies next to another and would stand for a derivative, which rounding spoils. `z` are the integrals of the kernel at
    /// the rows. Fewer, or none, where no row lowers the variance.
    ///
    /// # Errors
    /// [`QuadratureError::Evaluation`].
    pub fn chosen(&self, x: &[Vec<f64>], z: &[Estimate], count: usize) -> Result<Vec<usize>, QuadratureError> {
        let (k, own) = self.process.beside(x)?;
        let half = self.process.factor.half_solve(&k);
        let mut left: Vec<f64> = own.iter().enumerate().map(|(j, own)| own - half.column(j).norm_squared()).collect();
        let mut shared: Vec<f64> = (0..own.len()).map(|j| z[j].value - k.column(j).dot(&self.weights)).collect();
        // the covariances with each chosen row, over its standard deviation
        let mut before: Vec<Vector> = Vec::new();
        let mut rows = Vec::new();
        while rows.len() < count {
            let gain = |j: usize| {
                let weight = shared[j] / left[j];
                // at a point that is known already both are rounding
                if left[j] > 1e-12 * own[j] && weight.abs() <= LARGEST_WEIGHT { shared[j] * weight } else { 0.0 }
            };
            let gains = (0..own.len()).map(|j| (j, gain(j)));
            let Some((best, gain)) = gains.max_by(|a, b| a.1.total_cmp(&b.1)) else { break };
            if !(gain > 0.0 && gain.is_finite()) {
                break;
            }
            rows.push(best);
            if rows.len() == count {
                break;
            }
            let mut covariance = self.process.covariances(x, best)? - half.tr_mul(&half.column(best));
            for one in &before {
                covariance -= one * one[best];
            }
            let root = left[best].sqrt();
            covariance /= root;
            let of_best = shared[best] / root;
            for (j, c) in covariance.iter().enumerate() {
                left[j] -= c * c;
                shared[j] -= c * of_best;
            }
            left[best] = 0.0;
            before.push(covariance);
        }
        Ok(rows)
    }

    /// The standard error of the ratio A/B of two integrals with these values, A of f ℓ and B of ℓ, as half the interval of
    /// Fieller (1954) at `quantile` standard deviations: the ratios E for which the integral of (f − E) ℓ may be 0. The scale
    /// of the process is that of (f − E ± δ) ℓ at the same E, where δ = `unseen` is by how much f may differ from E in places
    /// where ℓ is large and that have not been seen. `None` where the interval is not bounded, as the integral of ℓ may be 0
    /// itself.
    pub fn ratio_error(
        &self,
        (factor, unseen): (&[f64], f64),
        (normaliser, variance): (f64, f64),
        quantile: f64,
    ) -> Option<f64> {
        let (degrees, alpha) = (self.process.scale().1, &self.process.alpha);
        let factor = Vector::from_column_slice(factor);
        // of the deviation h = (f − Ê) ℓ, which is the value of the process
        let unit = quantile * quantile * variance / degrees;
        let mixed = unit * factor.dot(alpha);
        let of_factor = unit * factor.dot(&self.process.factor.solve(&factor));
        let of_deviation =
            unit * self.process.scale().0 * degrees + 2.0 * mixed.abs() * unseen + of_factor * unseen * unseen;
        let left = normaliser * normaliser - of_factor;
        if left.is_nan() || left <= 0.0 {
            return None;
        }
        // left · e² + 2 mixed · e − of_deviation = 0
        Some((mixed.abs() + (mixed * mixed + left * of_deviation).sqrt()) / left)
    }
}

#[cfg(test)]
mod tests {
    use super::super::density::{Density, Marginal};
    use super::super::parameters::product_kernel;
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
            let embedding = Embedding::new(&kernel, evaluations.names(), &density).unwrap();
            let found = Conditioned::new(&kernel, (noise, PriorMean::Given(0.0)), &embedding, &evaluations).unwrap();
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

    /// A Matérn 5/2 kernel of one input with these values, and a function at n points from 0 up to a bound.
    fn dense(n: usize, to: f64, (l, v): (f64, f64), f: fn(f64) -> f64) -> (Kernel, Evaluations) {
        let names = vec!["x".to_string()];
        let density = Density::product(vec![Marginal::normal(0.0, 1.0).unwrap()]).unwrap();
        let mut written = [l, v].into_iter();
        let kernel = product_kernel("Matern52", &names, &density)
            .unwrap()
            .map_params(&mut |_| crate::param::Param::fixed(written.next().unwrap()));
        let x: Vec<f64> = (0..n).map(|i| to * i as f64 / n as f64).collect();
        let y = x.iter().map(|x| f(*x)).collect();
        (kernel, Evaluations::new(names, vec![x], y).unwrap())
    }

    #[test]
    fn a_matrix_that_is_nearly_singular_gives_no_certain_falsehood() {
        let density = Density::product(vec![Marginal::normal(5.0, 3.0).unwrap()]).unwrap();
        let (kernel, evaluations) = dense(300, 5.0, (10.2993, 4.10985), f64::sin);
        let embedding = Embedding::new(&kernel, evaluations.names(), &density).unwrap();
        let found = Conditioned::new(&kernel, (0.0, PriorMean::Given(0.0)), &embedding, &evaluations).unwrap();
        let Moments { mean, variance } = found.integral();
        // in 80-bit arithmetic the mean is 0.55232, and the share that is left 0.0022008
        assert!((mean - 0.55232).abs() < 0.1 * variance.sqrt(), "{mean} ± {}", variance.sqrt());
        assert!((found.share_left() / 0.0022008 - 1.0).abs() < 0.02, "{}", found.share_left());
        assert!(found.rounding() < 0.1 * variance.sqrt() && found.process().jitter() > 0.0, "{}", found.rounding());
        // more points inside the same interval never leave more, but for rounding
        let density = Density::product(vec![Marginal::normal(0.5, 0.2).unwrap()]).unwrap();
        let mut before = 1.0;
        for n in [30, 100, 300, 500] {
            let (kernel, evaluations) = dense(n, 1.0, (2.0, 1.0), |x| (-x * x).exp());
            let embedding = Embedding::new(&kernel, evaluations.names(), &density).unwrap();
            let found = Conditioned::new(&kernel, (0.0, PriorMean::Given(0.0)), &embedding, &evaluations).unwrap();
            let share = found.share_left();
            assert!(share > 0.0 && share < 1.5 * before, "{n} points: {share} after {before}");
            before = share;
        }
    }

    #[test]
    fn several_are_chosen_as_one_after_another() {
        let density = Density::product(vec![Marginal::normal(0.5, 1.0).unwrap()]).unwrap();
        let (kernel, mut evaluations) = dense(4, 2.0, (0.7, 1.0), f64::sin);
        let embedding = Embedding::new(&kernel, evaluations.names(), &density).unwrap();
        let rows = vec![(0..60).map(|i| -2.0 + 5.0 * f64::from(i) / 59.0).collect::<Vec<f64>>()];
        let z = embedding.means(&rows).unwrap();
        let at = |evaluations: &Evaluations| {
            Conditioned::new(&kernel, (0.0, PriorMean::Given(0.0)), &embedding, evaluations).unwrap()
        };
        let together = at(&evaluations).chosen(&rows, &z, 6).unwrap();
        for next in together {
            assert_eq!(at(&evaluations).chosen(&rows, &z, 1).unwrap(), [next]);
            evaluations.push(&[rows[0][next]], 0.0).unwrap();
        }
    }

    #[test]
    fn the_interval_of_a_ratio_is_where_its_deviation_may_integrate_to_zero() {
        let density = Density::product(vec![Marginal::normal(0.0, 1.0).unwrap()]).unwrap();
        let (kernel, points) = dense(7, 2.0, (1.0, 1.0), |x| x);
        let factor: Vec<f64> = points.x()[0].iter().map(|x| (-(x - 0.5).powi(2)).exp()).collect();
        let embedding = Embedding::new(&kernel, points.names(), &density).unwrap();
        let of = |e: f64| {
            let y = points.y().iter().zip(&factor).map(|(f, l)| (f - e) * l).collect();
            let values = points.with_values(y);
            Conditioned::new(&kernel, (0.0, PriorMean::Given(0.0)), &embedding, &values).unwrap()
        };
        let (zero, one) = (of(0.0), of(1.0));
        let normaliser = zero.mean_of(&factor);
        let expectation = zero.integral().mean / normaliser;
        assert!((zero.integral().mean - one.integral().mean - normaliser).abs() < 1e-12);
        let quantile = 0.5;
        let variance = zero.integral().variance;
        let half = of(expectation).ratio_error((&factor, 0.0), (normaliser, variance), quantile).unwrap();
        // at one of the ends the integral is this many standard deviations from 0
        let away = |e: f64| (of(e).integral().mean / (variance * of(e).process().scale().0).sqrt()).abs();
        let ends = [away(expectation - half), away(expectation + half)];
        let nearest = ends.iter().map(|at| (at - quantile).abs()).fold(f64::INFINITY, f64::min);
        assert!(nearest < 1e-9, "{ends:?}");
        // a normaliser that is not known to be positive gives no interval
        assert_eq!(of(expectation).ratio_error((&factor, 0.0), (1e-9, variance), quantile), None);
    }
}
