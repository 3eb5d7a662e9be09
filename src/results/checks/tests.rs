use std::sync::Arc;

use rand::SeedableRng;
use rand_distr::{Distribution, StandardNormal};
use rand_pcg::Pcg64;

use super::{About, Checks, Topic, checks};
use crate::data::{Column, Dataset};
use crate::fit::{Options, condition, fit};
use crate::kernel::{Inputs, Kernel, families};
use crate::model::{Likelihood, Mean, Model, Noise};
use crate::param::Param;
use crate::progress::Silent;

const ROWS: usize = 60;

fn kernel(name: &str, values: &[f64]) -> Kernel {
    let leaf = Kernel::leaf(families::family(name).unwrap(), Inputs::All);
    let mut left = values.iter();
    leaf.map_params(&mut |param| left.next().map_or_else(|| param.clone(), |v| Param::free(*v)))
}

fn model() -> Model {
    Model {
        likelihood: Likelihood::Gaussian(Noise::Variance(Param::free(0.25))),
        mean: Mean::Constant(Param::free(2.0)),
        ..Model::new(kernel("SE", &[1.5, 1.0]))
    }
}

fn places() -> Vec<f64> {
    (0..ROWS).map(|i| i as f64 * 0.2).collect()
}

fn data(y: Vec<f64>) -> Dataset {
    let columns = vec![Column::numeric("x", places()), Column::numeric("y", y)];
    Dataset::new(columns, Some("y"), None).unwrap()
}

/// A draw of the model's function plus `noise` (row, standard normal number).
fn drawn(seed: u64, noise: impl Fn(usize, f64) -> f64) -> Dataset {
    let quiet = model().with_noise(Noise::Variance(Param::fixed(1e-6)));
    let zeros = condition(&quiet, &data((0..ROWS).map(|i| i as f64 * 1e-9).collect())).unwrap();
    let mut random = Pcg64::seed_from_u64(seed);
    let mut normal = || StandardNormal.sample(&mut random);
    let white = crate::linalg::Matrix::from_fn(ROWS, 1, |_, _| normal());
    // the prior: a replicate of the model before its residuals are computed
    let bound = zeros.problem().bound();
    let mut k = crate::linalg::Matrix::zeros(ROWS, ROWS);
    crate::kernel::Gram::new(bound, zeros.problem().points()).evaluate(&bound.values(), &mut k).unwrap();
    let f = crate::linalg::Cholesky::new(k).unwrap().lower() * white;
    data((0..ROWS).map(|i| 2.0 + f[i] + noise(i, normal())).collect())
}

fn p(found: &Checks, topic: Topic) -> f64 {
    found.checks.iter().find(|c| c.topic == topic).unwrap().found.as_ref().unwrap().p
}

fn checked(data: &Dataset) -> Checks {
    checks(&Arc::new(condition(&model(), data).unwrap()), 199, 1).unwrap()
}

/// The mean and the minimum of p-values over several data sets.
fn many(topic: Topic, noise: impl Fn(usize, f64) -> f64) -> Vec<f64> {
    (0..80).map(|seed| p(&checked(&drawn(seed, &noise)), topic)).collect()
}

fn below(all: &[f64], level: f64) -> f64 {
    all.iter().filter(|p| **p <= level).count() as f64 / all.len() as f64
}

#[test]
fn p_values_are_uniform_where_the_model_is_right() {
    for topic in Topic::ALL {
        let all = many(topic, |_, e| 0.5 * e);
        for level in [0.1, 0.25, 0.5, 0.75, 0.9] {
            // three standard deviations of a share in 80
            let room = 3.0 * (level * (1.0 - level) / all.len() as f64).sqrt();
            assert!((below(&all, level) - level).abs() < room, "{topic:?} {level}: {}", below(&all, level));
        }
    }
}

#[test]
fn each_fault_is_found_by_its_check() {
    let far = |i: usize, e: f64| if i % 15 == 7 { 3.0 * e.signum() } else { 0.3 * e };
    assert!(below(&many(Topic::Tails, far), 0.05) > 0.9);
    assert!(below(&many(Topic::Normality, far), 0.05) > 0.9);
    let grows = |i: usize, e: f64| e * 0.02 * i as f64;
    assert!(below(&many(Topic::Heteroscedasticity, grows), 0.05) > 0.9);
    let rhythm = |i: usize, e: f64| 0.3 * e + 0.6 * (std::f64::consts::TAU * i as f64 / 5.0).sin();
    assert!(below(&many(Topic::Periodicity, rhythm), 0.05) > 0.9);
    let turns = |i: usize, e: f64| 0.3 * e + if i.is_multiple_of(2) { 0.4 } else { -0.4 };
    assert!(below(&many(Topic::Autocorrelation, turns), 0.05) > 0.9);
    let found = checked(&drawn(3, rhythm));
    let About::Period(period) = found.checks[3].found.as_ref().unwrap().about else { panic!("no period") };
    assert!((period - 1.0).abs() < 0.05, "{period}");
    let found = checked(&drawn(3, grows));
    assert_eq!(found.checks[4].found.as_ref().unwrap().about, About::Input("x".into()));
}

#[test]
fn a_structure_that_a_fit_lacks_shows() {
    // a straight line fitted to a sinusoid
    let wave = data(places().iter().map(|x| x + (2.0 * x).sin()).collect());
    let line = Model::new(kernel("Lin", &[]));
    let options = Options { restarts: 2, ..Options::default() };
    let found = checks(&Arc::new(fit(&line, &wave, options, &Silent).unwrap()), 199, 0).unwrap();
    assert!(p(&found, Topic::Autocorrelation) < 0.02 && p(&found, Topic::Periodicity) < 0.02);
}

#[test]
fn fitted_parameters_cost_little() {
    let options = Options { restarts: 1, ..Options::default() };
    let mut all = Vec::new();
    for seed in 0..40 {
        let found = Arc::new(fit(&model(), &drawn(seed, |_, e| 0.5 * e), options, &Silent).unwrap());
        let found = checks(&found, 199, 1).unwrap();
        all.extend(Topic::ALL.map(|topic| p(&found, topic)));
    }
    assert!(below(&all, 0.05) < 0.09 && (below(&all, 0.5) - 0.5).abs() < 0.12, "{}", below(&all, 0.5));
}

#[test]
fn several_inputs_and_categories_have_no_order() {
    let level = |i: usize| Some(Arc::from(["a", "b", "c"][i % 3]));
    let y: Vec<f64> = (0..ROWS).map(|i| (i as f64 * 0.7).sin() * if i % 3 == 2 { 9.0 } else { 1.0 }).collect();
    let columns = || {
        let kinds = Column::categories("kind", (0..ROWS).map(level).collect::<Vec<_>>());
        vec![Column::numeric("x", places()), kinds, Column::numeric("y", y.clone())]
    };
    let both = Dataset::new(columns(), Some("y"), None).unwrap();
    let one = both.select(&["kind".to_string(), "y".into()]).unwrap();
    let seen = Kernel::leaf(families::family("Const").unwrap(), Inputs::All);
    for data in [both, one] {
        let found = condition(&Model::new(seen.clone()), &data).unwrap();
        let found = checks(&Arc::new(found), 199, 0).unwrap();
        assert!(found.checks[2].found.is_err() && found.checks[3].found.is_err());
        let spread = found.checks[4].found.as_ref().unwrap();
        assert!(spread.p < 0.02 && spread.about == About::Input("kind".into()), "{spread:?}");
    }
}

#[test]
fn few_rows_and_the_same_seed() {
    let few = Dataset::new(
        vec![Column::numeric("x", vec![0.0, 1.0, 2.0]), Column::numeric("y", vec![0.0, 1.0, 0.5])],
        Some("y"),
        None,
    );
    let found = checks(&Arc::new(condition(&model(), &few.unwrap()).unwrap()), 99, 0).unwrap();
    assert!(found.checks.iter().all(|c| c.found.is_err()));
    let data = drawn(1, |_, e| 0.5 * e);
    let [one, two] = [0, 1].map(|_| checked(&data));
    assert_eq!((one.checks, one.lower), (two.checks, two.lower));
}
