//! Scores of models.

use std::sync::Arc;

use crate::data::Dataset;
use crate::fit::{Column, Fit, ParameterPosterior};
use crate::kernel::{Kernel, Node};
use crate::model::Problem;
use crate::progress::{Progress, Silent};
use crate::results::score_held_out;

/// About the error of a log likelihood that is borne for speed on the way to a maximum.
pub(super) const ROUGH: f64 = 1e-4;

/// A score; lower is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Criterion {
    /// −2·LML + p·log n·n/(n − p − 2), where p is the number of free parameters with noise and mean: BIC with the
    /// correction for few rows (McQuarrie 1999). No model has as many parameters as rows.
    #[default]
    Bicc,
    /// −2·LML + p·log n (Schwarz 1978).
    Bic,
    /// The same with the parameter counts of the published runs of Duvenaud, Lloyd et al.: see [`recorded_parameters`].
    Recorded,
    /// −2·LML + 2p (Akaike 1974).
    Aic,
    /// −2·LML + 2p·n/(n − p − 1) (Hurvich & Tsai 1989).
    Aicc,
    /// −2·log evidence with the parameters integrated out by Laplace's method, with a normal prior of standard
    /// deviation 3 in the optimiser's coordinates around the first start of a fit.
    Laplace,
    /// −2·log predictive density of a fifth of the rows, which are not used by the fits of the search.
    HeldOut,
}

impl Criterion {
    /// All criteria.
    pub const ALL: [Criterion; 7] = [
        Criterion::Bicc,
        Criterion::Bic,
        Criterion::Recorded,
        Criterion::Aic,
        Criterion::Aicc,
        Criterion::Laplace,
        Criterion::HeldOut,
    ];

    /// The name in the language.
    pub const fn name(self) -> &'static str {
        match self {
            Criterion::Bicc => "bicc",
            Criterion::Bic => "bic",
            Criterion::Recorded => "recorded",
            Criterion::Aic => "aic",
            Criterion::Aicc => "aicc",
            Criterion::Laplace => "laplace",
            Criterion::HeldOut => "held-out",
        }
    }

    /// The name in tables.
    pub fn title(self) -> &'static str {
        match self {
            Criterion::Bicc => "BICc",
            Criterion::Bic => "BIC",
            Criterion::Recorded => "BIC (recorded count)",
            Criterion::Aic => "AIC",
            Criterion::Aicc => "AICc",
            Criterion::Laplace => "-2 log evidence",
            Criterion::HeldOut => "-2 log held-out density",
        }
    }

    /// All names, in order.
    pub const NAMES: [&'static str; Self::ALL.len()] = {
        let mut names = [""; Self::ALL.len()];
        let mut i = 0;
        while i < names.len() {
            names[i] = Self::ALL[i].name();
            i += 1;
        }
        names
    };

    /// The criterion with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|c| c.name() == name)
    }

    /// The penalty of this many parameters for n rows, before better values are known. Infinite where the criterion has
    /// no value.
    pub fn penalty(self, n: usize, count: usize) -> f64 {
        let (rows, p) = (n as f64, count as f64);
        // the factor of few rows; the rows beyond the parameters and these
        let corrected = |apart: f64| match rows - p - apart {
            left if left > 0.0 => rows / left,
            _ => f64::INFINITY,
        };
        match self {
            _ if count == 0 => 0.0,
            Criterion::Bicc => p * rows.ln() * corrected(2.0),
            Criterion::Bic | Criterion::Recorded | Criterion::Laplace => p * rows.ln(),
            Criterion::Aicc => 2.0 * p * corrected(1.0),
            Criterion::Aic | Criterion::HeldOut => 2.0 * p,
        }
    }

    /// The number of parameters in the score. The power of Box and Cox of the target is one, if the rows choose it.
    pub fn count(self, problem: &Problem) -> usize {
        let of_model = match self {
            Criterion::Recorded => recorded_parameters(&problem.model().kernel),
            _ => parameters(problem),
        };
        of_model + problem.chosen_powers()
    }
}

/// The number of identifiable free parameters: in a product of several sums, all but one of the sums have a redundant
/// variance.
pub fn parameters(problem: &Problem) -> usize {
    problem.free().saturating_sub(redundant(&problem.model().kernel))
}

fn redundant(kernel: &Kernel) -> usize {
    let inside: usize = kernel.children().iter().map(redundant).sum();
    match kernel.node() {
        Node::Product(factors) => {
            let sums = factors.iter().filter(|factor| matches!(factor.node(), Node::Sum(_))).count();
            inside + sums.saturating_sub(1)
        }
        _ => inside,
    }
}

/// The number of parameters in the published runs of Duvenaud, Lloyd, Grosse, Tenenbaum and Ghahramani (2013): a linear
/// kernel has 2, white noise 1, every other family all of its own; a product of m factors m − 1 fewer; noise and mean
/// none. (Their rule changed over time; this is the one of April and May 2013.)
pub fn recorded_parameters(kernel: &Kernel) -> usize {
    match kernel.node() {
        Node::Leaf(leaf) => match leaf.family.spec().name {
            "Lin" => 2,
            _ => leaf.params.iter().map(|values| values.as_slice().len()).sum(),
        },
        Node::Sum(terms) => terms.iter().map(recorded_parameters).sum(),
        Node::Product(factors) => {
            let all: usize = factors.iter().map(recorded_parameters).sum();
            all.saturating_sub(factors.len() - 1)
        }
        Node::Wrap(wrapped) => {
            let own: usize = wrapped.params.iter().map(|values| values.as_slice().len()).sum();
            own + wrapped.children.iter().map(recorded_parameters).sum::<usize>()
        }
    }
}

/// The score of a fitted model.
pub struct Judged {
    /// The number of parameters in it.
    pub parameters: usize,
    pub score: f64,
    /// Values with a higher likelihood, where the way to the mode of the posterior led to them: the fit was at no maximum,
    /// and the score is theirs.
    pub better: Option<Vec<f64>>,
}

/// A log likelihood that is higher by this is better.
const HIGHER: f64 = 1e-3;

/// The score of a fitted model. `None` if it has none: no curvature, rows that cannot be predicted, or a stop by the user
/// before it is known. Where a score is needed in spite of a stop, it is that at the fit instead of the mode of the
/// posterior. `columns` are the quantities of the inputs.
pub fn judge(
    fit: &Arc<Fit>,
    criterion: Criterion,
    held_out: Option<&Dataset>,
    needed: bool,
    columns: &[Column],
    progress: &dyn Progress,
) -> Option<Judged> {
    let problem = fit.problem();
    let count = criterion.count(problem);
    let by_count = -2.0 * fit.evidence().ok()? + criterion.penalty(problem.n(), count);
    let mut better = None;
    let score = match criterion {
        Criterion::Bicc | Criterion::Bic | Criterion::Recorded | Criterion::Aic | Criterion::Aicc => by_count,
        Criterion::Laplace => {
            let ended_by: &dyn Progress = if needed { &Silent } else { progress };
            let posterior = ParameterPosterior::unless_stopped(problem, fit.values(), Some(columns), ended_by)?;
            let posterior = posterior.at_mode(progress);
            better = (posterior.gained() > HIGHER).then(|| posterior.values().to_vec());
            // the power of Box and Cox is not integrated out
            let of_model = count - problem.chosen_powers();
            let of_power = criterion.penalty(problem.n(), count) - criterion.penalty(problem.n(), of_model);
            -2.0 * posterior.laplace() + of_power
        }
        Criterion::HeldOut => {
            let rows = held_out?;
            2.0 * rows.n() as f64 * score_held_out(fit, rows).ok()?.get("nll")?
        }
    };
    score.is_finite().then_some(Judged { parameters: count, score, better })
}

#[cfg(test)]
mod tests {
    use super::recorded_parameters;
    use crate::kernel::{Kernel, families::family};

    /// Counted by hand: Lin·(SE + SE + Per·SE) is 2 + (2 + 2 + (3 + 2 − 1)) − 1.
    #[test]
    fn the_record_counts_as_it_says() {
        let leaf = |name: &str| Kernel::family(family(name).unwrap());
        let season = Kernel::product([leaf("Per"), leaf("SE")]).unwrap();
        let sum = Kernel::sum([leaf("SE"), leaf("SE"), season]).unwrap();
        assert_eq!(recorded_parameters(&Kernel::product([leaf("Lin"), sum]).unwrap()), 9);
        assert_eq!(recorded_parameters(&leaf("WN")), 1);
        assert_eq!(recorded_parameters(&leaf("RQ")), 3);
    }
}
