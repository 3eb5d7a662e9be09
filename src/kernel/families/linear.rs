//! The linear kernel: straight lines, or planes over several inputs.
//!
//! k = b + Σ v(x − c)(x′ − c). `b` is the variance of the offset at the location c, `v` that of the slope. With several
//! inputs, each has a location and, with `ARD`, a slope variance. Source: Duvenaud, appendix to the structure-search
//! chapter, where b is written σ_b².

use crate::kernel::family::{
    Argument, B, C, Domains, Family, Form, Pairs, ParamSpec, Role, Rows, Scratch, Size, Spec, Theta,
};
use crate::kernel::phrasing::{Head, Wording};
use crate::linalg::vector;

/// k = b + Σ v(x − c)(x′ − c).
#[derive(Debug)]
pub struct Linear;

const SLOPE: ParamSpec = ParamSpec {
    name: "variance",
    short: "v",
    domain: Domains::Positive,
    role: Role::SlopeVariance,
    size: Size::EachIfArd,
    default: 1.0,
    help: "the variance of the slope",
};

static SPEC: Spec = Spec {
    name: "Lin",
    aliases: &["Linear"],
    summary: "straight lines",
    wording: Wording::family(Head::Polynomial, "{degree} function of {x}", &[])
        .doing("whose amplitude {grows}", "whose amplitude {grows}"),
    formula: "b + v (x - c)(x' - c)",
    latex: r"b + v (x - c)(x' - c)",
    params: &[B, SLOPE, C],
    flag: None,
    stationary: false,
    derivatives: f64::INFINITY,
    reads_inputs: true,
    several_inputs: true,
    infinitely_divisible: false,
    example: "Lin(0, c=1)",
    points: &[(&[0.837, 1.561, -0.272], 1.0, 2.0, 5.348_265_024), (&[1.0, 1.0, 0.0], 2.0, 3.0, 7.0)],
};

impl Family for Linear {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn prepare(&self, theta: Theta<'_>, x: &[&[f64]], _learnt: &[f64]) -> Result<Rows, String> {
        let c = theta.each(2);
        Ok(x.iter().zip(c).map(|(column, c)| column.iter().map(|x| x - c).collect()).collect())
    }

    fn column(&self, theta: Theta<'_>, pairs: Pairs<'_>, out: &mut [f64]) {
        let v = theta.each(1);
        out.fill(theta.one(0));
        for d in 0..pairs.a.len() {
            let v = v[if v.len() == 1 { 0 } else { d }];
            vector::axpy(out, v * pairs.right(d), pairs.left(d, out.len()));
        }
    }

    fn diagonal(&self, theta: Theta<'_>, rows: &Rows, out: &mut [f64]) {
        let v = theta.each(1);
        out.fill(theta.one(0));
        for (d, x) in rows.iter().enumerate() {
            let v = v[if v.len() == 1 { 0 } else { d }];
            for (out, x) in out.iter_mut().zip(x) {
                *out += v * x * x;
            }
        }
    }

    fn pull(
        &self,
        theta: Theta<'_>,
        pairs: Pairs<'_>,
        k: &[f64],
        w: &mut [f64],
        _scratch: &mut Scratch,
        gradient: &mut [f64],
    ) {
        let sum = vector::sum(w);
        gradient[0] += sum;
        let (v, c) = (theta.range(1), theta.range(2));
        for d in 0..pairs.a.len() {
            let slope = if v.len() == 1 { v.start } else { v.start + d };
            let at = pairs.right(d);
            let moved = vector::dot(w, pairs.left(d, k.len()));
            gradient[slope] += at * moved;
            gradient[c.start + d] -= theta.all[slope] * (moved + at * sum);
        }
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
        let v = theta.each(1);
        for d in 0..pairs.a.len() {
            let v = v[if v.len() == 1 { 0 } else { d }];
            if let Some(left) = left.get_mut(d) {
                vector::axpy(left, v * pairs.right(d), w);
            }
            if let Some(right) = right.get_mut(d) {
                *right += v * vector::dot(w, pairs.left(d, k.len()));
            }
        }
    }

    fn argument(&self) -> Option<Argument> {
        Some(Argument::Product)
    }

    fn form(&self, theta: Theta<'_>, inputs: usize) -> Form {
        match inputs {
            1 => Form::Polynomial { c: theta.one(2), a: vec![theta.one(0), theta.one(1)] },
            _ => Form::General,
        }
    }
}
