use super::*;
use crate::data;
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
    agrees(&small(1));
    agrees(&DeepModel { prior: PseudoPrior::Outputs, ..small(2) });
    agrees(&DeepModel { prior: PseudoPrior::Nothing, ..small(2) });
    let mixed = vec![kernel("Matern52"), kernel("SE"), kernel("RQ")];
    let units = crate::deep::Units::Each(vec![2, 1]);
    agrees(&DeepModel { kernels: mixed, units, connected: true, ..small(3) });
}

/// One layer has no samples: its objective is a sum of normal densities that a few lines compute (4.5–4.7).
#[test]
fn one_layer_is_the_text_s_formula() {
    let model = DeepModel { inducing: 3, prior: PseudoPrior::Outputs, ..DeepModel::new(1, kernel("SE")) };
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
