//! The data sets that ship with the program.
//!
//! Each is one CSV file here and one record in [`SETS`]; `SOURCES.md` in this folder describes their sources.

mod list;

pub use list::{SETS, Set};

use super::dataset::Dataset;
use super::error::DataError;
use super::note::About;

/// The shipped set of this name.
pub fn find(name: &str) -> Option<&'static Set> {
    SETS.iter().find(|set| set.name == name)
}

/// The names of all shipped sets.
pub fn names() -> impl Iterator<Item = &'static str> {
    SETS.iter().map(|set| set.name)
}

impl Set {
    /// The unit of a column.
    pub fn unit(&self, column: &str) -> Option<&'static str> {
        self.units.iter().find(|(name, _)| *name == column).map(|(_, unit)| *unit).or(self.rest)
    }

    /// Adds the units and the origin of this set to freshly read data.
    pub(super) fn dress(&self, mut data: Dataset) -> Result<Dataset, DataError> {
        for column in data.columns().to_vec() {
            let unit = self.unit(column.name()).unwrap_or_default();
            data = data.with_column(column.with_unit(unit))?;
        }
        let about = About {
            name: Some(self.name.into()),
            title: Some(self.title.into()),
            source: Some(format!("{}; read from {}; {}", self.origin, self.read_from, self.licence)),
            notes: data.about().notes.clone(),
        };
        Ok(data.with_about(about))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Options, load};

    #[test]
    fn every_set_is_as_it_is_declared() {
        for set in SETS {
            let data = load(set.name, &[], &Options::default()).unwrap_or_else(|e| panic!("{}: {e}", set.name));
            assert_eq!(data.n(), set.rows, "{}", set.name);
            assert_eq!(data.target().map(|c| c.name()), Some(set.target), "{}", set.name);
            assert_eq!(data.columns().last().map(|c| c.name()), Some(set.target), "{}", set.name);
            assert_eq!(data.inputs().len() + 1, data.columns().len(), "{}", set.name);
            for column in data.columns() {
                let made = set.read_from.starts_with("made for this program");
                assert!(made || column.unit().is_some(), "{}: no unit for {}", set.name, column.name());
            }
            for (column, _) in set.units {
                assert!(data.column(column).is_some(), "{}: no column {column}", set.name);
            }
            assert_eq!(data.check_finite(), Ok(()), "{}", set.name);
            assert!(![set.title, set.about, set.origin, set.read_from, set.licence].contains(&""), "{}", set.name);
        }
    }

    #[test]
    fn names_are_unique() {
        let mut all: Vec<_> = names().collect();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), SETS.len());
    }

    #[test]
    fn two_class_labels_are_minus_one_and_one() {
        for name in ["breast", "pima", "sonar", "ionosphere", "heart"] {
            let data = load(name, &[], &Options::default()).unwrap();
            assert!(data.y().unwrap().iter().all(|y| y.abs() == 1.0), "{name}");
        }
    }
}
