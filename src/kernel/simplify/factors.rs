//! Simplification of products: one variance, merged factors, sorted.

use super::merge::is;
use super::mode::Mode;
use super::unit::{Scale, absorbs, all_plain, constant, is_multiplier, join, split};
use crate::kernel::equality::same;
use crate::kernel::terms::as_power;
use crate::kernel::tree::{Kernel, Node};
use crate::kernel::unit_variance::is_unit_variance;
use crate::kernel::wraps::power;

/// A factor being simplified: a kernel with held variances, its scale, and its written form.
struct Factor {
    unit: Kernel,
    scale: Scale,
    written: Option<Kernel>,
    key: String,
}

impl Mode {
    /// The product of kernels that are already simple.
    pub(super) fn product(self, factors: impl IntoIterator<Item = Kernel>) -> Kernel {
        let factors: Vec<Kernel> = factors.into_iter().collect();
        let plain = || Kernel::product(factors.iter().cloned()).unwrap_or_else(|| Kernel::number(1.0));
        let flat: Vec<Kernel> = match plain() {
            whole if whole.label().is_some() => return whole,
            whole => match whole.node() {
                Node::Product(factors) => factors.clone(),
                _ => vec![whole],
            },
        };
        let mut number = 1.0;
        let mut parts = Vec::with_capacity(flat.len());
        for factor in flat {
            match factor.as_number() {
                Some(value) if factor.label().is_none() => number *= value,
                _ => parts.push(self.factor(factor)),
            }
        }
        let mut parts = self.merged(parts);
        parts.sort_by(|a, b| a.key.cmp(&b.key));
        let total = parts.iter().fold(Scale::number(number), |total, part| total.times(part.scale));
        if !(total.value.is_normal() && number.is_normal()) {
            // the merged value overflows
            return plain();
        }
        self.assembled(parts, number, total)
    }

    fn factor(self, kernel: Kernel) -> Factor {
        let (scale, unit) = split(&kernel);
        let single = as_power(&unit).and_then(|(base, n)| self.power_of_one(base, n));
        match single {
            Some(unit) => Factor { key: self.key(&unit), unit, scale, written: None },
            None => Factor { key: self.key(&unit), unit, scale, written: Some(kernel) },
        }
    }

    /// Merges factors that are equivalent to one, and removes factors that are 1.
    fn merged(self, factors: Vec<Factor>) -> Vec<Factor> {
        let noise = factors.iter().any(|f| is_leaf(&f.unit, "WN"));
        let mut out: Vec<Factor> = Vec::with_capacity(factors.len());
        let mut ones = Scale::ONE;
        for factor in factors {
            let is_one = is_leaf(&factor.unit, "Const") || factor.unit.as_number() == Some(1.0);
            // noise is non-zero only on the diagonal, where a stationary kernel equals its variance
            let is_lost = noise && !is_leaf(&factor.unit, "WN") && is_stationary_leaf(&factor.unit);
            if is_one || is_lost {
                ones = ones.times(factor.scale);
                continue;
            }
            let two = out.iter_mut().find_map(|f| Some((self.product_of_two(&f.unit, &factor.unit)?, f)));
            match two {
                Some((unit, first)) => {
                    let scale = first.scale.times(factor.scale);
                    *first = Factor { key: self.key(&unit), unit, scale, written: None };
                }
                None => out.push(factor),
            }
        }
        if ones != Scale::ONE {
            let unit = Kernel::number(1.0);
            out.push(Factor { unit, scale: ones, written: None, key: String::new() });
        }
        if self == Mode::Compare { self.with_multiplicity(out) } else { out }
    }

    /// Collects equal factors under one exponent.
    fn with_multiplicity(self, factors: Vec<Factor>) -> Vec<Factor> {
        let mut out: Vec<(Kernel, u32, Factor)> = Vec::with_capacity(factors.len());
        for factor in factors {
            let (base, n) = match as_power(&factor.unit) {
                Some((base, n)) => (base.clone(), n),
                None => (factor.unit.clone(), 1),
            };
            let alike = out.iter_mut().find_map(|(other, m, first)| {
                same(other, &base, self.tolerance()).then_some(())?;
                Some((m.checked_add(n)?, m, first))
            });
            match alike {
                Some((both, exponent, first)) => {
                    *exponent = both;
                    first.scale = first.scale.times(factor.scale);
                    first.written = None;
                }
                None => out.push((base, n, factor)),
            }
        }
        out.into_iter()
            .map(|(base, n, factor)| match as_power(&factor.unit).map_or(1, |(_, n)| n) {
                before if before == n => factor,
                _ => {
                    let unit = power(base, n);
                    Factor { key: self.key(&unit), unit, ..factor }
                }
            })
            .collect()
    }

    /// Assembles the product: a number, then a part that must be first, then the factor with the variance, then the
    /// others, those with a held variance last.
    fn assembled(self, parts: Vec<Factor>, number: f64, total: Scale) -> Kernel {
        // the free variances of a sum, or of a linear kernel with one per input, absorb any other constant
        let vanishes = self == Mode::Structure && parts.iter().any(|part| absorbs(&part.unit));
        let borne = total.free && !vanishes;
        let scale = if self == Mode::Structure { Scale { free: true, ..Scale::ONE } } else { total };
        let bearer = if borne { bearer(&parts, scale) } else { None };
        let mut order: Vec<(u8, Kernel)> = Vec::with_capacity(parts.len() + 1);
        if borne {
            let with_variance = bearer.and_then(|i| {
                let others = parts.iter().enumerate().filter(|(j, _)| *j != i).map(|(_, part)| part.scale);
                let extra = others.fold(Scale::number(number), Scale::times);
                match &parts[i].written {
                    // no scale was moved here, so the written form is kept to the last bit
                    Some(written) if extra == Scale::ONE => Some(written.clone()),
                    _ => join(&parts[i].unit, scale),
                }
            });
            order.extend(with_variance.or_else(|| constant(scale)).map(|kernel| (2, kernel)));
        } else if total.value != 1.0 && !vanishes {
            order.push((0, Kernel::number(total.value)));
        }
        let beside_sum = parts.iter().any(|part| part.unit.is_sum_like());
        for (i, part) in parts.into_iter().enumerate() {
            if bearer != Some(i) && part.unit.as_number() != Some(1.0) {
                let class = match (has_free_front(&part.unit), has_held_front(&part.unit)) {
                    (true, _) => 1,
                    (_, held) if held && !beside_sum => 4,
                    _ => 3,
                };
                order.push((class, part.unit));
            }
        }
        order.sort_by_key(|(class, _)| *class);
        Kernel::product(order.into_iter().map(|(_, kernel)| kernel)).unwrap_or_else(|| Kernel::number(1.0))
    }
}

/// The factor that gets the variance of a product: preferably a leaf without other parameters, then a linear kernel,
/// then any that can.
fn bearer(parts: &[Factor], scale: Scale) -> Option<usize> {
    let first = |wanted: &dyn Fn(&Kernel) -> bool| parts.iter().position(|p| wanted(&p.unit));
    first(&is_multiplier)
        .or_else(|| first(&|k| matches!(k.node(), Node::Leaf(_)) && join(k, scale).is_some()))
        .or_else(|| first(&|k| !k.is_sum_like() && join(k, scale).is_some()))
}

fn is_leaf(kernel: &Kernel, name: &str) -> bool {
    all_plain(kernel) && matches!(kernel.node(), Node::Leaf(leaf) if is(leaf, name)) && has_held_front(kernel)
}

fn is_stationary_leaf(kernel: &Kernel) -> bool {
    let leaf = |k: &Kernel| matches!(k.node(), Node::Leaf(leaf) if leaf.family.spec().stationary);
    all_plain(kernel) && (leaf(kernel) || as_power(kernel).is_some_and(|(base, _)| leaf(base)))
}

/// The variances that would become the variance of a product: those of its factors, through powers and wraps, but not
/// those inside a sum.
fn front(kernel: &Kernel, found: &mut dyn FnMut(bool)) {
    let params = match kernel.node() {
        Node::Leaf(leaf) => Some((leaf.family.spec().params, &leaf.params)),
        Node::Wrap(wrapped) => Some((wrapped.wrap.spec().params, &wrapped.params)),
        _ => None,
    };
    if kernel.is_sum_like() {
        return;
    }
    let own = params.into_iter().flat_map(|(specs, params)| specs.iter().zip(params));
    for (_, values) in own.filter(|(spec, _)| spec.is_variance()) {
        let held = values.as_slice().iter().any(is_unit_variance);
        if held || values.is_unset() {
            found(held);
        }
    }
    kernel.children().iter().for_each(|child| front(child, found));
}

/// Whether a free unset variance would be held at any position but the first.
fn has_free_front(kernel: &Kernel) -> bool {
    let mut any = false;
    front(kernel, &mut |held| any |= !held);
    any
}

/// Whether a held variance would be free at the first position.
fn has_held_front(kernel: &Kernel) -> bool {
    let mut any = false;
    front(kernel, &mut |held| any |= held);
    any
}
