//! The setup of a search: its data, properties of the data, and the base kernels on their inputs.

use std::sync::Arc;

use rayon::prelude::*;

use super::early_rows::{compared_rows, early_rows, middle_rows};
use super::score::judge;
use super::{Found, SearchError, Settings};
use crate::data::Dataset;
use crate::fit::spacing::variance;
use crate::fit::{Column, Fit, condition, rounding_variance};
use crate::kernel::InputsShown;
use crate::kernel::{InputRef, Inputs, Kernel, Leaf, Node, Role, Schema, Wrapped, families};
use crate::model::{Model, ModelError, Noise, Problem, zero_kernel};
use crate::progress::{Progress, StopHandle};

/// The least number of rows for a search.
const LEAST_ROWS: usize = 5;

/// The data of a search and the quantities computed from them once.
pub struct Setup<'s> {
    pub settings: &'s Settings,
    /// The rows to which candidates are fitted.
    pub data: Dataset,
    /// Whether these are a part of many rows.
    pub of_part: bool,
    /// Rows that are held out from the fits.
    pub held_out: Option<Dataset>,
    /// Indices of the rows of the first round of a race, if these are a subset.
    pub early: Option<Vec<usize>>,
    /// Indices of the rows of its second round, if these are a subset.
    pub middle: Option<Vec<usize>>,
    /// The quantities of each input that starts need, in the order of the data.
    pub columns: Vec<Column>,
    /// Variance of the target.
    pub variance: f64,
    /// The least noise variance: that of the rounding of the target, step²/12; 0 if it is not rounded.
    pub least_noise: f64,
    /// Numeric inputs for base kernels, each with the middle of its range.
    pub inputs: Vec<(Arc<str>, f64)>,
    /// The kernel with which the search begins beside the base kernels.
    pub start: Option<Kernel>,
    /// Base kernels with named inputs that can be bound to the data.
    pub bases: Vec<Kernel>,
    /// For several inputs: the product over all inputs of each base kernel with a length-scale. The inputs may explain
    /// the target together even if none does alone.
    pub together: Vec<Kernel>,
    /// Base kernels that cannot be bound to the data, with the reason.
    pub refused: Vec<(Kernel, String)>,
    /// Whether some base kernel, or that to begin with, has a period.
    pub periodic: bool,
    /// The request of the user to stop, which ends the scoring of models.
    stop: StopHandle,
}

impl<'s> Setup<'s> {
    /// The setup of a search of these data.
    ///
    /// # Errors
    /// Settings without base kernels or inputs, data to which no model can be fitted, or a kernel to begin with that does
    /// not fit the data.
    pub fn new(data: &Dataset, settings: &'s Settings) -> Result<Self, SearchError> {
        check(settings)?;
        let null = settings.model(null_kernel());
        let problem = Problem::new(&null, data, false)?;
        if data.n() < LEAST_ROWS {
            return Err(SearchError::TooFewRows { rows: data.n(), needed: LEAST_ROWS });
        }
        let names = problem.names();
        if let Some(name) = settings.inputs.iter().flatten().find(|name| !names.contains(name)) {
            return Err(SearchError::UnknownInput { name: name.clone(), known: names.to_vec() });
        }
        let wanted = |name: &String| settings.inputs.as_ref().is_none_or(|inputs| inputs.contains(name));
        let offered: Vec<&String> = names.iter().filter(|name| wanted(name)).collect();
        if offered.is_empty() && settings.base.iter().any(sees_all) {
            return Err(SearchError::NoInputs);
        }
        let schema = problem.schema();
        let start = settings.start.as_ref().map(|kernel| begun_with(kernel, &schema)).transpose()?;
        let (mut bases, mut refused): (Vec<Kernel>, Vec<(Kernel, String)>) = (Vec::new(), Vec::new());
        let mut together: Vec<Kernel> = Vec::new();
        for base in &settings.base {
            let base = base.bare();
            let here: Vec<Kernel> = match sees_all(&base) {
                // a kernel for categories is used only on categorical inputs
                true if is_for_categories(&base) => {
                    let categories = schema.columns.iter().filter(|c| c.is_categories()).map(|c| c.name);
                    let found: Vec<Kernel> = categories
                        .filter(|name| offered.iter().any(|one| one == name))
                        .map(|name| on_input(&base, name))
                        .collect();
                    if found.is_empty() {
                        refused.push((base, "no column that is searched holds categories".into()));
                        continue;
                    }
                    found
                }
                true => offered.iter().map(|name| on_input(&base, name)).collect(),
                false => vec![base],
            };
            let mut local: Vec<Kernel> = Vec::new();
            for kernel in here {
                if let Err(error) = kernel.bind(&schema) {
                    refused.push((kernel, error.to_string()));
                    continue;
                }
                if is_local(&kernel) {
                    local.push(kernel.clone());
                }
                if !bases.contains(&kernel) {
                    bases.push(kernel);
                }
            }
            if local.len() > 1 {
                together.extend(Kernel::product(local));
            }
        }
        if bases.is_empty() && start.is_none() {
            let failures = refused.iter().map(|(kernel, why)| (kernel.to_string(), why.clone())).collect();
            return Err(SearchError::AllFailed { failures });
        }
        let periodic = bases.iter().chain(&start).any(has_period);
        let numbers = schema.columns.iter().filter(|c| !c.is_categories());
        let inputs = numbers
            .filter(|c| offered.iter().any(|name| *name == c.name))
            .map(|c| (Arc::from(c.name), middle(c.values)))
            .collect();
        let least_noise = rounding_variance(&problem);
        let (data, held_out) = match settings.criterion {
            super::Criterion::HeldOut => hold_out(data)?,
            _ => (data.clone(), None),
        };
        // periods, scales and the variance, from which fits begin, are not those of rows that are held out
        let kept = held_out.as_ref().map(|_| Problem::new(&null, &data, false)).transpose()?;
        let kept = kept.as_ref().unwrap_or(&problem);
        let columns = (0..kept.x().len()).into_par_iter().map(|d| Column::new(kept, d, periodic)).collect();
        let variance = variance(kept.y());
        let compared = compared_rows(&inputs_of(&data, names), data.n());
        let of_part = compared.is_some();
        let data = compared.map_or(data.clone(), |rows| data.take(&rows));
        let read = inputs_of(&data, names);
        let (early, middle) = (early_rows(&read, data.n()), middle_rows(&read, data.n()));
        Ok(Self {
            settings,
            data,
            of_part,
            held_out,
            early,
            middle,
            columns,
            variance,
            least_noise,
            inputs,
            start,
            bases,
            together,
            refused,
            periodic,
            stop: StopHandle::default(),
        })
    }

    /// The same; scoring ends when the user stops the work.
    #[must_use]
    pub fn stopped_by(self, progress: &dyn Progress) -> Self {
        Self { stop: progress.stop_handle(), ..self }
    }

    /// A model that was fitted to the rows of the search, with its score. `None` if it has none, or if the user stopped the
    /// search before it was known.
    pub fn scored(&self, fit: &Arc<Fit>) -> Option<Found> {
        self.judged(fit, false)
    }

    /// The same whether or not the user stopped the search: it needs a model.
    pub fn scored_in_any_case(&self, fit: &Arc<Fit>) -> Option<Found> {
        self.judged(fit, true)
    }

    fn judged(&self, fit: &Arc<Fit>, needed: bool) -> Option<Found> {
        let judged = judge(fit, self.settings.criterion, self.held_out.as_ref(), needed, &self.columns, &self.stop)?;
        let (parameters, score) = (judged.parameters, judged.score);
        let better = |values: Vec<f64>| condition(&fit.problem().model_with(&values), fit.problem().data()).ok();
        let (model, lml) = match judged.better.and_then(better) {
            Some(better) => (better.model.clone(), better.evidence().ok()?),
            None => (fit.model.clone(), fit.evidence().ok()?),
        };
        Some(Found { model, lml, parameters, score, weight: 0.0 })
    }

    /// The share of all rows that a subset has.
    pub fn share(&self, rows: Option<&Vec<usize>>) -> f64 {
        rows.map_or(1.0, |rows| rows.len() as f64 / self.data.n() as f64)
    }

    /// Rows by which other maxima of a model are compared, if these are a subset.
    pub fn fewer_rows(&self) -> Option<&[usize]> {
        self.middle.as_deref().or(self.early.as_deref())
    }
}

/// The rows on which scales of the target are compared: those of the first round of a race.
///
/// # Errors
/// Data to which no model can be fitted.
pub fn trial_rows(data: &Dataset, settings: &Settings) -> Result<Option<Vec<usize>>, SearchError> {
    let problem = Problem::new(&settings.model(null_kernel()), data, false)?;
    Ok(early_rows(&inputs_of(data, problem.names()), data.n()))
}

/// The values of each input.
fn inputs_of<'d>(data: &'d Dataset, names: &[String]) -> Vec<&'d [f64]> {
    names.iter().filter_map(|name| data.column(name)).map(|c| c.values()).collect()
}

fn check(settings: &Settings) -> Result<(), SearchError> {
    if settings.base.is_empty() {
        return Err(SearchError::EmptyBase);
    }
    if settings.depth == 0 {
        return Err(SearchError::Depth(settings.depth));
    }
    if settings.beam == 0 {
        return Err(SearchError::Beam);
    }
    if settings.moves.is_empty() {
        return Err(SearchError::NoMoves);
    }
    Ok(())
}

/// Whether a base kernel makes close rows similar and distant rows independent.
fn is_local(kernel: &Kernel) -> bool {
    let Node::Leaf(leaf) = kernel.node() else { return false };
    let has = |role: Role| leaf.family.spec().params.iter().any(|p| p.role == role);
    has(Role::LengthScale) && !has(Role::Period)
}

/// White noise: the kernel of the null model.
pub fn null_kernel() -> Kernel {
    families::family("WN").map_or_else(|| Kernel::number(1.0), Kernel::family)
}

/// The null model: noise only, as far as the noise is not known.
pub fn null_model(settings: &Settings) -> Model {
    let model = settings.model(null_kernel());
    match model.noise() {
        Some(Noise::Variance(param)) if param.is_unset() => model,
        // the noise is known or absent, so the function has almost no variance
        _ => Model { kernel: zero_kernel(), ..model },
    }
}

/// Whether all parts of a kernel are defined for categories.
pub fn is_for_categories(kernel: &Kernel) -> bool {
    match kernel.node() {
        Node::Leaf(leaf) => leaf.family.takes_categories(),
        _ => kernel.children().iter().all(is_for_categories),
    }
}

/// The kernel with which a search begins, in the form of the base kernels: of a single input it names it.
///
/// # Errors
/// It does not fit the inputs.
fn begun_with(kernel: &Kernel, schema: &Schema<'_>) -> Result<Kernel, ModelError> {
    kernel.bind(schema)?;
    Ok(match schema.columns[..] {
        [ref single] => on_input(&kernel.bare(), single.name),
        _ => kernel.bare(),
    })
}

fn sees_all(kernel: &Kernel) -> bool {
    kernel.mentioned().1
}

/// The kernel with every node of all inputs applied to one.
fn on_input(kernel: &Kernel, name: &str) -> Kernel {
    let here = |inputs: &Inputs, reads: bool| match inputs {
        Inputs::All if reads => Inputs::These(vec![InputRef::Name(name.into())]),
        inputs => inputs.clone(),
    };
    let children = || kernel.children().iter().map(|child| on_input(child, name)).collect::<Vec<_>>();
    kernel.with_node(match kernel.node() {
        Node::Leaf(leaf) => {
            Node::Leaf(Leaf { inputs: here(&leaf.inputs, leaf.family.spec().reads_inputs), ..leaf.clone() })
        }
        Node::Sum(_) => Node::Sum(children()),
        Node::Product(_) => Node::Product(children()),
        // a wrap that repeats a kernel for each input needs all inputs
        Node::Wrap(wrapped) if wrapped.wrap.is_one_kernel_per_input() => return kernel.clone(),
        Node::Wrap(wrapped) => {
            let own = wrapped.wrap.reads_inputs() && !matches!(wrapped.wrap.inputs_shown(), InputsShown::Extras);
            Node::Wrap(Wrapped { children: children(), inputs: here(&wrapped.inputs, own), ..wrapped.clone() })
        }
    })
}

fn has_period(kernel: &Kernel) -> bool {
    kernel.any_leaf(&|leaf| leaf.family.spec().params.iter().any(|p| p.role == Role::Period))
}

fn middle(values: &[f64]) -> f64 {
    let (lo, hi) = values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(lo, hi), &x| (lo.min(x), hi.max(x)));
    // a short number, because it is printed
    let exact = 0.5 * lo + 0.5 * hi;
    let unit = 10f64.powf(((hi - lo) / 1000.0).log10().floor());
    if unit.is_finite() && unit > 0.0 { (exact / unit).round() * unit } else { exact }
}

/// Every fifth row is held out, starting with the third, so that both ends stay in the training rows.
fn hold_out(data: &Dataset) -> Result<(Dataset, Option<Dataset>), SearchError> {
    let (out, kept): (Vec<usize>, Vec<usize>) = (0..data.n()).partition(|row| row % 5 == 2);
    if kept.len() < LEAST_ROWS || out.is_empty() {
        return Err(SearchError::HeldOut { rows: data.n() });
    }
    Ok((data.take(&kept), Some(data.take(&out))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Column;

    #[test]
    fn scoring_ends_with_the_search_unless_its_score_is_needed() {
        let x: Vec<f64> = (0..20).map(f64::from).collect();
        let y = x.iter().map(|x| (x / 3.0).sin()).collect();
        let data = Dataset::new(vec![Column::numeric("x", x), Column::numeric("y", y)], Some("y"), None).expect("data");
        let settings = Settings { criterion: crate::search::Criterion::Laplace, ..Settings::default() };
        let setup = Setup::new(&data, &settings).expect("a setup");
        let kernel = Kernel::family(families::family("SE").expect("a family"));
        let fit = Arc::new(condition(&settings.model(kernel), &data).expect("a fit"));
        let whole = setup.scored(&fit).expect("a score");
        let stopped = setup.stopped_by(&StopHandle::new(|| true));
        assert!(stopped.scored(&fit).is_none());
        // at the values of the fit the density is below that at the mode
        let needed = stopped.scored_in_any_case(&fit).expect("a score");
        assert!(needed.score.is_finite() && needed.lml <= whole.lml + 1e-9, "{} {}", needed.score, whole.score);
    }

    #[test]
    fn of_many_rows_a_part_is_searched() {
        let data = |n: usize| {
            let x: Vec<f64> = (0..n).map(|i| i as f64).collect();
            let y = x.iter().map(|x| (x / 50.0).sin()).collect();
            Dataset::new(vec![Column::numeric("x", x), Column::numeric("y", y)], Some("y"), None).expect("a data set")
        };
        let settings = Settings::default();
        let (all, many) = (data(2000), data(2001));
        let few = Setup::new(&all, &settings).expect("a setup");
        assert!(!few.of_part && few.data.n() == 2000);
        let part = Setup::new(&many, &settings).expect("a setup");
        assert!(part.of_part && part.data.n() == 1500);
        assert_eq!((part.early.map(|rows| rows.len()), part.middle.map(|rows| rows.len())), (Some(150), Some(360)));
    }
}
