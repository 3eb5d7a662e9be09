//! One layer on a tape: the conditional of a Gaussian process given its pseudo outputs or their posterior.

use super::tape::{Tape, TapeError, Var};
use crate::kernel::Bound;
use crate::linalg::Matrix;

/// The jitter of the covariance of pseudo outputs, as a share of its diagonal.
pub(super) const JITTER: f64 = 1e-6;

/// The parameters of one layer, in natural units.
#[derive(Debug, Clone, PartialEq)]
pub struct LayerValues {
    /// Those of the kernel, one per slot.
    pub theta: Vec<f64>,
    /// One row per inducing input.
    pub inducing: Matrix,
    /// The pseudo outputs multiplied by the inverse Cholesky factor of their covariance, one column per unit.
    pub whitened: Matrix,
    /// A root R of the posterior covariance R Rᵀ of the whitened pseudo outputs, which the units share; none where pseudo
    /// outputs are parameters. In hidden layers it is a lower triangle with a positive diagonal.
    pub root: Option<Matrix>,
}

/// The parameters of a layer on a tape.
#[derive(Debug, Clone, Copy)]
pub(super) struct LayerVars {
    pub theta: Var,
    pub inducing: Var,
    pub whitened: Var,
    pub root: Option<Var>,
}

impl LayerVars {
    pub fn new(tape: &mut Tape<'_>, of: &LayerValues) -> Self {
        Self {
            theta: tape.leaf(Matrix::from_column_slice(of.theta.len(), 1, &of.theta)),
            inducing: tape.leaf(of.inducing.clone()),
            whitened: tape.leaf(of.whitened.clone()),
            root: of.root.clone().map(|root| tape.leaf(root)),
        }
    }
}

/// The part of the conditional of a layer at some rows that does not depend on its pseudo outputs.
pub(super) struct Given {
    /// The Cholesky factor L of the covariance of the pseudo outputs.
    pub factor: Var,
    /// L⁻¹ times the covariance of the pseudo outputs with the rows.
    pub half: Var,
    /// The variance of each row given the pseudo outputs.
    pub variance: Var,
}

/// The distribution of one layer at some rows.
pub(super) struct Conditional {
    /// One column per unit.
    pub mean: Var,
    pub variance: Var,
    /// Rᵀ L⁻¹ times the covariance of the pseudo outputs with the rows, R a root of the posterior covariance.
    pub spread: Option<Var>,
}

/// Records the part of a layer that does not depend on its pseudo outputs.
pub(super) fn given_pseudo_outputs<'a>(
    tape: &mut Tape<'a>,
    bound: &'a Bound,
    vars: &LayerVars,
    rows: Var,
) -> Result<Given, TapeError> {
    let among = tape.kernel(bound, vars.theta, vars.inducing, vars.inducing)?;
    let among = tape.inflate(among, JITTER);
    let factor = tape.cholesky(among)?;
    let across = tape.kernel(bound, vars.theta, rows, vars.inducing)?;
    let across = tape.transpose(across);
    let half = tape.solve_lower(factor, across);
    let own = tape.kernel_diagonal(bound, vars.theta, rows)?;
    let explained = tape.column_squares(half);
    let variance = tape.subtract(own, explained);
    Ok(Given { factor, half, variance })
}

/// Records the distribution of a layer, given its pseudo outputs or their posterior.
pub(super) fn conditional(tape: &mut Tape<'_>, vars: &LayerVars, given: &Given) -> Conditional {
    let mean = tape.transposed_product(given.half, vars.whitened);
    let Some(root) = vars.root else {
        return Conditional { mean, variance: given.variance, spread: None };
    };
    let spread = tape.transposed_product(root, given.half);
    let added = tape.column_squares(spread);
    Conditional { mean, variance: tape.add(given.variance, added), spread: Some(spread) }
}
