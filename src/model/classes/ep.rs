//! Expectation propagation with the probit link (Minka 2001; Rasmussen & Williams, 3.6).
//!
//! All sites are updated in parallel. A round is one factorisation with inverse: it computes the marginals, their
//! cavities, and the site that matches the moments for each cavity. The fixed point is where the matched sites equal
//! the current ones. It is found by Newton's method: the derivatives of the marginals in the sites are known, dμ = Σ(dν
//! − μ dτ) and dσ² = −(Σ∘Σ)dτ, and the linear system needs only products with these. A step that diverges is halved; if
//! that fails, some damped parallel updates follow.

use super::link::tail;
use super::{Approximator, LEAST, Pseudo, Warm};
use crate::linalg::{FactorError, Matrix, Workspace, gmres, vector};

/// The sites have converged if their changes move no marginal by more than this many standard deviations.
const SETTLED: f64 = 1e-8;
/// The same per unit of prior variance, which is the level of rounding,
const ROUNDING: f64 = 1e-13;
/// at most this much.
const ROUGHLY: f64 = 1e-4;
/// The maximum number of rounds.
const ROUNDS: usize = 300;
/// A step diverges if the error of the sites grows by this factor.
const AWAY: f64 = 2.0;
/// The least fraction of a Newton step.
const LEAST_STEP: f64 = 0.05;
/// The damping factor of parallel updates.
const DAMPED: f64 = 0.5;
/// The number of damped updates before Newton's method is tried again.
const BY_THEMSELVES: usize = 4;
/// The least variance of a marginal.
const LEAST_VARIANCE: f64 = 1e-150;
/// The number of Newton iterations allowed without improvement.
const PATIENCE: usize = 15;
/// The linear system is solved to this relative residual, with at most this number of products.
const SOLVED: f64 = 1e-3;
const PRODUCTS: usize = 40;

/// τ and ν of all rows, or their changes.
#[derive(Debug, Clone)]
pub(super) struct Places {
    precision: Vec<f64>,
    shift: Vec<f64>,
}

/// Finds the sites, starting from the last ones if `warm` has some, or else from each row's likelihood alone.
pub(super) fn find(
    room: &mut Approximator,
    y: &[f64],
    mean: &[f64],
    warm: &mut Warm,
    work: &mut Workspace<'_>,
) -> Result<Pseudo, FactorError> {
    if let Some(nearby) = warm.0.take()
        && let Ok(found) = settle(room, y, mean, nearby, work)
        && found.converged
    {
        return Ok(warm.kept(found));
    }
    let prior: Vec<f64> = (0..y.len()).map(|i| room.k[(i, i)]).collect();
    let none = Places { precision: vec![0.0; y.len()], shift: vec![0.0; y.len()] };
    Ok(warm.kept(settle(room, y, mean, Matched::new(y, mean, &prior, &none).places, work)?))
}

/// Updates all sites from these starting values until they have converged.
fn settle(
    room: &mut Approximator,
    y: &[f64],
    mean: &[f64],
    mut at: Places,
    work: &mut Workspace<'_>,
) -> Result<Pseudo, FactorError> {
    // the level of rounding for a large covariance
    let settled = (0..y.len()).map(|i| room.k[(i, i)]).fold(SETTLED, |most, v| most.max((ROUNDING * v).min(ROUGHLY)));
    let mut best: Option<(f64, Places)> = None;
    let mut last: Option<Step> = None;
    let (mut by_themselves, mut since_best) = (0, 0);
    let mut rounds = 0;
    loop {
        rounds += 1;
        let here = Round::at(room, y, mean, &at, work)?;
        if here.change <= settled {
            return Ok(here.finish(at, true, rounds));
        }
        if best.as_ref().is_none_or(|(least, _)| here.change < *least) {
            best = Some((here.change, at.clone()));
            since_best = 0;
        } else {
            since_best += 1;
        }
        let leads_away = here.off.is_nan() || last.as_ref().is_some_and(|last| here.off > AWAY * last.off);
        if rounds >= ROUNDS || !here.off.is_finite() && (last.is_none() || by_themselves > 0) {
            return match best.filter(|(least, _)| here.change.is_nan() || here.change > *least) {
                Some((_, place)) => Ok(Round::at(room, y, mean, &place, work)?.finish(place, false, rounds + 1)),
                None => Ok(here.finish(at, false, rounds)),
            };
        }
        let step = match last.take() {
            Some(step) if leads_away && by_themselves == 0 && 0.5 * step.share >= LEAST_STEP => {
                Step { share: 0.5 * step.share, ..step }
            }
            Some(step) if leads_away && by_themselves == 0 => {
                by_themselves = BY_THEMSELVES - 1;
                Step { toward: step.matched.clone(), share: DAMPED, ..step }
            }
            _ => {
                if by_themselves == 0 && since_best >= PATIENCE {
                    (by_themselves, since_best) = (BY_THEMSELVES, 0);
                }
                let newton = by_themselves == 0;
                by_themselves = by_themselves.saturating_sub(1);
                let toward = if newton { here.newton(&at, room, work) } else { None };
                let share = if toward.is_some() { 1.0 } else { DAMPED };
                let matched = here.matched.places;
                Step { toward: toward.unwrap_or_else(|| matched.clone()), matched, from: at, off: here.off, share }
            }
        };
        at = step.end();
        last = Some(step);
    }
}

/// A Newton step.
struct Step {
    from: Places,
    /// The sites after the full step.
    toward: Places,
    /// The matched sites at its start.
    matched: Places,
    /// The error of the sites at its start.
    off: f64,
    share: f64,
}

impl Step {
    /// The sites after the step. A precision that would fall far below its start, or exceed what a probit allows, is
    /// moved only part of the way.
    fn end(&self) -> Places {
        let along = |(from, toward): (&f64, &f64)| from + self.share * (toward - from);
        let bounded = |(new, old): (f64, &f64)| new.clamp(0.1 * old, 1.0).max(LEAST);
        let precision = self.from.precision.iter().zip(&self.toward.precision).map(along).zip(&self.from.precision);
        Places {
            precision: precision.map(bounded).collect(),
            shift: self.from.shift.iter().zip(&self.toward.shift).map(along).collect(),
        }
    }
}

/// The results of one round.
struct Round {
    /// Posterior means and variances of f.
    mean: Vec<f64>,
    variance: Vec<f64>,
    alpha: Vec<f64>,
    lml: f64,
    matched: Matched,
    /// The difference of the matched sites from the current ones, in standard deviations of the marginals: the maximum,
    change: f64,
    /// and the root of the sum of squares.
    off: f64,
}

impl Round {
    fn at(
        room: &mut Approximator,
        y: &[f64],
        mean: &[f64],
        at: &Places,
        work: &mut Workspace<'_>,
    ) -> Result<Self, FactorError> {
        room.factor(&at.precision, work)?;
        // a variance of 0 is replaced, because it is a divisor
        let mut variance = room.variances(&at.precision, work)?;
        variance.iter_mut().for_each(|v| *v = v.max(LEAST_VARIANCE));
        let sites = || at.precision.iter().zip(&at.shift).zip(mean);
        // ν − τm: the sites relative to the prior mean
        let b: Vec<f64> = sites().map(|((t, v), m)| v - t * m).collect();
        let alpha = room.weights(&at.precision, &b, work);
        let moved = room.times(&alpha);
        let marginal: Vec<f64> = mean.iter().zip(&moved).map(|(m, g)| m + g).collect();
        let matched = Matched::new(y, &marginal, &variance, at);
        // Z = Π Cᵢ ∫ N(f; m, K) Π exp(νᵢfᵢ − ½τᵢfᵢ²) df, where Cᵢ makes the integral of each site under its cavity
        // exact
        let within: f64 = b.iter().zip(&moved).map(|(b, g)| 0.5 * b * g).sum();
        let lml = matched.logs + sites().map(|((t, v), m)| v * m - 0.5 * t * m * m).sum::<f64>() + within
            - 0.5 * work.log_det();
        let (mut change, mut off) = (0.0, 0.0);
        for (i, v) in variance.iter().enumerate() {
            let by_precision = (matched.places.precision[i] - at.precision[i]).abs() * v;
            let by_shift = (matched.places.shift[i] - at.shift[i]).abs() * v.sqrt();
            off += by_precision * by_precision + by_shift * by_shift;
            let each = by_precision.max(by_shift);
            change = if each > change || each.is_nan() { each } else { change };
        }
        Ok(Self { mean: marginal, variance, alpha, lml, matched, change, off: off.sqrt() })
    }

    fn finish(self, at: Places, converged: bool, rounds: usize) -> Pseudo {
        let (alpha, lml) = (self.alpha, self.lml);
        Pseudo { precision: at.precision, shift: at.shift, alpha, lml, implicit: Vec::new(), converged, rounds }
    }

    /// The sites at which Newton's method expects the fixed point. `None` if the linear system cannot be solved.
    ///
    /// Let D be the derivatives of the matched sites in the natural parameters of the cavities, λ = 1/σ² − τ and η =
    /// μ/σ² − ν, and C those of the cavities in all sites. Then (I − DC) step = matched − sites. A site does not change
    /// its own cavity, so only the off-diagonal elements of Σ = S^−½(I − B⁻¹)S^−½ are needed.
    fn newton(&self, at: &Places, room: &mut Approximator, work: &Workspace<'_>) -> Option<Places> {
        let n = at.precision.len();
        let inverse = work.inverse();
        room.squares.copy_from(inverse);
        room.squares.apply(|v| *v *= *v);
        let squares = &room.squares;
        let (mean, variance) = (&self.mean, &self.variance);
        let sd: Vec<f64> = variance.iter().map(|v| v.sqrt()).collect();
        let root: Vec<f64> = at.precision.iter().map(|t| t.sqrt()).collect();
        // in standard deviations of the marginals
        let times = |step: &[f64]| {
            let (precision, shift) = step.split_at(n);
            let by_mean = |i: usize| (shift[i] - mean[i] * precision[i] / sd[i]) / (sd[i] * root[i]);
            let by_mean = beside_diagonal(inverse, &(0..n).map(by_mean).collect::<Vec<f64>>());
            let by_variance = |i: usize| precision[i] / (variance[i] * at.precision[i]);
            let by_variance = beside_diagonal(squares, &(0..n).map(by_variance).collect::<Vec<f64>>());
            let mut left = step.to_vec();
            for (i, slope) in self.matched.slopes.iter().enumerate() {
                let own = by_variance[i] / (at.precision[i] * variance[i] * variance[i]);
                let pull = mean[i] * own - by_mean[i] / (root[i] * variance[i]);
                left[i] -= variance[i] * (slope.precision.0 * own + slope.precision.1 * pull);
                left[n + i] -= sd[i] * (slope.shift.0 * own + slope.shift.1 * pull);
            }
            left
        };
        let matched = &self.matched.places;
        let off = |i: usize| (matched.precision[i] - at.precision[i]) * variance[i];
        let off_shift = |i: usize| (matched.shift[i] - at.shift[i]) * sd[i];
        let off: Vec<f64> = (0..n).map(off).chain((0..n).map(off_shift)).collect();
        let step = gmres(&off, SOLVED, PRODUCTS, times);
        if step.iter().all(|s| *s == 0.0) || step.iter().any(|s| !s.is_finite()) {
            return None;
        }
        Some(Places {
            precision: (0..n).map(|i| at.precision[i] + step[i] / variance[i]).collect(),
            shift: (0..n).map(|i| at.shift[i] + step[n + i] / sd[i]).collect(),
        })
    }
}

/// Ax with the diagonal of A set to 0, for a symmetric A stored in its lower triangle.
fn beside_diagonal(lower: &Matrix, x: &[f64]) -> Vec<f64> {
    let n = x.len();
    let mut out = vec![0.0; n];
    for j in 0..n {
        let column = &lower.as_slice()[j * n + j + 1..(j + 1) * n];
        out[j] += vector::dot(column, &x[j + 1..]);
        vector::axpy(&mut out[j + 1..], x[j], column);
    }
    out
}

impl Warm {
    /// Stores the sites for the next call, if they have converged.
    fn kept(&mut self, found: Pseudo) -> Pseudo {
        self.0 = found.converged.then(|| Places { precision: found.precision.clone(), shift: found.shift.clone() });
        found
    }
}

/// The sites that match the moments of each cavity with its likelihood (Rasmussen & Williams, 3.58 and 3.59).
struct Matched {
    places: Places,
    /// Σ log Cᵢ.
    logs: f64,
    slopes: Vec<Slope>,
}

/// The derivatives of a matched site with respect to λ and η of its cavity.
struct Slope {
    precision: (f64, f64),
    shift: (f64, f64),
}

impl Matched {
    fn new(y: &[f64], mean: &[f64], variance: &[f64], at: &Places) -> Self {
        let n = y.len();
        let mut places = Places { precision: Vec::with_capacity(n), shift: Vec::with_capacity(n) };
        let mut slopes = Vec::with_capacity(n);
        let mut logs = 0.0;
        for i in 0..n {
            let (t, v) = (at.precision[i], at.shift[i]);
            let (m, s) = super::cavity(mean[i], variance[i], t, v);
            let a = y[i] / (1.0 + s).sqrt();
            let of = tail(a * m);
            let (h, e, q) = (of.hazard, of.excess, of.rest);
            // with L = log Z as a function of the cavity mean: L′, −L″, L‴, L⁗. 1 − s·w is (1 + s·rest)/(1 + s)
            let (g, w) = (a * h, a * a * h * e);
            let third = a * a * a * h * (e * e - q);
            let fourth = a * a * a * a * h * (3.0 * e * q - e * e * e - h * (e * e - q));
            let kept = (1.0 + s * q) / (1.0 + s);
            let shift = (g + m * w) / kept;
            places.precision.push((w / kept).clamp(LEAST, 1.0));
            places.shift.push(shift);
            let scale = 1.0 + t * s;
            logs += of.log_cdf + 0.5 * scale.ln() - 0.5 * (v * v * s + 2.0 * v * m - t * m * m) / scale;
            // derivatives in m and s, with ∂L/∂s = ½(L″ + L′²); then λ = 1/s and η = m/s
            let bend = 0.5 * fourth + g * third;
            let by_mean = (-third / (kept * kept), -(m + shift * s) * third / kept);
            let by_variance =
                (-bend / (kept * kept), (0.5 * third - g * w - (m + shift * s) * (bend + w * w) + shift * w) / kept);
            let natural = |by_mean: f64, by_variance: f64| (-s * (s * by_variance + m * by_mean), s * by_mean);
            slopes
                .push(Slope { precision: natural(by_mean.0, by_variance.0), shift: natural(by_mean.1, by_variance.1) });
        }
        Self { places, logs, slopes }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matched_sites_move_with_their_cavities_as_said() {
        for y in [1.0, -1.0] {
            for (m, s) in [(0.3, 0.5), (-2.0, 1.0), (1.5, 4.0), (-4.0, 0.2), (-30.0, 20.0)] {
                // a cavity is a marginal without its own site
                let none = Places { precision: vec![0.0], shift: vec![0.0] };
                let at = |l: f64, e: f64| Matched::new(&[y], &[e / l], &[1.0 / l], &none);
                let (l, e) = (1.0 / s, m / s);
                let here = at(l, e);
                let h = 1e-5;
                let close = |found: f64, up: f64, down: f64, step: f64| {
                    let by = (up - down) / (2.0 * step);
                    assert!((found - by).abs() < 1e-6 * (1.0 + by.abs()), "{y} {m} {s}: {found} {by}");
                };
                let (up, down) = (at(l * (1.0 + h), e).places, at(l * (1.0 - h), e).places);
                close(here.slopes[0].precision.0, up.precision[0], down.precision[0], l * h);
                close(here.slopes[0].shift.0, up.shift[0], down.shift[0], l * h);
                let (up, down) = (at(l, e + h).places, at(l, e - h).places);
                close(here.slopes[0].precision.1, up.precision[0], down.precision[0], h);
                close(here.slopes[0].shift.1, up.shift[0], down.shift[0], h);
            }
        }
    }
}
