//! Numbers.

use serde_json::Value as Json;

use super::json;
use super::value::ValueKind;
use crate::describe::Markup;
use crate::lang::numerals;

impl ValueKind for f64 {
    const NAME: &'static str = "Number";
    const NOUN: &'static str = "a number";
    const MADE_BY: &'static str = "`2.5`";
    const PLAIN: bool = true;

    fn show(&self) -> Markup {
        numerals::number(*self).into()
    }

    fn json(&self) -> Json {
        json::number(*self)
    }

    fn same(&self, other: &Self) -> bool {
        self == other
    }
}
