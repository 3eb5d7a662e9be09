//! Identities of constructions: a sum over sets of inputs, nested layers and symmetries, maps onto circles.

use crate::support::kernels;

use kernels::{Case, free_parameters, gram, leaf_on};
use mercer::kernel::wraps::{self, AdditiveForm, Bases, Depth, Method, PeriodicEmbedding};
use mercer::kernel::{InputRef, Inputs, Kernel, Leaf, Move, MoveKind, Node, Role, Values, families};
use mercer::param::{Param, Tie};
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::RngSeed;

/// Whether two kernels have the same Gram matrix, to 10⁻¹² of its largest entry.
fn same_values(one: &Kernel, two: &Kernel) -> Result<(), TestCaseError> {
    let (a, b) = (gram(one), gram(two));
    prop_assert!((&a - &b).amax() <= 1e-12 * a.amax(), "{one}\n{two}\n{a}{b}");
    Ok(())
}

fn at(i: usize) -> Inputs {
    Inputs::These(vec![InputRef::Index(i)])
}

/// A variance: unset, free, fixed, or tied to nothing else.
fn variance() -> impl Strategy<Value = Param> {
    let value = || select(vec![0.3, 1.0, 2.5]);
    prop_oneof![
        Just(Param::default()),
        value().prop_map(Param::free),
        value().prop_map(Param::fixed),
        value().prop_map(|v| Param { tie: Some(Tie::new("s")), ..Param::free(v) }),
    ]
}

/// Kernels of the inputs 0 and 1, up to four.
fn bases() -> impl Strategy<Value = Vec<Kernel>> {
    let leaf = (select(vec!["SE", "RQ", "Per", "Lin", "Matern32"]), 0..2usize, select(vec![0.4, 1.0, 1.7]))
        .prop_map(|(name, input, l)| leaf_on(name, at(input), l));
    let pair = (leaf.clone(), leaf.clone());
    let one = prop_oneof![
        5 => leaf,
        1 => pair.clone().prop_filter_map("a sum", |(a, b)| Kernel::sum([a, b])),
        1 => pair.prop_filter_map("a product", |(a, b)| Kernel::product([a, b])),
    ];
    let labelled = (one, prop::option::weighted(0.2, Just("part"))).prop_map(|(kernel, label)| match label {
        Some(label) => kernel.labelled(label),
        None => kernel,
    });
    prop::collection::vec(labelled, 1..5)
}

/// An additive, ANOVA or dropout kernel of listed kernels, alone or beside another factor.
fn over_sets() -> impl Strategy<Value = Case> {
    let weights = prop::collection::vec(prop_oneof![3 => variance(), 1 => Just(Param::fixed(0.0))], 4);
    (bases(), 0..3usize, 1..5usize, weights, variance(), variance(), select(vec![0.0, 0.3, 0.5, 1.0]), any::<bool>())
        .prop_filter_map("a kernel", |(bases, form, order, weights, a, v, keep, beside)| {
            let order = order.min(bases.len());
            let (form, params) = match form {
                0 => (AdditiveForm::Additive(Some(order)), vec![Values::Each(weights[..order].to_vec())]),
                1 => (AdditiveForm::Anova, vec![Values::One(a), Values::One(v)]),
                _ => (AdditiveForm::Dropout(keep), vec![Values::One(v)]),
            };
            let kernel = wraps::additive(form, Bases::Each(bases), Inputs::All, params).ok()?;
            let kernel = if beside { Kernel::product([kernel, leaf_on("SE", at(1), 0.9)])? } else { kernel };
            Some(Case(kernel))
        })
}

fn moves() -> impl Strategy<Value = Vec<Move>> {
    let flip = |i, about| Move::new(MoveKind::Flip, vec![InputRef::Index(i)], vec![about]).unwrap();
    let both = |kind| Move::new(kind, vec![InputRef::Index(0), InputRef::Index(1)], Vec::new()).unwrap();
    let all = vec![flip(0, 0.0), flip(1, 0.0), both(MoveKind::Swap), both(MoveKind::Rotate)];
    prop::collection::vec(select(all), 1..4)
}

/// Symmetries inside symmetries, layers inside layers, circles around squared exponentials.
fn nested() -> impl Strategy<Value = Case> {
    let base = || select(vec!["SE", "RQ", "WN"]).prop_map(|name| leaf_on(name, Inputs::All, 0.8));
    let method = || select(vec![(Method::Sum, false), (Method::Sum, true), (Method::Fold, false)]);
    let symmetric = (base(), moves(), prop::option::of(moves()), method()).prop_filter_map(
        "finite groups",
        |(k, inner, outer, (method, normalize))| {
            let once = wraps::invariant(k, inner, method, normalize).ok()?;
            match outer {
                Some(outer) => wraps::invariant(once, outer, method, normalize).ok(),
                None => Some(once),
            }
        },
    );
    let layers = (base(), 1..4u32, 1..4u32, variance(), variance()).prop_filter_map("layers", |(k, n, m, v, w)| {
        let inside = wraps::deep(Depth::Layers(m), k, false, vec![Values::One(v)]).ok()?;
        wraps::deep(Depth::Layers(n), inside, false, vec![Values::One(w)]).ok()
    });
    let circle = (bases(), 0..3usize).prop_filter_map("circles", |(bases, form)| {
        // a periodic kernel has one input, and a circle makes two of it
        if bases.iter().any(|base| base.to_string().contains("Per")) {
            return None;
        }
        let product = Kernel::product(bases)?;
        let (embedding, inputs, n) = match form {
            0 => (PeriodicEmbedding::Periodic, vec![0], 1),
            1 => (PeriodicEmbedding::Torus, vec![0, 1], 2),
            _ => (PeriodicEmbedding::Cylinder, vec![1, 0], 1),
        };
        let inputs = Inputs::These(inputs.into_iter().map(InputRef::Index).collect());
        let periods = (0..n).map(|i| Param::free(1.5 + i as f64)).collect::<Vec<_>>();
        let period = if form == 2 { Values::One(periods[0].clone()) } else { Values::Each(periods) };
        Some(wraps::periodic_embedding(embedding, product, inputs, vec![period]))
    });
    let circles = (base(), 0..2usize, any::<bool>()).prop_map(|(k, first, list)| {
        let within = |k, i: usize| {
            let period = Param::free(1.5 + i as f64);
            let period = if list { Values::Each(vec![period]) } else { Values::One(period) };
            wraps::periodic_embedding(PeriodicEmbedding::Periodic, k, at(i), vec![period])
        };
        within(within(k, first), 1 - first)
    });
    prop_oneof![2 => symmetric, 1 => layers, 2 => circle, 1 => circles].prop_map(Case)
}

fn laws(k: &Kernel) -> Result<(), TestCaseError> {
    let simple = k.simplify();
    same_values(k, &simple)?;
    let again = simple.simplify();
    prop_assert!(simple == again, "{k}\n{simple}\n{again}");
    prop_assert!(free_parameters(&simple) <= free_parameters(k), "{k}\n{simple}");
    let structure = k.simplify_structure();
    prop_assert!(structure == structure.simplify_structure(), "{k}\n{structure}");
    let sum = k.expand_all().unwrap();
    same_values(k, &sum)?;
    let again = sum.expand_all().unwrap();
    prop_assert!(sum == again, "{k}\n{sum}\n{again}");
    prop_assert!(k.equal(&simple).unwrap(), "{k}\n{simple}");
    prop_assert!(k.equal(&sum).unwrap(), "{k}\n{sum}");
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, rng_seed: RngSeed::Fixed(15), ..ProptestConfig::default() })]

    #[test]
    fn sums_over_sets_are_sums_of_products(k in over_sets()) {
        laws(&k)?;
        // without the terms that are left out, every parameter is in one of the terms
        let sum = k.expand_all().unwrap();
        prop_assert!(free_parameters(&sum) <= free_parameters(&k), "{:?}\n{}", k, sum);
    }

    #[test]
    fn constructions_inside_constructions_are_one(k in nested()) {
        laws(&k)?;
    }
}

/// The covariance of an outer family as a function of k(x, x), k(x, x') and k(x', x').
type Outer = fn(f64, f64, f64) -> f64;

/// Outer kernels of compositions, by their closed forms (Duvenaud, B.18 to B.21).
const OUTER: [(&str, &[f64], Outer); 5] = [
    ("SE", &[0.7, 1.5], |a, k, b| 1.5 * (-(a - 2.0 * k + b) / (2.0 * 0.49)).exp()),
    ("RQ", &[0.7, 2.0, 1.5], |a, k, b| 1.5 * (1.0 + (a - 2.0 * k + b) / (4.0 * 0.49)).powi(-2)),
    ("Matern12", &[0.7, 1.5], |a, k, b| 1.5 * (-(a - 2.0 * k + b).max(0.0).sqrt() / 0.7).exp()),
    ("Lin", &[0.5, 2.0], |_, k, _| 0.5 + 2.0 * k),
    ("Poly", &[1.5, 0.5, 3.0], |_, k, _| 1.5 * (k + 0.5).powi(3)),
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, rng_seed: RngSeed::Fixed(18), ..ProptestConfig::default() })]

    #[test]
    fn compositions_are_functions_of_the_inner_kernel(bases in bases(), outer in select(OUTER.to_vec())) {
        let (name, params, expected) = outer;
        let inner = Kernel::sum(bases).unwrap();
        let family = families::family(name).unwrap();
        let mut given = params.iter().map(|&p| Param::fixed(p));
        let values = family.spec().params.iter().map(|spec| match spec.role {
            Role::Location => spec.unset(false),
            _ => Values::One(given.next().unwrap()),
        });
        let leaf = Leaf { family, inputs: Inputs::All, ard: false, params: values.collect() };
        let composed = wraps::compose(&Node::Leaf(leaf).into(), inner.clone()).unwrap();
        laws(&composed)?;
        let (inside, found) = (gram(&inner), gram(&composed));
        for i in 0..inside.nrows() {
            for j in 0..inside.nrows() {
                let expected = expected(inside[(i, i)], inside[(i, j)], inside[(j, j)]);
                // a distance of 10⁻⁸ is what is left of equal rows
                prop_assert!((found[(i, j)] - expected).abs() <= 1e-6 * found.amax(), "{composed}: {i}, {j}");
            }
        }
    }
}

fn additive(bases: &[Kernel], weights: &[f64]) -> Kernel {
    let weights = weights.iter().map(|&w| if w == 0.0 { Param::fixed(0.0) } else { Param::free(w) }).collect();
    let form = AdditiveForm::Additive(Some(bases.len()));
    wraps::additive(form, Bases::Each(bases.to_vec()), Inputs::All, vec![Values::Each(weights)]).unwrap()
}

#[track_caller]
fn check_equal(one: &Kernel, other: &Kernel) {
    assert!(
        one.equal(other).unwrap(),
        "{one}\n{other}\n{}\n{}",
        one.expand_all().unwrap(),
        other.expand_all().unwrap()
    );
    let (a, b) = (gram(one), gram(other));
    assert!((&a - &b).amax() <= 1e-12 * a.amax(), "{one}\n{other}");
}

#[test]
fn one_order_is_a_sum_or_a_product() {
    let bases = [leaf_on("SE", at(0), 0.5), leaf_on("RQ", at(1), 0.7), leaf_on("Per", at(0), 1.2)];
    check_equal(&additive(&bases, &[1.0, 0.0, 0.0]), &Kernel::sum(bases.clone()).unwrap());
    check_equal(&additive(&bases, &[0.0, 0.0, 1.0]), &Kernel::product(bases.clone()).unwrap());
    let keep = |q| {
        let form = AdditiveForm::Dropout(q);
        wraps::additive(form, Bases::Each(bases.to_vec()), Inputs::All, vec![Values::One(Param::default())]).unwrap()
    };
    check_equal(&keep(1.0), &Kernel::product(bases.clone()).unwrap());
}

#[test]
fn moves_of_the_group_change_nothing() {
    let (a, b) = (InputRef::Index(0), InputRef::Index(1));
    let swap = Move::new(MoveKind::Swap, vec![a.clone(), b.clone()], Vec::new()).unwrap();
    let turn = Move::new(MoveKind::Rotate, vec![a.clone(), b], vec![0.0, 0.0]).unwrap();
    let flip = Move::new(MoveKind::Flip, vec![a], vec![0.0]).unwrap();
    let k = || leaf_on("SE", Inputs::All, 0.8);
    let of = |moves: &[&Move]| {
        wraps::invariant(k(), moves.iter().map(|&m| m.clone()).collect(), Method::Sum, false).unwrap()
    };
    // a rotation and a mirror generate the exchange of the inputs
    check_equal(&of(&[&turn, &flip, &swap]), &of(&[&turn, &flip]));
    assert_eq!(of(&[&swap, &swap]).simplify(), of(&[&swap]));
    let twice = wraps::invariant(of(&[&swap]), vec![swap.clone()], Method::Sum, false).unwrap();
    check_equal(&twice, &Kernel::product([Kernel::number(4.0), of(&[&swap])]).unwrap());
    let folded = |k: Kernel| wraps::invariant(k, vec![swap.clone()], Method::Fold, false).unwrap();
    check_equal(&folded(folded(k())), &folded(k()));
}

#[test]
fn layers_of_layers_are_layers() {
    let deep = |n, k: &Kernel| wraps::deep(Depth::Layers(n), k.clone(), false, vec![Values::One(Param::default())]);
    let k = leaf_on("SE", at(0), 0.6);
    let three = deep(3, &k).unwrap();
    check_equal(&deep(2, &deep(2, &k).unwrap()).unwrap(), &three);
    let scaled = wraps::deep(Depth::Layers(2), k, false, vec![Values::One(Param::fixed(2.0))]).unwrap();
    assert!(!deep(2, &scaled).unwrap().equal(&three).unwrap());
}

#[test]
fn circles_of_several_inputs_are_one_map() {
    let k = || leaf_on("RQ", Inputs::All, 0.8);
    let of = |embedding, k, inputs: &[usize], period| {
        let inputs = Inputs::These(inputs.iter().map(|&i| InputRef::Index(i)).collect());
        wraps::periodic_embedding(embedding, k, inputs, vec![period])
    };
    let (two, three) = (Param::free(2.0), Param::free(3.0));
    let each = |periods: &[&Param]| Values::Each(periods.iter().map(|&p| p.clone()).collect());
    let round = of(PeriodicEmbedding::Periodic, k(), &[0], Values::One(two.clone()));
    let nested = of(PeriodicEmbedding::Periodic, round.clone(), &[1], Values::One(three.clone()));
    let whole = of(PeriodicEmbedding::Periodic, k(), &[0, 1], each(&[&two, &three]));
    check_equal(&nested, &whole);
    assert_eq!(nested.simplify(), whole.simplify());
    check_equal(&of(PeriodicEmbedding::Periodic, k(), &[1, 0], each(&[&three, &two])), &whole);
    check_equal(&of(PeriodicEmbedding::Torus, k(), &[0, 1], each(&[&two, &three])), &whole);
    check_equal(&of(PeriodicEmbedding::Cylinder, k(), &[0, 1], Values::One(two)), &round);
}

#[test]
fn copies_share_their_parameters() {
    let bases = [leaf_on("SE", at(0), 0.5), leaf_on("SE", at(1), 0.7)];
    let all = additive(&bases, &[1.5, 2.5]);
    let text = "SE(0, l=param(l, 0.5), v=param(v, 1.5)) + SE(1, l=param(l2, 0.7), v=param(v)) + \
                SE(0, l=param(l), v=2.5) * SE(1, l=param(l2))";
    let sum = all.expand_all().unwrap();
    assert_eq!((sum.to_string(), free_parameters(&sum)), (text.to_string(), free_parameters(&all)));
    assert_eq!(all.all_terms().unwrap().len(), 3);
}
