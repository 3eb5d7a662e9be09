//! Extracting the variance of a kernel, and restoring it.

use crate::kernel::expand::is_linear;
use crate::kernel::families::CONST;
use crate::kernel::family::Domains;
use crate::kernel::family::{ParamSpec, Role};
use crate::kernel::tree::{Kernel, Leaf, Node, Wrapped};
use crate::kernel::unit_variance::{is_unit_variance, unit_variance};
use crate::kernel::values::Values;
use crate::param::{Param, State};

/// The scale of a kernel.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Scale {
    pub value: f64,
    /// Whether it includes a free variance.
    pub free: bool,
    /// Whether its value was written.
    pub written: bool,
}

impl Scale {
    /// The scale 1.
    pub const ONE: Scale = Scale { value: 1.0, free: false, written: false };

    /// A fixed number.
    pub fn number(value: f64) -> Self {
        Scale { value, written: value != 1.0, free: false }
    }

    /// The product of two scales.
    pub fn times(self, other: Scale) -> Self {
        let (free, written) = (self.free || other.free, self.written || other.written);
        Scale { value: self.value * other.value, free, written }
    }

    /// The sum of two scales.
    pub fn plus(self, other: Scale) -> Self {
        Scale { value: self.value + other.value, free: self.free || other.free, written: true }
    }

    /// The n-th power of a scale.
    pub fn powi(self, n: u32) -> Self {
        Scale { value: self.value.powi(n.min(i32::MAX as u32) as i32), ..self }
    }

    /// A free variance with this value.
    fn variance(self) -> Param {
        if self.written || self.value != 1.0 { Param::free(self.value) } else { Param::default() }
    }
}

/// Whether it is free, without a prior or a tie, and so may be merged.
pub(super) fn is_plain(param: &Param) -> bool {
    matches!(param.state, State::Unset | State::Free(_))
        && param.prior.is_none()
        && param.tie.is_none()
        && param.time.is_none()
}

/// A variance as a scale, if it is one number (or unset) and is held or may be merged.
fn scale_of(values: &Values) -> Option<Scale> {
    match values {
        Values::One(param) if is_unit_variance(param) => Some(Scale::ONE),
        Values::One(param) if is_plain(param) => {
            let value = param.value();
            Some(Scale { value: value.unwrap_or(1.0), free: true, written: value.is_some() })
        }
        Values::Each(params) if params.is_empty() => Some(Scale { free: true, ..Scale::ONE }),
        _ => None,
    }
}

/// The index of the parameter that scales the whole kernel, and that of the offset if one must be scaled with it.
/// `None` with one variance per input.
fn places(node: &Node) -> Option<(usize, Option<usize>)> {
    let spec = match node {
        Node::Leaf(leaf) => leaf.family.spec(),
        Node::Wrap(wrapped) => wrapped.wrap.spec(),
        _ => return None,
    };
    if matches!(node, Node::Leaf(leaf) if leaf.ard && spec.params.iter().any(|p| p.role == Role::SlopeVariance)) {
        return None;
    }
    let find = |role| spec.params.iter().position(|p| p.role == role);
    let v = spec.params.iter().position(ParamSpec::is_variance)?;
    // an offset that is fixed at 0 stays 0 under every factor
    let is_zero = |at: &usize| matches!(params(node).get(*at), Some(Values::One(p)) if *p == Param::fixed(0.0));
    let bias = find(Role::Bias).filter(|at| !is_zero(at));
    Some((v, if spec.params[v].role == Role::SlopeVariance { bias } else { None }))
}

fn params(node: &Node) -> &[Values] {
    match node {
        Node::Leaf(leaf) => &leaf.params,
        Node::Wrap(wrapped) => &wrapped.params,
        _ => &[],
    }
}

fn with_param(kernel: &Kernel, at: usize, values: Values) -> Kernel {
    let mut node = kernel.node().clone();
    let params = match &mut node {
        Node::Leaf(Leaf { params, .. }) | Node::Wrap(Wrapped { params, .. }) => params,
        _ => return kernel.clone(),
    };
    if let Some(param) = params.get_mut(at) {
        *param = values;
    }
    kernel.with_node(node)
}

fn multiplied(values: &Values, factor: f64) -> Option<Values> {
    match values {
        _ if factor == 1.0 => Some(values.clone()),
        Values::One(param) if is_plain(param) => Some(Values::One(Param::free(param.value().unwrap_or(1.0) * factor))),
        _ => None,
    }
}

/// A wrap of one kernel without a variance of its own.
fn bare_wrap(kernel: &Kernel) -> Option<(&Wrapped, &Kernel)> {
    match kernel.node() {
        Node::Wrap(wrapped) if places(kernel.node()).is_none() => match &wrapped.children[..] {
            [child] => Some((wrapped, child)),
            _ => None,
        },
        _ => None,
    }
}

fn rewrap(kernel: &Kernel, wrapped: &Wrapped, child: Kernel) -> Kernel {
    kernel.with_node(Node::Wrap(Wrapped { children: vec![child], ..wrapped.clone() }))
}

/// Splits a kernel into a scale and a kernel with held variances. A labelled kernel, or one that cannot be merged, is
/// unchanged.
pub(super) fn split(kernel: &Kernel) -> (Scale, Kernel) {
    let as_it_is = || (Scale::ONE, kernel.clone());
    if kernel.label().is_some() {
        return as_it_is();
    }
    if let Some(value) = kernel.as_number() {
        return (Scale::number(value), Kernel::number(1.0));
    }
    if let Node::Product(factors) = kernel.node() {
        let mut scale = Scale::ONE;
        let mut units = Vec::with_capacity(factors.len());
        for factor in factors {
            let (own, unit) = split(factor);
            scale = scale.times(own);
            if unit.as_number() != Some(1.0) {
                units.push(unit);
            }
        }
        return (scale, Kernel::product(units).unwrap_or_else(|| Kernel::number(1.0)));
    }
    if let Some((wrapped, child)) = bare_wrap(kernel) {
        let (scale, unit) = split(child);
        return match wrapped.wrap.exponent() {
            Some(n) => (scale.powi(n), rewrap(kernel, wrapped, unit)),
            None if is_linear(wrapped) && !is_one(&unit) => (scale, rewrap(kernel, wrapped, unit)),
            None => as_it_is(),
        };
    }
    let Some((v, bias)) = places(kernel.node()) else { return as_it_is() };
    let params = params(kernel.node());
    let Some(scale) = scale_of(&params[v]) else { return as_it_is() };
    let unit = match bias {
        None => Some(kernel.clone()),
        Some(b) => multiplied(&params[b], 1.0 / scale.value)
            .filter(|_| !scale.free || scale_of(&params[b]).is_some())
            .map(|values| with_param(kernel, b, values)),
    };
    match unit {
        Some(unit) => (scale, with_param(&unit, v, Values::One(unit_variance()))),
        None => as_it_is(),
    }
}

fn is_one(kernel: &Kernel) -> bool {
    kernel.as_number() == Some(1.0)
}

/// Whether a kernel can absorb a variance into a parameter without changing its offset.
pub(super) fn is_multiplier(kernel: &Kernel) -> bool {
    kernel.label().is_none()
        && places(kernel.node()).is_some_and(|(v, b)| b.is_none() && scale_of(&params(kernel.node())[v]).is_some())
}

/// The kernel times a free scale, which is absorbed by the first variance that can take it.
pub(super) fn join(kernel: &Kernel, scale: Scale) -> Option<Kernel> {
    if kernel.label().is_some() || kernel.as_number().is_some() {
        return None;
    }
    if let Node::Product(factors) = kernel.node() {
        let mut factors = factors.clone();
        let first = factors.iter_mut().find(|f| f.as_number().is_none())?;
        *first = join(first, scale)?;
        return Kernel::product(factors);
    }
    if let Some((wrapped, child)) = bare_wrap(kernel) {
        return match wrapped.wrap.exponent() {
            Some(_) if scale.variance().is_unset() => Some(rewrap(kernel, wrapped, join(child, scale)?)),
            None if is_linear(wrapped) => Some(rewrap(kernel, wrapped, join(child, scale)?)),
            _ => None,
        };
    }
    let (v, bias) = places(kernel.node())?;
    let params = params(kernel.node());
    let total = scale_of(&params[v])?.times(scale);
    let moved = match bias {
        None => kernel.clone(),
        // with an offset that cannot be scaled, the variance of a linear kernel is not a factor of it
        Some(b) if !params[b].as_slice().iter().all(is_plain) => return None,
        Some(b) => with_param(kernel, b, multiplied(&params[b], scale.value)?),
    };
    let unset = match kernel.node() {
        Node::Leaf(leaf) => leaf.family.spec().params[v].unset(leaf.ard),
        _ => Values::One(Param::default()),
    };
    let variance = total.variance();
    Some(with_param(&moved, v, if variance.is_unset() { unset } else { Values::One(variance) }))
}

/// Whether the free variances of a kernel can absorb a constant factor.
pub(super) fn absorbs(kernel: &Kernel) -> bool {
    if kernel.label().is_some() || kernel.as_number().is_some() {
        return false;
    }
    match kernel.node() {
        Node::Sum(terms) => terms.iter().all(absorbs),
        Node::Product(factors) => factors.iter().any(absorbs),
        Node::Wrap(wrapped) if wrapped.wrap.is_linear() || wrapped.wrap.exponent().is_some() => {
            !wrapped.children.is_empty() && wrapped.children.iter().all(absorbs)
        }
        Node::Wrap(_) | Node::Leaf(_) => {
            let mut scales = own(kernel).filter(|(spec, _)| spec.is_variance() || spec.role == Role::Bias).peekable();
            // an offset inside a power need not be scaled
            let inner = |spec: &ParamSpec| spec.role == Role::Bias && is_multiplier(kernel);
            scales.peek().is_some()
                && scales.all(|(spec, values)| inner(spec) || values.as_slice().iter().all(is_plain))
        }
    }
}

/// A free constant kernel.
pub(super) fn constant(scale: Scale) -> Option<Kernel> {
    join(&Kernel::family(CONST), scale)
}

/// The free parameters of a node itself, with their specs.
fn own(kernel: &Kernel) -> impl Iterator<Item = (&'static ParamSpec, &Values)> {
    let (specs, params): (&'static [ParamSpec], &[Values]) = match kernel.node() {
        Node::Leaf(leaf) => (leaf.family.spec().params, &leaf.params),
        Node::Wrap(wrapped) => (wrapped.wrap.spec().params, &wrapped.params),
        Node::Sum(_) | Node::Product(_) => (&[], &[]),
    };
    specs.iter().zip(params).filter(|(spec, _)| spec.domain != Domains::Count)
}

/// Whether no parameter of a kernel is fixed, bounded, tied or has a prior, and no part has a label. Numbers are not
/// parameters.
pub(super) fn all_plain(kernel: &Kernel) -> bool {
    let plain = |p: &Param| is_plain(p) || is_unit_variance(p);
    kernel.label().is_none()
        && (kernel.as_number().is_some() || own(kernel).all(|(_, values)| values.as_slice().iter().all(plain)))
        && kernel.children().iter().all(all_plain)
}

/// Whether the only free parameters of a kernel are held variances.
pub(super) fn is_rigid(kernel: &Kernel) -> bool {
    let still = |values: &Values| matches!(values, Values::One(param) if is_unit_variance(param));
    // the start of a process that is not written is no free parameter
    let start = |spec: &ParamSpec, values: &Values| spec.role == Role::Start && values.is_unset();
    own(kernel).all(|(spec, values)| still(values) || start(spec, values)) && kernel.children().iter().all(is_rigid)
}
