//! A kernel that sees its inputs through a function: k(φ(x), φ(x′)).
//!
//! The function takes the inputs that the kernel mentions and gives as many numbers. A kernel of any function of the
//! inputs is a kernel. Source: Duvenaud, "Expressing Structure with Kernels", on transformed inputs.

use std::sync::Arc;

use crate::kernel::bind::BindError;
use crate::kernel::family::Spec;
use crate::kernel::phrasing::Voice;
use crate::kernel::plan::{Plan, Seen};
use crate::kernel::wrap::{RowFunction, Wrap};
use crate::kernel::{Inputs, Kernel, Wrapped};

pub(super) static SPEC: Spec = Spec {
    name: "warp",
    aliases: &[],
    summary: "a kernel that sees its inputs through a function",
    voice: Voice::moving("{k}, with {x} replaced by {f}"),
    formula: "k(f(x), f(x'))",
    latex: r"k(f(x), f(x'))",
    params: &[],
    flag: None,
    stationary: false,
    reads_inputs: false,
    several_inputs: true,
    divisible: true,
    example: "warp(SE(0), x -> log(x + 1))",
    points: &[],
};

/// `kernel` with the inputs that it mentions replaced by `function` of them.
pub fn warp(kernel: Kernel, function: Arc<dyn RowFunction>) -> Kernel {
    Kernel::wrap(Arc::new(Warp(function)), vec![kernel], Inputs::All, Vec::new())
}

#[derive(Debug)]
struct Warp(Arc<dyn RowFunction>);

/// The columns that a user's function over a kernel's inputs is given: those the kernel mentions, in order.
pub(super) fn seen_by(plan: &Plan<'_>, kernel: &Kernel) -> Result<Vec<usize>, BindError> {
    let (mentioned, all) = kernel.mentioned();
    let inputs = if all || mentioned.is_empty() { Inputs::All } else { Inputs::These(mentioned) };
    plan.inputs(kernel, &inputs)
}

impl Wrap for Warp {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn is_linear(&self) -> bool {
        true
    }

    fn function(&self) -> Option<&dyn RowFunction> {
        Some(&*self.0)
    }

    fn plan(&self, plan: &mut Plan<'_>, node: &Kernel, wrapped: &Wrapped, seen: Seen) -> Result<usize, BindError> {
        let inputs = seen_by(plan, &wrapped.children[0])?;
        let through = plan.through(node, seen, &self.0, &inputs, true)?;
        let register = plan.child(wrapped, 0, through)?;
        plan.no_params();
        Ok(register)
    }
}
