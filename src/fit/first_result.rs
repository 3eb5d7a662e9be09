//! Delays a stop until a fit has its first result, and its posterior.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use crate::progress::{GRACE, Progress, StopHandle};

/// A request to stop that is delayed until the first result, so that a fit that is stopped early still has one, and for
/// a short time until the posterior at the last values.
pub struct FirstResult<'p> {
    progress: &'p dyn Progress,
    reached: AtomicBool,
    asked: OnceLock<Instant>,
}

impl<'p> FirstResult<'p> {
    /// Delays the stop of this progress.
    pub fn new(progress: &'p dyn Progress) -> Self {
        Self { progress, reached: AtomicBool::new(false), asked: OnceLock::new() }
    }

    /// Records a value of the objective: the first result, if it is a number.
    pub fn reached(&self, value: f64) {
        self.reached.fetch_or(value.is_finite(), Ordering::Relaxed);
    }

    /// Whether the user has asked to stop, without delay.
    pub fn is_asked(&self) -> bool {
        self.progress.stop()
    }
}

impl Progress for FirstResult<'_> {
    fn report(&self, done: f64, note: &str) {
        self.progress.report(done, note);
    }

    fn stop(&self) -> bool {
        self.progress.stop()
            && (self.reached.load(Ordering::Relaxed) || self.asked.get_or_init(Instant::now).elapsed() > GRACE)
    }

    fn stop_handle(&self) -> StopHandle {
        self.progress.stop_handle()
    }
}
