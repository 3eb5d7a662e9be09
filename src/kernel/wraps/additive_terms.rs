//! Additive kernels as sums of products.

use super::additive::AdditiveForm;
use super::power::power;
use crate::kernel::family::{ParamSpec, Role};
use crate::kernel::names::number;
use crate::kernel::tree::{Kernel, Leaf, Node, Wrapped};
use crate::kernel::unit_variance::{is_unit_variance, unit_variance};
use crate::kernel::values::Values;
use crate::kernel::written_out::constant;
use crate::param::{Param, State};

/// The largest number of terms that are written out.
const MOST: f64 = 10_000.0;

impl AdditiveForm {
    /// The variance of the constant part and of each order, from the first; `None` if one has no value.
    pub(super) fn order_weights(self, wrapped: &Wrapped) -> Option<(f64, Vec<f64>)> {
        let count = wrapped.children.len();
        // an unset variance in a product is held at 1
        let number = |values: &Values| match values {
            Values::One(param) => Some(param.value().unwrap_or(1.0)),
            Values::Each(_) => None,
        };
        match self {
            AdditiveForm::Additive(_) => {
                let weights = self.weights(wrapped)?.iter().map(Param::value).collect::<Option<Vec<f64>>>()?;
                Some((0.0, weights))
            }
            AdditiveForm::Anova => {
                let (alpha, v) = (number(wrapped.params.first()?)?, number(wrapped.params.get(1)?)?);
                Some((v, (1..=count).map(|d| v * alpha.powi(d as i32)).collect()))
            }
            AdditiveForm::Dropout(q) => {
                let v = number(wrapped.params.first()?)?;
                let weight = |d: usize| v * q.powi(d as i32) * (1.0 - q).powi((count - d) as i32);
                Some((weight(0), (1..=count).map(weight).collect()))
            }
        }
    }

    /// The same parameters with one variance for each order.
    pub(super) fn listed_params(self, wrapped: &Wrapped) -> Vec<Values> {
        let mut params = wrapped.params.clone();
        if let (AdditiveForm::Additive(_), Some(weights)) = (self, self.weights(wrapped)) {
            params[0] = Values::Each(weights);
        }
        params
    }

    /// The variance of each order, from the first.
    fn weights(self, wrapped: &Wrapped) -> Option<Vec<Param>> {
        let AdditiveForm::Additive(order) = self else { return None };
        let orders = order.unwrap_or(wrapped.children.len());
        match wrapped.params.first()? {
            Values::Each(each) if each.is_empty() => Some(vec![Param::default(); orders]),
            Values::Each(each) => (each.len() == orders).then(|| each.clone()),
            Values::One(one) if one.tie.is_none() || orders == 1 => Some(vec![one.clone(); orders]),
            Values::One(_) => None,
        }
    }

    /// The number of terms when it and its kernels are written out, which have so many terms: the elementary symmetric
    /// polynomials of the orders that are present.
    pub(super) fn term_count(self, wrapped: &Wrapped, inside: &[f64]) -> Option<f64> {
        let orders = self.orders(wrapped)?;
        let mut sums = vec![0.0; inside.len() + 1];
        sums[0] = 1.0;
        for (i, terms) in inside.iter().enumerate() {
            (1..=i + 1).rev().for_each(|d| sums[d] += sums[d - 1] * terms);
        }
        Some(orders.iter().zip(sums).filter(|(order, _)| order.is_some()).map(|(_, sum)| sum).sum())
    }

    /// The sum over all sets of inputs, each term with the variance of its order.
    pub(super) fn terms(self, wrapped: &Wrapped) -> Option<Kernel> {
        let orders = self.orders(wrapped)?;
        let whole = self.variance_of_all(wrapped);
        let count = wrapped.children.len();
        let number = |d: usize| (0..d).fold(1.0, |ways, i| ways * (count - i) as f64 / (i + 1) as f64);
        let terms: f64 = (0..orders.len()).filter(|&d| orders[d].is_some()).map(number).sum();
        if terms > MOST {
            return None;
        }
        let mut sum = Vec::new();
        for (d, order) in orders.iter().enumerate() {
            let Some(order) = order else { continue };
            for set in sets(count, d) {
                let factors = set.iter().map(|&i| wrapped.children[i].clone()).collect();
                sum.extend(order.term(factors));
            }
        }
        Kernel::product(whole.map(constant).into_iter().chain([Kernel::sum(sum)?]))
    }

    /// The variance of all terms together, if there is one that is not 1.
    fn variance_of_all(self, wrapped: &Wrapped) -> Option<Param> {
        let Values::One(v) = (match self {
            AdditiveForm::Additive(_) => return None,
            AdditiveForm::Anova => wrapped.params.get(1)?,
            AdditiveForm::Dropout(_) => wrapped.params.first()?,
        }) else {
            return None;
        };
        (!is_unit_variance(v) && *v != Param::fixed(1.0)).then(|| v.clone())
    }

    /// One product or sum with no copy of a parameter, if it is that: only the highest order, or only the first order
    /// with a fixed variance.
    pub(super) fn one_order(self, wrapped: &Wrapped) -> Option<Kernel> {
        let orders = self.orders(wrapped)?;
        let mut present = orders.iter().enumerate().filter_map(|(d, order)| Some((d, order.as_ref()?)));
        let (d, order) = present.next()?;
        if present.next().is_some() {
            return None;
        }
        let all = wrapped.children.len();
        let single = d == all || d == 0;
        let unscaled = d == 1
            && self.variance_of_all(wrapped).is_none()
            && order.powers.iter().all(|(param, _)| matches!(param.state, State::Fixed(_)));
        (single || unscaled).then(|| self.terms(wrapped)).flatten()
    }

    /// The formula: the sum of the orders with variances w, or the product of the weighted kernels.
    pub(super) fn latex_sum(self, wrapped: &Wrapped, children: &[String]) -> Option<String> {
        const MOST_SHOWN: usize = 20;
        let product = |before: &str, alpha: &str| {
            let factors: Vec<String> =
                children.iter().map(|k| format!(r"\left({before} + {alpha} {k}\right)")).collect();
            format!(r"v \times {}", factors.join(r" \times "))
        };
        match self {
            AdditiveForm::Anova => return Some(product("1", r"\alpha")),
            AdditiveForm::Dropout(q) => return Some(product(&number(((1.0 - q) * 1e12).round() / 1e12), &number(q))),
            AdditiveForm::Additive(_) => {}
        }
        let mut orders = Vec::new();
        let mut shown = 0;
        for (i, weight) in self.weights(wrapped)?.iter().enumerate() {
            if weight.state == State::Fixed(0.0) {
                continue;
            }
            let products: Vec<String> = sets(children.len(), i + 1)
                .into_iter()
                .map(|set| set.into_iter().map(|i| children[i].as_str()).collect::<Vec<_>>().join(r" \times "))
                .collect();
            shown += products.len();
            if shown > MOST_SHOWN {
                return None;
            }
            let sum = match &products[..] {
                [one] => format!(r"\times {one}"),
                several => format!(r"\left({}\right)", several.join(" + ")),
            };
            orders.push(format!("w_{{{}}} {sum}", i + 1));
        }
        Some(orders.join(" + "))
    }

    /// What stands before the products of each order, from order 0; `None` for an order that is left out.
    fn orders(self, wrapped: &Wrapped) -> Option<Vec<Option<Order>>> {
        let count = wrapped.children.len();
        let one = |values: &Values| match values {
            Values::One(param) => Some(param.clone()),
            Values::Each(_) => None,
        };
        match self {
            AdditiveForm::Additive(_) => {
                let weights = self.weights(wrapped)?;
                let order = |weight: Param| match weight.state {
                    State::Fixed(0.0) => None,
                    _ => Some(Order { number: 1.0, powers: vec![(weight, 1)] }),
                };
                Some(std::iter::once(None).chain(weights.into_iter().map(order)).collect())
            }
            AdditiveForm::Anova => {
                let alpha = one(wrapped.params.first()?)?;
                let order = |d| Some(Order { number: 1.0, powers: vec![(alpha.clone(), d)] });
                Some((0..=count as u32).map(order).collect())
            }
            AdditiveForm::Dropout(keep) => {
                let order = |d: usize| {
                    let number = keep.powi(d as i32) * (1.0 - keep).powi((count - d) as i32);
                    (number > 0.0).then(|| Order { number, powers: Vec::new() })
                };
                Some((0..=count).map(order).collect())
            }
        }
    }
}

/// What stands before the products of one order: a number, and parameters with exponents.
struct Order {
    number: f64,
    powers: Vec<(Param, u32)>,
}

impl Order {
    /// One term. A parameter becomes the variance of the first factor that has none of its own, or a constant.
    fn term(&self, mut factors: Vec<Kernel>) -> Option<Kernel> {
        let mut number = self.number;
        let mut before = Vec::new();
        for (param, n) in self.powers.iter().filter(|(_, n)| *n > 0) {
            match param.state {
                State::Fixed(value) if param.tie.is_none() => number *= value.powi(*n as i32),
                _ if is_unit_variance(param) => {}
                _ if *n == 1 && take_variance(&mut factors, param) => {}
                _ if *n == 1 => before.push(constant(param.clone())),
                _ => before.push(power(constant(param.clone()), *n)),
            }
        }
        if number != 1.0 {
            before.insert(0, Kernel::number(number));
        } else if factors.is_empty() && before.is_empty() {
            before.push(constant(unit_variance()));
        }
        Kernel::product(before.into_iter().chain(factors))
    }
}

/// Gives a variance to the first factor whose variance is held and scales the whole factor.
fn take_variance(factors: &mut [Kernel], variance: &Param) -> bool {
    for factor in factors {
        let Node::Leaf(leaf) = factor.node() else { continue };
        let scales = |spec: &ParamSpec| spec.role == Role::Variance;
        let Some(at) = leaf.family.spec().params.iter().position(scales) else { continue };
        if matches!(&leaf.params[at], Values::One(param) if is_unit_variance(param)) {
            let mut params = leaf.params.clone();
            params[at] = Values::One(variance.clone());
            *factor = factor.with_node(Node::Leaf(Leaf { params, ..leaf.clone() }));
            return true;
        }
    }
    false
}

/// All sets of `size` of the numbers below `count`, in lexicographic order.
fn sets(count: usize, size: usize) -> Vec<Vec<usize>> {
    let mut all: Vec<Vec<usize>> = vec![Vec::new()];
    for left in (0..size).rev() {
        let longer = |set: &Vec<usize>| {
            let first = set.last().map_or(0, |last| last + 1);
            (first..count - left).map(|next| [&set[..], &[next]].concat()).collect::<Vec<_>>()
        };
        all = all.iter().flat_map(longer).collect();
    }
    all
}
