//! Completion at the cursor: names, keyword arguments, columns, members, files.

use std::path::Path;

use super::run::Session;
use crate::data::sets;
use crate::lang::eval::evaluator::Entry;
use crate::lang::registry;
use crate::lang::signature::{Group, Need, Want};
use crate::lang::values::value::Value;
use crate::syntax::layout::statement_start;
use crate::syntax::print::print_string;
use crate::syntax::scan::{RESERVED, TokenKind, scan};

/// One candidate for completion.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// The replacement of the text from the start of the completion to the cursor.
    pub text: String,
    /// A short description.
    pub about: String,
    pub offer: Offer,
}

impl Candidate {
    pub fn new(text: impl Into<String>, about: impl Into<String>, offer: Offer) -> Self {
        Self { text: text.into(), about: about.into(), offer }
    }
}

/// What a candidate is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Offer {
    /// The keyword of an argument, with its `=`.
    Keyword,
    Column,
    /// A name that the user has bound.
    Binding,
    /// A name of the language.
    Builtin,
    Member,
    /// A reserved word.
    Word,
    /// A file, a folder or a shipped data set.
    File,
}

/// All candidates for completion.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Completion {
    /// The byte at which the current word starts.
    pub start: usize,
    pub candidates: Vec<Candidate>,
}

/// The context of the cursor.
struct Place<'t> {
    /// The name before the innermost open bracket, if it is a call.
    callee: Option<&'t str>,
    /// The start of an open string, after its quote.
    string: Option<usize>,
}

impl Session {
    /// The completions at a position in a text, sorted.
    pub fn complete(&self, text: &str, cursor: usize) -> Completion {
        let cursor = (0..=cursor.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        let statement = statement_start(text, cursor);
        let before = &text[statement..cursor];
        let place = place(before);
        let mut found = Vec::new();
        let start = if let Some(start) = place.string {
            self.files(&before[start..], place.callee, &mut found);
            start
        } else {
            let start = before.char_indices().rev().find(|(_, c)| !is_word(*c)).map_or(0, |(at, c)| at + c.len_utf8());
            let head = &before[..start];
            match head.strip_suffix('.').filter(|rest| rest.ends_with(|c: char| is_word(c))) {
                Some(owner) => self.members(owner, &mut found),
                None => self.names(place.callee, &mut found),
            }
            let word = &before[start..];
            found.retain(|candidate: &Candidate| candidate.text.starts_with(word));
            start
        };
        found.sort_by(|a, b| a.text.cmp(&b.text));
        found.dedup_by(|a, b| a.text == b.text);
        Completion { start: statement + start, candidates: found }
    }

    fn names(&self, callee: Option<&str>, found: &mut Vec<Candidate>) {
        if let Some(entry) = callee.and_then(registry::find) {
            for place in &entry.signature.places {
                for keyword in std::iter::once(place.name).chain(place.short.iter().copied()) {
                    if place.is_named(keyword) {
                        found.push(Candidate::new(format!("{keyword}="), place.help, Offer::Keyword));
                    }
                }
            }
            self.columns(entry, found);
        }
        for (name, value) in self.bindings() {
            found.push(Candidate::new(name, value.kind().name(), Offer::Binding));
        }
        for entry in registry::all() {
            let about = entry.signature.summary;
            found.extend(entry.names().map(|name| Candidate::new(name, about, Offer::Builtin)));
        }
        found.extend(RESERVED.iter().map(|word| Candidate::new(*word, "", Offer::Word)));
    }

    fn members(&self, owner: &str, found: &mut Vec<Candidate>) {
        let start = owner.char_indices().rev().find(|(_, c)| !is_word(*c)).map_or(0, |(at, c)| at + c.len_utf8());
        if let Some(value) = self.get(&owner[start..]) {
            let open = value.open_members().into_iter();
            found.extend(open.map(|name| Candidate::new(name, "a column", Offer::Column)));
            let members = value.kind().members().iter();
            found.extend(members.map(|(name, help)| Candidate::new(*name, *help, Offer::Member)));
        }
    }

    /// The columns of all bound data sets, if a call uses columns: in a place for inputs, as names of keywords, or in
    /// an expression of columns.
    fn columns(&self, entry: &Entry, found: &mut Vec<Candidate>) {
        let places = &entry.signature.places;
        let verb = entry.signature.group == Group::Data;
        if !verb && !places.iter().any(|place| place.want.is_input()) {
            return;
        }
        let sign = if places.iter().any(|place| place.need == Need::Keywords(None)) { "=" } else { "" };
        for (name, value) in self.bindings() {
            let Value::Data(data) = value else { continue };
            let about = format!("a column of {name}");
            let columns = data.names().into_iter().map(|column| match is_name(column) {
                true => format!("{column}{sign}"),
                false => print_string(column),
            });
            found.extend(columns.map(|text| Candidate::new(text, about.clone(), Offer::Column)));
        }
    }

    /// Files whose path starts with the string.
    fn files(&self, written: &str, callee: Option<&str>, found: &mut Vec<Candidate>) {
        let takes_path = |want: Want| want == Want::Path;
        let wanted = callee.and_then(registry::find);
        if !wanted.is_none_or(|entry| entry.signature.places.iter().any(|place| takes_path(place.want))) {
            return;
        }
        if callee == Some("load") && !written.contains('/') {
            let names = sets::names().filter(|name| name.starts_with(written));
            found.extend(names.map(|name| Candidate::new(name, "a shipped data set", Offer::File)));
        }
        let (folder, stem) = written.rsplit_once('/').map_or(("", written), |(folder, stem)| (folder, stem));
        let base = self.folders().script.join(if folder.is_empty() && written.starts_with('/') { "/" } else { folder });
        let base = if base.as_os_str().is_empty() { Path::new(".").to_owned() } else { base };
        let Ok(entries) = std::fs::read_dir(base) else {
            return;
        };
        for entry in entries.flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            if !name.starts_with(stem) || (name.starts_with('.') && stem.is_empty()) {
                continue;
            }
            let slash = if entry.path().is_dir() { "/" } else { "" };
            let prefix = &written[..written.len() - stem.len()];
            found.push(Candidate::new(format!("{prefix}{name}{slash}"), "", Offer::File));
        }
    }
}

/// Whether a column can be written as a bare word.
fn is_name(column: &str) -> bool {
    let mut tokens = scan(column).into_iter();
    let word = tokens.next().is_some_and(|token| token.kind == TokenKind::Word && token.text(column) == column);
    word && !RESERVED.contains(&column)
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Scans a line up to the cursor for open strings and brackets.
fn place(before: &str) -> Place<'_> {
    let mut open: Vec<Option<&str>> = Vec::new();
    let mut string = None;
    let mut escaped = false;
    let mut comment = false;
    for (at, c) in before.char_indices() {
        match (string, c) {
            _ if comment => comment = c != '\n',
            (Some(_), _) if escaped => escaped = false,
            (Some(_), '\\') => escaped = true,
            (Some(_), '"') => string = None,
            (Some(_), _) => {}
            (None, '"') => string = Some(at + 1),
            (None, '#') => comment = true,
            (None, '(') => {
                let head = before[..at].trim_end();
                let start = head.char_indices().rev().find(|(_, c)| !is_word(*c)).map_or(0, |(i, c)| i + c.len_utf8());
                open.push(Some(&head[start..]).filter(|name| !name.is_empty()));
            }
            (None, '[') => open.push(open.last().copied().flatten()),
            (None, ')' | ']') => {
                open.pop();
            }
            _ => {}
        }
    }
    Place { callee: open.last().copied().flatten(), string }
}
