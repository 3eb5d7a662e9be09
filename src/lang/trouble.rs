//! What went wrong, on its way to a [`Diagnostic`]: born without a place, located by whoever knows one.

use crate::syntax::diagnostic::Diagnostic;
use crate::syntax::span::Span;

pub type Res<T> = Result<T, Trouble>;

/// An error of evaluation. Small, so that results stay small.
#[derive(Debug, Clone)]
pub struct Trouble(Box<Body>);

#[derive(Debug, Clone)]
struct Body {
    message: String,
    /// What stands at the first label.
    saying: String,
    labels: Vec<(Span, String)>,
    /// Where the call stands that led here, the outermost last.
    called: Option<(Span, String)>,
    notes: Vec<String>,
    help: Option<String>,
    /// The place of the argument that is to blame, by its name in the signature.
    blame: Option<&'static str>,
    stopped: bool,
}

impl Trouble {
    pub fn new(message: impl Into<String>) -> Self {
        Self(Box::new(Body {
            message: message.into(),
            saying: String::new(),
            labels: Vec::new(),
            called: None,
            notes: Vec::new(),
            help: None,
            blame: None,
            stopped: false,
        }))
    }

    /// Somebody asked to stop.
    pub fn stopped() -> Self {
        let mut trouble = Self::new("stopped");
        trouble.0.stopped = true;
        trouble
    }

    pub fn is_stop(&self) -> bool {
        self.0.stopped
    }

    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// Text for the label, once there is a place.
    pub fn saying(mut self, text: impl Into<String>) -> Self {
        self.0.saying = text.into();
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

    /// As [`Trouble::help`], unless it has some.
    pub fn or_help(mut self, help: impl FnOnce() -> String) -> Self {
        self.0.help.get_or_insert_with(help);
        self
    }

    /// Adds to the end of the message.
    pub fn within(mut self, place: &str) -> Self {
        self.0.message = format!("{} {place}", self.0.message);
        self
    }

    /// Blames the argument at a place of the signature.
    pub fn blame(mut self, place: &'static str) -> Self {
        self.0.blame.get_or_insert(place);
        self
    }

    pub fn blamed(&self) -> Option<&'static str> {
        self.0.blame
    }

    pub fn is_placed(&self) -> bool {
        !self.0.labels.is_empty()
    }

    /// Gives it a place, unless it has one.
    pub fn at(mut self, span: Span) -> Self {
        if self.0.labels.is_empty() {
            let text = std::mem::take(&mut self.0.saying);
            // A label without text is not drawn.
            let text = if text.is_empty() { "here".into() } else { text };
            self.0.labels.push((span, text));
        }
        self
    }

    /// One more place that has to do with it.
    pub fn also(mut self, span: Span, text: impl Into<String>) -> Self {
        self.0.labels.push((span, text.into()));
        self
    }

    /// Remembers the call that it came through; of several, the outermost is shown.
    pub fn called(mut self, span: Span, text: impl Into<String>) -> Self {
        self.0.called = Some((span, text.into()));
        self
    }
}

impl From<Trouble> for Diagnostic {
    fn from(trouble: Trouble) -> Self {
        let body = *trouble.0;
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
