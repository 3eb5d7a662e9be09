//! Binary matrices: rows are objects, columns are features. Their prior is the Indian buffet process.
//!
//! Source: Duvenaud (2014), A.10 to A.15; Griffiths and Ghahramani (2005). In X = ZA + ε the entries of A are
//! independent normal with standard deviation σ_A, and those of ε with σ_X (A.11 prints X = AZ, and E for the
//! identity).

use std::collections::HashMap;

use rand::RngExt;
use statrs::function::gamma::ln_gamma;

use super::particles::picked;
use crate::linalg::{Cholesky, LOG_2PI, Matrix};

/// A binary matrix. The order of the columns has no meaning.
#[derive(Debug, Clone, PartialEq)]
pub struct BinaryMatrix {
    rows: usize,
    columns: Vec<Vec<bool>>,
}

/// The standard deviations of X = ZA + ε.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FeatureNoise {
    /// σ_X.
    pub noise: f64,
    /// σ_A.
    pub features: f64,
}

impl BinaryMatrix {
    /// Columns of equal length.
    pub fn new(rows: usize, columns: Vec<Vec<bool>>) -> Self {
        Self { rows, columns }
    }

    /// A matrix without features.
    pub fn empty(rows: usize) -> Self {
        Self { rows, columns: Vec::new() }
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The columns, one list of rows each.
    pub fn columns(&self) -> &[Vec<bool>] {
        &self.columns
    }

    /// The number of features of each row.
    pub fn row_sums(&self) -> Vec<f64> {
        (0..self.rows).map(|n| self.columns.iter().filter(|column| column[n]).count() as f64).collect()
    }

    fn ones(column: &[bool]) -> usize {
        column.iter().filter(|one| **one).count()
    }

    /// The matrix without columns of zeros.
    pub fn without_empty_columns(&self) -> Self {
        let columns = self.columns.iter().filter(|column| column.iter().any(|one| *one)).cloned().collect();
        Self { rows: self.rows, columns }
    }

    /// The columns in an order that is the same for all matrices that differ in the order of columns only.
    pub fn sorted_columns(mut self) -> Vec<Vec<bool>> {
        self.columns.sort_unstable();
        self.columns
    }

    /// Σₖ Σₖ′ Σₙ Zₙₖ Z′ₙₖ′ (A.12), the inner product of the row sums. It does not depend on the order of the columns.
    pub fn overlap(&self, other: &Self) -> f64 {
        self.row_sums().iter().zip(other.row_sums()).fold(0.0, |sum, (a, b)| sum + a * b)
    }

    /// log P(Z | α) of a single matrix with K columns (A.10).
    pub fn log_prior_finite(&self, alpha: f64) -> f64 {
        let (n, share) = (self.rows as f64, alpha / self.columns.len() as f64);
        let one = |column: &Vec<bool>| {
            let m = Self::ones(column) as f64;
            share.ln() + ln_gamma(m + share) + ln_gamma(n - m + 1.0) - ln_gamma(n + 1.0 + share)
        };
        self.columns.iter().map(one).sum()
    }

    /// The log prior in the limit of infinitely many columns, of the class of matrices that differ only in the order of
    /// columns and in columns of zeros: α^K₊/ΠK_h! · exp(−αH_N) · Π (N − m)!(m − 1)!/N!.
    pub fn log_prior(&self, alpha: f64) -> f64 {
        let kept = self.without_empty_columns();
        let n = self.rows as f64;
        let mut equal: HashMap<&Vec<bool>, usize> = HashMap::new();
        kept.columns.iter().for_each(|column| *equal.entry(column).or_default() += 1);
        let orders: f64 = equal.values().map(|count| ln_gamma(*count as f64 + 1.0)).sum();
        let harmonic: f64 = (1..=self.rows).map(|i| 1.0 / i as f64).sum();
        let one = |column: &Vec<bool>| {
            let m = Self::ones(column) as f64;
            ln_gamma(n - m + 1.0) + ln_gamma(m) - ln_gamma(n + 1.0)
        };
        kept.columns.len() as f64 * alpha.ln() - orders - alpha * harmonic + kept.columns.iter().map(one).sum::<f64>()
    }

    /// log p(X | Z, σ_X, σ_A) with A integrated out (A.11). X has one row per object.
    pub fn log_likelihood(&self, x: &Matrix, sd: FeatureNoise) -> f64 {
        let (n, d, k) = (self.rows as f64, x.ncols() as f64, self.columns.len());
        let z = Matrix::from_fn(self.rows, k, |i, j| f64::from(u8::from(self.columns[j][i])));
        let mut m = z.tr_mul(&z);
        for j in 0..k {
            m[(j, j)] += (sd.noise / sd.features).powi(2);
        }
        let (log_det, explained) = match k {
            0 => (0.0, 0.0),
            _ => match Cholesky::new(m) {
                Ok(factor) => (factor.log_det(), factor.half_solve(&z.tr_mul(x)).norm_squared()),
                Err(_) => return f64::NEG_INFINITY,
            },
        };
        let k = k as f64;
        -0.5 * (x.norm_squared() - explained) / (sd.noise * sd.noise)
            - 0.5 * n * d * LOG_2PI
            - (n - k) * d * sd.noise.ln()
            - k * d * sd.features.ln()
            - 0.5 * d * log_det
    }

    /// A draw of the Indian buffet process.
    pub fn draw(rows: usize, alpha: f64, random: &mut impl RngExt) -> Self {
        let mut columns: Vec<Vec<bool>> = Vec::new();
        for n in 0..rows {
            for column in &mut columns {
                let share = Self::ones(column) as f64 / (n + 1) as f64;
                column[n] = random.random_bool(share);
            }
            for _ in 0..poisson(alpha / (n + 1) as f64, random) {
                let mut column = vec![false; rows];
                column[n] = true;
                columns.push(column);
            }
        }
        Self { rows, columns }
    }

    /// One sweep of collapsed Gibbs sampling over all rows, for X = ZA + ε with A integrated out. False if `stop` returned
    /// `true` before its end.
    pub fn sweep(
        &mut self,
        x: &Matrix,
        alpha: f64,
        sd: FeatureNoise,
        random: &mut impl RngExt,
        stop: &dyn Fn() -> bool,
    ) -> bool {
        for n in 0..self.rows {
            let mut k = 0;
            while k < self.columns.len() {
                if stop() {
                    return false;
                }
                let others = Self::ones(&self.columns[k]) - usize::from(self.columns[k][n]);
                if others == 0 {
                    // features of this row only are resampled below
                    self.columns.swap_remove(k);
                    continue;
                }
                let share = others as f64 / self.rows as f64;
                let mut log = [0.0; 2];
                for (value, log) in log.iter_mut().enumerate() {
                    self.columns[k][n] = value == 1;
                    *log = if value == 1 { share.ln() } else { (1.0 - share).ln() } + self.log_likelihood(x, sd);
                }
                self.columns[k][n] = picked(&log, random) == 1;
                k += 1;
            }
            if stop() {
                return false;
            }
            let rate = alpha / self.rows as f64;
            let mut log = Vec::new();
            for new in 0..=MOST_NEW {
                if new > 0 {
                    let mut column = vec![false; self.rows];
                    column[n] = true;
                    self.columns.push(column);
                }
                let prior = new as f64 * rate.ln() - ln_gamma(new as f64 + 1.0);
                log.push(prior + self.log_likelihood(x, sd));
            }
            let kept = picked(&log, random);
            self.columns.truncate(self.columns.len() - (MOST_NEW - kept));
        }
        true
    }
}

/// The largest number of new features of a row in a sweep: a Poisson variable with rate α/N hardly ever exceeds it.
const MOST_NEW: usize = 4;

fn poisson(rate: f64, random: &mut impl RngExt) -> usize {
    use rand_distr::{Distribution, Poisson};
    Poisson::new(rate).map_or(0, |poisson| poisson.sample(random) as usize)
}

/// Integrals of [`BinaryMatrix::overlap`] under the prior, with K columns or in the limit of infinitely many.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BuffetMeans {
    pub alpha: f64,
    /// K; `None` for the limit.
    pub columns: Option<usize>,
}

impl BuffetMeans {
    /// The expected number of features of one row.
    fn features(self) -> f64 {
        match self.columns {
            None => self.alpha,
            Some(k) => self.alpha / (1.0 + self.alpha / k as f64),
        }
    }

    /// The kernel mean z(Z) (A.14).
    pub fn kernel_mean(self, z: &BinaryMatrix) -> f64 {
        self.features() * z.row_sums().iter().sum::<f64>()
    }

    /// The prior variance V₀ (A.15, where the finite factor must be squared).
    pub fn prior_variance(self, rows: usize) -> f64 {
        self.features().powi(2) * rows as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;
    use rand_pcg::Pcg64;

    /// All matrices with these numbers of rows and columns.
    fn all(rows: usize, columns: usize) -> Vec<BinaryMatrix> {
        let cell = |bits: usize, n: usize, k: usize| bits >> (k * rows + n) & 1 == 1;
        let column = |bits: usize, k: usize| (0..rows).map(|n| cell(bits, n, k)).collect();
        (0..1usize << (rows * columns))
            .map(|bits| BinaryMatrix::new(rows, (0..columns).map(|k| column(bits, k)).collect()))
            .collect()
    }

    #[test]
    fn integrals_under_the_finite_prior_are_sums() {
        for (rows, columns, alpha) in [(2, 2, 0.7), (3, 2, 1.3), (2, 3, 2.0)] {
            let all = all(rows, columns);
            let p: Vec<f64> = all.iter().map(|z| z.log_prior_finite(alpha).exp()).collect();
            assert!((p.iter().sum::<f64>() - 1.0).abs() < 1e-10);
            let means = BuffetMeans { alpha, columns: Some(columns) };
            for z in &all {
                let sum: f64 = all.iter().zip(&p).map(|(other, p)| p * z.overlap(other)).sum();
                assert!((means.kernel_mean(z) - sum).abs() < 1e-10, "{} {sum}", means.kernel_mean(z));
            }
            let variance: f64 = all.iter().zip(&p).map(|(z, p)| p * means.kernel_mean(z)).sum();
            assert!((means.prior_variance(rows) - variance).abs() < 1e-10);
        }
    }

    #[test]
    fn the_order_of_columns_has_no_meaning() {
        let mut random = Pcg64::seed_from_u64(1);
        let (a, b) = (BinaryMatrix::draw(6, 2.0, &mut random), BinaryMatrix::draw(6, 2.0, &mut random));
        let reversed = BinaryMatrix::new(6, a.columns().iter().rev().cloned().collect());
        assert!((a.overlap(&b) - reversed.overlap(&b)).abs() < 1e-12);
        let x = Matrix::from_fn(6, 3, |i, j| (i as f64 - 2.0) * 0.3 + j as f64);
        let sd = FeatureNoise { noise: 0.5, features: 1.2 };
        assert!((a.log_likelihood(&x, sd) - reversed.log_likelihood(&x, sd)).abs() < 1e-10);
        assert!((a.log_prior(1.5) - reversed.log_prior(1.5)).abs() < 1e-12);
    }

    #[test]
    fn the_collapsed_likelihood_is_that_of_a_normal_covariance() {
        // each column of X is normal with covariance σ_X² I + σ_A² ZZᵀ
        let z = BinaryMatrix::new(3, vec![vec![true, false, true], vec![true, true, false]]);
        let sd = FeatureNoise { noise: 0.6, features: 1.4 };
        let x = Matrix::from_row_slice(3, 2, &[0.3, -1.0, 0.8, 0.2, -0.5, 1.1]);
        let dense = Matrix::from_row_slice(3, 2, &[1.0, 1.0, 0.0, 1.0, 1.0, 0.0]);
        let covariance = Matrix::identity(3, 3) * 0.36 + &dense * dense.transpose() * 1.96;
        let factor = Cholesky::new(covariance).unwrap();
        let right = -0.5 * (factor.half_solve(&x).norm_squared() + 2.0 * factor.log_det() + 6.0 * LOG_2PI);
        assert!((z.log_likelihood(&x, sd) - right).abs() < 1e-10, "{} {right}", z.log_likelihood(&x, sd));
    }

    #[test]
    fn draws_have_the_expected_number_of_features() {
        let mut random = Pcg64::seed_from_u64(3);
        let total: f64 = (0..2000).map(|_| BinaryMatrix::draw(5, 1.5, &mut random).row_sums()[4]).sum();
        // a Poisson variable with mean 1.5 in each row
        assert!((total / 2000.0 - 1.5).abs() < 4.0 * (1.5f64 / 2000.0).sqrt());
    }

    /// The posterior over classes of matrices is the stationary distribution of the sampler: compared with exact
    /// probabilities.
    #[test]
    fn gibbs_sampling_has_the_posterior_as_its_distribution() {
        let x = Matrix::from_row_slice(2, 1, &[1.0, -0.4]);
        let sd = FeatureNoise { noise: 0.8, features: 1.0 };
        let (alpha, sweeps) = (0.8, 20_000);
        // classes by the numbers of columns (1,0), (0,1), (1,1) in a matrix
        let mut exact: HashMap<[usize; 3], f64> = HashMap::new();
        let column = |which: usize| match which {
            0 => vec![true, false],
            1 => vec![false, true],
            _ => vec![true, true],
        };
        for a in 0..7 {
            for b in 0..7 {
                for c in 0..7 {
                    let counts = [a, b, c];
                    let columns = (0..3).flat_map(|w| vec![column(w); counts[w]]).collect();
                    let z = BinaryMatrix::new(2, columns);
                    exact.insert(counts, (z.log_prior(alpha) + z.log_likelihood(&x, sd)).exp());
                }
            }
        }
        let total: f64 = exact.values().sum();
        let mut random = Pcg64::seed_from_u64(5);
        let mut z = BinaryMatrix::empty(2);
        let mut found: HashMap<[usize; 3], f64> = HashMap::new();
        for _ in 0..sweeps {
            z.sweep(&x, alpha, sd, &mut random, &|| false);
            let count = |w: usize| z.columns().iter().filter(|c| **c == column(w)).count();
            *found.entry([count(0), count(1), count(2)]).or_default() += 1.0 / sweeps as f64;
        }
        for (counts, p) in exact {
            let (p, seen) = (p / total, found.get(&counts).copied().unwrap_or(0.0));
            assert!((p - seen).abs() < 0.02, "{counts:?}: {p} {seen}");
        }
    }
}
