//! Positive definite matrices that are nearly the same along their diagonals, as the covariance of evenly spaced rows is.
//!
//! Let E(i, j) = K(i + 1, j + 1) − K(i, j). It is zero where the covariance depends on the lag only, and of a small rank ρ
//! for linear kernels and for those of integrated noise. Such a matrix is factored in O((ρ + 2)n²) operations in the place
//! of n³/3 by the generalised Schur algorithm (Kailath & Sayed 1995, "Displacement structure"). Its inverse is of the same
//! kind and is filled along its diagonals, in O((ρ + 2)n²) in the place of 2n³/3: for ρ = 0 this is the formula of Gohberg
//! & Semencul (1972). Both lose more digits than Cholesky's algorithm does where the largest variance is far above the least
//! pivot. So they are for the way to a maximum and the last steps there, and the evidence of a model is computed without them:
//! a caller says about which error of the log determinant it bears, and the inverse is tried on a vector.

use std::array::from_fn;

use faer::linalg::triangular_solve::{solve_lower_triangular_in_place, solve_upper_triangular_in_place};
use faer::{MatMut, Par};

use super::views::{view, view_mut};
use super::{Matrix, vector};

/// Smaller matrices are factored as fast by Cholesky's algorithm.
const LEAST: usize = 96;
/// The largest rank of E.
const MOST_PARTS: usize = 6;
/// Eigenvalues of E below this share of the largest variance are rounding.
const ROUNDING: f64 = 1e-12;
/// The largest error of an entry of K⁻¹Ku, where the entries of u are 2 or 0, is this
const INVERSE_ERROR: f64 = 1e-4;
/// or so many times that of the log determinant.
const INVERSE_SHARE: f64 = 100.0;
/// What the parts of E leave over of an entry is at most this share of the largest variance.
const LEAST_LEFT: f64 = 16.0 * f64::EPSILON;

/// A factored matrix of this kind.
pub(super) struct NearlyToeplitz {
    /// E = Σ sign·v vᵀ.
    parts: Vec<Part>,
    /// The last column of the inverse.
    last: Vec<f64>,
    /// Ku for the vector u on which an inverse is tried.
    tried: Vec<f64>,
    /// What an inverse needs beside the last column, if [`solve`](Self::solve) has found it.
    begun: Option<Begun>,
    /// The error of the log determinant that is borne.
    tolerance: f64,
}

/// What the inverse is filled from.
struct Begun {
    /// Its first column.
    first: Vec<f64>,
    /// K₀⁻¹U, where K₀ is K without its last row and E = U S Uᵀ; below it is a row of zeros.
    solved: Matrix,
}

struct Part {
    sign: f64,
    v: Vec<f64>,
}

impl NearlyToeplitz {
    /// Writes the Cholesky factor of a matrix, of which the lower triangle is read, to that of `factor`. `None` if the
    /// matrix is not of this kind, is not clearly positive definite, or by a rough estimate the error of its log determinant
    /// is more than `tolerance`; `factor` is then undefined.
    pub fn factor(k: &Matrix, factor: &mut Matrix, tolerance: f64) -> Option<Self> {
        let n = k.nrows();
        if n < LEAST {
            return None;
        }
        let largest = (0..n).map(|i| k[(i, i)]).fold(0.0, f64::max);
        if !largest.is_finite() {
            return None;
        }
        let parts = parts(k, largest);
        if !is_sum(k, &parts, LEAST_LEFT * largest) {
            return None;
        }
        if factor.nrows() != n {
            *factor = Matrix::zeros(n, n);
        }
        let least = schur(k, &parts, factor)?;
        // the errors of stationary kernels were measured to be a third to some twenty times this
        let error = |rounding: f64| rounding * largest / least;
        if error(n as f64 * f64::EPSILON) > tolerance {
            return None;
        }
        let last = last_column(factor);
        let size = largest * last.iter().map(|x| x.abs()).sum::<f64>();
        let (mut residual, mut tried) = (vec![0.0; n], vec![0.0; n]);
        residual[n - 1] = -1.0;
        add_symmetric(k, [(&last, &mut residual), (&trial(n), &mut tried)]);
        (error(vector::largest(&residual) / size) <= tolerance).then_some(Self {
            parts,
            last,
            tried,
            begun: None,
            tolerance,
        })
    }

    /// b ← K⁻¹b of some columns b, given the factor. What an inverse needs is solved for at once: few columns take little more
    /// time than one.
    pub fn solve(&mut self, factor: &Matrix, b: &mut [f64]) {
        self.begun = Some(self.begin(factor, b));
    }

    /// Solves for some columns b, and returns what the inverse is filled from.
    fn begin(&self, factor: &Matrix, b: &mut [f64]) -> Begun {
        let (n, rank) = (factor.nrows(), self.parts.len());
        let columns = b.len() / n;
        let mut all = Matrix::zeros(n, columns + 1 + rank);
        let (given, own) = all.as_mut_slice().split_at_mut(b.len());
        given.copy_from_slice(b);
        own[0] = 1.0;
        for (Part { v, .. }, column) in self.parts.iter().zip(own[n..].chunks_exact_mut(n)) {
            column[..n - 1].copy_from_slice(v);
        }
        solve_lower_triangular_in_place(view(factor), view_mut(&mut all), Par::Seq);
        // without the last row and column, K has the factor without these
        all.columns_mut(columns + 1, rank).row_mut(n - 1).fill(0.0);
        solve_upper_triangular_in_place(view(factor).transpose(), view_mut(&mut all), Par::Seq);
        b.copy_from_slice(&all.as_slice()[..b.len()]);
        let first = all.column(columns).iter().copied().collect();
        Begun { first, solved: all.columns(columns + 1, rank).into_owned() }
    }

    /// Writes the lower triangle of the inverse, given the factor. Returns `false` if it is not exact enough.
    pub fn invert(&mut self, factor: &Matrix, out: &mut Matrix) -> bool {
        let n = factor.nrows();
        let Begun { first, solved } = self.begun.take().unwrap_or_else(|| self.begin(factor, &mut []));
        let Some(parts) = self.inverse_parts(&solved) else { return false };
        let scaled = |v: &[f64], by: f64| v.iter().map(|x| x / by.sqrt()).collect::<Vec<f64>>();
        let mut added = scaled(&first, first[0]);
        added[0] = 0.0;
        let mut removed = vec![0.0; n];
        removed[1..].copy_from_slice(&scaled(&self.last[..n - 1], self.last[n - 1]));
        out.column_mut(0).copy_from_slice(&first);
        let all = out.as_mut_slice();
        for j in 1..n {
            let (before, here) = all.split_at_mut(j * n);
            let (before, here) = (&before[(j - 1) * n + j - 1..j * n - 1], &mut here[j..n]);
            vector::next_diagonal(here, before, (added[j], &added[j..]), (-removed[j], &removed[j..]));
            for Part { sign, v } in &parts {
                vector::axpy(here, sign * v[j], &v[j..]);
            }
        }
        // K⁻¹Ku less u
        let mut rest: Vec<f64> = trial(n).iter().map(|u| -u).collect();
        add_symmetric(out, [(&self.tried, &mut rest)]);
        vector::largest(&rest) <= INVERSE_ERROR.min(INVERSE_SHARE * self.tolerance)
    }

    /// With P the inverse: P(i + 1, j + 1) − P(i, j) less the terms of its first and last column, as Σ sign·v vᵀ. It is
    /// −W C Wᵀ with W = K₀⁻¹U and C = (S + UᵀK₀⁻¹U)⁻¹ (Woodbury).
    fn inverse_parts(&self, w: &Matrix) -> Option<Vec<Part>> {
        let (m, rank) = (w.nrows() - 1, self.parts.len());
        if rank == 0 {
            return Some(Vec::new());
        }
        let mut inner = Matrix::from_fn(rank, rank, |a, b| vector::dot(&self.parts[a].v, w.column(b).as_slice()));
        (0..rank).for_each(|k| inner[(k, k)] += self.parts[k].sign);
        let eigen = (0.5 * (&inner + inner.transpose())).symmetric_eigen();
        let along = w.rows(0, m) * &eigen.eigenvectors;
        let part = |(k, value): (usize, &f64)| {
            let by = value.abs().sqrt();
            let v = std::iter::once(0.0).chain(along.column(k).iter().map(|x| x / by)).collect();
            (by > 0.0).then(|| Part { sign: -value.signum(), v })
        };
        eigen.eigenvalues.iter().enumerate().map(part).collect()
    }
}

/// E as far as some of its columns show it: C S⁻¹Cᵀ, where S has the same rows of the columns C.
fn parts(k: &Matrix, largest: f64) -> Vec<Part> {
    let m = k.nrows() - 1;
    let e = |i: usize, j: usize| {
        let (i, j) = (i.max(j), i.min(j));
        k[(i + 1, j + 1)] - k[(i, j)]
    };
    let chosen: Vec<usize> = (0..MOST_PARTS).map(|c| c * (m - 1) / (MOST_PARTS - 1)).collect();
    let columns = Matrix::from_fn(m, MOST_PARTS, |i, c| e(i, chosen[c]));
    let square = Matrix::from_fn(MOST_PARTS, MOST_PARTS, |r, c| e(chosen[r], chosen[c]));
    if square.iter().any(|v| !v.is_finite()) {
        return Vec::new();
    }
    let eigen = square.symmetric_eigen();
    let kept = eigen.eigenvalues.iter().enumerate().filter(|(_, value)| value.abs() > ROUNDING * largest);
    let part = |(c, value): (usize, &f64)| {
        let v = &columns * eigen.eigenvectors.column(c) / value.abs().sqrt();
        Part { sign: value.signum(), v: v.iter().copied().collect() }
    };
    kept.map(part).collect()
}

/// Whether E is the sum of these parts, to `most` in every entry.
fn is_sum(k: &Matrix, parts: &[Part], most: f64) -> bool {
    let n = k.nrows();
    let all = k.as_slice();
    (0..n - 1).all(|j| {
        let (next, here) = (&all[(j + 1) * n + j + 1..(j + 2) * n], &all[j * n + j..(j + 1) * n - 1]);
        let terms: [(f64, &[f64]); MOST_PARTS] =
            from_fn(|k| parts.get(k).map_or((0.0, &[][..]), |part| (part.sign * part.v[j], &part.v[j..])));
        vector::is_sum(next, here, &terms[..parts.len()], most)
    })
}

/// The Cholesky factor by the generalised Schur algorithm, and the least square of its pivots. `None` if the matrix is not
/// positive definite beyond rounding.
///
/// K − ZKZᵀ, where Z moves down by one row, is g gᵀ − h hᵀ + Σ sign·v vᵀ with g and h from the first column. A column of
/// the factor is g after rotations that clear the first entries of all others; moved down, it is g of the next.
fn schur(k: &Matrix, parts: &[Part], factor: &mut Matrix) -> Option<f64> {
    let n = k.nrows();
    let rounding = n as f64 * f64::EPSILON;
    let root = k[(0, 0)].sqrt();
    // false as well where it is not a number
    let clear = |pivot: f64, of: f64| pivot * pivot > rounding * of;
    if !clear(root, k[(0, 0)]) {
        return None;
    }
    let mut h: Vec<f64> = k.column(0).iter().map(|v| v / root).collect();
    factor.column_mut(0).copy_from_slice(&h);
    h[0] = 0.0;
    let mut others: Vec<Part> = parts
        .iter()
        .map(|part| Part { sign: part.sign, v: std::iter::once(0.0).chain(part.v.iter().copied()).collect() })
        .collect();
    let mut least = root * root;
    let all = factor.as_mut_slice();
    for j in 1..n {
        let (before, here) = all.split_at_mut(j * n);
        let (before, g) = (&before[(j - 1) * n + j - 1..j * n - 1], &mut here[j..n]);
        g.copy_from_slice(before);
        for Part { sign, v } in &mut others {
            let with = if *sign > 0.0 { &mut *g } else { &mut h[j..] };
            let (a, b) = (with[0], v[j]);
            let size = a.hypot(b);
            if size > 0.0 {
                vector::turn(with, &mut v[j..], a / size, b / size);
            }
        }
        let h = &mut h[j..];
        let ratio = h[0] / g[0];
        let rest = ((1.0 - ratio) * (1.0 + ratio)).sqrt();
        vector::turn_apart(g, h, ratio, rest);
        if !clear(g[0], k[(j, j)]) {
            return None;
        }
        least = least.min(g[0] * g[0]);
    }
    least.is_finite().then_some(least)
}

/// K⁻¹e, where e is the last unit vector: only the last pivot and one triangle count.
fn last_column(factor: &Matrix) -> Vec<f64> {
    let n = factor.nrows();
    let mut x = vec![0.0; n];
    x[n - 1] = 1.0 / factor[(n - 1, n - 1)];
    let upper = view(factor).transpose();
    solve_upper_triangular_in_place(upper, MatMut::from_column_major_slice_mut(&mut x, n, 1), Par::Seq);
    x
}

/// The sum u of 1, along which a smooth covariance is large, and of a vector whose signs change.
fn trial(n: usize) -> Vec<f64> {
    // bits of a multiplicative generator
    let signs = (0..n as u64).map(|i| i.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    signs.map(|bits| if (bits >> 40).count_ones() % 2 == 0 { 2.0 } else { 0.0 }).collect()
}

/// out ← out + Kx of some x, for a symmetric K, of which the lower triangle is read.
fn add_symmetric<const N: usize>(k: &Matrix, mut sides: [(&[f64], &mut [f64]); N]) {
    let n = k.nrows();
    for j in 0..n {
        let below = &k.as_slice()[j * n + j..(j + 1) * n];
        for (x, out) in &mut sides {
            let (own, others) = out[j..].split_at_mut(1);
            own[0] += below[0] * x[j] + vector::axpy_dot(others, x[j], &below[1..], &x[j + 1..]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::Cholesky;

    /// The covariance of evenly spaced rows from 1 on, with noise.
    fn covariance(n: usize, noise: f64, f: impl Fn(f64, f64) -> f64) -> Matrix {
        Matrix::from_fn(n, n, |i, j| {
            let (s, t) = (1.0 + 0.25 * i.min(j) as f64, 1.0 + 0.25 * i.max(j) as f64);
            f(s, t) + if i == j { noise } else { 0.0 }
        })
    }

    fn smooth(s: f64, t: f64) -> f64 {
        (-0.5 * ((t - s) / 3.0).powi(2)).exp()
    }

    fn line(s: f64, t: f64) -> f64 {
        0.5 + 0.03 * (s - 20.0) * (t - 20.0)
    }

    fn integrated(s: f64, t: f64) -> f64 {
        1e-3 * s * s * (3.0 * t - s) / 6.0
    }

    fn agree(k: &Matrix, rank: usize) {
        let n = k.nrows();
        let mut factor = Matrix::zeros(0, 0);
        let mut found = NearlyToeplitz::factor(k, &mut factor, 1e-5).expect("of this kind");
        assert_eq!(found.parts.len(), rank);
        let plain = Cholesky::new(k.clone()).expect("a factor");
        let log_det = 2.0 * (0..n).map(|i| factor[(i, i)].ln()).sum::<f64>();
        assert!((log_det - plain.log_det()).abs() < 1e-8 * n as f64, "{log_det}, {}", plain.log_det());
        let expected = plain.inverse_lower().lower_triangle();
        let inverts = |found: &mut NearlyToeplitz| {
            let mut inverse = Matrix::zeros(n, n);
            assert!(found.invert(&factor, &mut inverse));
            let off = (inverse.lower_triangle() - &expected).amax();
            assert!(off < 1e-8 * expected.amax(), "{off}");
        };
        inverts(&mut found);
        // what solutions have found beside them gives the same inverse
        let sides = Matrix::from_fn(n, 2, |i, c| (i as f64 + 0.3 * c as f64).sin());
        let mut solved = sides.clone();
        found.solve(&factor, solved.as_mut_slice());
        let right = plain.solve_matrix(&sides);
        assert!((&solved - &right).amax() < 1e-8 * right.amax(), "{}", (solved - &right).amax());
        inverts(&mut found);
    }

    #[test]
    fn factors_and_inverses_are_those_of_cholesky() {
        for noise in [1.0, 1e-2, 1e-4] {
            let n = 160;
            agree(&covariance(n, noise, smooth), 0);
            agree(&covariance(n, noise, |s, t| smooth(s, t) + s), 1);
            agree(&covariance(n, noise, |s, t| smooth(s, t) + line(s, t)), 2);
            agree(&covariance(n, noise, integrated), 2);
            agree(&covariance(n, noise, |s, t| line(s, t) + smooth(s, t) + integrated(s, t) + 0.1 * s), 2);
        }
    }

    /// An inverse may be refused, but one that is given is right along smooth directions, where it is small, as well.
    #[test]
    fn inverses_are_right_where_they_are_small() {
        let wave = |s: f64, t: f64| (std::f64::consts::TAU * (t - s) / 6.0).cos();
        let n = 200;
        let mut given = 0;
        for noise in [1e-2, 1e-4, 1e-6, 1e-8, 1e-9] {
            for f in [&wave as &dyn Fn(f64, f64) -> f64, &line, &smooth, &integrated] {
                let k = covariance(n, noise, f);
                let (mut factor, mut inverse) = (Matrix::zeros(0, 0), Matrix::zeros(n, n));
                let Some(mut found) = NearlyToeplitz::factor(&k, &mut factor, 1e-3) else { continue };
                if !found.invert(&factor, &mut inverse) {
                    continue;
                }
                given += 1;
                inverse.fill_upper_triangle_with_lower_triangle();
                let mut trace = 0.0;
                for j in 0..n {
                    trace += inverse.column(j).dot(&k.column(j));
                }
                assert!((trace - n as f64).abs() < 0.05, "noise {noise}: {trace}");
            }
        }
        assert!(given >= 8, "{given}");
    }

    #[test]
    fn others_are_left_to_cholesky() {
        let mut factor = Matrix::zeros(0, 0);
        let n = 160;
        let mut refused = |k: &Matrix| NearlyToeplitz::factor(k, &mut factor, 1e-5).is_none();
        assert!(refused(&covariance(n, 0.1, |s, t| line(s, t) * smooth(s, t))));
        // one row with more noise, a gap, a row that is repeated, and what is not a number
        let mut noisy = covariance(n, 0.1, smooth);
        noisy[(70, 70)] += 1e-6;
        assert!(refused(&noisy));
        let place = |i: usize| if i < 80 { i as f64 } else { i as f64 + 3.0 };
        assert!(refused(&Matrix::from_fn(n, n, |i, j| smooth(place(i), place(j)) + f64::from(u8::from(i == j)))));
        assert!(refused(&covariance(n, 0.0, |_, _| 1.0)));
        assert!(refused(&covariance(n, -2.0, smooth)));
        let mut broken = covariance(n, 0.1, smooth);
        broken[(120, 3)] = f64::NAN;
        assert!(refused(&broken));
        broken[(120, 3)] = f64::INFINITY;
        assert!(refused(&broken));
        assert!(refused(&covariance(40, 0.1, smooth)));
        // an error that a caller does not bear
        assert!(refused(&covariance(n, 1e-10, smooth)));
    }
}
