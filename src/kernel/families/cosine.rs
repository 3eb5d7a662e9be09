//! The cosine kernel: sinusoids of one period.
//!
//! k = v·cos(2πr/p). Draws are sinusoids of any phase and amplitude. Limit: centred `Per` as l → ∞.

use crate::kernel::family::{Family, P, Pairs, Rows, Scratch, Spec, Theta, V};
use crate::kernel::phrasing::{Head, Wording};
use crate::linalg::vector;

/// k = v·cos(2πr/p).
#[derive(Debug)]
pub struct Cosine;

static SPEC: Spec = Spec {
    name: "Cos",
    aliases: &["Cosine"],
    summary: "sinusoids of one period",
    wording: Wording::family(Head::Periodic("sinusoid"), "sinusoid in {x}[ with period {p}]", &[]),
    formula: "v cos(2 pi r/p)",
    latex: r"v \cos\left(\frac{2 \pi r}{p}\right)",
    params: &[P, V],
    flag: None,
    stationary: true,
    derivatives: f64::INFINITY,
    reads_inputs: true,
    several_inputs: false,
    infinitely_divisible: false,
    example: "Cos(0, p=3)",
    points: &[(&[2.0, 3.0], 0.0, 1.0, -3.0), (&[6.0, 1.0], 1.0, 2.0, 0.5)],
};

impl Family for Cosine {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn prepare(&self, theta: Theta<'_>, x: &[&[f64]], learnt: &[f64]) -> Result<Rows, String> {
        let from: Vec<f64> = x[0].iter().map(|x| x - learnt[0]).collect();
        let turn = |r: &f64| {
            let turns = r / theta.one(0);
            (std::f64::consts::TAU * (turns - turns.round())).sin_cos()
        };
        let (sin, cos) = from.iter().map(turn).unzip();
        Ok(vec![cos, sin, from])
    }

    fn column(&self, theta: Theta<'_>, pairs: Pairs<'_>, out: &mut [f64]) {
        let (len, v) = (out.len(), theta.one(1));
        vector::rotate(pairs.left(0, len), pairs.left(1, len), v * pairs.right(0), v * pairs.right(1), out);
    }

    fn diagonal(&self, theta: Theta<'_>, _rows: &Rows, out: &mut [f64]) {
        out.fill(theta.one(1));
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
        let (len, p, v) = (k.len(), theta.one(0), theta.one(1));
        gradient[1] += vector::dot(w, k) / v;
        let (sines, _) = scratch.two(len);
        vector::rotate(pairs.left(1, len), pairs.left(0, len), pairs.right(0), -pairs.right(1), sines);
        vector::multiply(sines, w);
        let turned = vector::dot(sines, pairs.left(2, len)) - pairs.right(2) * sines.iter().sum::<f64>();
        gradient[0] += v * std::f64::consts::TAU / (p * p) * turned;
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
        // ∂cos(2πr/p)/∂x = −sin(2πr/p)·2π/p
        let len = k.len();
        let mut slope = vec![0.0; len];
        vector::rotate(pairs.left(1, len), pairs.left(0, len), pairs.right(0), -pairs.right(1), &mut slope);
        vector::multiply(&mut slope, w);
        vector::affine(&mut slope, -theta.one(1) * std::f64::consts::TAU / theta.one(0), 0.0);
        if let Some(left) = left.first_mut() {
            vector::add(left, &slope);
        }
        if let Some(right) = right.first_mut() {
            *right -= slope.iter().sum::<f64>();
        }
    }

    fn slope_variances(&self, theta: Theta<'_>, _inputs: usize) -> Option<(f64, Vec<f64>)> {
        let (turns, v) = (std::f64::consts::TAU / theta.one(0), theta.one(1));
        Some((v, vec![v * turns * turns]))
    }
}
