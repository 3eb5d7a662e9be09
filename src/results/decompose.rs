//! The posterior of the parts of a sum (Duvenaud, "Expressing Structure with Kernels", 1.8 and 1.9).

use std::sync::Arc;

use super::predict::At;
use crate::data::Dataset;
use crate::fit::Fit;
use crate::fit::spacing::variance;
use crate::kernel::wraps::Orders;
use crate::kernel::{InputRef, Kernel};
use crate::linalg::Matrix;
use crate::model::{Mean, ModelError};

/// The decomposition of a fit.
///
/// Means and variances are on the scale of the model: that of y, unless the model transforms it. The means of the
/// components and the mean function add up to the mean of f; the variances and twice the cross-covariances add up to
/// its variance.
#[derive(Debug, Clone)]
pub struct Decomposition {
    pub fit: Arc<Fit>,
    pub by: By,
    /// The rows.
    pub at: Dataset,
    /// Whether these are the training rows, where white noise is that of each row.
    pub training: bool,
    pub components: Vec<Component>,
    /// The mean function at the rows.
    pub mean_function: Vec<f64>,
    /// The variance of the mean function over the training rows, divided by that of y as the shares of the components;
    /// `None` if it is constant.
    pub mean_share: Option<f64>,
    /// For every pair of components, ordered by the first, then the second.
    pub cross: Vec<Cross>,
    /// The unit of the scale, if the data have units.
    pub unit: Option<String>,
    /// Whether the scale is not that of y: for a transformed target, or the latent function of a classifier.
    pub transformed: bool,
}

/// One summand.
#[derive(Debug, Clone, PartialEq)]
pub struct Component {
    /// The user's label, or a short form of the kernel; unique.
    pub label: String,
    pub kernel: Kernel,
    pub mean: Vec<f64>,
    pub var: Vec<f64>,
    /// The variance of its mean over the training rows, divided by that of y; for a classifier, by that of the mean of
    /// the latent function.
    pub share: f64,
}

/// The posterior covariance of two components at each row.
#[derive(Debug, Clone, PartialEq)]
pub struct Cross {
    pub one: usize,
    pub other: usize,
    pub cov: Vec<f64>,
    pub corr: Vec<f64>,
}

/// The kind of parts of a decomposition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum By {
    /// The summands of the kernel, with products expanded.
    #[default]
    Term,
    /// The same, with additive kernels split by the order of interaction.
    Order,
    /// By inputs: one part for each input or set of inputs; of additive kernels one for each input and one for all
    /// interactions.
    Input,
    /// The same, with one part for each pair of inputs of an additive kernel, and one for all higher interactions.
    Pair,
}

impl By {
    /// All kinds of parts.
    pub const ALL: [By; 4] = [By::Term, By::Order, By::Input, By::Pair];

    /// The name in the language.
    pub fn name(self) -> &'static str {
        match self {
            By::Term => "term",
            By::Order => "order",
            By::Input => "input",
            By::Pair => "pair",
        }
    }
}

/// Decomposes a fit into parts of its kernel at the given rows.
///
/// # Errors
/// As [`predict`](super::predict); [`ModelError::Expand`] if products expand to too many terms.
pub fn decompose(fit: &Arc<Fit>, place: At, by: By) -> Result<Decomposition, ModelError> {
    if crate::model::is_zero_kernel(&fit.model.kernel) {
        return Err(ModelError::NoKernel { model: fit.asked.short() });
    }
    let problem = fit.problem();
    let (terms, labels) = parts_by(&fit.model.kernel, by)?;
    let (at, x, training) = match place {
        At::Training => {
            let x = problem.x().iter().map(|c| c.to_vec()).collect();
            (problem.data().clone(), x, true)
        }
        At::Rows(rows) => {
            if rows.n() == 0 {
                return Err(ModelError::NoRows);
            }
            crate::model::refuse_if_wide(problem.n(), rows.n())?;
            let x = problem.inputs_of(&rows)?;
            (rows, x, false)
        }
    };
    let x: Vec<&[f64]> = x.iter().map(|c| &c[..]).collect();
    let parts = fit.posterior.parts(&terms, &x, training)?;
    let whole = variance(&fit.posterior.explained()?);
    let shares: Vec<f64> = if training {
        parts.iter().map(|p| variance(&p.mean) / whole).collect()
    } else {
        fit.posterior.part_means(&terms)?.iter().map(|m| variance(m) / whole).collect()
    };
    let components: Vec<Component> = parts
        .into_iter()
        .zip(shares)
        .zip(labels)
        .map(|((p, share), label)| Component { label, kernel: p.kernel, mean: p.mean, var: p.var, share })
        .collect();
    let covariances = fit.posterior.cross_variances(&terms, &x, training)?;
    let mut cross = Vec::new();
    for one in 0..components.len() {
        for other in one + 1..components.len() {
            let cov = covariances[one][other].clone();
            let scale = components[one].var.iter().zip(&components[other].var).map(|(a, b)| (a * b).sqrt());
            let corr = cov.iter().zip(scale).map(|(c, s)| if s > 0.0 { (c / s).clamp(-1.0, 1.0) } else { 0.0 });
            cross.push(Cross { one, other, corr: corr.collect(), cov });
        }
    }
    let map = problem.pipeline().target();
    let unit = match problem.classes() {
        Some(_) => None,
        None => map.unit(problem.data().target().and_then(|t| t.unit())),
    };
    let mean_function = fit.posterior.mean_function(&x, at.n())?;
    let mean_share = match fit.model.mean {
        Mean::Zero | Mean::Constant(_) => None,
        Mean::Linear(_) | Mean::Function(_) => {
            Some(variance(&fit.posterior.mean_function(&problem.x(), problem.n())?) / whole)
        }
    };
    let transformed = !map.is_identity() || problem.classes().is_some();
    Ok(Decomposition {
        fit: fit.clone(),
        by,
        at,
        training,
        components,
        mean_function,
        mean_share,
        cross,
        unit,
        transformed,
    })
}

impl Decomposition {
    /// The posterior covariance between two components at all pairs of rows: rows of the matrix belong to the first,
    /// columns to the second. For one component twice it is its posterior covariance.
    ///
    /// # Errors
    /// [`ModelError::NoComponent`] for an index out of range; as [`decompose`].
    pub fn covariance(&self, one: usize, other: usize) -> Result<Matrix, ModelError> {
        let count = self.components.len();
        let component = |i: usize| self.components.get(i).ok_or(ModelError::NoComponent { index: i, count });
        let (a, b) = (component(one)?, component(other)?);
        let problem = self.fit.problem();
        let x = if self.training {
            problem.x().iter().map(|c| c.to_vec()).collect()
        } else {
            problem.inputs_of(&self.at)?
        };
        let x: Vec<&[f64]> = x.iter().map(|c| &c[..]).collect();
        if one == other {
            return self.fit.posterior.summand_covariance(&a.kernel, &x, self.training);
        }
        self.fit.posterior.cross_covariance(&a.kernel, &b.kernel, &x, self.training)
    }
}

/// The summands of a kernel with products expanded.
pub(super) fn summands(kernel: &Kernel) -> Result<Vec<Kernel>, ModelError> {
    Ok(kernel.expand()?.summands().into_iter().cloned().collect())
}

/// The parts of a kernel, each with a name.
fn parts_by(kernel: &Kernel, by: By) -> Result<(Vec<Kernel>, Vec<String>), ModelError> {
    let terms = summands(kernel)?;
    let (parts, names): (Vec<Kernel>, Vec<String>) = match by {
        By::Term => return Ok((terms.clone(), labels(&terms))),
        By::Order => terms.into_iter().flat_map(orders).unzip(),
        By::Input => gathered(terms.into_iter().flat_map(|term| inputs(term, false)).collect()).into_iter().unzip(),
        By::Pair => gathered(terms.into_iter().flat_map(|term| inputs(term, true)).collect()).into_iter().unzip(),
    };
    Ok((parts, unique(names)))
}

/// The single additive factor of a term, and a function that returns the term with another factor in its place.
fn additive_factor(term: &Kernel) -> Option<(Orders<'_>, impl Fn(Kernel) -> Option<Kernel> + '_)> {
    let factors = term.factors();
    let places: Vec<usize> = (0..factors.len()).filter(|&i| Orders::of(factors[i]).is_some()).collect();
    let &[at] = &places[..] else { return None };
    let orders = Orders::of(factors[at])?;
    let put = move |other: Kernel| {
        let others = factors.iter().enumerate().map(|(i, f)| if i == at { other.clone() } else { (*f).clone() });
        Kernel::product(others.collect::<Vec<_>>())
    };
    Some((orders, put))
}

fn orders(term: Kernel) -> Vec<(Kernel, String)> {
    let Some((orders, put)) = additive_factor(&term) else {
        let name = name_of(&term);
        return vec![(term, name)];
    };
    let there = (1..=orders.weights.len()).filter(|d| orders.weights[d - 1] > 0.0);
    let others = there.filter_map(|d| Some((put(orders.only(|order| order == d))?, format!("order {d}"))));
    order_zero(&orders, &put, "order 0").into_iter().chain(others).collect()
}

/// The constant part with this name, if there is one.
fn order_zero(orders: &Orders<'_>, put: impl Fn(Kernel) -> Option<Kernel>, name: &str) -> Option<(Kernel, String)> {
    Some((put(orders.order_zero()?)?, name.to_string()))
}

/// The share of each order of interaction in the variance over the rows of the posterior mean of an additive term;
/// empty for other terms. Orders may be correlated, so shares are relative to the sum of their variances.
///
/// # Errors
/// Rows at which the term cannot be evaluated.
pub fn order_shares(fit: &Fit, term: &Kernel) -> Result<Vec<(usize, f64)>, ModelError> {
    let Some((found, put)) = additive_factor(term) else { return Ok(Vec::new()) };
    let alpha = Matrix::from_columns(std::slice::from_ref(fit.posterior.alpha()));
    let mut shares = Vec::new();
    for order in (1..=found.weights.len()).filter(|d| found.weights[d - 1] > 0.0) {
        let Some(part) = put(found.only(|d| d == order)) else { continue };
        shares.push((order, variance(fit.posterior.summand_times(&part, &alpha)?.as_slice())));
    }
    let whole: f64 = shares.iter().map(|(_, v)| v).sum();
    shares.iter_mut().for_each(|(_, v)| *v /= whole);
    shares.retain(|(_, share)| share.is_finite());
    Ok(shares)
}

/// The parts of a term by inputs; with `pairs` its second-order interactions are parts of their own.
fn inputs(term: Kernel, pairs: bool) -> Vec<(Kernel, String)> {
    let Some((orders, put)) = additive_factor(&term) else {
        let name = seen_by(&term);
        return vec![(term, name)];
    };
    let alone = (0..orders.kernels().len()).filter_map(|i| {
        let part = put(orders.alone(i)?)?;
        let name = seen_by(&part);
        Some((part, name))
    });
    let mut all: Vec<(Kernel, String)> = order_zero(&orders, &put, "constant").into_iter().chain(alone).collect();
    let count = orders.kernels().len();
    let known = if pairs { 2 } else { 1 };
    if pairs {
        for (i, j) in (0..count).flat_map(|i| (i + 1..count).map(move |j| (i, j))) {
            all.extend(orders.pair(i, j).and_then(&put).map(|part| {
                let name = seen_by(&part);
                (part, name)
            }));
        }
    }
    if orders.weights.iter().skip(known).any(|v| *v > 0.0) {
        let name = if pairs { "higher interactions" } else { "interactions" };
        all.extend(put(orders.only(|order| order > known)).map(|rest| (rest, name.to_string())));
    }
    all
}

/// The inputs on which a kernel depends, as a name.
fn seen_by(kernel: &Kernel) -> String {
    let (mentioned, all) = kernel.mentioned();
    let names: Vec<String> = mentioned
        .iter()
        .map(|input| match input {
            InputRef::Index(at) => format!("input {at}"),
            InputRef::Name(name) => name.to_string(),
        })
        .collect();
    match (all, names.is_empty()) {
        (true, _) => "all inputs".into(),
        (false, true) => "no input".into(),
        _ => names.join(", "),
    }
}

/// Adds up the parts with equal names.
fn gathered(parts: Vec<(Kernel, String)>) -> Vec<(Kernel, String)> {
    let mut all: Vec<(Vec<Kernel>, String)> = Vec::new();
    for (part, name) in parts {
        match all.iter_mut().find(|(_, known)| *known == name) {
            Some((parts, _)) => parts.push(part.unlabelled()),
            None => all.push((vec![part.unlabelled()], name)),
        }
    }
    all.into_iter().filter_map(|(parts, name)| Some((Kernel::sum(parts)?, name))).collect()
}

/// A name for each term: the user's label, or else the families with their inputs; repeated names are numbered.
fn labels(terms: &[Kernel]) -> Vec<String> {
    unique(terms.iter().map(name_of).collect())
}

fn unique(names: Vec<String>) -> Vec<String> {
    let mut labels: Vec<String> = Vec::with_capacity(names.len());
    for name in names {
        let before = labels.iter().filter(|l| **l == name || l.starts_with(&format!("{name} ("))).count();
        labels.push(if before == 0 { name } else { format!("{name} ({})", before + 1) });
    }
    labels
}

fn name_of(term: &Kernel) -> String {
    if let Some(label) = term.label() {
        return label.to_string();
    }
    let factors = term.factors();
    if factors.len() > 1 {
        // a number scales a part and is not used in its name
        let named: Vec<String> = factors.iter().filter(|f| f.as_number().is_none()).map(|f| name_of(f)).collect();
        if !named.is_empty() {
            return named.join(" × ");
        }
    }
    term.map_params(&mut |_| crate::param::Param::default()).to_string()
}
