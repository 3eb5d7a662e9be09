//! A kernel of a function of the inputs: k(φ(x), φ(x′)).
//!
//! The function receives the inputs that the kernel mentions. As many values as inputs replace these one by one; another
//! number of values are coordinates that stand for all these inputs together, so that a family of the distance measures
//! it between the points of an embedding. The result is a kernel for any function. Source: Duvenaud, "Expressing
//! Structure with Kernels", on transformed inputs.

use std::sync::Arc;

use super::function_spec::with_parameters;
use crate::kernel::bind_error::BindError;
use crate::kernel::family::Spec;
use crate::kernel::input_view::ViewPair;
use crate::kernel::inputs::Inputs;
use crate::kernel::phrasing::Wording;
use crate::kernel::plan::Plan;
use crate::kernel::row_function::RowFunction;
use crate::kernel::tree::Wrap;
use crate::kernel::tree::{Kernel, Wrapped};
use crate::kernel::values::Values;

pub(super) static SPEC: Spec = Spec {
    name: "warp",
    aliases: &[],
    summary: "a kernel applied to a function of its inputs",
    wording: Wording::moving("{k}, with {x} replaced by {f}"),
    formula: "k(f(x), f(x'))",
    latex: r"k(f(x), f(x'))",
    params: &[],
    flag: None,
    stationary: false,
    derivatives: f64::INFINITY,
    reads_inputs: false,
    several_inputs: true,
    infinitely_divisible: true,
    example: "warp(SE(0), x -> log(x + 1))",
    points: &[],
};

/// `kernel` with the inputs that it mentions replaced by `function` of them; `params` are those of the function.
pub fn warp(kernel: Kernel, function: Arc<dyn RowFunction>, params: Vec<Values>) -> Kernel {
    let spec = with_parameters(&SPEC, &*function);
    Kernel::wrap(Arc::new(Warp { function, spec }), vec![kernel], Inputs::All, params)
}

#[derive(Debug)]
struct Warp {
    function: Arc<dyn RowFunction>,
    spec: &'static Spec,
}

/// The columns that a user's function of a kernel's inputs receives: those the kernel mentions, in order.
pub(super) fn inputs_of(plan: &Plan<'_>, kernel: &Kernel) -> Result<Vec<usize>, BindError> {
    let (mentioned, all) = kernel.function_inputs();
    let inputs = if all || mentioned.is_empty() { Inputs::All } else { Inputs::These(mentioned) };
    plan.inputs(kernel.origin(), &inputs)
}

impl Wrap for Warp {
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
        let through = plan.function_views(node.origin(), views, &self.function, &slots, &inputs, true)?;
        let register = plan.child(wrapped, 0, through)?;
        plan.insert_params(deferred);
        Ok(register)
    }
}
