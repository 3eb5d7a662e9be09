use std::sync::atomic::{AtomicUsize, Ordering};

use super::link::{normal_cdf, tail};
use super::*;
use crate::data::{Column, Dataset};
use crate::fit::given;
use crate::kernel::{Inputs, Kernel, families::family};
use crate::model::{Evidencer, Likelihood, Mean, Model, ModelError, Posterior, Problem};
use crate::param::Param;
use crate::progress::StopHandle;

const ALL: [Bernoulli; 3] = [Bernoulli::Ep, Bernoulli::Laplace(Link::Probit), Bernoulli::Laplace(Link::Logistic)];

/// log Φ and N/Φ to 40 digits, by mpmath's `ncdf` and `npdf` at z.
#[test]
fn tails_keep_their_digits() {
    for (z, log_cdf, hazard) in [
        (-40.0, -804.608_442_013_753_8, 40.024_968_847_207_26),
        (-10.0, -53.231_285_150_512_47, 10.098_093_233_962_512),
        (-5.0, -15.064_998_393_988_726, 5.186_503_967_125_842),
        (-1.0, -1.841_021_645_009_263_8, 1.525_135_276_160_981),
        (0.0, -std::f64::consts::LN_2, 0.797_884_560_802_865_4),
        (3.0, -0.001_350_809_964_748_193_8, 0.004_437_839_042_125_664),
        (10.0, -7.619_853_024_160_526e-24, 7.694_598_626_706_419e-23),
    ] {
        let found = tail(z);
        assert!((found.log_cdf / log_cdf - 1.0).abs() < 2e-14, "{z}: {}", found.log_cdf);
        assert!((found.hazard / hazard - 1.0).abs() < 2e-14, "{z}: {}", found.hazard);
    }
    // both formulae agree where they meet, and small values keep their digits
    let (near, far) = (tail(-1.0 + 1e-13), tail(-1.0 - 1e-13));
    assert!((near.excess / far.excess - 1.0).abs() < 1e-10 && (near.rest / far.rest - 1.0).abs() < 1e-9);
    for x in [1e2, 1e4, 1e6] {
        let far = tail(-x);
        assert!((far.excess * x - 1.0).abs() < 3.0 / (x * x) && (far.rest * x * x - 1.0).abs() < 10.0 / (x * x));
    }
    assert!((normal_cdf(-3.0) + normal_cdf(3.0) - 1.0).abs() < 1e-15);
}

#[test]
fn likelihoods_have_the_derivatives_of_their_differences() {
    for link in [Link::Probit, Link::Logistic] {
        for z in [-30.0, -6.0, -4.9, -0.3, 0.0, 1.2, 5.0] {
            let h = 1e-5;
            let (up, here, down) = (link.log_likelihood(z + h), link.log_likelihood(z), link.log_likelihood(z - h));
            let close = |found: f64, by: f64| {
                assert!((found - by).abs() < 1e-7 * (1.0 + by.abs()), "{link:?} {z}: {found} {by}")
            };
            close(here.first, (up.value - down.value) / (2.0 * h));
            close(-here.curvature, (up.first - down.first) / (2.0 * h));
            close(here.third, -(up.curvature - down.curvature) / (2.0 * h));
            assert!((here.value.exp() - link.probability_at(z)).abs() < 1e-15);
        }
    }
}

/// Compared with sums over a fine grid; the formulae for narrow and wide distributions agree.
#[test]
fn probabilities_are_averages() {
    for link in [Link::Probit, Link::Logistic] {
        for (mean, sd) in [(0.3, 0.0), (-1.0, 0.5), (2.0, 3.0), (5.0, 19.9), (5.0, 20.1), (-40.0, 60.0)] {
            let (mut total, mut sum) = (0.0, 0.0);
            for i in -90_000..=90_000 {
                let u = f64::from(i) * 1e-4;
                let weight = (-0.5 * u * u).exp();
                total += weight;
                sum += weight * link.probability_at(mean + sd * u);
            }
            let found = link.probability(mean, sd * sd);
            assert!((found - sum / total).abs() < 1e-9, "{link:?} {mean} {sd}: {found} {}", sum / total);
        }
    }
}

fn leaf(name: &str) -> Kernel {
    Kernel::leaf(family(name).unwrap(), Inputs::All)
}

fn table(columns: Vec<Vec<f64>>, y: Vec<f64>) -> Dataset {
    let mut all: Vec<Column> =
        columns.into_iter().enumerate().map(|(d, x)| Column::numeric(format!("x{d}"), x)).collect();
    all.push(Column::numeric("y", y));
    Dataset::new(all, Some("y"), None).unwrap()
}

/// Two random inputs; the first determines the class, with errors.
fn clouds(n: usize) -> Dataset {
    let column = |d: usize| (0..n).map(|i| 2.0 * ((i * (2 * d + 3)) as f64 * 0.377).sin()).collect::<Vec<f64>>();
    let (a, b) = (column(0), column(1));
    let y = a.iter().enumerate().map(|(i, a)| f64::from(u8::from(a + ((i * 7) as f64).cos() > 0.2))).collect();
    table(vec![a, b], y)
}

fn model(kernel: Kernel, how: Bernoulli, mean: Mean) -> Model {
    Model { likelihood: Likelihood::Bernoulli { how, positive: None }, mean, ..Model::new(kernel) }
}

#[test]
fn gradients_agree_with_differences() {
    let data = clouds(40);
    let kernels = [
        leaf("SE"),
        Kernel::sum([leaf("Lin"), leaf("Matern32")]).unwrap(),
        Kernel::product([leaf("RQ"), leaf("Lin")]).unwrap(),
        Kernel::sum([leaf("SE"), leaf("WN")]).unwrap(),
    ];
    for how in ALL {
        for kernel in &kernels {
            for mean in [
                Mean::Constant(Param::free(0.4)),
                Mean::Linear(vec![0.2, -0.3, 0.1].into_iter().map(Param::free).collect()),
            ] {
                let problem = Problem::new(&model(kernel.clone(), how, mean), &data, true).unwrap();
                let values = given(&problem);
                let mut evidencer = Evidencer::new(&problem);
                let found = evidencer.evaluate(&values, true, true).unwrap();
                assert!(found.converged && found.values == values);
                for (i, p) in problem.parameters().iter().enumerate().filter(|(_, p)| p.is_free()) {
                    let h = 1e-4 * values[i].abs().max(0.1);
                    let mut at = |by: f64| {
                        let mut moved = values.clone();
                        moved[i] += by;
                        evidencer.evaluate(&moved, false, false).unwrap().lml
                    };
                    // fourth order, so that only rounding remains
                    let by = (8.0 * (at(h) - at(-h)) - (at(2.0 * h) - at(-2.0 * h))) / (12.0 * h);
                    let off = (found.gradient[i] - by).abs();
                    assert!(off < 1e-5 * by.abs() + 1e-7, "{how:?} {kernel} {}: {} {by}", p.name, found.gradient[i]);
                }
            }
        }
    }
}

#[test]
fn the_posterior_has_the_evidence_and_what_the_sites_say() {
    let data = clouds(30);
    for how in ALL {
        let problem = Problem::new(&model(leaf("SE"), how, Mean::Constant(Param::free(0.4))), &data, true).unwrap();
        let values = given(&problem);
        let evidence = Evidencer::new(&problem).evaluate(&values, false, false).unwrap();
        let posterior = Posterior::new(problem, values).unwrap();
        assert_eq!(posterior.lml(), evidence.lml);
        // regression on the pseudo-observations gives the same moments at the training rows as the approximation
        let (again, own) = (posterior.predict(&posterior.problem().x()).unwrap(), posterior.at_training().unwrap());
        for i in 0..30 {
            assert!((again.mean[i] - own.mean[i]).abs() < 1e-9 && (again.var_f[i] - own.var_f[i]).abs() < 1e-9);
        }
        // without a row: its pseudo-observation removed, and a prediction there
        let weights = posterior.weights_without(&[3]).unwrap();
        let kernel = posterior.problem().model_with(posterior.values()).kernel;
        let without = posterior.summand_times(&kernel, &Matrix::from_column_slice(30, 1, weights.as_slice())).unwrap();
        let (mean, var) = posterior.leave_one_out().unwrap()[3];
        assert!((without[(3, 0)] + 0.4 - mean).abs() < 1e-9 && var > own.var_f[3]);
    }
}

/// Newton's method takes few rounds, fewer from nearby sites, and reaches the same sites from either start.
#[test]
fn sites_are_found_in_few_rounds_from_anywhere() {
    let data = clouds(120);
    let model = model(leaf("SE"), Bernoulli::Ep, Mean::Constant(Param::free(0.3)));
    let found = |l: f64, v: f64, warm: &mut Warm| {
        let problem = Problem::new(&model, &data, true).unwrap();
        let mut room = Approximator::new(120);
        let mut work = Workspace::new(120);
        crate::kernel::Gram::new(problem.bound(), problem.points()).evaluate(&[l, v], &mut room.k).unwrap();
        room.k.fill_upper_triangle_with_lower_triangle();
        room.find(Bernoulli::Ep, problem.y(), &[0.3; 120], false, warm, &mut work).unwrap()
    };
    let mut warm = Warm::default();
    found(1.0, 3.0, &mut warm);
    let (near, cold) = (found(1.1, 3.3, &mut warm), found(1.1, 3.3, &mut Warm::default()));
    assert!(
        near.converged && cold.converged && near.rounds <= 4 && cold.rounds <= 8,
        "{} {}",
        near.rounds,
        cold.rounds
    );
    assert!((near.lml - cold.lml).abs() < 1e-10 * cold.lml.abs());
    for (a, b) in near.precision.iter().zip(&cold.precision).chain(near.shift.iter().zip(&cold.shift)) {
        assert!((a - b).abs() < 1e-7, "{a} {b}");
    }
}

/// Difficult data: the approximation converges or reports that it did not, and nothing is NaN.
#[test]
fn awkward_rows_are_met() {
    let n = 60;
    let x: Vec<f64> = (0..n).map(|i| i as f64 / 10.0).collect();
    let separable: Vec<f64> = x.iter().map(|x| f64::from(u8::from(*x > 3.0))).collect();
    let rare: Vec<f64> = (0..n).map(|i| f64::from(u8::from(i % 20 == 7))).collect();
    let repeated = vec![1.0; n];
    let conflict: Vec<f64> = (0..n).map(|i| f64::from(u8::from(i % 3 == 0))).collect();
    let one: Vec<f64> = (0..n).map(|i| f64::from(u8::from(i == 30))).collect();
    let cases = [(&x, &separable), (&x, &rare), (&repeated, &conflict), (&x, &conflict), (&x, &one)];
    for (x, y) in cases {
        for (l, v) in [(1.0, 2.0), (1e4, 2.0), (1.0, 1e4), (1e-3, 1.0), (3.0, 1e8), (1e3, 1e8), (1.0, 1e-8)] {
            for how in ALL {
                let data = table(vec![x.clone()], y.clone());
                let problem =
                    Problem::new(&model(leaf("SE"), how, Mean::Constant(Param::free(0.3))), &data, true).unwrap();
                let values = vec![l, v, 0.3];
                let found = Evidencer::new(&problem).evaluate(&values, true, false).unwrap();
                let posterior = Posterior::new(problem, values).unwrap();
                assert!(found.lml.is_finite() && found.gradient.iter().all(|g| g.is_finite()));
                let moments = posterior.at_training().unwrap();
                assert!(moments.mean.iter().chain(&moments.var_f).all(|v| v.is_finite()));
                assert!(posterior.leave_one_out().unwrap().iter().all(|(m, v)| m.is_finite() && *v >= 0.0));
            }
        }
    }
}

#[test]
fn the_posterior_ends_when_the_user_stops() {
    // beyond 1024 rows a factorisation asks before each block of columns
    let data = clouds(1100);
    for how in ALL {
        for polls in [0, 100] {
            let problem = Problem::new(&model(leaf("SE"), how, Mean::Zero), &data, true).unwrap();
            let values = given(&problem);
            let asked = AtomicUsize::new(0);
            let stopped = StopHandle::new(move || asked.fetch_add(1, Ordering::Relaxed) >= polls);
            let found = Posterior::new_unless(problem, values, &stopped);
            assert!(matches!(found, Err(ModelError::Stopped)), "{how:?} after {polls} polls");
        }
    }
}
