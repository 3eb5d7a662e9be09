//! The scripts of examples/tables/ in a small form: simulated data in the folders that they read, few rows, small
//! budgets.

use std::fs;
use std::path::{Path, PathBuf};

use mercer::lang::eval::host::{Folders, Item};
use mercer::progress::Silent;
use mercer::session::{Session, Setting};
use serde_json::Value;

/// A folder of data for the scripts, and one for their output.
struct Bench {
    data: tempfile::TempDir,
    out: tempfile::TempDir,
}

impl Bench {
    fn new() -> Self {
        Self { data: tempfile::tempdir().expect("a folder"), out: tempfile::tempdir().expect("a folder") }
    }

    fn put(&self, name: &str, text: &str) {
        let path = self.data.path().join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, text).expect("a file");
    }

    /// The output of a script with these settings, and the files that it wrote.
    fn run(&self, script: &str, set: &[&str]) -> (String, Vec<PathBuf>) {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/tables").join(script);
        let (data, out) = (vec![self.data.path().to_owned()], self.out.path().to_owned());
        let mut session = Session::new(Folders { script: PathBuf::new(), data, out }, 0);
        session.set(set.iter().map(|text| Setting::read(text).expect("a setting")).collect());
        let (mut text, mut files) = (String::new(), Vec::new());
        let well = session.run_file(&path, &Silent, &mut |item, _| match item {
            Item::Shown(value) => text += &format!("{value}\n"),
            Item::Text(line) => text += &format!("{line}\n"),
            Item::Wrote(path) => files.push(path),
            Item::Diagnostic(diagnostic) => text += &format!("{}\n", diagnostic.message),
        });
        assert!(well, "{script}: {text}");
        (text, files)
    }

    fn json(&self, name: &str) -> Vec<Value> {
        let text = fs::read_to_string(self.out.path().join(name)).expect("the results");
        serde_json::from_str(&text).expect("a list of results")
    }
}

/// A pattern on a slope, with `n` rows.
fn series(n: usize) -> String {
    let row = |i: usize| {
        let x = -1.5 + 3.0 * i as f64 / n as f64;
        format!("{x},{}\n", 0.8 * x + 0.3 * (9.0 * x).sin() + 0.02 * ((i * 7919) % 13) as f64)
    };
    "x,y\n".to_string() + &(0..n).map(row).collect::<String>()
}

/// Folds that train on some rows and test on the others.
fn folds(n: usize, count: usize, is_test: impl Fn(usize, usize) -> bool) -> String {
    let mut text = "fold,row,role\n".to_string();
    for fold in 1..=count {
        for row in 0..n {
            text += &format!("{fold},{row},{}\n", if is_test(fold, row) { "test" } else { "train" });
        }
    }
    text
}

#[test]
fn series_are_searched_and_told() {
    let bench = Bench::new();
    bench.put("series/airline_rescaled.csv", &series(24));
    bench.put("series/solar_rescaled.csv", &series(24));
    let set = ["names=[\"airline_WN\", \"solar\"]", "depth=2", "budget=600"];
    let (text, files) = bench.run("series.mer", &set);
    assert!(text.contains("airline_WN") && text.contains("The model of y"), "{text}");
    assert_eq!(files.len(), 3, "{files:?}");
    let results = bench.json("series.json");
    assert_eq!(results.len(), 2);
    assert!(results[1]["noise_sd"].as_f64().is_some_and(|sd| sd >= 0.05 - 1e-9), "{}", results[1]);
    // results are read the second time, and are the same
    let (again, files) = bench.run("series.mer", &set);
    assert_eq!((again, files.len()), (text, 1));
}

#[test]
fn forecasts_are_set_beside_simple_ones() {
    let bench = Bench::new();
    let set = ["names=[\"nile\"]", "windows=[24, 30]", "places=[0.5]", "budget=150"];
    let (text, files) = bench.run("rolling.mer", &set);
    assert!(text.contains("seasonal_naive") && text.contains("all windows"), "{text}");
    assert_eq!(files.len(), 3, "{files:?}");
    let results = bench.json("rolling.json");
    assert_eq!(results.len(), 16);
    let finite = |row: &Value, name: &str| row[name].as_f64().is_some_and(f64::is_finite);
    assert!(results.iter().all(|row| finite(row, "rmse") && finite(row, "nll") && finite(row, "coverage")));
    // The last value again: the rows after the 24 of the middle, which begin with the 36th.
    let drift =
        results.iter().find(|row| row["method"] == "drift" && row["window"].as_f64() == Some(24.0)).expect("a row");
    assert!(drift["coverage"].as_f64().is_some_and(|share| share > 0.5), "{drift}");
}

#[test]
fn extrapolations_are_scored_fold_by_fold() {
    let bench = Bench::new();
    bench.put("series/airline_rescaled.csv", &series(30));
    bench.put("series/extrapolation/airline_prefix_folds.csv", &folds(30, 9, |fold, row| row >= 3 * fold.max(3)));
    let (text, _) = bench.run("extrapolation.mer", &["folds=[4, 9]", "depth=2", "budget=100"]);
    assert!(text.contains("of 2"), "{text}");
    let results = bench.json("extrapolation.json");
    let numbers = ["linear", "SE", "sum", "product", "search", "recorded", "seconds"];
    assert!(results.iter().all(|r| numbers.iter().all(|name| r[*name].is_number())), "{results:?}");
}

/// Forty rows on a grid of two inputs, with a target of this name.
fn on_a_grid(target: &str, of: impl Fn(usize, f64, f64) -> f64) -> String {
    let rows = (0..40).map(|i| {
        let (a, b) = ((i % 8) as f64 / 4.0 - 1.0, (i / 8) as f64 / 2.0 - 1.0);
        format!("{a},{b},{}\n", of(i, a, b))
    });
    format!("x1,x2,{target}\n") + &rows.collect::<String>()
}

/// A sum of two functions.
fn two_inputs() -> String {
    on_a_grid("y", |i, a, b| a + (2.0 * b).sin() + 0.05 * ((i * 31) % 7) as f64)
}

#[test]
fn predictions_are_set_beside_the_record() {
    let bench = Bench::new();
    bench.put("regression/servo.csv", &two_inputs());
    bench.put("regression/servo_folds.csv", &folds(40, 10, |fold, row| row / 4 == fold - 1));
    let scores = (1..=10).map(|fold| format!("search_se_rq,servo,{fold},0.1,0.2\nse_ard,servo,{fold},0.3,0.4\n"));
    let scores = "method,dataset,fold,mse,nll\n".to_string() + &scores.collect::<String>();
    bench.put("regression/recorded_fold_scores.csv", &scores);
    let set = |folds: &'static str| [folds, "sets=[\"servo\"]", "depth=2", "budget=60"];
    let (text, _) = bench.run("prediction.mer", &set("folds=1..=1"));
    assert!(text.contains("0.10200") && text.contains("servo"), "{text}");
    // the other folds later: the first exists already
    let (_, files) = bench.run("prediction.mer", &set("folds=1..=3"));
    assert_eq!(files.len(), 3, "{files:?}");
    let results = bench.json("prediction.json");
    assert!(results.iter().all(|r| r["recorded_mse"] == 0.1 && r["mse"].is_number()), "{results:?}");
    assert!(results.iter().all(|r| r["average_mse"].is_number() && r["average_nll"].is_number()), "{results:?}");
}

#[test]
fn structures_are_looked_for_in_draws() {
    let bench = Bench::new();
    bench.put("synthetic/snr10/SE1_p_RQ1.csv", &series(30).replacen("x,", "x1,", 1));
    let set = ["levels=[10]", "draws=1..=1", "only=[0]", "n=25", "depth=2", "budget=100"];
    let (text, _) = bench.run("synthetic.mer", &set);
    assert!(text.contains("same_or_better"), "{text}");
    let results = bench.json("synthetic.json");
    assert_eq!(results.iter().map(|r| r["draw"].as_str().unwrap_or("")).collect::<Vec<_>>(), ["original", "1"]);
    // draws of every structure can be made
    let (text, _) =
        bench.run("synthetic.mer", &["levels=[1]", "draws=2..=2", "original=false", "n=12", "depth=1", "budget=20"]);
    assert_eq!(text.matches("SE1_p_SE2_t_SE3_p_SE4").count(), 1, "{text}");
}

#[test]
fn additive_models_are_set_beside_the_record() {
    let bench = Bench::new();
    bench.put("regression/servo.csv", &two_inputs());
    bench.put("regression/servo_folds.csv", &folds(40, 10, |fold, row| row / 4 == fold - 1));
    let methods = ["linear", "gam_first_order", "se_ard", "additive"];
    let scores = methods.map(|method| format!("{method},servo,1,0.1,0.2\n{method},servo,2,0.1,0.2\n")).concat();
    bench.put("regression/recorded_fold_scores.csv", &("method,dataset,fold,mse,nll\n".to_string() + &scores));
    let set = ["sets=[\"servo\"]", "folds=1..=2", "restarts=1", "maxiter=40"];
    let (text, files) = bench.run("additive.mer", &set);
    assert!(text.contains("Table 1.1") && text.contains("0.52300"), "{text}");
    assert_eq!(files.len(), 9, "{files:?}");
    let results = bench.json("additive.json");
    assert_eq!(results.len(), 8);
    for r in &results {
        let shares: f64 = r["shares"].as_array().expect("a list").iter().filter_map(Value::as_f64).sum();
        let additive = r["method"] == "additive";
        assert!(r["mse"].is_number() && (shares - f64::from(u8::from(additive))).abs() < 1e-9, "{r}");
        // only the linear row is corrected
        assert_eq!(r["mended_nll"] == r["recorded_nll"], r["method"] != "linear", "{r}");
    }
    // results are read the second time, and are the same
    let (again, files) = bench.run("additive.mer", &set);
    assert_eq!((again, files.len()), (text, 1));
}

#[test]
fn classifiers_are_set_beside_the_record() {
    let bench = Bench::new();
    // one label in seven is reversed, so that the classes are not linearly separable
    let label = |i: usize, a: f64, b: f64| if (a + b > 0.1) != (i % 7 == 3) { 1.0 } else { -1.0 };
    bench.put("classification/heart.csv", &on_a_grid("label", label));
    bench.put("classification/heart_folds.csv", &folds(40, 10, |fold, row| row % 10 == fold - 1));
    let set = ["sets=[\"heart\"]", "folds=1..=2", "restarts=1", "maxiter=40"];
    let (text, files) = bench.run("classification.mer", &set);
    assert!(text.contains("Table 1.7") && text.contains("18.496"), "{text}");
    assert_eq!(files.len(), 9, "{files:?}");
    let results = bench.json("classification.json");
    assert_eq!(results.len(), 8);
    for r in &results {
        let error = r["error"].as_f64().expect("a number");
        let shares: f64 = r["shares"].as_array().expect("a list").iter().filter_map(Value::as_f64).sum();
        let additive = r["method"] == "additive";
        assert!((0.0..=100.0).contains(&error) && r["nll"].as_f64().is_some_and(|nll| nll > 0.0), "{r}");
        assert!((shares - f64::from(u8::from(additive))).abs() < 1e-9, "{r}");
    }
}

/// A row for the exact model and for each sparse one, with shares of rows in their intervals.
#[test]
fn coverage_of_sparse_fits() {
    let bench = Bench::new();
    let set = ["sets=[\"airline\"]", "trials=1..=1", "inducing=[6]", "restarts=1", "maxiter=20"];
    bench.run("coverage.mer", &set);
    let rows = bench.json("coverage.json");
    let methods: Vec<&str> = rows.iter().filter_map(|row| row["method"].as_str()).collect();
    assert_eq!(methods, ["exact", "vfe", "fitc"]);
    for row in rows {
        let (half, most) = (row["half"].as_f64().expect("a share"), row["most"].as_f64().expect("a share"));
        assert!(0.0 <= half && half <= most && most <= 1.0, "{row}");
    }
}
