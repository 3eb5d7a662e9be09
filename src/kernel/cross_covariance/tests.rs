use super::*;
use crate::kernel::bind_error::Cause;
use crate::kernel::inputs::{InputRef, Inputs};
use crate::kernel::schema::Schema;
use crate::kernel::slopes::InputSlope;
use crate::kernel::testing::{at, function, leaf};
use crate::kernel::tree::Kernel;
use crate::kernel::wraps;

type Columns = Vec<Vec<f64>>;

fn points(bound: &Bound, x: &Columns) -> Points {
    bound.points(&x.iter().map(|c| &c[..]).collect::<Vec<_>>()).unwrap()
}

/// A weight for each pair, all different.
fn weight(i: usize, j: usize) -> f64 {
    ((i * 5 + j * 3) as f64).sin() + 0.3
}

/// Σ W∘k(A, B) + Σ w·k(a, a) + Σ w·k(b, b), with and without shared observation noise.
fn total(bound: &Bound, theta: &[f64], a: &Columns, b: &Columns) -> f64 {
    let (a, b) = (points(bound, a), points(bound, b));
    let (mut cross, mut k) = (Cross::new(bound), Matrix::zeros(0, 0));
    cross.evaluate(theta, &a, &b, &mut k).unwrap();
    let pairs: f64 = (0..b.n).map(|j| (0..a.n).map(|i| weight(i, j) * k[(i, j)]).sum::<f64>()).sum();
    let own = cross.diagonal(theta, &a, false).unwrap();
    let shared = cross.diagonal(theta, &b, true).unwrap();
    let weighted = |d: &[f64], by: usize| d.iter().enumerate().map(|(i, d)| weight(i, by) * d).sum::<f64>();
    pairs + weighted(&own, 7) + weighted(&shared, 8)
}

/// Compares the gradients of k(A, B) and of both diagonals with finite differences, for all parameters and all rows.
pub(in crate::kernel) fn check(bound: &Bound, theta: &[f64], categories: &[f64]) {
    let column = |n: usize, by: f64, from: f64| (0..n).map(|i| ((i + 1) as f64 * by).sin() * 1.7 + from).collect();
    let levels = |n: usize| (0..n).map(|i| categories[i % categories.len()]).collect();
    let a: Columns = vec![column(6, 0.37, 0.11), column(6, 0.91, -0.2), levels(6)];
    let b: Columns = vec![column(4, 0.71, -0.13), column(4, 0.53, 0.3), levels(4)];
    let (rows_a, rows_b) = (points(bound, &a), points(bound, &b));
    let mut parameters = vec![0.0; theta.len()];
    let zeros = |x: &Columns| -> Columns { x.iter().map(|c| vec![0.0; c.len()]).collect() };
    let (mut by_a, mut by_b) = (zeros(&a), zeros(&b));
    let (mut cross, mut k) = (Cross::new(bound), Matrix::zeros(0, 0));
    cross.evaluate(theta, &rows_a, &rows_b, &mut k).unwrap();
    let mut to = CrossGradient { parameters: &mut parameters, a: Some(&mut by_a), b: Some(&mut by_b) };
    cross.pull(&rows_a, &rows_b, |j, w| w.iter_mut().enumerate().for_each(|(i, w)| *w = weight(i, j)), &mut to);
    let weights = |n: usize, by: usize| (0..n).map(|i| weight(i, by)).collect::<Vec<f64>>();
    cross.pull_diagonal(theta, &rows_a, false, &weights(6, 7), &mut to).unwrap();
    let mut to = CrossGradient { parameters: &mut parameters, a: Some(&mut by_b), b: None };
    cross.pull_diagonal(theta, &rows_b, true, &weights(4, 8), &mut to).unwrap();

    let difference = |f: &dyn Fn(f64) -> f64, h: f64| (8.0 * (f(h) - f(-h)) - (f(2.0 * h) - f(-2.0 * h))) / (12.0 * h);
    let name = bound.kernel();
    let close = |found: f64, expected: f64, what: &str| {
        assert!((found - expected).abs() < 2e-6 * expected.abs().max(1.0), "{what} of {name}: {found} and {expected}");
    };
    for (s, slot) in bound.slots().iter().enumerate() {
        if slot.spec.domain == crate::kernel::Domains::Count {
            continue;
        }
        let moved = |by: f64| {
            let mut theta = theta.to_vec();
            theta[s] += by;
            total(bound, &theta, &a, &b)
        };
        close(parameters[s], difference(&moved, 1e-5 * theta[s]), slot.spec.name);
    }
    for (c, slope) in bound.input_slopes().into_iter().enumerate() {
        if slope == InputSlope::Unknown {
            continue;
        }
        for (side, (rows, found)) in [(&a, &by_a), (&b, &by_b)].into_iter().enumerate() {
            for i in 0..rows[c].len() {
                let moved = |by: f64| {
                    let mut rows = rows.clone();
                    rows[c][i] += by;
                    let (a, b) = if side == 0 { (&rows, &b) } else { (&a, &rows) };
                    total(bound, theta, a, b)
                };
                let by_differences = if slope == InputSlope::Unused { 0.0 } else { difference(&moved, 1e-4) };
                close(found[c][i], by_differences, &format!("input {c} of row {i} of side {side}"));
            }
        }
    }
}

fn bound(kernel: &Kernel) -> Result<Bound, Cause> {
    let names = ["x".to_string(), "y".to_string(), "z".to_string()];
    let columns = [[0.1, 0.7, 1.9], [1.0, -0.4, 0.3], [0.0, 1.0, 2.0]];
    kernel.bind(&Schema::unnamed(&names, &[&columns[0], &columns[1], &columns[2]])).map_err(|e| e.cause)
}

#[test]
fn slopes_are_known_where_the_kernel_has_them() {
    use InputSlope::{Known, Unknown, Unused};
    let slopes = |kernel: Kernel| bound(&kernel).unwrap().input_slopes();
    let sum = Kernel::sum([leaf("SE", at(0), &[]), leaf("Indicator", at(2), &[])]).unwrap();
    assert_eq!(slopes(sum.clone()), [Known, Unused, Unknown]);
    // a function of the user hides what it depends on, and nothing else
    let warped = wraps::warp(leaf("SE", at(0), &[]), function("f"), Vec::new());
    assert_eq!(slopes(Kernel::sum([warped, leaf("Lin", at(1), &[])]).unwrap()), [Unknown, Known, Unused]);
    assert_eq!(slopes(leaf("WN", Inputs::All, &[])), [Unused; 3]);
    assert_eq!(slopes(wraps::scale(leaf("SE", at(1), &[]), function("f"), Vec::new())), [Unused, Unknown, Unused]);
    let mirror =
        crate::kernel::Move::new(crate::kernel::MoveKind::Swap, vec![InputRef::Index(0), InputRef::Index(1)], vec![]);
    let folded = wraps::invariant(leaf("SE", at(0), &[]), vec![mirror.unwrap()], wraps::Method::Fold, false).unwrap();
    assert_eq!(slopes(folded), [Known, Known, Unused]);
}

#[test]
fn what_a_function_hides_is_left_alone() {
    let kernel = Kernel::product([
        wraps::warp(leaf("SE", at(0), &[]), function("f"), Vec::new()),
        wraps::scale(leaf("Matern32", at(1), &[]), function("g"), Vec::new()),
    ]);
    let sum = Kernel::sum([kernel.unwrap(), leaf("RQ", at(2), &[]), leaf("WN", Inputs::All, &[])]).unwrap();
    let bound = bound(&sum).unwrap();
    check(&bound, &bound.values().iter().map(|v| v * 1.3).collect::<Vec<_>>(), &[0.0, 1.2, 2.5]);
}

#[test]
fn noise_of_an_observation_is_shared_with_no_other() {
    let kernel = Kernel::sum([leaf("SE", at(0), &[]), leaf("WN", Inputs::All, &[])]).unwrap();
    let bound = bound(&kernel).unwrap();
    let rows = points(&bound, &vec![vec![0.3, 0.9], vec![0.0; 2], vec![0.0; 2]]);
    let (mut cross, mut k) = (Cross::new(&bound), Matrix::zeros(0, 0));
    let theta = [1.0, 2.0, 0.25];
    cross.evaluate(&theta, &rows, &rows, &mut k).unwrap();
    assert_eq!((k[(0, 0)], k[(1, 1)]), (2.0, 2.0));
    assert_eq!(cross.diagonal(&theta, &rows, false).unwrap(), [2.25, 2.25]);
    assert_eq!(cross.diagonal(&theta, &rows, true).unwrap(), [2.0, 2.0]);
}
