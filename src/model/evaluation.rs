//! The log marginal likelihood at given values, and parameters of the mean with an optimum in closed form.

use super::{ParameterKind, Problem};
use crate::kernel::SlotState;
use crate::param::{Domain, State};

/// The log marginal likelihood at some values.
#[derive(Debug, Clone, PartialEq)]
pub struct Evidence {
    /// log p(y), in the units that y was given in (with the Jacobian of the target's transforms).
    pub lml: f64,
    /// The log density of y on the scale of the model and in units of `Evidencer::unit`: the same to the bit where
    /// target or inputs are multiplied by a power of two.
    pub scaled_lml: f64,
    /// Its derivative in every parameter of the problem, in natural units. Empty when it was not asked for.
    pub gradient: Vec<f64>,
    /// The values that it belongs to: as given, but with those of the mean at their best if that was asked for.
    pub values: Vec<f64>,
    /// Whether the approximation that classes need settled.
    pub converged: bool,
}

impl Evidence {
    /// Where there is no density.
    pub(super) fn none(values: Vec<f64>, converged: bool) -> Self {
        Self { lml: f64::NEG_INFINITY, scaled_lml: f64::NEG_INFINITY, gradient: Vec::new(), values, converged }
    }
}

/// Whether a parameter of the mean is found in closed form.
pub(crate) fn is_profiled(problem: &Problem, at: usize) -> bool {
    problem.classes().is_none() && is_refitted(problem, at)
}

/// Whether a parameter of the mean is found from the data alone.
pub(super) fn is_refitted(problem: &Problem, at: usize) -> bool {
    let parameter = &problem.parameters()[at];
    matches!(parameter.kind, ParameterKind::Mean(_))
        && parameter.state == SlotState::Free
        && parameter.param.prior.is_none()
        && parameter.param.tie.is_none()
        && matches!(parameter.domain, Domain::Real { .. })
        && !matches!(parameter.param.state, State::Bounded { .. })
}
