//! Booleans.

use serde_json::Value as Json;

use super::value::ValueKind;
use crate::describe::Markup;

impl ValueKind for bool {
    const NAME: &'static str = "Bool";
    const NOUN: &'static str = "true or false";
    const MADE_BY: &'static str = "`true`, `1 < 2`";
    const PLAIN: bool = true;

    fn show(&self) -> Markup {
        self.to_string().into()
    }

    fn json(&self) -> Json {
        Json::Bool(*self)
    }

    fn same(&self, other: &Self) -> bool {
        self == other
    }
}
