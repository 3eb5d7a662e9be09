//! Progress of a running cell: a line in its output, after a second, which is updated.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use mercer::progress::{Progress, StopHandle};

/// The duration below which nothing is shown.
const DELAY: Duration = Duration::from_secs(1);
/// The interval between two updates.
const TICK: Duration = Duration::from_millis(250);

/// A request to stop the running cell. Copies share it.
#[derive(Debug, Clone, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    pub fn ask(&self) {
        self.0.store(true, Ordering::SeqCst);
    }

    pub fn forget(&self) {
        self.0.store(false, Ordering::SeqCst);
    }

    pub fn is_asked(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }
}

struct State {
    began: Instant,
    done: f64,
    note: String,
    over: bool,
}

/// Receives the progress of a cell.
pub struct Notice<'s> {
    stop: &'s Stop,
    state: Mutex<State>,
    changed: Condvar,
}

/// Runs work that may take long. `show` receives a line of progress from another thread.
pub fn watched<T>(stop: &Stop, show: &mut (dyn FnMut(&str) + Send), work: impl FnOnce(&Notice) -> T) -> T {
    let state = State { began: Instant::now(), done: 0.0, note: String::new(), over: false };
    let notice = Notice { stop, state: Mutex::new(state), changed: Condvar::new() };
    thread::scope(|scope| {
        scope.spawn(|| notice.tell(show));
        // Also if the work panics: the thread above must end.
        let _end = End(&notice);
        work(&notice)
    })
}

struct End<'n, 's>(&'n Notice<'s>);

impl Drop for End<'_, '_> {
    fn drop(&mut self) {
        self.0.lock().over = true;
        self.0.changed.notify_all();
    }
}

impl Notice<'_> {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn tell(&self, show: &mut (dyn FnMut(&str) + Send)) {
        let mut told = false;
        let mut state = self.lock();
        while !state.over {
            let waited = state.began.elapsed();
            if waited >= DELAY {
                let line = line(waited, &state);
                drop(state);
                show(&line);
                told = true;
                state = self.lock();
            }
            let pause = if waited >= DELAY { TICK } else { DELAY - waited };
            if !state.over {
                state = self.changed.wait_timeout(state, pause).unwrap_or_else(PoisonError::into_inner).0;
            }
        }
        if told {
            show(&format!("took {:.1} s", state.began.elapsed().as_secs_f64()));
        }
    }
}

fn line(waited: Duration, state: &State) -> String {
    let percent = if state.done > 0.0 { format!(", {:.0} %", 100.0 * state.done) } else { String::new() };
    let note = if state.note.is_empty() { String::new() } else { format!(": {}", state.note) };
    format!("running for {} s{percent}{note}", waited.as_secs())
}

impl Progress for Notice<'_> {
    fn report(&self, done: f64, note: &str) {
        let mut state = self.lock();
        state.done = done.clamp(0.0, 1.0);
        if state.note != note {
            note.clone_into(&mut state.note);
        }
    }

    fn stop(&self) -> bool {
        self.stop.is_asked()
    }

    fn stop_handle(&self) -> StopHandle {
        let stop = self.stop.clone();
        StopHandle::new(move || stop.is_asked())
    }
}
