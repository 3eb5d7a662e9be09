//! The rows that a search and its early rounds use, where there are many.

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

use crate::fit::spacing::sample;

/// Rows that stand for all in some rounds of a race.
struct Subset {
    /// Above so many rows a subset is used,
    above: usize,
    /// of so many rows of several inputs,
    rows: usize,
    /// or of a series,
    of_series: usize,
    /// with so many neighbouring rows together.
    run: usize,
}

/// Of the first round. From 150 rows of a series, searches come to better models than from 180 in six runs, and in less time.
const EARLY: Subset = Subset { above: 250, rows: 180, of_series: 150, run: 30 };
/// Of the second.
const MIDDLE: Subset = Subset { above: 500, rows: 360, of_series: 360, run: 60 };

/// Of all rounds: fits to more rows take minutes each.
const COMPARED: Subset = Subset { above: 2000, rows: 1500, of_series: 1500, run: 150 };

/// Indices of the rows to which the candidates of a search are fitted; `None` where these are all. `x` has a slice for each
/// input, and the rows are chosen as those of [`early_rows`].
pub fn compared_rows(x: &[&[f64]], n: usize) -> Option<Vec<usize>> {
    COMPARED.of(x, n)
}

/// Indices of the rows of the first round; `None` where these are all. `x` has a slice for each input.
///
/// Of a series they are runs of neighbouring rows, one in each stretch of it: within a run what is short beside the gaps
/// between rows chosen at random is seen, such as a week in daily rows, and between runs what is long. Rows of several
/// inputs have no order, and are sampled.
pub fn early_rows(x: &[&[f64]], n: usize) -> Option<Vec<usize>> {
    EARLY.of(x, n)
}

/// Indices of the rows of the second round, as [`early_rows`].
pub fn middle_rows(x: &[&[f64]], n: usize) -> Option<Vec<usize>> {
    MIDDLE.of(x, n)
}

impl Subset {
    fn of(&self, x: &[&[f64]], n: usize) -> Option<Vec<usize>> {
        if n <= self.above {
            return None;
        }
        match x {
            [series] => Some(runs(series, self)),
            _ => Some(sample(n, self.rows)),
        }
    }
}

fn runs(series: &[f64], subset: &Subset) -> Vec<usize> {
    let mut order: Vec<usize> = (0..series.len()).collect();
    order.sort_by(|&a, &b| series[a].total_cmp(&series[b]));
    let mut random = Pcg64Mcg::seed_from_u64(0x5eed);
    let (rows_wanted, run) = (subset.of_series, subset.run);
    let count = rows_wanted / run;
    let edge = |stretch: usize| (stretch as u128 * series.len() as u128 / count as u128) as usize;
    let mut rows: Vec<usize> = Vec::with_capacity(rows_wanted);
    for stretch in 0..count {
        let first = random.random_range(edge(stretch)..=edge(stretch + 1) - run);
        rows.extend(&order[first..first + run]);
    }
    rows.sort_unstable();
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_series_gives_runs_from_all_of_it() {
        // backwards, as files are at times
        let series: Vec<f64> = (0..900).map(|i| f64::from(900 - i)).collect();
        let rows = early_rows(&[&series], 900).unwrap_or_default();
        assert_eq!(rows.len(), EARLY.of_series);
        assert!(rows.windows(2).all(|pair| pair[0] < pair[1]));
        let neighbours = rows.windows(2).filter(|pair| pair[1] == pair[0] + 1).count();
        assert!(neighbours >= EARLY.of_series - EARLY.of_series / EARLY.run, "{neighbours}");
        let inside = |stretch: usize| rows.iter().filter(|row| **row / 180 == stretch).count();
        assert!((0..5).all(|stretch| inside(stretch) == EARLY.run));
        assert_eq!(early_rows(&[&series[..200]], 200), None);
        let several = early_rows(&[&series, &series], 900).unwrap_or_default();
        assert!(several.len() == EARLY.rows && several.windows(2).all(|pair| pair[0] < pair[1]));
        assert_eq!(early_rows(&[&series[..251]], 251).map(|rows| rows.len()), Some(EARLY.of_series));
        assert_eq!(compared_rows(&[&series], 900), None);
        let long: Vec<f64> = (0..5000).map(f64::from).collect();
        assert_eq!(compared_rows(&[&long], 5000).map(|rows| rows.len()), Some(COMPARED.of_series));
        assert_eq!(compared_rows(&[&long, &long], 5000).map(|rows| rows.len()), Some(COMPARED.rows));
        assert_eq!(middle_rows(&[&series[..500]], 500), None);
        assert_eq!(middle_rows(&[&series], 900).map(|rows| rows.len()), Some(MIDDLE.of_series));
    }
}
