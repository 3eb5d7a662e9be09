//! Changes of shape: renamed columns, wide to long format, joins.

use std::collections::HashMap;

use super::column::Column;
use super::dataset::Dataset;
use super::error::DataError;
use super::note::Note;
use super::write::digits;

impl Dataset {
    /// The same data with a column renamed.
    ///
    /// # Errors
    /// There is no column `old`, or there is a column `new`.
    pub fn renamed(&self, old: &str, new: &str) -> Result<Self, DataError> {
        self.find(old)?;
        if old != new && self.column(new).is_some() {
            return Err(DataError::Repeated { name: new.into() });
        }
        let rename = |c: &Column| if c.name() == old { c.clone().renamed(new) } else { c.clone() };
        let columns = self.columns().iter().map(rename).collect();
        let mut about = self.about().clone();
        about.notes.iter_mut().for_each(|note| note.rename(old, new));
        Ok(self.with_columns(columns).with_about(about))
    }

    /// The values of some columns in one column. The column `names` has the name of the source column, `values` has the
    /// value and is the target. All other columns are repeated; those that were inputs or target are inputs.
    ///
    /// # Errors
    /// A column that does not exist or is named twice, categories together with numbers, or a new name that exists.
    pub fn pivoted_longer<S: AsRef<str>>(&self, columns: &[S], names: &str, values: &str) -> Result<Self, DataError> {
        let mut wide: Vec<&Column> = Vec::with_capacity(columns.len());
        for name in columns {
            let column = self.find(name.as_ref())?;
            if column.is_categories() {
                return Err(DataError::NotNumeric { column: column.name().into() });
            }
            if wide.iter().any(|known| known.name() == column.name()) {
                return Err(DataError::Repeated { name: column.name().into() });
            }
            wide.push(column);
        }
        if wide.is_empty() {
            return Err(DataError::NoColumns);
        }
        let is_wide = |name: &str| wide.iter().any(|column| column.name() == name);
        let taken = |new: &str| self.column(new).is_some() && !is_wide(new);
        if let Some(name) = [names, values].into_iter().find(|name| taken(name)) {
            return Err(DataError::Repeated { name: name.into() });
        }
        let k = wide.len();
        let rows: Vec<usize> = (0..self.n()).flat_map(|row| std::iter::repeat_n(row, k)).collect();
        let long = self.take(&rows);
        let kept: Vec<Column> = long.columns().iter().filter(|c| !is_wide(c.name())).cloned().collect();
        let mut inputs: Vec<String> = Vec::new();
        inputs.extend(self.used().map(|c| c.name().to_string()).filter(|name| !is_wide(name)));
        inputs.push(names.to_string());
        let labels = (0..self.n()).flat_map(|_| wide.iter().map(|column| Some(column.name())));
        let unit = wide[0].unit().filter(|unit| wide.iter().all(|column| column.unit() == Some(unit)));
        let all = (0..self.n()).flat_map(|row| wide.iter().map(move |column| column.values()[row])).collect();
        let mut columns = kept;
        columns.push(Column::categories(names, labels));
        columns.push(Column::numeric(values, all).with_unit(unit.unwrap_or_default()));
        let inputs: Vec<&str> = inputs.iter().map(String::as_str).collect();
        long.with_columns(columns).with_target(values)?.with_inputs(&inputs)
    }

    /// Each row with the columns of the row of `other` that has the same values in the columns `by`, or missing values
    /// if there is none. The new columns are inputs. Also returns the number of rows without a match.
    ///
    /// # Errors
    /// A column of `by` that is not in both, two rows of `other` with equal values of `by`, or another column that is
    /// in both.
    pub fn joined<S: AsRef<str>>(&self, other: &Self, by: &[S]) -> Result<(Self, usize), DataError> {
        let keys = |data: &Self| -> Result<Vec<Vec<String>>, DataError> {
            let columns = by.iter().map(|name| data.find(name.as_ref())).collect::<Result<Vec<_>, _>>()?;
            let text = |column: &Column, row: usize| {
                column.level(row).map_or_else(|| digits(column.values()[row] + 0.0), ToString::to_string)
            };
            Ok((0..data.n()).map(|row| columns.iter().map(|column| text(column, row)).collect()).collect())
        };
        let mut places: HashMap<Vec<String>, usize> = HashMap::with_capacity(other.n());
        for (row, key) in keys(other)?.into_iter().enumerate() {
            if let Some(first) = places.get(&key) {
                let (first, second) = (other.row(*first), other.row(row));
                return Err(DataError::JoinedTwice { value: key.join(", "), first, second });
            }
            places.insert(key, row);
        }
        let rows: Vec<Option<usize>> = keys(self)?.iter().map(|key| places.get(key).copied()).collect();
        let mut data = self.clone();
        let mut inputs: Vec<String> = self.input_names().into_iter().map(str::to_string).collect();
        for column in other.columns().iter().filter(|c| !by.iter().any(|name| name.as_ref() == c.name())) {
            if self.column(column.name()).is_some() {
                return Err(DataError::Repeated { name: column.name().into() });
            }
            data = data.with_column(column.take_some(&rows))?;
            inputs.push(column.name().to_string());
        }
        let unmatched = rows.iter().filter(|row| row.is_none()).count();
        Ok((if inputs.is_empty() { data } else { data.with_inputs(&inputs)? }, unmatched))
    }

    /// The indices of the rows in ascending order of some keys, the first of which has precedence; missing values come
    /// last.
    pub fn order_by(&self, keys: &[Vec<SortKey>], descending: bool) -> Vec<usize> {
        let mut rows: Vec<usize> = (0..self.n()).collect();
        rows.sort_by(|&a, &b| {
            let compare = |key: &Vec<SortKey>| key[a].compare(&key[b], descending);
            keys.iter().map(compare).find(|order| order.is_ne()).unwrap_or(std::cmp::Ordering::Equal)
        });
        rows
    }
}

/// A key by which rows are sorted.
#[derive(Debug, Clone, PartialEq)]
pub enum SortKey {
    Number(f64),
    Text(String),
}

impl SortKey {
    fn compare(&self, other: &Self, descending: bool) -> std::cmp::Ordering {
        use std::cmp::Ordering;
        let turned = |order: Ordering| if descending { order.reverse() } else { order };
        match (self, other) {
            (Self::Number(a), Self::Number(b)) => match (a.is_nan(), b.is_nan()) {
                (false, false) => turned(a.total_cmp(b)),
                (a, b) => a.cmp(&b),
            },
            (Self::Text(a), Self::Text(b)) => turned(a.cmp(b)),
            // a missing value among texts
            (Self::Number(_), Self::Text(_)) => Ordering::Greater,
            (Self::Text(_), Self::Number(_)) => Ordering::Less,
        }
    }
}

/// The keys of a column: its numbers, or the ranks of its levels.
pub fn keys_of(column: &Column) -> Vec<SortKey> {
    column.values().iter().map(|v| SortKey::Number(*v)).collect()
}

impl Note {
    fn rename(&mut self, old: &str, new: &str) {
        let change = |name: &mut String| {
            if name == old {
                *name = new.to_string();
            }
        };
        match self {
            Self::NoHeader { names } => names.iter_mut().for_each(change),
            Self::Unnamed { name } | Self::RowInput { name } => change(name),
            Self::Dates { column, .. }
            | Self::DatesInDigits { column, .. }
            | Self::TimesOfDay { column }
            | Self::UnreadDates { column, .. }
            | Self::FarDates { column, .. }
            | Self::Categories { column, .. }
            | Self::Missing { column, .. }
            | Self::Ignored { column, .. } => change(column),
            _ => {}
        }
    }
}

impl Column {
    /// The rows at these indices, with missing values for `None`.
    fn take_some(&self, rows: &[Option<usize>]) -> Self {
        let value = |row: &Option<usize>| row.map_or(f64::NAN, |row| self.values()[row]);
        self.with_values(rows.iter().map(value).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Options, parse};

    fn read(text: &str) -> Dataset {
        parse("f", text, &Options::default()).unwrap()
    }

    #[test]
    fn a_new_name_keeps_role_and_notes() {
        let data = read("kind,y\nu,1\nv,2\n").renamed("kind", "sort").unwrap().renamed("y", "out").unwrap();
        assert_eq!((data.input_names(), data.target().unwrap().name()), (vec!["sort"], "out"));
        assert_eq!(data.notes()[0].to_string(), "`sort` is a category with 2 levels");
        assert!(data.renamed("sort", "out").is_err() && data.renamed("x", "z").is_err());
    }

    #[test]
    fn wide_becomes_long() {
        let data = read("year,a (m),b (m),out\n1,2,3,7\n4,5,6,8\n");
        let long = data.pivoted_longer(&["a (m)", "b (m)"], "part", "depth").unwrap();
        assert_eq!((long.n(), long.input_names()), (4, vec!["year", "out", "part"]));
        assert_eq!((long.y().unwrap(), long.target().unwrap().unit()), (&[2.0, 3.0, 5.0, 6.0][..], Some("m")));
        assert_eq!(long.column("part").unwrap().level(1), Some("b (m)"));
        assert_eq!(long.column("year").unwrap().values(), [1.0, 1.0, 4.0, 4.0]);
        assert_eq!(long.row(3), data.row(1));
        assert!(data.pivoted_longer(&["a (m)"], "year", "v").is_err());
    }

    #[test]
    fn rows_find_their_partners() {
        let (left, right) = (read("town,y\nUlm,1\nBonn,2\nUlm,3\nKiel,4\n"), read("h,town,z\n9,Bonn,1\n8,Ulm,2\n"));
        let (data, unmatched) = left.joined(&right, &["town"]).unwrap();
        assert_eq!((data.input_names(), unmatched), (vec!["town", "h", "z"], 1));
        let h = data.column("h").unwrap().values();
        assert_eq!((&h[..3], h[3].is_nan()), (&[8.0, 9.0, 8.0][..], true));
        assert!(left.joined(&read("town,z\nUlm,1\nUlm,2\n"), &["town"]).unwrap_err().to_string().contains("line 2"));
        assert!(left.joined(&read("town,y\nUlm,1\n"), &["town"]).is_err());
    }

    #[test]
    fn rows_are_sorted_and_gaps_come_last() {
        let data = read("a,b\n2,1\nNA,2\n1,3\n2,0\n");
        let keys: Vec<_> = data.columns().iter().map(keys_of).collect();
        assert_eq!(data.order_by(&keys, false), [2, 3, 0, 1]);
        assert_eq!(data.order_by(&keys[..1], true), [0, 3, 2, 1]);
    }
}
