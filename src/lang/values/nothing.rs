//! The result of a call without a result. It is never displayed.

use serde_json::Value as Json;

use super::value::ValueKind;
use crate::describe::Markup;

impl ValueKind for () {
    const NAME: &'static str = "Nothing";
    const NOUN: &'static str = "nothing";
    const MADE_BY: &'static str = "`print(…)`, `write(…)`: there is nothing to give";
    const PLAIN: bool = true;

    fn show(&self) -> Markup {
        "nothing".into()
    }

    fn json(&self) -> Json {
        Json::Null
    }
}
