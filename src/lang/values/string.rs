//! Strings.

use std::sync::Arc;

use serde_json::Value as Json;

use super::value::{Member, Value, ValueKind};
use crate::describe::Markup;
use crate::syntax::print::print_string;

impl ValueKind for Arc<str> {
    const NAME: &'static str = "String";
    const NOUN: &'static str = "a string";
    const MADE_BY: &'static str = "`\"text\"`";
    const PLAIN: bool = true;
    const MEMBERS: &'static [Member<Self>] =
        &[Member::new("n", "the number of characters", |text| Value::Number(text.chars().count() as f64))];

    fn show(&self) -> Markup {
        print_string(self).into()
    }

    fn json(&self) -> Json {
        Json::String(self.to_string())
    }

    fn same(&self, other: &Self) -> bool {
        self == other
    }
}
