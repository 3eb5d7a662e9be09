//! Random and mutated programs through the parser, the checker, the printer, the formatter and the renderer: nothing
//! panics, and printed programs have the same meaning. Infinite programs end with an error.

use std::sync::{Arc, LazyLock};

use crate::support::places::without_places;
use crate::support::{Author, trees};
use mercer::lang;
use mercer::lang::check::Loader;
use mercer::lang::eval::evaluator::Globals;
use mercer::lang::eval::host::Folders;
use mercer::progress::Silent;
use mercer::render::{render, without_controls};
use mercer::session::Session;
use mercer::syntax::ast::{Expr, Program, StatementKind};
use mercer::syntax::diagnostic::{Diagnostic, Sources};
use mercer::syntax::fmt::format;
use mercer::syntax::layout::is_incomplete;
use mercer::syntax::parse::{parse, parse_all};
use mercer::syntax::print::{print_expr, print_program};
use mercer::syntax::span::{SourceId, Spanned};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use rayon::prelude::*;

const PROGRAMS: u64 = 20_000;

/// The meaning of a text without syntax errors.
#[track_caller]
fn meaning(text: &str) -> Program {
    let program = parse(text, SourceId(0)).unwrap_or_else(|fault| panic!("{text:?}: {}", fault.message));
    without_places(program)
}

/// A loader without files.
struct Nowhere;

impl Loader for Nowhere {
    fn enter(&mut self, path: &Spanned<Arc<str>>) -> Result<Arc<Program>, Vec<Diagnostic>> {
        Err(vec![Diagnostic::error("there is no file here").label(path.span, "")])
    }

    fn leave(&mut self) {}
}

/// The bindings of a session before a program.
static BOUND: LazyLock<Globals> = LazyLock::new(|| {
    let mut session = Session::default();
    let text = "let air = load(\"airline\")\nlet k = SE(year)\nlet x = [1, 2]\nfn σ(a, b=2) = a + b";
    assert!(!session.run(text, "before", &Silent).failed);
    session.bindings().into_iter().map(|(name, value)| (name.into(), value.clone())).collect()
});

/// Diagnostics have a message and a span in the text, and can be drawn.
fn check_diagnostics(text: &str, diagnostics: &[Diagnostic], shown: bool) {
    let mut sources = Sources::new();
    sources.add("t.mer", text);
    for diagnostic in diagnostics {
        assert!(!diagnostic.message.contains("bug in Mercer"), "{text:?}");
        let span = diagnostic.span().unwrap_or_else(|| panic!("{text:?}: {} has no place", diagnostic.message));
        assert!(text.get(span.start..span.end).is_some(), "{text:?}: {span:?}");
        if shown {
            let message = without_controls(&diagnostic.message);
            assert!(render(diagnostic, &sources, false).contains(&*message), "{text:?}");
        }
    }
}

/// Whether the text is a program. Checks properties of all texts; with `wholly` also that diagnostics can be drawn, and
/// that formatting is idempotent.
fn check(text: &str, wholly: bool) -> bool {
    let parsed = parse_all(text, SourceId(0));
    is_incomplete(text);
    if parsed.diagnostics.is_empty() {
        let globals = if text.len().is_multiple_of(2) { &*BOUND } else { &Globals::default() };
        let faults = lang::check::check(&parsed.program, globals, &mut Nowhere);
        check_diagnostics(text, &faults, wholly);
        let printed = print_program(&parsed.program);
        let program = without_places(parsed.program);
        assert!(meaning(&printed) == program, "{text:?} printed {printed:?}");
        let formatted = format(text).unwrap_or_else(|fault| panic!("{text:?}: {}", fault.message));
        assert!(meaning(&formatted) == program, "{text:?} formatted to {formatted:?}");
        if wholly {
            assert_eq!(format(&formatted).as_ref(), Ok(&formatted), "{text:?} formatted twice");
        }
        return true;
    }
    check_diagnostics(text, &parsed.diagnostics, wholly);
    format(text).expect_err("a text with faults is not formatted");
    false
}

#[test]
fn random_programs_are_answered() {
    let parsed = (0..PROGRAMS).into_par_iter().filter(|&seed| {
        let mut author = Author::new(seed);
        let text = match seed % 4 {
            0 | 1 => author.program(),
            2 => author.slipped(),
            _ if seed % 8 == 3 => author.noise(),
            _ => author.slipped(),
        };
        check(&text, seed % 32 < 8)
    });
    let parsed = parsed.count() as u64;
    assert!(parsed * 10 >= PROGRAMS * 3, "only {parsed} of {PROGRAMS} parse");
}

/// Parses one expression.
fn read(text: &str) -> Result<Expr, String> {
    let program = without_places(parse(text, SourceId(0)).map_err(|fault| fault.message)?);
    match program.statements.into_iter().next().map(|statement| statement.node) {
        Some(StatementKind::Expr(expr)) => Ok(expr),
        other => Err(format!("{other:?}")),
    }
}

/// The same cases every time; PROPTEST_RNG_SEED selects others.
fn config() -> ProptestConfig {
    let default = ProptestConfig::with_cases(3000);
    let rng_seed = if default.rng_seed == RngSeed::Random { RngSeed::Fixed(0) } else { default.rng_seed };
    ProptestConfig { rng_seed, ..default }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn a_printed_tree_reads_back(tree in trees::expr()) {
        let printed = print_expr(&tree);
        prop_assert_eq!(read(&printed), Ok(tree), "{}", printed);
    }

    #[test]
    fn any_text_is_answered(text in any::<String>()) {
        check(&text, true);
    }
}

/// Far more than the stack could hold if each were a call.
const MANY: usize = 40_000;

/// The output of a session for a program, which must not end the session.
fn answer(text: &str) -> String {
    let mut session = Session::default();
    session.check(text, "long");
    let said = session.run(text, "long", &Silent).text();
    assert!(!said.is_empty() && !said.contains("fault of Mercer"), "{said}");
    assert_eq!(session.run("1 + 1", "after", &Silent).text(), "2");
    said
}

#[test]
fn texts_nested_without_end_are_answered() {
    let nested = |open: &str, inner: &str, close: &str| open.repeat(MANY) + inner + &close.repeat(MANY);
    for (open, inner, close) in [
        ("(", "1", ")"),
        ("[", "1", "]"),
        ("abs(", "1", ")"),
        ("ARD(", "SE", ")"),
        ("[", "", ""),
        ("", "1", ")"),
        ("-", "1", ""),
        ("not ", "true", ""),
        ("x -> ", "1", ""),
        ("if true then ", "1", ""),
        ("if true then 1 else ", "1", ""),
        ("2^", "1", ""),
        ("[x for x in ", "[1]", "]"),
        ("let x = ", "1", ""),
        ("fn f() = ", "1", ""),
        ("1 ~ ", "1", ""),
        ("x[", "0", "]"),
    ] {
        answer(&nested(open, inner, close));
    }
}

#[test]
fn chains_without_end_are_answered() {
    let joined = |item: &str, by: &str| vec![item; MANY].join(by);
    let many = MANY.to_string();
    assert_eq!(answer(&joined("1", " + ")), many);
    assert_eq!(answer(&joined("1", " * ")), "1");
    assert_eq!(answer(&format!("1{}", " |> abs".repeat(MANY))), "1");
    assert_eq!(answer(&joined("true", " and ")), "true");
    assert_eq!(answer(&format!("len([{}])", joined("1", ", "))), many);
    assert_eq!(answer(&(joined("let x = 1", "\n") + "\nx")), "1");
    let sum = joined("SE(0)", " + ");
    assert_eq!(answer(&sum), sum);
    let product = joined("Lin(0, v=1)", " * ");
    assert_eq!(answer(&product), product);
    assert_eq!(answer(&format!("let k = {sum}\nk(1, 1)")), many);
    assert_eq!(answer(&format!("let k = {product}\nk(0, 0)")), "1");
    assert!(answer(&format!("let k = {sum}\nlml(data(x=[0, 1], y=[0, 1]), gp(k))")).contains("-"));
    for (item, by) in [("abs", " >> "), ("1", " < "), ("x", "."), ("1", "..")] {
        answer(&joined(item, by));
    }
    answer(&format!("let x = [0]\nx{}", "[0]".repeat(MANY)));
    answer(&format!("let f = x -> x\nf{}", "(1)".repeat(MANY)));
}

/// Values that a builtin rejects, or only just accepts.
const ODD: &[&str] = &[
    "-1",
    "0",
    "1",
    "2.5",
    "inf",
    "-inf",
    "nan",
    "1e300",
    "1e-320",
    "\"\"",
    "\"x\"",
    "[]",
    "[[]]",
    "[1]",
    "[1, 2, 2]",
    "[nan]",
    "[[0, 1], [2, 3]]",
    "[\"a\", \"b\"]",
    "0..0",
    "0..inf",
    "1..-1",
    "true",
    "SE",
    "Per(0)",
    "WN",
    "gp(SE)",
    "x -> x",
    "few",
    "some",
    "named",
    "f",
    "p",
    "f.params",
    "decompose(f)",
];

/// A message is read by a person: it is no page, and 1e300 is not written with its zeros.
fn is_short(message: &str) -> bool {
    message.len() < 2000 && !message.contains(&"0".repeat(30))
}

#[test]
fn builtins_answer_whatever_they_are_given() {
    let folder = tempfile::tempdir().expect("a folder");
    let bindings = "let nan = inf - inf\nlet few = data(x=[1], y=[1])\nlet some = data(x=[0, 1, 2, 4], y=[0, 1, 0, 2])\n\
                    let named = data(c=[\"a\", \"b\", \"a\"], z=[1, 2, 2], y=[0, 3, 1])\n\
                    let f = fit(some, SE, restarts=1)\nlet p = predict(f, [0.5, 3])";
    let names: Vec<&str> = lang::registry::names().filter(|name| !["include"].contains(name)).collect();
    // A separate thread pool: the shared one is needed for the fits inside, and would wait for itself.
    let threads = rayon::ThreadPoolBuilder::new().build().expect("threads");
    let faults = || -> Vec<String> {
        names
            .par_iter()
            .flat_map_iter(|name| {
                let mut session = Session::new(
                    Folders { script: folder.path().into(), data: Vec::new(), out: folder.path().into() },
                    0,
                );
                let said = session.run(bindings, "odd", &Silent).text();
                assert!(!said.contains("Error"), "{said}");
                let one = ODD.iter().map(|a| format!("{name}({a})"));
                // every seventh pair, with a different offset for each builtin: all would be 150,000 calls
                let start = name.bytes().map(usize::from).sum::<usize>() % 7;
                let pairs = ODD.iter().flat_map(|a| ODD.iter().map(move |b| format!("{name}({a}, {b})")));
                let two = pairs.skip(start).step_by(7);
                let calls: Vec<String> = std::iter::once(format!("{name}()")).chain(one).chain(two).collect();
                calls
                    .into_iter()
                    .filter(move |call| {
                        let output = session.run(call, "odd", &Silent);
                        output.text().contains("fault of Mercer")
                            || output.diagnostics().any(|said| !is_short(&said.message))
                    })
                    .collect::<Vec<_>>()
            })
            .collect()
    };
    let faults = threads.install(faults);
    assert!(faults.is_empty(), "{faults:#?}");
}
