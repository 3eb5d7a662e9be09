//! The Matérn kernel of order ½: rough functions, continuous but nowhere differentiable.
//!
//! k = v·e^{−r}, where r is the distance in length-scales: the Ornstein–Uhlenbeck process. Source: Rasmussen &
//! Williams, 4.17.

use super::distance::{Distance, Profile};
use crate::kernel::family::{Form, L, Spec, V};
use crate::kernel::phrasing::{Head, Wording};
use crate::linalg::vector;

/// The family `Matern12` of the language.
pub static MATERN12: Distance<Matern12> = Distance(Matern12);

/// The profile κ(s) = e^{−√s}.
#[derive(Debug)]
pub struct Matern12;

static SPEC: Spec = Spec {
    name: "Matern12",
    aliases: &["OU", "Exponential"],
    summary: "rough functions, continuous but nowhere differentiable",
    wording: Wording::family(
        Head::Smooth,
        "rough function of {x}",
        &["that has no slope anywhere", "that varies over about {l}"],
    )
    .doing("whose shape changes erratically[ over about {l}]", "that changes erratically with {x}[ over about {l}]"),
    formula: "v exp(-r/l)",
    latex: r"v \exp\left(-\frac{r}{l}\right)",
    params: &[L, V],
    flag: None,
    stationary: true,
    derivatives: 0.0,
    reads_inputs: true,
    several_inputs: true,
    infinitely_divisible: true,
    example: "Matern12(0, l=2)",
    points: &[(&[2.0, 3.0], 0.0, 2.0, 1.103_638_323_514_327)],
};

impl Profile for Matern12 {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn value(&self, _shape: f64, v: f64, s: &mut [f64]) {
        vector::sqrt(s);
        vector::exp_scaled(s, -1.0, v);
    }

    fn slope(&self, _shape: f64, s: &mut [f64], k: &[f64]) {
        vector::sqrt(s);
        for (s, k) in s.iter_mut().zip(k) {
            *s = if *s > 0.0 { -0.5 * k / *s } else { 0.0 };
        }
    }

    fn form(&self, v: f64, l: Vec<f64>) -> Form {
        match l[..] {
            [l] => Form::Matern { v, rate: 1.0 / l, a: &[1.0] },
            _ => Form::General,
        }
    }
}
