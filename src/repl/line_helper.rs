//! Assistance while a line is typed: completion, hints, colours, and whether the text continues in the next line.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

use console::Term;
use mercer::session::Session;
use mercer::syntax::layout::is_incomplete;
use rustyline::completion::{Completer, Pair};
use rustyline::highlight::{CmdKind, Highlighter};
use rustyline::hint::{Hint, Hinter};
use rustyline::validate::{ValidationContext, ValidationResult, Validator};
use rustyline::{Context, Helper};
use unicode_width::UnicodeWidthStr;

use super::colours::coloured;
use super::commands::{self, Takes};
use super::open_call::open_call;
use super::state::PROMPT;
use crate::terminal::{fit, paint, size};

/// The least width of a hint.
const SHORTEST: usize = 16;
const FAINT: &str = "2";
const COMMAND: &str = "1";

/// Completion, hints, colours and validation of the typed line.
#[derive(Helper)]
pub struct LineHelper {
    session: Rc<RefCell<Session>>,
    /// Whether the line is drawn for the last time, without a cursor.
    last: Cell<bool>,
    /// Without hints, for screen readers.
    plain: bool,
}

impl LineHelper {
    pub fn new(session: Rc<RefCell<Session>>, plain: bool) -> Self {
        Self { session, last: Cell::new(false), plain }
    }
}

impl Completer for LineHelper {
    type Candidate = Pair;

    fn complete(&self, line: &str, cursor: usize, _: &Context<'_>) -> rustyline::Result<(usize, Vec<Pair>)> {
        let session = self.session.borrow();
        let (start, texts) = match commands::complete(line, cursor, &session) {
            Some(found) => found,
            None => {
                let found = session.complete(line, cursor);
                (found.start, found.candidates.into_iter().map(|candidate| candidate.text).collect())
            }
        };
        let pair = |text: String| Pair { display: text.clone(), replacement: text };
        Ok((start, texts.into_iter().map(pair).collect()))
    }
}

/// A hint after the cursor, which cannot be accepted as input.
pub struct Signature(String);

impl Hint for Signature {
    fn display(&self) -> &str {
        &self.0
    }

    fn completion(&self) -> Option<&str> {
        None
    }
}

impl Hinter for LineHelper {
    type Hint = Signature;

    /// The signature of the call at the cursor.
    fn hint(&self, line: &str, cursor: usize, _: &Context<'_>) -> Option<Signature> {
        if cursor < line.len() || self.plain {
            return None;
        }
        let signature = match commands::hint(line) {
            Some(hint) => hint,
            None => self.session.borrow().hint(open_call(line)?)?,
        };
        let (columns, _) = size(&Term::stdout());
        let last = line.rsplit('\n').next().unwrap_or(line);
        let used = if line.contains('\n') { last.width() } else { PROMPT.width() + last.width() };
        let room = columns.checked_sub(used % columns + 3).filter(|room| *room >= SHORTEST)?;
        Some(Signature(format!("  {}", fit(&signature, room))))
    }
}

impl Highlighter for LineHelper {
    fn highlight<'l>(&self, line: &'l str, cursor: usize) -> Cow<'l, str> {
        let cursor = (!self.last.get()).then_some(cursor);
        match commands::split(line) {
            Some((head, rest)) => {
                let cursor = cursor.and_then(|cursor| cursor.checked_sub(head.len()));
                let rest = if commands::takes(head) == Takes::Expr { coloured(rest, cursor) } else { rest.to_owned() };
                Cow::Owned(paint(head, COMMAND, true) + &rest)
            }
            None => Cow::Owned(coloured(line, cursor)),
        }
    }

    fn highlight_hint<'h>(&self, hint: &'h str) -> Cow<'h, str> {
        Cow::Owned(paint(hint, FAINT, true))
    }

    fn highlight_char(&self, _: &str, _: usize, kind: CmdKind) -> bool {
        self.last.set(kind == CmdKind::ForcedRefresh);
        true
    }
}

impl Validator for LineHelper {
    fn validate(&self, context: &mut ValidationContext) -> rustyline::Result<ValidationResult> {
        let goes_on = goes_on(context.input());
        Ok(if goes_on { ValidationResult::Incomplete } else { ValidationResult::Valid(None) })
    }
}

/// Whether the text continues. Two empty lines always end a text, so that an open bracket can be left.
fn goes_on(text: &str) -> bool {
    let code = match commands::split(text) {
        Some((head, rest)) if commands::takes(head) == Takes::Expr => rest,
        Some(_) => return false,
        None => text,
    };
    !text.ends_with("\n\n") && is_incomplete(code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn open_brackets_go_on() {
        for text in ["f(", "let x =", ":time f(", "a |>", "f(\n"] {
            assert!(goes_on(text), "{text}");
        }
        for text in ["f()", "?f(", ":load f(", "f(\n\n", ":quit", ""] {
            assert!(!goes_on(text), "{text}");
        }
    }
}
