//! A progress bar on stderr for work that takes more than a second.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use console::Term;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use mercer::progress::{Progress, StopHandle};
use mercer::render::without_controls;

use super::interrupt::Interrupts;

/// The duration below which no bar is shown.
const DELAY: Duration = Duration::from_secs(1);
const TICK: Duration = Duration::from_millis(100);
/// With a longer note the bar is shorter.
const LONG_NOTE: usize = 34;
/// The number of steps of the bar.
const STEPS: u64 = 1000;

/// Work in progress: receives Ctrl-C and reports progress.
pub struct Meter<'a> {
    interrupts: &'a Interrupts,
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    /// The start of the current piece of work.
    began: Instant,
    done: f64,
    note: String,
    bar: Option<ProgressBar>,
    over: bool,
}

/// Runs work that may take long. With `visible`, a bar is shown on stderr after a second. The second result is whether
/// Ctrl-C was pressed.
pub fn watched<T>(interrupts: &Interrupts, visible: bool, work: impl FnOnce(&Meter) -> T) -> (T, bool) {
    let state = State { began: Instant::now(), done: 0.0, note: String::new(), bar: None, over: false };
    let meter = Meter { interrupts, state: Mutex::new(state), changed: Condvar::new() };
    interrupts.begin();
    let result = thread::scope(|scope| {
        if visible {
            scope.spawn(|| meter.show());
        }
        // Also if the work panics: the thread above must end.
        let _end = End(&meter);
        work(&meter)
    });
    (result, interrupts.end())
}

struct End<'m, 'a>(&'m Meter<'a>);

impl Drop for End<'_, '_> {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        state.clear();
        state.over = true;
        self.0.changed.notify_all();
    }
}

impl Meter<'_> {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until the work has taken long, and then updates its bar.
    fn show(&self) {
        let mut state = self.lock();
        while !state.over {
            let waited = state.began.elapsed();
            if waited >= DELAY {
                state.draw();
            }
            let pause = if waited >= DELAY { TICK } else { DELAY - waited };
            state = self.changed.wait_timeout(state, pause).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Hides the bar while something else is written, and restarts the delay.
    pub fn pause<T>(&self, write: impl FnOnce() -> T) -> T {
        let mut state = self.lock();
        state.clear();
        let result = write();
        state.began = Instant::now();
        result
    }
}

impl Progress for Meter<'_> {
    fn report(&self, done: f64, note: &str) {
        let mut state = self.lock();
        // Threads report out of order; only a large step back starts a new piece of work.
        if done + 0.5 < state.done {
            state.clear();
            state.began = Instant::now();
            state.done = 0.0;
        }
        state.done = state.done.max(done.clamp(0.0, 1.0));
        let note = &*without_controls(note);
        if state.note != note {
            note.clone_into(&mut state.note);
        }
    }

    fn stop(&self) -> bool {
        self.interrupts.stopped()
    }

    fn stop_handle(&self) -> StopHandle {
        let interrupts = self.interrupts.clone();
        StopHandle::new(move || interrupts.stopped())
    }
}

impl State {
    fn draw(&mut self) {
        let (began, done) = (self.began, self.done);
        let bar = self.bar.get_or_insert_with(|| {
            let target = ProgressDrawTarget::term(Term::stderr(), 20);
            ProgressBar::with_draw_target(Some(STEPS), target).with_elapsed(began.elapsed())
        });
        // Work without progress reports shows only the elapsed time. A long note needs a shorter bar to fit into 80
        // columns.
        let template = match (done > 0.0, self.note.chars().count() > LONG_NOTE) {
            (true, false) => "{elapsed:>4} [{bar:30}] {percent:>3} % {wide_msg}",
            (true, true) => "{elapsed:>4} [{bar:12}] {percent:>3} % {wide_msg}",
            (false, _) => "{elapsed:>4} {spinner} {wide_msg}",
        };
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style.progress_chars("━╸ "));
        }
        bar.set_message(self.note.clone());
        bar.set_position((done * STEPS as f64) as u64);
        bar.tick();
    }

    fn clear(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
        self.done = 0.0;
        self.note.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_is_watched_and_stopped() {
        let interrupts = Interrupts::default();
        let (value, stopped) = watched(&interrupts, true, |meter| {
            meter.report(0.9, "a");
            meter.report(0.1, "b");
            assert_eq!(meter.lock().done, 0.1);
            meter.pause(|| assert!(!meter.stop()));
            7
        });
        assert_eq!((value, stopped), (7, false));
    }
}
