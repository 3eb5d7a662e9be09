//! Ctrl-C: the first press stops the running work with its best result so far; further ones end the program.

use std::io::{self, Write};
use std::process::exit;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

/// The exit code of a program that Ctrl-C ended.
const INTERRUPTED: i32 = 130;
/// The time after which a message is shown if the work has not stopped.
const PATIENCE: Duration = Duration::from_millis(300);

/// Whom Ctrl-C interrupts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Audience {
    /// A script: the second press ends the program, as does the first if nothing runs.
    Script,
    /// A user at a prompt, whose session should survive: the third press ends it, and a press just after the end of the
    /// work has no effect.
    Prompt,
}

/// The number of presses of Ctrl-C while something ran. Copies share the count.
#[derive(Debug, Clone, Default)]
pub struct Interrupts {
    running: Arc<AtomicBool>,
    pressed: Arc<AtomicUsize>,
}

impl Interrupts {
    /// Installs the handler. If that fails, Ctrl-C has the default action of the system.
    pub fn listen(audience: Audience) -> Self {
        let this = Self::default();
        let heard = this.clone();
        // The only possible error is that no handler can be installed.
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
        // Most work stops immediately; a message is shown only if it does not.
        thread::sleep(PATIENCE);
        if !self.running.load(Ordering::SeqCst) {
            return;
        }
        let again = if last - count == 1 { "press Ctrl-C again" } else { "press Ctrl-C twice more" };
        // If stderr is closed, the message is lost.
        let _ = writeln!(io::stderr(), "\r\u{1B}[Kstopping; {again} to leave at once");
    }

    /// Marks the start of work.
    pub fn begin(&self) {
        self.pressed.store(0, Ordering::SeqCst);
        self.running.store(true, Ordering::SeqCst);
    }

    /// Marks the end of work. Returns whether it was asked to stop.
    pub fn end(&self) -> bool {
        self.running.store(false, Ordering::SeqCst);
        self.stopped()
    }

    pub fn stopped(&self) -> bool {
        self.pressed.load(Ordering::SeqCst) > 0
    }
}
