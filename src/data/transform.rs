//! Invertible functions of one column, and moments of a Gaussian under their inverse.

use super::fitted_transforms::{Warp, box_cox, inverse_box_cox};
use serde::{Deserialize, Serialize};
use statrs::distribution::{ContinuousCDF, Normal};
use statrs::function::erf::erfc;

/// A function of one column with an inverse. All are increasing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Transform {
    Log,
    Log10,
    /// log(1 + v).
    Log1p,
    Sqrt,
    /// log(v / (1 − v)), for shares.
    Logit,
    Exp,
    /// (v − shift) / scale, with a positive scale.
    Affine {
        shift: f64,
        scale: f64,
    },
    /// (v^λ − 1) / λ, for positive v; λ at least 0.
    BoxCox {
        lambda: f64,
    },
    /// Approximate normal scores, piecewise linear.
    Warped(Warp),
}

/// The functions with a name.
pub const FUNCTIONS: [Transform; 6] =
    [Transform::Log, Transform::Log10, Transform::Log1p, Transform::Sqrt, Transform::Logit, Transform::Exp];

impl Transform {
    /// The function of this name: `log`, `log10`, `log1p`, `sqrt`, `logit` or `exp`.
    pub fn named(name: &str) -> Option<Self> {
        FUNCTIONS.into_iter().find(|f| f.name() == name)
    }

    /// The name in the language.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Log => "log",
            Self::Log10 => "log10",
            Self::Log1p => "log1p",
            Self::Sqrt => "sqrt",
            Self::Logit => "logit",
            Self::Exp => "exp",
            Self::Affine { .. } => "standardize",
            Self::BoxCox { .. } => "boxcox",
            Self::Warped(_) => "warped",
        }
    }

    /// Whether the transform of a Gaussian is a Gaussian.
    pub fn is_affine(&self) -> bool {
        matches!(self, Self::Affine { .. })
    }

    /// Its domain, in words.
    pub fn domain(&self) -> &'static str {
        match self {
            Self::Log | Self::Log10 | Self::BoxCox { .. } => "a positive number",
            Self::Log1p => "a number above -1",
            Self::Sqrt => "a number of at least 0",
            Self::Logit => "a number between 0 and 1",
            Self::Exp => "a number below 709",
            Self::Affine { .. } | Self::Warped(_) => "a number",
        }
    }

    /// The value of the function; `None` outside its domain. A missing value (NaN) stays missing.
    pub fn forward(&self, v: f64) -> Option<f64> {
        let inside = match self {
            Self::Log | Self::Log10 | Self::BoxCox { .. } => v > 0.0,
            Self::Log1p => v > -1.0,
            Self::Sqrt => v >= 0.0,
            Self::Logit => v > 0.0 && v < 1.0,
            Self::Exp => v < 709.0,
            Self::Affine { .. } | Self::Warped(_) => true,
        };
        (inside || v.is_nan()).then(|| match self {
            Self::Log => v.ln(),
            Self::Log10 => v.log10(),
            Self::Log1p => v.ln_1p(),
            Self::Sqrt => v.sqrt(),
            Self::Logit => v.ln() - (-v).ln_1p(),
            Self::Exp => v.exp(),
            Self::Affine { shift, scale } => (v - shift) / scale,
            Self::BoxCox { lambda } => box_cox(v, *lambda),
            Self::Warped(warp) => warp.forward(v),
        })
    }

    /// The inverse at `z`. For `sqrt` this is z², also for negative z, which a Gaussian can take; for `boxcox` it is 0
    /// below the range, that is, below −1/λ.
    pub fn inverse(&self, z: f64) -> f64 {
        match self {
            Self::Log => z.exp(),
            Self::Log10 => 10f64.powf(z),
            Self::Log1p => z.exp_m1(),
            Self::Sqrt => z * z,
            Self::Logit => 1.0 / (1.0 + (-z).exp()),
            Self::Exp => z.ln(),
            Self::Affine { shift, scale } => z * scale + shift,
            Self::BoxCox { lambda } => inverse_box_cox(z, *lambda),
            Self::Warped(warp) => warp.inverse(z),
        }
    }

    /// log |g′(v)|, which converts the density of g(v) to that of v. Infinite for `sqrt` at 0.
    pub fn log_slope(&self, v: f64) -> f64 {
        match self {
            Self::Log => -v.ln(),
            Self::Log10 => -v.ln() - std::f64::consts::LN_10.ln(),
            Self::Log1p => -v.ln_1p(),
            Self::Sqrt => -std::f64::consts::LN_2 - 0.5 * v.ln(),
            Self::Logit => -v.ln() - (-v).ln_1p(),
            Self::Exp => v,
            Self::Affine { scale, .. } => -scale.ln(),
            Self::BoxCox { lambda } => (lambda - 1.0) * v.ln(),
            Self::Warped(warp) => warp.log_slope(v),
        }
    }

    /// Mean and standard deviation of g⁻¹(z) for a Gaussian z.
    ///
    /// Exact for all but `logit` and `boxcox`, which are computed by quadrature, to 1e-12 if nothing is truncated. NaN
    /// for `exp`, which cannot transform a target.
    fn moments(&self, mean: f64, sd: f64) -> (f64, f64) {
        match self {
            Self::Log => lognormal(mean, sd),
            Self::Log10 => lognormal(mean * std::f64::consts::LN_10, sd * std::f64::consts::LN_10),
            Self::Log1p => {
                let (m, s) = lognormal(mean, sd);
                (m - 1.0, s)
            }
            Self::Sqrt => (mean * mean + sd * sd, sd * (2.0 * sd * sd + 4.0 * mean * mean).sqrt()),
            Self::Logit => gaussian_average(mean, sd, |z| self.inverse(z)),
            Self::Exp => (f64::NAN, f64::NAN),
            Self::Affine { shift, scale } => (mean * scale + shift, sd * scale),
            Self::BoxCox { lambda } if *lambda == 0.0 => lognormal(mean, sd),
            Self::BoxCox { .. } => gaussian_average(mean, sd, |z| self.inverse(z)),
            Self::Warped(warp) => warp.moments(mean, sd),
        }
    }

    /// The quantile of g⁻¹(z) at `p`, for a Gaussian z.
    fn quantile(&self, mean: f64, sd: f64, p: f64) -> f64 {
        match self {
            Self::Sqrt => folded(mean, sd, p).powi(2),
            _ => self.inverse(mean + sd * standard_quantile(p)),
        }
    }
}

fn lognormal(mean: f64, sd: f64) -> (f64, f64) {
    let m = (mean + 0.5 * sd * sd).exp();
    (m, m * (sd * sd).exp_m1().sqrt())
}

/// Mean and standard deviation of f(z) for a normal z, by the trapezoidal rule, which converges geometrically for
/// smooth functions.
pub(crate) fn gaussian_average(mean: f64, sd: f64, f: impl Fn(f64) -> f64) -> (f64, f64) {
    if sd == 0.0 {
        return (f(mean), 0.0);
    }
    const HALF: i32 = 400;
    const STEP: f64 = 9.0 / HALF as f64;
    let nodes = || (-HALF..=HALF).map(|i| f64::from(i) * STEP).map(|u| ((-0.5 * u * u).exp(), f(mean + sd * u)));
    let weight: f64 = nodes().map(|(w, _)| w).sum();
    let m = nodes().map(|(w, v)| w * v).sum::<f64>() / weight;
    let var = nodes().map(|(w, v)| w * (v - m) * (v - m)).sum::<f64>() / weight;
    (m, var.sqrt())
}

/// The z with Φ(z) = p.
pub(crate) fn standard_quantile(p: f64) -> f64 {
    Normal::standard().inverse_cdf(p.clamp(0.0, 1.0))
}

/// The r with P(|z| ≤ r) = p.
fn folded(mean: f64, sd: f64, p: f64) -> f64 {
    let mean = mean.abs();
    // Far from 0 the folded distribution equals the normal one.
    if mean > 9.0 * sd {
        return mean + sd * standard_quantile(p);
    }
    let above = |r: f64| {
        let tail = |u: f64| 0.5 * erfc(u / std::f64::consts::SQRT_2);
        tail((r - mean) / sd) + tail((r + mean) / sd)
    };
    let (mut lo, mut hi) = (0.0, mean + sd * standard_quantile(0.5 + 0.5 * p));
    for _ in 0..80 {
        let r = 0.5 * (lo + hi);
        if above(r) > 1.0 - p { lo = r } else { hi = r }
    }
    0.5 * (lo + hi)
}

/// The transforms of a target in the order of application; at most one of them is not affine.
///
/// It converts a Gaussian for g(y) to moments and quantiles of y.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TargetMap(pub(super) Vec<Transform>);

impl TargetMap {
    /// Whether the scale of the model is that of the data.
    pub fn is_identity(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether predictions are Gaussian on the scale of the data.
    pub fn is_affine(&self) -> bool {
        self.0.iter().all(|t| t.is_affine())
    }

    /// The transforms in order.
    pub fn transforms(&self) -> &[Transform] {
        &self.0
    }

    /// g(y); `None` outside the domain of a transform.
    pub fn forward(&self, y: f64) -> Option<f64> {
        self.0.iter().try_fold(y, |v, t| t.forward(v))
    }

    /// The inverse at `z`.
    pub fn inverse(&self, z: f64) -> f64 {
        self.0.iter().rev().fold(z, |v, t| t.inverse(v))
    }

    /// log |g′(y)|; the log density of y is that of g(y) plus this.
    pub fn log_slope(&self, y: f64) -> f64 {
        let mut v = y;
        let mut sum = 0.0;
        for t in &self.0 {
            sum += t.log_slope(v);
            v = t.forward(v).unwrap_or(f64::NAN);
        }
        sum
    }

    /// Mean and standard deviation of y if g(y) is Gaussian.
    pub fn moments(&self, mean: f64, sd: f64) -> (f64, f64) {
        self.0.iter().rev().fold((mean, sd), |(m, s), t| t.moments(m, s))
    }

    /// The quantile of y at `p` if g(y) is Gaussian.
    pub fn quantile(&self, mean: f64, sd: f64, p: f64) -> f64 {
        let (mut m, mut s) = (mean, sd);
        let mut stages = self.0.iter().rev();
        for t in stages.by_ref() {
            if !t.is_affine() {
                return stages.fold(t.quantile(m, s, p), |v, t| t.inverse(v));
            }
            (m, s) = t.moments(m, s);
        }
        m + s * standard_quantile(p)
    }

    /// The probability that y is below a value if g(y) is Gaussian.
    pub fn probability_below(&self, mean: f64, sd: f64, y: f64) -> f64 {
        let curved = self.0.iter().position(|t| !t.is_affine()).unwrap_or(0);
        let (before, rest) = self.0.split_at(curved);
        let (curve, after) = match rest.split_first() {
            Some((curve, after)) if !curve.is_affine() => (Some(curve), after),
            _ => (None, rest),
        };
        let (m, s) = after.iter().rev().fold((mean, sd), |(m, s), t| t.moments(m, s));
        let Some(v) = before.iter().chain(curve).try_fold(y, |v, t| t.forward(v)) else { return 0.0 };
        let below = |v: f64| 0.5 * erfc((m - v) / (s * std::f64::consts::SQRT_2));
        match curve {
            // y = z² is below v² for z between −v and v
            Some(Transform::Sqrt) => below(v) - below(-v),
            _ => below(v),
        }
    }

    /// The unit on the scale of the model, such as `log(ppm)`; `None` for an unstandardized target without a unit.
    pub fn unit(&self, unit: Option<&str>) -> Option<String> {
        self.0.iter().fold(unit.map(Into::into), |unit, t| t.unit(unit.as_deref()))
    }
}

impl Transform {
    /// The unit of the transform of a column with this unit.
    pub fn unit(&self, unit: Option<&str>) -> Option<String> {
        match self {
            Self::Affine { .. } => Some("sd".into()),
            _ => unit.map(|unit| format!("{}({unit})", self.name())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STANDARD: Transform = Transform::Affine { shift: 3.0, scale: 0.5 };

    fn close(a: f64, b: f64, tolerance: f64) {
        assert!((a - b).abs() <= tolerance * b.abs().max(1.0), "{a} is not {b}");
    }

    #[test]
    fn each_inverts_and_has_the_slope_of_its_differences() {
        let powers = [0.0, 0.4, 2.0].map(|lambda| Transform::BoxCox { lambda });
        for t in FUNCTIONS.into_iter().chain([STANDARD]).chain(powers) {
            for v in [0.05, 0.3, 0.7] {
                let z = t.forward(v).unwrap();
                close(t.inverse(z), v, 1e-12);
                let h = 1e-6;
                let slope = (t.forward(v + h).unwrap() - t.forward(v - h).unwrap()) / (2.0 * h);
                close(t.log_slope(v), slope.ln(), 1e-6);
            }
            assert!(t.forward(f64::NAN).unwrap().is_nan());
        }
        for t in FUNCTIONS {
            assert_eq!(Transform::named(t.name()), Some(t));
        }
    }

    #[test]
    fn outside_the_domain_there_is_no_value() {
        assert_eq!(Transform::Log.forward(0.0), None);
        assert_eq!(Transform::Log1p.forward(-1.0), None);
        assert_eq!(Transform::Sqrt.forward(-0.1), None);
        assert_eq!(Transform::Logit.forward(1.0), None);
        assert_eq!(Transform::Exp.forward(1e3), None);
    }

    /// Compares moments and quantiles of a chain with sums over a fine grid of the Gaussian.
    #[test]
    fn moments_and_quantiles_agree_with_sums() {
        let power = Transform::BoxCox { lambda: 0.3 };
        for t in
            [Transform::Log, Transform::Log10, Transform::Log1p, Transform::Sqrt, Transform::Logit, STANDARD, power]
        {
            for (mean, sd) in [(0.4, 0.3), (-0.2, 0.5), (2.0, 0.1)] {
                let (m, s) = t.moments(mean, sd);
                let (m2, s2) = gaussian_average(mean, sd, |z| t.inverse(z));
                close(m, m2, 1e-9);
                close(s, s2, 1e-8);
                let grid = (-4000..=4000).map(|i| f64::from(i) * 2e-3);
                for p in [0.025, 0.5, 0.9] {
                    let q = TargetMap(vec![t.clone()]).quantile(mean, sd, p);
                    let (mut below, mut all) = (0.0, 0.0);
                    for u in grid.clone() {
                        let w = (-0.5 * u * u).exp();
                        all += w;
                        below += if t.inverse(mean + sd * u) <= q { w } else { 0.0 };
                    }
                    close(below / all, p, 2e-3);
                }
            }
        }
    }

    #[test]
    fn a_chain_goes_back_step_by_step() {
        let chain = TargetMap(vec![STANDARD, Transform::Log1p, STANDARD]);
        let y = 4.2;
        close(chain.inverse(chain.forward(y).unwrap()), y, 1e-12);
        let h = 1e-6;
        let slope = (chain.forward(y + h).unwrap() - chain.forward(y - h).unwrap()) / (2.0 * h);
        close(chain.log_slope(y), slope.ln(), 1e-6);
        let (m, s) = chain.moments(-5.0, 0.4);
        let (m2, s2) = gaussian_average(-5.0, 0.4, |z| chain.inverse(z));
        close(m, m2, 1e-9);
        close(s, s2, 1e-8);
        close(chain.quantile(-5.0, 0.4, 0.5), chain.inverse(-5.0), 1e-9);
        assert_eq!(chain.unit(Some("m")).as_deref(), Some("sd"));
        assert_eq!(TargetMap(vec![Transform::Log]).unit(Some("ppm")).as_deref(), Some("log(ppm)"));
    }

    #[test]
    fn probabilities_undo_quantiles() {
        let affine = || Transform::Affine { shift: 1.5, scale: 2.0 };
        for transforms in [
            vec![],
            vec![affine()],
            vec![Transform::Log],
            vec![Transform::Sqrt, affine()],
            vec![affine(), Transform::Sqrt],
            vec![affine(), Transform::Log, affine()],
        ] {
            let map = TargetMap(transforms);
            for p in [0.05, 0.5, 0.9] {
                let y = map.quantile(0.6, 0.5, p);
                assert!((map.probability_below(0.6, 0.5, y) - p).abs() < 1e-9, "{map:?} {p}");
            }
        }
    }

    #[test]
    fn certain_predictions_stay_finite() {
        for t in [Transform::Log, Transform::Sqrt, Transform::Logit, STANDARD] {
            let map = TargetMap(vec![t.clone()]);
            close(map.quantile(0.5, 0.0, 0.9), t.inverse(0.5), 1e-9);
            close(map.moments(0.5, 0.0).0, t.inverse(0.5), 1e-9);
            assert_eq!(map.moments(0.5, 0.0).1, 0.0);
        }
        close(TargetMap(vec![Transform::Sqrt]).quantile(0.0, 0.0, 0.9), 0.0, 1e-12);
    }
}
