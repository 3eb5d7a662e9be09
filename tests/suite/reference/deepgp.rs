//! The Jacobian of a deep Gaussian process: its singular values by depth, and log|f′| in one dimension.

use mercer::deep::{DeepModel, Jacobian, Spectrum, Units};
use mercer::lang::values::value::Value as Held;
use mercer::progress::Silent;
use mercer::session::Session;
use serde_json::Value;

use super::{array, cases, close, number, text};

const DRAWS: usize = 3000;

/// Layers of SE kernels with variance 1 whose derivatives have this variance, σ²/w².
fn jacobian(width: usize, layers: usize, slope: f64, connected: bool) -> Jacobian {
    let mut session = Session::default();
    session.run(&format!("let k = SE(v=1, l={:?})", 1.0 / slope.sqrt()), "reference", &Silent);
    let Some(Held::Kernel(kernel)) = session.get("k") else { panic!("a kernel") };
    let prior = DeepModel { units: Units::Same(width), connected, ..DeepModel::new(layers, kernel.clone()) };
    Jacobian::draw(prior, vec![0.0; width], DRAWS, 7, &Silent).expect("a Jacobian")
}

/// Equal within the combined standard errors that the file specifies.
fn near(found: f64, own: f64, expected: f64, theirs: f64, what: &str) {
    let error = own.hypot(theirs);
    assert!((found - expected).abs() <= 4.0 * error + 1e-12, "{what}: found {found}, expected {expected} ± {error}");
}

fn numbers(value: &Value) -> Vec<f64> {
    array(value).iter().map(number).collect()
}

#[test]
fn singular_values_by_depth() {
    for case in cases("deepgp") {
        let connected = match text(&case, "kind") {
            "plain deep GP Jacobian" => false,
            "input-connected deep GP Jacobian" => true,
            _ => continue,
        };
        let name = text(&case, "name");
        let width = case["D"].as_u64().expect("a width") as usize;
        let entry = case["entry_variance"].as_f64().unwrap_or(1.0);
        let depths = case["depths"].as_object().expect("depths");
        let deepest = depths.keys().map(|depth| depth.parse().expect("a depth")).max().unwrap_or(0);
        let drawn = jacobian(width, deepest, entry, connected);
        for (depth, expected) in depths {
            let spectrum: &Spectrum = &drawn.depths[depth.parse::<usize>().expect("a depth") - 1];
            let (means, errors) = (numbers(&expected["mean_sv_over_largest"]), numbers(&expected["stderr"]));
            let (logs, log_errors) = (numbers(&expected["mean_log_sv"]), numbers(&expected["stderr_log_sv"]));
            for i in 0..width {
                let what = format!("{name}, {depth} layers, singular value {i}");
                // The means of tiny ratios are heavy-tailed, so only their logarithms are compared. Ratios of connected
                // Jacobians at the level of rounding are not compared.
                let light = |mean: f64, error: f64| error <= 0.1 * mean;
                if light(means[i], errors[i]) && light(spectrum.mean[i], spectrum.mean_se[i]) {
                    near(spectrum.mean[i], spectrum.mean_se[i], means[i], errors[i], &what);
                }
                if !(connected && means[i] < 1e-12) {
                    near(
                        spectrum.log_mean[i],
                        spectrum.log_mean_se[i],
                        logs[i],
                        log_errors[i],
                        &format!("log, {what}"),
                    );
                }
            }
        }
    }
}

#[test]
fn the_mean_second_value_at_depth_10_and_50() {
    for case in cases("deepgp").iter().filter(|case| case["D"].is_u64()) {
        let entry = case["entry_variance"].as_f64().unwrap_or(1.0);
        let connected = text(case, "kind").starts_with("input-connected");
        let drawn = jacobian(5, 50, entry, connected);
        for depth in [10, 50] {
            let (spectrum, expected) = (&drawn.depths[depth - 1], &case["depths"][depth.to_string()]);
            let (mean, error) = (numbers(&expected["mean_sv_over_largest"])[1], numbers(&expected["stderr"])[1]);
            let what = format!("{}, {depth} layers", text(case, "name"));
            near(spectrum.mean[1], spectrum.mean_se[1], mean, error, &what);
        }
    }
}

#[test]
fn log_derivatives_in_one_dimension() {
    let all = cases("deepgp");
    let case = all.iter().find(|case| case["kind"] == "log derivative").expect("a case");
    let rel = case["tolerance"]["rel"].as_f64().expect("a tolerance");
    // The standard error of π²/8 from a variance of this number of draws: the fourth central moment of log|z| is π⁴/16
    // + 3(π²/8)².
    let variance_error = |layers: f64| {
        let (one, fourth) = (std::f64::consts::PI.powi(2) / 8.0, std::f64::consts::PI.powi(4) / 16.0);
        ((layers * fourth + 2.0 * (layers * one).powi(2)) / DRAWS as f64).sqrt()
    };
    for row in array(&case["rows"]) {
        let drawn = jacobian(1, 1, number(&row["sigma2_over_w2"]), false);
        let (mean, variance) = drawn.depths[0].log_limit.expect("one dimension");
        close(mean, number(&row["mean_log_abs_exact"]), rel, 1e-12, "the mean");
        close(variance, number(&row["var_log_abs_exact"]), rel, 0.0, "the variance");
        let spectrum = &drawn.depths[0];
        near(spectrum.log_mean[0], spectrum.log_mean_se[0], mean, 0.0, "the mean of draws");
        near(spectrum.log_variance[0], variance_error(1.0), variance, 0.0, "the variance of draws");
    }
    let products = array(&case["products_at_sigma2_over_w2_pi_over_2"]);
    let drawn = jacobian(1, 50, std::f64::consts::FRAC_PI_2, false);
    for row in products {
        let layers = row["layers"].as_u64().expect("layers") as usize;
        let spectrum = &drawn.depths[layers - 1];
        let (mean, variance) = spectrum.log_limit.expect("one dimension");
        close(mean, number(&row["mean_log_exact"]), rel, 1e-12, "the mean");
        close(variance, number(&row["var_log_exact"]), rel, 0.0, "the variance");
        let (own, theirs) = (spectrum.log_mean_se[0], number(&row["mc_mean_stderr"]));
        near(spectrum.log_mean[0], own, number(&row["mc_mean_log"]), theirs, "the mean of products");
        near(spectrum.log_variance[0], variance_error(layers as f64), variance, 0.0, "the variance of products");
    }
}
