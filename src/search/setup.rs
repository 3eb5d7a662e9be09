//! The setup of a search: its data, properties of the data, and the base kernels on their inputs.

use std::sync::Arc;

use super::{SearchError, Settings};
use crate::data::Dataset;
use crate::fit::Column;
use crate::fit::spacing::{sample, variance};
use crate::kernel::InputsShown;
use crate::kernel::{InputRef, Inputs, Kernel, Leaf, Node, Role, Wrapped, families};
use crate::model::{Model, Noise, Problem, nothing};

/// Fewer rows say nothing of structure.
const LEAST_ROWS: usize = 5;
/// Above so many rows the early rounds use a subset,
const MANY_ROWS: usize = 250;
/// of so many rows.
const EARLY_ROWS: usize = 180;

pub struct Setup<'s> {
    pub settings: &'s Settings,
    /// The rows that candidates are fitted to.
    pub data: Dataset,
    /// Rows that are kept from the fits.
    pub held_out: Option<Dataset>,
    /// Indices of the rows that the early rounds use, if these are not all.
    pub early: Option<Vec<usize>>,
    /// What is read of every input, in the order of the data.
    pub columns: Vec<Column>,
    /// Variance of the target.
    pub variance: f64,
    /// Inputs of numbers that kernels are offered on, each with the middle of its values.
    pub inputs: Vec<(Arc<str>, f64)>,
    /// Base kernels, each with its inputs named, that can be bound to the data.
    pub bases: Vec<Kernel>,
    /// For several inputs: each base kernel with a length-scale, multiplied over all of them. Where no input alone says
    /// anything, all together may.
    pub together: Vec<Kernel>,
    /// Those that cannot, and why.
    pub refused: Vec<(Kernel, String)>,
    /// Whether some base kernel has a period.
    pub periodic: bool,
}

impl<'s> Setup<'s> {
    /// # Errors
    /// Settings that leave nothing to do, data that no model can be fitted to.
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
        let (mut bases, mut refused): (Vec<Kernel>, Vec<(Kernel, String)>) = (Vec::new(), Vec::new());
        let mut together: Vec<Kernel> = Vec::new();
        for base in &settings.base {
            let base = base.bare();
            let here: Vec<Kernel> = match sees_all(&base) {
                // what takes nothing but categories is offered nothing else
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
        if bases.is_empty() {
            let failures = refused.iter().map(|(kernel, why)| (kernel.to_string(), why.clone())).collect();
            return Err(SearchError::AllFailed { failures });
        }
        let periodic = bases.iter().any(has_period);
        let columns = problem.x().iter().map(|x| Column::new(x, problem.y(), periodic)).collect();
        let numbers = schema.columns.iter().filter(|c| !c.is_categories());
        let inputs = numbers
            .filter(|c| offered.iter().any(|name| *name == c.name))
            .map(|c| (Arc::from(c.name), middle(c.values)))
            .collect();
        let variance = variance(problem.y());
        let (data, held_out) = match settings.criterion {
            super::Criterion::HeldOut => hold_out(data)?,
            _ => (data.clone(), None),
        };
        let early = (data.n() > MANY_ROWS).then(|| sample(data.n(), EARLY_ROWS));
        Ok(Self { settings, data, held_out, early, columns, variance, inputs, bases, together, refused, periodic })
    }

    /// The share of the rows that the early rounds use.
    pub fn early_share(&self) -> f64 {
        self.early.as_ref().map_or(1.0, |rows| rows.len() as f64 / self.data.n() as f64)
    }
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

/// Whether a base kernel says that near rows are alike, and nothing of rows far apart.
fn is_local(kernel: &Kernel) -> bool {
    let Node::Leaf(leaf) = kernel.node() else { return false };
    let has = |role: Role| leaf.family.spec().params.iter().any(|p| p.role == role);
    has(Role::LengthScale) && !has(Role::Period)
}

/// Noise alone.
pub fn null_kernel() -> Kernel {
    families::family("WN").map_or_else(|| Kernel::number(1.0), Kernel::family)
}

/// The model without any function: noise alone, as far as the noise is not known.
pub fn null_model(settings: &Settings) -> Model {
    let model = settings.model(null_kernel());
    match model.noise() {
        Some(Noise::Variance(param)) if param.is_unset() => model,
        // the noise is known or absent: almost nothing is added to it
        _ => Model { kernel: nothing(), ..model },
    }
}

/// Whether all parts of a kernel take categories.
pub fn is_for_categories(kernel: &Kernel) -> bool {
    match kernel.node() {
        Node::Leaf(leaf) => leaf.family.takes_categories(),
        _ => kernel.children().iter().all(is_for_categories),
    }
}

fn sees_all(kernel: &Kernel) -> bool {
    kernel.mentioned().1
}

/// The kernel with every node that depends on all inputs applied to one.
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
        // what stands for one kernel for each input needs them all
        Node::Wrap(wrapped) if wrapped.wrap.is_one_kernel_per_input() => return kernel.clone(),
        Node::Wrap(wrapped) => {
            let own = wrapped.wrap.reads_inputs() && !matches!(wrapped.wrap.inputs_shown(), InputsShown::Extras);
            Node::Wrap(Wrapped { children: children(), inputs: here(&wrapped.inputs, own), ..wrapped.clone() })
        }
    })
}

fn has_period(kernel: &Kernel) -> bool {
    match kernel.node() {
        Node::Leaf(leaf) => leaf.family.spec().params.iter().any(|p| p.role == Role::Period),
        _ => kernel.children().iter().any(has_period),
    }
}

fn middle(values: &[f64]) -> f64 {
    let (lo, hi) = values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(lo, hi), &x| (lo.min(x), hi.max(x)));
    // short numbers, as it will be read
    let exact = 0.5 * lo + 0.5 * hi;
    let unit = 10f64.powf(((hi - lo) / 1000.0).log10().floor());
    if unit.is_finite() && unit > 0.0 { (exact / unit).round() * unit } else { exact }
}

/// Every fifth row is held out, the third first, so that both ends stay.
fn hold_out(data: &Dataset) -> Result<(Dataset, Option<Dataset>), SearchError> {
    let (out, kept): (Vec<usize>, Vec<usize>) = (0..data.n()).partition(|row| row % 5 == 2);
    if kept.len() < LEAST_ROWS || out.is_empty() {
        return Err(SearchError::HeldOut { rows: data.n() });
    }
    Ok((data.take(&kept), Some(data.take(&out))))
}
