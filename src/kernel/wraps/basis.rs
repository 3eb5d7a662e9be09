//! Known functions with unknown weights: v·Σ φᵢ(x)φᵢ(x′), a linear mean function as a kernel.
//!
//! A mean function Σ wᵢφᵢ with independent weights of variance v is a Gaussian process with this kernel. Source:
//! Duvenaud, "Expressing Structure with Kernels", on mean functions.

use std::sync::Arc;

use super::function_spec::with_parameters;
use crate::kernel::bind_error::BindError;
use crate::kernel::elementwise::Elementwise;
use crate::kernel::family::{Pairs, Rows, Spec, Theta, V};
use crate::kernel::input_view::ViewPair;
use crate::kernel::inputs::Inputs;
use crate::kernel::phrasing::Wording;
use crate::kernel::plan::{Parts, Plan};
use crate::kernel::row_function::RowFunction;
use crate::kernel::tree::Wrap;
use crate::kernel::tree::{Kernel, Wrapped};
use crate::kernel::values::Values;
use crate::linalg::vector;

pub(super) static SPEC: Spec = Spec {
    name: "basis",
    aliases: &[],
    summary: "known functions of the inputs with unknown weights",
    wording: Wording::wrap("a sum of the functions {f} of {x} with unknown weights[ of variance {v}]"),
    formula: "v sum_i f_i(x) f_i(x')",
    latex: r"v \sum_i f_i(x) f_i(x')",
    params: &[V],
    flag: None,
    stationary: false,
    derivatives: f64::INFINITY,
    reads_inputs: true,
    several_inputs: true,
    infinitely_divisible: false,
    example: "basis(x -> [1, x, x^2], 0)",
    points: &[],
};

/// The kernel of Σ wᵢφᵢ, φ = `function` of `inputs`; `params` are the variance of the weights, then the parameters of
/// the function.
pub fn basis(function: Arc<dyn RowFunction>, inputs: Inputs, params: Vec<Values>) -> Kernel {
    let spec = with_parameters(&SPEC, &*function);
    Kernel::wrap(Arc::new(Basis { function, spec }), Vec::new(), inputs, params)
}

#[derive(Debug)]
struct Basis {
    function: Arc<dyn RowFunction>,
    spec: &'static Spec,
}

impl Wrap for Basis {
    fn spec(&self) -> &'static Spec {
        self.spec
    }

    fn function(&self) -> Option<&dyn RowFunction> {
        Some(&*self.function)
    }

    fn plan(&self, plan: &mut Plan<'_>, node: &Kernel, wrapped: &Wrapped, views: ViewPair) -> Result<usize, BindError> {
        let inputs = plan.inputs(node.origin(), &wrapped.inputs)?;
        // the parameters are inserted after the view, which is known by its place
        let ((mut slots, mut ranges), deferred) = plan.params_before_children(node, wrapped, &inputs, 1)?;
        let of_function = slots.split_off(1);
        ranges.truncate(1);
        let features = plan.function_views(node.origin(), views, &self.function, &of_function, &inputs, false)?;
        plan.insert_params(deferred);
        let columns = (0..plan.column_count(features.left)).collect();
        Ok(plan.elementwise(
            Box::new(Features),
            Parts { columns, ..Parts::of(Vec::new(), features).params((slots, ranges)) },
        ))
    }
}

/// v times the inner product of the columns of the view.
#[derive(Debug)]
struct Features;

impl Elementwise for Features {
    fn prepare(&self, _theta: Theta<'_>, x: &[&[f64]]) -> Rows {
        x.iter().map(|column| column.to_vec()).collect()
    }

    fn column(&self, theta: Theta<'_>, pairs: Pairs<'_>, _args: &[&[f64]], out: &mut [f64]) {
        out.fill(0.0);
        for d in 0..pairs.a.len() {
            vector::axpy(out, theta.one(0) * pairs.right(d), pairs.left(d, out.len()));
        }
    }

    fn diagonal(&self, theta: Theta<'_>, rows: &Rows, _args: &[&[f64]], out: &mut [f64]) {
        for (i, out) in out.iter_mut().enumerate() {
            *out = theta.one(0) * rows.iter().map(|x| x[i] * x[i]).sum::<f64>();
        }
    }

    fn pull(
        &self,
        _theta: Theta<'_>,
        pairs: Pairs<'_>,
        _args: &[&[f64]],
        w: &[f64],
        _adjoints: &mut [Vec<f64>],
        gradient: &mut [f64],
    ) {
        for d in 0..pairs.a.len() {
            gradient[0] += pairs.right(d) * vector::dot(w, pairs.left(d, w.len()));
        }
    }

    fn pull_inputs(
        &self,
        theta: Theta<'_>,
        pairs: Pairs<'_>,
        _args: &[&[f64]],
        w: &[f64],
        left: &mut [Vec<f64>],
        right: &mut [f64],
    ) {
        for d in 0..pairs.a.len() {
            if let Some(left) = left.get_mut(d) {
                vector::axpy(left, theta.one(0) * pairs.right(d), w);
            }
            if let Some(right) = right.get_mut(d) {
                *right += theta.one(0) * vector::dot(w, pairs.left(d, w.len()));
            }
        }
    }
}
