//! Plays sessions and compares what they show with golden text.
//!
//! `tests/transcripts/TOPIC/NAME.mer` is a session, and `NAME.out` is the session with its output: its lines after `>
//! `, the output below them, diagnostics as on a terminal without colour. Scripts in `mistakes` are run whole, as by
//! `mercer run`; all others statement by statement, as at a prompt. `mistakes/poor` has messages that could be better.
//! After an intended change: `MERCER_BLESS=1 cargo test --release --test suite transcripts::`.

use std::fs;
use std::path::{Path, PathBuf};

use mercer::lang::eval::host::{Folders, Item};
use mercer::progress::Silent;
use mercer::render::render;
use mercer::session::Session;
use mercer::syntax::diagnostic::Sources;
use mercer::syntax::parse::parse_all;

const ROOT: &str = "tests/transcripts";
const TOPICS: [&str; 10] =
    ["data", "dates", "deep", "fit", "kernels", "language", "mistakes", "quadrature", "results", "search"];
/// The text that represents the output folder of a session.
const OUT: &str = "OUT";

/// The number of lines quoted before the first difference, and from it on.
const BEFORE: usize = 3;
const AFTER: usize = 12;

/// How a session is run.
#[derive(Clone, Copy, PartialEq)]
enum Manner {
    Script,
    Prompt,
}

/// The output of a session, line by line after its input.
fn play(path: &Path, manner: Manner) -> String {
    let out = tempfile::tempdir().expect("a scratch folder");
    let script = path.parent().expect("a folder").to_owned();
    let mut session = Session::new(Folders { script, data: Vec::new(), out: out.path().to_owned() }, 0);
    let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let (mut played, mut files) = (String::new(), Vec::new());
    let name = path.file_name().expect("a name").to_string_lossy().into_owned();
    for piece in pieces(&text, manner) {
        for line in piece.lines() {
            played += format!("> {line}").trim_end();
            played.push('\n');
        }
        let mut last_tall = None;
        session.run_with(piece, &name, &Silent, &mut |item, sources| {
            let shown = show(&item, sources);
            // As on a terminal, values of several lines are separated by blank lines.
            let tall = matches!(item, Item::Shown(_)).then(|| shown.contains('\n'));
            if tall.is_some_and(|tall| last_tall.is_some_and(|last| last || tall)) {
                played.push('\n');
            }
            last_tall = tall.or(last_tall);
            if let Item::Wrote(file) = &item {
                files.push(file.clone());
            }
            for line in shown.lines() {
                played += line.trim_end();
                played.push('\n');
            }
        });
    }
    for file in files {
        assert!(fs::metadata(&file).is_ok_and(|file| file.len() > 0), "{} is not there", file.display());
    }
    masked(&played.replace(&out.path().display().to_string(), OUT))
}

/// Replaces what depends on the machine: the free memory.
fn masked(text: &str) -> String {
    let mut out = String::new();
    for line in text.lines() {
        match (line.find(" of memory, and "), line.ends_with(" are free")) {
            (Some(at), true) => out += &format!("{} of memory, and … are free\n", &line[..at]),
            _ => out += &format!("{line}\n"),
        }
    }
    out
}

/// A script is one piece. At a prompt the statements of a line are run together, with the comments above.
fn pieces(text: &str, manner: Manner) -> Vec<&str> {
    let mut sources = Sources::new();
    let parsed = parse_all(text, sources.add("session", text));
    if manner == Manner::Script || !parsed.diagnostics.is_empty() {
        return vec![text];
    }
    let mut pieces = Vec::new();
    let mut from = 0;
    for statement in &parsed.program.statements {
        if statement.span.end > from {
            let end = text[statement.span.end..].find('\n').map_or(text.len(), |at| statement.span.end + at + 1);
            pieces.push(&text[from..end]);
            from = end;
        }
    }
    if !text[from..].trim().is_empty() {
        pieces.push(&text[from..]);
    }
    pieces
}

fn show(item: &Item, sources: &Sources) -> String {
    match item {
        Item::Shown(value) => value.to_string().trim_end_matches('\n').to_owned(),
        Item::Text(text) => text.clone(),
        Item::Wrote(path) => format!("wrote {}", path.display()),
        Item::Diagnostic(diagnostic) => render(diagnostic, sources, false),
    }
}

fn scripts(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut found: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .flat_map(|path| match path.is_dir() {
            // files that scripts load or import
            true if path.ends_with("files") => Vec::new(),
            true => scripts(&path),
            false if path.extension().is_some_and(|ext| ext == "mer") => vec![path],
            false => Vec::new(),
        })
        .collect();
    found.sort();
    found
}

/// Compares the output with the golden text, or rewrites it. Returns the difference, if there is one.
fn compare(path: &Path, shown: &str) -> Option<String> {
    let golden = path.with_extension("out");
    let expected = fs::read_to_string(&golden).unwrap_or_default().replace("\r\n", "\n");
    if expected == shown {
        return None;
    }
    if std::env::var_os("MERCER_BLESS").is_some_and(|value| !value.is_empty() && value != "0") {
        return fs::write(&golden, shown).err().map(|error| format!("{}: {error}", golden.display()));
    }
    let (expected, shown): (Vec<&str>, Vec<&str>) = (expected.lines().collect(), shown.lines().collect());
    let at = expected.iter().zip(&shown).take_while(|(a, b)| a == b).count();
    let around = |lines: &[&str]| {
        let (from, to) = (at.saturating_sub(BEFORE).min(lines.len()), (at + AFTER).min(lines.len()));
        lines[from..to].iter().map(|line| format!("    {line}\n")).collect::<String>()
    };
    let (then, now) = (around(&expected), around(&shown));
    Some(format!("{}, line {}: expected\n{then}shown now\n{now}", golden.display(), at + 1))
}

fn topic(name: &str) {
    let manner = if name == "mistakes" { Manner::Script } else { Manner::Prompt };
    let paths = scripts(&Path::new(ROOT).join(name));
    assert!(!paths.is_empty(), "nothing to play");
    let faults: Vec<String> = paths
        .iter()
        .filter_map(|path| {
            let played = play(path, manner);
            let ours = played.contains("a fault of Mercer").then(|| format!("{} broke off", path.display()));
            ours.or_else(|| compare(path, &played))
        })
        .collect();
    assert!(faults.is_empty(), "{}\n(MERCER_BLESS=1 takes what is shown now)", faults.join("\n"));
}

#[test]
fn data() {
    topic("data");
}

#[test]
fn dates() {
    topic("dates");
}

#[test]
fn deep() {
    topic("deep");
}

#[test]
fn fit() {
    topic("fit");
}

#[test]
fn kernels() {
    topic("kernels");
}

#[test]
fn language() {
    topic("language");
}

#[test]
fn mistakes() {
    topic("mistakes");
}

#[test]
fn quadrature() {
    topic("quadrature");
}

#[test]
fn results() {
    topic("results");
}

#[test]
fn search() {
    topic("search");
}

#[test]
fn every_topic_is_played() {
    let entries = fs::read_dir(ROOT).expect("the transcripts");
    let mut found: Vec<String> = entries
        .filter_map(|entry| Some(entry.ok()?.file_name().to_string_lossy().into_owned()))
        .filter(|name| Path::new(ROOT).join(name).is_dir())
        .collect();
    found.sort();
    assert_eq!(found, TOPICS);
}

#[test]
fn every_golden_text_has_its_session() {
    fn orphans(folder: &Path) -> Vec<PathBuf> {
        let paths: Vec<PathBuf> =
            fs::read_dir(folder).expect("a folder").filter_map(|entry| Some(entry.ok()?.path())).collect();
        let golden = |path: &PathBuf| path.extension().is_some_and(|ext| ext == "out");
        let orphaned = paths.iter().filter(|path| golden(path) && !path.with_extension("mer").exists()).cloned();
        orphaned.chain(paths.iter().filter(|path| path.is_dir()).flat_map(|path| orphans(path))).collect()
    }
    assert_eq!(orphans(Path::new(ROOT)), Vec::<PathBuf>::new());
}
