//! Sums and maxima over slices, and tests of all elements, by partial results in a fixed number of lanes.

use std::hint::black_box;

use super::elementary::fma;

/// The number of partial sums and maxima.
const LANES: usize = 16;

#[inline(always)]
pub(super) fn dot_body<const FMA: bool>(x: &[f64], y: &[f64]) -> f64 {
    sum_by([x, y], |[x, y], acc| fma::<FMA>(x, y, acc))
}

#[inline(always)]
pub(super) fn dot3_body<const FMA: bool>(x: &[f64], y: &[f64], z: &[f64]) -> f64 {
    sum_by([x, y, z], |[x, y, z], acc| fma::<FMA>(x * y, z, acc))
}

/// A sum over the shortest length, of which `add` adds one term. It is made of partial sums, so that it is vectorised and does
/// not depend on the machine.
#[inline(always)]
fn sum_by<const K: usize>(slices: [&[f64]; K], add: impl Fn([f64; K], f64) -> f64) -> f64 {
    let n = slices.iter().map(|slice| slice.len()).min().unwrap_or(0);
    let parts = slices.map(|slice| slice[..n].as_chunks::<LANES>());
    let mut acc = [0.0; LANES];
    for i in 0..n / LANES {
        let chunks = parts.map(|(chunks, _)| &chunks[i]);
        for (lane, acc) in acc.iter_mut().enumerate() {
            *acc = add(chunks.map(|chunk| chunk[lane]), *acc);
        }
    }
    let mut tail = 0.0;
    for i in 0..n % LANES {
        tail = add(parts.map(|(_, rest)| rest[i]), tail);
    }
    total(acc) + tail
}

/// The sum of the partial sums. They are opaque to the compiler, which would otherwise let the order of these few additions decide
/// over the width of the vectors in the loop before.
#[inline(always)]
fn total(partial: [f64; LANES]) -> f64 {
    let mut sums = black_box(partial);
    let mut width = LANES / 2;
    while width > 0 {
        for lane in 0..width {
            sums[lane] += sums[lane + width];
        }
        width /= 2;
    }
    sums[0]
}

#[inline(always)]
pub(super) fn weighted_distance_body<const FMA: bool>(x: &[f64], at: f64, w: &[f64]) -> f64 {
    sum_by([x, w], |[x, w], acc| {
        let d = x - at;
        fma::<FMA>(d * d, w, acc)
    })
}

#[inline(always)]
pub(super) fn weighted_difference_body<const FMA: bool>(x: &[f64], at: f64, w: &[f64]) -> f64 {
    sum_by([x, w], |[x, w], acc| fma::<FMA>(x - at, w, acc))
}

#[inline(always)]
pub(super) fn axpy_dot_body<const FMA: bool>(out: &mut [f64], a: f64, x: &[f64], y: &[f64]) -> f64 {
    let n = out.len();
    let (x, y) = (&x[..n], &y[..n]);
    let mut acc = [0.0; LANES];
    for ((out, x), y) in out.chunks_exact_mut(LANES).zip(x.chunks_exact(LANES)).zip(y.chunks_exact(LANES)) {
        let mut next = [0.0; LANES];
        for lane in 0..LANES {
            next[lane] = fma::<FMA>(a, x[lane], out[lane]);
            acc[lane] = fma::<FMA>(x[lane], y[lane], acc[lane]);
        }
        out.copy_from_slice(&next);
    }
    let mut tail = 0.0;
    for i in n - n % LANES..n {
        tail = fma::<FMA>(x[i], y[i], tail);
        out[i] = fma::<FMA>(a, x[i], out[i]);
    }
    total(acc) + tail
}

/// If a difference is not a number, neither is the sum of all; the largest alone would miss it.
#[inline(always)]
pub(super) fn is_sum_body<const FMA: bool>(x: &[f64], y: &[f64], terms: &[(f64, &[f64])], most: f64) -> bool {
    let whole = x.len() - x.len() % LANES;
    let (mut largest, mut sum) = ([0.0f64; LANES], [0.0f64; LANES]);
    for first in (0..whole).step_by(LANES) {
        let (x, y) = (&x[first..first + LANES], &y[first..first + LANES]);
        let mut left = [0.0; LANES];
        for lane in 0..LANES {
            left[lane] = x[lane] - y[lane];
        }
        for (a, v) in terms {
            let v = &v[first..first + LANES];
            for lane in 0..LANES {
                left[lane] = fma::<FMA>(-a, v[lane], left[lane]);
            }
        }
        for lane in 0..LANES {
            let size = left[lane].abs();
            largest[lane] = if size > largest[lane] { size } else { largest[lane] };
            sum[lane] += size;
        }
    }
    let rest = |i: usize| terms.iter().fold(x[i] - y[i], |left, (a, v)| fma::<FMA>(-a, v[i], left));
    sum.iter().all(|sum| !sum.is_nan())
        && largest.iter().all(|size| *size <= most)
        && (whole..x.len()).all(|i| rest(i).abs() <= most)
}

/// The largest of 16 partial maxima; NaN if an element is.
#[inline(always)]
pub(super) fn largest_body<const FMA: bool>(x: &[f64]) -> f64 {
    let mut most = [0.0f64; LANES];
    let mut sum = [0.0f64; LANES];
    let mut chunks = x.chunks_exact(LANES);
    for chunk in &mut chunks {
        for lane in 0..LANES {
            let size = chunk[lane].abs();
            most[lane] = if size > most[lane] { size } else { most[lane] };
            sum[lane] += size;
        }
    }
    let rest = chunks.remainder().iter().fold(0.0f64, |most, x| if x.is_nan() { f64::NAN } else { most.max(x.abs()) });
    if rest.is_nan() || sum.iter().any(|sum| sum.is_nan()) {
        return f64::NAN;
    }
    most.iter().fold(rest, |most, &lane| most.max(lane))
}

/// A product with 0 is not a number where the factor is not finite.
#[inline(always)]
pub(super) fn clear_tiny_body<const FMA: bool>(x: &mut [f64], least: f64) -> bool {
    let mut zeros = [0.0f64; LANES];
    let clear = |x: f64| if x.abs() < least { 0.0 } else { x };
    let mut chunks = x.chunks_exact_mut(LANES);
    for chunk in &mut chunks {
        for lane in 0..LANES {
            zeros[lane] = fma::<FMA>(chunk[lane], 0.0, zeros[lane]);
            chunk[lane] = clear(chunk[lane]);
        }
    }
    let mut rest = true;
    for x in chunks.into_remainder() {
        rest &= x.is_finite();
        *x = clear(*x);
    }
    rest && zeros.iter().all(|zero| *zero == 0.0)
}

#[inline(always)]
pub(super) fn sum_body<const FMA: bool>(x: &[f64]) -> f64 {
    sum_by([x], |[x], acc| x + acc)
}
