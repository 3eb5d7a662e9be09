//! The rows that the early rounds of a search use, where there are many.

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

use crate::fit::spacing::sample;

/// Above so many rows the early rounds use a subset,
const MANY_ROWS: usize = 250;
/// of so many rows.
const EARLY_ROWS: usize = 180;
/// Neighbouring rows of a series that stay together.
const RUN: usize = 30;

/// Indices of the rows that the early rounds use; `None` where these are all. `x` has a slice for each input.
///
/// Of a series they are runs of neighbouring rows, one in each stretch of it: within a run what is short beside the gaps
/// between rows chosen at random is seen, such as a week in daily rows, and between runs what is long. Rows of several
/// inputs have no order, and are sampled.
pub fn early_rows(x: &[&[f64]], n: usize) -> Option<Vec<usize>> {
    if n <= MANY_ROWS {
        return None;
    }
    match x {
        [series] => Some(runs(series)),
        _ => Some(sample(n, EARLY_ROWS)),
    }
}

fn runs(series: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..series.len()).collect();
    order.sort_by(|&a, &b| series[a].total_cmp(&series[b]));
    let mut random = Pcg64Mcg::seed_from_u64(0x5eed);
    let count = EARLY_ROWS / RUN;
    let edge = |stretch: usize| (stretch as u128 * series.len() as u128 / count as u128) as usize;
    let mut rows: Vec<usize> = Vec::with_capacity(EARLY_ROWS);
    for stretch in 0..count {
        let first = random.random_range(edge(stretch)..=edge(stretch + 1) - RUN);
        rows.extend(&order[first..first + RUN]);
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
        assert_eq!(rows.len(), EARLY_ROWS);
        assert!(rows.windows(2).all(|pair| pair[0] < pair[1]));
        let neighbours = rows.windows(2).filter(|pair| pair[1] == pair[0] + 1).count();
        assert!(neighbours >= EARLY_ROWS - EARLY_ROWS / RUN, "{neighbours}");
        let inside = |stretch: usize| rows.iter().filter(|row| **row / 150 == stretch).count();
        assert!((0..6).all(|stretch| inside(stretch) == RUN));
        assert_eq!(early_rows(&[&series[..200]], 200), None);
        assert_eq!(early_rows(&[&series[..251]], 251).map(|rows| rows.len()), Some(EARLY_ROWS));
    }
}
