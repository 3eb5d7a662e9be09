//! Properties of all kernels, each written in the language.

use crate::support::texts;

use std::sync::LazyLock;

use mercer::data::{Column, Dataset};
use mercer::fit::given;
use mercer::kernel::families::FAMILIES;
use mercer::kernel::wraps::WRAPS;
use mercer::kernel::{Gram, InputRef, Kernel};
use mercer::lang::values::value::Value;
use mercer::linalg::Matrix;
use mercer::model::{Evidencer, Model, Noise, Problem};
use mercer::param::Param;
use mercer::progress::Silent;
use mercer::session::Session;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{RngSeed, TestRunner};
use texts::{Case, Sees, family, kernel};

const X: [f64; 12] = [0.0, 0.3, 0.3, 1.1, -0.8, 2.0, 1.7, -1.4, 0.6, 0.3, -0.8, 1.45];
const ASH: [f64; 12] = [1.0, -0.2, -0.2, 0.4, 0.9, -1.1, 0.0, 1.6, -0.5, -0.2, 0.3, -1.7];
const LEVELS: [&str; 12] = ["a", "b", "b", "c", "a", "c", "b", "a", "c", "b", "b", "a"];
const Y: [f64; 12] = [0.4, 0.9, 1.2, -0.3, 0.1, -1.5, -0.6, 0.8, 0.2, 1.0, -0.1, -0.7];

/// The columns in the texts.
fn data(sees: Sees, x: &[f64]) -> Dataset {
    static UNSEEN: [f64; 12] = [5.0, 1.0, 2.0, 7.0, 0.0, 3.0, 4.0, 1.0, 1.0, 2.0, 8.0, 9.0];
    let mut columns = vec![Column::numeric("x", x.to_vec()), Column::numeric("fly ash", ASH.to_vec())];
    if sees == Sees::Some {
        columns.push(categories(&LEVELS));
        columns.push(Column::numeric("z", UNSEEN.to_vec()));
    }
    columns.push(Column::numeric("y", Y.to_vec()));
    Dataset::new(columns, Some("y"), None).unwrap()
}

fn categories(levels: &[&str]) -> Column {
    Column::categories("c", levels.iter().map(|&level| Some(level)))
}

static SOME: LazyLock<Dataset> = LazyLock::new(|| data(Sees::Some, &X));
static ALL: LazyLock<Dataset> = LazyLock::new(|| data(Sees::All, &X));

fn of(sees: Sees) -> &'static Dataset {
    if sees == Sees::All { &ALL } else { &SOME }
}

/// What a program binds to a name.
fn value(session: &mut Session, program: &str, name: &str) -> Value {
    let output = session.run(program, "law", &Silent);
    assert!(!output.failed, "{program}\n{}", output.text());
    session.get(name).unwrap_or_else(|| panic!("{program}")).clone()
}

fn bound_to(session: &mut Session, program: &str, name: &str) -> Kernel {
    match value(session, program, name) {
        Value::Kernel(kernel) => kernel,
        other => panic!("{program}\n{other}"),
    }
}

fn read(case: &Case) -> Kernel {
    bound_to(&mut Session::default(), &case.program(), "k")
}

fn problem(kernel: &Kernel, noise: f64, data: &Dataset) -> Problem {
    let model = Model::new(kernel.clone()).with_noise(Noise::Variance(Param::free(noise)));
    Problem::new(&model, data, true).unwrap_or_else(|error| panic!("{kernel}: {error}"))
}

/// The Gram matrix at the values that are written, or at the defaults.
fn gram(kernel: &Kernel, data: &Dataset) -> Matrix {
    let problem = problem(kernel, 1.0, data);
    let mut out = Matrix::zeros(data.n(), data.n());
    Gram::new(problem.bound(), problem.points()).evaluate(&problem.bound().values(), &mut out).unwrap();
    out.fill_upper_triangle_with_lower_triangle();
    out
}

fn same_bits(one: &Matrix, other: &Matrix) -> bool {
    one.iter().zip(other.iter()).all(|(a, b)| a.to_bits() == b.to_bits())
}

fn near(one: &Matrix, other: &Matrix, tolerance: f64) -> bool {
    (one - other).amax() <= tolerance * one.amax()
}

fn covariance(case: &Case, sees: Sees) -> Result<(), TestCaseError> {
    let k = read(case);
    let matrix = gram(&k, of(sees));
    let problem = problem(&k, 1.0, of(sees));
    let (bound, points, n) = (problem.bound(), problem.points(), matrix.nrows());
    prop_assert!(matrix.iter().all(|v| v.is_finite()), "{matrix}");
    let least = matrix.clone().symmetric_eigenvalues().min();
    prop_assert!(least >= -1e-8 * matrix.trace() / n as f64, "smallest eigenvalue {least}\n{matrix}");
    let diagonal = bound.diagonal(&bound.values(), points).unwrap();
    for (i, value) in diagonal.iter().enumerate() {
        prop_assert!(
            (value - matrix[(i, i)]).abs() <= 1e-12 * value.abs().max(matrix.amax()).max(1e-3),
            "diagonal of row {i}: {value}\n{matrix}"
        );
    }
    let cross = bound.cross(&bound.values(), points, points).unwrap();
    prop_assert!(near(&cross, &cross.transpose(), 1e-12), "not symmetric\n{cross}");
    for i in 0..n {
        for j in (0..n).filter(|&j| j != i) {
            prop_assert!(
                (cross[(i, j)] - matrix[(i, j)]).abs() <= 1e-12 * matrix.amax(),
                "({i}, {j})\n{cross}{matrix}"
            );
        }
    }
    Ok(())
}

/// Whether a kernel mentions a column.
fn mentions(kernel: &Kernel, place: usize, name: &str) -> bool {
    let (inputs, all) = kernel.mentioned();
    all || inputs.iter().any(|input| match input {
        InputRef::Index(at) => *at == place,
        InputRef::Name(word) => **word == *name,
    })
}

fn unseen_columns(case: &Case) -> Result<(), TestCaseError> {
    let k = read(case);
    let before = gram(&k, &SOME);
    let numbers: Vec<f64> = (0..SOME.n()).map(|i| 1e6 - 31.7 * (i * i) as f64).collect();
    let levels: Vec<&str> = LEVELS.iter().rev().map(|&l| if l == "a" { "new" } else { l }).collect();
    for (place, name) in ["x", "fly ash", "c", "z"].into_iter().enumerate() {
        if mentions(&k, place, name) {
            continue;
        }
        let column = if name == "c" { categories(&levels) } else { Column::numeric(name, numbers.clone()) };
        let other = SOME.clone().with_column(column).unwrap();
        prop_assert_eq!(other.names(), SOME.names());
        prop_assert!(same_bits(&before, &gram(&k, &other)), "depends on {}", name);
    }
    Ok(())
}

fn reads_back(case: &Case, sees: Sees) -> Result<(), TestCaseError> {
    let mut session = Session::default();
    let k = bound_to(&mut session, &case.program(), "k");
    let printed = k.to_string();
    let again = bound_to(&mut session, &format!("let again = {printed}"), "again");
    prop_assert!(again == k, "prints {printed}, which reads {again}");
    prop_assert_eq!(again.to_string(), printed.clone());
    prop_assert!(same_bits(&gram(&k, of(sees)), &gram(&again, of(sees))), "{} has other values", printed);
    let equal = value(&mut session, "let same = equal(k, again)", "same");
    prop_assert!(matches!(equal, Value::Bool(true)), "prints {printed}, which is not equal");
    let alone = bound_to(&mut Session::default(), &format!("let k = {printed}"), "k");
    prop_assert!(alone == k, "prints {printed}, which alone reads {alone}");
    // as a fit writes it
    let bound = problem(&k, 1.0, of(sees));
    let values: Vec<f64> = given(&bound);
    let written = bound.bound().with_values(bound.kernel_values(&values));
    let program = format!("let written = {written}");
    let back = bound_to(&mut session, &program, "written");
    prop_assert!(back == written, "prints {written}, which reads {back}");
    Ok(())
}

/// Expanding and simplifying, in the language, keep the values, settle, and give an equal kernel.
fn rewritten(case: &Case, sees: Sees) -> Result<(), TestCaseError> {
    let mut session = Session::default();
    let k = bound_to(&mut session, &case.program(), "k");
    let before = gram(&k, of(sees));
    for verb in ["simplify", "expand"] {
        // a power of a large sum has too many terms to expand
        if verb == "expand" && k.expand().is_err() {
            continue;
        }
        let program = format!("let r = {verb}(k)\nlet again, same = {verb}(r) == r, equal(k, r)");
        let r = bound_to(&mut session, &program, "r");
        let after = gram(&r, of(sees));
        prop_assert!(near(&before, &after, 1e-9), "{verb} gives {r}, which has other values\n{before}{after}");
        let holds = |name: &str| matches!(session.get(name), Some(Value::Bool(true)));
        prop_assert!(holds("again"), "{verb} gives {r}, which does not settle");
        // the arguments of a function of the inputs may prevent the simplification of a part inside it
        let by_function = ["scale(", "warp("].iter().any(|f| k.to_string().contains(f));
        prop_assert!(holds("same") || by_function, "{verb} gives {r}, which is not equal");
    }
    Ok(())
}

/// The derivative of a function at 0 from differences of several widths, where neighbours agree best.
fn slope(f: impl Fn(f64) -> f64) -> f64 {
    let at = |h: f64| (8.0 * (f(h) - f(-h)) - (f(2.0 * h) - f(-2.0 * h))) / (12.0 * h);
    let tries: Vec<f64> = [1e-1, 3e-2, 1e-2, 3e-3, 1e-3, 3e-4, 1e-4, 3e-5].map(at).to_vec();
    let pairs = tries.windows(2).min_by(|a, b| (a[0] - a[1]).abs().total_cmp(&(b[0] - b[1]).abs()));
    pairs.map_or(f64::NAN, |pair| pair[1])
}

fn gradient(case: &Case, sees: Sees) -> Result<(), TestCaseError> {
    let k = read(case);
    let rows = of(sees);
    // with as much noise as signal, differences lose few digits
    let (kernel, start) = (problem(&k, 1.0, rows), given(&problem(&k, 1.0, rows)));
    let diagonal = kernel.bound().diagonal(kernel.kernel_values(&start), kernel.points()).unwrap();
    let problem = problem(&k, 0.1 + diagonal.iter().sum::<f64>() / rows.n() as f64, rows);
    let values = given(&problem);
    let mut evidencer = Evidencer::new(&problem);
    let here = evidencer.evaluate(&values, true, false).unwrap();
    let evidencer = std::cell::RefCell::new(evidencer);
    for (i, parameter) in problem.parameters().iter().enumerate().filter(|(_, p)| p.is_free()) {
        let unit = if parameter.in_log() { values[i] } else { 1.0 };
        let moved = |h: f64| {
            let mut values = values.clone();
            values[i] = if parameter.in_log() { values[i] * h.exp() } else { values[i] + h };
            evidencer.borrow_mut().evaluate(&values, false, false).map_or(f64::NAN, |e| e.lml)
        };
        let (g, fd) = (here.gradient[i] * unit, slope(moved));
        prop_assert!((g - fd).abs() <= 1e-5 * g.abs().max(1.0), "{}: gradient {g}, differences {fd}", parameter.name);
    }
    Ok(())
}

/// The same cases every time; PROPTEST_RNG_SEED selects others.
fn config(cases: u32) -> ProptestConfig {
    let default = ProptestConfig::default();
    let rng_seed = if default.rng_seed == RngSeed::Random { RngSeed::Fixed(0) } else { default.rng_seed };
    ProptestConfig { cases, failure_persistence: None, max_shrink_iters: 2000, rng_seed, ..default }
}

proptest! {
    #![proptest_config(config(900))]

    #[test]
    fn gram_matrices_are_covariances(k in kernel(Sees::Some), all in kernel(Sees::All)) {
        covariance(&k, Sees::Some)?;
        covariance(&all, Sees::All)?;
    }

    #[test]
    fn columns_that_are_not_mentioned_change_nothing(k in kernel(Sees::Some)) {
        unseen_columns(&k)?;
    }

    #[test]
    fn printed_kernels_read_back(k in kernel(Sees::Some), all in kernel(Sees::All)) {
        reads_back(&k, Sees::Some)?;
        reads_back(&all, Sees::All)?;
    }

    #[test]
    fn expanding_and_simplifying_keep_values(k in kernel(Sees::Some), all in kernel(Sees::All)) {
        rewritten(&k, Sees::Some)?;
        rewritten(&all, Sees::All)?;
    }

    #[test]
    fn gradients_agree_with_differences(k in kernel(Sees::Some), all in kernel(Sees::All)) {
        gradient(&k, Sees::Some)?;
        gradient(&all, Sees::All)?;
    }
}

/// `count` random texts of one kind.
fn texts<S: Strategy<Value = Case>>(strategy: S, count: usize) -> Vec<Case> {
    let mut runner = TestRunner::deterministic();
    (0..count).map(|_| strategy.new_tree(&mut runner).unwrap().current()).collect()
}

#[test]
fn every_family_keeps_every_law() {
    for &f in FAMILIES {
        for case in texts(family(f, Sees::Some), 40) {
            let all = [covariance(&case, Sees::Some), unseen_columns(&case), reads_back(&case, Sees::Some)];
            for result in all.into_iter().chain([gradient(&case, Sees::Some)]) {
                result.unwrap_or_else(|error| panic!("{case:?}\n{error}"));
            }
        }
    }
}

#[test]
fn the_generator_leaves_nothing_out() {
    let all: String = texts(kernel(Sees::Some), 1500).iter().map(|case| format!("{case:?}\n")).collect();
    for name in FAMILIES.iter().map(|f| f.spec().name).chain(WRAPS.iter().map(|w| w.name)) {
        let written = if name == "power" { "^2".to_owned() } else { format!("{name}(") };
        assert!(all.contains(&written) || all.contains(name), "no {name}");
    }
    for part in ["ARD(", "centred=true", "fixed(", "between(", " ~ ", "=s", "=r", "let trend", "2.5 * ", "degree=3"] {
        assert!(all.contains(part), "no {part}");
    }
}

/// The derivatives of the log marginal likelihood in the language.
fn told_gradient(kernel: &str, x: &[f64]) -> Vec<f64> {
    let list = |values: &[f64]| format!("{values:?}");
    let program = format!(
        "let d = data(x={}, w={}, c=[\"u\", \"u\", \"v\", \"v\", \"u\", \"v\"], y=[1, 2, -1, 0.5, 1, -2])\n\
         let g = [g.value for g in gradient(d, gp({kernel}, noise=0.3, mean=0.1))]",
        list(x),
        list(&[1.0, 1.0, 0.5, 0.5, 1.0, -1.0]),
    );
    let Value::List(list) = value(&mut Session::default(), &program, "g") else { panic!("{program}") };
    let number = |v: &Value| if let Value::Number(x) = v { *x } else { panic!("{program}: {v}") };
    list.items().iter().map(number).collect()
}

#[test]
fn at_distance_zero_values_and_gradients_are_the_limit() {
    let together = [0.7, 0.7, -1.3, -1.3, 0.7, 2.0];
    let apart = [0.7, 0.7 + 1e-9, -1.3, -1.3 - 1e-9, 0.7 - 1e-9, 2.0];
    for &f in FAMILIES {
        let spec = f.spec();
        for flag in spec.flag.map_or(vec![String::new()], |f| vec![String::new(), format!(", {}=true", f.name)]) {
            // all values are written, because unset ones depend on the data
            let params: String = spec.params.iter().map(|p| format!(", {}={}", p.short, p.default)).collect();
            let mut texts =
                vec![format!("{}({}{params}{flag})", spec.name, if f.takes_categories() { "c" } else { "x" })];
            if spec.several_inputs && spec.reads_inputs && !f.takes_categories() {
                texts.push(format!("{}([x, w]{params})", spec.name));
            }
            for text in texts {
                let (here, limit) = (told_gradient(&text, &together), told_gradient(&text, &apart));
                assert_eq!(here.len(), limit.len(), "{text}");
                for (a, b) in here.iter().zip(&limit) {
                    assert!(a.is_finite() && (a - b).abs() <= 1e-5 * b.abs().max(1.0), "{text}: {here:?} {limit:?}");
                }
                if spec.reads_inputs && !f.takes_categories() {
                    let row = |x: f64| if text.contains('[') { format!("[{x:?}, 0.4]") } else { format!("{x:?}") };
                    for x in [0.0, 0.7, -1.3, 1949.5] {
                        let program =
                            format!("let k = {text}\nlet v = [k({0}, {0}), k({0}, {1})]", row(x), row(x + 1e-9));
                        let Value::List(v) = value(&mut Session::default(), &program, "v") else { panic!("{text}") };
                        let (Value::Number(at), Value::Number(limit)) = (&v.items()[0], &v.items()[1]) else {
                            panic!("{text}")
                        };
                        assert!(at.is_finite() && (at - limit).abs() <= 1e-6 * at.abs(), "{text}({x}): {at} {limit}");
                    }
                }
            }
        }
    }
}

#[test]
fn rows_that_are_all_the_same_have_a_gradient() {
    for &f in FAMILIES {
        let input = if f.takes_categories() { "c" } else { "x" };
        let slopes = told_gradient(&format!("{}({input})", f.spec().name), &[2.5; 6]);
        assert!(slopes.iter().all(|s| s.is_finite()), "{}: {slopes:?}", f.spec().name);
    }
}

#[test]
fn families_take_the_values_that_they_declare() {
    for &f in FAMILIES {
        let variants = [Some(f), f.spec().flag.map(|flag| (flag.other)())];
        for spec in variants.into_iter().flatten().map(|f| f.spec()) {
            for (params, x, other, expected) in spec.points {
                let written = spec.params.iter().zip(*params).map(|(p, v)| format!(", {}={v:?}", p.name));
                let flag = spec.flag.filter(|f| f.on).map(|f| format!(", {}=true", f.name)).unwrap_or_default();
                let kernel = format!("{}(0{}{flag})", spec.name, written.collect::<String>());
                let program = format!("let k = {kernel}\nlet v = gram(k, [{x:?}], [{other:?}])[0][0]");
                let Value::Number(found) = value(&mut Session::default(), &program, "v") else { panic!("{program}") };
                assert!((found - expected).abs() <= 1e-13 * expected.abs().max(1.0), "{kernel}: {found} {expected}");
            }
        }
    }
}

#[test]
fn families_and_wraps_are_told_apart_and_have_examples_that_run() {
    let mut seen = std::collections::HashSet::new();
    let specs = FAMILIES.iter().map(|f| f.spec()).chain(WRAPS.iter().copied());
    for spec in specs {
        for name in std::iter::once(&spec.name).chain(spec.aliases) {
            // variants of a wrap are distinguished by their parameters
            let params: Vec<&str> = spec.params.iter().map(|p| p.name).collect();
            assert!(seen.insert((*name, params)), "{name} is declared twice");
        }
        assert!(!spec.summary.is_empty() && !spec.formula.is_empty() && !spec.latex.is_empty(), "{}", spec.name);
        assert!(spec.params.iter().all(|p| !p.help.is_empty()), "{}", spec.name);
        let kernel = bound_to(&mut Session::default(), &format!("let k = {}", spec.example), "k");
        assert_eq!(kernel.to_string(), spec.example, "an example is written as it prints");
    }
}
