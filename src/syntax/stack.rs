//! The remaining stack.
//!
//! Evaluation recurses, so it checks the stack it uses: too deep a recursion is then an error of the program rather
//! than the end of the process. [`deep`] runs it on a thread with a large stack; on other threads (a worker that
//! evaluates a function inside a kernel) it may use little.

use std::cell::Cell;
use std::thread;

/// The stack size that [`deep`] requests, and the part that evaluation may use.
const DEEP: usize = 256 << 20;
const DEEP_USE: usize = 224 << 20;
/// The part of a stack of unknown size that evaluation may use.
const SHALLOW_USE: usize = 512 << 10;

thread_local! {
    /// The address beyond which the stack must not grow.
    static FLOOR: Cell<usize> = const { Cell::new(0) };
}

fn here() -> usize {
    let marker = 0u8;
    std::hint::black_box(&marker) as *const u8 as usize
}

/// Runs on a separate thread with a large stack, or on this thread if none can be created.
pub fn deep<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    let mut work = Some(work);
    let mut result = None;
    let started = thread::scope(|scope| {
        let (work, result) = (&mut work, &mut result);
        let thread = thread::Builder::new().name("evaluation".into()).stack_size(DEEP).spawn_scoped(scope, move || {
            FLOOR.set(here().saturating_sub(DEEP_USE));
            if let Some(work) = work.take() {
                *result = Some(work());
            }
        });
        match thread {
            Ok(thread) => match thread.join() {
                Ok(()) => true,
                Err(panic) => std::panic::resume_unwind(panic),
            },
            Err(_) => false,
        }
    });
    match (started, result, work) {
        (true, Some(result), _) => result,
        (_, _, Some(work)) => shallow(work),
        // The thread took the work and, as it did not panic, left a result.
        _ => unreachable!("evaluation left no result"),
    }
}

/// Runs on this thread with a small part of its stack.
pub fn shallow<T>(work: impl FnOnce() -> T) -> T {
    let before = FLOOR.get();
    if before == 0 {
        FLOOR.set(here().saturating_sub(SHALLOW_USE));
    }
    let result = work();
    FLOOR.set(before);
    result
}

/// Whether little stack remains.
pub fn is_low() -> bool {
    here() < FLOOR.get()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dive(n: usize) -> usize {
        if is_low() { n } else { std::hint::black_box(dive(n + 1)) }
    }

    #[test]
    fn depth_is_noticed_before_it_hurts() {
        let (far, near) = (deep(|| dive(0)), shallow(|| dive(0)));
        assert!(far > 10 * near && near > 100, "{far} {near}");
    }
}
