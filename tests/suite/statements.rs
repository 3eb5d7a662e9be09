//! Statements about a fit are true: which parameters are determined, what is noise, which numbers are comparable.

use crate::support::talk;

use talk::Talk;

/// A sinusoid with fixed noise.
const WAVE: &str = "let d = data(x=0..60, y=[sin(i / 5) + 0.3 * cos(91.3 * i^2) for i in 0..60])\n";

#[track_caller]
fn contains(text: &str, part: &str) {
    assert!(text.contains(part), "`{part}` is not in:\n{text}");
}

#[track_caller]
fn lacks(text: &str, part: &str) {
    assert!(!text.contains(part), "`{part}` is in:\n{text}");
}

/// The line of a table with this name.
fn line<'t>(text: &'t str, name: &str) -> &'t str {
    text.lines().find(|line| line.trim_start().starts_with(name)).unwrap_or_else(|| panic!("no {name} in:\n{text}"))
}

mod determined {
    use super::*;

    const SAID: &str = "not determined by the data";

    /// The length-scale of a series without noise is determined, whatever else is not.
    #[test]
    fn what_a_series_without_noise_determines() {
        let mut talk = Talk::new("");
        let text = talk.says("data(x=0..30, y=[sin(i/3) + 0.5*cos(i) for i in 0..30]) |> fit(SE(x))");
        lacks(line(&text, "SE.l"), SAID);
        let text = talk.says("data(x=0..40, y=[sin(i) for i in 0..40]) |> fit(Per(x))");
        lacks(line(&text, "Per.p"), SAID);
    }

    /// A line through (c, mean) is the same for every point on it.
    #[test]
    fn a_line_does_not_determine_its_centre() {
        let text = Talk::new("").says("data(x=0..30, y=[i for i in 0..30]) |> fit(Lin(x))");
        contains(line(&text, "Lin.c"), SAID);
        contains(line(&text, "mean"), SAID);
        // the slope b ~ N(0, v) is 1: log v has the curvature 1/2 at v = 1
        let slope: Vec<&str> = line(&text, "Lin.v").split_whitespace().collect();
        let value: f64 = slope[1].parse().expect("a number");
        assert!((value - 1.0).abs() < 0.01 && slope[2] == "1.4", "{text}");
    }

    #[test]
    fn a_flat_direction_leaves_the_others_their_errors() {
        let mut talk = Talk::new(WAVE);
        let alone = talk.says("d |> fit(SE(x))");
        let with = talk.says("d |> fit(SE(x) + Const, restarts=3)");
        for name in ["SE.l", "noise"] {
            lacks(line(&alone, name), SAID);
            lacks(line(&with, name), SAID);
        }
        // an offset far outside of the data is still determined
        lacks(&talk.says("load(\"nile\") |> fit(linear())"), SAID);
    }

    #[test]
    fn a_fit_that_stopped_early_does_not_say_it() {
        let text =
            Talk::new("").says("load(\"airline\") |> fit(SE(year) * Per(year) + Lin(year), maxiter=1, restarts=1)");
        contains(&text, "not converged");
        let undetermined = text.matches(SAID).count();
        assert!(undetermined < 5, "{text}");
    }

    /// Standard errors follow from the curvature: for a mean with noise only, σ/√n.
    #[test]
    fn standard_errors_are_those_of_the_curvature() {
        let mut talk = Talk::new("let d = load(\"nile\")\nlet f = d |> fit(mean_only())");
        let errors = talk.value("f.params.std_error");
        let (noise, n) = (talk.number("f.noise"), talk.number("d.n"));
        let mean = errors.as_array().and_then(|all| all.last().cloned()).and_then(|v| v.as_f64()).expect("an error");
        assert!((mean / (noise / n).sqrt() - 1.0).abs() < 1e-3, "{mean}");
        // and the variance of the noise σ²√(2/n)
        let names = talk.value("f.params.parameter");
        let at = names.as_array().expect("names").iter().position(|name| name == "noise").expect("noise");
        let of_noise = errors[at].as_f64().expect("an error");
        assert!((of_noise / noise / (2.0 / n).sqrt() - 1.0).abs() < 1e-2, "{of_noise}");
    }
}

mod jitter {
    use super::*;

    /// For a model without noise. If jitter were a share of the kernel's variance, a fit could increase it.
    #[test]
    fn raising_the_variance_makes_no_noise() {
        let mut talk = Talk::new(WAVE);
        talk.says("let f, g = d |> fit(gp(SE(x), noise=0)), d |> fit(SE(x))");
        let (without, with) = (talk.number("f.lml"), talk.number("g.lml"));
        assert!(without < with - 5.0, "{without} without noise, {with} with it");
        let v = talk.params("f").into_iter().find(|(name, _)| name == "SE.v").expect("a variance").1;
        assert!(v < 10.0, "{v}");
        // the model of new rows is that of left-out rows
        assert_eq!(
            talk.says("compare(f, g)").lines().find(|l| l.contains("SE(x)")).map(|l| l.contains("noise=0")),
            Some(false)
        );
        let lml = talk.number("lml(d, f.model)");
        assert_eq!(lml, without);
    }

    /// Four rows at one point: K = v·11ᵀ + J, with a log marginal likelihood in closed form.
    #[test]
    fn jitter_counts_as_noise() {
        let mut talk = Talk::new(
            "let d = data(x=[1, 1, 1, 1], y=[1, 2, 1, 3])\nlet f = d |> condition(gp(SE(x, l=1, v=1), noise=0, mean=0))",
        );
        let y = [1.0f64, 2.0, 1.0, 3.0];
        let (n, sum) = (4.0, y.iter().sum::<f64>());
        let squares = y.iter().map(|y| y * y).sum::<f64>();
        let noise = (squares - sum * sum / n) / n * 1e-10;
        let quadratic = (squares - sum * sum / (n + noise)) / noise;
        let log_det = (n - 1.0) * noise.ln() + (n + noise).ln();
        let expected = -0.5 * (quadratic + log_det + n * std::f64::consts::TAU.ln());
        let found = talk.number("f.lml");
        assert!((found / expected - 1.0).abs() < 1e-4, "{found} is not {expected}");
        let text = talk.says("f");
        contains(line(&text, "jitter"), "noise");
        // and is part of every prediction of an observation
        let (f, y) = (talk.numbers("(f |> predict([1])).var_f")[0], talk.numbers("(f |> predict([1])).var_y")[0]);
        assert!(((y - f) / noise - 1.0).abs() < 1e-3, "{} is not {noise}", y - f);
    }

    #[test]
    fn a_kernel_of_hardly_any_variance_is_refused() {
        let text = Talk::new(WAVE).fails("d |> fit(gp(Const(v=1e-320), noise=0))");
        contains(&text, "not positive definite");
    }
}

mod noise {
    use super::*;

    #[test]
    fn white_noise_explains_nothing() {
        let text = Talk::new("").says("data(x=1..=40, y=random(0..1, 40, seed=4)) |> fit(WN) |> describe");
        lacks(&text, "explain");
        lacks(&text, "%");
    }

    /// One model written in two ways.
    #[test]
    fn white_noise_is_noise_in_predictions() {
        let mut talk = Talk::new(WAVE);
        talk.says(
            "let a, b = d |> condition(gp(SE(x, l=4, v=1) + WN(v=0.1), mean=0)), d |> condition(gp(SE(x, l=4, v=1), noise=fixed(0.1), mean=0))",
        );
        for at in ["", "([0.5, 3, 90])"] {
            for what in ["mean", "sd", "var_f", "var_y"] {
                let of = |name: &str| {
                    if at.is_empty() {
                        format!("({name} |> predict).{what}")
                    } else {
                        format!("({name} |> predict{at}).{what}")
                    }
                };
                let (white, noise) = (talk.numbers(&of("a")), talk.numbers(&of("b")));
                assert!(
                    white.iter().zip(&noise).all(|(w, n)| (w - n).abs() < 1e-9),
                    "{what} {at}: {white:?} {noise:?}"
                );
            }
        }
    }

    #[test]
    fn a_change_between_two_rows_is_a_jump() {
        let text = Talk::new("").says(
            "data(x=1..=60, y=[if i > 30.5 then 3 + sin(9*i)/9 else cos(7*i)/9 for i in 1..=60]) |> fit(changepoint(Const, Const, x), restarts=4)",
        );
        lacks(&text, "explains every point by itself");
        // the place of the jump has no curvature, and the noise of 60 rows is known all the same
        let noise = text.lines().rfind(|line| line.trim_start().starts_with("noise"));
        lacks(noise.expect("the noise among the parameters"), "not determined by the data");
        if text.contains("`changepoint.width`") {
            contains(&text, "a jump between two rows");
        }
    }
}

mod compared {
    use super::*;

    #[test]
    fn unlike_numbers_are_told_apart() {
        let mut talk = Talk::new("let d = load(\"nile\")\n");
        let text = talk.says("compare(d |> fit(linear()), d |> fit(ridge()), d |> fit(Lin(year)))");
        lacks(&text, "Bayes");
        contains(&text, "BIC values of `linear()` and of the others are not directly comparable");
        lacks(&talk.says("compare(d |> fit(ridge()), d |> fit(SE(year), restarts=2))"), "maximised");
        // nor is a logistic regression by maximum likelihood an evidence
        talk.says(
            "let c = data(x=0..12, y=[\"no\", \"no\", \"no\", \"yes\", \"no\", \"no\", \"yes\", \"yes\", \"no\", \"yes\", \"yes\", \"yes\"], target=\"y\")",
        );
        let text =
            talk.says("compare(c |> fit(logistic()), c |> fit(gp(SE(x), likelihood=\"bernoulli\"), restarts=1))");
        contains(&text, "BIC values of `logistic()` and of the others are not directly comparable");
    }
}

mod few_rows {
    use super::*;

    #[test]
    fn two_rows_are_fitted_and_one_is_not() {
        let mut talk = Talk::new("");
        talk.says("let f = data(x=[0, 1], y=[1, 3]) |> fit(SE(x), restarts=2)");
        assert!(talk.number("f.lml").is_finite());
        contains(&talk.fails("data(x=[0], y=[1]) |> fit(SE(x))"), "at least 2 rows");
    }

    /// Without any row the posterior is the prior.
    #[test]
    fn no_rows_leave_the_prior() {
        let mut talk = Talk::new(
            "let f = data(x=[], y=[]) |> condition(gp(SE(x, l=2, v=3), noise=1, mean=5))\nlet p = f |> predict([0, 7])",
        );
        assert_eq!(talk.number("f.lml"), 0.0);
        assert_eq!(talk.numbers("p.mean"), [5.0, 5.0]);
        assert_eq!(talk.numbers("p.var_f"), [3.0, 3.0]);
        assert_eq!(talk.numbers("p.sd"), [2.0, 2.0]);
    }

    /// With more slopes than rows, the minimum-norm least-squares solution, and no panic.
    #[test]
    fn more_slopes_than_rows() {
        let mut talk = Talk::new("let d = data(a=[1,2,3,5], b=[2,1,4,3], c=[0,1,0,2], e=[3,1,1,0], y=[1,3,2,4])");
        talk.says("d |> fit(linear(), restarts=2) |> checks");
        talk.says("d |> fit(gp(SE, mean=\"linear\"), restarts=2) |> checks");
        talk.says("data(a=[1,2,3,5,1,2], b=[2,1,4,3,5,1], c=[0,1,0,2,1,0], e=[3,1,1,0,1,1], f=[1,0,0,1,2,1], g=[0,0,1,0,1,3], y=[1,3,2,4,2,1]) |> fit(linear(), restarts=2) |> checks");
    }
}

mod not_finite {
    use super::*;

    #[test]
    fn quantiles_of_a_deep_gp_are_those_of_its_mixture() {
        let mut talk = Talk::new(
            "let d = data(x=0..10, y=[sin(i) for i in 0..10])\n\
             let m = d |> fit(deepgp(layers=2, inducing=4, samples=2), restarts=1, maxiter=3)\n\
             let p = m |> predict([1, 2.5], quantiles=[0.5, 0.9])",
        );
        let table = talk.value("p");
        for row in 0..2 {
            assert_eq!(table[row]["q0.5"], table[row]["median"]);
            let at = |name: &str| table[row][name].as_f64().expect("a number");
            assert!(at("median") < at("q0.9") && at("q0.9") < at("upper"), "{table}");
        }
        contains(&talk.fails("m |> predict([1], quantiles=[0.5], as=\"moments\")"), "has no quantiles");
        contains(&talk.fails("m |> predict([1], quantiles=[1.5])"), "must be between 0 and 1");
    }

    #[test]
    fn an_evidence_that_is_not_finite_has_no_gradient() {
        let text = Talk::new("")
            .fails("gradient(data(x=[1,2,3,4], y=[1e200,2e200,1e200,3e200]), gp(SE(x, l=1, v=1), noise=1))");
        contains(&text, "not finite");
    }

    #[test]
    fn a_fit_without_a_finite_evidence_reads_back() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("m.json").display().to_string();
        let mut talk = Talk::new(&format!(
            "let f = data(x=[1,2,3,4], y=[1e200,2e200,1e200,3e200]) |> condition(gp(SE(x, l=1, v=1), noise=1, mean=0))\nf |> save(\"{path}\")\nlet g = load_fit(\"{path}\")"
        ));
        assert_eq!(talk.value("str(f.lml) == str(g.lml)"), true);
    }
}
