//! Help on every name, written from the signatures; examples are run when they are shown, so that what is printed is
//! what happens.

use super::builtin::{self, Entry, Group, Need, nearest};
use super::diagnostic::{Diagnostic, Sources};
use super::eval::Globals;
use super::host::{Host, Item};
use super::parse::parse;
use super::statement;
use super::trouble::{Res, Trouble};
use crate::progress::Silent;

/// Help on a name, or without one the list of all there is.
pub fn topic(name: Option<&str>) -> Res<String> {
    let Some(name) = name.filter(|name| !name.is_empty()) else {
        return Ok(contents());
    };
    if let Some(entry) = builtin::find(name) {
        return Ok(page(entry));
    }
    let trouble = Trouble::new(format!("there is no help on `{name}`"));
    Err(match nearest(name, builtin::names()) {
        Some(near) => trouble.help(format!("did you mean `{near}`?")),
        None => trouble.help("`help()` lists what there is"),
    })
}

/// All names by chapter, each with its line.
fn contents() -> String {
    let mut out = String::new();
    for group in Group::ALL {
        let entries: Vec<&Entry> = builtin::all().iter().filter(|entry| entry.signature.group == group).collect();
        if entries.is_empty() {
            continue;
        }
        if !out.is_empty() {
            out.push('\n');
        }
        out.push_str(&format!("{}\n", group.title()));
        let width = entries.iter().map(|entry| entry.signature.name.len()).max().unwrap_or(0);
        for entry in entries {
            out.push_str(&format!("  {:width$}  {}\n", entry.signature.name, entry.signature.summary));
        }
    }
    out.push_str("\n`help(\"name\")` says more, with an example");
    out
}

/// Everything about one name.
pub fn page(entry: &Entry) -> String {
    let signature = &entry.signature;
    let mut out = format!("{}\n  {}\n", signature.shown(), signature.summary);
    if !signature.aliases.is_empty() {
        out.push_str(&format!("  also called {}\n", signature.aliases.join(", ")));
    }
    if !signature.places.is_empty() {
        out.push('\n');
        let names: Vec<String> = signature.places.iter().map(keyword).collect();
        let width = names.iter().map(|name| name.chars().count()).max().unwrap_or(0);
        for (place, name) in signature.places.iter().zip(&names) {
            let default = match place.need {
                Need::Optional(default) if !default.is_empty() => format!(" (default: {default})"),
                _ => String::new(),
            };
            out.push_str(&format!("  {name:width$}  {}{default}\n", place.help));
        }
    }
    if !signature.help.is_empty() {
        out.push_str(&format!("\n  {}\n", signature.help));
    }
    for example in &signature.examples {
        out.push('\n');
        for line in example.lines() {
            out.push_str(&format!("  > {line}\n"));
        }
        for line in run(example).lines() {
            out.push_str(&format!("  {line}\n"));
        }
    }
    out.trim_end().to_owned()
}

/// A place with the shorter name that a keyword may use.
fn keyword(place: &builtin::Place) -> String {
    std::iter::once(place.name).chain(place.short.iter().copied()).collect::<Vec<_>>().join(", ")
}

/// What an example shows. An example that fails says so.
pub fn run(example: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    if let Err(diagnostic) = play(example, &mut lines) {
        lines.push(format!("error: {}", diagnostic.message));
    }
    lines.join("\n")
}

/// Runs an example in a session of its own.
pub fn play(example: &str, lines: &mut Vec<String>) -> Result<(), Diagnostic> {
    let mut sources = Sources::new();
    let source = sources.add("example", example);
    let program = parse(example, source)?;
    let (mut globals, mut host) = (Globals::new(), Host::default());
    // What an example writes is nobody's: it goes to a folder that is gone afterwards.
    let scratch = tempfile::tempdir().map_err(|error| Diagnostic::error(format!("no folder for examples: {error}")))?;
    host.folders.out = scratch.path().to_owned();
    let mut out = |item: Item| match item {
        Item::Shown(value) => lines.push(value.to_string()),
        Item::Text(text) => lines.push(text),
        Item::Wrote(path) => lines.extend(path.file_name().map(|name| format!("wrote {}", name.display()))),
        Item::Diagnostic(diagnostic) => lines.push(format!("{}: {}", diagnostic.severity.name(), diagnostic.message)),
    };
    for statement in &program.statements {
        statement::execute(statement, &mut globals, &mut host, &Silent, &mut out)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_example_runs_and_shows_something() {
        for entry in builtin::all() {
            for example in &entry.signature.examples {
                let mut lines = Vec::new();
                let result = play(example, &mut lines);
                assert!(result.is_ok(), "{}: {example}: {result:?}", entry.signature.name);
                assert!(!lines.is_empty(), "{}: {example} shows nothing", entry.signature.name);
            }
        }
    }

    #[test]
    fn pages_say_what_there_is() {
        let page = topic(Some("grid")).unwrap();
        assert!(page.starts_with("grid(range, n)") && page.contains("[0, 0.25, 0.5, 0.75]"), "{page}");
        assert_eq!(topic(Some("gird")).unwrap_err().message(), "there is no help on `gird`");
        assert!(topic(None).unwrap().contains("Lists and functions"));
    }
}
