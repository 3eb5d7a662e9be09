//! Commands that start with a colon. Help, completion, hints and execution use one table.

use std::path::{Path, PathBuf};
use std::time::Instant;

use mercer::lang::registry;
use mercer::lang::wording::nearest;
use mercer::session::{LARGEST_SEED, Session, type_of};
use mercer::syntax::diagnostic::{Diagnostic, Sources};

use super::open_call::open_call;
use super::state::{NAME, Repl};
use crate::cli::writable;
use crate::terminal::{Colour, fit};

/// Whether the session continues.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    Stay,
    Leave,
}

/// The argument of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Takes {
    Nothing,
    /// A name with help.
    Topic,
    Expr,
    File,
    Number,
    Setting,
}

pub struct Command {
    name: &'static str,
    /// Its argument, as help shows it.
    shown: &'static str,
    takes: Takes,
    summary: &'static str,
    run: fn(&mut Repl, &str) -> Result<Next, Diagnostic>,
}

const COMMANDS: &[Command] = &[
    Command {
        name: "help",
        shown: "[name]",
        takes: Takes::Topic,
        summary: "these commands, or the help on a name (also `?name`)",
        run: help,
    },
    Command {
        name: "explain",
        shown: "",
        takes: Takes::Nothing,
        summary: "the last error again, with the help on what it concerns",
        run: explain,
    },
    Command { name: "vars", shown: "", takes: Takes::Nothing, summary: "the names that are bound", run: vars },
    Command { name: "type", shown: "EXPR", takes: Takes::Expr, summary: "the kind of a value", run: kind },
    Command { name: "members", shown: "EXPR", takes: Takes::Expr, summary: "the members of a value", run: members },
    Command { name: "load", shown: "FILE", takes: Takes::File, summary: "run a script in this session", run: load },
    Command {
        name: "save",
        shown: "FILE",
        takes: Takes::File,
        summary: "save the statements of this session as a script",
        run: save,
    },
    Command { name: "time", shown: "EXPR", takes: Takes::Expr, summary: "run it and say how long it took", run: time },
    Command { name: "seed", shown: "[N]", takes: Takes::Number, summary: "show or set the seed", run: seed },
    Command {
        name: "set",
        shown: "[KEY VALUE]",
        takes: Takes::Setting,
        summary: "show the settings, or change one",
        run: set,
    },
    Command { name: "reset", shown: "", takes: Takes::Nothing, summary: "forget all names", run: reset },
    Command { name: "quit", shown: "", takes: Takes::Nothing, summary: "leave (also Ctrl-D)", run: quit },
];

struct Setting {
    key: &'static str,
    values: &'static str,
    summary: &'static str,
    /// Words that are accepted as its value.
    words: &'static [&'static str],
    now: fn(&Repl) -> String,
    /// Changes the setting; the error describes the accepted values.
    change: fn(&mut Repl, &str) -> Result<(), String>,
}

const SETTINGS: &[Setting] = &[
    Setting {
        key: "colour",
        values: "auto | on | off",
        summary: "colours at the prompt and in messages",
        words: &["auto", "on", "off"],
        now: |repl| {
            match repl.screen.colour {
                Colour::Auto => "auto",
                Colour::On => "on",
                Colour::Off => "off",
            }
            .into()
        },
        change: |repl, value| {
            repl.screen.colour = match value {
                "auto" => Colour::Auto,
                "on" => Colour::On,
                "off" => Colour::Off,
                _ => return Err("expected `auto`, `on` or `off`".into()),
            };
            Ok(())
        },
    },
    Setting {
        key: "width",
        values: "auto | N",
        summary: "the width of figures and lists in columns",
        words: &["auto"],
        now: |repl| repl.screen.width.map_or("auto".into(), |width| width.to_string()),
        change: |repl, value| {
            repl.screen.width = match value.parse() {
                Ok(width @ 20..=1000) => Some(width),
                _ if value == "auto" => None,
                _ => return Err("expected `auto` or a whole number from 20 to 1000".into()),
            };
            Ok(())
        },
    },
    Setting {
        key: "pager",
        values: "on | off",
        summary: "long output through a pager",
        words: &["on", "off"],
        now: |repl| if repl.screen.paged { "on" } else { "off" }.into(),
        change: |repl, value| switch(value).map(|on| repl.screen.paged = on),
    },
    Setting {
        key: "images",
        values: "on | off",
        summary: "figures as images, where the terminal shows them",
        words: &["on", "off"],
        now: |repl| if repl.screen.images { "on" } else { "off" }.into(),
        change: |repl, value| switch(value).map(|on| repl.screen.images = on),
    },
    Setting {
        key: "out",
        values: "DIR",
        summary: "the folder for written figures and files",
        words: &[],
        now: |repl| {
            let session = repl.session.borrow();
            let folder = &session.folders().out;
            if folder.as_os_str().is_empty() { ".".into() } else { folder.display().to_string() }
        },
        change: |repl, value| {
            let folder = PathBuf::from(value);
            writable(&folder)?;
            repl.session.borrow_mut().folders_mut().out = folder;
            Ok(())
        },
    },
];

fn switch(value: &str) -> Result<bool, String> {
    match value {
        "on" => Ok(true),
        "off" => Ok(false),
        _ => Err("expected `on` or `off`".into()),
    }
}

/// Splits a line with a command into its head (`:time`) and the rest; `?name` is split in the same way.
pub fn split(line: &str) -> Option<(&str, &str)> {
    let start = line.len() - line.trim_start().len();
    let text = &line[start..];
    if text.starts_with('?') {
        return Some(line.split_at(start + 1));
    }
    text.strip_prefix(':')?;
    let end = text.find(char::is_whitespace).unwrap_or(text.len());
    Some(line.split_at(start + end))
}

/// The argument of the command with this head.
pub fn takes(head: &str) -> Takes {
    match head.trim_start().strip_prefix(':') {
        Some(name) => find(name).map_or(Takes::Nothing, |command| command.takes),
        None => Takes::Topic,
    }
}

/// The command with this name, or with this unambiguous beginning.
fn find(name: &str) -> Result<&'static Command, Diagnostic> {
    if let Some(command) = COMMANDS.iter().find(|command| command.name == name) {
        return Ok(command);
    }
    let begun: Vec<_> = COMMANDS.iter().filter(|command| !name.is_empty() && command.name.starts_with(name)).collect();
    match begun[..] {
        [command] => Ok(command),
        [] => {
            let fault = Diagnostic::error(format!("there is no command `:{name}`"));
            Err(match nearest(name, COMMANDS.iter().map(|command| command.name)) {
                Some(near) => fault.help(format!("did you mean `:{near}`?")),
                None => fault.help("`:help` lists the commands"),
            })
        }
        _ => {
            let names: Vec<String> = begun.iter().map(|command| format!("`:{}`", command.name)).collect();
            Err(Diagnostic::error(format!("`:{name}` is ambiguous: {}", names.join(" or "))))
        }
    }
}

/// Runs the text after a colon.
pub fn run(repl: &mut Repl, text: &str) -> Next {
    let (name, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    let rest = rest.trim();
    let done = find(name).and_then(|command| {
        if rest.is_empty() && matches!(command.takes, Takes::Expr | Takes::File) {
            let Command { name, shown, .. } = command;
            return Err(Diagnostic::error(format!("write `:{name} {shown}`")));
        }
        if !rest.is_empty() && command.takes == Takes::Nothing {
            return Err(Diagnostic::error(format!("`:{}` takes no argument, found `{rest}`", command.name)));
        }
        (command.run)(repl, rest)
    });
    done.unwrap_or_else(|fault| {
        repl.screen.diagnostic(&fault, &Sources::new());
        Next::Stay
    })
}

/// The completions at the cursor of a command: where they start, and their texts.
pub fn complete(line: &str, cursor: usize, session: &Session) -> Option<(usize, Vec<String>)> {
    let before = line.get(..cursor)?;
    let (head, rest) = split(before)?;
    let begun = |words: &mut dyn Iterator<Item = String>, word: &str| -> Vec<String> {
        words.filter(|candidate| candidate.starts_with(word)).collect()
    };
    if rest.is_empty() && head.trim_start().starts_with(':') {
        let mut names = COMMANDS.iter().map(|command| format!(":{}", command.name));
        return Some((before.len() - head.trim_start().len(), begun(&mut names, head.trim_start())));
    }
    let word = rest.trim_start();
    let start = before.len() - word.len();
    match takes(head) {
        Takes::Nothing | Takes::Number => Some((start, Vec::new())),
        Takes::Topic | Takes::Expr => None,
        Takes::File => {
            // A path is written here without quotes, unlike in the language.
            let found = session.complete(&format!("\"{word}"), word.len() + 1);
            Some((start, found.candidates.into_iter().map(|candidate| candidate.text).collect()))
        }
        Takes::Setting => Some(match word.split_once(char::is_whitespace) {
            None => (start, begun(&mut SETTINGS.iter().map(|setting| setting.key.to_owned()), word)),
            Some((key, value)) => {
                let words = SETTINGS.iter().find(|setting| setting.key == key).map_or(&[][..], |setting| setting.words);
                let value = value.trim_start();
                (before.len() - value.len(), begun(&mut words.iter().map(|word| (*word).to_owned()), value))
            }
        }),
    }
}

/// The argument of a command whose name is complete.
pub fn hint(line: &str) -> Option<String> {
    let (head, rest) = split(line)?;
    let name = head.trim_start().strip_prefix(':')?;
    let command = COMMANDS.iter().find(|command| command.name == name)?;
    rest.trim().is_empty().then(|| format!("{}  {}", command.shown, command.summary).trim().to_owned())
}

/// Shows the last error again, with the help on the call around it.
fn explain(repl: &mut Repl, _: &str) -> Result<Next, Diagnostic> {
    let Some((fault, sources)) = repl.screen.last_error() else {
        return Err(Diagnostic::error("there was no error in this session"));
    };
    repl.screen.diagnostic(&fault, &sources);
    let place = fault.span().and_then(|span| Some((span, sources.get(span.source)?.text())));
    let Some((span, text)) = place else { return Ok(Next::Stay) };
    let word = text.get(span.start..span.end).unwrap_or("");
    let around = text.get(..span.start).and_then(open_call);
    let topics: Vec<String> =
        [word].into_iter().chain(around).filter(|name| registry::find(name).is_some()).map(Into::into).collect();
    for topic in topics {
        repl.screen.line("");
        repl.explain(&topic);
    }
    Ok(Next::Stay)
}

fn help(repl: &mut Repl, rest: &str) -> Result<Next, Diagnostic> {
    if let Some(name) = rest.strip_prefix(':') {
        let command = find(name)?;
        repl.screen.line(&format!(":{} {}\n  {}", command.name, command.shown, command.summary));
        if command.takes == Takes::Setting {
            settings(repl);
        }
        return Ok(Next::Stay);
    }
    if !rest.is_empty() {
        repl.explain(rest);
        return Ok(Next::Stay);
    }
    let heads: Vec<String> = COMMANDS.iter().map(|command| format!(":{} {}", command.name, command.shown)).collect();
    let width = heads.iter().map(String::len).max().unwrap_or(0);
    for (head, command) in heads.iter().zip(COMMANDS) {
        repl.screen.line(&format!("  {head:width$}  {}", command.summary));
    }
    repl.screen.line("\n`?` lists the names of the language, `?name` explains one, `_` is the last value.");
    repl.screen.line(
        "A line that begins with `|>` continues from it. Tab completes names, Ctrl-C stops the running statement.",
    );
    Ok(Next::Stay)
}

fn vars(repl: &mut Repl, _: &str) -> Result<Next, Diagnostic> {
    let session = repl.session.borrow();
    let bound = session.bindings();
    if bound.is_empty() {
        repl.screen.line("nothing is bound yet");
        return Ok(Next::Stay);
    }
    let names = bound.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
    let kinds = bound.iter().map(|(_, value)| type_of(value).len()).max().unwrap_or(0);
    let columns = repl.screen.columns();
    for (name, value) in bound {
        let text = value.to_string();
        let mut lines = text.lines().filter(|line| !line.trim().is_empty());
        let first = lines.next().unwrap_or("").trim();
        let more = if lines.next().is_some() { " …" } else { "" };
        let line = format!("{name:names$}  {:kinds$}  {first}{more}", type_of(value));
        repl.screen.line(&columns.map_or(line.clone(), |columns| fit(&line, columns)));
    }
    Ok(Next::Stay)
}

fn kind(repl: &mut Repl, rest: &str) -> Result<Next, Diagnostic> {
    if let Some(value) = repl.value(rest) {
        repl.screen.line(type_of(&value));
    }
    Ok(Next::Stay)
}

fn members(repl: &mut Repl, rest: &str) -> Result<Next, Diagnostic> {
    let Some(value) = repl.value(rest) else { return Ok(Next::Stay) };
    let members = value.kind().members();
    if members.is_empty() {
        repl.screen.line(&format!("{} has no members", value.kind().noun()));
    }
    let width = members.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    for (name, about) in members.iter() {
        repl.screen.line(&format!("{name:width$}  {about}"));
    }
    Ok(Next::Stay)
}

/// A path as typed, with or without quotes.
fn path(text: &str) -> &Path {
    let bare = text.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
    Path::new(bare.unwrap_or(text))
}

fn load(repl: &mut Repl, rest: &str) -> Result<Next, Diagnostic> {
    repl.run(|session, progress, out| session.run_file(path(rest), progress, out));
    Ok(Next::Stay)
}

fn save(repl: &mut Repl, rest: &str) -> Result<Next, Diagnostic> {
    let path = path(rest);
    repl.session.borrow().save(path).map_err(|error| Diagnostic::error(error.to_string()))?;
    repl.screen.remark(&format!("wrote {}", path.display()));
    Ok(Next::Stay)
}

fn time(repl: &mut Repl, rest: &str) -> Result<Next, Diagnostic> {
    let begun = Instant::now();
    repl.run(|session, progress, out| session.run_with(rest, NAME, progress, out));
    repl.screen.remark(&format!("took {:.3} s", begun.elapsed().as_secs_f64()));
    Ok(Next::Stay)
}

fn seed(repl: &mut Repl, rest: &str) -> Result<Next, Diagnostic> {
    if !rest.is_empty() {
        let seed = rest.parse().ok().filter(|seed| *seed <= LARGEST_SEED).ok_or_else(|| {
            Diagnostic::error(format!("a seed is a whole number from 0 to {LARGEST_SEED}, found `{rest}`"))
        })?;
        repl.session.borrow_mut().set_seed(seed);
    }
    let seed = repl.session.borrow().seed();
    repl.screen.line(&format!("seed {seed}"));
    Ok(Next::Stay)
}

fn settings(repl: &mut Repl) {
    let keys = SETTINGS.iter().map(|setting| setting.key.len()).max().unwrap_or(0);
    let values = SETTINGS.iter().map(|setting| setting.values.len()).max().unwrap_or(0);
    for Setting { key, values: allowed, summary, now, .. } in SETTINGS {
        let now = now(repl);
        repl.screen.line(&format!("  {key:keys$}  {allowed:values$}  {summary} (now {now})"));
    }
}

fn set(repl: &mut Repl, rest: &str) -> Result<Next, Diagnostic> {
    if rest.is_empty() {
        settings(repl);
        return Ok(Next::Stay);
    }
    let (key, value) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    // Both spellings are English.
    let key = if key == "color" { "colour" } else { key };
    let keys = SETTINGS.iter().map(|setting| setting.key);
    let Some(setting) = SETTINGS.iter().find(|setting| setting.key == key) else {
        let fault = Diagnostic::error(format!("there is no setting `{key}`"));
        if COMMANDS.iter().any(|command| command.name == key) {
            return Err(fault.help(format!("`{key}` is a command: write `:{rest}`")));
        }
        return Err(match nearest(key, keys.clone()) {
            Some(near) => fault.help(format!("did you mean `{near}`?")),
            None => fault.note(format!("the settings are {}", keys.collect::<Vec<_>>().join(", "))),
        });
    };
    if value.trim().is_empty() {
        return Err(Diagnostic::error(format!("write `:set {key} VALUE`, where VALUE is {}", setting.values)));
    }
    (setting.change)(repl, value.trim()).map_err(Diagnostic::error)?;
    Ok(Next::Stay)
}

fn reset(repl: &mut Repl, _: &str) -> Result<Next, Diagnostic> {
    repl.session.borrow_mut().reset();
    repl.screen.line("all names are unbound");
    Ok(Next::Stay)
}

fn quit(_: &mut Repl, _: &str) -> Result<Next, Diagnostic> {
    Ok(Next::Leave)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_found_by_their_beginning() {
        assert_eq!(find("quit").unwrap().name, "quit");
        assert_eq!(find("q").unwrap().name, "quit");
        let say = |name| find(name).err().map(|fault| (fault.message, fault.help.unwrap_or_default())).unwrap();
        assert_eq!(say("se").0, "`:se` is ambiguous: `:seed` or `:set`");
        assert_eq!(say("vasr"), ("there is no command `:vasr`".into(), "did you mean `:vars`?".into()));
        assert_eq!(say("").0, "there is no command `:`");
    }

    #[test]
    fn commands_are_completed() {
        let session = Session::default();
        let texts = |line: &str| complete(line, line.len(), &session);
        assert_eq!(texts(":re"), Some((0, vec![":reset".into()])));
        assert_eq!(texts(" :set co"), Some((6, vec!["colour".into()])));
        assert_eq!(texts(":set colour o"), Some((12, vec!["on".into(), "off".into()])));
        assert_eq!(texts(":seed 1"), Some((6, vec![])));
        assert_eq!(texts(":type ab"), None);
        assert_eq!(texts("let x"), None);
        assert!(texts(":load Carg").is_some_and(|(start, texts)| start == 6 && texts.contains(&"Cargo.toml".into())));
    }

    #[test]
    fn lines_are_split_at_their_command() {
        assert_eq!(split(":time f(x)"), Some((":time", " f(x)")));
        assert_eq!(split("  ?fit"), Some(("  ?", "fit")));
        assert_eq!(split("x : y"), None);
        assert_eq!(hint(":seed").as_deref(), Some("[N]  show or set the seed"));
    }
}
