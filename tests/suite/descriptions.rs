//! Every kernel has a description, and every family and wrap has its phrase, its formula, its help, its example and its
//! line in the reference.

use crate::support::texts;

use std::collections::HashSet;
use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use mercer::data::{Column, Dataset};
use mercer::describe::english::describe_fit;
use mercer::describe::english::motifs::MOTIFS;
use mercer::fit::condition;
use mercer::kernel::families::FAMILIES;
use mercer::kernel::wraps::WRAPS;
use mercer::lang::help;
use mercer::lang::registry;
use mercer::lang::signature::Group;
use mercer::lang::values::value::Value;
use mercer::model::Model;
use mercer::progress::Silent;
use mercer::session::Session;
use proptest::prelude::*;
use texts::{Case, Sees, family, kernel};

fn bound(program: &str, name: &str) -> Value {
    let mut session = Session::default();
    let output = session.run(program, "voice", &Silent);
    assert!(!output.failed, "{program}\n{}", output.text());
    session.get(name).unwrap_or_else(|| panic!("{program}")).clone()
}

/// The result of a builtin for the kernel `k` of a program.
fn said(program: &str, builtin: &str) -> String {
    match bound(&format!("{program}\nlet said = {builtin}"), "said") {
        Value::Explanation(told) => told.text.clone(),
        other => panic!("{other}"),
    }
}

/// Data with the columns in the texts, some of them with units.
static DATA: LazyLock<Dataset> = LazyLock::new(|| {
    let columns = vec![
        Column::numeric("x", vec![0.0, 0.3, 0.3, 1.1, -0.8, 2.0]).with_unit("year"),
        Column::numeric("fly ash", vec![1.0, -0.2, 0.1, 0.4, 0.9, -1.1]).with_unit("kg/m3"),
        Column::categories("c", ["a", "b", "b", "c", "a", "c"].map(Some)),
        Column::numeric("y", vec![0.4, 0.9, 1.2, -0.3, 0.1, -1.5]).with_unit("1e3 t"),
    ];
    Dataset::new(columns, Some("y"), None).unwrap()
});

/// Well-formed English: complete sentences without remains of templates.
fn is_english(text: &str) -> Result<(), TestCaseError> {
    prop_assert!(text.ends_with('.'), "{text}");
    for wrong in ["{", "  ", " ,", " .", "..", "()", " )", "( ", "a a ", "a an ", "NaN", "inf ", "-0 ", "[]"] {
        // functions are quoted as written
        let prose: String = text.split('`').step_by(2).collect::<Vec<_>>().join("f");
        prop_assert!(!prose.contains(wrong), "{wrong:?} in {text}");
    }
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        prop_assert!(line.ends_with(['.', ':']), "{line}");
    }
    Ok(())
}

fn told(case: &Case) -> Result<(), TestCaseError> {
    is_english(&said(&case.program(), "describe(k)"))
}

/// The same in the units of data.
fn told_of_data(case: &Case) -> Result<(), TestCaseError> {
    let Value::Kernel(kernel) = bound(&case.program(), "k") else { panic!("{case:?}") };
    let fit = condition(&Model::new(kernel), &DATA).unwrap_or_else(|error| panic!("{case:?}: {error}"));
    let text = describe_fit(&fit).text();
    prop_assert!(text.starts_with("The model of y "), "{text}");
    is_english(&text)
}

/// A family with all possible settings.
fn leaf() -> impl Strategy<Value = Case> {
    proptest::sample::select(FAMILIES).prop_flat_map(|f| family(f, Sees::Some))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_family_can_be_described(case in leaf()) {
        told(&case)?;
        told_of_data(&case)?;
    }

    #[test]
    fn every_kernel_can_be_described(case in kernel(Sees::Some)) {
        told(&case)?;
    }

    #[test]
    fn every_kernel_of_a_fit_can_be_described(case in kernel(Sees::Some)) {
        told_of_data(&case)?;
    }

    #[test]
    fn every_kernel_over_all_inputs_can_be_described(case in kernel(Sees::All)) {
        told(&case)?;
    }
}

/// The kernel `k` of a program has a description and a formula.
fn is_told(name: &str, program: &str) {
    let text = said(program, "describe(k)");
    assert!(is_english(&text).is_ok(), "{name}: {text}");
    let Value::Kernel(kernel) = bound(program, "k") else { panic!("{name}: {program}") };
    assert!(!kernel.latex().is_empty() && !kernel.latex_formula().is_empty(), "{name}");
}

fn reference() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/builtins.md");
    fs::read_to_string(path).expect("the reference")
}

#[test]
fn whatever_kernels_are_made_of_is_told_everywhere() {
    let reference = reference();
    let families = FAMILIES.iter().map(|family| family.spec());
    for spec in families.chain(WRAPS.iter().copied()) {
        let name = spec.name;
        assert!(!spec.summary.is_empty() && !spec.formula.is_empty() && !spec.latex.is_empty(), "{name}");
        assert!(!spec.wording.noun.is_empty(), "{name}");
        is_told(name, &format!("let k = {}", spec.example));
        // combinators with an operator are in the language reference
        if name.chars().all(|c| c.is_alphanumeric() || c == '_') {
            assert!(
                help::topic(registry::library(), Some(name)).is_ok_and(|page| page.contains(spec.example)),
                "help on {name}"
            );
            assert!(reference.contains(&format!("\n### `{name}(")), "{name} in docs/builtins.md");
        }
    }
}

/// All combinators of the language, including the builtins for moves, which are not kernels.
#[test]
fn every_combinator_has_help_an_example_and_a_line() {
    let reference = reference();
    let groups = [Group::Families, Group::Combinators];
    for entry in registry::all().iter().filter(|entry| groups.contains(&entry.signature.group)) {
        let signature = &entry.signature;
        let name = signature.name;
        assert!(!signature.summary.is_empty() && !signature.examples.is_empty(), "{name}");
        assert!(reference.contains(&format!("\n### `{name}(")), "{name} in docs/builtins.md");
        for example in &signature.examples {
            let (_, last) = example.rsplit_once('\n').unwrap_or(("", example));
            let before = example.strip_suffix(last).unwrap_or_default();
            let program = format!("{before}let k = {last}");
            if let Value::Kernel(_) = bound(&program, "k") {
                is_told(name, &program);
            }
        }
    }
}

/// The explanation for a learner: lines of prose, of algebra and of formulas.
fn is_explained(program: &str) {
    let text = said(program, "explain(k)");
    assert!(text.starts_with("The kernel: ") && text.ends_with('.'), "{text}");
    assert!(text.contains("Stationarity: ") && text.contains("Draws: "), "{text}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_kernel_can_be_explained(case in kernel(Sees::Some)) {
        is_explained(&case.program());
    }
}

#[test]
fn every_motif_runs_and_is_told() {
    let names: HashSet<&str> = MOTIFS.iter().map(|motif| motif.name).collect();
    assert_eq!(names.len(), MOTIFS.len());
    for motif in MOTIFS {
        let program = format!("let k = {}", motif.expression);
        is_told(motif.name, &program);
        is_explained(&program);
        match motif.expression {
            "Lin" => {}
            text => assert_eq!(bound(&program, "k").to_string(), text, "{}", motif.name),
        }
    }
}

/// A process whose slope starts at 0 turns infinitely often after its start: that it is monotonic is told of rows alone.
#[test]
fn what_is_monotonic_is_told_where_it_is() {
    let rows = "let d = data(t=0..40, y=[2 + i / 2 + sin(7 * i) for i in 0..40])\n";
    let of =
        |kernel: &str| said(&format!("{rows}let m = d |> condition(gp({kernel}, noise=0.6, mean=2.5))"), "describe(m)");
    for rough in ["IntegratedWiener(t, v=0.016)", "Matern12(t, l=400, v=400)"] {
        let text = of(rough);
        let told = text.contains("from each row to the next") || text.contains("increases overall");
        assert!(told && !text.contains("monotonically"), "{text}");
    }
    let text = of("SE(t, l=80, v=400)");
    assert!(text.contains("It increases monotonically, by"), "{text}");
    let text = of("DampedTrend(t, l=100, v=0.3)");
    assert!(!text.contains("from each row"), "{text}");
}

/// A quarter is dated by its first day; the curve between two quarters may be higher, in a month that belongs to neither.
#[test]
fn seasons_of_quarters_are_quarters() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("quarters.csv");
    // the first and the fourth quarter are high, the first more so
    let means = [52.9, 49.05, 45.72, 51.67];
    let rows: String = (0..48).map(|i| format!("{}-Q{},{}\n", 2012 + i / 4, i % 4 + 1, means[i % 4])).collect();
    fs::write(&file, format!("when,y\n{rows}")).expect("a file");
    let kernel = "gp(Per(when, p=\"1 year\", l=2, v=9, centred=true), noise=0.1, mean=50)";
    let text = said(&format!("let m = load({file:?}) |> condition({kernel})"), "describe(m)");
    assert!(text.contains("highest in the first quarter and lowest in the third quarter"), "{text}");
    let text =
        said("let m = load(\"nottem\") |> condition(gp(Per(year, p=1, l=2, v=60), noise=6, mean=49))", "describe(m)");
    assert!(text.contains("highest in July"), "{text}");
}

/// Small turns are left out of the count, which says so.
#[test]
fn turning_points_have_a_least_size() {
    let rows = "let d = data(t=0..60, y=[sin(i / 4) for i in 0..60])";
    let text =
        said(&format!("{rows}\nlet m = d |> condition(gp(SE(t, l=3, v=1), noise=0.001, mean=0))"), "describe(m)");
    assert!(text.contains("It has 5 turning points of at least 5.0 % of its range"), "{text}");
}

#[test]
fn long_sums_and_large_products_are_told() {
    let many = "let k = SE(0)\n".to_string() + &(0..60).map(|i| format!("let k = k + SE({i})\n")).collect::<String>();
    let text = said(&many, "describe(k)");
    assert!(text.lines().count() <= 60 && text.ends_with("more parts."), "{text}");
    let sum = (0..10).map(|i| format!("SE({i})")).collect::<Vec<_>>().join(" + ");
    let text = said(&format!("let k = ({sum})^20 * Lin(0)"), "describe(k)");
    assert!(is_english(&text).is_ok(), "{text}");
}
