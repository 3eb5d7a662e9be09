//! Which expressions a search leaves out because of what they say beyond the data.

use crate::calendar::TimeUnit;
use crate::kernel::phrasing::Head;
use crate::kernel::{Kernel, Node, Role};

/// The largest number of linear kernels in a product.
const MOST_LINES: usize = 2;

/// Whether an expression is offered. A product of more than two lines runs off beyond the data. A process starts at 0 and
/// grows: times a function that fades or grows it fits the growth of a short series by chance, and its variance beyond the
/// data has nothing to do with that of the data. Times a periodic function it is a season that drifts. A product of two
/// patterns of one season is a pattern of that season.
pub fn extrapolates(kernel: &Kernel) -> bool {
    lines(kernel) <= MOST_LINES && processes_are_alone(kernel) && seasons_are_once(kernel)
}

/// Whether no product has two patterns with the same fixed period.
fn seasons_are_once(kernel: &Kernel) -> bool {
    let season = |factor: &Kernel| match factor.node() {
        Node::Leaf(leaf) => {
            let at = leaf.family.spec().params.iter().position(|p| p.role == Role::Period)?;
            let fixed = leaf.params[at].as_slice().first().filter(|param| param.is_fixed())?;
            Some((leaf.inputs.clone(), fixed.in_unit(TimeUnit::Second).value()?))
        }
        _ => None,
    };
    let once = match kernel.node() {
        Node::Product(factors) => {
            let seasons: Vec<_> = factors.iter().filter_map(season).collect();
            (1..seasons.len()).all(|i| !seasons[..i].contains(&seasons[i]))
        }
        _ => true,
    };
    once && kernel.children().iter().all(seasons_are_once)
}

/// The largest number of linear kernels that are multiplied with each other.
fn lines(kernel: &Kernel) -> usize {
    let children = || kernel.children().iter().map(lines);
    match kernel.node() {
        Node::Leaf(leaf) => usize::from(leaf.family.spec().wording.head == Head::Polynomial),
        Node::Product(_) => children().sum(),
        Node::Wrap(wrapped) => children().max().unwrap_or(0) * wrapped.wrap.exponent().unwrap_or(1) as usize,
        Node::Sum(_) => children().max().unwrap_or(0),
    }
}

/// Whether processes are multiplied only with periodic and constant functions.
fn processes_are_alone(kernel: &Kernel) -> bool {
    let inside = || kernel.children().iter().all(processes_are_alone);
    match kernel.node() {
        Node::Product(factors) => {
            let grows = |factor: &&Kernel| has(factor, &|head| matches!(head, Head::Process(_)));
            let growing = factors.iter().filter(grows).count();
            let repeats = |factor: &Kernel| !has(factor, &|head| !matches!(head, Head::Periodic(_) | Head::Constant));
            let others = factors.iter().filter(|factor| !grows(factor));
            inside() && (growing == 0 || (growing == 1 && others.into_iter().all(repeats)))
        }
        Node::Wrap(wrapped) if wrapped.wrap.exponent().is_some_and(|n| n > 1) => {
            !has(kernel, &|head| matches!(head, Head::Process(_)))
        }
        _ => inside(),
    }
}

/// Whether some leaf has such a head.
fn has(kernel: &Kernel, wanted: &dyn Fn(Head) -> bool) -> bool {
    kernel.any_leaf(&|leaf| wanted(leaf.family.spec().wording.head))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Values;
    use crate::kernel::families::family;
    use crate::param::Param;

    #[test]
    fn what_runs_off_is_left_out() {
        let leaf = |name: &str| Kernel::family(family(name).unwrap());
        let product = |names: &[&str]| Kernel::product(names.iter().map(|name| leaf(name))).unwrap();
        for offered in
            [&["Lin", "Lin"][..], &["Per", "Wiener"], &["Wiener"], &["SE", "Per", "Lin"], &["Per", "IntegratedWiener"]]
        {
            assert!(extrapolates(&product(offered)), "{offered:?}");
        }
        for refused in [&["Lin", "Lin", "Lin"][..], &["Wiener", "Lin"], &["SE", "Wiener"], &["Wiener", "Wiener"]] {
            assert!(!extrapolates(&product(refused)), "{refused:?}");
        }
        let fixed = |period: f64| {
            leaf("Per").rewrite_params(&mut |at, values| match at.spec.role {
                Role::Period => Values::One(Param::fixed(period)),
                _ => values.clone(),
            })
        };
        assert!(extrapolates(&Kernel::product([fixed(7.0), fixed(365.25)]).unwrap()));
        assert!(extrapolates(&Kernel::sum([fixed(7.0), fixed(7.0)]).unwrap()));
        assert!(!extrapolates(&Kernel::product([fixed(7.0), leaf("SE"), fixed(7.0)]).unwrap()));
        let sum = Kernel::sum([leaf("SE"), leaf("Wiener")]).unwrap();
        assert!(extrapolates(&sum));
        assert!(!extrapolates(&Kernel::product([sum, leaf("SE")]).unwrap()));
    }
}
