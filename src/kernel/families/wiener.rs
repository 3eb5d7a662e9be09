//! The Wiener process: random walks.
//!
//! k = v·(|s| + |t| − |s − t|)/2 with s = x − c and t = x′ − c, a kernel on the whole line: the walk starts at c with the
//! value 0 and goes both ways, independently. Beyond the data its mean stays at the last level. Limit: `DampedTrend` as
//! l → 0. Source: Rasmussen & Williams, B.2.1.

use super::process::{Increments, Process};
use crate::kernel::family::{ParamSpec, Role, START, Spec, V};
use crate::kernel::phrasing::{Head, Wording};

/// The family `Wiener` of the language.
pub static WIENER: Process<Wiener> = Process(Wiener);

/// k = v·min(|s|, |t|) on one side of the start.
#[derive(Debug)]
pub struct Wiener;

const RATE: ParamSpec =
    ParamSpec { role: Role::GrowthVariance(1), help: "the variance of the change over one unit of the input", ..V };

static SPEC: Spec = Spec {
    name: "Wiener",
    aliases: &["RandomWalk"],
    summary: "random walks: a level that is carried on",
    wording: Wording::family(Head::Process("carries its last level on"), "random walk in {x}", &[])
        .doing("whose amplitude follows a random walk", "whose amplitude follows a random walk in {x}"),
    formula: "v (|x - c| + |x' - c| - |x - x'|)/2",
    latex: r"\frac{v}{2} \left(|x - c| + |x' - c| - |x - x'|\right)",
    params: &[RATE, START],
    flag: None,
    stationary: false,
    derivatives: 0.0,
    reads_inputs: true,
    several_inputs: false,
    infinitely_divisible: false,
    example: "Wiener(0, v=2)",
    points: &[(&[2.0, 1.0], 3.0, 4.0, 4.0), (&[2.0, 1.0], 0.0, 3.0, 0.0), (&[0.5, 0.0], -3.0, -2.0, 1.0)],
};

impl Increments for Wiener {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn value(&self, _l: f64, s: f64, t: f64) -> f64 {
        if s * t > 0.0 { s.abs().min(t.abs()) } else { 0.0 }
    }

    fn slope(&self, _l: f64, s: f64, t: f64) -> f64 {
        match s * t > 0.0 {
            // half of the derivatives on both sides where they are equal
            true if s == t => 0.5 * s.signum(),
            true if s.abs() < t.abs() => s.signum(),
            _ => 0.0,
        }
    }
}
