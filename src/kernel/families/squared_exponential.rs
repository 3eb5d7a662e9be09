//! The squared exponential kernel: smooth functions.
//!
//! k = v·exp(−r²/2l²). Draws have derivatives of every order. `l` is the length-scale in units of the input: at a
//! distance of l the correlation is 0.61. Source: Duvenaud, appendix to the structure-search chapter.
//! Limit: RQ with a → ∞. See also `Matern52`, `RQ`.

use super::distance::{Distance, Profile};
use crate::kernel::family::{Form, L, Spec, V};
use crate::kernel::phrasing::{Head, Wording};
use crate::linalg::vector;

/// The family `SE` of the language.
pub static SQUARED_EXPONENTIAL: Distance<SquaredExponential> = Distance(SquaredExponential);

/// The profile κ(s) = e^{−s/2}.
#[derive(Debug)]
pub struct SquaredExponential;

static SPEC: Spec = Spec {
    name: "SE",
    aliases: &["SquaredExponential", "RBF"],
    summary: "smooth functions that vary on one length-scale",
    wording: Wording::family(Head::Smooth, "smooth function of {x}", &["that varies over about {l}"])
        .doing("whose shape drifts[ over about {l}]", "that changes smoothly with {x}[ over about {l}]"),
    formula: "v exp(-r^2 / (2 l^2))",
    latex: r"v \exp\left(-\frac{r^2}{2 l^2}\right)",
    params: &[L, V],
    flag: None,
    stationary: true,
    derivatives: f64::INFINITY,
    reads_inputs: true,
    several_inputs: true,
    infinitely_divisible: true,
    example: "SE(0, l=2)",
    points: &[(&[1.392, 0.892], 0.0, 1.392, 0.541_025_348_463_669), (&[2.0, 3.0], 1.0, 1.0, 3.0)],
};

impl Profile for SquaredExponential {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn value(&self, _shape: f64, v: f64, s: &mut [f64]) {
        vector::exp_scaled(s, -0.5, v);
    }

    fn slope(&self, _shape: f64, s: &mut [f64], k: &[f64]) {
        s.copy_from_slice(k);
        vector::affine(s, -0.5, 0.0);
    }

    fn slope_reads_distance(&self) -> bool {
        false
    }

    fn form(&self, v: f64, l: Vec<f64>) -> Form {
        Form::SquaredExponential { v, l }
    }
}
