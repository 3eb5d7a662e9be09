//! Work that the user stops: what is known until then is kept.

use std::sync::atomic::{AtomicUsize, Ordering};

use mercer::lang::values::value::Value;
use mercer::progress::{Progress, Silent};
use mercer::search::{Candidate, Reached};
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

/// Expressions that a stopped search did not come to evaluate were not tried.
#[test]
fn what_a_stop_leaves_out_is_not_counted() {
    let columns: Vec<String> = (0..12).map(|i| format!("x{i}=[sin({i} + 3 * j) for j in 0..40]")).collect();
    let mut session = Session::default();
    session.run(&format!("let d = data({}, y=[cos(j) for j in 0..40])", columns.join(", ")), "test", &Silent);
    let search = "let s = d |> search([SE, Lin], depth=2, transform=\"none\", budget=100000)";
    let whole = After { asked: AtomicUsize::new(0), most: usize::MAX };
    assert!(!session.run(search, "test", &whole).failed);
    let polls = whole.asked.load(Ordering::SeqCst);
    let of_second = |session: &Session| match session.get("s") {
        Some(Value::Search(found)) => found.levels.get(1).map(|level| level.candidates.len()),
        _ => None,
    };
    let (all, mut fewer) = (of_second(&session).expect("a second depth"), 0);
    for part in 1..20 {
        let stop = After { asked: AtomicUsize::new(0), most: part * polls / 20 };
        // without any fit there is no result
        if session.run(search, "test", &stop).failed {
            continue;
        }
        let Some(Value::Search(found)) = session.get("s") else { panic!("a search") };
        let mut candidates = found.levels.iter().flat_map(|level| &level.candidates);
        let tried = |c: &Candidate| c.reached != Reached::Screened || c.lml.is_some();
        assert!(candidates.all(tried), "stopped after {part}/20 of {polls} polls");
        // nor is a depth that the stop came before in the table
        let searched = found.levels.iter().all(|level| level.evaluations > 0 || !level.candidates.is_empty());
        assert!(searched, "stopped after {part}/20 of {polls} polls");
        fewer += usize::from(of_second(&session).is_some_and(|count| count < all));
    }
    assert!(fewer > 0, "no stop was within the second depth");
}
