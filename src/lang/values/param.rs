//! Parameters outside of kernels and models.

use serde_json::{Map, Value as Json, json};

use super::json;
use super::value::{Member, Value, ValueKind};
use crate::describe::Markup;
use crate::lang::numerals::number;
use crate::param::{Param, State};

impl ValueKind for Param {
    const NAME: &'static str = "Param";
    const NOUN: &'static str = "a parameter";
    const MADE_BY: &'static str = "`fixed(2)`, `between(0.1, 10)`, `2 ~ LogNormal(0, 1)`";
    const MEMBERS: &'static [Member<Self>] = &[
        Member::new("value", "the given value", |param| Value::maybe_number(param.value())),
        Member::new("fixed", "whether it is fixed in a fit", |param| Value::Bool(param.is_fixed())),
        Member::checked("bounds", "its bounds, as a list of two", |param| match param.state {
            State::Bounded { lo, hi, .. } => Value::numbers([lo, hi]),
            _ => Ok(Value::Nothing),
        }),
        Member::new("prior", "its prior", |param| param.prior.map_or(Value::Nothing, Value::Dist)),
    ];

    fn show(&self) -> Markup {
        source(self).into()
    }

    fn json(&self) -> Json {
        let mut out = Map::new();
        out.insert("value".into(), self.value().map_or(Json::Null, json::number));
        out.insert("fixed".into(), json!(self.is_fixed()));
        if let State::Bounded { lo, hi, .. } = self.state {
            out.insert("bounds".into(), json!([json::number(lo), json::number(hi)]));
        }
        if let Some(prior) = &self.prior {
            out.insert("prior".into(), json!(prior.to_string()));
        }
        if let Some(tie) = &self.tie {
            out.insert("tie".into(), json!(&*tie.name));
        }
        Json::Object(out)
    }

    fn same(&self, other: &Self) -> bool {
        self == other
    }
}

/// A parameter in the notation of the language.
fn source(param: &Param) -> String {
    let number = |x: f64| match param.time.and_then(|measure| measure.text(x)) {
        Some(text) => format!("\"{text}\""),
        None => number(x),
    };
    let state = match param.state {
        State::Unset => String::new(),
        State::Free(x) => number(x),
        State::Fixed(x) => format!("fixed({})", number(x)),
        State::Bounded { lo, hi, value: None } => format!("between({}, {})", number(lo), number(hi)),
        State::Bounded { lo, hi, value: Some(x) } => format!("between({}, {}, {})", number(lo), number(hi), number(x)),
    };
    let inner = match &param.prior {
        None => state,
        Some(prior) if state.is_empty() => format!("~ {prior}"),
        Some(prior) => format!("{state} ~ {prior}"),
    };
    match &param.tie {
        None => inner,
        Some(tie) if tie.name.is_empty() => format!("param({inner})"),
        Some(tie) if inner.is_empty() => format!("param({})", tie.name),
        Some(tie) => format!("param({}, {inner})", tie.name),
    }
}
