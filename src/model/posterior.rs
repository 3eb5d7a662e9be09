//! The posterior: predictions, the parts of a sum, draws, residuals.

mod draws;
mod induced;
mod summand;
mod without;

use super::baseline::is_zero_kernel;
use super::classes::{Approximator, Pseudo, Warm};
use super::definition::is_noise;
use super::half_covariances::{Halves, Induced, Term, own_noise};
use super::jitter::jitters;
use super::{Bernoulli, ModelError, Problem, cavity};
use crate::data::Step;
use crate::kernel::{Bound, Kernel, Points};
use crate::linalg::{Cholesky, Matrix, Vector, Workspace, orthonormal, transposed_product};
use crate::progress::{Progress, Silent};

/// A Gaussian process given its training rows, at fixed parameter values. For a classifier it is the latent function,
/// with pseudo-observations in place of the rows; K then includes their noise.
#[derive(Debug, Clone)]
pub struct Posterior {
    problem: Problem,
    values: Vec<f64>,
    factor: Cholesky,
    /// K⁻¹(y − m): the weights of the covariances with the base rows.
    alpha: Vector,
    lml: f64,
    /// For a classifier.
    pseudo: Option<Pseudo>,
    /// For a sparse model: `factor` is then that of the inducing inputs, and `alpha` their weights.
    induced: Option<Induced>,
}

/// Means and variances at some rows, on the scale of the model.
#[derive(Debug, Clone, PartialEq)]
pub struct Moments {
    pub mean: Vec<f64>,
    /// The variance of the function itself, non-negative.
    pub var_f: Vec<f64>,
}

/// Data drawn from a model, on the scale of the model: rows × draws.
#[derive(Debug, Clone, PartialEq)]
pub struct Replicates {
    /// The posterior mean of f at the training rows given a draw, without white noise.
    pub fitted: Matrix,
    /// The leave-one-out residual of each row divided by its standard deviation. Each is standard normal; they are
    /// correlated.
    pub standardized: Matrix,
}

/// One summand of the kernel given the data.
#[derive(Debug, Clone, PartialEq)]
pub struct Part {
    pub kernel: Kernel,
    pub mean: Vec<f64>,
    /// Non-negative.
    pub var: Vec<f64>,
}

/// The largest number of rows predicted at a time, and of multiplications per block.
const ROWS: usize = 2048;
const ENTRIES: usize = 2_000_000_000;

impl Posterior {
    /// Conditions on the training rows at these parameter values, with jitter as additional noise if necessary.
    ///
    /// # Errors
    /// [`ModelError::NotPositiveDefinite`] if jitter does not help.
    pub fn new(problem: Problem, values: Vec<f64>) -> Result<Self, ModelError> {
        Self::new_unless(problem, values, &Silent)
    }

    /// The same; the computation ends with an error when the user stops the work.
    ///
    /// # Errors
    /// As [`new`](Self::new); [`ModelError::Stopped`].
    pub fn new_unless(problem: Problem, values: Vec<f64>, progress: &dyn Progress) -> Result<Self, ModelError> {
        if let Some(how) = problem.model().bernoulli() {
            return Self::of_classes(problem, values, how, progress);
        }
        if problem.inducing().is_some() {
            return Self::through_inducing(problem, values, progress);
        }
        let n = problem.n();
        let mut k = Matrix::zeros(n, n);
        let gram = crate::kernel::Gram::new(problem.bound(), problem.points());
        gram.stopped_by(progress).evaluate(problem.kernel_values(&values), &mut k)?;
        for (i, noise) in problem.noise(&values).into_iter().enumerate() {
            k[(i, i)] += noise;
        }
        let mean = k.diagonal().sum() / n.max(1) as f64;
        let factor = Cholesky::with_jitters_unless(k, jitters(&problem, mean), &|| progress.stop())?;
        let residual = Vector::from_vec(problem.y().to_vec()) - mean_at(&problem, &values, &problem.x(), n)?;
        let alpha = factor.solve(&residual);
        let lml = -0.5 * residual.dot(&alpha) - 0.5 * factor.log_det() - 0.5 * n as f64 * std::f64::consts::TAU.ln()
            + problem.log_jacobian();
        Ok(Self { problem, values, factor, alpha, lml, pseudo: None, induced: None })
    }

    fn of_classes(
        problem: Problem,
        values: Vec<f64>,
        how: Bernoulli,
        progress: &dyn Progress,
    ) -> Result<Self, ModelError> {
        let n = problem.n();
        let mut room = Approximator::new(n);
        let gram = crate::kernel::Gram::new(problem.bound(), problem.points());
        gram.stopped_by(progress).evaluate(problem.kernel_values(&values), &mut room.k)?;
        room.k.fill_upper_triangle_with_lower_triangle();
        let mean = mean_at(&problem, &values, &problem.x(), n)?;
        let mut work = Workspace::new(n).stopped_by(progress);
        let pseudo = room.find(how, problem.y(), mean.as_slice(), false, &mut Warm::default(), &mut work)?;
        let root: Vec<f64> = pseudo.precision.iter().map(|t| t.sqrt()).collect();
        let factor = Cholesky::scaled(&work.matrix, &root);
        let (alpha, lml) = (Vector::from_vec(pseudo.alpha.clone()), pseudo.lml);
        Ok(Self { problem, values, factor, alpha, lml, pseudo: Some(pseudo), induced: None })
    }

    /// The pseudo-observations of a classifier.
    pub fn pseudo(&self) -> Option<&Pseudo> {
        self.pseudo.as_ref()
    }

    /// The same posterior with the steps of its model written in another way, which gives the same for its rows.
    pub fn with_steps(self, steps: &[Step]) -> Self {
        Self { problem: self.problem.with_steps(steps), ..self }
    }

    /// The model with its training rows.
    pub fn problem(&self) -> &Problem {
        &self.problem
    }

    /// The values of all parameters of the problem, in order.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// The log marginal likelihood, with the Jacobian of the target's transforms.
    pub fn lml(&self) -> f64 {
        self.lml
    }

    /// The jitter: additional noise of this variance on the diagonal.
    pub fn jitter(&self) -> f64 {
        if self.induced.is_some() {
            return 0.0;
        }
        self.factor.jitter()
    }

    /// K⁻¹(y − m), on the scale of the model; for a sparse model the weights of its inducing inputs.
    pub fn alpha(&self) -> &Vector {
        &self.alpha
    }

    /// Mean and variance of f at new rows (inputs from [`Problem::inputs_of`]), on the scale of the model. White noise
    /// in the kernel is part of f, independent at each new row.
    ///
    /// # Errors
    /// Rows at which the kernel cannot be evaluated.
    pub fn predict(&self, x: &[&[f64]]) -> Result<Moments, ModelError> {
        self.predict_unless(x, &Silent)
    }

    /// The same in blocks of rows, so that memory does not grow with their number. Ends with an error when the user
    /// stops the work.
    ///
    /// # Errors
    /// As [`Posterior::predict`]; [`ModelError::Stopped`].
    pub fn predict_unless(&self, x: &[&[f64]], progress: &dyn Progress) -> Result<Moments, ModelError> {
        let rows = x.first().map_or(0, |column| column.len());
        // a fraction of a second per block
        let block = (ENTRIES / self.alpha.len().max(1).pow(2)).clamp(16, ROWS);
        let mut all = Moments { mean: Vec::with_capacity(rows), var_f: Vec::with_capacity(rows) };
        for first in (0..rows).step_by(block) {
            if progress.stop() {
                return Err(ModelError::Stopped);
            }
            let some: Vec<&[f64]> = x.iter().map(|column| &column[first..(first + block).min(rows)]).collect();
            let (cross, diagonal, mean) = self.against(&some)?;
            let mean = mean + cross.tr_mul(&self.alpha);
            let known = self.halves(&cross).squares();
            all.mean.extend_from_slice(mean.as_slice());
            all.var_f.extend(diagonal.iter().zip(known).map(|(d, known)| (d - known).max(0.0)));
            progress.report((first + some[0].len()) as f64 / rows as f64, "predicting");
        }
        Ok(all)
    }

    /// The variance of the white-noise summands at new rows, which belongs to an observation and not to the function.
    /// `None` if there are none.
    ///
    /// # Errors
    /// Rows at which a part cannot be evaluated.
    pub fn white_noise(&self, x: &[&[f64]]) -> Result<Option<Vec<f64>>, ModelError> {
        let kernel = self.problem.bound().with_values(self.problem.kernel_values(&self.values));
        let mut noise: Option<Vec<f64>> = None;
        for term in kernel.summands().into_iter().filter(|term| is_noise(term)) {
            let bound = term.bind(&self.problem.schema())?.started();
            let own = bound.diagonal(&bound.values(), &bound.points(x)?)?;
            noise = Some(match noise {
                Some(other) => other.iter().zip(&own).map(|(a, b)| a + b).collect(),
                None => own,
            });
        }
        Ok(noise)
    }

    /// The means only, in O(n) per row.
    ///
    /// # Errors
    /// Rows at which the kernel cannot be evaluated.
    pub fn predict_mean(&self, x: &[&[f64]]) -> Result<Vec<f64>, ModelError> {
        let (cross, _, mean) = self.against(x)?;
        Ok((mean + cross.tr_mul(&self.alpha)).as_slice().to_vec())
    }

    /// The posterior of each summand of the expanded kernel at new rows.
    ///
    /// The mean is k*ᵢᵀα, the variance k**ᵢ − k*ᵢᵀK⁻¹k*ᵢ (Duvenaud, "Expressing Structure with Kernels", 1.8). At the
    /// training rows themselves (`training`), white noise is that of each row.
    ///
    /// # Errors
    /// Rows at which a part cannot be evaluated.
    pub fn parts(&self, terms: &[Kernel], x: &[&[f64]], training: bool) -> Result<Vec<Part>, ModelError> {
        let crosses = self.part_crosses(terms, x, training)?;
        let rows = self.own_rows(training)?;
        let mut parts = Vec::with_capacity(terms.len());
        for (kernel, term) in terms.iter().zip(crosses) {
            let known = self.halves(&term.cross).of_term(&term, rows.as_ref()).squares();
            let var = term.diagonal.iter().zip(known).map(|(d, known)| (d - known).max(0.0)).collect();
            let mean = self.mean_of(&term, rows.as_ref());
            parts.push(Part { kernel: kernel.clone(), mean, var });
        }
        Ok(parts)
    }

    /// The posterior means of the summands at the training rows, including white noise of each row.
    ///
    /// # Errors
    /// Rows at which a part cannot be evaluated.
    pub fn part_means(&self, terms: &[Kernel]) -> Result<Vec<Vec<f64>>, ModelError> {
        if self.induced.is_some() && !self.problem.bound().tells_rows_apart() {
            return terms.iter().map(|term| self.induced_summand(term)).collect();
        }
        let crosses = self.part_crosses(terms, &self.problem.x(), true)?;
        let rows = self.own_rows(true)?;
        Ok(crosses.iter().map(|term| self.mean_of(term, rows.as_ref())).collect())
    }

    /// The posterior covariance between two summands at new rows: −k*ᵢᵀK⁻¹k*ⱼ (Duvenaud, 1.9). Rows of the matrix
    /// belong to the first summand, columns to the second.
    ///
    /// # Errors
    /// Rows at which a part cannot be evaluated.
    pub fn cross_covariance(
        &self,
        one: &Kernel,
        other: &Kernel,
        x: &[&[f64]],
        training: bool,
    ) -> Result<Matrix, ModelError> {
        let mut crosses = self.part_crosses(&[one.clone(), other.clone()], x, training)?.into_iter();
        let (Some(a), Some(b)) = (crosses.next(), crosses.next()) else { return Ok(Matrix::zeros(0, 0)) };
        Ok(-self.halves(&a.cross).product(&self.halves(&b.cross)))
    }

    /// The posterior covariance of one summand at all pairs of rows: k(x, x′) − k*ᵀK⁻¹k*′.
    ///
    /// # Errors
    /// Rows at which the summand cannot be evaluated.
    pub fn summand_covariance(&self, term: &Kernel, x: &[&[f64]], training: bool) -> Result<Matrix, ModelError> {
        let crosses = self.part_crosses(std::slice::from_ref(term), x, training)?;
        let Some(Term { cross, .. }) = crosses.into_iter().next() else { return Ok(Matrix::zeros(0, 0)) };
        let half = self.halves(&cross);
        let bound = term.bind(&self.problem.schema())?.started();
        let prior = covariance(&bound, &bound.values(), &bound.points(x)?)?;
        Ok(prior - half.product(&half))
    }

    /// The posterior covariance of every pair of summands at each row: with the variances they add up to the variance
    /// of the whole.
    ///
    /// # Errors
    /// Rows at which a part cannot be evaluated.
    pub fn cross_variances(
        &self,
        terms: &[Kernel],
        x: &[&[f64]],
        training: bool,
    ) -> Result<Vec<Vec<Vec<f64>>>, ModelError> {
        let crosses = self.part_crosses(terms, x, training)?;
        let rows = self.own_rows(training)?;
        let halves: Vec<Halves> =
            crosses.iter().map(|term| self.halves(&term.cross).of_term(term, rows.as_ref())).collect();
        let between = |a: &Halves, b: &Halves| -> Vec<f64> { a.dots(b).iter().map(|known| -known).collect() };
        Ok(halves.iter().map(|a| halves.iter().map(|b| between(a, b)).collect()).collect())
    }

    fn part_crosses(&self, terms: &[Kernel], x: &[&[f64]], training: bool) -> Result<Vec<Term>, ModelError> {
        let schema = self.problem.schema();
        let mut crosses = Vec::with_capacity(terms.len());
        for term in terms {
            let bound = term.bind(&schema)?.started();
            let values = bound.values();
            let (base, points) = (bound.points(&self.base())?, bound.points(x)?);
            let own = if training && self.induced.is_some() { own_noise(&bound, &values, &points)? } else { None };
            let cross = if training && self.induced.is_none() {
                covariance(&bound, &values, &base)?
            } else {
                bound.cross(&values, &base, &points)?
            };
            crosses.push(Term { cross, diagonal: bound.diagonal(&values, &points)?, own });
        }
        Ok(crosses)
    }

    /// Leave-one-out predictions of y at every training row from one factorisation: mean and variance, on the scale of
    /// the model (Rasmussen & Williams, 5.12). For a classifier these are the cavities: predictions of the latent
    /// function with the pseudo-observations of the other rows unchanged. Parameters are unchanged. The exception is a
    /// model without a kernel, whose mean function is fitted to the other rows; its noise is unchanged.
    ///
    /// # Errors
    /// Rows at which the kernel cannot be evaluated.
    pub fn leave_one_out(&self) -> Result<Vec<(f64, f64)>, ModelError> {
        if is_zero_kernel(&self.problem.model().kernel)
            && let Some(out) = self.mean_without_each()
        {
            return Ok(out);
        }
        if let Some(induced) = &self.induced {
            return self.left_out_of_induced(induced);
        }
        if let Some(pseudo) = &self.pseudo {
            let here = self.at_training()?;
            let sites = pseudo.precision.iter().zip(&pseudo.shift);
            let each = here.mean.iter().zip(&here.var_f).zip(sites);
            return Ok(each.map(|((m, s), (t, v))| cavity(*m, *s, *t, *v)).collect());
        }
        let inverse = self.factor.inverse_diagonal();
        let y = self.problem.y();
        Ok((0..y.len()).map(|i| (y[i] - self.alpha[i] / inverse[i], 1.0 / inverse[i])).collect())
    }

    /// Data drawn from the model at the training rows. Parameters are unchanged, except those of the mean function in
    /// `refit` (indices), which are fitted to each draw by generalised least squares. `normals`: rows × draws.
    ///
    /// # Errors
    /// Rows at which the kernel cannot be evaluated.
    pub fn replicates(&self, normals: &Matrix, refit: &[usize]) -> Result<Replicates, ModelError> {
        if let Some(induced) = &self.induced {
            return self.induced_replicates(induced, normals, refit);
        }
        let n = self.problem.n();
        let x = self.problem.x();
        let basis = self.problem.mean_slopes(&x, n, &self.values)?;
        let columns: Vec<&Vec<f64>> = refit.iter().filter_map(|&i| basis.get(i)).collect();
        let (cross, _, mean) = self.against(&x)?;
        // With K = LLᵀ a draw is y = m + Lz, and K⁻¹(y − m) = L⁻ᵀz. Fitting the mean removes the components along L⁻¹H.
        let (mut white, mut shift) = (normals.clone(), None);
        if !columns.is_empty() {
            let basis = Matrix::from_fn(n, columns.len(), |i, j| columns[j][i]);
            // there may be fewer rows than columns, or linearly dependent columns
            if let Some(along) = orthonormal(self.factor.half_solve(&basis)) {
                let fitted = &along * transposed_product(&along, normals);
                white -= &fitted;
                shift = Some(self.factor.lower() * fitted);
            }
        }
        let mut standardized = self.factor.transposed_half_solve(&white);
        let mut fitted = transposed_product(&cross, &standardized);
        if let Some(shift) = shift {
            fitted += shift;
        }
        fitted.column_iter_mut().for_each(|mut column| column += &mean);
        let scale = self.factor.inverse_diagonal().map(|v| 1.0 / v.sqrt());
        standardized.column_iter_mut().for_each(|mut column| column.component_mul_assign(&scale));
        Ok(Replicates { fitted, standardized })
    }

    /// The posterior mean of f at the training rows, including white noise of each row.
    ///
    /// # Errors
    /// Rows at which the kernel cannot be evaluated.
    pub fn fitted(&self) -> Result<Vec<f64>, ModelError> {
        if self.induced.is_some() {
            return Ok(self.at_training()?.mean);
        }
        if self.pseudo.is_some() {
            return self.latent_mean(&self.own_covariance()?);
        }
        let noise = self.problem.noise(&self.values);
        let jitter = self.factor.jitter();
        let rows = self.problem.y().iter().zip(self.alpha.iter()).zip(noise);
        Ok(rows.map(|((y, a), v)| y - (v + jitter) * a).collect())
    }

    /// The values that the parts of the model explain at the training rows: y on the scale of the model, or for a
    /// classifier the posterior mean of its latent function, as labels have no scale.
    ///
    /// # Errors
    /// Rows at which the kernel cannot be evaluated.
    pub fn explained(&self) -> Result<Vec<f64>, ModelError> {
        match self.pseudo {
            Some(_) => self.fitted(),
            None => Ok(self.problem.y().to_vec()),
        }
    }

    /// The same less the mean function: what is left to the kernel.
    ///
    /// # Errors
    /// As [`Self::explained`]; a mean function fails at a row.
    pub fn explained_beyond_mean(&self) -> Result<Vec<f64>, ModelError> {
        let mean = self.problem.mean_at(&self.problem.x(), self.problem.n(), &self.values)?;
        Ok(self.explained()?.iter().zip(mean).map(|(y, mean)| y - mean).collect())
    }

    /// Mean and variance of f at the training rows themselves, including white noise of each row.
    ///
    /// # Errors
    /// Rows at which the kernel cannot be evaluated.
    pub fn at_training(&self) -> Result<Moments, ModelError> {
        if self.induced.is_some() {
            return self.induced_at_training();
        }
        let k = self.own_covariance()?;
        let half = self.factor.half_solve(&k);
        let var_f = (0..k.ncols()).map(|i| (k[(i, i)] - half.column(i).norm_squared()).max(0.0)).collect();
        let mean = match &self.pseudo {
            Some(_) => self.latent_mean(&k)?,
            None => self.fitted()?,
        };
        Ok(Moments { mean, var_f })
    }

    /// The prior covariance of f at the training rows.
    fn own_covariance(&self) -> Result<Matrix, ModelError> {
        covariance(self.problem.bound(), self.problem.kernel_values(&self.values), self.problem.points())
    }

    /// m + Kα at the training rows, given this covariance K.
    fn latent_mean(&self, k: &Matrix) -> Result<Vec<f64>, ModelError> {
        let mean = mean_at(&self.problem, &self.values, &self.problem.x(), k.ncols())?;
        Ok((mean + k.tr_mul(&self.alpha)).as_slice().to_vec())
    }

    /// The covariance with the base rows, the prior variance, and the mean function at new rows.
    fn against(&self, x: &[&[f64]]) -> Result<(Matrix, Vec<f64>, Vector), ModelError> {
        let bound = self.problem.bound();
        let points = bound.points(x)?;
        let values = self.problem.kernel_values(&self.values);
        let cross = match self.induced {
            None => bound.cross(values, self.problem.points(), &points)?,
            Some(_) => bound.cross(values, &bound.points(&self.base())?, &points)?,
        };
        let diagonal = bound.diagonal(values, &points)?;
        Ok((cross, diagonal, mean_at(&self.problem, &self.values, x, points.n())?))
    }

    /// The mean function at new rows.
    ///
    /// # Errors
    /// A function fails at a row.
    pub fn mean_function(&self, x: &[&[f64]], n: usize) -> Result<Vec<f64>, ModelError> {
        self.problem.mean_at(x, n, &self.values)
    }
}

/// The covariance matrix of a kernel at some rows, both triangles.
fn covariance(bound: &Bound, values: &[f64], points: &Points) -> Result<Matrix, ModelError> {
    let mut k = Matrix::zeros(points.n(), points.n());
    crate::kernel::Gram::new(bound, points).evaluate(values, &mut k)?;
    k.fill_upper_triangle_with_lower_triangle();
    Ok(k)
}

fn mean_at(problem: &Problem, values: &[f64], x: &[&[f64]], n: usize) -> Result<Vector, ModelError> {
    problem.mean_at(x, n, values).map(Vector::from_vec)
}
