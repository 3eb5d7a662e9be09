//! The prompt: what is typed is run and shown, until the user leaves. A mistake never ends the session.

mod colours;
mod commands;
mod guide;
mod history;

use std::cell::RefCell;
use std::io::ErrorKind;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use mercer::lang::help as manual;
use mercer::lang::registry;
use mercer::lang::values::value::Value;
use mercer::progress::Progress;
use mercer::session::{Session, type_of};
use mercer::syntax::diagnostic::{Diagnostic, Sources};
use rustyline::config::Configurer;
use rustyline::error::ReadlineError;
use rustyline::history::FileHistory;
use rustyline::{
    Cmd, ColorMode, CompletionType, ConditionalEventHandler, Config, Editor, Event, EventContext, EventHandler,
    KeyEvent, RepeatCount,
};

use crate::cli::{FAILED, Settings};
use crate::terminal::{self, Audience, Format, Interrupts, Out, Screen, paint};
use commands::Next;
use guide::Guide;
use history::History;

/// After so many lines in a row that are not text, the terminal gives none.
const MOST_UNREADABLE: usize = 1000;

const PROMPT: &str = "mercer> ";
/// What diagnostics call a text that was typed.
const NAME: &str = "prompt";
/// Bold.
const PROMPT_STYLE: &str = "1";

/// What a person at the prompt works with.
pub struct Repl {
    session: Rc<RefCell<Session>>,
    screen: Screen,
    interrupts: Interrupts,
}

/// Reads from a terminal until the user leaves. The result is an exit code.
pub fn start(settings: &Settings) -> u8 {
    let screen = Screen::new(Format::Text);
    let session = match settings.session() {
        Ok(session) => Rc::new(RefCell::new(session)),
        Err(message) => {
            screen.error(message);
            return FAILED;
        }
    };
    let cleared = Arc::new(AtomicBool::new(false));
    let mut editor = match editor(&session, &cleared) {
        Ok(editor) => editor,
        Err(error) => {
            screen.error(format!("the terminal cannot be read: {error}"));
            return FAILED;
        }
    };
    let history = History::open(&mut editor, &screen);
    let mut repl = Repl { session, screen, interrupts: Interrupts::listen(Audience::Prompt) };
    repl.screen.line(&format!("Mercer {}. `:help` says what there is, `:quit` leaves.", env!("CARGO_PKG_VERSION")));
    let mut unreadable = 0;
    loop {
        let colour = repl.screen.is_coloured();
        editor.set_color_mode(if colour { ColorMode::Forced } else { ColorMode::Disabled });
        match editor.readline(&(PROMPT, paint(PROMPT, PROMPT_STYLE, colour).as_str())) {
            Ok(text) => {
                unreadable = 0;
                history.keep(&mut editor, &text);
                if repl.enter(&text) == Next::Leave {
                    return 0;
                }
            }
            Err(ReadlineError::Interrupted) => {
                if cleared.load(Ordering::SeqCst) {
                    repl.screen.remark("`:quit` or Ctrl-D leaves");
                }
            }
            Err(ReadlineError::Eof) => return 0,
            Err(ReadlineError::Io(error)) if error.kind() == ErrorKind::InvalidData && unreadable < MOST_UNREADABLE => {
                unreadable += 1;
                repl.screen
                    .remark("a byte was typed that is not UTF-8 text: the line is dropped, and all names are kept");
                continue;
            }
            Err(error) => {
                repl.screen.error(format!("the terminal cannot be read: {error}"));
                return FAILED;
            }
        }
    }
}

fn editor(session: &Rc<RefCell<Session>>, cleared: &Arc<AtomicBool>) -> rustyline::Result<Editor<Guide, FileHistory>> {
    let config = Config::builder()
        .completion_type(CompletionType::List)
        .completion_show_all_if_ambiguous(true)
        .history_ignore_space(true)
        .max_history_size(10_000)?
        .indent_size(2)
        .build();
    let mut editor = Editor::with_config(config)?;
    editor.set_helper(Some(Guide::new(session.clone())));
    let interrupt = Interrupt(cleared.clone());
    editor.bind_sequence(KeyEvent::ctrl('C'), EventHandler::Conditional(Box::new(interrupt)));
    editor.bind_sequence(KeyEvent::from('\t'), EventHandler::Conditional(Box::new(Tab)));
    Ok(editor)
}

/// Notes whether there was anything on the line that Ctrl-C threw away.
struct Interrupt(Arc<AtomicBool>);

impl ConditionalEventHandler for Interrupt {
    fn handle(&self, _: &Event, _: RepeatCount, _: bool, context: &EventContext) -> Option<Cmd> {
        self.0.store(context.line().is_empty(), Ordering::SeqCst);
        None
    }
}

/// Tab indents a further line that has nothing before the cursor, and completes anywhere else.
struct Tab;

impl ConditionalEventHandler for Tab {
    fn handle(&self, _: &Event, _: RepeatCount, _: bool, context: &EventContext) -> Option<Cmd> {
        let before = context.line().get(..context.pos())?;
        let (_, line) = before.rsplit_once('\n')?;
        line.trim().is_empty().then(|| Cmd::Insert(1, "  ".into()))
    }
}

impl Repl {
    /// Does what was typed.
    fn enter(&mut self, text: &str) -> Next {
        self.screen.forget_last();
        let text = text.trim();
        if let Some(command) = text.strip_prefix(':') {
            return commands::run(self, command);
        }
        if let Some(name) = text.strip_prefix('?') {
            self.explain(name.trim());
        } else if !text.is_empty() {
            self.run(|session, progress, out| session.run_with(text, NAME, progress, out));
        }
        Next::Stay
    }

    /// Runs something in the session, under watch.
    fn run(&mut self, run: impl FnOnce(&mut Session, &dyn Progress, Out) -> bool) {
        let session = &mut self.session.borrow_mut();
        terminal::play(&mut self.screen, &self.interrupts, |progress, out| run(session, progress, out));
    }

    /// The value of an expression, which is not bound. Errors are shown.
    fn value(&mut self, text: &str) -> Option<Value> {
        let session = &mut self.session.borrow_mut();
        let visible = self.screen.has_meter();
        let (value, _) = terminal::watched(&self.interrupts, visible, |meter| session.value_of(text, NAME, meter));
        value.map_err(|fault| self.screen.diagnostic(&fault, session.sources())).ok()
    }

    /// Help on a name: one that the user has bound, or one of the language.
    fn explain(&mut self, name: &str) {
        let own = self.session.borrow().get(name).map(|value| format!("{name}: {}\n{value}", type_of(value)));
        if let Some(text) = own {
            return self.screen.line(&text);
        }
        if name.is_empty() {
            self.screen.line(&manual::contents(registry::library()));
            return self.screen.line("\n`?name` says more, with an example");
        }
        match manual::topic(registry::library(), Some(name)) {
            Ok(text) => self.screen.line(&text),
            Err(lang_error) => self.screen.diagnostic(&Diagnostic::from(lang_error), &Sources::new()),
        }
    }
}
