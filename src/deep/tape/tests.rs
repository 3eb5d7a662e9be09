use super::*;
use crate::kernel::families::family;
use crate::kernel::{Kernel, Schema};

fn matrix(rows: usize, columns: usize, seed: f64) -> Matrix {
    Matrix::from_fn(rows, columns, |i, j| ((i * 7 + j * 3) as f64 * 0.7 + seed).sin())
}

/// Compares the gradient of the sum of squares of the result of `make` with finite differences, in every entry of every
/// leaf.
fn agrees(leaves: &[Matrix], make: impl for<'a> Fn(&mut Tape<'a>, &[Var]) -> Var) {
    let value = |leaves: &[Matrix]| {
        let mut tape = Tape::new();
        let vars: Vec<Var> = leaves.iter().map(|leaf| tape.leaf(leaf.clone())).collect();
        let made = make(&mut tape, &vars);
        let out = tape.sum_squares(made);
        let gradients = tape.gradients(out).unwrap();
        let all: Vec<Vec<f64>> = vars.iter().map(|var| gradients.of(*var).unwrap().to_vec()).collect();
        (tape.value(out)[0], all)
    };
    let (_, gradients) = value(leaves);
    for (which, gradient) in gradients.iter().enumerate() {
        for (entry, slope) in gradient.iter().enumerate() {
            let moved = |by: f64| {
                let mut leaves = leaves.to_vec();
                leaves[which][entry] += by;
                value(&leaves).0
            };
            let difference = (moved(1e-5) - moved(-1e-5)) / 2e-5;
            assert!((difference - slope).abs() < 1e-6 * slope.abs().max(1.0), "{which} {entry}: {difference} {slope}");
        }
    }
}

#[test]
fn products_and_solves_agree_with_differences() {
    let (a, b) = (matrix(3, 3, 0.1), matrix(3, 4, 0.5));
    agrees(&[a.clone(), b.clone()], |t, v| t.transposed_product(v[0], v[1]));
    agrees(std::slice::from_ref(&b), |t, v| t.transpose(v[0]));
    agrees(std::slice::from_ref(&b), |t, v| t.column_squares(v[0]));
    agrees(&[b.clone(), matrix(3, 4, 0.9)], |t, v| t.subtract(v[0], v[1]));
    agrees(&[b.clone(), matrix(1, 1, 0.3)], |t, v| t.add_scalar(v[0], v[1]));
    agrees(std::slice::from_ref(&a), |t, v| t.inflate(v[0], 0.5));
    agrees(std::slice::from_ref(&a), |t, v| t.add_identity(v[0]));
    agrees(&[b.clone(), matrix(3, 4, 0.9)], |t, v| t.add(v[0], v[1]));
    agrees(&[b.clone(), matrix(1, 1, 0.3)], |t, v| t.scale(v[0], v[1]));
    // a positive definite matrix made of a, its factor, and a solve with it
    agrees(&[a, b], |t, v| {
        let square = t.transposed_product(v[0], v[0]);
        let square = t.add_identity(square);
        let l = t.cholesky(square).unwrap();
        let solved = t.solve_lower(l, v[1]);
        let log = t.log_diagonal(l);
        t.add_scalar(solved, log)
    });
}

#[test]
fn entrywise_operations_agree_with_differences() {
    let positive = matrix(4, 1, 0.2).map(|x| x * x + 0.3);
    agrees(std::slice::from_ref(&positive), |t, v| t.root(v[0]));
    agrees(std::slice::from_ref(&positive), |t, v| t.reciprocal(v[0]));
    agrees(std::slice::from_ref(&positive), |t, v| t.log(v[0]));
    agrees(std::slice::from_ref(&positive), |t, v| t.sum(v[0]));
    agrees(&[matrix(4, 2, 0.1), positive.clone()], |t, v| t.perturb(v[0], v[1], matrix(4, 2, 0.7)));
    agrees(&[matrix(2, 2, 0.1)], |t, v| t.repeat(v[0], 3));
    agrees(&[matrix(3, 2, 0.1), matrix(3, 1, 0.4)], |t, v| t.beside(&[v[0], v[1]]));
    agrees(&[matrix(4, 1, 0.1), positive], |t, v| t.normal_densities(v[0], v[1], &[0.3, -0.2]));
    agrees(&[matrix(5, 1, 0.1)], |t, v| t.log_mean_exp(v[0]));
    agrees(&[matrix(1, 1, 0.1), matrix(1, 1, 0.6)], |t, v| t.combine(vec![(v[0], 2.0), (v[1], -0.5)]));
}

#[test]
fn kernels_agree_with_differences_in_parameters_and_rows() {
    let columns = [vec![0.0, 1.0, 2.0], vec![1.0, 0.5, 0.0]];
    let columns: Vec<&[f64]> = columns.iter().map(|c| &c[..]).collect();
    let names = ["x0".to_string(), "x1".to_string()];
    for name in ["SE", "Matern32", "RQ", "Lin"] {
        let kernel = Kernel::family(family(name).unwrap());
        let bound = kernel.bind(&Schema::unnamed(&names, &columns)).unwrap();
        let bound: &'static _ = Box::leak(Box::new(bound));
        let theta = Matrix::from_fn(bound.slots().len(), 1, |i, _| 0.6 + 0.2 * i as f64);
        let rows = [theta, matrix(4, 2, 0.3), matrix(3, 2, 0.8)];
        agrees(&rows, |t, v| t.kernel(bound, v[0], v[1], v[2]).unwrap());
        agrees(&rows[..2], |t, v| t.kernel(bound, v[0], v[1], v[1]).unwrap());
        agrees(&rows[..2], |t, v| t.kernel_diagonal(bound, v[0], v[1]).unwrap());
    }
}

#[test]
fn a_mean_of_exponentials_does_not_overflow() {
    assert_eq!(log_mean_exp(&[1000.0, 1000.0]), 1000.0);
    assert!((log_mean_exp(&[0.0, 3f64.ln()]) - 2f64.ln()).abs() < 1e-15);
}
