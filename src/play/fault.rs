//! Why a state has no answer.

use mercer::model::ModelError;
use mercer::render::{render, without_controls};
use mercer::syntax::diagnostic::{Diagnostic, Sources};
use serde_json::{Value as Json, json};

/// A field of the view, which holds a place on the axis of the input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Field {
    From,
    To,
    At,
}

impl Field {
    /// Its id in the page.
    const fn id(self) -> &'static str {
        match self {
            Self::From => "lo",
            Self::To => "hi",
            Self::At => "at",
        }
    }
}

/// A mistake in the state, or work that ended without a result.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Fault {
    /// The browser sent something else than a state.
    #[error("this is not a state of the page: {0}")]
    Malformed(String),
    /// A state beyond a limit.
    #[error("this is not a state of the page: {0}")]
    State(String),
    /// An error of the language, with an excerpt of the text.
    #[error("{message}")]
    Text { message: String, excerpt: String },
    #[error("{0}")]
    Data(String),
    /// A mistake in a field of the view.
    #[error("{message}")]
    View { field: Field, message: String },
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The work was stopped, by a newer state or because its time was over.
    #[error("stopped")]
    Stopped,
}

impl Fault {
    /// The fault of a diagnostic.
    pub fn of(diagnostic: &Diagnostic, sources: &Sources) -> Self {
        let message = without_controls(&diagnostic.message).into_owned();
        Self::Text { message, excerpt: render(diagnostic, sources, false) }
    }

    /// As JSON: the part of the state that is at fault, the message, and an excerpt if there is one.
    pub fn json(&self) -> Json {
        let place = match self {
            Self::Malformed(_) | Self::State(_) => "state",
            Self::View { field, .. } => field.id(),
            Self::Text { .. } => "text",
            Self::Data(_) => "data",
            Self::Model(_) => "model",
            Self::Stopped => "time",
        };
        let excerpt = match self {
            Self::Text { excerpt, .. } => Some(excerpt.as_str()),
            _ => None,
        };
        json!({ "fault": { "place": place, "message": self.to_string(), "excerpt": excerpt } })
    }
}
