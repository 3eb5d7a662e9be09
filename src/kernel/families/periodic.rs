//! The periodic kernel: functions that repeat exactly, with any shape within the period.
//!
//! k = v·exp(−2 sin²(πr/p)/l²) (MacKay 1998). `l` determines the smoothness of the shape within one period: for large l
//! it is a sinusoid with an offset, for small l it has fine detail.
//!
//! `centred=true` removes its constant part: v·(e^{cos θ/l²} − I₀)/(e^{1/l²} − I₀), θ = 2πr/p, I₀ = I₀(1/l²). It tends
//! to `Cos` as l grows, where the plain kernel tends to a constant; its product with `Lin` contains no trend. It is a
//! valid kernel, because every Fourier coefficient I_k(1/l²), k ≥ 1, is positive.

use crate::kernel::family::{Domains, Family, Flag, P, Pairs, ParamSpec, Role, Rows, Scratch, Size, Spec, Theta, V};
use crate::kernel::phrasing::{Head, Wording};
use crate::linalg::vector;

/// k = v·exp(−2 sin²(πr/p)/l²), or its centred variant.
#[derive(Debug)]
pub struct Periodic {
    pub centred: bool,
}

const ROUGHNESS: ParamSpec = ParamSpec {
    name: "lengthscale",
    short: "l",
    domain: Domains::Positive,
    role: Role::Roughness,
    size: Size::One,
    default: 1.0,
    help: "how smooth the pattern is within one period",
};

const CENTRED: &str = "subtract the constant component, so that the pattern has no offset";

static SPEC: Spec = Spec {
    name: "Per",
    aliases: &["Periodic"],
    summary: "patterns that repeat exactly",
    wording: Wording::family(Head::Periodic("pattern"), "periodic function of {x}[ with period {p}]", &[]),
    formula: "v exp(-2 sin^2(pi r/p) / l^2)",
    latex: r"v \exp\left(-\frac{2 \sin^2(\pi r / p)}{l^2}\right)",
    params: &[P, ROUGHNESS, V],
    flag: Some(Flag { name: "centred", on: false, other: || &Periodic { centred: true }, help: CENTRED }),
    stationary: true,
    derivatives: f64::INFINITY,
    reads_inputs: true,
    several_inputs: false,
    infinitely_divisible: true,
    example: "Per(0, p=3)",
    points: &[(&[2.0, 1.0, 1.0], 0.0, 1.0, 0.135_335_283_236_612_7), (&[2.0, 0.7, 3.0], 0.0, 4.0, 3.0)],
};

static SPEC_CENTRED: Spec = Spec {
    name: "Per",
    aliases: &["Periodic"],
    summary: "patterns that repeat exactly and have no offset",
    wording: Wording::family(
        Head::Periodic("pattern"),
        "periodic function of {x}[ with period {p}]",
        &["that averages to zero over each period"],
    ),
    formula: "v (exp(cos(2 pi r/p) / l^2) - I0(1/l^2)) / (exp(1/l^2) - I0(1/l^2))",
    latex: r"v \frac{\exp(\cos(2\pi r/p)/l^2) - I_0(1/l^2)}{\exp(1/l^2) - I_0(1/l^2)}",
    params: &[P, ROUGHNESS, V],
    flag: Some(Flag { name: "centred", on: true, other: || &Periodic { centred: false }, help: CENTRED }),
    stationary: true,
    derivatives: f64::INFINITY,
    reads_inputs: true,
    several_inputs: false,
    infinitely_divisible: false,
    example: "Per(0, p=3, centred=true)",
    points: &[(&[2.0, 1.0, 1.0], 0.0, 1.0, -0.618_493_713_791_856)],
};

/// Rows: cosine and sine of the angle, and the distance from the centre.
const COS: usize = 0;
const SIN: usize = 1;
const X: usize = 2;

/// Below this value of 1/l², differences of exponentials would lose digits, so a series is used.
const SERIES: f64 = 0.34;

/// Above this value of 1/l², the rounding of cosθ would show where the angle is small.
const SHARP: f64 = 1e6;

/// Replaces each cosθ by cosθ − 1. Where z = 1/l² is large, that of a small angle is −sin²θ/(1 + cosθ).
fn less_one(z: f64, pairs: Pairs<'_>, cosines: &mut [f64]) {
    vector::affine(cosines, 1.0, -1.0);
    if z <= SHARP {
        return;
    }
    let (cos, sin) = (pairs.left(COS, cosines.len()), pairs.left(SIN, cosines.len()));
    for ((less, cos), sin) in cosines.iter_mut().zip(cos).zip(sin) {
        if *less > -1.0 {
            let sine = sin * pairs.right(COS) - cos * pairs.right(SIN);
            *less = -sine * sine / (2.0 + *less);
        }
    }
}

/// e^{−z}I₀(z), e^{−z}I₁(z), and I₀(z) − 1 without cancellation for z ≤ `SERIES`.
fn bessel(z: f64) -> (f64, f64, f64) {
    let quarter = 0.25 * z * z;
    let (mut term, mut sum) = (quarter, 0.0);
    let mut k = 1.0;
    while z <= SERIES && term > sum * 1e-18 {
        sum += term;
        k += 1.0;
        term *= quarter / (k * k);
    }
    (spec_math::cephes64::i0e(z), spec_math::cephes64::i1e(z), sum)
}

impl Periodic {
    /// The centred kernel with v = 1: replaces each cos θ by the numerator, and returns the denominator.
    fn centre(z: f64, cosines: &mut [f64]) -> f64 {
        let (i0, _, i0_m1) = bessel(z);
        if z <= SERIES {
            vector::affine(cosines, z, 0.0);
            vector::exp_m1_small(cosines);
            vector::affine(cosines, 1.0, -i0_m1);
            z.exp_m1() - i0_m1
        } else {
            vector::affine(cosines, 1.0, -1.0);
            vector::exp_scaled(cosines, z, 1.0);
            vector::affine(cosines, 1.0, -i0);
            1.0 - i0
        }
    }
}

impl Family for Periodic {
    fn spec(&self) -> &'static Spec {
        if self.centred { &SPEC_CENTRED } else { &SPEC }
    }

    fn prepare(&self, theta: Theta<'_>, x: &[&[f64]], learnt: &[f64]) -> Result<Rows, String> {
        let p = theta.one(0);
        let from: Vec<f64> = x[0].iter().map(|x| x - learnt[0]).collect();
        let (sin, cos) = from
            .iter()
            .map(|r| {
                let turns = r / p;
                (std::f64::consts::TAU * (turns - turns.round())).sin_cos()
            })
            .unzip();
        Ok(vec![cos, sin, from])
    }

    fn column(&self, theta: Theta<'_>, pairs: Pairs<'_>, out: &mut [f64]) {
        let len = out.len();
        let (l, v) = (theta.one(1), theta.one(2));
        let z = 1.0 / (l * l);
        vector::rotate(pairs.left(COS, len), pairs.left(SIN, len), pairs.right(COS), pairs.right(SIN), out);
        if self.centred {
            let below = Self::centre(z, out);
            vector::affine(out, v / below, 0.0);
        } else {
            less_one(z, pairs, out);
            vector::exp_scaled(out, z, v);
        }
    }

    fn diagonal(&self, theta: Theta<'_>, _rows: &Rows, out: &mut [f64]) {
        out.fill(theta.one(2));
    }

    fn pull(
        &self,
        theta: Theta<'_>,
        pairs: Pairs<'_>,
        k: &[f64],
        w: &mut [f64],
        scratch: &mut Scratch,
        gradient: &mut [f64],
    ) {
        let len = k.len();
        let (p, l, v) = (theta.one(0), theta.one(1), theta.one(2));
        let z = 1.0 / (l * l);
        gradient[2] += vector::dot(w, k) / v;
        let (cosines, spare) = scratch.two(len);
        vector::rotate(pairs.left(COS, len), pairs.left(SIN, len), pairs.right(COS), pairs.right(SIN), cosines);
        // w ← w·e, where ∂k/∂cosθ = z·e; the plain kernel has e = k, the centred one v·e^{z cosθ} over its denominator
        let mut slope_z = 0.0;
        if self.centred {
            let (i0, i1, _) = bessel(z);
            spare.copy_from_slice(cosines);
            let below = Self::centre(z, spare);
            if z <= SERIES {
                // in units of 1 rather than e^z: ∂/∂z of the numerator is cosθ·e^{z cosθ} − I₁
                let (one, i1) = (z.exp(), i1 * z.exp());
                slope_z -= vector::dot(w, k) * (one - i1) / below;
                slope_z -= w.iter().sum::<f64>() * v * i1 / below;
                for (e, c) in spare.iter_mut().zip(&*cosines) {
                    *e = z * c;
                }
                vector::exp_scaled(spare, 1.0, v / below);
            } else {
                slope_z -= vector::dot(w, k) * (1.0 - i1) / below;
                slope_z -= w.iter().sum::<f64>() * v * i1 / below;
                vector::affine(spare, v / below, v * i0 / below);
            }
            vector::multiply(w, spare);
            slope_z += vector::dot(w, cosines);
        } else {
            vector::multiply(w, k);
            less_one(z, pairs, cosines);
            slope_z += vector::dot(w, cosines);
        }
        gradient[1] -= 2.0 * z / l * slope_z;
        // ∂cosθ/∂p = sinθ · 2πr/p²
        vector::rotate(pairs.left(SIN, len), pairs.left(COS, len), pairs.right(COS), -pairs.right(SIN), spare);
        vector::multiply(spare, w);
        let (x, at) = (pairs.left(X, len), pairs.right(X));
        let turned = vector::dot(spare, x) - at * spare.iter().sum::<f64>();
        gradient[0] += std::f64::consts::TAU * z / (p * p) * turned;
    }

    fn pull_inputs(
        &self,
        theta: Theta<'_>,
        pairs: Pairs<'_>,
        k: &[f64],
        w: &[f64],
        left: &mut [Vec<f64>],
        right: &mut [f64],
    ) {
        let (len, p, l, v) = (k.len(), theta.one(0), theta.one(1), theta.one(2));
        let z = 1.0 / (l * l);
        // ∂k/∂cosθ = z·(k + c), where c is the constant part that was removed; ∂cosθ/∂x = −sinθ·2π/p
        let mut slope = k.to_vec();
        if self.centred {
            let (i0, _, i0_m1) = bessel(z);
            let taken = if z <= SERIES { (1.0 + i0_m1) / (z.exp_m1() - i0_m1) } else { i0 / (1.0 - i0) };
            vector::affine(&mut slope, 1.0, v * taken);
        }
        vector::multiply(&mut slope, w);
        let mut sines = vec![0.0; len];
        vector::rotate(pairs.left(SIN, len), pairs.left(COS, len), pairs.right(COS), -pairs.right(SIN), &mut sines);
        vector::multiply(&mut slope, &sines);
        vector::affine(&mut slope, -z * std::f64::consts::TAU / p, 0.0);
        if let Some(left) = left.first_mut() {
            vector::add(left, &slope);
        }
        if let Some(right) = right.first_mut() {
            *right -= slope.iter().sum::<f64>();
        }
    }

    /// −∂²k/∂r² at r = 0: z·v(2π/p)² for the plain kernel, with z = 1/l².
    fn slope_variances(&self, theta: Theta<'_>, _inputs: usize) -> Option<(f64, Vec<f64>)> {
        let (p, l, v) = (theta.one(0), theta.one(1), theta.one(2));
        let (z, turns) = (1.0 / (l * l), std::f64::consts::TAU / p);
        let share = match self.centred {
            false => 1.0,
            true if z <= SERIES => z.exp() / Self::centre(z, &mut []),
            true => 1.0 / Self::centre(z, &mut []),
        };
        Some((v, vec![v * z * turns * turns * share]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_length_scale_of_a_long_period_keeps_its_digits() {
        let x: Vec<f64> = (0..40).map(f64::from).collect();
        for (p, l) in [(8.39e9, 1.99e-7), (3.8e7, 2.2e-22), (12.3, 1e-10), (700.0, 9e-4), (12.3, 0.4)] {
            let theta = Theta { all: &[p, l, 2.0], ranges: &[0..1, 1..2, 2..3] };
            let family = Periodic { centred: false };
            let rows = family.prepare(theta, &[&x], &[17.3]).expect("rows");
            for j in [0, 11, 39] {
                let mut column = vec![0.0; x.len()];
                family.column(theta, Pairs { a: &rows, b: &rows, from: 0, j, same: true }, &mut column);
                for (x_i, k) in x.iter().zip(&column) {
                    let sine = (std::f64::consts::PI * (x_i - x[j]) / p).sin();
                    let expected = 2.0 * (-2.0 * (sine / l).powi(2)).exp();
                    assert!((k - expected).abs() < 1e-9, "p={p}, l={l}: {k} {expected}");
                }
            }
        }
    }
}
