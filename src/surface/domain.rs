//! The part of the plane that the sheet covers.

use super::{Covariance, NEAR, Place};

/// A rectangle of the plane: the range of the first and of the second input.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Domain {
    pub x: (f64, f64),
    pub y: (f64, f64),
}

/// Information that does not come from the values of the kernel.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Hints {
    /// Requested ranges.
    pub x: Option<(f64, f64)>,
    pub y: Option<(f64, f64)>,
    /// Possible periods of the kernel in either input.
    pub periods: Vec<f64>,
    /// The longest length-scale along each input, for inputs without a period.
    pub lengths: [f64; 2],
}

/// The range of an input without a period, in length-scales.
const SCALES: f64 = 3.0;

impl Domain {
    /// One period of an input if the kernel has one; latitudes and longitudes of the whole globe if it has poles at
    /// ±90; three length-scales otherwise. If the kernel cannot be evaluated at some points, it has no symmetry there.
    pub fn choose<K: Covariance>(kernel: &mut K, hints: &Hints) -> Self {
        if hints.x.is_none() && hints.y.is_none() && has_poles(kernel) {
            return Self { x: (-90.0, 90.0), y: (0.0, 360.0) };
        }
        let mut side = |asked: Option<(f64, f64)>, axis: usize| {
            asked.unwrap_or_else(|| (0.0, period(kernel, hints, axis).unwrap_or(SCALES * hints.lengths[axis])))
        };
        Self { x: side(hints.x, 0), y: side(hints.y, 1) }
    }

    /// `res` × `res` points, with the ends included, row by row; the first input varies along a row.
    pub(super) fn grid(self, res: usize) -> Vec<Place> {
        // Both ends are exact to the last bit, so that a period closes.
        let along = |(a, b): (f64, f64), i: usize| {
            let t = i as f64 / (res - 1) as f64;
            if i + 1 == res { b } else { a + (b - a) * t }
        };
        (0..res).flat_map(|row| (0..res).map(move |column| [along(self.x, column), along(self.y, row)])).collect()
    }
}

/// The shortest period in an input: a known one, or a common multiple of several (3 for 1 and 1.5).
fn period<K: Covariance>(kernel: &mut K, hints: &Hints, axis: usize) -> Option<f64> {
    let usual = [1.0, std::f64::consts::TAU, 360.0];
    let known = hints.periods.iter().copied().filter(|p| p.is_finite() && *p > 0.0);
    let mut candidates: Vec<f64> =
        known.flat_map(|p| (1..=6).map(move |times| p * f64::from(times))).chain(usual).collect();
    candidates.sort_by(f64::total_cmp);
    candidates.dedup();
    for p in candidates {
        let shifted = |place: Place| {
            let mut place = place;
            place[axis] += p;
            place
        };
        let asked = if axis == 0 { hints.y } else { hints.x };
        let (start, end) = asked.unwrap_or((0.0, hints.lengths[1 - axis]));
        let along = |t: f64| start + t * (end - start);
        let probe = |(u, v): (f64, f64)| if axis == 0 { [u * p, along(v)] } else { [along(u), v * p] };
        let pairs: Vec<(Place, Place)> = PROBES.iter().map(|at| (probe(*at), shifted(probe(*at)))).collect();
        if all_one(kernel, &pairs) && !all_one(kernel, &nearer(&pairs, axis)) {
            return Some(p);
        }
    }
    None
}

/// Pairs at a smaller distance along an axis. Functions that are constant along it have no period.
fn nearer(pairs: &[(Place, Place)], axis: usize) -> Vec<(Place, Place)> {
    let share = 0.381_966;
    let nearer = |(a, b): &(Place, Place)| {
        let mut near = *a;
        near[axis] += (b[axis] - a[axis]) * share;
        (*a, near)
    };
    pairs.iter().map(nearer).collect()
}

/// Whether the first input is a latitude and the second a longitude, both in degrees.
fn has_poles<K: Covariance>(kernel: &mut K) -> bool {
    let around = [17.0, 101.0, 233.0, 307.0];
    let poles: Vec<_> = [-90.0, 90.0].iter().flat_map(|lat| around.map(|lon| ([*lat, 0.0], [*lat, lon]))).collect();
    let once: Vec<_> = [-71.0, -13.0, 38.0].iter().map(|lat| ([*lat, 0.0], [*lat, 360.0])).collect();
    let across: Vec<_> = around.iter().map(|lon| ([0.0, 0.0], [0.0, *lon])).collect();
    all_one(kernel, &poles) && all_one(kernel, &once) && !all_one(kernel, &across)
}

/// The positions at which a symmetry is tested, as shares of a range; no two are at a distance that is a simple
/// fraction.
const PROBES: [(f64, f64); 6] =
    [(0.0, 0.0), (0.0, 0.731), (0.137, 0.419), (0.313, 0.0), (0.618, 0.877), (0.859, 0.274)];

/// Whether f(a) = f(b) for every pair, for all functions drawn from the kernel.
fn all_one<K: Covariance>(kernel: &mut K, pairs: &[(Place, Place)]) -> bool {
    pairs.iter().all(|(a, b)| {
        kernel.cross(&[*a, *b], &[*a, *b]).is_ok_and(|k| {
            let scale = k[(0, 0)].max(k[(1, 1)]);
            // NaN counts as different.
            k[(0, 0)] + k[(1, 1)] - k[(0, 1)] - k[(1, 0)] <= NEAR * NEAR * scale
        })
    })
}
