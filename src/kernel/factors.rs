//! A kernel as a sum of products of factors, each with its inputs: the form that integrals over a kernel need.

use super::bind_error::BindError;
use super::family::{Form, Role, Theta};
use super::group::{Coordinate, group};
use super::inputs::Inputs;
use super::phrasing::Head;
use super::tree::{Kernel, Leaf, Node};

/// One factor of a product.
#[derive(Debug, Clone)]
pub struct Factor {
    pub kernel: Kernel,
    /// Indices of its input columns, ascending.
    pub columns: Vec<usize>,
    /// Its form as a function of these columns, in the order of `columns`.
    pub form: Form,
}

impl Kernel {
    /// The factors of each term of the expanded kernel, over input columns of these names. A kernel too large to expand
    /// is one factor. Every parameter must have a value, as after
    /// [`Bound::with_all_fixed`](super::Bound::with_all_fixed).
    ///
    /// # Errors
    /// [`BindError`]: an input is none of the columns.
    pub fn sums_of_factors(&self, names: &[&str]) -> Result<Vec<Vec<Factor>>, BindError> {
        let expanded = self.expand().unwrap_or_else(|_| self.clone());
        let factors = |term: &Kernel| term.factors().into_iter().map(|kernel| Factor::new(kernel, names)).collect();
        expanded.summands().into_iter().map(factors).collect()
    }
}

/// A kernel as the sum of another over all pairs of elements of a group, Σ_g Σ_h k(gx, hx′).
#[derive(Debug, Clone)]
pub struct GroupSum {
    pub inside: Kernel,
    /// Each element as the origins of its coordinates, one per input column; a coordinate is from one column only.
    pub elements: Vec<Vec<Coordinate>>,
    /// The factor of the sum.
    pub scale: f64,
}

impl Kernel {
    /// The kernel as a sum over a group, over input columns of these names. `None` for other kernels.
    ///
    /// # Errors
    /// [`BindError`]: an input is none of the columns.
    pub fn group_sum(&self, names: &[&str]) -> Result<Option<GroupSum>, BindError> {
        let kernel = self.clone().unlabelled();
        let Node::Wrap(wrapped) = kernel.node() else { return Ok(None) };
        let (Some((moves, normalize)), [inside]) = (wrapped.wrap.sum_over_group(), &wrapped.children[..]) else {
            return Ok(None);
        };
        let at = moves.iter().map(|m| Inputs::These(m.inputs.clone()).places(names, kernel.origin()));
        let at = at.collect::<Result<Vec<_>, _>>()?;
        let repeated = at.iter().any(|m| (1..m.len()).any(|i| m[..i].contains(&m[i])));
        let Some(elements) = group(moves, &at, names.len()).ok().filter(|_| !repeated) else { return Ok(None) };
        if elements.iter().any(|element| element.inverse().is_none()) {
            return Ok(None);
        }
        let terms = (elements.len() * elements.len()) as f64;
        let scale = if normalize { 1.0 / terms } else { 1.0 };
        let elements = elements.into_iter().map(|element| element.0).collect();
        Ok(Some(GroupSum { inside: inside.clone(), elements, scale }))
    }
}

impl Factor {
    fn new(kernel: &Kernel, names: &[&str]) -> Result<Self, BindError> {
        let kernel = kernel.clone().unlabelled();
        let inputs = kernel.written_inputs().map_or(Inputs::All, Inputs::These);
        let mut columns = inputs.places(names, kernel.origin())?;
        let in_order = columns.windows(2).all(|pair| pair[0] < pair[1]);
        let form = match kernel.node() {
            // the length-scales of a family follow the order of its inputs
            Node::Leaf(leaf) if in_order => leaf.form(columns.len()),
            _ => Form::General,
        };
        columns.sort_unstable();
        columns.dedup();
        Ok(Self { kernel, columns, form })
    }
}

impl Kernel {
    /// Whether one of its families has a limited number of derivatives, so that the kernel is not smooth at x = x′.
    pub fn has_corner(&self) -> bool {
        match self.node() {
            Node::Leaf(leaf) => leaf.family.spec().derivatives.is_finite(),
            _ => self.children().iter().any(Kernel::has_corner),
        }
    }
}

impl Kernel {
    /// The number of mean-square derivatives of draws without white noise, and whether it also depends on users'
    /// functions, folds or categories.
    pub fn derivatives(&self) -> (f64, bool) {
        let inside = self.children().iter().map(Kernel::derivatives);
        let (least, open) = inside.fold((f64::INFINITY, false), |(least, open), (n, o)| (least.min(n), open || o));
        match self.node() {
            Node::Leaf(leaf) => (leaf.family.spec().derivatives, leaf.family.spec().wording.head == Head::Levels),
            Node::Wrap(wrapped) => wrapped.wrap.derivatives(least).map_or((least, true), |n| (n, open)),
            Node::Sum(_) | Node::Product(_) => (least, open),
        }
    }

    /// Whether its draws have slopes, which are not 0 at the start of a process.
    pub fn has_slopes(&self) -> bool {
        let grows = |role: Role| matches!(role, Role::GrowthVariance(_));
        let still = |leaf: &Leaf| leaf.family.spec().params.iter().any(|param| grows(param.role));
        let (derivatives, open) = self.derivatives();
        derivatives >= 1.0 && !open && !self.any_leaf(&still)
    }
}

impl Leaf {
    /// Its form on `inputs` inputs; [`Form::General`] where a parameter has no value.
    fn form(&self, inputs: usize) -> Form {
        let (mut all, mut ranges) = (Vec::new(), Vec::new());
        for values in &self.params {
            let start = all.len();
            for param in values.as_slice() {
                let Some(value) = param.value() else { return Form::General };
                all.push(value);
            }
            ranges.push(start..all.len());
        }
        match ranges.iter().any(|range| range.is_empty()) {
            true => Form::General,
            false => self.family.form(Theta { all: &all, ranges: &ranges }, inputs),
        }
    }
}
