//! What a quadrature has evaluated: an integrand, or a function and the factor of the density that it is averaged under.
//!
//! The expectation of f under the density proportional to ℓ(x) p(x) is E = ∫ f ℓ p / ∫ ℓ p (Duvenaud 2014, A.9). For the true
//! E the integral of (f − E) ℓ is 0. So a Gaussian process stands for h = (f − E) ℓ, and E is where the mean of the integral
//! of h is 0: a ratio of two sums with the same weights K⁻¹z. What is uncertain of ∫ h p, over the mean of ∫ ℓ p, is what is
//! uncertain of E.

use super::conditioned::Conditioned;
use super::embedding::Embedding;
use super::error::QuadratureError;
use super::evaluations::{Evaluations, all_equal};
use super::process::PriorMean;
use super::warp::Warp;
use crate::kernel::Kernel;

/// The sizes of integrands whose squares, divided by those of other integrands, are numbers of full precision.
const SMALLEST: f64 = 1e-100;
const LARGEST: f64 = 1e100;

/// The factor of an unnormalised density at the evaluated points, and the ratio of integrals that it makes.
#[derive(Debug, Clone, PartialEq)]
pub struct Ratio {
    /// ℓ at each point.
    pub factor: Vec<f64>,
    /// E, as it is known at present; not a number before it is known.
    pub expectation: f64,
    /// The mean of ∫ ℓ p.
    pub normaliser: f64,
}

impl Ratio {
    /// The factor at the evaluated points, in their order.
    pub fn new(factor: Vec<f64>) -> Self {
        Self { factor, expectation: f64::NAN, normaliser: f64::NAN }
    }

    /// The largest factor. The process stands for (f − E) ℓ in units of it, as the size of ℓ has no meaning.
    pub fn unit(&self) -> f64 {
        let largest = self.factor.iter().copied().fold(0.0, f64::max);
        if largest > 0.0 { largest } else { 1.0 }
    }

    /// The factor divided by its largest value.
    pub fn in_units(&self) -> Vec<f64> {
        let unit = self.unit();
        self.factor.iter().map(|l| l / unit).collect()
    }
}

/// Evaluated points, with a factor at each where an expectation is wanted.
#[derive(Debug, Clone, PartialEq)]
pub struct Sampled {
    pub evaluations: Evaluations,
    pub ratio: Option<Ratio>,
}

impl Sampled {
    /// Checks that every factor is finite and not negative.
    ///
    /// # Errors
    /// [`QuadratureError::Factor`] names the first point where it is not; [`QuadratureError::FactorCount`].
    pub fn new(evaluations: Evaluations, factor: Option<Vec<f64>>) -> Result<Self, QuadratureError> {
        let Some(factor) = factor else { return Ok(Self { evaluations, ratio: None }) };
        if factor.len() != evaluations.n() {
            return Err(QuadratureError::FactorCount { factors: factor.len(), points: evaluations.n() });
        }
        for (i, value) in factor.iter().enumerate() {
            check(*value, || evaluations.place(&evaluations.row(i)))?;
        }
        Ok(Self { evaluations, ratio: Some(Ratio::new(factor)) })
    }

    /// One more point.
    ///
    /// # Errors
    /// [`QuadratureError::NotFinite`] and [`QuadratureError::Factor`].
    pub fn push(&mut self, row: &[f64], value: f64, factor: f64) -> Result<(), QuadratureError> {
        if let Some(ratio) = &mut self.ratio {
            check(factor, || self.evaluations.place(row))?;
            self.evaluations.push(row, value)?;
            ratio.factor.push(factor);
            return Ok(());
        }
        self.evaluations.push(row, value)
    }

    /// What the process stands for: the evaluations on its scale, or h.
    ///
    /// # Errors
    /// [`QuadratureError::NotPositive`].
    pub fn modelled(&self, warp: Warp) -> Result<Evaluations, QuadratureError> {
        let Some(ratio) = &self.ratio else { return warp.apply(&self.evaluations) };
        let factor = ratio.in_units();
        let pairs = self.evaluations.y().iter().zip(&factor);
        Ok(self.evaluations.with_values(pairs.map(|(f, l)| (f - ratio.expectation) * l).collect()))
    }

    /// The factor at the points, where there is one and E is not known.
    pub fn unsettled(&self) -> Option<Evaluations> {
        let ratio = self.ratio.as_ref().filter(|ratio| ratio.expectation.is_nan())?;
        Some(self.evaluations.with_values(ratio.in_units()))
    }

    /// Whether the values, and those of the factor, are each the same everywhere or the factor is 0.
    pub fn are_constant(&self) -> bool {
        match &self.ratio {
            None => self.evaluations.are_constant(),
            Some(ratio) => self.has_no_mass() || (self.evaluations.are_constant() && all_equal(&ratio.factor)),
        }
    }

    /// The value of an integrand that is the same at all points.
    pub fn constant(&self) -> Option<f64> {
        let values = &self.evaluations;
        values.y().first().copied().filter(|_| self.ratio.is_none() && values.are_constant())
    }

    /// What the parameters of the kernel are fitted to. For an expectation this is (f − E − δ) ℓ where δ is the standard
    /// deviation of the values of f: it has the roughness of f ℓ and of ℓ. At E itself the deviation is about 0 wherever a
    /// few points have most of the factor, which would hide how narrow it is. It is the factor where f is constant.
    ///
    /// # Errors
    /// As [`modelled`](Self::modelled).
    pub fn fitted_to(&self, warp: Warp) -> Result<Evaluations, QuadratureError> {
        let Some(ratio) = &self.ratio else { return self.modelled(warp) };
        let (y, factor) = (self.evaluations.y(), ratio.in_units());
        let spread = spread(y, &vec![1.0; y.len()]);
        let size = |values: &mut dyn Iterator<Item = f64>| values.fold(0.0f64, |size, y| size.max(y.abs()));
        let weighted = size(&mut y.iter().zip(&factor).map(|(f, l)| f * l));
        let apart: Vec<f64> = y.iter().zip(&factor).map(|(f, l)| (f - ratio.expectation - spread) * l).collect();
        match size(&mut apart.iter().copied()) > 1e-12 * weighted {
            true => Ok(self.evaluations.with_values(apart)),
            false => Ok(self.evaluations.with_values(factor)),
        }
    }

    /// By how much the function of an expectation may differ from it in places where the factor is large and that have not
    /// been seen: δ² = d²/(m − 1) + D²/m³, at most D². The factor belongs to m = (Σℓ)²/Σℓ² points, over which the function has
    /// the standard deviation d; over all points it is D. With one point that has all of the factor nothing is known of how
    /// the function changes where the factor is large, with many it is seen.
    pub fn unseen(&self) -> f64 {
        let Some(ratio) = &self.ratio else { return 0.0 };
        let (y, factor) = (self.evaluations.y(), ratio.in_units());
        let squares: f64 = factor.iter().map(|l| l * l).sum();
        let m = factor.iter().sum::<f64>().powi(2) / squares;
        let (near, all) = (spread(y, &factor), spread(y, &vec![1.0; y.len()]));
        if m > 1.0 { (near / (m - 1.0).sqrt()).hypot(all * m.powf(-1.5)).min(all) } else { all }
    }

    /// E and the mean of ∫ ℓ p under a kernel. Where that mean is not positive, E is the plain weighted mean.
    ///
    /// # Errors
    /// [`QuadratureError`].
    pub fn settle(&mut self, kernel: &Kernel, embedding: &Embedding, mean: PriorMean) -> Result<(), QuadratureError> {
        let Some(ratio) = &mut self.ratio else { return Ok(()) };
        let (factor, unit) = (ratio.in_units(), ratio.unit());
        let weighted: Vec<f64> = self.evaluations.y().iter().zip(&factor).map(|(f, l)| f * l).collect();
        let plain = weighted.iter().sum::<f64>() / factor.iter().sum::<f64>();
        let values = self.evaluations.with_values(weighted);
        let conditioned = Conditioned::new(kernel, (0.0, mean), embedding, &values)?;
        let (above, below) = (conditioned.integral().mean, conditioned.mean_of(&factor));
        ratio.normaliser = below * unit;
        ratio.expectation = if below > 0.0 { above / below } else { plain };
        Ok(())
    }

    /// Refuses values whose squares, of which the variances of the process are made, are not numbers.
    ///
    /// # Errors
    /// [`QuadratureError::Size`].
    pub fn check_size(&self, warp: Warp) -> Result<(), QuadratureError> {
        let y = self.evaluations.y();
        let size = match &self.ratio {
            None => y.iter().fold(0.0f64, |size, y| size.max(y.abs())),
            Some(ratio) => y.iter().zip(ratio.in_units()).fold(0.0f64, |size, (y, l)| size.max((y * l).abs())),
        };
        match warp == Warp::Log || size == 0.0 || (SMALLEST..=LARGEST).contains(&size) {
            true => Ok(()),
            false => Err(QuadratureError::Size(size)),
        }
    }

    /// Whether the factor is 0 wherever it is known.
    pub fn has_no_mass(&self) -> bool {
        self.ratio.as_ref().is_some_and(|ratio| ratio.factor.iter().all(|l| *l == 0.0))
    }
}

/// The standard deviation of values with weights.
fn spread(values: &[f64], weights: &[f64]) -> f64 {
    let total: f64 = weights.iter().sum();
    let mean = values.iter().zip(weights).map(|(y, w)| y * w).sum::<f64>() / total;
    (values.iter().zip(weights).map(|(y, w)| w * (y - mean).powi(2)).sum::<f64>() / total).sqrt()
}

fn check(factor: f64, at: impl Fn() -> String) -> Result<(), QuadratureError> {
    match factor >= 0.0 && factor.is_finite() {
        true => Ok(()),
        false => Err(QuadratureError::Factor { value: factor, at: at() }),
    }
}
