//! A whole-number power of a kernel, k^n: the product of n copies that share their parameters.

use std::sync::Arc;

use crate::kernel::bind_error::BindError;
use crate::kernel::elementwise::Elementwise;
use crate::kernel::family::{Pairs, Spec, Theta};
use crate::kernel::input_view::ViewPair;
use crate::kernel::inputs::Inputs;
use crate::kernel::phrasing::Wording;
use crate::kernel::plan::{Parts, Plan};
use crate::kernel::tree::Wrap;
use crate::kernel::tree::{Kernel, Wrapped};

pub(super) static SPEC: Spec = Spec {
    name: "^",
    aliases: &[],
    summary: "a whole power: the product of copies that share their parameters",
    wording: Wording::wrap("{k}, with its covariance raised to the power {n}"),
    formula: "k^n",
    latex: "k^n",
    params: &[],
    flag: None,
    stationary: true,
    derivatives: f64::INFINITY,
    reads_inputs: false,
    several_inputs: true,
    infinitely_divisible: true,
    example: "Lin(0)^2",
    points: &[],
};

/// k^n. An exponent of 1 is the kernel itself.
pub fn power(kernel: Kernel, exponent: u32) -> Kernel {
    if exponent == 1 {
        return kernel;
    }
    Kernel::wrap(Arc::new(Power(exponent)), vec![kernel], Inputs::All, Vec::new())
}

#[derive(Debug)]
struct Power(u32);

impl Wrap for Power {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn reads_inputs_through_children(&self) -> bool {
        true
    }

    fn exponent(&self) -> Option<u32> {
        Some(self.0)
    }

    fn plan(
        &self,
        plan: &mut Plan<'_>,
        _node: &Kernel,
        wrapped: &Wrapped,
        views: ViewPair,
    ) -> Result<usize, BindError> {
        let child = plan.child(wrapped, 0, views)?;
        plan.no_params();
        Ok(plan.elementwise(Box::new(Power(self.0)), Parts::of(vec![child], views)))
    }
}

impl Elementwise for Power {
    fn column(&self, _theta: Theta<'_>, _pairs: Pairs<'_>, args: &[&[f64]], out: &mut [f64]) {
        for (out, k) in out.iter_mut().zip(args[0]) {
            *out = k.powi(self.0 as i32);
        }
    }

    fn pull(
        &self,
        _theta: Theta<'_>,
        _pairs: Pairs<'_>,
        args: &[&[f64]],
        w: &[f64],
        adjoints: &mut [Vec<f64>],
        _gradient: &mut [f64],
    ) {
        let n = self.0 as i32;
        for ((adjoint, k), w) in adjoints[0].iter_mut().zip(args[0]).zip(w) {
            *adjoint += w * f64::from(n) * k.powi(n - 1);
        }
    }
}
