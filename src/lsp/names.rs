//! Names: where they are bound and mentioned, renaming, and the outline of a document.

use std::collections::HashMap;
use std::path::PathBuf;

use lsp_types::{
    DocumentHighlight, DocumentSymbol, Location, Position, PrepareRenameResponse, Range, SymbolKind, TextEdit, Uri,
    WorkspaceEdit,
};
use mercer::lang::registry;
use mercer::lang::values::value::Kind;
use mercer::session;
use mercer::syntax::ast::StatementKind;
use mercer::syntax::bindings::{Bindings, Bound, Occurrence};
use mercer::syntax::parse::parse_all;
use mercer::syntax::scan::{RESERVED, TokenKind, scan};
use mercer::syntax::span::SourceId;

use super::analysis::{Analysis, folder};
use super::text::{Encoding, Text};

/// The largest number of imported files that are searched for a name.
const MOST_IMPORTS: usize = 100;

/// Why a name cannot be changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RenameError {
    #[error("the cursor is not on a name")]
    NoName,
    #[error("`{0}` is not bound in this document: only names of `let`, `fn`, parameters and variables can be changed")]
    Foreign(String),
    #[error("`{0}` is not a name: a name is one word that begins with a letter or `_`")]
    NotAName(String),
    #[error("`{0}` is a word of the language")]
    Reserved(String),
    #[error("`{0}` is the name of a kernel family")]
    Family(String),
    #[error("`{0}` already has another meaning here: choose a name that the document does not use")]
    Taken(String),
    #[error("the document has errors of syntax, so that not all mentions are known: correct them first")]
    Unreadable,
}

fn at(analysis: &Analysis, position: Position) -> Option<&Occurrence> {
    analysis.bindings.at(analysis.text.byte(position))
}

fn range(analysis: &Analysis, occurrence: &Occurrence) -> Range {
    analysis.text.range(occurrence.span.start, occurrence.span.end)
}

/// Where the name at a position is bound: in the document, or in a file that it imports. On the path of an import it is
/// the start of that file.
pub fn definition(analysis: &Analysis, uri: &Uri, position: Position, encoding: Encoding) -> Option<Location> {
    let byte = analysis.text.byte(position);
    let here = folder(uri);
    for statement in &analysis.program.statements {
        if let StatementKind::Import(path) = &statement.node
            && path.span.start <= byte
            && byte <= path.span.end
        {
            return Some(Location::new(uri_of(here.join(&*path.node).canonicalize().ok()?)?, Range::default()));
        }
    }
    let found = analysis.bindings.at(byte)?;
    if let Some(site) = analysis.bindings.definition(found) {
        return Some(Location::new(uri.clone(), analysis.text.range(site.name.start, site.name.end)));
    }
    imported(&found.name, imports(analysis, here), encoding)
}

fn imports(analysis: &Analysis, folder: PathBuf) -> Vec<PathBuf> {
    let paths = analysis.program.statements.iter().filter_map(|statement| match &statement.node {
        StatementKind::Import(path) => Some(folder.join(&*path.node)),
        _ => None,
    });
    paths.collect()
}

/// The last binding of a name in these files or those that they import.
fn imported(name: &str, files: Vec<PathBuf>, encoding: Encoding) -> Option<Location> {
    let mut waiting: Vec<PathBuf> = files.into_iter().rev().collect();
    let mut seen = Vec::new();
    while let Some(file) = waiting.pop() {
        let Ok(file) = file.canonicalize() else { continue };
        if seen.contains(&file) || seen.len() >= MOST_IMPORTS {
            continue;
        }
        seen.push(file.clone());
        let Ok(text) = session::read(&file) else { continue };
        let program = parse_all(&text, SourceId::default()).program;
        let bindings = Bindings::of(&program);
        let top = bindings.list.iter().find(|b| *b.name == *name && matches!(b.bound, Bound::Let | Bound::Function));
        if let Some(site) = top.and_then(|binding| binding.sites.last()) {
            let text = Text::new(text, encoding);
            return Some(Location::new(uri_of(file)?, text.range(site.name.start, site.name.end)));
        }
        let folder = file.parent().map(PathBuf::from).unwrap_or_default();
        waiting.extend(program.statements.iter().filter_map(|statement| match &statement.node {
            StatementKind::Import(path) => Some(folder.join(&*path.node)),
            _ => None,
        }));
    }
    None
}

/// The address of a file, with the bytes that an address cannot contain as `%` and two digits.
fn uri_of(file: PathBuf) -> Option<Uri> {
    let path = file.to_str()?.replace('\\', "/");
    let mut out = String::from(if path.starts_with('/') { "file://" } else { "file:///" });
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'_' | b'.' | b'~' | b':' => out.push(byte.into()),
            other => out.push_str(&format!("%{other:02X}")),
        }
    }
    out.parse().ok()
}

/// All mentions of the name at a position; of a column or a name of the language all those with the same word.
fn mentions<'a>(analysis: &'a Analysis, found: &'a Occurrence) -> impl Iterator<Item = &'a Occurrence> {
    analysis.bindings.occurrences.iter().filter(move |other| match found.binding {
        Some(_) => other.binding == found.binding,
        None => other.binding.is_none() && other.name == found.name && other.keyword == found.keyword,
    })
}

pub fn references(analysis: &Analysis, uri: &Uri, position: Position, with_binding: bool) -> Vec<Location> {
    let Some(found) = at(analysis, position) else { return Vec::new() };
    let sites = found.binding.map_or(&[][..], |binding| &analysis.bindings.list[binding].sites);
    let wanted = |other: &&Occurrence| with_binding || sites.iter().all(|site| site.name != other.span);
    let found = mentions(analysis, found).filter(wanted);
    found.map(|other| Location::new(uri.clone(), range(analysis, other))).collect()
}

pub fn highlights(analysis: &Analysis, position: Position) -> Vec<DocumentHighlight> {
    let Some(found) = at(analysis, position) else { return Vec::new() };
    mentions(analysis, found).map(|other| DocumentHighlight { range: range(analysis, other), kind: None }).collect()
}

/// Whether the name at a position can be changed, and its place.
pub fn prepare_rename(analysis: &Analysis, position: Position) -> Result<PrepareRenameResponse, RenameError> {
    let (found, _) = changeable(analysis, position)?;
    Ok(PrepareRenameResponse::RangeWithPlaceholder {
        range: range(analysis, found),
        placeholder: found.name.to_string(),
    })
}

fn changeable(analysis: &Analysis, position: Position) -> Result<(&Occurrence, usize), RenameError> {
    let found = at(analysis, position).ok_or(RenameError::NoName)?;
    let binding = found.binding.ok_or_else(|| RenameError::Foreign(found.name.to_string()))?;
    Ok((found, binding))
}

/// The changes that give a name another. They are refused if any mention would change its meaning.
pub fn rename(analysis: &Analysis, uri: &Uri, position: Position, new: &str) -> Result<WorkspaceEdit, RenameError> {
    let (_, binding) = changeable(analysis, position)?;
    let mut tokens = scan(new).into_iter();
    let is_word = tokens.next().is_some_and(|token| token.kind == TokenKind::Word && token.text(new) == new);
    if !is_word {
        return Err(RenameError::NotAName(new.to_owned()));
    }
    if RESERVED.contains(&new) {
        return Err(RenameError::Reserved(new.to_owned()));
    }
    if registry::find(new).is_some_and(|entry| entry.is_family()) {
        return Err(RenameError::Family(new.to_owned()));
    }
    let text = analysis.text.as_str();
    if !parse_all(text, SourceId::default()).diagnostics.is_empty() {
        return Err(RenameError::Unreadable);
    }
    let mut changed = text.to_owned();
    let uses: Vec<&Occurrence> = analysis.bindings.uses(binding).collect();
    for found in uses.iter().rev() {
        changed.replace_range(found.span.start..found.span.end, new);
    }
    let after = Bindings::of(&parse_all(&changed, SourceId::default()).program);
    let meaning = |bindings: &Bindings| bindings.occurrences.iter().map(|o| (o.binding, o.keyword)).collect::<Vec<_>>();
    let unbound = |bindings: &Bindings| bindings.occurrences.iter().any(|o| o.binding.is_none() && *o.name == *new);
    if meaning(&analysis.bindings) != meaning(&after) || unbound(&analysis.bindings) {
        return Err(RenameError::Taken(new.to_owned()));
    }
    let edits = uses.iter().map(|found| TextEdit::new(range(analysis, found), new.to_owned())).collect();
    // The type of the protocol has addresses as keys.
    #[allow(clippy::mutable_key_type)]
    let changes = HashMap::from([(uri.clone(), edits)]);
    Ok(WorkspaceEdit::new(changes))
}

/// The top-level names with their statements.
pub fn outline(analysis: &Analysis) -> Vec<DocumentSymbol> {
    let top = |bound| matches!(bound, Bound::Let | Bound::Function);
    let bindings = analysis.bindings.list.iter().filter(|binding| top(binding.bound));
    let mut symbols: Vec<DocumentSymbol> = bindings
        .flat_map(|binding| binding.sites.iter().map(move |site| (binding, site)))
        .map(|(binding, site)| {
            let kind = analysis.kinds.get(&binding.name);
            #[allow(deprecated)] // a field of the protocol without a default
            DocumentSymbol {
                name: binding.name.to_string(),
                detail: kind.map(|kind| kind.name().to_owned()),
                kind: match (binding.bound, kind) {
                    (Bound::Function, _) | (_, Some(Kind::Function)) => SymbolKind::FUNCTION,
                    _ => SymbolKind::VARIABLE,
                },
                tags: None,
                deprecated: None,
                range: analysis.text.range(site.statement.start, site.statement.end),
                selection_range: analysis.text.range(site.name.start, site.name.end),
                children: None,
            }
        })
        .collect();
    symbols.sort_by_key(|symbol| symbol.selection_range.start);
    symbols
}
