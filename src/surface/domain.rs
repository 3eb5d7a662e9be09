//! The part of the plane that the sheet covers.

use super::{Covariance, NEAR, Place};

/// A rectangle of the plane: the range of the first and of the second input.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Domain {
    pub x: (f64, f64),
    pub y: (f64, f64),
}

/// What is known without the kernel.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Hints {
    /// Ranges that were asked for.
    pub x: Option<(f64, f64)>,
    pub y: Option<(f64, f64)>,
    /// Periods that the kernel may have, in either input.
    pub periods: Vec<f64>,
    /// How far functions vary along each input, for one without a period: its longest length-scale.
    pub lengths: [f64; 2],
}

/// Length-scales that a side without a period has.
const SCALES: f64 = 3.0;

impl Domain {
    /// One period of an input where the kernel has one; latitudes and longitudes of a whole globe where it has poles at
    /// ±90; three length-scales otherwise. A kernel that cannot be evaluated where it is tried has no symmetry there.
    pub fn choose<K: Covariance>(kernel: &mut K, hints: &Hints) -> Self {
        if hints.x.is_none() && hints.y.is_none() && has_poles(kernel) {
            return Self { x: (-90.0, 90.0), y: (0.0, 360.0) };
        }
        let mut side = |asked: Option<(f64, f64)>, axis: usize| {
            asked.unwrap_or_else(|| (0.0, period(kernel, hints, axis).unwrap_or(SCALES * hints.lengths[axis])))
        };
        Self { x: side(hints.x, 0), y: side(hints.y, 1) }
    }

    /// `res` × `res` places, the ends included, row after row; the first input varies along a row.
    pub(super) fn grid(self, res: usize) -> Vec<Place> {
        // Both ends to the last bit, so that a period is one.
        let along = |(a, b): (f64, f64), i: usize| {
            let t = i as f64 / (res - 1) as f64;
            if i + 1 == res { b } else { a + (b - a) * t }
        };
        (0..res).flat_map(|row| (0..res).map(move |column| [along(self.x, column), along(self.y, row)])).collect()
    }
}

/// The shortest period in an input: one that is known, or a multiple where several go together (1 and 1.5 make 3).
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

/// Pairs not so far apart along an axis. Functions that do not vary along it at all have no period there.
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

/// Where a symmetry is tried, in shares of a range: no two at a distance that is a simple part of it.
const PROBES: [(f64, f64); 6] =
    [(0.0, 0.0), (0.0, 0.731), (0.137, 0.419), (0.313, 0.0), (0.618, 0.877), (0.859, 0.274)];

/// Whether f(a) = f(b) for every pair, for all functions drawn from the kernel.
fn all_one<K: Covariance>(kernel: &mut K, pairs: &[(Place, Place)]) -> bool {
    pairs.iter().all(|(a, b)| {
        kernel.cross(&[*a, *b], &[*a, *b]).is_ok_and(|k| {
            let scale = k[(0, 0)].max(k[(1, 1)]);
            // NaN is not one.
            k[(0, 0)] + k[(1, 1)] - k[(0, 1)] - k[(1, 0)] <= NEAR * NEAR * scale
        })
    })
}
