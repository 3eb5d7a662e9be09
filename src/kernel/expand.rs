//! A kernel as a sum of products.

use std::collections::HashMap;
use std::sync::Arc;

use super::terms::as_power;
use super::tree::{Kernel, Node, Wrapped};
use super::unit_variance::{is_one, mark, unmark};
use super::values::Values;
use super::wraps::power;
use crate::param::{Param, Tie};

/// At most this number of terms is built, unless the kernel already has as many parts.
const MOST: usize = 10_000;

/// A power of a sum with a greater exponent is not expanded: its coefficients would soon overflow.
const HIGHEST: u32 = 64;

/// Why a kernel cannot be expanded.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ExpandError {
    #[error("expanding gives {terms:.0} terms, and at most {most} are built")]
    TooManyTerms { terms: f64, most: usize },
}

impl Kernel {
    /// The same kernel as a sum of products, with the wraps written out that are sums of products of other kernels:
    /// additive kernels whose inputs are named, squared exponentials with one length-scale per input, nested deep
    /// kernels and symmetries, squared exponentials on a circle. Otherwise as [`expand`](Self::expand).
    ///
    /// # Errors
    /// [`ExpandError::TooManyTerms`].
    pub fn expand_all(&self) -> Result<Kernel, ExpandError> {
        let listed = self.listed();
        refuse_if_long_written_out(&listed)?;
        let (tagged, tags) = tag(&mark(&listed));
        // terms of a sum may be written out where the sum is not
        let sum = distribute(&distribute(&tagged.written_out())?.written_out())?;
        Ok(unmark(&untag(&sum, &tags)))
    }

    /// The terms of the sum at the top; an additive kernel at the top is written out.
    ///
    /// # Errors
    /// [`ExpandError::TooManyTerms`].
    pub fn all_terms(&self) -> Result<Vec<Kernel>, ExpandError> {
        let is_wrap = |kernel: &Kernel| matches!(kernel.node(), Node::Wrap(_));
        let listed = self.listed();
        if let Node::Wrap(wrapped) = listed.node()
            && wrapped.wrap.term_count(wrapped, &vec![1.0; wrapped.children.len()]).is_some()
        {
            refuse_if_long_written_out(&listed)?;
        }
        let is_sum = is_wrap(self) && !is_wrap(&mark(&listed).written_out());
        Ok(if is_sum { self.expand_all()?.terms().to_vec() } else { self.terms().to_vec() })
    }

    /// The same kernel as a sum of products: products and powers are distributed over sums, and so are `warp` and
    /// `scale` where each term depends on the same inputs as the whole. Inside a changepoint each side is expanded.
    ///
    /// Parameters of a part that occurs in several terms are tied; fixed ones are copied. A variance stays held or free
    /// as it was, and is written out where the default at its new position differs. The label of a sum passes to those
    /// of its terms that have none.
    ///
    /// # Errors
    /// [`ExpandError::TooManyTerms`].
    pub fn expand(&self) -> Result<Kernel, ExpandError> {
        let (tagged, tags) = tag(&mark(self));
        Ok(unmark(&untag(&distribute(&tagged)?, &tags)))
    }
}

/// The sum of products; the parameters of copies are not tied.
pub(super) fn distribute(kernel: &Kernel) -> Result<Kernel, ExpandError> {
    within(count(kernel, false), kernel)?;
    let named = kernel.label().cloned();
    let terms = terms_of(&kernel.clone().unlabelled())?;
    let whole = Kernel::sum(terms).unwrap_or_else(|| kernel.clone());
    Ok(match named {
        Some(name) => whole.unlabelled().labelled(name),
        None => whole,
    })
}

/// Refuses a kernel from [`listed`](Kernel::listed) that has too many terms when its wraps are written out.
pub(super) fn refuse_if_long_written_out(listed: &Kernel) -> Result<(), ExpandError> {
    within(count(listed, true), listed)
}

/// Refuses more terms than are built.
fn within(terms: f64, kernel: &Kernel) -> Result<(), ExpandError> {
    let most = MOST.max(parts(kernel));
    if terms > most as f64 { Err(ExpandError::TooManyTerms { terms, most }) } else { Ok(()) }
}

fn parts(kernel: &Kernel) -> usize {
    match kernel.children() {
        [] => 1,
        children => children.iter().map(parts).sum(),
    }
}

/// The number of terms of the expanded kernel; with `written` where its wraps are written out as well.
fn count(kernel: &Kernel, written: bool) -> f64 {
    let count = |kernel: &Kernel| count(kernel, written);
    match kernel.node() {
        Node::Leaf(_) => 1.0,
        Node::Sum(terms) => terms.iter().map(count).sum(),
        Node::Product(factors) => factors.iter().map(count).product(),
        Node::Wrap(wrapped) => match (wrapped.wrap.exponent(), &wrapped.children[..]) {
            (Some(n), [base]) => match count(base) {
                one if one <= 1.0 || n > HIGHEST => 1.0,
                // as many as there are ways to choose n of them with repetition
                many => (0..n).map(f64::from).fold(1.0, |ways, i| ways * (many + i) / (i + 1.0)),
            },
            (None, [child]) if is_linear(wrapped) => count(child),
            (_, children) if written => {
                let inside: Vec<f64> = children.iter().map(count).collect();
                wrapped.wrap.term_count(wrapped, &inside).unwrap_or(1.0)
            }
            _ => 1.0,
        },
    }
}

fn terms_of(kernel: &Kernel) -> Result<Vec<Kernel>, ExpandError> {
    let terms = match kernel.node() {
        Node::Leaf(_) => return Ok(vec![kernel.clone()]),
        Node::Sum(children) => {
            let mut terms = Vec::with_capacity(children.len());
            for child in children {
                terms.extend(terms_of(child)?);
            }
            terms
        }
        Node::Product(children) => {
            let mut products: Vec<Vec<Kernel>> = vec![Vec::new()];
            for child in children {
                let terms = terms_of(child)?;
                products = products
                    .iter()
                    .flat_map(|p| terms.iter().map(|t| [&p[..], std::slice::from_ref(t)].concat()))
                    .collect();
            }
            if products.len() > 1 {
                products.iter_mut().for_each(drop_ones);
            }
            products.into_iter().filter_map(Kernel::product).collect()
        }
        Node::Wrap(wrapped) => return terms_of_wrap(kernel, wrapped),
    };
    Ok(name(terms, kernel.label()))
}

/// Removes constants that are held at 1.
fn drop_ones(factors: &mut Vec<Kernel>) {
    let lost = |factor: &Kernel| factor.label().is_none() && is_one(factor);
    if !factors.iter().all(lost) {
        factors.retain(|factor| !lost(factor));
    }
}

fn terms_of_wrap(kernel: &Kernel, wrapped: &Wrapped) -> Result<Vec<Kernel>, ExpandError> {
    let rewrap = |children: Vec<Kernel>| kernel.with_node(Node::Wrap(Wrapped { children, ..wrapped.clone() }));
    match (wrapped.wrap.exponent(), &wrapped.children[..]) {
        (Some(n), [base]) => {
            let terms = terms_of(base)?;
            if terms.len() > 1 && n > HIGHEST {
                return Ok(vec![kernel.clone()]);
            }
            Ok(name(powers(&terms, n), kernel.label()))
        }
        (None, [child]) if is_linear(wrapped) => {
            let terms = terms_of(child)?;
            let inputs = seen(child);
            // a function of the inputs changes nothing for a kernel without inputs, except an amplitude
            let blind = |term: &Kernel| is_blind_warp(wrapped, term);
            let named = wrapped.wrap.reads_inputs();
            if named || terms.iter().all(|term| seen(term) == inputs || blind(term)) {
                let wrap = |term: Kernel| if blind(&term) { term } else { rewrap(vec![term]).unlabelled() };
                return Ok(name(terms.into_iter().map(wrap).collect(), kernel.label()));
            }
            let whole = Kernel::sum(terms).filter(|whole| seen(whole) == inputs);
            Ok(vec![whole.map_or_else(|| kernel.clone(), |whole| rewrap(vec![whole]))])
        }
        (_, children) => {
            let expanded = children.iter().map(|c| Ok(Kernel::sum(terms_of(c)?).unwrap_or_else(|| c.clone())));
            Ok(vec![rewrap(expanded.collect::<Result<_, _>>()?)])
        }
    }
}

/// Whether a wrap leaves a kernel unchanged because it only moves inputs that the kernel does not depend on.
pub(super) fn is_blind_warp(wrapped: &Wrapped, kernel: &Kernel) -> bool {
    fn is_blind(kernel: &Kernel) -> bool {
        let looks = match kernel.node() {
            Node::Leaf(leaf) => leaf.family.spec().reads_inputs,
            Node::Wrap(wrapped) => wrapped.wrap.reads_inputs() || wrapped.wrap.function().is_some(),
            Node::Sum(_) | Node::Product(_) => false,
        };
        !looks && kernel.children().iter().all(is_blind)
    }
    wrapped.wrap.spec().name == "warp" && is_blind(kernel)
}

/// Whether a wrap of one kernel distributes over sums and constant factors of it.
pub(super) fn is_linear(wrapped: &Wrapped) -> bool {
    wrapped.children.len() == 1 && wrapped.wrap.is_linear()
}

/// The inputs that a function of the inputs around this kernel receives, and whether it receives all.
pub(super) fn seen(kernel: &Kernel) -> (Vec<super::inputs::InputRef>, bool) {
    let (mentioned, all) = kernel.function_inputs();
    if all { (Vec::new(), true) } else { (mentioned, false) }
}

/// The terms of (Σ terms)^n.
fn powers(terms: &[Kernel], n: u32) -> Vec<Kernel> {
    let (first, rest) = match terms {
        [] => return Vec::new(),
        _ if n == 0 => return vec![Kernel::number(1.0)],
        [one] => return vec![raise(one, n)],
        [first, rest @ ..] => (first, rest),
    };
    let mut out = Vec::new();
    let mut ways = 1.0;
    for taken in (0..=n).rev() {
        // ways: how to choose which `taken` of the n factors give `first`
        let others = if taken == n { vec![Kernel::number(1.0)] } else { powers(rest, n - taken) };
        for other in others {
            let own = (taken > 0).then(|| raise(first, taken));
            let mut coefficient = ways;
            let mut factors = Vec::new();
            for factor in
                own.iter().chain([&other]).flat_map(|k| if k.label().is_some() { vec![k] } else { k.factors() })
            {
                match factor.as_number() {
                    Some(value) if factor.label().is_none() => coefficient *= value,
                    _ => factors.push(factor.clone()),
                }
            }
            if coefficient != 1.0 || factors.is_empty() {
                factors.insert(0, Kernel::number(coefficient));
            }
            out.extend(Kernel::product(factors));
        }
        ways = ways * f64::from(taken) / f64::from(n - taken + 1);
    }
    out
}

/// k^n, taken into an unlabelled product and an inner power.
pub(super) fn raise(kernel: &Kernel, n: u32) -> Kernel {
    if n == 1 {
        return kernel.clone();
    }
    if kernel.label().is_none() {
        if is_one(kernel) {
            return kernel.clone();
        }
        if let Node::Product(factors) = kernel.node()
            && let Some(product) = Kernel::product(factors.iter().map(|f| raise(f, n)))
        {
            return product;
        }
        if let Some((base, inner)) = as_power(kernel)
            && let Some(both) = inner.checked_mul(n)
        {
            return power(base.clone(), both);
        }
        if let Some(value) = kernel.as_number().map(|v| v.powi(n as i32)).filter(|v| v.is_normal()) {
            return Kernel::number(value);
        }
    }
    power(kernel.clone(), n)
}

/// Passes a label to the terms into which the labelled kernel was expanded.
fn name(mut terms: Vec<Kernel>, label: Option<&Arc<str>>) -> Vec<Kernel> {
    let Some(label) = label else { return terms };
    let single = terms.len() == 1;
    for term in &mut terms {
        if single || !has_name(term) {
            *term = term.clone().labelled(label.clone());
        }
    }
    terms
}

/// Whether a label is shown on a kernel: its own or that of a factor.
fn has_name(kernel: &Kernel) -> bool {
    let inside = match kernel.node() {
        Node::Product(factors) => factors.iter().any(has_name),
        _ => as_power(kernel).is_some_and(|(base, _)| has_name(base)),
    };
    kernel.label().is_some() || inside
}

/// Ties every free parameter that is not tied, so that its copies can be found.
fn tag(kernel: &Kernel) -> (Kernel, Vec<Tie>) {
    let mut tags = Vec::new();
    let tagged = kernel.rewrite_params(&mut |at, values| {
        let mut tag = |param: &Param| {
            // a start that is not written follows from the rows
            let start = at.spec.role == super::family::Role::Start && param.is_unset();
            if param.tie.is_some() || param.is_fixed() || start || at.spec.domain == super::family::Domains::Count {
                return param.clone();
            }
            let name = if at.spec.role == super::family::Role::OrderVariance { "v" } else { at.spec.short };
            let tie = Tie::new(name);
            tags.push(tie.clone());
            Param { tie: Some(tie), ..param.clone() }
        };
        match values {
            Values::Each(params) if params.is_empty() => Values::One(tag(&Param::default())),
            _ => values.map(tag),
        }
    });
    (tagged, tags)
}

/// Removes the ties of parameters that occur only once.
fn untag(kernel: &Kernel, tags: &[Tie]) -> Kernel {
    let mut copies: HashMap<Tie, usize> = tags.iter().map(|tie| (tie.clone(), 0)).collect();
    kernel.rewrite_params(&mut |_, values| {
        for tie in values.as_slice().iter().filter_map(|p| p.tie.as_ref()) {
            if let Some(n) = copies.get_mut(tie) {
                *n += 1;
            }
        }
        values.clone()
    });
    kernel.rewrite_params(&mut |at, values| {
        let single = |param: &Param| param.tie.as_ref().is_some_and(|tie| copies.get(tie) == Some(&1));
        match values {
            Values::One(param) if single(param) && Param { tie: None, ..param.clone() }.is_unset() => {
                at.spec.unset(at.ard)
            }
            _ => values.map(|p| if single(p) { Param { tie: None, ..p.clone() } } else { p.clone() }),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::super::testing::{at, free, function, leaf, of, product, sum};
    use super::super::wraps::{AdditiveForm, Bases};
    use super::super::{InputRef, Inputs, Kernel, wraps};
    use super::{ExpandError, Values};
    use crate::param::Param;

    fn check(kernel: Kernel, expected: &str) {
        let expanded = kernel.expand().unwrap();
        assert_eq!(expanded.to_string(), expected, "{kernel}");
        assert_eq!(expanded.expand().unwrap().to_string(), expected, "again: {kernel}");
    }

    fn bare(name: &str) -> Kernel {
        of(name, &[])
    }

    fn fixed(name: &str, v: f64) -> Kernel {
        leaf(name, Inputs::All, &[("v", Param::fixed(v))])
    }

    #[test]
    fn products_are_distributed_over_sums() {
        let (a, b, c) = (fixed("WN", 2.0), fixed("WN", 3.0), fixed("WN", 5.0));
        let text = "WN(v=fixed(2)) * WN(v=fixed(5)) + WN(v=fixed(3)) * WN(v=fixed(5))";
        check(product([sum([a.clone(), b.clone()]), c.clone()]), text);
        let text = "WN(v=fixed(2))^2 + 2 * WN(v=fixed(2)) * WN(v=fixed(3)) + WN(v=fixed(3))^2";
        check(wraps::power(sum([a, b]), 2), text);
        check(c, "WN(v=fixed(5))");
    }

    #[test]
    fn copies_are_tied_and_held_variances_stay_held() {
        let pair = sum([bare("SE"), bare("Lin")]);
        let text = "SE(0) * Per(0, p=param(p), l=param(l)) + Lin(0) * Per(0, p=param(p), l=param(l))";
        check(product([pair.clone(), bare("Per")]), text);
        let text = "Per(0, p=param(p), l=param(l), v=fixed(1)) * SE(0, v=1) + \
                    Per(0, p=param(p), l=param(l), v=fixed(1)) * Lin(0, v=1)";
        check(product([bare("Per"), pair.clone()]), text);
        let text = "SE(0) * Per(0, p=param(p), l=fixed(2), v=param(v, 3)) + \
                    Lin(0) * Per(0, p=param(p), l=fixed(2), v=param(v))";
        check(product([pair, of("Per", &[("l", Param::fixed(2.0)), ("v", free(3.0))])]), text);
    }

    #[test]
    fn parameters_of_unknown_number_are_tied_as_a_whole() {
        let lin = leaf("Lin", Inputs::All, &[]);
        let text = "SE(0) * Lin(b=param(b), c=param(c)) + Per(0) * Lin(b=param(b), c=param(c))";
        check(product([sum([bare("SE"), bare("Per")]), lin]), text);
    }

    #[test]
    fn functions_go_to_terms_that_look_at_the_same_inputs() {
        let f = || function("x -> x");
        check(
            wraps::warp(sum([bare("SE"), bare("Lin")]), f(), Vec::new()),
            "warp(SE(0), x -> x) + warp(Lin(0), x -> x)",
        );
        check(
            wraps::warp(sum([bare("SE"), fixed("WN", 2.0)]), f(), Vec::new()),
            "warp(SE(0), x -> x) + WN(v=fixed(2))",
        );
        check(
            wraps::scale(sum([bare("SE"), fixed("WN", 2.0)]), f(), Vec::new()),
            "scale(SE(0) + WN(v=fixed(2)), x -> x)",
        );
        let two = sum([bare("SE"), leaf("SE", at(1), &[])]);
        check(wraps::warp(two, f(), Vec::new()), "warp(SE(0) + SE(1), x -> x)");
    }

    #[test]
    fn labels_go_along() {
        let trend = sum([bare("SE"), bare("Lin").labelled("line")]).labelled("trend");
        let expanded = product([trend, bare("Per").labelled("season")]).labelled("all").expand().unwrap();
        assert_eq!(expanded.label().map(|l| &**l), Some("all"));
        let names: Vec<_> = expanded.terms().iter().map(|t| t.part_name()).collect();
        assert_eq!(names, [Some("trend × season".to_string()), Some("line × season".to_string())]);
        let single = product([bare("SE"), bare("Per")]).labelled("both");
        assert_eq!(single.expand().unwrap().part_name().as_deref(), Some("both"));
    }

    #[test]
    fn long_additive_kernels_are_refused() {
        let inputs = |n: usize| Inputs::These((0..n).map(InputRef::Index).collect());
        let all = |n| {
            wraps::additive(
                AdditiveForm::Additive(None),
                Bases::Like(leaf("SE", Inputs::All, &[])),
                inputs(n),
                vec![Values::Each(Vec::new())],
            )
            .unwrap()
        };
        assert_eq!(all(5).all_terms().unwrap().len(), 31);
        for refused in [all(16).expand_all().err(), all(16).all_terms().err(), all(16).equal(&all(17)).err()] {
            assert!(matches!(refused, Some(ExpandError::TooManyTerms { .. })), "{refused:?}");
        }
        // it is one term where it stays as it is
        assert_eq!(sum([all(16), bare("Lin")]).expand().unwrap().terms().len(), 2);
        // nested: 2ⁿ terms, which are counted before they are built
        let pair = |inside: Kernel| {
            let bases = Bases::Each(vec![inside, leaf("SE", at(1), &[])]);
            wraps::additive(AdditiveForm::Additive(None), bases, Inputs::All, vec![Values::Each(Vec::new())]).unwrap()
        };
        let nested = (0..50).fold(bare("SE"), |kernel, _| pair(kernel));
        assert!(nested.expand_all().is_err() && nested.latex_formula().len() < 1_000_000);
    }

    #[test]
    fn explosions_are_refused() {
        let ten = sum((0..10).map(|i| leaf("SE", at(i), &[])));
        let big = wraps::power(ten, 9);
        assert!(matches!(big.expand(), Err(ExpandError::TooManyTerms { terms: 48620.0, .. })), "{:?}", big.expand());
        let long = sum((0..20_000).map(|i| leaf("SE", at(i), &[])));
        assert_eq!(long.expand().unwrap(), long);
        assert_eq!(wraps::power(bare("Lin"), 1_000_000).expand().unwrap().to_string(), "Lin(0)^1000000");
    }
}
