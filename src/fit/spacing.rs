//! The spacing of rows, for starting values of length-scales.
//!
//! Rows with a value that is not finite are ignored; the zero distances of equal rows do not count.

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

/// Above this number of rows the median distance is that of a sample.
const MOST_ROWS: usize = 1000;

/// The median of the Euclidean distances between rows, without those of equal rows. The columns have one length, and
/// the distance is in their units. `None` if all rows are equal.
pub fn median_distance(columns: &[&[f64]]) -> Option<f64> {
    let rows = columns.iter().map(|column| column.len()).min()?;
    let whole: Vec<usize> = (0..rows).filter(|&row| columns.iter().all(|column| column[row].is_finite())).collect();
    let chosen: Vec<usize> = sample(whole.len(), MOST_ROWS).into_iter().map(|at| whole[at]).collect();
    let mut distances = Vec::with_capacity(chosen.len() * chosen.len().saturating_sub(1) / 2);
    for (i, &a) in chosen.iter().enumerate() {
        for &b in &chosen[..i] {
            let square: f64 = columns.iter().map(|column| (column[a] - column[b]).powi(2)).sum();
            if square > 0.0 {
                distances.push(square.sqrt());
            }
        }
    }
    median(&mut distances)
}

/// The median gap between neighbouring distinct values of a column: for evenly spaced points, their spacing. `None` for
/// a constant column.
pub fn median_gap(column: &[f64]) -> Option<f64> {
    let places = distinct(column);
    let mut gaps: Vec<f64> = places.windows(2).map(|pair| pair[1] - pair[0]).collect();
    median(&mut gaps)
}

/// A gap recurs if this share of all gaps is equal to it,
const RECURRING: f64 = 0.05;
/// and at least this number of them,
const LEAST_RECURRING: usize = 3;
/// up to this share of itself.
const EQUAL: f64 = 0.01;

/// The least gap between neighbouring values of a column that recurs: the step of a lattice of which values may be left
/// out, such as days of which most are missing. Without one, the median gap. `None` for a constant column.
///
/// It decides which periods can be distinguished from shorter ones: values on a lattice are aliased only below twice its step,
/// however many of its places are empty.
pub fn recurring_gap(column: &[f64]) -> Option<f64> {
    let places = distinct(column);
    let mut gaps: Vec<f64> = places.windows(2).map(|pair| pair[1] - pair[0]).collect();
    gaps.sort_unstable_by(f64::total_cmp);
    let middle = *gaps.get(gaps.len() / 2)?;
    let needed = LEAST_RECURRING.max((RECURRING * gaps.len() as f64).ceil() as usize);
    let recurs = |first: usize| gaps.get(first + needed - 1).is_some_and(|last| *last <= (1.0 + EQUAL) * gaps[first]);
    let least = (0..gaps.len()).find(|&first| recurs(first)).map_or(middle, |first| gaps[first]);
    Some(least.min(middle))
}

/// With fewer distinct values, trailing zeros can be chance.
const LEAST_DISTINCT: usize = 5;
/// Powers of ten to which values may be rounded, the coarsest first.
const DECIMALS: std::ops::RangeInclusive<i32> = -6..=9;

/// The step of the grid on which the values of a column lie: its recurring gap, if it has one and nearly all values are
/// whole numbers of it apart.
pub fn grid_step(column: &[f64], gap: Option<f64>) -> Option<f64> {
    let step = gap?;
    let first = column.iter().copied().fold(f64::INFINITY, f64::min);
    let on_grid = |value: &&f64| {
        let steps = (**value - first) / step;
        (steps - steps.round()).abs() < 0.01
    };
    let count = column.iter().filter(on_grid).count();
    (count as f64 >= 0.99 * column.len() as f64).then_some(step)
}

/// The step to which values are rounded: the largest power of ten of which all are multiples. `None` if they have more
/// digits, or too few are distinct to tell.
pub fn rounding(values: &[f64]) -> Option<f64> {
    let places = distinct(values);
    let multiple = |value: &f64, decimals: i32| {
        let scaled = value * 10f64.powi(decimals);
        (scaled - scaled.round()).abs() <= 4.0 * f64::EPSILON * scaled.abs()
    };
    let rounded = |decimals: &i32| places.iter().all(|value| multiple(value, *decimals));
    DECIMALS.filter(|_| places.len() >= LEAST_DISTINCT).find(rounded).map(|decimals| 10f64.powi(-decimals))
}

/// The range of a column. `None` for a constant column.
pub fn span(column: &[f64]) -> Option<f64> {
    let finite = || column.iter().copied().filter(|value| value.is_finite());
    let span = finite().reduce(f64::max)? - finite().reduce(f64::min)?;
    (span > 0.0).then_some(span)
}

/// The mean square deviation from the mean.
pub fn variance(values: &[f64]) -> f64 {
    let n = values.len().max(1) as f64;
    let mean = values.iter().sum::<f64>() / n;
    values.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>() / n
}

/// The distinct values of a column, ascending; values that differ only by rounding are one.
pub fn distinct(column: &[f64]) -> Vec<f64> {
    let mut places: Vec<f64> = column.iter().copied().filter(|value| value.is_finite()).collect();
    places.sort_unstable_by(f64::total_cmp);
    let size = places.first().zip(places.last()).map_or(0.0, |(first, last)| first.abs().max(last.abs()));
    places.dedup_by(|next, kept| *next - *kept <= 1e-13 * size);
    places
}

/// At most `most` of `count` rows in ascending order: one from each of `most` blocks, at a position drawn from a fixed
/// seed, because an even stride would miss what repeats with it.
pub(crate) fn sample(count: usize, most: usize) -> Vec<usize> {
    if count <= most {
        return (0..count).collect();
    }
    let mut random = Pcg64Mcg::seed_from_u64(0x5eed);
    // in 128 bits, so that no number of rows overflows
    let edge = |block: usize| (block as u128 * count as u128 / most as u128) as usize;
    (0..most).map(|block| random.random_range(edge(block)..edge(block + 1))).collect()
}

/// The median (the upper one of two); reorders the values.
pub fn median(values: &mut [f64]) -> Option<f64> {
    let middle = values.len() / 2;
    (!values.is_empty()).then(|| *values.select_nth_unstable_by(middle, f64::total_cmp).1)
}

/// A standard deviation of normal values by the median of their absolute deviations.
pub const OF_MEDIAN: f64 = 1.4826;

/// Mean and variance; 1 in place of a variance of 0.
pub(super) fn moments(x: &[f64]) -> (f64, f64) {
    let n = x.len().max(1) as f64;
    let mean = x.iter().sum::<f64>() / n;
    let variance = x.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>() / n;
    (mean, if variance > 0.0 && variance.is_finite() { variance } else { 1.0 })
}

#[cfg(test)]
mod tests {
    use super::{grid_step, median_distance, median_gap, recurring_gap, rounding, sample, span};

    #[test]
    fn a_grid_may_have_gaps() {
        let daily: Vec<f64> = (0..200).filter(|i| i % 5 < 3).map(|i| 7.0 + f64::from(i)).collect();
        assert_eq!(grid_step(&daily, recurring_gap(&daily)), Some(1.0));
        let uneven: Vec<f64> = (0..200).map(|i| f64::from(i) + 0.3 * f64::from(i).sin()).collect();
        assert_eq!(grid_step(&uneven, recurring_gap(&uneven)), None);
    }

    #[test]
    fn even_points() {
        let t: Vec<f64> = (0..5).map(|i| 10.0 - 0.5 * i as f64).collect();
        assert_eq!((median_gap(&t), span(&t)), (Some(0.5), Some(2.0)));
        assert_eq!(median_distance(&[&t]), Some(1.0));
    }

    #[test]
    fn repeated_rows_do_not_count() {
        let x = [0.0, 0.0, 0.0, 0.0, 3.0];
        let y = [0.0, 0.0, 0.0, 0.0, 4.0];
        assert_eq!(median_distance(&[&x, &y]), Some(5.0));
        assert_eq!(median_gap(&x), Some(3.0));
        assert_eq!(median_gap(&[0.3, 0.1 + 0.2, 1.3]), Some(1.3 - 0.3));
    }

    #[test]
    fn the_step_of_a_lattice_is_found_among_gaps() {
        // days, of which nine in ten are left out at random
        let kept = |i: &usize| (*i * 7919 + (*i * *i) % 613).is_multiple_of(10);
        let days: Vec<f64> = (0..3000).filter(kept).map(|i| i as f64).collect();
        assert!(median_gap(&days).is_some_and(|gap| gap > 2.0), "{:?}", median_gap(&days));
        assert_eq!(recurring_gap(&days), Some(1.0));
        // places without order have no lattice
        let places: Vec<f64> = (0..200).map(|i| (i as f64 * 0.618_033_988_749_895).fract().powi(2)).collect();
        assert_eq!(recurring_gap(&places), median_gap(&places));
        let even: Vec<f64> = (0..50).map(|i| 1949.0 + i as f64 / 12.0).collect();
        assert!((recurring_gap(&even).unwrap_or(0.0) * 12.0 - 1.0).abs() < 1e-9);
        assert_eq!(recurring_gap(&[3.0, 3.0]), None);
    }

    #[test]
    fn nothing_to_tell() {
        for column in [&[][..], &[1.0], &[2.0, 2.0, 2.0], &[f64::NAN, 1.0]] {
            assert_eq!((median_distance(&[column]), median_gap(column), span(column)), (None, None, None));
        }
        assert_eq!(median_distance(&[]), None);
    }

    #[test]
    fn blanks_are_passed_over() {
        let x = [0.0, f64::NAN, 2.0, f64::INFINITY];
        assert_eq!((median_distance(&[&x]), median_gap(&x), span(&x)), (Some(2.0), Some(2.0), Some(2.0)));
    }

    #[test]
    fn a_sample_is_enough_for_many_rows() {
        let x: Vec<f64> = (0..20_000).map(|i| (i % 1000) as f64).collect();
        let median = median_distance(&[&x]).unwrap_or(0.0);
        assert!((median - 293.0).abs() < 25.0, "{median}");
        let rows = sample(20_000, 1000);
        assert!(rows.len() == 1000 && rows.windows(2).all(|pair| pair[0] < pair[1]) && rows[999] < 20_000);
    }

    #[test]
    fn rounding_is_told_from_computed_values() {
        let counts: Vec<f64> = (0..60).map(|i| f64::from((i * i * 7) % 41)).collect();
        for (step, divisor) in [(1.0, 1.0), (0.1, 10.0), (0.001, 1000.0)] {
            let values: Vec<f64> = counts.iter().map(|count| count / divisor - 7.0).collect();
            assert_eq!(rounding(&values), Some(step));
        }
        let thousands: Vec<f64> = counts.iter().map(|count| 1000.0 * count).collect();
        assert_eq!(rounding(&thousands), Some(1000.0));
        let computed: Vec<f64> = (0..60).map(|i| f64::from(i).sin()).collect();
        assert_eq!(rounding(&computed), None);
        assert_eq!(rounding(&[1.0, 2.0, 3.0]), None);
        assert_eq!(rounding(&[]), None);
    }
}
