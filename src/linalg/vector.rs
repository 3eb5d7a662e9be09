//! Elementary functions and sums over slices, written so that the compiler vectorises them.
//!
//! The exponentials of a Gram matrix cost more than its factorisation if they are computed one by one. Each function
//! here is one plain loop; on x86-64 it is compiled again for AVX2 with fused multiply-add and for AVX-512, of which one is
//! selected at run time. Results agree with the standard library to a few units in the last place, depend only on the
//! element, and are the same for both.

mod elementary;
mod sums;

use elementary::{exp_one, fma, ln_one};
use sums::{
    axpy_dot_body, clear_tiny_body, dot_body, dot3_body, is_sum_body, largest_body, sum_body, weighted_difference_body,
    weighted_distance_body,
};

macro_rules! vectorized {
    ($(#[$doc:meta])* pub fn $name:ident($($arg:ident: $ty:ty),* $(,)?) $(-> $ret:ty)? = $body:ident;) => {
        $(#[$doc])*
        pub fn $name($($arg: $ty),*) $(-> $ret)? {
            #[cfg(target_arch = "x86_64")]
            if let Some(v4) = pulp::x86::V4::try_new() {
                return v4.vectorize(#[inline(always)] || $body::<true>($($arg),*));
            }
            #[cfg(target_arch = "x86_64")]
            if let Some(v3) = pulp::x86::V3::try_new() {
                return v3.vectorize(#[inline(always)] || $body::<true>($($arg),*));
            }
            $body::<{ cfg!(target_arch = "aarch64") }>($($arg),*)
        }
    };
}

#[inline(always)]
fn exp_scaled_body<const FMA: bool>(x: &mut [f64], a: f64, v: f64) {
    for x in x {
        *x = v * exp_one::<FMA>(a * *x);
    }
}

#[inline(always)]
fn ln_body<const FMA: bool>(x: &mut [f64]) {
    for x in x {
        *x = ln_one::<FMA>(*x);
    }
}

/// log(1 + x): the logarithm of the rounded sum, corrected for its rounding error.
#[inline(always)]
fn ln_1p_body<const FMA: bool>(x: &mut [f64]) {
    for x in x {
        let u = 1.0 + *x;
        *x = ln_one::<FMA>(u) + (*x - (u - 1.0)) / u;
    }
}

/// e^x − 1 for |x| ≤ 0.35: the exponential series without its first term.
#[inline(always)]
fn exp_m1_small_body<const FMA: bool>(x: &mut [f64]) {
    for x in x {
        let mut p = 1.0 / 6_227_020_800.0;
        for c in
            [479_001_600.0, 39_916_800.0, 3_628_800.0, 362_880.0, 40_320.0, 5_040.0, 720.0, 120.0, 24.0, 6.0, 2.0, 1.0]
        {
            p = fma::<FMA>(p, *x, 1.0 / c);
        }
        *x *= p;
    }
}

#[inline(always)]
fn polynomial_exp_body<const FMA: bool>(s: &mut [f64], a: f64, b: f64, v: f64) {
    for s in s {
        let r = a * s.sqrt();
        *s = v * fma::<FMA>(b, *s, 1.0 + r) * exp_one::<FMA>(-r);
    }
}

#[inline(always)]
fn sqrt_body<const FMA: bool>(x: &mut [f64]) {
    for x in x {
        *x = x.sqrt();
    }
}

#[inline(always)]
fn distance_body<const FMA: bool>(x: &[f64], at: f64, out: &mut [f64]) {
    for (out, x) in out.iter_mut().zip(x) {
        let d = x - at;
        *out = d * d;
    }
}

#[inline(always)]
fn add_distance_body<const FMA: bool>(x: &[f64], at: f64, out: &mut [f64]) {
    for (out, x) in out.iter_mut().zip(x) {
        let d = x - at;
        *out = fma::<FMA>(d, d, *out);
    }
}

#[inline(always)]
fn rotate_body<const FMA: bool>(c: &[f64], s: &[f64], at_c: f64, at_s: f64, out: &mut [f64]) {
    let n = out.len();
    let (c, s) = (&c[..n], &s[..n]);
    for i in 0..n {
        out[i] = fma::<FMA>(c[i], at_c, s[i] * at_s);
    }
}

#[inline(always)]
fn affine_body<const FMA: bool>(x: &mut [f64], a: f64, b: f64) {
    for x in x {
        *x = fma::<FMA>(*x, a, b);
    }
}

#[inline(always)]
fn add_body<const FMA: bool>(out: &mut [f64], x: &[f64]) {
    for (out, x) in out.iter_mut().zip(x) {
        *out += x;
    }
}

#[inline(always)]
fn multiply_body<const FMA: bool>(out: &mut [f64], x: &[f64]) {
    for (out, x) in out.iter_mut().zip(x) {
        *out *= x;
    }
}

#[inline(always)]
fn sum_of_body<const FMA: bool>(out: &mut [f64], x: &[f64], y: &[f64]) {
    for ((out, x), y) in out.iter_mut().zip(x).zip(y) {
        *out = x + y;
    }
}

#[inline(always)]
fn product_of_body<const FMA: bool>(out: &mut [f64], x: &[f64], y: &[f64]) {
    for ((out, x), y) in out.iter_mut().zip(x).zip(y) {
        *out = x * y;
    }
}

#[inline(always)]
fn axpy_body<const FMA: bool>(out: &mut [f64], a: f64, x: &[f64]) {
    for (out, x) in out.iter_mut().zip(x) {
        *out = fma::<FMA>(a, *x, *out);
    }
}

#[inline(always)]
fn turn_body<const FMA: bool>(x: &mut [f64], y: &mut [f64], c: f64, s: f64) {
    for (x, y) in x.iter_mut().zip(y) {
        let (one, other) = (*x, *y);
        *x = fma::<FMA>(c, one, s * other);
        *y = fma::<FMA>(c, other, -s * one);
    }
}

#[inline(always)]
fn turn_apart_body<const FMA: bool>(x: &mut [f64], y: &mut [f64], ratio: f64, rest: f64) {
    let by = 1.0 / rest;
    for (x, y) in x.iter_mut().zip(y) {
        *x = fma::<FMA>(-ratio, *y, *x) * by;
        *y = fma::<FMA>(rest, *y, -ratio * *x);
    }
}

#[inline(always)]
fn scaled_less_body<const FMA: bool>(out: &mut [f64], a: f64, x: &[f64], y: &[f64]) {
    let n = out.len();
    let (x, y) = (&x[..n], &y[..n]);
    for i in 0..n {
        out[i] = fma::<FMA>(a, x[i], -y[i]);
    }
}

#[inline(always)]
fn next_diagonal_body<const FMA: bool>(out: &mut [f64], before: &[f64], (a, x): (f64, &[f64]), (b, y): (f64, &[f64])) {
    let n = out.len();
    let (before, x, y) = (&before[..n], &x[..n], &y[..n]);
    for i in 0..n {
        out[i] = fma::<FMA>(a, x[i], fma::<FMA>(b, y[i], before[i]));
    }
}

vectorized! {
    /// out ← out + a·x, and returns Σ xᵢyᵢ; `x` and `y` are at least as long as `out`.
    pub fn axpy_dot(out: &mut [f64], a: f64, x: &[f64], y: &[f64]) -> f64 = axpy_dot_body;
}
vectorized! {
    /// Whether x = y + Σ a·v of some terms, to `most` in every element; `y` and each v are at least as long as `x`.
    pub fn is_sum(x: &[f64], y: &[f64], terms: &[(f64, &[f64])], most: f64) -> bool = is_sum_body;
}
vectorized! {
    /// max |xᵢ|; 0 of none, and NaN if one is.
    pub fn largest(x: &[f64]) -> f64 = largest_body;
}
vectorized! {
    /// Sets numbers below this size to 0. Returns whether all are finite.
    pub fn clear_tiny(x: &mut [f64], least: f64) -> bool = clear_tiny_body;
}
vectorized! {
    /// A rotation: (x, y) ← (c·x + s·y, c·y − s·x).
    pub fn turn(x: &mut [f64], y: &mut [f64], c: f64, s: f64) = turn_body;
}
vectorized! {
    /// A hyperbolic rotation: x ← (x − ratio·y)/rest, then y ← rest·y − ratio·x with the new x, where rest² = 1 − ratio².
    pub fn turn_apart(x: &mut [f64], y: &mut [f64], ratio: f64, rest: f64) = turn_apart_body;
}
vectorized! {
    /// out ← before + a·x + b·y; the others are at least as long as `out`.
    pub fn next_diagonal(out: &mut [f64], before: &[f64], one: (f64, &[f64]), other: (f64, &[f64])) = next_diagonal_body;
}
vectorized! {
    /// x ← v·exp(a·x), element by element.
    pub fn exp_scaled(x: &mut [f64], a: f64, v: f64) = exp_scaled_body;
}
vectorized! {
    /// x ← log x for positive, normal, finite x. Other values give an unspecified finite or infinite value.
    pub fn ln(x: &mut [f64]) = ln_body;
}
vectorized! {
    /// x ← log(1 + x) for finite x ≥ 0.
    pub fn ln_1p(x: &mut [f64]) = ln_1p_body;
}
vectorized! {
    /// x ← e^x − 1, for |x| ≤ 0.35 only.
    pub fn exp_m1_small(x: &mut [f64]) = exp_m1_small_body;
}
vectorized! {
    /// s ← v·(1 + r + b·s)·e^{−r} with r = a√s.
    pub fn polynomial_exp(s: &mut [f64], a: f64, b: f64, v: f64) = polynomial_exp_body;
}
vectorized! {
    /// x ← √x.
    pub fn sqrt(x: &mut [f64]) = sqrt_body;
}
vectorized! {
    /// Σ xᵢyᵢ over the shorter length.
    pub fn dot(x: &[f64], y: &[f64]) -> f64 = dot_body;
}
vectorized! {
    /// Σ xᵢyᵢzᵢ over the shortest length.
    pub fn dot3(x: &[f64], y: &[f64], z: &[f64]) -> f64 = dot3_body;
}
vectorized! {
    /// out ← (x − at)².
    pub fn distance(x: &[f64], at: f64, out: &mut [f64]) = distance_body;
}
vectorized! {
    /// out ← out + (x − at)².
    pub fn add_distance(x: &[f64], at: f64, out: &mut [f64]) = add_distance_body;
}
vectorized! {
    /// Σ wᵢ(xᵢ − at)².
    pub fn weighted_distance(x: &[f64], at: f64, w: &[f64]) -> f64 = weighted_distance_body;
}
vectorized! {
    /// Σ wᵢ(xᵢ − at).
    pub fn weighted_difference(x: &[f64], at: f64, w: &[f64]) -> f64 = weighted_difference_body;
}
vectorized! {
    /// out ← c·at_c + s·at_s: for cosines and sines of two angles, the cosine of their difference. `c` and `s` are at
    /// least as long as `out`.
    pub fn rotate(c: &[f64], s: &[f64], at_c: f64, at_s: f64, out: &mut [f64]) = rotate_body;
}
vectorized! {
    /// x ← a·x + b.
    pub fn affine(x: &mut [f64], a: f64, b: f64) = affine_body;
}
vectorized! {
    /// out ← out + x.
    pub fn add(out: &mut [f64], x: &[f64]) = add_body;
}
vectorized! {
    /// out ← out·x.
    pub fn multiply(out: &mut [f64], x: &[f64]) = multiply_body;
}
vectorized! {
    /// out ← x + y.
    pub fn sum_of(out: &mut [f64], x: &[f64], y: &[f64]) = sum_of_body;
}
vectorized! {
    /// out ← x·y.
    pub fn product_of(out: &mut [f64], x: &[f64], y: &[f64]) = product_of_body;
}
vectorized! {
    /// out ← out + a·x.
    pub fn axpy(out: &mut [f64], a: f64, x: &[f64]) = axpy_body;
}

vectorized! {
    /// Σ xᵢ.
    pub fn sum(x: &[f64]) -> f64 = sum_body;
}

vectorized! {
    /// out ← a·x − y.
    pub fn scaled_less(out: &mut [f64], a: f64, x: &[f64], y: &[f64]) = scaled_less_body;
}

/// log Σ exp of the entries, without overflow; −∞ of none.
pub fn log_sum_exp(log: &[f64]) -> f64 {
    let top = log.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    match top.is_finite() {
        true => top + log.iter().map(|log| (log - top).exp()).sum::<f64>().ln(),
        false => f64::NEG_INFINITY,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exponentials_agree_with_the_standard_library() {
        let xs: Vec<f64> = (0..40_000).map(|i| -705.0 + i as f64 * 0.0353).collect();
        let mut ys = xs.clone();
        exp_scaled(&mut ys, 1.0, 1.0);
        for (x, y) in xs.iter().zip(&ys) {
            assert!((y / x.exp() - 1.0).abs() < 5e-16, "{x} {y} {}", x.exp());
        }
        let mut edge = [0.0, -0.0, -1e6, 1e6, f64::NEG_INFINITY, f64::INFINITY, f64::NAN, 1e-300];
        exp_scaled(&mut edge, 1.0, 1.0);
        assert_eq!(edge[..6], [1.0, 1.0, 0.0, f64::INFINITY, 0.0, f64::INFINITY]);
        assert!(edge[6].is_nan() && edge[7] == 1.0);
    }

    #[test]
    fn logarithms_agree_with_the_standard_library() {
        let xs: Vec<f64> = (0..40_000).map(|i| (-690.0 + i as f64 * 0.0345).exp()).collect();
        let near: Vec<f64> = (0..2_000).map(|i| 0.5 + i as f64 * 1e-3).collect();
        for x in xs.into_iter().chain(near) {
            let mut y = [x];
            ln(&mut y);
            assert!((y[0] - x.ln()).abs() <= 4e-16 * x.ln().abs().max(1e-3), "{x} {} {}", y[0], x.ln());
        }
    }

    #[test]
    fn small_arguments_keep_their_digits() {
        for i in 1..=300 {
            let x = 0.35 * (0.9f64).powi(i);
            let (mut up, mut down, mut log) = ([x], [-x], [x]);
            exp_m1_small(&mut up);
            exp_m1_small(&mut down);
            ln_1p(&mut log);
            for (ours, theirs) in [(up[0], x.exp_m1()), (down[0], (-x).exp_m1()), (log[0], x.ln_1p())] {
                assert!((ours / theirs - 1.0).abs() < 6e-16, "{x} {ours} {theirs}");
            }
        }
    }

    #[test]
    fn what_is_tiny_is_cleared_and_what_is_not_finite_seen() {
        for n in [1, 15, 16, 37] {
            let mut x: Vec<f64> = (0..n).map(|i| [1.0, -1e-160, 1e-140, 0.0][i % 4]).collect();
            assert!(clear_tiny(&mut x, 1e-150));
            assert!(x.iter().enumerate().all(|(i, x)| *x == [1.0, 0.0, 1e-140, 0.0][i % 4]));
            for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
                x[n / 2] = bad;
                assert!(!clear_tiny(&mut x, 1e-150));
            }
        }
    }

    #[test]
    fn a_sum_is_told_from_what_differs_in_one_element() {
        for n in [1, 15, 16, 37] {
            let (y, v): (Vec<f64>, Vec<f64>) = (0..n).map(|i| (i as f64, 1.0 / (1.0 + i as f64))).unzip();
            let x: Vec<f64> = y.iter().zip(&v).map(|(y, v)| y + 2.0 * v - 0.5 * y).collect();
            let terms = [(2.0, &v[..]), (-0.5, &y[..])];
            assert!(is_sum(&x, &y, &terms, 1e-13));
            assert!(is_sum(&y, &y, &[], 0.0) && (n == 1 || !is_sum(&x, &y, &terms[..1], 1e-13)));
            for at in 0..n {
                for by in [1e-11, f64::NAN, f64::INFINITY] {
                    let mut x = x.clone();
                    x[at] += by;
                    assert!(!is_sum(&x, &y, &terms, 1e-13), "{n} {at} {by}");
                }
            }
        }
    }

    #[test]
    fn sums_take_in_every_element() {
        for n in [0, 1, 15, 16, 17, 100] {
            let x: Vec<f64> = (0..n).map(|i| i as f64).collect();
            let y = vec![2.0; n];
            let sum: f64 = x.iter().sum();
            assert_eq!(super::sum(&x), sum);
            assert_eq!(dot(&x, &y), 2.0 * sum);
            let mut less = vec![0.0; n];
            scaled_less(&mut less, 3.0, &x, &y);
            assert!(less.iter().zip(&x).all(|(less, x)| *less == 3.0 * x - 2.0));
            assert_eq!(dot3(&x, &y, &y), 4.0 * sum);
            let mut moved = y.clone();
            assert_eq!(axpy_dot(&mut moved, 3.0, &x, &y), 2.0 * sum);
            assert!(moved.iter().zip(&x).all(|(moved, x)| *moved == 2.0 + 3.0 * x));
            sum_of(&mut moved, &x, &y);
            assert!(moved.iter().zip(&x).all(|(moved, x)| *moved == x + 2.0));
            product_of(&mut moved, &x, &y);
            assert!(moved.iter().zip(&x).all(|(moved, x)| *moved == 2.0 * x));
            let squares: f64 = x.iter().map(|x| (x - 3.0) * (x - 3.0)).sum();
            assert_eq!(weighted_distance(&x, 3.0, &y), 2.0 * squares);
        }
    }
}
