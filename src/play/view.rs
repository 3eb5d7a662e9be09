//! What the figures show: the range of the input, and the point x₀.

use mercer::calendar::{self, Moment, TimeUnit};
use mercer::data::Column;
use mercer::render::without_controls;

use super::fault::{Fault, Field};
use super::state::{Place, State};

/// The shortest range of dates, in days, whose ends are whole days if they are not given.
const DAYS: f64 = 20.0;

/// The range of the input and the point x₀, in the unit of the column.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct View {
    pub lo: f64,
    pub hi: f64,
    pub at: f64,
}

impl View {
    /// The view along a column. `usual` is the range for ends that are left out.
    ///
    /// # Errors
    /// [`Fault::View`]: text that is no number, or no date on an axis of dates; a range that is empty or too long.
    pub fn new(state: &State, column: &Column, usual: (f64, f64)) -> Result<Self, Fault> {
        let usual = whole_days(column, usual);
        let end = |place: &Option<Place>, field, usual| match place {
            Some(place) => number(place, field, Some(column)),
            None => Ok(usual),
        };
        let lo = end(&state.range.0, Field::From, usual.0)?;
        let hi = end(&state.range.1, Field::To, usual.1)?;
        let text = |value| written(column, value).unwrap_or_else(|| format!("{value}"));
        ordered(state, lo, hi, text)?;
        let at = match &state.at {
            Some(place) => number(place, Field::At, Some(column))?,
            None => middle(column, lo, hi),
        };
        Ok(Self { lo, hi, at })
    }

    /// The range for a kernel of several inputs, if it is given.
    ///
    /// # Errors
    /// [`Fault::View`]: as [`View::new`], and a single end.
    pub fn over_several(state: &State) -> Result<Option<(f64, f64)>, Fault> {
        let alone = |field| {
            let message = "with several inputs a range has both ends, which are numbers".into();
            Err(Fault::View { field, message })
        };
        match &state.range {
            (None, None) => Ok(None),
            (Some(lo), Some(hi)) => {
                let (lo, hi) = (number(lo, Field::From, None)?, number(hi, Field::To, None)?);
                ordered(state, lo, hi, |value| format!("{value}"))?;
                Ok(Some((lo, hi)))
            }
            (None, Some(_)) => alone(Field::From),
            (Some(_), None) => alone(Field::To),
        }
    }
}

/// The date of a value on an axis of dates, as a text of the language.
pub fn written(column: &Column, value: f64) -> Option<String> {
    Moment::from(value, column.time()?.unit).map(Moment::exact_text).filter(|text| !text.is_empty())
}

/// The number that a place has on an axis.
fn number(place: &Place, field: Field, column: Option<&Column>) -> Result<f64, Fault> {
    let text = place.to_string();
    let shown = without_controls(&text);
    let told = |message: String| Err(Fault::View { field, message });
    match (column.and_then(Column::time), place) {
        (Some(scale), _) => match calendar::date(&text) {
            Some(date) => Ok(date.to(scale.unit)),
            None => told(format!("expected a date such as 2021-01-31, found `{shown}`")),
        },
        (None, Place::Number(number)) => Ok(*number),
        (None, Place::Text(text)) => match text.trim().parse::<f64>() {
            Ok(number) if number.is_finite() => Ok(number),
            _ => told(format!("expected a number, found `{shown}`")),
        },
    }
}

/// Refuses a range that ends before it begins, and one whose length is no number.
fn ordered(state: &State, lo: f64, hi: f64, text: impl Fn(f64) -> String) -> Result<(), Fault> {
    let field = if state.range.1.is_some() { Field::To } else { Field::From };
    let message = match () {
        () if lo >= hi => format!("the range ends before it begins: {} to {}", text(lo), text(hi)),
        () if !(hi - lo).is_finite() => format!("the range is too long: {} to {}", text(lo), text(hi)),
        () => return Ok(()),
    };
    Err(Fault::View { field, message })
}

/// The same range with whole days at its ends, for a long range of dates.
fn whole_days(column: &Column, (lo, hi): (f64, f64)) -> (f64, f64) {
    let Some(scale) = column.time() else { return (lo, hi) };
    let days = |value| scale.unit.convert(value, TimeUnit::Day);
    let back = |value| TimeUnit::Day.convert(value, scale.unit);
    match days(hi) - days(lo) >= DAYS {
        true => (back(days(lo).floor()), back(days(hi).ceil())),
        false => (lo, hi),
    }
}

/// The middle of a range, with the digits that matter.
fn middle(column: &Column, lo: f64, hi: f64) -> f64 {
    let middle = rounded(lo + (hi - lo) / 2.0, hi - lo);
    whole_days(column, (middle, middle + (hi - lo))).0
}

/// A number with the digits that matter on an axis of this length.
pub fn rounded(value: f64, length: f64) -> f64 {
    if !(length > 0.0 && length.is_finite() && value.is_finite()) {
        return value;
    }
    let digits = (3.0 - length.log10().floor()).clamp(-300.0, 300.0) as i32;
    let scale = 10f64.powi(digits.abs());
    if digits >= 0 { (value * scale).round() / scale } else { (value / scale).round() * scale }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mercer::calendar::{Resolution, TimeScale};

    fn read(text: &str) -> State {
        State::read(text.as_bytes()).unwrap()
    }

    fn dates() -> Column {
        let scale = TimeScale { unit: TimeUnit::Day, resolution: Resolution::Day };
        Column::times("date", scale, vec![18_262.0, 18_300.0])
    }

    #[test]
    fn places_are_numbers_or_dates() {
        let numbers = Column::numeric("x", vec![0.0, 1.0]);
        let view = |text: &str, column: &Column| View::new(&read(text), column, (18_000.5, 19_000.5));
        let found = view(r#"{"range": ["-1e3", 2], "at": "0.5"}"#, &numbers).unwrap();
        assert_eq!(found, View { lo: -1000.0, hi: 2.0, at: 0.5 });
        // an end that is left out is the usual one
        assert_eq!(view(r#"{"range": [null, 18500]}"#, &numbers).unwrap().lo, 18_000.5);
        let found = view(r#"{"range": ["2020-01-01", "1 Mar 2020"], "at": "2020-02-01"}"#, &dates()).unwrap();
        assert_eq!(found, View { lo: 18_262.0, hi: 18_322.0, at: 18_293.0 });
        assert_eq!(view("{}", &dates()).unwrap(), View { lo: 18_000.0, hi: 19_001.0, at: 18_501.0 });
        assert_eq!(written(&dates(), 18_262.0).as_deref(), Some("2020-01-01"));
        assert_eq!(written(&numbers, 18_262.0), None);
    }

    #[test]
    fn what_is_no_place_is_refused_at_its_field() {
        let numbers = Column::numeric("x", vec![0.0, 1.0]);
        for (text, column, field, why) in [
            (r#"{"at": "abc"}"#, &numbers, Field::At, "expected a number, found `abc`"),
            (r#"{"at": "NaN"}"#, &numbers, Field::At, "expected a number"),
            (r#"{"range": ["inf", 1]}"#, &numbers, Field::From, "expected a number"),
            (r#"{"range": [2, 1]}"#, &numbers, Field::To, "ends before it begins: 2 to 1"),
            (r#"{"range": [9, null]}"#, &numbers, Field::From, "ends before it begins: 9 to 5"),
            (r#"{"range": [-1e308, 1e308]}"#, &numbers, Field::To, "the range is too long"),
            (r#"{"at": 18262}"#, &dates(), Field::At, "expected a date such as 2021-01-31, found `18262`"),
            (r#"{"at": "2021-02-30"}"#, &dates(), Field::At, "expected a date"),
            (r#"{"range": ["2021-01-01", "2020-01-01"]}"#, &dates(), Field::To, "2021-01-01 to 2020-01-01"),
        ] {
            match View::new(&read(text), column, (-5.0, 5.0)) {
                Err(Fault::View { field: found, message }) => {
                    assert!(found == field && message.contains(why), "{text}: {message}");
                }
                other => panic!("{text}: {other:?}"),
            }
        }
    }

    #[test]
    fn several_inputs_have_both_ends_or_none() {
        assert_eq!(View::over_several(&read("{}")), Ok(None));
        assert_eq!(View::over_several(&read(r#"{"range": [0, "2"]}"#)), Ok(Some((0.0, 2.0))));
        for text in [r#"{"range": [0, null]}"#, r#"{"range": [null, 1]}"#, r#"{"range": [0, "2020-01-01"]}"#] {
            assert!(View::over_several(&read(text)).is_err(), "{text}");
        }
    }
}
