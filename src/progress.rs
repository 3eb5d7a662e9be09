//! How long work tells how far it is, and hears that it should stop.

use std::sync::atomic::{AtomicBool, Ordering};

/// Heard by whatever takes long. Both methods are cheap and may be called from several threads.
pub trait Progress: Sync {
    /// `done` runs from 0 to 1; `note` is a short line such as the best value so far.
    fn report(&self, done: f64, note: &str);

    /// True once somebody asked to stop. The work then ends with the best that it has.
    fn stop(&self) -> bool;
}

/// Says nothing and never stops.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl Progress for Silent {
    fn report(&self, _done: f64, _note: &str) {}

    fn stop(&self) -> bool {
        false
    }
}

/// Whether Ctrl-C was pressed since the running statement began.
static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// For functions that are called from deep inside other work, such as a user's function in a kernel: it reports nothing
/// and stops when the process was asked to.
#[derive(Debug, Clone, Copy, Default)]
pub struct Interrupt;

impl Interrupt {
    /// Asks everything in this process to stop, or takes that back.
    pub fn set(stop: bool) {
        INTERRUPTED.store(stop, Ordering::SeqCst);
    }
}

impl Progress for Interrupt {
    fn report(&self, _done: f64, _note: &str) {}

    fn stop(&self) -> bool {
        INTERRUPTED.load(Ordering::SeqCst)
    }
}

/// Passes on the wish to stop and nothing else: for a part of work whose own progress is not that of the whole.
pub struct Quiet<'p>(pub &'p dyn Progress);

impl Progress for Quiet<'_> {
    fn report(&self, _done: f64, _note: &str) {}

    fn stop(&self) -> bool {
        self.0.stop()
    }
}
