//! Ctrl-C: the first asks what runs to stop with the best it has; pressing on ends the program.

use std::process::exit;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// The exit code of a program that Ctrl-C ended.
const INTERRUPTED: i32 = 130;

/// Counts how often Ctrl-C was pressed while something ran. Copies count together.
#[derive(Debug, Clone, Default)]
pub struct Interrupts {
    running: Arc<AtomicBool>,
    pressed: Arc<AtomicUsize>,
}

impl Interrupts {
    /// Begins to listen. While something runs, press number `last` ends the program at once; while nothing runs, the
    /// first does. A system that cannot tell us of Ctrl-C leaves it as it is: it then ends the program.
    pub fn listen(last: usize) -> Self {
        let this = Self::default();
        let heard = this.clone();
        // The one error there is: no handler could be set, and the system's own stays.
        let _ = ctrlc::set_handler(move || heard.press(last));
        this
    }

    fn press(&self, last: usize) {
        if !self.running.load(Ordering::SeqCst) {
            exit(INTERRUPTED);
        }
        let count = self.pressed.fetch_add(1, Ordering::SeqCst) + 1;
        if count >= last {
            exit(INTERRUPTED);
        }
        let left = match last - count {
            1 => "press Ctrl-C again to leave at once".to_owned(),
            n => format!("{n} more leave at once"),
        };
        eprint_line(&format!("stopping; {left}"));
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

/// A line on stderr; one that nobody can read is lost.
fn eprint_line(text: &str) {
    use std::io::Write;
    let _ = writeln!(std::io::stderr(), "\r{text}");
}
