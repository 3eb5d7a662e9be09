//! Messages that point at the error and show the correct form.

use mercer::progress::Silent;
use mercer::session::Session;

use super::*;

/// The part of a text at which the first message points.
fn pointed_at(text: &str) -> String {
    let output = Session::default().run(text, "typed", &Silent);
    let first = output.diagnostics().next().unwrap_or_else(|| panic!("{text}: {}", output.text()));
    let span = first.labels.first().unwrap_or_else(|| panic!("{text}: {}", first.message)).span;
    text[span.start..span.end].to_owned()
}

#[test]
fn the_first_wrong_word_is_pointed_at_and_not_the_last_right_one() {
    for (text, wrong) in [
        ("SE(x) + Lin(x) +)", ")"),
        ("[1 2]", "2"),
        ("let x = 3 +\nlet y = 2", "let"),
        ("let xs = [1, 2\nlet b = 3", "["),
        ("SE(0, lenghtscale=2)", "lenghtscale"),
        ("log(1, 2, 3)", "2"),
        ("let d = data(x=[1, 2], y=[1, 2])\nd.z + 1", "z"),
        ("let a = 1\nlet b = a + nope * 2", "nope"),
        ("[1, 2] |> sqrrt", "sqrrt"),
        ("let xs = [1, 2]\nxs[1] + xs[5]", "5"),
    ] {
        let found = pointed_at(text);
        assert!(found.starts_with(wrong), "{text}: {found}");
    }
}

/// Columns count characters, whatever their bytes and width.
#[test]
fn carets_stand_below_wide_and_accented_letters() {
    for (before, column) in [("\"é\" + ", 7), ("\"äöü\" + ", 9), ("\"日本\" + ", 8), ("\"e\u{301}\" + ", 8)] {
        let program = std::process::Command::new(env!("CARGO_BIN_EXE_mercer"))
            .args(["eval", "--format", "json", &format!("{before}nope")])
            .output()
            .expect("the program runs");
        let said: serde_json::Value = serde_json::from_slice(&program.stderr).expect("one message");
        assert_eq!((&said["line"], &said["column"]), (&1.into(), &column.into()), "{before}: {said}");
        assert_eq!(pointed_at(&format!("{before}nope")), "nope");
    }
}

#[test]
fn misspelt_words_are_recognized() {
    for (text, meant) in [
        ("fitt(1)", "fit"),
        ("Pre(0)", "Per"),
        ("load(\"airlin\")", "airline"),
        ("SE(0, lenghtscale=2)", "lengthscale"),
        ("[1, 2] |> sqrrt", "sqrt"),
        ("let season = SE(0)\nsaeson", "season"),
        ("load(\"airline\") |> fit(SE(yaer))", "year"),
        ("gp(SE, mean=\"linaer\")", "linear"),
    ] {
        contains(&Talk::new("").fails(text).replace('"', "`"), &format!("did you mean `{meant}`?"));
    }
}

#[test]
fn what_could_stand_here_is_named() {
    for (text, expected) in [
        ("[1 2]", "expected an operator, `,` or `]`, found `2`"),
        ("1 +", "expected an expression"),
        ("if true then 1", "expected `else`"),
        ("fn f(x) 2", "expected `=`"),
        ("let = 2", "expected a name"),
    ] {
        contains(&Talk::new("").fails(text), expected);
    }
}

#[test]
fn faults_while_running_name_the_value_and_the_place() {
    for (text, wrong, why) in [
        ("\"a\" + true", "+", "cannot add"),
        ("let d = load(\"airline\")\nd + 1", "+", "data"),
        ("let k = SE(0)\nk(\"a\", 1)", "k(\"a\", 1)", "an input is a number in all rows, or text in all rows"),
        ("[1, 2][0.5]", "0.5", "whole"),
    ] {
        assert_eq!(pointed_at(text), wrong, "{text}");
        contains(&Talk::new("").fails(text), why);
    }
}

/// `help X` of a family: the formula and an example that runs.
#[test]
fn help_has_the_formula_and_an_example() {
    let mut talk = Talk::new("");
    for name in ["SE", "Per", "Matern32", "RQ", "Lin"] {
        let page = talk.says(&format!("help({name})"));
        contains(&page, "k(x, x') = ");
        let example = page.lines().find_map(|line| line.trim().strip_prefix("> ")).expect("an example").to_owned();
        talk.says(&example);
    }
}

/// Results that depend on random numbers show the seed.
#[test]
fn the_seed_is_shown() {
    let mut talk = wave("");
    contains(&talk.says("d |> fit(SE(x), seed=41, restarts=2)"), "seed 41");
    contains(&talk.says("d |> search([SE, Lin], depth=1, seed=42, restarts=1)"), "seed 42");
}
