//! Searches that begin with a model: its steps, noise and mean are those of every model, and its kernel is a candidate.

use crate::support::talk::Talk;

/// Growth with a season, of numbers that are not rounded.
const GROWTH: &str = "let error = random(-0.1..0.1, 48, seed=5)\n\
                      let d = data(t=[1950 + i / 12 for i in 0..48], \
                      y=[exp(0.02 * i + 0.4 * sin(i * 3.14159265 / 6) + error[i]) for i in 0..48], target=y)";

/// The scores differ by the log slopes of the transforms, which are the same for every model.
#[test]
fn a_search_with_steps_is_that_of_data_that_were_transformed() {
    let mut talk = Talk::new(GROWTH);
    talk.says("let steps = transform(y=log) >> standardize");
    let rest = "base=[SE, Lin], depth=2, budget=100000, restarts=1";
    talk.says(&format!("let s = d |> search(model=steps >> gp(SE + Per, mean=\"linear\"), {rest})"));
    talk.says(&format!("let h = steps(d) |> search(model=gp(SE + Per, mean=\"linear\"), transform=\"none\", {rest})"));
    assert_eq!(talk.value("s.candidates.edit"), talk.value("h.candidates.edit"));
    assert_eq!(talk.value("s.models.parameters"), talk.value("h.models.parameters"));
    let (one, other) = (talk.params("s.best"), talk.params("h.best"));
    let near = |a: f64, b: f64| (a - b).abs() <= 1e-4 * a.abs().max(1e-3);
    assert!(one.iter().zip(&other).all(|(a, b)| a.0 == b.0 && near(a.1, b.1)), "{one:?} {other:?}");
    let slopes = talk.number("s.best.lml - h.best.lml");
    let (one, other) = (talk.numbers("s.models.lml"), talk.numbers("h.models.lml"));
    assert!(one.iter().zip(&other).all(|(a, b)| (a - b - slopes).abs() < 1e-3), "{one:?} {other:?} {slopes}");
    // predictions are on the scale of the data
    let (mean, largest) = (talk.number("(s.best |> predict([1953.5])).mean[0]"), talk.number("max(d.y)"));
    assert!(mean > 1.0 && mean < 2.0 * largest, "{mean}");
    // the models were written with the steps
    assert!(talk.value("s.model").to_string().contains("transform(y=log) >> standardize >> gp("));
}

#[test]
fn the_kernel_of_a_model_is_a_candidate_and_keeps_what_is_fixed() {
    let mut talk = Talk::new(GROWTH);
    talk.says("let s = d |> search(transform(y=log) >> gp(Lin(t) + Per(t, p=fixed(1))), depth=2, budget=3000)");
    assert_eq!(
        talk.value("[s.candidates.edit[i] for i in 0..len(s.candidates.edit) if s.candidates.edit[i] == \"model\"]"),
        serde_json::json!(["model"])
    );
    let kernel =
        talk.value("[s.candidates.kernel[i] for i in 0..len(s.candidates.edit) if s.candidates.edit[i] == \"model\"]");
    assert!(kernel.to_string().contains("p=fixed(1)"), "{kernel}");
    let reached =
        talk.value("[s.candidates.reached[i] for i in 0..len(s.candidates.edit) if s.candidates.edit[i] == \"model\"]");
    assert_eq!(reached, serde_json::json!(["fitted"]));
    // the default base kernels are beside it, and it is edited as the best
    let edits = talk.value("s.candidates.edit").to_string();
    assert!(edits.contains("\"SE(t)\"") && edits.contains("\"+ SE(t)\""), "{edits}");
    assert!(talk.value("s.kernel").to_string().contains("p=fixed(1)"));
    // its score is no worse than that of a fit of the same model, counted alike
    let lml = talk.number("(d |> fit(transform(y=log) >> gp(Lin(t) + Per(t, p=fixed(1))), restarts=3)).lml");
    let best = talk.number("s.models.lml[0]");
    assert!(best > lml - 1e-2, "{best} {lml}");
}

/// The model has the values with which the search begins: from there it is at once at the maximum.
#[test]
fn a_fit_is_a_model_to_begin_with() {
    let mut talk = Talk::new(GROWTH);
    talk.says("let f = d |> fit(transform(y=log) >> gp(Lin + Per(p=1)), restarts=2)");
    talk.says("let s = d |> search(model=f, base=[SE], depth=1, budget=500)");
    let (own, found) = (talk.number("f.lml"), talk.number("max(s.models.lml)"));
    assert!(found > own - 1e-3, "{found} {own}");
}

#[test]
fn a_search_with_a_model_is_resumed_and_kept() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("s.json");
    let mut talk = Talk::new(GROWTH);
    let call = "search(model=standardize >> gp(Lin + Per, noise=between(1e-4, 1), mean=\"linear\"), base=[SE, Lin], \
                restarts=1, budget=100000";
    talk.says(&format!("let three = d |> {call}, depth=3)\nlet one = d |> {call}, depth=1)"));
    talk.says(&format!("let on = resume(one, depth=3)\none |> save({file:?})\nlet read = load_search({file:?})"));
    assert_eq!(talk.says("one"), talk.says("read"));
    talk.says("let read_on = resume(read, depth=3)");
    for other in ["on", "read_on"] {
        assert_eq!(talk.value("three.candidates.edit"), talk.value(&format!("{other}.candidates.edit")));
    }
    assert_eq!(talk.value("on.candidates"), talk.value("read_on.candidates"));
    assert_eq!(talk.value("on.models"), talk.value("read_on.models"));
    assert_eq!(talk.value("three.models.kernel"), talk.value("on.models.kernel"));
}

/// The transform that the search chose comes before the steps of the model, and both are read back.
#[test]
fn the_scale_is_chosen_beside_the_steps() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("s.json");
    let mut talk = Talk::new(GROWTH);
    talk.says("let s = d |> search(model=transform(t=sqrt) >> standardize >> gp(SE + Per), base=[Lin], depth=2, restarts=1, transform=\"log\", budget=2000)");
    assert_eq!(talk.value("s.transform"), "log");
    assert!(talk.value("s.model").to_string().contains("transform(y=log) >> transform(t=sqrt) >> standardize >> gp("));
    talk.says(&format!("s |> save({file:?})\nlet read = load_search({file:?})"));
    assert_eq!(talk.says("s"), talk.says("read"));
    assert_eq!(talk.value("resume(s, depth=3).models"), talk.value("resume(read, depth=3).models"));
    // a transform among the steps stands, without a comparison
    talk.says("let t = d |> search(transform(y=sqrt) >> gp(SE), base=[SE], depth=1, budget=500)");
    assert_eq!(talk.value("t.transform"), "sqrt");
    assert!(talk.says("t").contains("scale     sqrt of y"), "{}", talk.says("t"));
    // with `auto` the scales are compared, each before the steps
    talk.says("let u = d |> search(standardize >> gp(SE), base=[Lin], depth=2, restarts=1, budget=4000)");
    assert!(talk.says("u").contains("after the first depths"), "{}", talk.says("u"));
}

/// A step of the target among those of inputs, classes, rows that are held out, inputs that are named.
#[test]
fn a_model_goes_with_the_other_arguments() {
    let mut talk = Talk::new(
        "let u = random(-2..2, 60, seed=1)\nlet v = random(10..30, 60, seed=2)\n\
         let d = data(a=u, b=v, y=[sin(2 * u[i]) + 0.1 * v[i] for i in 0..60], target=y)\n\
         let c = data(a=u, b=v, y=[if u[i] + 0.1 * v[i] > 2 then \"up\" else \"down\" for i in 0..60], target=y)",
    );
    talk.says("let s = d |> search(standardize >> gp(SE(a)), inputs=\"a\", depth=2, restarts=1, budget=2000)");
    let kernels = talk.value("s.candidates.kernel").to_string();
    assert!(!kernels.contains("(b") && kernels.contains("Lin(a"), "{kernels}");
    talk.says(
        "let h = d |> search(standardize >> gp(SE(a) + Lin(b)), criterion=\"held-out\", depth=2, restarts=1, budget=2000)",
    );
    assert!(talk.number("h.score").is_finite() && talk.number("(h.best |> score).r2") > 0.9);
    talk.says(
        "let p = c |> search(model=standardize >> gp(SE, likelihood=\"bernoulli\", inference=\"laplace\"), base=[SE, Lin], \
         depth=1, restarts=1, budget=500)",
    );
    assert!(talk.value("p.model").to_string().contains("standardize >> gp("));
    // averages and probabilities of parts
    assert!(talk.number("plausible(s, SE)") >= 0.0);
    assert!(talk.numbers("(s |> predict(head(d, 3))).mean").iter().all(|v| v.is_finite()));
    assert!(talk.number("(s |> score(d)).rmse").is_finite());
}

/// A kernel beside the other arguments, which is not a model of its own.
#[test]
fn a_kernel_to_begin_with_has_the_other_arguments() {
    let mut talk = Talk::new(GROWTH);
    talk.says(
        "let s = d |> search(model=SE * Per, base=[Lin], mean=\"zero\", depth=1, budget=500, transform=\"none\")",
    );
    let text = talk.says("s");
    assert!(text.contains("gp(SE * Per, mean=\"zero\")"), "{text}");
}
