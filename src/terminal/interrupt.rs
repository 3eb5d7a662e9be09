//! Ctrl-C: the first one stops the running work with its best result; further ones end the program.

use std::io::{self, Write};
use std::process::exit;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

/// The exit code of a program that Ctrl-C ended.
const INTERRUPTED: i32 = 130;
/// The time that running work has to stop before a message is shown.
const PATIENCE: Duration = Duration::from_millis(300);

/// Who is interrupted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Audience {
    /// A script: the second press ends the program, and so does the first while nothing runs.
    Script,
    /// A person at a prompt, whose session is worth keeping: it takes a third press, and one that comes when the work
    /// has just ended does nothing.
    Prompt,
}

/// Counts how often Ctrl-C was pressed while something ran. Copies count together.
#[derive(Debug, Clone, Default)]
pub struct Interrupts {
    running: Arc<AtomicBool>,
    pressed: Arc<AtomicUsize>,
}

impl Interrupts {
    /// Installs the handler. If that fails, Ctrl-C has the system's default action.
    pub fn listen(audience: Audience) -> Self {
        let this = Self::default();
        let heard = this.clone();
        // The only error is that there can be no handler.
        let _ = ctrlc::set_handler(move || heard.press(audience));
        this
    }

    fn press(&self, audience: Audience) {
        if !self.running.load(Ordering::SeqCst) {
            if audience == Audience::Script {
                exit(INTERRUPTED);
            }
            return;
        }
        let last = match audience {
            Audience::Script => 2,
            Audience::Prompt => 3,
        };
        let count = self.pressed.fetch_add(1, Ordering::SeqCst) + 1;
        if count >= last {
            exit(INTERRUPTED);
        }
        // Most work stops at once; a message is shown only if it does not.
        thread::sleep(PATIENCE);
        if !self.running.load(Ordering::SeqCst) {
            return;
        }
        let again = if last - count == 1 { "press Ctrl-C again" } else { "press Ctrl-C twice more" };
        // A line that nobody can read is lost.
        let _ = writeln!(io::stderr(), "\r\u{1B}[Kstopping; {again} to leave at once");
    }

    /// Something starts to run.
    pub fn begin(&self) {
        self.pressed.store(0, Ordering::SeqCst);
        self.running.store(true, Ordering::SeqCst);
    }

    /// It ended. True if it was asked to stop.
    pub fn end(&self) -> bool {
        self.running.store(false, Ordering::SeqCst);
        self.stopped()
    }

    pub fn stopped(&self) -> bool {
        self.pressed.load(Ordering::SeqCst) > 0
    }
}
