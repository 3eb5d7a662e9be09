//! The claims of the lessons in examples/, as numbers. tests/suite/docs.rs tests that they run.

use crate::support::talk;

use std::fs;
use std::path::Path;

use talk::Talk;

/// A session after a lesson, without the figures that it writes.
fn after(lesson: &str) -> Talk {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples").join(lesson);
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let lines = text.lines().filter(|line| !line.contains("plot(") && !line.contains("write("));
    Talk::new(&lines.collect::<Vec<_>>().join("\n"))
}

/// Fig. 1.5: rows on an L, scored on the rest of the square.
#[test]
fn an_additive_kernel_goes_on_beyond_the_l() {
    let mut talk = after("additivity.mer");
    let (local, orders) = (talk.number("miss(local)"), talk.number("miss(orders)"));
    assert!(orders <= local / 3.0, "additive {orders}, local {local}");
    assert!(local > 0.3, "it should not be easy: {local}");
    assert!(talk.number("orders.lml") > talk.number("local.lml"));

    let shares = talk.numbers("order_variance(orders).share");
    assert!(shares.len() == 2 && shares[0] > 0.9, "{shares:?}");
    // The variance of an order is its weight times its number of terms: two of one input, one of both.
    let weights: Vec<f64> =
        talk.params("orders").into_iter().filter(|(name, _)| name.contains("weights")).map(|(_, v)| v).collect();
    let first = 2.0 * weights[0] / (2.0 * weights[0] + weights[1]);
    assert!((shares[0] - first).abs() < 1e-12, "{shares:?} and {weights:?}");
}

#[test]
fn the_evidence_finds_the_mirror_and_its_absence() {
    let mut talk = after("symmetries.mer");
    let gain =
        "fn gain(rows) = (rows |> fit(reflect(SE(x), x), restarts=4)).lml - (rows |> fit(SE(x), restarts=4)).lml";
    talk.says(gain);
    assert!(talk.number("gain(even_rows)") > 3.0);
    assert!(talk.number("gain(odd_rows)") < -10.0);
}

#[test]
fn a_mean_moved_into_the_kernel_is_the_same_model() {
    let mut talk = after("mean_functions.mer");
    let by_hand = "log(sum([exp(given(w)) * prior(w) * step for w in grid(-8..8, n=1600)]))";
    let summed = talk.number(by_hand);
    let inside = talk.number(r#"lml(d, gp(smooth + Const(v=4), noise=0.01, mean="zero"))"#);
    assert!((summed - inside).abs() < 1e-6, "{summed} and {inside}");
}

/// Seed 004, eq. 2.3: a full matrix in the squared exponential; here the data have rank one, along x + 2z.
#[test]
fn directions_rotations_and_matrices_are_learnt() {
    let mut talk = after("learnt_inputs.mer");
    let ratio = talk.number("params(found.kernel).value[3] / params(found.kernel).value[2]");
    assert!((ratio - 2.0).abs() < 1e-3, "{ratio}");
    assert!(talk.number("found.lml - plain.lml") > 10.0);
    let m = talk.numbers("params(matrix.kernel).value");
    let (p, q, r) = (m[2], m[3], m[4]);
    assert!((q / p - 2.0).abs() < 1e-3 && (r / p).abs() < 1e-3, "{m:?}");
    let sine = talk.number("sin(params(rotated.kernel).value[4])");
    assert!((sine - 0.6).abs() < 2e-3, "{sine}");
    assert!(talk.number("circle(0, 2 * pi)") == 1.0);
}

/// The larger of two kernels is no kernel.
#[test]
fn a_negative_eigenvalue_shows_what_is_no_kernel() {
    let mut talk = after("kernel_algebra.mer");
    assert!(talk.numbers("eigen(gram(larger, [-1, 0.5, 1, 2]))")[3] < -0.1);
}

/// Impossible requests in a lesson are errors with a reason.
#[test]
fn a_limit_without_a_connection_is_refused() {
    let said = after("deep_kernels.mer").fails("deep(inf, SE(0))");
    assert!(said.contains("the constant 1"), "{said}");
}

#[test]
fn depth_forgets_unless_it_is_connected() {
    let mut talk = after("deep_kernels.mer");
    let left = talk.numbers("[n * (1 - deep(n, SE(0))(0, 3)) for n in [100, 1000, 10000]]");
    assert!(left.windows(2).all(|pair| pair[0] < pair[1]) && (left[2] - 2.0).abs() < 5e-3, "{left:?}");
    let gap = talk.number("abs(deep(30, SE(0), connected=true)(0, 3) - endless(0, 3))");
    assert!(gap < 1e-12, "{gap}");
}

/// A period longer than the data fits anything that does not repeat; the data cannot confirm it.
#[test]
fn no_period_is_found_that_is_seen_but_once() {
    let rows = "let xs = grid(-3..=3, n=61)\n\
                let d = data(x=xs, y=[exp(-(a - 1)^2) + 0.05 * cos(91.3 * a^2) for a in xs])";
    let said = Talk::new(rows).says("symmetries(d, SE, restarts=2)");
    assert!(said.contains("favoured: flip(x, about=1)") && !said.contains("period"), "{said}");
}

#[test]
fn classes_are_told_as_the_lesson_says() {
    let mut talk = after("classification.mer");
    // constant predictions: always "no", and always the share of the training rows
    let without = "let yes = [l for l in test.label if l == 1]\nlet share = len(yes) / test.n";
    talk.says(without);
    let share = talk.number("share");
    assert!((share - 0.36).abs() < 0.01, "{share}");
    let (error, nll) = (talk.number("score(smooth, test).error"), talk.number("score(smooth, test).nll"));
    assert!(error < 0.8 * share && nll < 0.55, "{error} {nll}");
    // relevant inputs have length-scales within the range of the data
    let lengths: Vec<(String, f64)> =
        talk.params("smooth").into_iter().filter(|(name, _)| name.ends_with(").l")).collect();
    let told = ["glucose", "age", "pregnancies", "pedigree"];
    for (name, length) in &lengths {
        assert_eq!(told.iter().any(|input| name.contains(input)), *length < 20.0, "{name} {length}");
    }
    // inputs interact
    for other in ["plane", "curves"] {
        assert!(talk.number("smooth.lml") > talk.number(&format!("{other}.lml")) + 1.0, "{other}");
    }
    // setosa is separated, and few of the others are confused
    assert!(talk.number("score(m).error") < 0.06);
    let small = talk.numbers("(m |> predict([[1.5, 0.3]])).probability[0]");
    assert!(small.len() == 3 && small[0] > 0.99, "{small:?}");
}

#[test]
fn features_dropped_make_a_factor_and_inputs_another_kernel() {
    let mut talk = after("dropout_simulated.mer");
    let half = talk.numbers("[inner(0, 0) / 2, inner(0, 1) / 2]");
    let drawn = talk.numbers("[product(f0, f0), product(f0, f1)]");
    // The standard error of a mean of 2000 products of numbers whose variance is about 1/2.
    assert!(half.iter().zip(&drawn).all(|(a, b)| (a - b).abs() < 4.0 * 0.71 / 2000f64.sqrt()), "{half:?} {drawn:?}");

    let exact = talk.number("dropout(SE, keep=0.5, dims=[0, 1])(here, there)");
    let mixed = talk.number("mean([mean([f[0] * f[1] for f in fs]) for fs in drawn_of])");
    assert!((mixed - exact).abs() < 4.0 * 1.2 / 6000f64.sqrt(), "{mixed} {exact}");
    // the spike at 0: one function in four is constant
    let still = talk.number("mean([if abs(d) < 1e-6 then 1 else 0 for d in change])");
    assert!((still - 0.25).abs() < 1e-3, "{still}");
    let (tails, drawn) = (
        talk.number("3 * mean([s^2 for s in spread]) / mean(spread)^2"),
        talk.number("mean([d^4 for d in change]) / mean([d^2 for d in change])^2"),
    );
    assert!(tails > 3.5 && (tails - drawn).abs() < 0.5, "{tails} {drawn}");
    let spiked = talk.number("mean([both(1, 1), both(1, 1e8), both(1e8, 1), both(1e8, 1e8)])");
    assert!((spiked - exact).abs() < 1e-12, "{spiked} {exact}");
}

#[test]
fn wide_networks_approach_the_kernel() {
    let mut talk = after("wide_networks.mer");
    let (found, expected) = (talk.numbers("[miss(k) for k in widths]"), talk.numbers("[expected(k) for k in widths]"));
    // A root mean square of 20 numbers has a relative standard error of 1/√40.
    let near = |(a, b): (&f64, &f64)| (a / b - 1.0).abs() < 4.0 / 40f64.sqrt();
    assert!(found.iter().zip(&expected).all(near), "{found:?} {expected:?}");
    let tails = talk.numbers("[tails(k) for k in [1, 30]]");
    assert!((tails[0] - 1.5).abs() < 0.2 && (tails[1] - 2.95).abs() < 0.6, "{tails:?}");
}

#[test]
fn a_connection_keeps_the_spectrum_only_under_the_bound() {
    let mut talk = after("depth.mer");
    let second = |talk: &mut Talk, name: &str| talk.number(&format!("{name}.mean[49][1]"));
    assert!(second(&mut talk, "spectrum") < 0.03 && second(&mut talk, "drowned") < 0.03);
    assert!(second(&mut talk, "connected") > 0.5);
    assert!(talk.number("abs(wide.mean[9][1] - spectrum.mean[9][1])") < 1e-6);
}

/// The integral is that of N(0, 1/2) times (1 + x²y²/4), over √(2·2).
#[test]
fn a_symmetric_kernel_needs_at_most_half_of_the_evaluations() {
    let mut talk = after("quadrature/symmetry.mer");
    let error = |talk: &mut Talk, of: &str| (talk.number(&format!("{of}.mean")) - 0.53125).abs();
    let (eight, sixteen) = (error(&mut talk, "z"), error(&mut talk, "others[1]"));
    assert!(talk.number("z.n") == 8.0 && talk.number("others[1].n") == 16.0);
    assert!(eight < 0.5 * sixteen, "{eight} and {sixteen}");
    let (narrow, wide) = (talk.number("z.sd"), talk.number("others[1].sd"));
    assert!(narrow < 0.5 * wide && eight < 2.0 * narrow, "{narrow} and {wide}, error {eight}");
}
