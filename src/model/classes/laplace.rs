//! Laplace's method: a Gaussian at the mode of the latent function (Rasmussen & Williams, 3.4 and 5.5.1).

use super::link::{Link, LogLikelihood};
use super::{Approximator, LEAST, Pseudo};
use crate::linalg::{FactorError, Workspace, vector};

/// Newton's method has converged when a step changes f by no more than this, relative to its size.
const SETTLED: f64 = 1e-7;
const ROUNDS: usize = 100;
/// The largest number of halvings of a step.
const HALVINGS: usize = 30;

pub(super) fn find(
    room: &mut Approximator,
    link: Link,
    y: &[f64],
    mean: &[f64],
    gradient: bool,
    work: &mut Workspace<'_>,
) -> Result<Pseudo, FactorError> {
    let mut here = Mode::at(room, link, y, mean, vec![0.0; y.len()]);
    let mut converged = false;
    let mut rounds = 0;
    while !converged && rounds < ROUNDS {
        rounds += 1;
        let precision = here.precision();
        room.factor(&precision, work)?;
        let b = here.pulled(y, &precision);
        let toward = room.weights(&precision, &b, work);
        let mut share = 1.0;
        let mut halvings = 0;
        let next = loop {
            let weights = here.weights.iter().zip(&toward).map(|(old, new)| old + share * (new - old)).collect();
            let next = Mode::at(room, link, y, mean, weights);
            let slack = 1e-12 * here.objective.abs().max(1.0);
            if next.objective >= here.objective - slack || halvings == HALVINGS {
                break next;
            }
            share *= 0.5;
            halvings += 1;
        };
        let size = next.moved.iter().fold(1.0, |m: f64, g| m.max(g.abs()));
        let step = next.moved.iter().zip(&here.moved).fold(0.0, |m: f64, (a, b)| m.max((a - b).abs()));
        converged = share == 1.0 && step <= SETTLED * size;
        if halvings < HALVINGS {
            here = next;
        } else {
            break;
        }
    }
    let precision = here.precision();
    room.factor(&precision, work)?;
    rounds += 1;
    let shift: Vec<f64> = here
        .rows
        .iter()
        .zip(y)
        .zip(here.moved.iter().zip(mean).zip(&precision))
        .map(|((row, y), ((g, m), t))| y * row.first + t * (g + m))
        .collect();
    let lml = here.objective - 0.5 * work.log_det();
    let implicit = if gradient { here.implicit(room, y, &precision, work)? } else { Vec::new() };
    Ok(Pseudo { precision, shift, alpha: here.weights, lml, implicit, converged, rounds })
}

/// A latent function at the rows, f = m + Ka.
struct Mode {
    /// The vector a.
    weights: Vec<f64>,
    /// Ka.
    moved: Vec<f64>,
    /// log p of each row as a function of z = yf.
    rows: Vec<LogLikelihood>,
    /// Σ log p − ½aᵀKa (3.12, without constants).
    objective: f64,
}

impl Mode {
    fn at(room: &Approximator, link: Link, y: &[f64], mean: &[f64], weights: Vec<f64>) -> Self {
        let moved = room.times(&weights);
        let rows: Vec<LogLikelihood> =
            y.iter().zip(mean.iter().zip(&moved)).map(|(y, (m, g))| link.log_likelihood(y * (m + g))).collect();
        let objective = rows.iter().map(|r| r.value).sum::<f64>() - 0.5 * vector::dot(&weights, &moved);
        let objective = if objective.is_nan() { f64::NEG_INFINITY } else { objective };
        Self { weights, moved, rows, objective }
    }

    fn precision(&self) -> Vec<f64> {
        self.rows.iter().map(|r| r.curvature.max(LEAST)).collect()
    }

    /// W(f − m) + ∇ log p: of one Newton step (3.18).
    fn pulled(&self, y: &[f64], precision: &[f64]) -> Vec<f64> {
        let each = self.rows.iter().zip(y).zip(self.moved.iter().zip(precision));
        each.map(|((row, y), (g, t))| t * g + y * row.first).collect()
    }

    /// (I + WK)⁻¹s with s = ∂ log Z/∂f at the mode (5.23): the mode depends on K and the mean, and the determinant on
    /// the mode.
    fn implicit(
        &self,
        room: &Approximator,
        y: &[f64],
        precision: &[f64],
        work: &mut Workspace<'_>,
    ) -> Result<Vec<f64>, FactorError> {
        let variances = room.variances(precision, work)?;
        let slopes: Vec<f64> =
            self.rows.iter().zip(y).zip(&variances).map(|((row, y), v)| 0.5 * v * y * row.third).collect();
        Ok(room.weights(precision, &slopes, work))
    }
}
