//! Clusters of rows: starting values of inducing inputs.
//!
//! k-means with the starts of k-means++ (Arthur & Vassilvitskii 2007), on a random sample if there are many rows.

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

/// One input of the rows.
pub struct Axis<'a> {
    pub values: &'a [f64],
    /// The scale for distances; `None` for categories, which are equal or different.
    pub scale: Option<f64>,
    /// Whether the centres take values of the data in this input.
    pub kept: bool,
    /// The distance of different categories.
    pub apart: f64,
}

/// The largest number of rows that are clustered.
const SAMPLE: usize = 20_000;
/// The number of iterations.
const ROUNDS: usize = 20;

impl Axis<'_> {
    fn square(&self, a: f64, b: f64) -> f64 {
        match self.scale {
            Some(scale) => ((a - b) / scale).powi(2),
            None if a == b => 0.0,
            None => self.apart * self.apart,
        }
    }
}

fn square(axes: &[Axis<'_>], row: usize, centre: &[f64]) -> f64 {
    axes.iter().zip(centre).map(|(axis, &c)| axis.square(axis.values[row], c)).sum()
}

/// The centres, column by column; fewer than `count` if there are fewer distinct rows. The first centres are drawn from
/// the seed.
pub fn centres(axes: &[Axis<'_>], count: usize, seed: u64) -> Vec<Vec<f64>> {
    let n = axes.first().map_or(0, |axis| axis.values.len());
    let mut random = Pcg64::seed_from_u64(seed);
    let rows: Vec<usize> = match n > SAMPLE.max(20 * count) {
        true => {
            let size = SAMPLE.max(20 * count);
            // one row from every stretch of the file, so that no part of an ordered file is missed
            (0..size).map(|i| (i * n + random.random_range(0..n)) / size).map(|row| row.min(n - 1)).collect()
        }
        false => (0..n).collect(),
    };
    if rows.is_empty() {
        return axes.iter().map(|_| Vec::new()).collect();
    }
    let of_row = |row: usize| axes.iter().map(|axis| axis.values[row]).collect::<Vec<f64>>();
    let mut centres = vec![of_row(rows[random.random_range(0..rows.len())])];
    let mut nearest: Vec<(f64, usize)> = rows.iter().map(|&row| (square(axes, row, &centres[0]), 0)).collect();
    while centres.len() < count {
        let total: f64 = nearest.iter().map(|(d, _)| d).sum();
        if total <= 0.0 {
            break;
        }
        let mut left = random.random::<f64>() * total;
        let chosen = nearest.iter().position(|(d, _)| {
            left -= d;
            left < 0.0 && *d > 0.0
        });
        let Some(chosen) = chosen.or_else(|| nearest.iter().rposition(|(d, _)| *d > 0.0)) else { break };
        centres.push(of_row(rows[chosen]));
        update(axes, &rows, &centres, centres.len() - 1, &mut nearest);
    }
    for _ in 0..ROUNDS {
        let mut sums = vec![vec![0.0; axes.len()]; centres.len()];
        let mut counts = vec![0usize; centres.len()];
        for (&row, &(_, c)) in rows.iter().zip(&nearest) {
            counts[c] += 1;
            axes.iter().zip(&mut sums[c]).for_each(|(axis, sum)| *sum += axis.values[row]);
        }
        let mut moved = false;
        for (c, centre) in centres.iter_mut().enumerate().filter(|(c, _)| counts[*c] > 0) {
            for (d, axis) in axes.iter().enumerate().filter(|(_, axis)| axis.scale.is_some()) {
                let mean = sums[c][d] / counts[c] as f64;
                moved |= axis.square(mean, centre[d]) > 1e-8;
                centre[d] = mean;
            }
        }
        if !moved {
            break;
        }
        for (&row, near) in rows.iter().zip(&mut nearest) {
            let each = centres.iter().enumerate().map(|(c, centre)| (square(axes, row, centre), c));
            *near = each.min_by(|a, b| a.0.total_cmp(&b.0)).unwrap_or((0.0, 0));
        }
    }
    if axes.iter().any(|axis| axis.kept) {
        for centre in &mut centres {
            let near =
                rows.iter().copied().min_by(|&a, &b| square(axes, a, centre).total_cmp(&square(axes, b, centre)));
            let Some(row) = near else { continue };
            for (value, axis) in centre.iter_mut().zip(axes).filter(|(_, axis)| axis.kept) {
                *value = axis.values[row];
            }
        }
    }
    centres.sort_by(|a, b| {
        a.iter().zip(b).map(|(a, b)| a.total_cmp(b)).find(|o| o.is_ne()).unwrap_or(std::cmp::Ordering::Equal)
    });
    if axes.iter().any(|axis| axis.kept) {
        // identical centres are merged
        centres.dedup();
    }
    (0..axes.len()).map(|d| centres.iter().map(|centre| centre[d]).collect()).collect()
}

fn update(axes: &[Axis<'_>], rows: &[usize], centres: &[Vec<f64>], c: usize, nearest: &mut [(f64, usize)]) {
    for (&row, near) in rows.iter().zip(nearest) {
        let d = square(axes, row, &centres[c]);
        if d < near.0 {
            *near = (d, c);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn axis(values: &[f64]) -> Axis<'_> {
        Axis { values, scale: Some(1.0), kept: false, apart: 2.0 }
    }

    #[test]
    fn clusters_are_found() {
        let x: Vec<f64> = (0..60).map(|i| f64::from(i % 3) * 10.0 + f64::from(i) * 0.001).collect();
        let found = centres(&[axis(&x)], 3, 0x5eed);
        let expected = [0.0285, 10.0295, 20.0305];
        assert!(found[0].iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-9), "{found:?}");
    }

    #[test]
    fn fewer_different_rows_are_fewer_centres() {
        assert_eq!(centres(&[axis(&[1.0, 2.0, 1.0, 2.0])], 4, 0x5eed), [[1.0, 2.0]]);
        assert_eq!(centres(&[axis(&[])], 4, 0x5eed), [[0.0; 0]]);
    }

    #[test]
    fn categories_keep_their_values() {
        let (x, level) = ([0.0, 0.1, 0.2, 0.3], [0.0, 0.0, 1.0, 1.0]);
        let levels = Axis { values: &level, scale: None, kept: true, apart: 2.0 };
        let found = centres(&[axis(&x), levels], 2, 0x5eed);
        assert_eq!(found[1], [0.0, 1.0]);
    }
}
