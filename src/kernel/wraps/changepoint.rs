//! One kernel before a changepoint of an input, another after it.
//!
//! k = (1 − σ)(1 − σ′)·k₁ + σσ′·k₂ with σ = logistic((x − at)/width). Source: Duvenaud, structure-search appendix.

use std::sync::Arc;

use crate::kernel::bind_error::BindError;
use crate::kernel::elementwise::Elementwise;
use crate::kernel::family::{Domains, Pairs, ParamSpec, Role, Rows, Size, Spec, Theta};
use crate::kernel::input_view::ViewPair;
use crate::kernel::inputs::Inputs;
use crate::kernel::phrasing::Wording;
use crate::kernel::plan::{Parts, Plan};
use crate::kernel::tree::Wrap;
use crate::kernel::tree::{Kernel, Wrapped};
use crate::kernel::values::Values;
use crate::linalg::vector;

const AT: ParamSpec = ParamSpec {
    name: "at",
    short: "at",
    domain: Domains::Real,
    role: Role::Location,
    size: Size::One,
    default: 0.0,
    help: "the location of the change",
};

const WIDTH: ParamSpec = ParamSpec {
    name: "width",
    short: "width",
    domain: Domains::Positive,
    role: Role::LengthScale,
    size: Size::One,
    default: 1.0,
    help: "the width of the change along the input",
};

pub(super) static SPEC: Spec = Spec {
    name: "changepoint",
    aliases: &[],
    summary: "one kernel before a changepoint of an input, another after it",
    // {lower} and {upper} are the rows between which it is a jump; {at} and {width} then are not known
    wording: Wording::wrap(
        "a change [between the rows at {x} = {lower} and {upper}|near {x} = {at}|along {x}][ over about {width}] from {1} to {2}",
    ),
    formula: "(1 - s)(1 - s') k1 + s s' k2, s = 1/(1 + exp(-(x - at)/width))",
    latex: r"(1-\sigma)(1-\sigma') k_1 + \sigma \sigma' k_2",
    params: &[AT, WIDTH],
    flag: None,
    stationary: false,
    derivatives: f64::INFINITY,
    reads_inputs: true,
    several_inputs: false,
    infinitely_divisible: false,
    example: "changepoint(SE(0, l=1), SE(0, l=5), 0, at=2, width=0.5)",
    points: &[],
};

/// A change from `before` to `after` along one input; `params` are `at` and `width`.
pub fn changepoint(before: Kernel, after: Kernel, input: Inputs, params: Vec<Values>) -> Kernel {
    Kernel::wrap(Arc::new(Changepoint), vec![before, after], input, params)
}

#[derive(Debug)]
struct Changepoint;

impl Wrap for Changepoint {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn is_linear(&self) -> bool {
        true
    }

    fn plan(&self, plan: &mut Plan<'_>, node: &Kernel, wrapped: &Wrapped, views: ViewPair) -> Result<usize, BindError> {
        let args = vec![plan.child(wrapped, 0, views)?, plan.child(wrapped, 1, views)?];
        let columns = plan.single_input(node.origin(), &wrapped.inputs, views, SPEC.name)?;
        let params = plan.own_params(node, wrapped, &columns, 1)?;
        Ok(plan.elementwise(Box::new(Changepoint), Parts { columns, ..Parts::of(args, views).params(params) }))
    }
}

fn logistic(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

/// Rows: σ, 1 − σ, and the distance from `at` in widths.
const AFTER: usize = 0;
const BEFORE: usize = 1;
const Z: usize = 2;

impl Elementwise for Changepoint {
    fn prepare(&self, theta: Theta<'_>, x: &[&[f64]]) -> Rows {
        let (at, width) = (theta.one(0), theta.one(1));
        let z: Vec<f64> = x[0].iter().map(|x| (x - at) / width).collect();
        vec![z.iter().map(|&z| logistic(z)).collect(), z.iter().map(|&z| logistic(-z)).collect(), z]
    }

    fn column(&self, _theta: Theta<'_>, pairs: Pairs<'_>, args: &[&[f64]], out: &mut [f64]) {
        let len = out.len();
        let (after, before) = (pairs.left(AFTER, len), pairs.left(BEFORE, len));
        let (own_after, own_before) = (pairs.right(AFTER), pairs.right(BEFORE));
        for i in 0..len {
            out[i] = before[i] * own_before * args[0][i] + after[i] * own_after * args[1][i];
        }
    }

    fn diagonal(&self, _theta: Theta<'_>, rows: &Rows, args: &[&[f64]], out: &mut [f64]) {
        for (i, out) in out.iter_mut().enumerate() {
            let (after, before) = (rows[AFTER][i], rows[BEFORE][i]);
            *out = before * before * args[0][i] + after * after * args[1][i];
        }
    }

    fn pull(
        &self,
        theta: Theta<'_>,
        pairs: Pairs<'_>,
        args: &[&[f64]],
        w: &[f64],
        adjoints: &mut [Vec<f64>],
        gradient: &mut [f64],
    ) {
        let (len, width) = (w.len(), theta.one(1));
        let (after, before, z) = (pairs.left(AFTER, len), pairs.left(BEFORE, len), pairs.left(Z, len));
        let (own_after, own_before, own_z) = (pairs.right(AFTER), pairs.right(BEFORE), pairs.right(Z));
        let (mut by_at, mut by_width) = (0.0, 0.0);
        for i in 0..len {
            // dσ/dz = σ(1 − σ), of either row
            let (one, two) = (before[i] * own_before * args[0][i], after[i] * own_after * args[1][i]);
            let (left, right) = (two * before[i] - one * after[i], two * own_before - one * own_after);
            by_at += w[i] * (left + right);
            by_width += w[i] * (left * z[i] + right * own_z);
        }
        gradient[0] -= by_at / width;
        gradient[1] -= by_width / width;
        for (adjoint, (weights, own)) in adjoints.iter_mut().zip([(before, own_before), (after, own_after)]) {
            let mut handed: Vec<f64> = w.iter().zip(weights).map(|(w, s)| w * s).collect();
            vector::affine(&mut handed, own, 0.0);
            vector::add(adjoint, &handed);
        }
    }

    fn pull_inputs(
        &self,
        theta: Theta<'_>,
        pairs: Pairs<'_>,
        args: &[&[f64]],
        w: &[f64],
        left: &mut [Vec<f64>],
        right: &mut [f64],
    ) {
        let (len, width) = (w.len(), theta.one(1));
        let (after, before) = (pairs.left(AFTER, len), pairs.left(BEFORE, len));
        let (own_after, own_before) = (pairs.right(AFTER), pairs.right(BEFORE));
        for i in 0..len {
            let (one, two) = (before[i] * own_before * args[0][i], after[i] * own_after * args[1][i]);
            if let Some(left) = left.first_mut() {
                left[i] += w[i] * (two * before[i] - one * after[i]) / width;
            }
            if let Some(right) = right.first_mut() {
                *right += w[i] * (two * own_before - one * own_after) / width;
            }
        }
    }
}
