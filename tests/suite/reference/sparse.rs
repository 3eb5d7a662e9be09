//! FITC and VFE compared with GPflow, GPy and JAX: log marginal likelihoods, bounds, predictions, and gradients in
//! parameters and inducing inputs.

use mercer::lang::values::value::Value as Lang;
use mercer::model::Evidencer;
use serde_json::Value;

use super::*;

#[test]
fn fitc_and_vfe() {
    for case in cases("fitc") {
        for (method, evidence) in [("fitc", "lml"), ("vfe", "bound")] {
            let of = &case[method];
            let name = format!("{method} of {}", text(&case, "name"));
            let mut session = Session::default();
            let program = format!(
                "let d = data({}, y={})\nlet m = gp({}, noise={}, mean=\"zero\", inference=\"{method}\", inducing={})\n\
                 let f = d |> condition(m)\nlet p = f |> predict(data({}, target=false))\nf.{evidence}",
                columns(&case["X"]),
                case["y"],
                kernel(&case["terms"]),
                case["noise"],
                rows(&case["inducing"]),
                columns(&case["X_test"])
            );
            let expected = if method == "fitc" { &of["log_marginal"] } else { &of["bound"] };
            let found = run(&mut session, &program);
            close(number(&found), number(expected), tolerance(&case, "log_marginal_rel"), 0.0, &name);
            let mean = tolerance(&case, "mean_rel");
            close_all(&run(&mut session, "p.mean"), &of["mean"], mean, mean, &name);
            close_all(&run(&mut session, "p.var_f"), &of["var_f"], 0.0, tolerance(&case, "var_abs"), &name);
            close_all(&run(&mut session, "p.var_y"), &of["var_y"], 0.0, tolerance(&case, "var_abs"), &name);
            let found = run(&mut session, "gradient(d, m)");
            let rel = tolerance(&case, "grad_rel");
            // variances of further factors are held, because the language has one per product
            for expected in array(&of["grad"]) {
                let what = format!("{name}: {expected}");
                let d = number(&expected["d"]);
                let near = |v: &Value| (number(&v["value"]) - d).abs() <= rel * d.abs().max(1.0);
                assert!(array(&found).iter().any(near), "{what} among {found}");
            }
            let Some(Lang::Fit(fit)) = session.get("f") else { panic!("{name}: no fit") };
            let gradient =
                Evidencer::new(fit.problem()).evaluate(fit.values(), true, false).expect("a gradient").gradient;
            let moved = &gradient[fit.parameters().len()..];
            let rows = array(&of["grad_inducing"]);
            for (i, row) in rows.iter().enumerate() {
                for (d, expected) in numbers(row).into_iter().enumerate() {
                    close(moved[d * rows.len() + i], expected, rel, rel, &format!("{name}: inducing input {i}"));
                }
            }
        }
    }
}
