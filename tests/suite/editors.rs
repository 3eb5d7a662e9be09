//! The files for editors in docs/editors: the grammars for highlighting are written from the words of the language.
//!
//! After a new builtin or family: `MERCER_BLESS=1 cargo test --release --test suite editors::`.

use std::fs;
use std::path::Path;

use mercer::lang::registry;
use mercer::syntax::scan::{OPERATORS, RESERVED};
use serde_json::{Value as Json, json};

const CONSTANTS: [&str; 4] = ["true", "false", "inf", "pi"];
const WORD_OPERATORS: [&str; 3] = ["and", "or", "not"];

fn hold(name: &str, expected: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/editors").join(name);
    if std::env::var_os("MERCER_BLESS").is_some() {
        path.parent().map(fs::create_dir_all).transpose().expect("a folder");
        return fs::write(&path, expected).unwrap_or_else(|error| panic!("{name}: {error}"));
    }
    let found = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{name}: {error}")).replace("\r\n", "\n");
    assert!(found == expected, "docs/editors/{name} is not that of the registry: write it with MERCER_BLESS=1");
}

/// The names of families, and those of the other callables.
fn names() -> (Vec<&'static str>, Vec<&'static str>) {
    let (families, others): (Vec<_>, Vec<_>) = registry::all().iter().partition(|entry| entry.is_family());
    let sorted = |entries: Vec<&'static mercer::lang::eval::evaluator::Entry>| {
        let mut names: Vec<&str> = entries.into_iter().flat_map(|entry| entry.names()).collect();
        names.sort_unstable();
        names
    };
    (sorted(families), sorted(others))
}

/// The reserved words that are neither operators nor constants.
fn keywords() -> Vec<&'static str> {
    RESERVED.into_iter().filter(|word| !CONSTANTS.contains(word) && !WORD_OPERATORS.contains(word)).collect()
}

fn escaped(operator: &str) -> String {
    operator.chars().flat_map(|c| ['\\', c]).collect()
}

#[test]
fn the_textmate_grammar_has_the_words_of_the_language() {
    let words = |words: &[&str]| format!("(?<![\\w.])({})(?!\\w)", words.join("|"));
    let (families, others) = names();
    let rule = |name: &str, pattern: String| json!({ "name": format!("{name}.mercer"), "match": pattern });
    let operators: Vec<String> = OPERATORS.iter().map(|operator| escaped(operator)).collect();
    let patterns: Vec<Json> = vec![
        rule("comment.line.number-sign", "#.*$".into()),
        json!({
            "name": "string.quoted.double.mercer", "begin": "\"", "end": "\"|$",
            "patterns": [{ "name": "constant.character.escape.mercer", "match": "\\\\." }],
        }),
        json!({
            "match": "\\b(fn)\\s+(\\w+)",
            "captures": { "1": { "name": "keyword.other.mercer" }, "2": { "name": "entity.name.function.mercer" } },
        }),
        rule("constant.numeric", "(?<!\\w)[0-9]+(\\.[0-9]+)?([eE][+-]?[0-9]+)?(?!\\w)".into()),
        rule("constant.language", words(&CONSTANTS)),
        rule("keyword.operator.word", words(&WORD_OPERATORS)),
        rule("keyword.other", words(&keywords())),
        rule("variable.parameter", "\\b\\w+(?=\\s*=(?!=))".into()),
        rule("support.class", words(&families)),
        rule("support.function", words(&others)),
        rule("keyword.operator", operators.join("|")),
    ];
    let grammar = json!({
        "$schema": "https://raw.githubusercontent.com/martinring/tmlanguage/master/tmlanguage.json",
        "name": "Mercer", "scopeName": "source.mercer", "fileTypes": ["mer"], "patterns": patterns,
    });
    hold("vscode/mercer.tmLanguage.json", &(serde_json::to_string_pretty(&grammar).expect("JSON") + "\n"));
}

#[test]
fn the_vim_syntax_has_the_words_of_the_language() {
    let (families, others) = names();
    let line = |group: &str, words: &[&str]| format!("syntax keyword {group} {}\n", words.join(" "));
    // `contains` and the like are options of `syntax keyword`, unless they are written as a pattern
    let options = ["contains", "contained", "transparent", "skipwhite", "skipnl", "display", "conceal"];
    let (odd, plain): (Vec<&str>, Vec<&str>) = others.into_iter().partition(|name| options.contains(name));
    let mut text = String::from("\" Written from the words of the language by a test: see tests/suite/editors.rs.\n");
    text.push_str("if exists(\"b:current_syntax\")\n  finish\nendif\n\n");
    text.push_str(&line("mercerKeyword", &keywords()));
    text.push_str(&line("mercerOperator", &WORD_OPERATORS));
    text.push_str(&line("mercerConstant", &CONSTANTS));
    text.push_str(&line("mercerFamily", &families));
    text.push_str(&line("mercerBuiltin", &plain));
    odd.iter().for_each(|name| text.push_str(&format!("syntax match mercerBuiltin /\\<{name}\\>/\n")));
    text.push_str("syntax match mercerNumber /\\<\\d\\+\\(\\.\\d\\+\\)\\?\\([eE][+-]\\?\\d\\+\\)\\?\\>/\n");
    text.push_str("syntax region mercerString start=/\"/ skip=/\\\\./ end=/\"/ oneline\n");
    text.push_str("syntax match mercerComment /#.*$/\n\n");
    for (group, of) in [
        ("Keyword", "Keyword"),
        ("Operator", "Operator"),
        ("Constant", "Constant"),
        ("Family", "Type"),
        ("Builtin", "Function"),
        ("Number", "Number"),
        ("String", "String"),
        ("Comment", "Comment"),
    ] {
        text.push_str(&format!("highlight default link mercer{group} {of}\n"));
    }
    text.push_str("\nlet b:current_syntax = \"mercer\"\n");
    hold("neovim/syntax/mercer.vim", &text);
}

#[test]
fn the_files_of_the_extension_are_read_as_json() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/editors/vscode");
    for name in ["package.json", "language-configuration.json"] {
        let text = fs::read_to_string(folder.join(name)).expect(name);
        let read: Json = serde_json::from_str(&text).expect(name);
        assert!(read.is_object(), "{name}");
    }
    let package: Json = serde_json::from_str(&fs::read_to_string(folder.join("package.json")).unwrap()).unwrap();
    assert_eq!(package["version"], json!(env!("CARGO_PKG_VERSION")));
    for path in ["/main", "/contributes/grammars/0/path", "/contributes/languages/0/configuration"] {
        let name = package.pointer(path).and_then(Json::as_str).expect(path);
        assert!(folder.join(name).is_file(), "{name}");
    }
}
