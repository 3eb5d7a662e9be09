//! Ranges of numbers and of days: `a..b` and `a..=b`.

use std::fmt;

use crate::calendar::{Moment, TimeUnit};
use crate::kernel::quoted;
use crate::lang::numerals::number;

/// `a..b` or `a..=b`: the numbers a, a + 1, … up to b, or consecutive days.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Range {
    pub start: f64,
    pub end: f64,
    pub inclusive: bool,
    /// Whether the numbers are days since 1970 that represent dates.
    pub dates: bool,
}

impl Range {
    /// The number of items; 2^63 if a bound is infinite.
    pub fn len(&self) -> usize {
        let span = self.end - self.start;
        if span < 0.0 || span.is_nan() {
            return 0;
        }
        let count = if self.inclusive { span.floor() + 1.0 } else { span.ceil() };
        count.min(9.3e18) as usize
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The item at an index, from 0.
    pub fn at(&self, i: usize) -> f64 {
        self.start + i as f64
    }

    /// Whether two ranges have the same numbers, or the same dates.
    pub fn same(&self, other: &Range) -> bool {
        self.dates == other.dates && self.len() == other.len() && (self.is_empty() || self.start == other.start)
    }

    /// The date of one of its numbers.
    pub fn date(&self, x: f64) -> Option<String> {
        Moment::from(x, TimeUnit::Day).filter(|_| self.dates).map(Moment::exact_text)
    }

    /// A grid of `n` even steps: a + i(b−a)/n, or with the end included a + i(b−a)/(n−1).
    pub fn grid(&self, n: usize) -> Vec<f64> {
        let width = self.end - self.start;
        let steps = if self.inclusive { n.saturating_sub(1).max(1) } else { n.max(1) };
        let at = |i: usize| match width * (i as f64) {
            along if along.is_finite() => self.start + along / (steps as f64),
            // the width, or a multiple of it, overflows
            _ => {
                let share = i as f64 / steps as f64;
                self.start * (1.0 - share) + self.end * share
            }
        };
        (0..n).map(at).collect()
    }
}

impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let dots = if self.inclusive { "..=" } else { ".." };
        let end = |x: f64| match self.date(x) {
            Some(date) => quoted(&date),
            None => number(x),
        };
        write!(f, "{}{dots}{}", end(self.start), end(self.end))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_count_and_grid() {
        let range = |start, end, inclusive| Range { start, end, inclusive, dates: false };
        assert!(range(-1e308, 1e308, true).grid(5).iter().all(|x| x.is_finite()));
        assert_eq!(range(-1e308, 1e308, true).grid(5), [-1e308, -5e307, 0.0, 5e307, 1e308]);
        assert!(range(0.0, 1e12, false).same(&range(0.0, 1e12 - 1.0, true)));
        assert!(!range(0.0, 1e12, false).same(&range(0.0, 1e12, true)));
        assert!(range(4.0, 0.0, false).same(&range(7.0, 7.0, false)));
        assert_eq!(range(0.0, 4.0, false).len(), 4);
        assert_eq!(range(0.0, 4.0, true).len(), 5);
        assert_eq!(range(4.0, 0.0, false).len(), 0);
        assert_eq!(range(0.0, 1.0, false).grid(4), [0.0, 0.25, 0.5, 0.75]);
        assert_eq!(range(0.0, 1.0, true).grid(5), [0.0, 0.25, 0.5, 0.75, 1.0]);
        assert_eq!(range(0.0, 1.0, true).grid(1), [0.0]);
    }
}
