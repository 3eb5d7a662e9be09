//! The log marginal likelihood at given values, and the parameters of the mean with a closed-form optimum.

use super::{ParameterKind, Problem};
use crate::kernel::SlotState;
use crate::param::{Domain, State};

/// The log marginal likelihood at given parameter values.
#[derive(Debug, Clone, PartialEq)]
pub struct Evidence {
    /// log p(y), in the units in which y was given, with the Jacobian of the transforms of the target.
    pub lml: f64,
    /// The log density of y on the scale of the model and in units of `Evidencer::unit`. It does not change, to the
    /// last bit, if target or inputs are multiplied by a power of two.
    pub scaled_lml: f64,
    /// Its derivatives with respect to all parameters of the problem, in natural units. Empty if not requested.
    pub gradient: Vec<f64>,
    /// The parameter values: as given, except that those of the mean are optimal if requested.
    pub values: Vec<f64>,
    /// Whether the approximation for classes converged; `true` for other models.
    pub converged: bool,
}

impl Evidence {
    /// The result where there is no density.
    pub(super) fn none(values: Vec<f64>, converged: bool) -> Self {
        Self { lml: f64::NEG_INFINITY, scaled_lml: f64::NEG_INFINITY, gradient: Vec::new(), values, converged }
    }
}

/// Whether a parameter of the mean is optimised in closed form.
pub(crate) fn is_profiled(problem: &Problem, at: usize) -> bool {
    problem.classes().is_none() && is_refitted(problem, at)
}

/// Whether a parameter of the mean is estimated from the data alone.
pub(super) fn is_refitted(problem: &Problem, at: usize) -> bool {
    let parameter = &problem.parameters()[at];
    matches!(parameter.kind, ParameterKind::Mean(_))
        && parameter.state == SlotState::Free
        && parameter.param.prior.is_none()
        && parameter.param.tie.is_none()
        && matches!(parameter.domain, Domain::Real { .. })
        && !matches!(parameter.param.state, State::Bounded { .. })
}
