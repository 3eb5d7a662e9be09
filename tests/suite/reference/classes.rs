//! Two classes: expectation propagation compared with an independent one (sequential to the last digit, confirmed by
//! GPy), and Laplace's method with both links.

use mercer::lang::values::value::Value as Lang;
use serde_json::Value;

use super::*;

fn model(case: &Value, rest: &str) -> String {
    format!(
        "let d = data({}, y={})\nlet t = data({}, target=false)\n\
         let m = gp({}, mean=\"zero\", likelihood=\"bernoulli\"{rest})\nlet f = d |> condition(m)\nlet p = f |> predict(t)\n",
        columns(&case["X"]),
        case["y"],
        columns(&case["X_test"]),
        kernel(&case["terms"])
    )
}

fn check(session: &mut Session, of: &Value, probabilities: &Value, name: &str) {
    close(number(&run(session, "f.lml")), number(&of["log_evidence"]), 0.0, 1e-6, name);
    close_all(&run(session, "p.probability"), probabilities, 0.0, 1e-6, name);
    close_all(&run(session, "p.mean"), &of["latent_mean_test"], 0.0, 1e-5, name);
    close_all(&run(session, "p.var_f"), &of["latent_var_test"], 0.0, 1e-5, name);
}

#[test]
fn expectation_propagation() {
    for case in cases("ep") {
        let (name, ep) = (text(&case, "name"), &case["ep"]);
        let mut session = Session::default();
        let _ = run(&mut session, &format!("{}f.lml", model(&case, "")));
        check(&mut session, ep, &ep["prob_test"], name);
        let Some(Lang::Fit(fit)) = session.get("f") else { panic!("{name}: no fit") };
        let pseudo = fit.posterior.pseudo().expect("sites");
        assert!(pseudo.converged, "{name}");
        for (i, (tau, nu)) in pseudo.precision.iter().zip(&pseudo.shift).enumerate() {
            close(*tau, number(&ep["site_tau"][i]), 1e-5, 0.0, name);
            close(*nu, number(&ep["site_nu"][i]), 1e-5, 0.0, name);
        }
        let found = run(&mut session, "gradient(d, m)");
        let (found, expected) = (array(&found), array(&ep["grad"]));
        assert_eq!(found.len(), expected.len(), "{name}");
        for (found, expected) in found.iter().zip(expected) {
            assert_eq!(found["scale"], expected["wrt"], "{name}");
            close(number(&found["value"]), number(&expected["d_log_evidence"]), 0.0, 1e-4, name);
        }
    }
}

#[test]
fn laplace() {
    for case in cases("ep") {
        let name = text(&case, "name");
        let mut session = Session::default();
        let _ = run(&mut session, &format!("{}f.lml", model(&case, ", inference=\"laplace\"")));
        let of = &case["laplace_probit"];
        check(&mut session, of, &of["prob_test"], name);
        let mut session = Session::default();
        let _ = run(&mut session, &format!("{}f.lml", model(&case, ", inference=\"laplace\", link=\"logistic\"")));
        let of = &case["laplace_logistic"];
        check(&mut session, of, &of["prob_test_exact_average"], name);
    }
}
