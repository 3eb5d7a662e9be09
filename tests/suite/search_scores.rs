//! What a search says of its models: scores, weights, and what its budget did.

use crate::support::talk::Talk;

#[test]
fn a_noisy_line_is_found_as_a_line() {
    let mut talk = Talk::new(
        "let e = random(-1.7..1.7, 40, seed=5)\nlet d = data(t=[i for i in 0..40], y=[2 + 0.5*i + e[i] for i in 0..40])",
    );
    talk.says(
        "let s = d |> search([SE, Lin, RQ, IntegratedWiener], depth=2, transform=\"none\", criterion=\"laplace\")",
    );
    assert!(talk.says("s.kernel").contains("Lin(t"), "{}", talk.says("s"));
    assert!(talk.number("plausible(s, has(Lin))") > 0.5);
}

#[test]
fn a_linear_mean_has_one_score_wherever_its_input_begins() {
    let rows = "let e = random(-1.7..1.7, 30, seed=6)\n\
                let near = data(x=[i for i in 0..30], y=[5 + 0.3*i + e[i] for i in 0..30])\n\
                let far = data(x=[1960 + i for i in 0..30], y=[5 + 0.3*i + e[i] for i in 0..30])";
    let mut talk = Talk::new(rows);
    let search = |d: &str, base: &str| {
        format!(
            "min(search({d}, [{base}], depth=1, mean=\"linear\", transform=\"none\", criterion=\"laplace\").models.score)"
        )
    };
    let scores =
        [("near", "WN"), ("far", "WN"), ("near", "SE"), ("far", "SE")].map(|(d, base)| talk.number(&search(d, base)));
    assert!((scores[0] - scores[1]).abs() < 0.2, "{scores:?}");
    assert!((scores[2] - scores[3]).abs() < 0.2, "{scores:?}");
}

#[test]
fn a_short_budget_keeps_what_the_comparison_of_scales_found() {
    let mut talk = Talk::new(
        "let e = random(-0.5..0.5, 300, seed=7)\n\
         let d = data(t=[i for i in 0..300], y=[20 + 3*sin(2*pi*i/7) + e[i] for i in 0..300])",
    );
    talk.says("let s = d |> search([SE, Per], budget=300)");
    assert!(talk.says("s.kernel").contains("Per(t"), "{}", talk.says("s"));
    assert_eq!(talk.value("s.ended"), "ended by its budget of evaluations");
}

#[test]
fn a_budget_that_ended_a_search_is_told() {
    let mut talk = Talk::new("let s = load(\"nile\") |> search([SE, Lin, Per], budget=400)");
    assert!(talk.number("s.depth") < 10.0);
    assert_eq!(talk.value("s.ended"), "ended by its budget of evaluations", "{}", talk.says("s"));
}

#[test]
fn noise_is_at_least_that_of_the_rounding() {
    let mut talk = Talk::new("let d = data(t=[i for i in 0..40], y=[2*i + 5 for i in 0..40])");
    talk.says("let s = d |> search([Lin, SE], depth=2, transform=\"none\")");
    // the step of 1 has the standard deviation 1/sqrt(12)
    let sds = talk.numbers("(s |> predict(40..=43)).sd");
    assert!(sds.iter().all(|sd| *sd > 0.288), "{sds:?}");
    assert!(talk.number("s.best.noise") > 0.0833, "{}", talk.says("s.best"));
}

#[test]
fn rows_are_predicted_whatever_their_target() {
    let mut talk = Talk::new(
        "let f = fit(data(x=[i for i in 0..20], y=[exp(0.1*i) for i in 0..20]), SE, transform=\"log\", restarts=1)",
    );
    let means = talk.numbers("(f |> predict(data(x=[20, 21], y=[-1, 3]))).median");
    assert!(means.len() == 2 && means.iter().all(|mean| *mean > 0.0), "{means:?}");
    let text = talk.fails("f |> score(data(x=[20, 21], y=[-1, 3]))");
    assert!(text.contains("log of -1 in column `y`"), "{text}");
}
