//! The prompt: runs typed text and shows its results. An error does not end the session.

mod colours;
mod commands;
mod history;
mod line_helper;
mod open_call;
mod state;

use std::cell::RefCell;
use std::io::ErrorKind;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use mercer::session::Session;
use rustyline::config::Configurer;
use rustyline::error::ReadlineError;
use rustyline::history::FileHistory;
use rustyline::{
    Cmd, ColorMode, CompletionType, ConditionalEventHandler, Config, Editor, Event, EventContext, EventHandler,
    KeyEvent, RepeatCount,
};

use crate::cli::{FAILED, Settings};
use crate::terminal::{Audience, Format, Interrupts, Screen, paint};
use commands::Next;
use history::History;
use line_helper::LineHelper;
use state::{NAME, PROMPT, Repl};

/// The number of consecutive unreadable lines after which the prompt ends.
const MOST_UNREADABLE: usize = 1000;

/// Bold.
const PROMPT_STYLE: &str = "1";

/// Reads from a terminal until the user leaves. Returns an exit code.
pub fn start(settings: &Settings) -> u8 {
    let mut screen = Screen::new(Format::Text).plain(settings.plain);
    screen.paged = true;
    let session = match settings.session() {
        Ok(session) => Rc::new(RefCell::new(session)),
        Err(message) => {
            screen.error(message);
            return FAILED;
        }
    };
    let cleared = Arc::new(AtomicBool::new(false));
    let mut editor = match editor(&session, &cleared, settings.plain) {
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
        let typed = repl.screen.take_typed();
        let prompt = paint(PROMPT, PROMPT_STYLE, colour);
        match editor.readline_with_initial(&(PROMPT, prompt.as_str()), (&typed, "")) {
            Ok(text) => {
                unreadable = 0;
                history.keep(&mut editor, &text);
                if enter(&mut repl, &text) == Next::Leave {
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

fn editor(
    session: &Rc<RefCell<Session>>,
    cleared: &Arc<AtomicBool>,
    plain: bool,
) -> rustyline::Result<Editor<LineHelper, FileHistory>> {
    let config = Config::builder()
        .completion_type(CompletionType::List)
        .completion_show_all_if_ambiguous(true)
        .history_ignore_space(true)
        .max_history_size(10_000)?
        .indent_size(2)
        .build();
    let mut editor = Editor::with_config(config)?;
    editor.set_helper(Some(LineHelper::new(session.clone(), plain)));
    let interrupt = Interrupt(cleared.clone());
    editor.bind_sequence(KeyEvent::ctrl('C'), EventHandler::Conditional(Box::new(interrupt)));
    editor.bind_sequence(KeyEvent::from('\t'), EventHandler::Conditional(Box::new(Tab)));
    Ok(editor)
}

/// Records whether the line that Ctrl-C discarded had any text.
struct Interrupt(Arc<AtomicBool>);

impl ConditionalEventHandler for Interrupt {
    fn handle(&self, _: &Event, _: RepeatCount, _: bool, context: &EventContext) -> Option<Cmd> {
        self.0.store(context.line().is_empty(), Ordering::SeqCst);
        None
    }
}

/// Tab indents a continuation line at its beginning, and completes elsewhere.
struct Tab;

impl ConditionalEventHandler for Tab {
    fn handle(&self, _: &Event, _: RepeatCount, _: bool, context: &EventContext) -> Option<Cmd> {
        let before = context.line().get(..context.pos())?;
        let (_, line) = before.rsplit_once('\n')?;
        line.trim().is_empty().then(|| Cmd::Insert(1, "  ".into()))
    }
}

/// Runs a typed line.
fn enter(repl: &mut Repl, text: &str) -> Next {
    repl.screen.forget_last();
    let text = text.trim();
    if let Some(command) = text.strip_prefix(':') {
        return commands::run(repl, command);
    }
    if repl.session.borrow().is_farewell(text) {
        return Next::Leave;
    }
    if text == "help" {
        repl.explain("");
    } else if let Some(name) = text.strip_prefix('?') {
        repl.explain(name.trim());
    } else if !text.is_empty() {
        repl.run(|session, progress, out| session.run_with(text, NAME, progress, out));
    }
    Next::Stay
}
