//! Help on every name, generated from the signatures. Examples are run when they are shown, so that the printed output
//! is true.

use super::error::{LangError, Res};
use super::eval::evaluator::{Entry, Globals, Library, Sort, names};
use super::eval::host::{Host, Item};
use super::eval::statement;
use super::signature::{Group, Need, Place};
use super::topics::{self, TOPICS, Topic};
use super::values::value::Kind;
use super::wording::nearest;
use crate::progress::Silent;
use crate::syntax::diagnostic::{Diagnostic, Sources};
use crate::syntax::parse::parse;

/// Help on a name, a chapter or a topic of the language; without a name the table of contents.
pub fn topic(library: &'static dyn Library, name: Option<&str>) -> Res<String> {
    let Some(name) = name.filter(|name| !name.is_empty()) else {
        return Ok(contents(library) + "\n\n`help(\"name\")` says more, with an example");
    };
    if let Some(text) = std::iter::once(name.to_owned()).chain(variants(name)).find_map(|name| exact(library, &name)) {
        return Ok(text);
    }
    let error = LangError::new(format!("there is no help on `{name}`"));
    let chapters = chapters(library).flat_map(|group| group.topics().iter().copied());
    let known = names(library).chain(TOPICS.iter().flat_map(Topic::names)).chain(chapters);
    Err(match nearest(name, known) {
        Some(near) => error.help(format!("did you mean `{near}`?")),
        None => error.help("`help()` lists what there is"),
    })
}

/// Help on exactly this name.
fn exact(library: &'static dyn Library, name: &str) -> Option<String> {
    if let Some(entry) = library.find(name) {
        return Some(page(library, entry));
    }
    if let Some(topic) = topics::find(name) {
        return Some(about(library, topic));
    }
    if let Some(group) = chapters(library).find(|group| group.topics().contains(&name)) {
        return Some(chapter(library, *group).trim_end().to_owned());
    }
    Kind::ALL.iter().find(|kind| kind.name() == name).map(|kind| about_kind(*kind))
}

fn chapters(library: &'static dyn Library) -> impl Iterator<Item = &'static Group> {
    Group::ALL.iter().filter(move |group| !entries(library, **group).is_empty())
}

/// The name in the plural and in the singular, and as the name of a kind.
fn variants(name: &str) -> Vec<String> {
    let stem = name.strip_suffix("ies").map(|stem| format!("{stem}y"));
    let singular = stem.into_iter().chain(name.strip_suffix('s').map(str::to_owned));
    let plural = name.strip_suffix('y').map(|stem| format!("{stem}ies")).into_iter().chain([format!("{name}s")]);
    let numbers: Vec<String> = singular.chain(plural).filter(|name| !name.is_empty()).collect();
    let kinds = numbers.iter().map(|name| capital(name));
    [vec![capital(name)], kinds.collect(), numbers].concat().into_iter().rev().collect()
}

/// All names by chapter, then the topics of the language, each with a line.
pub fn contents(library: &'static dyn Library) -> String {
    let chapters = Group::ALL
        .into_iter()
        .filter(|group| !entries(library, *group).is_empty())
        .map(|group| chapter(library, group));
    let topics = TOPICS.iter().map(|topic| (topic.name, topic.summary));
    chapters.chain([listed("The language", topics)]).collect::<Vec<_>>().join("\n").trim_end().to_owned()
}

fn entries(library: &'static dyn Library, group: Group) -> Vec<&'static Entry> {
    library.all().iter().filter(|entry| entry.signature.group == group).collect()
}

fn chapter(library: &'static dyn Library, group: Group) -> String {
    let lines = entries(library, group).into_iter().map(|entry| (entry.signature.name, entry.signature.summary));
    listed(group.title(), lines)
}

fn listed(title: &str, lines: impl Iterator<Item = (&'static str, &'static str)> + Clone) -> String {
    let width = lines.clone().map(|(name, _)| name.len()).max().unwrap_or(0);
    lines.fold(format!("{title}\n"), |out, (name, summary)| out + &format!("  {name:width$}  {summary}\n"))
}

/// A page on a topic of the language.
fn about(library: &'static dyn Library, topic: &Topic) -> String {
    let mut out = format!("{}: {}\n\n{}\n", topic.name, topic.summary, topic.text);
    for example in topic.examples {
        out.push_str(&shown(library, example));
    }
    out.trim_end().to_owned()
}

/// A kind of value: how it is made, and its members.
fn about_kind(kind: Kind) -> String {
    let info = kind.info();
    let title = format!("{}: {}\n\n  {}", info.name, info.noun, info.made_by);
    match info.members.is_empty() {
        true => title,
        false => listed(&format!("{title}\n\nMembers"), info.members.iter().copied()).trim_end().to_owned(),
    }
}

/// The table of the kinds of value in the language reference, in Markdown.
pub fn kinds() -> String {
    let row = |kind: &Kind| {
        let info = kind.info();
        let members: Vec<String> = info.members.iter().map(|(name, _)| format!("`{name}`")).collect();
        let open = if info.open_members { Some("its columns or fields".to_owned()) } else { None };
        let members: Vec<String> = members.into_iter().chain(open).collect();
        format!("| {} | {} | {} |\n", info.name, info.made_by, members.join(", "))
    };
    "| kind | made by | members |\n|---|---|---|\n".to_owned() + &Kind::ALL.iter().map(row).collect::<String>()
}

/// An example with its output.
fn shown(library: &'static dyn Library, example: &str) -> String {
    let lines = example.lines().map(|line| format!("  > {line}\n"));
    let given = run(library, example);
    let given = given.lines().map(|line| format!("  {line}\n"));
    format!("\n{}{}", lines.collect::<String>(), given.collect::<String>())
}

/// The full help on one name.
pub fn page(library: &'static dyn Library, entry: &Entry) -> String {
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
        out.push_str(&shown(library, example));
    }
    out.trim_end().to_owned()
}

/// The chapter of the language reference on all entries, in Markdown, with the output of the examples.
pub fn reference(library: &'static dyn Library) -> String {
    let mut out = String::new();
    for group in Group::ALL {
        let entries = library.all().iter().filter(|entry| entry.signature.group == group);
        for (i, entry) in entries.enumerate() {
            if i == 0 {
                out.push_str(&format!("## {}\n\n", group.title()));
            }
            out.push_str(&section(library, entry));
        }
    }
    out
}

/// Help on a name or a topic of the language as Markdown, for an editor; examples are shown without their output.
pub fn markdown(library: &'static dyn Library, name: &str) -> Option<String> {
    let fenced = |text: &str| format!("```mercer\n{text}\n```\n");
    if let Some(topic) = topics::find(name) {
        let examples = topic.examples.iter().map(|example| format!("\n{}", fenced(example)));
        let text = format!("**{}**: {}\n\n```text\n{}\n```\n", topic.name, topic.summary, topic.text);
        return Some(text + &examples.collect::<String>());
    }
    let signature = &library.find(name)?.signature;
    let mut out = format!("{}\n{}. {}\n", fenced(&signature.shown()), capital(signature.summary), signature.help);
    for place in &signature.places {
        let default = match place.need {
            Need::Optional(default) if !default.is_empty() => format!(" (default: {default})"),
            _ => String::new(),
        };
        out.push_str(&format!("\n- `{}`: {}{default}", keyword(place), place.help));
    }
    out.extend(signature.examples.iter().map(|example| format!("\n\n{}", fenced(example))));
    Some(out)
}

fn section(library: &'static dyn Library, entry: &Entry) -> String {
    let signature = &entry.signature;
    let mut out = format!("### `{}`\n\n{}.", signature.shown(), capital(signature.summary));
    if !signature.aliases.is_empty() {
        let names: Vec<String> = signature.aliases.iter().map(|name| format!("`{name}`")).collect();
        out.push_str(&format!(" Also called {}.", names.join(", ")));
    }
    match entry.sort {
        _ if signature.help.is_empty() => {}
        Sort::Builtin => out.push_str(&format!(" {}", signature.help)),
        // for a kernel it is its formula
        Sort::Family(_) | Sort::Combinator => out.push_str(&format!("\n\n    {}", signature.help)),
    }
    out.push_str("\n\n");
    for place in &signature.places {
        let default = match place.need {
            Need::Optional(default) if default.contains(' ') => format!("; default: {default}"),
            Need::Optional(default) if !default.is_empty() => format!("; default: `{default}`"),
            _ => String::new(),
        };
        out.push_str(&format!("- `{}`: {}{default}\n", keyword(place), place.help));
    }
    for example in &signature.examples {
        out.push_str("\n```\n");
        for line in example.lines() {
            out.push_str(&format!("> {line}\n"));
        }
        out.push_str(&format!("{}\n```\n", run(library, example)));
    }
    out.push('\n');
    out
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// A place with its short name as a keyword.
fn keyword(place: &Place) -> String {
    std::iter::once(place.name).chain(place.short.iter().copied()).collect::<Vec<_>>().join(", ")
}

/// The output of an example. An example that fails shows its error.
pub fn run(library: &'static dyn Library, example: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    if let Err(diagnostic) = play(library, example, &mut lines) {
        lines.push(format!("error: {}", diagnostic.message));
    }
    lines.join("\n")
}

/// Runs an example in a new session.
pub fn play(library: &'static dyn Library, example: &str, lines: &mut Vec<String>) -> Result<(), Diagnostic> {
    let mut sources = Sources::new();
    let source = sources.add("example", example);
    let program = parse(example, source)?;
    let (mut globals, mut host) = (Globals::new(), Host::default());
    // Files that an example writes go to a temporary folder.
    let scratch = tempfile::tempdir().map_err(|error| Diagnostic::error(format!("no folder for examples: {error}")))?;
    host.folders.out = scratch.path().to_owned();
    let mut out = |item: Item| match item {
        Item::Shown(value) => lines.push(value.to_string()),
        Item::Text(text) => lines.push(text),
        Item::Wrote(path) => lines.extend(path.file_name().map(|name| format!("wrote {}", name.display()))),
        Item::Diagnostic(diagnostic) => lines.push(format!("{}: {}", diagnostic.severity.name(), diagnostic.message)),
    };
    for statement in &program.statements {
        statement::execute(library, statement, &mut globals, &mut host, &Silent, &mut out)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang::registry;

    #[test]
    fn every_example_runs_and_shows_something() {
        for entry in registry::library().all() {
            for example in &entry.signature.examples {
                let mut lines = Vec::new();
                let result = play(registry::library(), example, &mut lines);
                assert!(result.is_ok(), "{}: {example}: {result:?}", entry.signature.name);
                assert!(!lines.is_empty(), "{}: {example} shows nothing", entry.signature.name);
            }
        }
    }

    #[test]
    fn topics_have_names_of_their_own_and_their_examples_run() {
        let chapters: Vec<&str> = Group::ALL.iter().flat_map(|group| group.topics().iter().copied()).collect();
        assert!(chapters.iter().all(|name| registry::library().find(name).is_none()), "{chapters:?}");
        for word in crate::syntax::scan::RESERVED.iter().chain(&crate::syntax::scan::OPERATORS) {
            assert!(topics::find(word).is_some(), "there is no help on `{word}`");
        }
        for topic in TOPICS {
            for name in topic.names() {
                assert!(registry::library().find(name).is_none() && !chapters.contains(&name), "{name}");
            }
            for example in topic.examples {
                let result = play(registry::library(), example, &mut Vec::new());
                assert!(result.is_ok(), "{}: {example}: {result:?}", topic.name);
            }
        }
    }

    #[test]
    fn pages_say_what_there_is() {
        let page = topic(registry::library(), Some("grid")).unwrap();
        assert!(page.starts_with("grid(range, n)") && page.contains("[0, 0.25, 0.5, 0.75]"), "{page}");
        assert_eq!(topic(registry::library(), Some("gird")).unwrap_err().message(), "there is no help on `gird`");
        assert!(topic(registry::library(), None).unwrap().contains("Lists and functions"));
        assert!(topic(registry::library(), Some("lists")).unwrap().starts_with("Lists and functions\n"));
        assert!(
            topic(registry::library(), Some("precedence")).unwrap().ends_with("> 1 + 2 |> sqrt\n  1.7320508075688772")
        );
        for (asked, found) in [
            ("prior", "Parameters"),
            ("kernel", "Kernel values"),
            ("predicts", "predict("),
            ("prediction", "Prediction:"),
        ] {
            assert!(topic(registry::library(), Some(asked)).unwrap().starts_with(found), "{asked}");
        }
        assert_eq!(nearest("precedense", TOPICS.iter().map(|t| t.name)), Some("precedence"));
    }
}
