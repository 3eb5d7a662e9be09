//! Long work: progress reports, and stops by the user.

use std::fmt;
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

/// Receives progress from long work. Both methods are cheap and may be called from several threads.
pub trait Progress: Sync {
    /// `done` is between 0 and 1; `note` is a short line such as the best value so far.
    fn report(&self, done: f64, note: &str);

    /// Whether the user has asked to stop. The work then ends with its best result so far.
    fn stop(&self) -> bool;

    /// The same request to stop, for work that outlives this call, such as a user's function in a kernel that is fitted
    /// later. By default it never stops.
    fn stop_handle(&self) -> StopHandle {
        StopHandle::default()
    }
}

/// A request to stop that can be stored and shared.
#[derive(Clone, Default)]
pub struct StopHandle(Option<Arc<dyn Fn() -> bool + Send + Sync>>);

impl StopHandle {
    /// `asked` returns whether the user has asked to stop.
    pub fn new(asked: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(asked)))
    }
}

impl fmt::Debug for StopHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "StopHandle({})", self.stop())
    }
}

impl Progress for StopHandle {
    fn report(&self, _done: f64, _note: &str) {}

    fn stop(&self) -> bool {
        self.0.as_ref().is_some_and(|asked| asked())
    }

    fn stop_handle(&self) -> StopHandle {
        self.clone()
    }
}

/// The interval between checks for work that cannot check itself.
const POLL: Duration = Duration::from_millis(50);
/// The time that work may continue after a stop, so that short work returns its result.
pub const GRACE: Duration = Duration::from_millis(500);

/// Runs work that cannot check for a stop, such as a large factorisation. `None` after a stop: the work then continues
/// on its thread, and its result is dropped.
pub fn abandonable<T: Send + 'static>(progress: &dyn Progress, work: impl FnOnce() -> T + Send + 'static) -> Option<T> {
    let (sender, receiver) = channel();
    let worker = thread::spawn(move || {
        // the receiver may be gone
        let _ = sender.send(work());
    });
    let mut asked: Option<Instant> = None;
    loop {
        match receiver.recv_timeout(POLL) {
            Ok(result) => return Some(result),
            Err(RecvTimeoutError::Timeout) if progress.stop() => {
                if asked.get_or_insert_with(Instant::now).elapsed() > GRACE {
                    return None;
                }
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => match worker.join() {
                // the result was sent before, or the work panicked
                Err(panic) => std::panic::resume_unwind(panic),
                Ok(()) => return None,
            },
        }
    }
}

/// Reports nothing and never stops.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl Progress for Silent {
    fn report(&self, _done: f64, _note: &str) {}

    fn stop(&self) -> bool {
        false
    }
}

/// Passes on the request to stop only, for parts of work whose progress is not that of the whole.
pub struct Quiet<'p>(pub &'p dyn Progress);

impl Progress for Quiet<'_> {
    fn report(&self, _done: f64, _note: &str) {}

    fn stop(&self) -> bool {
        self.0.stop()
    }

    fn stop_handle(&self) -> StopHandle {
        self.0.stop_handle()
    }
}
