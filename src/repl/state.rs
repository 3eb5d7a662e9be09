//! The state of the prompt: the session, the screen, and how a text is run.

use std::cell::RefCell;
use std::rc::Rc;

use mercer::lang::help as manual;
use mercer::lang::registry;
use mercer::lang::values::value::Value;
use mercer::progress::Progress;
use mercer::session::{Session, type_of};
use mercer::syntax::diagnostic::{Diagnostic, Sources};

use crate::terminal::{self, Interrupts, Out, Screen};

pub const PROMPT: &str = "mercer> ";
/// The name of typed text in diagnostics.
pub const NAME: &str = "prompt";

/// The session of the prompt, with the screen for its results.
pub struct Repl {
    pub session: Rc<RefCell<Session>>,
    pub screen: Screen,
    pub interrupts: Interrupts,
}

impl Repl {
    /// Runs something in the session, with progress and Ctrl-C.
    pub fn run(&mut self, run: impl FnOnce(&mut Session, &dyn Progress, Out) -> bool) {
        let session = &mut self.session.borrow_mut();
        terminal::play(&mut self.screen, &self.interrupts, |progress, out| run(session, progress, out));
    }

    /// The value of an expression, without binding it. Errors are shown.
    pub fn value(&mut self, text: &str) -> Option<Value> {
        let session = &mut self.session.borrow_mut();
        let visible = self.screen.has_meter();
        let (value, _) = terminal::watched(&self.interrupts, visible, |meter| session.value_of(text, NAME, meter));
        value.map_err(|fault| self.screen.diagnostic(&fault, session.sources())).ok()
    }

    /// Shows help on a name of the user or of the language.
    pub fn explain(&mut self, name: &str) {
        let own = self.session.borrow().get(name).map(|value| format!("{name}: {}\n{value}", type_of(value)));
        if let Some(text) = own {
            return self.screen.text(&text);
        }
        if name.is_empty() {
            let contents = manual::contents(registry::library());
            return self.screen.prose(&format!("{contents}\n\n`?name` says more, with an example"));
        }
        match manual::topic(registry::library(), Some(name)) {
            Ok(text) => self.screen.prose(&text),
            Err(error) => self.screen.diagnostic(&Diagnostic::from(error), &Sources::new()),
        }
    }
}
