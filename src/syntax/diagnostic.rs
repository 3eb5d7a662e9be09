//! Messages to the user about errors in text or data: one form for all stages, with spans in the source.
//!
//! Numeric rooms return small errors without spans; the language converts them to a [`Diagnostic`]. Nothing here draws:
//! [`crate::render`] shows a diagnostic on a terminal, [`Diagnostic::to_json`] is the form for programs.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::span::{SourceId, Span, char_floor};

/// The severity of a diagnostic. Only an error stops a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Severity {
    Error,
    Warning,
    Note,
}

impl Severity {
    /// The word used in the JSON form.
    pub fn name(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        }
    }
}

/// A span with a text. If the text is empty, the span is only underlined.
#[derive(Debug, Clone, PartialEq)]
pub struct Label {
    pub span: Span,
    pub text: String,
}

/// A message to the user. The first label is at the error; others are at related text.
#[derive(Debug, Clone, PartialEq)]
pub struct Diagnostic {
    pub severity: Severity,
    pub message: String,
    pub labels: Vec<Label>,
    pub notes: Vec<String>,
    pub help: Option<String>,
}

/// Of a longer text, this number of characters at each end is shown.
const LONGEST: usize = 3000;
const SHOWN_START: usize = 1000;
const SHOWN_END: usize = 300;

/// The text of a message, with the middle left out if it is very long.
fn shortened(text: String) -> String {
    let count = if text.len() > LONGEST { text.chars().count() } else { 0 };
    if count <= LONGEST {
        return text;
    }
    let byte = |place: usize| text.char_indices().nth(place).map_or(text.len(), |(at, _)| at);
    let (start, end) = (byte(SHOWN_START), byte(count - SHOWN_END));
    format!("{} … ({} characters left out) … {}", &text[..start], count - SHOWN_START - SHOWN_END, &text[end..])
}

impl Diagnostic {
    pub fn new(severity: Severity, message: impl Into<String>) -> Self {
        Self { severity, message: shortened(message.into()), labels: Vec::new(), notes: Vec::new(), help: None }
    }

    pub fn error(message: impl Into<String>) -> Self {
        Self::new(Severity::Error, message)
    }

    pub fn warning(message: impl Into<String>) -> Self {
        Self::new(Severity::Warning, message)
    }

    /// A remark that needs no action, such as which starting values were used.
    pub fn remark(message: impl Into<String>) -> Self {
        Self::new(Severity::Note, message)
    }

    pub fn label(mut self, span: Span, text: impl Into<String>) -> Self {
        self.labels.push(Label { span, text: shortened(text.into()) });
        self
    }

    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(shortened(note.into()));
        self
    }

    /// How to write it correctly. A second call replaces the first.
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(shortened(help.into()));
        self
    }

    /// As [`Diagnostic::help`], if `help` is given.
    pub fn maybe_help(mut self, help: Option<impl Into<String>>) -> Self {
        if let Some(help) = help {
            self.help = Some(shortened(help.into()));
        }
        self
    }

    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }

    /// The span of the error, if it has one.
    pub fn span(&self) -> Option<Span> {
        self.labels.first().map(|label| label.span)
    }

    /// The stable form for programs: `severity message file line column`, then `label notes help` if there are any.
    /// `file line column` are null without a span. Lines and columns count from 1, columns in characters.
    pub fn to_json(&self, sources: &Sources) -> Value {
        let place = self.span().and_then(|span| {
            let source = sources.get(span.source)?;
            Some((source.name().to_owned(), source.position(span.start)))
        });
        let mut out = Map::new();
        out.insert("severity".into(), json!(self.severity.name()));
        out.insert("message".into(), json!(self.message));
        out.insert("file".into(), json!(place.as_ref().map(|(file, _)| file)));
        out.insert("line".into(), json!(place.as_ref().map(|(_, at)| at.line)));
        out.insert("column".into(), json!(place.as_ref().map(|(_, at)| at.column)));
        if let Some(label) = self.labels.first().filter(|label| !label.text.is_empty()) {
            out.insert("label".into(), json!(label.text));
        }
        if !self.notes.is_empty() {
            out.insert("notes".into(), json!(self.notes));
        }
        if let Some(help) = &self.help {
            out.insert("help".into(), json!(help));
        }
        Value::Object(out)
    }
}

/// A line and a column, both from 1; the column counts characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Position {
    pub line: usize,
    pub column: usize,
}

/// One text with its name.
#[derive(Debug)]
pub struct Source {
    name: String,
    text: String,
    /// The byte at which each line starts.
    lines: Vec<usize>,
}

impl Source {
    fn new(name: String, text: String) -> Self {
        let lines = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
        Self { name, text, lines }
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    /// The position of a byte. A byte inside a character counts as that character, one past the end as the end.
    pub fn position(&self, byte: usize) -> Position {
        let byte = char_floor(&self.text, byte);
        let line = self.lines.partition_point(|&start| start <= byte);
        let start = self.lines[line - 1];
        Position { line, column: self.text[start..byte].chars().count() + 1 }
    }

    /// The text of a span, truncated to the source.
    pub fn slice(&self, span: Span) -> &str {
        let start = char_floor(&self.text, span.start);
        let end = char_floor(&self.text, span.end);
        self.text.get(start..end).unwrap_or("")
    }
}

/// All texts that a session has read, by their [`SourceId`]. Copies are cheap.
#[derive(Debug, Clone, Default)]
pub struct Sources {
    list: Vec<Arc<Source>>,
}

impl Sources {
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a text with a name; the first gets `SourceId(0)`.
    pub fn add(&mut self, name: impl Into<String>, text: impl Into<String>) -> SourceId {
        let id = SourceId(u32::try_from(self.list.len()).unwrap_or(u32::MAX));
        self.list.push(Arc::new(Source::new(name.into(), text.into())));
        id
    }

    pub fn get(&self, id: SourceId) -> Option<&Source> {
        self.list.get(id.0 as usize).map(Arc::as_ref)
    }

    /// The text at a span; empty if the source is unknown.
    pub fn slice(&self, span: Span) -> &str {
        self.get(span.source).map_or("", |source| source.slice(span))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_characters_from_one() {
        let mut sources = Sources::new();
        let id = sources.add("a.mer", "σ = 1\n中文 x");
        let source = sources.get(id).unwrap();
        let at = |byte| {
            let place = source.position(byte);
            (place.line, place.column)
        };
        assert_eq!(at(0), (1, 1));
        assert_eq!(at(1), (1, 1), "inside σ");
        assert_eq!(at(2), (1, 2));
        assert_eq!(at(7), (2, 1));
        assert_eq!(at(14), (2, 4));
        assert_eq!(at(999), (2, 5));
    }

    #[test]
    fn json_names_the_place() {
        let mut sources = Sources::new();
        let id = sources.add("a.mer", "let x = 1\nlet y = ?");
        let diagnostic = Diagnostic::error("bad").label(Span::new(id, 18, 19), "here").help("do this");
        let json = diagnostic.to_json(&sources).to_string();
        assert_eq!(
            json,
            r#"{"severity":"error","message":"bad","file":"a.mer","line":2,"column":9,"label":"here","help":"do this"}"#
        );
        let bare = Diagnostic::warning("w").to_json(&sources).to_string();
        assert_eq!(bare, r#"{"severity":"warning","message":"w","file":null,"line":null,"column":null}"#);
    }
}
