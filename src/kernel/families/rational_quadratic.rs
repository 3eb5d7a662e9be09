//! The rational quadratic kernel: smooth functions with many length-scales.
//!
//! k = v·(1 + r²/(2al²))^(−a): a mixture of SE kernels whose inverse squared length-scales have a gamma distribution
//! with shape `a`. Source: Duvenaud, appendix to the structure-search chapter. Limit: SE as a → ∞.

use super::distance::{Distance, Profile};
use crate::kernel::family::{Domains, L, ParamSpec, Role, Size, Spec, V};
use crate::kernel::phrasing::{Head, Wording};
use crate::linalg::vector;

/// The family `RQ` of the language.
pub static RATIONAL_QUADRATIC: Distance<RationalQuadratic> = Distance(RationalQuadratic);

/// The profile κ(s) = (1 + s/2a)^{−a}.
#[derive(Debug)]
pub struct RationalQuadratic;

const A: ParamSpec = ParamSpec {
    name: "alpha",
    short: "a",
    domain: Domains::Positive,
    role: Role::Shape,
    size: Size::One,
    default: 1.0,
    help: "how much length-scales are mixed: small mixes many, large is close to SE",
};

static SPEC: Spec = Spec {
    name: "RQ",
    aliases: &["RationalQuadratic"],
    summary: "smooth functions that vary on many length-scales at once",
    wording: Wording::family(Head::Smooth, "smooth function of {x}", &["that varies on many scales[ around {l}]"])
        .doing("whose shape drifts at many rates[ around {l}]", "that changes with {x} on many scales[ around {l}]"),
    formula: "v (1 + r^2 / (2 a l^2))^(-a)",
    latex: r"v \left(1 + \frac{r^2}{2 a l^2}\right)^{-a}",
    params: &[L, A, V],
    flag: None,
    stationary: true,
    derivatives: f64::INFINITY,
    reads_inputs: true,
    several_inputs: true,
    infinitely_divisible: true,
    example: "RQ(0, l=2, a=0.5)",
    points: &[(&[1.0, 1.0, 1.0], 0.0, 1.0, 2.0 / 3.0), (&[2.0, 0.5, 3.0], 0.0, 2.0, 2.121_320_343_559_642_6)],
};

impl Profile for RationalQuadratic {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn value(&self, a: f64, v: f64, s: &mut [f64]) {
        vector::affine(s, 0.5 / a, 0.0);
        vector::ln_1p(s);
        vector::exp_scaled(s, -a, v);
    }

    fn slope(&self, a: f64, s: &mut [f64], k: &[f64]) {
        for (s, k) in s.iter_mut().zip(k) {
            *s = -0.5 * k / (1.0 + *s * (0.5 / a));
        }
    }

    fn pull_shape(&self, a: f64, s: &mut [f64], k: &[f64], w: &[f64], spare: &mut [f64]) -> f64 {
        // ∂k/∂a = k·(t/(1+t) − log(1+t)) with t = s/2a
        vector::affine(s, 0.5 / a, 0.0);
        spare.copy_from_slice(s);
        vector::ln_1p(spare);
        for (log, t) in spare.iter_mut().zip(&*s) {
            *log = t / (1.0 + t) - *log;
        }
        vector::dot3(spare, k, w)
    }
}
