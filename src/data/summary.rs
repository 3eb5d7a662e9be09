//! What a data set holds, column by column.

use std::cmp::Ordering;

use serde::Serialize;

use super::column::{Column, Kind};
use super::dataset::{Dataset, Note};

/// A data set at a glance.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Summary {
    pub name: Option<String>,
    pub title: Option<String>,
    pub source: Option<String>,
    /// Number of rows.
    pub n: usize,
    pub columns: Vec<ColumnSummary>,
    /// Rows whose inputs are all equal to those of an earlier row.
    pub duplicates: usize,
    /// Columns with one and the same value in every row.
    pub constant: Vec<String>,
    pub notes: Vec<Note>,
}

/// What a column is to a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    Input,
    Target,
    /// Kept, but not looked at.
    Unused,
}

/// One column at a glance.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ColumnSummary {
    pub name: String,
    pub role: Role,
    pub kind: Kind,
    pub unit: Option<String>,
    /// Values that are there.
    pub n: usize,
    pub missing: usize,
    pub infinite: usize,
    /// How many different values, or levels that occur.
    pub distinct: usize,
    /// Of the finite values; `None` for categories and where there are none.
    pub numbers: Option<Numbers>,
    /// Levels and how often each occurs; empty for numbers.
    pub levels: Vec<(String, usize)>,
}

/// Five numbers in the column's unit.
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
    /// What there is, column by column.
    pub fn summary(&self) -> Summary {
        let columns: Vec<ColumnSummary> = self.columns().iter().map(|c| column(self, c)).collect();
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
            notes: about.notes.clone(),
        }
    }

    /// How many rows have the same inputs as an earlier row.
    pub fn duplicates(&self) -> usize {
        let x = self.x();
        // Adding 0 makes -0 and 0 one value.
        let row = |i: usize| x.iter().map(move |c| c[i] + 0.0);
        let compare = |&a: &usize, &b: &usize| {
            row(a).zip(row(b)).map(|(u, v)| u.total_cmp(&v)).find(|o| o.is_ne()).unwrap_or(Ordering::Equal)
        };
        let mut rows: Vec<usize> = (0..self.n()).collect();
        rows.sort_unstable_by(compare);
        rows.windows(2).filter(|pair| compare(&pair[0], &pair[1]).is_eq()).count()
    }
}

fn column(data: &Dataset, column: &Column) -> ColumnSummary {
    let is = |c: &Column| c.name() == column.name();
    let role = if data.target().is_some_and(is) {
        Role::Target
    } else if data.inputs().any(is) {
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
    }
}

fn numbers(values: &[f64]) -> Option<Numbers> {
    let mut finite: Vec<f64> = values.iter().copied().filter(|v| v.is_finite()).collect();
    let (mean, sd) = mean_sd(&finite)?;
    finite.sort_unstable_by(f64::total_cmp);
    let n = finite.len();
    // Halved before the sum, which might overflow.
    let median = 0.5 * finite[(n - 1) / 2] + 0.5 * finite[n / 2];
    Some(Numbers { min: finite[0], median, mean, sd, max: finite[n - 1] })
}

/// Mean and standard deviation (n − 1; 0 for a single value) of the finite values. `None` when there are none.
pub fn mean_sd(values: &[f64]) -> Option<(f64, f64)> {
    let finite = || values.iter().copied().filter(|v| v.is_finite());
    let n = finite().count();
    if n == 0 {
        return None;
    }
    // In units of a power of two near the largest size: squares neither overflow nor vanish, and no digit is lost.
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
    fn moments_survive_extreme_sizes() {
        for scale in [1.0, 1e300, 1e-300, -3e-309] {
            let (mean, sd) = mean_sd(&[scale, 2.0 * scale, 3.0 * scale, f64::NAN]).unwrap();
            assert!((mean / scale - 2.0).abs() < 1e-9 && (sd / scale.abs() - 1.0).abs() < 1e-9, "{scale}");
        }
        assert_eq!(mean_sd(&[0.0]), Some((0.0, 0.0)));
        assert_eq!(mean_sd(&[f64::NAN]), None);
    }
}
