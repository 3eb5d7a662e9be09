use std::f64::consts::PI;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::Duration;

use nalgebra::{DMatrix, DVector};

use super::{Ended, Objective, Obstacle, Options, Outcome, Run, minimize};
use crate::progress::{Progress, Silent};

/// A function given by a closure that writes the gradient and returns the value.
struct Of<F>(usize, F);

impl<F: Fn(&[f64], &mut [f64]) -> f64 + Sync> Objective for Of<F> {
    fn dim(&self) -> usize {
        self.0
    }

    fn evaluate(&self, at: &[f64], gradient: &mut [f64]) -> f64 {
        (self.1)(at, gradient)
    }
}

fn of<F: Fn(&[f64], &mut [f64]) -> f64 + Sync>(dim: usize, f: F) -> Of<F> {
    Of(dim, f)
}

/// Fails if the work does not end in time.
fn watched<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || sender.send(work()));
    receiver.recv_timeout(Duration::from_secs(60)).expect("the optimiser hangs or panicked")
}

fn tight() -> Options {
    Options { gradient_tolerance: 1e-6, value_tolerance: 0.0, ..Options::default() }
}

fn run<F: Fn(&[f64], &mut [f64]) -> f64 + Sync + Send + 'static>(start: &[f64], options: Options, f: F) -> Outcome {
    let start = start.to_vec();
    watched(move || minimize(&of(start.len(), f), &start, &options, &Silent))
}

fn rosenbrock(at: &[f64], gradient: &mut [f64]) -> f64 {
    gradient.fill(0.0);
    let mut value = 0.0;
    for i in 0..at.len() - 1 {
        let (a, b) = (1.0 - at[i], at[i + 1] - at[i] * at[i]);
        value += a * a + 100.0 * b * b;
        gradient[i] += -2.0 * a - 400.0 * b * at[i];
        gradient[i + 1] += 200.0 * b;
    }
    value
}

fn bowl(at: &[f64], gradient: &mut [f64]) -> f64 {
    gradient.iter_mut().zip(at).for_each(|(g, x)| *g = 2.0 * x);
    at.iter().map(|x| x * x).sum()
}

#[test]
fn rosenbrock_in_two_and_ten() {
    for (dim, most) in [(2, 60), (10, 110)] {
        let start: Vec<f64> = (0..dim).map(|i| if i % 2 == 0 { -1.2 } else { 1.0 }).collect();
        let outcome = run(&start, tight(), rosenbrock);
        assert_eq!(outcome.ended, Ended::Converged);
        assert!(outcome.gradient_size() <= 1e-6 && outcome.evaluations <= most, "{outcome:?}");
        assert!(outcome.value < 1e-10 || (outcome.value - 3.9866).abs() < 1e-3, "{outcome:?}");
    }
}

#[test]
fn ill_scaled_quadratic() {
    let outcome = run(&[1.0; 6], tight(), |at, gradient| {
        let scale = |i: usize| 10f64.powf(1.2 * i as f64);
        gradient.iter_mut().zip(at).enumerate().for_each(|(i, (g, x))| *g = scale(i) * x);
        at.iter().enumerate().map(|(i, x)| 0.5 * scale(i) * x * x).sum()
    });
    assert_eq!(outcome.ended, Ended::Converged);
    assert!(outcome.evaluations <= 120, "{} evaluations", outcome.evaluations);
    assert!(outcome.at.iter().all(|x| x.abs() < 1e-5));
}

/// A minimum close to a wall, behind which there is no value, or no gradient.
#[test]
fn walls_are_stepped_back_from() {
    for beyond in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let outcome = run(&[5.0, 3.0], tight(), move |at, gradient| {
            // Minima at 1, next to a wall, and at 1 inside a log barrier.
            if at[0] <= 0.99 || at[1] <= 0.0 {
                gradient.fill(f64::NAN);
                return beyond;
            }
            (gradient[0], gradient[1]) = (2.0 * (at[0] - 1.0), 1.0 - 1.0 / at[1]);
            (at[0] - 1.0).powi(2) + at[1] - at[1].ln()
        });
        assert_eq!(outcome.ended, Ended::Converged, "{outcome:?}");
        assert!((outcome.at[0] - 1.0).abs() < 1e-5 && (outcome.at[1] - 1.0).abs() < 1e-5);
        assert!(outcome.evaluations < 40, "{} evaluations", outcome.evaluations);
    }
}

/// The least value is on the wall, and the gradient never vanishes.
#[test]
fn a_minimum_on_the_wall_ends() {
    let outcome = run(&[1.0, 1.0], Options::default(), |at, gradient| {
        (gradient[0], gradient[1]) = (1.0, 2.0 * at[1]);
        if at[0] < 0.0 { f64::NAN } else { at[0] + at[1] * at[1] }
    });
    assert!(outcome.value < 1e-2 && outcome.at[0] >= 0.0, "{outcome:?}");
    assert_eq!(outcome.ended, Ended::Stuck { why: Obstacle::NoDescent });
    assert!(outcome.evaluations < 150, "{} evaluations", outcome.evaluations);
}

#[test]
fn nothing_at_the_start() {
    for nothing in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let outcome = run(&[1.0, 2.0], tight(), move |_, _| nothing);
        assert_eq!(outcome.ended, Ended::Stuck { why: Obstacle::NoValue });
        assert_eq!((outcome.at, outcome.value, outcome.evaluations), (vec![1.0, 2.0], f64::INFINITY, 1));
    }
    let outcome = run(&[1.0, 2.0], tight(), |_, gradient| {
        gradient.fill(f64::NAN);
        3.0
    });
    assert_eq!((outcome.ended, outcome.value), (Ended::Stuck { why: Obstacle::NoGradient }, 3.0));
    assert!(outcome.gradient_size().is_nan());
}

#[test]
fn flat_and_empty_functions_are_minimal_everywhere() {
    let flat = run(&[1.0, 2.0], tight(), |_, gradient| {
        gradient.fill(0.0);
        3.0
    });
    assert_eq!((flat.ended, flat.value, flat.iterations, flat.evaluations), (Ended::Converged, 3.0, 0, 1));
    let empty = run(&[], tight(), |_, _| 7.0);
    assert_eq!((empty.ended, empty.value, empty.gradient_size()), (Ended::Converged, 7.0, 0.0));
}

#[test]
fn one_dimension_far_away() {
    let outcome = run(&[40.0], tight(), |at, gradient| {
        gradient[0] = 1.0 - (-at[0]).exp();
        at[0] + (-at[0]).exp()
    });
    assert!(outcome.ended == Ended::Converged && outcome.at[0].abs() < 1e-5, "{outcome:?}");
}

/// Values rounded to steps of 0.1 with smooth gradients, and a gradient with the wrong sign.
#[test]
fn broken_functions_end() {
    let stairs = run(&[3.0, -2.0], tight(), |at, gradient| (bowl(at, gradient) * 10.0).ceil() / 10.0);
    assert!(stairs.value <= 0.2 && stairs.evaluations < 200, "{stairs:?}");
    let jump = run(&[3.0, -2.0], tight(), |at, gradient| bowl(at, gradient) + if at[0] > 1.0 { 0.0 } else { 50.0 });
    assert!(jump.at[0] > 1.0 && jump.value < 2.0 && jump.evaluations < 300, "{jump:?}");
    let wrong = run(&[3.0, -2.0], tight(), |at, gradient| {
        let value = bowl(at, gradient);
        gradient.iter_mut().for_each(|g| *g = -*g);
        value
    });
    assert_eq!((wrong.ended, wrong.at), (Ended::Stuck { why: Obstacle::NoDescent }, vec![3.0, -2.0]));
}

#[test]
fn rounding_in_the_value_is_no_obstacle() {
    for size in [1e-9, 1e-7] {
        let outcome = run(&[2.0, -1.0, 0.5], tight(), move |at, gradient| {
            let noise = (at.iter().sum::<f64>() * 1e9).sin() * size;
            300.0 + bowl(at, gradient) + noise
        });
        assert!(outcome.ended.well() && outcome.value < 300.0 + 1e-6, "{outcome:?}");
    }
}

#[test]
fn steps_do_not_depend_on_portions() {
    let start = [-1.2, 1.0, 0.3];
    let objective = of(3, rosenbrock);
    let whole = minimize(&objective, &start, &tight(), &Silent);
    let mut run = Run::new(&start, &tight());
    assert_eq!((run.value(), run.ended()), (f64::INFINITY, None));
    run.advance(&objective, 0, &Silent);
    run.advance(&objective, 0, &Silent);
    assert_eq!((run.outcome().evaluations, run.value()), (1, objective.evaluate(&start, &mut [0.0; 3])));
    run.advance(&objective, 5, &Silent);
    assert_eq!(run.outcome().ended, Ended::OutOfIterations { steps: 5 });
    while run.advance(&objective, 3, &Silent).is_none() {}
    assert_eq!(run.outcome(), whole);
    run.advance(&objective, 3, &Silent);
    assert_eq!(run.outcome(), whole);
}

#[test]
fn limits_hold() {
    let objective = of(2, rosenbrock);
    let few = minimize(&objective, &[-1.2, 1.0], &Options { max_iter: 4, ..tight() }, &Silent);
    assert_eq!((few.iterations, few.ended), (4, Ended::OutOfIterations { steps: 4 }));
    let few = minimize(&objective, &[-1.2, 1.0], &Options { max_evals: 7, ..tight() }, &Silent);
    assert!(few.evaluations <= 7 && matches!(few.ended, Ended::OutOfIterations { .. }));
}

/// Stops after this number of queries.
struct Impatient(AtomicUsize);

impl Progress for Impatient {
    fn report(&self, done: f64, _note: &str) {
        assert!((0.0..=1.0).contains(&done));
    }

    fn stop(&self) -> bool {
        self.0.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| Some(left.saturating_sub(1))) == Ok(0)
    }
}

#[test]
fn a_stopped_run_keeps_the_best_and_can_go_on() {
    let objective = of(2, rosenbrock);
    let mut run = Run::new(&[-1.2, 1.0], &tight());
    run.advance(&objective, 500, &Impatient(AtomicUsize::new(20)));
    let stopped = run.outcome();
    assert!(matches!(stopped.ended, Ended::Stopped { steps } if steps > 3 && steps < 20), "{stopped:?}");
    assert!(stopped.value < 24.2);
    assert_eq!(run.advance(&objective, 500, &Silent), Some(&Ended::Converged));
}

#[test]
fn endings_read_as_english() {
    let phrases = [
        (Ended::Converged, "converged"),
        (Ended::Stopped { steps: 31 }, "stopped by the user after 31 steps"),
        (Ended::OutOfIterations { steps: 1 }, "not converged after 1 step"),
        (Ended::Stuck { why: Obstacle::NoValue }, "stuck: no finite value at the start"),
    ];
    for (ended, phrase) in phrases {
        assert_eq!(ended.to_string(), phrase);
    }
}

/// Minus the log marginal likelihood of a periodic kernel with noise, in the logarithms of variance, length-scale,
/// period and noise.
struct Evidence {
    t: Vec<f64>,
    y: DVector<f64>,
}

impl Evidence {
    fn waves(n: usize) -> Evidence {
        let unit = |i: usize, k: f64| ((i as f64 + 1.0) * k * 12.9898).sin() * 43758.5453 % 1.0;
        let t: Vec<f64> = (0..n).map(|i| 6.0 * i as f64 / n as f64 + 0.05 * unit(i, 1.0)).collect();
        let value = |i: usize| (2.0 * PI * t[i]).sin() + 0.4 * (4.0 * PI * t[i]).cos() + 0.2 * unit(i, 2.0);
        let y = DVector::from_iterator(n, (0..n).map(value));
        Evidence { t, y }
    }
}

impl Objective for Evidence {
    fn dim(&self) -> usize {
        4
    }

    fn evaluate(&self, at: &[f64], gradient: &mut [f64]) -> f64 {
        let n = self.t.len();
        let [v, l, p, noise] = [at[0].exp(), at[1].exp(), at[2].exp(), at[3].exp()];
        let angle = |i: usize, j: usize| PI * (self.t[i] - self.t[j]) / p;
        let k = DMatrix::from_fn(n, n, |i, j| v * (-2.0 * (angle(i, j).sin() / l).powi(2)).exp());
        let Some(cholesky) = (&k + DMatrix::identity(n, n) * noise).cholesky() else {
            return f64::NAN;
        };
        let (alpha, inverse) = (cholesky.solve(&self.y), cholesky.inverse());
        gradient.fill(0.0);
        for j in 0..n {
            for i in 0..n {
                let w = -0.5 * (alpha[i] * alpha[j] - inverse[(i, j)]);
                let (s, c) = angle(i, j).sin_cos();
                gradient[0] += w * k[(i, j)];
                gradient[1] += w * k[(i, j)] * 4.0 * (s / l).powi(2);
                gradient[2] += w * k[(i, j)] * 4.0 * s * c * angle(i, j) / (l * l);
                gradient[3] += if i == j { w * noise } else { 0.0 };
            }
        }
        let log_det: f64 = cholesky.l_dirty().diagonal().iter().map(|d| d.ln()).sum();
        0.5 * self.y.dot(&alpha) + log_det + 0.5 * n as f64 * (2.0 * PI).ln()
    }
}

#[test]
fn a_periodic_likelihood_ends_well_from_any_start() {
    let outcomes = watched(|| {
        let evidence = Evidence::waves(40);
        let mut outcomes = Vec::new();
        for period in [0.2, 0.5, 0.97, 1.3, 2.0, 4.0f64] {
            for length in [0.1, 1.0, 10.0f64] {
                for noise in [1e-6, 1e-2, 1.0f64] {
                    let start = [0.0, length.ln(), period.ln(), noise.ln()];
                    outcomes.push(minimize(&evidence, &start, &Options::default(), &Silent));
                }
            }
        }
        outcomes
    });
    let well = outcomes.iter().filter(|outcome| outcome.ended.well()).count();
    let steps: usize = outcomes.iter().map(|outcome| outcome.iterations).sum();
    let evaluations: usize = outcomes.iter().map(|outcome| outcome.evaluations).sum();
    assert!(well >= 53, "{well} of 54 ended well");
    assert!(evaluations * 2 < steps * 3, "{evaluations} evaluations for {steps} steps");
    let best = outcomes.iter().min_by(|a, b| a.value.total_cmp(&b.value)).map(|best| best.at[2].exp());
    assert!(best.is_some_and(|period| (period - 1.0).abs() < 0.01), "{best:?}");
}
