//! Equal rows, and fits that fail occasionally in other programs.

use super::*;

/// SE · Per on Mauna Loa, which fails occasionally in other programs.
#[test]
fn locally_periodic_fits_do_not_fail() {
    let mut talk = Talk::new("let d = load(\"mauna_loa\") |> head(48)\n");
    for seed in 0..10 {
        talk.says(&format!("let f = d |> fit(SE(year) * Per(year), restarts=1, seed={seed}, maxiter=60)"));
        assert!(talk.number("f.lml").is_finite(), "seed {seed}");
    }
}

/// Values and gradients at zero distance are finite: every row occurs twice.
#[test]
fn gradients_are_finite_where_rows_are_the_same() {
    let mut talk = Talk::new("let d = data(x=[0, 0, 1, 1, 2.5, 2.5], y=[1, 2, 0, 1, 3, 2])\n");
    for kernel in
        ["SE(x)", "RQ(x)", "Per(x)", "Matern12(x)", "Matern32(x)", "Matern52(x)", "Cos(x)", "Lin(x)", "Poly(x)"]
    {
        for slope in talk.numbers(&format!("[g.value for g in gradient(d, gp({kernel}, noise=0.1))]")) {
            assert!(slope.is_finite(), "{kernel}");
        }
    }
}

#[test]
fn classes_of_repeated_binary_rows_are_fitted() {
    let mut talk = Talk::new(
        "let d = data(a=[0, 0, 1, 1, 0, 0, 1, 1], b=[0, 1, 0, 1, 0, 1, 0, 1], y=[0, 1, 1, 0, 0, 1, 1, 1])\n\
         let f = d |> fit(gp(SE, likelihood=\"bernoulli\"), restarts=2)",
    );
    assert!(talk.number("f.lml").is_finite());
    assert!(talk.numbers("(f |> predict).probability").iter().all(|p| *p > 0.0 && *p < 1.0));
}

#[test]
fn rows_that_repeat_are_classified() {
    let mut talk = Talk::new(
        "let xs, zs = [0, 0, 1, 1, 0, 1, 0, 1, 0, 0], [0, 1, 0, 1, 0, 1, 1, 0, 0, 0]\n\
         let d = data(x=xs, z=zs, y=[if p[0] + p[1] == 2 then \"y\" else \"n\" for p in zip(xs, zs)], target=y)",
    );
    for kernel in ["SE", "Matern12", "Lin", "SE(x) * SE(z)"] {
        talk.says(&format!("let m = d |> fit(gp({kernel}, likelihood=\"bernoulli\"), restarts=2)"));
        assert!(talk.number("m.lml").is_finite(), "{kernel}");
        let p = talk.numbers("(m |> predict).probability");
        assert!(p.iter().all(|p| *p > 0.0 && *p < 1.0), "{kernel}: {p:?}");
        // rows with equal inputs have equal probabilities, and both inputs together determine the class
        assert!((p[0] - p[4]).abs() < 1e-12 && (p[3] - p[5]).abs() < 1e-12, "{kernel}: {p:?}");
        assert!(p[3] > p[0], "{kernel}: {p:?}");
    }
}
