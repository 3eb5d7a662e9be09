//! Merging of kernels: products and powers of leaves, and sums of linear kernels.

use super::mode::Mode;
use super::unit::all_plain;
use crate::kernel::family::{ParamSpec, Role};
use crate::kernel::inputs::Inputs;
use crate::kernel::tree::{Kernel, Leaf, Node};
use crate::kernel::unit_variance::is_unit_variance;
use crate::kernel::values::Values;
use crate::param::{Measure, Param, State};

/// Families are identified by the name of their spec.
pub(super) fn is(leaf: &Leaf, name: &str) -> bool {
    leaf.family.spec().name == name
}

/// The exponent q with which length-scales combine in a product of kernels of the family: l^−q is the sum of the l^−q
/// of the factors.
fn exponent(leaf: &Leaf) -> Option<f64> {
    let spec = leaf.family.spec();
    match spec.name {
        "SE" => Some(2.0),
        "Per" if spec.flag.is_some_and(|flag| !flag.on) => Some(2.0),
        "Matern12" => Some(1.0),
        _ => None,
    }
}

fn place(leaf: &Leaf, found: impl Fn(&ParamSpec) -> bool) -> Option<usize> {
    leaf.family.spec().params.iter().position(found)
}

fn is_scale(spec: &ParamSpec) -> bool {
    spec.short == "l"
}

impl Mode {
    /// One kernel for the product of two, both with held variances.
    pub(super) fn product_of_two(self, one: &Kernel, two: &Kernel) -> Option<Kernel> {
        let (Node::Leaf(a), Node::Leaf(b)) = (one.node(), two.node()) else { return None };
        let same_family = std::ptr::eq(a.family.spec(), b.family.spec());
        if !same_family || a.inputs != b.inputs || !all_plain(one) || !all_plain(two) {
            return None;
        }
        // their values are 0 and 1
        if is(a, "WN") || is(a, "Indicator") {
            return Some(one.clone());
        }
        let q = exponent(a)?;
        let l = place(a, is_scale)?;
        let ard = a.ard || b.ard;
        if ard && q != 2.0 {
            // distances in one metric add; distances in different metrics do not
            return None;
        }
        let mut params = a.params.clone();
        for (i, spec) in a.family.spec().params.iter().enumerate() {
            if i != l && !is_variance_held(spec, &a.params[i], &b.params[i]) {
                // independent free periods are not merged by structure; equal values are merged by value
                if self == Mode::Structure || !self.same_values(&a.params[i], &b.params[i]) {
                    return None;
                }
            }
        }
        let add = |x: f64, y: f64| (x.powf(-q) + y.powf(-q)).powf(-1.0 / q);
        params[l] = match self {
            Mode::Structure => a.family.spec().params[l].unset(ard),
            _ => combine(&a.params[l], &b.params[l], add)?,
        };
        Some(Node::Leaf(Leaf { params, ard, ..a.clone() }).into())
    }

    /// One kernel for the n-th power of a kernel with held variance.
    pub(super) fn power_of_one(self, kernel: &Kernel, n: u32) -> Option<Kernel> {
        let Node::Leaf(leaf) = kernel.node() else { return None };
        if !all_plain(kernel) {
            return None;
        }
        if ["WN", "Const", "Indicator"].iter().any(|name| is(leaf, name)) {
            return Some(kernel.clone());
        }
        let l = place(leaf, is_scale)?;
        let shrink = f64::from(n).powf(-1.0 / exponent(leaf)?);
        let mut params = leaf.params.clone();
        params[l] = match self {
            Mode::Structure => leaf.family.spec().params[l].unset(leaf.ard),
            _ => combine(&params[l], &params[l], |x, _| x * shrink)?,
        };
        Some(kernel.with_node(Node::Leaf(Leaf { params, ..leaf.clone() })))
    }

    fn same_values(self, a: &Values, b: &Values) -> bool {
        let near = |a: &Param, b: &Param| match (a.state, b.state) {
            (State::Free(a), State::Free(b)) => (a - b).abs() <= self.tolerance() * a.abs(),
            (a, b) => a == b,
        };
        let (a, b) = (a.as_slice(), b.as_slice());
        a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.time == b.time && near(a, b))
    }

    /// One linear kernel for the sum of two on one input: Σ bᵢ + vᵢ(x − cᵢ)(x′ − cᵢ) is b + v(x − c)(x′ − c) with v =
    /// Σvᵢ, c = Σvᵢcᵢ/v and b = Σbᵢ + Σvᵢ(cᵢ − c)².
    pub(super) fn sum_of_lines(self, one: &Kernel, two: &Kernel) -> Option<Kernel> {
        let (Node::Leaf(a), Node::Leaf(b)) = (one.node(), two.node()) else { return None };
        let line = |leaf: &Leaf| is(leaf, "Lin") && !leaf.ard;
        if !line(a) || !line(b) || a.inputs != b.inputs || !all_plain(one) || !all_plain(two) {
            return None;
        }
        let at = |role| place(a, |p| p.role == role);
        let (bias, slope, location) = (at(Role::Bias)?, at(Role::SlopeVariance)?, at(Role::Location)?);
        let mut params = a.params.clone();
        if self == Mode::Structure {
            for (values, spec) in params.iter_mut().zip(a.family.spec().params) {
                *values = spec.unset(false);
            }
            return Some(Node::Leaf(Leaf { params, ..a.clone() }).into());
        }
        let number = |values: &Values| match values {
            Values::One(param) if !is_unit_variance(param) => Some(param.value().unwrap_or(1.0)),
            _ => None,
        };
        let (v, w) = (number(&a.params[slope])?, number(&b.params[slope])?);
        let mut offset = number(&a.params[bias])? + number(&b.params[bias])?;
        let (c, d) = (&a.params[location], &b.params[location]);
        if !(c.is_unset() && d.is_unset()) {
            let inputs = match &a.inputs {
                Inputs::These(these) => Some(these.len()),
                Inputs::All => None,
            };
            let moved = combine_at(c, d, inputs, 0.0, |c, d| (v * c + w * d) / (v + w))?;
            for (c, d) in pairs(c, d, inputs, 0.0)? {
                // v(c − m)² + w(d − m)² about the common location m
                offset += v * w / (v + w) * (c - d) * (c - d);
            }
            params[location] = moved;
        }
        params[bias] = Values::One(Param::free(offset));
        params[slope] = Values::One(Param::free(v + w));
        Some(Node::Leaf(Leaf { params, ..a.clone() }).into())
    }

    /// A linear kernel, or a multiple of one, with the variance of a constant added to its offset.
    pub(super) fn line_and_constant(self, line: &Kernel, constant: f64) -> Option<Kernel> {
        if let (Node::Product(factors), None) = (line.node(), line.label())
            && let [number, line] = &factors[..]
            && let Some(value) = number.as_number()
        {
            return Kernel::product([number.clone(), self.line_and_constant(line, constant / value)?]);
        }
        let Node::Leaf(leaf) = line.node() else { return None };
        if !is(leaf, "Lin") || line.label().is_some() {
            return None;
        }
        let bias = place(leaf, |p| p.role == Role::Bias)?;
        let Values::One(param) = &leaf.params[bias] else { return None };
        if !super::unit::is_plain(param) {
            return None;
        }
        let mut params = leaf.params.clone();
        if self != Mode::Structure {
            params[bias] = Values::One(Param::free(param.value().unwrap_or(1.0) + constant));
        }
        Some(line.with_node(Node::Leaf(Leaf { params, ..leaf.clone() })))
    }
}

fn is_variance_held(spec: &ParamSpec, a: &Values, b: &Values) -> bool {
    let held = |values: &Values| matches!(values, Values::One(param) if is_unit_variance(param));
    spec.is_variance() && held(a) && held(b)
}

/// Combines two length-scales element by element. Unset ones are 1.
fn combine(a: &Values, b: &Values, f: impl Fn(f64, f64) -> f64) -> Option<Values> {
    combine_at(a, b, None, 1.0, f)
}

/// Combines two parameters element by element, with unset ones at their default. `None` if the number of elements is
/// unknown and they differ.
fn combine_at(a: &Values, b: &Values, n: Option<usize>, default: f64, f: impl Fn(f64, f64) -> f64) -> Option<Values> {
    let time = shared_measure(a, b)?;
    let merged = |a, b| Param { time, ..Param::free(f(a, b)) };
    if let (Some(a), Some(b)) = (common(a, default), common(b, default)) {
        return Some(Values::One(merged(a, b)));
    }
    let pairs = pairs(a, b, n, default)?;
    Some(Values::Each(pairs.into_iter().map(|(a, b)| merged(a, b)).collect()))
}

/// The measure that all the numbers share; `None` if they have different measures and cannot be combined.
fn shared_measure(a: &Values, b: &Values) -> Option<Option<Measure>> {
    let mut measures = a.as_slice().iter().chain(b.as_slice()).map(|param| param.time);
    let first = measures.next().flatten();
    measures.all(|other| other == first).then_some(first)
}

/// The common value of all elements, if one was written or none.
fn common(values: &Values, default: f64) -> Option<f64> {
    match values {
        Values::One(param) => Some(param.value().unwrap_or(default)),
        Values::Each(params) if params.is_empty() => Some(default),
        Values::Each(_) => None,
    }
}

/// The pairs of elements of two parameters.
fn pairs(a: &Values, b: &Values, n: Option<usize>, default: f64) -> Option<Vec<(f64, f64)>> {
    let written = |values: &Values| match values {
        Values::Each(params) if !params.is_empty() => Some(params.len()),
        _ => None,
    };
    let n = written(a).or(written(b)).or(n);
    match n {
        Some(n) if written(a).is_none_or(|m| m == n) && written(b).is_none_or(|m| m == n) => {
            let get = |values: &Values, i: usize| {
                common(values, default)
                    .or_else(|| values.as_slice().get(i).map(|p| p.value().unwrap_or(default)))
                    .unwrap_or(default)
            };
            Some((0..n).map(|i| (get(a, i), get(b, i))).collect())
        }
        Some(_) => None,
        // the values are equal, so their number does not matter
        None => match (common(a, default), common(b, default)) {
            (Some(a), Some(b)) if a == b => Some(Vec::new()),
            _ => None,
        },
    }
}
