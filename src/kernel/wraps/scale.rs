//! A kernel whose amplitude is a function of the inputs: a(x)·k(x, x′)·a(x′).

use std::sync::Arc;

use super::function_spec::with_parameters;
use super::warp::inputs_of;
use crate::kernel::bind_error::BindError;
use crate::kernel::elementwise::Elementwise;
use crate::kernel::family::{Pairs, Rows, Spec, Theta};
use crate::kernel::input_view::ViewPair;
use crate::kernel::inputs::Inputs;
use crate::kernel::phrasing::Wording;
use crate::kernel::plan::{Parts, Plan};
use crate::kernel::row_function::RowFunction;
use crate::kernel::tree::Wrap;
use crate::kernel::tree::{Kernel, Wrapped};
use crate::kernel::values::Values;

pub(super) static SPEC: Spec = Spec {
    name: "scale",
    aliases: &[],
    summary: "a kernel whose amplitude is a function of the inputs",
    wording: Wording::wrap("{k}, with its amplitude multiplied by {f}"),
    formula: "a(x) k(x, x') a(x')",
    latex: r"a(x) k(x, x') a(x')",
    params: &[],
    flag: None,
    stationary: false,
    derivatives: f64::INFINITY,
    reads_inputs: false,
    several_inputs: true,
    infinitely_divisible: false,
    example: "scale(SE(0), x -> exp(x))",
    points: &[],
};

/// `function`(x) · `kernel`(x, x′) · `function`(x′); `params` are those of the function.
pub fn scale(kernel: Kernel, function: Arc<dyn RowFunction>, params: Vec<Values>) -> Kernel {
    let spec = with_parameters(&SPEC, &*function);
    Kernel::wrap(Arc::new(Scale { function, spec }), vec![kernel], Inputs::All, params)
}

#[derive(Debug)]
struct Scale {
    function: Arc<dyn RowFunction>,
    spec: &'static Spec,
}

impl Wrap for Scale {
    fn spec(&self) -> &'static Spec {
        self.spec
    }

    fn is_linear(&self) -> bool {
        true
    }

    fn function(&self) -> Option<&dyn RowFunction> {
        Some(&*self.function)
    }

    fn plan(&self, plan: &mut Plan<'_>, node: &Kernel, wrapped: &Wrapped, views: ViewPair) -> Result<usize, BindError> {
        let inputs = inputs_of(plan, &wrapped.children[0])?;
        let ((slots, _), deferred) = plan.params_before_children(node, wrapped, &[], 0)?;
        let child = plan.child(wrapped, 0, views)?;
        let amplitudes = plan.function_views(node.origin(), views, &self.function, &slots, &inputs, false)?;
        plan.one_result(node.origin(), amplitudes.left)?;
        plan.insert_params(deferred);
        Ok(plan.elementwise(Box::new(Amplitude), Parts { columns: vec![0], ..Parts::of(vec![child], amplitudes) }))
    }
}

/// The child's values times the single column of the view, at both rows.
#[derive(Debug)]
struct Amplitude;

impl Elementwise for Amplitude {
    fn prepare(&self, _theta: Theta<'_>, x: &[&[f64]]) -> Rows {
        vec![x[0].to_vec()]
    }

    fn column(&self, _theta: Theta<'_>, pairs: Pairs<'_>, args: &[&[f64]], out: &mut [f64]) {
        let own = pairs.right(0);
        for ((out, k), a) in out.iter_mut().zip(args[0]).zip(pairs.left(0, args[0].len())) {
            *out = a * k * own;
        }
    }

    fn diagonal(&self, _theta: Theta<'_>, rows: &Rows, args: &[&[f64]], out: &mut [f64]) {
        for ((out, k), a) in out.iter_mut().zip(args[0]).zip(&rows[0]) {
            *out = a * k * a;
        }
    }

    fn pull(
        &self,
        _theta: Theta<'_>,
        pairs: Pairs<'_>,
        _args: &[&[f64]],
        w: &[f64],
        adjoints: &mut [Vec<f64>],
        _gradient: &mut [f64],
    ) {
        let own = pairs.right(0);
        for ((adjoint, a), w) in adjoints[0].iter_mut().zip(pairs.left(0, w.len())).zip(w) {
            *adjoint += w * a * own;
        }
    }

    fn pull_inputs(
        &self,
        _theta: Theta<'_>,
        pairs: Pairs<'_>,
        args: &[&[f64]],
        w: &[f64],
        left: &mut [Vec<f64>],
        right: &mut [f64],
    ) {
        let own = pairs.right(0);
        for (i, ((k, a), w)) in args[0].iter().zip(pairs.left(0, w.len())).zip(w).enumerate() {
            if let Some(left) = left.first_mut() {
                left[i] += w * k * own;
            }
            if let Some(right) = right.first_mut() {
                *right += w * k * a;
            }
        }
    }
}
