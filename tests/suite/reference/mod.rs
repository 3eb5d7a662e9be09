//! Reference values from other programs, compared through the language. See tests/suite/reference/README.md.

mod additive;
mod classes;
mod deep;
mod deepgp;
mod sparse;
mod symmetry;

use mercer::progress::Silent;
use mercer::session::Session;
use serde_json::Value;

fn cases(file: &str) -> Vec<Value> {
    let text = match file {
        "additive" => include_str!("additive.json"),
        "deep" => include_str!("deep.json"),
        "deepgp" => include_str!("deepgp.json"),
        "ep" => include_str!("ep.json"),
        "fitc" => include_str!("fitc.json"),
        "gram" => include_str!("gram.json"),
        "lml" => include_str!("lml.json"),
        "symmetry" => include_str!("symmetry.json"),
        _ => include_str!("predict.json"),
    };
    serde_json::from_str(text).expect("the fixture is JSON")
}

/// The source form of the kernel.
fn kernel(terms: &Value) -> String {
    if let Some(op) = terms["op"].as_str() {
        let args: Vec<String> = array(&terms["args"]).iter().map(kernel).collect();
        return format!("({})", args.join(if op == "sum" { " + " } else { " * " }));
    }
    let params = terms["params"].as_object().expect("parameters");
    let mut args: Vec<String> = terms["dim"].as_u64().map(|d| d.to_string()).into_iter().collect();
    for (name, value) in params {
        let name = match &**name {
            "bias_variance" => "bias",
            "slope_variance" => "variance",
            other => other,
        };
        args.push(format!("{name}={value}"));
    }
    format!("{}({})", terms["kernel"].as_str().expect("a family"), args.join(", "))
}

/// Numbers as a list of the language, with all digits.
fn list(values: &[f64]) -> String {
    let each: Vec<String> = values.iter().map(|v| format!("{v:?}")).collect();
    format!("[{}]", each.join(", "))
}

fn text<'a>(case: &'a Value, name: &str) -> &'a str {
    case[name].as_str().expect("a text")
}

fn number(value: &Value) -> f64 {
    value.as_f64().expect("a number")
}

/// The value of an expression.
fn value(expression: &str) -> f64 {
    number(&run(&mut Session::default(), expression))
}

fn array(value: &Value) -> &Vec<Value> {
    value.as_array().expect("a list")
}

fn numbers(value: &Value) -> Vec<f64> {
    array(value).iter().map(|v| v.as_f64().expect("a number")).collect()
}

fn rows(value: &Value) -> String {
    value.to_string()
}

/// `x0=[…], x1=[…]` for rows of inputs.
fn columns(x: &Value) -> String {
    let rows: Vec<Vec<f64>> = array(x).iter().map(numbers).collect();
    let column = |d: usize| {
        let values: Vec<String> = rows.iter().map(|r| format!("{:?}", r[d])).collect();
        format!("x{d}=[{}]", values.join(", "))
    };
    (0..rows[0].len()).map(column).collect::<Vec<_>>().join(", ")
}

/// Runs a program and returns the JSON of the last displayed value.
fn run(session: &mut Session, program: &str) -> Value {
    let output = session.run(program, "reference", &Silent);
    assert!(!output.failed, "{}\n{program}", output.text());
    let shown = output.items.iter().rev().find_map(|item| match item {
        mercer::lang::eval::host::Item::Shown(value) => Some(mercer::lang::values::json::tagged(value)),
        _ => None,
    });
    shown.expect("a value")["value"].clone()
}

fn close(found: f64, expected: f64, rel: f64, abs: f64, what: &str) {
    assert!((found - expected).abs() <= rel * expected.abs() + abs, "{what}: found {found}, expected {expected}");
}

fn close_all(found: &Value, expected: &Value, rel: f64, abs: f64, what: &str) {
    match expected {
        Value::Array(expected) => {
            let found = array(found);
            assert_eq!(found.len(), expected.len(), "{what}");
            for (i, (f, e)) in found.iter().zip(expected).enumerate() {
                close_all(f, e, rel, abs, &format!("{what}[{i}]"));
            }
        }
        _ => close(found.as_f64().expect(what), expected.as_f64().expect(what), rel, abs, what),
    }
}

fn tolerance(case: &Value, name: &str) -> f64 {
    case["tolerance"][name].as_f64().expect("a tolerance")
}

#[test]
fn gram_matrices() {
    for case in cases("gram") {
        let name = case["name"].as_str().expect("a name");
        let mut session = Session::default();
        let (rel, abs) = (tolerance(&case, "rel"), tolerance(&case, "abs"));
        let program = format!("let k = {}\ngram(k, {})", kernel(&case["terms"]), rows(&case["X"]));
        close_all(&run(&mut session, &program), &case["K"], rel, abs, name);
        let program = format!("gram(k, {}, {})", rows(&case["X"]), rows(&case["X2"]));
        close_all(&run(&mut session, &program), &case["K_X_X2"], rel, abs, name);
    }
}

fn given(case: &Value) -> String {
    format!(
        "let d = data({}, y={})\nlet m = gp({}, noise={}, mean=\"zero\")\n",
        columns(&case["X"]),
        case["y"],
        kernel(&case["terms"]),
        case["noise"]
    )
}

#[test]
fn evidences_and_gradients() {
    for case in cases("lml") {
        let name = case["name"].as_str().expect("a name");
        let mut session = Session::default();
        // with white noise, the noise must be written and free to have a gradient
        let lml = run(&mut session, &format!("{}lml(d, m)", given(&case)));
        close(
            lml.as_f64().expect("a number"),
            case["lml"].as_f64().expect("a number"),
            tolerance(&case, "lml_rel"),
            0.0,
            name,
        );
        let found = run(&mut session, "gradient(d, m)");
        let (found, expected) = (array(&found), array(&case["grad"]));
        assert_eq!(found.len(), expected.len(), "{name}: {found:?}");
        for (found, expected) in found.iter().zip(expected) {
            let what = format!("{name}: {}", expected["param"]);
            assert_eq!(found["scale"], expected["wrt"], "{what}: {found}");
            close(
                found["value"].as_f64().expect("a number"),
                expected["d_lml"].as_f64().expect("a number"),
                tolerance(&case, "grad_rel"),
                tolerance(&case, "grad_abs"),
                &what,
            );
        }
    }
}

#[test]
fn predictions_and_parts() {
    for case in cases("predict") {
        let name = case["name"].as_str().expect("a name");
        let mut session = Session::default();
        let program = format!(
            "{}let f = condition(d, m)\nlet t = data({}, target=false)\nlet p = f |> predict(t)\nf.lml",
            given(&case),
            columns(&case["X_test"])
        );
        close(run(&mut session, &program).as_f64().expect("lml"), case["lml"].as_f64().expect("lml"), 1e-9, 0.0, name);
        let (mean_rel, mean_abs) = (tolerance(&case, "mean_rel"), tolerance(&case, "mean_abs"));
        let (var_rel, var_abs) = (tolerance(&case, "var_rel"), tolerance(&case, "var_abs"));
        close_all(&run(&mut session, "p.mean"), &case["mean"], mean_rel, mean_abs, name);
        // white noise is noise here, and part of the function in the reference
        let white = case["kernel"]
            .as_str()
            .and_then(|k| k.split_once("WN(variance="))
            .map_or(0.0, |(_, rest)| rest.split_once(')').and_then(|(v, _)| v.parse().ok()).expect("a variance"));
        let less = |value: &Value| Value::from(value.as_f64().expect("a variance") - white);
        let var_f: Value = array(&case["var_f"]).iter().map(less).collect();
        close_all(&run(&mut session, "p.var_f"), &var_f, var_rel, var_abs, name);
        close_all(&run(&mut session, "p.var_y"), &case["var_y"], var_rel, var_abs, name);
        if !case["cov_f"].is_null() {
            let entry = |i: usize, j: usize, value: &Value| if i == j { less(value) } else { value.clone() };
            let row = |(i, row): (usize, &Value)| -> Value {
                array(row).iter().enumerate().map(|(j, value)| entry(i, j, value)).collect()
            };
            let cov_f: Value = array(&case["cov_f"]).iter().enumerate().map(row).collect();
            close_all(&run(&mut session, "covariance(p)"), &cov_f, var_rel, var_abs, name);
        }
        if case["components"].is_null() {
            continue;
        }
        run(&mut session, "let parts = f |> decompose(t)\nlen(parts.components)");
        for (i, expected) in array(&case["components"]).iter().enumerate() {
            let mean = run(&mut session, &format!("parts.components[{i}].mean"));
            close_all(&mean, &expected["mean"], mean_rel, mean_abs, name);
            let var = run(&mut session, &format!("parts.components[{i}].var"));
            close_all(&var, &expected["var"], var_rel, var_abs, name);
        }
        for (i, expected) in array(&case["cross"]).iter().enumerate() {
            let cov = run(&mut session, &format!("parts.cross[{i}].cov"));
            close_all(&cov, &expected["cov_same_point"], var_rel, var_abs, name);
            let corr = run(&mut session, &format!("parts.cross[{i}].corr"));
            close_all(&corr, &expected["corr_same_point"], 1e-6, 1e-7, name);
            if !expected["cov_matrix"].is_null() {
                let pair = numbers(&expected["components"]);
                let matrix = run(&mut session, &format!("covariance(parts, {}, {})", pair[0], pair[1]));
                close_all(&matrix, &expected["cov_matrix"], var_rel, var_abs, name);
            }
        }
    }
}
