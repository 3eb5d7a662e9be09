//! Help on the word under the pointer.

use lsp_types::{Hover, HoverContents, MarkupContent, MarkupKind, Position};
use mercer::data::Dataset;
use mercer::lang::help;
use mercer::lang::registry;
use mercer::lang::values::value::Value;
use mercer::session::Session;
use mercer::syntax::bindings::{Bound, Occurrence};
use mercer::syntax::scan::{Token, TokenKind, scan};

use super::analysis::Analysis;

/// The longest statement that is shown, in characters.
const LONGEST: usize = 600;

/// Help on a position. The session has the data of the document.
pub fn hover(analysis: &Analysis, position: Position, session: &Session) -> Option<Hover> {
    let text = analysis.text.as_str();
    let byte = analysis.text.byte(position);
    let tokens = scan(text);
    let inside = |token: &&Token| token.start <= byte && byte < token.end;
    let at = tokens.iter().position(|token| inside(&token)).or_else(|| tokens.iter().position(|t| t.end == byte))?;
    let token = tokens[at];
    let word = token.text(text);
    let shown = match analysis.bindings.at(token.start).filter(|found| found.span.start == token.start) {
        Some(found) if found.keyword && found.binding.is_none() => keyword(text, &tokens, at),
        Some(found) => name(analysis, found, session),
        None => match token.kind {
            TokenKind::Word | TokenKind::Op => member(analysis, &tokens, at).or_else(|| of_language(word)),
            _ => None,
        },
    }?;
    Some(Hover {
        contents: HoverContents::Markup(MarkupContent { kind: MarkupKind::Markdown, value: shown }),
        range: Some(analysis.text.range(token.start, token.end)),
    })
}

/// A name: the user's, a column, or one of the language.
fn name(analysis: &Analysis, found: &Occurrence, session: &Session) -> Option<String> {
    let Some(site) = analysis.bindings.definition(found) else {
        return of_language(&found.name).or_else(|| column(&found.name, session));
    };
    let bound = analysis.bindings.list[found.binding?].bound;
    let text = &analysis.text.as_str()[site.statement.start..site.statement.end];
    let cut = text.char_indices().nth(LONGEST).map_or(text.len(), |(at, _)| at);
    let dots = if cut < text.len() { " …" } else { "" };
    let written = format!("```mercer\n{}{dots}\n```", &text[..cut]);
    let kind = analysis.kinds.get(&found.name).filter(|_| matches!(bound, Bound::Let | Bound::Function));
    let about = match (bound, kind) {
        (Bound::Parameter, _) => format!("`{}`: a parameter", found.name),
        (Bound::Loop, _) => format!("`{}`: a variable of this list", found.name),
        (_, Some(kind)) => format!("`{}`: {}", found.name, kind.noun()),
        (_, None) => format!("`{}`", found.name),
    };
    let rows = match session.get(&found.name) {
        Some(Value::Data(data)) if matches!(bound, Bound::Let) => columns(data),
        _ => String::new(),
    };
    Some(format!("{about}\n\n{written}{rows}"))
}

fn columns(data: &Dataset) -> String {
    let lines = data.columns().iter().map(|column| format!("\n- `{}`{}", column.name(), role(data, column.name())));
    format!("\n\n{} rows\n{}", data.n(), lines.collect::<String>())
}

fn role(data: &Dataset, column: &str) -> String {
    let unit = data.column(column).and_then(|column| column.unit()).map(|unit| format!(" ({unit})"));
    let target = data.target().is_some_and(|target| target.name() == column);
    let role = if target {
        ", the target"
    } else if data.input_names().contains(&column) {
        ", an input"
    } else {
        ""
    };
    unit.unwrap_or_default() + role
}

fn column(name: &str, session: &Session) -> Option<String> {
    let found = session.bindings().into_iter().filter_map(|(owner, value)| match value {
        Value::Data(data) => data.column(name).map(|_| format!("- column of `{owner}`{}", role(data, name))),
        _ => None,
    });
    let lines: Vec<String> = found.collect();
    (!lines.is_empty()).then(|| format!("`{name}`\n\n{}", lines.join("\n")))
}

/// A member after a dot, if the kind of the value before it is known.
fn member(analysis: &Analysis, tokens: &[Token], at: usize) -> Option<String> {
    let text = analysis.text.as_str();
    let dot = at.checked_sub(1).filter(|dot| tokens[*dot].text(text) == ".")?;
    let owner = tokens.get(dot.checked_sub(1)?)?.text(text);
    let kind = analysis.kinds.get(owner)?;
    let (name, help) = kind.members().iter().find(|(name, _)| *name == tokens[at].text(text))?;
    Some(format!("`{name}`: {help}\n\nA member of {}.", kind.noun()))
}

/// The keyword of an argument of a builtin.
fn keyword(text: &str, tokens: &[Token], at: usize) -> Option<String> {
    let mut depth = 0;
    let open = tokens[..at].iter().rposition(|token| {
        depth += match token.kind {
            TokenKind::Close => 1,
            TokenKind::Open => -1,
            _ => 0,
        };
        depth < 0
    })?;
    let callee = tokens.get(open.checked_sub(1)?)?.text(text);
    let signature = &registry::find(callee)?.signature;
    let word = tokens[at].text(text);
    let place = signature.places.get(signature.place(word)?)?;
    Some(format!("`{word}`: {}\n\nAn argument of `{}`.", place.help, signature.shown()))
}

fn of_language(word: &str) -> Option<String> {
    help::markdown(registry::library(), word)
}
