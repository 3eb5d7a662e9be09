//! An independent level for each category.
//!
//! k = v for equal values of one column, 0 otherwise. Numbers are compared exactly, as categories are. A category that
//! does not occur in the training rows gets the prior. A product with another kernel gives an independent function for
//! each category. Limit: `onehot` with l → 0. Source: Duvenaud, "Expressing Structure with Kernels", categorical
//! variables.

use crate::kernel::family::{Family, Pairs, Rows, Scratch, Spec, Theta, V};
use crate::kernel::phrasing::{Head, Wording};

/// k = v for equal values, 0 otherwise.
#[derive(Debug)]
pub struct Indicator;

static SPEC: Spec = Spec {
    name: "Indicator",
    aliases: &[],
    summary: "one level for each category, independent of the others",
    wording: Wording::family(Head::Levels, "separate level for each value of {x}", &[])
        .doing("that is another one for each value of {x}", "that is another one for each value of {x}"),
    formula: "v if x = x' else 0",
    latex: r"v \, [x = x']",
    params: &[V],
    flag: None,
    stationary: false,
    derivatives: f64::INFINITY,
    reads_inputs: true,
    several_inputs: false,
    infinitely_divisible: true,
    example: "Indicator(0, v=2)",
    points: &[(&[2.0], 0.0, 1.0, 0.0), (&[2.0], 1.0, 1.0, 2.0)],
};

impl Family for Indicator {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn takes_categories(&self) -> bool {
        true
    }

    fn takes_new_categories(&self) -> bool {
        true
    }

    fn learn(&self, _x: &[&[f64]]) -> Vec<f64> {
        Vec::new()
    }

    fn prepare(&self, _theta: Theta<'_>, x: &[&[f64]], _learnt: &[f64]) -> Result<Rows, String> {
        Ok(vec![x[0].to_vec()])
    }

    fn column(&self, theta: Theta<'_>, pairs: Pairs<'_>, out: &mut [f64]) {
        let (v, own, len) = (theta.one(0), pairs.right(0), out.len());
        for (out, x) in out.iter_mut().zip(pairs.left(0, len)) {
            *out = if *x == own { v } else { 0.0 };
        }
    }

    fn diagonal(&self, theta: Theta<'_>, _rows: &Rows, out: &mut [f64]) {
        out.fill(theta.one(0));
    }

    fn pull(
        &self,
        _theta: Theta<'_>,
        pairs: Pairs<'_>,
        k: &[f64],
        w: &mut [f64],
        _scratch: &mut Scratch,
        gradient: &mut [f64],
    ) {
        let own = pairs.right(0);
        let equal = pairs.left(0, k.len()).iter().zip(&*w).filter(|(x, _)| **x == own);
        gradient[0] += equal.map(|(_, w)| w).sum::<f64>();
    }
}
