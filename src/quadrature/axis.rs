//! Integrals of a product of factors of a single input.
//!
//! Squared-exponential factors are combined: exp(−τ(x − x′)²/2), where τ is the sum of 1/l². Against a normal density
//! the result is a normal density, and polynomial factors are integrated exactly by a Gauss rule; against a uniform
//! density it is an error function. A Matérn kernel against a uniform density has an antiderivative. All other products
//! are integrated over panels, which are halved until the sum converges; the last change is the reported error.

use spec_math::cephes64::erf;

use super::density::Marginal;
use super::error::QuadratureError;
use super::estimate::{Estimate, refined};
use super::group::Group;
use super::rules::Rule;

/// A polynomial factor Σₘ aₘ ((x − c)(x′ − c))ᵐ.
#[derive(Debug, Clone, PartialEq)]
pub struct Polynomial {
    pub c: f64,
    pub a: Vec<f64>,
}

impl Polynomial {
    fn at(&self, x: f64, other: f64) -> f64 {
        polynomial(&self.a, (x - self.c) * (other - self.c))
    }

    fn degree(&self) -> usize {
        self.a.len().saturating_sub(1)
    }
}

/// (Σₘ aₘ sᵐ) e⁻ˢ with s = rate·|x − x′|.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Matern {
    pub rate: f64,
    pub a: &'static [f64],
}

/// The factors of a product that depend on one input.
#[derive(Debug, Default)]
pub struct Axis {
    /// The sum of 1/l² over the squared-exponential factors.
    pub precision: f64,
    pub polynomials: Vec<Polynomial>,
    pub matern: Vec<Matern>,
    /// All factors as one kernel, if there are others than those above.
    pub general: Option<Group>,
}

/// The numbers of panels, in turn.
const PANELS: [usize; 8] = [2, 4, 8, 16, 32, 64, 128, 256];
/// The relative change, compared with the largest sum, at which sums have converged.
const EQUAL: f64 = 1e-12;

impl Axis {
    fn is_squared_exponential(&self) -> bool {
        self.matern.is_empty() && self.general.is_none()
    }

    fn polynomial(&self, x: f64, other: f64) -> f64 {
        self.polynomials.iter().map(|p| p.at(x, other)).product()
    }

    fn degree(&self) -> usize {
        self.polynomials.iter().map(Polynomial::degree).sum()
    }

    /// The Matérn factor, if there is no other factor.
    fn lone_matern(&self) -> Option<Matern> {
        let alone = self.precision == 0.0 && self.polynomials.is_empty() && self.general.is_none();
        match self.matern[..] {
            [one] if alone => Some(one),
            _ => None,
        }
    }

    /// Whether the product may not be smooth at x = x′.
    fn has_corner(&self) -> bool {
        !self.matern.is_empty() || self.general.as_ref().is_some_and(Group::has_corner)
    }

    /// k(x, x′) for one x and several x′.
    fn row(&self, x: f64, others: &[f64]) -> Result<Vec<f64>, QuadratureError> {
        if let Some(general) = &self.general {
            let k = general.cross(&[vec![x]], &[others.to_vec()])?;
            return Ok(k.iter().copied().collect());
        }
        let one = |other: &f64| {
            let d = (x - other).abs();
            let smooth = (-0.5 * self.precision * d * d).exp() * self.polynomial(x, *other);
            self.matern.iter().fold(smooth, |k, m| {
                let s = m.rate * d;
                k * polynomial(m.a, s) * (-s).exp()
            })
        };
        Ok(others.iter().map(one).collect())
    }

    /// ∫ k(x, x′) p(x′) dx′ for each x.
    ///
    /// # Errors
    /// [`QuadratureError::Evaluation`].
    pub fn means(&self, xs: &[f64], p: &Marginal) -> Result<Vec<Estimate>, QuadratureError> {
        if self.is_squared_exponential() {
            match *p {
                Marginal::Normal { mean, sd } => {
                    return Ok(xs.iter().map(|x| Estimate::exact(self.normal_mean(*x, mean, sd))).collect());
                }
                Marginal::Uniform { lo, hi } if self.degree() == 0 => {
                    let scale = self.polynomial(0.0, 0.0);
                    let one = |x: &f64| Estimate::exact(scale * uniform_mean(self.precision, *x, lo, hi));
                    return Ok(xs.iter().map(one).collect());
                }
                Marginal::Uniform { .. } if self.precision == 0.0 => {
                    let rule = Rule::gauss(p, self.degree() / 2 + 1);
                    let one = |x: &f64| Estimate::exact(rule.sum(|other| self.polynomial(*x, other)));
                    return Ok(xs.iter().map(one).collect());
                }
                Marginal::Uniform { .. } => {}
            }
        }
        if let (Some(matern), Marginal::Uniform { lo, hi }) = (self.lone_matern(), *p) {
            let one = |x: &f64| {
                let sum = matern.integral(hi - x) - matern.integral(lo - x);
                Estimate::exact(sum / (hi - lo))
            };
            return Ok(xs.iter().map(one).collect());
        }
        self.summed(xs, p)
    }

    fn summed(&self, xs: &[f64], p: &Marginal) -> Result<Vec<Estimate>, QuadratureError> {
        refined(PANELS, EQUAL, |panels| {
            let shared = (!self.has_corner()).then(|| Rule::under(p, &[], panels));
            let one = |x: &f64| {
                let own;
                let rule = match &shared {
                    Some(rule) => rule,
                    None => {
                        own = Rule::under(p, &[*x], panels);
                        &own
                    }
                };
                let k = self.row(*x, &rule.at)?;
                Ok(k.iter().zip(&rule.weights).map(|(k, w)| k * w).sum::<f64>())
            };
            xs.iter().map(one).collect()
        })
    }

    /// ∬ k(x, x′) p(x) q(x′) dx dx′.
    ///
    /// # Errors
    /// As [`means`](Self::means).
    pub fn variance(&self, p: &Marginal, q: &Marginal) -> Result<Estimate, QuadratureError> {
        if self.is_squared_exponential() {
            match (*p, *q) {
                (Marginal::Normal { mean, sd }, Marginal::Normal { mean: other, sd: other_sd }) => {
                    return Ok(Estimate::exact(self.normal_variance(mean, sd, other, other_sd)));
                }
                (Marginal::Uniform { .. }, Marginal::Uniform { .. }) if self.precision == 0.0 => {
                    let n = self.degree() / 2 + 1;
                    let (outer, inner) = (Rule::gauss(p, n), Rule::gauss(q, n));
                    return Ok(Estimate::exact(outer.sum(|x| inner.sum(|other| self.polynomial(x, other)))));
                }
                (Marginal::Uniform { lo, hi }, Marginal::Uniform { .. }) if p == q && self.degree() == 0 => {
                    let scale = self.polynomial(0.0, 0.0);
                    return Ok(Estimate::exact(scale * uniform_variance(self.precision, hi - lo)));
                }
                _ => {}
            }
        }
        if let (Some(matern), Marginal::Uniform { lo, hi }) = (self.lone_matern(), *p)
            && p == q
        {
            let width = hi - lo;
            return Ok(Estimate::exact(2.0 * matern.second_integral(width) / (width * width)));
        }
        // the error of the inner sums is added
        let mut within = 0.0;
        let (lo, hi) = q.range();
        let found = refined(PANELS[..6].iter().copied(), EQUAL, |panels| {
            let rule = Rule::under(p, &[lo, hi], panels);
            let inner = self.means(&rule.at, q)?;
            within = inner.iter().zip(&rule.weights).map(|(z, w)| z.error * w).sum::<f64>();
            Ok(vec![inner.iter().zip(&rule.weights).map(|(z, w)| z.value * w).sum::<f64>()])
        })?;
        Ok(Estimate { error: found[0].error + within, ..found[0] })
    }

    /// For N(mean, sd²): exp(−r (x − mean)²/2), r = τ/(1 + τ sd²), times the expectation of the polynomial.
    fn normal_mean(&self, x: f64, mean: f64, sd: f64) -> f64 {
        let r = self.precision / (1.0 + self.precision * sd * sd);
        (-0.5 * r * (x - mean) * (x - mean)).exp() * self.normal_polynomial(x, mean, sd)
    }

    /// The product of exp(−τ(x − x′)²/2) and N(x′; mean, sd²) is proportional to a normal density. Returns the
    /// expectation of the polynomial under it, times the factor that does not depend on x.
    fn normal_polynomial(&self, x: f64, mean: f64, sd: f64) -> f64 {
        let (t, s2) = (self.precision, sd * sd);
        let shrink = 1.0 / (1.0 + t * s2);
        let expectation = match self.degree() {
            0 => self.polynomial(0.0, 0.0),
            degree => {
                let between = Marginal::Normal { mean: mean + t * s2 * shrink * (x - mean), sd: sd * shrink.sqrt() };
                Rule::gauss(&between, degree / 2 + 1).sum(|other| self.polynomial(x, other))
            }
        };
        shrink.sqrt() * expectation
    }

    /// For N(m, s²) in x and N(m2, s2²) in x′: the outer integral is also that of a polynomial under a normal density.
    fn normal_variance(&self, m: f64, s: f64, m2: f64, s2: f64) -> f64 {
        let r = self.precision / (1.0 + self.precision * s2 * s2);
        let shrink = 1.0 / (1.0 + r * s * s);
        let size = shrink.sqrt() * (-0.5 * r * shrink * (m - m2) * (m - m2)).exp();
        let between = Marginal::Normal { mean: m + r * s * s * shrink * (m2 - m), sd: s * shrink.sqrt() };
        match self.degree() {
            0 => size * self.normal_polynomial(m2, m2, s2),
            degree => size * Rule::gauss(&between, degree + 1).sum(|x| self.normal_polynomial(x, m2, s2)),
        }
    }
}

/// Σₘ aₘ uᵐ, by Horner's rule.
fn polynomial(a: &[f64], u: f64) -> f64 {
    a.iter().rev().fold(0.0, |sum, a| sum * u + a)
}

/// The mean of exp(−τ(x − x′)²/2) over x′, uniform between `lo` and `hi`.
fn uniform_mean(precision: f64, x: f64, lo: f64, hi: f64) -> f64 {
    if precision == 0.0 {
        return 1.0;
    }
    let root = (0.5 * precision).sqrt();
    let half = std::f64::consts::PI.sqrt() / (2.0 * root);
    half * (erf(root * (hi - x)) - erf(root * (lo - x))) / (hi - lo)
}

/// The mean of exp(−τ(x − x′)²/2) over x and x′, both uniform on an interval of this width.
fn uniform_variance(precision: f64, width: f64) -> f64 {
    if precision == 0.0 {
        return 1.0;
    }
    let u = (0.5 * precision).sqrt() * width;
    // 2/w² ∫ (w − t) exp(−τt²/2) dt
    (std::f64::consts::PI.sqrt() * u * erf(u) + (-u * u).exp_m1()) / (u * u)
}

impl Matern {
    /// ∫₀ᵗ of the kernel, an odd function of t.
    fn integral(&self, t: f64) -> f64 {
        let s = self.rate * t.abs();
        // ∫₀ˢ uᵐ e⁻ᵘ du = m!·P(m + 1, s)
        let sum: f64 = self.a.iter().enumerate().map(|(m, a)| a * lower_gamma(m, s)).sum();
        t.signum() * sum / self.rate
    }

    /// ∫₀ʷ (w − t) k(t) dt.
    fn second_integral(&self, width: f64) -> f64 {
        let s = self.rate * width;
        let one = |(m, a): (usize, &f64)| a * (s * lower_gamma(m, s) - lower_gamma(m + 1, s));
        self.a.iter().enumerate().map(one).sum::<f64>() / (self.rate * self.rate)
    }
}

/// ∫₀ˢ uᵐ e⁻ᵘ du.
fn lower_gamma(m: usize, s: f64) -> f64 {
    match s > 0.0 {
        true => statrs::function::gamma::gamma_lr(m as f64 + 1.0, s) * statrs::function::factorial::factorial(m as u64),
        false => 0.0,
    }
}
