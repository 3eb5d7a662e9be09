//! The polynomial kernel: polynomials of a given degree.
//!
//! k = v·((x − c)·(x′ − c) + b)^degree. The degree is a fixed whole number, 2 by default. Source: Duvenaud, appendix to
//! the structure-search chapter.

use crate::kernel::family::{
    Argument, B, C, Domains, Family, Form, Pairs, ParamSpec, Role, Rows, Scratch, Size, Spec, Theta, V,
};
use crate::kernel::phrasing::{Head, Wording};
use crate::linalg::vector;

/// k = v·((x − c)·(x′ − c) + b)^degree.
#[derive(Debug)]
pub struct Polynomial;

const DEGREE: ParamSpec = ParamSpec {
    name: "degree",
    short: "degree",
    domain: Domains::Count,
    role: Role::Degree,
    size: Size::One,
    default: 2.0,
    help: "the degree of the polynomial, a whole number; always fixed",
};

static SPEC: Spec = Spec {
    name: "Poly",
    aliases: &["Polynomial"],
    summary: "polynomials of a degree",
    wording: Wording::family(Head::Polynomial, "{degree} function of {x}", &[])
        .doing("whose amplitude {grows}", "whose amplitude {grows}"),
    formula: "v ((x - c)(x' - c) + b)^degree",
    latex: r"v \left((x - c)(x' - c) + b\right)^{d}",
    params: &[V, B, C, DEGREE],
    flag: None,
    stationary: false,
    derivatives: f64::INFINITY,
    reads_inputs: true,
    several_inputs: true,
    infinitely_divisible: false,
    example: "Poly(0, degree=3)",
    points: &[(&[2.0, 0.5, 1.0, 3.0], 2.0, 3.0, 31.25), (&[1.0, 1.0, 0.0, 2.0], 1.0, 2.0, 9.0)],
};

impl Polynomial {
    /// out ← (x − c)·(x′ − c) + b.
    fn inner(b: f64, pairs: Pairs<'_>, out: &mut [f64]) {
        out.fill(b);
        for d in 0..pairs.a.len() {
            vector::axpy(out, pairs.right(d), pairs.left(d, out.len()));
        }
    }
}

impl Family for Polynomial {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn prepare(&self, theta: Theta<'_>, x: &[&[f64]], _learnt: &[f64]) -> Result<Rows, String> {
        let c = theta.each(2);
        Ok(x.iter().zip(c).map(|(column, c)| column.iter().map(|x| x - c).collect()).collect())
    }

    fn column(&self, theta: Theta<'_>, pairs: Pairs<'_>, out: &mut [f64]) {
        let (v, degree) = (theta.one(0), theta.one(3) as i32);
        Self::inner(theta.one(1), pairs, out);
        for out in out {
            *out = v * out.powi(degree);
        }
    }

    fn diagonal(&self, theta: Theta<'_>, rows: &Rows, out: &mut [f64]) {
        let (v, degree) = (theta.one(0), theta.one(3) as i32);
        for (i, out) in out.iter_mut().enumerate() {
            let inner = rows.iter().map(|x| x[i] * x[i]).sum::<f64>() + theta.one(1);
            *out = v * inner.powi(degree);
        }
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
        let (v, degree) = (theta.one(0), theta.one(3) as i32);
        gradient[0] += vector::dot(w, k) / v;
        let (inner, _) = scratch.two(k.len());
        Self::inner(theta.one(1), pairs, inner);
        for (w, inner) in w.iter_mut().zip(&*inner) {
            *w *= v * f64::from(degree) * inner.powi(degree - 1);
        }
        let sum: f64 = w.iter().sum();
        gradient[1] += sum;
        for d in 0..pairs.a.len() {
            let moved = vector::dot(w, pairs.left(d, k.len()));
            gradient[theta.range(2).start + d] -= moved + pairs.right(d) * sum;
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
        let (v, degree) = (theta.one(0), theta.one(3) as i32);
        let mut by_inner = vec![0.0; k.len()];
        Self::inner(theta.one(1), pairs, &mut by_inner);
        for (slope, w) in by_inner.iter_mut().zip(w) {
            *slope = w * v * f64::from(degree) * slope.powi(degree - 1);
        }
        for d in 0..pairs.a.len() {
            if let Some(left) = left.get_mut(d) {
                vector::axpy(left, pairs.right(d), &by_inner);
            }
            if let Some(right) = right.get_mut(d) {
                *right += vector::dot(&by_inner, pairs.left(d, k.len()));
            }
        }
    }

    fn argument(&self) -> Option<Argument> {
        Some(Argument::Product)
    }

    /// By the binomial theorem.
    fn form(&self, theta: Theta<'_>, inputs: usize) -> Form {
        let (v, b, degree) = (theta.one(0), theta.one(1), theta.one(3) as u64);
        if inputs != 1 {
            return Form::General;
        }
        let a = |m: u64| v * statrs::function::factorial::binomial(degree, m) * b.powi((degree - m) as i32);
        Form::Polynomial { c: theta.one(2), a: (0..=degree).map(a).collect() }
    }
}
