//! Any text through parser, renderer, printer and formatter: no panic, and formatting keeps what is a program one.
#![no_main]

use libfuzzer_sys::fuzz_target;
use mercer::syntax::diagnostic::Sources;
use mercer::syntax::fmt::format;
use mercer::syntax::layout::is_incomplete;
use mercer::syntax::parse::{parse, parse_all};
use mercer::syntax::print::print_program;
use mercer::syntax::span::SourceId;
use mercer::render::render;

fuzz_target!(|text: &str| {
    is_incomplete(text);
    let parsed = parse_all(text, SourceId(0));
    if parsed.diagnostics.is_empty() {
        let formatted = format(text).expect("a program can be formatted");
        assert_eq!(format(&formatted).as_ref(), Ok(&formatted), "formatting twice changes nothing");
        let printed = print_program(&parsed.program);
        let read = parse(&printed, SourceId(0)).expect("what is printed can be read");
        assert_eq!(print_program(&read), printed);
        return;
    }
    let mut sources = Sources::new();
    sources.add("fuzz.mer", text);
    for diagnostic in &parsed.diagnostics {
        render(diagnostic, &sources, false);
    }
});
