//! The result of a fit: a model with its values, and how they were found.

use super::optimize::Ended;
use super::trace::Trace;
use crate::data::Step;
use crate::model::{DenserNoise, Model, ModelError, Parameter, Posterior, Problem, SparseMethod, has_white_noise};

/// Options of a fit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Options {
    /// The number of starts; at least 1.
    pub restarts: usize,
    pub seed: u64,
    /// The maximum number of steps of the optimiser from each start.
    pub max_iter: usize,
    /// Whether the scale of the target is chosen as well: the target itself, its logarithm, or a power.
    pub scale_is_chosen: bool,
    /// The least noise variance on the scale of the model, where it is free and nothing is written of it; 0 is no bound.
    pub least_noise: f64,
}

impl Default for Options {
    fn default() -> Self {
        Self { restarts: 10, seed: 0, max_iter: 1000, scale_is_chosen: false, least_noise: 0.0 }
    }
}

/// The result of one start.
#[derive(Debug, Clone, PartialEq)]
pub struct Start {
    /// The objective reached: the log marginal likelihood, plus the log density of the priors. `None` if it has none.
    pub reached: Option<f64>,
    pub ended: Ended,
    /// Whether it was dropped before convergence because others were better.
    pub dropped: bool,
}

/// A model with parameters that were fitted, or taken as given.
#[derive(Debug, Clone)]
pub struct Fit {
    /// The model as requested.
    pub asked: Model,
    /// The model with the fitted values written in.
    pub model: Model,
    pub posterior: Posterior,
    /// The number of free parameters.
    pub free: usize,
    /// The number of directions of the free parameters along which the log posterior does not fall; 0 if not computed.
    pub redundant: usize,
    /// One per parameter of the problem: `None` if it is not determined or not free.
    pub standard_errors: Vec<Option<f64>>,
    /// Why the fit ended; `None` if the values were taken as given.
    pub ended: Option<Ended>,
    /// The largest absolute component of the gradient at the end, in the optimiser's coordinates.
    pub gradient_size: f64,
    pub starts: Vec<Start>,
    pub options: Options,
    /// For VFE: a noise variance that would be smaller with more inducing inputs.
    pub denser: Option<DenserNoise>,
    /// The path of the best run; empty if the values were taken as given.
    pub trace: Trace,
    /// Warnings about the fit, for the user.
    pub hints: Vec<String>,
}

impl Fit {
    /// The objective without priors: the log marginal likelihood, or for VFE its lower bound.
    pub fn lml(&self) -> f64 {
        self.posterior.lml()
    }

    /// The number of parameters in BIC: the rank of the curvature of the log posterior over the free parameters.
    ///
    /// Schwarz's p·log n is the leading term of a log determinant, that of n times the information of one row. A
    /// direction along which the log marginal likelihood is constant has no information and adds nothing to it: two
    /// parameters of which only the product, or only the sum, is determined count once, and the parameters of a part
    /// whose variance went to 0 do not count, because the model then is the one without this part. A direction with
    /// little curvature counts in full. Every free parameter counts if the curvature is unknown (for given values or a
    /// stopped fit), or if classes are separated with certainty.
    /// The power of Box and Cox of the target counts if it was chosen by the rows.
    pub fn counted(&self) -> usize {
        self.estimated() - self.redundant.min(self.free)
    }

    /// The number of parameters that the rows determine: the free ones, and chosen powers of Box and Cox of the target.
    pub fn estimated(&self) -> usize {
        self.free + self.problem().chosen_powers()
    }

    /// −2·LML + p·log n, where p is the [number of counted parameters](Self::counted).
    pub fn bic(&self) -> f64 {
        -2.0 * self.lml() + self.counted() as f64 * (self.problem().n().max(1) as f64).ln()
    }

    /// The sparse approximation, if the model has inducing inputs.
    pub fn sparse(&self) -> Option<SparseMethod> {
        self.problem().inducing().map(|inducing| inducing.method)
    }

    /// The log marginal likelihood of the model, or of its approximation by FITC.
    ///
    /// # Errors
    /// [`ModelError::OnlyBound`]: for VFE only a lower bound is known.
    pub fn evidence(&self) -> Result<f64, ModelError> {
        match self.sparse() {
            Some(SparseMethod::Vfe) => Err(ModelError::OnlyBound { what: "lml", bound: self.lml() }),
            _ => Ok(self.lml()),
        }
    }

    /// The two terms of the log marginal likelihood of exact regression that depend on the kernel, on the scale of the
    /// model: the fit −½(y − m)ᵀK⁻¹(y − m), and the complexity −½ log|K|, where K includes the noise. With −½n log 2π
    /// and the log slopes of transforms of the target they add to it. `None` for classes and sparse models.
    pub fn evidence_terms(&self) -> Option<(f64, f64)> {
        let problem = self.problem();
        if self.sparse().is_some() || problem.classes().is_some() {
            return None;
        }
        let n = problem.n();
        let mean = self.posterior.mean_function(&problem.x(), n).ok()?;
        let residuals = problem.y().iter().zip(&mean).map(|(y, mean)| y - mean);
        let fit = -0.5 * residuals.zip(self.posterior.alpha().iter()).map(|(r, a)| r * a).sum::<f64>();
        let constant = -0.5 * n as f64 * std::f64::consts::TAU.ln();
        Some((fit, self.lml() - problem.log_jacobian() - constant - fit))
    }

    /// BIC, for a fit with a log marginal likelihood.
    ///
    /// # Errors
    /// As [`evidence`](Self::evidence).
    pub fn information(&self) -> Result<f64, ModelError> {
        match self.sparse() {
            Some(SparseMethod::Vfe) => Err(ModelError::OnlyBound { what: "bic", bound: self.lml() }),
            _ => Ok(self.bic()),
        }
    }

    /// The lower bound of the log marginal likelihood that a VFE fit maximises.
    pub fn bound(&self) -> Option<f64> {
        (self.sparse() == Some(SparseMethod::Vfe)).then(|| self.lml())
    }

    /// Whether the user stopped it before convergence: its values are then the best until the stop.
    pub fn was_stopped(&self) -> bool {
        let stopped = |ended: &Ended| matches!(ended, Ended::Stopped { .. });
        self.ended.as_ref().is_some_and(stopped) || self.starts.iter().any(|start| stopped(&start.ended))
    }

    /// The same fit with its steps written in another way, which gives the same for its rows.
    pub fn with_steps(mut self, steps: &[Step]) -> Self {
        self.asked.steps = steps.to_vec();
        self.model.steps = steps.to_vec();
        Self { posterior: self.posterior.with_steps(steps), ..self }
    }

    /// The model with its training rows.
    pub fn problem(&self) -> &Problem {
        self.posterior.problem()
    }

    /// All parameters, in the order of [`values`](Self::values).
    pub fn parameters(&self) -> &[Parameter] {
        self.problem().parameters()
    }

    /// The values of all parameters, in natural units.
    pub fn values(&self) -> &[f64] {
        self.posterior.values()
    }

    /// The noise variance, if it is the same for all rows. White noise as a term of the kernel counts as noise.
    pub fn noise(&self) -> Option<f64> {
        self.problem().noise_variance(self.values())
    }

    /// Whether the model has no noise, so that predictive intervals are those of the function and not of new
    /// observations.
    pub fn is_noise_free(&self) -> bool {
        self.noise() == Some(0.0) && !has_white_noise(&self.model.kernel) && self.problem().classes().is_none()
    }

    /// Whether the curvature at the values is known, so that a missing standard error means that the data do not
    /// determine the parameter. It is unknown for a fit that was stopped early.
    pub fn is_judged(&self) -> bool {
        let early = matches!(self.ended, Some(Ended::OutOfIterations { .. } | Ended::Stopped { .. }));
        !early && (self.converged() || self.standard_errors.iter().any(Option::is_some))
    }

    /// The number of free parameters that the data do not determine.
    pub fn undetermined(&self) -> usize {
        let parameters = self.parameters().iter().zip(self.values()).zip(&self.standard_errors);
        let open = |p: &Parameter, value: f64| p.is_free() && !p.domain.on_bound(value);
        let missing = parameters.filter(|((p, value), error)| error.is_none() && open(p, **value)).count();
        if self.is_judged() { missing } else { 0 }
    }

    /// Whether the optimiser reached a maximum.
    pub fn converged(&self) -> bool {
        self.ended.is_some_and(|e| e.well())
    }
}
