//! Symmetric kernels, and a sum over shifts that is not a kernel.

use mercer::linalg::Matrix;
use mercer::session::Session;
use serde_json::Value;

use super::{array, cases, close, close_all, kernel, number, numbers, rows, run, text, tolerance};

/// All inputs of a case, as a list.
fn inputs(case: &Value, count: Option<usize>) -> String {
    let count = count.unwrap_or_else(|| numbers(&case["X"][0]).len());
    let each: Vec<String> = (0..count).map(|d| d.to_string()).collect();
    format!("[{}]", each.join(", "))
}

/// The base kernel in the language, without the lists of inputs.
fn squared_exponential(case: &Value, inputs: &str) -> String {
    let transform = &case["transform"];
    format!("SE({inputs}, l={}, v={})", transform["lengthscale"], transform["variance"])
}

/// The programs for a case, if it is a kernel.
fn programs(case: &Value) -> Vec<String> {
    let transform = &case["transform"];
    let base = || kernel(&case["base_terms"]);
    let dims = || numbers(&transform["dims"]);
    let all = inputs(case, None);
    let vectors = || squared_exponential(case, &all);
    match text(transform, "kind") {
        "reflect_axis" => vec![
            format!("reflect({}, {})", base(), transform["dim"]),
            format!("invariant({}, flip({}))", base(), transform["dim"]),
        ],
        "reflect_diagonal_additive" => {
            let (a, b) = (dims()[0], dims()[1]);
            let mut same =
                vec![format!("reflect({}, {a}, {b})", base()), format!("invariant({}, permute({b}, {a}))", base())];
            if text(case, "name").starts_with("Mobius") {
                let leaf = &case["base_terms"]["args"][0]["params"];
                let (l, v, p) = (&leaf["lengthscale"], &leaf["variance"], &leaf["period"]);
                same.push(format!("mobius(SE({a}, l={l}, v={v}) * SE({b}, l={l}), {a}, {b}, period={p})"));
                same.push(format!("mobius(SE(l={l}, v={v}), {a}, {b}, period=fixed({p}))"));
            }
            same
        }
        "reflect_diagonal_minmax" => {
            vec![format!("invariant({}, swap({}, {}), method=\"fold\")", base(), dims()[0], dims()[1])]
        }
        "periodic_warp" => {
            let (p, args) = (&transform["period"], array(&case["base_terms"]["args"]));
            let round = |k: &Value, f: &str| {
                let mut k = k.clone();
                k["dim"] = 0.into();
                format!("warp({}, x -> {f}(2 * pi * x / {p}))", kernel(&k))
            };
            let mut same = vec![format!("{} * {}", round(&args[0], "sin"), round(&args[1], "cos"))];
            if args[0]["kernel"] == "SE" {
                same.push(format!("periodic({}, 0, period={p})", kernel(&args[0])));
                let of = &args[0]["params"];
                same.push(format!("Per(0, p={p}, l={}, v={})", of["lengthscale"], of["variance"]));
            }
            same
        }
        "translation_double_sum" => vec![format!("invariant({}, shift({all}))", vectors())],
        "translation_mean_double_sum" => vec![format!("invariant({}, shift({all}), normalize=true)", vectors())],
        "translation_single_sum" => {
            let columns = numbers(&case["X"][0]).len();
            vec![
                format!("translate({})", vectors()),
                format!("conv({}, rows=1, cols={columns})", vectors()),
                format!("conv({}, rows={columns}, cols=1)", vectors()),
            ]
        }
        "translation_single_sum_normalised" => vec![format!("translate({}, normalize=true)", vectors())],
        "circular_patch_mean" => {
            let window = transform["window"].as_u64().expect("a window") as usize;
            let patch = squared_exponential(case, &inputs(case, Some(window)));
            vec![format!("invariant({patch}, shift({all}), normalize=true)")]
        }
        _ => Vec::new(),
    }
}

#[test]
fn symmetric_kernels() {
    let mut held = 0;
    for case in cases("symmetry") {
        let programs = programs(&case);
        held += usize::from(!programs.is_empty());
        for program in programs {
            let (rel, abs) = (tolerance(&case, "rel"), tolerance(&case, "abs"));
            let what = format!("{}: {program}", text(&case, "name"));
            let mut session = Session::default();
            let found = run(&mut session, &format!("let k = {program}\ngram(k, {})", rows(&case["X"])));
            close_all(&found, &case["K"], rel, abs, &what);
            let found = run(&mut session, &format!("gram(k, {}, {})", rows(&case["X"]), rows(&case["X2"])));
            close_all(&found, &case["K_X_X2"], rel, abs, &what);
        }
    }
    assert_eq!(held, cases("symmetry").len() - 1, "all but the counterexample");
}

#[test]
fn a_sum_over_some_shifts_is_no_kernel() {
    let all = cases("symmetry");
    let case = all.last().expect("a case");
    assert_eq!(case["transform"]["kind"], "counterexample_partial_shift_sum");
    let program = format!(
        "let k = {}\nlet xs = {}\n\
         fn turned(x, s) = [if i - s < 0 then x[i - s + 5] else if i - s > 4 then x[i - s - 5] else x[i - s] for i in 0..5]\n\
         [[sum([k(a, turned(b, s)) for s in -1..=1]) for b in xs] for a in xs]",
        squared_exponential(case, &inputs(case, None)),
        rows(&case["X"])
    );
    let found = run(&mut Session::default(), &program);
    close_all(&found, &case["K"], tolerance(case, "rel"), 1e-60, "the sum");
    let values: Vec<f64> = array(&found).iter().flat_map(numbers).collect();
    let least = Matrix::from_row_slice(5, 5, &values).symmetric_eigenvalues().min();
    close(least, number(&case["min_eigenvalue"]), tolerance(case, "rel"), 0.0, "the smallest eigenvalue");
    // over the whole group it is a kernel
    let whole = run(&mut Session::default(), &program.replace("-1..=1", "0..5"));
    let values: Vec<f64> = array(&whole).iter().flat_map(numbers).collect();
    assert!(Matrix::from_row_slice(5, 5, &values).symmetric_eigenvalues().min() > -1e-12);
}
