//! Two classes: the Bernoulli likelihood of a latent Gaussian process.
//!
//! The probability of the positive class (y = 1, otherwise −1) is a link function of the latent f. Both approximations
//! replace the likelihood of each row by a Gaussian ∝ exp(νᵢf − ½τᵢf²): a *pseudo-observation* of the value νᵢ/τᵢ with
//! noise variance 1/τᵢ. Given the pseudo-observations, the posterior is that of exact regression, and so are
//! predictions, parts, draws and (for expectation propagation) the gradient of the log marginal likelihood.

mod ep;
mod labels;
mod laplace;
mod link;

pub use labels::Classes;
pub use link::{Link, normal_cdf};

use crate::linalg::{FactorError, Matrix, Workspace, vector};

/// The approximation of the posterior, and the link function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bernoulli {
    /// Expectation propagation, with the probit link (Rasmussen & Williams, 3.6).
    Ep,
    /// Laplace's method (Rasmussen & Williams, 3.4).
    Laplace(Link),
}

impl Bernoulli {
    /// The link function.
    pub fn link(self) -> Link {
        match self {
            Self::Ep => Link::Probit,
            Self::Laplace(link) => link,
        }
    }
}

/// The Gaussian approximation of the likelihood, one factor per row, and its results.
#[derive(Debug, Clone, PartialEq)]
pub struct Pseudo {
    /// τ, positive.
    pub precision: Vec<f64>,
    /// ν: the precision times the pseudo-observed value.
    pub shift: Vec<f64>,
    /// K⁻¹(μ − m), with μ the posterior mean of f at the rows.
    pub alpha: Vec<f64>,
    /// The approximate log marginal likelihood.
    pub lml: f64,
    /// The dependence of the log marginal likelihood on f that regression on the pseudo-observations lacks: a vector r,
    /// with ½(rαᵀ + αrᵀ) to be added to the derivative in K and r to that in the mean. Empty if there is none.
    pub implicit: Vec<f64>,
    /// Whether the approximation converged; otherwise it is the best iterate.
    pub converged: bool,
    /// The number of factorisations.
    pub rounds: usize,
}

impl Pseudo {
    /// The derivative of the log marginal likelihood in column j of the covariance, from the diagonal down, doubled for
    /// both halves of the matrix, given the same column of B⁻¹.
    pub fn pull(&self, j: usize, inverse: &[f64], w: &mut [f64]) {
        let own = self.precision[j].sqrt();
        for (w, (b, t)) in w.iter_mut().zip(inverse.iter().zip(&self.precision[j..])) {
            *w = -own * t.sqrt() * b;
        }
        vector::axpy(w, self.alpha[j], &self.alpha[j..]);
        if let Some(&implicit) = self.implicit.get(j) {
            vector::axpy(w, implicit, &self.alpha[j..]);
            vector::axpy(w, self.alpha[j], &self.implicit[j..]);
        }
        w[0] *= 0.5;
    }

    /// The pseudo-observed values.
    pub fn targets(&self) -> impl Iterator<Item = f64> {
        self.shift.iter().zip(&self.precision).map(|(v, t)| v / t)
    }
}

/// The start of the next approximation: the sites of the last one, at similar parameter values. If empty, it starts
/// from each row's likelihood alone. Expectation propagation reaches the same fixed point from either, within its
/// tolerance. Laplace's method needs few rounds in any case and does not use it.
#[derive(Debug, Clone, Default)]
pub struct Warm(Option<ep::Places>);

/// The least precision. An observation of a certain class has almost no weight, but is still a pseudo-observation.
const LEAST: f64 = 1e-60;

/// Below this fraction of the prior variance, a posterior variance is not computed as a difference of numbers near 1.
const VAGUE: f64 = 1e-3;

/// Finds pseudo-observations, and reuses its memory between calls.
pub struct Approximator {
    /// The covariance of f at the rows, both triangles; the caller writes it before each call.
    pub k: Matrix,
    /// The squares of the elements of B⁻¹, in the lower triangle.
    squares: Matrix,
}

impl Approximator {
    /// For `n` rows.
    pub fn new(n: usize) -> Self {
        Self { k: Matrix::zeros(n, n), squares: Matrix::zeros(n, n) }
    }

    /// The pseudo-observations of labels ±1 under a prior mean. The result depends only on the arguments, and on `warm`
    /// only within the tolerance of convergence. Afterwards `work` has the factor of B = I + S^½KS^½, where S are the
    /// precisions, and with `gradient` its inverse.
    ///
    /// # Errors
    /// [`FactorError::NotPositiveDefinite`]: K is so far from positive semi-definite that B is not positive definite.
    pub fn find(
        &mut self,
        how: Bernoulli,
        y: &[f64],
        mean: &[f64],
        gradient: bool,
        warm: &mut Warm,
        work: &mut Workspace<'_>,
    ) -> Result<Pseudo, FactorError> {
        match how {
            Bernoulli::Ep => ep::find(self, y, mean, warm, work),
            Bernoulli::Laplace(link) => laplace::find(self, link, y, mean, gradient, work),
        }
    }

    /// Factors B = I + S^½KS^½ in `work`.
    fn factor(&self, precision: &[f64], work: &mut Workspace<'_>) -> Result<(), FactorError> {
        let n = precision.len();
        let root: Vec<f64> = precision.iter().map(|t| t.sqrt()).collect();
        for (j, own) in root.iter().enumerate() {
            let from = &self.k.as_slice()[j * n + j..(j + 1) * n];
            let to = &mut work.matrix.as_mut_slice()[j * n + j..(j + 1) * n];
            to.copy_from_slice(from);
            vector::multiply(to, &root[j..]);
            vector::affine(to, *own, 0.0);
            to[0] += 1.0;
        }
        work.factor()
    }

    /// (K + S⁻¹)⁻¹S⁻¹b = b − S^½B⁻¹S^½Kb, after factoring: K⁻¹(μ − m) where b is ν − τm.
    fn weights(&self, precision: &[f64], b: &[f64], work: &mut Workspace<'_>) -> Vec<f64> {
        let mut inner = self.times(b);
        inner.iter_mut().zip(precision).for_each(|(v, t)| *v *= t.sqrt());
        work.solve(&mut inner);
        b.iter().zip(inner.iter().zip(precision)).map(|(b, (v, t))| b - t.sqrt() * v).collect()
    }

    /// Kb.
    fn times(&self, b: &[f64]) -> Vec<f64> {
        let mut out = vec![0.0; b.len()];
        for (column, &weight) in self.k.as_slice().chunks_exact(b.len().max(1)).zip(b) {
            vector::axpy(&mut out, weight, column);
        }
        out
    }

    /// The posterior variances of f at the rows, after factoring. Positive unless a prior variance is not.
    ///
    /// They are (1 − (B⁻¹)ᵢᵢ)/τᵢ or, where this difference would lose its digits, Kᵢᵢ less the square of L⁻¹S^½Keᵢ.
    /// Afterwards `work` has the inverse of B.
    fn variances(&self, precision: &[f64], work: &mut Workspace<'_>) -> Result<Vec<f64>, FactorError> {
        let n = precision.len();
        let inverse = work.invert()?;
        let known: Vec<f64> = (0..n).map(|j| 1.0 - inverse[(j, j)]).collect();
        let vague: Vec<usize> = (0..n).filter(|&j| known[j] < VAGUE).collect();
        let mut variances: Vec<f64> = known.iter().zip(precision).map(|(known, t)| known / t).collect();
        if vague.is_empty() {
            return Ok(variances);
        }
        let root: Vec<f64> = precision.iter().map(|t| t.sqrt()).collect();
        let mut columns = Matrix::zeros(n, vague.len());
        for (&j, column) in vague.iter().zip(columns.as_mut_slice().chunks_exact_mut(n)) {
            column.copy_from_slice(&self.k.as_slice()[j * n..(j + 1) * n]);
            vector::multiply(column, &root);
        }
        work.half_solve(&mut columns);
        for (&j, column) in vague.iter().zip(columns.as_slice().chunks_exact(n)) {
            variances[j] = self.left(j, vector::dot(column, column), precision[j]);
        }
        Ok(variances)
    }

    /// The prior variance less the reduction by the data. If rounding leaves nothing, the least possible value: the
    /// pseudo-observations of all rows leave at least this fraction.
    fn left(&self, row: usize, taken: f64, precision: f64) -> f64 {
        let prior = self.k[(row, row)];
        (prior - taken).max(f64::EPSILON * prior / (1.0 + precision * prior))
    }
}

/// The mean and variance of a Gaussian divided by its factor exp(νf − ½τf²): the cavity distribution of a row
/// (Rasmussen & Williams, 3.56).
pub fn cavity(mean: f64, variance: f64, precision: f64, shift: f64) -> (f64, f64) {
    let rest = (1.0 - precision * variance).max(f64::EPSILON);
    ((mean - shift * variance) / rest, variance / rest)
}

#[cfg(test)]
mod tests;
