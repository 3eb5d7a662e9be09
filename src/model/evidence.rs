//! The evidence and its gradient: of exact regression, and of classes by pseudo-observations.
//!
//! log p(y) = −½ rᵀα − ½ log det K − (n/2) log 2π with r = y − m, α = K⁻¹r (Rasmussen & Williams, 2.30 and 5.9). The
//! gradient in every parameter comes of one walk back over the kernel with W = ½(ααᵀ − K⁻¹) at its root. With classes
//! pseudo-observations stand in for rows, and (K + S⁻¹)⁻¹ for K⁻¹: at the fixed point of expectation propagation the
//! sites do not count (Rasmussen & Williams, 5.27), at Laplace's mode they add a term (5.23).

use super::classes::{Approximator, Pseudo, Warm};
use super::normal::LOG_2PI;
use super::{Bernoulli, ModelError, ParameterKind, Problem};
use crate::kernel::{Gram, SlotState};
use crate::linalg::{Matrix, Workspace, least_squares, vector};
use crate::param::{Domain, State};

/// The log marginal likelihood at some values.
#[derive(Debug, Clone, PartialEq)]
pub struct Evidence {
    /// log p(y), in the units that y was given in (with the Jacobian of the target's transforms).
    pub lml: f64,
    /// Its derivative in every parameter of the problem, in natural units. Empty when it was not asked for.
    pub gradient: Vec<f64>,
    /// The values that it belongs to: as given, but with those of the mean at their best if that was asked for.
    pub values: Vec<f64>,
    /// Whether the approximation that classes need settled.
    pub converged: bool,
}

/// Evaluates the evidence of one problem, keeping its memory between calls.
pub struct Evidencer<'p> {
    problem: &'p Problem,
    gram: Gram<'p>,
    work: Workspace,
    basis: Vec<Vec<f64>>,
    jitter: f64,
    /// The jitter as a share of the mean diagonal, with which it grows.
    jitter_share: f64,
    /// Of classes.
    approximator: Option<Approximator>,
}

impl<'p> Evidencer<'p> {
    pub fn new(problem: &'p Problem) -> Self {
        Self {
            problem,
            gram: Gram::new(problem.bound(), problem.points()),
            work: Workspace::new(problem.n()),
            basis: problem.mean_basis(&problem.x(), problem.n()),
            jitter: 0.0,
            jitter_share: 0.0,
            approximator: problem.classes().map(|_| Approximator::new(problem.n())),
        }
    }

    /// The evidence, with `profile` at the best values of the free parameters of the mean (generalised least squares,
    /// where that is the maximum: no bounds, no priors).
    ///
    /// # Errors
    /// [`ModelError::NotPositiveDefinite`], also with the little jitter that is tried; rows that a kernel cannot look at.
    pub fn evaluate(&mut self, values: &[f64], gradient: bool, profile: bool) -> Result<Evidence, ModelError> {
        self.evaluate_from(values, gradient, profile, &mut Warm::default())
    }

    /// The same, with classes' approximation begun where that of a place nearby ended.
    ///
    /// # Errors
    /// As [`Evidencer::evaluate`].
    pub fn evaluate_from(
        &mut self,
        values: &[f64],
        gradient: bool,
        profile: bool,
        warm: &mut Warm,
    ) -> Result<Evidence, ModelError> {
        let problem = self.problem;
        if let Some(how) = problem.model().bernoulli() {
            return self.of_classes(how, values, gradient, warm);
        }
        let n = problem.n();
        self.factor(values)?;
        let mut values = values.to_vec();
        if profile {
            self.profile_mean(&mut values);
        }
        let mut residual = problem.y().to_vec();
        for (basis, &weight) in self.basis.iter().zip(problem.mean_values(&values)) {
            vector::axpy(&mut residual, -weight, basis);
        }
        let mut alpha = residual.clone();
        self.work.solve(&mut alpha);
        let lml = -0.5 * vector::dot(&residual, &alpha) - 0.5 * self.work.log_det() - 0.5 * n as f64 * LOG_2PI
            + problem.log_jacobian();
        if !lml.is_finite() {
            return Ok(Evidence { lml: f64::NEG_INFINITY, gradient: Vec::new(), values, converged: true });
        }
        let gradient = if gradient { self.gradient(&alpha, None, values.len()) } else { Vec::new() };
        Ok(Evidence { lml, gradient, values, converged: true })
    }

    fn of_classes(
        &mut self,
        how: Bernoulli,
        values: &[f64],
        gradient: bool,
        warm: &mut Warm,
    ) -> Result<Evidence, ModelError> {
        let problem = self.problem;
        let Some(approximator) = &mut self.approximator else { return Err(ModelError::NoTarget) };
        self.gram.evaluate(problem.kernel_values(values), &mut approximator.k)?;
        approximator.k.fill_upper_triangle_with_lower_triangle();
        let mut mean = vec![0.0; problem.n()];
        for (basis, &weight) in self.basis.iter().zip(problem.mean_values(values)) {
            vector::axpy(&mut mean, weight, basis);
        }
        let found = approximator.find(how, problem.y(), &mean, gradient, warm, &mut self.work)?;
        let (lml, converged, values) = (found.lml, found.converged, values.to_vec());
        if !lml.is_finite() {
            return Ok(Evidence { lml: f64::NEG_INFINITY, gradient: Vec::new(), values, converged });
        }
        let gradient = if gradient { self.gradient(&found.alpha, Some(&found), values.len()) } else { Vec::new() };
        Ok(Evidence { lml, gradient, values, converged })
    }

    /// What was added to the diagonal in the last evaluation.
    pub fn jitter(&self) -> f64 {
        self.jitter
    }

    /// Writes K + noise and factors it; a first failure is met with the jitter that predictions would use.
    fn factor(&mut self, values: &[f64]) -> Result<(), ModelError> {
        let noise = self.problem.noise(values);
        let mut jitter = 0.0;
        loop {
            self.gram.evaluate(self.problem.kernel_values(values), &mut self.work.matrix)?;
            let n = noise.len();
            let mut mean = 0.0;
            for (i, noise) in noise.iter().enumerate() {
                let at = &mut self.work.matrix[(i, i)];
                *at += noise;
                mean += *at / n as f64;
                *at += jitter;
            }
            match self.work.factor() {
                Ok(()) => {
                    self.jitter = jitter;
                    self.jitter_share = if jitter > 0.0 { jitter / mean } else { 0.0 };
                    return Ok(());
                }
                Err(error) if !mean.is_finite() || mean <= 0.0 || jitter >= 1e-4 * mean => return Err(error.into()),
                Err(_) => jitter = if jitter == 0.0 { 1e-10 * mean } else { 10.0 * jitter },
            }
        }
    }

    fn gradient(&mut self, alpha: &[f64], pseudo: Option<&Pseudo>, count: usize) -> Vec<f64> {
        let problem = self.problem;
        let n = alpha.len();
        let mut gradient = vec![0.0; count];
        let slots = problem.bound().slots().len();
        // the approximation of classes has come by it already
        let inverse = if pseudo.is_some() { self.work.inverse() } else { self.work.invert() };
        let by_diagonal = 0.5 * (0..n).map(|i| alpha[i] * alpha[i] - inverse[(i, i)]).sum::<f64>();
        let by_jitter = by_diagonal * self.jitter_share;
        self.gram.pull(
            |j, w| {
                let column = &inverse.as_slice()[j * n + j..(j + 1) * n];
                if let Some(pseudo) = pseudo {
                    pseudo.pull(j, column, w);
                    return;
                }
                w.copy_from_slice(&alpha[j..]);
                // twice ½(αᵢαⱼ − K⁻¹ᵢⱼ): both halves of the matrix
                vector::affine(w, alpha[j], 0.0);
                vector::axpy(w, -1.0, column);
                w[0] = 0.5 * w[0] + by_jitter / n as f64;
            },
            &mut gradient[..slots],
        );
        for (i, parameter) in problem.parameters().iter().enumerate().skip(slots) {
            gradient[i] = match parameter.kind {
                ParameterKind::Noise => by_diagonal + by_jitter,
                ParameterKind::Mean(m) => {
                    let implicit = pseudo.map_or(&[][..], |p| &p.implicit);
                    let beside = if implicit.is_empty() { 0.0 } else { vector::dot(&self.basis[m], implicit) };
                    vector::dot(&self.basis[m], alpha) + beside
                }
                ParameterKind::Kernel(_) => continue,
            };
        }
        gradient
    }

    /// Sets the free, unbounded, prior-less parameters of the mean to their maximum given the rest.
    fn profile_mean(&self, values: &mut [f64]) {
        let first = values.len() - self.basis.len();
        let profiled: Vec<usize> = (0..self.basis.len()).filter(|&m| is_profiled(self.problem, first + m)).collect();
        if profiled.is_empty() {
            return;
        }
        let mut target = self.problem.y().to_vec();
        for (m, basis) in self.basis.iter().enumerate() {
            if !profiled.contains(&m) {
                vector::axpy(&mut target, -values[first + m], basis);
            }
        }
        // nearly always one: a projection, for which nothing has to be decomposed
        if let [m] = profiled[..] {
            let mut column = self.basis[m].clone();
            self.work.solve(&mut column);
            let best = vector::dot(&column, &target) / vector::dot(&self.basis[m], &column);
            if best.is_finite() {
                values[first + m] = best;
            }
            return;
        }
        let mut columns = Matrix::from_fn(target.len(), profiled.len(), |i, j| self.basis[profiled[j]][i]);
        self.work.half_solve(&mut columns);
        let mut target = Matrix::from_column_slice(target.len(), 1, &target);
        self.work.half_solve(&mut target);
        // inputs that do not vary, or that say the same, leave the shortest of the best
        if let Some(best) = least_squares(columns, &target.column(0).into_owned()) {
            for (&m, &value) in profiled.iter().zip(best.iter()) {
                values[first + m] = value;
            }
        }
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
