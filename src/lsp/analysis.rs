//! What is known of a document without running it, and its diagnostics.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use lsp_types::{Diagnostic, DiagnosticRelatedInformation, DiagnosticSeverity, Location, Range, Uri};
use mercer::lang::eval::host::Folders;
use mercer::lang::values::value::Kind;
use mercer::session::Session;
use mercer::syntax::ast::{Program, StatementKind};
use mercer::syntax::bindings::Bindings;
use mercer::syntax::diagnostic::{self, Severity, Sources};
use mercer::syntax::span::SourceId;

use super::text::Text;

/// A text with the results of the checks.
pub struct Analysis {
    pub text: Text,
    /// The statements without errors of syntax.
    pub program: Program,
    pub bindings: Bindings,
    /// The kinds of the bound names, where they are known.
    pub kinds: HashMap<Arc<str>, Kind>,
    pub diagnostics: Vec<Diagnostic>,
}

impl Analysis {
    /// Checks a document. Imports are relative to its folder.
    pub fn of(text: Text, uri: &Uri) -> Self {
        let mut session = Session::new(Folders { script: folder(uri), ..Folders::default() }, 0);
        let survey = session.survey(text.as_str(), "this document");
        let place = Place { text: &text, uri, program: &survey.program, source: survey.source };
        let diagnostics = survey.diagnostics.iter().map(|found| place.diagnostic(found, session.sources())).collect();
        let bindings = Bindings::of(&survey.program);
        Self { bindings, kinds: survey.kinds, diagnostics, program: survey.program, text }
    }
}

/// The file of a document; `None` for one that is not in a file.
pub fn file(uri: &Uri) -> Option<PathBuf> {
    if !uri.scheme().is_some_and(|scheme| scheme.as_str().eq_ignore_ascii_case("file")) {
        return None;
    }
    let path = uri.path().as_estr().decode().into_string().ok()?.into_owned();
    // `/C:/data` is a path of Windows
    let drive = cfg!(windows) && path.as_bytes().get(2) == Some(&b':');
    Some(PathBuf::from(if drive { &path[1..] } else { &path }))
}

/// The folder of a document, to which its paths are relative.
pub fn folder(uri: &Uri) -> PathBuf {
    file(uri).and_then(|file| file.parent().map(Path::to_owned)).unwrap_or_default()
}

struct Place<'a> {
    text: &'a Text,
    uri: &'a Uri,
    program: &'a Program,
    source: SourceId,
}

impl Place<'_> {
    fn diagnostic(&self, found: &diagnostic::Diagnostic, sources: &Sources) -> Diagnostic {
        let mut message = found.message.clone();
        let mut related = Vec::new();
        let mut range = Range::default();
        for (index, label) in found.labels.iter().enumerate() {
            let here = label.span.source == self.source;
            let inside = self.text.range(label.span.start, label.span.end);
            match (index, here) {
                (0, true) => {
                    range = inside;
                    if !label.text.is_empty() && label.text != "here" {
                        message.push_str(&format!("\n{}", label.text));
                    }
                }
                (0, false) => {
                    range = self.import();
                    if let Some(source) = sources.get(label.span.source) {
                        let line = source.position(label.span.start).line;
                        message = format!("in the imported file `{}`, line {line}: {message}", source.name());
                    }
                }
                (_, true) => related.push(DiagnosticRelatedInformation {
                    location: Location::new(self.uri.clone(), inside),
                    message: label.text.clone(),
                }),
                (_, false) => {}
            }
        }
        found.notes.iter().for_each(|note| message.push_str(&format!("\n{note}")));
        found.help.iter().for_each(|help| message.push_str(&format!("\nHelp: {help}")));
        Diagnostic {
            range,
            severity: Some(match found.severity {
                Severity::Error => DiagnosticSeverity::ERROR,
                Severity::Warning => DiagnosticSeverity::WARNING,
                Severity::Note => DiagnosticSeverity::INFORMATION,
            }),
            source: Some("mercer".into()),
            message,
            related_information: (!related.is_empty()).then_some(related),
            ..Diagnostic::default()
        }
    }

    /// The place of the first import.
    fn import(&self) -> Range {
        let import = self.program.statements.iter().find_map(|statement| match &statement.node {
            StatementKind::Import(path) => Some(path.span),
            _ => None,
        });
        import.map_or_else(Range::default, |span| self.text.range(span.start, span.end))
    }
}
