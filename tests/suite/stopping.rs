//! Work that the user stops: what is known until then is kept.

use std::sync::atomic::{AtomicUsize, Ordering};

use mercer::progress::{Progress, Silent};
use mercer::session::Session;

/// Asks to stop once it was asked so many times whether to.
struct After {
    asked: AtomicUsize,
    most: usize,
}

impl Progress for After {
    fn report(&self, _done: f64, _note: &str) {}

    fn stop(&self) -> bool {
        self.asked.fetch_add(1, Ordering::SeqCst) >= self.most
    }
}

#[test]
fn samples_until_a_stop_are_kept() {
    let x = "let x = [[0.2, 1], [1.9, -1], [2.2, 0], [0.1, 1]]";
    for sampler in ["buffet_samples(x, n=1000, seed=1)", "mixture_samples(x, n=1000, seed=1)"] {
        let mut session = Session::default();
        session.run(x, "test", &Silent);
        let stop = After { asked: AtomicUsize::new(0), most: 500 };
        let output = session.run(&format!("let s = {sampler}"), "test", &stop);
        assert!(output.text().contains("1000 samples: these are kept"), "{sampler}: {}", output.text());
        let kept: usize = session.run("len(s)", "test", &Silent).text().parse().unwrap();
        assert!(0 < kept && kept < 1000, "{sampler}: {kept}");
        // without any there is nothing to keep
        let at_once = After { asked: AtomicUsize::new(0), most: 0 };
        assert!(session.run(&format!("let t = {sampler}"), "test", &at_once).failed && session.get("t").is_none());
    }
}
