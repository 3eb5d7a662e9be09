//! One variance for each product: after an edit, variances are moved to where a fit expects them, without changing the
//! kernel's values.
//!
//! A product has one variance; the language holds those of all factors but the first, and of plain factors of a product
//! with a sum. After an edit moves factors, written variances may be at positions where they are redundant.

use crate::kernel::{Kernel, Leaf, Node, Origin, Role, Values, Wrapped};
use crate::param::{Param, State};

/// Marks nodes that an edit has made.
pub const NEW: Origin = Origin(u32::MAX);
/// Marks the nodes of a kernel that an edit has multiplied by a factor.
pub const MULTIPLIED: Origin = Origin(u32::MAX - 1);

/// The kernel with a mark on all its nodes that have parameters.
pub fn marked(kernel: &Kernel, mark: Origin) -> Kernel {
    let children = || kernel.children().iter().map(|child| marked(child, mark));
    match kernel.node() {
        Node::Leaf(_) => kernel.clone().with_origin(Some(mark)),
        Node::Sum(_) => kernel.with_node(Node::Sum(children().collect())),
        Node::Product(_) => kernel.with_node(Node::Product(children().collect())),
        Node::Wrap(wrapped) => {
            let wrapped = Wrapped { children: children().collect(), ..wrapped.clone() };
            kernel.with_node(Node::Wrap(wrapped)).with_origin(Some(mark))
        }
    }
}

/// The kernel with held variances written out as 1.
///
/// Those inside a wrap that always holds them, such as an additive kernel, are unchanged.
pub fn with_written_variances(kernel: &Kernel) -> Kernel {
    let children = || kernel.children().iter().map(with_written_variances).collect::<Vec<_>>();
    match kernel.node() {
        Node::Leaf(_) => kernel.rewrite_params(&mut |at, values| match values {
            Values::One(param) if at.spec.is_variance() && param.is_unset() => Values::One(Param::free(1.0)),
            _ => values.clone(),
        }),
        Node::Sum(_) => kernel.with_node(Node::Sum(children())),
        Node::Product(_) => kernel.with_node(Node::Product(children())),
        Node::Wrap(wrapped) if wrapped.wrap.is_linear() => {
            kernel.with_node(Node::Wrap(Wrapped { children: children(), ..wrapped.clone() }))
        }
        Node::Wrap(_) => kernel.clone(),
    }
}

/// The variance of a factor as a number, which replaces it when it is removed.
pub fn variance_of(factor: &Kernel) -> Kernel {
    let mut size = 1.0;
    without_variance(factor, &mut size);
    Kernel::number(size)
}

/// The same kernel with one variance per product: in the terms of a sum among its factors, or else in the first factor.
pub fn with_one_variance(kernel: &Kernel) -> Kernel {
    scaled(kernel, 1.0)
}

/// `by` times the kernel. Unset variances stay unset: they belong to new parts, whose size is not known yet.
fn scaled(kernel: &Kernel, by: f64) -> Kernel {
    match kernel.node() {
        Node::Leaf(leaf) if kernel.origin() == Some(NEW) && is_unset(leaf) => kernel.clone(),
        Node::Leaf(leaf) => kernel.with_node(Node::Leaf(scaled_leaf(leaf, by))),
        Node::Sum(terms) => kernel.with_node(Node::Sum(terms.iter().map(|term| scaled(term, by)).collect())),
        Node::Product(factors) => {
            let mut by = by;
            let numbers = factors.iter().filter_map(Kernel::as_number);
            let kept: Vec<&Kernel> = factors.iter().filter(|factor| factor.as_number().is_none()).collect();
            by *= if kept.is_empty() { 1.0 } else { numbers.product() };
            let kept = if kept.is_empty() { factors.iter().collect() } else { kept };
            let mut factors: Vec<Kernel> = kept.into_iter().map(|factor| without_variance(factor, &mut by)).collect();
            if let [only] = &factors[..] {
                return scaled(only, by);
            }
            let scalable = || factors.iter().position(takes_variance);
            let carrier = factors.iter().position(Kernel::is_sum_like).or_else(scalable).unwrap_or(0);
            for (at, factor) in factors.iter_mut().enumerate() {
                if at == carrier {
                    *factor = scaled(factor, by);
                } else if factor.is_sum_like() {
                    *factor = scaled(factor, 1.0);
                }
            }
            kernel.with_node(Node::Product(factors))
        }
        Node::Wrap(wrapped) if wrapped.wrap.is_linear() => {
            let children = wrapped.children.iter().map(|child| scaled(child, by)).collect();
            kernel.with_node(Node::Wrap(Wrapped { children, ..wrapped.clone() }))
        }
        Node::Wrap(_) => kernel.clone(),
    }
}

/// A plain factor without its written variance, which is multiplied into `by`.
fn without_variance(factor: &Kernel, by: &mut f64) -> Kernel {
    let Node::Leaf(leaf) = factor.node() else { return factor.clone() };
    let Some((at, v)) = variance(leaf).and_then(|at| Some((at, plain_value(&leaf.params[at])?))) else {
        return factor.clone();
    };
    *by *= v;
    let mut leaf = scaled_leaf(leaf, 1.0 / v);
    leaf.params[at] = Values::One(Param::default());
    factor.with_node(Node::Leaf(leaf))
}

fn scaled_leaf(leaf: &Leaf, by: f64) -> Leaf {
    let mut leaf = leaf.clone();
    let Some(at) = variance(&leaf).filter(|_| by != 1.0) else { return leaf };
    let spec = leaf.family.spec();
    // the offset of a linear kernel is scaled with its slope
    let along = spec.params[at].role == Role::SlopeVariance;
    let unset = is_unset(&leaf);
    for (i, values) in leaf.params.iter_mut().enumerate() {
        if i == at && unset {
            // without a variance a factor is held at 1; the first factor gets the variance
            *values = Values::One(Param::free(by));
        } else if i == at || (along && spec.params[i].role == Role::Bias) {
            *values = values.map(|param| match plain(param).then_some(param.state) {
                Some(State::Free(v)) => Param::free(v * by),
                _ => param.clone(),
            });
        }
    }
    leaf
}

/// Whether a factor can take up the variance of the others: one that is fixed, tied or has a prior cannot.
fn takes_variance(factor: &Kernel) -> bool {
    match factor.node() {
        Node::Leaf(leaf) => is_unset(leaf) || variance(leaf).is_some_and(|at| plain_value(&leaf.params[at]).is_some()),
        Node::Wrap(wrapped) => wrapped.wrap.is_linear(),
        Node::Sum(_) | Node::Product(_) => true,
    }
}

fn is_unset(leaf: &Leaf) -> bool {
    variance(leaf).is_some_and(|at| leaf.params[at].is_unset())
}

/// The index of the variance of a leaf, if it has a single one.
fn variance(leaf: &Leaf) -> Option<usize> {
    let params = leaf.family.spec().params.iter().zip(&leaf.params);
    params
        .enumerate()
        .find(|(_, (spec, values))| spec.is_variance() && matches!(values, Values::One(_)))
        .map(|(at, _)| at)
}

fn plain(param: &Param) -> bool {
    param.prior.is_none() && param.tie.is_none()
}

fn plain_value(values: &Values) -> Option<f64> {
    match values {
        Values::One(param) if plain(param) => match param.state {
            State::Free(v) if v > 0.0 && v.is_finite() => Some(v),
            _ => None,
        },
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::{Column, Gram, Inputs, Schema, families::family};
    use crate::linalg::Matrix;
    use crate::search::edits::{Edit, Means, children};

    const X: [f64; 5] = [0.3, 1.1, 1.9, 3.2, 4.0];

    fn leaf(name: &str, values: &[f64]) -> Kernel {
        let family = family(name).unwrap();
        let params = values.iter().map(|&v| Values::One(Param::free(v))).collect();
        Node::Leaf(Leaf { family, inputs: Inputs::All, ard: false, params }).into()
    }

    fn line(b: f64, v: f64, c: f64) -> Kernel {
        let params = vec![Values::One(Param::free(b)), Values::One(Param::free(v)), Values::Each(vec![Param::free(c)])];
        Node::Leaf(Leaf { family: family("Lin").unwrap(), inputs: Inputs::All, ard: false, params }).into()
    }

    fn matrix(kernel: &Kernel) -> Matrix {
        let schema = Schema { columns: vec![Column { name: "x", values: &X, levels: None, time: None }] };
        let bound = kernel.bind(&schema).unwrap();
        let points = bound.points(&[&X]).unwrap();
        let values: Vec<f64> = bound.slots().iter().map(|slot| slot.value).collect();
        let mut out = Matrix::zeros(X.len(), X.len());
        Gram::new(&bound, &points).evaluate(&values, &mut out).unwrap();
        out.lower_triangle()
    }

    fn same(one: &Kernel, other: &Kernel) {
        let (a, b) = (matrix(one), matrix(other));
        assert!((&a - &b).amax() <= 1e-12 * a.amax(), "{one} and {other}");
    }

    fn parents() -> Vec<Kernel> {
        let (se, per) = (|v: f64| leaf("SE", &[0.7, v]), |v: f64| leaf("Per", &[1.3, 0.8, v]));
        let sum = |terms: Vec<Kernel>| Kernel::sum(terms).unwrap();
        let product = |factors: Vec<Kernel>| Kernel::product(factors).unwrap();
        vec![
            product(vec![se(2.0), per(3.0)]),
            product(vec![per(3.0), line(0.2, 0.5, 1.0)]),
            product(vec![line(0.2, 0.5, 1.0), sum(vec![se(2.0), per(3.0)])]),
            product(vec![se(2.0), sum(vec![per(3.0), line(0.2, 0.5, 1.0)]), sum(vec![se(0.4), per(1.5)])]),
            sum(vec![se(2.0), product(vec![per(3.0), sum(vec![se(0.1), line(0.3, 2.0, -1.0)])])]),
        ]
    }

    #[test]
    fn placing_variances_changes_no_value() {
        for parent in parents() {
            same(&parent, &with_one_variance(&with_written_variances(&parent)));
        }
    }

    #[test]
    fn a_product_is_left_with_one_variance() {
        let product = with_one_variance(&parents()[0]);
        assert_eq!(product.to_string(), "SE(l=0.7, v=6) * Per(p=1.3, l=0.8)");
    }

    /// A factor that is removed leaves its variance in the product; a term that is removed takes it along.
    #[test]
    fn what_is_left_keeps_its_size() {
        let means = Means { bases: &[], inputs: &[] };
        let without = children(&parents()[0], &[Edit::Drop], &means, &|| false);
        let texts: Vec<String> = without.iter().map(|child| child.kernel.to_string()).collect();
        assert_eq!(texts, ["Per(p=1.3, l=0.8, v=6)", "SE(l=0.7, v=6)"]);
    }

    /// A variance that is fixed takes up no other.
    #[test]
    fn a_fixed_variance_leaves_the_free_one_where_it_is() {
        let means = Means { bases: &[], inputs: &[] };
        let fixed = leaf("SE", &[0.7, 2.0]).rewrite_params(&mut |at, values| match at.spec.is_variance() {
            true => Values::One(Param::fixed(2.0)),
            false => values.clone(),
        });
        let sum = Kernel::sum([leaf("Per", &[1.3, 0.8, 30.0]), line(0.2, 0.5, 1.0)]).unwrap();
        let without = children(&Kernel::product([fixed, sum]).unwrap(), &[Edit::Drop], &means, &|| false);
        let texts: Vec<String> = without.iter().map(|child| child.kernel.to_string()).collect();
        assert!(texts.contains(&"SE(l=0.7, v=fixed(2)) * Per(p=1.3, l=0.8, v=30)".to_string()), "{texts:?}");
    }

    /// A term that is removed leaves no number behind.
    #[test]
    fn no_number_is_left_of_a_term() {
        let means = Means { bases: &[], inputs: &[] };
        let term = Kernel::product([Kernel::number(3.0), leaf("SE", &[0.7, 2.0])]).unwrap();
        let sum = Kernel::sum([leaf("Per", &[1.3, 0.8, 3.0]), term]).unwrap();
        let without = children(&sum, &[Edit::Drop], &means, &|| false);
        let mut texts: Vec<String> = without.iter().map(|child| child.kernel.to_string()).collect();
        texts.sort();
        assert_eq!(texts, ["Per(p=1.3, l=0.8, v=3)", "Per(p=1.3, l=0.8, v=3) + SE(l=0.7, v=2)", "SE(l=0.7, v=6)"]);
    }

    /// A term that is taken out of a product keeps the variance that it had there.
    #[test]
    fn a_term_is_taken_out_of_a_product() {
        let means = Means { bases: &[], inputs: &[] };
        let (se, per) = (leaf("SE", &[0.7, 2.0]), leaf("Per", &[1.3, 0.8, 3.0]));
        let (short, line) = (leaf("SE", &[0.1, 5.0]), line(0.2, 0.5, 1.0));
        let sum = Kernel::sum([per.clone(), short.clone()]).unwrap();
        let twice = |kernel: &Kernel| Kernel::product([Kernel::number(2.0), kernel.clone()]).unwrap();
        let beside = |alone: &Kernel, rest: &Kernel| {
            Kernel::sum([twice(alone), Kernel::product([se.clone(), rest.clone()]).unwrap()]).unwrap()
        };
        let outside = [beside(&per, &short), beside(&short, &per)];
        let taken = |parent: &Kernel| -> Vec<Kernel> {
            let all = children(parent, &[Edit::Drop], &means, &|| false);
            all.into_iter().filter(|child| child.edit.contains(" beside ")).map(|child| child.kernel).collect()
        };
        let found = taken(&Kernel::product([se.clone(), sum.clone()]).unwrap());
        assert_eq!(found.len(), outside.len());
        found.iter().zip(&outside).for_each(|(one, other)| same(one, other));
        // other factors and other terms stay
        let around = |inner: &Kernel| {
            Kernel::sum([line.clone(), Kernel::product([line.clone(), inner.clone()]).unwrap()]).unwrap()
        };
        let found = taken(&around(&Kernel::product([se.clone(), sum]).unwrap()));
        assert_eq!(found.len(), 2 * outside.len(), "each of two factors");
        outside.iter().for_each(|inner| {
            let expected = matrix(&around(inner));
            let near = |kernel: &Kernel| (&matrix(kernel) - &expected).amax() <= 1e-12 * expected.amax();
            assert!(found.iter().any(near), "{inner}");
        });
        assert!(taken(&Kernel::sum([se, per]).unwrap()).is_empty());
    }

    /// A child equals its parent if a new factor is 1 everywhere, or a new term is 0.
    #[test]
    fn children_hold_their_parents() {
        let one = [leaf("Const", &[1.0])];
        let nothing = [leaf("Const", &[1e-300])];
        for parent in parents() {
            for (edit, bases) in [(Edit::Multiply, &one), (Edit::Add, &nothing)] {
                let means = Means { bases, inputs: &[] };
                for child in children(&parent, std::slice::from_ref(&edit), &means, &|| false) {
                    same(&parent, &child.kernel);
                }
            }
        }
    }
}
