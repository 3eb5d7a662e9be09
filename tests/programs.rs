//! Random and mutated programs through the parser, the printer, the formatter and the renderer: nothing panics, and
//! what is written means what was read.

mod support;

use mercer::lang::ast::{Expr, Program, StatementKind};
use mercer::lang::diagnostic::Sources;
use mercer::lang::fmt::format;
use mercer::lang::layout::is_incomplete;
use mercer::lang::parse::{parse, parse_all};
use mercer::lang::print::{print_expr, print_program};
use mercer::lang::span::SourceId;
use mercer::render::render;
use proptest::prelude::*;
use rayon::prelude::*;
use support::places::without_places;
use support::{Author, trees};

const PROGRAMS: u64 = 100_000;

/// What a text says, which must fit without faults.
#[track_caller]
fn meaning(text: &str) -> Program {
    let program = parse(text, SourceId(0)).unwrap_or_else(|fault| panic!("{text:?}: {}", fault.message));
    without_places(program)
}

/// Whether the text is a program. Checks what holds for every text.
fn check(text: &str) -> bool {
    let parsed = parse_all(text, SourceId(0));
    is_incomplete(text);
    if parsed.diagnostics.is_empty() {
        let printed = print_program(&parsed.program);
        let program = without_places(parsed.program);
        assert!(meaning(&printed) == program, "{text:?} printed {printed:?}");
        let formatted = format(text).unwrap_or_else(|fault| panic!("{text:?}: {}", fault.message));
        assert!(meaning(&formatted) == program, "{text:?} formatted to {formatted:?}");
        assert_eq!(format(&formatted).as_ref(), Ok(&formatted), "{text:?} formatted twice");
        return true;
    }
    let mut sources = Sources::new();
    sources.add("t.mer", text);
    for diagnostic in &parsed.diagnostics {
        assert!(!diagnostic.message.contains("bug in Mercer"), "{text:?}");
        let span = diagnostic.span().unwrap_or_else(|| panic!("{text:?}: no place"));
        assert!(text.get(span.start..span.end).is_some(), "{text:?}: {span:?}");
        assert!(render(diagnostic, &sources, false).contains(&diagnostic.message), "{text:?}");
    }
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
        check(&text)
    });
    let parsed = parsed.count() as u64;
    assert!(parsed * 10 >= PROGRAMS * 3, "only {parsed} of {PROGRAMS} parse");
}

/// Reads one expression.
fn read(text: &str) -> Result<Expr, String> {
    let program = without_places(parse(text, SourceId(0)).map_err(|fault| fault.message)?);
    match program.statements.into_iter().next().map(|statement| statement.node) {
        Some(StatementKind::Expr(expr)) => Ok(expr),
        other => Err(format!("{other:?}")),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn a_printed_tree_reads_back(tree in trees::expr()) {
        let printed = print_expr(&tree);
        prop_assert_eq!(read(&printed), Ok(tree), "{}", printed);
    }

    #[test]
    fn any_text_is_answered(text in any::<String>()) {
        check(&text);
    }
}
