//! The integrated Wiener process: trends whose slope follows a random walk.
//!
//! With s = x − c, t = x′ − c and m = min(|s|, |t|): k = v·(m³/3 + m²·|s − t|/2) where s and t have one sign, and 0
//! elsewhere. It starts at c with the value and the slope 0; with a linear kernel for both its posterior mean is the cubic
//! smoothing spline. Source: Rasmussen & Williams, 6.28.

use super::process::{Increments, Process};
use crate::kernel::family::{ParamSpec, Role, START, Spec, V};
use crate::kernel::phrasing::{Head, Wording};

/// The family `IntegratedWiener` of the language.
pub static INTEGRATED_WIENER: Process<IntegratedWiener> = Process(IntegratedWiener);

/// k = v·(m³/3 + m²·|s − t|/2) on one side of the start.
#[derive(Debug)]
pub struct IntegratedWiener;

const RATE: ParamSpec = ParamSpec {
    role: Role::GrowthVariance(3),
    help: "the variance of the change of the slope over one unit of the input",
    ..V
};

static SPEC: Spec = Spec {
    name: "IntegratedWiener",
    aliases: &["LocalTrend"],
    summary: "smooth trends whose slope follows a random walk",
    wording: Wording::family(
        Head::Process("carries its last slope on"),
        "smooth trend in {x}",
        &["whose slope follows a random walk"],
    )
    .doing("whose amplitude follows a smooth trend", "whose amplitude follows a smooth trend in {x}"),
    formula: "v (m^3/3 + m^2 |x - x'|/2), m = min(|x - c|, |x' - c|); 0 if c is between x and x'",
    latex: r"v \left(\frac{m^3}{3} + \frac{m^2 |x - x'|}{2}\right), m = \min(|x - c|, |x' - c|)",
    params: &[RATE, START],
    flag: None,
    stationary: false,
    derivatives: 1.0,
    reads_inputs: true,
    several_inputs: false,
    infinitely_divisible: false,
    example: "IntegratedWiener(0, v=2)",
    points: &[(&[2.0, 0.0], 1.0, 2.0, 5.0 / 3.0), (&[3.0, 1.0], 0.0, 2.0, 0.0), (&[3.0, 1.0], -1.0, -1.0, 8.0)],
};

impl Increments for IntegratedWiener {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn value(&self, _l: f64, s: f64, t: f64) -> f64 {
        if s * t <= 0.0 {
            return 0.0;
        }
        let (s, t) = (s.abs(), t.abs());
        let (least, most) = if s < t { (s, t) } else { (t, s) };
        least * least * (most / 2.0 - least / 6.0)
    }

    fn slope(&self, _l: f64, s: f64, t: f64) -> f64 {
        if s * t <= 0.0 {
            return 0.0;
        }
        let (own, other) = (s.abs(), t.abs());
        s.signum() * if own < other { own * (other - own / 2.0) } else { other * other / 2.0 }
    }
}
