//! Deep kernels by depth, and the limit of the connected one.

use mercer::kernel::wraps::log_limit;
use mercer::session::Session;

use super::{array, cases, close, close_all, number, rows, run, text, tolerance, value};

#[test]
fn layers() {
    for case in cases("deep") {
        let Some(layers) = case["K_layers"].as_object() else { continue };
        let (name, rel) = (text(&case, "name"), tolerance(&case, "rel"));
        let first = &case["first_layer"];
        let base = format!("SE(l={}, v={})", first["lengthscale"], first["variance"]);
        let connected = text(&case, "kind").ends_with("connected");
        let options = if connected { "connected=true, l=1, v=1" } else { "v=1" };
        let mut session = Session::default();
        run(&mut session, &format!("let base, xs = {base}, {}\nlen(xs)", rows(&case["X"])));
        for (n, expected) in layers {
            // with one layer no options are allowed
            let deep = if n == "1" { "deep(1, base)".into() } else { format!("deep({n}, base, {options})") };
            close_all(&run(&mut session, &format!("gram({deep}, xs)")), expected, rel, 0.0, &format!("{name}: {deep}"));
            let piped = format!("gram(base |> deep({n}, connected={connected}), xs)");
            close_all(&run(&mut session, &piped), expected, rel, 0.0, &format!("{name}: {piped}"));
        }
        if !case["K_inf"].is_null() {
            let found = run(&mut session, "gram(deep(inf, base, connected=true), xs)");
            close_all(&found, &case["K_inf"], rel, 0.0, &format!("{name}: the limit"));
        }
    }
}

#[test]
fn the_connected_limit() {
    let all = cases("deep");
    let case = all.iter().find(|case| case["kind"] == "fixed point").expect("a case");
    let rel = tolerance(case, "rel");
    for row in array(&case["rows"]) {
        let r = number(&row["distance"]);
        let what = format!("at distance {r:?}");
        let log = log_limit(0.5 * r * r);
        close(log, number(&row["log_k_inf"]), rel, 0.0, &what);
        close(-log.exp_m1(), number(&row["one_minus_k_inf"]), rel, 0.0, &what);
        let k = value(&format!("deep(inf, SE, connected=true)(0, {r:?})"));
        close(k, number(&row["k_inf"]), rel, 0.0, &what);
        if k > 1e-300 {
            close(value(&format!("log(deep(inf, SE, connected=true)(0, {r:?}))")), log, rel, 1e-15, &what);
        }
        for (n, expected) in row["iterate_from_unit_SE"].as_object().expect("layers") {
            let found = value(&format!("deep({n}, SE, connected=true)(0, {r:?})"));
            close(found, number(expected), rel, 0.0, &format!("{n} layers {what}"));
        }
    }
}

#[test]
fn far_away_the_connected_limit_has_a_logarithm_still() {
    // from k − log k = 1 + r²/2 with k far below the rounding of 1
    for r in [10.0, 50.0, 333.0, 1000.0] {
        close(log_limit(0.5 * r * r), -1.0 - 0.5 * r * r, 1e-12, 0.0, &format!("at distance {r}"));
    }
}

#[test]
fn without_connection_all_distances_come_to_one() {
    let all = cases("deep");
    let case = all.iter().find(|case| case["kind"] == "limit").expect("a case");
    for row in array(&case["rows"]) {
        let r = number(&row["distance"]);
        for (n, expected) in row["layers"].as_object().expect("layers") {
            let found = value(&format!("deep({n}, SE)(0, {r:?})"));
            close(found, number(expected), tolerance(case, "rel"), 0.0, &format!("{n} layers at distance {r}"));
        }
    }
}
