//! The Matérn kernel of order 5⁄2: functions that are differentiable twice.
//!
//! k = v·(1 + √5r + 5r²/3)e^{−√5r}, where r is the distance in length-scales. Source: Rasmussen & Williams, 4.17.

use super::distance::{Distance, Profile};
use crate::kernel::family::{Form, L, Spec, V};
use crate::kernel::phrasing::{Head, Wording};
use crate::linalg::vector;

/// The family `Matern52` of the language.
pub static MATERN52: Distance<Matern52> = Distance(Matern52);

/// The profile κ(s) = (1 + √(5s) + 5s/3)e^{−√(5s)}.
#[derive(Debug)]
pub struct Matern52;

const SQRT_5: f64 = 2.236_067_977_499_79;

static SPEC: Spec = Spec {
    name: "Matern52",
    aliases: &[],
    summary: "functions that can be differentiated twice",
    wording: Wording::family(
        Head::Smooth,
        "fairly smooth function of {x}",
        &["that has a slope and a curvature", "that varies over about {l}"],
    )
    .doing(
        "whose shape drifts fairly smoothly[ over about {l}]",
        "that changes fairly smoothly with {x}[ over about {l}]",
    ),
    formula: "v (1 + sqrt(5) r/l + 5 r^2 / (3 l^2)) exp(-sqrt(5) r/l)",
    latex: r"v \left(1 + \frac{\sqrt{5} r}{l} + \frac{5 r^2}{3 l^2}\right) \exp\left(-\frac{\sqrt{5} r}{l}\right)",
    params: &[L, V],
    flag: None,
    stationary: true,
    derivatives: 2.0,
    reads_inputs: true,
    several_inputs: true,
    infinitely_divisible: true,
    example: "Matern52(0, l=2)",
    points: &[(&[1.0, 1.0], 0.0, 1.0, 0.523_994_108_831_820_3)],
};

impl Profile for Matern52 {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn value(&self, _shape: f64, v: f64, s: &mut [f64]) {
        vector::polynomial_exp(s, SQRT_5, 5.0 / 3.0, v);
    }

    fn slope(&self, _shape: f64, s: &mut [f64], k: &[f64]) {
        for (s, k) in s.iter_mut().zip(k) {
            let r = SQRT_5 * s.sqrt();
            *s = -5.0 / 6.0 * k * (1.0 + r) / (1.0 + r + 5.0 / 3.0 * *s);
        }
    }

    fn form(&self, v: f64, l: Vec<f64>) -> Form {
        match l[..] {
            [l] => Form::Matern { v, rate: 5f64.sqrt() / l, a: &[1.0, 1.0, 1.0 / 3.0] },
            _ => Form::General,
        }
    }
}
