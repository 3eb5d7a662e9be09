//! The constant kernel: one unknown offset for all rows.
//!
//! k = v. It scales a kernel that it multiplies. A number in kernel algebra is a constant kernel with fixed variance.

use crate::kernel::family::{Family, Form, Pairs, Rows, Scratch, Spec, Theta, V};
use crate::kernel::phrasing::{Head, Wording};

/// k = v.
#[derive(Debug)]
pub struct Constant;

static SPEC: Spec = Spec {
    name: "Const",
    aliases: &["Constant"],
    summary: "constant functions",
    wording: Wording::family(Head::Constant, "constant", &[]),
    formula: "v",
    latex: "v",
    params: &[V],
    flag: None,
    stationary: true,
    derivatives: f64::INFINITY,
    reads_inputs: false,
    several_inputs: true,
    infinitely_divisible: true,
    example: "Const(v=4)",
    points: &[(&[0.667], 0.0, 5.0, 0.667)],
};

impl Family for Constant {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn prepare(&self, _theta: Theta<'_>, _x: &[&[f64]], _learnt: &[f64]) -> Result<Rows, String> {
        Ok(Vec::new())
    }

    fn column(&self, theta: Theta<'_>, _pairs: Pairs<'_>, out: &mut [f64]) {
        out.fill(theta.one(0));
    }

    fn diagonal(&self, theta: Theta<'_>, _rows: &Rows, out: &mut [f64]) {
        out.fill(theta.one(0));
    }

    fn pull(
        &self,
        _theta: Theta<'_>,
        _pairs: Pairs<'_>,
        _k: &[f64],
        w: &mut [f64],
        _scratch: &mut Scratch,
        gradient: &mut [f64],
    ) {
        gradient[0] += w.iter().sum::<f64>();
    }

    fn slope_variances(&self, theta: Theta<'_>, inputs: usize) -> Option<(f64, Vec<f64>)> {
        Some((theta.one(0), vec![0.0; inputs]))
    }

    fn form(&self, theta: Theta<'_>, _inputs: usize) -> Form {
        Form::Constant(theta.one(0))
    }
}
