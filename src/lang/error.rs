//! Errors of evaluation and checking. An error is created without a place in the text; the caller that knows the place
//! adds it, and the session converts the error to a [`Diagnostic`].

use crate::syntax::diagnostic::Diagnostic;
use crate::syntax::span::Span;

pub type Res<T> = Result<T, LangError>;

/// An error of evaluation. It is boxed so that results are small.
#[derive(Debug, Clone)]
pub struct LangError(Box<Body>);

#[derive(Debug, Clone)]
struct Body {
    message: String,
    /// The text of the first label.
    label: String,
    labels: Vec<(Span, String)>,
    /// The call that contains the error; of several, the outermost.
    called: Option<(Span, String)>,
    notes: Vec<String>,
    help: Option<String>,
    /// The argument that caused the error, by its name in the signature.
    argument: Option<&'static str>,
    stopped: bool,
}

impl LangError {
    pub fn new(message: impl Into<String>) -> Self {
        Self(Box::new(Body {
            message: message.into(),
            label: String::new(),
            labels: Vec::new(),
            called: None,
            notes: Vec::new(),
            help: None,
            argument: None,
            stopped: false,
        }))
    }

    /// The user stopped the work.
    pub fn stopped() -> Self {
        let mut error = Self::new("stopped");
        error.0.stopped = true;
        error
    }

    pub fn is_stop(&self) -> bool {
        self.0.stopped
    }

    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// Sets the text of the label at its place.
    pub fn label(mut self, text: impl Into<String>) -> Self {
        self.0.label = text.into();
        self
    }

    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.0.notes.push(note.into());
        self
    }

    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.0.help = Some(help.into());
        self
    }

    /// As [`LangError::help`], unless it already has help.
    pub fn or_help(mut self, help: impl FnOnce() -> String) -> Self {
        self.0.help.get_or_insert_with(help);
        self
    }

    /// Appends to the message.
    pub fn within(mut self, place: &str) -> Self {
        self.0.message = format!("{} {place}", self.0.message);
        self
    }

    /// Sets the argument of the signature that caused the error, unless it is known already.
    pub fn argument(mut self, place: &'static str) -> Self {
        self.0.argument.get_or_insert(place);
        self
    }

    /// The argument that caused the error, if it is known.
    pub fn argument_name(&self) -> Option<&'static str> {
        self.0.argument
    }

    pub fn is_placed(&self) -> bool {
        !self.0.labels.is_empty()
    }

    /// Sets its place, unless it has one.
    pub fn at(mut self, span: Span) -> Self {
        if self.0.labels.is_empty() {
            let text = std::mem::take(&mut self.0.label);
            // A label without text is not drawn.
            let text = if text.is_empty() { "here".into() } else { text };
            self.0.labels.push((span, text));
        }
        self
    }

    /// Adds a label at another place.
    pub fn also(mut self, span: Span, text: impl Into<String>) -> Self {
        self.0.labels.push((span, text.into()));
        self
    }

    /// Records the call that contains the error; of several, the outermost is shown.
    pub fn called(mut self, span: Span, text: impl Into<String>) -> Self {
        self.0.called = Some((span, text.into()));
        self
    }
}

impl From<LangError> for Diagnostic {
    fn from(error: LangError) -> Self {
        let body = *error.0;
        let mut diagnostic = Diagnostic::error(body.message);
        let inside =
            |span: Span, outer: Span| span.source == outer.source && outer.start <= span.start && span.end <= outer.end;
        if let Some((span, text)) = body.called
            && !body.labels.iter().any(|(label, _)| inside(*label, span))
        {
            diagnostic = body.labels.into_iter().fold(diagnostic, |d, (s, t)| d.label(s, t)).label(span, text);
        } else {
            diagnostic = body.labels.into_iter().fold(diagnostic, |d, (s, t)| d.label(s, t));
        }
        diagnostic = body.notes.into_iter().fold(diagnostic, Diagnostic::note);
        if let Some(help) = body.help {
            diagnostic = diagnostic.help(help);
        }
        diagnostic
    }
}
