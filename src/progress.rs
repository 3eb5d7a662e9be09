//! How long work tells how far it is, and hears that it should stop.

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

/// Passes on the wish to stop and nothing else: for a part of work whose own progress is not that of the whole.
pub struct Quiet<'p>(pub &'p dyn Progress);

impl Progress for Quiet<'_> {
    fn report(&self, _done: f64, _note: &str) {}

    fn stop(&self) -> bool {
        self.0.stop()
    }
}
