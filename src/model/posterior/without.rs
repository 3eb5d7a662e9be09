//! Leave-one-out predictions of a model with only a mean function.

use super::{Posterior, mean_at};
use crate::linalg::{Matrix, Vector, least_squares, orthonormal};
use crate::model::Link;
use crate::model::evaluation::is_refitted;

/// A row with a greater leverage is left out by a fit to the other rows.
const MOST_SHARE: f64 = 1.0 - 1e-8;
/// The same for classes, where one step of Newton's method is accurate only for a smaller leverage.
const MOST_SHARE_OF_CLASSES: f64 = 0.3;
/// The maximum number of steps of Newton's method.
const STEPS: usize = 25;
/// Beyond this log odds the class is almost certain.
const CERTAIN: f64 = 30.0;

/// The mean function as a linear regression: Xw plus a fixed offset.
struct Regression {
    /// X: one column per fitted parameter.
    columns: Matrix,
    rest: Vector,
    targets: Vector,
    /// The precision of each row.
    precision: Vector,
}

impl Posterior {
    /// The leave-one-out prediction of the mean function at each row: a mean and the variance of y around it (0 for
    /// classes: the latent function itself). `None` if no parameter of the mean is free.
    ///
    /// With h the leverage of a row (the diagonal of the hat matrix), the residual of least squares is divided by 1 − h
    /// if the row is left out (Cook & Weisberg 1982, 2.2). For classes this is one step of Newton's method from the fit
    /// to all rows; rows with a large leverage are left out by a complete fit.
    pub(super) fn mean_without_each(&self) -> Option<Vec<(f64, f64)>> {
        let regression = self.mean_regression()?;
        let link = self.problem.model().bernoulli().map(|how| how.link());
        let root = regression.precision.map(f64::sqrt);
        let along = orthonormal(scaled_rows(&regression.columns, &root))?;
        let coordinates = along.tr_mul(&regression.targets.component_mul(&root));
        let most = if link.is_some() { MOST_SHARE_OF_CLASSES } else { MOST_SHARE };
        let each = |i: usize| {
            let share = along.row(i).norm_squared();
            let fitted = along.row(i).tr_dot(&coordinates) / root[i];
            let mean = if share > most {
                match link {
                    Some(link) => regression.classes_without(i, self.problem.y(), link),
                    None => regression.without(i, &root),
                }?
            } else {
                let target = regression.targets[i];
                target - (target - fitted) / (1.0 - share)
            };
            let variance = if link.is_some() { 0.0 } else { 1.0 / regression.precision[i] };
            Some((regression.rest[i] + mean, variance))
        };
        (0..self.problem.n()).map(each).collect()
    }

    fn mean_regression(&self) -> Option<Regression> {
        let n = self.problem.n();
        let basis = self.problem.mean_basis(&self.problem.x(), n);
        let first = self.values.len() - basis.len();
        let free: Vec<usize> = (0..basis.len()).filter(|m| is_refitted(&self.problem, first + m)).collect();
        if free.is_empty() {
            return None;
        }
        let columns = Matrix::from_fn(n, free.len(), |i, j| basis[free[j]][i]);
        let fitted = Vector::from_iterator(free.len(), free.iter().map(|m| self.values[first + m]));
        let rest = mean_at(&self.problem, &self.values, &self.problem.x(), n).ok()? - &columns * fitted;
        let (observed, precision) = match &self.pseudo {
            Some(pseudo) => (Vector::from_iterator(n, pseudo.targets()), Vector::from_column_slice(&pseudo.precision)),
            None => (Vector::from_column_slice(self.problem.y()), self.factor.inverse_diagonal()),
        };
        let targets = observed - &rest;
        Some(Regression { columns, rest, targets, precision })
    }
}

impl Regression {
    /// The prediction at a row by least squares of the other rows.
    fn without(&self, row: usize, root: &Vector) -> Option<f64> {
        let mut root = root.clone();
        root[row] = 0.0;
        Some(self.fitted(&root, &self.targets.component_mul(&root))?[row])
    }

    /// The prediction at a row by maximum likelihood of the other rows, with labels ±1.
    fn classes_without(&self, row: usize, y: &[f64], link: Link) -> Option<f64> {
        let n = y.len();
        let mut function = Vector::zeros(n);
        for _ in 0..STEPS {
            let rows: Vec<_> = (0..n).map(|j| link.log_likelihood(y[j] * (self.rest[j] + function[j]))).collect();
            let root = Vector::from_fn(n, |j, _| if j == row { 0.0 } else { rows[j].curvature.sqrt() });
            // √τ·(f + s/τ), where s is the derivative of the log likelihood
            let pulled =
                |j: usize| if root[j] > 0.0 { root[j] * function[j] + y[j] * rows[j].first / root[j] } else { 0.0 };
            let next = self.fitted(&root, &Vector::from_fn(n, |j, _| pulled(j)))?;
            let (step, size) = ((&next - &function).amax(), next.amax());
            function = next;
            if step < 1e-7 * size.max(1.0) || size > CERTAIN {
                break;
            }
        }
        Some(function[row])
    }

    /// The fitted function at all rows, given the square roots of their precisions and the targets times these.
    fn fitted(&self, root: &Vector, wanted: &Vector) -> Option<Vector> {
        Some(&self.columns * least_squares(scaled_rows(&self.columns, root), wanted)?)
    }
}

fn scaled_rows(columns: &Matrix, by: &Vector) -> Matrix {
    Matrix::from_fn(columns.nrows(), columns.ncols(), |i, j| columns[(i, j)] * by[i])
}
