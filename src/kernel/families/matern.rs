//! The Matérn kernels of order ½, 3⁄2 and 5⁄2: functions of limited smoothness.
//!
//! With r the distance in length-scales: v·e^{−r}, v·(1+√3r)e^{−√3r}, v·(1+√5r+5r²/3)e^{−√5r}. Draws are continuous,
//! once and twice differentiable. Matern12 is the Ornstein–Uhlenbeck process. Source: Rasmussen & Williams, 4.17.

use super::distance::{Distance, Profile};
use crate::kernel::family::{L, Spec, V};
use crate::kernel::phrasing::{Head, Wording};
use crate::linalg::vector;

pub static MATERN12: Distance<Matern12> = Distance(Matern12);
pub static MATERN32: Distance<Matern32> = Distance(Matern32);
pub static MATERN52: Distance<Matern52> = Distance(Matern52);

#[derive(Debug)]
pub struct Matern12;
#[derive(Debug)]
pub struct Matern32;
#[derive(Debug)]
pub struct Matern52;

const SQRT_3: f64 = 1.732_050_807_568_877_2;
const SQRT_5: f64 = 2.236_067_977_499_79;

static SPEC12: Spec = Spec {
    name: "Matern12",
    aliases: &["OU", "Exponential"],
    summary: "rough functions, continuous but nowhere smooth",
    wording: Wording::family(
        Head::Smooth(0),
        "rough function of {x}",
        &["that has no slope anywhere", "that varies over about {l}"],
    )
    .doing("whose shape changes erratically[ over about {l}]", "that changes erratically with {x}[ over about {l}]"),
    formula: "v exp(-r/l)",
    latex: r"v \exp\left(-\frac{r}{l}\right)",
    params: &[L, V],
    flag: None,
    stationary: true,
    reads_inputs: true,
    several_inputs: true,
    infinitely_divisible: true,
    example: "Matern12(0, l=2)",
    points: &[(&[2.0, 3.0], 0.0, 2.0, 1.103_638_323_514_327)],
};

static SPEC32: Spec = Spec {
    name: "Matern32",
    aliases: &[],
    summary: "functions with a slope everywhere, but a rough one",
    wording: Wording::family(
        Head::Smooth(1),
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
    reads_inputs: true,
    several_inputs: true,
    infinitely_divisible: true,
    example: "Matern32(0, l=2)",
    points: &[(&[1.0, 1.0], 0.0, 1.0, 0.483_357_724_596_507_7)],
};

static SPEC52: Spec = Spec {
    name: "Matern52",
    aliases: &[],
    summary: "functions with a slope and a curvature everywhere",
    wording: Wording::family(
        Head::Smooth(2),
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
    reads_inputs: true,
    several_inputs: true,
    infinitely_divisible: true,
    example: "Matern52(0, l=2)",
    points: &[(&[1.0, 1.0], 0.0, 1.0, 0.523_994_108_831_820_3)],
};

impl Profile for Matern12 {
    fn spec(&self) -> &'static Spec {
        &SPEC12
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
}

impl Profile for Matern32 {
    fn spec(&self) -> &'static Spec {
        &SPEC32
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
}

impl Profile for Matern52 {
    fn spec(&self) -> &'static Spec {
        &SPEC52
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
}
