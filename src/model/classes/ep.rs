//! Expectation propagation with the probit link (Minka 2001; Rasmussen & Williams, 3.6).
//!
//! All sites move at once: a round is one factorization, one inverse of the factor for the marginals, and the update of every
//! site from its cavity. Anderson's mixing of the last rounds takes the place of plain iteration; where a round leads
//! away, the history is dropped and steps are damped.

use super::link::tail;
use super::{Approximator, LEAST, Pseudo};
use crate::linalg::{Matrix, NotPositiveDefinite, Vector, Workspace};

/// Sites have settled when their changes move no marginal by more than this many standard deviations.
const SETTLED: f64 = 1e-8;
/// The same for each unit of prior variance, of which rounding leaves no less.
const ROUNDING: f64 = 1e-13;
/// Rounds at most.
const ROUNDS: usize = 300;
/// Rounds that mixing looks back on.
const MEMORY: usize = 6;
/// A round whose changes are so many times those of the one before leads away.
const AWAY: f64 = 4.0;
/// Steps are not made shorter than this share.
const LEAST_STEP: f64 = 0.1;

/// τ and ν of all rows.
#[derive(Clone)]
struct Places {
    precision: Vec<f64>,
    shift: Vec<f64>,
}

pub(super) fn find(
    room: &mut Approximator,
    y: &[f64],
    mean: &[f64],
    work: &mut Workspace,
) -> Result<Pseudo, NotPositiveDefinite> {
    let prior: Vec<f64> = (0..y.len()).map(|i| room.k[(i, i)]).collect();
    let none = Places { precision: vec![0.0; y.len()], shift: vec![0.0; y.len()] };
    let mut at = updated(y, mean, &prior, &none).0;
    let mut mixing = Mixing::default();
    let mut best: Option<(Round, Places)> = None;
    let (mut damping, mut last) = (1.0_f64, f64::INFINITY);
    // what rounding leaves of a large covariance
    let settled = prior.iter().fold(SETTLED, |most, v| most.max(ROUNDING * v));
    let mut rounds = 0;
    loop {
        rounds += 1;
        let here = Round::at(room, y, mean, &at, work)?;
        let least = best.as_ref().map_or(f64::INFINITY, |(round, _)| round.change);
        if here.change <= settled {
            return Ok(here.finish(at, true, rounds));
        }
        if rounds >= ROUNDS {
            return Ok(match best {
                Some((round, place)) if round.change < here.change => {
                    room.factor(&place.precision, work)?;
                    round.finish(place, false, rounds)
                }
                _ => here.finish(at, false, rounds),
            });
        }
        let change = here.change;
        if change > AWAY * last || !change.is_finite() {
            mixing = Mixing::default();
            damping = (0.5 * damping).max(LEAST_STEP);
        } else {
            damping = (1.25 * damping).min(1.0);
        }
        last = change;
        if !change.is_finite() {
            let Some((round, place)) = &best else { return Ok(here.finish(at, false, rounds)) };
            at = mixing.next(place, round, damping);
            mixing = Mixing::default();
            continue;
        }
        let next = mixing.next(&at, &here, damping);
        if change < least {
            best = Some((here, at));
        }
        at = next;
    }
}

/// What one round finds at some sites.
struct Round {
    /// Posterior variances of f.
    variance: Vec<f64>,
    alpha: Vec<f64>,
    lml: f64,
    /// The sites that match the moments of the cavities.
    matched: Places,
    /// How far these are from the sites, in standard deviations of the marginals.
    change: f64,
}

impl Round {
    fn at(
        room: &mut Approximator,
        y: &[f64],
        mean: &[f64],
        at: &Places,
        work: &mut Workspace,
    ) -> Result<Self, NotPositiveDefinite> {
        room.factor(&at.precision, work)?;
        let variance = room.variances(&at.precision, work);
        let sites = || at.precision.iter().zip(&at.shift).zip(mean);
        // ν − τm: the sites seen from the prior mean
        let b: Vec<f64> = sites().map(|((t, v), m)| v - t * m).collect();
        let alpha = room.weights(&at.precision, &b, work);
        let moved = room.times(&alpha);
        let marginal: Vec<f64> = mean.iter().zip(&moved).map(|(m, g)| m + g).collect();
        let (matched, logs) = updated(y, &marginal, &variance, at);
        // Z = Π Cᵢ ∫ N(f; m, K) Π exp(νᵢfᵢ − ½τᵢfᵢ²) df, and Cᵢ is what makes each site's integral under its cavity right
        let within: f64 = b.iter().zip(&moved).map(|(b, g)| 0.5 * b * g).sum();
        let lml =
            logs + sites().map(|((t, v), m)| v * m - 0.5 * t * m * m).sum::<f64>() + within - 0.5 * work.log_det();
        let each = |i: usize| {
            let by_precision = (matched.precision[i] - at.precision[i]).abs() * variance[i];
            let by_shift = (matched.shift[i] - at.shift[i]).abs() * variance[i].sqrt();
            by_precision.max(by_shift)
        };
        let change =
            (0..y.len()).map(each).fold(0.0, |most, each| if each > most || each.is_nan() { each } else { most });
        Ok(Self { variance, alpha, lml, matched, change })
    }

    fn finish(self, at: Places, converged: bool, rounds: usize) -> Pseudo {
        let (alpha, lml) = (self.alpha, self.lml);
        Pseudo { precision: at.precision, shift: at.shift, alpha, lml, implicit: Vec::new(), converged, rounds }
    }
}

/// The sites that match the moments of each cavity with its likelihood (Rasmussen & Williams, 3.58 and 3.59), and Σ log Cᵢ.
fn updated(y: &[f64], mean: &[f64], variance: &[f64], at: &Places) -> (Places, f64) {
    let n = y.len();
    let mut new = Places { precision: Vec::with_capacity(n), shift: Vec::with_capacity(n) };
    let mut logs = 0.0;
    for i in 0..n {
        let (t, v) = (at.precision[i], at.shift[i]);
        let (m, s) = super::cavity(mean[i], variance[i], t, v);
        let root = (1.0 + s).sqrt();
        let of = tail(y[i] * m / root);
        // with g and −w the derivatives of log Z in the cavity's mean, 1 − sw = (1 + s·rest)/(1 + s)
        let w = of.hazard * of.excess / (1.0 + s);
        let kept = (1.0 + s * of.rest) / (1.0 + s);
        new.precision.push((w / kept).clamp(LEAST, 1.0));
        new.shift.push((y[i] * of.hazard / root + m * w) / kept);
        let scale = 1.0 + t * s;
        logs += of.log_cdf + 0.5 * scale.ln() - 0.5 * (v * v * s + 2.0 * v * m - t * m * m) / scale;
    }
    (new, logs)
}

/// Anderson's mixing: the next place is the combination of the last ones whose changes nearly cancel.
#[derive(Default)]
struct Mixing {
    last: Option<(Vec<f64>, Vec<f64>)>,
    /// Differences of places and of their changes, round by round.
    moves: Vec<(Vec<f64>, Vec<f64>)>,
}

impl Mixing {
    fn next(&mut self, at: &Places, here: &Round, damping: f64) -> Places {
        let n = at.precision.len();
        let place: Vec<f64> = at.precision.iter().chain(&at.shift).copied().collect();
        let found = here.matched.precision.iter().chain(&here.matched.shift);
        let change: Vec<f64> = found.zip(&place).map(|(new, old)| new - old).collect();
        if let Some((before, changed)) = self.last.replace((place.clone(), change.clone())) {
            let less = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a - b).collect::<Vec<f64>>();
            self.moves.push((less(&place, &before), less(&change, &changed)));
            if self.moves.len() > MEMORY {
                self.moves.remove(0);
            }
        }
        let mut next: Vec<f64> = place.iter().zip(&change).map(|(p, c)| p + damping * c).collect();
        if let Some(shares) = self.shares(&change, &here.variance) {
            for ((place, change), share) in self.moves.iter().zip(shares.iter()) {
                for (next, (p, c)) in next.iter_mut().zip(place.iter().zip(change)) {
                    *next -= share * (p + damping * c);
                }
            }
        }
        let shift = next.split_off(n);
        // a precision that mixing has below what it was by far, or beyond what a probit can have, goes halfway at most
        let bounded = |(new, old): (f64, &f64)| new.clamp(0.1 * old, 1.0).max(LEAST);
        Places { precision: next.into_iter().zip(&at.precision).map(bounded).collect(), shift }
    }

    /// The shares of the differences that leave the least change, in standard deviations of the marginals.
    fn shares(&self, change: &[f64], variance: &[f64]) -> Option<Vector> {
        if self.moves.is_empty() {
            return None;
        }
        let n = variance.len();
        let scale = |i: usize| if i < n { variance[i] } else { variance[i - n].sqrt() };
        let left = Matrix::from_fn(2 * n, self.moves.len(), |i, j| self.moves[j].1[i] * scale(i));
        let right = Vector::from_fn(2 * n, |i, _| change[i] * scale(i));
        let svd = left.svd(true, true);
        let floor = 1e-10 * svd.singular_values.max();
        svd.solve(&right, floor).ok().filter(|shares| shares.iter().all(|s| s.is_finite()))
    }
}
