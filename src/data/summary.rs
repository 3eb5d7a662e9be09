//! A summary of a data set, column by column.

use std::cmp::Ordering;
use std::collections::HashSet;

use serde::Serialize;

use super::column::{Column, Kind};
use super::dataset::Dataset;
use super::note::Note;

/// A summary of a data set.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Summary {
    pub name: Option<String>,
    pub title: Option<String>,
    pub source: Option<String>,
    /// Number of rows.
    pub n: usize,
    pub columns: Vec<ColumnSummary>,
    /// The number of rows whose inputs are all equal to those of an earlier row.
    pub duplicates: usize,
    /// Columns with the same value in every row.
    pub constant: Vec<String>,
    pub notes: Vec<Note>,
}

/// The role of a column in a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    Input,
    Target,
    /// Neither; it is not summarised.
    Unused,
}

/// A summary of one column.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ColumnSummary {
    pub name: String,
    pub role: Role,
    pub kind: Kind,
    pub unit: Option<String>,
    /// The number of values that are not missing.
    pub n: usize,
    pub missing: usize,
    pub infinite: usize,
    /// The number of distinct values, or of levels that occur.
    pub distinct: usize,
    /// Statistics of the finite values; `None` for categories and if there are none.
    pub numbers: Option<Numbers>,
    /// The levels with their counts; empty for numbers.
    pub levels: Vec<(String, usize)>,
    /// A value that may be a code for missing values.
    pub sentinel: Option<Sentinel>,
}

/// A number that occurs often, is the least or the greatest, and is far from all others.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Sentinel {
    pub value: f64,
    pub count: usize,
}

/// Five statistics in the unit of the column.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Numbers {
    pub min: f64,
    pub median: f64,
    pub mean: f64,
    /// With n − 1; 0 for a single value.
    pub sd: f64,
    pub max: f64,
}

impl Dataset {
    /// Summarises all columns.
    pub fn summary(&self) -> Summary {
        let inputs: HashSet<&str> = self.inputs().map(Column::name).collect();
        let columns: Vec<ColumnSummary> = self.columns().iter().map(|c| column(self, c, &inputs)).collect();
        let constant = columns.iter().filter(|c| c.distinct == 1 && c.missing == 0).map(|c| c.name.clone()).collect();
        let about = self.about();
        Summary {
            name: about.name.clone(),
            title: about.title.clone(),
            source: about.source.clone(),
            n: self.n(),
            duplicates: self.duplicates(),
            constant,
            columns,
            notes: self.notes(),
        }
    }

    /// The number of rows with the same inputs as an earlier row. Rows with a missing input are not counted.
    pub fn duplicates(&self) -> usize {
        let x = self.x();
        if x.is_empty() {
            return 0;
        }
        // Adding 0 makes -0 and 0 equal.
        let row = |i: usize| x.iter().map(move |c| c[i] + 0.0);
        let compare = |&a: &usize, &b: &usize| {
            row(a).zip(row(b)).map(|(u, v)| u.total_cmp(&v)).find(|o| o.is_ne()).unwrap_or(Ordering::Equal)
        };
        let mut rows: Vec<usize> = (0..self.n()).filter(|&i| !x.iter().any(|c| c[i].is_nan())).collect();
        rows.sort_unstable_by(compare);
        rows.windows(2).filter(|pair| compare(&pair[0], &pair[1]).is_eq()).count()
    }
}

fn column(data: &Dataset, column: &Column, inputs: &HashSet<&str>) -> ColumnSummary {
    let is = |c: &Column| c.name() == column.name();
    let role = if data.target().is_some_and(is) {
        Role::Target
    } else if inputs.contains(column.name()) {
        Role::Input
    } else {
        Role::Unused
    };
    let levels = column.levels().map_or_else(Vec::new, |levels| {
        let mut counts = vec![0; levels.len()];
        column.values().iter().filter(|v| !v.is_nan()).for_each(|&code| counts[code as usize] += 1);
        levels.iter().map(ToString::to_string).zip(counts).collect()
    });
    ColumnSummary {
        name: column.name().into(),
        role,
        kind: column.kind().clone(),
        unit: column.unit().map(Into::into),
        n: column.len() - column.missing(),
        missing: column.missing(),
        infinite: column.values().iter().filter(|v| v.is_infinite()).count(),
        distinct: column.distinct(),
        numbers: if column.is_categories() { None } else { numbers(column.values()) },
        levels,
        sentinel: if *column.kind() == Kind::Numeric { sentinel(column.values()) } else { None },
    }
}

fn numbers(values: &[f64]) -> Option<Numbers> {
    let mut finite: Vec<f64> = values.iter().copied().filter(|v| v.is_finite()).collect();
    let (mean, sd) = mean_sd(&finite)?;
    finite.sort_unstable_by(f64::total_cmp);
    let n = finite.len();
    // Halved before the sum to avoid overflow.
    let median = 0.5 * finite[(n - 1) / 2] + 0.5 * finite[n / 2];
    Some(Numbers { min: finite[0], median, mean, sd, max: finite[n - 1] })
}

/// A possible code for missing values: the least or the greatest number, farther from the others than their whole
/// range. It is a number that programs use for this, such as −999, −99.99 or 1e20, or it occurs more than once.
fn sentinel(values: &[f64]) -> Option<Sentinel> {
    let mut finite: Vec<f64> = values.iter().copied().filter(|v| v.is_finite()).collect();
    finite.sort_unstable_by(f64::total_cmp);
    let (first, last) = (*finite.first()?, *finite.last()?);
    let of = |value: f64, others: &[f64]| {
        let (least, most) = (*others.first()?, *others.last()?);
        let gap = (least - value).max(value - most);
        let count = finite.len() - others.len();
        // with fewer than three distinct numbers a range is not informative
        let spread = others.iter().any(|v| *v != least && *v != most);
        let far = gap > most - least;
        (spread && far && (count > 1 || is_usual(value))).then_some(Sentinel { value, count })
    };
    let below = &finite[finite.partition_point(|v| *v <= first)..];
    let above = &finite[..finite.partition_point(|v| *v < last)];
    // a count of 0, or a censored number, is a real value
    let usual = |found: &Sentinel| is_usual(found.value) || found.value < 0.0;
    of(first, below).filter(usual).or_else(|| of(last, above).filter(usual))
}

/// Whether it consists of nines, with or without a sign and a decimal point, or is a power of ten beyond any
/// measurement.
fn is_usual(value: f64) -> bool {
    let digits: String = value.abs().to_string().chars().filter(char::is_ascii_digit).collect();
    let nines = digits.len() >= 2 && digits.bytes().all(|b| b == b'9');
    let round = value.abs() >= 1e10 && digits.trim_end_matches('0') == "1";
    nines || round
}

/// Mean and standard deviation (n − 1; 0 for a single value) of the finite values. `None` if there are none.
pub fn mean_sd(values: &[f64]) -> Option<(f64, f64)> {
    let finite = || values.iter().copied().filter(|v| v.is_finite());
    let n = finite().count();
    if n == 0 {
        return None;
    }
    // In units of a power of two near the largest size: squares do not overflow or underflow, and no digit is lost.
    let size = finite().fold(0.0, |m: f64, v| m.max(v.abs()));
    let unit = if size > 0.0 { size.log2().floor().exp2() } else { 1.0 };
    let n = n as f64;
    let mean = finite().map(|v| v / unit).sum::<f64>() / n;
    let square = finite().map(|v| (v / unit - mean).powi(2)).sum::<f64>();
    Some((mean * unit, if n > 1.0 { (square / (n - 1.0)).sqrt() * unit } else { 0.0 }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_summary_counts_everything() {
        let columns = vec![
            Column::numeric("a", vec![1.0, 0.0, -0.0, 1.0]).with_unit("m"),
            Column::categories("c", ["u", "v", "v", "u"].map(Some)),
            Column::numeric("k", vec![3.0; 4]),
            Column::numeric("y", vec![4.0, f64::NAN, f64::INFINITY, 2.0]),
        ];
        let summary = Dataset::new(columns, Some("y"), None).unwrap().summary();
        assert_eq!((summary.n, summary.duplicates, summary.constant), (4, 2, vec!["k".to_string()]));
        let [a, c, _, y] = &summary.columns[..] else { panic!() };
        assert_eq!((a.role, a.distinct, a.unit.as_deref()), (Role::Input, 2, Some("m")));
        assert_eq!((c.numbers, c.levels.clone()), (None, vec![("u".to_string(), 2), ("v".to_string(), 2)]));
        assert_eq!((y.role, y.n, y.missing, y.infinite), (Role::Target, 3, 1, 1));
        let numbers = y.numbers.unwrap();
        assert_eq!((numbers.min, numbers.median, numbers.mean, numbers.max), (2.0, 3.0, 3.0, 4.0));
    }

    #[test]
    fn numbers_that_stand_for_none_are_seen() {
        let of = |values: &[f64]| sentinel(values).map(|s| (s.value, s.count));
        assert_eq!(of(&[1.2, -200.0, 3.0, -200.0, 5.0]), Some((-200.0, 2)));
        assert_eq!(of(&[310.0, 311.5, -99.99, 312.0]), Some((-99.99, 1)));
        assert_eq!(of(&[0.0, 1.0, 1e20, 2.0]), Some((1e20, 1)));
        assert_eq!(of(&[9999.0, 12.0, 15.0, 11.0]), Some((9999.0, 1)));
        // zeros, a censored number, an outlier, an ordinary column
        assert_eq!(of(&[0.0, 0.0, 100.0, 101.0, 102.0]), None);
        assert_eq!(of(&[1.0, 2.0, 3.0, 50.0, 50.0]), None);
        assert_eq!(of(&[-57.0, 1.0, 2.0, 3.0]), None);
        assert_eq!(of(&[-1.0, -1.0, 0.0, 1.0]), None);
        assert_eq!(of(&[5.0, 5.0]), None);
    }

    #[test]
    fn rows_without_inputs_repeat_nothing() {
        let columns =
            vec![Column::numeric("x", vec![f64::NAN, f64::NAN, 1.0, 1.0]), Column::numeric("y", vec![0.0; 4])];
        assert_eq!(Dataset::new(columns, Some("y"), None).unwrap().duplicates(), 1);
    }

    #[test]
    fn moments_survive_extreme_sizes() {
        for scale in [1.0, 1e300, 1e-300, -3e-309] {
            let (mean, sd) = mean_sd(&[scale, 2.0 * scale, 3.0 * scale, f64::NAN]).unwrap();
            assert!((mean / scale - 2.0).abs() < 1e-9 && (sd / scale.abs() - 1.0).abs() < 1e-9, "{scale}");
        }
        assert_eq!(mean_sd(&[0.0]), Some((0.0, 0.0)));
        assert_eq!(mean_sd(&[f64::NAN]), None);
    }
}
