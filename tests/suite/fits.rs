//! Fits from the language find the best known maximum, for any seed, number of threads and units.

use crate::support::talk;

use std::process::Command;

use talk::Talk;

/// Fits the seasonal model for some seeds; `least` is the required log marginal likelihood, and the period must be
/// within 0.5 % of 1.
fn finds_the_season(set: &str, seeds: u64, least: f64) {
    let mut talk = Talk::new(&format!("let d = {set}"));
    for seed in 0..seeds {
        talk.says(&format!("let f = d |> fit(SE(year) + Per(year) * Lin(year), seed={seed})"));
        let lml = talk.number("f.lml");
        assert!(lml >= least, "seed {seed}: {lml}");
        let period = talk.params("f").into_iter().find(|(name, _)| name == "Per.p").expect("a period").1;
        assert!((period - 1.0).abs() < 0.005, "seed {seed}: a period of {period}");
        assert_eq!(talk.value("f.converged"), true, "seed {seed}: {}", talk.says("f"));
    }
}

#[test]
fn the_best_fit_of_airline_is_found_from_every_seed() {
    finds_the_season("load(\"airline\")", 10, -555.5);
}

#[test]
fn the_best_fit_of_mauna_loa_is_found_from_every_seed() {
    finds_the_season("load(\"mauna_loa\") |> head(240)", 6, -84.2);
}

#[test]
fn locally_periodic_fits_never_fail() {
    let mut talk = Talk::new("let d = load(\"mauna_loa\") |> head(150)");
    for seed in 0..10 {
        talk.says(&format!("let f = d |> fit(SE(year) * Per(year), seed={seed})"));
        assert!(talk.number("f.lml").is_finite());
        assert_eq!(talk.value("f.converged"), true, "seed {seed}: {}", talk.says("f"));
        assert!(talk.numbers("(f |> predict(1958..1975, n=100)).sd").iter().all(|sd| *sd > 0.0));
    }
}

#[test]
fn a_seed_gives_the_same_fit_at_any_number_of_threads() {
    let expr = "let f = load(\"airline\") |> head(90) |> fit(SE(year) + Per(year) * Lin(year), seed=3)\n\
                print(f); [f.lml, f.params.value, (f |> predict(1955..1960, n=20)).mean, (f |> predict).sd]";
    let run = |threads: &str| {
        let program = Command::new(env!("CARGO_BIN_EXE_mercer")).args(["eval", expr, "--threads", threads]).output();
        let output = program.expect("the program runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).expect("text")
    };
    let one = run("1");
    assert!(one.contains("seed 3") && one.len() > 500, "{one}");
    assert_eq!(one, run("2"));
    assert_eq!(one, run("2"));
}

/// How a parameter changes with the units: the powers of the unit of x and of y in its own unit.
struct Powers {
    name: &'static str,
    x: i32,
    y: i32,
}

const fn powers(name: &'static str, x: i32, y: i32) -> Powers {
    Powers { name, x, y }
}

#[track_caller]
fn close(found: f64, expected: f64, what: &str) {
    let near = (found - expected).abs() <= 1e-6 * expected.abs().max(1e-9);
    assert!(near, "{what}: found {found}, expected {expected}");
}

/// Fits a model to a set, and again with x and y in other units and y shifted; all results scale exactly.
#[track_caller]
fn maps(set: &str, [x, y]: [&str; 2], model: &str, all: &[Powers]) {
    let mut talk = Talk::new(&format!(
        "let a = {set}\nlet d = data(x=a.{x}, y=a.{y})\nlet f = d |> fit({model}, seed=1)\n\
         let lo, hi = min(a.{x}), max(a.{x})\nlet at = grid(lo..=(hi + 0.2 * (hi - lo)), 30)\nlet p = f |> predict(at)"
    ));
    let params = talk.params("f");
    let (lml, n) = (talk.number("f.lml"), talk.number("d.n"));
    let (mean, sd, var_f) = (talk.numbers("p.mean"), talk.numbers("p.sd"), talk.numbers("p.var_f"));
    assert_eq!(talk.value("f.converged"), true, "{}", talk.says("f"));
    let units: [(f64, f64, f64); 5] =
        [(1.0, 1000.0, 0.0), (1.0, 3.7e-3, 0.0), (365.25, 1.0, 0.0), (1.0, 1.0, 5000.0), (0.03, 17.0, -2.5)];
    for (cx, cy, shift) in units {
        let what = format!("{model} with x·{cx}, y·{cy} + {shift}");
        talk.says(&format!(
            "let e = data(x=a.{x} * {cx:?}, y=a.{y} * {cy:?} + {shift:?})\nlet g = e |> fit({model}, seed=1)\n\
             let q = g |> predict(at * {cx:?})"
        ));
        close(talk.number("g.lml"), lml - n * cy.ln(), &what);
        for ((name, before), (other, after)) in params.iter().zip(talk.params("g")) {
            assert_eq!(*name, other, "{what}");
            let expected = match name.as_str() {
                "mean" => before * cy + shift,
                "noise" => before * cy * cy,
                name => {
                    let by = all.iter().find(|p| p.name == name).unwrap_or_else(|| panic!("{name} of {model}"));
                    before * cx.powi(by.x) * cy.powi(by.y)
                }
            };
            close(after, expected, &format!("{what}: {name}"));
        }
        for (i, after) in talk.numbers("q.mean").iter().enumerate() {
            close(*after, mean[i] * cy + shift, &format!("{what}: mean {i}"));
        }
        // without noise the sd at a training row is only rounding
        let largest = sd.iter().fold(0.0, |m: f64, v| m.max(*v)) * cy;
        for (i, after) in talk.numbers("q.sd").iter().enumerate() {
            let near = (after - sd[i] * cy).abs() <= 1e-6 * (sd[i] * cy).max(0.1 * largest);
            assert!(near, "{what}: sd {i}: found {after}, expected {}", sd[i] * cy);
        }
        for (i, after) in talk.numbers("q.var_f").iter().enumerate() {
            let near = (after - var_f[i] * cy * cy).abs() <= 1e-6 * (var_f[i] * cy * cy).max(0.1 * largest * largest);
            assert!(near, "{what}: var_f {i}: found {after}, expected {}", var_f[i] * cy * cy);
        }
    }
}

#[test]
fn units_map_a_seasonal_fit() {
    let all = [
        powers("SE.l", 1, 0),
        powers("SE.v", 0, 2),
        powers("Per.p", 1, 0),
        powers("Per.l", 0, 0),
        powers("Per.v", -2, 2),
        powers("Lin.b", 2, 0),
        powers("Lin.c", 1, 0),
        powers("Lin.v", 0, 0),
    ];
    maps("load(\"airline\")", ["year", "passengers"], "SE(x) + Per(x) * Lin(x)", &all);
}

#[test]
fn units_map_smooth_and_rough_fits() {
    let smooth = |l, v| [powers(l, 1, 0), powers(v, 0, 2)];
    maps("load(\"motorcycle\")", ["time_ms", "accel_g"], "SE(x)", &smooth("SE.l", "SE.v"));
    maps("load(\"lake_huron\")", ["year", "level_ft"], "gp(Matern12(x), noise=0)", &smooth("Matern12.l", "Matern12.v"));
    let rough = [powers("Matern32.l", 1, 0), powers("Matern32.v", 0, 2), powers("slope(x)", -1, 1)];
    maps("load(\"nile\")", ["year", "flow_1e8_m3"], "gp(Matern32(x), mean=\"linear\")", &rough);
}

#[test]
fn units_of_one_column_map_its_length_scale_alone() {
    let mut talk = Talk::new(
        "let a = load(\"concrete\") |> head(120)\n\
         let d = data(cement=a.cement, water=a.water, y=a.strength_mpa)\nlet f = d |> fit(ARD(SE))\n\
         let e = data(cement=a.cement * 1000, water=a.water, y=a.strength_mpa)\nlet g = e |> fit(ARD(SE))",
    );
    close(talk.number("g.lml"), talk.number("f.lml"), "lml");
    for ((name, before), (other, after)) in talk.params("f").into_iter().zip(talk.params("g")) {
        assert_eq!(name, other);
        close(after, if name.contains("cement") { before * 1000.0 } else { before }, &name);
    }
    let (sd, other) = (talk.numbers("(f |> predict).sd"), talk.numbers("(g |> predict).sd"));
    sd.iter().zip(&other).for_each(|(a, b)| close(*b, *a, "sd"));
}

#[test]
fn what_does_not_fit_into_memory_is_refused_with_the_figure() {
    let mut talk = Talk::new("fn d(n) = data(x=0..n, y=0..n)");
    for n in ["200000", "1000000"] {
        let said = talk.fails(&format!("d({n}) |> fit(SE(x))"));
        assert!(said.contains(&format!("a model of {n} rows needs about")), "{said}");
        assert!(said.contains("B of memory"), "{said}");
        assert!(talk.fails(&format!("lml(d({n}), SE(x))")).contains("B of memory"));
    }
    talk.says("let f = d(5) |> condition(SE(x))");
    let said = talk.fails("f |> predict(0..1, n=1000000000)");
    assert!(said.contains("the limit is 10,000,000"), "{said}");
}

#[test]
fn a_hundred_thousand_columns_are_read() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("wide.csv");
    let row = |cell: &dyn Fn(usize) -> String| (0..100_000).map(cell).collect::<Vec<_>>().join(",");
    let text = format!("{}\n{}\n", row(&|i| format!("x{i}")), row(&|i| (i % 7).to_string()));
    std::fs::write(&path, text).expect("a file");
    let start = std::time::Instant::now();
    let mut talk = Talk::new(&format!("let d = load(\"{}\")", path.display()));
    assert_eq!(talk.number("len(d.columns)"), 100_000.0);
    assert!(start.elapsed().as_secs() < 60, "{:?}", start.elapsed());
}

#[test]
fn a_million_rows_are_read() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("long.csv");
    let rows: String = (0..1_000_000).map(|i| format!("{i},{}\n", i % 13)).collect();
    std::fs::write(&path, format!("x,y\n{rows}")).expect("a file");
    let mut talk = Talk::new(&format!("let d = load(\"{}\")", path.display()));
    assert_eq!(talk.number("d.n"), 1e6);
    assert!(talk.fails("d |> fit(SE(x))").contains("B of memory"));
}
