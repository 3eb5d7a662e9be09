//! The Matérn kernel of order 3⁄2: functions that are differentiable once.
//!
//! k = v·(1 + √3r)e^{−√3r}, where r is the distance in length-scales. Source: Rasmussen & Williams, 4.17.

use super::distance::{Distance, Profile};
use crate::kernel::family::{Form, L, Spec, V};
use crate::kernel::phrasing::{Head, Wording};
use crate::linalg::vector;

/// The family `Matern32` of the language.
pub static MATERN32: Distance<Matern32> = Distance(Matern32);

/// The profile κ(s) = (1 + √(3s))e^{−√(3s)}.
#[derive(Debug)]
pub struct Matern32;

const SQRT_3: f64 = 1.732_050_807_568_877_2;

static SPEC: Spec = Spec {
    name: "Matern32",
    aliases: &[],
    summary: "functions that can be differentiated once",
    wording: Wording::family(
        Head::Smooth,
        "fairly rough function of {x}",
        &["that has a slope but no curvature", "that varies over about {l}"],
    )
    .doing(
        "whose shape drifts a little roughly[ over about {l}]",
        "that changes a little roughly with {x}[ over about {l}]",
    ),
    formula: "v (1 + sqrt(3) r/l) exp(-sqrt(3) r/l)",
    latex: r"v \left(1 + \frac{\sqrt{3} r}{l}\right) \exp\left(-\frac{\sqrt{3} r}{l}\right)",
    params: &[L, V],
    flag: None,
    stationary: true,
    derivatives: 1.0,
    reads_inputs: true,
    several_inputs: true,
    infinitely_divisible: true,
    example: "Matern32(0, l=2)",
    points: &[(&[1.0, 1.0], 0.0, 1.0, 0.483_357_724_596_507_7)],
};

impl Profile for Matern32 {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn value(&self, _shape: f64, v: f64, s: &mut [f64]) {
        vector::polynomial_exp(s, SQRT_3, 0.0, v);
    }

    fn slope(&self, _shape: f64, s: &mut [f64], k: &[f64]) {
        vector::sqrt(s);
        for (s, k) in s.iter_mut().zip(k) {
            *s = -1.5 * k / (1.0 + SQRT_3 * *s);
        }
    }

    fn form(&self, v: f64, l: Vec<f64>) -> Form {
        match l[..] {
            [l] => Form::Matern { v, rate: 3f64.sqrt() / l, a: &[1.0, 1.0] },
            _ => Form::General,
        }
    }
}
