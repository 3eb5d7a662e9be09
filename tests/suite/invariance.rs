//! Draws from invariant kernels are invariant, and kernels of images are invariant to shifts of the image: through the
//! language.

use mercer::lang::eval::host::Item;
use mercer::progress::Silent;
use mercer::session::Session;

/// Runs a program and returns the matrix that it shows last.
fn matrix(program: &str) -> Vec<Vec<f64>> {
    let output = Session::default().run(program, "invariance", &Silent);
    assert!(!output.failed, "{program}\n{}", output.text());
    let shown = output.items.iter().rev().find_map(|item| match item {
        Item::Shown(value) => Some(mercer::lang::values::json::tagged(value)["value"].clone()),
        _ => None,
    });
    serde_json::from_value(shown.expect("a value")).unwrap_or_else(|error| panic!("{program}: {error}"))
}

/// A move of a row of inputs.
type Move = fn(&[f64]) -> Vec<f64>;

/// Rows that fill [−2.5, 2.5]ⁿ evenly.
fn places(width: usize, count: usize) -> Vec<Vec<f64>> {
    let fraction = |i: usize| (i as f64 * 0.754_877_666_246_692_8).fract();
    (0..count).map(|i| (0..width).map(|d| 5.0 * fraction(i * width + d + 1) - 2.5).collect()).collect()
}

/// Three functions drawn from the kernel have the same values at a point and at its images under the moves.
fn check(kernel: &str, width: usize, moves: &[Move]) {
    let places = places(width, 6);
    let mut rows = Vec::new();
    for place in &places {
        rows.push(place.clone());
        rows.extend(moves.iter().map(|m| m(place)));
    }
    for drawn in matrix(&format!("let k = {kernel}\nsample(k, {rows:?}, n=3)")) {
        let size = drawn.iter().fold(0.0f64, |size, f| size.max(f.abs()));
        assert!(size > 0.0, "{kernel}: {drawn:?}");
        for (group, rows) in drawn.chunks(moves.len() + 1).zip(rows.chunks(moves.len() + 1)) {
            for (moved, row) in group.iter().zip(rows) {
                let off = (moved - group[0]).abs() / size;
                assert!(off <= 1e-8, "{kernel}: f({:?}) = {}, f({row:?}) = {moved}", rows[0], group[0]);
            }
        }
    }
}

/// Checks all three methods.
fn check_all(kernel: &str, moves: &str, width: usize, moved: &[Move]) {
    for method in ["sum", "product", "fold"] {
        check(&format!("invariant({kernel}, {moves}, method=\"{method}\")"), width, moved);
    }
    check(&format!("invariant({kernel}, {moves}, normalize=true)"), width, moved);
}

#[test]
fn exchanged_inputs() {
    let swap: Move = |x| vec![x[1], x[0]];
    check_all("SE(0, l=0.7) * Matern32(1, l=2)", "swap(0, 1)", 2, &[swap]);
    check_all("ARD(RQ([0, 1]), l=[0.5, 3])", "swap(1, 0)", 2, &[swap]);
    check("reflect(Lin(0, v=2) * Lin(1, c=1) + Per(1, p=3) * SE(0), 0, 1)", 2, &[swap]);
    check("invariant(Lin([0, 1]) + Poly(0, degree=3), swap(0, 1), method=\"fold\")", 2, &[swap]);
}

#[test]
fn mirrored_inputs() {
    check("reflect(SE(0), 0)", 1, &[|x| vec![-x[0]]]);
    check("reflect(Lin(0, v=2, c=1) + SE(0, l=0.4), 0, about=1.5)", 1, &[|x| vec![3.0 - x[0]]]);
    let both: [Move; 3] = [|x| vec![2.0 - x[0], x[1]], |x| vec![x[0], -4.0 - x[1]], |x| vec![2.0 - x[0], -4.0 - x[1]]];
    check_all("SE(0, l=0.7) * Matern52(1, l=2)", "flip(0, about=1), flip(1, about=-2)", 2, &both);
    check("reflect(reflect(SE, 0, about=1), 1, about=-2)", 2, &both);
}

#[test]
fn turned_planes() {
    let turns: [Move; 3] =
        [|x| vec![3.0 - x[1], x[0] + 1.0], |x| vec![2.0 - x[0], 4.0 - x[1]], |x| vec![x[1] - 1.0, 3.0 - x[0]]];
    check_all("ARD(SE([0, 1]), l=[1, 3])", "rotate(0, 1, about=[1, 2])", 2, &turns);
    // with a mirror: all symmetries of the square
    check_all(
        "SE(0, l=2) * RQ(1)",
        "rotate(0, 1), flip(0)",
        2,
        &[|x| vec![-x[1], x[0]], |x| vec![-x[0], x[1]], |x| vec![x[1], x[0]], |x| vec![-x[1], -x[0]]],
    );
}

#[test]
fn several_inputs_in_any_order_and_round_in_a_circle() {
    let orders: [Move; 3] = [|x| vec![x[1], x[2], x[0]], |x| vec![x[2], x[1], x[0]], |x| vec![x[0], x[2], x[1]]];
    check_all("SE(0, l=0.8) * RQ(1) * SE(2, l=2)", "permute(0, 1, 2)", 3, &orders);
    let round: [Move; 2] = [|x| vec![x[3], x[0], x[1], x[2]], |x| vec![x[2], x[3], x[0], x[1]]];
    check_all("SE([0, 1, 2, 3], l=2)", "shift(0, 1, 2, 3)", 4, &round);
    check_all("SE([0, 1], l=2) * SE(2) * SE(3, l=3)", "shift(0, 1, 2, 3)", 4, &round);
}

#[test]
fn periodic_inputs() {
    check("periodic(SE(0) + Lin(0), 0, period=1.3)", 1, &[|x| vec![x[0] + 1.3], |x| vec![x[0] - 3.9]]);
    check("torus(SE(0, l=0.6) * RQ(1), 0, 1, period=[2, 3])", 2, &[|x| vec![x[0] + 2.0, x[1] - 6.0]]);
    check("cylinder(RQ, 0, 1, period=2.5)", 2, &[|x| vec![x[0] - 5.0, x[1]]]);
    check(
        "mobius(SE, 0, 1, period=2)",
        2,
        &[|x| vec![x[1], x[0]], |x| vec![x[0] + 2.0, x[1]], |x| vec![x[1] - 4.0, x[0] + 2.0]],
    );
    check("mobius(SE(0) * Matern32(1, l=0.4), 0, 1)", 2, &[|x| vec![x[1] + 1.0, x[0]]]);
    check("sphere(Matern52, 0, 1)", 2, &[|x| vec![x[0], x[1] + 360.0], |x| vec![180.0 - x[0], x[1] + 180.0]]);
    let pole = matrix("sample(sphere(SE, 0, 1), [[90, 0], [90, 77], [-90, 3], [-90, 100]], n=3)");
    assert!(pole.iter().all(|f| (f[0] - f[1]).abs() < 1e-8 && (f[2] - f[3]).abs() < 1e-8), "{pole:?}");
}

#[test]
fn shifted_signals_and_images() {
    let round: [Move; 2] = [|x| vec![x[3], x[0], x[1], x[2]], |x| vec![x[2], x[3], x[0], x[1]]];
    for options in ["", ", normalize=true"] {
        check(&format!("translate(SE([0, 1, 2, 3], l=2){options})"), 4, &round);
        check(&format!("translate(SE([0, 1], l=2) * Lin(2) + RQ(3){options})"), 4, &round);
        let image: [Move; 3] = [
            |x| vec![x[2], x[0], x[1], x[5], x[3], x[4]],
            |x| vec![x[3], x[4], x[5], x[0], x[1], x[2]],
            |x| vec![x[4], x[5], x[3], x[1], x[2], x[0]],
        ];
        for radius in ["", ", radius=1", ", radius=5"] {
            let shape = format!("rows=2, cols=3{radius}{options}");
            check(&format!("conv(SE([0, 1, 2, 3, 4, 5], l=3), {shape})"), 6, &image);
            check(&format!("conv(SE([0, 1]) * RQ([2, 4]) + Lin([3, 5]), {shape})"), 6, &image);
        }
    }
}

#[test]
fn inside_other_kernels() {
    let mirror: Move = |x| vec![-x[0]];
    check("2 * reflect(SE(0), 0) + reflect(Per(0, p=3), 0)", 1, &[mirror]);
    check("reflect(SE(0), 0) * reflect(RQ(0), 0)", 1, &[mirror]);
    check("deep(3, reflect(SE(0), 0))", 1, &[mirror]);
    check("scale(reflect(SE(0), 0), x -> 1 + x^2)", 1, &[mirror]);
    check("warp(reflect(SE(0), 0), x -> x^3)", 1, &[mirror]);
    check("reflect(deep(2, SE(0)), 0)", 1, &[mirror]);
    check("reflect(deep(2, Lin(0), connected=true), 0)", 1, &[mirror]);
    check("reflect(warp(SE(0), x -> exp(x)), 0)", 1, &[mirror]);
    check("reflect(changepoint(SE(0), Lin(0), 0, at=1), 0)", 1, &[mirror]);
    check("additive([reflect(SE(0), 0), reflect(RQ(1), 1)])", 2, &[|x| vec![-x[0], x[1]], |x| vec![x[0], -x[1]]]);
    check("reflect(additive([SE(0), RQ(1)]), 0, 1)", 2, &[|x| vec![x[1], x[0]]]);
    check("invariant(anova([SE(0), RQ(1)]), rotate(0, 1))", 2, &[|x| vec![-x[1], x[0]]]);
    check("invariant(dropout(SE, dims=[0, 1]), permute(0, 1), flip(0))", 2, &[|x| vec![-x[1], x[0]]]);
    check("reflect(periodic(SE([0, 1]), 0, period=3), 1)", 2, &[|x| vec![x[0] + 3.0, x[1]], |x| vec![x[0], -x[1]]]);
}

#[test]
fn covariances_of_shifted_images_stay() {
    for options in ["", ", normalize=true"] {
        for kernel in ["SE(0..6, l=2)", "SE([0, 1, 2], l=2) * Lin([3, 4, 5])", "Poly(0..6, degree=3)"] {
            let program = format!(
                "let k = conv({kernel}, rows=2, cols=3{options})\n\
                 let a = [0.3, -1, 2, 0.5, 0, 1]\nlet b = [1, 0.2, 0, -2, 0.4, 0.9]\n\
                 let along, down = [0.5, 0, 1, 0.3, -1, 2], [0.2, 0, 1, 0.4, 0.9, -2]\n\
                 [[k(a, b), k(along, b), k(a, down), k(along, down)]]"
            );
            let row = &matrix(&program)[0];
            assert!(row.iter().all(|k| (k - row[0]).abs() <= 1e-12 * row[0].abs()), "{program}: {row:?}");
        }
    }
}
