//! Which expressions a search leaves out because of what they say beyond the data.

use crate::kernel::phrasing::Head;
use crate::kernel::{Kernel, Node};

/// The largest number of linear kernels in a product.
const MOST_LINES: usize = 2;

/// Whether an expression is offered. A product of more than two lines runs off beyond the data. A process starts at 0 and
/// grows: times a function that fades or grows it fits the growth of a short series by chance, and its variance beyond the
/// data has nothing to do with that of the data. Times a periodic function it is a season that drifts.
pub fn extrapolates(kernel: &Kernel) -> bool {
    lines(kernel) <= MOST_LINES && processes_are_alone(kernel)
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
    use crate::kernel::families::family;

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
        let sum = Kernel::sum([leaf("SE"), leaf("Wiener")]).unwrap();
        assert!(extrapolates(&sum));
        assert!(!extrapolates(&Kernel::product([sum, leaf("SE")]).unwrap()));
    }
}
