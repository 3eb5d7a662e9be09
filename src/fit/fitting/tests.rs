//! Tests of fits from several starts.

use super::*;
use crate::data;
use crate::kernel::{Kernel, families::family};

fn trend_and_season() -> Model {
    let leaf = |name: &str| Kernel::family(family(name).unwrap());
    let season = Kernel::product([leaf("Per"), leaf("Lin")]).unwrap();
    Model::new(Kernel::sum([leaf("SE"), season]).unwrap())
}

/// Stops after this number of queries.
struct Impatient(std::sync::atomic::AtomicUsize);

impl Progress for Impatient {
    fn report(&self, _done: f64, _note: &str) {}

    fn stop(&self) -> bool {
        let looks = std::sync::atomic::Ordering::Relaxed;
        self.0.fetch_update(looks, looks, |left| Some(left.saturating_sub(1))) == Ok(0)
    }
}

/// An evaluation can be stopped between two columns of the covariance.
#[test]
fn a_fit_ends_within_an_evaluation() {
    let airline = data::load("airline", &[], &data::Options::default()).unwrap().head(60);
    let options = Options { restarts: 2, ..Options::default() };
    let run = |looks: usize| fit_as_written(&trend_and_season(), &airline, options, &Impatient(looks.into()));
    // before and during the first evaluation: it is completed, because it is short
    for looks in [0, 3] {
        let first = run(looks).unwrap();
        assert!(matches!(first.ended, Some(Ended::Stopped { .. })), "{:?}", first.ended);
        assert!(first.lml().is_finite());
    }
    // some steps later: returns the best values so far
    let stopped = run(300).unwrap();
    assert!(matches!(stopped.ended, Some(Ended::Stopped { .. })), "{:?}", stopped.ended);
    assert!(stopped.lml().is_finite() && !stopped.is_judged() && stopped.undetermined() == 0);
}

#[test]
fn a_fit_is_the_same_at_any_number_of_threads() {
    let airline = data::load("airline", &[], &data::Options::default()).unwrap().head(60);
    let options = Options { restarts: 4, ..Options::default() };
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| fit_as_written(&trend_and_season(), &airline, options, &Silent).unwrap())
    };
    let (one, two) = (run(1), run(3));
    assert_eq!(one.values(), two.values());
    assert_eq!(one.lml(), two.lml());
    assert_eq!(one.starts, two.starts);
}

#[test]
fn a_classifier_is_the_same_at_any_number_of_threads() {
    let heart = data::load("heart", &[], &data::Options::default()).unwrap();
    let heart = heart.select(&["age", "max_hr", "label"]).unwrap().head(60);
    let likelihood = crate::model::Likelihood::Bernoulli { how: crate::model::Bernoulli::Ep, positive: None };
    let model = Model { likelihood, ..Model::new(Kernel::family(family("Lin").unwrap())) };
    let options = Options { restarts: 3, ..Options::default() };
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| fit_as_written(&model, &heart, options, &Silent).unwrap())
    };
    let (one, two) = (run(1), run(2));
    assert!(one.converged() && one.hints.is_empty(), "{:?}", one.hints);
    assert_eq!((one.values(), one.lml()), (two.values(), two.lml()));
    // the posterior has the likelihood of the optimiser, and the fit is not worse than its start
    assert_eq!(condition(&one.model, &heart).unwrap().lml(), one.lml());
    assert!(one.lml() > condition(&model, &heart).unwrap().lml());
}

#[test]
fn conditioning_on_a_fit_gives_its_evidence_to_the_bit() {
    let airline = data::load("airline", &[], &data::Options::default()).unwrap().head(60);
    let options = Options { restarts: 2, ..Options::default() };
    let fitted = fit_as_written(&trend_and_season(), &airline, options, &Silent).unwrap();
    let again = condition(&fitted.model, &airline).unwrap();
    assert_eq!(again.lml(), fitted.lml());
    assert_eq!(again.values(), fitted.values());
}

#[test]
fn the_gradient_of_the_posterior_agrees_with_differences() {
    let airline = data::load("airline", &[], &data::Options::default()).unwrap().head(40);
    let model = trend_and_season().with_noise(crate::model::Noise::Variance(crate::param::Param {
        prior: Some(crate::param::Density::LogNormal { mean: 3.0, sd: 1.0 }.into()),
        ..Default::default()
    }));
    let problem = Problem::new(&model, &airline, false).unwrap();
    let objective = Likelihood::new(&problem);
    let at = objective.to_coordinates(&Starts::new(&problem, 3).start(2));
    let mut gradient = vec![0.0; at.len()];
    objective.evaluate(&at, &mut gradient);
    for i in 0..at.len() {
        let moved = |by: f64| {
            let mut at = at.clone();
            at[i] += by;
            objective.evaluate(&at, &mut vec![0.0; at.len()])
        };
        let h = 1e-5;
        let difference = (8.0 * (moved(h) - moved(-h)) - (moved(2.0 * h) - moved(-2.0 * h))) / (12.0 * h);
        assert!((difference - gradient[i]).abs() < 1e-5 * gradient[i].abs().max(1.0), "{i}");
    }
}

#[test]
fn a_fit_that_must_reach_more_than_it_can_gives_none() {
    let airline = data::load("airline", &[], &data::Options::default()).unwrap().head(60);
    let options = Options { restarts: 4, ..Options::default() };
    let beyond = |least: f64| {
        let beyond = Beyond { least, ..Beyond::default() };
        fit_beyond(&trend_and_season(), &airline, options, beyond, &Silent).unwrap()
    };
    let fit = beyond(f64::NEG_INFINITY).unwrap();
    assert_eq!(beyond(fit.lml() - 1.0).map(|found| found.lml()), Some(fit.lml()));
    // just above what it reaches, and so far above that it is given up early
    assert!(beyond(fit.lml() + 1.0).is_none());
    assert!(beyond(fit.lml() + 1000.0).is_none());
}

#[test]
fn a_fit_of_few_steps_ends() {
    let airline = data::load("airline", &[], &data::Options::default()).unwrap().head(60);
    for max_iter in [0, 1, 3, 20] {
        let options = Options { restarts: 2, max_iter, ..Options::default() };
        let fit = fit_as_written(&trend_and_season(), &airline, options, &Silent).unwrap();
        assert!(fit.lml().is_finite());
        let beyond = Beyond { least: fit.lml() + 1000.0, ..Beyond::default() };
        assert!(fit_beyond(&trend_and_season(), &airline, options, beyond, &Silent).unwrap().is_none());
    }
}

/// The last steps of a fit that bears errors on its way bear next to none: they come to the same maximum and the same standard
/// errors as those without.
#[test]
fn last_steps_agree_with_those_without_error() {
    let airline = data::load("airline", &[], &data::Options::default()).unwrap();
    let options = Options { restarts: 2, ..Options::default() };
    let beyond = Beyond { tolerance: 1e-4, ..Beyond::default() };
    let sum = Kernel::sum([Kernel::family(family("Per").unwrap()), Kernel::family(family("Lin").unwrap())]).unwrap();
    let found = fit_beyond(&Model::new(sum), &airline, options, beyond, &Silent).unwrap().unwrap();
    assert!(found.converged(), "{:?}", found.ended);
    let exact = judged(&found.model, &airline).unwrap();
    assert_eq!((exact.lml(), exact.redundant), (found.lml(), found.redundant));
    assert!(exact.gradient_size < 1e-3, "{}", exact.gradient_size);
    for (one, other) in found.standard_errors.iter().zip(&exact.standard_errors) {
        match (one, other) {
            (Some(one), Some(other)) => assert!((one / other - 1.0).abs() < 1e-3, "{one}, {other}"),
            (one, other) => assert_eq!(one, other),
        }
    }
}
