//! Laws of all kinds of values: each has a displayed form, its JSON reads back if it is plain data, and its documented
//! members exist.

use std::collections::HashSet;

use mercer::lang::values::json;
use mercer::lang::values::value::{Kind, Value};
use mercer::progress::Silent;
use mercer::session::Session;

/// A value of every kind and every form.
const SAMPLES: &str = r#"
let number, truth, text = 1.5, true, "text"
let list, range = [1, 2, 3], 0..3
let function, kernel, dist = x -> x + 1, SE(x) + Lin(x), LogNormal(0, 1)
let d = data(x=0..12, y=[0.1, 0.9, 1.2, 1.9, 2.8, 2.9, 4.2, 4.8, 5.1, 6.2, 6.8, 7.3])
let model = standardize >> gp(kernel)
let deep = deepgp(layers=2)
let trained = d |> fit(deepgp(inducing=3, samples=2), restarts=1, maxiter=10)
let one = d |> fit(kernel, restarts=1)
let found = search(d, base=[SE, Lin], depth=1, budget=50)
let forecast, parts, errors = predict(one, [12, 13]), decompose(one), residuals(one)
let words = describe(one)
let drawn, basis = surface(torus(SE, 0, 1), res=8), features(SE(0), 0..6, m=2)
let folds = crossval(d, SE(x), folds=2, restarts=1, metrics="rmse")
let picture, parameters = plot(kernel), params(one)
let fields, parameter, swapped = record(a=1, b="c"), between(0.1, 10), swap(0, 1)
let c = data(x=0..9, y=["a", "b", "c", "a", "b", "c", "a", "b", "c"], target=y)
let classes = c |> fit(gp(SE(x), likelihood="bernoulli"), restarts=1)
let shares = predict(classes, [0.5])
let slopes = jacobian(deepgp(layers=3, units=2), draws=20)
let sent = density(deepgp(layers=2, units=2), n=5)
let mixed, area = mixture([normal(0, 1), uniform(0, 2)]), integrate(x -> x^2, over=normal(0, 1), n=5)
"#;

const NAMES: &[&str] = &[
    "number",
    "truth",
    "text",
    "list",
    "range",
    "function",
    "kernel",
    "dist",
    "d",
    "model",
    "deep",
    "trained",
    "one",
    "found",
    "forecast",
    "parts",
    "errors",
    "words",
    "drawn",
    "basis",
    "folds",
    "picture",
    "parameters",
    "fields",
    "parameter",
    "swapped",
    "classes",
    "shares",
    "slopes",
    "sent",
    "mixed",
    "area",
];

fn samples() -> Vec<Value> {
    let mut session = Session::default();
    let output = session.run(SAMPLES, "samples", &Silent);
    let value = |name: &&str| session.get(name).cloned().unwrap_or_else(|| panic!("no `{name}`: {}", output.text()));
    NAMES.iter().map(value).chain([Value::Nothing]).collect()
}

#[test]
fn every_kind_shows_itself_and_has_the_members_that_it_documents() {
    let samples = samples();
    let found: HashSet<Kind> = samples.iter().map(Value::kind).collect();
    let missing: Vec<&str> = Kind::ALL.iter().filter(|kind| !found.contains(kind)).map(|kind| kind.name()).collect();
    assert!(missing.is_empty(), "no sample of {missing:?}");
    for value in &samples {
        let kind = value.kind();
        assert!(!value.to_string().is_empty(), "{} does not show itself", kind.name());
        for (name, help) in kind.members() {
            assert!(!help.is_empty() && !help.ends_with('.'), "help on `{name}` of {}: {help}", kind.name());
            let member = value.member(name).unwrap_or_else(|| panic!("{} has no `{name}`", kind.noun()));
            assert!(member.is_ok(), "`{name}` of {}: {member:?}", kind.noun());
        }
        for name in value.open_members() {
            assert!(value.member(&name).is_some(), "{} has no `{name}`", kind.noun());
        }
        // a table may have missing numbers, and nan does not equal itself
        assert!(value.same(value) || kind == Kind::Table, "{} is not itself", kind.noun());
    }
}

#[test]
fn plain_data_read_back_from_json() {
    for value in samples() {
        let form = value.json();
        let text = form.to_string();
        assert_eq!(serde_json::from_str::<serde_json::Value>(&text).expect("JSON"), form, "{}", value.kind().name());
        assert_eq!(json::lost(&value).is_none(), value.kind().info().plain, "{}", value.kind().name());
        if value.kind().info().plain {
            let back = json::value(&form).expect("a value");
            assert_eq!(back.json(), form, "{}", value.kind().name());
            // a table is read back as the list of its rows
            assert!(back.same(&value) || value.kind() == Kind::Table, "{back} is not {value}");
        }
    }
}

#[test]
fn kinds_have_names_of_their_own_and_forms_have_the_members_of_their_kind() {
    let mut names = HashSet::new();
    for kind in Kind::ALL {
        let info = kind.info();
        assert!(names.insert(info.name) && !info.noun.is_empty(), "{} is declared twice", info.name);
        let members: Vec<&str> = info.members.iter().map(|(name, _)| *name).collect();
        let unique: HashSet<&&str> = members.iter().collect();
        assert_eq!(unique.len(), members.len(), "{}", info.name);
        for (form, of) in kind.forms() {
            assert_eq!((of.name, of.noun), (info.name, info.noun), "{form}");
            assert_eq!(of.members.iter().map(|(name, _)| *name).collect::<Vec<_>>(), members, "{form}");
        }
    }
}
