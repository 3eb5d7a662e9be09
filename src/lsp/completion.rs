//! Completion and the signature of the call at the cursor.

use lsp_types::{
    CompletionItem, CompletionItemKind, CompletionTextEdit, ParameterInformation, ParameterLabel, Position,
    SignatureHelp, SignatureInformation, TextEdit,
};
use mercer::lang::registry;
use mercer::session::{Candidate, Offer, Session};
use mercer::syntax::bindings::Bound;
use mercer::syntax::layout::statement_start;
use mercer::syntax::scan::{TokenKind, scan};

use super::analysis::Analysis;

/// The completions at a position. The session has the data of the document.
pub fn complete(analysis: &Analysis, position: Position, session: &Session) -> Vec<CompletionItem> {
    let text = &analysis.text;
    let cursor = text.byte(position);
    let start = statement_start(text.as_str(), cursor);
    let line = &text.as_str()[start..cursor];
    if in_comment(line) {
        return Vec::new();
    }
    let mut found = session.complete(line, line.len());
    let word = line[found.start..].to_owned();
    let before = &line[..found.start];
    if let Some(owner) = before.strip_suffix('.') {
        found.candidates.extend(members(analysis, owner, &word));
    } else if found.candidates.iter().all(|candidate| candidate.offer != Offer::File) && !in_string(line) {
        found.candidates.extend(names(analysis, start + found.start, &word));
    }
    // A name of the document replaces what the session says of it.
    let mut seen = std::collections::HashSet::new();
    let start = start + found.start;
    let items = found.candidates.into_iter().rev().filter(|candidate| seen.insert(candidate.text.clone()));
    items.map(|candidate| item(candidate, analysis, start, cursor)).collect()
}

fn item(candidate: Candidate, analysis: &Analysis, start: usize, end: usize) -> CompletionItem {
    let Candidate { text, about, offer } = candidate;
    let is_family = || registry::find(&text).is_some_and(|entry| entry.is_family());
    let (kind, rank) = match offer {
        Offer::Keyword => (CompletionItemKind::PROPERTY, 0),
        Offer::Column => (CompletionItemKind::FIELD, 0),
        Offer::Member => (CompletionItemKind::FIELD, 0),
        Offer::File => (CompletionItemKind::FILE, 0),
        Offer::Binding => (CompletionItemKind::VARIABLE, 1),
        Offer::Builtin if is_family() => (CompletionItemKind::CLASS, 2),
        Offer::Builtin => (CompletionItemKind::FUNCTION, 2),
        Offer::Word => (CompletionItemKind::KEYWORD, 3),
    };
    CompletionItem {
        sort_text: Some(format!("{rank}{text}")),
        detail: Some(about).filter(|about| !about.is_empty()),
        kind: Some(kind),
        text_edit: Some(CompletionTextEdit::Edit(TextEdit::new(analysis.text.range(start, end), text.clone()))),
        label: text,
        ..CompletionItem::default()
    }
}

fn in_comment(line: &str) -> bool {
    scan(line).last().is_some_and(|token| token.kind == TokenKind::Comment)
}

fn in_string(line: &str) -> bool {
    scan(line).last().is_some_and(|token| token.kind == TokenKind::OpenStr)
}

/// The names that the document binds, and the parameters of the function around the cursor.
fn names(analysis: &Analysis, cursor: usize, word: &str) -> Vec<Candidate> {
    let bindings = analysis.bindings.list.iter().filter(|binding| binding.name.starts_with(word));
    let visible = bindings.filter(|binding| match binding.bound {
        Bound::Let | Bound::Function => true,
        Bound::Parameter | Bound::Loop => {
            binding.sites.iter().any(|site| site.statement.start <= cursor && cursor <= site.statement.end)
        }
    });
    let candidate = |binding: &mercer::syntax::bindings::Binding| {
        let about = match (binding.bound, analysis.kinds.get(&binding.name)) {
            (Bound::Parameter, _) => "a parameter",
            (Bound::Loop, _) => "a variable of this list",
            (_, Some(kind)) => kind.name(),
            (_, None) => "",
        };
        Candidate::new(&*binding.name, about, Offer::Binding)
    };
    visible.map(candidate).collect()
}

/// The members of a name whose kind is known.
fn members(analysis: &Analysis, owner: &str, word: &str) -> Vec<Candidate> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let start = owner.char_indices().rev().find(|(_, c)| !is_word(*c)).map_or(0, |(at, c)| at + c.len_utf8());
    let Some(kind) = analysis.kinds.get(&owner[start..]) else { return Vec::new() };
    let members = kind.members().iter().filter(|(name, _)| name.starts_with(word));
    members.map(|(name, help)| Candidate::new(*name, *help, Offer::Member)).collect()
}

/// The signature of the innermost call at a position, with the argument that is being written.
pub fn signature(analysis: &Analysis, position: Position) -> Option<SignatureHelp> {
    let cursor = analysis.text.byte(position);
    let text = analysis.text.as_str();
    let (name, argument) = open_call(&text[statement_start(text, cursor)..cursor])?;
    let signature = &registry::find(&name).filter(|_| !analysis.kinds.contains_key(&*name))?.signature;
    let label = signature.shown();
    let piped = usize::from(argument.piped);
    let active = match &argument.keyword {
        Some(keyword) => signature.place(keyword),
        None => Some(argument.index + piped),
    };
    let parameters = signature.places.iter().map(|place| ParameterInformation {
        label: ParameterLabel::Simple(place.shown()),
        documentation: Some(lsp_types::Documentation::String(place.help.into())),
    });
    let active = active.filter(|at| *at < signature.places.len()).and_then(|at| u32::try_from(at).ok());
    Some(SignatureHelp {
        signatures: vec![SignatureInformation {
            label,
            documentation: Some(lsp_types::Documentation::String(signature.summary.into())),
            parameters: Some(parameters.collect()),
            active_parameter: active,
        }],
        active_signature: Some(0),
        active_parameter: active,
    })
}

struct Argument {
    index: usize,
    keyword: Option<String>,
    /// Whether the first argument of the call is the value before `|>`.
    piped: bool,
}

/// The innermost open call of a text, and its argument at the end of the text.
fn open_call(text: &str) -> Option<(String, Argument)> {
    let tokens: Vec<_> = scan(text).into_iter().filter(|token| token.is_code()).collect();
    let mut open = Vec::new();
    for (index, token) in tokens.iter().enumerate() {
        match token.kind {
            TokenKind::Open => open.push((index, 0, index)),
            TokenKind::Close => drop(open.pop()),
            TokenKind::Comma => {
                if let Some((_, commas, last)) = open.last_mut() {
                    (*commas, *last) = (*commas + 1, index);
                }
            }
            _ => {}
        }
    }
    open.into_iter().rev().find_map(|(at, index, last)| {
        let callee = tokens.get(at.checked_sub(1)?)?;
        if tokens[at].text(text) != "(" || callee.kind != TokenKind::Word || callee.end != tokens[at].start {
            return None;
        }
        let word = tokens.get(last + 1).filter(|token| token.kind == TokenKind::Word);
        let named = tokens.get(last + 2).is_some_and(|token| token.text(text) == "=");
        let keyword = word.filter(|_| named).map(|word| word.text(text).to_owned());
        let piped = at >= 2 && tokens[at - 2].text(text) == "|>";
        Some((callee.text(text).to_owned(), Argument { index, keyword, piped }))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_argument_of_the_innermost_call_is_found() {
        let found = |text: &str| open_call(text).map(|(name, at)| (name, at.index, at.keyword, at.piped));
        assert_eq!(found("fit(air, SE("), Some(("SE".into(), 0, None, false)));
        assert_eq!(found("air |> fit(SE(0), seed=2"), Some(("fit".into(), 1, Some("seed".into()), true)));
        assert_eq!(found("f([1, 2], "), Some(("f".into(), 1, None, false)));
        assert_eq!(found("f(1)"), None);
    }
}
