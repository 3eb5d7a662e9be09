//! How much stack is left.
//!
//! Evaluation recurses, so it counts what it uses: too deep a recursion is then an error of the program and not the end
//! of the process. [`deep`] gives it a thread with much; on a thread that came from elsewhere (a worker that evaluates
//! a function inside a kernel) it makes do with little.

use std::cell::Cell;
use std::thread;

/// What [`deep`] asks for, and how much of it evaluation may use.
const DEEP: usize = 256 << 20;
const DEEP_USE: usize = 224 << 20;
/// What evaluation may use of a stack of unknown size.
const SHALLOW_USE: usize = 512 << 10;

thread_local! {
    /// Where the stack must not grow beyond.
    static FLOOR: Cell<usize> = const { Cell::new(0) };
}

fn here() -> usize {
    let marker = 0u8;
    std::hint::black_box(&marker) as *const u8 as usize
}

/// Runs on a thread of its own with a large stack; where none can be had, on this one.
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

/// Runs on this thread with what is sure to be left of its stack.
pub fn shallow<T>(work: impl FnOnce() -> T) -> T {
    let before = FLOOR.get();
    if before == 0 {
        FLOOR.set(here().saturating_sub(SHALLOW_USE));
    }
    let result = work();
    FLOOR.set(before);
    result
}

/// Whether little is left.
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
