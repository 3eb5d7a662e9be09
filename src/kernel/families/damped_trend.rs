//! The integral of an Ornstein–Uhlenbeck process: trends whose slope returns to 0.
//!
//! With s = x − c and t = x′ − c: k = v·l²·[(|s| + |t| − |s − t|)/l − 1 + e^{−|s|/l} + e^{−|t|/l} − e^{−|s − t|/l}]. The
//! slope is a stationary `Matern12` with variance v and length-scale l, so that beyond the data a trend flattens within
//! l. Limits: a line with slope variance v as l → ∞; `Wiener` with variance 2·v·l as l → 0. Derived by integrating
//! v·e^{−|x − x′|/l} twice from c.

use super::process::{Increments, Process};
use crate::kernel::family::{L, ParamSpec, Role, START, Size, Spec, V};
use crate::kernel::phrasing::{Head, Wording};

/// The family `DampedTrend` of the language.
pub static DAMPED_TREND: Process<DampedTrend> = Process(DampedTrend);

/// k = v·l²·[g(s) + g(t) − g(s − t)] with g(d) = e^{−|d|/l} − 1 + |d|/l.
#[derive(Debug)]
pub struct DampedTrend;

const MEMORY: ParamSpec =
    ParamSpec { size: Size::One, help: "the distance along the input over which the slope changes", ..L };

const SLOPE: ParamSpec = ParamSpec { role: Role::SlopeVariance, help: "the variance of the slope", ..V };

static SPEC: Spec = Spec {
    name: "DampedTrend",
    aliases: &["IntegratedOU"],
    summary: "trends whose slope returns to zero",
    wording: Wording::family(
        Head::Process("flattens within its length-scale"),
        "trend in {x}",
        &["whose slope changes over about {l}"],
    )
    .doing(
        "whose amplitude follows a trend[ whose slope changes over about {l}]",
        "whose amplitude follows a trend in {x}[ whose slope changes over about {l}]",
    ),
    formula: "v l^2 (g(x - c) + g(x' - c) - g(x - x')), g(d) = exp(-|d|/l) - 1 + |d|/l",
    latex: r"v l^2 \left(g(x - c) + g(x' - c) - g(x - x')\right), g(d) = e^{-|d|/l} - 1 + \frac{|d|}{l}",
    params: &[MEMORY, SLOPE, START],
    flag: None,
    stationary: false,
    derivatives: 1.0,
    reads_inputs: true,
    several_inputs: false,
    infinitely_divisible: false,
    example: "DampedTrend(0, l=3)",
    points: &[
        (&[2.0, 3.0, 0.0], 1.0, 2.0, 4.414_553_294_057_308),
        (&[1.0, 1.0, 0.0], -1.0, 1.0, -0.399_576_400_893_728_6),
        (&[1e9, 1.0, 0.0], 2.0, 3.0, 5.999_999_994_333_333),
    ],
};

/// Below this the exponential is computed by its series.
const SMALL: f64 = 0.1;

/// e^{−d} − 1 + d for d ≥ 0, without cancellation.
fn g(d: f64) -> f64 {
    if d >= SMALL {
        return (-d).exp_m1() + d;
    }
    // Σ_{n ≥ 2} (−d)ⁿ/n!, by Horner's rule; the tenth term is below 1e-16 of the first
    let tail = (3..=10).rev().fold(0.0, |sum, n| (1.0 + sum) * -d / f64::from(n));
    0.5 * d * d * (1.0 + tail)
}

/// g′(d) = 1 − e^{−d}.
fn slope_of_g(d: f64) -> f64 {
    -(-d).exp_m1()
}

impl Increments for DampedTrend {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn value(&self, l: f64, s: f64, t: f64) -> f64 {
        l * l * (g(s.abs() / l) + g(t.abs() / l) - g((s - t).abs() / l))
    }

    fn slope(&self, l: f64, s: f64, t: f64) -> f64 {
        l * (s.signum() * slope_of_g(s.abs() / l) - (s - t).signum() * slope_of_g((s - t).abs() / l))
    }

    fn slope_in_length(&self, l: f64, s: f64, t: f64) -> f64 {
        // ∂(l²·g(d/l))/∂l = l·(2g − u·g′) at u = d/l; for small u, 2g − u·g′ is u³/6 and cancels
        let part = |d: f64| {
            let u = d.abs() / l;
            if u >= SMALL {
                return 2.0 * g(u) - u * slope_of_g(u);
            }
            // Σ_{n ≥ 3} (−u)ⁿ·(2 − n)/n!
            let tail = (4..=12).rev().fold(0.0, |sum: f64, n: i32| {
                let ratio = f64::from(n - 2) / f64::from(n - 3);
                (1.0 + sum) * -u / f64::from(n) * ratio
            });
            u * u * u / 6.0 * (1.0 + tail)
        };
        l * (part(s) + part(t) - part(s - t))
    }
}
