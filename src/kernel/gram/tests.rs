use super::*;
use crate::kernel::bind_error::Cause;
use crate::kernel::families::{FAMILIES, family};
use crate::kernel::group::{Move, MoveKind};
use crate::kernel::inputs::{InputRef, Inputs};
use crate::kernel::parameter_slot::SlotState;
use crate::kernel::schema::Schema;
use crate::kernel::tree::{Kernel, Leaf, Node};
use crate::kernel::values::Values;
use crate::kernel::wraps;
use crate::param::Param;

fn on(name: &str, inputs: &[usize]) -> Kernel {
    let inputs = Inputs::These(inputs.iter().map(|&i| InputRef::Index(i)).collect());
    Kernel::leaf(family(name).unwrap(), inputs)
}

fn data() -> (Vec<String>, Vec<Vec<f64>>) {
    let x0: Vec<f64> = (0..14).map(|i| (i as f64 * 0.37).sin() * 2.0 + 0.1 * i as f64).collect();
    let x1: Vec<f64> = (0..14).map(|i| (i as f64 * 0.91).cos() * 1.5).collect();
    let x2: Vec<f64> = (0..14).map(|i| f64::from(i % 3)).collect();
    (vec!["a".into(), "b".into(), "c".into()], vec![x0, x1, x2])
}

/// Arbitrary positive values, one per slot.
fn somewhere(bound: &Bound) -> Vec<f64> {
    let value = |(i, slot): (usize, &crate::kernel::Slot)| match slot.state {
        crate::kernel::SlotState::Fixed if slot.spec.domain == crate::kernel::Domains::Count => slot.value,
        _ => 0.6 + 0.37 * ((i * 7 + 3) % 5) as f64,
    };
    bound.slots().iter().enumerate().map(value).collect()
}

fn check(kernel: &Kernel) {
    let (names, columns) = data();
    let x: Vec<&[f64]> = columns.iter().map(|c| &c[..]).collect();
    let bound = kernel.bind(&Schema::unnamed(&names, &x)).unwrap();
    let points = bound.points(&x).unwrap();
    let theta = somewhere(&bound);
    let n = points.n();
    let gram = |theta: &[f64]| {
        let mut k = Matrix::zeros(n, n);
        Gram::new(&bound, &points).evaluate(theta, &mut k).unwrap();
        k
    };
    let k = gram(&theta);
    let diagonal = bound.diagonal(&theta, &points).unwrap();
    for i in 0..n {
        assert!((k[(i, i)] - diagonal[i]).abs() < 1e-13 * diagonal[i].abs().max(1.0), "diagonal {kernel:?}");
    }
    crate::kernel::cross_covariance::tests::check(&bound, &theta, &columns[2][..3]);
    let cross = bound.cross(&theta, &points, &points).unwrap();
    for j in 0..n {
        for i in j + 1..n {
            assert!((k[(i, j)] - cross[(i, j)]).abs() < 1e-12, "cross {kernel:?}");
            assert!((k[(i, j)] - cross[(j, i)]).abs() < 1e-12, "symmetry {kernel:?}");
        }
    }
    let w = Matrix::from_fn(n, n, |i, j| ((i * 5 + j * 3) as f64).sin() + ((j * 5 + i * 3) as f64).sin());
    let total = |k: &Matrix| -> f64 {
        (0..n).map(|j| (j..n).map(|i| k[(i, j)] * w[(i, j)] * if i == j { 1.0 } else { 2.0 }).sum::<f64>()).sum()
    };
    let mut gradient = vec![0.0; theta.len()];
    let mut engine = Gram::new(&bound, &points);
    let mut into = Matrix::zeros(n, n);
    engine.evaluate(&theta, &mut into).unwrap();
    let pulled = engine.pull(
        |j, out| out.iter_mut().enumerate().for_each(|(i, o)| *o = w[(i + j, j)] * if i == 0 { 1.0 } else { 2.0 }),
        &mut gradient,
    );
    pulled.unwrap();
    for (s, slot) in bound.slots().iter().enumerate() {
        if slot.spec.domain == crate::kernel::Domains::Count {
            continue;
        }
        let h = 1e-5 * theta[s];
        let moved = |by: f64| {
            let mut theta = theta.clone();
            theta[s] += by;
            total(&gram(&theta))
        };
        let difference = (8.0 * (moved(h) - moved(-h)) - (moved(2.0 * h) - moved(-2.0 * h))) / (12.0 * h);
        assert!(
            (difference - gradient[s]).abs() < 1e-6 * gradient[s].abs().max(1.0),
            "{} of {kernel:?}: {} and by differences {difference}",
            slot.spec.name,
            gradient[s]
        );
    }
}

fn ard(name: &str) -> Kernel {
    let family = family(name).unwrap();
    let params = family.spec().params.iter().map(|p| p.unset(true)).collect();
    Node::Leaf(Leaf { family, inputs: Inputs::All, ard: true, params }).into()
}

#[test]
fn families_agree_with_their_points() {
    for family in FAMILIES {
        for variant in [Some(*family), family.spec().flag.map(|f| (f.other)())].into_iter().flatten() {
            for (params, x, y, expected) in variant.spec().points {
                let values = params.iter().map(|&p| Values::One(Param::free(p))).collect();
                let leaf = Leaf { family: variant, inputs: Inputs::All, ard: false, params: values };
                let names = vec!["x".to_string()];
                let rows = [*x, *y];
                let bound = Kernel::from(Node::Leaf(leaf)).bind(&Schema::unnamed(&names, &[&rows])).unwrap();
                let (a, b) = (bound.points(&[&[*x]]).unwrap(), bound.points(&[&[*y]]).unwrap());
                let k = bound.cross(params, &a, &b).unwrap()[(0, 0)];
                assert!((k - expected).abs() < 1e-13 * expected.abs().max(1.0), "{variant:?} {k} {expected}");
            }
        }
    }
}

#[test]
fn every_family_has_its_gradient() {
    for family in FAMILIES {
        let name = family.spec().name;
        check(&on(name, &[if family.takes_categories() { 2 } else { 0 }]));
        if family.spec().several_inputs && family.spec().reads_inputs {
            check(&on(name, &[0, 1]));
            check(&ard(name));
        }
        if let Some(flag) = family.spec().flag {
            check(&Kernel::leaf((flag.other)(), Inputs::These(vec![InputRef::Index(1)])));
        }
    }
}

#[test]
fn sums_products_and_wraps_have_theirs() {
    let (se, per, lin) = (on("SE", &[0]), on("Per", &[1]), on("Lin", &[0]));
    let product = Kernel::product([se.clone(), per.clone(), lin.clone()]).unwrap();
    let sum = Kernel::sum([product.clone(), on("RQ", &[1]), on("WN", &[])]).unwrap();
    check(&product);
    check(&sum);
    check(&Kernel::product([sum.clone(), lin.clone()]).unwrap());
    check(&wraps::power(sum.clone(), 3));
    let unset = || vec![Values::One(Param::default()), Values::One(Param::default())];
    check(&wraps::changepoint(sum, per, Inputs::These(vec![InputRef::Index(0)]), unset()));
}

fn index(i: usize) -> InputRef {
    InputRef::Index(i)
}

fn these(inputs: &[usize]) -> Inputs {
    Inputs::These(inputs.iter().map(|&i| index(i)).collect())
}

#[test]
fn symmetries_have_theirs() {
    let mv = |kind, inputs: &[usize]| Move::new(kind, inputs.iter().map(|&i| index(i)).collect(), vec![]).unwrap();
    let (swap, flip) = (mv(MoveKind::Swap, &[0, 1]), mv(MoveKind::Flip, &[0]));
    let about = Move::new(MoveKind::Flip, vec![index(1)], vec![0.3]).unwrap();
    let turn = mv(MoveKind::Rotate, &[0, 1]);
    let product = Kernel::product([on("SE", &[0]), on("Per", &[1])]).unwrap();
    let sum = Kernel::sum([product.clone(), on("Lin", &[1]), on("WN", &[])]).unwrap();
    for moves in [vec![swap.clone()], vec![flip.clone()], vec![about, flip], vec![turn]] {
        for k in [on("SE", &[0, 1]), product.clone(), sum.clone(), on("Poly", &[1])] {
            check(&wraps::invariant(k.clone(), moves.clone(), wraps::Method::Sum, true).unwrap());
            check(&wraps::invariant(k, moves.clone(), wraps::Method::Fold, false).unwrap());
        }
        for k in [on("RQ", &[0, 1]), product.clone()] {
            check(&wraps::invariant(k, moves.clone(), wraps::Method::Product, false).unwrap());
        }
    }
    check(&wraps::translate(product.clone(), false));
    check(&wraps::translate(sum, true));
    let shifts = wraps::Shifts { rows: 1, cols: 2, radius: Some(1), edges: wraps::Edges::Zero };
    check(&wraps::conv(product, shifts, true));
    let inner = wraps::invariant(on("SE", &[0]), vec![swap.clone()], wraps::Method::Sum, false).unwrap();
    check(&wraps::invariant(inner, vec![swap], wraps::Method::Sum, false).unwrap());
}

#[test]
fn periodic_inputs_have_theirs() {
    let period = || vec![Values::Each(Vec::new())];
    let turn = || vec![Values::One(Param::default())];
    let wind = |w, k, i: &[usize], p| wraps::periodic_embedding(w, k, these(i), p);
    let product = Kernel::product([on("SE", &[0]), on("RQ", &[1]), on("Per", &[2])]).unwrap();
    for k in [on("SE", &[0, 1]), on("Lin", &[0, 1]), on("Poly", &[0]), ard("Matern52"), product] {
        check(&wind(wraps::PeriodicEmbedding::Periodic, k.clone(), &[0], period()));
        check(&wind(wraps::PeriodicEmbedding::Torus, k.clone(), &[0, 1], period()));
        check(&wind(wraps::PeriodicEmbedding::Cylinder, k.clone(), &[1, 0], turn()));
        check(&wind(wraps::PeriodicEmbedding::Mobius, k.clone(), &[0, 1], turn()));
        check(&wind(wraps::PeriodicEmbedding::Sphere, k.clone(), &[0, 1], vec![]));
        check(&wind(
            wraps::PeriodicEmbedding::Periodic,
            wind(wraps::PeriodicEmbedding::Periodic, k, &[1], period()),
            &[0],
            period(),
        ));
    }
}

#[test]
fn deep_and_additive_kernels_have_theirs() {
    let unset = |n: usize| vec![Values::One(Param::default()); n];
    let product = Kernel::product([on("SE", &[0]), on("Per", &[1])]).unwrap();
    let sum = Kernel::sum([on("SE", &[0]), on("Lin", &[1])]).unwrap();
    let deep = |n, k: &Kernel, connected: bool| {
        wraps::deep(wraps::Depth::Layers(n), k.clone(), connected, unset(1 + usize::from(connected))).unwrap()
    };
    for k in [&product, &sum, &on("SE", &[0, 1])] {
        for n in 2..5 {
            check(&deep(n, k, false));
            check(&deep(n, k, true));
        }
        check(&wraps::deep(wraps::Depth::Infinite, k.clone(), true, unset(2)).unwrap());
        check(&wraps::periodic_embedding(
            wraps::PeriodicEmbedding::Periodic,
            deep(3, k, true),
            these(&[0]),
            vec![Values::Each(vec![])],
        ));
    }
    check(&deep(2, &deep(3, &sum, true), false));
    let mirror = Move::new(MoveKind::Flip, vec![index(0)], vec![]).unwrap();
    check(&wraps::invariant(deep(3, &sum, true), vec![mirror], wraps::Method::Sum, false).unwrap());
    let each = || wraps::Bases::Each(vec![on("SE", &[0]), on("Per", &[1]), on("Lin", &[0]), on("RQ", &[1])]);
    for order in [1, 2, 4] {
        let mixture = wraps::AdditiveForm::Additive(Some(order));
        check(&wraps::additive(mixture, each(), Inputs::All, vec![Values::Each(vec![])]).unwrap());
    }
    let like = wraps::Bases::Like(wraps::default_base());
    let all = wraps::AdditiveForm::Additive(None);
    check(&wraps::additive(all, like, these(&[0, 1]), vec![Values::Each(vec![])]).unwrap());
    check(&wraps::additive(wraps::AdditiveForm::Anova, each(), Inputs::All, unset(2)).unwrap());
    check(&wraps::additive(wraps::AdditiveForm::Dropout(0.8), each(), Inputs::All, unset(1)).unwrap());
}

#[test]
fn centred_periodic_keeps_its_digits_for_long_length_scales() {
    let leaf = Kernel::leaf((family("Per").unwrap().spec().flag.unwrap().other)(), Inputs::All);
    let (names, x) = (vec!["x".to_string()], [0.0, 0.3]);
    let bound = leaf.bind(&Schema::unnamed(&names, &[&x])).unwrap();
    let points = bound.points(&[&x]).unwrap();
    let at = |l: f64| bound.cross(&[1.0, l, 1.0], &points, &points).unwrap()[(1, 0)];
    let cosine = (std::f64::consts::TAU * 0.3).cos();
    assert!((at(1e5) - cosine).abs() < 1e-9 && (at(1e3) - cosine).abs() < 1e-5);
    let z: f64 = 0.34;
    let l = 1.0 / z.sqrt();
    assert!((at(l * 1.000_000_1) - at(l * 0.999_999_9)).abs() < 1e-6);
}

#[test]
fn one_kernel_in_two_places_has_two_periods() {
    let (names, columns) = data();
    let x: Vec<&[f64]> = columns.iter().map(|c| &c[..]).collect();
    let round = wraps::periodic_embedding(
        wraps::PeriodicEmbedding::Periodic,
        on("SE", &[0]),
        these(&[0]),
        vec![Values::Each(Vec::new())],
    );
    let bound = Kernel::sum([round.clone(), round]).unwrap().bind(&Schema::unnamed(&names, &x)).unwrap();
    let points = bound.points(&x).unwrap();
    let period = |n: usize| bound.slots().iter().enumerate().filter(|(_, s)| s.spec.short == "p").nth(n).unwrap().0;
    let moved = |slot: usize| {
        let mut theta = bound.values();
        theta[slot] = 1.7;
        bound.cross(&theta, &points, &points).unwrap()
    };
    let still = bound.cross(&bound.values(), &points, &points).unwrap();
    let (one, two) = (moved(period(0)), moved(period(1)));
    assert!((&one - &still).amax() > 0.1 && (one - two).amax() < 1e-12);
}

#[test]
fn a_kernel_that_is_read_back_is_the_same_to_the_bit() {
    let (x, y) = ([0.1, 1.7, 2.9, 1957.3], [3.0, -1.0, 0.4, 2.2]);
    let names = ["x".to_string(), "y".to_string()];
    let matrix = |kernel: &Kernel, values: Option<&[f64]>| {
        let bound = kernel.bind(&Schema::unnamed(&names, &[&x, &y])).unwrap();
        let values = values.map_or_else(|| bound.values(), <[f64]>::to_vec);
        let points = bound.points(&[&x, &y]).unwrap();
        let mut k = Matrix::zeros(4, 4);
        Gram::new(&bound, &points).evaluate(&values, &mut k).unwrap();
        k
    };
    let first = || Inputs::These(vec![InputRef::Index(0)]);
    let both = || Inputs::These(vec![InputRef::Index(0), InputRef::Index(1)]);
    let mut kernels = Vec::new();
    for &family in FAMILIES {
        let one = Kernel::leaf(family, first());
        for form in [wraps::PeriodicEmbedding::Periodic, wraps::PeriodicEmbedding::Cylinder] {
            let (inputs, period) = match form.inputs() {
                None => (first(), Values::Each(Vec::new())),
                Some(_) => (both(), Values::One(Param::default())),
            };
            kernels.push(wraps::periodic_embedding(form, one.clone(), inputs, vec![period]));
        }
        kernels.push(one);
    }
    for kernel in kernels {
        // a family of one input rejects two coordinates
        let Ok(bound) = kernel.bind(&Schema::unnamed(&names, &[&x, &y])) else { continue };
        let values: Vec<f64> =
            bound.slots().iter().enumerate().map(|(i, s)| s.value * (1.37 + i as f64 / 7.0)).collect();
        let not_free = bound.slots().iter().any(|slot| slot.state != SlotState::Free);
        if not_free {
            continue;
        }
        assert_eq!(matrix(&kernel, Some(&values)), matrix(&bound.with_values(&values), None), "{kernel}");
    }
}

#[test]
fn symmetries_in_symmetries_are_bounded() {
    let x = [0.3, 1.1, -0.4];
    let names = ["x".to_string()];
    let flip = |about: f64| Move::new(MoveKind::Flip, vec![InputRef::Index(0)], vec![about]).unwrap();
    let nested = |about: fn(usize) -> f64| {
        (0..20).fold(Kernel::leaf(family("SE").unwrap(), Inputs::These(vec![InputRef::Index(0)])), |k, i| {
            wraps::invariant(k, vec![flip(about(i))], wraps::Method::Sum, true).unwrap()
        })
    };
    // the same mirror at every level: two views, and four pairs of them at each level
    assert!(nested(|_| 0.0).bind(&Schema::unnamed(&names, &[&x])).is_ok());
    // different mirrors at every level: more views than are allowed
    let error = nested(|i| i as f64).bind(&Schema::unnamed(&names, &[&x])).unwrap_err();
    assert_eq!(error.cause, Cause::TooLarge);
}
