//! Work for the page: newer work of a kind stops the older, and all work has a time limit.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use mercer::progress::{Progress, StopHandle};

/// What is computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Task {
    Frame,
    Curves,
    Fit,
}

/// A request to stop, and the end of the time of some work.
#[derive(Debug, Clone)]
pub struct Watch {
    asked: Arc<AtomicBool>,
    until: Instant,
}

impl Watch {
    fn new(limit: Duration) -> Self {
        Self { asked: Arc::default(), until: Instant::now() + limit }
    }

    /// Whether someone has asked to stop, rather than the time being over.
    pub fn is_asked(&self) -> bool {
        self.asked.load(Ordering::SeqCst)
    }

    fn ask(&self) {
        self.asked.store(true, Ordering::SeqCst);
    }
}

impl Progress for Watch {
    fn report(&self, _done: f64, _note: &str) {}

    fn stop(&self) -> bool {
        self.is_asked() || Instant::now() >= self.until
    }

    fn stop_handle(&self) -> StopHandle {
        let watch = self.clone();
        StopHandle::new(move || watch.stop())
    }
}

/// The page that asks and what it asks for.
type Key = (String, Task);

/// The running work of all pages.
#[derive(Debug, Default)]
pub struct Jobs(Mutex<HashMap<Key, Watch>>);

impl Jobs {
    fn lock(&self) -> MutexGuard<'_, HashMap<Key, Watch>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins work for a page, and stops its older work of the same kind. A new frame also stops the curves of the
    /// frame before.
    pub fn begin(self: &Arc<Self>, page: &str, task: Task, limit: Duration) -> Job {
        let watch = Watch::new(limit);
        let mut running = self.lock();
        let older = [Some(task), (task == Task::Frame).then_some(Task::Curves)];
        for task in older.into_iter().flatten() {
            if let Some(older) = running.remove(&(page.to_owned(), task)) {
                older.ask();
            }
        }
        running.insert((page.to_owned(), task), watch.clone());
        Job { jobs: self.clone(), key: (page.to_owned(), task), watch }
    }

    /// Stops the fit of a page, which then answers with its best result so far.
    pub fn stop_fit(&self, page: &str) {
        if let Some(fit) = self.lock().get(&(page.to_owned(), Task::Fit)) {
            fit.ask();
        }
    }
}

/// Running work, which is asked to stop when nobody waits for it any more.
#[derive(Debug)]
pub struct Job {
    jobs: Arc<Jobs>,
    key: Key,
    watch: Watch,
}

impl Job {
    pub fn watch(&self) -> Watch {
        self.watch.clone()
    }
}

impl Drop for Job {
    fn drop(&mut self) {
        self.watch.ask();
        let mut running = self.jobs.lock();
        if running.get(&self.key).is_some_and(|known| Arc::ptr_eq(&known.asked, &self.watch.asked)) {
            running.remove(&self.key);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: Duration = Duration::from_secs(600);

    #[test]
    fn newer_work_stops_the_older_of_its_page() {
        let jobs = Arc::new(Jobs::default());
        let frame = jobs.begin("a", Task::Frame, LONG);
        let curves = jobs.begin("a", Task::Curves, LONG);
        let elsewhere = jobs.begin("b", Task::Frame, LONG);
        assert!(!frame.watch().stop() && !curves.watch().stop());
        let next = jobs.begin("a", Task::Frame, LONG);
        assert!(frame.watch().is_asked() && curves.watch().is_asked());
        assert!(!next.watch().stop() && !elsewhere.watch().stop());
        // the older one ends later and does not take the newer one from the list
        drop(frame);
        let last = jobs.begin("a", Task::Frame, LONG);
        assert!(next.watch().is_asked() && !last.watch().stop());
    }

    #[test]
    fn work_ends_with_its_time_and_with_its_request() {
        let jobs = Arc::new(Jobs::default());
        let late = jobs.begin("a", Task::Fit, Duration::ZERO);
        assert!(late.watch().stop() && !late.watch().is_asked());
        let fit = jobs.begin("a", Task::Fit, LONG);
        let watch = fit.watch();
        assert!(!watch.stop_handle().stop());
        jobs.stop_fit("a");
        assert!(watch.is_asked() && watch.stop_handle().stop());
        let gone = jobs.begin("a", Task::Curves, LONG);
        let watch = gone.watch();
        drop(gone);
        assert!(watch.is_asked());
    }
}
