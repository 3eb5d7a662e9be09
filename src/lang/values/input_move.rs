//! Transformations of the inputs: symmetries.

use serde_json::Value as Json;

use super::value::ValueKind;
use crate::describe::Markup;
use crate::kernel::Move;

impl ValueKind for Move {
    const NAME: &'static str = "Move";
    const NOUN: &'static str = "a move";
    const MADE_BY: &'static str = "`swap(0, 1)`, `flip(0)`";

    fn show(&self) -> Markup {
        self.to_string().into()
    }

    fn json(&self) -> Json {
        Json::String(self.to_string())
    }

    fn same(&self, other: &Self) -> bool {
        self == other
    }
}
