//! Priors of parameters.

use serde_json::Value as Json;

use super::value::ValueKind;
use crate::describe::Markup;
use crate::param::Prior;

impl ValueKind for Prior {
    const NAME: &'static str = "Dist";
    const NOUN: &'static str = "a prior";
    const MADE_BY: &'static str = "`LogNormal(0, 1)`";

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
