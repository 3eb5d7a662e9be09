//! The log marginal likelihood and its gradient: for exact regression, and for classes through pseudo-observations.
//!
//! log p(y) = −½ rᵀα − ½ log det K − (n/2) log 2π with r = y − m, α = K⁻¹r (Rasmussen & Williams, 2.30 and 5.9). The
//! gradient with respect to all parameters comes from one backward pass over the kernel with W = ½(ααᵀ − K⁻¹) at its
//! root. For classes, pseudo-observations replace the rows, and (K + S⁻¹)⁻¹ replaces K⁻¹. At the fixed point of
//! expectation propagation the derivatives of the sites cancel (Rasmussen & Williams, 5.27); for Laplace's method they
//! add a term (5.23).

use super::classes::{Approximator, Pseudo, Warm};
use super::evaluation::{Evidence, is_profiled};
use super::jitter::jitters;
use super::sparse::SparseProblem;
use super::{Bernoulli, ModelError, ParameterKind, Problem};
use crate::kernel::{Gram, Points};
use crate::linalg::{FactorError, LOG_2PI, Matrix, NotPositiveDefinite, Workspace, least_squares, vector};
use crate::progress::{Progress, Silent};

/// Evaluates the log marginal likelihood of a problem, and reuses its memory between calls.
pub struct Evidencer<'p> {
    problem: &'p Problem,
    gram: Gram<'p>,
    work: Workspace<'p>,
    basis: Vec<Vec<f64>>,
    unit: f64,
    jitter: f64,
    progress: &'p dyn Progress,
    /// For classes.
    approximator: Option<Approximator>,
}

impl<'p> Evidencer<'p> {
    /// An evaluator, with the memory for matrices of all rows if the model is exact.
    pub fn new(problem: &'p Problem) -> Self {
        // a sparse model needs no matrix of all rows
        let exact = problem.inducing().is_none();
        let n = if exact { problem.n() } else { 0 };
        let points = if exact { problem.points() } else { Points::NONE };
        Self {
            problem,
            gram: Gram::new(problem.bound(), points),
            work: Workspace::new(n),
            basis: if exact { problem.mean_basis(&problem.x(), n) } else { Vec::new() },
            unit: problem.target_unit(),
            jitter: 0.0,
            progress: &Silent,
            approximator: problem.classes().map(|_| Approximator::new(problem.n())),
        }
    }

    /// The same; an evaluation ends with an error when the user stops the work.
    pub fn stopped_by(self, progress: &'p dyn Progress) -> Self {
        let (gram, work) = (self.gram.stopped_by(progress), self.work.stopped_by(progress));
        Self { gram, work, progress, ..self }
    }

    /// The same; a log marginal likelihood may have an error of about this, if that takes less time. None by default.
    pub fn to_within(self, tolerance: f64) -> Self {
        // what takes less time is for rows at equal steps
        let borne = if self.problem.has_equal_steps() { tolerance } else { 0.0 };
        Self { work: self.work.to_within(borne), ..self }
    }

    /// The log marginal likelihood. With `profile`, the free parameters of the mean are set to their optimum by
    /// generalised least squares, where that is the maximum (no bounds, no priors).
    ///
    /// # Errors
    /// [`ModelError::NotPositiveDefinite`], if the largest jitter does not help; rows at which a kernel cannot be
    /// evaluated.
    pub fn evaluate(&mut self, values: &[f64], gradient: bool, profile: bool) -> Result<Evidence, ModelError> {
        self.evaluate_from(values, gradient, profile, &mut Warm::default())
    }

    /// The same; the approximation for classes starts from the sites of a previous call.
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
        if let Some(inducing) = problem.inducing() {
            let sparse = SparseProblem { problem, inducing, progress: self.progress };
            return sparse.evidence(values, gradient, profile);
        }
        if let Some(how) = problem.model().bernoulli() {
            return self.of_classes(how, values, gradient, warm);
        }
        let n = problem.n();
        self.factor(values)?;
        let mut values = values.to_vec();
        let solved = if profile { self.profile_mean(&mut values)? } else { None };
        let mut residual = problem.y().to_vec();
        self.add_mean(&values, -1.0, &mut residual)?;
        let alpha = solved.unwrap_or_else(|| {
            let mut alpha = residual.clone();
            self.work.solve(&mut alpha);
            alpha
        });
        let log_det = self.work.log_det_in(self.unit);
        let scaled_lml = -0.5 * vector::dot(&residual, &alpha) - 0.5 * log_det - 0.5 * n as f64 * LOG_2PI;
        if !scaled_lml.is_finite() {
            return Ok(Evidence::none(values, true));
        }
        let lml = scaled_lml - n as f64 * self.unit.ln() + problem.log_jacobian();
        let gradient = if gradient { self.gradient(&alpha, None, &values)? } else { Vec::new() };
        Ok(Evidence { lml, scaled_lml, gradient, values, converged: true })
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
        self.add_mean(values, 1.0, &mut mean)?;
        let Some(approximator) = &mut self.approximator else { return Err(ModelError::NoTarget) };
        let found = approximator.find(how, problem.y(), &mean, gradient, warm, &mut self.work)?;
        let (lml, converged, values) = (found.lml, found.converged, values.to_vec());
        if !lml.is_finite() {
            return Ok(Evidence::none(values, converged));
        }
        let gradient = if gradient { self.gradient(&found.alpha, Some(&found), &values)? } else { Vec::new() };
        Ok(Evidence { lml, scaled_lml: lml, gradient, values, converged })
    }

    /// The unit of [`Evidence::scaled_lml`].
    pub fn unit(&self) -> f64 {
        self.unit
    }

    /// The jitter that was added to the diagonal in the last evaluation.
    pub fn jitter(&self) -> f64 {
        self.jitter
    }

    /// Computes K + noise and its factor. After a failure, the jitter of the posterior is added.
    fn factor(&mut self, values: &[f64]) -> Result<(), ModelError> {
        let noise = self.problem.noise(values);
        let n = noise.len();
        let mut left: Option<Box<dyn Iterator<Item = f64>>> = None;
        let mut jitter = 0.0;
        loop {
            if self.progress.stop() {
                return Err(ModelError::Stopped);
            }
            self.gram.evaluate(self.problem.kernel_values(values), &mut self.work.matrix)?;
            let mut mean = 0.0;
            for (i, noise) in noise.iter().enumerate() {
                let at = &mut self.work.matrix[(i, i)];
                *at += noise;
                mean += *at / n as f64;
                *at += jitter;
            }
            let error = match self.work.factor() {
                Ok(()) => {
                    self.jitter = jitter;
                    return Ok(());
                }
                Err(FactorError::NotPositiveDefinite(error)) => NotPositiveDefinite { jitter, ..error },
                Err(FactorError::Stopped) => return Err(ModelError::Stopped),
            };
            let left = left.get_or_insert_with(|| Box::new(jitters(self.problem, mean).skip(1)));
            match left.next() {
                Some(next) => jitter = next,
                None => return Err(error.into()),
            }
        }
    }

    fn gradient(&mut self, alpha: &[f64], pseudo: Option<&Pseudo>, values: &[f64]) -> Result<Vec<f64>, ModelError> {
        let problem = self.problem;
        let n = alpha.len();
        let mut gradient = vec![0.0; values.len()];
        let slots = problem.bound().slots().len();
        // the approximation for classes has already computed it
        let inverse = if pseudo.is_some() { self.work.inverse() } else { self.work.invert()? };
        let by_diagonal = 0.5 * (0..n).map(|i| alpha[i] * alpha[i] - inverse[(i, i)]).sum::<f64>();
        self.gram.pull(
            |j, w| {
                let column = &inverse.as_slice()[j * n + j..(j + 1) * n];
                if let Some(pseudo) = pseudo {
                    pseudo.pull(j, column, w);
                    return;
                }
                // twice ½(αᵢαⱼ − K⁻¹ᵢⱼ), for both halves of the matrix
                vector::scaled_less(w, alpha[j], &alpha[j..], column);
                w[0] *= 0.5;
            },
            &mut gradient[..slots],
        )?;
        let slopes = match problem.has_linear_mean() {
            false => problem.mean_slopes(&problem.x(), n, values)?,
            true => Vec::new(),
        };
        let by_mean = |slope: &[f64]| {
            let implicit = pseudo.map_or(&[][..], |p| &p.implicit);
            let beside = if implicit.is_empty() { 0.0 } else { vector::dot(slope, implicit) };
            vector::dot(slope, alpha) + beside
        };
        for (i, parameter) in problem.parameters().iter().enumerate().skip(slots) {
            gradient[i] = match parameter.kind {
                ParameterKind::Noise => by_diagonal,
                ParameterKind::Mean(m) => by_mean(&self.basis[m]),
                ParameterKind::MeanFunction(m) => by_mean(&slopes[m]),
                ParameterKind::Kernel(_) => continue,
            };
        }
        Ok(gradient)
    }

    /// Adds a multiple of the mean function at the training rows.
    fn add_mean(&self, values: &[f64], factor: f64, to: &mut [f64]) -> Result<(), ModelError> {
        let problem = self.problem;
        if !problem.has_linear_mean() {
            vector::axpy(to, factor, &problem.mean_at(&problem.x(), problem.n(), values)?);
        }
        for (basis, &weight) in self.basis.iter().zip(problem.mean_values(values)) {
            vector::axpy(to, factor * weight, basis);
        }
        Ok(())
    }

    /// Sets the free parameters of the mean without bounds and priors to their maximum given the others. Returns K⁻¹(y − m)
    /// with the mean m at these values, if it is known then.
    fn profile_mean(&mut self, values: &mut [f64]) -> Result<Option<Vec<f64>>, ModelError> {
        let first = values.len() - self.basis.len();
        let profiled: Vec<usize> = (0..self.basis.len()).filter(|&m| is_profiled(self.problem, first + m)).collect();
        if profiled.is_empty() {
            return Ok(None);
        }
        // almost always one: a projection, without a decomposition, and one pass over the factor for both
        if let [m] = profiled[..] {
            let (basis, before) = (&self.basis[m], values[first + m]);
            values[first + m] = 0.0;
            let mut rest = self.problem.y().to_vec();
            self.add_mean(values, -1.0, &mut rest)?;
            // first by least squares: of a target far from 0, the difference at the end would lose digits
            let near = vector::dot(basis, &rest) / vector::dot(basis, basis);
            vector::axpy(&mut rest, -near, basis);
            let mut both = [&basis[..], &rest].concat();
            self.work.solve(&mut both);
            let (column, solved) = both.split_at_mut(basis.len());
            let left = vector::dot(column, &rest) / vector::dot(basis, column);
            if !(near + left).is_finite() {
                values[first + m] = before;
                return Ok(None);
            }
            values[first + m] = near + left;
            vector::axpy(solved, -left, column);
            return Ok(Some(solved.to_vec()));
        }
        let mut target = self.problem.y().to_vec();
        for (m, basis) in self.basis.iter().enumerate() {
            if !profiled.contains(&m) {
                vector::axpy(&mut target, -values[first + m], basis);
            }
        }
        let mut columns = Matrix::from_fn(target.len(), profiled.len(), |i, j| self.basis[profiled[j]][i]);
        self.work.half_solve(&mut columns);
        let mut target = Matrix::from_column_slice(target.len(), 1, &target);
        self.work.half_solve(&mut target);
        // for constant or redundant inputs, the minimum-norm solution
        if let Some(best) = least_squares(columns, &target.column(0).into_owned()) {
            for (&m, &value) in profiled.iter().zip(best.iter()) {
                values[first + m] = value;
            }
        }
        Ok(None)
    }
}
