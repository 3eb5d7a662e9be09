use super::*;
use crate::data;
use crate::deep::minimised::Minimised;
use crate::fit::optimize::Objective;
use crate::kernel::{Kernel, families::family};
use crate::linalg::LOG_2PI;

fn rows() -> Dataset {
    let x: Vec<f64> = (0..9).map(|i| f64::from(i) * 0.6).collect();
    let y: Vec<f64> = x.iter().map(|x| (1.3 * x).sin() + 0.2 * x).collect();
    Dataset::new(vec![data::Column::numeric("x", x), data::Column::numeric("y", y)], Some("y"), None).unwrap()
}

fn kernel(name: &str) -> Kernel {
    Kernel::family(family(name).unwrap())
}

/// Compares the gradient with finite differences of the objective, in every coordinate.
fn agrees(model: &DeepModel) {
    let problem = DeepProblem::new(model, &rows(), 3).unwrap();
    let start = problem.start(1, 3).unwrap();
    let at = problem.to_coordinates(&start);
    assert_eq!(problem.to_coordinates(&problem.to_values(&at, &start)).len(), at.len());
    assert_eq!(problem.coordinates_before(model.layers, &start), at.len() - 1);
    let mut gradient = vec![0.0; at.len()];
    let objective = Minimised { problem: &problem, like: &start };
    objective.evaluate(&at, &mut gradient);
    for i in 0..at.len() {
        let moved = |by: f64| {
            let mut at = at.clone();
            at[i] += by;
            -problem.objective(&problem.to_values(&at, &start)).unwrap().1
        };
        let h = 1e-4;
        let difference = (8.0 * (moved(h) - moved(-h)) - (moved(2.0 * h) - moved(-2.0 * h))) / (12.0 * h);
        let scale = gradient[i].abs().max(1.0);
        assert!((difference - gradient[i]).abs() < 1e-4 * scale, "{model}, {i}: {difference} {}", gradient[i]);
    }
}

#[test]
fn the_gradient_agrees_with_differences() {
    let small = |layers| DeepModel { inducing: 4, samples: 3, ..DeepModel::new(layers, kernel("SE")) };
    let dgps = |layers| DeepModel { inference: Inference::Dgps, ..small(layers) };
    agrees(&DeepModel { prior: PseudoPrior::Outputs, ..dgps(2) });
    agrees(&DeepModel { prior: PseudoPrior::Nothing, ..dgps(2) });
    let mixed = vec![kernel("Matern52"), kernel("SE"), kernel("RQ")];
    let wide = |model| DeepModel {
        kernels: mixed.clone(),
        units: crate::deep::Units::Each(vec![2, 1]),
        connected: true,
        ..model
    };
    for (one, three) in [(small(1), small(3)), (dgps(1), dgps(3))] {
        agrees(&one);
        agrees(&wide(three));
    }
}

/// One layer has no samples: its objective is a sum of normal densities that a few lines compute (4.5–4.7).
#[test]
fn one_layer_is_the_text_s_formula() {
    let inference = Inference::Dgps;
    let model = DeepModel { inducing: 3, inference, prior: PseudoPrior::Outputs, ..DeepModel::new(1, kernel("SE")) };
    let problem = DeepProblem::new(&model, &rows(), 0).unwrap();
    let mut values = problem.start(0, 0).unwrap();
    values.layers[0].theta = vec![0.9, 1.4];
    values.layers[0].inducing = Matrix::from_column_slice(3, 1, &[0.3, 2.0, 4.1]);
    values.layers[0].whitened = Matrix::from_column_slice(3, 1, &[0.5, -0.4, 0.8]);
    values.noise = 0.3;
    let k = |a: f64, b: f64| 1.4 * (-(a - b).powi(2) / (2.0 * 0.81)).exp();
    let z = [0.3, 2.0, 4.1];
    let among = Matrix::from_fn(3, 3, |i, j| k(z[i], z[j]) * if i == j { 1.0 + JITTER } else { 1.0 });
    let factor = nalgebra::Cholesky::new(among.clone()).unwrap();
    let outputs = factor.l() * &values.layers[0].whitened;
    let solved = factor.solve(&outputs);
    let mut likelihood = 0.0;
    for (x, y) in problem.x.iter().zip(&problem.y) {
        let across = Matrix::from_fn(3, 1, |i, _| k(*x, z[i]));
        let mean = across.dot(&solved);
        let variance = 1.4 - across.dot(&factor.solve(&across)) + 0.3;
        likelihood -= 0.5 * (LOG_2PI + variance.ln() + (y - mean).powi(2) / variance);
    }
    let prior = -0.5 * (3.0 * LOG_2PI + among.determinant().ln() + outputs.dot(&solved));
    // the prior of the noise, in its logarithm: normal, with a median of a tenth of the variance of the targets
    let of_noise = -0.5 * (LOG_2PI + (0.3f64 / (0.1 * problem.variance)).ln().powi(2));
    let (found, whole) = problem.objective(&values).unwrap();
    assert!((found - likelihood).abs() < 1e-9, "{found} {likelihood}");
    let right = likelihood + prior + of_noise;
    assert!((whole - right).abs() < 1e-7, "{whole} {right}");
}

/// One layer with an inducing input at every row is a Gaussian process: the bound is its log marginal likelihood, and the
/// posterior of the pseudo outputs that of the function.
#[test]
fn one_layer_of_all_inputs_is_exact() {
    let model = DeepModel { inducing: 9, ..DeepModel::new(1, kernel("SE")) };
    let problem = DeepProblem::new(&model, &rows(), 0).unwrap();
    let mut values = problem.start(0, 0).unwrap();
    values.layers[0].theta = vec![0.9, 1.4];
    values.layers[0].inducing = problem.x.clone();
    values.noise = 0.3;
    let x = problem.x.as_slice();
    let k = Matrix::from_fn(9, 9, |i, j| 1.4 * (-(x[i] - x[j]).powi(2) / (2.0 * 0.81)).exp());
    let y = nalgebra::DVector::from_column_slice(&problem.y);
    let factor = nalgebra::Cholesky::new(&k + Matrix::identity(9, 9) * 0.3).unwrap();
    let exact = -0.5 * (9.0 * LOG_2PI + factor.determinant().ln() + y.dot(&factor.solve(&y)));
    let bound = problem.objective(&values).unwrap().1;
    assert!(bound <= exact + 1e-9 && (bound - exact).abs() < 1e-4, "{bound} {exact}");
    let outputs = problem.pseudo_outputs(&problem.completed(&values).unwrap(), 0).unwrap();
    let mean = &k * factor.solve(&y);
    assert!((outputs.column(0) - mean).amax() < 1e-4);
}

/// The bound is that of the posterior of the last layer written out: expected log densities, minus the divergence of the
/// pseudo outputs from their prior.
#[test]
fn the_last_layer_is_at_its_best_posterior() {
    let model = DeepModel { inducing: 4, samples: 3, ..DeepModel::new(2, kernel("SE")) };
    let problem = DeepProblem::new(&model, &rows(), 5).unwrap();
    let values = problem.completed(&problem.start(1, 3).unwrap()).unwrap();
    let written_out = |values: &Values| {
        let mut tape = Tape::new();
        let forward = problem.forward(&mut tape, values).unwrap();
        let Conditional { mean, variance, .. } = conditional(&mut tape, &forward.layers[1], &forward.last);
        let (mean, variance) = (tape.value(mean), tape.value(variance));
        let density = |i: usize| {
            let error = problem.y[i % 9] - mean[i];
            -0.5 * (LOG_2PI + values.noise.ln() + (error * error + variance[i]) / values.noise)
        };
        let expected = (0..27).map(density).sum::<f64>() / 3.0;
        let divergence = |of: &LayerValues| {
            let root = of.root.as_ref().unwrap();
            let trace = root.norm_squared() + of.whitened.norm_squared() - 4.0;
            0.5 * trace - root.determinant().abs().ln()
        };
        expected - values.layers.iter().map(divergence).sum::<f64>()
    };
    let bound = problem.objective(&values).unwrap().1;
    let best = written_out(&values);
    assert!((bound - best).abs() < 1e-8, "{bound} {best}");
    let mut other = values.clone();
    other.layers[1].whitened[2] += 0.01;
    assert!(written_out(&other) < best);
    other = values;
    other.layers[1].root.as_mut().unwrap()[(1, 1)] *= 1.05;
    assert!(written_out(&other) < best);
}
