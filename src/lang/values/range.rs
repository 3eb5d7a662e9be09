//! Ranges of numbers and of days.

use serde_json::{Value as Json, json};

use super::json::number;
use super::list::lines;
use super::value::{Member, Value, ValueKind};
use crate::describe::Markup;
use crate::figure::Figure;
use crate::lang::payload::plot::{PlotError, PlotOptions};
use crate::lang::payload::range::Range;

impl ValueKind for Range {
    const NAME: &'static str = "Range";
    const NOUN: &'static str = "a range";
    const MADE_BY: &'static str = "`0..4`, the whole numbers 0 to 3; `0..=4` has the end too";
    const PLOT: Option<&'static [&'static str]> = Some(&["x", "mark"]);
    const MEMBERS: &'static [Member<Self>] = &[
        Member::new("start", "its first value", |range| range.value(range.start)),
        Member::new("end", "its end", |range| range.value(range.end)),
        Member::new("n", "the number of whole numbers in it", |range| Value::Number(range.len() as f64)),
    ];

    fn show(&self) -> Markup {
        self.to_string().into()
    }

    fn json(&self) -> Json {
        json!({ "start": number(self.start), "end": number(self.end), "inclusive": self.inclusive })
    }

    /// Compared by their numbers: `0..3` equals `0..=2`.
    fn same(&self, other: &Self) -> bool {
        Range::same(self, other)
    }

    fn figure(&self, options: &mut PlotOptions<'_>) -> Result<Figure, PlotError> {
        Ok(lines(&Value::Range(*self), options)?)
    }
}

impl Range {
    /// One of its numbers as a value: a date for a range of days.
    pub fn value(&self, x: f64) -> Value {
        self.date(x).map_or(Value::Number(x), Value::str)
    }
}
