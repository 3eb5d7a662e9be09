//! New rows converted to the form of the training rows.

use std::sync::Arc;

use super::column::{Column, Kind};
use super::dataset::Dataset;
use super::error::DataError;
use super::step::is_transformed;
use super::write::digits;

impl Dataset {
    /// These rows with the inputs of `reference`, in its order, and its codes of categories; with its target if they
    /// have it. Columns are matched by name; others are unused. In columns that are `open`, a category that `reference`
    /// does not have gets a new code.
    ///
    /// # Errors
    /// A missing input, a category that `reference` does not have, text in a numeric column, or another unit; a target
    /// without a unit where that of `reference` is transformed.
    pub fn aligned(&self, reference: &Dataset, open: impl Fn(&str) -> bool) -> Result<Self, DataError> {
        let mut data = self.clone();
        for wanted in reference.inputs() {
            let column = recode(self, self.find(wanted.name())?, wanted, open(wanted.name()))?;
            data = data.with_column(column)?;
        }
        let target = reference.target().filter(|t| self.column(t.name()).is_some());
        if let Some(wanted) = target {
            let own = self.find(wanted.name())?;
            // numbers without a unit are in that of the training rows; a transform leaves none without a unit
            if let (Some(scale), None) = (wanted.unit().filter(|unit| is_transformed(unit)), own.unit()) {
                return Err(DataError::OtherScale { column: own.name().into(), scale: scale.into() });
            }
            data = data.with_column(recode(self, own, wanted, false)?)?.with_target(wanted.name())?;
        } else {
            data = data.without_target();
        }
        data.with_inputs(&reference.input_names())
    }
}

/// The column with the codes and the unit of `wanted`; if it is `open`, with further codes for categories that `wanted`
/// does not have.
fn recode(data: &Dataset, column: &Column, wanted: &Column, open: bool) -> Result<Column, DataError> {
    let unit = wanted.unit().unwrap_or_default();
    let Some(levels) = wanted.levels() else {
        if column.is_categories() {
            return Err(DataError::NotNumeric { column: column.name().into() });
        }
        return Ok(match (wanted.time(), column.time()) {
            (Some(scale), Some(_)) => column.in_unit(scale.unit),
            // plain numbers are in the unit of the times
            (Some(scale), None) => Column::times(column.name(), scale, column.values().to_vec()),
            (None, Some(_)) => return Err(DataError::TimeForNumbers { column: column.name().into() }),
            (None, None) => match (wanted.unit(), column.unit()) {
                (Some(wanted), Some(found)) if wanted != found => {
                    let (wanted, found) = (wanted.to_string(), found.to_string());
                    return Err(DataError::OtherUnit { column: column.name().into(), wanted, found });
                }
                _ => column.clone().with_unit(unit),
            },
        });
    };
    let mut all = levels.to_vec();
    let mut code = |text: &str| {
        let known = all.iter().position(|level| level.as_ref() == text);
        known.or_else(|| open.then(|| all.push(text.into())).map(|()| all.len() - 1))
    };
    // Each level of a categorical column is looked up once, numbers by their digits.
    let codes: Option<Vec<Option<usize>>> = column.levels().map(|own| own.iter().map(|text| code(text)).collect());
    let mut values = Vec::with_capacity(column.len());
    for (i, &v) in column.values().iter().enumerate() {
        let found = match &codes {
            _ if v.is_nan() => None,
            Some(codes) => codes.get(v as usize).copied().flatten(),
            None => code(&digits(v)),
        };
        if found.is_none() && !v.is_nan() {
            return Err(DataError::UnknownLevel {
                column: column.name().into(),
                row: data.row(i),
                value: column.level(i).map_or_else(|| digits(v), Into::into),
                known: levels.iter().map(ToString::to_string).collect(),
            });
        }
        values.push(found.map_or(f64::NAN, |code| code as f64));
    }
    let kind = Kind::Categories { levels: Arc::from(all) };
    Ok(Column::of(column.name().into(), kind, values).with_unit(unit))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Options, Target, parse};

    fn read(text: &str) -> Dataset {
        parse("f", text, &Options { target: Target::None, ..Options::default() }).unwrap()
    }

    fn train() -> Dataset {
        parse("f", "kind,size,y\nred,1,5\nblue,2,6\n", &Options::default()).unwrap()
    }

    #[test]
    fn rows_in_another_unit_are_refused() {
        let rows = |x: &str, y: &str| {
            let columns = [("x", x, vec![1.0, 3.0]), ("y", y, vec![2.0, 4.0])];
            let columns = columns.map(|(name, unit, values)| Column::numeric(name, values).with_unit(unit));
            Dataset::new(columns.into(), Some("y"), None).unwrap()
        };
        let train = rows("m", "kg");
        let aligned = |x: &str, y: &str| rows(x, y).aligned(&train, |_| false);
        let fault = aligned("km", "kg").unwrap_err().to_string();
        assert!(fault.contains("column `x` is in km here and in m in the training rows"), "{fault}");
        assert!(aligned("m", "log(kg)").is_err() && aligned("m", "kg").is_ok());
        assert!(aligned("", "").is_ok_and(|rows| rows.y() == Some(&[2.0, 4.0][..])));
    }

    #[test]
    fn categories_keep_the_codes_of_the_training_rows() {
        let new = read("size,extra,kind\n3,0,blue\n4,0,NA\n5,0,red\n").aligned(&train(), |_| false).unwrap();
        assert_eq!((new.input_names(), new.target()), (vec!["kind", "size"], None));
        assert_eq!((new.x()[0][0], new.x()[0][2], new.x()[1]), (1.0, 0.0, &[3.0, 4.0, 5.0][..]));
        assert!(new.x()[0][1].is_nan());
        let scored = read("y,size,kind\n1,3,blue\n").aligned(&train(), |_| false).unwrap();
        assert_eq!(scored.y(), Some(&[1.0][..]));
        // Levels that look like numbers, in a column with text.
        let mixed = parse("f", "k,y\n1,1\na,2\nb,3\n", &Options::default()).unwrap();
        assert_eq!(read("k,z\n1,1\n1,2\n").aligned(&mixed, |_| false).unwrap().x()[0], [0.0, 0.0]);
    }

    #[test]
    fn what_does_not_fit_is_named() {
        let error = |text: &str| read(text).aligned(&train(), |_| false).unwrap_err().to_string();
        assert_eq!(
            error("kind,size\nred,1\ngreen,2\n"),
            "`green` in column `kind`, line 3, is not a category of that column: `red`, `blue`"
        );
        let open = read("kind,size\nred,1\ngreen,2\ngreen,2\n").aligned(&train(), |name| name == "kind").unwrap();
        assert_eq!(open.x()[0], [0.0, 2.0, 2.0]);
        assert_eq!(error("size,a\n1,2\n"), "no column is called `kind`, the columns are `size`, `a`");
        assert_eq!(error("kind,size,n\nred,big,1\n"), "column `size` holds categories, expected numbers");
    }
}
